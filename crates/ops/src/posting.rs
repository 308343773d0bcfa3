//! Moves credits: the one way from an operation, a timer or the operator to the ledger.

use guildhall_core::ledger::{Fault, Plan};
use guildhall_core::{Timestamp, TransferId};
use guildhall_store::Tx;

use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::mint::Mint;
use crate::operation::Writes;

/// Makes the transfers of a plan, all or none, and gives their ids in the plan's order.
pub(crate) fn post(
    tx: &mut Tx<'_>,
    mint: &Mint,
    now: Timestamp,
    plan: &Plan,
) -> Result<Vec<TransferId>> {
    let posting = plan.number(now, || mint.id(now))?;
    tx.post::<Error>(&posting)?;
    Ok(posting.ids())
}

impl Cx<'_, '_, Writes> {
    /// Makes the transfers of a plan, all or none, and gives their ids in the plan's order.
    pub(crate) fn post(&mut self, plan: &Plan) -> Result<Vec<TransferId>> {
        post(self.tx, &self.setting.env.mint, self.now, plan)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused(refusal) => refusal.into(),
            Fault::Broken(what) => Self::internal(format!("the ledger: {what}")),
        }
    }
}
