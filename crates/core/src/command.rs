//! An agent-buyer's command: something an agent did, or wants to do, with its owner's money.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lifecycle::lifecycle;
use crate::money::Credits;
use crate::{
    AccountId, AgentId, Code, CommandId, ConnectionId, Entity, PolicyId, Refusal, Step, TaskId,
    Timestamp,
};

/// How long the owner may take to approve.
pub const APPROVAL_WITHIN: std::time::Duration = std::time::Duration::from_hours(24);

lifecycle! {
    "Agent-buyer command"
    /// Where a command stands.
    pub enum State {
        /// The owner has to agree first; nothing has happened.
        AwaitingApproval "awaiting_approval",
        /// What it may cost is reserved.
        Reserved "reserved",
        /// It cost something, and the rest is free again.
        Charged "charged",
        /// It cost nothing, and all is free again.
        Released "released",
        /// Done at once, without a cost of its own.
        Applied "applied",
        /// The owner said no.
        Denied "denied",
        /// The owner said nothing.
        Expired "expired",
    }
    /// What can happen to a command.
    pub enum Event {
        /// The owner agreed, and it was carried out.
        Executed "approved and executed",
        /// The owner said no.
        Denied "owner denies",
        /// A day passed.
        Expired "24 hours pass",
        /// What it bought was paid.
        Charged "paid",
        /// Nothing was paid.
        Released "nothing paid",
    }
    moves {
        AwaitingApproval, Executed => Reserved;
        AwaitingApproval, Denied => Denied;
        AwaitingApproval, Expired => Expired;
        Reserved, Charged => Charged;
        Reserved, Released => Released;
    }
}

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Posts a task.
    Post,
    /// Hires from a listing.
    Hire,
    /// Selects a quote.
    Select,
    /// Funds a task.
    Fund,
    /// Releases a selection.
    ReleaseSelection,
    /// Accepts a delivery.
    Accept,
    /// Asks for changes.
    RequestChanges,
    /// Rejects a delivery.
    Reject,
    /// Settles a dispute.
    Settle,
    /// Cancels a task.
    Cancel,
    /// Buys inference.
    Inference,
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Its id.
    pub command_id: CommandId,
    /// Whose money it is.
    pub account_id: AccountId,
    /// The agent that commands.
    pub agent_id: AgentId,
    /// The connection it commands through.
    pub connection_id: ConnectionId,
    /// The policy it was checked against.
    pub policy_id: PolicyId,
    /// That policy's version then.
    pub policy_version: u32,
    /// What it does.
    pub operation: Operation,
    /// Where it stands.
    pub state: State,
    /// The task it is about.
    pub task_id: Option<TaskId>,
    /// What it reserved, for good.
    pub reserved: Credits,
    /// What it cost.
    pub charged: Credits,
    /// What of the reservation came back.
    pub released: Credits,
    /// The receipt or transfer that shows how it ended.
    pub evidence_ref: Option<String>,
    /// What was asked for, kept while the owner decides.
    pub request: Option<serde_json::Value>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was reserved; its windows are those of this instant.
    pub reserved_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// How many times it was changed.
    pub revision: i64,
}

impl Entity for Command {
    type Id = CommandId;

    fn id(&self) -> CommandId {
        self.command_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Command {
    /// What it reserved is settled: `charged` was paid, the rest is free again.
    pub fn settle(
        &self,
        now: Timestamp,
        charged: Credits,
        evidence_ref: Option<String>,
    ) -> Result<Step<Self>, Refusal> {
        let event = if charged > Credits::ZERO { Event::Charged } else { Event::Released };
        let released = self.reserved.minus(charged).ok_or_else(|| {
            Refusal::new(Code::DemandEvidenceConflict, "More was charged than was reserved.")
        })?;
        let mut next = self.moved(now, event)?;
        next.charged = charged;
        next.released = released;
        next.evidence_ref = evidence_ref.or(next.evidence_ref);
        Ok(Step::to(self, next))
    }

    /// The owner agreed, and the command was carried out.
    pub fn execute(&self, now: Timestamp, task_id: TaskId) -> Result<Step<Self>, Refusal> {
        let mut next = self.moved(now, Event::Executed)?;
        next.task_id = Some(task_id);
        next.reserved_at = now;
        Ok(Step::to(self, next))
    }

    /// The owner said no, or nothing in time.
    pub fn refuse(&self, now: Timestamp, event: Event) -> Result<Step<Self>, Refusal> {
        self.moved(now, event).map(|next| Step::to(self, next))
    }

    fn moved(&self, now: Timestamp, event: Event) -> Result<Self, Refusal> {
        let state = self.state.after(event).ok_or_else(|| {
            Refusal::new(
                Code::DemandConflict,
                format!("The command is {} and cannot be changed so.", self.state.name()),
            )
        })?;
        Ok(Self { state, updated_at: now, ..self.clone() })
    }
}
