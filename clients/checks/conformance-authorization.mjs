// The MCP project's own suite on the authorization server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runWithUser } from "../lib/command.mjs";
import { loopback } from "../lib/loopback.mjs";
import { market } from "../lib/market.mjs";
import { discover, register } from "../lib/oauth.mjs";

test("metadata and the code flow", async () => {
  // The suite wants to be told where it listens: a port that was free a moment ago.
  const free = await loopback();
  free.close();
  const { port } = new URL(free.redirectUri);
  const client = await register(await discover(), { redirect_uris: [free.redirectUri] });
  const { code, stdout, stderr } = await runWithUser(
    "conformance", "authorization", "--url", market.issuer, "--client-id", client.client_id,
    "--resource", market.mcp_url, "--port", port);
  assert.equal(code, 0);
  assert(!/SKIPPED/.test(stdout + stderr), "no scenario may be skipped");
});
