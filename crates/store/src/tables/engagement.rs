//! Engagements: selections with their offers, acceptances and fundings.

use guildhall_core::engagement::{Engagement, Funding};
use guildhall_core::money::Credits;
use guildhall_core::{AgentId, OfferId, TaskId, Timestamp};

use super::columns::{Word, below};
use super::save::Saved;
use crate::error::{Error, Result};
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

/// The columns of an engagement, of the table aliased `e`.
macro_rules! engagement_columns {
    () => {
        "e.selection_id, e.offer_id, e.funding_id, e.task_id, e.version, e.quote_id, e.agent_id, \
         e.worker_account_id, e.price, e.fee_bps, e.default_share_bps, e.terms_hash, e.quote_deadline, e.selection, \
         e.release_reason, e.offer, e.answered_by, e.acceptance, e.accepted_at, e.declined_at, e.funding_state, \
         e.outcome_reason, e.funding_created_at, e.funding_updated_at, e.held_at, e.accept_deadline_at, \
         e.deliver_by_at, e.created_at, e.updated_at, e.revision"
    };
}
pub(crate) use engagement_columns;

/// How many columns [`engagement_columns`] has.
pub(crate) const ENGAGEMENT_WIDTH: usize = 30;

impl FromRow for Engagement {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            selection_id: row.take()?,
            offer_id: row.take()?,
            funding_id: row.take()?,
            task_id: row.take()?,
            version: row.take()?,
            quote_id: row.take()?,
            agent_id: row.take()?,
            worker_account_id: row.take()?,
            price: row.take()?,
            fee_bps: row.take()?,
            default_share_bps: row.take()?,
            terms_hash: row.take()?,
            quote_deadline: row.take()?,
            selection: row.take::<Word<_>>()?.0,
            release_reason: word(row)?,
            offer: word(row)?,
            answered_by: word(row)?,
            acceptance: row.take::<Word<_>>()?.0,
            accepted_at: row.take()?,
            declined_at: row.take()?,
            funding: funding(row)?,
            accept_deadline_at: row.take()?,
            deliver_by_at: row.take()?,
            created_at: row.take()?,
            updated_at: row.take()?,
            revision: row.take()?,
        })
    }
}

fn word<T: for<'a> serde::Deserialize<'a>>(row: &mut Row<'_>) -> Result<Option<T>> {
    Ok(row.take::<Option<Word<T>>>()?.map(|word| word.0))
}

fn funding(row: &mut Row<'_>) -> Result<Option<Funding>> {
    let (state, outcome_reason) = (word(row)?, word(row)?);
    let (created_at, updated_at) = (row.take()?, row.take()?);
    let held_at = row.take()?;
    let Some(state) = state else { return Ok(None) };
    let (Some(created_at), Some(updated_at)) = (created_at, updated_at) else {
        return Err(Error::Corrupt("a funding without its dates".to_owned()));
    };
    Ok(Some(Funding { state, outcome_reason, created_at, updated_at, held_at }))
}

impl Saved for Engagement {
    const UPDATE: &'static str = "UPDATE engagements SET selection = $1, release_reason = $2, offer = $3, \
        answered_by = $4, acceptance = $5, accepted_at = $6, declined_at = $7, funding_state = $8, \
        outcome_reason = $9, funding_created_at = $10, funding_updated_at = $11, held_at = $12, \
        accept_deadline_at = $13, deliver_by_at = $14, updated_at = $15, revision = $16 \
        WHERE selection_id = $17 AND revision = $18";

    fn columns(&self) -> Vec<Value> {
        let funding = self.funding.as_ref();
        params![
            Word(self.selection),
            self.release_reason.map(Word),
            self.offer.map(Word),
            self.answered_by.map(Word),
            Word(self.acceptance),
            self.accepted_at,
            self.declined_at,
            funding.map(|funding| Word(funding.state)),
            funding.and_then(|funding| funding.outcome_reason.map(Word)),
            funding.map(|funding| funding.created_at),
            funding.map(|funding| funding.updated_at),
            funding.and_then(|funding| funding.held_at),
            self.accept_deadline_at,
            self.deliver_by_at,
            self.updated_at,
            self.revision,
        ]
    }

    fn key(&self) -> Value {
        self.selection_id.to_value()
    }
}

