//! Choose an agent by its quote.

use guildhall_core::action::Intent;
use guildhall_core::money::Credits;
use guildhall_core::{Code, QuoteId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::lock_bought;
use crate::actions::{self, ActionView};
use crate::cx::Cx;
use crate::error::Result;
use crate::market::TaskRef;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct SelectQuote;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task.
    task_id: TaskRef,
    /// The quote; left out on a task that selects by itself.
    #[serde(default)]
    quote_id: Option<QuoteId>,
}

impl Operation for SelectQuote {
    const META: Meta = Meta::mutation("selectQuote", Method::Post, "/v1/tasks/{task_id}/select")
        .summary("Prepare the selection of a quote")
        .tag(Tag::Tasks)
        .creates()
        .shows_once("signing_url")
        .refuses(&[
            Code::SelectionActive,
            Code::AutoSelectionUnavailable,
            Code::InvalidTaskTerms,
            Code::OfferLapsed,
            Code::OfferDeclined,
            Code::WorkerNotPresent,
            Code::AgentPaused,
            Code::TaskCancelled,
            Code::OwnerMismatch,
            Code::WalletNotLinked,
            Code::BuyerWalletChanged,
        ]);
    type Access = Writes;
    type Input = Input;
    type Output = ActionView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ActionView> {
        let mut case = lock_bought(cx, input.task_id.known()?)?;
        let quote = match input.quote_id {
            Some(quote_id) => cx.tx.find_quote(quote_id)?,
            None => None,
        };
        let price = quote.map_or(Credits::ZERO, |quote| quote.price);
        actions::prepare(cx, &mut case, Intent::Select { quote_id: input.quote_id }, price)
    }
}
