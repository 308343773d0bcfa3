//! What a node does without being asked: timers, and sweeping away what is over.

use std::sync::Arc;
use std::time::Duration;

use guildhall_identity::Identity;
use guildhall_ops::Service;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::App;

/// How soon a timer that another node has set, or that failed, is looked for.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
const SWEEP_SESSIONS_EVERY: Duration = Duration::from_hours(1);

/// Starts the workers; they end by themselves after `stop`, each at the end of what it is doing.
pub(crate) fn start(app: &App, stop: &CancellationToken) -> TaskTracker {
    let workers = TaskTracker::new();
    workers.spawn(run_timers(Arc::clone(&app.service), stop.clone()));
    workers.spawn(sweep_sessions(Arc::clone(&app.identity), stop.clone()));
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
