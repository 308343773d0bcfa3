//! Take a quote back.

use guildhall_core::scope::Scope;
use guildhall_core::{Code, quote};

use super::view::QuoteView;
use super::{OneQuote, lock, lock_task};
use crate::cx::Cx;
use crate::error::Result;
use crate::meta::{API_KEY, Meta, Method, OAUTH, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct WithdrawQuote;

impl Operation for WithdrawQuote {
    const META: Meta =
        Meta::mutation("withdrawQuote", Method::Post, "/v1/quotes/{quote_id}/withdraw")
            .summary("Take a quote back that is not selected")
            .tag(Tag::Quotes)
            .credentials(API_KEY.or(OAUTH))
            .scope(&[Scope::Worker])
            .tool("withdraw_quote")
            .destructive()
            .refuses(&[Code::SelectionActive, Code::Conflict]);
    type Access = Writes;
    type Input = OneQuote;
    type Output = QuoteView;

    fn run(cx: &mut Cx<Writes>, input: &OneQuote) -> Result<QuoteView> {
        lock_task(cx, input.quote_id)?;
        let mut quote = lock(cx, input.quote_id)?;
        let step = quote.step(cx.now, quote::Event::Withdrawn)?;
        cx.apply(&mut quote, step)?;
        Ok(QuoteView::new(&quote, cx.now))
    }
}
