//! Sessions: kept by a cookie, sliding while they are used, listed and ended by their owner.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use guildhall_core::id::missing;
use guildhall_core::{AccountId, Code, Secret, SessionId, SessionKind, Timestamp};
use guildhall_store::tables::account::Account;
use guildhall_store::tables::session::{HeldSession, Session};
use guildhall_store::{ReadTx, Tx};
use serde::Serialize;

use crate::account::{AccountView, SignedIn};
use crate::error::{Error, Result};
use crate::random;
use crate::seen;
use crate::service::Identity;
use crate::tokens::SessionToken;

const LIFETIME: Duration = Duration::from_hours(30 * 24);
/// How much a session is used before that is written down again.
const SLIDE_INTERVAL: Duration = Duration::from_hours(1);
/// How long an expired session is kept for whoever looks into what happened.
const KEPT: Duration = Duration::from_hours(30 * 24);
const MAX_USER_AGENT: usize = 200;
const MAX_LISTED: u32 = 200;
const MAX_SWEPT: u32 = 1_000;

/// A session as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SessionView {
    /// Its id.
    pub session_id: SessionId,
    /// What the browser called itself.
    pub user_agent: String,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used, to the hour.
    pub last_seen_at: Timestamp,
    /// When it ends if it is not used.
    pub expires_at: Timestamp,
    /// Whether it is the one that asks.
    pub current: bool,
}

impl Identity {
    /// Who is signed in by a cookie, if anybody is. Using a session keeps it alive.
    pub async fn session(
        &self,
        cookie: &Secret<String>,
    ) -> Result<Option<(AccountView, SessionView)>> {
        let now = self.now();
        let Some(held) = self.held(cookie, now).await? else { return Ok(None) };
        let account = AccountView::from(&held);
        let Some(session) = self.slid(held.session, now).await? else { return Ok(None) };
        let current = session.session_id;
        Ok(Some((account, SessionView::new(session, current))))
    }

    /// A token for the API, for whoever is signed in by a cookie.
    pub async fn token(&self, cookie: &Secret<String>) -> Result<SessionToken> {
        let now = self.now();
        let digest = digest(cookie);
        let (held, key_id) = self
            .db
            .read("session_token", move |tx| {
                let held = tx.find_session_by_token(&digest)?.filter(|held| held.is_live(now));
                let held = held.ok_or_else(signed_out)?;
                let key_id = tx.find_current_key_id()?;
                Ok::<_, Error>((held, key_id.ok_or_else(|| Error::internal("no signing key"))?))
            })
            .await?;
        let session = self.slid(held.session, now).await?.ok_or_else(signed_out)?;
        self.tokens.mint(&key_id, session.account_id, session.session_id, now).await
    }

    /// The sessions of whoever is signed in by a cookie, the newest first.
    pub async fn sessions(&self, cookie: &Secret<String>) -> Result<Vec<SessionView>> {
        let now = self.now();
        let digest = digest(cookie);
        self.db
            .read("list_sessions", move |tx| {
                let held = tx.find_session_by_token(&digest)?.filter(|held| held.is_live(now));
                let current = held.ok_or_else(signed_out)?.session;
                let open = tx.list_open_sessions(current.account_id, now, MAX_LISTED)?;
                let view = |session| SessionView::new(session, current.session_id);
                Ok(open.into_iter().map(view).collect())
            })
            .await
    }

    /// Ends one of the sessions of whoever is signed in by a cookie.
    pub async fn end_session(&self, cookie: &Secret<String>, session_id: SessionId) -> Result<()> {
        let now = self.now();
        let digest = digest(cookie);
        self.db
            .write("end_session", move |tx| {
                let held = tx.find_session_by_token(&digest)?.filter(|held| held.is_live(now));
                let owner = held.ok_or_else(signed_out)?.session.account_id;
                end(tx, session_id, owner, now)
            })
            .await
    }

    /// Ends the session of a cookie. Signing out twice is signing out.
    pub async fn sign_out(&self, cookie: &Secret<String>) -> Result<()> {
        let now = self.now();
        let Some(held) = self.held(cookie, now).await? else { return Ok(()) };
        let Session { session_id, account_id, .. } = held.session;
        self.db
            .write("sign_out", move |tx| match end(tx, session_id, account_id, now) {
                Err(error) if error.refusal.code == Code::NotFound => Ok(()),
                done => done,
            })
            .await
    }

    /// Forgets sessions that ended long ago, a bounded number at a time.
    pub async fn sweep_sessions(&self) -> Result<()> {
        let before = self.now().before(KEPT);
        self.db
            .write("sweep_sessions", move |tx| {
                Ok::<_, Error>(tx.delete_expired_sessions(before, MAX_SWEPT)?)
            })
            .await
    }

