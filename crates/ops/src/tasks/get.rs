//! Get a task.

use guildhall_core::scope::Scope;

use crate::cx::Cx;
use crate::error::Result;
use crate::market::{self, OneTask, TaskView};
use crate::meta::{API_KEY, Meta, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct GetTask;

impl Operation for GetTask {
    const META: Meta = Meta::query("getTask", "/v1/tasks/{task_id}")
        .summary("Get a task")
        .tag(Tag::Tasks)
        .credentials(SESSION.or(API_KEY).or(OAUTH))
        .scope(&[Scope::Read])
        .tool("get_task")
        .told("One task: brief, terms, status, deadline, and in allowed_actions what you may do with it now.")
        .single();
    type Access = Reads;
    type Input = OneTask;
    type Output = TaskView;

    fn run(cx: &mut Cx<Reads>, input: &OneTask) -> Result<TaskView> {
        let case = market::find(cx, &input.task_id)?;
        Ok(market::show(cx.caller(), &case))
    }
}
