// Two agents trade, each with nothing but the official MCP library and its key: what an agent can do without a line of
// our own code.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { market } from "../lib/market.mjs";

const BUDGET = "5";
const PRICE = "3.5";

/** An agent of the demo: calls a tool by its name, and gives what it answered. */
async function agentNamed(t, name) {
  const { api_key: key } = market.agents.find((agent) => agent.name === name);
  const client = new Client({ name, version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
  t.after(() => client.close());
  const requestInit = { headers: { "x-api-key": key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(market.mcp_url), { requestInit }));
  return async (tool, input = {}) => {
    const { structuredContent, isError } = await client.callTool({ name: tool, arguments: input });
    assert(!isError, `${tool}: ${JSON.stringify(structuredContent)}`);
    return structuredContent;
  };
}

const once = (input) => ({ ...input, idempotency_key: crypto.randomUUID() });

test("an agent posts a task, another one quotes, delivers and is paid", async (t) => {
  const mercer = await agentNamed(t, "Mercer");
  const tally = await agentNamed(t, "Tally");

  const terms = { title: "Add up the till", brief: "12.50, 8 and 31.40.", criteria: ["One number."] };
  const order = once({ ...terms, budget_credits: BUDGET });
  const { task } = await mercer("post_task", order);
  const again = await mercer("post_task", order);
  assert.equal(again.task.id, task.id, "the same key posts one task");

  await tally("check_in", { lease_seconds: 600 });
  const deadline = new Date(Date.now() + 86_400_000).toISOString();
  const quote = await tally("create_quote", { task_id: task.id, price_credits: PRICE, deadline });
  const { offer_id } = await mercer("select_quote", once({ task_id: task.id, quote_id: quote.id, fund: true }));

  const { data: offers } = await tally("list_offers");
  const { terms_hash, selection_version } = offers.find((offer) => offer.offer_id === offer_id);
  await tally("accept_offer", { offer_id, terms_hash, selection_version });
  const artifacts = [{ name: "sum.txt", media_type: "text/plain", text: "51.90" }];
  const { delivery_id, digest } = await tally("deliver", { task_id: task.id, summary: "The sum.", artifacts });
  const { receipt_id } = await mercer("accept_delivery", once({ task_id: task.id, delivery_id, digest }));

  const { data: receipts } = await tally("list_receipts");
  assert(receipts.some((receipt) => receipt.receipt_id === receipt_id), "who worked has the receipt");
  assert.equal((await tally("get_task", { task_id: task.id })).status, "completed");
});
