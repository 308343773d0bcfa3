//! How credentials are sent, and what one that does not work hears.

use std::time::Duration;

use serde_json::json;
use testkit::{Answer, Server, on_both_engines};

use super::{renewed, send};

on_both_engines!(
    a_key_goes_into_either_header,
    two_different_credentials_are_one_too_many,
    cookies_say_nothing,
    a_401_says_how_to_sign_in,
    every_key_that_does_not_work_hears_the_same,
    every_token_that_does_not_work_hears_the_same,
);

/// "X-Api-Key header or Authorization: Bearer, on REST"
async fn a_key_goes_into_either_header(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let me = || server.request("GET", "/v1/me");
    let bearer = |scheme: &str| format!("{scheme} {}", agent.api_key);
    let requests = [
        me().header("x-api-key", &agent.api_key),
        me().bearer_auth(&agent.api_key),
        me().header("authorization", bearer("bearer")),
        me().header("authorization", bearer("BEARER")),
        me().bearer_auth(&agent.api_key).header("x-api-key", &agent.api_key),
    ];
    for request in requests {
        assert_eq!(send(request).await.expect(200)["agent_id"], agent.agent_id.as_str());
    }
    let basic = send(me().header("authorization", bearer("Basic"))).await;
    basic.refused(401, "unauthorized");
    let bare = send(me().header("authorization", &agent.api_key)).await;
    bare.refused(401, "unauthorized");
}

/// "Two different credentials on one request are 400"
async fn two_different_credentials_are_one_too_many(server: Server) {
    let ada = server.person("ada").await;
    let (one, two) = (ada.agent("one").await, ada.agent("two").await);
    let me = || server.request("GET", "/v1/me");
    let pairs = [
        me().bearer_auth(&ada.token).header("x-api-key", &one.api_key),
        me().bearer_auth(&two.api_key).header("x-api-key", &one.api_key),
        me().header("authorization", "Basic eDp5").header("x-api-key", &one.api_key),
    ];
    for request in pairs {
        let reason = send(request).await.refused(400, "invalid_request");
        assert_eq!(reason, "Two different credentials were sent.");
    }
    let twice = me().header("x-api-key", &one.api_key).header("x-api-key", &one.api_key);
    let reason = send(twice).await.refused(400, "invalid_request");
    assert_eq!(reason, "x-api-key: was sent more than once.");
    let twice = me().bearer_auth(&one.api_key).bearer_auth(&two.api_key);
    let reason = send(twice).await.refused(400, "invalid_request");
    assert_eq!(reason, "authorization: was sent more than once.");
}

/// "/v1 ignores cookies"
async fn cookies_say_nothing(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let with_cookie = |method, path| server.request(method, path).header("cookie", &ada.cookie);
    send(with_cookie("GET", "/v1/me")).await.refused(401, "unauthorized");
    let create = with_cookie("POST", "/v1/me/agents").header("idempotency-key", "k");
    send(create.json(&json!({ "name": "scout" }))).await.refused(401, "unauthorized");
    let me = send(with_cookie("GET", "/v1/me").bearer_auth(&bob.token)).await.expect(200);
    assert_eq!(me["account_id"], bob.account_id.as_str());
}

/// "a 401 carries `WWW-Authenticate`"
async fn a_401_says_how_to_sign_in(server: Server) {
    let missing = server.get("/v1/me/agents").await;
    assert_eq!(missing.refused(401, "unauthorized"), "The request carries no credential.");
    assert_eq!(missing.header("www-authenticate"), Some("Bearer realm=\"guildhall\""));
    let bad = send(server.request("GET", "/v1/me/agents").bearer_auth("nonsense")).await;
    assert_eq!(bad.refused(401, "unauthorized"), "The credential is not valid.");
    let challenge = "Bearer realm=\"guildhall\", error=\"invalid_token\"";
    assert_eq!(bad.header("www-authenticate"), Some(challenge));
    let signed_out = server.get("/api/auth/token").await;
    signed_out.refused(401, "unauthorized");
    assert_eq!(signed_out.header("www-authenticate"), Some("Bearer realm=\"guildhall\""));
}

