//! Tasks.

use guildhall_core::task::{Brief, Buyer, Task};
use guildhall_core::{AccountId, AgentId, ListingId, TaskId};

use super::columns::{Json, Seconds, Word, below};
use super::save::Saved;
use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

/// The columns of a task, of the table aliased `t`.
macro_rules! task_columns {
    () => {
        "t.task_id, t.account_id, t.buyer_agent_id, t.title, t.brief, t.criteria, t.checks, \
         t.auto_accept_on_checks, t.budget, t.rail, t.tier, t.invited_agent_ids, t.selection_mode, t.accept_window, \
         t.delivery_window, t.review_window, t.parent_task_id, t.depth, t.listing_id, t.hire, t.command_id, \
         t.buyer_wallet, t.status, t.selections, t.deliveries, t.change_requests, t.due_at, t.created_at, \
         t.updated_at, t.revision"
    };
}
pub(crate) use task_columns;

impl FromRow for Task {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            task_id: row.take()?,
            buyer: Buyer { account_id: row.take()?, agent_id: row.take()? },
            brief: Brief::from_row(row)?,
            command_id: row.take()?,
            buyer_wallet: row.take()?,
            status: row.take::<Word<_>>()?.0,
            selections: row.take()?,
            deliveries: row.take()?,
            change_requests: row.take()?,
            due_at: row.take()?,
            created_at: row.take()?,
            updated_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl FromRow for Brief {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            title: row.take()?,
            brief: row.take()?,
            criteria: row.take::<Json<_>>()?.0,
            checks: row.take::<Json<_>>()?.0,
            auto_accept_on_checks: row.take()?,
            budget: row.take()?,
            rail: row.take::<Word<_>>()?.0,
            tier: row.take::<Word<_>>()?.0,
            invited_agent_ids: row.take::<Json<_>>()?.0,
            selection_mode: row.take::<Word<_>>()?.0,
            accept_window: row.take::<Seconds<_>>()?.0,
            delivery_window: row.take::<Seconds<_>>()?.0,
            review_window: row.take::<Seconds<_>>()?.0,
            parent_task_id: row.take()?,
            depth: row.take()?,
            listing_id: row.take()?,
            hire: row.take::<Option<Json<_>>>()?.map(|json| json.0),
        })
    }
}

impl Saved for Task {
    const UPDATE: &'static str = "UPDATE tasks SET buyer_wallet = $1, status = $2, selections = $3, \
        deliveries = $4, change_requests = $5, due_at = $6, updated_at = $7, revision = $8 \
        WHERE task_id = $9 AND revision = $10";

    fn columns(&self) -> Vec<Value> {
        params![
            self.buyer_wallet,
            Word(self.status),
            self.selections,
            self.deliveries,
            self.change_requests,
            self.due_at,
            self.updated_at,
            self.revision,
        ]
    }

    fn key(&self) -> Value {
        self.task_id.to_value()
    }
}

/// Whose tasks a list shows.
#[derive(Clone, Copy, Debug)]
pub enum TasksOf {
    /// Open ones that everybody may see.
    Everybody,
    /// Those an account, or one of its agents, buys.
    Account(AccountId),
    /// Those an agent buys.
    BuyingAgent(AgentId),
    /// Those an agent was engaged for.
    Worker(AgentId),
    /// Those that agents of an account were engaged for.
    WorkersOf(AccountId),
    /// Private ones an agent is invited to.
    Invited(AgentId),
}

