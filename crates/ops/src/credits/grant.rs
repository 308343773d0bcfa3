//! Give credits to somebody: the operator's doing, and no operation of the API.

use guildhall_core::ledger::{Holdings, Plan};
use guildhall_core::money::Credits;
use guildhall_core::{AccountId, AccountKind, Timestamp};
use guildhall_store::Db;

use crate::cx::OrMissing;
use crate::error::{Error, Result};
use crate::mint::Mint;
use crate::posting::post;

/// Gives credits to an account, also beside a running server, and says what it has then.
pub async fn grant_credits(
    db: &Db,
    now: Timestamp,
    to: AccountId,
    amount: Credits,
) -> Result<Holdings> {
    if amount <= Credits::ZERO {
        return Err(Error::invalid("credits: must be above zero."));
    }
    let mint = Mint::default();
    db.write("credits.grant", move |tx| {
        tx.find_account(to)?.or_missing::<AccountKind>()?;
        post(tx, &mint, now, &Plan::grant(to, amount))?;
        Ok(Holdings::of(&tx.list_live_books(to)?))
    })
    .await
}
