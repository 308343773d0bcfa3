//! What an agent's token opens, and what it does not.

use std::time::Duration;

use serde_json::json;
use testkit::{OauthTokens, Server, on_both_engines, send, unique};

use super::{is_dead, works};

on_both_engines!(
    a_token_opens_what_lists_oauth_and_nothing_else,
    a_token_never_spends_by_rest,
    a_token_lives_ten_minutes,
    scopes_of_the_token_bind_it,
    the_owner_changes_the_grant_and_the_client_refreshes,
    the_owner_revokes_and_all_is_over,
    a_retired_agent_a_shut_account_and_an_expired_grant_give_nothing,
    a_challenge_leads_to_the_authorization_server,
);

/// "OAuth token on account operations: 403"; "Authorization: Bearer on /mcp (and on REST where an operation lists OAuth)"
async fn a_token_opens_what_lists_oauth_and_nothing_else(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let tokens = client.connect(&ada, &ada.create_agent("scout").await).await;
    let get = |path: &'static str| send(server.request("GET", path).bearer_auth(&tokens.access));
    for path in ["/v1/me", "/v1/quotes", "/v1/earnings", "/v1/relay/offers", "/v1/agent-buyer/commands"] {
        assert_eq!(get(path).await.status, 200, "{path}");
    }
    for path in ["/v1/me/agents", "/v1/connections", "/v1/spend-policies", "/v1/webhooks"] {
        let reason = get(path).await.refused(403, "forbidden");
        assert!(reason.contains("not an OAuth agent token"), "{path}: {reason}");
    }
    // A refresh token is no credential of the API, and neither goes in another header or in the address.
    is_dead(&server, &tokens.refresh).await;
    let keyed = server.request("GET", "/v1/me").header("x-api-key", &tokens.access);
    send(keyed).await.refused(401, "unauthorized");
    let path = format!("/v1/me?access_token={}", tokens.access);
    send(server.request("GET", &path)).await.refused(401, "unauthorized");
}

/// "Agent-buyer operations use API-key connections. No operation asks OAuth for those scopes."
async fn a_token_never_spends_by_rest(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let tokens = client.connect(&ada, &ada.create_agent("scout").await).await;
    ada.policy().await;
    let me = works(&server, &tokens.access).await;
    let connection = me["connection"]["connection_id"].as_str().unwrap().to_owned();
    let bind = format!("/v1/connections/{connection}/spend-policy");
    let bound = ada.post(&bind, json!({})).await.expect(200);
    assert_eq!(bound["grant"]["scopes"], json!(["read", "worker", "agent-buyer"]));
    let me = works(&server, &tokens.access).await;
    assert_eq!(me["scopes"], json!(["read", "worker"]));
    let task = json!({ "title": "t", "brief": "b", "budget_credits": "1" });
    let post = server.request("POST", "/v1/agent-buyer/tasks").bearer_auth(&tokens.access);
    let answer = send(post.header("idempotency-key", unique("key")).json(&task)).await;
    answer.refused(403, "forbidden");
    let refreshed = client.refresh(&tokens.refresh).await.expect(200);
    assert_eq!(refreshed["scope"], "read worker offline_access", "never in a token");
}

/// "short-lived": ten minutes.
async fn a_token_lives_ten_minutes(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let tokens = client.connect(&ada, &ada.create_agent("scout").await).await;
    server.advance_quietly(Duration::from_secs(590));
    works(&server, &tokens.access).await;
    server.advance_quietly(Duration::from_secs(11));
    is_dead(&server, &tokens.access).await;
}

/// "403 `insufficient_scope` with the scope to ask for: all scopes for the operation in one challenge"
async fn scopes_of_the_token_bind_it(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let client = server.oauth_client("Scribe").await;
    let sent = client.ask(&ada, &agent, &[("scope", Some("read"))]).await;
    let tokens = OauthTokens::of(&client.redeem(&sent).await.expect(200));
    let offers = send(server.request("GET", "/v1/relay/offers").bearer_auth(&tokens.access)).await;
    offers.refused(403, "forbidden");
    let challenge = offers.header("www-authenticate").unwrap();
    let way = format!("{}/.well-known/oauth-protected-resource/mcp", server.public_url());
    assert_eq!(
        challenge,
        format!(
            "Bearer realm=\"guildhall\", error=\"insufficient_scope\", resource_metadata=\"{way}\", \
             scope=\"read worker\""
        )
    );
}

