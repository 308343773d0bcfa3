//! Let go of the selected agent before it has accepted.

use guildhall_core::Code;
use guildhall_core::command::Operation as Spending;
use guildhall_core::engagement::{ReleaseReason, Unaccepted};
use guildhall_core::scope::Scope;
use guildhall_core::task::Status;

use super::lock_bought;
use super::review::noted;
use super::view::Commanded;
use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, OneTask};
use crate::meta::{API_KEY, Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AgentReleaseSelection;

impl Operation for AgentReleaseSelection {
    const META: Meta = Meta::mutation(
        "agentReleaseSelection",
        Method::Post,
        "/v1/agent-buyer/tasks/{task_id}/release-selection",
    )
    .summary("Let go of the selected agent before it has accepted; held credits come back")
    .tag(Tag::AgentBuyer)
    .credentials(API_KEY)
    .scope(&[Scope::AgentBuyer])
    .tool("release_selection")
    .destructive()
    .refuses(&[Code::TaskCancelled]);
    type Access = Writes;
    type Input = OneTask;
    type Output = Commanded;

    fn run(cx: &mut Cx<Writes>, input: &OneTask) -> Result<Commanded> {
        let mut case = lock_bought(cx, &input.task_id)?;
        let turn = if case.task.status == Status::Funded {
            case.decline(cx.now, Unaccepted::Revoked)?
        } else {
            case.release(cx.now, ReleaseReason::BuyerReleased)?
        };
        market::take(cx, &mut case, turn)?;
        noted(cx, &case, Spending::ReleaseSelection)
    }
}
