//! One connection from accept to close.

use std::{
    future::poll_fn,
    net::SocketAddr,
    pin::{Pin, pin},
    task::{Context, Poll, ready},
};

use hyper::{
    Request, Response,
    body::{Body, Frame, Incoming, SizeHint},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    net::TcpStream,
    time::{Instant, Sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tower::{Service, ServiceExt};

use super::{
    BoxError, Limits, PeerAddr,
    pulse::{InFlight, Phase, Pulse},
    wire::Wire,
};

/// hyper refuses to work with a smaller buffer.
const SMALLEST_BUFFER: usize = 8 * 1024;
/// What one HTTP/2 stream, and one HTTP/2 connection, may send before we have read any of it.
const STREAM_WINDOW: u32 = 128 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;
/// What we keep for an HTTP/2 peer that does not read its answer.
const SEND_BUFFER: usize = 64 * 1024;

/// Serves connections, all under the same limits.
pub(super) struct Attendant {
    limits: Limits,
    builder: auto::Builder<TokioExecutor>,
}

impl Attendant {
    pub(super) fn new(limits: Limits) -> Self {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            // The pulse keeps this time: hyper's timer counts the idle time before a head too.
            .header_read_timeout(None)
            .keep_alive(true)
            .half_close(false)
            .max_headers(limits.max_headers)
            .max_buf_size(limits.max_header_bytes.max(SMALLEST_BUFFER));
        // hyper's bounds on reset floods stay as they are by default.
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(limits.ping_interval)
            .keep_alive_timeout(limits.ping_timeout)
            .max_concurrent_streams(limits.max_streams)
            .max_header_list_size(u32::try_from(limits.max_header_bytes).unwrap_or(u32::MAX))
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_send_buf_size(SEND_BUFFER);
        Self { limits, builder }
    }

    /// Serves one connection to its end; on `stop`, to the end of its requests in flight.
    pub(super) async fn attend<S, B>(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        service: S,
        stop: CancellationToken,
    ) where
        S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError> + Send,
        B: Body + Send + Unpin + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        // Answers are written whole; waiting to fill a segment only delays them.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%peer, %error, "the peer left at once");
            return;
        }
        let pulse = Pulse::new();
        let wire = Wire::new(stream, pulse.clone(), self.limits.malformed);
        let requests = pulse.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            let in_flight = requests.begin();
            request.extensions_mut().insert(PeerAddr(peer));
            let answer = service.clone().oneshot(request);
            async move {
                let response = answer.await?;
                Ok::<_, S::Error>(response.map(|body| Counted { body, _in_flight: in_flight }))
            }
        });

        let mut connection = pin!(self.builder.serve_connection(TokioIo::new(wire), service));
        let mut timer = pin!(sleep_until(self.look_again(&pulse)));
        let mut stopped = pin!(stop.cancelled());
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%peer, error, "connection ended early");
                    }
                    return;
                }
                // After the connection: its poll may just have moved the deadline.
                () = self.overdue(&pulse, timer.as_mut()) => match pulse.phase() {
                    Phase::Idle => {}
                    phase => {
                        tracing::debug!(%peer, ?phase, "connection timed out");
                        return;
                    }
                },
                () = stopped.as_mut(), if pulse.phase() != Phase::Leaving => {}
            }
            // The same goodbye when idle for too long and at shutdown: HTTP/2 peers hear it.
            pulse.leave();
            connection.as_mut().graceful_shutdown();
        }
    }

    /// Ready when the pulse's patience has ended. The timer is only ever moved forward: while
    /// requests come and go it fires once an `idle_timeout` and costs a request nothing.
    async fn overdue(&self, pulse: &Pulse, mut timer: Pin<&mut Sleep>) {
        poll_fn(|cx| {
            let due = self.look_again(pulse);
            if due < timer.deadline() {
                timer.as_mut().reset(due);
            }
            loop {
                ready!(timer.as_mut().poll(cx));
                let now = Instant::now();
                if pulse.due(&self.limits).is_some_and(|due| due <= now) {
                    return Poll::Ready(());
                }
                timer.as_mut().reset(self.look_again(pulse));
            }
        })
        .await;
    }

    /// The deadline, or for want of one a later look: an HTTP/2 request ends in a task of its
    /// own and does not wake the connection that has become idle by it.
    fn look_again(&self, pulse: &Pulse) -> Instant {
        pulse.due(&self.limits).unwrap_or_else(|| Instant::now() + self.limits.idle_timeout)
    }
}

/// A response body that keeps its request in flight until it is sent or given up.
struct Counted<B> {
    body: B,
    _in_flight: InFlight,
}

impl<B: Body + Unpin> Body for Counted<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
