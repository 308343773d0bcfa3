//! Authorization requests: all is checked before anybody signs in, and nothing is sent where it was not registered.

use testkit::{OauthClient, REDIRECT_URI, Server, Shown, authorize_path, changed, on_both_engines};

on_both_engines!(
    look_alikes_of_the_redirect_are_shown_a_page,
    a_bad_client_is_shown_a_page,
    what_is_wrong_goes_back_to_the_client,
    no_challenge_no_code,
    only_three_scopes_can_be_asked_for,
    there_is_one_resource,
    nothing_comes_twice,
);

async fn asked(client: &OauthClient<'_>, changes: &[(&str, Option<&str>)]) -> Shown {
    let request = changed(&client.request(&"v".repeat(43)), changes);
    client.server.browser().open(&authorize_path(&request)).await
}

/// A page that says what is wrong, and no redirect to anywhere.
#[track_caller]
fn is_a_page(shown: &Shown, why: &str) {
    assert_eq!(shown.status, 400, "{why}: {}", shown.html);
    assert!(shown.headers.get("location").is_none(), "{why}");
    assert!(shown.header("content-type").starts_with("text/html"), "{why}");
}

/// The error that went back to the client, with its state and who says so.
#[track_caller]
fn sent_back(shown: &Shown, server: &Server) -> String {
    assert!(shown.address.starts_with(REDIRECT_URI), "{} {}", shown.address, shown.html);
    assert_eq!(shown.status, 303);
    assert_eq!(shown.parameter("state").as_deref(), Some("a/b c"));
    assert_eq!(shown.parameter("iss"), Some(format!("{}/api/auth", server.public_url())));
    assert!(shown.parameter("error_description").is_some_and(|text| !text.is_empty()));
    assert!(shown.parameter("code").is_none());
    shown.parameter("error").expect("an error")
}

/// "`redirect_uri` exact match … byte equality only; port free only on loopback"; "bad client or bad redirect → page, never
/// a redirect"
async fn look_alikes_of_the_redirect_are_shown_a_page(server: Server) {
    let registered = "https://app.example.com/cb";
    let metadata = serde_json::json!({ "redirect_uris": [registered, REDIRECT_URI] });
    let client = server.oauth_client_as(metadata).await;
    for bad in [
        "https://app.example.com/cb/",
        "https://app.example.com/foo/../cb",
        "https://app.example.com/%2E%2E/cb",
        "https://app.example.com/%252E/cb",
        "https://app.example.com/..;/cb",
        "https://app.example.com@evil.com/cb",
        "https://a@b@app.example.com/cb",
        "https://app.example.com.evil.com/cb",
        "HTTPS://app.example.com/cb",
        "https://APP.example.com/cb",
        "https://app.example.com/cb?x=1",
        "https://app.example.com/cb#x",
        "https://app.example.com:443/cb",
        "http://app.example.com/cb",
        "javascript:alert(1)",
        "JAVASCRIPT:alert(1)",
        "data:text/html,x",
        "http://localhosts:4711/callback",
        "http://localhost:4711/callback",
        "http://127.0.0.1:4711@evil.com/callback",
        "https://127.0.0.1:4711/callback",
        "null",
        "",
    ] {
        is_a_page(&asked(&client, &[("redirect_uri", Some(bad))]).await, bad);
    }
    is_a_page(&asked(&client, &[("redirect_uri", None)]).await, "none");
    for good in [registered, "http://127.0.0.1:1/callback", "http://127.0.0.1/callback"] {
        let shown = asked(&client, &[("redirect_uri", Some(good))]).await;
        assert!(shown.address.starts_with("/api/auth/sign-in?"), "{good}: {}", shown.address);
    }
}

/// "open redirect on errors: bad client → page"
async fn a_bad_client_is_shown_a_page(server: Server) {
    let client = server.oauth_client("Scribe").await;
    let unknown = format!("client_{}", "0".repeat(32));
    for bad in [unknown.as_str(), "", "'; DROP TABLE oauth_clients; --", "client_\u{0}"] {
        is_a_page(&asked(&client, &[("client_id", Some(bad))]).await, bad);
    }
}

