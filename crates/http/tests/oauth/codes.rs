//! Codes: who gets one, who can redeem it, and how often.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use testkit::{OauthTokens, REDIRECT_URI, Server, changed, on_both_engines};

use super::{claims, is_dead, works};

on_both_engines!(
    a_code_becomes_tokens_of_the_agent,
    a_code_is_good_once_and_its_tokens_die_with_the_second_time,
    of_fifty_at_once_one_gets_tokens_and_they_die,
    each_binding_is_checked_and_a_stranger_ends_nothing,
    a_code_lives_for_a_minute,
    a_code_ends_with_its_session,
    the_verifier_is_asked_for,
    a_new_consent_takes_back_the_code_before_it,
    an_old_code_does_not_end_what_a_new_consent_gave,
);

/// "Access tokens are RFC 9068 JWTs (`aud {base_url}/mcp`, `client_id`, `connection_id`, `epoch`, 10 min)"; "state echoed";
/// "`iss` in the response"
async fn a_code_becomes_tokens_of_the_agent(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = ada.create_agent("scout").await;
    let client = server.oauth_client("Scribe").await;
    let sent = client.ask(&ada, &agent_id, &[]).await;
    let issuer = format!("{}/api/auth", server.public_url());
    let address = reqwest::Url::parse(&sent.address).unwrap();
    assert!(sent.address.starts_with(&format!("{REDIRECT_URI}?code=")), "{}", sent.address);
    let pair = |name: &str| address.query_pairs().find(|(n, _)| n == name).unwrap().1.into_owned();
    assert_eq!((pair("state"), pair("iss")), ("a/b c".to_owned(), issuer.clone()));

    let answer = client.redeem(&sent).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let body = answer.expect(200);
    assert_eq!((&body["token_type"], &body["expires_in"]), (&json!("Bearer"), &json!(600)));
    assert_eq!(body["scope"], "read worker offline_access");
    let tokens = OauthTokens::of(&body);
    let said = claims(&tokens.access);
    assert_eq!(said["aud"], format!("{}/mcp", server.public_url()));
    assert_eq!((&said["iss"], &said["sub"]), (&json!(issuer), &json!(agent_id)));
    assert_eq!((&said["client_id"], &said["epoch"]), (&json!(client.client_id), &json!(1)));
    let seconds = said["exp"].as_i64().unwrap() - said["iat"].as_i64().unwrap();
    assert_eq!(seconds, 600);
    let me = works(&server, &tokens.access).await;
    assert_eq!((&me["agent_id"], &me["scopes"]), (&json!(agent_id), &json!(["read", "worker"])));
    assert_eq!(me["connection"]["connection_id"], said["connection_id"]);
    assert_eq!(me["connection"]["status"], "verified");
}

/// "redeem twice: one success; second `invalid_grant`; tokens of the first revoked"
async fn a_code_is_good_once_and_its_tokens_die_with_the_second_time(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let sent = client.ask(&ada, &ada.create_agent("scout").await, &[]).await;
    let tokens = OauthTokens::of(&client.redeem(&sent).await.expect(200));
    works(&server, &tokens.access).await;
    client.redeem(&sent).await.denied(400, "invalid_grant");
    is_dead(&server, &tokens.access).await;
    client.refresh(&tokens.refresh).await.denied(400, "invalid_grant");
    client.redeem(&sent).await.denied(400, "invalid_grant");
}

/// "also in parallel × 50"
async fn of_fifty_at_once_one_gets_tokens_and_they_die(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let sent = client.ask(&ada, &ada.create_agent("scout").await, &[]).await;
    let answers = join_all((0..50).map(|_| client.redeem(&sent))).await;
    let (good, bad): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(good.len(), 1);
    for answer in &bad {
        answer.denied(400, "invalid_grant");
    }
    let tokens = OauthTokens::of(&good[0].body);
    is_dead(&server, &tokens.access).await;
    client.refresh(&tokens.refresh).await.denied(400, "invalid_grant");
}

