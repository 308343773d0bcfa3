//! Passkeys that seal what is paid in credits, and confirm wallets.

use serde_json::{Value, json};
use testkit::{
    Agent, Authenticator, Person, Server, Wallet, on_both_engines, send, task, text, unique,
};

on_both_engines!(
    a_person_without_a_wallet_buys_with_a_passkey,
    nothing_but_a_passkey_of_the_account_seals,
    what_an_authenticator_says_is_checked,
    an_assertion_seals_its_own_action_alone,
    where_there_is_a_wallet_it_seals,
    one_of_the_two_is_sent_and_whole,
    the_actions_own_token_takes_a_passkey,
    the_last_passkey_stays_while_an_action_waits,
    a_passkey_confirms_a_wallet,
);

struct Buyer<'s> {
    person: Person<'s>,
    phone: Authenticator,
}

async fn buyer<'s>(server: &'s Server, name: &str) -> Buyer<'s> {
    let (person, mut phone) = (server.person(name).await, server.authenticator());
    server.grant_credits(&person, "100").await;
    person.register(&mut phone).await;
    Buyer { person, phone }
}

async fn worker(server: &Server) -> Agent<'_> {
    let worker = server.person("owner").await.agent("worker").await;
    worker.check_in().await;
    worker
}

impl Buyer<'_> {
    async fn prepared(&self) -> Value {
        self.person.post("/v1/tasks", task("50")).await.expect(201)
    }

    async fn sealed(&mut self, action: &Value) -> Value {
        self.person.seal_with(&mut self.phone, action).await.expect(200)
    }
}

fn path(action: &Value) -> String {
    format!("/v1/actions/{}/seal", text(&action["action_id"]))
}

/// "A person without a wallet may seal credit-rail actions with a registered passkey: the `WebAuthn` challenge is the action's
/// digest, user verification required."
async fn a_person_without_a_wallet_buys_with_a_passkey(server: Server) {
    let (mut buyer, worker) = (buyer(&server, "buyer").await, worker(&server).await);
    let action = buyer.prepared().await;
    assert_eq!(action["signer"], "passkey");
    let message = &action["payload"]["typed_data"]["message"];
    assert_eq!(message["signer"], "passkey");
    let sealed = buyer.sealed(&action).await;
    assert_eq!(sealed["status"], "confirmed");
    assert_eq!(sealed["result"]["task"]["status"], "open");
    let task_id = text(&action["task_id"]);
    let quote_id = worker.quote(&task_id, "40").await;
    let step = async |person: &Person<'_>, what: &str, body| {
        person.post(&format!("/v1/tasks/{task_id}/{what}"), body).await.expect(201)
    };
    let action = step(&buyer.person, "select", json!({ "quote_id": quote_id })).await;
    buyer.sealed(&action).await;
    let action = step(&buyer.person, "fund", json!({})).await;
    buyer.sealed(&action).await;
    let credits = buyer.person.get("/v1/credits").await.expect(200);
    assert_eq!(credits["available_micros"], "60000000");
    worker.accept_offer(&worker.newest_offer().await).await.expect(200);
    let delivery = worker.deliver(&task_id, "A page.").await.expect(201);
    let accept = format!("/v1/deliveries/{}/accept", text(&delivery["delivery_id"]));
    let digest = json!({ "digest": delivery["digest"] });
    let action = buyer.person.post(&accept, digest).await.expect(201);
    assert_eq!(buyer.sealed(&action).await["result"]["task"]["status"], "completed");
}

/// "`owner_mismatch`": a passkey of somebody else is not told apart from an unknown one.
async fn nothing_but_a_passkey_of_the_account_seals(server: Server) {
    let (ada, mut eve) = (buyer(&server, "ada").await, buyer(&server, "eve").await);
    let action = ada.prepared().await;
    let foreign = ada.person.seal_with(&mut eve.phone, &action).await;
    let unknown = ada.person.seal_with(&mut server.authenticator(), &action).await;
    foreign.refused(403, "owner_mismatch");
    assert_eq!(foreign.body["error"], unknown.body["error"]);
    ada.person.seal(&Wallet::unique(), &action).await.refused(403, "owner_mismatch");
    eve.person.seal_with(&mut eve.phone, &action).await.refused(404, "not_found");
    assert_eq!(ada.person.status(&text(&action["task_id"])).await, "draft");
}

