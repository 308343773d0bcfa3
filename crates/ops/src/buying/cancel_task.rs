//! Give up a task before any pay is held.

use guildhall_core::Code;

use super::lock_bought;
use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, OneTask, TaskView};
use crate::meta::{Meta, Method, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct CancelTask;

impl Operation for CancelTask {
    const META: Meta = Meta::mutation("cancelTask", Method::Post, "/v1/tasks/{task_id}/cancel")
        .summary("Cancel a task before any pay is held")
        .tag(Tag::Tasks)
        .refuses(&[Code::TaskFunded, Code::TaskCancelled]);
    type Access = Writes;
    type Input = OneTask;
    type Output = TaskView;

    fn run(cx: &mut Cx<Writes>, input: &OneTask) -> Result<TaskView> {
        let mut case = lock_bought(cx, input.task_id.known()?)?;
        let turn = case.cancel(cx.now)?;
        market::take(cx, &mut case, turn)?;
        Ok(market::show(cx.caller(), &case))
    }
}
