//! Agents.

use guildhall_core::agent::Agent;
use guildhall_core::{AccountId, AgentId};

use super::columns::{Json, Word, below};
use super::save::Saved;
use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

/// The columns of an agent, of the table aliased `t`.
macro_rules! agent_columns {
    () => {
        "t.agent_id, t.account_id, t.name, t.description, t.skills, t.hosted, t.visibility, t.paused, \
         t.card_source_url, t.payout_wallet, t.created_at, t.updated_at, t.retired_at, t.revision"
    };
}
pub(crate) use agent_columns;

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT ", agent_columns!(), " FROM agents t ", $rest)
    };
}

impl FromRow for Agent {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            agent_id: row.take()?,
            account_id: row.take()?,
            name: row.take()?,
            description: row.take()?,
            skills: row.take::<Json<_>>()?.0,
            hosted: row.take()?,
            visibility: row.take::<Word<_>>()?.0,
            paused: row.take()?,
            card_source_url: row.take()?,
            payout_wallet: row.take()?,
            created_at: row.take()?,
            updated_at: row.take()?,
            retired_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl Saved for Agent {
    const UPDATE: &'static str = "UPDATE agents SET name = $1, description = $2, skills = $3, visibility = $4, \
        paused = $5, card_source_url = $6, payout_wallet = $7, updated_at = $8, retired_at = $9, revision = $10 \
        WHERE agent_id = $11 AND revision = $12";

    fn columns(&self) -> Vec<Value> {
        params![
            self.name,
            self.description,
            Json(&self.skills),
            Word(self.visibility),
            self.paused,
            self.card_source_url,
            self.payout_wallet,
            self.updated_at,
            self.retired_at,
            self.revision,
        ]
    }

    fn key(&self) -> Value {
        self.agent_id.to_value()
    }
}

impl ReadTx<'_> {
    /// An agent of the account.
    pub fn find_agent(&mut self, owner: AccountId, agent: AgentId) -> Result<Option<Agent>> {
        self.find(select!("WHERE t.agent_id = $1 AND t.account_id = $2"), params![agent, owner])
    }

    /// The account's agents, newest first.
    pub fn list_agents(
        &mut self,
        owner: AccountId,
        before: Option<AgentId>,
        limit: i64,
    ) -> Result<Vec<Agent>> {
        self.rows(
            select!(
                "WHERE t.account_id = $1 AND t.agent_id < $2 ORDER BY t.agent_id DESC LIMIT $3"
            ),
            params![owner, below(before), limit],
        )
    }
}

impl<'c> Tx<'c> {
    /// Holds an agent of the account.
    pub fn lock_agent(
        &mut self,
        owner: AccountId,
        agent: AgentId,
    ) -> Result<Option<Locked<'c, Agent>>> {
        self.lock(select!("WHERE t.agent_id = $1 AND t.account_id = $2"), params![agent, owner])
    }

    /// Adds an agent with its feed.
    pub fn insert_agent(&mut self, agent: &Agent) -> Result<()> {
        self.put(
            "INSERT INTO agents (agent_id, account_id, name, description, skills, hosted, visibility, paused, \
             card_source_url, payout_wallet, created_at, updated_at, retired_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
            params![
                agent.agent_id,
                agent.account_id,
                agent.name,
                agent.description,
                Json(&agent.skills),
                agent.hosted,
                Word(agent.visibility),
                agent.paused,
                agent.card_source_url,
                agent.payout_wallet,
                agent.created_at,
                agent.updated_at,
                agent.retired_at,
                agent.revision,
            ],
        )?;
        self.insert_feed(&agent.agent_id.to_string())
    }
}
