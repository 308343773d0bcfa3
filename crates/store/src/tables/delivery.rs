//! Deliveries: what is decided about them apart from what is in them.

use guildhall_core::delivery::{Artifact, Delivery};
use guildhall_core::{DeliveryId, TaskId};

use super::columns::{Json, Word};
use super::save::Saved;
use crate::error::Result;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

/// The columns of a delivery, of the table aliased `d`, without its content.
macro_rules! delivery_columns {
    () => {
        "d.delivery_id, d.task_id, d.agent_id, d.version, d.status, d.digest, d.notes, d.created_at, d.updated_at, \
         d.revision"
    };
}
pub(crate) use delivery_columns;

/// How many columns [`delivery_columns`] has.
pub(crate) const DELIVERY_WIDTH: usize = 10;

macro_rules! select_whole {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            delivery_columns!(),
            ", d.summary, d.artifacts, d.check_results FROM deliveries d ",
            $rest
        )
    };
}

/// What is in a delivery. It never changes.
#[derive(Clone, Debug)]
pub struct Content {
    /// What the worker says about it.
    pub summary: String,
    /// Its parts.
    pub artifacts: Vec<Artifact>,
    /// How the task's checks came out, as JSON.
    pub check_results: serde_json::Value,
}

/// A delivery with its content.
#[derive(Clone, Debug)]
pub struct WholeDelivery {
    /// The delivery.
    pub delivery: Delivery,
    /// What is in it.
    pub content: Content,
}

impl FromRow for Delivery {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            delivery_id: row.take()?,
            task_id: row.take()?,
            agent_id: row.take()?,
            version: row.take()?,
            status: row.take::<Word<_>>()?.0,
            digest: row.take()?,
            notes: row.take()?,
            created_at: row.take()?,
            updated_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl FromRow for WholeDelivery {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            delivery: Delivery::from_row(row)?,
            content: Content {
                summary: row.take()?,
                artifacts: row.take::<Json<_>>()?.0,
                check_results: row.take::<Json<_>>()?.0,
            },
        })
    }
}

impl Saved for Delivery {
    const UPDATE: &'static str = "UPDATE deliveries SET status = $1, notes = $2, updated_at = $3, revision = $4 \
        WHERE delivery_id = $5 AND revision = $6";

    fn columns(&self) -> Vec<Value> {
        params![Word(self.status), self.notes, self.updated_at, self.revision]
    }

    fn key(&self) -> Value {
        self.delivery_id.to_value()
    }
}

impl ReadTx<'_> {
    /// A delivery with its content.
    pub fn find_delivery(&mut self, delivery: DeliveryId) -> Result<Option<WholeDelivery>> {
        self.find(select_whole!("WHERE d.delivery_id = $1"), params![delivery])
    }

    /// The task's deliveries, newest first, below a version.
    pub fn list_deliveries(
        &mut self,
        task: TaskId,
        before: Option<u32>,
        limit: i64,
    ) -> Result<Vec<WholeDelivery>> {
        self.rows(
            select_whole!(
                "WHERE d.task_id = $1 AND d.version < $2 ORDER BY d.version DESC LIMIT $3"
            ),
            params![task, before.unwrap_or(u32::MAX), limit],
        )
    }
}

impl Tx<'_> {
    /// Adds a delivery with its content.
    pub fn insert_delivery(&mut self, delivery: &Delivery, content: &Content) -> Result<()> {
        self.put(
            "INSERT INTO deliveries (delivery_id, task_id, agent_id, version, digest, created_at, summary, artifacts, \
             check_results, status, notes, updated_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
            [
                params![
                    delivery.delivery_id,
                    delivery.task_id,
                    delivery.agent_id,
                    delivery.version,
                    delivery.digest,
                    delivery.created_at,
                    content.summary,
                    Json(&content.artifacts),
                    Json(&content.check_results),
                ],
                delivery.columns(),
            ]
            .concat(),
        )
    }
}
