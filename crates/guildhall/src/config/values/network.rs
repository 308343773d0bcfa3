//! A network of addresses.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One address, or all that begin with the same bits (`10.0.0.0/8`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Network {
    first: IpAddr,
    bits: u8,
}

impl Network {
    /// Whether it holds so much of the internet that trusting it means trusting anyone.
    pub(crate) fn is_anyone(self) -> bool {
        match self.first {
            IpAddr::V4(_) => self.bits < 8,
            IpAddr::V6(_) => self.bits < 16,
        }
    }

    /// Whether `ip` is one of its addresses.
    pub(crate) fn contains(self, ip: IpAddr) -> bool {
        match (self.first, ip.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(ip)) => {
                let shift = 32 - u32::from(self.bits);
                first.to_bits().checked_shr(shift) == ip.to_bits().checked_shr(shift)
            }
            (IpAddr::V6(first), IpAddr::V6(ip)) => {
                let shift = 128 - u32::from(self.bits);
                first.to_bits().checked_shr(shift) == ip.to_bits().checked_shr(shift)
            }
            _ => false,
        }
    }
}

impl From<Network> for String {
    fn from(network: Network) -> Self {
        format!("{}/{}", network.first, network.bits)
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let refused = || "must be an address or a network such as 10.0.0.0/8".to_owned();
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text.as_str(), None),
        };
        let first: IpAddr = address.parse().map_err(|_| refused())?;
        let all = if first.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(all), |bits| bits.parse::<u8>().map_err(|_| refused()))?;
        if bits > all {
            return Err(format!("has a prefix of {bits} bits, at most {all}"));
        }
        Ok(Self { first, bits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        Network::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_network_holds_the_addresses_that_begin_like_it() {
        let holds = |net: &str, ip: &str| network(net).contains(ip.parse().unwrap());
        assert!(holds("10.1.0.0/16", "10.1.255.255") && !holds("10.1.0.0/16", "10.2.0.0"));
        assert!(holds("10.1.2.3", "10.1.2.3") && !holds("10.1.2.3", "10.1.2.4"));
        assert!(holds("10.0.0.0/8", "::ffff:10.1.2.3"), "an IPv4 address in IPv6 clothes");
        assert!(holds("2001:db8::/32", "2001:db8:1::1") && !holds("2001:db8::/32", "2001:db9::"));
        assert!(holds("0.0.0.0/0", "1.2.3.4") && !holds("0.0.0.0/0", "::1"));
    }

    #[test]
    fn a_network_of_nearly_everyone_is_known_as_such() {
        assert!(network("0.0.0.0/0").is_anyone() && network("::/0").is_anyone());
        assert!(network("0.0.0.0/1").is_anyone());
        assert!(!network("10.0.0.0/8").is_anyone() && !network("fd00::/16").is_anyone());
        for bad in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/", "proxy.example"] {
            assert!(Network::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
