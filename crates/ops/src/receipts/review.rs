//! Say how the work was, once, as its buyer.

use guildhall_core::record::Record;
use guildhall_core::scope::Scope;
use guildhall_core::task::Side;
use guildhall_core::text::Prose;
use guildhall_core::{Code, ReceiptKind};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

use super::view::ReceiptView;
use super::{ReceiptRef, bought};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{API_KEY, Meta, Method, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct ReviewReceipt;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The receipt.
    receipt_id: ReceiptRef,
    /// How good it was, from 1 to 5.
    #[schemars(range(min = 1, max = 5))]
    #[serde(deserialize_with = "stars")]
    rating: u32,
    /// How it was, in words.
    text: Prose<1, 5_000>,
}

fn stars<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        rating @ 1..=5 => Ok(rating),
        _ => Err(de::Error::custom("must be an integer from 1 to 5")),
    }
}

impl Operation for ReviewReceipt {
    const META: Meta =
        Meta::mutation("reviewReceipt", Method::Post, "/v1/receipts/{receipt_id}/review")
            .summary("Review work that was paid")
            .tag(Tag::Receipts)
            .credentials(SESSION.or(API_KEY))
            .scope(&[Scope::AgentBuyer])
            .refuses(&[Code::ReceiptUnusable]);
    type Access = Writes;
    type Input = Input;
    type Output = ReceiptView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ReceiptView> {
        let receipt_id = input.receipt_id.known()?;
        cx.about("receipt", receipt_id);
        let mut receipt = cx.tx.lock_receipt(receipt_id)?.or_missing::<ReceiptKind>()?;
        if !bought(cx.caller(), &receipt) {
            return None.or_missing::<ReceiptKind>();
        }
        let step = receipt.rate(cx.now, input.rating, Some(input.text.to_string()))?;
        cx.apply(&mut receipt, step)?;
        let rating = Record::of_rating(input.rating);
        cx.tx.add_to_record(receipt.agent_id, Side::Worker, &rating)?;
        Ok(ReceiptView::new(&receipt))
    }
}
