//! Forgetting what nobody can use any more.

use std::time::Duration;

use super::refresh::GRACE;
use crate::error::{Error, Result};
use crate::service::Identity;

const MOST: i64 = 1_000;
/// How long a code that was redeemed is known as one, and a family is kept that nothing refers to.
const KEPT: Duration = Duration::from_hours(24);
/// How long a spent refresh token is known as one.
const SPENT_KEPT: Duration = Duration::from_hours(7 * 24);
/// How long a client is known that nobody has allowed anything: some register long before they ask, and some never learn
/// that they were forgotten.
const UNUSED_KEPT: Duration = Duration::from_hours(90 * 24);

impl Identity {
    /// Forgets codes, tokens and clients whose time is over, a bounded number at a time.
    pub async fn sweep_oauth(&self) -> Result<()> {
        let now = self.now();
        self.db
            .write("sweep_oauth", move |tx| {
                tx.sweep_oauth_codes(now.before(KEPT), MOST)?;
                tx.sweep_oauth_refresh_tokens(now.before(GRACE), now.before(SPENT_KEPT), now, MOST)?;
                tx.sweep_oauth_families(now.before(KEPT), MOST)?;
                Ok::<_, Error>(tx.sweep_oauth_clients(now.before(UNUSED_KEPT), now.before(KEPT), MOST)?)
            })
            .await
    }
}
