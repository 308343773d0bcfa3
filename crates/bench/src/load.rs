//! A closed loop of requests: each connection sends its next one when the last is answered.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Effort;
use crate::http::{self, request};

/// What the connections of a load send.
pub(crate) trait Requests: Send + Sync + 'static {
    /// The next request of a connection.
    fn next(&self, connection: usize) -> Vec<u8>;
    /// The status that every answer must have.
    fn status(&self) -> u16;
}

/// The same request again and again.
pub(crate) struct Same {
    pub(crate) bytes: Vec<u8>,
}

impl Same {
    /// A GET with these headers.
    pub(crate) fn get(path: &str, headers: &[(&str, &str)]) -> Arc<Self> {
        Arc::new(Self { bytes: request("GET", path, headers, "") })
    }
}

impl Requests for Same {
    fn next(&self, _: usize) -> Vec<u8> {
        self.bytes.clone()
    }

    fn status(&self) -> u16 {
        200
    }
}

/// A number that no other call of this process gets.
pub(crate) fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// What a load came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throughput {
    pub(crate) requests: u64,
    pub(crate) seconds: f64,
}

impl Throughput {
    /// Requests a second.
    pub(crate) fn rate(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 requests")]
        let requests = self.requests as f64;
        requests / self.seconds
    }
}

/// When a load is measured.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) opens: Instant,
    pub(crate) closes: Instant,
}

impl Window {
    pub(crate) fn from_now(warm_up: Duration, length: Duration) -> Self {
        let opens = Instant::now() + warm_up;
        Self { opens, closes: opens + length }
    }

    pub(crate) fn seconds(self) -> f64 {
        (self.closes - self.opens).as_secs_f64()
    }
}

/// Loads a server over `connections`, on one thread of its own.
pub(crate) fn drive(
    address: SocketAddr,
    connections: usize,
    requests: &Arc<impl Requests>,
    effort: Effort,
) -> Result<Throughput> {
    let window = Window::from_now(effort.warm_up, effort.window);
    let requests = Arc::clone(requests);
    let driver = thread::Builder::new().name("load".into()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(drive_all(address, connections, &requests, window))
    })?;
    let requests = driver.join().map_err(|_| anyhow!("the load generator panicked"))??;
    Ok(Throughput { requests, seconds: window.seconds() })
}

async fn drive_all(
    address: SocketAddr,
    connections: usize,
    requests: &Arc<impl Requests>,
    window: Window,
) -> Result<u64> {
    let mut tasks = JoinSet::new();
    for connection in 0..connections {
        let stream = connect(address).await?;
        tasks.spawn(drive_one(stream, connection, Arc::clone(requests), window));
    }
    let mut total = 0;
    while let Some(done) = tasks.join_next().await {
        total += done??;
    }
    Ok(total)
}

/// Connects, again if the server's queue of new connections is full.
pub(crate) async fn connect(address: SocketAddr) -> Result<TcpStream> {
    loop {
        match TcpStream::connect(address).await {
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
            connected => {
                let stream = connected?;
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
        }
    }
}

async fn drive_one(
    mut stream: TcpStream,
    connection: usize,
    requests: Arc<impl Requests>,
    window: Window,
) -> Result<u64> {
    let mut buffer = Vec::with_capacity(16 * 1024);
    let mut answered = 0;
    loop {
        stream.write_all(&requests.next(connection)).await?;
        read_answer(&mut stream, &mut buffer, requests.status()).await?;
        let now = Instant::now();
        if now >= window.closes {
            return Ok(answered);
        }
        answered += u64::from(now >= window.opens);
    }
}

/// Reads one answer, whose status must be the expected one; gives where its body begins.
pub(crate) async fn read_answer(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
    status: u16,
) -> Result<usize> {
    buffer.clear();
    let mut known = None;
    loop {
        ensure!(stream.read_buf(buffer).await? > 0, "the server closed the connection");
        if known.is_none() {
            known = http::head(buffer)?;
        }
        if let Some(head) = known
            && buffer.len() >= head.length
        {
            let text = || String::from_utf8_lossy(buffer).into_owned();
            ensure!(head.status == status, "{status} expected, got: {}", text());
            return Ok(head.body_at);
        }
    }
}
