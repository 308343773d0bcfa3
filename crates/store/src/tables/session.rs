//! Account sessions: a browser that stays signed in.

use guildhall_core::{AccountId, SessionId, Timestamp};

use super::account::Account;
use crate::error::Result;
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};

macro_rules! columns {
    () => {
        "t.session_id, t.account_id, t.token_digest, t.user_agent, t.created_at, t.last_seen_at, t.expires_at, \
         t.ended_at"
    };
}

macro_rules! select {
    ($rest:literal) => {
        concat!("SELECT ", columns!(), " FROM sessions t ", $rest)
    };
}

macro_rules! select_held {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            ", a.email, a.display_name, a.created_at, a.disabled_at \
             FROM sessions t JOIN accounts a ON a.account_id = t.account_id ",
            $rest
        )
    };
}

/// A row of `sessions`.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its id, which is no secret.
    pub session_id: SessionId,
    /// Who is signed in.
    pub account_id: AccountId,
    /// SHA-256 of the token that the browser holds.
    pub token_digest: [u8; 32],
    /// What the browser called itself.
    pub user_agent: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used, to the hour.
    pub last_seen_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Timestamp,
    /// When it was ended, if so.
    pub ended_at: Option<Timestamp>,
}

/// A session together with what matters of its account.
#[derive(Clone, Debug)]
pub struct HeldSession {
    /// The session.
    pub session: Session,
    /// The account's address.
    pub email: String,
    /// The account's name.
    pub display_name: String,
    /// When the account was made.
    pub account_created_at: Timestamp,
    /// When the account was disabled, if so.
    pub account_disabled_at: Option<Timestamp>,
}

impl HeldSession {
    /// Whether the session still speaks for its account: neither ended nor expired, and the account not disabled.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        self.session.ended_at.is_none()
            && now < self.session.expires_at
            && self.account_disabled_at.is_none()
    }
}

impl FromRow for Session {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            session_id: row.take()?,
            account_id: row.take()?,
            token_digest: row.take()?,
            user_agent: row.take()?,
            created_at: row.take()?,
            last_seen_at: row.take()?,
            expires_at: row.take()?,
            ended_at: row.take()?,
        })
    }
}

impl FromRow for HeldSession {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            session: Session::from_row(row)?,
            email: row.take()?,
            display_name: row.take()?,
            account_created_at: row.take()?,
            account_disabled_at: row.take()?,
        })
    }
}

impl ReadTx<'_> {
    /// The session with this id and its account, live or not.
    pub fn find_session(&mut self, session_id: SessionId) -> Result<Option<HeldSession>> {
        self.find(select_held!("WHERE t.session_id = $1"), params![session_id])
    }

    /// The session whose token has this digest and its account, live or not.
    pub fn find_session_by_token(&mut self, digest: &[u8; 32]) -> Result<Option<HeldSession>> {
        self.find(select_held!("WHERE t.token_digest = $1"), params![digest])
    }

    /// The newest sessions of an account that are neither ended nor expired.
    pub fn list_open_sessions(
        &mut self,
        account_id: AccountId,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<Session>> {
        self.rows(
            select!(
                "WHERE t.account_id = $1 AND t.ended_at IS NULL AND t.expires_at > $2 \
                 ORDER BY t.session_id DESC LIMIT $3"
            ),
            params![account_id, now, limit],
        )
    }
}

impl<'c> Tx<'c> {
    /// The session with this id, held until the end.
    pub fn lock_session(&mut self, session_id: SessionId) -> Result<Option<Locked<'c, Session>>> {
        self.lock(select!("WHERE t.session_id = $1"), params![session_id])
    }

    /// Adds a session.
    pub fn insert_session(&mut self, session: &Session) -> Result<()> {
        self.put_one(
            "INSERT INTO sessions (session_id, account_id, token_digest, user_agent, created_at, last_seen_at, \
                 expires_at, ended_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                session.session_id,
                session.account_id,
                session.token_digest,
                session.user_agent,
                session.created_at,
                session.last_seen_at,
                session.expires_at,
                session.ended_at,
            ],
        )
    }

    /// Notes that the session was used, and until when it may rest now.
    pub fn extend_session(
        &mut self,
        session: &Locked<'c, Session>,
        last_seen_at: Timestamp,
        expires_at: Timestamp,
    ) -> Result<()> {
        self.put_one(
            "UPDATE sessions SET last_seen_at = $1, expires_at = $2 WHERE session_id = $3 AND ended_at IS NULL",
            params![last_seen_at, expires_at, session.session_id],
        )
    }

    /// Ends a session that is not ended yet.
    pub fn end_session(
        &mut self,
        session: &Locked<'c, Session>,
        ended_at: Timestamp,
    ) -> Result<()> {
        self.put_one(
            "UPDATE sessions SET ended_at = $1 WHERE session_id = $2 AND ended_at IS NULL",
            params![ended_at, session.session_id],
        )
    }

    /// Ends every session of an account.
    pub fn end_sessions(
        &mut self,
        account: &Locked<'c, Account>,
        ended_at: Timestamp,
    ) -> Result<()> {
        self.put(
            "UPDATE sessions SET ended_at = $1 WHERE account_id = $2 AND ended_at IS NULL",
            params![ended_at, account.account_id],
        )
    }

    /// Forgets sessions that expired before an instant, at most `limit` of them.
    pub fn delete_expired_sessions(&mut self, before: Timestamp, limit: u32) -> Result<()> {
        self.put(
            "DELETE FROM sessions WHERE session_id IN \
                 (SELECT session_id FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
            params![before, limit],
        )
    }
}