/// "live grant: shrink the grant during a session; bump epoch → effective on the next request"; a family survives it.
async fn the_owner_changes_the_grant_and_the_client_refreshes(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let tokens = client.connect(&ada, &ada.create_agent("scout").await).await;
    let me = works(&server, &tokens.access).await;
    let path = format!("/v1/connections/{}", me["connection"]["connection_id"].as_str().unwrap());
    ada.send("PATCH", &path, json!({ "scopes": ["read"] })).await.expect(200);
    is_dead(&server, &tokens.access).await;
    let less = OauthTokens::of(&client.refresh(&tokens.refresh).await.expect(200));
    assert_eq!(less.scope, "read offline_access");
    assert_eq!(works(&server, &less.access).await["scopes"], json!(["read"]));
    ada.send("PATCH", &path, json!({ "scopes": ["read", "worker"] })).await.expect(200);
    is_dead(&server, &less.access).await;
    let more = OauthTokens::of(&client.refresh(&less.refresh).await.expect(200));
    assert_eq!(more.scope, "read worker offline_access");
    works(&server, &more.access).await;
}

/// "revoking … acts on the very next request"; a family dies with its connection.
async fn the_owner_revokes_and_all_is_over(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let client = server.oauth_client("Scribe").await;
    let tokens = client.connect(&ada, &agent).await;
    let sent = client.ask(&ada, &agent, &[]).await;
    is_dead(&server, &tokens.access).await;
    let me_again = OauthTokens::of(&client.redeem(&sent).await.expect(200));
    let me = works(&server, &me_again.access).await;
    let path = format!("/v1/connections/{}", me["connection"]["connection_id"].as_str().unwrap());
    ada.send("DELETE", &path, json!({})).await.expect(200);
    is_dead(&server, &me_again.access).await;
    client.refresh(&me_again.refresh).await.denied(400, "invalid_grant");
    let anew = client.connect(&ada, &agent).await;
    works(&server, &anew.access).await;
}

/// "A retired agent, disabled account, expired grant: `invalid_grant`"
async fn a_retired_agent_a_shut_account_and_an_expired_grant_give_nothing(server: Server) {
    let client = server.oauth_client("Scribe").await;
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let tokens = client.connect(&ada, &agent).await;
    ada.post(&format!("/v1/me/agents/{agent}/retire"), json!({})).await.expect(200);
    is_dead(&server, &tokens.access).await;
    client.refresh(&tokens.refresh).await.denied(400, "invalid_grant");

    let bob = server.person("bob").await;
    let agent = bob.create_agent("scout").await;
    let (tokens, sent) = (client.connect(&bob, &agent).await, client.ask(&bob, &agent, &[]).await);
    server.identity.disable_account(&bob.email).await.unwrap();
    is_dead(&server, &tokens.access).await;
    client.redeem(&sent).await.denied(400, "invalid_grant");

    let eve = server.person("eve").await;
    let tokens = client.connect(&eve, &eve.create_agent("scout").await).await;
    let me = works(&server, &tokens.access).await;
    let path = format!("/v1/connections/{}", me["connection"]["connection_id"].as_str().unwrap());
    let soon = server.clock.now().after(Duration::from_secs(3_700)).to_string();
    eve.send("PATCH", &path, json!({ "expires_at": soon })).await.expect(200);
    let tokens = OauthTokens::of(&client.refresh(&tokens.refresh).await.expect(200));
    server.advance(Duration::from_secs(3_700)).await;
    client.refresh(&tokens.refresh).await.denied(400, "invalid_grant");
}

/// "401: `WWW-Authenticate: Bearer resource_metadata="...", scope="read"`; add error=`invalid_token` only when a token was
/// sent"
async fn a_challenge_leads_to_the_authorization_server(server: Server) {
    let way = format!("{}/.well-known/oauth-protected-resource/mcp", server.public_url());
    let none = server.get("/v1/me").await;
    let expected = format!("Bearer realm=\"guildhall\", resource_metadata=\"{way}\", scope=\"read\"");
    assert_eq!(none.header("www-authenticate"), Some(expected.as_str()));
    let bad = server.me_by("a.b.c").await;
    let expected = format!(
        "Bearer realm=\"guildhall\", error=\"invalid_token\", resource_metadata=\"{way}\", scope=\"read\""
    );
    assert_eq!(bad.header("www-authenticate"), Some(expected.as_str()));
    let session_only = server.get("/v1/me/agents").await;
    assert_eq!(session_only.header("www-authenticate"), Some("Bearer realm=\"guildhall\""));
    let found = server.get("/.well-known/oauth-protected-resource/mcp").await.expect(200);
    assert_eq!(found["resource"], format!("{}/mcp", server.public_url()));
}
