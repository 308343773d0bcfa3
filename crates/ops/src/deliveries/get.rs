//! Read one delivery, as a party of its task.

use guildhall_core::scope::Scope;
use guildhall_core::{DeliveryId, DeliveryKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::DeliveryView;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market;
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetDelivery;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The delivery.
    delivery_id: DeliveryId,
}

impl Operation for GetDelivery {
    const META: Meta = Meta::query("getDelivery", "/v1/deliveries/{delivery_id}")
        .summary("Read a delivery")
        .tag(Tag::Deliveries)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("get_delivery")
        .told("One delivery: artifacts, digest and the results of the machine checks.")
        .single();
    type Access = Reads;
    type Input = Input;
    type Output = DeliveryView;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<DeliveryView> {
        let whole = cx.tx.find_delivery(input.delivery_id)?.or_missing::<DeliveryKind>()?;
        market::find_own(cx, whole.delivery.task_id)?.or_missing::<DeliveryKind>()?;
        DeliveryView::whole(whole)
    }
}
