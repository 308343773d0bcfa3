//! Ask for changes, or reject, as the person who buys.

use guildhall_core::scope::Scope;
use guildhall_core::task::{Case, Role};
use guildhall_core::text::Prose;
use guildhall_core::{Code, DeliveryId, DeliveryKind};
use guildhall_store::Locked;
use guildhall_store::tables::delivery::Content;
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::DeliveryView;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market::{self, role_of};
use crate::meta::{Meta, Method, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct RequestChanges;
pub(crate) struct RejectDelivery;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Changes {
    /// The newest delivery.
    delivery_id: DeliveryId,
    /// Its digest.
    digest: String,
    /// What has to be changed.
    notes: Prose<1, 10_000>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rejection {
    /// The newest delivery.
    delivery_id: DeliveryId,
    /// Its digest.
    digest: String,
    /// Why.
    reason: Prose<1, 10_000>,
}

const fn review(id: &'static str, path: &'static str, summary: &'static str) -> Meta {
    Meta::mutation(id, Method::Post, path)
        .summary(summary)
        .tag(Tag::Deliveries)
        .credentials(SESSION)
        .scope(&[Scope::Buyer])
}

impl Operation for RequestChanges {
    const META: Meta = review(
        "requestChanges",
        "/v1/deliveries/{delivery_id}/request-changes",
        "Ask for changes of a delivery; the time to deliver begins anew",
    )
    .refuses(&[Code::ChangeRequestLimit, Code::NotUnderReview, Code::DeliveryChanged]);
    type Access = Writes;
    type Input = Changes;
    type Output = DeliveryView;

    fn run(cx: &mut Cx<Writes>, input: &Changes) -> Result<DeliveryView> {
        let (mut case, content) = lock_bought(cx, input.delivery_id)?;
        let quoted = (input.delivery_id, input.digest.as_str());
        let turn = case.request_changes(cx.now, quoted, &input.notes)?;
        market::take(cx, &mut case, turn)?;
        reviewed(&case, content)
    }
}

impl Operation for RejectDelivery {
    const META: Meta = review(
        "rejectDelivery",
        "/v1/deliveries/{delivery_id}/reject",
        "Reject a delivery; the worker may dispute that",
    )
    .refuses(&[Code::RejectWindowClosed, Code::NotUnderReview, Code::DeliveryChanged]);
    type Access = Writes;
    type Input = Rejection;
    type Output = DeliveryView;

    fn run(cx: &mut Cx<Writes>, input: &Rejection) -> Result<DeliveryView> {
        let (mut case, content) = lock_bought(cx, input.delivery_id)?;
        let quoted = (input.delivery_id, input.digest.as_str());
        let turn = case.reject(cx.now, quoted, &input.reason)?;
        market::take(cx, &mut case, turn)?;
        reviewed(&case, content)
    }
}

/// Holds the case of a delivery to the calling account, with what is in the delivery.
fn lock_bought<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    delivery: DeliveryId,
) -> Result<(Locked<'c, Case>, Content)> {
    let whole = cx.tx.find_delivery(delivery)?.or_missing::<DeliveryKind>()?;
    let case = market::lock(cx, whole.delivery.task_id)?;
    cx.about("delivery", delivery);
    let buys = role_of(cx.caller(), &case) == Role::Buyer;
    let case = buys.then_some(case).or_missing::<DeliveryKind>()?;
    Ok((case, whole.content))
}

fn reviewed(case: &Case, content: Content) -> Result<DeliveryView> {
    let newest = case.delivery.as_ref();
    let newest = newest.ok_or_else(|| Error::internal("what was reviewed is not there"))?;
    DeliveryView::new(newest, content)
}
