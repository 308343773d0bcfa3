//! The end of a token family.

use guildhall_core::connection::Connection;
use guildhall_core::Timestamp;
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
