// What every MCP client must be able to do here, whichever of the official libraries it is made of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./consent.mjs";
import { agent, market } from "./market.mjs";

const REDIRECT_URI = "http://127.0.0.1:9/callback";
const IMPLEMENTATION = { name: "guildhall-check", version: "1.0.0" };

/** What a library keeps about itself and its user, in memory. The user is at the service's own pages. */
class Provider {
  constructor() {
    this.redirectUrl = REDIRECT_URI;
    this.clientMetadata = {
      client_name: "Official client",
      redirect_uris: [REDIRECT_URI],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
    this.asked = [];
    this.kept = {};
  }

  state = () => "a state of the client's own";
  clientInformation = () => this.kept.client;
  saveClientInformation = (client) => void (this.kept.client = client);
  tokens = () => this.kept.tokens;
  saveTokens = (tokens) => void (this.kept.tokens = tokens);
  codeVerifier = () => this.kept.verifier;
  saveCodeVerifier = (verifier) => void (this.kept.verifier = verifier);
  saveDiscoveryState = (state) => void (this.kept.discovery = state);
  discoveryState = () => this.kept.discovery;

  async redirectToAuthorization(address) {
    this.asked.push(address.searchParams.get("scope"));
    this.back = await decide(address, { agentId: this.agentId });
    assert.equal(this.back.searchParams.get("state"), this.state());
    assert.equal(this.back.searchParams.get("iss"), market.issuer);
  }
}

/** Lists the tools and calls `whoami`, which the library validates against the tool's own schema. */
async function listAndCall(client) {
  const { tools } = await client.listTools();
  const whoami = tools.find((tool) => tool.name === "whoami");
  assert(whoami, `no whoami among ${tools.map((tool) => tool.name).join(", ")}`);
  assert.equal(whoami.annotations.readOnlyHint, true);
  assert.equal(whoami.outputSchema.type, "object");
  const { structuredContent, content, isError } = await client.callTool({ name: "whoami", arguments: {} });
  assert(!isError, JSON.stringify(content));
  assert.equal(structuredContent.kind, "agent");
  assert.deepEqual(JSON.parse(content[0].text), structuredContent, "the text says what the structure says");
  return structuredContent;
}

/**
 * Declares the tests of one library: its `Client`, its transport, the error by which it says that the user must come
 * back first, and the ways in which it can begin (`options` of the client by name).
 */
export function declare({ Client, Transport, UnauthorizedError, ways }) {
  const connected = async (t, options, transport) => {
    const client = new Client(IMPLEMENTATION, options);
    t.after(() => client.close());
    await client.connect(transport);
    return client;
  };
  const withKey = (key) => new Transport(new URL(market.mcp_url), { requestInit: { headers: { "x-api-key": key } } });
  const withUser = (provider) => new Transport(new URL(market.mcp_url), { authProvider: provider });

  /** Lets the user allow what the library asks for, as its documentation says. */
  const allowed = async (t, options, provider) => {
    const first = withUser(provider);
    await assert.rejects(connected(t, options, first), UnauthorizedError);
    await first.finishAuth(provider.back.searchParams.get("code"), provider.back.searchParams.get("iss"));
    return connected(t, options, withUser(provider));
  };

  for (const [way, options] of Object.entries(ways)) {
    test(`${way}: a key lists and calls`, async (t) => {
      const client = await connected(t, options, withKey(agent.api_key));
      const me = await listAndCall(client);
      assert.equal(me.agent_id, agent.agent_id);
    });

    test(`${way}: what a tool refuses is said in the contract's words`, async (t) => {
      const client = await connected(t, options, withKey(agent.api_key));
      const refused = await client.callTool({ name: "get_task", arguments: { task_id: `task_${"0".repeat(32)}` } });
      assert.equal(refused.isError, true);
      const said = JSON.parse(refused.content[0].text);
      assert.equal(said.error.code, "not_found");
      assert(said.error.suggestion, "an error says what to do next");
    });

    test(`${way}: resources and prompts can be found and read`, async (t) => {
      const client = await connected(t, options, withKey(agent.api_key));
      const { prompts } = await client.listPrompts();
      assert.deepEqual(prompts.map(({ name }) => name).sort(), ["find_work", "hire_agent", "review_delivery"]);
      const { messages } = await client.getPrompt({ name: "find_work", arguments: {} });
      assert(messages.length > 0);
      const { resourceTemplates } = await client.listResourceTemplates();
      assert(resourceTemplates.some(({ uriTemplate }) => uriTemplate.startsWith("guildhall://tasks/")));
      const { resources } = await client.listResources();
      const { contents } = await client.readResource({ uri: resources[0].uri });
      assert.equal(contents[0].uri, resources[0].uri);
    });

    test(`${way}: a dead key is refused`, async (t) => {
      const dead = `gk_agent_${"0".repeat(64)}`;
      await assert.rejects(connected(t, options, withKey(dead)), /401|unauthorized/i);
    });

    test(`${way}: an owner's consent lists and calls`, async (t) => {
      const provider = new Provider();
      const client = await allowed(t, options, provider);
      const me = await listAndCall(client);
      assert.equal(me.connection.auth_kind, "oauth");
    });

    test(`${way}: a tool that needs more makes the client ask for more`, async (t) => {
      const provider = new Provider();
      const client = await allowed(t, options, provider);
      provider.agentId = (await listAndCall(client)).agent_id;
      assert.deepEqual(provider.asked[0].split(" ").filter((scope) => scope === "worker"), []);
      const call = { name: "check_in", arguments: { lease_seconds: 60 } };
      await assert.rejects(client.callTool(call));
      assert(provider.asked.at(-1).split(" ").includes("worker"), `asked for ${provider.asked.join(" / ")}`);
      const { back } = provider;
      const transport = withUser(provider);
      await transport.finishAuth(back.searchParams.get("code"), back.searchParams.get("iss"));
      const again = await connected(t, options, withUser(provider));
      const answer = await again.callTool(call);
      assert(!answer.isError, JSON.stringify(answer.content));
    });
  }
}
