//! Prepared actions.

use guildhall_core::action::Action;
use guildhall_core::{AccountId, ActionId, TaskId};

use super::columns::{Json, Word, below};
use super::save::Saved;
use crate::error::{Error, Result};
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT t.action_id, t.account_id, t.task_id, t.rail, t.intent, t.signer, t.chain_id, t.typed_data, \
             t.digest, t.summary, t.token_digest, t.status, t.expires_at, t.sealed_at, t.created_at, t.updated_at, \
             t.revision FROM actions t ",
            $rest
        )
    };
}

impl FromRow for Action {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            action_id: row.take()?,
            account_id: row.take()?,
            task_id: row.take()?,
            rail: row.take::<Word<_>>()?.0,
            intent: row.take::<Json<_>>()?.0,
            signer: row.take()?,
            chain_id: u64::try_from(row.take::<i64>()?)
                .map_err(|_| Error::Corrupt("a negative chain id".to_owned()))?,
            typed_data: row.take::<Json<_>>()?.0,
            digest: row.take()?,
            summary: row.take::<Json<_>>()?.0,
            token_digest: row.take()?,
            stored_status: row.take::<Word<_>>()?.0,
            expires_at: row.take()?,
            sealed_at: row.take()?,
            created_at: row.take()?,
            updated_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl Saved for Action {
    const UPDATE: &'static str = "UPDATE actions SET status = $1, sealed_at = $2, updated_at = $3, revision = $4 \
        WHERE action_id = $5 AND revision = $6";

    fn columns(&self) -> Vec<Value> {
        params![Word(self.stored_status), self.sealed_at, self.updated_at, self.revision]
    }

    fn key(&self) -> Value {
        self.action_id.to_value()
    }
}

impl ReadTx<'_> {
    /// An action.
    pub fn find_action(&mut self, action: ActionId) -> Result<Option<Action>> {
        self.find(select!("WHERE t.action_id = $1"), params![action])
    }

    /// The action whose own token has this digest.
    pub fn find_action_by_token(&mut self, digest: &[u8; 32]) -> Result<Option<Action>> {
        self.find(select!("WHERE t.token_digest = $1"), params![digest])
    }

    /// The account's actions, newest first.
    pub fn list_actions(
        &mut self,
        account: AccountId,
        before: Option<ActionId>,
        limit: i64,
    ) -> Result<Vec<Action>> {
        self.rows(
            select!(
                "WHERE t.account_id = $1 AND t.action_id < $2 ORDER BY t.action_id DESC LIMIT $3"
            ),
            params![account, below(before), limit],
        )
    }

    /// The newest unsealed action of a task of one kind.
    pub fn find_prepared_action(&mut self, task: TaskId, kind: &str) -> Result<Option<ActionId>> {
        let row: Option<(ActionId,)> = self.find(
            "SELECT action_id FROM actions WHERE task_id = $1 AND kind = $2 AND status = 'prepared' \
             ORDER BY action_id DESC LIMIT 1",
            params![task, kind.to_owned()],
        )?;
        Ok(row.map(|(action_id,)| action_id))
    }

    /// Whether an unsealed action of the account waits for this signer.
    pub fn signer_is_needed(&mut self, account: AccountId, signer: &str) -> Result<bool> {
        let row: Option<(i64,)> = self.find(
            "SELECT 1 FROM actions WHERE account_id = $1 AND signer = $2 AND status = 'prepared' LIMIT 1",
            params![account, signer.to_owned()],
        )?;
        Ok(row.is_some())
    }
}

impl<'c> Tx<'c> {
    /// Holds an action. The lock of its task comes first.
    pub fn lock_action(&mut self, action: ActionId) -> Result<Option<Locked<'c, Action>>> {
        self.lock(select!("WHERE t.action_id = $1"), params![action])
    }

    /// Holds the unsealed actions of a task.
    pub fn lock_prepared_actions(&mut self, task: TaskId) -> Result<Vec<Locked<'c, Action>>> {
        self.lock_all(
            select!("WHERE t.task_id = $1 AND t.status = 'prepared' ORDER BY t.action_id"),
            params![task],
        )
    }

    /// Adds an action.
    pub fn insert_action(&mut self, action: &Action) -> Result<()> {
        let chain_id = i64::try_from(action.chain_id)
            .map_err(|_| Error::Corrupt("a chain id beyond what is stored".to_owned()))?;
        self.put(
            "INSERT INTO actions (action_id, account_id, task_id, kind, rail, intent, signer, chain_id, typed_data, \
             digest, summary, token_digest, expires_at, created_at, status, sealed_at, updated_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
            [
                params![
                    action.action_id,
                    action.account_id,
                    action.task_id,
                    action.intent.kind().to_owned(),
                    Word(action.rail),
                    Json(&action.intent),
                    action.signer,
                    chain_id,
                    Json(&action.typed_data),
                    action.digest,
                    Json(&action.summary),
                    action.token_digest,
                    action.expires_at,
                    action.created_at,
                ],
                action.columns(),
            ]
            .concat(),
        )
    }
}
