//! Signing in with a wallet that is linked.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Answer, Person, Server, Wallet, on_both_engines, send};

use crate::sign_in::all_at_once;

on_both_engines!(
    a_linked_wallet_signs_its_owner_in,
    a_message_is_good_once,
    of_many_answers_at_once_one_signs_in,
    a_message_is_good_for_five_minutes,
    only_what_was_asked_for_is_taken,
    who_may_not_is_not_told_why,
    every_wallet_is_asked_alike,
    a_wallet_that_was_unlinked_signs_nobody_in,
    a_disabled_account_stays_out,
    requests_have_a_shape,
    a_page_of_another_site_signs_nobody_in,
);

const SIGN_IN: &str = "/api/auth/sign-in/wallet";
const OPTIONS: &str = "/api/auth/sign-in/wallet/options";

async fn post(server: &Server, path: &str, body: &Value) -> Answer {
    send(server.request("POST", path).json(body)).await
}

async fn asked(server: &Server, wallet: &Wallet) -> Value {
    let ask = json!({ "address": wallet.address(), "chain_id": 31_337 });
    post(server, OPTIONS, &ask).await.expect(200)
}

fn signed(wallet: &Wallet, message: &str) -> Value {
    json!({ "message": message, "signature": wallet.sign_message(message) })
}

async fn answered(server: &Server, wallet: &Wallet) -> Answer {
    let asked = asked(server, wallet).await;
    post(server, SIGN_IN, &signed(wallet, asked["message"].as_str().unwrap())).await
}

async fn with_wallet(server: &Server) -> (Person<'_>, Wallet) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    ada.link_wallet(&wallet).await;
    (ada, wallet)
}

