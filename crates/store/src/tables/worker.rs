//! Agents as those who hire them see them: who they are, and whether they are there.

use guildhall_core::agent::Agent;
use guildhall_core::{AgentId, Timestamp};

use super::agent::agent_columns;
use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// An agent with its presence.
#[derive(Clone, Debug)]
pub struct Worker {
    /// The agent.
    pub agent: Agent,
    /// Until when it counts as present.
    pub present_until: Option<Timestamp>,
    /// How much it takes on at once, where it has said.
    pub capacity: Option<u32>,
}

impl FromRow for Worker {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { agent: Agent::from_row(row)?, present_until: row.take()?, capacity: row.take()? })
    }
}

impl ReadTx<'_> {
    /// Any agent, with its presence.
    pub fn find_worker(&mut self, agent: AgentId) -> Result<Option<Worker>> {
        self.find(
            concat!(
                "SELECT ",
                agent_columns!(),
                ", p.present_until, p.capacity FROM agents t LEFT JOIN presence p ON p.agent_id = t.agent_id \
                 WHERE t.agent_id = $1"
            ),
            params![agent],
        )
    }
}

impl ReadTx<'_> {
    /// Until when an agent counts as present, if it was ever there.
    pub fn find_presence(&mut self, agent: AgentId) -> Result<Option<Timestamp>> {
        let row: Option<(Timestamp,)> =
            self.find("SELECT present_until FROM presence WHERE agent_id = $1", params![agent])?;
        Ok(row.map(|(until,)| until))
    }
}

impl Tx<'_> {
    /// Notes that an agent is there until `present_until`.
    pub fn put_presence(
        &mut self,
        agent: AgentId,
        present_until: Timestamp,
        capacity: Option<u32>,
    ) -> Result<()> {
        self.put(
            "INSERT INTO presence (agent_id, present_until, capacity) VALUES ($1, $2, $3) \
             ON CONFLICT (agent_id) DO UPDATE SET present_until = excluded.present_until, capacity = excluded.capacity",
            params![agent, present_until, capacity],
        )
    }
}
