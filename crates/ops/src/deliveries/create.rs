//! Hand in a version of the work.

use guildhall_core::check::CheckResult;
use guildhall_core::delivery::{self, Artifact, Delivery};
use guildhall_core::scope::Scope;
use guildhall_core::task::{Case, Change, Role, Turn};
use guildhall_core::{Code, TaskKind};
use guildhall_store::Locked;
use guildhall_store::tables::delivery::Content;
use schemars::JsonSchema;
use serde::Deserialize;

use super::keep::{keep, lock_keeper};
use super::view::DeliveryView;
use super::{Artifacts, Summary};
use crate::checks;
use crate::content::Needs;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market::{self, TaskRef, role_of};
use crate::meta::{API_KEY, Meta, Method, OAUTH, Tag};
use crate::operation::{Operation, Reads, Writes};

pub(crate) struct CreateDelivery;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task.
    task_id: TaskRef,
    /// What the worker says about the delivery.
    summary: Summary,
    /// Its parts.
    artifacts: Artifacts,
}

impl Operation for CreateDelivery {
    const META: Meta = Meta::mutation(
        "createDelivery",
        Method::Post,
        "/v1/tasks/{task_id}/deliveries",
    )
    .summary("Hand in a version of the work")
    .tag(Tag::Deliveries)
    .credentials(API_KEY.or(OAUTH))
    .scope(&[Scope::Worker])
    .tool("deliver")
    .told("Hand in a version of the work: a summary and artifacts, each with text, file_id or url.")
    .creates()
    .gathers()
    .refuses(&[
        Code::DeliveryWindowClosed,
        Code::VersionLimit,
        Code::DeliveryAlreadyRecorded,
        Code::TaskCancelled,
    ]);
    type Access = Writes;
    type Input = Input;
    type Output = DeliveryView;

    fn needs(cx: &mut Cx<Reads>, input: &Input) -> Result<Needs> {
        input.artifacts.needs(cx, &input.task_id, true)
    }

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<DeliveryView> {
        let keeper = lock_keeper(cx, &input.artifacts)?;
        let mut case = lock_work(cx, &input.task_id)?;
        let (caller, read) = (cx.setting.caller, cx.setting.content);
        let mut artifacts = input.artifacts.resolve(cx.tx, caller, read)?;
        let digest = delivery::digest(&input.summary, &artifacts);
        let turn = case.deliver(cx.now, cx.mint()?, digest)?;
        // Only what could be handed in is checked, and only what passes takes a version.
        let results = checks::run(&checks::of_task(&case.task)?, &artifacts, read);
        checks::check_passed(&results)?;
        keep(cx, keeper.as_ref(), case.task.task_id, &mut artifacts)?;
        let content = content(&input.summary, artifacts, &results)?;
        cx.tx.insert_delivery(handed_in(&turn)?, &content)?;
        market::take(cx, &mut case, turn)?;
        accept_by_rule(cx, &mut case, &results)?;
        let newest = case.delivery.as_ref();
        let newest = newest.ok_or_else(|| Error::internal("what was delivered is not there"))?;
        cx.about("delivery", newest.delivery_id);
        DeliveryView::new(newest, content)
    }
}

/// Holds the case of a task that the calling agent works on.
pub(super) fn lock_work<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    task: &TaskRef,
) -> Result<Locked<'c, Case>> {
    let case = market::lock(cx, task.known()?)?;
    let works = role_of(cx.caller(), &case) == Role::Worker;
    works.then_some(case).or_missing::<TaskKind>()
}

fn content(summary: &str, artifacts: Vec<Artifact>, results: &[CheckResult]) -> Result<Content> {
    let check_results =
        serde_json::to_value(results).map_err(|error| Error::internal(error.to_string()))?;
    Ok(Content { summary: summary.to_owned(), artifacts, check_results })
}

fn handed_in(turn: &Turn) -> Result<&Delivery> {
    match &turn.delivery {
        Some(Change::New(delivery)) => Ok(delivery),
        _ => Err(Error::internal("a delivery without its row")),
    }
}

/// Where the buyer said that passing every check is enough, it is.
fn accept_by_rule<'c>(
    cx: &mut Cx<'_, 'c, Writes>,
    case: &mut Locked<'c, Case>,
    results: &[CheckResult],
) -> Result<()> {
    if !case.task.brief.auto_accept_on_checks || results.is_empty() {
        return Ok(());
    }
    let turn = case.approve_by_rule(cx.now)?;
    market::take(cx, case, turn).map(drop)
}
