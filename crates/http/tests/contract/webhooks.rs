//! Webhooks: what happened, posted to where the account wants it.

use std::time::Duration;

use aws_lc_rs::hmac;
use base64::Engine;
use base64::prelude::BASE64_STANDARD as BASE64;
use guildhall_core::NotificationId;
use guildhall_store::tables::feed::FeedItem;
use serde_json::{Value, json};
use testkit::{Agent, Person, Received, Receiver, Server, on_both_engines};

use crate::connections::{assert_id, time};

on_both_engines!(
    a_webhook_is_made_listed_and_deleted,
    an_event_is_posted_and_signed,
    events_of_the_account_are_posted_too,
    a_webhook_is_told_what_it_asked_for,
    what_fails_is_tried_again,
    what_fails_for_three_days_is_given_up,
    an_endpoint_that_is_gone_is_told_no_more,
    a_delivery_is_replayed_under_its_id,
    both_secrets_sign_for_a_day,
    a_sender_that_dies_is_replaced,
    places_within_are_refused,
    kinds_are_words,
    an_account_has_a_few_webhooks,
    webhooks_of_others_are_not_found,
    an_event_that_was_undone_is_not_sent,
    deliveries_are_listed_newest_first,
    old_deliveries_are_forgotten,
);

const WEBHOOKS: &str = "/v1/me/webhooks";

fn one(webhook: &Value) -> String {
    format!("{WEBHOOKS}/{}", webhook["webhook_id"].as_str().unwrap())
}

async fn make(person: &Person<'_>, endpoint: &Receiver) -> Value {
    person.post(WEBHOOKS, json!({ "url": endpoint.url })).await.expect(201)
}

/// Makes something happen to the agent: its feed gets `grant.changed`.
async fn happen(person: &Person<'_>, agent: &Agent<'_>) {
    let grant = format!("/v1/connections/{}/grant", agent.connection_id);
    let scopes = json!({ "scopes": ["read", "worker"] });
    person.send("PATCH", &grant, scopes).await.expect(200);
}

async fn deliveries(person: &Person<'_>, webhook: &Value) -> Vec<Value> {
    let mut page = person.get(&format!("{}/deliveries", one(webhook))).await.expect(200);
    serde_json::from_value(page["data"].take()).unwrap()
}

/// Whether one of the signatures is what the secret gives, as a endpoint checks it.
fn is_signed(received: &Received, secret: &Value) -> bool {
    let key = secret.as_str().unwrap().strip_prefix("whsec_").unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &BASE64.decode(key).unwrap());
    let (id, at) = (received.header("webhook-id"), received.header("webhook-timestamp"));
    let signed = format!("{id}.{at}.{}", received.body);
    received.header("webhook-signature").split(' ').any(|signature| {
        let tag = BASE64.decode(signature.strip_prefix("v1,").unwrap()).unwrap();
        hmac::verify(&key, signed.as_bytes(), &tag).is_ok()
    })
}

/// "createWebhook / listWebhooks / deleteWebhook"; the secret is shown once.
async fn a_webhook_is_made_listed_and_deleted(server: Server) {
    let ada = server.person("ada").await;
    let ask = json!({ "url": "https://example.com/hook?a=b", "kinds": ["grant.changed"] });
    let webhook = ada.post(WEBHOOKS, ask).await.expect(201);
    assert_id(&webhook["webhook_id"], "whk_");
    assert_eq!(webhook["url"], "https://example.com/hook?a=b");
    assert_eq!(
        (&webhook["kinds"], &webhook["status"]),
        (&json!(["grant.changed"]), &json!("active"))
    );
    let secret = webhook["secret"].as_str().unwrap().strip_prefix("whsec_").unwrap();
    assert_eq!(BASE64.decode(secret).unwrap().len(), 32);
    let listed = ada.get(WEBHOOKS).await.expect(200);
    let mut without = webhook.clone();
    without.as_object_mut().unwrap().remove("secret");
    assert_eq!(listed["data"], json!([without]));
    ada.send("DELETE", &one(&webhook), json!({})).await.expect(200);
    assert_eq!(ada.get(WEBHOOKS).await.expect(200)["data"], json!([]));
    ada.send("DELETE", &one(&webhook), json!({})).await.refused(404, "not_found");
    ada.get(&format!("{}/deliveries", one(&webhook))).await.refused(404, "not_found");
}

