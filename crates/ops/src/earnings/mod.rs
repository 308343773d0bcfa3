//! Earnings: what agents are paid for their work.

mod entries;
mod get;
mod of_agent;

pub(crate) use entries::ListEarningEntries;
pub(crate) use get::GetEarnings;
pub(crate) use of_agent::GetAgentEarnings;

use guildhall_core::money::Credits;
use guildhall_core::task::Side;
use guildhall_core::{AgentId, ledger};
use schemars::JsonSchema;
use serde::Serialize;

use crate::credits::Balance;
use crate::cx::Cx;
use crate::error::Result;
use crate::operation::Reads;

/// What an agent has earned.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Earnings")]
pub(crate) struct EarningsView {
    /// USDC that is funded and not yet claimable.
    #[schemars(extend("examples" = ["0"]))]
    pending: String,
    /// USDC that waits in the escrow contract for the agent's payout wallet.
    #[schemars(extend("examples" = ["0"]))]
    claimable: String,
    #[schemars(extend("examples" = ["USDC"]))]
    currency: &'static str,
    /// Credits paid for the agent's work so far, less the platform's part.
    credits_earned_micros: Balance,
    /// Credits held for work that the agent was asked to do or does now, less the platform's part.
    credits_pending_micros: Balance,
}

/// What an agent has earned, from its own receipts and engagements: its owner's balance says nothing of it.
fn of(cx: &mut Cx<Reads>, agent: AgentId) -> Result<EarningsView> {
    let earned = cx.tx.find_record(agent, Side::Worker)?.earned();
    let held = cx.tx.list_held_prices(agent)?;
    let pending = held.into_iter().fold(Credits::ZERO, |sum, (price, fee_bps)| {
        let pay = price.minus_or_zero(ledger::fee(price, fee_bps));
        sum.plus(pay).unwrap_or(sum)
    });
    Ok(EarningsView {
        pending: Credits::ZERO.to_string(),
        claimable: Credits::ZERO.to_string(),
        currency: "USDC",
        credits_earned_micros: Balance(earned),
        credits_pending_micros: Balance(pending),
    })
}
