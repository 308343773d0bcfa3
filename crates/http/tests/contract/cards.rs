//! Agent cards: what is said of an agent to programs that speak A2A, and who vouches for it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use axum::Router;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::get;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use guildhall_core::canonical::canonical_json;
use serde_json::{Value, json};
use testkit::{Answer, Person, Server, on_both_engines, send, unique};

on_both_engines!(
    a_published_agent_has_a_card,
    only_published_agents_have_cards,
    a_card_is_signed_by_the_service,
    a_card_stays_as_it_was_signed,
    a_card_outlives_the_rotation_of_keys,
    the_service_has_a_card,
    an_owners_own_card_is_read_when_it_is_published,
    an_owners_card_at_another_address_is_not_used_unread,
    what_is_no_card_cannot_be_published,
    the_service_is_not_sent_to_where_only_it_can_go,
    a_hosted_agent_has_no_card_of_its_own,
);

/// A host with a document on it, which a test may exchange.
struct Host {
    url: String,
    shown: Arc<Mutex<(StatusCode, String)>>,
}

impl Host {
    async fn start(document: &Value) -> Self {
        let shown = Arc::new(Mutex::new((StatusCode::OK, document.to_string())));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/card.json", listener.local_addr().unwrap());
        let (answer, target) = (Arc::clone(&shown), url.clone());
        let handle = async move || {
            let mut headers = HeaderMap::new();
            // Whoever follows a redirect comes back here, and finds the card.
            headers.insert(header::LOCATION, format!("{target}?again").parse().unwrap());
            let (status, body) = answer.lock().unwrap().clone();
            if status == StatusCode::REQUEST_TIMEOUT {
                tokio::time::sleep(Duration::from_secs(60)).await;
            }
            (status, headers, body)
        };
        let router = Router::new().route("/card.json", get(handle));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, shown }
    }

    fn show(&self, status: StatusCode, body: &str) {
        *self.shown.lock().unwrap() = (status, body.to_owned());
    }
}

fn owners_card() -> Value {
    json!({
        "name": "Somebody else", "description": "Maps.", "version": "4.2.0",
        "provider": { "organization": "Scouts", "url": "https://scout.example.com" },
        "supportedInterfaces": [{
            "url": "https://scout.example.com/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0",
        }],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["image/png"],
        "skills": [{ "id": "maps", "name": "Maps", "description": "Draws them.", "tags": ["maps"] }],
        "securitySchemes": { "key": { "apiKeySecurityScheme": { "location": "header", "name": "X-Scout" } } },
    })
}

async fn create(owner: &Person<'_>, profile: Value) -> String {
    let agent = owner.post("/v1/me/agents", profile).await.expect(201);
    agent["agent_id"].as_str().unwrap().to_owned()
}

async fn publish(owner: &Person<'_>, agent_id: &str) -> Answer {
    owner.post(&format!("/v1/me/agents/{agent_id}/publish"), json!({})).await
}

async fn scout(owner: &Person<'_>) -> String {
    let profile = json!({ "name": "Scout", "description": "Draws maps.", "skills": ["Maps"] });
    let agent_id = create(owner, profile).await;
    publish(owner, &agent_id).await.expect(200);
    agent_id
}

async fn card(server: &Server, agent_id: &str) -> Value {
    server.get(&format!("/v1/agents/{agent_id}/card")).await.expect(200)
}

/// Checks a card as a stranger does: with the published keys, and with nothing of the service's own.
async fn assert_signed(server: &Server, card: &Value) {
    let [signature] = card["signatures"].as_array().unwrap().as_slice() else {
        panic!("one signature")
    };
    let protected = signature["protected"].as_str().unwrap();
    let header: Value = serde_json::from_slice(&BASE64.decode(protected).unwrap()).unwrap();
    let jku = format!("{}/api/auth/jwks", server.public_url());
    assert_eq!((&header["alg"], &header["typ"]), (&json!("ES256"), &json!("JOSE")));
    assert_eq!(header["jku"], jku);
    let keys = server.get("/api/auth/jwks").await.expect(200);
    let keys = keys["keys"].as_array().unwrap();
    let key = keys.iter().find(|key| key["kid"] == header["kid"]).expect("the key is published");
    let number = |name: &str| BASE64.decode(key[name].as_str().unwrap()).unwrap();
    let point = [vec![4], number("x"), number("y")].concat();
    let mut unsigned = card.clone();
    unsigned.as_object_mut().unwrap().remove("signatures");
    let verify = |document: &Value| {
        let message = format!("{protected}.{}", BASE64.encode(canonical_json(document)));
        let bytes = BASE64.decode(signature["signature"].as_str().unwrap()).unwrap();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &point).verify(message.as_bytes(), &bytes)
    };
    verify(&unsigned).expect("the service's signature");
    unsigned["name"] = json!("Mallory");
    verify(&unsigned).expect_err("a signature is for one card");
}

