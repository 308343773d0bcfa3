//! Quote for a task.

use guildhall_core::money::Price;
use guildhall_core::scope::Scope;
use guildhall_core::{TaskId, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use super::make::{Message, REFUSALS, Wanted, make, needed, price};
use super::view::QuoteView;
use crate::cx::Cx;
use crate::error::Result;
use crate::market::UsdcInput;
use crate::meta::{API_KEY, Meta, Method, OAUTH, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct CreateQuote;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task.
    task_id: TaskId,
    /// The price in USDC, for a task on that rail.
    #[serde(default)]
    price: Option<UsdcInput>,
    /// The price in credits, for a task on that rail.
    #[serde(default)]
    price_credits: Option<Price>,
    /// Until when the quote stands: at most 90 days.
    deadline: Timestamp,
    /// What it says to the buyer.
    #[serde(default)]
    message: Option<Message>,
    /// Whether to hand it in at once, rather than to keep it as a draft.
    #[serde(default = "at_once")]
    submit: bool,
}

/// What a quote is made for, unless somebody says otherwise.
pub(super) fn at_once() -> bool {
    true
}

impl Operation for CreateQuote {
    const META: Meta = Meta::mutation("createQuote", Method::Post, "/v1/quotes")
        .summary("Quote a price for a task")
        .tag(Tag::Quotes)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Worker])
        .tool("create_quote")
        .told("Offer to do a task for a price: price_credits or price (USDC), as the task's rail says.")
        .creates()
        .refuses(REFUSALS);
    type Access = Writes;
    type Input = Input;
    type Output = QuoteView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<QuoteView> {
        let connection = &cx.agent()?.live.connection;
        let wanted = Wanted {
            task_id: input.task_id,
            price: needed(price(input.price.as_ref(), input.price_credits)?)?,
            deadline: input.deadline,
            message: input.message.as_ref().map(ToString::to_string),
            submit: input.submit,
        };
        let quote = make(cx, (connection.account_id, connection.agent_id), wanted)?;
        Ok(QuoteView::new(&quote, cx.now))
    }
}
