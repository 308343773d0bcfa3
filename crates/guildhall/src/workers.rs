//! What a node does without being asked: timers, webhooks, and sweeping away what is over.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use guildhall_core::WebhookId;
use guildhall_identity::Identity;
use guildhall_ops::{Message, Outcome, Service};
use guildhall_outbound::Outbound;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::App;

/// How soon a timer that another node has set, or that failed, is looked for.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How many endpoints are called at the same time. A slow one takes one place and holds up no other.
const MOST_ENDPOINTS: usize = 32;
const SWEEP_SESSIONS_EVERY: Duration = Duration::from_hours(1);

/// Starts the workers; they end by themselves after `stop`, each at the end of what it is doing.
pub(crate) fn start(app: &App, stop: &CancellationToken) -> TaskTracker {
    let workers = TaskTracker::new();
    workers.spawn(run_timers(Arc::clone(&app.service), stop.clone()));
    workers.spawn(sweep_sessions(Arc::clone(&app.identity), stop.clone()));
    let outbound = Arc::clone(&app.outbound);
    workers.spawn(send_webhooks(Arc::clone(&app.service), outbound, stop.clone()));
    workers.close();
    workers
}

async fn run_timers(service: Arc<Service>, stop: CancellationToken) {
    loop {
        let pause = match service.run_due_timers().await {
            Ok(_) => until_next(&service).await,
            Err(error) => {
                let detail = error.internal_detail().unwrap_or(error.reason());
                tracing::error!(detail, "a timer failed and will be tried again");
                LONGEST_PAUSE
            }
        };
        if stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
            return;
        }
    }
}

async fn until_next(service: &Service) -> Duration {
    match service.next_timer_due().await {
        Ok(Some(due)) => due.since(service.clock().now()).min(LONGEST_PAUSE),
        Ok(None) => LONGEST_PAUSE,
        Err(error) => {
            let detail = error.internal_detail().unwrap_or(error.reason());
            tracing::error!(detail, "the next timer could not be looked for");
            LONGEST_PAUSE
        }
    }
}

async fn sweep_sessions(identity: Arc<Identity>, stop: CancellationToken) {
    loop {
        if let Err(error) = identity.sweep_sessions().await {
            tracing::error!(%error, "old sessions could not be swept away");
        }
        let pause = tokio::time::sleep(SWEEP_SESSIONS_EVERY);
        if stop.run_until_cancelled(pause).await.is_none() {
            return;
        }
    }
}

/// Sends events to webhooks, to each endpoint a few at a time.
async fn send_webhooks(service: Arc<Service>, outbound: Arc<Outbound>, stop: CancellationToken) {
    let waiter = service.webhook_waiter();
    let mut calling = JoinSet::new();
    let mut called = HashSet::new();
    while !stop.is_cancelled() {
        let woken = waiter.woken();
        for webhook in due_webhooks(&service).await {
            if called.len() < MOST_ENDPOINTS && called.insert(webhook) {
                let (service, outbound) = (Arc::clone(&service), Arc::clone(&outbound));
                calling.spawn(async move { call_webhook(&service, outbound, webhook).await });
            }
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = woken => {}
            () = tokio::time::sleep(LONGEST_PAUSE) => {}
            Some(ended) = calling.join_next() => {
                match ended {
                    Ok(webhook) => drop(called.remove(&webhook)),
                    // One that panicked does not say which it was: all may be called again, each under its lease.
                    Err(_) => called.clear(),
                }
            }
        }
    }
    calling.join_all().await;
}

async fn due_webhooks(service: &Service) -> Vec<WebhookId> {
    // Those being called may be due again already, and must not hide the others.
    let most = i64::try_from(2 * MOST_ENDPOINTS).unwrap_or(i64::MAX);
    service.due_webhooks(most).await.unwrap_or_else(|error| {
        let detail = error.internal_detail().unwrap_or(error.reason());
        tracing::error!(detail, "due webhooks could not be looked for");
        Vec::new()
    })
}

async fn call_webhook(
    service: &Arc<Service>,
    outbound: Arc<Outbound>,
    webhook: WebhookId,
) -> WebhookId {
    let post = move |message: Message| {
        let outbound = Arc::clone(&outbound);
        async move {
            let posted = outbound.post(&message.url, &message.headers, message.body).await;
            posted.map_or_else(
                |error| Outcome::Unreached(error.to_string()),
                |answer| Outcome::Answered(answer.status),
            )
        }
    };
    if let Err(error) = service.send_webhook(webhook, post).await {
        let detail = error.internal_detail().unwrap_or(error.reason());
        tracing::error!(detail, %webhook, "a webhook could not be served and will be tried again");
        // Due again at once: without a pause a lasting fault would keep the loop busy.
        tokio::time::sleep(LONGEST_PAUSE).await;
    }
    webhook
}
