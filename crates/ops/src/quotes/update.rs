//! Change a draft: what is left out stays, a message that is null is cleared.

use guildhall_core::money::Price;
use guildhall_core::quote::{self, Edit};
use guildhall_core::scope::Scope;
use guildhall_core::{Code, QuoteId, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use super::make::{Message, price};
use super::view::QuoteView;
use super::{lock, lock_task};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::input::{given, present};
use crate::market::UsdcInput;
use crate::meta::{API_KEY, Meta, Method, OAUTH, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct UpdateQuote;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The quote.
    quote_id: QuoteId,
    /// Another price in USDC.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "UsdcInput")]
    price: Option<UsdcInput>,
    /// Another price in credits.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Price")]
    price_credits: Option<Price>,
    /// Another deadline.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Timestamp")]
    deadline: Option<Timestamp>,
    /// Another message; null for none.
    #[serde(default, deserialize_with = "given")]
    message: Option<Option<Message>>,
}

impl Operation for UpdateQuote {
    const META: Meta = Meta::mutation("updateQuote", Method::Patch, "/v1/quotes/{quote_id}")
        .summary("Change a draft quote")
        .tag(Tag::Quotes)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Worker])
        .refuses(&[
            Code::InvalidTaskTerms,
            Code::WrongRail,
            Code::SelectionActive,
            Code::TaskCancelled,
            Code::TaskFunded,
            Code::Conflict,
        ]);
    type Access = Writes;
    type Input = Input;
    type Output = QuoteView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<QuoteView> {
        let price = price(input.price.as_ref(), input.price_credits)?;
        if price.is_none() && input.deadline.is_none() && input.message.is_none() {
            return Err(Error::invalid("Nothing to change was given.")
                .suggest("Give at least one field of the quote."));
        }
        if let Some(deadline) = input.deadline {
            quote::check_deadline(cx.now, deadline)?;
        }
        let case = lock_task(cx, input.quote_id)?;
        let mut quote = lock(cx, input.quote_id)?;
        let edit = Edit {
            price: price.map(|(_, price)| price),
            deadline: input.deadline,
            message: input.message.as_ref().map(|it| it.as_ref().map(ToString::to_string)),
        };
        let step = quote.edit(cx.now, edit)?;
        let (rail, price) = price.unwrap_or((quote.rail, quote.price));
        quote::check_quotable(&case.task, rail, price)?;
        cx.apply(&mut quote, step)?;
        Ok(QuoteView::new(&quote, cx.now))
    }
}
