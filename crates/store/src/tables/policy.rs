//! Spending policies with their running sums.

use guildhall_core::policy::{Rules, SpendPolicy, Usage};
use guildhall_core::{AccountId, PolicyId};

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
            "SELECT t.policy_id, t.account_id, t.version, t.status, t.max_per_command, t.max_per_day, \
             t.max_per_month, t.max_total, t.max_open_tasks, t.max_per_worker_day, t.allowed_operations, \
             t.allowed_models, t.worker_allowlist, t.worker_blocklist, t.approval_above, t.max_delegation_depth, \
             t.paused, t.expires_at, t.used_as_of, t.used_day, t.used_month, t.used_total, t.reserved, t.open_tasks, \
             t.created_at, t.updated_at, t.revision FROM spend_policies t ",
            $rest
        )
    };
}

impl FromRow for SpendPolicy {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            policy_id: row.take()?,
            account_id: row.take()?,
            version: row.take()?,
            stored_status: row.take::<Word<_>>()?.0,
            rules: Rules::from_row(row)?,
            usage: Usage::from_row(row)?,
            created_at: row.take()?,
            updated_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl FromRow for Rules {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            max_per_command: row.take()?,
            max_per_day: row.take()?,
            max_per_month: row.take()?,
            max_total: row.take()?,
            max_open_tasks: row.take()?,
            max_per_worker_day: row.take()?,
            allowed_operations: list(row)?,
            allowed_models: list(row)?,
            worker_allowlist: list(row)?,
            worker_blocklist: list(row)?,
            approval_above: row.take()?,
            max_delegation_depth: row.take()?,
            paused: row.take()?,
            expires_at: row.take()?,
        })
    }
}

impl FromRow for Usage {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            as_of: row.take()?,
            day: row.take()?,
            month: row.take()?,
            total: row.take()?,
            reserved: row.take()?,
            open_tasks: row.take()?,
        })
    }
}

fn list<T: serde::de::DeserializeOwned>(row: &mut Row<'_>) -> Result<Option<Vec<T>>> {
    Ok(row.take::<Option<Json<_>>>()?.map(|json| json.0))
}

impl Saved for SpendPolicy {
    const UPDATE: &'static str = "UPDATE spend_policies SET version = $1, status = $2, max_per_command = $3, \
        max_per_day = $4, max_per_month = $5, max_total = $6, max_open_tasks = $7, max_per_worker_day = $8, \
        allowed_operations = $9, allowed_models = $10, worker_allowlist = $11, worker_blocklist = $12, \
        approval_above = $13, max_delegation_depth = $14, paused = $15, expires_at = $16, used_as_of = $17, \
        used_day = $18, used_month = $19, used_total = $20, reserved = $21, open_tasks = $22, updated_at = $23, \
        revision = $24 WHERE policy_id = $25 AND revision = $26";

    fn columns(&self) -> Vec<Value> {
        let (rules, usage) = (&self.rules, &self.usage);
        params![
            self.version,
            Word(self.stored_status),
            rules.max_per_command,
            rules.max_per_day,
            rules.max_per_month,
            rules.max_total,
            rules.max_open_tasks,
            rules.max_per_worker_day,
            rules.allowed_operations.as_ref().map(Json),
            rules.allowed_models.as_ref().map(Json),
            rules.worker_allowlist.as_ref().map(Json),
            rules.worker_blocklist.as_ref().map(Json),
            rules.approval_above,
            rules.max_delegation_depth,
            rules.paused,
            rules.expires_at,
            usage.as_of,
            usage.day,
            usage.month,
            usage.total,
            usage.reserved,
            usage.open_tasks,
            self.updated_at,
            self.revision,
        ]
    }

    fn key(&self) -> Value {
        self.policy_id.to_value()
    }
}

impl ReadTx<'_> {
    /// A policy of the account.
    pub fn find_policy(
        &mut self,
        owner: AccountId,
        policy: PolicyId,
    ) -> Result<Option<SpendPolicy>> {
        self.find(select!("WHERE t.policy_id = $1 AND t.account_id = $2"), params![policy, owner])
    }

    /// The account's policy that is marked active; its date may have passed.
    pub fn find_active_policy(&mut self, owner: AccountId) -> Result<Option<SpendPolicy>> {
        self.find(select!("WHERE t.account_id = $1 AND t.status = 'active'"), params![owner])
    }

    /// Whose policy it is.
    pub fn find_policy_owner(&mut self, policy: PolicyId) -> Result<Option<AccountId>> {
        let owner = self
            .find("SELECT account_id FROM spend_policies WHERE policy_id = $1", params![policy])?;
        Ok(owner.map(|(account_id,)| account_id))
    }

    /// The account's policies, newest first.
    pub fn list_policies(
        &mut self,
        owner: AccountId,
        before: Option<PolicyId>,
        limit: i64,
    ) -> Result<Vec<SpendPolicy>> {
        self.rows(
            select!(
                "WHERE t.account_id = $1 AND t.policy_id < $2 ORDER BY t.policy_id DESC LIMIT $3"
            ),
            params![owner, below(before), limit],
        )
    }
}

impl<'c> Tx<'c> {
    /// Holds a policy of the account.
    pub fn lock_policy(
        &mut self,
        owner: AccountId,
        policy: PolicyId,
    ) -> Result<Option<Locked<'c, SpendPolicy>>> {
        self.lock(select!("WHERE t.policy_id = $1 AND t.account_id = $2"), params![policy, owner])
    }

    /// Holds the account's policy that is marked active; its date may have passed.
    pub fn lock_active_policy(
        &mut self,
        owner: AccountId,
    ) -> Result<Option<Locked<'c, SpendPolicy>>> {
        self.lock(select!("WHERE t.account_id = $1 AND t.status = 'active'"), params![owner])
    }

    /// Adds the account's active policy. If another one was made meanwhile, the closure runs again and sees it.
    pub fn insert_policy(&mut self, policy: &SpendPolicy) -> Result<()> {
        self.put_first(
            "INSERT INTO spend_policies (policy_id, account_id, created_at, version, status, max_per_command, \
             max_per_day, max_per_month, max_total, max_open_tasks, max_per_worker_day, allowed_operations, \
             allowed_models, worker_allowlist, worker_blocklist, approval_above, max_delegation_depth, paused, \
             expires_at, used_as_of, used_day, used_month, used_total, reserved, open_tasks, updated_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, \
             $22, $23, $24, $25, $26, $27)",
            [
                params![policy.policy_id, policy.account_id, policy.created_at],
                policy.columns(),
            ]
            .concat(),
        )
    }
}
