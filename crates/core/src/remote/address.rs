//! Which addresses belong to everybody.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are not the public internet, or not one peer on it: first address and length of the prefix.
const NOT_GLOBAL_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::UNSPECIFIED, 8),            // this host
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // carriers, and some clouds' metadata
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // a cloud's host agent, at an address that looks public
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local, and most clouds' metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocols
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // relays to 6to4
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),      // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),      // reserved, and broadcast
];

/// Networks within the global unicast range of IPv6 that are not one peer on the internet.
const NOT_GLOBAL_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocols: Teredo, benchmarks, hashes
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4: an IPv4 address in disguise
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// The global unicast range. All else is loopback, mapped or translated IPv4, private, link-local, multicast or unassigned.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Whether an address is a single peer on the public internet.
#[must_use]
pub fn is_global(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(ip) => !NOT_GLOBAL_V4.iter().any(|network| holds_v4(*network, ip)),
        IpAddr::V6(ip) => {
            holds_v6(GLOBAL_V6, ip) && !NOT_GLOBAL_V6.iter().any(|network| holds_v6(*network, ip))
        }
    }
}

fn holds_v4((network, length): (Ipv4Addr, u32), ip: Ipv4Addr) -> bool {
    (network.to_bits() ^ ip.to_bits()).leading_zeros() >= length
}

fn holds_v6((network, length): (Ipv6Addr, u32), ip: Ipv6Addr) -> bool {
    (network.to_bits() ^ ip.to_bits()).leading_zeros() >= length
}
