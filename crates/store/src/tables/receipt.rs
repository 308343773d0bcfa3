//! Receipts.

use guildhall_core::receipt::Receipt;
use guildhall_core::task::Buyer;
use guildhall_core::{AccountId, AgentId, ReceiptId, TaskId};

use super::columns::{Json, Word, below};
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
            "SELECT t.receipt_id, t.task_id, t.buyer_account_id, t.buyer_agent_id, t.agent_id, t.worker_account_id, \
             t.rail, t.amount, t.fee, t.outcome_reason, t.terms_hash, t.delivery_digest, t.transfer_ids, t.issued_at, \
             t.jws, t.voided_at, t.rating, t.review, t.reviewed_at, t.revision FROM receipts t ",
            $rest
        )
    };
}

impl FromRow for Receipt {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            receipt_id: row.take()?,
            task_id: row.take()?,
            buyer: Buyer { account_id: row.take()?, agent_id: row.take()? },
            agent_id: row.take()?,
            worker_account_id: row.take()?,
            rail: row.take::<Word<_>>()?.0,
            amount: row.take()?,
            fee: row.take()?,
            outcome_reason: row.take::<Word<_>>()?.0,
            terms_hash: row.take()?,
            delivery_digest: row.take()?,
            transfer_ids: row.take::<Json<_>>()?.0,
            issued_at: row.take()?,
            jws: row.take()?,
            voided_at: row.take()?,
            rating: row.take()?,
            review: row.take()?,
            reviewed_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl Saved for Receipt {
    const UPDATE: &'static str = "UPDATE receipts SET voided_at = $1, rating = $2, review = $3, reviewed_at = $4, \
        revision = $5 WHERE receipt_id = $6 AND revision = $7";

    fn columns(&self) -> Vec<Value> {
        params![self.voided_at, self.rating, self.review, self.reviewed_at, self.revision]
    }

    fn key(&self) -> Value {
        self.receipt_id.to_value()
    }
}

impl ReadTx<'_> {
    /// A receipt.
    pub fn find_receipt(&mut self, receipt: ReceiptId) -> Result<Option<Receipt>> {
        self.find(select!("WHERE t.receipt_id = $1"), params![receipt])
    }

    /// The receipt of a task.
    pub fn find_receipt_of_task(&mut self, task: TaskId) -> Result<Option<Receipt>> {
        self.find(select!("WHERE t.task_id = $1"), params![task])
    }

    /// How much of an agent's paid work was accepted without a dispute, and how much there was.
    pub fn count_accepted_work(&mut self, agent: AgentId) -> Result<(i64, i64)> {
        let row = self.find(
            "SELECT CAST(coalesce(sum(CASE WHEN outcome_reason IN ('accepted', 'auto_accepted') THEN 1 ELSE 0 END), 0) \
             AS BIGINT), count(*) FROM receipts WHERE agent_id = $1 AND voided_at IS NULL",
            params![agent],
        )?;
        Ok(row.unwrap_or((0, 0)))
    }

    /// The receipts of work that agents of the account did; newest first.
    pub fn list_receipts_of_worker_account(
        &mut self,
        account: AccountId,
        before: Option<ReceiptId>,
        limit: i64,
    ) -> Result<Vec<Receipt>> {
        self.rows(
            select!(
                "WHERE t.worker_account_id = $1 AND t.receipt_id < $2 ORDER BY t.receipt_id DESC LIMIT $3"
            ),
            params![account, below(before), limit],
        )
    }

    /// The receipts of work that the agent did; newest first.
    pub fn list_receipts_of_worker(
        &mut self,
        agent: AgentId,
        before: Option<ReceiptId>,
        limit: i64,
    ) -> Result<Vec<Receipt>> {
        self.rows(
            select!(
                "WHERE t.agent_id = $1 AND t.receipt_id < $2 ORDER BY t.receipt_id DESC LIMIT $3"
            ),
            params![agent, below(before), limit],
        )
    }

    /// The receipts of an account, of what it or its agents bought and of what they did; newest first.
    pub fn list_receipts_of_account(
        &mut self,
        account: AccountId,
        before: Option<ReceiptId>,
        limit: i64,
    ) -> Result<Vec<Receipt>> {
        let bought = self.rows(
            select!(
                "WHERE t.buyer_account_id = $1 AND t.receipt_id < $2 ORDER BY t.receipt_id DESC LIMIT $3"
            ),
            params![account, below(before), limit],
        )?;
        let done = self.list_receipts_of_worker_account(account, before, limit)?;
        Ok(newest(bought, done, limit))
    }

    /// The receipts of an agent, of what it bought and of what it did; newest first.
    pub fn list_receipts_of_agent(
        &mut self,
        agent: AgentId,
        before: Option<ReceiptId>,
        limit: i64,
    ) -> Result<Vec<Receipt>> {
        let bought = self.rows(
            select!(
                "WHERE t.buyer_agent_id = $1 AND t.receipt_id < $2 ORDER BY t.receipt_id DESC LIMIT $3"
            ),
            params![agent, below(before), limit],
        )?;
        let done = self.list_receipts_of_worker(agent, before, limit)?;
        Ok(newest(bought, done, limit))
    }
}

/// The newest of two lists. Each side is asked for by its own index, which no condition on both could use.
fn newest(mut bought: Vec<Receipt>, done: Vec<Receipt>, limit: i64) -> Vec<Receipt> {
    bought.extend(done);
    bought.sort_by_key(|receipt| std::cmp::Reverse(receipt.receipt_id));
    bought.dedup_by_key(|receipt| receipt.receipt_id);
    bought.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    bought
}

impl<'c> Tx<'c> {
    /// Holds a receipt.
    pub fn lock_receipt(&mut self, receipt: ReceiptId) -> Result<Option<Locked<'c, Receipt>>> {
        self.lock(select!("WHERE t.receipt_id = $1"), params![receipt])
    }

    /// Adds a receipt.
    pub fn insert_receipt(&mut self, receipt: &Receipt) -> Result<()> {
        self.put(
            "INSERT INTO receipts (receipt_id, task_id, buyer_account_id, buyer_agent_id, agent_id, \
             worker_account_id, rail, amount, fee, outcome_reason, terms_hash, delivery_digest, transfer_ids, \
             issued_at, jws, voided_at, rating, review, reviewed_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
            [
                params![
                    receipt.receipt_id,
                    receipt.task_id,
                    receipt.buyer.account_id,
                    receipt.buyer.agent_id,
                    receipt.agent_id,
                    receipt.worker_account_id,
                    Word(receipt.rail),
                    receipt.amount,
                    receipt.fee,
                    Word(receipt.outcome_reason),
                    receipt.terms_hash,
                    receipt.delivery_digest,
                    Json(&receipt.transfer_ids),
                    receipt.issued_at,
                    receipt.jws,
                ],
                receipt.columns(),
            ]
            .concat(),
        )
    }
}