/// "Standard Webhooks signatures", "the same log that feeds notifications".
async fn an_event_is_posted_and_signed(server: Server) {
    let (ada, endpoint) = (server.person("ada").await, Receiver::start().await);
    let agent = ada.agent("scout").await;
    let webhook = make(&ada, &endpoint).await;
    assert_eq!(server.send_webhooks().await, 0, "nothing has happened");
    happen(&ada, &agent).await;
    assert_eq!(server.send_webhooks().await, 1);
    let [received] = endpoint.take().try_into().unwrap();
    assert!(received.head.starts_with("POST /hook HTTP/1.1\r\n"), "{}", received.head);
    assert_eq!(received.header("content-type"), "application/json");
    assert!(is_signed(&received, &webhook["secret"]));
    let at: i64 = received.header("webhook-timestamp").parse().unwrap();
    assert!((server.clock.now().millis() / 1_000 - at).abs() < 60, "{at}");
    let feed = agent.get("/v1/notifications?limit=1").await.expect(200);
    let notification = &feed["data"][0];
    let sent: Value = serde_json::from_str(&received.body).unwrap();
    let expected = json!({
        "type": "grant.changed", "timestamp": notification["created_at"], "data": notification,
    });
    assert_eq!(sent, expected);
    assert_eq!(received.header("webhook-id"), notification["id"]);
    let [delivery] = deliveries(&ada, &webhook).await.try_into().unwrap();
    assert_eq!(delivery["delivery_id"], notification["id"]);
    assert_eq!(
        (&delivery["kind"], &delivery["status"]),
        (&json!("grant.changed"), &json!("delivered"))
    );
    assert_eq!((&delivery["attempts"], &delivery["last_status"]), (&json!(1), &json!(200)));
    assert!(delivery.get("next_attempt_at").is_none() && delivery.get("last_error").is_none());
    assert_eq!(server.send_webhooks().await, 0, "once is enough");
}

/// An event that concerns the account is in its activity, by nobody, and on its way to its webhooks.
async fn events_of_the_account_are_posted_too(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (endpoint, foreign) = (Receiver::start().await, Receiver::start().await);
    make(&ada, &endpoint).await;
    make(&bob, &foreign).await;
    let now = server.clock.now();
    let task = format!("task_{}", "0".repeat(32));
    let item = FeedItem {
        seq: 0,
        item_id: NotificationId::new(now, 0, 7),
        kind: "delivery.received".to_owned(),
        agent_id: None,
        task_id: Some(task.clone()),
        subject: Some(("task".to_owned(), task.clone())),
        data: json!({ "actor": "somebody", "version": 2 }),
        created_at: now,
    };
    let feed = ada.account_id.clone();
    let told: Result<(), guildhall_store::Error> = server
        .service
        .db()
        .write("test_tell", move |tx| {
            tx.append_to_feed(&feed, &item)?;
            tx.queue_webhook_deliveries(&feed, &item)
        })
        .await;
    told.unwrap();
    let activity = ada.get("/v1/me/activity?limit=1").await.expect(200);
    let entry = &activity["data"][0];
    assert_eq!((&entry["operation"], &entry["actor"]), (&json!("delivery.received"), &Value::Null));
    assert_eq!((&entry["task_id"], &entry["data"]["version"]), (&json!(task), &json!(2)));
    assert_eq!(server.send_webhooks().await, 1);
    let [received] = endpoint.take().try_into().unwrap();
    let sent: Value = serde_json::from_str(&received.body).unwrap();
    assert_eq!(
        (&sent["type"], &sent["data"]["task_id"]),
        (&json!("delivery.received"), &json!(task))
    );
    assert!(foreign.take().is_empty());
}

