//! How a command is shown.

use guildhall_core::command::{Command, Operation, State};
use guildhall_core::money::Micros;
use guildhall_core::task::Case;
use guildhall_core::{AgentId, CommandId, OfferId, PolicyId, ReceiptId, TaskId};
use schemars::JsonSchema;
use serde::Serialize;

use crate::cx::Cx;
use crate::market::{self, TaskView};
use crate::operation::Access;

/// A command of the contract.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Command")]
pub(crate) struct CommandView {
    pub(crate) command_id: CommandId,
    #[schemars(extend("examples" = ["post", "hire", "select", "fund", "accept", "inference"]), with = "String")]
    operation: Operation,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<TaskId>,
    #[schemars(extend("examples" = ["credits"]))]
    rail: &'static str,
    reserved_micros: Micros,
    charged_micros: Micros,
    /// What of the reservation came back.
    released_micros: Micros,
    /// The receipt that shows how it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence_ref: Option<String>,
    /// When it was made, in milliseconds.
    created_at_ms: i64,
    /// The agent that commands.
    agent_id: AgentId,
    /// The policy it was checked against, and its version then.
    policy_id: PolicyId,
    policy_version: u32,
}

impl From<&Command> for CommandView {
    fn from(command: &Command) -> Self {
        Self {
            command_id: command.command_id,
            operation: command.operation,
            state: command.state,
            task_id: command.task_id,
            rail: "credits",
            reserved_micros: Micros(command.reserved),
            charged_micros: Micros(command.charged),
            released_micros: Micros(command.released),
            evidence_ref: command.evidence_ref.clone(),
            created_at_ms: command.created_at.millis(),
            agent_id: command.agent_id,
            policy_id: command.policy_id,
            policy_version: command.policy_version,
        }
    }
}

/// What came of a command: the task as it stands, unless the owner has to agree first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Commanded {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task: Option<TaskView>,
    pub(crate) command: CommandView,
    /// The offer that the agent now has, where one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offer_id: Option<OfferId>,
    /// The receipt, where somebody was paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) receipt_id: Option<ReceiptId>,
}

impl Commanded {
    /// A command that was carried out on a task.
    pub(crate) fn done(task: TaskView, command: &Command) -> Self {
        Self { task: Some(task), command: command.into(), offer_id: None, receipt_id: None }
    }

    /// A command that was carried out on a case, with the offer that came of it.
    pub(crate) fn on_case<A: Access>(cx: &Cx<'_, '_, A>, case: &Case, command: &Command) -> Self {
        let funded = case.engagement.as_ref().filter(|one| one.offer.is_some());
        Self {
            offer_id: funded.map(|one| one.offer_id),
            ..Self::done(market::show(cx.caller(), case), command)
        }
    }

    /// A command that waits for the owner.
    pub(crate) fn waiting(command: &Command) -> Self {
        Self { task: None, command: command.into(), offer_id: None, receipt_id: None }
    }

    /// The status of an answer whose command waits: it was taken, and nothing was done yet.
    pub(crate) fn status(&self) -> Option<u16> {
        if self.task.is_none() { Some(202) } else { None }
    }
}
