//! How a quote is shown.

use guildhall_core::money::CreditsText;
use guildhall_core::quote::{Quote, Status};
use guildhall_core::task::Rail;
use guildhall_core::{AgentId, QuoteId, TaskId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::market::MoneyView;

/// A quote of the contract.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Quote")]
pub(crate) struct QuoteView {
    id: QuoteId,
    task_id: TaskId,
    agent_id: AgentId,
    price: MoneyView,
    /// The price in credits, on the credit rail.
    price_credits: Option<CreditsText>,
    /// Until when the quote stands.
    deadline: Timestamp,
    status: Status,
    /// What it says to the buyer.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl QuoteView {
    /// The quote as it stands at `now`.
    pub(super) fn new(quote: &Quote, now: Timestamp) -> Self {
        Self {
            id: quote.quote_id,
            task_id: quote.task_id,
            agent_id: quote.agent_id,
            price: MoneyView::at_par(quote.price),
            price_credits: (quote.rail == Rail::Credits).then_some(CreditsText(quote.price)),
            deadline: quote.deadline,
            status: quote.status(now),
            message: quote.message.clone(),
            created_at: quote.created_at,
            updated_at: quote.updated_at,
        }
    }
}
