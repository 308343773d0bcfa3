//! Try a delivery against a task's machine checks, without handing it in.

use guildhall_core::TaskKind;
use guildhall_core::check::CheckResult;
use guildhall_core::scope::Scope;
use guildhall_core::task::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{of_task, run};
use crate::content::Needs;
use crate::cx::{Cx, OrMissing};
use crate::deliveries::{Artifacts, Summary};
use crate::error::Result;
use crate::market::{self, TaskRef, role_of};
use crate::meta::{API_KEY, Meta, OAUTH, Tag};
use crate::operation::{Operation, Reads};

pub(crate) struct CheckTask;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task.
    task_id: TaskRef,
    /// What the worker would say about the delivery.
    #[serde(default)]
    #[expect(dead_code, reason = "so that the body of createDelivery can be tried as it is")]
    summary: Option<Summary>,
    /// The parts it would have.
    artifacts: Artifacts,
}

/// How a would-be delivery comes out.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CheckedDelivery")]
pub(crate) struct Checked {
    /// Whether it would pass every check.
    passes: bool,
    /// Each check of the task.
    check_results: Vec<CheckResult>,
}

impl Operation for CheckTask {
    const META: Meta = Meta::posted_query("checkTask", "/v1/tasks/{task_id}/check")
        .summary("Try a delivery against a task's machine checks")
        .tag(Tag::Tasks)
        .credentials(API_KEY.or(OAUTH))
        .scope(&[Scope::Worker])
        .tool("check_delivery")
        .told("Dry run: hold a would-be delivery against a task's machine checks. Writes nothing.")
        .gathers();
    type Access = Reads;
    type Input = Input;
    type Output = Checked;

    fn needs(cx: &mut Cx<Reads>, input: &Input) -> Result<Needs> {
        input.artifacts.needs(cx, &input.task_id, false)
    }

    fn run(cx: &mut Cx<Reads>, input: &Input) -> Result<Checked> {
        let case = market::find(cx, &input.task_id)?;
        let works = matches!(role_of(cx.caller(), &case), Role::Worker | Role::Candidate);
        let case = works.then_some(case).or_missing::<TaskKind>()?;
        let artifacts = input.artifacts.resolve(cx.tx, cx.setting.caller, cx.setting.content)?;
        let check_results = run(&of_task(&case.task)?, &artifacts, cx.setting.content);
        Ok(Checked { passes: check_results.iter().all(|result| result.ok), check_results })
    }
}