impl ReadTx<'_> {
    /// A task.
    pub fn find_task(&mut self, task: TaskId) -> Result<Option<Task>> {
        self.find(
            concat!("SELECT ", task_columns!(), " FROM tasks t WHERE t.task_id = $1"),
            params![task],
        )
    }

    /// The ids of tasks, newest first, below a place.
    pub fn list_task_ids(
        &mut self,
        of: TasksOf,
        before: Option<TaskId>,
        limit: i64,
    ) -> Result<Vec<TaskId>> {
        let (before, limit) = (below(before), limit);
        let rows: Vec<(TaskId,)> = match of {
            TasksOf::Everybody => self.rows(
                "SELECT task_id FROM tasks WHERE status = 'open' AND tier = 'public' AND task_id < $1 \
                 ORDER BY task_id DESC LIMIT $2",
                params![before, limit],
            ),
            TasksOf::Account(account) => self.rows(
                "SELECT task_id FROM tasks WHERE account_id = $1 AND task_id < $2 ORDER BY task_id DESC LIMIT $3",
                params![account, before, limit],
            ),
            TasksOf::BuyingAgent(agent) => self.rows(
                "SELECT task_id FROM tasks WHERE buyer_agent_id = $1 AND task_id < $2 \
                 ORDER BY task_id DESC LIMIT $3",
                params![agent, before, limit],
            ),
            TasksOf::Worker(agent) => self.rows(
                "SELECT DISTINCT task_id FROM engagements WHERE agent_id = $1 AND task_id < $2 \
                 ORDER BY task_id DESC LIMIT $3",
                params![agent, before, limit],
            ),
            TasksOf::WorkersOf(account) => self.rows(
                "SELECT DISTINCT task_id FROM engagements WHERE worker_account_id = $1 AND task_id < $2 \
                 ORDER BY task_id DESC LIMIT $3",
                params![account, before, limit],
            ),
            TasksOf::Invited(agent) => self.rows(
                "SELECT task_id FROM task_invitations WHERE agent_id = $1 AND task_id < $2 \
                 ORDER BY task_id DESC LIMIT $3",
                params![agent, before, limit],
            ),
        }?;
        Ok(rows.into_iter().map(|(task_id,)| task_id).collect())
    }

    /// Whether an agent is invited to a task.
    pub fn is_invited(&mut self, agent: AgentId, task: TaskId) -> Result<bool> {
        let row: Option<(i64,)> = self.find(
            "SELECT 1 FROM task_invitations WHERE agent_id = $1 AND task_id = $2",
            params![agent, task],
        )?;
        Ok(row.is_some())
    }

    /// How many tasks of an account have not ended.
    pub fn count_live_tasks(&mut self, account: AccountId) -> Result<i64> {
        let row: Option<(i64,)> = self.find(
            "SELECT count(*) FROM tasks WHERE account_id = $1 AND status NOT IN ('completed', 'refunded', 'cancelled')",
            params![account],
        )?;
        Ok(row.map_or(0, |(count,)| count))
    }

    /// How many tasks that an agent buys have not ended.
    pub fn count_live_purchases(&mut self, agent: AgentId) -> Result<i64> {
        let row: Option<(i64,)> = self.find(
            "SELECT count(*) FROM tasks WHERE buyer_agent_id = $1 \
             AND status NOT IN ('completed', 'refunded', 'cancelled')",
            params![agent],
        )?;
        Ok(row.map_or(0, |(count,)| count))
    }

    /// How many hires from a listing have not ended.
    pub fn count_live_hires(&mut self, listing: ListingId) -> Result<i64> {
        let row: Option<(i64,)> = self.find(
            "SELECT count(*) FROM tasks WHERE listing_id = $1 AND status NOT IN ('completed', 'refunded', 'cancelled')",
            params![listing],
        )?;
        Ok(row.map_or(0, |(count,)| count))
    }
}

impl Tx<'_> {
    /// Adds a task with its trail of events.
    pub fn insert_task(&mut self, task: &Task) -> Result<()> {
        let brief = &task.brief;
        self.put(
            "INSERT INTO tasks (task_id, account_id, buyer_agent_id, command_id, title, brief, criteria, checks, \
             auto_accept_on_checks, budget, rail, tier, invited_agent_ids, selection_mode, accept_window, \
             delivery_window, review_window, parent_task_id, depth, listing_id, hire, created_at, buyer_wallet, \
             status, selections, deliveries, change_requests, due_at, updated_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, \
             $22, $23, $24, $25, $26, $27, $28, $29, $30)",
            [
                params![
                    task.task_id,
                    task.buyer.account_id,
                    task.buyer.agent_id,
                    task.command_id,
                    brief.title,
                    brief.brief,
                    Json(&brief.criteria),
                    Json(&brief.checks),
                    brief.auto_accept_on_checks,
                    brief.budget,
                    Word(brief.rail),
                    Word(brief.tier),
                    Json(&brief.invited_agent_ids),
                    Word(brief.selection_mode),
                    brief.accept_window.seconds(),
                    brief.delivery_window.seconds(),
                    brief.review_window.seconds(),
                    brief.parent_task_id,
                    brief.depth,
                    brief.listing_id,
                    brief.hire.as_ref().map(Json),
                    task.created_at,
                ],
                task.columns(),
            ]
            .concat(),
        )?;
        for agent in &brief.invited_agent_ids {
            self.put(
                "INSERT INTO task_invitations (agent_id, task_id) VALUES ($1, $2)",
                params![agent, task.task_id],
            )?;
        }
        self.insert_feed(&task.task_id.to_string())
    }
}
