// The MCP project's own suite on the market itself: the scenarios that need no tools of their own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { run } from "../lib/command.mjs";
import { agent, market } from "../lib/market.mjs";
import { proxy } from "../lib/proxy.mjs";

const SCENARIOS = {
  "2026-07-28": ["server-stateless", "tools-list", "caching", "http-header-validation", "dns-rebinding-protection"],
  "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"],
};

let door;
before(async () => {
  door = await proxy(market.base_url, agent.api_key);
});
after(() => door.close());

const EXPECTED = fileURLToPath(new URL("../conformance/market.yml", import.meta.url));

for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
  for (const scenario of scenarios) {
    test(`${scenario} of ${revision}`, async () => {
      const { code, stdout } = await run(
        "conformance", "server", "--url", `${door.url}/mcp`, "--scenario", scenario, "--spec-version", revision,
        "--expected-failures", EXPECTED);
      assert.equal(code, 0);
      // A scenario that the suite does not run at this revision would be no check at all.
      assert.match(stdout, /Passed: [1-9]/);
    });
  }
}
