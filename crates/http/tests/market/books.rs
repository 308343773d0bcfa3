//! What every story ends with.

use serde_json::{Value, json};
use testkit::{Market, Person, Server};

/// The balances of a person.
pub(crate) async fn credits(person: &Person<'_>) -> Value {
    person.get("/v1/credits").await.expect(200)
}

/// Asserts the balances of a person, in whole credits.
pub(crate) async fn assert_credits(person: &Person<'_>, available: i64, reserved: i64, held: i64) {
    let micros = |credits: i64| (credits * 1_000_000).to_string();
    let expected = json!({
        "available_micros": micros(available),
        "reserved_micros": micros(reserved),
        "held_micros": micros(held),
    });
    assert_eq!(credits(person).await, expected);
}

/// Asserts that the books balance, and that nothing of the market is left held or reserved.
pub(crate) async fn assert_closed(server: &Server, market: &Market<'_>) {
    server.verify_ledger().await;
    for person in [&market.buyer, &market.owner] {
        let credits = credits(person).await;
        assert_eq!(credits["reserved_micros"], json!("0"), "{credits}");
        assert_eq!(credits["held_micros"], json!("0"), "{credits}");
    }
    let policy = format!("/v1/spend-policies/{}", market.policy_id);
    let usage = market.buyer.get(&policy).await.expect(200)["usage"].clone();
    assert_eq!(usage["reserved_micros"], json!("0"), "{usage}");
    assert_eq!(usage["open_tasks"], json!(0), "{usage}");
    for command in commands(&market.buyer).await {
        let micros = |name: &str| command[name].as_str().unwrap().parse::<i64>().unwrap();
        assert_ne!(command["state"], json!("reserved"), "{command}");
        if command["state"] == json!("charged") || command["state"] == json!("released") {
            let settled = micros("charged_micros") + micros("released_micros");
            assert_eq!(settled, micros("reserved_micros"), "{command}");
        }
    }
}

/// The commands of an account, newest first.
pub(crate) async fn commands(person: &Person<'_>) -> Vec<Value> {
    let page = person.get("/v1/agent-buyer/commands?limit=100").await.expect(200);
    page["data"].as_array().unwrap().clone()
}
