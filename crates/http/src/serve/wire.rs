//! The socket under hyper: it reports to the pulse, and gives a malformed head a proper answer.
//!
//! hyper answers a head it cannot parse by itself, with a bare 400, 414 or 431 and no hook to
//! change it. Every answer of ours has an error envelope and a request id, so the wire swaps
//! hyper's bytes for those of [`Limits::malformed`](super::Limits).

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::pulse::Pulse;

/// Read at a time when the bytes are thrown away.
const SCRATCH: usize = 4096;

/// A TCP stream whose silence, stalls and malformed heads are noticed.
pub(super) struct Wire {
    stream: TcpStream,
    pulse: Pulse,
    malformed: fn(u16) -> Vec<u8>,
    /// Our answer to a malformed head, as far as it is not written yet.
    answer: Option<Bytes>,
    /// Our side is closed; the peer's may not be.
    said_last: bool,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, pulse: Pulse, malformed: fn(u16) -> Vec<u8>) -> Self {
        Self { stream, pulse, malformed, answer: None, said_last: false }
    }

    /// Whether `bytes` are hyper's verdict and must not go out; our answer takes their place.
    fn swallows(&mut self, bytes: &[u8]) -> bool {
        if self.answer.is_none()
            && let Some(status) = self.pulse.verdict(bytes)
        {
            self.answer = Some((self.malformed)(status).into());
        }
        self.answer.is_some()
    }

    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, pulse, answer: Some(answer), .. } = self else {
            return Poll::Ready(Ok(()));
        };
        while !answer.is_empty() {
            let written = Pin::new(&mut *stream).poll_write(cx, answer);
            match ready!(report(pulse, written))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => answer.advance(count),
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads to the end of input: closing a socket with unread input resets the connection, and
    /// the peer would lose the answer it was sent. The pulse bounds the time.
    fn poll_discard(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut scratch = [0; SCRATCH];
        loop {
            let mut buf = ReadBuf::new(&mut scratch);
            match ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buf)) {
                Ok(()) if !buf.filled().is_empty() => {}
                _ => return Poll::Ready(()),
            }
        }
    }
}

fn report(pulse: &Pulse, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
    match written {
        Poll::Ready(_) => pulse.wrote(),
        Poll::Pending => pulse.stalled(),
    }
    written
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        if buf.filled().len() > before {
            self.pulse.heard();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.swallows(buf) {
            return Poll::Ready(Ok(buf.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        report(&self.pulse, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if bufs.first().is_some_and(|head| self.swallows(head)) {
            return Poll::Ready(Ok(bufs.iter().map(|buf| buf.len()).sum()));
        }
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        report(&self.pulse, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_answer(cx))?;
        self.pulse.flushed();
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_answer(cx))?;
        if !self.said_last {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.said_last = true;
        }
        if self.pulse.linger() {
            ready!(self.poll_discard(cx));
        }
        Poll::Ready(Ok(()))
    }
}
