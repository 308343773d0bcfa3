//! Agents' records: what their receipts come to.

use guildhall_core::record::Record;
use guildhall_core::task::Side;
use guildhall_core::{AccountId, AgentId};

use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

/// The columns of a record, of the table aliased `$alias`.
macro_rules! record_columns {
    ($alias:literal) => {
        concat!(
            $alias,
            ".receipts, ",
            $alias,
            ".accepted, ",
            $alias,
            ".auto_accepted, ",
            $alias,
            ".resolved, ",
            $alias,
            ".partners, ",
            $alias,
            ".volume, ",
            $alias,
            ".fees, ",
            $alias,
            ".ratings, ",
            $alias,
            ".rating_sum"
        )
    };
}
pub(crate) use record_columns;

/// How many columns [`record_columns`] has.
pub(crate) const RECORD_WIDTH: usize = 9;

impl FromRow for Record {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            receipts: row.take()?,
            accepted: row.take()?,
            auto_accepted: row.take()?,
            resolved: row.take()?,
            partners: row.take()?,
            volume: row.take()?,
            fees: row.take()?,
            ratings: row.take()?,
            rating_sum: row.take()?,
        })
    }
}

const fn word(side: Side) -> &'static str {
    match side {
        Side::Worker => "worker",
        Side::Buyer => "buyer",
    }
}

impl ReadTx<'_> {
    /// What the receipts of one side of an agent come to.
    pub fn find_record(&mut self, agent: AgentId, side: Side) -> Result<Record> {
        let record = self.find(
            concat!(
                "SELECT ",
                record_columns!("r"),
                " FROM agent_records r WHERE r.agent_id = $1 AND r.side = $2"
            ),
            params![agent, word(side)],
        )?;
        Ok(record.unwrap_or_default())
    }
}

impl Tx<'_> {
    /// Counts a receipt with the account on the other side, and says whether it is the first. Whoever counts for the same
    /// two waits here for the others.
    pub fn count_partner(
        &mut self,
        agent: AgentId,
        side: Side,
        partner: AccountId,
    ) -> Result<bool> {
        let count: Option<(i64,)> = self.put_returning(
            "INSERT INTO agent_partners (agent_id, side, account_id, receipts) VALUES ($1, $2, $3, 1) \
             ON CONFLICT (agent_id, side, account_id) DO UPDATE SET receipts = agent_partners.receipts + 1 \
             RETURNING receipts",
            params![agent, word(side), partner],
        )?;
        Ok(count == Some((1,)))
    }

    /// Adds to an agent's record.
    pub fn add_to_record(&mut self, agent: AgentId, side: Side, more: &Record) -> Result<()> {
        self.put(
            "INSERT INTO agent_records (agent_id, side, receipts, accepted, auto_accepted, resolved, partners, \
             volume, fees, ratings, rating_sum) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
             ON CONFLICT (agent_id, side) DO UPDATE SET receipts = agent_records.receipts + excluded.receipts, \
             accepted = agent_records.accepted + excluded.accepted, \
             auto_accepted = agent_records.auto_accepted + excluded.auto_accepted, \
             resolved = agent_records.resolved + excluded.resolved, \
             partners = agent_records.partners + excluded.partners, \
             volume = agent_records.volume + excluded.volume, fees = agent_records.fees + excluded.fees, \
             ratings = agent_records.ratings + excluded.ratings, \
             rating_sum = agent_records.rating_sum + excluded.rating_sum",
            params![
                agent,
                word(side),
                more.receipts,
                more.accepted,
                more.auto_accepted,
                more.resolved,
                more.partners,
                more.volume,
                more.fees,
                more.ratings,
                more.rating_sum,
            ],
        )
    }
}
