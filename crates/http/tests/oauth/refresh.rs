//! Refresh tokens: lost answers are answered again, thieves are found out.

use std::time::Duration;

use futures_util::future::join_all;
use testkit::{Engine, OauthTokens, Server, Setup, changed, on_both_engines};

use super::{claims, is_dead, works};

on_both_engines!(
    a_refresh_gives_the_next_pair,
    a_lost_answer_is_given_again,
    a_token_from_before_the_successor_was_used_ends_the_family,
    a_spent_token_that_comes_late_ends_the_family,
    twenty_at_once_get_one_successor,
    scopes_only_shrink,
    another_client_gets_nothing,
    what_is_not_asked_for_is_not_given,
    an_unused_token_runs_out,
);

async fn refreshed(client: &testkit::OauthClient<'_>, token: &str) -> OauthTokens {
    OauthTokens::of(&client.refresh(token).await.expect(200))
}

/// "Refresh tokens rotate"
async fn a_refresh_gives_the_next_pair(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let first = client.connect(&ada, &ada.create_agent("scout").await).await;
    let second = refreshed(&client, &first.refresh).await;
    assert_ne!(first.refresh, second.refresh);
    assert_ne!(claims(&first.access)["jti"], claims(&second.access)["jti"]);
    assert_eq!(second.scope, "read worker offline_access");
    works(&server, &second.access).await;
    let third = refreshed(&client, &second.refresh).await;
    works(&server, &third.access).await;
}

/// "use RT1 twice: response lost, RT2 unused … a 30 s grace lets the same client retry a lost answer and get the same
/// successor"
async fn a_lost_answer_is_given_again(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let first = client.connect(&ada, &ada.create_agent("scout").await).await;
    let lost = refreshed(&client, &first.refresh).await;
    server.advance(Duration::from_secs(29)).await;
    let again = refreshed(&client, &first.refresh).await;
    assert_eq!(again.refresh, lost.refresh);
    works(&server, &again.access).await;
    refreshed(&client, &again.refresh).await;
}

/// "successor used → family revoked, same `invalid_grant` as unknown token"
async fn a_token_from_before_the_successor_was_used_ends_the_family(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let first = client.connect(&ada, &ada.create_agent("scout").await).await;
    let second = refreshed(&client, &first.refresh).await;
    let third = refreshed(&client, &second.refresh).await;
    let told = client.refresh(&first.refresh).await.denied(400, "invalid_grant");
    assert_eq!(client.refresh("gr_unknown").await.denied(400, "invalid_grant"), told);
    for tokens in [&first, &second, &third] {
        is_dead(&server, &tokens.access).await;
        client.refresh(&tokens.refresh).await.denied(400, "invalid_grant");
    }
}

/// "1 h later … family revoked"
async fn a_spent_token_that_comes_late_ends_the_family(server: Server) {
    for wait in [Duration::from_secs(31), Duration::from_hours(1)] {
        let ada = server.person("ada").await;
        let client = server.oauth_client("Scribe").await;
        let first = client.connect(&ada, &ada.create_agent("scout").await).await;
        refreshed(&client, &first.refresh).await;
        server.advance(wait).await;
        client.refresh(&first.refresh).await.denied(400, "invalid_grant");
        let connection = claims(&first.access)["connection_id"].as_str().unwrap().to_owned();
        let ada = ada.refreshed().await;
        let shown = ada.get(&format!("/v1/connections/{connection}")).await.expect(200);
        assert_eq!(shown["grant"]["epoch"], 2, "the owner can see that something happened");
    }
}

/// "20 in parallel"
async fn twenty_at_once_get_one_successor(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let first = client.connect(&ada, &ada.create_agent("scout").await).await;
    let answers = join_all((0..20).map(|_| refreshed(&client, &first.refresh))).await;
    assert!(answers.iter().all(|tokens| tokens.refresh == answers[0].refresh));
    for tokens in &answers {
        works(&server, &tokens.access).await;
    }
    refreshed(&client, &answers[0].refresh).await;
}