/// "Filter: optional `kinds` list".
async fn a_webhook_is_told_what_it_asked_for(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let (all, grants, pauses) =
        (Receiver::start().await, Receiver::start().await, Receiver::start().await);
    make(&ada, &all).await;
    for (endpoint, kinds) in [
        (&grants, json!(["grant.changed", "policy.bound"])),
        (&pauses, json!(["agent.pause", "paused"])),
    ] {
        let ask = json!({ "url": endpoint.url, "kinds": kinds });
        ada.post(WEBHOOKS, ask).await.expect(201);
    }
    happen(&ada, &agent).await;
    ada.post(&format!("/v1/me/agents/{}/pause", agent.agent_id), json!({})).await.expect(200);
    while server.send_webhooks().await > 0 {}
    assert_eq!(grants.take().len(), 1);
    assert_eq!(pauses.take().len(), 0, "a part of a kind is another kind");
    let mut kinds: Vec<String> = Vec::new();
    for received in all.take() {
        let sent: Value = serde_json::from_str(&received.body).unwrap();
        kinds.push(sent["type"].as_str().unwrap().to_owned());
    }
    kinds.sort_unstable();
    assert_eq!(kinds, ["agent.paused", "grant.changed"]);
}

/// "retries with backoff": the same event under the same id, signed anew.
async fn what_fails_is_tried_again(server: Server) {
    let (ada, endpoint) = (server.person("ada").await, Receiver::start().await);
    let agent = ada.agent("scout").await;
    let webhook = make(&ada, &endpoint).await;
    endpoint.answer_with(&[500, 302]);
    happen(&ada, &agent).await;
    assert_eq!(server.send_webhooks().await, 1);
    let [delivery] = deliveries(&ada, &webhook).await.try_into().unwrap();
    assert_eq!((&delivery["status"], &delivery["last_status"]), (&json!("pending"), &json!(500)));
    let pause = time(&delivery["next_attempt_at"]).since(time(&delivery["last_attempt_at"]));
    assert_eq!(pause, Duration::from_secs(5));
    assert!(ada.get(WEBHOOKS).await.expect(200)["data"][0]["failing_since"].is_string());
    assert_eq!(server.send_webhooks().await, 0, "not before its time");
    server.advance(Duration::from_secs(5)).await;
    assert_eq!(server.send_webhooks().await, 1);
    server.advance(Duration::from_secs(60)).await;
    assert_eq!(server.send_webhooks().await, 1);
    let received = endpoint.take();
    assert_eq!(received.len(), 3);
    for attempt in &received {
        assert_eq!(attempt.header("webhook-id"), received[0].header("webhook-id"));
        assert_eq!(attempt.body, received[0].body);
        assert!(is_signed(attempt, &webhook["secret"]));
    }
    assert_ne!(received[0].header("webhook-timestamp"), received[2].header("webhook-timestamp"));
    let [delivery] = deliveries(&ada, &webhook).await.try_into().unwrap();
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("delivered"), &json!(3)));
    let listed = ada.get(WEBHOOKS).await.expect(200);
    assert!(listed["data"][0].get("failing_since").is_none(), "{listed}");
}

/// "endpoint disabled after 3 days of failures only".
async fn what_fails_for_three_days_is_given_up(server: Server) {
    let mut ada = server.person("ada").await;
    let agent = ada.agent("scout").await;
    let endpoint = Receiver::start().await;
    let webhook = make(&ada, &endpoint).await;
    drop(endpoint);
    happen(&ada, &agent).await;
    let mut attempts = 0;
    loop {
        attempts += server.send_webhooks().await;
        let [delivery] = deliveries(&ada, &webhook).await.try_into().unwrap();
        if delivery["status"] == "failed" {
            assert_eq!(delivery["last_error"], "no connection to the host");
            break;
        }
        let next = time(&delivery["next_attempt_at"]);
        server.advance(next.since(server.clock.now()) + Duration::from_millis(1)).await;
        // The token of a session is shorter-lived than an endpoint's patience.
        ada = sign_in_again(&server, &ada).await;
    }
    assert_eq!(attempts, 11);
    assert_eq!(ada.get(WEBHOOKS).await.expect(200)["data"][0]["status"], "active");
    server.advance(Duration::from_secs(3_600)).await;
    let ada = sign_in_again(&server, &ada).await;
    happen(&ada, &agent).await;
    happen(&ada, &agent).await;
    server.send_webhooks().await;
    let disabled = &ada.get(WEBHOOKS).await.expect(200)["data"][0];
    assert_eq!(disabled["status"], "disabled");
    let left = deliveries(&ada, &webhook).await;
    assert!(left.iter().all(|delivery| delivery["status"] == "failed"), "{left:?}");
    happen(&ada, &agent).await;
    assert_eq!(deliveries(&ada, &webhook).await.len(), 3, "nothing more is queued");
    let replay =
        format!("{}/deliveries/{}/replay", one(&webhook), left[0]["delivery_id"].as_str().unwrap());
    ada.post(&replay, json!({})).await.refused(409, "conflict");
}

