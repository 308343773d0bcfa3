//! Ask for the settlement of a command from the evidence that the service holds.

use guildhall_core::command::State;
use guildhall_core::scope::Scope;
use guildhall_core::text::Line;
use guildhall_core::{Code, CommandId, ReceiptId};
use schemars::JsonSchema;
use serde::Deserialize;

use super::lock_own;
use super::view::CommandView;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::meta::{API_KEY, Meta, Method, SESSION, Tag};
use crate::operation::{Operation, Writes};

pub(crate) struct SettleCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The command.
    command_id: CommandId,
    /// What shows how it ended: a receipt.
    evidence_ref: Line<1, 128>,
}

impl Operation for SettleCommand {
    const META: Meta = Meta::mutation(
        "settleCommand",
        Method::Post,
        "/v1/agent-buyer/commands/{command_id}/settle",
    )
    .summary("Settle a command from the evidence on record")
    .tag(Tag::AgentBuyer)
    .credentials(API_KEY.or(SESSION))
    .scope(&[Scope::AgentBuyer])
    .tool("settle_command")
    .own()
    .refuses(&[
        Code::DemandConflict,
        Code::DemandEvidenceConflict,
        Code::DemandEvidenceUnavailable,
    ]);
    type Access = Writes;
    type Input = Input;
    type Output = CommandView;

    fn run(cx: &mut Cx<Writes>, input: &Input) -> Result<CommandView> {
        let command = lock_own(cx, input.command_id)?;
        match command.state {
            // A command of a task is settled by the task's own end, in the transaction that ends it.
            State::Charged | State::Released => {}
            State::Reserved => return Err(no_evidence_yet()),
            _ => {
                return Err(Error::new(
                    Code::DemandConflict,
                    format!("The command is {} and has nothing to settle.", command.state.name()),
                ));
            }
        }
        let quoted = input.evidence_ref.parse::<ReceiptId>().ok().map(|id| id.to_string());
        if quoted.is_some() && quoted == command.evidence_ref {
            return Ok(CommandView::from(&*command));
        }
        Err(Error::new(
            Code::DemandEvidenceConflict,
            "The command was settled by other evidence than the one quoted.",
        ))
    }
}

fn no_evidence_yet() -> Error {
    Error::new(
        Code::DemandEvidenceUnavailable,
        "The work that the command pays for has not ended: there is no evidence yet.",
    )
    .retry_after(60)
}
