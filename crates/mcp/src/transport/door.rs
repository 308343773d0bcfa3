//! Whose requests are let in: a name that leads here by a trick of DNS, or a page of another site, stays outside.

use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{Uri, header};

/// Names that only ever mean the machine itself. A page that has one of them was served by it.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The names the endpoint is called by, and the web pages that may call it.
#[derive(Clone, Debug)]
pub struct Door {
    hosts: Vec<String>,
    origins: Vec<Origin>,
}

/// A web origin: scheme, host and port, the port always said.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Door {
    /// A door for a service at these addresses, which pages from these origins may use as well as its own.
    #[must_use]
    pub fn new<'a>(
        addresses: impl IntoIterator<Item = &'a str>,
        origins: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let own: Vec<Origin> = addresses.into_iter().filter_map(Origin::read).collect();
        let names = own.iter().map(|origin| origin.host.clone());
        let hosts = names.chain(LOOPBACK.map(str::to_owned)).collect();
        let allowed = origins.into_iter().filter_map(Origin::read);
        Self { hosts, origins: own.into_iter().chain(allowed).collect() }
    }

    /// Refuses a request that comes by another name or from another site's page; says which of the two.
    pub(super) fn check(&self, parts: &Parts) -> Result<(), &'static str> {
        let mut called = parts.headers.get_all(header::HOST).iter();
        let sent = match (called.next(), called.next()) {
            (None, _) => None,
            (Some(host), None) => Some(host.to_str().ok().and_then(|host| host.parse().ok())),
            (Some(_), Some(_)) => Some(None),
        };
        // HTTP/2 has the name in the address, and a client may send both.
        let names = [sent, parts.uri.authority().cloned().map(Some)];
        let mut names = names.into_iter().flatten().peekable();
        let known = names.peek().is_some() && names.all(|name| self.knows(name.as_ref()));
        if !known {
            return Err("The Host header does not name this service.");
        }
        let mut origins = parts.headers.get_all(header::ORIGIN).iter();
        let admitted = origins.all(|origin| {
            let origin = origin.to_str().ok().and_then(Origin::read);
            origin.is_some_and(|origin| self.origins.contains(&origin))
        });
        if admitted { Ok(()) } else { Err("The request comes from a page of another site.") }
    }

    /// Whatever its port: a name that leads here by a trick is wrong on every port.
    fn knows(&self, name: Option<&Authority>) -> bool {
        let plain = |name: &&Authority| !name.as_str().contains('@');
        name.filter(plain).is_some_and(|name| self.hosts.contains(&host(name)))
    }
}

impl Origin {
    /// Reads an origin, or the origin of an address. `null` is none.
    fn read(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let (scheme, authority) = (uri.scheme_str()?.to_ascii_lowercase(), uri.authority()?);
        let usual = match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        let port = authority.port_u16().or(usual)?;
        Some(Self { scheme, host: host(authority), port })
    }
}

fn host(authority: &Authority) -> String {
    authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn door() -> Door {
        Door::new(["https://market.example", "https://id.example:8443"], ["https://app.example"])
    }

    fn passes(uri: &str, headers: &[(&str, &str)]) -> bool {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        door().check(&request.body(()).unwrap().into_parts().0).is_ok()
    }

    /// "Check Host too: present-only Origin checks are bypassed."
    #[test]
    fn only_its_own_names_lead_in() {
        for host in [
            "market.example",
            "MARKET.example:443",
            "id.example",
            "localhost",
            "127.0.0.1:8080",
            "[::1]:80",
        ] {
            assert!(passes("/mcp", &[("host", host)]), "{host}");
        }
        for host in [
            "evil.example",
            "market.example.evil.example",
            "evil.example@market.example",
            "market.example@evil.example",
            "localhost.",
            "127.0.0.2",
            "",
            "a b",
        ] {
            assert!(!passes("/mcp", &[("host", host)]), "{host}");
        }
        assert!(!passes("/mcp", &[]), "no name at all");
        assert!(!passes("/mcp", &[("host", "market.example"), ("host", "market.example")]));
        assert!(passes("https://market.example/mcp", &[]), "HTTP/2 says it in the address");
        assert!(!passes("https://market.example/mcp", &[("host", "evil.example")]));
        assert!(!passes("https://evil.example/mcp", &[("host", "market.example")]));
    }

    /// "Origin present and not allowed -> 403 (all requests). Absent Origin is fine."
    #[test]
    fn only_admitted_pages_lead_in() {
        let from = |origin| passes("/mcp", &[("host", "market.example"), ("origin", origin)]);
        for origin in [
            "https://market.example",
            "https://market.example:443",
            "HTTPS://Market.Example",
            "https://id.example:8443",
            "https://app.example",
        ] {
            assert!(from(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://market.example",
            "https://market.example:444",
            "https://id.example",
            "https://market.example.evil.example",
            "https://evil.example",
            "file://",
            "http://localhost",
        ] {
            assert!(!from(origin), "{origin}");
        }
    }
}
