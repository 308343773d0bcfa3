//! Forgetting codes, tokens and clients of the authorization server that nobody can use any more.

use std::time::Duration;

use guildhall_core::Timestamp;
use guildhall_store::Tx;

use crate::error::Result;

/// How long the successor of a spent refresh token is kept: longer than a lost answer can be asked for again.
const SUCCESSOR_KEPT: Duration = Duration::from_mins(1);
/// How long a code that was redeemed is known as one, and a family or a document is kept that nobody refers to.
const KEPT: Duration = Duration::from_hours(24);
/// How long a spent refresh token is known as one.
const SPENT_KEPT: Duration = Duration::from_hours(7 * 24);
/// How long a client is known that nobody has allowed anything: some register long before they ask, and some never learn
/// that they were forgotten.
const UNUSED_KEPT: Duration = Duration::from_hours(90 * 24);

/// Forgets what is over, at most `most` of each kind.
pub(crate) fn sweep_oauth(tx: &mut Tx<'_>, now: Timestamp, most: i64) -> Result<()> {
    tx.sweep_oauth_codes(now.before(KEPT), most)?;
    let (graced, spent) = (now.before(SUCCESSOR_KEPT), now.before(SPENT_KEPT));
    tx.sweep_oauth_refresh_tokens(graced, spent, now, most)?;
    tx.sweep_oauth_families(now.before(KEPT), most)?;
    Ok(tx.sweep_oauth_clients(now.before(UNUSED_KEPT), now.before(KEPT), most)?)
}
