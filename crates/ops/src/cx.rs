//! What an operation has at hand while it runs.

use std::sync::Arc;

use guildhall_core::id::{Kind, missing};
use guildhall_core::passkey::Verifier;
use guildhall_core::receipt::Signer;
use guildhall_core::{
    AccountId, AgentId, Code, Entity, Id, NotificationId, RequestId, SessionId, Step, TaskId,
    Timestamp,
};
use guildhall_store::tables::Saved;
use guildhall_store::tables::feed::FeedItem;
use guildhall_store::tables::timer::Timer;
use guildhall_store::{Locked, Sealer};
use serde_json::{Value, json};

use crate::caller::{AgentCaller, Caller, Credential};
use crate::content::Content;
use crate::error::{Error, Result};
use crate::meta::Meta;
use crate::mint::Mint;
use crate::operation::{Access, Writes};
use crate::webhooks;

/// What does not change from request to request.
pub(crate) struct Env {
    /// Where the service is found.
    pub base_url: String,
    /// Where people and clients sign in.
    pub auth_url: String,
    /// How many bytes of files an account may keep.
    pub account_quota_bytes: i64,
    /// The platform's part of a worker's share, in basis points.
    pub fee_bps: u16,
    /// What the service signs receipts with.
    pub signer: Arc<dyn Signer>,
    /// Who knows what the word of a passkey is made of.
    pub passkeys: Arc<dyn Verifier>,
    /// The chain that wallets sign for.
    pub chain_id: u64,
    /// Where ids and secrets come from.
    pub mint: Mint,
    /// Whether the loopback of this machine may be named as a place to call: for development and tests.
    pub allow_local: bool,
    /// Authenticates cursors.
    pub cursors: Sealer,
    /// Authenticates links to previews.
    pub previews: Sealer,
    /// Keeps the secrets of webhooks.
    pub webhooks: Sealer,
}

#[cfg(test)]
impl Env {
    /// Surroundings that hang on a key, for tests of what is sealed with it.
    pub(crate) fn of_key(key: &guildhall_core::Secret<[u8; 32]>) -> Self {
        struct Nobody;
        impl Signer for Nobody {
            fn sign(&self, _: &str, _: &[u8]) -> std::result::Result<String, String> {
                Err("there is no key".to_owned())
            }

            fn sign_card(
                &self,
                _: &str,
                _: &[u8],
            ) -> std::result::Result<guildhall_core::card::Signature, String> {
                Err("there is no key".to_owned())
            }
        }
        impl Verifier for Nobody {
            fn verify(
                &self,
                _: &guildhall_core::passkey::Passkey,
                _: &guildhall_core::passkey::Assertion,
                _: &[u8; 32],
            ) -> std::result::Result<
                guildhall_core::passkey::Use,
                guildhall_core::passkey::Unverified,
            > {
                Err(guildhall_core::passkey::Unverified("there is no key".to_owned()))
            }
        }
        Self {
            base_url: "https://market.example".to_owned(),
            auth_url: "https://market.example".to_owned(),
            account_quota_bytes: 0,
            allow_local: false,
            fee_bps: 0,
            signer: Arc::new(Nobody),
            passkeys: Arc::new(Nobody),
            chain_id: 1,
            mint: Mint::default(),
            cursors: Sealer::new(key, "cursors"),
            previews: Sealer::new(key, "previews"),
            webhooks: Sealer::new(key, "webhooks"),
        }
    }
}

/// What one request brings to the run of its operation.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) meta: &'a Meta,
    pub(crate) caller: &'a Caller,
    pub(crate) credential: &'a Credential,
    pub(crate) now: Timestamp,
    pub(crate) env: &'a Env,
    pub(crate) request_id: RequestId,
    /// What was read for the run beforehand.
    pub(crate) content: &'a Content,
}

/// The context of a run. Written `&mut Cx<Reads>` or `&mut Cx<Writes>` in a signature.
pub(crate) struct Cx<'a, 'c, A: Access> {
    /// The transaction.
    pub tx: &'a mut A::Tx<'c>,
    /// When the request is decided: one instant for the whole run.
    pub now: Timestamp,
    pub(crate) setting: &'a Setting<'a>,
    subject: Option<(&'static str, String)>,
    /// What the feeds are told when all is done.
    told: Vec<Told>,
    /// The account that this is done for, where it is not the caller's own.
    behalf: Option<AccountId>,
}

/// An item on its way to a feed.
struct Told {
    feed: String,
    item: FeedItem,
    /// Whether somebody on another node may be waiting for it.
    everywhere: bool,
}

impl<'a, 'c, A: Access> Cx<'a, 'c, A> {
    pub(crate) fn new(tx: &'a mut A::Tx<'c>, setting: &'a Setting<'a>) -> Self {
        Self { tx, now: setting.now, setting, subject: None, told: Vec::new(), behalf: None }
    }

    /// What does not change from request to request.
    pub(crate) fn env(&self) -> &'a Env {
        self.setting.env
    }

    /// Who is calling.
    pub(crate) fn caller(&self) -> &'a Caller {
        self.setting.caller
    }

    /// The account that is calling by its session.
    pub(crate) fn account(&self) -> Result<AccountId> {
        match self.setting.caller {
            Caller::Account(account_id) => Ok(*account_id),
            _ => Err(Error::new(Code::Forbidden, "This takes an account session.")),
        }
    }

    /// The session that the account is calling by.
    pub(crate) fn session(&self) -> Result<SessionId> {
        match self.setting.credential {
            Credential::Session { session_id, .. } => Ok(*session_id),
            _ => Err(Error::new(Code::Forbidden, "This takes an account session.")),
        }
    }

    /// The agent that is calling.
    pub(crate) fn agent(&self) -> Result<&'a AgentCaller> {
        match self.setting.caller {
            Caller::Agent(agent) => Ok(agent),
            _ => Err(Error::new(Code::Forbidden, "This takes an agent's credential.")),
        }
    }
}

