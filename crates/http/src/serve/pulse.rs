//! What a connection is doing, and until when it may go on doing it.
//!
//! hyper's own header timer starts when it begins to wait for a request, so it cannot tell an
//! idle connection (a minute is fine) from a head that trickles in (it is not), and it knows
//! nothing of a socket that has not spoken yet. The pulse sees both ends, the bytes and the
//! requests, and one lazy timer a connection follows it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::Limits;

/// The state of one connection, shared by its socket, its requests and its timer.
#[derive(Clone)]
pub(super) struct Pulse(Arc<Mutex<State>>);

struct State {
    phase: Phase,
    /// When the phase began.
    since: Instant,
    /// Requests called and not yet answered to the last byte of their body.
    in_flight: usize,
    /// Since when the peer has taken none of what we write.
    stalled: Option<Instant>,
    /// Nothing of ours is in hyper's write buffer or about to be.
    clean: bool,
    http2: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Accepted; not a byte yet.
    Silent,
    /// A request head has begun.
    Head,
    /// At least one request in flight: its handler keeps the time.
    Busy,
    /// Between requests.
    Idle,
    /// We said our last byte and discard what still comes in.
    Lingering,
    /// Told to finish: no new request after those in flight.
    Leaving,
}

impl Pulse {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(State {
            phase: Phase::Silent,
            since: Instant::now(),
            in_flight: 0,
            stalled: None,
            clean: true,
            http2: false,
        })))
    }

    /// Bytes came in.
    pub(super) fn heard(&self) {
        let mut state = self.state();
        // HTTP/2 frames between requests (pings, windows) are not the start of a head.
        if matches!(state.phase, Phase::Silent | Phase::Idle) && !state.http2 {
            state.enter(Phase::Head);
        }
    }

    /// hyper is about to write `bytes`: the status, if this is a verdict of its own on a head
    /// that did not parse.
    ///
    /// With no request in flight and nothing left to flush, hyper has nothing else to say on an
    /// HTTP/1 connection; HTTP/2 opens with a frame, whose length never reads `HTTP/1`.
    /// A verdict queued behind an answer the peer has not taken yet goes out as hyper wrote it.
    pub(super) fn verdict(&self, bytes: &[u8]) -> Option<u16> {
        let mut state = self.state();
        if !state.clean || state.http2 {
            return None;
        }
        let Some(status) = bytes.strip_prefix(b"HTTP/1.").and_then(|rest| rest.get(2..5)) else {
            state.http2 = true;
            // What looked like the start of a head was the preface.
            if state.phase == Phase::Head {
                state.enter(Phase::Idle);
            }
            return None;
        };
        let status = str::from_utf8(status).ok()?.parse().ok()?;
        matches!(status, 400 | 414 | 431).then_some(status)
    }

    /// The peer took bytes (or we have none for it).
    pub(super) fn wrote(&self) {
        self.state().stalled = None;
    }

    /// The peer takes no more bytes for now.
    pub(super) fn stalled(&self) {
        self.state().stalled.get_or_insert_with(Instant::now);
    }

    /// hyper's write buffer is empty.
    pub(super) fn flushed(&self) {
        let mut state = self.state();
        state.stalled = None;
        state.clean = state.in_flight == 0;
    }

    /// A request begins; it ends when the guard is dropped.
    pub(super) fn begin(&self) -> InFlight {
        let mut state = self.state();
        state.in_flight += 1;
        state.clean = false;
        if state.phase != Phase::Leaving {
            state.enter(Phase::Busy);
        }
        InFlight(self.clone())
    }

    /// No request after those in flight.
    pub(super) fn leave(&self) {
        self.state().enter(Phase::Leaving);
    }

    /// Whether to go on discarding input after our last byte. Not when leaving: the peer of an
    /// idle connection is in the middle of nothing.
    pub(super) fn linger(&self) -> bool {
        let mut state = self.state();
        if matches!(state.phase, Phase::Head | Phase::Busy | Phase::Idle) {
            state.enter(Phase::Lingering);
        }
        state.phase == Phase::Lingering
    }

    /// When patience ends, if nothing changes until then; `None` while only a handler can tell.
    pub(super) fn due(&self, limits: &Limits) -> Option<Instant> {
        let state = self.state();
        let allowed = match state.phase {
            Phase::Silent => Some(limits.first_byte_timeout),
            Phase::Head => Some(limits.header_timeout),
            Phase::Busy => None,
            Phase::Idle => Some(limits.idle_timeout),
            Phase::Lingering => Some(limits.linger),
            Phase::Leaving => Some(limits.shutdown_grace),
        };
        let phase = allowed.map(|allowed| state.since + allowed);
        let stall = state.stalled.map(|since| since + limits.write_timeout);
        phase.into_iter().chain(stall).min()
    }

    pub(super) fn phase(&self) -> Phase {
        self.state().phase
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.since = Instant::now();
    }
}

/// A request in flight, from its call to the end of its response body.
pub(super) struct InFlight(Pulse);

impl Drop for InFlight {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_flight -= 1;
        if state.in_flight == 0 && state.phase == Phase::Busy {
            state.enter(Phase::Idle);
        }
    }
}
