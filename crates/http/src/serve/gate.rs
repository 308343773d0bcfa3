//! How many connections may be open, in total and from one place.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Counts open connections and refuses past the caps.
#[derive(Clone)]
pub(super) struct Gate {
    total: usize,
    per_place: usize,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    total: usize,
    by_place: HashMap<IpAddr, usize>,
}

impl Gate {
    pub(super) fn new(total: usize, per_place: usize) -> Self {
        Self { total, per_place, open: Arc::default() }
    }

    /// A permit to hold for as long as the connection is open, or `None` past a cap.
    pub(super) fn admit(&self, ip: IpAddr) -> Option<Permit> {
        let place = place(ip);
        let refusal = {
            let mut open = self.open();
            if open.total >= self.total {
                "total"
            } else if open.by_place.get(&place).is_some_and(|count| *count >= self.per_place) {
                "per_ip"
            } else {
                open.total += 1;
                *open.by_place.entry(place).or_default() += 1;
                metrics::gauge!("guildhall_http_connections").increment(1);
                return Some(Permit { gate: self.clone(), place });
            }
        };
        metrics::counter!("guildhall_http_connections_refused_total", "reason" => refusal)
            .increment(1);
        None
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One open connection; dropping it makes room for another.
pub(super) struct Permit {
    gate: Gate,
    place: IpAddr,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = self.gate.open();
        open.total -= 1;
        if let Some(count) = open.by_place.get_mut(&self.place) {
            *count -= 1;
            // Kept at zero, the map would grow with every address that ever called.
            if *count == 0 {
                open.by_place.remove(&self.place);
            }
        }
        metrics::gauge!("guildhall_http_connections").decrement(1);
    }
}

/// One host's share of the address space: an IPv6 host is given a whole /64 to choose from, and
/// an IPv4 host seen through an IPv6 socket is still that IPv4 host.
fn place(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_ipv6_host_is_its_64_and_a_mapped_address_is_ipv4() {
        assert_eq!(place(ip("2001:db8:1:2:3:4:5:6")), place(ip("2001:db8:1:2:ffff::1")));
        assert_ne!(place(ip("2001:db8:1:2::1")), place(ip("2001:db8:1:3::1")));
        assert_eq!(place(ip("::ffff:192.0.2.7")), ip("192.0.2.7"));
        assert_ne!(place(ip("192.0.2.7")), place(ip("192.0.2.8")));
    }

    #[test]
    fn a_dropped_permit_makes_room_and_leaves_nothing_behind() {
        let gate = Gate::new(3, 2);
        let held = [gate.admit(ip("192.0.2.1")).unwrap(), gate.admit(ip("192.0.2.1")).unwrap()];
        assert!(gate.admit(ip("192.0.2.1")).is_none(), "two from one place");
        let other = gate.admit(ip("192.0.2.2")).unwrap();
        assert!(gate.admit(ip("192.0.2.3")).is_none(), "three in total");
        drop((held, other));
        assert!(gate.admit(ip("192.0.2.1")).is_some());
        assert!(gate.open().by_place.is_empty());
        assert_eq!(gate.open().total, 0);
    }
}