/// "code bound to client, `redirect_uri`, verifier, resource: swap each" — and who cannot redeem a code cannot end what it
/// gave to who can.
async fn each_binding_is_checked_and_a_stranger_ends_nothing(server: Server) {
    let ada = server.person("ada").await;
    let (client, other) = (server.oauth_client("Scribe").await, server.oauth_client("Other").await);
    let sent = client.ask(&ada, &ada.create_agent("scout").await, &[]).await;
    let form = client.redemption(&sent);
    let verifier = "v".repeat(43);
    let swaps = [
        (("client_id", other.client_id.as_str()), "invalid_grant"),
        (("redirect_uri", "http://127.0.0.1:4712/callback"), "invalid_grant"),
        (("redirect_uri", "http://127.0.0.1:4711/callback/"), "invalid_grant"),
        (("code_verifier", verifier.as_str()), "invalid_grant"),
        (("resource", "https://elsewhere.example/mcp"), "invalid_target"),
        (("code", "nonsense"), "invalid_grant"),
    ];
    let try_all = async || {
        for ((name, value), word) in swaps {
            let answer = server.oauth("token", &changed(&form, &[(name, Some(value))])).await;
            answer.denied(400, word);
        }
    };
    try_all().await;
    let resource = format!("{}/mcp", server.public_url());
    let whole = changed(&form, &[("resource", Some(&resource))]);
    let tokens = OauthTokens::of(&server.oauth("token", &whole).await.expect(200));
    try_all().await;
    works(&server, &tokens.access).await;
}

/// "Codes live 60 s"
async fn a_code_lives_for_a_minute(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let client = server.oauth_client("Scribe").await;
    let sent = client.ask(&ada, &agent, &[]).await;
    server.advance_quietly(Duration::from_secs(58));
    client.redeem(&sent).await.expect(200);
    let sent = client.ask(&ada, &agent, &[]).await;
    server.advance_quietly(Duration::from_secs(61));
    client.redeem(&sent).await.denied(400, "invalid_grant");
}

/// "bound to client, `redirect_uri`, challenge and session"
async fn a_code_ends_with_its_session(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let sent = client.ask(&ada, &ada.create_agent("scout").await, &[]).await;
    let out = server.request("POST", "/api/auth/sign-out").header("cookie", &ada.cookie);
    testkit::send(out).await.expect(200);
    client.redeem(&sent).await.denied(400, "invalid_grant");
}

/// "PKCE downgrade: challenge sent, verifier omitted"
async fn the_verifier_is_asked_for(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let sent = client.ask(&ada, &ada.create_agent("scout").await, &[]).await;
    let form = client.redemption(&sent);
    for verifier in
        [None, Some(""), Some("short"), Some(testkit::challenge(&sent.verifier).as_str())]
    {
        let form = changed(&form, &[("code_verifier", verifier)]);
        let answer = server.oauth("token", &form).await;
        let word = if verifier.is_some_and(|v| v.len() == 43) {
            "invalid_grant"
        } else {
            "invalid_request"
        };
        answer.denied(400, word);
    }
    client.redeem(&sent).await.expect(200);
}

/// "A second consent by the same client for the same agent renews that connection": what was not redeemed is void.
async fn a_new_consent_takes_back_the_code_before_it(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let client = server.oauth_client("Scribe").await;
    let first = client.ask(&ada, &agent, &[]).await;
    let second = client.ask(&ada, &agent, &[]).await;
    client.redeem(&first).await.denied(400, "invalid_grant");
    client.redeem(&second).await.expect(200);
}

/// "reuse of a code revokes what it gave", and nothing else.
async fn an_old_code_does_not_end_what_a_new_consent_gave(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let client = server.oauth_client("Scribe").await;
    let first = client.ask(&ada, &agent, &[]).await;
    client.redeem(&first).await.expect(200);
    let tokens = client.connect(&ada, &agent).await;
    client.redeem(&first).await.denied(400, "invalid_grant");
    works(&server, &tokens.access).await;
    client.refresh(&tokens.refresh).await.expect(200);
}
