//! A client asks, the owner decides.

use guildhall_core::ConnectionId;
use serde_json::{Value, json};
use testkit::{Browser, Person, Server, Shown, on_both_engines, send, with_form};

use super::{REDIRECT, VERIFIER, authorize, register};

on_both_engines!(
    a_browser_without_scripts_gets_from_sign_up_to_a_code,
    everything_is_checked_before_anybody_signs_in,
    what_cannot_be_trusted_is_shown_and_never_redirected,
    a_denial_goes_back_to_the_client,
    the_owner_can_take_work_away,
    every_client_is_asked_for_and_every_time,
    a_second_consent_renews_the_connection_and_takes_spending_away,
    only_agents_of_the_owner_can_be_chosen,
    a_prompt_is_honoured,
    a_code_names_where_it_comes_from,
    consents_at_once_make_one_connection,
);

/// The cookie of somebody who is signed in, in a browser.
fn browser_of<'s>(server: &'s Server, person: &Person<'_>) -> Browser<'s> {
    let browser = server.browser();
    let (name, value) = person.cookie.split_once('=').unwrap();
    browser.set_cookie(name, value);
    browser
}

async fn redeem(server: &Server, client_id: &str, shown: &Shown) -> Value {
    let code = shown.parameter("code").unwrap_or_else(|| panic!("no code: {}", shown.address));
    let form = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("client_id", client_id),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
    ];
    let request = server.request("POST", "/api/auth/oauth2/token");
    send(with_form(request, &form)).await.expect(200)
}

async fn connections(person: &Person<'_>) -> Vec<Value> {
    let list = person.get("/v1/connections").await.expect(200);
    list["data"].as_array().unwrap().clone()
}

/// "Usable without JavaScript", "connections created … by consent".
async fn a_browser_without_scripts_gets_from_sign_up_to_a_code(server: Server) {
    let client = register(&server, "Scribe").await;
    let browser = server.browser();
    let page = browser.open(&authorize(&client, &[])).await;
    assert!(page.address.starts_with("/api/auth/sign-in?next="), "{}", page.address);
    assert!(page.html.contains("<strong>Scribe</strong>"), "{}", page.html);
    let next = page.field("next").unwrap();
    let offer = browser.sign_up("Ada", &next).await;
    assert!(offer.address.starts_with("/api/auth/add-passkey?next="), "{}", offer.address);
    let consent = browser.open(&next).await;
    assert_eq!(consent.status, 200);
    for text in ["Connect Scribe?", "127.0.0.1", "has not checked who it is", "cannot spend"] {
        assert!(consent.html.contains(text), "{text}: {}", consent.html);
    }
    let back = browser.submit(&consent, &[("decision", Some("allow"))]).await;
    assert!(back.address.starts_with(&format!("{REDIRECT}?")), "{}", back.address);
    assert_eq!((back.status, back.parameter("state").as_deref()), (303, Some("a/b c")));
    let tokens = redeem(&server, &client, &back).await;
    let bearer = format!("Bearer {}", tokens["access_token"].as_str().unwrap());
    let me = server.request("GET", "/v1/me").header("authorization", bearer);
    let me = send(me).await.expect(200);
    assert_eq!((&me["kind"], &me["name"]), (&json!("agent"), &json!("Scribe")));
    assert_eq!(me["scopes"], json!(["read", "worker"]));
    let connection = &me["connection"];
    assert_eq!(connection["auth_kind"], "oauth");
    assert_eq!(connection["client_display_name"], "Scribe");
    assert_eq!(connection["grant"]["spend_policy_id"], Value::Null);
}

/// "All authorize parameters are validated before sign-in is asked for."
async fn everything_is_checked_before_anybody_signs_in(server: Server) {
    let client = register(&server, "Scribe").await;
    let browser = server.browser();
    let wrong = [
        (("response_type", "token"), "unsupported_response_type"),
        (("code_challenge_method", "plain"), "invalid_request"),
        (("code_challenge", ""), "invalid_request"),
        (("scope", "read agent-buyer"), "invalid_scope"),
        (("resource", "https://elsewhere.example/mcp"), "invalid_target"),
    ];
    for (parameter, expected) in wrong {
        let shown = browser.open(&authorize(&client, &[parameter])).await;
        assert!(shown.address.starts_with(&format!("{REDIRECT}?")), "{}", shown.address);
        assert_eq!(shown.parameter("error").as_deref(), Some(expected), "{parameter:?}");
        assert_eq!(shown.parameter("state").as_deref(), Some("a/b c"), "{parameter:?}");
        let issuer = format!("{}/api/auth", server.public_url());
        assert_eq!(shown.parameter("iss"), Some(issuer), "{parameter:?}");
    }
}

