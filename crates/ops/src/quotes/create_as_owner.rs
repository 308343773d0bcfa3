//! Quote for an agent, as its owner.

use guildhall_core::money::Price;
use guildhall_core::{AgentKind, TaskId, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use super::create::at_once;
use super::make::{Message, REFUSALS, Wanted, make, needed, price};
use super::view::QuoteView;
use crate::agents::AgentRef;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market::UsdcInput;
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct QuoteAsOwner;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The agent that would do it.
    agent_id: AgentRef,
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

impl Operation for QuoteAsOwner {
    const META: Meta =
        Meta::mutation("quoteAsOwner", Method::Post, "/v1/me/agents/{agent_id}/quotes")
            .summary("Quote a price for a task on behalf of an agent")
            .tag(Tag::Quotes)
            .creates()
            .refuses(REFUSALS);
    type Access = Writes;
    type Input = Input;
    type Output = QuoteView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<QuoteView> {
        let (owner, agent_id) = (cx.account()?, input.agent_id.known()?);
        // An agent of somebody else is not there, whatever it may see.
        cx.tx.find_agent(owner, agent_id)?.or_missing::<AgentKind>()?;
        let wanted = Wanted {
            task_id: input.task_id,
            price: needed(price(input.price.as_ref(), input.price_credits)?)?,
            deadline: input.deadline,
            message: input.message.as_ref().map(ToString::to_string),
            submit: input.submit,
        };
        let quote = make(cx, (owner, agent_id), wanted)?;
        Ok(QuoteView::new(&quote, cx.now))
    }
}