/// "`signature_invalid`"; "user verification required; counters checked and saved"
async fn what_an_authenticator_says_is_checked(server: Server) {
    let lies: [(&str, fn(&mut Authenticator)); 5] = [
        ("another address", |phone| phone.origin = "https://evil.example".to_owned()),
        ("another service", |phone| phone.rp_id = "evil.example".to_owned()),
        ("verify its user", |phone| phone.verifies = false),
        ("page of another site", |phone| phone.framed = true),
        ("counter", |phone| phone.counter = 0),
    ];
    for (word, lie) in lies {
        let mut ada = buyer(&server, "ada").await;
        server.sign_in_with(&mut ada.phone).await.expect(200);
        let action = ada.prepared().await;
        lie(&mut ada.phone);
        let refused = ada.person.seal_with(&mut ada.phone, &action).await;
        assert!(refused.refused(400, "signature_invalid").contains(word), "{}", refused.text);
        assert_eq!(ada.person.status(&text(&action["task_id"])).await, "draft");
    }
    let mut ada = buyer(&server, "ada").await;
    let action = ada.prepared().await;
    let mut forged = ada.phone.seal(&action);
    forged["signature"] = server.authenticator().seal(&action)["signature"].clone();
    let refused = ada.person.post(&path(&action), json!({ "passkey": forged })).await;
    refused.refused(400, "signature_invalid");
    ada.phone.counter = 20;
    ada.sealed(&action).await;
    ada.phone.counter = 20;
    let next = ada.prepared().await;
    let refused = ada.person.seal_with(&mut ada.phone, &next).await;
    assert!(refused.refused(400, "signature_invalid").contains("counter"), "it was saved");
}

/// "verifies the signature over exactly the prepared payload"; "One action is sealed once."
async fn an_assertion_seals_its_own_action_alone(server: Server) {
    let mut ada = buyer(&server, "ada").await;
    let (one, other) = (ada.prepared().await, ada.prepared().await);
    let word = json!({ "passkey": ada.phone.seal(&one) });
    let refused = ada.person.post(&path(&other), word.clone()).await;
    assert!(refused.refused(400, "signature_invalid").contains("another challenge"));
    let (asked, key) = (ada.person.get("/v1/me").await.expect(200), unique("key"));
    assert_eq!(asked["account_id"], json!(ada.person.account_id));
    let first = ada.person.post_with_key(&key, &path(&one), word.clone()).await;
    let again = ada.person.post_with_key(&key, &path(&one), word.clone()).await;
    assert_eq!((first.status, &first.text), (200, &again.text));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    ada.person.post(&path(&one), word).await.refused(409, "action_already_sealed");
}

/// "A person without a wallet may seal … with a registered passkey": with one, the wallet that the payload names signs.
async fn where_there_is_a_wallet_it_seals(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    server.grant_credits(&ada, "100").await;
    ada.link_wallet(&wallet).await;
    let mut phone = server.authenticator();
    let options = ada.passkey_options().await;
    let signature = wallet.sign_message(&phone.confirmation_message(&options));
    let word = json!({ "confirmation": { "signer": wallet.address(), "signature": signature } });
    ada.add_passkey(&options, &mut phone, word).await.expect(200);
    let action = ada.post("/v1/tasks", task("50")).await.expect(201);
    assert_eq!(action["signer"], json!(wallet.address()));
    let refused = ada.seal_with(&mut phone, &action).await;
    assert!(refused.refused(403, "owner_mismatch").contains(&wallet.address().to_string()));
    ada.seal(&wallet, &action).await.expect(200);
}

