//! Timers: what is due is done, once, by whichever node gets to it first.

use std::sync::Arc;
use std::time::Duration;

use guildhall_core::{AccountId, PolicyId, Timestamp};
use guildhall_store::Tx;
use guildhall_store::tables::timer::Timer;

use crate::actions;
use crate::agent_buyer;
use crate::caller::{Caller, Credential};
use crate::connections::sweep_oauth;
use crate::content::Content;
use crate::cx::{Cx, Setting};
use crate::error::{Error, Overdue, Result};
use crate::idempotency::SECRET_LIFETIME;
use crate::market;
use crate::meta::{Meta, Method};
use crate::operation::Writes;
use crate::service::Service;
use crate::webhooks::DELIVERY_LIFETIME;

/// Erases one-time secrets whose time is over.
pub(crate) const ERASE_SECRETS: &str = "secrets.erase";
/// Writes down that a policy's date has passed.
pub(crate) const EXPIRE_POLICY: &str = "policy.expire";
/// Forgets what has expired: keys, windows, sessions.
const SWEEP: &str = "sweep";

/// How often what has expired is swept away.
const SWEEP_EVERY: Duration = Duration::from_mins(1);
/// How many rows a sweep takes at once, so that it never holds up the writer for long.
const SWEEP_ROWS: i64 = 1_000;

/// When a timer that failed is tried again.
const RETRY_AFTER: Duration = Duration::from_mins(1);

type Handler = fn(&mut Cx<'_, '_, Writes>, &Timer) -> Result<()>;

/// What each kind of timer does.
const HANDLERS: &[(&str, Handler)] = &[
    (ERASE_SECRETS, erase_secrets),
    (EXPIRE_POLICY, expire_policy),
    (SWEEP, sweep),
    (market::RUN_OUT, market::run_out),
    (market::AUTO_SELECT, market::auto_select),
    (agent_buyer::EXPIRE, agent_buyer::expire),
    (actions::EXPIRE, actions::expire),
];

/// What a timer's run says about itself.
const META: Meta = Meta::mutation("timer", Method::Post, "");

impl Service {
    /// Sets the timers that re-set themselves ever after.
    pub async fn start_timers(&self) -> Result<()> {
        let now = self.clock.now();
        self.db
            .write("timers.start", move |tx| tx.set_timer(&sweep_at(now)))
            .await
            .map_err(Error::from)
    }

    /// Runs every timer that is due, and says how many there were.
    pub async fn run_due_timers(self: &Arc<Self>) -> Result<usize> {
        let mut done = 0;
        loop {
            let service = Arc::clone(self);
            if !self.db.write("timers.run", move |tx| service.run_one(tx)).await? {
                return Ok(done);
            }
            done += 1;
        }
    }

    /// When the next timer is due.
    pub async fn next_timer_due(&self) -> Result<Option<Timestamp>> {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "a method is not general enough"
        )]
        let next = self.db.read("timers.next", |tx| tx.next_timer_due()).await;
        Ok(next?)
    }

    /// Does what is overdue at once, whatever the timers' turn.
    pub(crate) async fn catch_up(self: &Arc<Self>, overdue: &Overdue) -> Result<()> {
        let Overdue { kind, subject_id } = overdue.clone();
        let service = Arc::clone(self);
        let job = move |tx: &mut Tx<'_>| {
            let now = service.clock.now();
            let kind = kind.to_owned();
            service.run_timer(
                tx,
                &Timer { due_at: now, kind, subject_id: subject_id.clone(), epoch: 0 },
            )
        };
        self.db.write("timers.catch_up", job).await
    }

    /// Takes one due timer and does what it says, in one transaction.
    fn run_one(&self, tx: &mut Tx<'_>) -> Result<bool> {
        let now = self.clock.now();
        let Some(timer) = tx.claim_timers(now, 1)?.pop() else { return Ok(false) };
        tx.delete_timer(&timer)?;
        if let Err(fault) = tx.attempt(|tx| self.run_timer(tx, &timer))? {
            // One that cannot be done must not keep the others from being done.
            tracing::error!(
                kind = timer.kind,
                subject = timer.subject_id,
                reason = fault.reason(),
                detail = fault.internal_detail(),
                "a timer failed"
            );
            tx.set_timer(&Timer { due_at: now.after(RETRY_AFTER), ..timer.clone() })?;
        }
        Ok(true)
    }

    fn run_timer(&self, tx: &mut Tx<'_>, timer: &Timer) -> Result<()> {
        let handler = HANDLERS.iter().find(|(kind, _)| *kind == timer.kind);
        let (_, handler) = handler
            .ok_or_else(|| Error::internal(format!("no handler for the timer {}", timer.kind)))?;
        let content = Content::default();
        let setting = Setting {
            meta: &META,
            caller: &Caller::Public,
            credential: &Credential::None,
            now: self.clock.now(),
            env: &self.env,
            request_id: self.request_id(),
            content: &content,
        };
        let mut cx = Cx::new(tx, &setting);
        handler(&mut cx, timer)?;
        cx.finish()
    }
}

fn erase_secrets(cx: &mut Cx<Writes>, _: &Timer) -> Result<()> {
    Ok(cx.tx.erase_sealed_bodies(cx.now.before(SECRET_LIFETIME))?)
}

fn expire_policy(cx: &mut Cx<Writes>, timer: &Timer) -> Result<()> {
    let broken = |_| Error::internal(format!("a timer for {}", timer.subject_id));
    let policy_id: PolicyId = timer.subject_id.parse().map_err(broken)?;
    let Some(owner): Option<AccountId> = cx.tx.find_policy_owner(policy_id)? else { return Ok(()) };
    if let Some(mut policy) = cx.tx.lock_policy(owner, policy_id)?
        && let Some(step) = policy.expire(cx.now)
    {
        cx.apply(&mut policy, step)?;
    }
    Ok(())
}

fn sweep(cx: &mut Cx<Writes>, _: &Timer) -> Result<()> {
    let (tx, now) = (&mut *cx.tx, cx.now);
    let swept = tx.sweep_outcomes(now, SWEEP_ROWS)?;
    tx.sweep_rate_windows(now.before(Duration::from_hours(1)))?;
    // For a day an expired one is answered as what it is, not as one that never was.
    tx.sweep_wallet_questions(now.before(Duration::from_hours(24)), SWEEP_ROWS)?;
    sweep_oauth(tx, now, SWEEP_ROWS)?;
    tx.sweep_passkey_ceremonies(now, SWEEP_ROWS)?;
    let told = tx.sweep_webhook_deliveries(now.before(DELIVERY_LIFETIME), SWEEP_ROWS)?;
    let more = i64::try_from(swept.max(told)).unwrap_or(0) >= SWEEP_ROWS;
    let next = if more { now } else { now.after(SWEEP_EVERY) };
    Ok(tx.set_timer(&sweep_at(next))?)
}

fn sweep_at(due_at: Timestamp) -> Timer {
    Timer { due_at, kind: SWEEP.to_owned(), subject_id: "service".to_owned(), epoch: 0 }
}
