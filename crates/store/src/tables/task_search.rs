//! Tasks by the words in them, of those that somebody may see: what others keep to themselves is not even counted.

use guildhall_core::TaskId;

use super::columns::below;
use super::task::TasksOf;
use crate::error::Result;
use crate::params;
use crate::tx::{ReadTx, Tx};
use crate::words;

/// The kind of document that a task is.
const KIND: &str = "task";

/// Ids of rows in a table that has a task's, newest first: `$1` is the query, then come those of the condition.
macro_rules! select {
    ($table:literal, $condition:literal) => {
        concat!(
            "SELECT DISTINCT t.task_id FROM search_words($1) q JOIN ",
            $table,
            " t ON t.task_id = q.document_id WHERE q.kind = 'task' AND ",
            $condition
        )
    };
}

impl ReadTx<'_> {
    /// The ids of tasks of one sort that have every word of a text, the last one perhaps only begun; newest first, below
    /// a place. A text without words finds nothing.
    pub fn search_task_ids(
        &mut self,
        of: TasksOf,
        text: &str,
        before: Option<TaskId>,
        limit: i64,
    ) -> Result<Vec<TaskId>> {
        let Some(query) = words::query(text) else { return Ok(Vec::new()) };
        let before = below(before);
        let (select, params) = match of {
            TasksOf::Everybody => (
                select!(
                    "tasks",
                    "t.status = 'open' AND t.tier = 'public' AND t.task_id < $2 ORDER BY t.task_id DESC LIMIT $3"
                ),
                params![query, before, limit],
            ),
            TasksOf::Account(account) => (
                select!(
                    "tasks",
                    "t.account_id = $2 AND t.task_id < $3 ORDER BY t.task_id DESC LIMIT $4"
                ),
                params![query, account, before, limit],
            ),
            TasksOf::BuyingAgent(agent) => (
                select!(
                    "tasks",
                    "t.buyer_agent_id = $2 AND t.task_id < $3 ORDER BY t.task_id DESC LIMIT $4"
                ),
                params![query, agent, before, limit],
            ),
            TasksOf::Worker(agent) => (
                select!(
                    "engagements",
                    "t.agent_id = $2 AND t.task_id < $3 ORDER BY t.task_id DESC LIMIT $4"
                ),
                params![query, agent, before, limit],
            ),
            TasksOf::WorkersOf(account) => (
                select!(
                    "engagements",
                    "t.worker_account_id = $2 AND t.task_id < $3 ORDER BY t.task_id DESC LIMIT $4"
                ),
                params![query, account, before, limit],
            ),
            TasksOf::Invited(agent) => (
                select!(
                    "task_invitations",
                    "t.agent_id = $2 AND t.task_id < $3 ORDER BY t.task_id DESC LIMIT $4"
                ),
                params![query, agent, before, limit],
            ),
        };
        let rows: Vec<(TaskId,)> = self.rows(select, params)?;
        Ok(rows.into_iter().map(|(task_id,)| task_id).collect())
    }
}

impl Tx<'_> {
    /// Makes a task to be found by the words of `text`, by whoever may see it.
    pub fn index_task(&mut self, task: TaskId, text: &str) -> Result<()> {
        self.index_document(KIND, &task.to_string(), text)
    }
}