/// "All authorize parameters are validated before sign-in is asked for"; "iss in success AND error redirects"
async fn what_is_wrong_goes_back_to_the_client(server: Server) {
    let client = server.oauth_client("Scribe").await;
    for (name, value, word) in [
        ("response_type", Some("token"), "unsupported_response_type"),
        ("response_type", Some("code id_token"), "unsupported_response_type"),
        ("response_type", None, "invalid_request"),
        ("response_mode", Some("fragment"), "invalid_request"),
        ("request", Some("x.y.z"), "request_not_supported"),
        ("request_uri", Some("https://169.254.169.254/"), "request_uri_not_supported"),
        ("prompt", Some("none login"), "invalid_request"),
        ("prompt", Some("create"), "invalid_request"),
        ("prompt", Some("none"), "login_required"),
    ] {
        let shown = asked(&client, &[(name, value)]).await;
        assert_eq!(sent_back(&shown, &server), word, "{name} {value:?}");
    }
}

/// "PKCE downgrade: no challenge; `plain` → rejected"
async fn no_challenge_no_code(server: Server) {
    let client = server.oauth_client("Scribe").await;
    for changes in [
        &[("code_challenge", None)][..],
        &[("code_challenge_method", None)],
        &[("code_challenge_method", Some("plain"))],
        &[("code_challenge_method", Some("s256"))],
        &[("code_challenge", None), ("code_challenge_method", None)],
        &[("code_challenge", Some("short"))],
        &[("code_challenge", Some("++++++++++++++++++++++++++++++++++++++++++A"))],
    ] {
        let shown = asked(&client, changes).await;
        assert_eq!(sent_back(&shown, &server), "invalid_request", "{changes:?}");
    }
}

/// "agent-buyer or any other scope asked for: `invalid_scope`"
async fn only_three_scopes_can_be_asked_for(server: Server) {
    let client = server.oauth_client("Scribe").await;
    for bad in ["agent-buyer", "read agent-buyer", "admin", "openid", "owner", "READ", "read,worker"] {
        let shown = asked(&client, &[("scope", Some(bad))]).await;
        assert_eq!(sent_back(&shown, &server), "invalid_scope", "{bad}");
    }
    for good in [None, Some(""), Some("read"), Some("worker"), Some("offline_access")] {
        let shown = asked(&client, &[("scope", good)]).await;
        assert!(shown.address.starts_with("/api/auth/sign-in?"), "{good:?}: {}", shown.address);
    }
}

/// "`resource` (RFC 8707) must be `{base_url}/mcp` when given … unknown -> `invalid_target`"
async fn there_is_one_resource(server: Server) {
    let client = server.oauth_client("Scribe").await;
    let resource = format!("{}/mcp", server.public_url());
    let slash = format!("{resource}/");
    for bad in [slash.as_str(), server.public_url(), "https://elsewhere.example/mcp", "mcp"] {
        let shown = asked(&client, &[("resource", Some(bad))]).await;
        assert_eq!(sent_back(&shown, &server), "invalid_target", "{bad}");
    }
    let shown = asked(&client, &[("resource", Some(&resource))]).await;
    assert!(shown.address.starts_with("/api/auth/sign-in?"), "{}", shown.address);
}

/// "Request and response parameters MUST NOT be included more than once"
async fn nothing_comes_twice(server: Server) {
    let client = server.oauth_client("Scribe").await;
    let request = client.request(&"v".repeat(43));
    for (name, page) in
        [("client_id", true), ("redirect_uri", true), ("scope", false), ("code_challenge", false)]
    {
        let mut doubled = request.clone();
        let again = request.iter().find(|(known, _)| known == name).unwrap().clone();
        doubled.push(again);
        let shown = server.browser().open(&authorize_path(&doubled)).await;
        if page {
            is_a_page(&shown, name);
        } else {
            assert_eq!(sent_back(&shown, &server), "invalid_request", "{name}");
        }
    }
}
