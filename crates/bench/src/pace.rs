//! An open loop: requests are sent when they are due, whether or not the server keeps up.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};

use crate::http::Client;
use crate::load::{Requests, Window};

/// How long requests took, in microseconds, shortest first.
pub(crate) struct Latencies(Vec<u128>);

impl Latencies {
    /// The time within which so many of a thousand were answered.
    pub(crate) fn per_mille(&self, per_mille: usize) -> Result<f64> {
        let index = (self.0.len() * per_mille / 1000).min(self.0.len().saturating_sub(1));
        let micros = self.0.get(index).context("nothing was measured")?;
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 microseconds")]
        Ok(*micros as f64)
    }
}

/// Sends `rate` requests a second over `connections`, each with a thread that sleeps until its next one is due.
pub(crate) fn drive(
    address: SocketAddr,
    connections: usize,
    rate: f64,
    requests: &Arc<impl Requests>,
    window: Window,
) -> Result<Latencies> {
    #[expect(clippy::cast_precision_loss, reason = "a few connections")]
    let interval = Duration::from_secs_f64(connections as f64 / rate);
    let began = Instant::now();
    let mut threads = Vec::new();
    for connection in 0..connections {
        // Spread evenly, so that the connections do not all send at once.
        let offset = interval * u32::try_from(connection)? / u32::try_from(connections)?;
        let requests = Arc::clone(requests);
        let schedule = Schedule { next: began + offset, interval, window };
        threads.push(thread::spawn(move || drive_one(address, connection, &*requests, schedule)));
    }
    let mut all = Vec::new();
    for thread in threads {
        all.extend(thread.join().map_err(|_| anyhow!("a connection panicked"))??);
    }
    all.sort_unstable();
    Ok(Latencies(all))
}

struct Schedule {
    next: Instant,
    interval: Duration,
    window: Window,
}

fn drive_one(
    address: SocketAddr,
    connection: usize,
    requests: &impl Requests,
    mut schedule: Schedule,
) -> Result<Vec<u128>> {
    let mut client = Client::connect(address)?;
    let mut latencies = Vec::new();
    while schedule.next < schedule.window.closes {
        let request = requests.next(connection);
        let late = Instant::now().saturating_duration_since(schedule.next);
        if late.is_zero() {
            thread::sleep(schedule.next - Instant::now().min(schedule.next));
        }
        // A request that had to wait for the one before it is late by the server's fault: its time counts from when it
        // was due. One that was sent when this thread woke up counts from then.
        let due = if late.is_zero() { Instant::now() } else { schedule.next };
        let answer = client.send(&request)?;
        ensure!(answer.status == requests.status(), "unexpected answer: {}", answer.body);
        if due >= schedule.window.opens {
            latencies.push(due.elapsed().as_micros());
        }
        schedule.next += schedule.interval;
    }
    Ok(latencies)
}
