//! Say whether a signed receipt is one of this service, as it stands.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use guildhall_core::receipt::Receipt;
use guildhall_core::text::Line;
use guildhall_core::{Code, ReceiptId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::ReceiptView;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{Meta, PUBLIC, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct VerifyReceipt;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The receipt in its signed form.
    jws: Line<1, 8_192>,
}

/// What is true of a signed receipt.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "VerifiedReceipt")]
pub(crate) struct VerifiedView {
    /// Always true: what is not valid is refused.
    valid: bool,
    receipt: ReceiptView,
    /// Whether a later receipt took its place.
    superseded: bool,
}

/// The one claim that is needed to find what was signed.
#[derive(Deserialize)]
struct Claims {
    receipt_id: ReceiptId,
}

impl Operation for VerifyReceipt {
    const META: Meta = Meta::posted_query("verifyReceipt", "/v1/receipts/verify")
        .summary("Check a signed receipt")
        .tag(Tag::Receipts)
        .credentials(PUBLIC)
        .scope(&[])
        .refuses(&[Code::ReceiptUnusable]);
    type Access = Reads;
    type Input = Input;
    type Output = VerifiedView;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<VerifiedView> {
        let receipt = find_signed(cx, &input.jws)?.ok_or_else(|| {
            unusable("The text is no receipt of this service.")
                .suggest("Send the receipt's `jws` as getReceipt shows it, unchanged.")
        })?;
        if receipt.voided_at.is_some() {
            return Err(unusable("The receipt is void."));
        }
        Ok(VerifiedView {
            valid: true,
            receipt: ReceiptView::of_stranger(&receipt),
            superseded: false,
        })
    }
}

/// The receipt that has exactly this signed form. Every receipt is kept with its signature, so whatever differs from what
/// is kept was not signed here.
fn find_signed(cx: &mut Cx<Reads>, jws: &str) -> Result<Option<Receipt>> {
    let payload = jws.split('.').nth(1).and_then(|payload| BASE64.decode(payload).ok());
    let claims = payload.and_then(|payload| serde_json::from_slice::<Claims>(&payload).ok());
    let Some(Claims { receipt_id }) = claims else { return Ok(None) };
    let receipt = cx.tx.find_receipt(receipt_id)?;
    Ok(receipt.filter(|receipt| receipt.jws == jws))
}

fn unusable(reason: &'static str) -> Error {
    Error::new(Code::ReceiptUnusable, reason)
}
