//! What people and agents have, and their statements.

use guildhall_core::ledger::{Book, Head, Line, Transfer};
use guildhall_core::money::Credits;
use guildhall_core::{AccountId, AgentId, TaskId, TransferId};

use super::{select_heads, select_lines};
use crate::error::Result;
use crate::params;
use crate::tables::columns::below;
use crate::tx::ReadTx;

impl ReadTx<'_> {
    /// The books that count for a person: their own, and the escrows that keep credits of theirs.
    pub fn list_live_books(&mut self, owner: AccountId) -> Result<Vec<Head>> {
        self.rows(select_heads!("WHERE t.owner = $1 AND t.live = 1"), params![owner])
    }

    /// What an agent's commands have set aside of its owner's credits and neither used nor given back.
    pub fn sum_reserved_by_agent(&mut self, owner: AccountId, agent: AgentId) -> Result<Credits> {
        let sum: Option<(Credits,)> = self.find(
            "SELECT CAST(COALESCE(SUM(CASE WHEN credit = $1 THEN amount ELSE -amount END), 0) AS BIGINT) \
             FROM ledger_transfers WHERE agent_id = $2 AND (debit = $1 OR credit = $1)",
            params![Book::Reserved(owner), agent],
        )?;
        Ok(sum.map_or(Credits::ZERO, |(sum,)| sum))
    }

    /// A person's statement: the entries of what they can spend, newest first, from before a place in it.
    pub fn list_credit_entries(
        &mut self,
        owner: AccountId,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<Line>> {
        self.rows(
            select_lines!("WHERE e.book = $1 AND e.seq < $2 ORDER BY e.seq DESC LIMIT $3"),
            params![Book::Available(owner), before.unwrap_or(i64::MAX), limit],
        )
    }

    /// An agent's own part of its owner's statement, newest first.
    pub fn list_credit_entries_of_agent(
        &mut self,
        owner: AccountId,
        agent: AgentId,
        before: Option<TransferId>,
        limit: i64,
    ) -> Result<Vec<Line>> {
        self.rows(
            select_lines!(
                "WHERE t.agent_id = $1 AND t.transfer_id < $2 AND e.book = $3 \
                 ORDER BY t.transfer_id DESC LIMIT $4"
            ),
            params![agent, below(before), Book::Available(owner), limit],
        )
    }

    /// What has moved for a task, oldest first.
    pub fn list_transfers_of_task(&mut self, task: TaskId) -> Result<Vec<Transfer>> {
        self.rows(
            "SELECT transfer_id, movement, debit, credit, amount, agent_id, task_id, created_at \
             FROM ledger_transfers WHERE task_id = $1 ORDER BY transfer_id",
            params![task],
        )
    }
}