/// "sealAction `{signature, signer}` or `{passkey}`"
async fn one_of_the_two_is_sent_and_whole(server: Server) {
    let mut ada = buyer(&server, "ada").await;
    let action = ada.prepared().await;
    let (wallet, word) = (Wallet::unique(), ada.phone.seal(&action));
    let signature = wallet.sign_typed_data(&json!(null_document()));
    let mut short = word.clone();
    short.as_object_mut().unwrap().remove("signature");
    let mut padded = word.clone();
    padded["signature"] = json!("AAA=");
    for body in [
        json!({}),
        json!({ "signature": signature }),
        json!({ "signer": wallet.address() }),
        json!({ "signature": signature, "signer": wallet.address(), "passkey": word }),
        json!({ "passkey": null }),
        json!({ "passkey": short }),
        json!({ "passkey": padded }),
    ] {
        ada.person.post(&path(&action), body).await.refused(400, "invalid_request");
    }
    ada.sealed(&action).await;
}

fn null_document() -> Value {
    json!({
        "types": { "EIP712Domain": [{ "name": "name", "type": "string" }], "X": [{ "name": "x", "type": "string" }] },
        "primaryType": "X", "domain": { "name": "x" }, "message": { "x": "x" },
    })
}

/// "S, or the action's own token (`Authorization: Action <token>`)"
async fn the_actions_own_token_takes_a_passkey(server: Server) {
    let mut ada = buyer(&server, "ada").await;
    let action = ada.prepared().await;
    let token = text(&action["signing_url"]).rsplit('#').next().unwrap().to_owned();
    let request = server
        .request("POST", &path(&action))
        .header("authorization", format!("Action {token}"))
        .header("idempotency-key", unique("key"));
    let word = json!({ "passkey": ada.phone.seal(&action) });
    send(request.json(&word)).await.expect(200);
}

/// "unlink refused (409) while an action … depends on it"
async fn the_last_passkey_stays_while_an_action_waits(server: Server) {
    let mut ada = buyer(&server, "ada").await;
    let mut second = server.authenticator();
    let options = ada.person.passkey_options().await;
    let more = json!({ "confirmation": ada.phone.confirm(&options, &second) });
    let added = ada.person.add_passkey(&options, &mut second, more).await.expect(200);
    let action = ada.prepared().await;
    let remove = async |passkey_id: &Value| {
        let path = format!("/api/auth/passkeys/{}", text(passkey_id));
        ada.person.on_page("DELETE", &path, &json!({})).await
    };
    remove(&added["passkey_id"]).await.expect(200);
    ada.person.seal_with(&mut second, &action).await.refused(403, "owner_mismatch");
    let listed = ada.person.on_page("GET", "/api/auth/passkeys", &json!({})).await.expect(200);
    let last = listed["data"][0]["passkey_id"].clone();
    remove(&last).await.refused(409, "conflict");
    let cancel = format!("/v1/actions/{}/cancel", text(&action["action_id"]));
    ada.person.post(&cancel, json!({})).await.expect(200);
    remove(&last).await.expect(200);
    ada.person.post("/v1/tasks", task("5")).await.refused(409, "wallet_not_linked");
}

/// "confirmation?: {signature, signer} or {passkey}: … a further one the confirmation by an existing one over the new address"
async fn a_passkey_confirms_a_wallet(server: Server) {
    let (mut ada, mut eve) = (buyer(&server, "ada").await, buyer(&server, "eve").await);
    let wallet = Wallet::unique();
    let challenge = ada.person.challenge(&wallet).await;
    let other = ada.person.challenge(&Wallet::unique()).await;
    let answer = wallet.answer(&challenge);
    ada.person.post("/v1/wallets", answer.clone()).await.refused(403, "forbidden");
    let mut unverified = || {
        ada.phone.verifies = false;
        let word = ada.phone.assert_hex(&challenge["confirmation_digest"]);
        ada.phone.verifies = true;
        word
    };
    let words = [
        unverified(),
        ada.phone.assert_hex(&other["confirmation_digest"]),
        eve.phone.assert_hex(&challenge["confirmation_digest"]),
    ];
    for word in words {
        let mut answer = answer.clone();
        answer["confirmation"] = json!({ "passkey": word });
        ada.person.post("/v1/wallets", answer).await.refused(403, "forbidden");
    }
    let mut answer = answer;
    let word = ada.phone.assert_hex(&challenge["confirmation_digest"]);
    answer["confirmation"] = json!({ "passkey": word });
    ada.person.post("/v1/wallets", answer).await.expect(201);
    let action = ada.prepared().await;
    assert_eq!(action["signer"], json!(wallet.address()), "a wallet comes first");
}
