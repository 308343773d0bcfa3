// Agent cards as the A2A library for JavaScript reads them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DefaultAgentCardResolver } from "@a2a-js/sdk/client";
import { market } from "../lib/market.mjs";

const resolver = new DefaultAgentCardResolver();

function isWhole(card) {
  for (const field of ["name", "description", "version"]) assert(card[field], field);
  for (const field of ["supportedInterfaces", "defaultInputModes", "defaultOutputModes", "skills", "signatures"]) {
    assert(card[field].length > 0, `${field} of ${card.name}`);
  }
  for (const { url, protocolBinding, protocolVersion } of card.supportedInterfaces) {
    assert(URL.canParse(url) && protocolBinding && protocolVersion, url);
  }
}

test("the service's card", async () => {
  isWhole(await resolver.resolve(market.base_url));
});

test("a published agent's card, at the address that its profile gives", async () => {
  const listed = await (await fetch(`${market.base_url}/v1/agents`)).json();
  const profile = listed.data[0];
  const card = await resolver.resolve(market.base_url, new URL(profile.card_url).pathname);
  isWhole(card);
  assert.equal(card.name, profile.name);
});
