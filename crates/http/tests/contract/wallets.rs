//! Wallets: linked by a signature, confirmed by another one, each one account's.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Answer, Person, Server, Wallet, on_both_engines, send, unique};

use crate::connections::{assert_id, time};
use crate::sign_in::all_at_once;

on_both_engines!(
    a_wallet_is_linked_by_its_signature,
    what_is_signed_names_the_account_and_the_service,
    a_challenge_is_good_once,
    a_challenge_is_good_for_ten_minutes,
    the_challenge_of_another_account_is_not_found,
    only_the_wallets_own_signature_counts,
    a_private_key_is_no_signature,
    a_contract_wallet_needs_a_chain,
    another_chain_and_a_wrong_checksum_are_refused,
    a_wallet_is_one_accounts,
    of_two_accounts_at_once_one_gets_the_wallet,
    the_first_wallet_needs_a_fresh_session,
    a_further_wallet_is_confirmed_by_a_linked_one,
    of_two_first_wallets_at_once_one_is_linked,
    a_repeated_request_gets_the_first_answer,
    a_wallet_can_be_unlinked,
    an_agent_is_paid_to_a_wallet_of_its_owner,
);

const WALLETS: &str = "/v1/wallets";
const CHALLENGES: &str = "/v1/wallets/challenges";

fn one(wallet_id: &str) -> String {
    format!("{WALLETS}/{wallet_id}")
}

async fn link(person: &Person<'_>, answer: Value) -> Answer {
    person.post(WALLETS, answer).await
}

async fn listed(person: &Person<'_>) -> Vec<Value> {
    person.get(WALLETS).await.expect(200)["data"].as_array().unwrap().clone()
}

/// "linkWallet: POST /v1/wallets {`challenge_id`, signature}: 201"; "listWallets: GET /v1/wallets (with `claimable` from
/// the escrow)"; getMe: "wallets[]"
async fn a_wallet_is_linked_by_its_signature(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let challenge = ada.challenge(&wallet).await;
    let linked = link(&ada, wallet.answer(&challenge)).await.expect(201);
    assert_id(&linked["wallet_id"], "wal_");
    time(&linked["created_at"]);
    let expected = json!({
        "wallet_id": linked["wallet_id"], "address": wallet.address(), "chain_id": null,
        "claimable": { "amount": "0", "currency": "USDC" }, "created_at": linked["created_at"],
    });
    assert_eq!(linked, expected);
    assert_eq!(listed(&ada).await, std::slice::from_ref(&linked));
    let me = ada.get("/v1/me").await.expect(200);
    let short = json!([
        { "wallet_id": linked["wallet_id"], "address": wallet.address(), "chain_id": null }
    ]);
    assert_eq!(me["wallets"], short);
    let done = ada.get("/v1/me/activity?limit=1").await.expect(200)["data"][0].clone();
    assert_eq!(
        (&done["operation"], &done["subject"]["id"]),
        (&json!("linkWallet"), &linked["wallet_id"])
    );
}

/// "Linked by EIP-4361 message with domain, uri, chain id, nonce, issued-at and expiry, its statement naming the account;
/// address checked by EIP-55."
async fn what_is_signed_names_the_account_and_the_service(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let ask = json!({ "address": wallet.address().to_string().to_lowercase(), "chain_id": 31_337 });
    let challenge = ada.post(CHALLENGES, ask).await.expect(201);
    assert_id(&challenge["challenge_id"], "chl_");
    assert_eq!(challenge["address"], wallet.address().to_string());
    assert_eq!(challenge.get("confirmation_payload"), None, "there is no wallet to confirm it");
    let message = challenge["message"].as_str().unwrap();
    let field = |name: &str| {
        let line = message.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("{name} is not in {message}"))
    };
    let nonce = field("Nonce: ");
    assert!(nonce.len() == 32 && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{nonce}");
    let (base_url, account, address) = (server.public_url(), &ada.account_id, wallet.address());
    let domain = base_url.strip_prefix("http://").unwrap();
    let issued_at = field("Issued At: ");
    let expires_at = challenge["expires_at"].as_str().unwrap();
    let expected = format!(
        "{domain} wants you to sign in with your Ethereum account:\n{address}\n\n\
         Link this wallet to the Guildhall account {account}.\n\n\
         URI: {base_url}\nVersion: 1\nChain ID: 31337\nNonce: {nonce}\n\
         Issued At: {issued_at}\nExpiration Time: {expires_at}"
    );
    assert_eq!(message, expected);
    let lasts = time(&challenge["expires_at"]).since(time(&json!(issued_at)));
    assert_eq!(lasts, Duration::from_mins(10), "wallet challenge 10 min");
    let again = ada.challenge(&wallet).await;
    assert_ne!(again["message"], challenge["message"]);
}

