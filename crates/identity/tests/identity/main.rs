//! Accounts and sessions over a real database: what a browser, an attacker and an operator see.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod world;

use std::sync::Arc;
use std::time::Duration;

use guildhall_core::{Code, Secret, SessionId};
use guildhall_identity::{Error, Identity, Invalid, SignedIn};
use guildhall_store::Db;
use guildhall_store::tables::session::HeldSession;

use crate::world::World;

const EMAIL: &str = "Ada@Example.org";
const PASSWORD: &str = "otter violin march";
const DAY: Duration = Duration::from_hours(24);

on_both_engines![
    signing_up_signs_in_and_signing_in_gives_another_session,
    an_address_has_one_account_in_whatever_case_and_however_fast,
    what_cannot_be_an_account_is_refused_with_its_field,
    unknown_addresses_and_wrong_passwords_are_answered_alike,
    guessing_gets_slower_on_every_node_and_success_forgives,
    guesses_at_once_are_answered_no_more_than_guesses_in_turn,
    a_session_slides_while_it_is_used_and_dies_when_it_is_not,
    owners_see_and_end_their_own_sessions_only,
    operators_create_shut_open_and_reset_accounts,
    tokens_outlive_one_rotation_and_not_two,
    a_rotation_by_another_process_is_noticed,
    unknown_keys_are_looked_for_once_a_second,
    two_first_starts_at_once_make_one_key,
    rotations_at_once_leave_one_current_key,
    another_server_key_opens_nothing_and_says_why,
];

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

async fn sign_up(identity: &Identity) -> SignedIn {
    identity.sign_up(EMAIL, &secret(PASSWORD), "Ada", "Firefox").await.unwrap()
}

