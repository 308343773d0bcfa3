//! Quotes.

use guildhall_core::quote::Quote;
use guildhall_core::task::Buyer;
use guildhall_core::{AgentId, QuoteId, TaskId, Timestamp};

use super::columns::{Word, below};
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
            "SELECT t.quote_id, t.task_id, t.agent_id, t.account_id, t.buyer_account_id, t.buyer_agent_id, t.rail, \
             t.price, t.deadline, t.message, t.status, t.created_at, t.updated_at, t.revision FROM quotes t ",
            $rest
        )
    };
}

impl FromRow for Quote {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            quote_id: row.take()?,
            task_id: row.take()?,
            agent_id: row.take()?,
            account_id: row.take()?,
            buyer: Buyer { account_id: row.take()?, agent_id: row.take()? },
            rail: row.take::<Word<_>>()?.0,
            price: row.take()?,
            deadline: row.take()?,
            message: row.take()?,
            stored_status: row.take::<Word<_>>()?.0,
            created_at: row.take()?,
            updated_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl Saved for Quote {
    const UPDATE: &'static str = "UPDATE quotes SET price = $1, deadline = $2, message = $3, status = $4, \
        updated_at = $5, revision = $6 WHERE quote_id = $7 AND revision = $8";

    fn columns(&self) -> Vec<Value> {
        params![
            self.price,
            self.deadline,
            self.message,
            Word(self.stored_status),
            self.updated_at,
            self.revision,
        ]
    }

    fn key(&self) -> Value {
        self.quote_id.to_value()
    }
}

impl ReadTx<'_> {
    /// A quote.
    pub fn find_quote(&mut self, quote: QuoteId) -> Result<Option<Quote>> {
        self.find(select!("WHERE t.quote_id = $1"), params![quote])
    }

    /// The newest quote of an agent for a task.
    pub fn find_quote_of(&mut self, agent: AgentId, task: TaskId) -> Result<Option<Quote>> {
        self.find(
            select!("WHERE t.task_id = $1 AND t.agent_id = $2 ORDER BY t.quote_id DESC LIMIT 1"),
            params![task, agent],
        )
    }

    /// An agent's quotes, newest first.
    pub fn list_quotes_by_agent(
        &mut self,
        agent: AgentId,
        before: Option<QuoteId>,
        limit: i64,
    ) -> Result<Vec<Quote>> {
        self.rows(
            select!("WHERE t.agent_id = $1 AND t.quote_id < $2 ORDER BY t.quote_id DESC LIMIT $3"),
            params![agent, below(before), limit],
        )
    }

    /// The quotes on tasks that an agent buys, newest first; drafts are their makers' own.
    pub fn list_quotes_to_buyer(
        &mut self,
        buyer: AgentId,
        before: Option<QuoteId>,
        limit: i64,
    ) -> Result<Vec<Quote>> {
        self.rows(
            select!(
                "WHERE t.buyer_agent_id = $1 AND t.quote_id < $2 AND t.status <> 'draft' \
                 ORDER BY t.quote_id DESC LIMIT $3"
            ),
            params![buyer, below(before), limit],
        )
    }

    /// The quotes on a task that were handed in, newest first.
    pub fn list_quotes_on_task(
        &mut self,
        task: TaskId,
        before: Option<QuoteId>,
        limit: i64,
    ) -> Result<Vec<Quote>> {
        self.rows(
            select!(
                "WHERE t.task_id = $1 AND t.quote_id < $2 AND t.status <> 'draft' \
                 ORDER BY t.quote_id DESC LIMIT $3"
            ),
            params![task, below(before), limit],
        )
    }

    /// An agent's quotes on one task, newest first.
    pub fn list_quotes_of_agent_on_task(
        &mut self,
        (agent, task): (AgentId, TaskId),
        before: Option<QuoteId>,
        limit: i64,
    ) -> Result<Vec<Quote>> {
        self.rows(
            select!(
                "WHERE t.task_id = $1 AND t.agent_id = $2 AND t.quote_id < $3 ORDER BY t.quote_id DESC LIMIT $4"
            ),
            params![task, agent, below(before), limit],
        )
    }

    /// Whether a quote on a task waits for a selection.
    pub fn has_waiting_quotes(&mut self, task: TaskId, now: Timestamp) -> Result<bool> {
        let row: Option<(i64,)> = self.find(
            "SELECT 1 FROM quotes WHERE task_id = $1 AND status = 'submitted' AND deadline > $2 LIMIT 1",
            params![task, now],
        )?;
        Ok(row.is_some())
    }

    /// How many quotes of an agent wait for a buyer.
    pub fn count_submitted_quotes(&mut self, agent: AgentId, now: Timestamp) -> Result<i64> {
        let row: Option<(i64,)> = self.find(
            "SELECT count(*) FROM quotes WHERE agent_id = $1 AND status = 'submitted' AND deadline > $2",
            params![agent, now],
        )?;
        Ok(row.map_or(0, |(count,)| count))
    }
}

impl<'c> Tx<'c> {
    /// Holds a quote. The task's lock comes first wherever both are needed.
    pub fn lock_quote(&mut self, quote: QuoteId) -> Result<Option<Locked<'c, Quote>>> {
        self.lock(select!("WHERE t.quote_id = $1"), params![quote])
    }

    /// Holds every quote on a task that could still be selected or handed in.
    pub fn lock_live_quotes(&mut self, task: TaskId) -> Result<Vec<Locked<'c, Quote>>> {
        self.lock_all(
            select!(
                "WHERE t.task_id = $1 AND t.status IN ('draft', 'submitted') ORDER BY t.quote_id"
            ),
            params![task],
        )
    }

    /// Holds every quote of an agent that is not over.
    pub fn lock_quotes_of_agent(&mut self, agent: AgentId) -> Result<Vec<Locked<'c, Quote>>> {
        self.lock_all(
            select!(
                "WHERE t.agent_id = $1 AND t.status IN ('draft', 'submitted', 'selected') ORDER BY t.quote_id"
            ),
            params![agent],
        )
    }

    /// Adds a quote.
    pub fn insert_quote(&mut self, quote: &Quote) -> Result<()> {
        self.put(
            "INSERT INTO quotes (quote_id, task_id, agent_id, account_id, buyer_account_id, buyer_agent_id, rail, \
             created_at, price, deadline, message, status, updated_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
            [
                params![
                    quote.quote_id,
                    quote.task_id,
                    quote.agent_id,
                    quote.account_id,
                    quote.buyer.account_id,
                    quote.buyer.agent_id,
                    Word(quote.rail),
                    quote.created_at,
                ],
                quote.columns(),
            ]
            .concat(),
        )
    }
}
