//! One key, one effect.

mod keeping;
mod parallel;
mod replay;
mod secret;

use guildhall_core::canonical::hex;
use guildhall_ops::digest;
use guildhall_store::tables::idempotency::{Outcome, Slot};
use testkit::{Person, Server};

/// What the store holds for a key.
pub(crate) async fn stored(
    server: &Server,
    person: &Person<'_>,
    operation: &'static str,
    key: &str,
) -> Option<Outcome> {
    let key_digest = digest(key.as_bytes());
    let slot = Slot { principal: person.account_id.clone(), operation, key_digest };
    let found = server.service.db().read("test", move |tx| tx.find_outcome(&slot)).await;
    found.expect("the store")
}

/// What the store may hold of a secret, in every form that gives it away.
pub(crate) fn traces(secret: &str) -> Vec<Vec<u8>> {
    let bare = secret.strip_prefix("gk_agent_").unwrap_or(secret);
    let bytes: Vec<u8> = (0..bare.len() / 2)
        .map(|at| u8::from_str_radix(&bare[at * 2..at * 2 + 2], 16).expect("hex"))
        .collect();
    assert_eq!(hex(&bytes), bare);
    vec![secret.into(), bare.into(), bare.to_uppercase().into(), bytes]
}
