//! Passkeys at `/api/auth`: registered by whoever is signed in, and signing them in.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Authenticator, PASSWORD, Person, Server, Wallet, on_both_engines, send};

use crate::connections::{assert_id, time};
use crate::sign_in::all_at_once;

on_both_engines!(
    a_passkey_is_registered_and_listed,
    a_passkey_signs_in,
    what_is_asked_is_for_this_service_and_verified_users,
    a_registration_is_answered_once,
    a_sign_in_is_answered_once,
    a_failed_try_uses_the_question_up,
    a_question_can_be_answered_for_five_minutes,
    the_registration_of_another_account_is_out_of_reach,
    what_an_authenticator_says_is_checked_at_registration,
    what_an_authenticator_says_is_checked_at_sign_in,
    a_counter_that_goes_back_is_a_copy,
    nobodys_passkey_signs_nobody_in,
    a_passkey_is_one_accounts,
    a_removed_passkey_signs_nobody_in,
    passkeys_of_others_are_out_of_reach,
    a_shut_account_stays_shut,
    the_first_passkey_needs_a_fresh_session,
    a_further_passkey_is_confirmed_by_the_first,
    a_wallet_confirms_a_passkey,
    of_two_first_passkeys_at_once_one_is_added,
    passkeys_need_a_page_with_a_name,
    bodies_are_strict,
    ended_ceremonies_are_forgotten,
);

const PASSKEYS: &str = "/api/auth/passkeys";
const OPTIONS: &str = "/api/auth/passkeys/options";
const VERIFY: &str = "/api/auth/passkeys/verify";
const SIGN_IN: &str = "/api/auth/sign-in/passkey/options";

async fn listed(person: &Person<'_>) -> Vec<Value> {
    let listed = person.on_page("GET", PASSKEYS, &json!({})).await.expect(200);
    listed["data"].as_array().unwrap().clone()
}

async fn asked(server: &Server) -> Value {
    send(server.page_request("POST", SIGN_IN).json(&json!({}))).await.expect(200)
}

/// A person with a passkey.
async fn registered<'s>(server: &'s Server, name: &str) -> (Person<'s>, Authenticator) {
    let (person, mut phone) = (server.person(name).await, server.authenticator());
    person.register(&mut phone).await;
    (person, phone)
}

/// "POST /api/auth/passkeys/options, /verify: `WebAuthn` registration"
async fn a_passkey_is_registered_and_listed(server: Server) {
    let (ada, mut phone) = (server.person("ada").await, server.authenticator());
    assert_eq!(listed(&ada).await, [] as [Value; 0]);
    let options = ada.passkey_options().await;
    assert_id(&options["ceremony_id"], "cer_");
    time(&options["expires_at"]);
    assert_eq!(options.get("confirmation_message"), None, "there is nothing to confirm it");
    let name = json!({ "name": "Ada's phone" });
    let added = ada.add_passkey(&options, &mut phone, name).await.expect(200);
    assert_id(&added["passkey_id"], "pky_");
    let expected = json!({
        "passkey_id": added["passkey_id"], "credential_id": phone.credential_id(),
        "name": "Ada's phone", "created_at": added["created_at"], "last_used_at": null,
    });
    assert_eq!(added, expected);
    assert_eq!(listed(&ada).await, [added]);
}

/// "POST /api/auth/sign-in/passkey/options, /verify: `WebAuthn` sign-in"; the session is like a password's.
async fn a_passkey_signs_in(server: Server) {
    let (ada, mut phone) = registered(&server, "ada").await;
    let answer = server.sign_in_with(&mut phone).await;
    let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    assert!(answer.header("set-cookie").unwrap().contains("HttpOnly"));
    assert_ne!(cookie, ada.cookie, "a session of its own");
    let body = answer.expect(200);
    assert_eq!(body["account"]["account_id"], json!(ada.account_id));
    let mut again = ada.at(&server);
    again.cookie = cookie;
    crate::sign_in::renew(&mut again).await;
    assert_eq!(again.get("/v1/me").await.expect(200)["account_id"], json!(ada.account_id));
    time(&listed(&ada).await[0]["last_used_at"]);
}

