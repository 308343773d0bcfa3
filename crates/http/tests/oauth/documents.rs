//! Clients that are known by a document of their own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::HeaderMap;
use axum::response::Redirect;
use axum::routing::get;
use serde_json::{Value, json};
use testkit::{
    OauthClient, OauthTokens, REDIRECT_URI, Server, Shown, authorize_path, changed, on_both_engines,
};
use tokio::task::JoinHandle;

use super::works;

on_both_engines!(
    a_client_by_its_document_is_connected,
    a_document_is_read_again_when_its_sender_says_so,
    a_document_that_is_not_right_is_no_client,
    addresses_that_are_not_public_are_not_called,
    a_host_that_misbehaves_is_not_waited_for,
);

/// A host with a client's document.
struct Host {
    url: String,
    asked: Arc<AtomicUsize>,
    document: Arc<Mutex<Value>>,
    headers: Arc<Mutex<HeaderMap>>,
    serving: JoinHandle<()>,
}

impl Drop for Host {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Host {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let url = format!("{root}/client.json");
        let asked = Arc::new(AtomicUsize::new(0));
        let document = Arc::new(Mutex::new(json!({
            "client_id": url, "client_name": "Document Client", "redirect_uris": [REDIRECT_URI],
            "grant_types": ["authorization_code", "refresh_token"],
        })));
        let headers = HeaderMap::from_iter([(
            axum::http::header::CONTENT_TYPE,
            "application/json".parse().unwrap(),
        )]);
        let headers = Arc::new(Mutex::new(headers));
        let (count, shown, told) = (Arc::clone(&asked), Arc::clone(&document), Arc::clone(&headers));
        let serve = async move || {
            count.fetch_add(1, Ordering::SeqCst);
            (told.lock().unwrap().clone(), shown.lock().unwrap().to_string())
        };
        let router = Router::new()
            .route("/client.json", get(serve))
            .route("/moved.json", get(async || Redirect::temporary("/client.json")))
            .route("/slow.json", get(async || {
                tokio::time::sleep(Duration::from_secs(30)).await;
            }))
            .route("/huge.json", get(async || "x".repeat(6_000)));
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, asked, document, headers, serving }
    }

    fn client<'s>(&self, server: &'s Server) -> OauthClient<'s> {
        let (client_id, registration) = (self.url.clone(), Value::Null);
        OauthClient { server, client_id, secret: None, registration }
    }

    fn says(&self, name: &'static str, value: &str) {
        self.headers.lock().unwrap().insert(name, value.parse().unwrap());
    }
}

async fn opened(server: &Server, client_id: &str) -> Shown {
    let registration = Value::Null;
    let client = OauthClient { server, client_id: client_id.to_owned(), secret: None, registration };
    let request = client.request(&"v".repeat(43));
    server.browser().open(&authorize_path(&request)).await
}

/// "Client ID Metadata Documents (an https `client_id` URL, fetched SSRF-safely, size- and time-bounded)"; "show `client_id`
/// host and redirect host on consent". On this machine, where tests may, by http.
async fn a_client_by_its_document_is_connected(server: Server) {
    let host = Host::start().await;
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let client = host.client(&server);
    let page = ada.browser().open(&authorize_path(&client.request(&"v".repeat(43)))).await;
    assert!(page.html.contains("Document Client"), "{}", page.html);
    assert!(page.html.contains("127.0.0.1"), "{}", page.html);
    let tokens = client.connect(&ada, &agent).await;
    let me = works(&server, &tokens.access).await;
    assert_eq!(me["connection"]["client_display_name"], "Document Client");
    let next = OauthTokens::of(&client.refresh(&tokens.refresh).await.expect(200));
    works(&server, &next.access).await;
    let other = OauthClient { client_id: format!("{}x", host.url), ..host.client(&server) };
    other.refresh(&next.refresh).await.denied(400, "invalid_grant");
    let form = changed(&client.refreshing(&next.refresh), &[("client_secret", Some("x"))]);
    server.oauth("token", &form).await.denied(401, "invalid_client");
}

