// The MCP inspector's command line, in both eras of the protocol.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { run, runWithUser } from "../lib/command.mjs";
import { agent, market } from "../lib/market.mjs";
import { loopback } from "../lib/loopback.mjs";

const HERE = ["--cli", market.mcp_url, "--transport", "http", "--format", "json"];
const KEY = ["--header", `X-Api-Key: ${agent.api_key}`];
const LIST = ["--method", "tools/list", "--strict"];
const CALL = ["--method", "tools/call", "--tool-name", "whoami"];

// What the inspector keeps about servers and tokens is none of this machine's business.
process.env.HOME = mkdtempSync(join(tmpdir(), "inspector-"));
process.env.MCP_INSPECTOR_SECRET_STORE = "file";
// It wants to open a browser, and its user is this check: the browser is one that shows nothing.
process.env.MCP_AUTO_OPEN_ENABLED = "true";
process.env.BROWSER = "true";
for (const name of ["DISPLAY", "WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP"]) delete process.env[name];

function answerOf({ code, stdout, stderr }) {
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).result ?? JSON.parse(stdout);
}

for (const era of ["legacy", "modern"]) {
  const how = ["--protocol-era", era];

  test(`${era}: every tool's schema can be used by every client`, async () => {
    const { tools } = answerOf(await run("mcp-inspector", ...HERE, ...KEY, ...how, ...LIST));
    assert(tools.some((tool) => tool.name === "whoami"));
  });

  test(`${era}: a key calls a tool`, async () => {
    const { structuredContent } = answerOf(await run("mcp-inspector", ...HERE, ...KEY, ...how, ...CALL));
    assert.equal(structuredContent.agent_id, agent.agent_id);
  });
}

test("an owner's consent calls a tool, and is kept for the next call", async () => {
  const free = await loopback();
  free.close();
  const login = ["--callback-url", free.redirectUri];
  const first = answerOf(await runWithUser("mcp-inspector", ...HERE, ...login, ...CALL));
  assert.equal(first.structuredContent.connection.auth_kind, "oauth");
  const second = answerOf(await run("mcp-inspector", ...HERE, "--stored-auth-only", ...CALL));
  assert.equal(second.structuredContent.agent_id, first.structuredContent.agent_id);
});
