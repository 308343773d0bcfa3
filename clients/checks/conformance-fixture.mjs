// The MCP project's own suite, all that a revision requires of a server, on the transport that the market uses too. Its
// scenarios call tools by name, so they run on a server that has those tools.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { run } from "../lib/command.mjs";

const FIXTURE = process.env.GUILDHALL_TEST_FIXTURE;
const EXPECTED = fileURLToPath(new URL("../conformance/fixture-2025-11-25.yml", import.meta.url));

test("all that 2026-07-28 requires", async () => {
  const { code } = await run("conformance", "server", "--url", FIXTURE, "--requirements", "2026-07-28");
  assert.equal(code, 0);
});

test("what 2025-11-25 requires of a server without sessions", async () => {
  const { code } = await run(
    "conformance", "server", "--url", FIXTURE, "--requirements", "2025-11-25", "--expected-failures", EXPECTED);
  assert.equal(code, 0);
});
