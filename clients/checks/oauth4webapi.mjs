// The authorization server as oauth4webapi sees it.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import { Browser } from "../lib/browser.mjs";
import { signIn } from "../lib/consent.mjs";
import { discover, Flow, INSECURE, register } from "../lib/oauth.mjs";
import { market, whoIs } from "../lib/market.mjs";

const refusedWith = (error) => (thrown) => thrown.error === error;

test("discovery says the same by both of its addresses", async () => {
  const server = await discover();
  const issuer = new URL(market.issuer);
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...INSECURE });
  assert.deepEqual(await oauth.processDiscoveryResponse(issuer, response), server);
  assert.deepEqual(server.code_challenge_methods_supported, ["S256"]);
  assert.equal(server.authorization_response_iss_parameter_supported, true);
  assert(!server.scopes_supported.includes("agent-buyer"), "no client is ever told to ask for spending");
});

test("the protected resource names its authorization server", async () => {
  const resource = new URL(market.mcp_url);
  const response = await oauth.resourceDiscoveryRequest(resource, INSECURE);
  const found = await oauth.processResourceDiscoveryResponse(resource, response);
  assert.deepEqual(found.authorization_servers, [market.issuer]);
  assert.deepEqual(found.scopes_supported, ["read", "worker"]);
});

test("the code flow ends in an access token of RFC 9068 for one agent", async () => {
  const flow = await Flow.of();
  const tokens = await flow.tokens();
  const request = new Request(market.mcp_url, { headers: { authorization: `Bearer ${tokens.access_token}` } });
  const claims = await oauth.validateJwtAccessToken(flow.server, request, market.mcp_url, INSECURE);
  assert.equal(claims.client_id, flow.client.client_id);
  assert.deepEqual(claims.scope.split(" ").sort(), ["read", "worker"]);
  const { status, body } = await whoIs(tokens.access_token);
  assert.equal(status, 200);
  assert.equal(body.kind, "agent");
  assert.equal(body.connection.auth_kind, "oauth");
});

test("the owner can take worker away", async () => {
  const flow = await Flow.of();
  const tokens = await flow.tokens({}, { worker: false });
  assert(!tokens.scope.split(" ").includes("worker"), tokens.scope);
  assert.deepEqual((await whoIs(tokens.access_token)).body.scopes, ["read"]);
});

test("a client that names no resource gets a token for the market", async () => {
  const flow = await Flow.of();
  flow.resource = undefined;
  const tokens = await flow.tokens();
  assert.equal((await whoIs(tokens.access_token)).status, 200);
});

test("a refusal and a scope that is never granted come back as errors, with state and iss", async () => {
  const flow = await Flow.of();
  await assert.rejects(flow.authorize({}, { decision: "deny" }), refusedWith("access_denied"));
  await assert.rejects(flow.authorize({ scope: "read agent-buyer" }), refusedWith("invalid_scope"));
  await assert.rejects(flow.authorize({ resource: "https://elsewhere.example/mcp" }), refusedWith("invalid_target"));
});

test("every client is asked about, also when its user is signed in", async () => {
  const browser = new Browser(market.auth_url);
  const first = await Flow.of({ client_name: "First" });
  const consent = await signIn(browser, await browser.open(await first.address()));
  const answers = { agent: "new", agent_name: "Of the first" };
  assert(await browser.submit(consent.formWith("agent", "decision"), answers, { decision: "allow" }) instanceof URL);
  for (const flow of [first, await Flow.of({ client_name: "Second" })]) {
    const asked = await browser.open(await flow.address());
    assert(asked.words.includes(flow.client.client_name), asked.words);
    asked.formWith("agent", "decision");
  }
});

test("a code is redeemed once, and its reuse ends what it gave", async () => {
  const flow = await Flow.of();
  const parameters = await flow.authorize();
  const tokens = await flow.redeem(parameters);
  await assert.rejects(flow.redeem(parameters), refusedWith("invalid_grant"));
  assert.equal((await whoIs(tokens.access_token)).status, 401);
  await assert.rejects(flow.refresh(tokens.refresh_token), refusedWith("invalid_grant"));
});

test("a code needs the verifier that its challenge was made of", async () => {
  const flow = await Flow.of();
  const parameters = await flow.authorize();
  const stolen = flow.redeem(parameters, oauth.generateRandomCodeVerifier());
  await assert.rejects(stolen, refusedWith("invalid_grant"));
});

test("a lost answer to a refresh is given once more", async () => {
  const flow = await Flow.of();
  const first = await flow.tokens();
  const lost = await flow.refresh(first.refresh_token);
  const again = await flow.refresh(first.refresh_token);
  assert.notEqual(lost.refresh_token, first.refresh_token, "refresh tokens rotate");
  assert.equal(again.refresh_token, lost.refresh_token);
  assert.equal((await whoIs(again.access_token)).status, 200);
});

test("a spent refresh token ends its family", async () => {
  const flow = await Flow.of();
  const first = await flow.tokens();
  const second = await flow.refresh(first.refresh_token);
  const third = await flow.refresh(second.refresh_token);
  assert.equal((await whoIs(third.access_token)).status, 200);
  await assert.rejects(flow.refresh(first.refresh_token), refusedWith("invalid_grant"));
  await assert.rejects(flow.refresh(third.refresh_token), refusedWith("invalid_grant"));
  assert.equal((await whoIs(third.access_token)).status, 401);
});

test("a revoked refresh token takes its access token with it", async () => {
  const flow = await Flow.of();
  const tokens = await flow.tokens();
  await flow.revoke(tokens.refresh_token);
  assert.equal((await whoIs(tokens.access_token)).status, 401);
  await assert.rejects(flow.refresh(tokens.refresh_token), refusedWith("invalid_grant"));
  await flow.revoke("a token that never was");
});

test("a confidential client authenticates, and may introspect", async () => {
  for (const [method, authentication] of [
    ["client_secret_basic", oauth.ClientSecretBasic],
    ["client_secret_post", oauth.ClientSecretPost],
  ]) {
    const flow = await Flow.of(
      { token_endpoint_auth_method: method },
      (client) => authentication(client.client_secret),
    );
    const tokens = await flow.tokens();
    const told = await flow.introspect(tokens.access_token);
    assert.equal(told.active, true, method);
    assert.equal(told.client_id, flow.client.client_id);
    await flow.revoke(tokens.refresh_token);
    assert.equal((await flow.introspect(tokens.access_token)).active, false, method);
  }
});

test("a client that was deleted is no client", async () => {
  const server = await discover();
  const client = await register(server);
  const headers = { authorization: `Bearer ${client.registration_access_token}` };
  const read = await fetch(client.registration_client_uri, { headers });
  assert.equal((await read.json()).client_id, client.client_id);
  const deleted = await fetch(client.registration_client_uri, { method: "DELETE", headers });
  assert.equal(deleted.status, 204);
  await assert.rejects(new Flow(server, client).refresh("any"), refusedWith("invalid_client"));
});

test("scopes that were not asked for are not in the answer", async () => {
  const flow = await Flow.of();
  const tokens = await flow.tokens({ scope: "read" });
  assert.equal(tokens.scope, "read");
  assert.equal(tokens.refresh_token, undefined, "nobody asked to come back without its user");
});