/// "cached by its headers, errors never cached"
async fn a_document_is_read_again_when_its_sender_says_so(server: Server) {
    let host = Host::start().await;
    host.says("cache-control", "max-age=60");
    let asked = || host.asked.load(Ordering::SeqCst);
    for _ in 0..3 {
        assert!(opened(&server, &host.url).await.address.starts_with("/api/auth/sign-in"));
    }
    assert_eq!(asked(), 1, "kept");
    server.advance(Duration::from_secs(61)).await;
    host.document.lock().unwrap()["client_id"] = json!("https://elsewhere.example/");
    for _ in 0..2 {
        assert_eq!(opened(&server, &host.url).await.status, 400);
    }
    assert_eq!(asked(), 3, "what is wrong is not kept, and what was right is not used for it");
    host.document.lock().unwrap()["client_id"] = json!(host.url);
    host.says("cache-control", "no-store");
    for _ in 0..2 {
        assert!(opened(&server, &host.url).await.address.starts_with("/api/auth/sign-in"));
    }
    assert_eq!(asked(), 5, "not kept");
}

/// "`client_id` in document equals URL by string compare, `client_name` + `redirect_uris` required, no `client_secret*`"
async fn a_document_that_is_not_right_is_no_client(server: Server) {
    let host = Host::start().await;
    host.says("cache-control", "no-store");
    let good = host.document.lock().unwrap().clone();
    for (name, value) in [
        ("client_id", json!("http://127.0.0.1/client.json")),
        ("client_name", json!(null)),
        ("redirect_uris", json!(["https://elsewhere.example/cb"])),
        ("redirect_uris", json!(["javascript:alert(1)"])),
        ("client_secret", json!("shared")),
        ("token_endpoint_auth_method", json!("client_secret_post")),
    ] {
        let mut document = good.clone();
        document[name] = value.clone();
        *host.document.lock().unwrap() = document;
        let shown = opened(&server, &host.url).await;
        assert_eq!((shown.status, shown.headers.get("location")), (400, None), "{name} {value}");
    }
    *host.document.lock().unwrap() = good;
    host.says("content-type", "text/html");
    assert_eq!(opened(&server, &host.url).await.status, 400);
}

/// "169.254.169.254, `[::ffff:127.0.0.1]`, octal … blocked"; "no dot segments, fragment, userinfo"
async fn addresses_that_are_not_public_are_not_called(server: Server) {
    let host = Host::start().await;
    let port = host.url.rsplit_once(':').unwrap().1.split('/').next().unwrap().to_owned();
    let root = format!("http://127.0.0.1:{port}");
    for bad in [
        "https://169.254.169.254/client.json".to_owned(),
        "https://10.0.0.1/client.json".to_owned(),
        "https://[::ffff:10.0.0.1]/client.json".to_owned(),
        "https://0251.0376.0251.0376/client.json".to_owned(),
        "https://2852039166/client.json".to_owned(),
        "https://metadata.internal/client.json".to_owned(),
        "http://example.com/client.json".to_owned(),
        "https://example.com".to_owned(),
        "https://example.com/".to_owned(),
        "https://example.com/a/../client.json".to_owned(),
        "https://example.com/%2e%2e/client.json".to_owned(),
        "https://user@example.com/client.json".to_owned(),
        "https://example.com/client.json#x".to_owned(),
        "https://EXAMPLE.com/client.json".to_owned(),
        format!("{root}/./client.json"),
        format!("{root}/client.json#x"),
        format!("http://user@127.0.0.1:{port}/client.json"),
        format!("{root}/"),
        format!("{root}/{}", "x".repeat(3_000)),
    ] {
        let shown = opened(&server, &bad).await;
        assert_eq!((shown.status, shown.headers.get("location")), (400, None), "{bad}");
    }
    assert_eq!(host.asked.load(Ordering::SeqCst), 0);
}

/// "redirect chain, slow body, 1 GB body: ≤ 5 kB, ≤ 3 s, no redirect"
async fn a_host_that_misbehaves_is_not_waited_for(server: Server) {
    let host = Host::start().await;
    for (name, why) in [("moved", "307"), ("huge", "too large"), ("slow", "in time"), ("none", "404")] {
        let url = host.url.replace("/client.json", &format!("/{name}.json"));
        let started = std::time::Instant::now();
        let shown = opened(&server, &url).await;
        assert_eq!(shown.status, 400, "{name}");
        assert!(shown.html.contains(why), "{name}: {}", shown.html);
        assert!(started.elapsed() < Duration::from_secs(10), "{name}");
    }
    assert_eq!(host.asked.load(Ordering::SeqCst), 0, "a redirect is not followed");
}
