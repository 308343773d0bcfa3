//! `guildhall admin pause …` and `guildhall admin resume …`: the operator's switches.

use guildhall_core::Timestamp;
use guildhall_ops::SPENDING_SWITCH;
use guildhall_store::tables::switch::Switch;
use guildhall_store::{self as store, Db};
use serde_json::json;

use crate::cli::Reason;
use crate::failure::Failure;
use crate::output;

/// Stops all spending by agents, and tells how it is then.
pub(super) async fn spending(
    db: &Db,
    now: Timestamp,
    reason: &Reason,
    json: bool,
) -> Result<(), Failure> {
    let reason = reason.to_string();
    let on = db.write("switch_on", move |tx| tx.switch_on(SPENDING_SWITCH, &reason, now)).await;
    on.map_err(failed)?;
    status(db, json).await
}

/// Lets agents spend again, and tells how it is then. What was not stopped simply goes on.
pub(super) async fn resume_spending(db: &Db, json: bool) -> Result<(), Failure> {
    let off = db.write("switch_off", |tx| tx.switch_off(SPENDING_SWITCH)).await;
    off.map_err(failed)?;
    status(db, json).await
}

/// Tells whether agents may spend.
pub(super) async fn status(db: &Db, json: bool) -> Result<(), Failure> {
    let found = db.read("switch", |tx| tx.show_switch(SPENDING_SWITCH)).await;
    let found: Option<Switch> = found.map_err(failed)?;
    if json {
        let (reason, since) = found.map(|switch| (switch.reason, switch.since)).unzip();
        let spending = json!({ "paused": reason.is_some(), "reason": reason, "since": since });
        return output::json(&json!({ "spending": spending }));
    }
    match found {
        None => output::line("spending by agents goes on"),
        Some(Switch { reason, since }) => {
            output::line(&format!("spending by agents is paused since {since}: {reason}"))
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err takes")]
fn failed(error: store::Error) -> Failure {
    Failure::new(format!("the switches: {error}"))
}
