//! The end of a token family.

use guildhall_core::Timestamp;
use guildhall_core::connection::{Connection, TOKENS_ENDED};
use guildhall_store::tables::timer::Timer;
use guildhall_store::{Locked, Tx};

/// Ends the tokens of a connection: those that refresh are forgotten, those that give access die with the epoch.
pub(super) fn end<'c>(
    tx: &mut Tx<'c>,
    mut connection: Locked<'c, Connection>,
    now: Timestamp,
) -> guildhall_store::Result<()> {
    tx.end_oauth_families(connection.connection_id, now)?;
    end_access(tx, &mut connection)
}

/// Ends the tokens of a connection because one came back that had been used: two hold it, and its owner should know.
pub(super) fn end_reused<'c>(
    tx: &mut Tx<'c>,
    connection: Locked<'c, Connection>,
    now: Timestamp,
) -> guildhall_store::Result<()> {
    let connection_id = connection.connection_id;
    tracing::warn!(%connection_id, "a token that had been used came back, so the connection's tokens are ended");
    tx.set_timer(&Timer {
        due_at: now,
        kind: TOKENS_ENDED.to_owned(),
        subject_id: connection_id.to_string(),
        epoch: i64::from(connection.grant.epoch) + 1,
    })?;
    end(tx, connection, now)
}

/// Ends the access tokens of a connection. Its client refreshes.
pub(super) fn end_access<'c>(
    tx: &mut Tx<'c>,
    connection: &mut Locked<'c, Connection>,
) -> guildhall_store::Result<()> {
    match connection.end_tokens() {
        Some(step) => tx.apply(connection, step),
        None => Ok(()),
    }
}
