//! What an operation has at hand while it runs.

use guildhall_core::id::{Kind, missing};
use guildhall_core::{
    AccountId, AgentId, Code, Entity, Id, NotificationId, RequestId, Step, TaskId, Timestamp,
};
use guildhall_store::tables::Saved;
use guildhall_store::tables::feed::FeedItem;
use guildhall_store::tables::timer::Timer;
use guildhall_store::{Locked, Sealer};
use serde_json::{Value, json};

use crate::caller::{AgentCaller, Caller};
use crate::error::{Error, Result};
use crate::meta::Meta;
use crate::mint::Mint;
use crate::operation::{Access, Writes};
use crate::webhooks;

/// What does not change from request to request.
#[derive(Debug)]
pub(crate) struct Env {
    /// Where the service is found.
    pub base_url: String,
    /// How many bytes of files an account may keep.
    pub account_quota_bytes: i64,
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

/// What one request brings to the run of its operation.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) meta: &'a Meta,
    pub(crate) caller: &'a Caller,
    pub(crate) now: Timestamp,
    pub(crate) env: &'a Env,
    pub(crate) request_id: RequestId,
}

/// The context of a run. Written `&mut Cx<Reads>` or `&mut Cx<Writes>` in a signature.
pub(crate) struct Cx<'a, 'c, A: Access> {
    /// The transaction.
    pub tx: &'a mut A::Tx<'c>,
    /// When the request is decided: one instant for the whole run.
    pub now: Timestamp,
    pub(crate) setting: &'a Setting<'a>,
    subject: Option<(&'static str, String)>,
}

impl<'a, 'c, A: Access> Cx<'a, 'c, A> {
    pub(crate) fn new(tx: &'a mut A::Tx<'c>, setting: &'a Setting<'a>) -> Self {
        Self { tx, now: setting.now, setting, subject: None }
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
        let item = self.event(kind, subject, data)?;
        let feed = agent.to_string();
        self.publish(&feed, &FeedItem { agent_id: Some(feed.clone()), ..item })
    }

    /// Tells an account that something happened, in its activity.
    #[expect(dead_code, reason = "the market's events come with the tasks")]
    pub(crate) fn tell<K: Kind>(
        &mut self,
        account: AccountId,
        kind: &str,
        subject: (&str, Id<K>),
        task: Option<TaskId>,
        data: Value,
    ) -> Result<()> {
        let item = self.event(kind, subject, data)?;
        let task_id = task.map(|task| task.to_string());
        self.publish(&account.to_string(), &FeedItem { task_id, ..item })
    }

    fn event<K: Kind>(
        &self,
        kind: &str,
        (noun, id): (&str, Id<K>),
        data: Value,
    ) -> Result<FeedItem> {
        Ok(FeedItem {
            seq: 0,
            item_id: self.mint::<guildhall_core::NotificationKind>()?,
            kind: kind.to_owned(),
            agent_id: None,
            task_id: None,
            subject: Some((noun.to_owned(), id.to_string())),
            data,
            created_at: self.now,
        })
    }

    /// Adds an event to a feed and to the queues of the webhooks that want it, and wakes whoever waits for either.
    fn publish(&mut self, feed: &str, item: &FeedItem) -> Result<()> {
        self.tx.append_to_feed(feed, item)?;
        self.tx.queue_webhook_deliveries(feed, item)?;
        self.tx.wake_here(webhooks::TOPIC);
        Ok(self.tx.wake(feed)?)
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

    /// Writes the account's activity: every change leaves a trace in the transaction that makes it.
    pub(crate) fn finish(self) -> Result<()> {
        let Some(account) = self.setting.caller.account_id() else { return Ok(()) };
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
            subject: self.subject.map(|(noun, id)| (noun.to_owned(), id)),
            data: json!({
                "actor": self.setting.caller.principal(),
                "request_id": self.setting.request_id,
            }),
            created_at: self.now,
        };
        // Streams at other nodes look for themselves every second; telling them of every change would slow every commit.
        let feed = account.to_string();
        self.tx.append_to_feed(&feed, &item)?;
        self.tx.wake_here(feed);
        Ok(())
    }
}