/// "`challenge_expired`: too old or was used"
async fn a_challenge_is_good_once(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let challenge = ada.challenge(&wallet).await;
    let linked = link(&ada, wallet.answer(&challenge)).await.expect(201);
    link(&ada, wallet.answer(&challenge)).await.refused(409, "challenge_expired");
    let path = one(linked["wallet_id"].as_str().unwrap());
    ada.send("DELETE", &path, json!({})).await.expect(200);
    link(&ada, wallet.answer(&challenge)).await.refused(409, "challenge_expired");
    assert!(listed(&ada).await.is_empty());
}

/// "wallet challenge 10 min"
async fn a_challenge_is_good_for_ten_minutes(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let challenge = ada.challenge(&wallet).await;
    server.advance(Duration::from_mins(10)).await;
    link(&ada, wallet.answer(&challenge)).await.refused(409, "challenge_expired");
    assert!(listed(&ada).await.is_empty());
}

/// "A resource that the caller may not see is 404"
async fn the_challenge_of_another_account_is_not_found(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let wallet = Wallet::unique();
    let challenge = ada.challenge(&wallet).await;
    link(&eve, wallet.answer(&challenge)).await.refused(404, "not_found");
    link(&ada, wallet.answer(&challenge)).await.expect(201);
}

/// "`wallet_signature_invalid`: The signature is not the wallet's over the challenge."
async fn only_the_wallets_own_signature_counts(server: Server) {
    let (ada, wallet, other) = (server.person("ada").await, Wallet::unique(), Wallet::unique());
    let challenge = ada.challenge(&wallet).await;
    let id = &challenge["challenge_id"];
    let message = challenge["message"].as_str().unwrap();
    let own = wallet.sign_message(message);
    let bent = [&own[..130], "63"].concat();
    for signature in [
        other.sign_message(message),
        wallet.sign_message(&format!("{message}\n")),
        wallet.sign_message(ada.challenge(&wallet).await["message"].as_str().unwrap()),
        format!("0x{}", "00".repeat(65)),
        bent,
    ] {
        let answer = json!({ "challenge_id": id, "signature": signature });
        link(&ada, answer).await.refused(400, "wallet_signature_invalid");
    }
    link(&ada, json!({ "challenge_id": id, "signature": own })).await.expect(201);
}

/// "No route takes a private key; a short field whose whole value looks like one … is refused with 400 and never logged."
async fn a_private_key_is_no_signature(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let challenge = ada.challenge(&wallet).await;
    let digits = "4c".repeat(32);
    for key in [digits.clone(), format!("0x{digits}"), digits.to_uppercase()] {
        let answer = json!({ "challenge_id": challenge["challenge_id"], "signature": key });
        let refused = link(&ada, answer).await;
        assert!(refused.refused(400, "invalid_request").contains("private key"));
        assert!(!refused.text.to_lowercase().contains(&digits), "{}", refused.text);
        let ask = json!({ "address": key, "chain_id": 31_337 });
        let refused = ada.post(CHALLENGES, ask).await;
        refused.refused(400, "invalid_request");
        assert!(!refused.text.to_lowercase().contains(&digits), "{}", refused.text);
    }
}

/// "`chain_verification_unavailable` (contract wallets)"; "503s carry Retry-After"
async fn a_contract_wallet_needs_a_chain(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let challenge = ada.challenge(&wallet).await;
    let own = wallet.answer(&challenge);
    let mut longer = own.clone();
    longer["signature"] = json!(format!("{}00", own["signature"].as_str().unwrap()));
    let key = unique("key");
    let refused = ada.post_with_key(&key, WALLETS, longer.clone()).await;
    refused.refused(503, "chain_verification_unavailable");
    assert!(refused.header("retry-after").is_some());
    let again = ada.post_with_key(&key, WALLETS, longer).await;
    assert_eq!(again.header("idempotent-replayed"), None, "a 503 is not kept");
    link(&ada, own).await.expect(201);
}

