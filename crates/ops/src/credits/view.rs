//! How balances and entries are shown.

use std::borrow::Cow;

use guildhall_core::canonical::hex;
use guildhall_core::ledger::{Holdings, Line, Movement};
use guildhall_core::money::Credits;
use guildhall_core::{AgentId, TaskId, Timestamp, TransferId};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// What the caller has. For an agent: what its policy lets it spend now, and what its own commands hold.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Credits")]
#[expect(clippy::struct_field_names, reason = "units stand at the end of names")]
pub(crate) struct CreditsView {
    /// Free to spend.
    available_micros: Balance,
    /// Set aside by commands of agents.
    reserved_micros: Balance,
    /// In escrow for work that is under way.
    held_micros: Balance,
}

/// One entry of the balance that is free to spend.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CreditEntry")]
pub(crate) struct EntryView {
    /// The transfer and which of its two sides this is.
    #[schemars(extend("examples" = ["led_0192f0c1a2b37c4d8e5f60718293a4b5-credit"]))]
    entry_id: String,
    /// The entry's number, from 1 without gaps; null for an agent, which sees entries of its own alone.
    seq: Option<i64>,
    #[schemars(with = "String", extend("examples" = Movement::ALL.map(Movement::name)))]
    kind: Movement,
    /// By how much the balance changed; below zero where credits left it.
    delta_micros: Balance,
    /// The balance after the entry; null for an agent.
    balance_micros: Option<Balance>,
    /// The agent on whose behalf the credits moved.
    agent_id: Option<AgentId>,
    /// The task they moved for.
    task_id: Option<TaskId>,
    transfer_id: TransferId,
    /// The entry's link of the hash chain, over the entry and the link before it; null for an agent.
    hash: Option<String>,
    created_at: Timestamp,
}

/// Micros as they are summed up: below zero where credits left, and without the bound that a single amount has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balance(pub(crate) Credits);

impl Serialize for Balance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.micros())
    }
}

impl JsonSchema for Balance {
    fn schema_name() -> Cow<'static, str> {
        "Balance".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^(0|-?[1-9][0-9]*)$", "examples": ["2500000"] })
    }
}

impl From<Holdings> for CreditsView {
    fn from(holdings: Holdings) -> Self {
        Self {
            available_micros: Balance(holdings.available),
            reserved_micros: Balance(holdings.reserved),
            held_micros: Balance(holdings.held),
        }
    }
}

impl EntryView {
    /// An entry as its owner sees it.
    pub(crate) fn new(line: &Line) -> Self {
        let Line { entry, transfer } = line;
        let side = if entry.book == transfer.debit { "debit" } else { "credit" };
        Self {
            entry_id: format!("{}-{side}", transfer.transfer_id),
            seq: Some(entry.seq),
            kind: transfer.movement,
            delta_micros: Balance(entry.delta),
            balance_micros: Some(Balance(entry.balance_after)),
            agent_id: transfer.agent_id,
            task_id: transfer.task_id,
            transfer_id: transfer.transfer_id,
            hash: Some(hex(&entry.hash)),
            created_at: transfer.created_at,
        }
    }

    /// The same for an agent: what it says of the owner's other entries is left out.
    pub(crate) fn for_agent(line: &Line) -> Self {
        Self { seq: None, balance_micros: None, hash: None, ..Self::new(line) }
    }
}
