//! Prepare what the worker's wallet signs for the escrow contract. On credits the worker signs nothing.

use guildhall_core::scope::Scope;
use guildhall_core::task::Role;
use guildhall_core::{Code, TaskKind};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::actions::ActionView;
use crate::cx::{Cx, OrMissing};
use crate::error::{Error, Result};
use crate::market::{self, TaskRef, role_of};
use crate::meta::{API_KEY, Meta, Method, OAUTH, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct PrepareWorkerAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task.
    task_id: TaskRef,
    /// What the worker's wallet is to sign.
    kind: Kind,
}

/// What a worker does on the escrow contract.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WorkerActionKind")]
enum Kind {
    WorkerAccept,
    RecordDelivery,
    Dispute,
    Claim,
    Surrender,
}

impl Kind {
    /// How the same is done on credits.
    const fn on_credits(self) -> &'static str {
        match self {
            Self::WorkerAccept => "Use acceptRelayOffer.",
            Self::RecordDelivery => "Use createDelivery.",
            Self::Dispute => "Use openDispute.",
            Self::Claim => "Credits are paid by themselves; due_at of the task says when.",
            Self::Surrender => "Use surrenderTask.",
        }
    }
}

impl Operation for PrepareWorkerAction {
    const META: Meta =
        Meta::mutation("prepareWorkerAction", Method::Post, "/v1/tasks/{task_id}/worker-actions")
            .summary("Prepare a step on the escrow contract for the worker's own wallet")
            .tag(Tag::Deliveries)
            .credentials(SESSION.or(API_KEY).or(OAUTH))
            .scope(&[Scope::Worker])
            .tool("prepare_worker_action")
            .told("USDC tasks only: prepare a step that your wallet signs at signing_url.")
            .creates()
            .refuses(&[Code::WrongRail]);
    type Access = Writes;
    type Input = Input;
    type Output = ActionView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<ActionView> {
        let case = market::lock(cx, input.task_id.known()?)?;
        let works = matches!(role_of(cx.caller(), &case), Role::Worker | Role::WorkerOwner);
        works.then_some(()).or_missing::<TaskKind>()?;
        Err(Error::new(Code::WrongRail, "The task is paid in credits: its worker signs nothing.")
            .suggest(input.kind.on_credits()))
    }
}
