//! `POST /dev/clock`: moves the instance's clock, so that nobody has to wait for what time brings.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::routing::post;
use guildhall_core::Timestamp;
use guildhall_ops::{Error, Result, Service};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::exchange::{answer, read};
use crate::app::App;
use crate::failure::Failure;
use crate::instance::ClockFile;

/// Ten years: beyond them the dates of what is made no longer mean anything.
const FARTHEST_SECONDS: i64 = 10 * 365 * 24 * 3600;
/// How long another worker may take to finish a timer that it has begun.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    advance_seconds: i64,
}

/// Where the clock stands after a move.
#[derive(Serialize)]
struct Moved {
    now: Timestamp,
    offset_seconds: i64,
}

/// The clock, and the file that keeps it for the next start.
struct Movable {
    service: Arc<Service>,
    /// Moves wait for each other, so that the file has the last one's offset.
    file: Mutex<ClockFile>,
}

pub(super) fn routes(app: &App, file: ClockFile) -> Router {
    let movable = Arc::new(Movable { service: Arc::clone(&app.service), file: Mutex::new(file) });
    let handle = move |request: Request| {
        let movable = Arc::clone(&movable);
        async move { answer(&movable.handle(request).await) }
    };
    Router::new().route("/dev/clock", post(handle))
}

impl Movable {
    async fn handle(&self, request: Request) -> Result<Moved> {
        let Move { advance_seconds } = read(request).await?;
        if !(0..=FARTHEST_SECONDS).contains(&advance_seconds) {
            return Err(Error::invalid(format!(
                "advance_seconds: must be 0 to {FARTHEST_SECONDS} (ten years)."
            ))
            .suggest("Send the seconds to move the clock forward by; --fresh sets it back."));
        }
        let moved = self.advance(advance_seconds).await?;
        tracing::info!(offset_seconds = moved.offset_seconds, "the clock was moved");
        Ok(moved)
    }

    async fn advance(&self, seconds: i64) -> Result<Moved> {
        let file = self.file.lock().await;
        let failed = |failure: Failure| Error::unavailable(failure.told(false));
        let offset_seconds = file.offset_seconds().map_err(failed)?.saturating_add(seconds);
        // Kept first: a clock that has moved must not be back where it was after a restart.
        file.set_offset_seconds(offset_seconds).map_err(failed)?;
        let clock = self.service.clock();
        clock.advance(seconds.saturating_mul(1000));
        let now = clock.now();
        self.run_timers_due_at(now).await?;
        Ok(Moved { now, offset_seconds })
    }

    /// Runs what is due, and waits for what the node's own worker has begun already.
    async fn run_timers_due_at(&self, now: Timestamp) -> Result<()> {
        loop {
            self.service.run_due_timers().await?;
            if self.service.next_timer_due().await?.is_none_or(|due| due > now) {
                return Ok(());
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}
