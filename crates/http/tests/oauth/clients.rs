//! Clients register themselves, prove themselves, and end their registration.

use reqwest::RequestBuilder;
use serde_json::{Value, json};
use testkit::{Answer, OauthTokens, REDIRECT_URI, Server, changed, on_both_engines, send};

use super::{is_dead, works};

on_both_engines!(
    a_registration_is_echoed,
    a_client_with_a_secret_proves_itself_as_it_registered,
    names_and_addresses_that_deceive_are_refused,
    what_is_not_supported_is_refused_or_left_out,
    a_registration_is_managed_by_its_own_token,
    ending_a_registration_ends_its_tokens,
    an_unknown_client_is_told_so,
    forms_are_forms,
);

/// "answer echoes metadata, `client_id` = `client_` + 32 hex, public `none` by default, `application_type` inferred native
/// when all redirects are loopback"
async fn a_registration_is_echoed(server: Server) {
    let metadata = json!({
        "client_name": "Scribe", "redirect_uris": [REDIRECT_URI], "client_uri": "https://scribe.example",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
        "software_id": "scribe", "software_version": "1.2", "logo_uri": "http://169.254.169.254/",
        "something_else": { "deep": true },
    });
    let answer = server.register(&metadata).await;
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let body = answer.expect(201);
    let id = body["client_id"].as_str().unwrap().strip_prefix("client_").unwrap();
    assert!(id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()), "{id}");
    for name in ["client_name", "redirect_uris", "client_uri", "grant_types", "software_id"] {
        assert_eq!(body[name], metadata[name], "{name}");
    }
    assert_eq!(body["token_endpoint_auth_method"], "none");
    assert_eq!(body["application_type"], "native");
    assert!(body["client_secret"].is_null() && body["something_else"].is_null(), "{body}");
    let web = json!({ "redirect_uris": ["https://app.example.com/cb"] });
    let web = server.register(&web).await.expect(201);
    assert_eq!((&web["application_type"], &web["client_name"]), (&json!("web"), &Value::Null));
    let mixed = json!({ "redirect_uris": [REDIRECT_URI], "application_type": "web" });
    assert_eq!(server.register(&mixed).await.expect(201)["application_type"], "web");
}

fn basic(request: RequestBuilder, user: &str, password: &str) -> RequestBuilder {
    request.basic_auth(user, Some(password))
}

/// "`client_secret_basic`/`client_secret_post` on request"; "`invalid_client` 401 with WWW-Authenticate when Basic was tried"
async fn a_client_with_a_secret_proves_itself_as_it_registered(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    for method in ["client_secret_basic", "client_secret_post"] {
        let metadata =
            json!({ "redirect_uris": [REDIRECT_URI], "token_endpoint_auth_method": method });
        let client = server.oauth_client_as(metadata).await;
        let secret = client.secret.clone().unwrap();
        assert_eq!(client.registration["client_secret_expires_at"], 0);
        let sent = client.ask(&ada, &agent, &[]).await;
        let posted = client.redemption(&sent);
        let bare = changed(&posted, &[("client_id", None), ("client_secret", None)]);
        let request = |fields| server.oauth_request("token", fields);
        let (right, wrong) = if method == "client_secret_post" {
            (request(&posted), basic(request(&bare), &client.client_id, &secret))
        } else {
            (basic(request(&bare), &client.client_id, &secret), request(&posted))
        };
        send(wrong).await.denied(401, "invalid_client");
        let unproven = changed(&posted, &[("client_secret", None)]);
        server.oauth("token", &unproven).await.denied(401, "invalid_client");
        let guess = changed(&posted, &[("client_secret", Some("gcs_guess"))]);
        let guessed = server.oauth("token", &guess).await;
        guessed.denied(401, "invalid_client");
        assert!(guessed.header("www-authenticate").is_none());
        let guessed = send(basic(request(&bare), &client.client_id, "guess")).await;
        guessed.denied(401, "invalid_client");
        assert_eq!(guessed.header("www-authenticate"), Some("Basic realm=\"guildhall\""));
        let twice = send(basic(request(&posted), &client.client_id, &secret)).await;
        twice.denied(400, "invalid_request");
        let tokens = OauthTokens::of(&send(right).await.expect(200));
        works(&server, &tokens.access).await;
    }
    let public = server.oauth_client("Scribe").await;
    let sent = public.ask(&ada, &agent, &[]).await;
    let form = changed(&public.redemption(&sent), &[("client_secret", Some("anything"))]);
    server.oauth("token", &form).await.denied(401, "invalid_client");
}

