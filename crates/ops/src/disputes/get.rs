//! Read one dispute, as a party or an arbiter.

use guildhall_core::scope::Scope;
use guildhall_core::{DisputeId, DisputeKind};
use schemars::JsonSchema;
use serde::Deserialize;

use super::view::DisputeView;
use crate::caller::Caller;
use crate::cx::{Cx, OrMissing};
use crate::error::Result;
use crate::market::{self, role_of};
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetDispute;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The dispute.
    dispute_id: DisputeId,
}

impl Operation for GetDispute {
    const META: Meta = Meta::query("getDispute", "/v1/disputes/{dispute_id}")
        .summary("Read a dispute with its evidence")
        .tag(Tag::Deliveries)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("get_dispute")
        .single();
    type Access = Reads;
    type Input = Input;
    type Output = DisputeView;

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<DisputeView> {
        let dispute = cx.tx.find_dispute(input.dispute_id)?.or_missing::<DisputeKind>()?;
        let case = cx.tx.find_case(dispute.task_id)?.or_missing::<DisputeKind>()?;
        if role_of(cx.caller(), &case).side().is_none() && !is_arbiter(cx)? {
            return None.or_missing::<DisputeKind>();
        }
        market::check_not_overdue(cx.now, &case)?;
        DisputeView::read(cx.tx, &dispute)
    }
}

/// Whether the caller is an arbiter; one may also look up how a dispute ended.
fn is_arbiter(cx: &mut Cx<Reads>) -> Result<bool> {
    match cx.caller() {
        Caller::Account(account) => Ok(cx.tx.is_arbiter(*account)?),
        _ => Ok(false),
    }
}