/// Body and challenge of a refusal, which are all that an attacker learns.
#[track_caller]
fn told(answer: &Answer) -> (u16, String, Option<String>) {
    let challenge = answer.header("www-authenticate").map(str::to_owned);
    (answer.status, answer.text.clone(), challenge)
}

/// "key pattern `^gk_agent_[0-9a-f]{64}$`"; "a credential whose grant has expired is 401": as any other that does not work.
async fn every_key_that_does_not_work_hears_the_same(server: Server) {
    let ada = server.person("ada").await;
    let (live, revoked) = (ada.agent("live").await, ada.agent("revoked").await);
    let connection = format!("/v1/connections/{}", revoked.connection_id);
    ada.send("DELETE", &connection, json!({})).await.expect(200);
    let (rotated, retired) = (ada.agent("rotated").await, ada.agent("retired").await);
    let rotate = format!("/v1/connections/{}/rotate", rotated.connection_id);
    ada.post(&rotate, json!({})).await.expect(200);
    let retire = format!("/v1/me/agents/{}/retire", retired.agent_id);
    ada.post(&retire, json!({})).await.expect(200);
    let short = json!({ "agent_id": live.agent_id, "client_catalog_id": "custom", "expires_in_seconds": 3_600 });
    let expired = ada.post("/v1/connections", short).await.expect(201);
    let expired = expired["api_key"].as_str().expect("a key").to_owned();
    let get_me = |key: &str| send(server.request("GET", "/v1/me").header("x-api-key", key));
    get_me(&expired).await.expect(200);
    server.clock.advance(3_600_000);

    let near_miss =
        live.api_key[..72].to_owned() + if live.api_key.ends_with('0') { "1" } else { "0" };
    let unknown = format!("gk_agent_{}", "0".repeat(64));
    let upper = live.api_key.to_uppercase();
    let longer = format!("{}0", live.api_key);
    let dead = [&revoked.api_key, &rotated.api_key, &retired.api_key, &expired];
    let made_up = [&near_miss, &unknown, &upper, &longer, "gk_agent_", "x", "a.b", "' OR 1=1"];
    let first = told(&get_me(&unknown).await);
    assert_eq!(first.0, 401);
    for key in dead.into_iter().map(String::as_str).chain(made_up.iter().map(|key| &**key)) {
        assert_eq!(told(&get_me(key).await), first, "{key}");
    }
    get_me(&live.api_key).await.expect(200);
}

/// "Authorization: Bearer with a signed-in account's JWT"
async fn every_token_that_does_not_work_hears_the_same(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let get_me = |token: &str| send(server.request("GET", "/v1/me").bearer_auth(token));
    let parts: Vec<&str> = ada.token.split('.').collect();
    let bobs: Vec<&str> = bob.token.split('.').collect();
    let swapped = format!("{}.{}.{}", parts[0], bobs[1], parts[2]);
    let unsigned = format!("{}.{}.", parts[0], parts[1]);
    let first = told(&get_me("x.y.z").await);
    assert_eq!(first.0, 401);
    for token in [swapped.as_str(), &unsigned, "..", &format!("gk_agent_{}", "0".repeat(64))] {
        assert_eq!(told(&get_me(token).await), first, "{token}");
    }
    let ended = renewed(&bob).await;
    let sign_out = server.request("POST", "/api/auth/sign-out").header("cookie", &bob.cookie);
    send(sign_out).await.expect(200);
    assert_eq!(told(&get_me(&ended.token).await), first, "a session that was ended");
    get_me(&ada.token).await.expect(200);
    server.advance(Duration::from_mins(17)).await;
    assert_eq!(told(&get_me(&ada.token).await), first, "a token that has expired");
}
