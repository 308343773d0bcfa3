// The pages in Chromium: people who come with a client, connect an agent, or do not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, Visitor } from "../lib/chromium.mjs";
import { loopback } from "../lib/loopback.mjs";
import { market, owner, whoIs } from "../lib/market.mjs";
import { Flow } from "../lib/oauth.mjs";

const PASSWORD = "a long and private phrase";
const LOOKS = {
  light: { colorScheme: "light", viewport: { width: 1100, height: 800 } },
  dark: { colorScheme: "dark", viewport: { width: 1100, height: 800 } },
  phone: { colorScheme: "light", viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
};

let browser;
let client;
before(async () => {
  browser = await launch();
  client = await loopback();
});
after(async () => {
  await browser?.close();
  client?.close();
});

/** A client on this computer that is about to ask for everything. */
async function aFlow() {
  const flow = await Flow.of({ client_name: "Desk Assistant", redirect_uris: [client.redirectUri] });
  flow.redirectUri = client.redirectUri;
  return flow;
}

async function arrive(look, options) {
  return Visitor.arrive(browser, look, { ...LOOKS[look], ...options });
}

const at = (path) => (url) => url.pathname === path;
const SIGN_IN = at("/api/auth/sign-in");
const SIGN_UP = at("/api/auth/sign-up");
const CONSENT = at("/api/auth/oauth2/authorize");
const ADD_PASSKEY = (url) => url.pathname.includes("passkey");

async function signIn({ page }, { email, password }) {
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

test("somebody new makes an account and a passkey, signs in with it, and lets a client look", async () => {
  const flow = await aFlow();
  const visitor = await arrive("light");
  const { page } = visitor;
  await visitor.holdPasskeys();
  await page.goto(`${await flow.address()}`);
  await page.waitForURL(SIGN_IN);
  await page.getByRole("link", { name: "Make an account" }).click();
  await page.waitForURL(SIGN_UP);
  await page.getByLabel("Your name").fill("Nora");
  await page.getByLabel("E-mail address").fill(`nora-${crypto.randomUUID()}@example.com`);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Make the account" }).click();
  await page.waitForURL(ADD_PASSKEY);
  await visitor.see("add-passkey");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.waitForURL(CONSENT);

  await page.goto(`${market.auth_url}/api/auth/account`);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText("This device has a passkey of yours already.").waitFor();
  await visitor.see("account-with-passkey");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.goto(`${await flow.address()}`);
  await page.waitForURL(SIGN_IN);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL(CONSENT);

  await page.getByRole("link", { name: "Not you?" }).click();
  await page.waitForURL(SIGN_IN);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.waitForURL(CONSENT);

  await page.getByLabel("A new agent").check();
  await page.getByLabel("Name of the new agent").fill("Nora's eyes");
  await page.getByLabel("Work as this agent").uncheck();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Back at the client" }).waitFor();

  const tokens = await flow.redeem(flow.validate(await client.comeBack()));
  const { status, body } = await whoIs(tokens.access_token);
  assert.equal(status, 200);
  assert.equal(body.name, "Nora's eyes");
  assert.deepEqual(body.scopes, ["read"]);
  await visitor.leave();
});

test("whoever denies is sent back without a code", async () => {
  const flow = await aFlow();
  const visitor = await arrive("light");
  await visitor.page.goto(`${await flow.address()}`);
  await signIn(visitor, owner);
  await visitor.page.getByRole("button", { name: "Deny" }).click();
  await visitor.page.getByRole("heading", { name: "Back at the client" }).waitFor();
  const back = await client.comeBack();
  assert.throws(() => flow.validate(back), (thrown) => thrown.error === "access_denied");
  await visitor.leave();
});

test("a wrong password is said, and what was typed besides is still there", async () => {
  const flow = await aFlow();
  const visitor = await arrive("light");
  const { page } = visitor;
  await page.goto(`${await flow.address()}`);
  await signIn(visitor, { email: owner.email, password: "not the right phrase" });
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("E-mail address").inputValue(), owner.email);
  assert.equal(await page.getByLabel("Password").inputValue(), "");
  await visitor.see("wrong-password");
  await signIn(visitor, owner);
  await page.waitForURL(CONSENT);
  await visitor.leave();
});

test("everything can be done with the keyboard alone", async () => {
  const flow = await aFlow();
  const visitor = await arrive("light");
  const { page } = visitor;
  const { keyboard } = page;
  await page.goto(`${await flow.address()}`);
  await visitor.tabTo("#email");
  await keyboard.type(owner.email);
  await visitor.tabTo("#password");
  await keyboard.type(owner.password);
  await keyboard.press("Enter");
  await page.waitForURL(CONSENT);
  await visitor.tabTo("[name=agent]");
  while (!(await page.evaluate(() => document.activeElement.value === "new"))) await keyboard.press("ArrowDown");
  await keyboard.press("Space");
  await visitor.tabTo("[name=agent_name]");
  await keyboard.press("Control+A");
  await keyboard.type("By keyboard");
  await visitor.tabTo("[name=worker]");
  await visitor.see("keyboard");
  await keyboard.press("Space");
  await visitor.tabTo("[name=decision][value=allow]");
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Back at the client" }).waitFor();
  const tokens = await flow.redeem(flow.validate(await client.comeBack()));
  const { body } = await whoIs(tokens.access_token);
  assert.equal(body.name, "By keyboard");
  assert.deepEqual(body.scopes, ["read"]);
  await visitor.leave();
});

test("everything can be done without scripts", async () => {
  const flow = await aFlow();
  const visitor = await arrive("light", { javaScriptEnabled: false });
  const { page } = visitor;
  await page.goto(`${await flow.address()}`);
  assert.equal(await page.getByRole("button", { name: "passkey" }).count(), 0, "nothing is shown that cannot work");
  await signIn(visitor, owner);
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Back at the client" }).waitFor();
  await flow.redeem(flow.validate(await client.comeBack()));
  await visitor.leave();
});

for (const look of Object.keys(LOOKS)) {
  test(`every page can be used by everybody: ${look}`, async () => {
    const flow = await aFlow();
    const visitor = await arrive(look);
    const { page } = visitor;
    await page.goto(`${await flow.address()}`);
    await page.waitForURL(SIGN_IN);
    await visitor.see("sign-in");
    await page.getByRole("link", { name: "Make an account" }).click();
    await page.waitForURL(SIGN_UP);
    await visitor.see("sign-up");
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.waitForURL(SIGN_IN);
    await signIn(visitor, owner);
    await page.waitForURL(CONSENT);
    await visitor.see("consent");
    await page.goto(`${market.auth_url}/api/auth/account`);
    await visitor.see("account");
    await visitor.leave();
  });

  test(`a request of a client that nobody knows ends at a page, never elsewhere: ${look}`, async () => {
    const flow = await aFlow();
    const visitor = await arrive(look);
    await visitor.page.goto(`${await flow.address({ client_id: "client_that_never_was" })}`);
    assert.equal(new URL(visitor.page.url()).origin, market.auth_url);
    await visitor.see("failure");
    await visitor.leave();
  });
}

test("no page of another site can show the pages in a frame", async () => {
  const visitor = await arrive("light");
  const { page } = visitor;
  await page.route(`${new URL(client.redirectUri).origin}/frame`, (route) =>
    route.fulfill({ contentType: "text/html", body: `<iframe src="${market.auth_url}/api/auth/sign-in"></iframe>` }));
  await page.goto(new URL("/frame", client.redirectUri).href);
  const framed = page.frames().find((frame) => frame !== page.mainFrame());
  assert.equal(await framed.getByLabel("Password").count(), 0);
  // The refusal is itself said on the console.
  visitor.complaints = visitor.complaints.filter((said) => !/frame/i.test(said));
  await visitor.leave();
});

test("no page of another site can sign anybody in or consent for anybody", async () => {
  const visitor = await arrive("light");
  const { page } = visitor;
  await page.goto(`${market.auth_url}/api/auth/sign-in`);
  await signIn(visitor, owner);
  await page.waitForURL((url) => !SIGN_IN(url));
  for (const path of ["/api/auth/oauth2/consent", "/api/auth/sign-in", "/api/auth/account"]) {
    await page.route(`${new URL(client.redirectUri).origin}/forge`, (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `<form method="post" action="${market.auth_url}${path}">
          <input name="agent" value="new"><input name="agent_name" value="Forged">
          <input name="email" value="a@b.example"><input name="password" value="${PASSWORD}">
          <button name="decision" value="allow">Go</button></form>`,
      }));
    await page.goto(new URL("/forge", client.redirectUri).href);
    const [answer] = await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Go" }).click()]);
    assert(answer.status() >= 400 && answer.status() < 500, `${path} answered ${answer.status()}`);
    await page.unroute(`${new URL(client.redirectUri).origin}/forge`);
  }
  await visitor.leave();
});