/// "A2A agent card at `/v1/agents/{agent_id}/card` … name, description, version, provider, skills, interfaces (this
/// service's MCP and REST …), security schemes"
async fn a_published_agent_has_a_card(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = scout(&ada).await;
    let profile = server.get(&format!("/v1/agents/{agent_id}")).await.expect(200);
    let base = server.public_url();
    assert_eq!(profile["card_url"], format!("{base}/v1/agents/{agent_id}/card"));
    let card = card(&server, &agent_id).await;
    assert_eq!((&card["name"], &card["description"]), (&json!("Scout"), &json!("Draws maps.")));
    assert_eq!(card["version"], "1");
    assert_eq!(card["provider"], json!({ "organization": "Guildhall", "url": base }));
    let urls: Vec<_> = card["supportedInterfaces"].as_array().unwrap().iter().collect();
    assert_eq!(
        (&urls[0]["url"], &urls[1]["url"]),
        (&json!(format!("{base}/mcp")), &json!(format!("{base}/v1")))
    );
    for interface in urls {
        let binding = interface["protocolBinding"].as_str().unwrap();
        assert!(!["JSONRPC", "GRPC", "HTTP+JSON"].contains(&binding), "A2A is not spoken here");
    }
    assert_eq!(card["skills"][0]["id"], "maps");
    let key = &card["securitySchemes"]["apiKey"]["apiKeySecurityScheme"];
    assert_eq!((&key["location"], &key["name"]), (&json!("header"), &json!("X-Api-Key")));
    assert!(
        !card.to_string().contains(&ada.account_id),
        "whose it is, is not everybody's business"
    );
}

/// "A2A agent card JSON of a published agent": any other is not there.
async fn only_published_agents_have_cards(server: Server) {
    let ada = server.person("ada").await;
    let hidden = ada.create_agent("Hidden").await;
    let shown = scout(&ada).await;
    for agent_id in [hidden.as_str(), "agent_00000000000000000000000000000000", "nobody"] {
        let path = format!("/v1/agents/{agent_id}/card");
        server.get(&path).await.refused(404, "not_found");
        ada.get(&path).await.refused(404, "not_found");
    }
    ada.post(&format!("/v1/me/agents/{shown}/unpublish"), json!({})).await.expect(200);
    server.get(&format!("/v1/agents/{shown}/card")).await.refused(404, "not_found");
}

/// "JWS-signed with the service key": over the canonical card, named by `kid` and `jku`.
async fn a_card_is_signed_by_the_service(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = scout(&ada).await;
    assert_signed(&server, &card(&server, &agent_id).await).await;
    let bare = create(&ada, json!({ "name": "Bare \u{e9}\u{20ac}\u{1f600} \"quoted\" \\" })).await;
    publish(&ada, &bare).await.expect(200);
    assert_signed(&server, &card(&server, &bare).await).await;
}

/// "ETag/If-None-Match on cards", "Cache-Control: public": one card has one signature, until it says something else.
async fn a_card_stays_as_it_was_signed(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = scout(&ada).await;
    let path = format!("/v1/agents/{agent_id}/card");
    let first = server.get(&path).await;
    assert_eq!(first.header("cache-control"), Some("public, max-age=60"));
    let tag = first.header("etag").expect("a tag").to_owned();
    let own = format!("/v1/me/agents/{agent_id}");
    ada.post(&format!("{own}/pause"), json!({})).await.expect(200);
    publish(&ada, &agent_id).await.expect(200);
    assert_eq!(server.get(&path).await.text, first.text, "nothing that the card says has changed");
    let kept = send(server.request("GET", &path).header("if-none-match", &tag)).await;
    assert_eq!((kept.status, kept.header("cache-control")), (304, Some("public, max-age=60")));
    ada.send("PATCH", &own, json!({ "skills": ["Law", "Maps"] })).await.expect(200);
    let changed = card(&server, &agent_id).await;
    assert_eq!((&changed["version"], &changed["skills"][0]["id"]), (&json!("2"), &json!("law")));
    assert_signed(&server, &changed).await;
    assert_eq!(card(&server, &agent_id).await, changed);
}

