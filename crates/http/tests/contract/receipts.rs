//! Receipts: signed, kept by both sides, checked by anybody, reviewed once.

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use guildhall_core::canonical::canonical_json;
use serde_json::{Value, json};
use testkit::{Agent, Answer, Person, Server, Work, on_both_engines, send};

use crate::connections::{assert_id, time};
use crate::sign_in::all_at_once;

on_both_engines!(
    a_receipt_has_the_shape_of_the_design,
    both_sides_list_their_receipts_newest_first,
    nobody_else_sees_a_receipt,
    a_receipt_verifies_offline_with_the_published_keys,
    anybody_can_ask_whether_a_receipt_is_good,
    what_is_no_receipt_of_this_service_is_unusable,
    the_buyer_reviews_once,
    of_many_reviews_at_once_one_counts,
);

/// Somebody with credits and an agent that buys, and somebody with an agent that works.
pub(crate) struct Pair<'s> {
    pub(crate) buyer: Person<'s>,
    pub(crate) buying: Agent<'s>,
    pub(crate) owner: Person<'s>,
    pub(crate) worker: Agent<'s>,
}

impl<'s> Pair<'s> {
    pub(crate) async fn new(server: &'s Server) -> Self {
        let (buyer, owner) = (server.person("ada").await, server.person("bob").await);
        server.grant_credits(&buyer, "100").await;
        let (buying, worker) = (buyer.agent("Buyer").await, owner.agent("Worker").await);
        Self { buyer, buying, owner, worker }
    }

    pub(crate) fn work<'a>(&'a self, credits: &'a str) -> Work<'a> {
        let Self { buyer, buying, owner, worker } = self;
        Work { buyer, buying_agent: Some(buying), owner, worker, credits }
    }

    /// Pays for work that the agent bought, and gives the receipt's id.
    pub(crate) async fn paid(&self, credits: &str) -> String {
        self.buyer.server.paid_work(self.work(credits)).await
    }

    /// Lets the buying agent spend.
    pub(crate) async fn bind(&self) {
        self.buyer.policy().await;
        let path = format!("/v1/connections/{}/spend-policy", self.buying.connection_id);
        self.buyer.post(&path, json!({})).await.expect(200);
    }
}

fn one(receipt_id: &str) -> String {
    format!("/v1/receipts/{receipt_id}")
}

fn ids(page: &Value) -> Vec<&str> {
    let data = page["data"].as_array().unwrap();
    data.iter().map(|receipt| receipt["receipt_id"].as_str().unwrap()).collect()
}

async fn verify(server: &Server, jws: &str) -> Answer {
    send(server.request("POST", "/v1/receipts/verify").json(&json!({ "jws": jws }))).await
}

/// "`{receipt_id, task_id, agent_id, buyer: {kind, id}, rail, amount, fee, outcome_reason, terms_hash, delivery_digest,
/// evidence: {transfer_ids or tx_hash}, issued_at, jws}`"
async fn a_receipt_has_the_shape_of_the_design(server: Server) {
    let pair = Pair::new(&server).await;
    let receipt_id = pair.paid("2").await;
    let receipt = pair.buyer.get(&one(&receipt_id)).await.expect(200);
    assert_id(&receipt["receipt_id"], "rcpt_");
    assert_id(&receipt["task_id"], "task_");
    time(&receipt["issued_at"]);
    assert_eq!(receipt["evidence"]["transfer_ids"].as_array().unwrap().len(), 2, "pay and fee");
    let expected = json!({
        "receipt_id": receipt_id,
        "task_id": receipt["task_id"],
        "agent_id": pair.worker.agent_id,
        "buyer": { "kind": "agent", "id": pair.buying.agent_id },
        "rail": "credits",
        "amount": { "amount": "2", "currency": "USDC" },
        "fee": { "amount": "0.05", "currency": "USDC" },
        "amount_credits": "2",
        "fee_credits": "0.05",
        "outcome_reason": "auto_accepted",
        "terms_hash": receipt["terms_hash"],
        "delivery_digest": "d".repeat(64),
        "evidence": receipt["evidence"],
        "issued_at": receipt["issued_at"],
        "jws": receipt["jws"],
    });
    assert_eq!(receipt, expected);
    server.verify_ledger().await;
}

