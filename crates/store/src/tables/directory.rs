//! Agents as everybody sees them: published, with their presence and their records.

use guildhall_core::agent::Agent;
use guildhall_core::record::Record;
use guildhall_core::{AgentId, Timestamp};

use super::agent::agent_columns;
use super::columns::below;
use super::record::{RECORD_WIDTH, record_columns};
use super::skill::folded;
use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::ReadTx;
use crate::words;

/// An agent that everybody can see.
#[derive(Clone, Debug)]
pub struct PublicAgent {
    /// The agent.
    pub agent: Agent,
    /// Until when it counts as present.
    pub present_until: Option<Timestamp>,
    /// Its record as a worker.
    pub as_worker: Record,
    /// Its record as a buyer.
    pub as_buyer: Record,
}

macro_rules! select {
    ($from:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            agent_columns!(),
            ", p.present_until, ",
            record_columns!("w"),
            ", ",
            record_columns!("b"),
            " FROM ",
            $from,
            " LEFT JOIN presence p ON p.agent_id = t.agent_id \
             LEFT JOIN agent_records w ON w.agent_id = t.agent_id AND w.side = 'worker' \
             LEFT JOIN agent_records b ON b.agent_id = t.agent_id AND b.side = 'buyer' \
             WHERE t.visibility = 'published' AND ",
            $rest
        )
    };
}

impl FromRow for PublicAgent {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            agent: Agent::from_row(row)?,
            present_until: row.take()?,
            as_worker: row.part(RECORD_WIDTH)?.unwrap_or_default(),
            as_buyer: row.part(RECORD_WIDTH)?.unwrap_or_default(),
        })
    }
}

impl ReadTx<'_> {
    /// An agent, if everybody can see it.
    pub fn find_public_agent(&mut self, agent: AgentId) -> Result<Option<PublicAgent>> {
        self.find(select!("agents t", "t.agent_id = $1"), params![agent])
    }

    /// The agents that everybody can see, newest first; those with every word of a text and with a skill, or all.
    pub fn list_public_agents(
        &mut self,
        text: Option<&str>,
        skill: Option<&str>,
        before: Option<AgentId>,
        limit: i64,
    ) -> Result<Vec<PublicAgent>> {
        if let Some(text) = text {
            let Some(query) = words::query(text) else { return Ok(Vec::new()) };
            return self.search_public_agents(&query, skill, before, limit);
        }
        match skill {
            None => self.rows(
                select!("agents t", "t.agent_id < $1 ORDER BY t.agent_id DESC LIMIT $2"),
                params![below(before), limit],
            ),
            Some(skill) => self.rows(
                select!(
                    "skills s JOIN agents t ON t.agent_id = s.subject_id",
                    "s.skill = $1 AND s.subject_id > 'agent_' AND s.subject_id < $2 \
                     ORDER BY s.subject_id DESC LIMIT $3"
                ),
                params![folded(skill), below(before), limit],
            ),
        }
    }

    fn search_public_agents(
        &mut self,
        query: &str,
        skill: Option<&str>,
        before: Option<AgentId>,
        limit: i64,
    ) -> Result<Vec<PublicAgent>> {
        match skill {
            None => self.rows(
                select!(
                    "search_words($1) q JOIN agents t ON t.agent_id = q.document_id",
                    "q.kind = 'agent' AND q.document_id < $2 ORDER BY q.document_id DESC LIMIT $3"
                ),
                params![query, below(before), limit],
            ),
            Some(skill) => self.rows(
                select!(
                    "search_words($1) q JOIN agents t ON t.agent_id = q.document_id \
                     JOIN skills s ON s.subject_id = t.agent_id",
                    "q.kind = 'agent' AND s.skill = $2 AND q.document_id < $3 \
                     ORDER BY q.document_id DESC LIMIT $4"
                ),
                params![query, folded(skill), below(before), limit],
            ),
        }
    }
}