async fn sign_in_again<'s>(server: &'s Server, person: &Person<'_>) -> Person<'s> {
    let ask = json!({ "email": person.email, "password": testkit::PASSWORD });
    let answer = testkit::send(server.request("POST", "/api/auth/sign-in/email").json(&ask)).await;
    let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let token = testkit::send(server.request("GET", "/api/auth/token").header("cookie", &cookie));
    let token = token.await.expect(200)["token"].as_str().unwrap().to_owned();
    let (account_id, email) = (person.account_id.clone(), person.email.clone());
    Person { server, account_id, email, token, cookie }
}

/// "410 from the endpoint disables it".
async fn an_endpoint_that_is_gone_is_told_no_more(server: Server) {
    let (ada, endpoint) = (server.person("ada").await, Receiver::start().await);
    let agent = ada.agent("scout").await;
    let webhook = make(&ada, &endpoint).await;
    endpoint.answer_with(&[410]);
    happen(&ada, &agent).await;
    assert_eq!(server.send_webhooks().await, 1);
    let listed = ada.get(WEBHOOKS).await.expect(200);
    assert_eq!(listed["data"][0]["status"], "disabled");
    assert!(listed["data"][0]["disabled_at"].is_string());
    assert_eq!(deliveries(&ada, &webhook).await[0]["status"], "failed");
    happen(&ada, &agent).await;
    server.advance(Duration::from_secs(3_600)).await;
    assert_eq!(server.send_webhooks().await, 0);
    assert_eq!(endpoint.take().len(), 1);
}

/// "replayWebhookDelivery", and "stable webhook-id".
async fn a_delivery_is_replayed_under_its_id(server: Server) {
    let (ada, endpoint) = (server.person("ada").await, Receiver::start().await);
    let agent = ada.agent("scout").await;
    let webhook = make(&ada, &endpoint).await;
    happen(&ada, &agent).await;
    server.send_webhooks().await;
    let id = deliveries(&ada, &webhook).await[0]["delivery_id"].as_str().unwrap().to_owned();
    let path = format!("{}/deliveries/{id}/replay", one(&webhook));
    let replayed = ada.post(&path, json!({})).await.expect(200);
    assert_eq!((&replayed["status"], &replayed["attempts"]), (&json!("pending"), &json!(0)));
    assert_eq!(server.send_webhooks().await, 1);
    let received = endpoint.take();
    assert_eq!(received.len(), 2);
    assert!(received.iter().all(|attempt| attempt.header("webhook-id") == id));
    assert_eq!(deliveries(&ada, &webhook).await[0]["status"], "delivered");
    let absent = format!("{}/deliveries/ntf_{}/replay", one(&webhook), "0".repeat(32));
    ada.post(&absent, json!({})).await.refused(404, "not_found");
}

