//! Get a quote.

use guildhall_core::QuoteKind;
use guildhall_core::scope::Scope;

use super::OneQuote;
use super::view::QuoteView;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetQuote;

impl Operation for GetQuote {
    const META: Meta = Meta::query("getQuote", "/v1/quotes/{quote_id}")
        .summary("Get a quote")
        .tag(Tag::Quotes)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Read])
        .single();
    type Access = Reads;
    type Input = OneQuote;
    type Output = QuoteView;

    fn run(cx: &mut Cx<Reads>, input: &OneQuote) -> Result<QuoteView> {
        let agent = cx.agent()?.agent_id();
        let found = cx.tx.find_quote(input.quote_id)?;
        let quote = found.filter(|quote| quote.is_shown_to(agent)).or_missing::<QuoteKind>()?;
        Ok(QuoteView::new(&quote, cx.now))
    }
}
