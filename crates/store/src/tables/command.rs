//! Commands of agents that buy.

use guildhall_core::command::Command;
use guildhall_core::money::Credits;
use guildhall_core::{AccountId, AgentId, CommandId, PolicyId, TaskId, Timestamp};

use super::columns::{Json, Word, below};
use super::save::Saved;
use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT t.command_id, t.account_id, t.agent_id, t.connection_id, t.policy_id, t.policy_version, \
             t.operation, t.state, t.task_id, t.reserved, t.charged, t.released, t.evidence_ref, t.request, \
             t.created_at, t.reserved_at, t.updated_at, t.revision FROM commands t ",
            $rest
        )
    };
}

impl FromRow for Command {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            command_id: row.take()?,
            account_id: row.take()?,
            agent_id: row.take()?,
            connection_id: row.take()?,
            policy_id: row.take()?,
            policy_version: row.take()?,
            operation: row.take::<Word<_>>()?.0,
            state: row.take::<Word<_>>()?.0,
            task_id: row.take()?,
            reserved: row.take()?,
            charged: row.take()?,
            released: row.take()?,
            evidence_ref: row.take()?,
            request: row.take::<Option<Json<_>>>()?.map(|json| json.0),
            created_at: row.take()?,
            reserved_at: row.take()?,
            updated_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl Saved for Command {
    const UPDATE: &'static str = "UPDATE commands SET state = $1, task_id = $2, charged = $3, released = $4, \
        evidence_ref = $5, request = $6, reserved_at = $7, updated_at = $8, revision = $9 \
        WHERE command_id = $10 AND revision = $11";

    fn columns(&self) -> Vec<Value> {
        params![
            Word(self.state),
            self.task_id,
            self.charged,
            self.released,
            self.evidence_ref,
            self.request.as_ref().map(Json),
            self.reserved_at,
            self.updated_at,
            self.revision,
        ]
    }

    fn key(&self) -> Value {
        self.command_id.to_value()
    }
}

/// Whose commands a list shows.
#[derive(Clone, Copy, Debug)]
pub enum CommandsOf {
    /// All of the account's.
    Account(AccountId),
    /// An agent's own.
    Agent(AgentId),
}

impl ReadTx<'_> {
    /// A command.
    pub fn find_command(&mut self, command: CommandId) -> Result<Option<Command>> {
        self.find(select!("WHERE t.command_id = $1"), params![command])
    }

    /// Commands, newest first.
    pub fn list_commands(
        &mut self,
        of: CommandsOf,
        before: Option<CommandId>,
        limit: i64,
    ) -> Result<Vec<Command>> {
        match of {
            CommandsOf::Account(account) => self.rows(
                select!("WHERE t.account_id = $1 AND t.command_id < $2 ORDER BY t.command_id DESC LIMIT $3"),
                params![account, below(before), limit],
            ),
            CommandsOf::Agent(agent) => self.rows(
                select!("WHERE t.agent_id = $1 AND t.command_id < $2 ORDER BY t.command_id DESC LIMIT $3"),
                params![agent, below(before), limit],
            ),
        }
    }

    /// The tasks of a policy's live commands that no money is held for.
    pub fn list_unfunded_tasks_of_policy(&mut self, policy: PolicyId) -> Result<Vec<TaskId>> {
        let rows: Vec<(TaskId,)> = self.rows(
            "SELECT k.task_id FROM commands c JOIN tasks k ON k.task_id = c.task_id \
             WHERE c.policy_id = $1 AND c.state = 'reserved' AND k.status IN ('draft', 'open', 'selected') \
             ORDER BY k.task_id",
            params![policy],
        )?;
        Ok(rows.into_iter().map(|(task_id,)| task_id).collect())
    }

    /// What a policy promised or paid to a worker in the day of `now`.
    pub fn find_worker_day(
        &mut self,
        policy: PolicyId,
        worker: AgentId,
        now: Timestamp,
    ) -> Result<Credits> {
        let row: Option<(Credits,)> = self.find(
            "SELECT spent FROM policy_worker_days WHERE policy_id = $1 AND agent_id = $2 AND day = $3",
            params![policy, worker, now.day()],
        )?;
        Ok(row.map_or(Credits::ZERO, |(spent,)| spent))
    }
}

impl<'c> Tx<'c> {
    /// Holds a command.
    pub fn lock_command(&mut self, command: CommandId) -> Result<Option<Locked<'c, Command>>> {
        self.lock(select!("WHERE t.command_id = $1"), params![command])
    }

    /// Adds a command.
    pub fn insert_command(&mut self, command: &Command) -> Result<()> {
        self.put(
            "INSERT INTO commands (command_id, account_id, agent_id, connection_id, policy_id, policy_version, \
             operation, reserved, created_at, state, task_id, charged, released, evidence_ref, request, reserved_at, \
             updated_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
            [
                params![
                    command.command_id,
                    command.account_id,
                    command.agent_id,
                    command.connection_id,
                    command.policy_id,
                    command.policy_version,
                    Word(command.operation),
                    command.reserved,
                    command.created_at,
                ],
                command.columns(),
            ]
            .concat(),
        )
    }

    /// Adds to, or takes from, what a policy promised to a worker in the day of `at`. The policy's row has to be held.
    pub fn add_to_worker_day(
        &mut self,
        policy: PolicyId,
        worker: AgentId,
        at: Timestamp,
        change: i64,
    ) -> Result<()> {
        self.put(
            "INSERT INTO policy_worker_days (policy_id, agent_id, day, spent) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (policy_id, agent_id, day) DO UPDATE SET spent = policy_worker_days.spent + excluded.spent",
            params![policy, worker, at.day(), change],
        )
    }
}