/// "Errors are … never redirected to an unverified URI."
async fn what_cannot_be_trusted_is_shown_and_never_redirected(server: Server) {
    let client = register(&server, "Scribe").await;
    let browser = server.browser();
    let wrong = [
        authorize("client_00000000000000000000000000000000", &[]),
        authorize("", &[]),
        authorize(&client, &[("redirect_uri", "http://127.0.0.1:4711/callback/../x")]),
        authorize(&client, &[("redirect_uri", "https://127.0.0.1:4711/callback")]),
        authorize(&client, &[("redirect_uri", "http://127.0.0.1.evil.example/callback")]),
        authorize(&client, &[("redirect_uri", "javascript:alert(1)")]),
        authorize(&client, &[("redirect_uri", "")]),
    ];
    for path in wrong {
        let shown = browser.open(&path).await;
        assert!((400..500).contains(&shown.status), "{path}: {}", shown.status);
        assert_eq!(shown.header("location"), "", "{path}");
        assert!(shown.html.contains("This did not work"), "{path}");
    }
}

/// "Errors are RFC 6749 shapes".
async fn a_denial_goes_back_to_the_client(server: Server) {
    let client = register(&server, "Scribe").await;
    let person = server.person("Ada").await;
    let browser = browser_of(&server, &person);
    let consent = browser.open(&authorize(&client, &[])).await;
    let back = browser.submit(&consent, &[("decision", Some("deny"))]).await;
    assert_eq!(back.parameter("error").as_deref(), Some("access_denied"));
    assert_eq!(back.parameter("state").as_deref(), Some("a/b c"));
    assert_eq!(back.parameter("code"), None);
    assert_eq!(connections(&person).await, Vec::<Value>::new());
}

/// "Lets the owner take `worker` away."
async fn the_owner_can_take_work_away(server: Server) {
    let client = register(&server, "Scribe").await;
    let person = server.person("Ada").await;
    let agent = person.create_agent("Clerk").await;
    let browser = browser_of(&server, &person);
    let consent = browser.open(&authorize(&client, &[])).await;
    assert_eq!(consent.field("agent"), Some(agent.clone()), "the owner's agent is offered");
    let back = browser.submit(&consent, &[("worker", None), ("decision", Some("allow"))]).await;
    let tokens = redeem(&server, &client, &back).await;
    assert_eq!(tokens["scope"], "read");
    let connection = connections(&person).await.remove(0);
    assert_eq!(connection["grant"]["scopes"], json!(["read"]));
    assert_eq!(
        (&connection["agent_id"], &connection["status"]),
        (&json!(agent), &json!("authorized"))
    );
}

/// A client that was never seen, and one that was, both need the owner's word: consent is never skipped.
async fn every_client_is_asked_for_and_every_time(server: Server) {
    let person = server.person("Ada").await;
    let browser = browser_of(&server, &person);
    for name in ["Scribe", "Scribe", "Other"] {
        let client = register(&server, name).await;
        for _ in 0..2 {
            let consent = browser.open(&authorize(&client, &[])).await;
            assert_eq!(consent.status, 200, "{}", consent.address);
            assert!(consent.html.contains(&format!("Connect {name}?")), "{}", consent.html);
            browser.submit(&consent, &[("decision", Some("allow"))]).await;
        }
    }
}

/// "A second consent by the same client for the same agent renews that connection (epoch + 1) instead of adding one, and
/// takes agent-buyer away until the owner binds again."
async fn a_second_consent_renews_the_connection_and_takes_spending_away(server: Server) {
    let client = register(&server, "Scribe").await;
    let person = server.person("Ada").await;
    person.create_agent("Clerk").await;
    person.policy().await;
    let browser = browser_of(&server, &person);
    let allow = async || {
        let consent = browser.open(&authorize(&client, &[])).await;
        let back = browser.submit(&consent, &[("decision", Some("allow"))]).await;
        redeem(&server, &client, &back).await
    };
    let first = allow().await;
    let connection = connections(&person).await.remove(0);
    let id: ConnectionId = connection["connection_id"].as_str().unwrap().parse().unwrap();
    let bound = person.post(&format!("/v1/connections/{id}/spend-policy"), json!({})).await;
    assert_eq!(bound.expect(200)["grant"]["scopes"], json!(["read", "worker", "agent-buyer"]));
    let second = allow().await;
    let after = connections(&person).await;
    assert_eq!(after.len(), 1, "{after:?}");
    assert_eq!(after[0]["connection_id"], connection["connection_id"]);
    assert_eq!(after[0]["grant"]["epoch"], json!(2));
    assert_eq!(after[0]["grant"]["scopes"], json!(["read", "worker"]));
    assert_eq!(after[0]["grant"]["spend_policy_id"], Value::Null);
    for (tokens, status) in [(first, 401), (second, 200)] {
        let bearer = format!("Bearer {}", tokens["access_token"].as_str().unwrap());
        let me = send(server.request("GET", "/v1/me").header("authorization", bearer)).await;
        assert_eq!(me.status, status);
    }
}

