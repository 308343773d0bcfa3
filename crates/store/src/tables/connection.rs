//! Connections with their grants, and the one look-up by which a key is known.

use guildhall_core::connection::{ApiKey, Connection, Grant};
use guildhall_core::policy::Status as PolicyStatus;
use guildhall_core::{AccountId, AgentId, ConnectionId, PolicyId, Timestamp};

use super::columns::{Word, below};
use super::save::Saved;
use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

macro_rules! columns {
    () => {
        "t.connection_id, t.account_id, t.agent_id, t.client_catalog_id, t.client_display_name, t.auth_kind, \
         t.client_id, t.hosted, t.key_digest, t.key_scopes, t.grant_id, t.epoch, t.scopes, t.expires_at, t.spend_policy_id, \
         t.status, t.created_at, t.revoked_at, t.last_verified_at, t.last_seen_at, t.revision"
    };
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT ", columns!(), " FROM connections t ", $rest)
    };
}

macro_rules! select_named {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            ", a.name FROM connections t JOIN agents a ON a.agent_id = t.agent_id ",
            $rest
        )
    };
}

macro_rules! select_live {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            ", a.name, a.retired_at, o.disabled_at, p.policy_id, p.version, p.status, p.paused, p.expires_at \
             FROM connections t JOIN agents a ON a.agent_id = t.agent_id \
             JOIN accounts o ON o.account_id = t.account_id \
             LEFT JOIN spend_policies p ON p.policy_id = t.spend_policy_id ",
            $rest
        )
    };
}

/// A connection with the name of the agent it acts as.
#[derive(Clone, Debug)]
pub struct NamedConnection {
    /// The connection.
    pub connection: Connection,
    /// The agent's name.
    pub agent_name: String,
}

/// Everything that decides what a credential of a connection may do, read at once.
#[derive(Clone, Debug)]
pub struct LiveConnection {
    /// The connection.
    pub connection: Connection,
    /// The agent's name.
    pub agent_name: String,
    /// When the agent was retired.
    pub agent_retired_at: Option<Timestamp>,
    /// When the owner's account was disabled.
    pub account_disabled_at: Option<Timestamp>,
    /// The policy the grant is bound to.
    pub policy: Option<BoundPolicy>,
}

/// What the grant's policy says about itself.
#[derive(Clone, Debug)]
pub struct BoundPolicy {
    /// Its id.
    pub policy_id: PolicyId,
    /// Its version.
    pub version: u32,
    /// Its stored status.
    pub status: PolicyStatus,
    /// The owner's kill switch.
    pub paused: bool,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
}

impl FromRow for Connection {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let connection_id = row.take()?;
        let account_id = row.take()?;
        let agent_id = row.take()?;
        let client_catalog_id = row.take()?;
        let client_display_name = row.take()?;
        let auth_kind = row.take::<Word<_>>()?.0;
        let client_id = row.take()?;
        let hosted = row.take()?;
        let (digest, scopes): (Option<[u8; 32]>, Option<_>) = (row.take()?, row.take()?);
        Ok(Self {
            connection_id,
            account_id,
            agent_id,
            client_catalog_id,
            client_display_name,
            auth_kind,
            client_id,
            hosted,
            key: digest.zip(scopes).map(|(digest, scopes)| ApiKey { digest, scopes }),
            grant: Grant::from_row(row)?,
            stored_status: row.take::<Word<_>>()?.0,
            created_at: row.take()?,
            revoked_at: row.take()?,
            last_verified_at: row.take()?,
            last_seen_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl FromRow for Grant {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            grant_id: row.take()?,
            epoch: row.take()?,
            scopes: row.take()?,
            expires_at: row.take()?,
            spend_policy_id: row.take()?,
        })
    }
}

impl FromRow for NamedConnection {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self { connection: Connection::from_row(row)?, agent_name: row.take()? })
    }
}

impl FromRow for LiveConnection {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let connection = Connection::from_row(row)?;
        let agent_name = row.take()?;
        let agent_retired_at = row.take()?;
        let account_disabled_at = row.take()?;
        let policy = match row.take()? {
            None => None,
            Some(policy_id) => Some(BoundPolicy {
                policy_id,
                version: row.take()?,
                status: row.take::<Word<_>>()?.0,
                paused: row.take()?,
                expires_at: row.take()?,
            }),
        };
        Ok(Self { connection, agent_name, agent_retired_at, account_disabled_at, policy })
    }
}

impl Saved for Connection {
    const UPDATE: &'static str = "UPDATE connections SET key_digest = $1, key_scopes = $2, epoch = $3, \
        scopes = $4, expires_at = $5, spend_policy_id = $6, status = $7, revoked_at = $8, last_verified_at = $9, \
        last_seen_at = $10, revision = $11 WHERE connection_id = $12 AND revision = $13";

    fn columns(&self) -> Vec<Value> {
        params![
            self.key.as_ref().map(|key| key.digest),
            self.key.as_ref().map(|key| key.scopes),
            self.grant.epoch,
            self.grant.scopes,
            self.grant.expires_at,
            self.grant.spend_policy_id,
            Word(self.stored_status),
            self.revoked_at,
            self.last_verified_at,
            self.last_seen_at,
            self.revision,
        ]
    }

