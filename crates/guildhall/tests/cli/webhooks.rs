//! The worker that posts events.

use serde_json::json;
use testkit::Receiver;

use crate::support::{Dev, client, send, sign_in};

/// "Sender: a worker in the binary", and "dev mode allows loopback http".
#[tokio::test]
async fn a_running_instance_posts_what_happens() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let (base, endpoint) = (dev.base_url(), Receiver::start().await);
    let owner = dev.ready["accounts"][1].clone();
    let text = |name: &str| owner[name].as_str().unwrap();
    let token = sign_in(&base, text("email"), text("password")).await;
    let post = async |path: &str, body: serde_json::Value| {
        let request = client().post(format!("{base}{path}")).bearer_auth(&token);
        send(request.header("idempotency-key", path).json(&body)).await
    };
    let ask = json!({ "url": endpoint.url });
    let webhook = post("/v1/me/webhooks", ask).await.expect(201);
    let agents = client().get(format!("{base}/v1/me/agents")).bearer_auth(&token);
    let agents = send(agents).await.expect(200);
    let agent = agents["data"][0]["agent_id"].as_str().unwrap();
    post(&format!("/v1/me/agents/{agent}/pause"), json!({})).await.expect(200);
    let [received] = endpoint.wait().await.try_into().unwrap();
    assert!(received.body.starts_with("{\"type\":\"agent.paused\","), "{}", received.body);
    assert!(received.body.contains(agent), "{}", received.body);
    let id = received.header("webhook-id").to_owned();
    let webhook = webhook["webhook_id"].as_str().unwrap();
    let replay = format!("/v1/me/webhooks/{webhook}/deliveries/{id}/replay");
    post(&replay, json!({})).await.expect(200);
    let [again] = endpoint.wait().await.try_into().unwrap();
    assert_eq!((again.header("webhook-id"), &again.body), (id.as_str(), &received.body));
    assert_eq!(dev.stop(), 0);
}
