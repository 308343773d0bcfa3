//! Where the service listens, and what a peer may take of it.

use std::net::SocketAddr;
use std::time::Duration;

use guildhall_http::serve;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::{BaseUrl, Listen, Network, WebOrigin};

/// Section `server`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Server {
    /// The address people and agents use, for example `https://market.example`.
    pub(crate) base_url: BaseUrl,
    /// The address of sign-in and the authorization server; `base_url` if absent.
    pub(crate) auth_url: Option<BaseUrl>,
    /// The address and port to listen on.
    pub(crate) listen: SocketAddr,
    /// The address and port of `GET /metrics`, or `off`.
    pub(crate) metrics_listen: Listen,
    /// Says that metrics may be read from other machines.
    pub(crate) metrics_public: bool,
    /// Addresses or networks whose `Forwarded` and `X-Forwarded-For` headers are believed.
    pub(crate) trusted_proxies: Vec<Network>,
    /// Web origins that may call the API from a browser.
    pub(crate) cors_origins: Vec<WebOrigin>,
    /// From the first byte of a request to the end of its head.
    #[schemars(range(min = 1, max = 600))]
    pub(crate) header_timeout_seconds: u64,
    /// How long the body of a request may take.
    #[schemars(range(min = 1, max = 3600))]
    pub(crate) body_timeout_seconds: u64,
    /// How long a connection may stay silent between requests.
    #[schemars(range(min = 1, max = 3600))]
    pub(crate) idle_timeout_seconds: u64,
    /// Open connections in total.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(crate) max_connections: usize,
    /// Open connections from one IPv4 address or one IPv6 /64.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(crate) max_connections_per_ip: usize,
    /// The largest JSON body.
    #[schemars(range(min = 1024, max = 67_108_864))]
    pub(crate) max_body_bytes: u64,
    /// The largest uploaded file.
    #[schemars(range(min = 1024, max = 5_368_709_120_u64))]
    pub(crate) max_upload_bytes: u64,
    /// How long requests in flight may take once the service stops.
    #[schemars(range(min = 0, max = 600))]
    pub(crate) shutdown_grace_seconds: u64,
}

impl Default for Server {
    fn default() -> Self {
        let listen = SocketAddr::from(([127, 0, 0, 1], 8080));
        Self {
            base_url: BaseUrl::of_address(listen),
            auth_url: None,
            listen,
            metrics_listen: Listen::On(SocketAddr::from(([127, 0, 0, 1], 9090))),
            metrics_public: false,
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            header_timeout_seconds: 10,
            body_timeout_seconds: 30,
            idle_timeout_seconds: 60,
            max_connections: 16_384,
            max_connections_per_ip: 1024,
            max_body_bytes: 1 << 20,
            max_upload_bytes: 32 << 20,
            shutdown_grace_seconds: 10,
        }
    }
}

impl Server {
    /// Where sign-in and the authorization server are.
    pub(crate) fn auth_url(&self) -> &BaseUrl {
        self.auth_url.as_ref().unwrap_or(&self.base_url)
    }

    /// What the accept loop allows a peer.
    pub(crate) fn connection_limits(&self) -> serve::Limits {
        serve::Limits {
            header_timeout: Duration::from_secs(self.header_timeout_seconds),
            idle_timeout: Duration::from_secs(self.idle_timeout_seconds),
            max_connections: self.max_connections,
            max_connections_per_ip: self.max_connections_per_ip,
            shutdown_grace: Duration::from_secs(self.shutdown_grace_seconds),
            malformed: guildhall_http::malformed,
            ..serve::Limits::default()
        }
    }
}
