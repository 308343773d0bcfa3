//! Replacing a password that was forgotten.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use guildhall_identity::{Mail, Mailer};
use serde_json::{Value, json};
use testkit::{Answer, PASSWORD, Server, on_both_engines, send, unique};

use crate::sign_in::all_at_once;

on_both_engines!(
    a_token_replaces_the_password_and_ends_every_session,
    nobody_learns_who_has_an_account,
    a_token_is_good_once,
    of_many_uses_at_once_one_counts,
    a_token_is_good_for_an_hour,
    using_one_token_makes_the_others_useless,
    a_bad_password_leaves_the_token_good,
    nobody_is_flooded_with_letters,
    a_disabled_account_gets_no_letter,
    no_token_is_stored,
);

const FORGET: &str = "/api/auth/forget-password";
const RESET: &str = "/api/auth/reset-password";
const ANOTHER: &str = "wrong mule accumulator paperclip";

/// A mailer that keeps what it is given.
#[derive(Default)]
struct Postbox(Mutex<Vec<Mail>>);

impl Mailer for Postbox {
    fn take(&self, mail: Mail) {
        self.0.lock().unwrap().push(mail);
    }
}

impl Postbox {
    fn of(server: &Server) -> Arc<Self> {
        let postbox = Arc::new(Self::default());
        server.identity.mail_by(Arc::clone(&postbox) as Arc<dyn Mailer>);
        postbox
    }

    /// The tokens of the letters that came since the last time, with their addressees.
    fn tokens(&self) -> Vec<(String, String)> {
        let letters = std::mem::take(&mut *self.0.lock().unwrap());
        let token = |mail: Mail| {
            assert!(!format!("{mail:?}").contains("token"), "a letter is for its addressee");
            let text = mail.text.reveal();
            let token = text.lines().find(|line| line.len() == 43 && !line.contains(' '));
            (mail.to, token.expect("a token").to_owned())
        };
        letters.into_iter().map(token).collect()
    }

    fn token(&self) -> String {
        let tokens = self.tokens();
        assert_eq!(tokens.len(), 1, "one letter");
        tokens[0].1.clone()
    }
}

async fn post(server: &Server, path: &str, body: &Value) -> Answer {
    send(server.request("POST", path).json(body)).await
}

async fn forget(server: &Server, email: &str) -> Answer {
    post(server, FORGET, &json!({ "email": email })).await
}

async fn reset(server: &Server, token: &str, password: &str) -> Answer {
    post(server, RESET, &json!({ "token": token, "password": password })).await
}

async fn sign_in(server: &Server, email: &str, password: &str) -> u16 {
    let body = json!({ "email": email, "password": password });
    post(server, "/api/auth/sign-in/email", &body).await.status
}

/// "e-mail verification and reset": the old password and every session it began are over.
async fn a_token_replaces_the_password_and_ends_every_session(server: Server) {
    let postbox = Postbox::of(&server);
    let (ada, eve) = (server.person("ada").await, server.person("eve").await);
    forget(&server, &ada.email.to_uppercase()).await.expect(200);
    let tokens = postbox.tokens();
    assert_eq!((tokens.len(), &tokens[0].0), (1, &ada.email));
    assert_eq!(sign_in(&server, &ada.email, PASSWORD).await, 200, "asking changes nothing");
    reset(&server, &tokens[0].1, ANOTHER).await.expect(200);
    ada.get("/v1/me").await.refused(401, "unauthorized");
    let session = server.request("GET", "/api/auth/get-session").header("cookie", &ada.cookie);
    send(session).await.refused(401, "unauthorized");
    assert_eq!(sign_in(&server, &ada.email, PASSWORD).await, 401);
    assert_eq!(sign_in(&server, &ada.email, ANOTHER).await, 200);
    eve.get("/v1/me").await.expect(200);
}

/// "Same answer always"
async fn nobody_learns_who_has_an_account(server: Server) {
    let postbox = Postbox::of(&server);
    let ada = server.person("ada").await;
    let known = forget(&server, &ada.email).await;
    let unknown = forget(&server, &format!("{}@example.test", unique("nobody"))).await;
    assert_eq!((known.status, &known.text), (200, &unknown.text));
    assert_eq!(known.status, unknown.status);
    assert_eq!(postbox.tokens().len(), 1);
    forget(&server, "no address").await.refused(400, "invalid_request");
}