/// "during 24 h after a rotation both secrets sign, space separated".
async fn both_secrets_sign_for_a_day(server: Server) {
    let (ada, endpoint) = (server.person("ada").await, Receiver::start().await);
    let agent = ada.agent("scout").await;
    let webhook = make(&ada, &endpoint).await;
    let rotated = ada.post(&format!("{}/rotate", one(&webhook)), json!({})).await.expect(200);
    assert_ne!(rotated["secret"], webhook["secret"]);
    happen(&ada, &agent).await;
    server.send_webhooks().await;
    let [received] = endpoint.take().try_into().unwrap();
    assert_eq!(received.header("webhook-signature").split(' ').count(), 2);
    assert!(is_signed(&received, &webhook["secret"]) && is_signed(&received, &rotated["secret"]));
    server.advance(Duration::from_secs(24 * 3_600)).await;
    let ada = sign_in_again(&server, &ada).await;
    happen(&ada, &agent).await;
    server.send_webhooks().await;
    let [received] = endpoint.take().try_into().unwrap();
    assert_eq!(received.header("webhook-signature").split(' ').count(), 1);
    assert!(is_signed(&received, &rotated["secret"]) && !is_signed(&received, &webhook["secret"]));
}

/// "a crash re-sends: at-least-once".
async fn a_sender_that_dies_is_replaced(server: Server) {
    let (ada, endpoint) = (server.person("ada").await, Receiver::start().await);
    let agent = ada.agent("scout").await;
    let webhook = make(&ada, &endpoint).await;
    happen(&ada, &agent).await;
    let [due] = server.service.due_webhooks(10).await.unwrap().try_into().unwrap();
    let service = std::sync::Arc::clone(&server.service);
    let (start, started) = tokio::sync::oneshot::channel();
    let start = std::sync::Mutex::new(Some(start));
    let dying = tokio::spawn(async move {
        let never = |_| {
            start.lock().unwrap().take().unwrap().send(()).unwrap();
            std::future::pending()
        };
        service.send_webhook(due, never).await
    });
    started.await.unwrap();
    dying.abort();
    assert_eq!(server.send_webhooks().await, 0, "somebody has it");
    server.advance(Duration::from_secs(60)).await;
    assert_eq!(server.send_webhooks().await, 1);
    assert_eq!(endpoint.take().len(), 1);
    let [delivery] = deliveries(&ada, &webhook).await.try_into().unwrap();
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("delivered"), &json!(2)));
}

/// "https only and SSRF-safe". (Servers under test may call their own loopback, and nothing else of the machine's.)
async fn places_within_are_refused(server: Server) {
    let ada = server.person("ada").await;
    for url in [
        "http://example.com/",
        "ftp://example.com/",
        "example.com",
        "https://",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://0xa9fea9fe/",
        "https://2852039166/",
        "https://0251.0376.0251.0376/",
        "https://[::ffff:10.0.0.1]/",
        "https://[fd00:ec2::254]/",
        "https://[64:ff9b::a00:1]/",
        "https://192.168.0.1:8443/",
        "https://user@example.com/",
        "https://example.com@10.0.0.1/",
        "https://metadata.google.internal/",
        "https://intranet/",
        "https://example.com/#a",
        "https://example.com./",
        "https://exam ple.com/",
        "",
    ] {
        let answer = ada.post(WEBHOOKS, json!({ "url": url })).await;
        assert_eq!(answer.status, 400, "{url}: {}", answer.text);
        let reason = answer.refused(400, "invalid_request");
        assert!(reason.starts_with("url: "), "{url}: {reason}");
    }
    assert_eq!(ada.get(WEBHOOKS).await.expect(200)["data"], json!([]));
}

async fn kinds_are_words(server: Server) {
    let ada = server.person("ada").await;
    for kinds in [
        json!([]),
        json!(["Grant.Changed"]),
        json!(["a b"]),
        json!(["a\"b"]),
        json!(["%"]),
        json!(["a", "a"]),
        json!([7]),
        json!("grant.changed"),
        json!([""]),
    ] {
        let ask = json!({ "url": "https://example.com/", "kinds": kinds });
        let reason = ada.post(WEBHOOKS, ask).await.refused(400, "invalid_request");
        assert!(reason.contains("kinds"), "{kinds}: {reason}");
    }
}

async fn an_account_has_a_few_webhooks(server: Server) {
    let ada = server.person("ada").await;
    let ask = json!({ "url": "https://example.com/" });
    for _ in 0..16 {
        ada.post(WEBHOOKS, ask.clone()).await.expect(201);
    }
    ada.post(WEBHOOKS, ask.clone()).await.refused(409, "conflict");
    let listed = ada.get(&format!("{WEBHOOKS}?limit=100")).await.expect(200);
    ada.send("DELETE", &one(&listed["data"][3]), json!({})).await.expect(200);
    ada.post(WEBHOOKS, ask).await.expect(201);
}

