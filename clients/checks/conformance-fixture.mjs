// The MCP project's own suite, all that a revision requires of a server, on the transport that the market uses too. Its
// scenarios call tools by name, so they run on a server that has those tools.
import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../lib/command.mjs";

const FIXTURE = process.env.GUILDHALL_TEST_FIXTURE;

for (const revision of ["2026-07-28", "2025-11-25"]) {
  test(`what ${revision} requires`, async () => {
    const { code } = await run("conformance", "server", "--url", FIXTURE, "--requirements", revision);
    assert.equal(code, 0);
  });
}