/// "Relying party = host of `auth_url`"; "user verification required"; sign-in asks for no name, so that the authenticator has
/// to remember whose the passkey is.
async fn what_is_asked_is_for_this_service_and_verified_users(server: Server) {
    let (ada, phone) = registered(&server, "ada").await;
    let create = &ada.passkey_options().await["public_key"];
    assert_eq!(create["rp"]["id"], "localhost");
    assert_eq!(create["user"]["name"], json!(ada.email));
    assert_eq!(create["authenticatorSelection"]["userVerification"], "required");
    assert_eq!(create["authenticatorSelection"]["residentKey"], "required");
    assert_eq!(create["excludeCredentials"][0]["id"], json!(phone.credential_id()));
    let get = &asked(&server).await["public_key"];
    assert_eq!((&get["rpId"], &get["userVerification"]), (&json!("localhost"), &json!("required")));
    assert_eq!(get["allowCredentials"], json!([]));
    assert_ne!(get["challenge"], asked(&server).await["public_key"]["challenge"]);
}

/// "ceremonies … single use"
async fn a_registration_is_answered_once(server: Server) {
    let (ada, mut phone) = (server.person("ada").await, server.authenticator());
    let options = ada.passkey_options().await;
    ada.add_passkey(&options, &mut phone, json!({})).await.expect(200);
    let again = ada.add_passkey(&options, &mut server.authenticator(), json!({})).await;
    again.refused(409, "challenge_expired");
    assert_eq!(listed(&ada).await.len(), 1);
}

/// "ceremonies … single use": an answer that was seen on its way is worth nothing.
async fn a_sign_in_is_answered_once(server: Server) {
    let (_, mut phone) = registered(&server, "ada").await;
    let options = asked(&server).await;
    let answer = phone.get(&options);
    server.answer_sign_in(&options, answer.clone()).await.expect(200);
    server.answer_sign_in(&options, answer.clone()).await.refused(409, "challenge_expired");
    let other = asked(&server).await;
    let replayed = server.answer_sign_in(&other, answer).await;
    assert!(replayed.refused(401, "unauthorized").contains("another challenge"));
}

/// "ceremonies … single use", whatever comes of them.
async fn a_failed_try_uses_the_question_up(server: Server) {
    let (_, mut phone) = registered(&server, "ada").await;
    let options = asked(&server).await;
    phone.verifies = false;
    server.answer_sign_in(&options, phone.get(&options)).await.refused(401, "unauthorized");
    phone.verifies = true;
    let late = server.answer_sign_in(&options, phone.get(&options)).await;
    late.refused(409, "challenge_expired");
}

/// "`expires_at` 5 min"
async fn a_question_can_be_answered_for_five_minutes(server: Server) {
    let (_, mut phone) = registered(&server, "ada").await;
    let (bob, options) = (server.person("bob").await, asked(&server).await);
    let registration = bob.passkey_options().await;
    server.advance_quietly(Duration::from_mins(5) - Duration::from_millis(1));
    let later = asked(&server).await;
    server.advance_quietly(Duration::from_millis(1));
    let late = server.answer_sign_in(&options, phone.get(&options)).await;
    late.refused(409, "challenge_expired");
    let late = bob.add_passkey(&registration, &mut server.authenticator(), json!({})).await;
    late.refused(409, "challenge_expired");
    server.answer_sign_in(&later, phone.get(&later)).await.expect(200);
}

/// A ceremony is its account's, and a registration is no sign-in.
async fn the_registration_of_another_account_is_out_of_reach(server: Server) {
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    let options = ada.passkey_options().await;
    let mut phone = server.authenticator();
    eve.add_passkey(&options, &mut phone, json!({})).await.refused(409, "challenge_expired");
    let sign_in = server.answer_sign_in(&options, phone.get(&options)).await;
    sign_in.refused(409, "challenge_expired");
    ada.add_passkey(&options, &mut phone, json!({})).await.expect(200);
    assert!(listed(&eve).await.is_empty());
}