/// "POST /v1/wallets/challenges {address, `chain_id`}"
async fn another_chain_and_a_wrong_checksum_are_refused(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let address = wallet.address().to_string();
    let at = address.rfind(|c: char| c.is_ascii_alphabetic()).unwrap();
    let letter = &address[at..=at];
    let other =
        if letter == letter.to_lowercase() { letter.to_uppercase() } else { letter.to_lowercase() };
    let wrong = format!("{}{other}{}", &address[..at], &address[at + 1..]);
    for (body, field) in [
        (json!({ "address": address, "chain_id": 1 }), "chain_id: "),
        (json!({ "address": address, "chain_id": "31337" }), "chain_id: "),
        (json!({ "address": wrong, "chain_id": 31_337 }), "address: "),
        (json!({ "address": "ada.eth", "chain_id": 31_337 }), "address: "),
    ] {
        let reason = ada.post(CHALLENGES, body).await.refused(400, "invalid_request");
        assert!(reason.starts_with(field), "{reason}");
    }
}

/// "One address is linked to one account (`wallet_in_use`)."
async fn a_wallet_is_one_accounts(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let wallet = Wallet::unique();
    let wallet_id = ada.link_wallet(&wallet).await;
    let foreign = eve.challenge(&wallet).await;
    link(&eve, wallet.answer(&foreign)).await.refused(409, "wallet_in_use");
    let again = ada.challenge(&wallet).await;
    link(&ada, wallet.answer(&again)).await.refused(409, "conflict");
    ada.send("DELETE", &one(&wallet_id), json!({})).await.expect(200);
    link(&eve, wallet.answer(&foreign)).await.expect(201);
    assert!(listed(&ada).await.is_empty());
    assert_eq!(listed(&eve).await.len(), 1);
}

/// The same when both ask at the same moment.
async fn of_two_accounts_at_once_one_gets_the_wallet(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    for _ in 0..4 {
        let wallet = Wallet::unique();
        let mut requests = Vec::new();
        for person in [&ada, &eve] {
            let answer = wallet.answer(&person.challenge(&wallet).await);
            requests.push(person.request("POST", WALLETS).json(&answer));
        }
        assert_eq!(all_at_once(requests).await, [201, 409]);
        for person in [&ada, &eve] {
            for linked in listed(person).await {
                let path = one(linked["wallet_id"].as_str().unwrap());
                person.send("DELETE", &path, json!({})).await.expect(200);
            }
        }
    }
}

/// "the first sealing factor needs a session under 10 minutes old … (403 `forbidden`)"
async fn the_first_wallet_needs_a_fresh_session(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    server.advance(Duration::from_mins(10)).await;
    let challenge = ada.challenge(&wallet).await;
    let refused = link(&ada, wallet.answer(&challenge)).await;
    assert!(refused.refused(403, "forbidden").contains("ten minutes"));
    let sign_in = json!({ "email": ada.email, "password": testkit::PASSWORD });
    let request = server.request("POST", "/api/auth/sign-in/email").json(&sign_in);
    let signed_in = send(request).await;
    let cookie = signed_in.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let mut ada = ada.at(&server);
    ada.cookie = cookie;
    crate::sign_in::renew(&mut ada).await;
    link(&ada, wallet.answer(&challenge)).await.expect(201);
}

/// "a further one the confirmation by an existing one over the new address (403 `forbidden`)"
async fn a_further_wallet_is_confirmed_by_a_linked_one(server: Server) {
    let ada = server.person("ada").await;
    let [first, second, stranger] = [Wallet::unique(), Wallet::unique(), Wallet::unique()];
    ada.link_wallet(&first).await;
    server.advance(Duration::from_mins(11)).await;
    let (challenge, other) = (ada.challenge(&second).await, ada.challenge(&stranger).await);
    let payload = &challenge["confirmation_payload"];
    assert_eq!(payload["primaryType"], "WalletConfirmation");
    assert_eq!(
        (&payload["domain"]["name"], &payload["domain"]["chainId"]),
        (&json!("Guildhall"), &json!(31_337))
    );
    let expected = json!({
        "account_id": ada.account_id, "new_wallet": second.address(),
        "challenge_id": challenge["challenge_id"],
    });
    assert_eq!(payload["message"], expected);
    let answer = second.answer(&challenge);
    link(&ada, answer.clone()).await.refused(403, "forbidden");
    let mut lying = stranger.confirm(&challenge);
    lying["signer"] = json!(first.address());
    for confirmation in [
        Value::Null,
        stranger.confirm(&challenge),
        second.confirm(&challenge),
        lying,
        first.confirm(&other),
    ] {
        let mut answer = answer.clone();
        answer["confirmation"] = confirmation;
        link(&ada, answer).await.refused(403, "forbidden");
    }
    let mut answer = answer;
    answer["confirmation"] = first.confirm(&challenge);
    link(&ada, answer).await.expect(201);
    assert_eq!(listed(&ada).await.len(), 2);
    assert_eq!(listed(&ada).await[0]["address"], second.address().to_string(), "newest first");
}