/// "the parties' receipts", "lists are newest first"
async fn both_sides_list_their_receipts_newest_first(server: Server) {
    let pair = Pair::new(&server).await;
    let bought = [pair.paid("1").await, pair.paid("2").await];
    // The same account also sells, to the one it bought from.
    server.grant_credits(&pair.owner, "10").await;
    let sold = server.paid_work(Work {
        buyer: &pair.owner,
        buying_agent: None,
        owner: &pair.buyer,
        worker: &pair.buying,
        credits: "3",
    });
    let sold = sold.await;
    let all = [sold.as_str(), &bought[1], &bought[0]];
    for party in [&pair.buyer, &pair.owner] {
        let page = party.get("/v1/receipts").await.expect(200);
        assert_eq!((ids(&page), &page["next_page"]), (all.to_vec(), &Value::Null));
        let first = party.get("/v1/receipts?limit=2").await.expect(200);
        let next = format!("/v1/receipts?limit=2&cursor={}", first["next_page"].as_str().unwrap());
        let second = party.get(&next).await.expect(200);
        assert_eq!((ids(&first), ids(&second)), (all[..2].to_vec(), all[2..].to_vec()));
    }
    let buying = pair.buying.get("/v1/receipts").await.expect(200);
    assert_eq!(ids(&buying), all, "the agent bought two and did one");
    let worker = pair.worker.get("/v1/receipts").await.expect(200);
    assert_eq!(ids(&worker), all[1..], "its owner's own purchase is not the agent's");
}

/// "A resource that the caller may not see is 404, never 403."
async fn nobody_else_sees_a_receipt(server: Server) {
    let pair = Pair::new(&server).await;
    let receipt_id = pair.paid("1").await;
    let sibling = pair.owner.agent("Sibling").await;
    let stranger = server.person("eve").await;
    sibling.get(&one(&receipt_id)).await.refused(404, "not_found");
    stranger.get(&one(&receipt_id)).await.refused(404, "not_found");
    let review = json!({ "rating": 1, "text": "Meh." });
    let path = format!("{}/review", one(&receipt_id));
    for person in [&stranger, &pair.owner] {
        person.post(&path, review.clone()).await.refused(404, "not_found");
    }
    assert_eq!(ids(&sibling.get("/v1/receipts").await.expect(200)), Vec::<&str>::new());
    for party in [&pair.buying, &pair.worker] {
        party.get(&one(&receipt_id)).await.expect(200);
    }
}

/// "receipts verify offline by /api/auth/jwks"
async fn a_receipt_verifies_offline_with_the_published_keys(server: Server) {
    let pair = Pair::new(&server).await;
    let receipt_id = pair.paid("2").await;
    let receipt = pair.owner.get(&one(&receipt_id)).await.expect(200);
    let jws = receipt["jws"].as_str().unwrap();
    let (message, signature) = jws.rsplit_once('.').unwrap();
    let (header, payload) = message.split_once('.').unwrap();
    let decoded = |part: &str| BASE64.decode(part).unwrap();
    let header: Value = serde_json::from_slice(&decoded(header)).unwrap();
    assert_eq!(
        (&header["alg"], &header["typ"]),
        (&json!("ES256"), &json!("guildhall-receipt+jws"))
    );

    let keys = server.get("/api/auth/jwks").await.expect(200);
    let keys = keys["keys"].as_array().unwrap();
    let key = keys.iter().find(|key| key["kid"] == header["kid"]).expect("the key");
    let coordinate = |name: &str| decoded(key[name].as_str().unwrap());
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
    assert!(key.verify(message.as_bytes(), &decoded(signature)).is_ok());
    assert!(key.verify(header.to_string().as_bytes(), &decoded(signature)).is_err());

    let claims: Value = serde_json::from_slice(&decoded(payload)).unwrap();
    assert_eq!(canonical_json(&claims).as_bytes(), decoded(payload), "the payload is canonical");
    assert_eq!(claims["iss"], server.public_url());
    assert_eq!(
        (&claims["amount_micros"], &claims["fee_micros"]),
        (&json!("2000000"), &json!("50000"))
    );
    for name in
        ["receipt_id", "task_id", "agent_id", "buyer", "terms_hash", "delivery_digest", "issued_at"]
    {
        assert_eq!(claims[name], receipt[name], "{name}");
    }
    assert_eq!(claims["transfer_ids"], receipt["evidence"]["transfer_ids"]);
}

