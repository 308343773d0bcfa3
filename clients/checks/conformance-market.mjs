// The MCP project's own suite on the market itself: the scenarios that need no tools of their own.
import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
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

// They call tools of the suite's own, and are checked where those are.
const NEED_A_TOOL = [
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
  "sep-2575-http-server-no-independent-requests-on-stream",
  "sep-2575-server-no-log-without-loglevel",
];

for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
  for (const scenario of scenarios) {
    test(`${scenario} of ${revision}`, async () => {
      const results = mkdtempSync(join(tmpdir(), "conformance-"));
      await run(
        "conformance", "server", "--url", `${door.url}/mcp`, "--scenario", scenario, "--spec-version", revision,
        "--output-dir", results);
      const checks = globSync(`${results}/*/checks.json`).flatMap((file) => JSON.parse(readFileSync(file, "utf8")));
      const held = checks.filter(({ status }) => status === "SUCCESS");
      const failed = checks.filter(({ id, status }) => status === "FAILURE" && !NEED_A_TOOL.includes(id));
      assert.deepEqual(failed, []);
      // A scenario that the suite does not run at this revision would be no check at all.
      assert(held.length > 0, "nothing was checked");
    });
  }
}