/// A session vouches for the first wallet, and for one only.
async fn of_two_first_wallets_at_once_one_is_linked(server: Server) {
    let ada = server.person("ada").await;
    let wallets = [Wallet::unique(), Wallet::unique(), Wallet::unique()];
    let mut requests = Vec::new();
    for wallet in &wallets {
        let answer = wallet.answer(&ada.challenge(wallet).await);
        requests.push(ada.request("POST", WALLETS).json(&answer));
    }
    assert_eq!(all_at_once(requests).await, [201, 403, 403]);
    assert_eq!(listed(&ada).await.len(), 1);
}

/// "Replaying the same key with the same request returns the original result."
async fn a_repeated_request_gets_the_first_answer(server: Server) {
    let (ada, wallet) = (server.person("ada").await, Wallet::unique());
    let answer = wallet.answer(&ada.challenge(&wallet).await);
    let key = unique("key");
    let first = ada.post_with_key(&key, WALLETS, answer.clone()).await;
    server.advance(Duration::from_mins(12)).await;
    let again = ada.post_with_key(&key, WALLETS, answer).await;
    assert_eq!((again.status, &again.text), (201, &first.text));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
}

/// "unlink refused (409) while an action or escrow depends on it"
async fn a_wallet_can_be_unlinked(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let wallet_id = ada.link_wallet(&Wallet::unique()).await;
    let agent = ada.create_agent("scout").await;
    let payout = format!("/v1/me/agents/{agent}/payout-wallet");
    ada.send("PUT", &payout, json!({ "wallet_id": wallet_id })).await.expect(200);
    let unlink =
        async |person: &Person<'_>| person.send("DELETE", &one(&wallet_id), json!({})).await;
    assert!(unlink(&ada).await.refused(409, "conflict").contains(&agent));
    unlink(&eve).await.refused(404, "not_found");
    ada.send("PUT", &payout, json!({ "wallet_id": null })).await.expect(200);
    let unlinked = unlink(&ada).await.expect(200);
    time(&unlinked["unlinked_at"]);
    assert_eq!(unlink(&ada).await.expect(200), unlinked, "repeat is 200");
    assert!(listed(&ada).await.is_empty());
    assert_eq!(ada.get("/v1/me").await.expect(200)["wallets"], json!([]));
    ada.send("PUT", &payout, json!({ "wallet_id": wallet_id }))
        .await
        .refused(409, "wallet_not_linked");
}

/// "setPayoutWallet: a wallet linked by this owner: `wallet_not_linked`, `owner_mismatch`"
async fn an_agent_is_paid_to_a_wallet_of_its_owner(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let (own, theirs) = (Wallet::unique(), Wallet::unique());
    let wallet_id = ada.link_wallet(&own).await;
    let foreign_id = eve.link_wallet(&theirs).await;
    let agent = ada.create_agent("scout").await;
    let path = format!("/v1/me/agents/{agent}");
    let set = async |body: Value| ada.send("PUT", &format!("{path}/payout-wallet"), body).await;
    let paid_to = async || ada.get(&path).await.expect(200)["payout_wallet"].clone();
    for body in [json!({ "address": own.address() }), json!({ "wallet_id": wallet_id })] {
        let agent = set(body).await.expect(200);
        assert_eq!(agent["payout_wallet"], own.address().to_string());
        assert_eq!(paid_to().await, own.address().to_string());
    }
    set(json!({ "address": theirs.address() })).await.refused(403, "owner_mismatch");
    set(json!({ "wallet_id": foreign_id })).await.refused(404, "not_found");
    let nobodys = json!({ "address": Wallet::unique().address() });
    set(nobodys).await.refused(409, "wallet_not_linked");
    for body in [json!({}), json!({ "wallet_id": wallet_id, "address": own.address() })] {
        set(body).await.refused(400, "invalid_request");
    }
    assert_eq!(paid_to().await, own.address().to_string());
    assert_eq!(set(json!({ "wallet_id": null })).await.expect(200)["payout_wallet"], Value::Null);
    ada.post(&format!("{path}/retire"), json!({})).await.expect(200);
    set(json!({ "wallet_id": wallet_id })).await.refused(409, "conflict");
}
