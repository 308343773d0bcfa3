// A browser without scripts: it keeps cookies, follows redirects, and sends the forms that a page shows.
import { parse } from "node-html-parser";

const MOST_REDIRECTS = 10;

/** What a person sees and can press at an address. */
export class Page {
  constructor(url, response, text) {
    this.url = url;
    this.status = response.status;
    this.headers = response.headers;
    this.text = text;
    this.root = parse(text);
  }

  /** The forms, each with what it holds. */
  get forms() {
    return this.root.querySelectorAll("form").map((element) => new Form(this, element));
  }

  /** The one form that has all these fields; whatever stands before or behind it on the page. */
  formWith(...names) {
    const found = this.forms.filter((form) => names.every((name) => form.names.has(name)));
    if (found.length !== 1) {
      throw new Error(`${found.length} forms with ${names.join(", ")} at ${this.url} (${this.status}):\n${this.words}`);
    }
    return found[0];
  }

  /** What the page says, without its markup. */
  get words() {
    return this.root.structuredText.trim();
  }
}

class Form {
  constructor(page, element) {
    this.page = page;
    this.action = new URL(element.getAttribute("action") ?? "", page.url);
    this.method = (element.getAttribute("method") ?? "get").toUpperCase();
    this.controls = element.querySelectorAll("input, select, textarea, button").filter((control) => {
      return control.getAttribute("name") && !control.hasAttribute("disabled");
    });
    this.names = new Set(this.controls.map((control) => control.getAttribute("name")));
  }

  /** The values that may be chosen for a field. */
  choices(name) {
    const named = this.controls.filter((control) => control.getAttribute("name") === name);
    return named.flatMap((control) =>
      control.tagName === "SELECT"
        ? control.querySelectorAll("option").map(valueOf)
        : [valueOf(control)],
    );
  }

  /**
   * What is sent when `answers` are filled in and the button with `pressed` as its name and value is pressed. A text is
   * typed or chosen, true and false tick and clear a box.
   */
  filled(answers, pressed) {
    for (const name of Object.keys({ ...answers, ...pressed })) {
      if (!this.names.has(name)) throw new Error(`the form at ${this.page.url} has no field "${name}"`);
    }
    const sent = new URLSearchParams();
    for (const control of this.controls) {
      const name = control.getAttribute("name");
      const value = answered(control, answers[name], pressed?.[name]);
      if (value !== undefined) sent.append(name, value);
    }
    for (const [name, chosen] of Object.entries({ ...answers, ...pressed })) {
      if (typeof chosen === "string" && !sent.getAll(name).includes(chosen)) {
        throw new Error(`"${name}" cannot be "${chosen}" at ${this.page.url}: ${this.choices(name).join(", ")}`);
      }
    }
    return sent;
  }
}

/** The value with which a control takes part in what is sent; undefined when it takes none. */
function answered(control, answer, pressed) {
  const kind = (control.getAttribute("type") ?? "").toLowerCase();
  const value = valueOf(control);
  if (control.tagName === "BUTTON" || kind === "submit") return pressed === value ? value : undefined;
  if (kind === "radio") return (answer === undefined ? isMarked(control) : answer === value) ? value : undefined;
  if (kind === "checkbox") return (answer ?? isMarked(control)) ? value || "on" : undefined;
  if (control.tagName === "SELECT") {
    const options = control.querySelectorAll("option");
    return answer ?? valueOf(options.find((option) => option.hasAttribute("selected")) ?? options[0]);
  }
  return answer ?? value;
}

const isMarked = (control) => control.hasAttribute("checked");

function valueOf(control) {
  if (control.tagName === "TEXTAREA") return control.text;
  return control.getAttribute("value") ?? (control.tagName === "OPTION" ? control.text : "");
}

export class Browser {
  /** `home` is the origin at which it walks; an address elsewhere is where the walk ends. */
  constructor(home) {
    this.home = new URL(home).origin;
    this.cookies = new Map();
  }

  /** Opens an address: a `Page` of the home, or the `URL` elsewhere to which it was sent. */
  async open(address) {
    return this.#follow(new URL(address), { method: "GET", headers: { "sec-fetch-site": "none" } });
  }

  /** Fills in a form of a page and presses a button. */
  async submit(form, answers, pressed) {
    const sent = form.filled(answers, pressed);
    if (form.method === "GET") {
      const url = new URL(form.action);
      url.search = sent;
      return this.open(url);
    }
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      origin: originSentBy(form.page),
      "sec-fetch-site": form.action.origin === form.page.url.origin ? "same-origin" : "cross-site",
    };
    return this.#follow(form.action, { method: "POST", headers, body: sent.toString() });
  }

  async #follow(url, request) {
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      if (url.origin !== this.home) return url;
      const response = await this.#send(url, request);
      const next = response.headers.get("location");
      if (response.status < 300 || response.status > 399) return new Page(url, response, await response.text());
      if (!next) throw new Error(`${response.status} without Location at ${url}`);
      // 307 and 308 would send what was typed to the next address once more.
      if (request.method === "POST" && ![302, 303].includes(response.status)) {
        throw new Error(`${response.status} after a form at ${url}`);
      }
      url = new URL(next, url);
      request = { method: "GET", headers: {} };
    }
    throw new Error(`more than ${MOST_REDIRECTS} redirects, the last one to ${url}`);
  }

  async #send(url, { method, headers, body }) {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = { accept: "text/html", ...headers, ...(cookie && { cookie }) };
    const response = await fetch(url, { method, body, headers: sent, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line) {
    const [pair, ...attributes] = line.split(";").map((part) => part.trim());
    const at = pair.indexOf("=");
    const gone = attributes.some((attribute) => /^max-age=(0|-\d+)$/i.test(attribute));
    if (gone) this.cookies.delete(pair.slice(0, at));
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

/** The `Origin` that a browser sends with a form: a page that gives no referrer gives no origin either. */
function originSentBy(page) {
  return page.headers.get("referrer-policy") === "no-referrer" ? "null" : page.url.origin;
}
