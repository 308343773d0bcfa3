//! `guildhall admin credits …` and `guildhall admin ledger …`.

use guildhall_core::Timestamp;
use guildhall_core::ledger::{Holdings, Report};
use guildhall_core::money::Credits;
use guildhall_identity::Identity;
use guildhall_ops::grant_credits;
use guildhall_store::{self as store, Db};
use serde_json::json;

use super::admin::refused;
use crate::failure::Failure;
use crate::output;

/// Gives credits to an account, and tells what it has then.
pub(super) async fn grant(
    (db, identity): (&Db, &Identity),
    now: Timestamp,
    email: &str,
    amount: Credits,
    json: bool,
) -> Result<(), Failure> {
    let account = identity.find_account(email).await.map_err(refused)?;
    let account = account.ok_or_else(|| Failure::new(format!("there is no account {email}")))?;
    let granted = grant_credits(db, now, account.account_id, amount).await;
    let Holdings { available, reserved, held } =
        granted.map_err(|error| Failure::of_service("grant", &error))?;
    if !json {
        return output::line(&format!("{} now has {available} credits", account.email));
    }
    output::json(&json!({
        "account_id": account.account_id,
        "email": account.email,
        "granted_micros": amount.micros().to_string(),
        "available_micros": available.micros().to_string(),
        "reserved_micros": reserved.micros().to_string(),
        "held_micros": held.micros().to_string(),
    }))
}

/// Checks the whole ledger, and fails with the first entry that is not as it must be.
pub(super) async fn verify(db: &Db, json: bool) -> Result<(), Failure> {
    #[expect(clippy::redundant_closure_for_method_calls, reason = "a method is not general enough")]
    let audited = db.read("ledger.audit", |tx| tx.audit_ledger()).await;
    let report: Report =
        audited.map_err(|error: store::Error| Failure::new(format!("the ledger: {error}")))?;
    if json {
        output::json(&report)?;
    } else {
        output::text(&report.to_string())?;
    }
    match report.first_finding {
        None => Ok(()),
        Some(first) => Err(Failure::new(format!("the ledger is broken: {first}")).hint(
            "stop the service, keep a copy of the database, and compare it with the last good backup",
        )),
    }
}
