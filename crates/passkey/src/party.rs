//! The relying party: for whom passkeys sign, and on whose pages.

use std::net::IpAddr;

use webauthn_rs::prelude::{Url, Webauthn, WebauthnBuilder};

use crate::error::{Error, Result};

/// What people see when a passkey asks.
const NAME: &str = "Guildhall";

/// The passkeys of one service.
pub struct Passkeys(Result<Party>);

/// A service that passkeys can sign for.
pub(crate) struct Party {
    pub(crate) webauthn: Webauthn,
    origin: String,
}

impl Passkeys {
    /// Passkeys for the service where people sign in at `auth_url`.
    ///
    /// Passkeys belong to a host's name. This machine's own address has one, `localhost`; any other address has none, and
    /// there are no passkeys then.
    #[must_use]
    pub fn new(auth_url: &str) -> Self {
        Self(Party::of(auth_url))
    }

    /// The origin of the pages where passkeys work.
    pub fn origin(&self) -> Result<&str> {
        self.party().map(|party| party.origin.as_str())
    }

    pub(crate) fn party(&self) -> Result<&Party> {
        self.0.as_ref().map_err(Clone::clone)
    }
}

impl Party {
    fn of(auth_url: &str) -> Result<Self> {
        let mut url: Url = auth_url
            .parse()
            .map_err(|error| Error::Broken(format!("the address {auth_url}: {error}")))?;
        if url.domain().is_none() {
            name_this_machine(&mut url)?;
        }
        let host = url.domain().ok_or_else(|| nameless(auth_url))?;
        let webauthn = WebauthnBuilder::new(host, &url)?.rp_name(NAME).build()?;
        Ok(Self { webauthn, origin: url.origin().ascii_serialization() })
    }
}

/// Calls the loopback by its name.
fn name_this_machine(url: &mut Url) -> Result<()> {
    let host = url.host_str().unwrap_or_default();
    let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    if !address.is_some_and(|address| address.is_loopback()) {
        return Err(nameless(url.as_str()));
    }
    url.set_host(Some("localhost")).map_err(|_| nameless(url.as_str()))
}

fn nameless(url: &str) -> Error {
    Error::Off(format!("Passkeys need a host name, and {url} has none."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(auth_url: &str) -> Result<String> {
        Passkeys::new(auth_url).origin().map(str::to_owned)
    }

    /// "Relying party = host of auth_url, origin = auth_url's origin"; the loopback is called `localhost`.
    #[test]
    fn pages_are_where_people_sign_in() {
        for (auth_url, expected) in [
            ("https://id.market.example", "https://id.market.example"),
            ("https://market.example:8443", "https://market.example:8443"),
            ("http://localhost:8080", "http://localhost:8080"),
            ("http://127.0.0.1:8080", "http://localhost:8080"),
            ("http://[::1]:8080", "http://localhost:8080"),
        ] {
            assert_eq!(origin(auth_url).unwrap(), expected, "{auth_url}");
        }
    }

    #[test]
    fn an_address_without_a_name_has_no_passkeys() {
        for nameless in ["https://10.0.0.1", "https://[2001:db8::1]:8443"] {
            assert!(matches!(origin(nameless), Err(Error::Off(_))), "{nameless}");
        }
        assert!(matches!(origin("market"), Err(Error::Broken(_))));
    }
}
