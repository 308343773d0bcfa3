"""The market under test, and a person at its pages: a browser without scripts, on the standard library's parser."""

import json
import os
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx

_ANNOUNCED = json.loads(Path(os.environ["GUILDHALL_TEST_ANNOUNCED"]).read_text())

BASE_URL = _ANNOUNCED["base_url"]
AUTH_URL = _ANNOUNCED["auth_url"]
MCP_URL = _ANNOUNCED["mcp_url"]
ISSUER = f"{AUTH_URL}/api/auth"
AGENTS = _ANNOUNCED["agents"]
AGENT = AGENTS[0]
OWNER = next(account for account in _ANNOUNCED["accounts"] if account["email"] == AGENT["owner_email"])

MOST_REDIRECTS = 10


class _Forms(HTMLParser):
    """Every form of a page: its action, its method, and the attributes of its inputs and buttons."""

    def __init__(self, text: str):
        super().__init__()
        self.forms: list[dict] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self._inside = True
            self.forms.append({"action": attributes.get("action", ""), "controls": []})
        elif self._inside and tag in ("input", "button") and attributes.get("name"):
            kind = "submit" if tag == "button" else attributes.get("type", "text")
            self.forms[-1]["controls"].append({**attributes, "kind": kind})

    def handle_endtag(self, tag):
        if tag == "form":
            self._inside = False


def _form_with(page: httpx.Response, *names: str) -> dict:
    """The one form that has all these fields."""

    def named(form):
        return {control["name"] for control in form["controls"]}

    found = [form for form in _Forms(page.text).forms if set(names) <= named(form)]
    assert len(found) == 1, f"{len(found)} forms with {names} at {page.url} ({page.status_code}):\n{page.text}"
    return found[0]


def _filled(form: dict, answers: dict) -> dict:
    """What is sent when the answers are filled in; a button is sent when it is among them."""
    sent = {}
    for control in form["controls"]:
        name, kind, value = control["name"], control["kind"], control.get("value") or ""
        answer = answers.get(name)
        if kind in ("radio", "submit"):
            marked = "checked" in control and kind == "radio"
            if answer == value or (answer is None and marked):
                sent[name] = value
        elif kind == "checkbox":
            if "checked" in control if answer is None else answer:
                sent[name] = value or "on"
        else:
            sent[name] = value if answer is None else answer
    wrong = {name for name, answer in answers.items() if isinstance(answer, str) and sent.get(name) != answer}
    assert not wrong, f"the form has no such field or choice: {wrong}"
    return sent


class Browser:
    """Keeps cookies and follows redirects, until one leads away from the market."""

    def __init__(self):
        self._client = httpx.Client(follow_redirects=False, timeout=30, headers={"accept": "text/html"})

    def open(self, address: str) -> httpx.Response | str:
        """A page of the market, or the address elsewhere to which it was sent."""
        return self._follow("GET", address, None, {})

    def submit(self, page: httpx.Response, names: tuple[str, ...], answers: dict) -> httpx.Response | str:
        """Fills in the form that has these fields."""
        form = _form_with(page, *names)
        hidden = page.headers.get("referrer-policy") == "no-referrer"
        origin = "null" if hidden else f"{page.url.scheme}://{page.url.netloc.decode()}"
        action = urljoin(str(page.url), form["action"])
        headers = {"origin": origin, "sec-fetch-site": "same-origin"}
        return self._follow("POST", action, _filled(form, answers), headers)

    def _follow(self, method, address, data, headers):
        for _ in range(MOST_REDIRECTS):
            if urlsplit(address).netloc != urlsplit(AUTH_URL).netloc:
                return address
            answer = self._client.request(method, address, data=data, headers=headers)
            if not answer.has_redirect_location:
                return answer
            assert method == "GET" or answer.status_code in (302, 303), answer.status_code
            address = urljoin(address, answer.headers["location"])
            method, data, headers = "GET", None, {}
        raise AssertionError(f"too many redirects, the last one to {address}")


def decide(address: str, decision: str = "allow", worker: bool = True) -> str:
    """Opens the address to which a client sends its user; gives the address to which the user comes back."""
    browser = Browser()
    page = browser.open(address)
    if isinstance(page, str):
        return page
    page = browser.submit(
        page, ("email", "password"), {"email": OWNER["email"], "password": OWNER["password"]}
    )
    assert isinstance(page, httpx.Response) and page.status_code == 200, page
    answers = {"agent": "new", "agent_name": "Connected by Python", "worker": worker, "decision": decision}
    back = browser.submit(page, ("agent", "decision"), answers)
    assert isinstance(back, str), f"consent was answered with a page:\n{back.text}"
    return back


def who_is(token: str) -> httpx.Response:
    """`GET /v1/me` with a token."""
    return httpx.get(f"{BASE_URL}/v1/me", headers={"authorization": f"Bearer {token}"}, timeout=30)
