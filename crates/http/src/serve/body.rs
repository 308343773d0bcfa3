//! Reading a request body whole, within bounds of size and time.

use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Body;
use tokio::time::timeout_at;

/// How long a whole body may take unless an operation says otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(30);
/// A body that is too large is read to its end up to here, so that the peer, which sends first
/// and reads afterwards, comes to read the refusal.
const MAX_DISCARDED: u64 = 8 * 1024 * 1024;
/// A declared length is a claim: memory follows what has arrived beyond this.
const MAX_RESERVED: usize = 64 * 1024;

/// Why there is no body to work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyError {
    /// Over the limit.
    TooLarge,
    /// Not whole in time.
    TimedOut,
    /// The peer left, or the framing is wrong.
    Broken,
}

/// Reads `body` whole, if it has at most `limit` bytes and arrives within `timeout`.
///
/// After an error the rest of the body may be unread; hyper then closes the connection after
/// the answer, and the accept loop sees to it that the peer can still read that answer.
pub async fn read<B>(body: B, limit: usize, timeout: Duration) -> Result<Bytes, BodyError>
where
    B: Body,
{
    let deadline = tokio::time::Instant::now() + timeout;
    let mut body = std::pin::pin!(body);
    let declared = body.size_hint().lower();
    if declared > MAX_DISCARDED.max(limit as u64) {
        return Err(BodyError::TooLarge);
    }

    let mut seen: u64 = 0;
    let mut whole = BytesMut::new();
    loop {
        let too_large = declared.max(seen) > limit as u64;
        let frame = match timeout_at(deadline, body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) if !too_large => return Ok(whole.freeze()),
            // Whatever ends the discarding, the body was too large first.
            _ if too_large => return Err(BodyError::TooLarge),
            Ok(_) => return Err(BodyError::Broken),
            Err(_) => return Err(BodyError::TimedOut),
        };
        let Ok(mut data) = frame.into_data() else { continue };
        let len = data.remaining();
        seen += len as u64;
        if declared.max(seen) <= limit as u64 {
            // A body in one piece, the usual one, is handed on without a copy.
            if whole.is_empty() && seen >= declared && body.is_end_stream() {
                return Ok(data.copy_to_bytes(len));
            }
            if whole.is_empty() {
                whole.reserve(usize::try_from(declared).unwrap_or(limit).min(MAX_RESERVED));
            }
            whole.extend_from_slice(&data.copy_to_bytes(len));
        } else if seen > MAX_DISCARDED {
            return Err(BodyError::TooLarge);
        } else {
            whole = BytesMut::new();
        }
    }
}