/// What an authenticator says of itself that makes its word worth nothing, with the word for it.
fn lies() -> [(&'static str, fn(&mut Authenticator)); 5] {
    [
        ("another address", |phone| phone.origin = "https://evil.example".to_owned()),
        ("another address", |phone| phone.origin = phone.origin.replace("localhost", "127.0.0.1")),
        ("another service", |phone| phone.rp_id = "evil.example".to_owned()),
        ("verify its user", |phone| phone.verifies = false),
        ("page of another site", |phone| phone.framed = true),
    ]
}

/// "wrong origin, wrong rp, no user verification" at registration.
async fn what_an_authenticator_says_is_checked_at_registration(server: Server) {
    let ada = server.person("ada").await;
    for (word, lie) in lies() {
        let mut phone = server.authenticator();
        lie(&mut phone);
        let options = ada.passkey_options().await;
        let refused = ada.add_passkey(&options, &mut phone, json!({})).await;
        assert!(refused.refused(400, "invalid_request").contains(word), "{}", refused.text);
    }
    let (options, other) = (ada.passkey_options().await, ada.passkey_options().await);
    let mut phone = server.authenticator();
    let credential = phone.create(&other);
    let mixed = json!({ "ceremony_id": options["ceremony_id"], "credential": credential });
    let refused = ada.on_page("POST", VERIFY, &mixed).await;
    assert!(refused.refused(400, "invalid_request").contains("another challenge"));
    assert!(listed(&ada).await.is_empty());
}

/// "wrong origin, wrong rp, no user verification" at sign-in, and the word of another key.
async fn what_an_authenticator_says_is_checked_at_sign_in(server: Server) {
    for (word, lie) in lies() {
        let (_, mut phone) = registered(&server, "ada").await;
        lie(&mut phone);
        let refused = server.sign_in_with(&mut phone).await;
        assert!(refused.refused(401, "unauthorized").contains(word), "{}", refused.text);
        assert_eq!(refused.header("set-cookie"), None);
    }
    let (_, mut phone) = registered(&server, "ada").await;
    let options = asked(&server).await;
    let mut forged = phone.get(&options);
    forged["response"]["signature"] =
        server.authenticator().get(&options)["response"]["signature"].clone();
    let refused = server.answer_sign_in(&options, forged).await;
    assert!(refused.refused(401, "unauthorized").contains("signature"));
    let (_, eves) = registered(&server, "eve").await;
    phone.user_handle.clone_from(&eves.user_handle);
    let refused = server.sign_in_with(&mut phone).await;
    assert!(refused.refused(401, "unauthorized").contains("another account"));
}

/// "counters checked and saved"
async fn a_counter_that_goes_back_is_a_copy(server: Server) {
    let (_, mut phone) = registered(&server, "ada").await;
    phone.counter = 10;
    server.sign_in_with(&mut phone).await.expect(200);
    for counted in [3, 10] {
        phone.counter = counted;
        let refused = server.sign_in_with(&mut phone).await;
        assert!(refused.refused(401, "unauthorized").contains("counter"));
    }
    phone.counter = 11;
    server.sign_in_with(&mut phone).await.expect(200);
}

async fn nobodys_passkey_signs_nobody_in(server: Server) {
    let mut phone = server.authenticator();
    phone.user_handle = Some("AAAAAAAAAAAAAAAAAAAAAA".to_owned());
    server.sign_in_with(&mut phone).await.refused(401, "unauthorized");
}

/// "credential id unique"
async fn a_passkey_is_one_accounts(server: Server) {
    let (_, mut phone) = registered(&server, "ada").await;
    let eve = server.person("eve").await;
    let options = eve.passkey_options().await;
    eve.add_passkey(&options, &mut phone, json!({})).await.refused(409, "conflict");
    assert!(listed(&eve).await.is_empty());
}

/// "DELETE /api/auth/passkeys/{id}"
async fn a_removed_passkey_signs_nobody_in(server: Server) {
    let (ada, mut phone) = (server.person("ada").await, server.authenticator());
    let path = format!("{PASSKEYS}/{}", ada.register(&mut phone).await);
    ada.on_page("DELETE", &path, &json!({})).await.expect(200);
    assert!(listed(&ada).await.is_empty());
    server.sign_in_with(&mut phone).await.refused(401, "unauthorized");
    ada.on_page("DELETE", &path, &json!({})).await.refused(404, "not_found");
    let options = ada.passkey_options().await;
    let again = ada.add_passkey(&options, &mut phone, json!({})).await;
    again.refused(409, "conflict");
}

/// "Not yours: 404", and nobody's without a session.
async fn passkeys_of_others_are_out_of_reach(server: Server) {
    let (ada, mut phone) = (server.person("ada").await, server.authenticator());
    let path = format!("{PASSKEYS}/{}", ada.register(&mut phone).await);
    let eve = server.person("eve").await;
    eve.on_page("DELETE", &path, &json!({})).await.refused(404, "not_found");
    assert!(listed(&eve).await.is_empty());
    for (method, path) in [("GET", PASSKEYS), ("DELETE", &path), ("POST", OPTIONS)] {
        send(server.page_request(method, path)).await.refused(401, "unauthorized");
    }
    eve.on_page("DELETE", &format!("{PASSKEYS}/7"), &json!({}))
        .await
        .refused(400, "invalid_request");
    assert_eq!(listed(&ada).await.len(), 1);
}

/// "sign-in gives a session like a password does": not to an account that the operator has shut.
async fn a_shut_account_stays_shut(server: Server) {
    let (ada, mut phone) = registered(&server, "ada").await;
    server.identity.disable_account(&ada.email).await.unwrap();
    server.sign_in_with(&mut phone).await.refused(403, "forbidden");
    server.identity.enable_account(&ada.email).await.unwrap();
    server.sign_in_with(&mut phone).await.expect(200);
}

/// "the first sealing factor needs a session under 10 minutes old"
async fn the_first_passkey_needs_a_fresh_session(server: Server) {
    let ada = server.person("ada").await;
    server.advance_quietly(Duration::from_mins(6));
    let options = ada.passkey_options().await;
    server.advance_quietly(Duration::from_mins(4));
    let late = ada.add_passkey(&options, &mut server.authenticator(), json!({})).await;
    assert!(late.refused(403, "forbidden").contains("ten minutes"));
    let late = ada.on_page("POST", OPTIONS, &json!({})).await;
    assert!(late.refused(403, "forbidden").contains("ten minutes"), "before anybody is asked");
    let sign_in = json!({ "email": ada.email, "password": PASSWORD });
    let signed_in = send(server.request("POST", "/api/auth/sign-in/email").json(&sign_in)).await;
    let mut ada = ada.at(&server);
    ada.cookie = signed_in.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    ada.register(&mut server.authenticator()).await;
}

/// "a further one [needs] the confirmation by an existing one over the new" passkey
async fn a_further_passkey_is_confirmed_by_the_first(server: Server) {
    let (ada, mut first) = registered(&server, "ada").await;
    let (_, mut eves) = registered(&server, "eve").await;
    server.advance_quietly(Duration::from_hours(1));
    let [mut second, other] = [server.authenticator(), server.authenticator()];
    let options = ada.passkey_options().await;
    let message = second.confirmation_message(&options);
    assert!(message.contains(&ada.account_id) && message.contains(&second.credential_id()));
    ada.add_passkey(&options, &mut second, json!({})).await.refused(403, "forbidden");
    let words: [fn(&Value, [&mut Authenticator; 3], &Authenticator) -> Value; 4] = [
        |options, [_, eves, second], _| eves.confirm(options, second),
        |options, [first, ..], other| first.confirm(options, other),
        |options, [first, _, second], _| {
            first.verifies = false;
            let word = first.confirm(options, second);
            first.verifies = true;
            word
        },
        |options, [_, _, second], _| {
            let copy = second.confirmation_message(options);
            json!({ "signer": Wallet::unique().address(), "signature": Wallet::unique().sign_message(&copy) })
        },
    ];
    for word in words {
        let options = ada.passkey_options().await;
        let confirmation = word(&options, [&mut first, &mut eves, &mut second], &other);
        let more = json!({ "confirmation": confirmation });
        ada.add_passkey(&options, &mut second, more).await.refused(403, "forbidden");
    }
    let options = ada.passkey_options().await;
    let more = json!({ "confirmation": first.confirm(&options, &second) });
    ada.add_passkey(&options, &mut second, more).await.expect(200);
    assert_eq!(listed(&ada).await.len(), 2);
    server.sign_in_with(&mut second).await.expect(200);
}

/// "a new sealing factor (wallet or passkey) is confirmed by an existing one"
async fn a_wallet_confirms_a_passkey(server: Server) {
    let (ada, wallet, mut phone) =
        (server.person("ada").await, Wallet::unique(), server.authenticator());
    ada.link_wallet(&wallet).await;
    let options = ada.passkey_options().await;
    ada.add_passkey(&options, &mut phone, json!({})).await.refused(403, "forbidden");
    let options = ada.passkey_options().await;
    let word = |signer: &Wallet, by: &Wallet| {
        let signature = by.sign_message(&phone.confirmation_message(&options));
        json!({ "confirmation": { "signer": signer.address(), "signature": signature } })
    };
    let (right, stranger) = (word(&wallet, &wallet), Wallet::unique());
    let wrong = [word(&stranger, &stranger), word(&wallet, &stranger)];
    ada.add_passkey(&options, &mut phone, right).await.expect(200);
    for word in wrong {
        let options = ada.passkey_options().await;
        let refused = ada.add_passkey(&options, &mut server.authenticator(), word).await;
        refused.refused(403, "forbidden");
    }
    assert_eq!(listed(&ada).await.len(), 1);
}

/// A session vouches for the first passkey, and for one only.
async fn of_two_first_passkeys_at_once_one_is_added(server: Server) {
    let ada = server.person("ada").await;
    let mut requests = Vec::new();
    for _ in 0..3 {
        let options = ada.passkey_options().await;
        let credential = server.authenticator().create(&options);
        let answer = json!({ "ceremony_id": options["ceremony_id"], "credential": credential });
        let request = server.page_request("POST", VERIFY).header("cookie", &ada.cookie);
        requests.push(request.json(&answer));
    }
    assert_eq!(all_at_once(requests).await, [200, 403, 403]);
    assert_eq!(listed(&ada).await.len(), 1);
}

/// "with http://127.0.0.1:PORT as `auth_url` passkeys are off with a clear refusal that says to open http://localhost:PORT"
async fn passkeys_need_a_page_with_a_name(server: Server) {
    let ada = server.person("ada").await;
    for path in [OPTIONS, SIGN_IN] {
        let from = |origin: &str| {
            let request = server.request("POST", path).header("cookie", &ada.cookie);
            send(request.header("origin", origin).json(&json!({})))
        };
        let refused = from(server.public_url()).await;
        assert!(refused.refused(403, "forbidden").contains(&server.passkey_origin()));
        let suggestion = refused.body["error"]["suggestion"].as_str().unwrap();
        assert_eq!(suggestion, format!("Open {}.", server.passkey_origin()));
        from("https://evil.example").await.refused(403, "forbidden");
        from(&server.passkey_origin()).await.expect(200);
    }
}

async fn bodies_are_strict(server: Server) {
    let ada = server.person("ada").await;
    let options = ada.passkey_options().await;
    let credential = server.authenticator().create(&options);
    let good = json!({ "ceremony_id": options["ceremony_id"], "credential": credential });
    for (field, value) in [
        ("credential", json!({})),
        ("credential", json!("x")),
        ("ceremony_id", json!("cer_7")),
        ("name", json!("")),
        ("confirmation", json!({ "signer": "0x" })),
        ("more", json!(1)),
    ] {
        let mut body = good.clone();
        body[field] = value;
        let refused = ada.on_page("POST", VERIFY, &body).await;
        assert!(matches!(refused.status, 400 | 409), "{field}: {}", refused.text);
    }
    let text =
        server.page_request("POST", VERIFY).header("cookie", &ada.cookie).body(good.to_string());
    assert_eq!(send(text).await.status, 415);
    let unreadable = json!({ "ceremony_id": options["ceremony_id"], "credential": {} });
    let sign_in = server.page_request("POST", "/api/auth/sign-in/passkey/verify");
    send(sign_in.json(&unreadable)).await.refused(400, "invalid_request");
    assert!(listed(&ada).await.is_empty());
}

/// "ceremonies … swept by timers"
async fn ended_ceremonies_are_forgotten(server: Server) {
    let ceremony_id = asked(&server).await["ceremony_id"].as_str().unwrap().parse().unwrap();
    let kept = async || {
        let read = server.service.db().write("test", move |tx| {
            tx.lock_passkey_ceremony(ceremony_id).map(|found| found.is_some())
        });
        let kept: Result<bool, guildhall_store::Error> = read.await;
        kept.unwrap()
    };
    server.advance(Duration::from_mins(4)).await;
    assert!(kept().await);
    server.advance(Duration::from_mins(2)).await;
    assert!(!kept().await);
}