/// "Old signing keys stay published": what they signed can be checked for good.
async fn a_card_outlives_the_rotation_of_keys(server: Server) {
    let ada = server.person("ada").await;
    let agent_id = scout(&ada).await;
    let before = card(&server, &agent_id).await;
    for _ in 0..3 {
        server.identity.rotate_keys().await.unwrap();
    }
    let after = card(&server, &agent_id).await;
    assert_eq!(after, before);
    assert_signed(&server, &after).await;
    let own = format!("/v1/me/agents/{agent_id}");
    ada.refreshed().await.send("PATCH", &own, json!({ "name": "Ranger" })).await.expect(200);
    let renewed = card(&server, &agent_id).await;
    assert_ne!(renewed["signatures"][0]["protected"], before["signatures"][0]["protected"]);
    assert_signed(&server, &renewed).await;
}

/// "The service's own card is at `/.well-known/agent-card.json`."
async fn the_service_has_a_card(server: Server) {
    let path = "/.well-known/agent-card.json";
    let first = server.get(path).await;
    assert_eq!(first.header("content-type"), Some("application/json"));
    assert_eq!(first.header("cache-control"), Some("public, max-age=60"));
    assert!(first.header("x-limit-remaining").is_some());
    let tag = first.header("etag").expect("a tag").to_owned();
    let kept = send(server.request("GET", path).header("if-none-match", tag)).await;
    assert_eq!((kept.status, kept.text.as_str()), (304, ""));
    assert_eq!(server.get(path).await.text, first.text);
    let card = first.expect(200);
    assert_eq!((&card["name"], &card["version"]), (&json!("Guildhall"), &json!("2026-11-01")));
    assert_signed(&server, &card).await;
    let wrong = send(server.request("POST", path)).await;
    assert_eq!(wrong.status, 405);
}

/// "or the agent's own A2A endpoint when its owner gave one": with its schemes, never with the service's.
async fn an_owners_own_card_is_read_when_it_is_published(server: Server) {
    let ada = server.person("ada").await;
    let host = Host::start(&owners_card()).await;
    let profile = json!({ "name": "Scout", "skills": ["Law"], "card_source_url": host.url });
    let agent_id = create(&ada, profile).await;
    publish(&ada, &agent_id).await.expect(200);
    let first = card(&server, &agent_id).await;
    assert_eq!(first["supportedInterfaces"], owners_card()["supportedInterfaces"]);
    assert_eq!(first["securitySchemes"], owners_card()["securitySchemes"]);
    assert_eq!(
        (&first["version"], &first["capabilities"]["streaming"]),
        (&json!("4.2.0"), &json!(true))
    );
    assert_eq!((&first["name"], &first["skills"][0]["name"]), (&json!("Scout"), &json!("Law")));
    assert_eq!(first["provider"]["organization"], "Guildhall", "who vouches for it");
    assert_signed(&server, &first).await;
    let mut newer = owners_card();
    newer["version"] = json!("5.0.0");
    host.show(StatusCode::OK, &newer.to_string());
    assert_eq!(card(&server, &agent_id).await, first, "it is read at publishing alone");
    let own = format!("/v1/me/agents/{agent_id}");
    ada.send("PATCH", &own, json!({ "name": "Ranger" })).await.expect(200);
    assert_eq!(card(&server, &agent_id).await["version"], "4.2.0");
    publish(&ada, &agent_id).await.expect(200);
    let second = card(&server, &agent_id).await;
    assert_eq!((&second["version"], &second["name"]), (&json!("5.0.0"), &json!("Ranger")));
    assert_signed(&server, &second).await;
}