/// "more on refresh … `invalid_scope`"; "refresh cannot widen"
async fn scopes_only_shrink(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let agent = ada.create_agent("scout").await;
    let first = client.connect(&ada, &agent).await;
    let form = changed(&client.refreshing(&first.refresh), &[("scope", Some("read"))]);
    let less = OauthTokens::of(&server.oauth("token", &form).await.expect(200));
    assert_eq!(less.scope, "read offline_access");
    let me = works(&server, &less.access).await;
    assert_eq!(me["scopes"], serde_json::json!(["read"]));
    assert_eq!(refreshed(&client, &less.refresh).await.scope, "read worker offline_access");

    let only_read = [("scope", Some("read offline_access"))];
    let sent = client.ask(&ada, &agent, &only_read).await;
    let tokens = OauthTokens::of(&client.redeem(&sent).await.expect(200));
    assert_eq!(tokens.scope, "read offline_access");
    for more in ["read worker", "worker", "agent-buyer", "admin"] {
        let form = changed(&client.refreshing(&tokens.refresh), &[("scope", Some(more))]);
        server.oauth("token", &form).await.denied(400, "invalid_scope");
    }
    refreshed(&client, &tokens.refresh).await;
}

/// A refresh token is its client's alone, and another client's try harms nobody.
async fn another_client_gets_nothing(server: Server) {
    let ada = server.person("ada").await;
    let (client, other) = (server.oauth_client("Scribe").await, server.oauth_client("Other").await);
    let first = client.connect(&ada, &ada.create_agent("scout").await).await;
    other.refresh(&first.refresh).await.denied(400, "invalid_grant");
    let second = refreshed(&client, &first.refresh).await;
    other.refresh(&first.refresh).await.denied(400, "invalid_grant");
    works(&server, &second.access).await;
}

/// "`offline_access` (refresh tokens)": who names scopes without it gets none; who names no scopes gets what it registered
/// for.
async fn what_is_not_asked_for_is_not_given(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let client = server.oauth_client("Scribe").await;
    let sent = client.ask(&ada, &agent, &[("scope", Some("read worker"))]).await;
    let body = client.redeem(&sent).await.expect(200);
    assert!(body["refresh_token"].is_null() && body["scope"] == "read worker", "{body}");
    let sent = client.ask(&ada, &agent, &[("scope", None)]).await;
    let body = client.redeem(&sent).await.expect(200);
    assert_eq!(body["scope"], "read worker offline_access");
    let plain = serde_json::json!({ "redirect_uris": [testkit::REDIRECT_URI] });
    let plain = server.oauth_client_as(plain).await;
    let sent = plain.ask(&ada, &agent, &[("scope", None)]).await;
    let body = plain.redeem(&sent).await.expect(200);
    assert!(body["refresh_token"].is_null() && body["scope"] == "read worker", "{body}");
}

/// "refresh tokens SHOULD idle-expire"
async fn an_unused_token_runs_out(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let agent = ada.create_agent("scout").await;
    let tokens = client.connect(&ada, &agent).await;
    server.advance(Duration::from_hours(29 * 24)).await;
    let tokens = refreshed(&client, &tokens.refresh).await;
    server.advance(Duration::from_hours(30 * 24)).await;
    client.refresh(&tokens.refresh).await.denied(400, "invalid_grant");
}

/// Two nodes share one memory of what was spent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_agree_about_what_was_spent() {
    let server = Server::start(Engine::Postgres).await;
    let node = server.another_node(Setup::default()).await;
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let first = client.connect(&ada, &ada.create_agent("scout").await).await;
    let there = client.at(&node);
    let (one, other) = tokio::join!(
        refreshed(&client, &first.refresh),
        refreshed(&there, &first.refresh)
    );
    assert_eq!(one.refresh, other.refresh);
    let next = refreshed(&there, &one.refresh).await;
    works(&server, &next.access).await;
    client.refresh(&first.refresh).await.denied(400, "invalid_grant");
    is_dead(&node, &next.access).await;
}