/// "POST /api/auth/sign-in/wallet: SIWE with a linked wallet": a session like any other.
async fn a_linked_wallet_signs_its_owner_in(server: Server) {
    let (ada, wallet) = with_wallet(&server).await;
    let asked = asked(&server, &wallet).await;
    let message = asked["message"].as_str().unwrap();
    let domain = server.public_url().trim_start_matches("http://");
    let start = format!(
        "{domain} wants you to sign in with your Ethereum account:\n{}\n\n",
        wallet.address()
    );
    assert!(message.starts_with(&start), "{message}");
    assert!(
        message.contains("\n\nSign in to Guildhall.\n\n")
            && message.contains("\nChain ID: 31337\n")
    );
    let signed_in = post(&server, SIGN_IN, &signed(&wallet, message)).await;
    let cookie = signed_in.header("set-cookie").expect("a cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    let body = signed_in.expect(200);
    assert_eq!(body["account"]["account_id"], ada.account_id);
    assert_eq!(body["account"]["email"], ada.email);
    let cookie = cookie.split(';').next().unwrap();
    let token = send(server.request("GET", "/api/auth/token").header("cookie", cookie)).await;
    let token = token.expect(200)["token"].as_str().unwrap().to_owned();
    let me = send(server.request("GET", "/v1/me").bearer_auth(token)).await.expect(200);
    assert_eq!(me["account_id"], ada.account_id);
}

/// Single use: whoever overhears an answer cannot send it again.
async fn a_message_is_good_once(server: Server) {
    let (_, wallet) = with_wallet(&server).await;
    let asked = asked(&server, &wallet).await;
    let answer = signed(&wallet, asked["message"].as_str().unwrap());
    post(&server, SIGN_IN, &answer).await.expect(200);
    let again = post(&server, SIGN_IN, &answer).await;
    assert!(again.header("set-cookie").is_none());
    assert_eq!(again.refused(409, "challenge_expired"), "The message was used before.");
}

/// The same, however many come at the same moment.
async fn of_many_answers_at_once_one_signs_in(server: Server) {
    let (_, wallet) = with_wallet(&server).await;
    let asked = asked(&server, &wallet).await;
    let answer = signed(&wallet, asked["message"].as_str().unwrap());
    let requests = (0..8).map(|_| server.request("POST", SIGN_IN).json(&answer));
    assert_eq!(all_at_once(requests).await, [200, 409, 409, 409, 409, 409, 409, 409]);
}

/// "5 min": what was signed later, or sent later, is too late.
async fn a_message_is_good_for_five_minutes(server: Server) {
    let (_, wallet) = with_wallet(&server).await;
    let (early, late) = (asked(&server, &wallet).await, asked(&server, &wallet).await);
    assert!(early["expires_at"].is_string());
    server.advance_quietly(Duration::from_secs(298));
    let answer = signed(&wallet, early["message"].as_str().unwrap());
    post(&server, SIGN_IN, &answer).await.expect(200);
    server.advance_quietly(Duration::from_secs(2));
    let answer = signed(&wallet, late["message"].as_str().unwrap());
    let reason = post(&server, SIGN_IN, &answer).await.refused(409, "challenge_expired");
    assert_eq!(reason, "The message has expired.");
}

/// "Bound to domain and address": a message for another place, another wallet or another time was not asked for here.
async fn only_what_was_asked_for_is_taken(server: Server) {
    let (ada, wallet) = with_wallet(&server).await;
    let (asked, other) = (asked(&server, &wallet).await, Wallet::unique());
    let message = asked["message"].as_str().unwrap();
    let domain = server.public_url().trim_start_matches("http://");
    let expires = message.split("Expiration Time: ").nth(1).unwrap();
    let nonce = message.split("Nonce: ").nth(1).unwrap().split('\n').next().unwrap();
    let link = ada.challenge(&wallet).await;
    for (place, forged) in [
        message.replacen(domain, "evil.example", 1),
        message.replace(server.public_url(), "https://evil.example"),
        message.replace(&wallet.address().to_string(), &other.address().to_string()),
        message.replace(expires, "2099-01-01T00:00:00.000Z"),
        message.replace("Chain ID: 31337", "Chain ID: 1"),
        message.replace("Sign in to Guildhall.", "Sign in to something else."),
        message.replace(nonce, &"0".repeat(nonce.len())),
        message.replace(nonce, &nonce[..32]),
        message.replace(nonce, "12345678"),
        message.replace('\n', "\r\n"),
        format!("{message}\n"),
        "sign me in".to_owned(),
        "x".repeat(5_000),
        link["message"].as_str().unwrap().to_owned(),
    ]
    .into_iter()
    .enumerate()
    {
        for signer in [&wallet, &other] {
            let answer = post(&server, SIGN_IN, &signed(signer, &forged)).await;
            assert!(answer.header("set-cookie").is_none());
            let reason = answer.refused(400, "invalid_request");
            assert_eq!(reason, "message: is not one that this service asked for.", "{place}");
        }
    }
    post(&server, SIGN_IN, &signed(&wallet, message)).await.expect(200);
}

/// A wallet that nobody has linked and a signature of somebody else get the same answer.
async fn who_may_not_is_not_told_why(server: Server) {
    let (_, wallet) = with_wallet(&server).await;
    let stranger = answered(&server, &Wallet::unique()).await;
    stranger.refused(401, "unauthorized");
    let asked = asked(&server, &wallet).await;
    let message = asked["message"].as_str().unwrap();
    let forged = post(&server, SIGN_IN, &signed(&Wallet::unique(), message)).await;
    assert_eq!((forged.status, &forged.text), (401, &stranger.text));
    assert!(forged.header("set-cookie").is_none() && stranger.header("set-cookie").is_none());
    post(&server, SIGN_IN, &signed(&wallet, message)).await.expect(200);
}

/// "Same answer for unknown addresses": asking does not tell whether a wallet is linked.
async fn every_wallet_is_asked_alike(server: Server) {
    let (_, wallet) = with_wallet(&server).await;
    let stranger = Wallet::unique();
    let (known, unknown) = (asked(&server, &wallet).await, asked(&server, &stranger).await);
    let shape = |asked: &Value, wallet: &Wallet| {
        let message = asked["message"].as_str().unwrap();
        let lines = message.lines().filter(|line| {
            !["Nonce:", "Issued At:", "Expiration Time:"]
                .iter()
                .any(|start| line.starts_with(start))
        });
        let text: Vec<_> = lines.collect();
        let mut fields: Vec<_> = asked.as_object().unwrap().keys().cloned().collect();
        fields.sort_unstable();
        (fields, text.join("\n").replace(&wallet.address().to_string(), "WALLET"))
    };
    assert_eq!(shape(&known, &wallet), shape(&unknown, &stranger));
    assert_ne!(known["message"], asked(&server, &wallet).await["message"], "no two are alike");
}

/// Only what is linked counts, at the moment of signing in.
async fn a_wallet_that_was_unlinked_signs_nobody_in(server: Server) {
    let (ada, wallet) = with_wallet(&server).await;
    let asked = asked(&server, &wallet).await;
    let wallets = ada.get("/v1/wallets").await.expect(200);
    let path = format!("/v1/wallets/{}", wallets["data"][0]["wallet_id"].as_str().unwrap());
    ada.send("DELETE", &path, json!({})).await.expect(200);
    let answer = signed(&wallet, asked["message"].as_str().unwrap());
    let unlinked = post(&server, SIGN_IN, &answer).await;
    let stranger = answered(&server, &Wallet::unique()).await;
    assert_eq!((unlinked.status, unlinked.text), (401, stranger.text));
}

/// "The account is disabled", whatever its owner proves.
async fn a_disabled_account_stays_out(server: Server) {
    let (ada, wallet) = with_wallet(&server).await;
    server.identity.disable_account(&ada.email).await.unwrap();
    let refused = answered(&server, &wallet).await;
    assert!(refused.header("set-cookie").is_none());
    refused.refused(403, "forbidden");
}

/// "Bad input: a clear error that says what to do"
async fn requests_have_a_shape(server: Server) {
    let address = Wallet::unique().address().to_string();
    for (path, body, field) in [
        (OPTIONS, json!({ "address": "0x12", "chain_id": 31_337 }), "address"),
        (OPTIONS, json!({ "address": address, "chain_id": 1 }), "chain_id"),
        (OPTIONS, json!({ "address": address }), "chain_id"),
        (OPTIONS, json!({ "address": address, "chain_id": 31_337, "more": 1 }), "more"),
        (SIGN_IN, json!({ "message": "m", "signature": "0x12" }), "signature"),
        (
            SIGN_IN,
            json!({ "message": "m", "signature": format!("0x{}", "11".repeat(32)) }),
            "private key",
        ),
        (SIGN_IN, json!({ "signature": "0x12" }), "message"),
    ] {
        let reason = post(&server, path, &body).await.refused(400, "invalid_request");
        assert!(reason.contains(field), "{body}: {reason}");
    }
    let wallet = Wallet::unique();
    let message = asked(&server, &wallet).await["message"].clone();
    let long = json!({ "message": message, "signature": format!("0x{}", "11".repeat(66)) });
    post(&server, SIGN_IN, &long).await.refused(503, "chain_verification_unavailable");
}

/// No other site can sign a visitor in as somebody else.
async fn a_page_of_another_site_signs_nobody_in(server: Server) {
    let (_, wallet) = with_wallet(&server).await;
    let asked = asked(&server, &wallet).await;
    let answer = signed(&wallet, asked["message"].as_str().unwrap());
    let request = server.request("POST", SIGN_IN).header("origin", "https://evil.example");
    let refused = send(request.json(&answer)).await;
    assert_eq!(refused.status, 403);
    assert!(refused.header("set-cookie").is_none());
}
