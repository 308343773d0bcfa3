//! An open loop: requests are sent when they are due, whether or not the server keeps up.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};

use crate::http::head;
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

/// Sends `rate` requests a second over `connections` in turn.
///
/// All from this one thread: a thread a connection would be many threads more than the machine has cores, and the time
/// they wait for a core would count as the server's.
pub(crate) fn drive(
    address: SocketAddr,
    connections: usize,
    rate: f64,
    requests: &Arc<impl Requests>,
    window: Window,
) -> Result<Latencies> {
    // A sleep that ends when it should, not up to 50 µs later.
    rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1))?;
    let mut pacer = Pacer::connect(address, connections, &**requests, window)?;
    let step = Duration::from_secs_f64(1.0 / rate);
    let mut due = Instant::now();
    for connection in (0..connections).cycle() {
        if due >= window.closes {
            break;
        }
        pacer.receive_until(due)?;
        pacer.ask(connection, due)?;
        due += step;
    }
    while pacer.outstanding > 0 {
        pacer.receive(None)?;
    }
    pacer.latencies.sort_unstable();
    Ok(Latencies(pacer.latencies))
}

/// The connections and what is on its way.
struct Pacer<'r, R> {
    lines: Vec<Line>,
    arrivals: OwnedFd,
    events: Vec<Event>,
    requests: &'r R,
    window: Window,
    outstanding: usize,
    latencies: Vec<u128>,
}

/// One connection.
struct Line {
    stream: TcpStream,
    /// From when the request under way counts.
    since: Option<Instant>,
    /// When the requests were due that wait for the one under way.
    waiting: VecDeque<Instant>,
    answer: Vec<u8>,
}

impl<'r, R: Requests> Pacer<'r, R> {
    fn connect(
        address: SocketAddr,
        connections: usize,
        requests: &'r R,
        window: Window,
    ) -> Result<Self> {
        let arrivals = epoll::create(CreateFlags::CLOEXEC)?;
        let mut lines = Vec::with_capacity(connections);
        for number in 0..connections {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            stream.set_nonblocking(true)?;
            let data = EventData::new_u64(u64::try_from(number)?);
            epoll::add(&arrivals, &stream, data, EventFlags::IN)?;
            let (waiting, answer) = (VecDeque::new(), Vec::with_capacity(4096));
            lines.push(Line { stream, since: None, waiting, answer });
        }
        let events = Vec::with_capacity(connections);
        let latencies = Vec::new();
        Ok(Self { lines, arrivals, events, requests, window, outstanding: 0, latencies })
    }

    /// Sends a request that is due now. One that has to wait for the one before it is late by the server's fault: its time
    /// counts from when it was due. Any other counts from when it is sent.
    fn ask(&mut self, number: usize, due: Instant) -> Result<()> {
        self.outstanding += 1;
        let line = self.lines.get_mut(number).context("no such connection")?;
        if line.since.is_some() {
            line.waiting.push_back(due);
            return Ok(());
        }
        line.send(&self.requests.next(number), Instant::now())
    }

    /// Takes answers until a request is due; if it is overdue, those that are there.
    fn receive_until(&mut self, due: Instant) -> Result<()> {
        loop {
            self.receive(Some(due.saturating_duration_since(Instant::now())))?;
            if Instant::now() >= due {
                return Ok(());
            }
        }
    }

    /// Takes the answers that are there, or waits for some for so long.
    fn receive(&mut self, patience: Option<Duration>) -> Result<()> {
        let patience = patience.map(Timespec::try_from).transpose()?;
        self.events.clear();
        match epoll::wait(&self.arrivals, spare_capacity(&mut self.events), patience.as_ref()) {
            Err(rustix::io::Errno::INTR) => return Ok(()),
            waited => waited?,
        };
        for event in std::mem::take(&mut self.events) {
            self.answered(usize::try_from(event.data.u64())?)?;
        }
        self.events.reserve(self.lines.len());
        Ok(())
    }

    fn answered(&mut self, number: usize) -> Result<()> {
        let line = self.lines.get_mut(number).context("no such connection")?;
        if !line.read(self.requests.status())? {
            return Ok(());
        }
        let since = line.since.take().context("an answer to nothing")?;
        self.outstanding -= 1;
        if since >= self.window.opens {
            self.latencies.push(since.elapsed().as_micros());
        }
        match line.waiting.pop_front() {
            Some(due) => line.send(&self.requests.next(number), due),
            None => Ok(()),
        }
    }
}

impl Line {
    /// A small request fits into the socket's buffer, which is empty once the last one was answered.
    fn send(&mut self, request: &[u8], since: Instant) -> Result<()> {
        self.since = Some(since);
        Ok(self.stream.write_all(request)?)
    }

    /// Reads what is there, and says whether the answer is whole.
    fn read(&mut self, status: u16) -> Result<bool> {
        let mut chunk = [0; 8 * 1024];
        match self.stream.read(&mut chunk) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
            Ok(0) => bail!("the server closed the connection"),
            count => self.answer.extend_from_slice(chunk.get(..count?).unwrap_or_default()),
        }
        let Some(known) = head(&self.answer)?.filter(|known| self.answer.len() >= known.length)
        else {
            return Ok(false);
        };
        let text = || String::from_utf8_lossy(&self.answer).into_owned();
        ensure!(known.status == status, "{status} expected, got: {}", text());
        self.answer.clear();
        Ok(true)
    }
}