    /// The live session of a cookie.
    async fn held(&self, cookie: &Secret<String>, now: Timestamp) -> Result<Option<HeldSession>> {
        let digest = digest(cookie);
        let found: Option<HeldSession> =
            self.db.read("get_session", move |tx| tx.find_session_by_token(&digest)).await?;
        Ok(found.filter(|held| held.is_live(now)))
    }

    /// The session after its use, which is written down once in a while; nothing if it was ended meanwhile.
    async fn slid(&self, session: Session, now: Timestamp) -> Result<Option<Session>> {
        if now.since(session.last_seen_at) < SLIDE_INTERVAL {
            return Ok(Some(session));
        }
        let session_id = session.session_id;
        let expires_at = now.after(LIFETIME);
        let open = self
            .db
            .write("slide_session", move |tx| slide(tx, session_id, now, expires_at))
            .await?;
        Ok(open.then_some(Session { last_seen_at: now, expires_at, ..session }))
    }
}

/// The live session of a cookie, or the refusal of one that has none.
pub(crate) fn live(
    tx: &mut ReadTx<'_>,
    cookie: &Secret<String>,
    now: Timestamp,
) -> Result<HeldSession> {
    let held = tx.find_session_by_token(&digest(cookie))?.filter(|held| held.is_live(now));
    held.ok_or_else(signed_out)
}

/// Moves a session on, unless it was moved meanwhile, and says whether it is still open.
fn slide(
    tx: &mut Tx<'_>,
    session_id: SessionId,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<bool> {
    let session = tx.lock_session(session_id)?.filter(|session| session.ended_at.is_none());
    let Some(session) = session else { return Ok(false) };
    if session.last_seen_at < now {
        tx.extend_session(&session, now, expires_at)?;
    }
    Ok(true)
}

/// Ends a session of `owner`. One of somebody else, or one that has ended, is not there.
fn end(tx: &mut Tx<'_>, session_id: SessionId, owner: AccountId, now: Timestamp) -> Result<()> {
    let session = tx.lock_session(session_id)?.filter(|session| {
        session.account_id == owner && session.ended_at.is_none() && now < session.expires_at
    });
    let session = session.ok_or_else(missing::<SessionKind>)?;
    Ok(tx.end_session(&session, now)?)
}

/// A session that is about to begin, with the token that nobody has seen yet.
pub(crate) struct NewSession {
    session: Session,
    cookie: Secret<String>,
}

impl NewSession {
    /// Draws a token for an account. Every sign-in has its own, so that one planted in a browser is worth nothing.
    pub(crate) fn new(
        identity: &Identity,
        account_id: AccountId,
        user_agent: &str,
    ) -> Result<Self> {
        let now = identity.now();
        let cookie = Secret::new(BASE64.encode(random::bytes::<32>()?));
        let session = Session {
            session_id: identity.mint.id(now)?,
            account_id,
            token_digest: digest(&cookie),
            user_agent: cleaned(user_agent),
            created_at: now,
            last_seen_at: now,
            expires_at: now.after(LIFETIME),
            ended_at: None,
        };
        Ok(Self { session, cookie })
    }

    /// The row to insert.
    pub(crate) fn row(&self) -> &Session {
        &self.session
    }

    /// What the browser is answered.
    pub(crate) fn signed_in(&self, account: &Account) -> SignedIn {
        SignedIn {
            account: AccountView::from(account),
            session_id: self.session.session_id,
            cookie: self.cookie.clone(),
            expires_at: self.session.expires_at,
        }
    }
}

impl From<&HeldSession> for AccountView {
    fn from(held: &HeldSession) -> Self {
        Self {
            account_id: held.session.account_id,
            email: held.email.clone(),
            display_name: held.display_name.clone(),
            created_at: held.account_created_at,
        }
    }
}

impl SessionView {
    fn new(session: Session, current: SessionId) -> Self {
        Self {
            session_id: session.session_id,
            user_agent: session.user_agent,
            created_at: session.created_at,
            last_seen_at: session.last_seen_at,
            expires_at: session.expires_at,
            current: session.session_id == current,
        }
    }
}

/// Tokens are stored as digests: whoever reads the database cannot sign in, and a look-up tells nothing by its time.
fn digest(cookie: &Secret<String>) -> [u8; 32] {
    seen::digest(cookie.reveal())
}

fn cleaned(user_agent: &str) -> String {
    user_agent.chars().filter(|c| !c.is_control()).take(MAX_USER_AGENT).collect()
}

fn signed_out() -> Error {
    guildhall_core::Refusal::new(Code::Unauthorized, "Nobody is signed in here.")
        .suggest("Sign in and try again.")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agents_are_one_short_line() {
        assert_eq!(cleaned("Mozilla\r\n/5.0\u{0}"), "Mozilla/5.0");
        assert_eq!(cleaned(&"ü".repeat(300)).chars().count(), 200);
    }
}