async fn sign_in(identity: &Identity, email: &str, password: &str) -> Result<SignedIn, Error> {
    identity.sign_in(email, &secret(password), "Firefox").await
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> Code {
    result.unwrap_err().refusal.code
}

async fn signing_up_signs_in_and_signing_in_gives_another_session(world: Arc<World>) {
    let identity = world.process().await;
    let first = sign_up(&identity).await;
    assert_eq!(first.account.email, EMAIL);
    assert_eq!(first.expires_at, world.now().after(30 * DAY));
    let second = sign_in(&identity, "ada@EXAMPLE.org", PASSWORD).await.unwrap();
    assert_eq!(second.account, first.account);
    assert_ne!(second.cookie, first.cookie, "no session is carried over a sign-in");
    for signed_in in [&first, &second] {
        let (account, session) = identity.session(&signed_in.cookie).await.unwrap().unwrap();
        assert_eq!(
            (account, session.session_id),
            (signed_in.account.clone(), signed_in.session_id)
        );
        assert!(session.current);
    }
    assert!(!format!("{first:?}").contains(first.cookie.reveal()));
    assert!(identity.session(&secret("forged")).await.unwrap().is_none());
}

async fn an_address_has_one_account_in_whatever_case_and_however_fast(world: Arc<World>) {
    let identity = world.process().await;
    let tries = (0..8).map(|number| {
        let identity = Arc::clone(&identity);
        let email = if number % 2 == 0 { "bob@example.org" } else { "BOB@example.org" };
        tokio::spawn(async move { identity.sign_up(email, &secret(PASSWORD), "Bob", "").await })
    });
    let mut made = 0;
    for attempt in tries.collect::<Vec<_>>() {
        match attempt.await.unwrap() {
            Ok(_) => made += 1,
            Err(error) => assert_eq!(error.refusal.code, Code::Conflict),
        }
    }
    assert_eq!(made, 1);
}

async fn what_cannot_be_an_account_is_refused_with_its_field(world: Arc<World>) {
    let identity = world.process().await;
    let cases = [
        ("nobody", PASSWORD, "Ada", "email:"),
        (EMAIL, "short", "Ada", "password:"),
        (EMAIL, "password123", "Ada", "password:"),
        (EMAIL, PASSWORD, "  ", "name:"),
        (EMAIL, PASSWORD, "A\u{202E}da", "name:"),
    ];
    for (email, password, name, field) in cases {
        let error = identity.sign_up(email, &secret(password), name, "").await.unwrap_err();
        assert_eq!(error.refusal.code, Code::InvalidRequest);
        assert!(error.refusal.reason.starts_with(field), "{}", error.refusal.reason);
    }
}

async fn unknown_addresses_and_wrong_passwords_are_answered_alike(world: Arc<World>) {
    let identity = world.process().await;
    sign_up(&identity).await;
    let long = "x".repeat(300);
    for attempt in 1..=14 {
        let wrong = sign_in(&identity, EMAIL, "otter violin april").await.unwrap_err();
        let unknown =
            sign_in(&identity, "eve@example.org", "otter violin april").await.unwrap_err();
        assert_eq!(wrong.refusal, unknown.refusal, "attempt {attempt}");
        assert_eq!(wrong.retry_after_seconds, unknown.retry_after_seconds, "attempt {attempt}");
        let expected = if attempt <= 10 { Code::Unauthorized } else { Code::RateLimited };
        assert_eq!(wrong.refusal.code, expected, "attempt {attempt}");
    }
    assert_eq!(code(sign_in(&identity, "x@example.org", &long).await), Code::Unauthorized);
}

async fn guessing_gets_slower_on_every_node_and_success_forgives(world: Arc<World>) {
    let nodes = [world.process().await, world.process().await];
    sign_up(&nodes[0]).await;
    for attempt in 0..10 {
        let refused = sign_in(&nodes[attempt % 2], EMAIL, "wrong wrong wrong").await;
        assert_eq!(code(refused), Code::Unauthorized);
    }
    for wait in [1, 2, 4, 8] {
        for node in &nodes {
            let error = sign_in(node, EMAIL, PASSWORD).await.unwrap_err();
            assert_eq!(error.refusal.code, Code::RateLimited, "even the right one waits");
            assert_eq!(error.retry_after_seconds, Some(wait));
        }
        world.pass(Duration::from_secs(wait.into()));
        let refused = sign_in(&nodes[1], EMAIL, "wrong wrong wrong").await;
        assert_eq!(code(refused), Code::Unauthorized);
    }
    world.pass(Duration::from_secs(16));
    sign_in(&nodes[0], EMAIL, PASSWORD).await.unwrap();
    let refused = sign_in(&nodes[0], EMAIL, "wrong wrong wrong").await;
    assert_eq!(code(refused), Code::Unauthorized, "counted anew");
    sign_in(&nodes[0], EMAIL, PASSWORD).await.unwrap();
}

async fn guesses_at_once_are_answered_no_more_than_guesses_in_turn(world: Arc<World>) {
    let identity = world.process().await;
    sign_up(&identity).await;
    let guesses = (0..40).map(|_| {
        let identity = Arc::clone(&identity);
        tokio::spawn(async move { sign_in(&identity, EMAIL, "wrong wrong wrong").await })
    });
    let mut answered = 0;
    for guess in guesses.collect::<Vec<_>>() {
        answered += u32::from(code(guess.await.unwrap()) == Code::Unauthorized);
    }
    assert_eq!(answered, 10);
}

async fn a_session_slides_while_it_is_used_and_dies_when_it_is_not(world: Arc<World>) {
    let identity = world.process().await;
    let signed_in = sign_up(&identity).await;
    let born = world.now();
    world.pass(Duration::from_millis(3_599_999));
    let (_, session) = identity.session(&signed_in.cookie).await.unwrap().unwrap();
    assert_eq!((session.last_seen_at, session.expires_at), (born, born.after(30 * DAY)));
    for _ in 0..3 {
        world.pass(20 * DAY);
        let (_, session) = identity.session(&signed_in.cookie).await.unwrap().unwrap();
        assert_eq!(session.last_seen_at, world.now());
        let [listed] = &identity.sessions(&signed_in.cookie).await.unwrap()[..] else { panic!() };
        assert_eq!(listed, &session, "the slide was written");
    }
    world.pass(30 * DAY);
    assert!(identity.session(&signed_in.cookie).await.unwrap().is_none());
    assert_eq!(code(identity.token(&signed_in.cookie).await), Code::Unauthorized);
    assert_eq!(code(identity.sessions(&signed_in.cookie).await), Code::Unauthorized);

    let db = Db::open(&world.config).await.unwrap();
    let session_id = signed_in.session_id;
    for (later, kept) in [(Duration::ZERO, true), (31 * DAY, false)] {
        world.pass(later);
        identity.sweep_sessions().await.unwrap();
        let row = db.read("test", move |tx| tx.find_session(session_id)).await;
        let row: Option<HeldSession> = row.map_err(Error::from).unwrap();
        assert_eq!(row.is_some(), kept);
    }
}

async fn owners_see_and_end_their_own_sessions_only(world: Arc<World>) {
    let identity = world.process().await;
    let phone = sign_up(&identity).await;
    let laptop = identity.sign_in(EMAIL, &secret(PASSWORD), "Chrome\n<script>").await.unwrap();
    let eve = identity.sign_up("eve@example.org", &secret(PASSWORD), "Eve", "").await.unwrap();
    let listed = identity.sessions(&laptop.cookie).await.unwrap();
    let seen: Vec<(SessionId, bool)> =
        listed.iter().map(|session| (session.session_id, session.current)).collect();
    assert_eq!(seen, [(laptop.session_id, true), (phone.session_id, false)]);
    assert_eq!(listed[0].user_agent, "Chrome<script>");
    assert_eq!(code(identity.end_session(&eve.cookie, phone.session_id).await), Code::NotFound);
    identity.end_session(&laptop.cookie, phone.session_id).await.unwrap();
    assert!(identity.session(&phone.cookie).await.unwrap().is_none());
    assert!(identity.session(&laptop.cookie).await.unwrap().is_some());
    assert_eq!(code(identity.end_session(&laptop.cookie, phone.session_id).await), Code::NotFound);
    assert_eq!(
        code(identity.end_session(&phone.cookie, laptop.session_id).await),
        Code::Unauthorized
    );
    identity.sign_out(&laptop.cookie).await.unwrap();
    identity.sign_out(&laptop.cookie).await.unwrap();
    assert!(identity.session(&laptop.cookie).await.unwrap().is_none());
    assert!(identity.session(&eve.cookie).await.unwrap().is_some());
}

async fn operators_create_shut_open_and_reset_accounts(world: Arc<World>) {
    let identity = world.process().await;
    let made = identity.create_account(EMAIL, &secret(PASSWORD), "Ada").await.unwrap();
    assert_eq!(identity.find_account("ada@example.org").await.unwrap(), Some(made));
    assert_eq!(identity.find_account("eve@example.org").await.unwrap(), None);
    let signed_in = sign_in(&identity, EMAIL, PASSWORD).await.unwrap();

    identity.disable_account(EMAIL).await.unwrap();
    assert!(identity.session(&signed_in.cookie).await.unwrap().is_none());
    assert_eq!(code(sign_in(&identity, EMAIL, PASSWORD).await), Code::Forbidden);
    assert_eq!(code(sign_in(&identity, EMAIL, "wrong wrong wrong").await), Code::Unauthorized);
    identity.enable_account(EMAIL).await.unwrap();
    assert!(identity.session(&signed_in.cookie).await.unwrap().is_none(), "it had ended");

    let signed_in = sign_in(&identity, EMAIL, PASSWORD).await.unwrap();
    identity.set_password(EMAIL, &secret("violin otter march")).await.unwrap();
    assert!(identity.session(&signed_in.cookie).await.unwrap().is_none());
    assert_eq!(code(sign_in(&identity, EMAIL, PASSWORD).await), Code::Unauthorized);
    sign_in(&identity, EMAIL, "violin otter march").await.unwrap();
    let unknown = identity.set_password("eve@example.org", &secret("violin otter march")).await;
    assert_eq!(code(unknown), Code::NotFound);
}

async fn tokens_outlive_one_rotation_and_not_two(world: Arc<World>) {
    let identity = world.process().await;
    let signed_in = sign_up(&identity).await;
    let old = identity.token(&signed_in.cookie).await.unwrap();
    let first = kids(&identity).await;
    assert_eq!(first.len(), 1);
    let second = identity.rotate_keys().await.unwrap();
    assert_eq!(kids(&identity).await, [second.clone(), first[0].clone()]);
    let claims = identity.tokens().verify(old.token.reveal(), world.now()).await.unwrap();
    assert_eq!(claims.session_id, signed_in.session_id);
    let third = identity.rotate_keys().await.unwrap();
    let published = [third, second, first[0].clone()];
    assert_eq!(kids(&identity).await, published, "receipts are checked with old keys too");
    let verified = identity.tokens().verify(old.token.reveal(), world.now()).await;
    assert_eq!(verified, Err(Invalid), "although it was remembered");
}

async fn a_rotation_by_another_process_is_noticed(world: Arc<World>) {
    let (server, admin) = (world.process().await, world.process().await);
    assert_eq!(kids(&server).await, kids(&admin).await, "the second start makes no second key");
    let (first, signed_in) = (kids(&server).await, sign_up(&server).await);
    let fresh = admin.rotate_keys().await.unwrap();
    let token = admin.token(&signed_in.cookie).await.unwrap();
    let verified = server.tokens().verify(token.token.reveal(), world.now()).await;
    assert_eq!(verified.unwrap().session_id, signed_in.session_id);

    let next = admin.rotate_keys().await.unwrap();
    let minted = server.token(&signed_in.cookie).await.unwrap();
    let verified = admin.tokens().verify(minted.token.reveal(), world.now()).await;
    assert!(verified.is_ok(), "the server signs with the new key at once");
    assert_eq!(kids(&server).await, [&[next, fresh], first.as_slice()].concat());
}

async fn unknown_keys_are_looked_for_once_a_second(world: Arc<World>) {
    let (server, admin) = (world.process().await, world.process().await);
    let signed_in = sign_up(&server).await;
    for _ in 0..2 {
        admin.rotate_keys().await.unwrap();
        let token = admin.token(&signed_in.cookie).await.unwrap();
        let first = server.tokens().verify(token.token.reveal(), world.now()).await;
        admin.rotate_keys().await.unwrap();
        let token = admin.token(&signed_in.cookie).await.unwrap();
        let second = server.tokens().verify(token.token.reveal(), world.now()).await;
        assert!(first.is_ok() && second.is_err());
        world.pass(Duration::from_secs(1));
        assert!(server.tokens().verify(token.token.reveal(), world.now()).await.is_ok());
        world.pass(Duration::from_secs(1));
    }
}

async fn two_first_starts_at_once_make_one_key(world: Arc<World>) {
    let (one, two) = tokio::join!(world.process(), world.process());
    assert_eq!(kids(&one).await.len(), 1);
    assert_eq!(kids(&one).await, kids(&two).await);
}

async fn rotations_at_once_leave_one_current_key(world: Arc<World>) {
    let nodes = [world.process().await, world.process().await];
    let rotations = (0..8).map(|number| {
        let node = Arc::clone(&nodes[number % 2]);
        tokio::spawn(async move { node.rotate_keys().await })
    });
    for rotation in rotations.collect::<Vec<_>>() {
        rotation.await.unwrap().unwrap();
    }
    let db = Db::open(&world.config).await.unwrap();
    let rows = db.read("test", |tx| tx.list_signing_keys(100)).await.map_err(Error::from).unwrap();
    assert_eq!(rows.len(), 9);
    assert_eq!(rows.iter().filter(|key| key.retired_at.is_none()).count(), 1);
}

async fn another_server_key_opens_nothing_and_says_why(world: Arc<World>) {
    world.process().await;
    let error = world.process_with([8; 32]).await.err().unwrap();
    assert_eq!(error.refusal.code, Code::Internal);
    assert!(error.cause().unwrap().contains("the server key is not the one it was sealed with"));
}

/// Nothing on disk lets its reader sign in or sign tokens.
#[tokio::test]
async fn the_database_holds_no_secret_in_the_clear() {
    world::on_sqlite(holds_no_secret_in_the_clear).await;
}

async fn holds_no_secret_in_the_clear(world: Arc<World>) {
    let identity = world.process().await;
    let signed_in = sign_up(&identity).await;
    let token = identity.token(&signed_in.cookie).await.unwrap();
    drop(identity);
    let secrets = [PASSWORD, signed_in.cookie.reveal(), token.token.reveal()];
    let mut looked_at = 0;
    for entry in std::fs::read_dir(world.folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        looked_at += usize::from(contains(&bytes, b"ada@example.org"));
        for secret in secrets {
            assert!(!contains(&bytes, secret.as_bytes()));
        }
    }
    assert!(looked_at > 0, "the files are the right ones");
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

async fn kids(identity: &Identity) -> Vec<String> {
    let jwks = identity.jwks().await.unwrap();
    let keys = jwks["keys"].as_array().unwrap();
    keys.iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}
