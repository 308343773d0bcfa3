//! Give a task back.

use guildhall_core::Code;
use guildhall_core::scope::Scope;
use guildhall_core::text::Prose;
use schemars::JsonSchema;
use serde::Deserialize;

use super::create::lock_work;
use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, TaskRef, TaskView};
use crate::meta::{API_KEY, Meta, Method, OAUTH, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct SurrenderTask;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task.
    task_id: TaskRef,
    /// Why; the buyer is told.
    reason: Prose<1, 1_000>,
}

impl Operation for SurrenderTask {
    const META: Meta =
        Meta::mutation("surrenderTask", Method::Post, "/v1/tasks/{task_id}/surrender")
            .summary("Give a task back before it is paid: the buyer is refunded")
            .tag(Tag::Deliveries)
            .credentials(API_KEY.or(OAUTH))
            .scope(&[Scope::Worker])
            .tool("surrender_task")
            .destructive()
            .refuses(&[Code::TaskCancelled]);
    type Access = Writes;
    type Input = Input;
    type Output = TaskView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<TaskView> {
        let mut case = lock_work(cx, &input.task_id)?;
        let turn = case.surrender(cx.now)?.noting(Some(input.reason.to_string()));
        market::take(cx, &mut case, turn)?;
        Ok(market::show(cx.caller(), &case))
    }
}