/// "`{valid, receipt, superseded}` … writes nothing, needs no Idempotency-Key"
async fn anybody_can_ask_whether_a_receipt_is_good(server: Server) {
    let pair = Pair::new(&server).await;
    let receipt_id = pair.paid("2").await;
    let path = format!("{}/review", one(&receipt_id));
    let signed = pair.buyer.get(&one(&receipt_id)).await.expect(200);
    pair.buyer.post(&path, json!({ "rating": 5, "text": "Between us." })).await.expect(200);
    let verified = verify(&server, signed["jws"].as_str().unwrap()).await.expect(200);
    assert_eq!(verified, json!({ "valid": true, "receipt": signed, "superseded": false }));
}

/// "`receipt_unusable` when void, forged or of another service"
async fn what_is_no_receipt_of_this_service_is_unusable(server: Server) {
    let pair = Pair::new(&server).await;
    let receipt_id = pair.paid("2").await;
    let receipt = pair.buyer.get(&one(&receipt_id)).await.expect(200);
    let jws = receipt["jws"].as_str().unwrap();
    let parts: Vec<_> = jws.split('.').collect();
    let forged = |find: &str, put: &str| {
        let payload = String::from_utf8(BASE64.decode(parts[1]).unwrap()).unwrap();
        assert!(payload.contains(find), "{payload}");
        format!("{}.{}.{}", parts[0], BASE64.encode(payload.replace(find, put)), parts[2])
    };
    let bad = [
        forged("2000000", "9000000"),
        forged(&receipt_id, &format!("rcpt_{}", "0".repeat(32))),
        format!("{jws}A"),
        format!("{}.{}.", parts[0], parts[1]),
        pair.buyer.token.clone(),
        "a.b.c".to_owned(),
        "nothing".to_owned(),
    ];
    for jws in bad {
        verify(&server, &jws).await.refused(409, "receipt_unusable");
    }
    verify(&server, &"a".repeat(8_193)).await.refused(400, "invalid_request");
}

/// "once, by the buyer: `receipt_unusable`"
async fn the_buyer_reviews_once(server: Server) {
    let pair = Pair::new(&server).await;
    let receipt_id = pair.paid("2").await;
    let path = format!("{}/review", one(&receipt_id));
    for rating in [0, 6] {
        let bad = json!({ "rating": rating, "text": "Hm." });
        let reason = pair.buyer.post(&path, bad).await.refused(400, "invalid_request");
        assert!(reason.starts_with("rating: "), "{reason}");
    }
    let long = json!({ "rating": 3, "text": "x".repeat(5_001) });
    pair.buyer.post(&path, long).await.refused(400, "invalid_request");
    let review = json!({ "rating": 4, "text": "A fine map." });
    pair.buying.send("POST", &path, review.clone()).await.refused(403, "demand_forbidden");
    pair.bind().await;
    let reviewed = pair.buying.send("POST", &path, review.clone()).await.expect(200);
    time(&reviewed["review"]["reviewed_at"]);
    assert_eq!(
        (&reviewed["review"]["rating"], &reviewed["review"]["text"]),
        (&json!(4), &review["text"])
    );
    let reason = pair.buyer.post(&path, review).await.refused(409, "receipt_unusable");
    assert_eq!(reason, "The receipt has been reviewed.");
    assert_eq!(pair.worker.get(&one(&receipt_id)).await.expect(200), reviewed);
}

/// The same, when they come together.
async fn of_many_reviews_at_once_one_counts(server: Server) {
    let pair = Pair::new(&server).await;
    let receipt_id = pair.paid("2").await;
    let path = format!("{}/review", one(&receipt_id));
    let requests = (1..=5).map(|rating| {
        let review = json!({ "rating": rating, "text": "So it was." });
        pair.buyer.request("POST", &path).json(&review)
    });
    assert_eq!(all_at_once(requests).await, [200, 409, 409, 409, 409]);
    let publish = format!("/v1/me/agents/{}/publish", pair.worker.agent_id);
    pair.owner.post(&publish, json!({})).await.expect(200);
    let reputation = format!("/v1/agents/{}/reputation", pair.worker.agent_id);
    let record = server.get(&reputation).await.expect(200);
    assert_eq!(record["as_worker"]["ratings"], 1);
}
