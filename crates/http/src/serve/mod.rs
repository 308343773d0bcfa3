//! The accept loop: who may connect, how long a silent peer may stay, and how the door closes.
//!
//! `axum::serve` arms no timer and counts no connection, so one peer that never speaks holds a
//! socket forever. This loop bounds every wait a peer can cause before and between requests;
//! what a request itself may take (its body, its work) is bounded where it is answered, with
//! [`body::read`] for the body.

pub mod body;
mod connection;
mod gate;
mod pulse;
mod wire;

use std::{
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::{Request, Response, body::Body, body::Incoming};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::Service;

use connection::Attendant;
use gate::Gate;

/// Pending connections the kernel keeps for us while we are busy.
const BACKLOG: i32 = 4096;
/// Out of descriptors: they come back as connections end, not sooner for asking faster.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);
/// A storm of accept errors must not become a storm of log lines.
const ACCEPT_LOG_INTERVAL: Duration = Duration::from_secs(1);

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// What a peer may take of us: time, connections, and bytes of a request head.
#[derive(Debug, Clone)]
pub struct Limits {
    /// From the first byte of a request to the end of its head.
    pub header_timeout: Duration,
    /// From accept to the first byte, before the protocol is known.
    pub first_byte_timeout: Duration,
    /// Between requests.
    pub idle_timeout: Duration,
    /// How long the peer may leave our bytes unread while we have more to write.
    pub write_timeout: Duration,
    /// How long input is still discarded after our last byte, so that a peer in the middle of
    /// sending reads the answer instead of a reset.
    pub linger: Duration,
    /// Open connections in total.
    pub max_connections: usize,
    /// Open connections from one IPv4 address or one IPv6 /64.
    pub max_connections_per_ip: usize,
    /// Bytes of a request head (at least 8 KiB: hyper's smallest buffer).
    pub max_header_bytes: usize,
    /// Header lines of an HTTP/1 request.
    pub max_headers: usize,
    /// Requests at a time on one HTTP/2 connection.
    pub max_streams: u32,
    /// How often a quiet HTTP/2 peer is asked for a sign of life.
    pub ping_interval: Duration,
    /// How long it may take to give one.
    pub ping_timeout: Duration,
    /// How long requests in flight may take once we stop.
    pub shutdown_grace: Duration,
    /// The whole HTTP/1.1 response (head and body, with `connection: close`) to a head that no
    /// handler can see because it does not parse; the argument is 400, 414 or 431.
    pub malformed: fn(u16) -> Vec<u8>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(1),
            write_timeout: Duration::from_secs(30),
            linger: Duration::from_secs(2),
            max_connections: 16_384,
            max_connections_per_ip: 1024,
            max_header_bytes: 32 * 1024,
            max_headers: 100,
            max_streams: 128,
            ping_interval: Duration::from_secs(30),
            ping_timeout: Duration::from_secs(10),
            shutdown_grace: Duration::from_secs(10),
            malformed: empty_refusal,
        }
    }
}

fn empty_refusal(status: u16) -> Vec<u8> {
    format!("HTTP/1.1 {status} \r\nconnection: close\r\ncontent-length: 0\r\n\r\n").into_bytes()
}

/// The other end of the connection, in the extensions of every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddr(pub SocketAddr);

/// Opens the listening socket. Must be called inside a Tokio runtime.
pub fn bind(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(addr), Type::STREAM, Some(Protocol::TCP))?;
    // A restart must not wait for the old process's connections to leave TIME_WAIT.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&addr.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// Serves `service` (an axum `Router`, say) on `listener` until `stop`, HTTP/1.1 and HTTP/2 with
/// prior knowledge on the same port.
///
/// On `stop` the port closes, idle connections close, and requests in flight have
/// `shutdown_grace` to finish; then this returns. An accept error never ends the loop.
pub async fn serve<S, B>(
    listener: TcpListener,
    service: S,
    limits: Limits,
    stop: CancellationToken,
) -> io::Result<()>
where
    S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError> + Send,
    B: Body + Send + Unpin + 'static,
    B::Data: Send,
    B::Error: Into<BoxError>,
{
    let gate = Gate::new(limits.max_connections, limits.max_connections_per_ip);
    let attendant = Arc::new(Attendant::new(limits));
    let connections = TaskTracker::new();
    let mut trouble = AcceptTrouble::default();

    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Past a cap the stream is dropped here: no task, no buffer, no answer.
                let Some(permit) = gate.admit(peer.ip()) else { continue };
                let (attendant, service) = (Arc::clone(&attendant), service.clone());
                // A token of its own: all connections asking one token would share its lock.
                let stop = stop.child_token();
                connections.spawn(async move {
                    attendant.attend(stream, peer, service, stop).await;
                    drop(permit);
                });
            }
            Err(error) => trouble.wait_out(&error).await,
        }
    }

    drop(listener);
    connections.close();
    // Every connection has seen `stop` and ends itself within the grace.
    connections.wait().await;
    Ok(())
}

/// Keeps the accept loop alive and quiet while accept fails.
#[derive(Default)]
struct AcceptTrouble {
    logged: Option<Instant>,
}

impl AcceptTrouble {
    async fn wait_out(&mut self, error: &io::Error) {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
        // The peer left between the handshake and accept: the next one is not to blame.
        if matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted) {
            return;
        }
        // What is left is ours: no descriptors, no memory. Accept would fail again at once and
        // spin, because the pending connection stays in the queue.
        metrics::counter!("guildhall_http_accept_errors_total").increment(1);
        if self.logged.is_none_or(|at| at.elapsed() >= ACCEPT_LOG_INTERVAL) {
            self.logged = Some(Instant::now());
            tracing::error!(%error, "cannot accept connections");
        }
        tokio::time::sleep(ACCEPT_BACKOFF).await;
    }
}