/// "A resource that the caller may not see is 404, never 403."
async fn webhooks_of_others_are_not_found(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let (agent, endpoint) = (ada.agent("scout").await, Receiver::start().await);
    let webhook = make(&ada, &endpoint).await;
    happen(&ada, &agent).await;
    let id = deliveries(&ada, &webhook).await[0]["delivery_id"].as_str().unwrap().to_owned();
    bob.get(&format!("{}/deliveries", one(&webhook))).await.refused(404, "not_found");
    bob.post(&format!("{}/rotate", one(&webhook)), json!({})).await.refused(404, "not_found");
    let replay = format!("{}/deliveries/{id}/replay", one(&webhook));
    bob.post(&replay, json!({})).await.refused(404, "not_found");
    bob.send("DELETE", &one(&webhook), json!({})).await.refused(404, "not_found");
    agent.get(WEBHOOKS).await.refused(403, "forbidden");
    let own = make(&bob, &endpoint).await;
    let mixed = format!("{}/deliveries/{id}/replay", one(&own));
    bob.post(&mixed, json!({})).await.refused(404, "not_found");
}

/// What is refused has not happened.
async fn an_event_that_was_undone_is_not_sent(server: Server) {
    let (ada, endpoint) = (server.person("ada").await, Receiver::start().await);
    let agent = ada.agent("scout").await;
    let webhook = make(&ada, &endpoint).await;
    let path = format!("/v1/connections/{}", agent.connection_id);
    ada.send("DELETE", &path, json!({})).await.expect(200);
    let grant = format!("{path}/grant");
    ada.send("PATCH", &grant, json!({ "scopes": ["read"] })).await.refused(409, "conflict");
    assert_eq!(deliveries(&ada, &webhook).await.len(), 1, "only the revocation happened");
    ada.send("DELETE", &one(&webhook), json!({})).await.expect(200);
    assert_eq!(server.send_webhooks().await, 0, "what was on its way went with the webhook");
}

/// "lists are newest first by id".
async fn deliveries_are_listed_newest_first(server: Server) {
    let (ada, endpoint) = (server.person("ada").await, Receiver::start().await);
    let agent = ada.agent("scout").await;
    let webhook = make(&ada, &endpoint).await;
    for _ in 0..3 {
        happen(&ada, &agent).await;
    }
    let feed = agent.get("/v1/notifications").await.expect(200);
    let mut ids: Vec<&Value> =
        feed["data"].as_array().unwrap().iter().map(|item| &item["id"]).collect();
    ids.reverse();
    let listed = deliveries(&ada, &webhook).await;
    assert_eq!(listed.iter().map(|delivery| &delivery["delivery_id"]).collect::<Vec<_>>(), ids);
    let path = format!("{}/deliveries?limit=2", one(&webhook));
    let first = ada.get(&path).await.expect(200);
    let cursor = first["next_page"].as_str().unwrap();
    let second = ada.get(&format!("{path}&cursor={cursor}")).await.expect(200);
    assert_eq!((&second["data"], &second["next_page"]), (&json!([listed[2]]), &Value::Null));
}

async fn old_deliveries_are_forgotten(server: Server) {
    let (ada, endpoint) = (server.person("ada").await, Receiver::start().await);
    let agent = ada.agent("scout").await;
    let webhook = make(&ada, &endpoint).await;
    happen(&ada, &agent).await;
    server.send_webhooks().await;
    server.advance(Duration::from_secs(29 * 24 * 3_600)).await;
    let ada = sign_in_again(&server, &ada).await;
    assert_eq!(deliveries(&ada, &webhook).await.len(), 1);
    server.advance(Duration::from_secs(2 * 24 * 3_600)).await;
    let ada = sign_in_again(&server, &ada).await;
    assert_eq!(deliveries(&ada, &webhook).await.len(), 0);
}