    fn key(&self) -> Value {
        self.connection_id.to_value()
    }
}

impl ReadTx<'_> {
    /// The connection that a key belongs to, with all that decides about it.
    pub fn find_connection_by_key(&mut self, digest: &[u8; 32]) -> Result<Option<LiveConnection>> {
        self.find(select_live!("WHERE t.key_digest = $1"), params![digest])
    }

    /// A connection that holds tokens, with all that decides about it.
    pub fn find_live_connection(
        &mut self,
        connection: ConnectionId,
    ) -> Result<Option<LiveConnection>> {
        self.find(select_live!("WHERE t.connection_id = $1"), params![connection])
    }

    /// A connection of the account.
    pub fn find_connection(
        &mut self,
        owner: AccountId,
        connection: ConnectionId,
    ) -> Result<Option<NamedConnection>> {
        self.find(
            select_named!("WHERE t.connection_id = $1 AND t.account_id = $2"),
            params![connection, owner],
        )
    }

    /// A live connection through which the agent spends under the policy, the newest if there are several.
    pub fn find_spending_connection(
        &mut self,
        policy: PolicyId,
        agent: AgentId,
        now: Timestamp,
    ) -> Result<Option<ConnectionId>> {
        let row = self.find(
            "SELECT connection_id FROM connections WHERE spend_policy_id = $1 AND agent_id = $2 \
             AND revoked_at IS NULL AND expires_at > $3 ORDER BY connection_id DESC LIMIT 1",
            params![policy, agent, now],
        )?;
        Ok(row.map(|(connection_id,)| connection_id))
    }

    /// The account's connections, newest first, the ended ones included.
    pub fn list_connections(
        &mut self,
        owner: AccountId,
        before: Option<ConnectionId>,
        limit: i64,
    ) -> Result<Vec<NamedConnection>> {
        self.rows(
            select_named!(
                "WHERE t.account_id = $1 AND t.connection_id < $2 ORDER BY t.connection_id DESC LIMIT $3"
            ),
            params![owner, below(before), limit],
        )
    }
}

impl<'c> Tx<'c> {
    /// Holds a connection, whoever owns it.
    pub fn lock_connection(
        &mut self,
        connection: ConnectionId,
    ) -> Result<Option<Locked<'c, Connection>>> {
        self.lock(select!("WHERE t.connection_id = $1"), params![connection])
    }

    /// Holds a connection of the account; its agent's name comes along.
    pub fn lock_own_connection(
        &mut self,
        owner: AccountId,
        connection: ConnectionId,
    ) -> Result<Option<(Locked<'c, Connection>, String)>> {
        let named: Option<Locked<'c, NamedConnection>> = self.lock(
            select_named!("WHERE t.connection_id = $1 AND t.account_id = $2"),
            params![connection, owner],
        )?;
        Ok(named.map(|named| named.part(|named| (named.connection, named.agent_name))))
    }

    /// Holds the connection by which a client acts as an agent, unless it has ended.
    pub fn lock_connection_of_client(
        &mut self,
        agent: AgentId,
        client_id: &str,
    ) -> Result<Option<Locked<'c, Connection>>> {
        self.lock(
            select!("WHERE t.agent_id = $1 AND t.client_id = $2 AND t.revoked_at IS NULL"),
            params![agent, client_id],
        )
    }

    /// Holds every connection of an OAuth client that has not ended.
    pub fn lock_connections_of_client(
        &mut self,
        client_id: &str,
    ) -> Result<Vec<Locked<'c, Connection>>> {
        self.lock_all(
            select!("WHERE t.client_id = $1 AND t.revoked_at IS NULL ORDER BY t.connection_id"),
            params![client_id],
        )
    }

    /// Holds every connection of the agent.
    pub fn lock_connections_of_agent(
        &mut self,
        agent: AgentId,
    ) -> Result<Vec<Locked<'c, Connection>>> {
        self.lock_all(select!("WHERE t.agent_id = $1 ORDER BY t.connection_id"), params![agent])
    }

    /// Holds every connection that is bound to the policy.
    pub fn lock_connections_of_policy(
        &mut self,
        policy: PolicyId,
    ) -> Result<Vec<Locked<'c, Connection>>> {
        self.lock_all(
            select!("WHERE t.spend_policy_id = $1 ORDER BY t.connection_id"),
            params![policy],
        )
    }

    /// Adds a connection. If its client was connected to the agent meanwhile, the closure runs again and finds that.
    pub fn insert_connection(&mut self, connection: &Connection) -> Result<()> {
        self.put_first(
            "INSERT INTO connections (connection_id, account_id, agent_id, client_catalog_id, client_display_name, \
             auth_kind, client_id, hosted, grant_id, created_at, key_digest, key_scopes, epoch, scopes, expires_at, \
             spend_policy_id, status, revoked_at, last_verified_at, last_seen_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)",
            [
                params![
                    connection.connection_id,
                    connection.account_id,
                    connection.agent_id,
                    connection.client_catalog_id,
                    connection.client_display_name,
                    Word(connection.auth_kind),
                    connection.client_id,
                    connection.hosted,
                    connection.grant.grant_id,
                    connection.created_at,
                ],
                connection.columns(),
            ]
            .concat(),
        )
    }
}
