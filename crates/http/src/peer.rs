//! Where a request comes from: the peer, or whoever a trusted proxy says it speaks for.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::http::request::Parts;

use crate::serve::PeerAddr;

/// Decides whose `X-Forwarded-For` is believed.
#[derive(Clone)]
pub struct Trusted(Arc<dyn Fn(IpAddr) -> bool + Send + Sync>);

impl Trusted {
    /// Believes those for whom `test` holds.
    pub fn new(test: impl Fn(IpAddr) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(test))
    }

    /// Believes nobody.
    #[must_use]
    pub fn nobody() -> Self {
        Self::new(|_| false)
    }

    /// The address a request counts against: from the right, the first that no trusted proxy stands for.
    #[must_use]
    pub fn client(&self, parts: &Parts) -> IpAddr {
        let peer = parts.extensions.get::<PeerAddr>();
        let mut client = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
        let chain = parts.headers.get_all("x-forwarded-for").iter();
        let hops: Vec<&str> = chain
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        for hop in hops.into_iter().rev() {
            if !(self.0)(client.to_canonical()) {
                break;
            }
            let Ok(ip) = hop.trim().parse() else { break };
            client = ip;
        }
        client
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let mut request =
            Request::builder().extension(PeerAddr(format!("{peer}:1").parse().unwrap()));
        for value in forwarded {
            request = request.header("x-forwarded-for", *value);
        }
        let trusted = Trusted::new(|ip| ip.to_string().starts_with("10."));
        trusted.client(&request.body(()).unwrap().into_parts().0).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(client("192.0.2.9", &["198.51.100.1"]), "192.0.2.9");
        assert_eq!(client("10.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["6.6.6.6, 198.51.100.1", "10.0.0.2"]), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["nonsense"]), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
    }
}