/// "Tokens single use": used, expired and made-up ones are answered alike.
async fn a_token_is_good_once(server: Server) {
    let postbox = Postbox::of(&server);
    let ada = server.person("ada").await;
    forget(&server, &ada.email).await.expect(200);
    let token = postbox.token();
    reset(&server, &token, ANOTHER).await.expect(200);
    let again = reset(&server, &token, PASSWORD).await;
    again.refused(409, "challenge_expired");
    for made_up in ["", "x", &"A".repeat(43), &"x".repeat(5_000)] {
        assert_eq!(reset(&server, made_up, PASSWORD).await.text, again.text);
    }
    assert_eq!(sign_in(&server, &ada.email, ANOTHER).await, 200);
}

/// The same, however many come at the same moment.
async fn of_many_uses_at_once_one_counts(server: Server) {
    let postbox = Postbox::of(&server);
    let ada = server.person("ada").await;
    forget(&server, &ada.email).await.expect(200);
    let body = json!({ "token": postbox.token(), "password": ANOTHER });
    let requests = (0..6).map(|_| server.request("POST", RESET).json(&body));
    assert_eq!(all_at_once(requests).await, [200, 409, 409, 409, 409, 409]);
}

/// "1 h"
async fn a_token_is_good_for_an_hour(server: Server) {
    let postbox = Postbox::of(&server);
    let ada = server.person("ada").await;
    forget(&server, &ada.email).await.expect(200);
    server.advance_quietly(Duration::from_secs(3_598));
    let token = postbox.token();
    reset(&server, &token, "short").await.refused(400, "invalid_request");
    server.advance_quietly(Duration::from_secs(2));
    reset(&server, &token, ANOTHER).await.refused(409, "challenge_expired");
    assert_eq!(sign_in(&server, &ada.email, PASSWORD).await, 200);
}

/// What lies in an old letter is worth nothing once the password is a new one.
async fn using_one_token_makes_the_others_useless(server: Server) {
    let postbox = Postbox::of(&server);
    let ada = server.person("ada").await;
    forget(&server, &ada.email).await.expect(200);
    forget(&server, &ada.email).await.expect(200);
    let tokens = postbox.tokens();
    reset(&server, &tokens[1].1, ANOTHER).await.expect(200);
    reset(&server, &tokens[0].1, PASSWORD).await.refused(409, "challenge_expired");
}

/// "password 10–256 chars, refused if in the bundled common-password list", and nothing has changed then.
async fn a_bad_password_leaves_the_token_good(server: Server) {
    let postbox = Postbox::of(&server);
    let ada = server.person("ada").await;
    forget(&server, &ada.email).await.expect(200);
    let token = postbox.token();
    for bad in ["short", "password123", &ada.email] {
        let reason = reset(&server, &token, bad).await.refused(400, "invalid_request");
        assert!(reason.starts_with("password: "), "{reason}");
    }
    ada.get("/v1/me").await.expect(200);
    reset(&server, &token, ANOTHER).await.expect(200);
}

/// However often somebody asks, an account gets three letters an hour.
async fn nobody_is_flooded_with_letters(server: Server) {
    let postbox = Postbox::of(&server);
    let ada = server.person("ada").await;
    for _ in 0..5 {
        forget(&server, &ada.email).await.expect(200);
    }
    assert_eq!(postbox.tokens().len(), 3);
    server.advance_quietly(Duration::from_secs(3_600));
    forget(&server, &ada.email).await.expect(200);
    assert_eq!(postbox.tokens().len(), 1);
}

/// What the operator has shut is not opened by a letter.
async fn a_disabled_account_gets_no_letter(server: Server) {
    let postbox = Postbox::of(&server);
    let ada = server.person("ada").await;
    forget(&server, &ada.email).await.expect(200);
    let token = postbox.token();
    server.identity.disable_account(&ada.email).await.unwrap();
    forget(&server, &ada.email).await.expect(200);
    assert!(postbox.tokens().is_empty());
    reset(&server, &token, ANOTHER).await.expect(200);
    assert_eq!(sign_in(&server, &ada.email, ANOTHER).await, 403);
}

/// "Digests only": who reads the database cannot replace a password.
async fn no_token_is_stored(server: Server) {
    let postbox = Postbox::of(&server);
    let ada = server.person("ada").await;
    forget(&server, &ada.email).await.expect(200);
    let token = postbox.token();
    let digest = guildhall_ops::digest(token.as_bytes());
    let now = server.clock.now();
    let found = server.service.db().read("test", move |tx| tx.find_password_reset(&digest, now));
    let found: Result<_, guildhall_store::Error> = found.await;
    let row = found.unwrap().expect("the digest is what it is found by");
    assert!(!format!("{row:?}").contains(&token));
    assert_eq!(row.account_id.to_string(), ada.account_id);
}
