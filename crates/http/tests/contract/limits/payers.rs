//! Whose quota a request counts against.

use serde_json::json;
use testkit::{Answer, PASSWORD, Person, Server, Setup};

use super::{limited, with_quotas};
use crate::conventions::{begin_window, on_both_engines_with, remaining, renewed, send};

on_both_engines_with!(
    two_each: [
        an_account_has_a_quota_over_all_its_sessions,
        agents_have_quotas_of_their_own,
        requests_without_a_credential_count_by_address,
        bad_credentials_count_by_address_and_good_ones_do_not,
        what_an_untrusted_peer_says_of_itself_is_not_believed,
    ],
    behind_a_proxy: [a_trusted_peer_is_believed, an_ipv6_subscriber_is_one_address],
    six_sign_ins: [sign_in_has_a_quota_of_its_own],
);

fn two_each() -> Setup {
    with_quotas(|quotas| (quotas.account, quotas.agent, quotas.ip) = (4, 2, 2))
}

fn behind_a_proxy() -> Setup {
    Setup { trust_loopback: true, ..two_each() }
}

fn six_sign_ins() -> Setup {
    with_quotas(|quotas| quotas.sign_in = 6)
}

/// The principal is the account, not the session or the token.
async fn an_account_has_a_quota_over_all_its_sessions(server: Server) {
    begin_window(&server);
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let again = renewed(&ada).await;
    for person in [&ada, &again, &ada, &again] {
        person.get("/v1/me").await.expect(200);
    }
    limited(&ada.get("/v1/me").await);
    limited(&again.get("/v1/me").await);
    assert_eq!(remaining(&bob.get("/v1/me").await), 3, "another account is not touched");
}

/// An agent's requests are its own: neither another agent's nor its owner's.
async fn agents_have_quotas_of_their_own(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let (one, two) = (ada.agent("one").await, ada.agent("two").await);
    assert_eq!(remaining(&one.get("/v1/me").await), 1);
    assert_eq!(remaining(&one.get("/v1/me").await), 0);
    limited(&one.get("/v1/me").await);
    limited(&one.send("POST", "/v1/me/agents", json!({})).await);
    assert_eq!(remaining(&two.get("/v1/me").await), 1);
    limited(&ada.get("/v1/me").await);
    assert_eq!(remaining(&two.get("/v1/me").await), 0);
}

/// "missing or bad: counted by IP"; public operations without a credential too.
async fn requests_without_a_credential_count_by_address(server: Server) {
    begin_window(&server);
    assert_eq!(remaining(&server.get("/v1/client-catalog").await), 1);
    let missing = server.get("/v1/me").await;
    missing.refused(401, "unauthorized");
    assert_eq!(remaining(&missing), 0);
    limited(&server.get("/v1/client-catalog").await);
    limited(&server.get("/v1/me").await);
    limited(&server.get("/api/auth/jwks").await);
    for path in ["/healthz", "/readyz", "/openapi.json"] {
        server.get(path).await.expect(200);
    }
    server.get("/v1/nothing").await.refused(404, "not_found");
}

/// Whoever guesses keys spends the quota of the address; who has a good one is not shut out by that.
async fn bad_credentials_count_by_address_and_good_ones_do_not(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let guess = |number: usize| {
        let key = format!("gk_agent_{number:064x}");
        send(server.request("GET", "/v1/me").header("x-api-key", key))
    };
    guess(1).await.refused(401, "unauthorized");
    let write = server.request("POST", "/v1/me/agents").bearer_auth("a.b.c");
    send(write.json(&json!({ "name": "scout" }))).await.refused(401, "unauthorized");
    for number in 3..6 {
        limited(&guess(number).await);
    }
    assert_eq!(remaining(&agent.get("/v1/me").await), 1);
    assert_eq!(remaining(&ada.get("/v1/me").await), 1);
}

/// A public request that says where it comes from.
async fn from(server: &Server, forwarded: &str) -> Answer {
    send(server.request("GET", "/v1/client-catalog").header("x-forwarded-for", forwarded)).await
}

/// X-Forwarded-For is believed from trusted peers only.
async fn what_an_untrusted_peer_says_of_itself_is_not_believed(server: Server) {
    begin_window(&server);
    from(&server, "198.51.100.1").await.expect(200);
    from(&server, "198.51.100.2").await.expect(200);
    limited(&from(&server, "198.51.100.3").await);
    limited(&server.get("/v1/client-catalog").await);
}

/// From a trusted peer, the last address that no trusted peer stands for is the one that counts.
async fn a_trusted_peer_is_believed(server: Server) {
    begin_window(&server);
    for left in [1, 0] {
        let answer = from(&server, "198.51.100.1").await;
        assert_eq!((answer.status, remaining(&answer)), (200, left));
    }
    limited(&from(&server, "198.51.100.1").await);
    limited(&from(&server, "203.0.113.9, 198.51.100.1").await);
    limited(&from(&server, "198.51.100.1, 127.0.0.1").await);
    assert_eq!(remaining(&from(&server, "198.51.100.1, 198.51.100.2").await), 1);
    assert_eq!(remaining(&server.get("/v1/client-catalog").await), 1, "the peer itself");
    assert_eq!(remaining(&from(&server, "nonsense").await), 0, "no address: the peer itself");
}

/// "For an address": an IPv6 subscriber has a whole /64 to choose from, and one quota.
async fn an_ipv6_subscriber_is_one_address(server: Server) {
    begin_window(&server);
    from(&server, "2001:db8:1:2::1").await.expect(200);
    from(&server, "2001:db8:1:2:ffff::9").await.expect(200);
    limited(&from(&server, "2001:db8:1:2:3:4:5:6").await);
    from(&server, "2001:db8:1:3::1").await.expect(200);
    from(&server, "::ffff:192.0.2.7").await.expect(200);
    assert_eq!(remaining(&from(&server, "192.0.2.7").await), 0, "the same host, written otherwise");
}

async fn sign_in(person: &Person<'_>, password: &str) -> Answer {
    let body = json!({ "email": person.email, "password": password });
    send(person.server.request("POST", "/api/auth/sign-in/email").json(&body)).await
}

/// "For an address at sign-in and the token endpoints."
async fn sign_in_has_a_quota_of_its_own(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let good = sign_in(&ada, PASSWORD).await;
    assert_eq!((good.status, remaining(&good)), (200, 3), "sign-up and token went before");
    let wrong = sign_in(&ada, "a wrong password, surely").await;
    wrong.refused(401, "unauthorized");
    assert_eq!(remaining(&wrong), 2);
    sign_in(&ada, PASSWORD).await.expect(200);
    renewed(&ada).await;
    limited(&sign_in(&ada, PASSWORD).await);
    let sign_up = json!({ "email": "eve@example.test", "password": PASSWORD, "name": "eve" });
    limited(&send(server.request("POST", "/api/auth/sign-up/email").json(&sign_up)).await);
    let token = server.request("GET", "/api/auth/token").header("cookie", &ada.cookie);
    limited(&send(token).await);
    ada.get("/v1/me").await.expect(200);
    server.get("/v1/client-catalog").await.expect(200);
    begin_window(&server);
    sign_in(&ada, PASSWORD).await.expect(200);
}
