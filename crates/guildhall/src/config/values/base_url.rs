//! The address under which the service is known: scheme, host and port, nothing behind.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use axum::http::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `https://host` or `http://host:port`, without a path and without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct BaseUrl {
    https: bool,
    /// In lower case; an IPv6 address keeps its brackets.
    host: String,
    port: Option<u16>,
}

impl BaseUrl {
    /// The plain address of a listening socket.
    pub(crate) fn of_address(address: SocketAddr) -> Self {
        let host = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        Self { https: false, host, port: Some(address.port()) }
    }

    /// Whether the way to the service is encrypted.
    pub(crate) fn is_https(&self) -> bool {
        self.https
    }

    /// Whether only this machine can reach the address.
    pub(crate) fn is_loopback(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        self.host == "localhost" || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.https { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl From<BaseUrl> for String {
    fn from(url: BaseUrl) -> Self {
        url.to_string()
    }
}

impl TryFrom<String> for BaseUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let uri: Uri = text.parse().map_err(|_| "is not a URL".to_owned())?;
        let https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("must begin with https:// or http://".to_owned()),
        };
        let authority = uri.authority().ok_or("has no host")?;
        if authority.as_str().contains('@') {
            return Err("must not carry a user or a password".to_owned());
        }
        // `Uri` forgets a fragment, so the text itself is asked for one.
        if !matches!(uri.path(), "" | "/") || uri.query().is_some() || text.contains('#') {
            return Err("must end after the host and port: no path, query or fragment".to_owned());
        }
        let standard = if https { 443 } else { 80 };
        let port = port(authority.as_str(), authority.host())?;
        let port = port.filter(|port| *port != standard);
        if authority.host().is_empty() {
            return Err("has no host".to_owned());
        }
        Ok(Self { https, host: authority.host().to_ascii_lowercase(), port })
    }
}

/// The port behind the host. `Uri` leaves out one that is none, and it must not be dropped silently.
fn port(authority: &str, host: &str) -> Result<Option<u16>, String> {
    match authority.strip_prefix(host) {
        Some("") => Ok(None),
        Some(rest) => {
            let port = rest.strip_prefix(':').and_then(|port| port.parse().ok());
            port.map(Some).ok_or_else(|| "has a port that is none".to_owned())
        }
        None => Err("has no host".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<BaseUrl, String> {
        BaseUrl::try_from(text.to_owned())
    }

    #[test]
    fn it_is_written_in_one_way() {
        for (text, written) in [
            ("https://Market.Example/", "https://market.example"),
            ("https://market.example:443", "https://market.example"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:80/", "http://[::1]"),
        ] {
            assert_eq!(read(text).unwrap().to_string(), written);
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for (text, loopback) in [
            ("http://localhost:1", true),
            ("http://127.8.9.1", true),
            ("http://[::1]:8080", true),
            ("http://10.0.0.1", false),
            ("http://127.0.0.1.example", false),
            ("http://localhost.example", false),
        ] {
            assert_eq!(read(text).unwrap().is_loopback(), loopback, "{text}");
        }
    }

    #[test]
    fn what_is_no_plain_address_is_refused() {
        for bad in [
            "",
            "market.example",
            "ftp://market.example",
            "https://market.example/v1",
            "https://market.example?x=1",
            "https://market.example/#x",
            "https://user:secret@market.example",
            "https://",
            "https://market.example:99999",
            "https://market.example:",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
