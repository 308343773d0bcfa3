//! Places on the internet that people name for the service to call, and the ones it never calls.
//!
//! Whoever names a URL decides where the service connects to. What only the service can reach (its own machine, its
//! neighbours, the cloud's metadata) must not be named, in whatever disguise.

mod address;
mod fetch;

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

pub use address::is_global;
pub use fetch::{Fetch, Fetched, Fetching};

/// The longest URL that is taken.
pub const MAX_LENGTH: usize = 2_048;

/// Top-level names that lead nowhere on the public internet, whatever a resolver says.
const SPECIAL_NAMES: [&str; 11] = [
    "localhost",
    "local",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "arpa",
    "invalid",
    "test",
    "onion",
];

/// A URL that the service may try: https, a public host, nothing hidden in it.
///
/// A host that is a name may still lead to an address that is not public: that is for whoever connects to check, with
/// [`is_global`], on the very address it connects to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteUrl(Url);

impl RemoteUrl {
    /// Reads a URL. With `allow_local`, the loopback of this machine may be named too, also by plain http: for development
    /// and tests.
    pub fn parse(text: &str, allow_local: bool) -> Result<Self, String> {
        if text.len() > MAX_LENGTH {
            return Err(format!("must be at most {MAX_LENGTH} bytes long"));
        }
        // A lenient parser drops these or reads them as something else; a URL with them is meant to be read in two ways.
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err("must not contain spaces, control characters or backslashes".to_owned());
        }
        let url = Url::parse(text).map_err(|error| format!("is not a URL: {error}"))?;
        if names_user(text) {
            return Err("must not carry a user or a password".to_owned());
        }
        if url.fragment().is_some() {
            return Err("must not have a fragment".to_owned());
        }
        check_place(&url, allow_local)?;
        Ok(Self(url))
    }

    /// Whether it asks for TLS.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// The host: a name, or an address without brackets.
    #[must_use]
    pub fn host(&self) -> String {
        match self.0.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(ip)) => ip.to_string(),
            Some(Host::Ipv6(ip)) => ip.to_string(),
            None => String::new(),
        }
    }

    /// The host as an address, if it is one.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        self.0.host().and_then(|host| literal(&host))
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(443)
    }

    /// What the Host header says: the host, with its port unless that is the scheme's own.
    #[must_use]
    pub fn authority(&self) -> &str {
        self.0.authority()
    }

    /// Path and query.
    #[must_use]
    pub fn path_and_query(&self) -> &str {
        self.0.as_str().get(self.0[..url::Position::BeforePath].len()..).unwrap_or("/")
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

/// Whether an `@` stands before the host, also where the user before it is empty.
fn names_user(text: &str) -> bool {
    let rest = text.split_once("//").map_or(text, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains('@'))
}

fn check_place(url: &Url, allow_local: bool) -> Result<(), String> {
    let host = url.host().ok_or("must name a host")?;
    let local = allow_local && is_loopback(&host);
    match url.scheme() {
        "https" => {}
        "http" if local => {}
        _ => return Err("must begin with https://".to_owned()),
    }
    if local || is_public(&host) { Ok(()) } else { Err("must lead to a public host".to_owned()) }
}

fn literal(host: &Host<&str>) -> Option<IpAddr> {
    match host {
        Host::Domain(_) => None,
        Host::Ipv4(ip) => Some(IpAddr::V4(*ip)),
        Host::Ipv6(ip) => Some(IpAddr::V6(*ip)),
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        host => literal(host).is_some_and(|ip| ip.is_loopback()),
    }
}

fn is_public(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => {
            let labels: Vec<&str> = name.split('.').collect();
            let known = labels.last().is_some_and(|last| !SPECIAL_NAMES.contains(last));
            // A name with an empty label (a trailing dot among them) is a second way to write another one.
            labels.len() > 1 && known && labels.iter().all(|label| !label.is_empty())
        }
        host => literal(host).is_some_and(is_global),
    }
}

#[cfg(test)]
mod tests;
