//! Forms and pages against those who would misuse them.

use std::time::Duration;

use testkit::{PASSWORD, Server, on_both_engines, send, with_form};

use super::{authorize, register};

const CONSENT: &str = "/api/auth/oauth2/consent";

on_both_engines!(
    a_form_is_taken_only_from_whom_it_was_shown_to,
    a_form_of_another_site_is_refused,
    pages_are_in_nobodys_frame_and_tell_nobody_where_they_are,
    signing_in_begins_a_new_session_and_ends_the_one_before,
    what_is_wrong_is_said_on_the_page,
    nobody_is_led_elsewhere_after_signing_in,
    signing_out_is_for_good,
);

/// A form that is missing its proof, has another browser's, another page's or an old one is refused, and changes nothing.
async fn a_form_is_taken_only_from_whom_it_was_shown_to(server: Server) {
    let person = server.person("Ada").await;
    let filled = [("email", Some(person.email.as_str())), ("password", Some(PASSWORD))];
    let (browser, other) = (server.browser(), server.browser());
    let page = browser.open("/api/auth/sign-in").await;
    other.open("/api/auth/sign-in").await;
    let sign_up = browser.open("/api/auth/sign-up").await.field("form").unwrap();
    let missing = browser.submit(&page, &[filled[0], filled[1], ("form", None)]).await;
    let anothers = other.submit(&page, &filled).await;
    let purpose = [filled[0], filled[1], ("form", Some(sign_up.as_str()))];
    let purpose = browser.submit(&page, &purpose).await;
    server.advance(Duration::from_mins(31)).await;
    let old = browser.submit(&page, &filled).await;
    for shown in [&missing, &anothers, &purpose, &old] {
        assert_eq!(shown.status, 403, "{}", shown.html);
        assert!(shown.html.contains("too old, or was not shown to this browser"));
    }
    assert_eq!(browser.cookie("guildhall_session"), None);
    // The page that says so has a form that works.
    let shown = browser.submit(&old, &[("password", Some(PASSWORD))]).await;
    assert!(shown.html.contains("You are signed in"), "{}", shown.html);
}

/// A page of another site cannot sign anybody in or consent for them, whatever it knows.
async fn a_form_of_another_site_is_refused(server: Server) {
    let client = register(&server, "Scribe").await;
    let person = server.person("Ada").await;
    let browser = server.browser();
    let (name, value) = person.cookie.split_once('=').unwrap();
    browser.set_cookie(name, value);
    let consent = browser.open(&authorize(&client, &[])).await;
    let form = consent.field("form").unwrap();
    let fields =
        [("form", form.as_str()), ("agent", "new"), ("agent_name", "X"), ("decision", "allow")];
    for (header, origin) in [("origin", "https://evil.example"), ("origin", "null")] {
        let request = with_form(server.request("POST", CONSENT), &fields);
        let request = request.header("cookie", &person.cookie).header(header, origin);
        let answer = send(request.header("sec-fetch-site", "cross-site")).await;
        assert_eq!(answer.status, 403, "{origin}");
    }
    let without = [("agent", "new"), ("agent_name", "X"), ("decision", "allow")];
    let request = with_form(server.request("POST", CONSENT), &without);
    assert_eq!(send(request.header("cookie", &person.cookie)).await.status, 403);
    let stranger = with_form(server.request("POST", CONSENT), &fields);
    assert_eq!(send(stranger).await.status, 403, "the proof is not enough without the cookie");
    let list = person.get("/v1/connections").await.expect(200);
    assert_eq!(list["data"].as_array().unwrap().len(), 0);
}