impl ReadTx<'_> {
    /// The task that an offer belongs to, and the agent it is addressed to.
    pub fn find_offer(&mut self, offer: OfferId) -> Result<Option<Engagement>> {
        self.find(
            concat!("SELECT ", engagement_columns!(), " FROM engagements e WHERE e.offer_id = $1"),
            params![offer],
        )
    }

    /// The agent's offers, newest first, those of one status or all.
    pub fn list_offers(
        &mut self,
        agent: AgentId,
        status: Option<&str>,
        before: Option<OfferId>,
        limit: i64,
    ) -> Result<Vec<Engagement>> {
        match status {
            None => self.rows(
                concat!(
                    "SELECT ",
                    engagement_columns!(),
                    " FROM engagements e WHERE e.agent_id = $1 AND e.offer IS NOT NULL AND e.offer_id < $2 \
                     ORDER BY e.offer_id DESC LIMIT $3"
                ),
                params![agent, below(before), limit],
            ),
            Some(status) => self.rows(
                concat!(
                    "SELECT ",
                    engagement_columns!(),
                    " FROM engagements e WHERE e.agent_id = $1 AND e.offer = $2 AND e.offer_id < $3 \
                     ORDER BY e.offer_id DESC LIMIT $4"
                ),
                params![agent, status.to_owned(), below(before), limit],
            ),
        }
    }

    /// How many offers wait for the agent's answer.
    pub fn count_open_offers(&mut self, agent: AgentId, now: Timestamp) -> Result<i64> {
        let row: Option<(i64,)> = self.find(
            "SELECT count(*) FROM engagements WHERE agent_id = $1 AND offer = 'open' AND accept_deadline_at > $2",
            params![agent, now],
        )?;
        Ok(row.map_or(0, |(count,)| count))
    }

    /// The task of an offer to the agent that has lapsed, though nobody has written it down.
    pub fn find_overdue_offer(&mut self, agent: AgentId, now: Timestamp) -> Result<Option<TaskId>> {
        let row: Option<(TaskId,)> = self.find(
            "SELECT task_id FROM engagements WHERE agent_id = $1 AND offer = 'open' AND accept_deadline_at <= $2 LIMIT 1",
            params![agent, now],
        )?;
        Ok(row.map(|(task,)| task))
    }

    /// Whether an agent was ever engaged for a task.
    pub fn was_engaged(&mut self, agent: AgentId, task: TaskId) -> Result<bool> {
        let row: Option<(i64,)> = self.find(
            "SELECT 1 FROM engagements WHERE agent_id = $1 AND task_id = $2 LIMIT 1",
            params![agent, task],
        )?;
        Ok(row.is_some())
    }

    /// The prices that are held for an agent's work, each with the platform's part of it in basis points.
    pub fn list_held_prices(&mut self, agent: AgentId) -> Result<Vec<(Credits, u16)>> {
        self.rows(
            "SELECT price, fee_bps FROM engagements WHERE agent_id = $1 AND funding_state = 'held'",
            params![agent],
        )
    }

    /// How many tasks an agent is engaged for that have not ended, and how many offers wait for its answer.
    pub fn count_live_work(&mut self, agent: AgentId) -> Result<(i64, i64)> {
        let row = self.find(
            "SELECT count(*), CAST(coalesce(sum(CASE WHEN e.offer = 'open' THEN 1 ELSE 0 END), 0) AS BIGINT) \
             FROM engagements e JOIN tasks t ON t.task_id = e.task_id AND t.selections = e.version \
             WHERE e.agent_id = $1 AND t.status NOT IN ('draft', 'open', 'completed', 'refunded', 'cancelled')",
            params![agent],
        )?;
        Ok(row.unwrap_or((0, 0)))
    }
}

impl Tx<'_> {
    /// Adds an engagement with its terms.
    pub(crate) fn insert_engagement(&mut self, engagement: &Engagement, terms: &str) -> Result<()> {
        self.put(
            "INSERT INTO engagements (selection_id, offer_id, funding_id, task_id, version, quote_id, agent_id, \
             worker_account_id, price, fee_bps, default_share_bps, terms, terms_hash, quote_deadline, created_at, \
             selection, release_reason, offer, answered_by, acceptance, accepted_at, declined_at, funding_state, \
             outcome_reason, funding_created_at, funding_updated_at, held_at, accept_deadline_at, deliver_by_at, \
             updated_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, \
             $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31)",
            [
                params![
                    engagement.selection_id,
                    engagement.offer_id,
                    engagement.funding_id,
                    engagement.task_id,
                    engagement.version,
                    engagement.quote_id,
                    engagement.agent_id,
                    engagement.worker_account_id,
                    engagement.price,
                    engagement.fee_bps,
                    engagement.default_share_bps,
                    terms.to_owned(),
                    engagement.terms_hash,
                    engagement.quote_deadline,
                    engagement.created_at,
                ],
                engagement.columns(),
            ]
            .concat(),
        )
    }
}