/// "Asks which of the owner's agents to connect (or creates one)": nobody else's, none that the service runs, none that is
/// retired.
async fn only_agents_of_the_owner_can_be_chosen(server: Server) {
    let client = register(&server, "Scribe").await;
    let (person, other) = (server.person("Ada").await, server.person("Eve").await);
    let foreign = other.create_agent("Theirs").await;
    let hosted = person.create_hosted_agent("Hosted").await;
    let retired = person.create_agent("Retired").await;
    person.post(&format!("/v1/me/agents/{retired}/retire"), json!({})).await.expect(200);
    let browser = browser_of(&server, &person);
    let consent = browser.open(&authorize(&client, &[])).await;
    for agent in [foreign.as_str(), &hosted, &retired, "", "agent_x", "new\u{0}"] {
        assert!(agent.is_empty() || !consent.html.contains(agent), "{agent} was offered");
        let fields = [("agent", Some(agent)), ("decision", Some("allow"))];
        let shown = browser.submit(&consent, &fields).await;
        assert!((400..500).contains(&shown.status), "{agent}: {}", shown.status);
        assert!(shown.html.contains("role=\"alert\""), "{agent}: {}", shown.html);
    }
    let unnamed = [("agent", Some("new")), ("agent_name", Some(" ")), ("decision", Some("allow"))];
    assert_eq!(browser.submit(&consent, &unnamed).await.status, 400);
    let own = connections(&person).await;
    assert!(own.iter().all(|connection| connection["auth_kind"] != "oauth"), "{own:?}");
}

async fn a_prompt_is_honoured(server: Server) {
    let client = register(&server, "Scribe").await;
    let person = server.person("Ada").await;
    let (stranger, browser) = (server.browser(), browser_of(&server, &person));
    let silent = authorize(&client, &[("prompt", "none")]);
    let error = stranger.open(&silent).await.parameter("error");
    assert_eq!(error.as_deref(), Some("login_required"));
    let error = browser.open(&silent).await.parameter("error");
    assert_eq!(error.as_deref(), Some("consent_required"));
    let again = browser.open(&authorize(&client, &[("prompt", "login")])).await;
    assert!(again.address.starts_with("/api/auth/sign-in?next="), "{}", again.address);
    assert!(!again.field("next").unwrap().contains("prompt"), "it would never end");
}

/// "`iss` in the response (RFC 9207)".
async fn a_code_names_where_it_comes_from(server: Server) {
    let client = register(&server, "Scribe").await;
    let person = server.person("Ada").await;
    let browser = browser_of(&server, &person);
    let consent = browser.open(&authorize(&client, &[])).await;
    let back = browser.submit(&consent, &[("decision", Some("allow"))]).await;
    assert_eq!(back.parameter("iss"), Some(format!("{}/api/auth", server.public_url())));
    assert_eq!(back.header("cache-control"), "no-store");
    assert_eq!(back.header("referrer-policy"), "no-referrer");
}

/// Two consents at once for one client and one agent: one connection, and nobody sees a fault.
async fn consents_at_once_make_one_connection(server: Server) {
    let client = register(&server, "Scribe").await;
    let person = server.person("Ada").await;
    person.create_agent("Clerk").await;
    let browser = browser_of(&server, &person);
    let consent = browser.open(&authorize(&client, &[])).await;
    let allowed = [("decision", Some("allow"))];
    let answers = tokio::join!(
        browser.submit(&consent, &allowed),
        browser.submit(&consent, &allowed),
        browser.submit(&consent, &allowed),
    );
    for shown in [answers.0, answers.1, answers.2] {
        assert!(shown.parameter("code").is_some(), "{}: {}", shown.status, shown.address);
    }
    let connections = connections(&person).await;
    assert_eq!(connections.len(), 1, "{connections:?}");
    assert_eq!(connections[0]["grant"]["epoch"], json!(3));
}