/// Clickjacking and leaking addresses: the headers of every page.
async fn pages_are_in_nobodys_frame_and_tell_nobody_where_they_are(server: Server) {
    let client = register(&server, "Scribe").await;
    let person = server.person("Ada").await;
    let browser = server.browser();
    let mut pages = vec![
        browser.open("/api/auth/sign-in").await,
        browser.open("/api/auth/sign-up").await,
        browser.open("/api/auth/oauth2/authorize").await,
    ];
    let (name, value) = person.cookie.split_once('=').unwrap();
    browser.set_cookie(name, value);
    pages.push(browser.open("/api/auth/account").await);
    pages.push(browser.open("/api/auth/add-passkey").await);
    let consent = browser.open(&authorize(&client, &[])).await;
    let policy = consent.header("content-security-policy").to_owned();
    assert!(policy.contains("form-action 'self' http://127.0.0.1:4711;"), "{policy}");
    pages.push(consent);
    for page in pages {
        let policy = page.header("content-security-policy");
        for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"] {
            assert!(policy.contains(rule), "{}: {policy}", page.address);
        }
        assert!(!policy.contains("unsafe"), "{}: {policy}", page.address);
        assert_eq!(page.header("x-frame-options"), "DENY", "{}", page.address);
        assert_eq!(page.header("referrer-policy"), "no-referrer", "{}", page.address);
        assert_eq!(page.header("cache-control"), "no-store", "{}", page.address);
        assert_eq!(page.header("x-content-type-options"), "nosniff", "{}", page.address);
        assert!(!page.html.contains("<style") && !page.html.contains("onclick"), "nothing inline");
    }
}

/// Session fixation: what was in the browser before is not what is in it after.
async fn signing_in_begins_a_new_session_and_ends_the_one_before(server: Server) {
    let (ada, eve) = (server.person("Ada").await, server.person("Eve").await);
    let browser = server.browser();
    let (name, planted) = eve.cookie.split_once('=').unwrap();
    browser.set_cookie(name, planted);
    let page = browser.open("/api/auth/sign-in?again=1").await;
    let filled = [("email", Some(ada.email.as_str())), ("password", Some(PASSWORD))];
    let shown = browser.submit(&page, &filled).await;
    assert!(shown.html.contains(&ada.email), "{}", shown.html);
    assert_ne!(browser.cookie(name).as_deref(), Some(planted));
    let old = server.request("GET", "/api/auth/get-session").header("cookie", &eve.cookie);
    assert_eq!(send(old).await.status, 401, "the session that was there before has ended");
}

async fn what_is_wrong_is_said_on_the_page(server: Server) {
    let person = server.person("Ada").await;
    let browser = server.browser();
    let page = browser.open("/api/auth/sign-in").await;
    let wrong = [("email", Some(person.email.as_str())), ("password", Some("not this one"))];
    let shown = browser.submit(&page, &wrong).await;
    assert_eq!(shown.status, 401);
    assert!(shown.html.contains("The e-mail address or the password is wrong."));
    assert_eq!(shown.field("email"), Some(person.email.clone()), "what was typed is kept");
    assert_eq!(shown.field("password").as_deref(), Some(""), "but no password");
    let page = browser.open("/api/auth/sign-up").await;
    let short =
        [("email", Some("new@example.org")), ("password", Some("short")), ("name", Some("N"))];
    let shown = browser.submit(&page, &short).await;
    assert_eq!(shown.status, 400);
    assert!(shown.html.contains("role=\"alert\""), "{}", shown.html);
    assert_eq!(shown.field("name").as_deref(), Some("N"));
}

/// No open redirect.
async fn nobody_is_led_elsewhere_after_signing_in(server: Server) {
    let person = server.person("Ada").await;
    for next in
        ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
    {
        let browser = server.browser();
        let page = browser.open("/api/auth/sign-in").await;
        let filled = [
            ("email", Some(person.email.as_str())),
            ("password", Some(PASSWORD)),
            ("next", Some(next)),
        ];
        let shown = browser.submit(&page, &filled).await;
        assert_eq!((shown.status, shown.address.as_str()), (200, "/api/auth/account"), "{next}");
    }
}

async fn signing_out_is_for_good(server: Server) {
    let browser = server.browser();
    browser.sign_up("Ada", "/api/auth/account").await;
    let cookie = browser.cookie("guildhall_session").unwrap();
    let account = browser.open("/api/auth/account").await;
    let shown = browser.submit(&account, &[("decision", Some("sign-out"))]).await;
    assert_eq!(shown.address, "/api/auth/sign-in");
    assert_eq!(browser.cookie("guildhall_session").as_deref(), Some(""));
    let old = server.request("GET", "/api/auth/get-session");
    let old = send(old.header("cookie", format!("guildhall_session={cookie}"))).await;
    assert_eq!(old.status, 401);
}
