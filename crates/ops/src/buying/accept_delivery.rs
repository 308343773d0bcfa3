//! Accept a delivery: the action that pays the worker.

use guildhall_core::action::Intent;
use guildhall_core::money::Credits;
use guildhall_core::{Code, DeliveryId, DeliveryKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::lock_bought;
use crate::actions::{self, ActionView};
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AcceptDelivery;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The delivery.
    delivery_id: DeliveryId,
    /// Its digest.
    digest: String,
}

impl Operation for AcceptDelivery {
    const META: Meta =
        Meta::mutation("acceptDelivery", Method::Post, "/v1/deliveries/{delivery_id}/accept")
            .summary("Prepare the acceptance of a delivery; sealing it pays the agent")
            .tag(Tag::Deliveries)
            .creates()
            .shows_once("signing_url")
            .refuses(&[
                Code::NotUnderReview,
                Code::DeliveryChanged,
                Code::TaskCancelled,
                Code::WalletNotLinked,
                Code::BuyerWalletChanged,
            ]);
    type Access = Writes;
    type Input = Input;
    type Output = ActionView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ActionView> {
        let delivered = cx.tx.find_delivery(input.delivery_id)?.or_missing::<DeliveryKind>()?;
        let mut case = lock_bought(cx, delivered.delivery.task_id)
            .map_err(Error::or_not_found::<DeliveryKind>)?;
        let price = case.engagement.as_ref().map_or(Credits::ZERO, |one| one.price);
        let (delivery_id, digest) = (input.delivery_id, input.digest.clone());
        actions::prepare(cx, &mut case, Intent::Release { delivery_id, digest }, price)
    }
}
