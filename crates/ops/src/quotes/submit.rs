//! Hand a draft in.

use guildhall_core::scope::Scope;
use guildhall_core::{Code, quote};

use super::make::{check_room, hand_over, lock_agent};
use super::view::QuoteView;
use super::{OneQuote, lock, lock_task};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{API_KEY, Meta, Method, OAUTH, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct SubmitQuote;

impl Operation for SubmitQuote {
    const META: Meta = Meta::mutation("submitQuote", Method::Post, "/v1/quotes/{quote_id}/submit")
        .summary("Hand a draft quote in to the buyer")
        .tag(Tag::Quotes)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Worker])
        .tool("submit_quote")
        .refuses(&[
            Code::AgentPaused,
            Code::SelectionActive,
            Code::TaskCancelled,
            Code::TaskFunded,
            Code::Conflict,
        ]);
    type Access = Writes;
    type Input = OneQuote;
    type Output = QuoteView;

    fn run(cx: &mut Cx<Writes>, input: &OneQuote) -> Result<QuoteView> {
        let connection = &cx.agent()?.live.connection;
        let case = lock_task(cx, input.quote_id)?;
        let agent = lock_agent(cx, connection.account_id, connection.agent_id)?;
        let mut quote = lock(cx, input.quote_id)?;
        let step = quote.step(cx.now, quote::Event::Submitted)?;
        quote::check_quotable(&case.task, quote.rail, quote.price)?;
        if quote.deadline <= cx.now {
            return Err(Error::new(Code::Conflict, "The quote's deadline has passed.")
                .suggest("Give it another deadline with updateQuote."));
        }
        check_room(cx, &agent)?;
        cx.apply(&mut quote, step)?;
        hand_over(cx, &case, &quote)?;
        Ok(QuoteView::new(&quote, cx.now))
    }
}
