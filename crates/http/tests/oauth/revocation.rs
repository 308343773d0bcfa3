//! Tokens given back (RFC 7009) and looked at (RFC 7662).

use serde_json::{Value, json};
use testkit::{OauthClient, OauthTokens, REDIRECT_URI, Server, on_both_engines};

use super::{claims, is_dead, works};

on_both_engines!(
    a_refresh_token_given_back_ends_its_family,
    an_access_token_given_back_ends_access_alone,
    another_clients_token_is_left_alone,
    only_clients_with_a_secret_look_at_tokens,
    a_token_is_worth_what_it_is_worth_now,
);

async fn revoke(client: &OauthClient<'_>, token: &str) {
    let form = client.proven(&[("token", token), ("token_type_hint", "whatever")]);
    let answer = client.server.oauth("revoke", &form).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    answer.expect(200);
}

async fn introspect(client: &OauthClient<'_>, token: &str) -> Value {
    client.server.oauth("introspect", &client.proven(&[("token", token)])).await.expect(200)
}

async fn confidential(server: &Server) -> OauthClient<'_> {
    let metadata = json!({
        "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": "client_secret_post",
    });
    server.oauth_client_as(metadata).await
}

/// "revoking refresh kills the family"; "ending a family ends its access tokens on the very next request"
async fn a_refresh_token_given_back_ends_its_family(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let tokens = client.connect(&ada, &ada.create_agent("scout").await).await;
    works(&server, &tokens.access).await;
    revoke(&client, &tokens.refresh).await;
    is_dead(&server, &tokens.access).await;
    client.refresh(&tokens.refresh).await.denied(400, "invalid_grant");
    revoke(&client, &tokens.refresh).await;
    revoke(&client, "unknown").await;
    let form = client.proven(&[]);
    server.oauth("revoke", &form).await.denied(400, "invalid_request");
}

async fn an_access_token_given_back_ends_access_alone(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let tokens = client.connect(&ada, &ada.create_agent("scout").await).await;
    revoke(&client, &tokens.access).await;
    is_dead(&server, &tokens.access).await;
    let next = OauthTokens::of(&client.refresh(&tokens.refresh).await.expect(200));
    revoke(&client, &tokens.access).await;
    works(&server, &next.access).await;
}

async fn another_clients_token_is_left_alone(server: Server) {
    let ada = server.person("ada").await;
    let (client, other) = (server.oauth_client("Scribe").await, server.oauth_client("Other").await);
    let tokens = client.connect(&ada, &ada.create_agent("scout").await).await;
    revoke(&other, &tokens.refresh).await;
    revoke(&other, &tokens.access).await;
    works(&server, &tokens.access).await;
    client.refresh(&tokens.refresh).await.expect(200);
}

/// "introspect (RFC 7662, confidential clients only)"; "{active:false} for everything unknown"
async fn only_clients_with_a_secret_look_at_tokens(server: Server) {
    let ada = server.person("ada").await;
    let (client, reader) = (server.oauth_client("Scribe").await, confidential(&server).await);
    let tokens = client.connect(&ada, &ada.create_agent("scout").await).await;
    let form = client.proven(&[("token", &tokens.access)]);
    server.oauth("introspect", &form).await.denied(401, "invalid_client");
    for token in ["unknown", &tokens.access, &tokens.refresh, &ada.token] {
        assert_eq!(introspect(&reader, token).await, json!({ "active": false }));
    }
}

/// "active, scope, `client_id`, sub, aud, iss, exp, iat, `token_type`, jti"
async fn a_token_is_worth_what_it_is_worth_now(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let client = confidential(&server).await;
    let tokens = client.connect(&ada, &agent).await;
    let said = claims(&tokens.access);
    let expected = json!({
        "active": true, "scope": "read worker", "client_id": client.client_id, "sub": agent,
        "token_type": "Bearer", "aud": said["aud"], "iss": said["iss"], "exp": said["exp"],
        "iat": said["iat"], "jti": said["jti"],
    });
    assert_eq!(introspect(&client, &tokens.access).await, expected);
    let refresh = introspect(&client, &tokens.refresh).await;
    assert_eq!((&refresh["active"], &refresh["sub"]), (&json!(true), &json!(agent)));
    assert_eq!(refresh["scope"], "read worker offline_access");
    let next = OauthTokens::of(&client.refresh(&tokens.refresh).await.expect(200));
    assert_eq!(introspect(&client, &tokens.refresh).await, json!({ "active": false }), "spent");
    revoke(&client, &next.refresh).await;
    for token in [&tokens.access, &next.access, &next.refresh] {
        assert_eq!(introspect(&client, token).await, json!({ "active": false }));
    }
}
