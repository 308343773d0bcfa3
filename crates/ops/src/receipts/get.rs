//! Read one receipt.

use guildhall_core::ReceiptKind;
use guildhall_core::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::ReceiptView;
use super::{ReceiptRef, is_party};
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetReceipt;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The receipt.
    receipt_id: ReceiptRef,
}

impl Operation for GetReceipt {
    const META: Meta = Meta::query("getReceipt", "/v1/receipts/{receipt_id}")
        .summary("Read a receipt")
        .tag(Tag::Receipts)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .single();
    type Access = Reads;
    type Input = Input;
    type Output = ReceiptView;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<ReceiptView> {
        let caller = cx.caller();
        let receipt = cx.tx.find_receipt(input.receipt_id.known()?)?;
        let receipt = receipt.filter(|receipt| is_party(caller, receipt));
        Ok(ReceiptView::new(&receipt.or_missing::<ReceiptKind>()?))
    }
}
