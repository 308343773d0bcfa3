//! Accounts, sessions and their tokens at `/api/auth`.

use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::{Value, json};
use testkit::{Answer, PASSWORD, Person, Server, on_both_engines, send, unique};
use tokio::task::JoinSet;

on_both_engines!(
    signing_up_makes_an_account_and_a_session,
    signing_in_gives_a_session_of_its_own,
    a_wrong_password_and_an_unknown_address_are_answered_alike,
    signing_out_kills_the_token_on_the_next_request,
    get_session_tells_who_is_signed_in,
    sessions_are_listed_and_ended_one_by_one,
    the_sessions_of_others_are_out_of_reach,
    the_token_names_audience_account_and_session,
    a_token_lives_fifteen_minutes,
    the_key_set_is_public_and_only_public,
    a_token_outlives_the_rotation_of_keys,
    the_cookie_is_out_of_reach_of_scripts_and_other_sites,
    a_page_of_another_site_is_refused,
    v1_ignores_cookies,
    passwords_are_long_enough_and_not_common,
    an_address_has_one_account_however_it_is_written,
    of_many_sign_ups_at_once_one_gets_the_address,
    bodies_are_strict,
    bodies_are_declared_as_json,
    a_token_of_another_audience_or_without_a_signature_is_refused,
);

/// Sends requests all at once and gives their statuses, sorted.
pub(crate) async fn all_at_once(requests: impl IntoIterator<Item = RequestBuilder>) -> Vec<u16> {
    let mut sending: JoinSet<Answer> = requests.into_iter().map(send).collect();
    let mut statuses = Vec::new();
    while let Some(answer) = sending.join_next().await {
        statuses.push(answer.expect("an answer").status);
    }
    statuses.sort_unstable();
    statuses
}

/// Fetches a new token with the cookie: the old one does not outlive a test that moves the clock.
pub(crate) async fn renew(person: &mut Person<'_>) {
    person.token = token(person.server, &person.cookie).await;
}

async fn token(server: &Server, cookie: &str) -> String {
    let request = server.request("GET", "/api/auth/token").header("cookie", cookie);
    send(request).await.expect(200)["token"].as_str().expect("a token").to_owned()
}

async fn post(server: &Server, path: &str, body: &Value) -> Answer {
    send(server.request("POST", path).json(body)).await
}

async fn sign_in(server: &Server, email: &str, password: &str) -> Answer {
    post(server, "/api/auth/sign-in/email", &json!({ "email": email, "password": password })).await
}

fn cookie_of(answer: &Answer) -> String {
    let cookie = answer.header("set-cookie").expect("a cookie");
    cookie.split(';').next().expect("a pair").to_owned()
}

async fn with_cookie(server: &Server, method: &str, path: &str, cookie: &str) -> Answer {
    send(server.request(method, path).header("cookie", cookie)).await
}

/// The claims of a token, or its header, unverified.
fn part(token: &str, index: usize) -> Value {
    let text = token.split('.').nth(index).expect("a part");
    serde_json::from_slice(&base64url(text)).expect("JSON")
}

fn base64url(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for byte in text.bytes() {
        let digit = ALPHABET.iter().position(|known| *known == byte).expect("base64url");
        bits = (bits << 6) | u32::try_from(digit).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).unwrap());
        }
    }
    bytes
}

/// "POST /api/auth/sign-up/email {email, password, name}: account + session"
async fn signing_up_makes_an_account_and_a_session(server: Server) {
    let email = format!("{}@example.test", unique("Ada"));
    let body = json!({ "email": email, "password": PASSWORD, "name": "Ada" });
    let signed_up = post(&server, "/api/auth/sign-up/email", &body).await;
    let cookie = cookie_of(&signed_up);
    let body = signed_up.expect(200);
    assert_eq!(body["account"]["email"], email.as_str());
    assert_eq!(body["account"]["display_name"], "Ada");
    let account_id = body["account"]["account_id"].as_str().unwrap();
    assert_eq!(account_id.strip_prefix("acct_").map(str::len), Some(32));
    let token = token(&server, &cookie).await;
    let me = send(server.request("GET", "/v1/me").bearer_auth(token)).await.expect(200);
    assert_eq!(me["account_id"], account_id);
}

/// "POST /api/auth/sign-in/email {email, password}: 200, session cookie"
async fn signing_in_gives_a_session_of_its_own(server: Server) {
    let ada = server.person("ada").await;
    let signed_in = sign_in(&server, &ada.email, PASSWORD).await;
    let cookie = cookie_of(&signed_in);
    assert_ne!(cookie, ada.cookie);
    let body = signed_in.expect(200);
    assert_eq!(body["account"]["account_id"], ada.account_id.as_str());
    let first = with_cookie(&server, "GET", "/api/auth/get-session", &ada.cookie).await.expect(200);
    assert_ne!(body["session"]["session_id"], first["session"]["session_id"]);
}

