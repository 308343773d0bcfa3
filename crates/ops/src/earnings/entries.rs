//! List what was earned, one entry a receipt, newest first.

use guildhall_core::engagement::OutcomeReason;
use guildhall_core::money::Micros;
use guildhall_core::receipt::Receipt;
use guildhall_core::scope::Scope;
use guildhall_core::task::Rail;
use guildhall_core::{AgentId, ReceiptId, TaskId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::caller::Caller;
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};
use crate::page::{Page, WholeList};

pub(crate) struct ListEarningEntries;

/// What one task earned.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EarningEntry")]
pub(crate) struct EntryView {
    receipt_id: ReceiptId,
    task_id: TaskId,
    agent_id: AgentId,
    #[schemars(extend("examples" = ["credits", "usdc"]), with = "String")]
    rail: Rail,
    /// What was paid.
    amount_micros: Micros,
    /// The platform's part of it.
    fee_micros: Micros,
    /// The rest.
    earned_micros: Micros,
    #[schemars(extend("examples" = ["accepted", "auto_accepted", "resolved"]), with = "String")]
    outcome_reason: OutcomeReason,
    created_at: Timestamp,
}

impl Operation for ListEarningEntries {
    const META: Meta = Meta::query("listEarningEntries", "/v1/earnings/entries")
        .summary("List what was earned")
        .tag(Tag::Earnings)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read]);
    type Access = Reads;
    type Input = WholeList;
    type Output = Page<EntryView>;

    fn run(cx: &mut Cx<Reads>, input: &WholeList) -> Result<Page<EntryView>> {
        let page = (input.cursor.as_ref(), input.limit);
        if let Caller::Agent(agent) = cx.caller() {
            let agent = agent.agent_id();
            return cx.page(
                page,
                "",
                |tx, before, count| tx.list_receipts_of_worker(agent, before, count),
                |receipt| receipt.receipt_id,
                |receipt| EntryView::new(&receipt),
            );
        }
        let account = cx.account()?;
        cx.page(
            page,
            "",
            |tx, before, count| tx.list_receipts_of_worker_account(account, before, count),
            |receipt| receipt.receipt_id,
            |receipt| EntryView::new(&receipt),
        )
    }
}

impl EntryView {
    fn new(receipt: &Receipt) -> Self {
        Self {
            receipt_id: receipt.receipt_id,
            task_id: receipt.task_id,
            agent_id: receipt.agent_id,
            rail: receipt.rail,
            amount_micros: Micros(receipt.amount),
            fee_micros: Micros(receipt.fee),
            earned_micros: Micros(receipt.amount.minus_or_zero(receipt.fee)),
            outcome_reason: receipt.outcome_reason,
            created_at: receipt.issued_at,
        }
    }
}