/// "huge names, homoglyph names, redirect to internal: size caps, no fetch of logos"; "never javascript/data/fragment/userinfo"
async fn names_and_addresses_that_deceive_are_refused(server: Server) {
    for uri in [
        "http://app.example.com/cb",
        "http://10.0.0.1/cb",
        "http://169.254.169.254/latest",
        "http://127.0.0.1.evil.com/",
        "https://user:pass@app.example.com/cb",
        "https://app.example.com/cb#x",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vbscript:x",
        "/relative",
        "",
    ] {
        let answer = server.register(&json!({ "redirect_uris": [uri] })).await;
        answer.denied(400, "invalid_redirect_uri");
    }
    let many: Vec<String> = (0..11).map(|n| format!("https://app.example.com/{n}")).collect();
    for redirects in [json!([]), json!(many)] {
        let answer = server.register(&json!({ "redirect_uris": redirects })).await;
        answer.denied(400, "invalid_redirect_uri");
    }
    for name in ["x".repeat(101), " ".to_owned(), "a\u{202e}b".to_owned(), "a\u{200b}b".to_owned(), "a\nb".to_owned()] {
        let answer =
            server.register(&json!({ "redirect_uris": [REDIRECT_URI], "client_name": name })).await;
        answer.denied(400, "invalid_client_metadata");
    }
    let huge = json!({ "redirect_uris": [REDIRECT_URI], "padding": "x".repeat(17_000) });
    server.register(&huge).await.denied(413, "invalid_request");
    let long = json!({ "redirect_uris": [REDIRECT_URI], "client_uri": "x".repeat(201) });
    server.register(&long).await.denied(400, "invalid_client_metadata");
}

async fn what_is_not_supported_is_refused_or_left_out(server: Server) {
    for (name, value) in [
        ("token_endpoint_auth_method", json!("private_key_jwt")),
        ("grant_types", json!(["client_credentials"])),
        ("grant_types", json!(["implicit", "password"])),
        ("response_types", json!(["token"])),
        ("application_type", json!("toaster")),
        ("client_name", json!({ "en": "x" })),
    ] {
        let mut metadata = json!({ "redirect_uris": [REDIRECT_URI] });
        metadata[name] = value;
        server.register(&metadata).await.denied(400, "invalid_client_metadata");
    }
    let metadata = json!({
        "redirect_uris": [REDIRECT_URI], "scope": "read agent-buyer admin",
        "grant_types": ["authorization_code", "refresh_token", "client_credentials"],
    });
    let body = server.register(&metadata).await.expect(201);
    assert_eq!(body["grant_types"], json!(["authorization_code", "refresh_token"]));
    assert_eq!(body["scope"], "read worker offline_access");
    let text = server.request("POST", "/api/auth/oauth2/register").body("{}");
    send(text).await.denied(400, "invalid_client_metadata");
    for broken in ["", "[]", "{", "{\"redirect_uris\":[\"a\"],\"redirect_uris\":[\"b\"]}"] {
        let request = server.request("POST", "/api/auth/oauth2/register");
        let request = request.header("content-type", "application/json").body(broken);
        send(request).await.denied(400, "invalid_client_metadata");
    }
}

async fn managed(server: &Server, method: &str, client_id: &str, token: Option<&str>) -> Answer {
    let request = server.request(method, &format!("/api/auth/oauth2/register/{client_id}"));
    send(token.into_iter().fold(request, RequestBuilder::bearer_auth)).await
}