/// "same answer … for unknown e-mail and wrong password"
async fn a_wrong_password_and_an_unknown_address_are_answered_alike(server: Server) {
    let ada = server.person("ada").await;
    let wrong = sign_in(&server, &ada.email, "correct horse battery stable").await;
    let unknown = sign_in(&server, "nobody@example.test", PASSWORD).await;
    wrong.refused(401, "unauthorized");
    assert_eq!((wrong.status, &wrong.text), (unknown.status, &unknown.text));
    assert!(wrong.header("set-cookie").is_none() && unknown.header("set-cookie").is_none());
    let names = |answer: &Answer| {
        let mut names: Vec<_> = answer.headers.keys().map(ToString::to_string).collect();
        names.sort();
        names
    };
    assert_eq!(names(&wrong), names(&unknown));
}

/// "A session JWT is honoured only while its session is live (checked in the request's own transaction)."
async fn signing_out_kills_the_token_on_the_next_request(server: Server) {
    let ada = server.person("ada").await;
    ada.get("/v1/me").await.expect(200);
    let out = with_cookie(&server, "POST", "/api/auth/sign-out", &ada.cookie).await;
    let cleared = out.header("set-cookie").expect("a cleared cookie").to_owned();
    assert!(cleared.contains("=;") && cleared.contains("Max-Age=0"), "{cleared}");
    out.expect(200);
    ada.get("/v1/me").await.refused(401, "unauthorized");
    ada.post("/v1/me/agents", json!({ "name": "late" })).await.refused(401, "unauthorized");
    let gone = with_cookie(&server, "GET", "/api/auth/token", &ada.cookie).await;
    gone.refused(401, "unauthorized");
    with_cookie(&server, "POST", "/api/auth/sign-out", &ada.cookie).await.expect(200);
}

/// "GET /api/auth/get-session"
async fn get_session_tells_who_is_signed_in(server: Server) {
    let ada = server.person("ada").await;
    let found = with_cookie(&server, "GET", "/api/auth/get-session", &ada.cookie).await.expect(200);
    assert_eq!(found["account"]["account_id"], ada.account_id.as_str());
    assert_eq!(found["session"]["session_id"], part(&ada.token, 1)["sid"]);
    server.get("/api/auth/get-session").await.refused(401, "unauthorized");
    let forged = "guildhall_session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let forged = with_cookie(&server, "GET", "/api/auth/get-session", forged).await;
    forged.refused(401, "unauthorized");
}

/// "GET /api/auth/sessions, DELETE /api/auth/sessions/{id}"
async fn sessions_are_listed_and_ended_one_by_one(server: Server) {
    let ada = server.person("ada").await;
    let other = cookie_of(&sign_in(&server, &ada.email, PASSWORD).await);
    let other_token = token(&server, &other).await;
    let listed = with_cookie(&server, "GET", "/api/auth/sessions", &other).await.expect(200);
    let sessions = listed["data"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    assert_eq!(sessions[0]["session_id"], part(&other_token, 1)["sid"], "the newest first");
    assert_eq!((&sessions[0]["current"], &sessions[1]["current"]), (&json!(true), &json!(false)));
    let first = format!("/api/auth/sessions/{}", sessions[1]["session_id"].as_str().unwrap());
    with_cookie(&server, "DELETE", &first, &other).await.expect(200);
    ada.get("/v1/me").await.refused(401, "unauthorized");
    send(server.request("GET", "/v1/me").bearer_auth(other_token)).await.expect(200);
    with_cookie(&server, "DELETE", &first, &other).await.refused(404, "not_found");
    let listed = with_cookie(&server, "GET", "/api/auth/sessions", &other).await.expect(200);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
}

/// "A resource that the caller may not see is 404, never 403."
async fn the_sessions_of_others_are_out_of_reach(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let session = part(&ada.token, 1)["sid"].as_str().unwrap().to_owned();
    let path = format!("/api/auth/sessions/{session}");
    with_cookie(&server, "DELETE", &path, &eve.cookie).await.refused(404, "not_found");
    ada.get("/v1/me").await.expect(200);
    let path = "/api/auth/sessions/not-an-id";
    with_cookie(&server, "DELETE", path, &eve.cookie).await.refused(400, "invalid_request");
}

/// "the account session JWT: aud {`base_url}/v1`, sub acct_…, sid, 15 min, ES256"
async fn the_token_names_audience_account_and_session(server: Server) {
    let ada = server.person("ada").await;
    let (header, claims) = (part(&ada.token, 0), part(&ada.token, 1));
    assert_eq!(header["alg"], "ES256");
    assert_eq!(claims["aud"], format!("{}/v1", server.public_url()));
    assert_eq!(claims["iss"], format!("{}/api/auth", server.public_url()));
    assert_eq!(claims["sub"], ada.account_id.as_str());
    let found = with_cookie(&server, "GET", "/api/auth/get-session", &ada.cookie).await.expect(200);
    assert_eq!(claims["sid"], found["session"]["session_id"]);
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 15 * 60);
    let signature = base64url(ada.token.split('.').nth(2).unwrap());
    assert_eq!(signature.len(), 64, "the two numbers of an ES256 signature");
}

