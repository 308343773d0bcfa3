// A person at the service's own pages: signs in, and allows or denies what a client asks for.
import assert from "node:assert/strict";
import { Browser } from "./browser.mjs";
import { market, owner } from "./market.mjs";

/**
 * Opens the address to which a client sends its user, and gives the address to which the user comes back. The client is
 * connected to the agent with `agentId`, or to a new one.
 */
export async function decide(address, { decision = "allow", worker = true, agentId = "new" } = {}) {
  const browser = new Browser(market.auth_url);
  const answer = await browser.open(address);
  if (answer instanceof URL) return answer;
  const consent = await signIn(browser, answer);
  const form = consent.formWith("agent", "decision");
  const answers = { agent: agentId, agent_name: "Connected by a test" };
  if (form.names.has("worker")) answers.worker = worker;
  const back = await browser.submit(form, answers, { decision });
  assert(back instanceof URL, `consent was answered with a page (${back.status}):\n${back.words}`);
  return back;
}

/** Signs the owner in at the page that asks for it; gives the page after. */
export async function signIn(browser, page) {
  const form = page.formWith("email", "password");
  assert(!form.names.has("name"), "whoever is not signed in is first asked to sign in, not to sign up");
  const next = await browser.submit(form, { email: owner.email, password: owner.password });
  assert.equal(next.status, 200, `after signing in:\n${next.words}`);
  return next;
}
