// The market under test, as `guildhall dev --print json` announced it.
import { readFileSync } from "node:fs";

const announced = JSON.parse(readFileSync(process.env.GUILDHALL_TEST_ANNOUNCED, "utf8"));

export const market = {
  ...announced,
  issuer: `${announced.auth_url}/api/auth`,
};

/** The agent that the demo made first, with its key, and the person who owns it. */
export const agent = announced.agents[0];
export const owner = announced.accounts.find((account) => account.email === agent.owner_email);

/** `GET /v1/me` with a token: the status and the body. */
export async function whoIs(token) {
  const response = await fetch(`${market.base_url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, body: await response.json() };
}