/// "account session / session JWT …: 30 days sliding / 15 min"
async fn a_token_lives_fifteen_minutes(server: Server) {
    let mut ada = server.person("ada").await;
    server.advance(Duration::from_secs(14 * 60)).await;
    ada.get("/v1/me").await.expect(200);
    server.advance(Duration::from_secs(2 * 60)).await;
    let late = ada.get("/v1/me").await;
    late.refused(401, "unauthorized");
    assert!(late.header("www-authenticate").is_some());
    renew(&mut ada).await;
    ada.get("/v1/me").await.expect(200);
    // Each use moves the end of the session; thirty days without one end it.
    for _ in 0..2 {
        server.advance(Duration::from_secs(20 * 86_400)).await;
        renew(&mut ada).await;
    }
    server.advance(Duration::from_secs(30 * 86_400)).await;
    let ended = with_cookie(&server, "GET", "/api/auth/token", &ada.cookie).await;
    ended.refused(401, "unauthorized");
}

/// "GET /api/auth/jwks: current and previous keys"
async fn the_key_set_is_public_and_only_public(server: Server) {
    let ada = server.person("ada").await;
    let keys = server.get("/api/auth/jwks").await.expect(200);
    let keys = keys["keys"].as_array().unwrap();
    assert_eq!(keys.len(), 1);
    for key in keys {
        assert_eq!((&key["kty"], &key["crv"]), (&json!("EC"), &json!("P-256")));
        assert_eq!(base64url(key["x"].as_str().unwrap()).len(), 32);
        assert_eq!(base64url(key["y"].as_str().unwrap()).len(), 32);
        assert!(key.get("d").is_none(), "a private key");
    }
    assert_eq!(keys[0]["kid"], part(&ada.token, 0)["kid"]);
}

/// "current and previous keys; keys rotate by `guildhall admin keys rotate`"
async fn a_token_outlives_the_rotation_of_keys(server: Server) {
    let mut ada = server.person("ada").await;
    let old = part(&ada.token, 0)["kid"].clone();
    let new = server.identity.rotate_keys().await.unwrap();
    ada.get("/v1/me").await.expect(200);
    renew(&mut ada).await;
    assert_eq!(part(&ada.token, 0)["kid"], new.as_str());
    ada.get("/v1/me").await.expect(200);
    let keys = server.get("/api/auth/jwks").await.expect(200);
    let ids: Vec<_> = keys["keys"].as_array().unwrap().iter().map(|key| &key["kid"]).collect();
    assert_eq!(ids, [&json!(new), &old]);
}

/// "The browser holds an `HttpOnly`, Secure (off loopback), SameSite=Lax cookie"
async fn the_cookie_is_out_of_reach_of_scripts_and_other_sites(server: Server) {
    let ada = server.person("ada").await;
    let signed_in = sign_in(&server, &ada.email, PASSWORD).await;
    let cookie = signed_in.header("set-cookie").unwrap();
    let attributes: Vec<_> = cookie.split("; ").skip(1).collect();
    for wanted in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(attributes.contains(&wanted), "{wanted} in {attributes:?}");
    }
    assert!(!attributes.iter().any(|part| part.starts_with("Domain")), "{attributes:?}");
    assert_eq!(signed_in.header("cache-control"), Some("no-store"));
}

/// "every cookie-authenticated form post carries a CSRF token": what another site's page sends is refused by its Origin.
async fn a_page_of_another_site_is_refused(server: Server) {
    let ada = server.person("ada").await;
    let from = |origin: &str, path: &str| {
        let request = server.request("POST", path).header("origin", origin);
        request.header("cookie", &ada.cookie)
    };
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        send(from(origin, "/api/auth/sign-out")).await.refused(403, "forbidden");
        let body = json!({ "email": ada.email, "password": PASSWORD });
        let sign_in = from(origin, "/api/auth/sign-in/email").json(&body);
        send(sign_in).await.refused(403, "forbidden");
    }
    ada.get("/v1/me").await.expect(200);
    send(from(server.public_url(), "/api/auth/sign-out")).await.expect(200);
    ada.get("/v1/me").await.refused(401, "unauthorized");
}

/// "/v1 ignores cookies"
async fn v1_ignores_cookies(server: Server) {
    let ada = server.person("ada").await;
    with_cookie(&server, "GET", "/v1/me", &ada.cookie).await.refused(401, "unauthorized");
}

