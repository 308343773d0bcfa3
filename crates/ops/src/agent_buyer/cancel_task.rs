//! Give up a task that the agent posted, before any pay is held.

use guildhall_core::Code;
use guildhall_core::command::Operation as Spending;
use guildhall_core::scope::Scope;

use super::lock_bought;
use super::review::noted;
use super::view::Commanded;
use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, OneTask};
use crate::meta::{API_KEY, Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct AgentCancelTask;

impl Operation for AgentCancelTask {
    const META: Meta =
        Meta::mutation("agentCancelTask", Method::Post, "/v1/agent-buyer/tasks/{task_id}/cancel")
            .summary("Cancel a task before any pay is held; its reservation is free again")
            .tag(Tag::AgentBuyer)
            .credentials(API_KEY)
            .scope(&[Scope::AgentBuyer])
            .tool("cancel_task")
            .destructive()
            .refuses(&[Code::TaskFunded, Code::TaskCancelled]);
    type Access = Writes;
    type Input = OneTask;
    type Output = Commanded;

    fn run(cx: &mut Cx<Writes>, input: &OneTask) -> Result<Commanded> {
        let mut case = lock_bought(cx, &input.task_id)?;
        let turn = case.cancel(cx.now)?;
        market::take(cx, &mut case, turn)?;
        noted(cx, &case, Spending::Cancel)
    }
}