/// "7592 read + delete by registration access token"
async fn a_registration_is_managed_by_its_own_token(server: Server) {
    let (one, other) = (server.oauth_client("One").await, server.oauth_client("Other").await);
    let token_of = |client: &testkit::OauthClient<'_>| {
        client.registration["registration_access_token"].as_str().unwrap().to_owned()
    };
    let uri = one.registration["registration_client_uri"].as_str().unwrap();
    assert_eq!(uri, format!("{}/api/auth/oauth2/register/{}", server.public_url(), one.client_id));
    let shown = managed(&server, "GET", &one.client_id, Some(&token_of(&one))).await.expect(200);
    assert_eq!(shown, one.registration);
    let strangers = [None, Some("grt_guess".to_owned()), Some(token_of(&other))];
    for method in ["GET", "DELETE"] {
        for stranger in &strangers {
            let answer = managed(&server, method, &one.client_id, stranger.as_deref()).await;
            answer.denied(401, "invalid_token");
        }
        let answer = managed(&server, method, "client_0", Some(&token_of(&one))).await;
        answer.denied(401, "invalid_token");
    }
    let gone = managed(&server, "DELETE", &one.client_id, Some(&token_of(&one))).await;
    assert_eq!(gone.status, 204);
    managed(&server, "GET", &one.client_id, Some(&token_of(&one))).await.denied(401, "invalid_token");
    managed(&server, "GET", &other.client_id, Some(&token_of(&other))).await.expect(200);
}

async fn ending_a_registration_ends_its_tokens(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let (client, other) = (server.oauth_client("Scribe").await, server.oauth_client("Other").await);
    let (tokens, spared) = (client.connect(&ada, &agent).await, other.connect(&ada, &agent).await);
    let token = client.registration["registration_access_token"].as_str();
    assert_eq!(managed(&server, "DELETE", &client.client_id, token).await.status, 204);
    is_dead(&server, &tokens.access).await;
    client.refresh(&tokens.refresh).await.denied(401, "invalid_client");
    works(&server, &spared.access).await;
}

/// "stale client answers `invalid_client` so clients can re-register"
async fn an_unknown_client_is_told_so(server: Server) {
    let mut client = server.oauth_client("Scribe").await;
    client.client_id = format!("client_{}", "0".repeat(32));
    let told = client.refresh("gr_x").await.denied(401, "invalid_client");
    assert!(told.contains("Register again"), "{told}");
    for endpoint in ["token", "revoke", "introspect"] {
        let form = client.proven(&[("grant_type", "refresh_token"), ("token", "x"), ("refresh_token", "x")]);
        server.oauth(endpoint, &form).await.denied(401, "invalid_client");
    }
}

/// "token endpoint form-encoded POST only"
async fn forms_are_forms(server: Server) {
    let client = server.oauth_client("Scribe").await;
    let json = json!({ "grant_type": "refresh_token", "refresh_token": "x", "client_id": client.client_id });
    send(server.request("POST", "/api/auth/oauth2/token").json(&json)).await.denied(400, "invalid_request");
    let form = client.refreshing("gr_x");
    let in_query = server.oauth_request("token?grant_type=refresh_token", &form);
    send(in_query).await.denied(400, "invalid_request");
    for (name, value, word) in [
        ("grant_type", None, "invalid_request"),
        ("grant_type", Some("password"), "unsupported_grant_type"),
        ("grant_type", Some("client_credentials"), "unsupported_grant_type"),
        ("refresh_token", None, "invalid_request"),
        ("client_id", None, "invalid_request"),
        ("resource", Some("https://elsewhere.example"), "invalid_target"),
    ] {
        server.oauth("token", &changed(&form, &[(name, value)])).await.denied(400, word);
    }
    let mut twice = form.clone();
    twice.push(("refresh_token".to_owned(), "gr_y".to_owned()));
    server.oauth("token", &twice).await.denied(400, "invalid_request");
}
