//! Linking a wallet from another device: a link, and the code that the first device shows.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Answer, Person, Server, Wallet, on_both_engines, send, unique};

use crate::connections::{assert_id, time};
use crate::sign_in::all_at_once;

on_both_engines!(
    a_wallet_is_linked_from_another_device,
    without_the_code_there_is_no_link,
    a_link_is_good_once,
    a_link_is_good_for_ten_minutes,
    a_link_needs_a_fresh_session,
    a_link_does_not_do_without_the_confirmation,
    a_link_takes_the_wallets_own_signature_only,
);

const LINKS: &str = "/v1/wallets/links";

/// A link as the first device shows it.
struct Shown {
    path: String,
    code: String,
}

async fn open(person: &Person<'_>) -> Shown {
    let link = person.post(LINKS, json!({})).await.expect(201);
    let path = format!("{LINKS}/{}", link["link_id"].as_str().unwrap());
    Shown { path, code: link["code"].as_str().unwrap().to_owned() }
}

/// What the other device sends: without a credential.
async fn complete(server: &Server, path: &str, body: Value) -> Answer {
    let request = server.request("POST", path).header("idempotency-key", unique("key"));
    send(request.json(&body)).await
}

/// The body that answers a link, signed.
async fn signed(server: &Server, shown: &Shown, wallet: &Wallet) -> Value {
    let mut body = json!({ "code": shown.code, "address": wallet.address() });
    let asked = complete(server, &shown.path, body.clone()).await.expect(200);
    body["signature"] = json!(wallet.sign_message(asked["message"].as_str().unwrap()));
    body
}

/// "a one-time link to finish linking on another device"
async fn a_wallet_is_linked_from_another_device(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let link = ada.post(LINKS, json!({})).await.expect(201);
    assert_id(&link["link_id"], "lnk_");
    time(&link["expires_at"]);
    let path = format!("{LINKS}/{}", link["link_id"].as_str().unwrap());
    let mut body = json!({ "code": link["code"], "address": wallet.address() });
    let asked = complete(&server, &path, body.clone()).await.expect(200);
    let message = asked["message"].as_str().unwrap();
    assert!(message.contains(&ada.account_id), "{message}");
    assert!(message.contains(&wallet.address().to_string()), "{message}");
    let expected = json!({
        "link_id": link["link_id"], "status": "open", "expires_at": link["expires_at"],
        "message": message,
    });
    assert_eq!(asked, expected);
    assert_eq!(complete(&server, &path, body.clone()).await.expect(200), asked, "asking is free");
    body["signature"] = json!(wallet.sign_message(message));
    let linked = complete(&server, &path, body).await.expect(200);
    assert_eq!((&linked["status"], linked.get("message")), (&json!("linked"), None));
    let wallets = ada.get("/v1/wallets").await.expect(200);
    assert_eq!(wallets["data"], json!([linked["wallet"]]));
    assert_eq!(linked["wallet"]["address"], wallet.address().to_string());
    let done = ada.get("/v1/me/activity?limit=1").await.expect(200)["data"][0].clone();
    assert_eq!((&done["operation"], &done["actor"]), (&json!("completeWalletLink"), &Value::Null));
}

/// "Finishing a link on another device needs the code shown on the first."
async fn without_the_code_there_is_no_link(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let shown = open(&ada).await;
    let mut body = signed(&server, &shown, &wallet).await;
    let absent = format!("{LINKS}/lnk_{}", "0".repeat(32));
    let none = complete(&server, &absent, body.clone()).await;
    none.refused(404, "not_found");
    let other = open(&ada).await;
    for code in [other.code.as_str(), "00000-00000", &shown.code[1..]] {
        body["code"] = json!(code);
        let refused = complete(&server, &shown.path, body.clone()).await;
        assert_eq!((refused.status, &refused.text), (404, &none.text), "{code}");
    }
    body["code"] = json!(shown.code.to_lowercase().replace('-', " "));
    complete(&server, &shown.path, body).await.expect(200);
}

/// "`wallet_link_expired`: The link is too old or was used."
async fn a_link_is_good_once(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let shown = open(&ada).await;
    let body = signed(&server, &shown, &wallet).await;
    let request = || {
        let request = server.request("POST", &shown.path).json(&body);
        request.header("idempotency-key", unique("key"))
    };
    assert_eq!(all_at_once((0..4).map(|_| request())).await, [200, 409, 409, 409]);
    complete(&server, &shown.path, body.clone()).await.refused(409, "wallet_link_expired");
    let unsigned = json!({ "code": shown.code, "address": wallet.address() });
    complete(&server, &shown.path, unsigned).await.refused(409, "wallet_link_expired");
    let wallets = ada.get("/v1/wallets").await.expect(200);
    assert_eq!(wallets["data"].as_array().unwrap().len(), 1);
}

/// "wallet challenge 10 min"
async fn a_link_is_good_for_ten_minutes(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let shown = open(&ada).await;
    let body = signed(&server, &shown, &wallet).await;
    server.advance(Duration::from_mins(10)).await;
    complete(&server, &shown.path, body).await.refused(409, "wallet_link_expired");
    let wallets = ada.get("/v1/wallets").await.expect(200);
    assert_eq!(wallets["data"], json!([]));
}

/// "the first sealing factor needs a session under 10 minutes old": the other device has none, so that of the first counts.
async fn a_link_needs_a_fresh_session(server: Server) {
    let ada = server.person("ada").await;
    server.advance(Duration::from_mins(10)).await;
    ada.post(LINKS, json!({})).await.refused(403, "forbidden");
}

/// "a further one the confirmation by an existing one over the new address (403 `forbidden`)"
async fn a_link_does_not_do_without_the_confirmation(server: Server) {
    let (ada, first, second) = (server.person("ada").await, Wallet::unique(), Wallet::unique());
    let shown = open(&ada).await;
    ada.link_wallet(&first).await;
    let unsigned = json!({ "code": shown.code, "address": second.address() });
    let asked = complete(&server, &shown.path, unsigned).await.expect(200);
    let mut body = signed(&server, &shown, &second).await;
    complete(&server, &shown.path, body.clone()).await.refused(403, "forbidden");
    body["confirmation"] = second.confirm(&asked);
    complete(&server, &shown.path, body.clone()).await.refused(403, "forbidden");
    body["confirmation"] = first.confirm(&asked);
    complete(&server, &shown.path, body).await.expect(200);
}

/// "`wallet_signature_invalid`", "`wallet_in_use`", "`chain_verification_unavailable`", as for linkWallet.
async fn a_link_takes_the_wallets_own_signature_only(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let (wallet, other) = (Wallet::unique(), Wallet::unique());
    let shown = open(&ada).await;
    let body = signed(&server, &shown, &wallet).await;
    let with = |signature: Value| {
        let mut body = body.clone();
        body["signature"] = signature;
        body
    };
    let foreign = signed(&server, &shown, &other).await["signature"].clone();
    complete(&server, &shown.path, with(foreign)).await.refused(400, "wallet_signature_invalid");
    let longer = json!(format!("{}00", body["signature"].as_str().unwrap()));
    let refused = complete(&server, &shown.path, with(longer)).await;
    refused.refused(503, "chain_verification_unavailable");
    eve.link_wallet(&wallet).await;
    complete(&server, &shown.path, body).await.refused(409, "wallet_in_use");
}
