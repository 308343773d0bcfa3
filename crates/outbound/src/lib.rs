//! The one door to the outside: https to public hosts that other people have named.
//!
//! A name is resolved here, every address that is not public is passed over, and the connection is made to exactly an
//! address that was checked. No redirect is followed, no proxy of the environment and no cookie is used, and every wait and
//! every size has a bound.

mod connect;
mod error;
mod exchange;
mod tls;

use std::time::Duration;

use bytes::Bytes;
use guildhall_core::remote::RemoteUrl;
use hyper::Method;

pub use error::Error;

use crate::exchange::Ask;
use crate::tls::Trust;

/// How much of the answer to a post is kept, to tell its sender why it was refused.
const EXCERPT_BYTES: usize = 1_024;

/// What a call may take.
#[derive(Clone, Debug)]
pub struct Limits {
    /// From the question for the name to the end of the TLS handshake.
    pub connect_timeout: Duration,
    /// The whole call.
    pub total_timeout: Duration,
    /// The head of an answer (at least 8 KiB: hyper's smallest buffer).
    pub max_header_bytes: usize,
    /// Whether the loopback of this machine may be called, also by plain http: for development and tests.
    pub allow_local: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            total_timeout: Duration::from_secs(15),
            max_header_bytes: 16 * 1_024,
            allow_local: false,
        }
    }
}

/// A client for URLs that other people have named.
pub struct Outbound {
    limits: Limits,
    trust: Trust,
}

/// A document that was fetched whole.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// What the sender says it is, if it says so.
    pub media_type: Option<String>,
    /// What the sender says about keeping it, if it says anything.
    pub cache_control: Option<String>,
    /// The document.
    pub bytes: Bytes,
}

/// What a post was answered with.
#[derive(Clone, Debug)]
pub struct Posted {
    /// The status.
    pub status: u16,
    /// How the body begins.
    pub excerpt: Bytes,
}

impl Outbound {
    /// A client within these limits. It trusts the certificate authorities that this machine trusts, and reads them when
    /// the first connection needs them.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, trust: Trust::of_machine() }
    }

    /// A client that trusts these authorities (PEM) instead of the machine's.
    pub fn trusting(limits: Limits, authorities: &[u8]) -> Result<Self, Error> {
        Ok(Self { limits, trust: Trust::of_authorities(authorities)? })
    }

    /// Fetches a document of at most `max_bytes`. Anything but a 200 is an error; so is a redirect.
    pub async fn get(&self, url: &str, max_bytes: usize) -> Result<Fetched, Error> {
        let ask = Ask { method: Method::GET, headers: &[], body: Bytes::new() };
        let fetching = async {
            let answer = self.exchange(url, ask).await?;
            if answer.status != 200 {
                return Err(Error::Status(answer.status));
            }
            let (media_type, cache_control) =
                (answer.media_type.clone(), answer.cache_control.clone());
            Ok(Fetched { media_type, cache_control, bytes: answer.whole(max_bytes).await? })
        };
        self.in_time(fetching).await
    }

    /// Posts a body with these headers, and reads the status and the beginning of the answer.
    pub async fn post(
        &self,
        url: &str,
        headers: &[(&str, String)],
        body: Bytes,
    ) -> Result<Posted, Error> {
        let ask = Ask { method: Method::POST, headers, body };
        let posting = async {
            let answer = self.exchange(url, ask).await?;
            let status = answer.status;
            Ok(Posted { status, excerpt: answer.beginning(EXCERPT_BYTES).await })
        };
        self.in_time(posting).await
    }

    async fn exchange(&self, url: &str, ask: Ask<'_>) -> Result<exchange::Answer, Error> {
        let url = RemoteUrl::parse(url, self.limits.allow_local).map_err(Error::Refused)?;
        let connecting = connect::open(&url, &self.trust, self.limits.allow_local);
        let connected = tokio::time::timeout(self.limits.connect_timeout, connecting).await;
        let stream = connected.map_err(|_| Error::TimedOut)??;
        exchange::exchange(stream, &url, ask, self.limits.max_header_bytes).await
    }

    async fn in_time<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let ended = tokio::time::timeout(self.limits.total_timeout, call).await;
        ended.unwrap_or(Err(Error::TimedOut))
    }
}
