// The code flow, step by step, by oauth4webapi: it refuses whatever the RFCs do not allow a server to answer.
import * as oauth from "oauth4webapi";
import { decide } from "./consent.mjs";
import { market } from "./market.mjs";

// The market under test listens on loopback, where there is no TLS.
export const INSECURE = { [oauth.allowInsecureRequests]: true };
const REDIRECT_URI = "http://127.0.0.1:9/callback";
export const ALL_SCOPES = "read worker offline_access";

export async function discover() {
  const issuer = new URL(market.issuer);
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...INSECURE });
  return oauth.processDiscoveryResponse(issuer, response);
}

export async function register(server, asked = {}) {
  const metadata = {
    client_name: "oauth4webapi",
    redirect_uris: [REDIRECT_URI],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    scope: ALL_SCOPES,
    ...asked,
  };
  const response = await oauth.dynamicClientRegistrationRequest(server, metadata, INSECURE);
  return oauth.processDynamicClientRegistrationResponse(response);
}

/** One attempt of one client to be let in. */
export class Flow {
  constructor(server, client, authentication = oauth.None()) {
    this.server = server;
    this.client = client;
    this.authentication = authentication;
    this.verifier = oauth.generateRandomCodeVerifier();
    this.state = oauth.generateRandomState();
    this.resource = market.mcp_url;
    this.redirectUri = REDIRECT_URI;
  }

  static async of(asked, authenticationOf = () => oauth.None()) {
    const server = await discover();
    const client = await register(server, asked);
    return new Flow(server, client, authenticationOf(client));
  }

  async address(changes = {}) {
    const url = new URL(this.server.authorization_endpoint);
    const asked = {
      response_type: "code",
      client_id: this.client.client_id,
      redirect_uri: this.redirectUri,
      scope: ALL_SCOPES,
      state: this.state,
      resource: this.resource,
      code_challenge: await oauth.calculatePKCECodeChallenge(this.verifier),
      code_challenge_method: "S256",
      ...changes,
    };
    for (const [name, value] of Object.entries(asked)) {
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url;
  }

  /** Sends the user to the pages and checks what it comes back with: `state`, `iss`, and a code or an error. */
  async authorize(changes, decision) {
    return this.validate(await decide(await this.address(changes), decision));
  }

  validate(back) {
    return oauth.validateAuthResponse(this.server, this.client, back, this.state);
  }

  async redeem(parameters, verifier = this.verifier) {
    const response = await oauth.authorizationCodeGrantRequest(
      this.server, this.client, this.authentication, parameters, this.redirectUri, verifier, this.#toMarket());
    return oauth.processAuthorizationCodeResponse(this.server, this.client, response);
  }

  async refresh(token) {
    const response = await oauth.refreshTokenGrantRequest(
      this.server, this.client, this.authentication, token, this.#toMarket());
    return oauth.processRefreshTokenResponse(this.server, this.client, response);
  }

  async revoke(token) {
    const response = await oauth.revocationRequest(this.server, this.client, this.authentication, token, INSECURE);
    return oauth.processRevocationResponse(response);
  }

  async introspect(token) {
    const response = await oauth.introspectionRequest(this.server, this.client, this.authentication, token, INSECURE);
    return oauth.processIntrospectionResponse(this.server, this.client, response);
  }

  /** All of it: the tokens of a user who allows what is asked. */
  async tokens(changes, decision) {
    return this.redeem(await this.authorize(changes, decision));
  }

  #toMarket() {
    return { additionalParameters: this.resource && { resource: this.resource }, ...INSECURE };
  }
}