/// "password 10–256 chars, refused if in the bundled common-password list"
async fn passwords_are_long_enough_and_not_common(server: Server) {
    let sign_up = async |password: &str| {
        let email = format!("{}@example.test", unique("ada"));
        let body = json!({ "email": email, "password": password, "name": "Ada" });
        post(&server, "/api/auth/sign-up/email", &body).await
    };
    let too_long = "long words ".repeat(24);
    for password in ["nine char", "", "password123", "PASSWORD123", "1234567890", &too_long] {
        let reason = sign_up(password).await.refused(400, "invalid_request");
        assert!(reason.starts_with("password: "), "{reason}");
        assert!(password.is_empty() || !reason.contains(password), "{reason}");
    }
    sign_up("ten chars!").await.expect(200);
    sign_up(&too_long[..256]).await.expect(200);
}

/// "Ids and e-mail addresses are unique, compared case-folded."
async fn an_address_has_one_account_however_it_is_written(server: Server) {
    let ada = server.person("ada").await;
    for email in [ada.email.clone(), ada.email.to_uppercase()] {
        let body = json!({ "email": email, "password": PASSWORD, "name": "Eve" });
        let taken = post(&server, "/api/auth/sign-up/email", &body).await;
        taken.refused(409, "conflict");
        assert!(taken.header("set-cookie").is_none());
    }
    let signed_in = sign_in(&server, &ada.email.to_uppercase(), PASSWORD).await.expect(200);
    assert_eq!(signed_in["account"]["account_id"], ada.account_id.as_str());
}

/// "e-mail addresses are unique", also among those who come at the same time.
async fn of_many_sign_ups_at_once_one_gets_the_address(server: Server) {
    let email = format!("{}@example.test", unique("ada"));
    let body = json!({ "email": email, "password": PASSWORD, "name": "Ada" });
    let sign_up = || server.request("POST", "/api/auth/sign-up/email").json(&body);
    let statuses = all_at_once((0..6).map(|_| sign_up())).await;
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409]);
}

/// "Unknown body fields are 400 (request inputs stay strict)"
async fn bodies_are_strict(server: Server) {
    let email = format!("{}@example.test", unique("ada"));
    let whole = json!({ "email": email, "password": PASSWORD, "name": "Ada" });
    let sign_up = async |change: fn(&mut Value)| {
        let mut body = whole.clone();
        change(&mut body);
        let answer = post(&server, "/api/auth/sign-up/email", &body).await;
        answer.refused(400, "invalid_request")
    };
    let unknown = sign_up(|body| body["admin"] = json!(true)).await;
    assert!(unknown.contains("admin"), "{unknown}");
    let missing = sign_up(|body| drop(body.as_object_mut().unwrap().remove("name"))).await;
    assert!(missing.contains("name"), "{missing}");
    let number = sign_up(|body| body["password"] = json!(1_234_567_890_123_i64)).await;
    assert!(!number.contains("1234567890123"), "{number}");
    sign_up(|body| body["email"] = json!("no address")).await;
    sign_up(|body| body["name"] = json!("A\u{7}da")).await;
    let body = json!({ "email": email, "password": PASSWORD, "name": "Ada" });
    let sign_in = post(&server, "/api/auth/sign-in/email", &body).await;
    sign_in.refused(400, "invalid_request");
}

/// "405 and 415 carry `invalid_request`": a form of another site cannot pass for JSON.
async fn bodies_are_declared_as_json(server: Server) {
    let ada = server.person("ada").await;
    let body = json!({ "email": ada.email, "password": PASSWORD }).to_string();
    for media_type in ["text/plain", "application/x-www-form-urlencoded"] {
        let request = server.request("POST", "/api/auth/sign-in/email").body(body.clone());
        let refused = send(request.header("content-type", media_type)).await;
        refused.refused(415, "invalid_request");
    }
    let request = server.request("POST", "/api/auth/sign-in/email").body(body);
    let media_type = "application/json; charset=utf-8";
    send(request.header("content-type", media_type)).await.expect(200);
}

/// "audience {`base_url}/v1"`: a token whose claims were changed, or whose signature was taken away, is nobody's.
async fn a_token_of_another_audience_or_without_a_signature_is_refused(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let parts: Vec<_> = ada.token.split('.').collect();
    let eves: Vec<_> = eve.token.split('.').collect();
    let unsigned = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";
    let forged = [
        format!("{}.{}.{}", parts[0], parts[1], eves[2]),
        format!("{}.{}.{}", parts[0], eves[1], parts[2]),
        format!("{unsigned}.{}.", parts[1]),
        format!("{}.{}.", parts[0], parts[1]),
    ];
    for token in forged {
        let request = server.request("GET", "/v1/me").bearer_auth(token);
        send(request).await.refused(401, "unauthorized");
    }
}