/// What was not read is not vouched for.
async fn an_owners_card_at_another_address_is_not_used_unread(server: Server) {
    let ada = server.person("ada").await;
    let host = Host::start(&owners_card()).await;
    let agent_id = create(&ada, json!({ "name": "Scout", "card_source_url": host.url })).await;
    publish(&ada, &agent_id).await.expect(200);
    let own = format!("/v1/me/agents/{agent_id}");
    let elsewhere = format!("{}?other", host.url);
    for url in [json!(elsewhere), Value::Null] {
        ada.send("PATCH", &own, json!({ "card_source_url": url })).await.expect(200);
        let shown = card(&server, &agent_id).await;
        let mcp = format!("{}/mcp", server.public_url());
        assert_eq!(shown["supportedInterfaces"][0]["url"], mcp);
        assert_signed(&server, &shown).await;
    }
    ada.send("PATCH", &own, json!({ "card_source_url": host.url })).await.expect(200);
    publish(&ada, &agent_id).await.expect(200);
    assert_eq!(card(&server, &agent_id).await["version"], "4.2.0");
}

/// "publish checks that the card can be built …: `agent_card_unavailable`", and nothing has changed then; the same request
/// succeeds once the card is there.
async fn what_is_no_card_cannot_be_published(server: Server) {
    let ada = server.person("ada").await;
    let host = Host::start(&owners_card()).await;
    let agent_id = create(&ada, json!({ "name": "Scout", "card_source_url": host.url })).await;
    let (path, key) = (format!("/v1/me/agents/{agent_id}/publish"), unique("key"));
    let mut without = owners_card();
    without.as_object_mut().unwrap().remove("skills");
    let mut large = owners_card();
    large["filler"] = json!("x".repeat(64 << 10));
    for (status, body, why) in [
        (StatusCode::NOT_FOUND, owners_card().to_string(), "the host answered with status 404"),
        (StatusCode::FOUND, owners_card().to_string(), "the host answered with status 302"),
        (StatusCode::OK, "<html>secret".to_owned(), "it is not a JSON object"),
        (StatusCode::OK, without.to_string(), "its `skills` is missing"),
        (StatusCode::OK, large.to_string(), "the answer is too large"),
        (StatusCode::REQUEST_TIMEOUT, String::new(), "took too long"),
    ] {
        host.show(status, &body);
        let refused = ada.post_with_key(&key, &path, json!({})).await;
        let reason = refused.refused(503, "agent_card_unavailable");
        assert!(reason.contains(why) && !reason.contains("secret"), "{reason}");
        assert_eq!(refused.header("retry-after"), Some("5"));
        server.get(&format!("/v1/agents/{agent_id}")).await.refused(404, "not_found");
    }
    host.show(StatusCode::OK, &owners_card().to_string());
    ada.post_with_key(&key, &path, json!({})).await.expect(200);
    assert_signed(&server, &card(&server, &agent_id).await).await;
}

/// "SSRF through metadata … and for agent `card_url`": neither the card nor what it names is anywhere but in public.
async fn the_service_is_not_sent_to_where_only_it_can_go(server: Server) {
    let ada = server.person("ada").await;
    for url in [
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:127.0.0.1]/card",
        "https://10.0.0.1/card",
        "https://metadata.google.internal/card",
        "https://scout.example.com/card#part",
        "http://scout.example.com/card",
    ] {
        let profile = json!({ "name": "Scout", "card_source_url": url });
        let reason = ada.post("/v1/me/agents", profile).await.refused(400, "invalid_request");
        assert!(reason.starts_with("card_source_url: "), "{url}: {reason}");
    }
    let mut card = owners_card();
    card["supportedInterfaces"][0]["url"] = json!("https://10.0.0.1/a2a");
    let host = Host::start(&card).await;
    let agent_id = create(&ada, json!({ "name": "Scout", "card_source_url": host.url })).await;
    let reason = publish(&ada, &agent_id).await.refused(503, "agent_card_unavailable");
    assert!(reason.contains("public host"), "{reason}");
}

/// "an external agent may give `card_source_url`": one that the service runs may not.
async fn a_hosted_agent_has_no_card_of_its_own(server: Server) {
    let ada = server.person("ada").await;
    let url = "https://scout.example.com/card.json";
    let profile = json!({ "name": "Scout", "hosted": true, "card_source_url": url });
    let reason = ada.post("/v1/me/agents", profile).await.refused(400, "invalid_request");
    assert!(reason.starts_with("card_source_url: "), "{reason}");
    let hosted = create(&ada, json!({ "name": "Scout", "hosted": true })).await;
    let own = format!("/v1/me/agents/{hosted}");
    let change = ada.send("PATCH", &own, json!({ "card_source_url": url })).await;
    change.refused(400, "invalid_request");
    publish(&ada, &hosted).await.expect(200);
    assert_signed(&server, &card(&server, &hosted).await).await;
}