/// What is not there, or not the caller's, is answered in one way.
pub(crate) trait OrMissing<T> {
    /// The thing, or the refusal for things of its kind.
    fn or_missing<K: Kind>(self) -> Result<T>;
}

impl<T> OrMissing<T> for Option<T> {
    fn or_missing<K: Kind>(self) -> Result<T> {
        self.ok_or_else(|| missing::<K>().into())
    }
}

impl<'c> Cx<'_, 'c, Writes> {
    /// A new id.
    pub(crate) fn mint<K: Kind>(&self) -> Result<Id<K>> {
        self.setting.env.mint.id(self.now)
    }

    /// Says what the operation acted on, for the account's activity.
    pub(crate) fn about<K: Kind>(&mut self, noun: &'static str, id: Id<K>) {
        self.subject = Some((noun, id.to_string()));
    }

    /// Says whose account is changed, where it is not the caller's own.
    pub(crate) fn for_account(&mut self, account_id: AccountId) {
        self.behalf = Some(account_id);
    }

    /// Saves a decision.
    pub(crate) fn apply<T: Saved>(&mut self, row: &mut Locked<'c, T>, step: Step<T>) -> Result<()> {
        Ok(self.tx.apply(row, step)?)
    }

    /// Saves a decision, if there was one to take.
    pub(crate) fn apply_some<T: Saved + Entity>(
        &mut self,
        row: &mut Locked<'c, T>,
        step: Option<Step<T>>,
    ) -> Result<bool> {
        match step {
            None => Ok(false),
            Some(step) => self.apply(row, step).map(|()| true),
        }
    }

    /// Tells an agent that something happened.
    pub(crate) fn notify<K: Kind>(
        &mut self,
        agent: AgentId,
        kind: &str,
        subject: (&str, Id<K>),
        data: Value,
    ) -> Result<()> {
        let item = self.item(kind, Some(agent), None, (subject.0, subject.1.to_string()), data)?;
        self.tell(agent.to_string(), item, true);
        Ok(())
    }

    /// Tells a feed, an agent's or an account's, what happened to a task.
    pub(crate) fn tell_of_task(
        &mut self,
        feed: String,
        agent: Option<AgentId>,
        kind: &str,
        task: TaskId,
        subject: (&str, String),
        data: Value,
    ) -> Result<()> {
        let item = self.item(kind, agent, Some(task), subject, data)?;
        self.tell(feed, item, true);
        Ok(())
    }

    /// Writes what happened into the task's own trail.
    pub(crate) fn log_event(&mut self, task: TaskId, kind: &str, data: Value) -> Result<()> {
        let item = self.item(kind, None, Some(task), ("task", task.to_string()), data)?;
        self.tell(task.to_string(), item, false);
        Ok(())
    }

    fn tell(&mut self, feed: String, item: FeedItem, everywhere: bool) {
        self.told.push(Told { feed, item, everywhere });
    }

    fn item(
        &self,
        kind: &str,
        agent: Option<AgentId>,
        task: Option<TaskId>,
        subject: (&str, String),
        data: Value,
    ) -> Result<FeedItem> {
        Ok(FeedItem {
            seq: 0,
            item_id: self.mint::<guildhall_core::NotificationKind>()?,
            kind: kind.to_owned(),
            agent_id: agent.map(|agent| agent.to_string()),
            task_id: task.map(|task| task.to_string()),
            subject: Some((subject.0.to_owned(), subject.1)),
            data,
            created_at: self.now,
        })
    }

    /// Sets a timer for later.
    pub(crate) fn set_timer(
        &mut self,
        kind: &str,
        subject: &impl ToString,
        due_at: Timestamp,
        epoch: i64,
    ) -> Result<()> {
        let timer = Timer { due_at, kind: kind.to_owned(), subject_id: subject.to_string(), epoch };
        Ok(self.tx.set_timer(&timer)?)
    }

    /// Writes what the feeds are told, the account's activity among it: every change leaves a trace in the transaction
    /// that makes it.
    ///
    /// Feeds are held from here to the commit, all in one order: whoever tells two of them never waits in a circle.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.log_activity()?;
        self.told.sort_by(|one, other| one.feed.cmp(&other.feed));
        for Told { feed, item, everywhere } in self.told {
            self.tx.append_to_feed(&feed, &item)?;
            if everywhere {
                self.tx.queue_webhook_deliveries(&feed, &item)?;
                self.tx.wake_here(webhooks::TOPIC);
                self.tx.wake(feed)?;
            } else {
                self.tx.wake_here(feed);
            }
        }
        Ok(())
    }

    fn log_activity(&mut self) -> Result<()> {
        let account = self.behalf.or_else(|| self.setting.caller.account_id());
        let Some(account) = account else { return Ok(()) };
        let item_id: NotificationId = self.mint()?;
        let item = FeedItem {
            seq: 0,
            item_id,
            kind: self.setting.meta.id.to_owned(),
            agent_id: match self.setting.caller {
                Caller::Agent(agent) => Some(agent.agent_id().to_string()),
                _ => None,
            },
            task_id: None,
            subject: self.subject.take().map(|(noun, id)| (noun.to_owned(), id)),
            data: json!({
                "actor": self.setting.caller.principal(),
                "request_id": self.setting.request_id,
            }),
            created_at: self.now,
        };
        // Streams at other nodes look for themselves every second; telling them of every change would slow every commit.
        self.tell(account.to_string(), item, false);
        Ok(())
    }
}
