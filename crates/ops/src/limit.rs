//! Rate limits: fixed windows, counted here, and leased in slices from the store where several nodes share it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use guildhall_core::{AccountId, Code, ConnectionId, Timestamp};
use guildhall_store::Db;

use crate::error::{Error, Result};

/// How many requests a window admits, by who sends them.
#[derive(Clone, Copy, Debug)]
pub struct Quotas {
    /// The length of a window.
    pub window: Duration,
    /// For an account session.
    pub account: u32,
    /// For an agent's credential.
    pub agent: u32,
    /// For an address without a valid credential.
    pub ip: u32,
    /// For an address at sign-in and the token endpoints.
    pub sign_in: u32,
}

impl Default for Quotas {
    fn default() -> Self {
        let window = Duration::from_mins(1);
        Self { window, account: 600, agent: 600, ip: 120, sign_in: 30 }
    }
}

/// Whose quota a request counts against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payer {
    /// An account session.
    Account(AccountId),
    /// An agent's connection.
    Agent(ConnectionId),
    /// An address.
    Ip(IpAddr),
    /// An address at sign-in.
    SignIn(IpAddr),
}

/// How much a node takes of a window at first.
const FIRST_SLICE: u32 = 8;

/// The outcome of asking for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    /// Go on; so many are left.
    Granted(u32),
    /// Not before so many seconds.
    Spent(u32),
    /// The store has to be asked for another slice first.
    Lease,
}

/// The windows of this node.
#[derive(Debug)]
pub(crate) struct Limiter {
    quotas: Quotas,
    shared: bool,
    windows: Mutex<Windows>,
}

#[derive(Debug, Default)]
struct Windows {
    started_at: i64,
    payers: HashMap<Payer, Window>,
}

/// One payer's share of the present window.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// What this node may give out.
    granted: u32,
    /// What it has given out.
    used: u32,
    /// What nobody has taken yet, as far as this node knows.
    unleased: u32,
}

impl Window {
    /// How much to take next: as much again as was needed so far, so that a node that dies leaves little behind, and never
    /// more than an eighth of what is left, so that little is stranded on other nodes.
    fn slice(self) -> u32 {
        self.granted.max(FIRST_SLICE).min(self.unleased / 8).max(1)
    }
}

impl Limiter {
    /// A limiter for a store that other nodes may share.
    #[must_use]
    pub(crate) fn new(quotas: Quotas, shared: bool) -> Self {
        Self { quotas, shared, windows: Mutex::default() }
    }

    /// Takes one request from the payer's window.
    pub(crate) fn take(&self, payer: &Payer, now: Timestamp) -> Take {
        let quota = self.quota(payer);
        let mut windows = self.windows(now);
        let window = windows.payers.entry(*payer).or_insert_with(|| self.fresh(quota));
        if window.used < window.granted {
            window.used += 1;
            return Take::Granted(window.granted - window.used + window.unleased);
        }
        if window.unleased > 0 { Take::Lease } else { Take::Spent(self.seconds_left(now)) }
    }

    /// Takes one request, asking the store for a slice where that is needed.
    pub(crate) async fn admit(&self, db: &Db, payer: &Payer, now: Timestamp) -> Result<u32> {
        loop {
            match self.take(payer, now) {
                Take::Granted(left) => return Ok(left),
                Take::Spent(seconds) => return Err(spent(seconds)),
                Take::Lease => self.lease(db, payer, now).await?,
            }
        }
    }

    /// Asks the store for another slice.
    pub(crate) async fn lease(&self, db: &Db, payer: &Payer, now: Timestamp) -> Result<()> {
        let (slice, started_at) = self.wanted(payer, now);
        let key = payer.key();
        let taken = db
            .write("limit.lease", move |tx| {
                tx.take_rate_slice(&key, Timestamp::from_millis(started_at), slice)
            })
            .await
            .map_err(Error::from)?;
        self.credit(payer, started_at, slice, taken);
        Ok(())
    }

    /// How much to ask the store for, and in which window: the one that counts here, which may be later than `now` says
    /// when the clock has gone back or the window has just ended.
    fn wanted(&self, payer: &Payer, now: Timestamp) -> (u32, i64) {
        let windows = self.windows(now);
        let window = windows.payers.get(payer).copied();
        let slice = window.unwrap_or_else(|| self.fresh(self.quota(payer))).slice();
        (slice, windows.started_at)
    }

    /// Books a slice. What was taken beyond the quota was not there to take.
    fn credit(&self, payer: &Payer, started_at: i64, slice: u32, taken: i64) {
        let quota = self.quota(payer);
        let before = taken.saturating_sub(i64::from(slice));
        let room = u32::try_from(i64::from(quota).saturating_sub(before).max(0)).unwrap_or(0);
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if windows.started_at != started_at {
            // The window ended while the store was asked: its slice is worth nothing in the next one.
            return;
        }
        let window = windows.payers.entry(*payer).or_insert_with(|| self.fresh(quota));
        window.granted += room.min(slice);
        // Slices taken at once may be booked in another order; what is left to take only ever gets less.
        window.unleased = window.unleased.min(room.saturating_sub(slice));
    }

    fn fresh(&self, quota: u32) -> Window {
        let granted = if self.shared { 0 } else { quota };
        Window { granted, used: 0, unleased: quota - granted }
    }

    fn quota(&self, payer: &Payer) -> u32 {
        match payer {
            Payer::Account(_) => self.quotas.account,
            Payer::Agent(_) => self.quotas.agent,
            Payer::Ip(_) => self.quotas.ip,
            Payer::SignIn(_) => self.quotas.sign_in,
        }
    }

    /// The windows of the present; those of the past are forgotten all at once.
    fn windows(&self, now: Timestamp) -> MutexGuard<'_, Windows> {
        let started_at = self.window_start(now);
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        if started_at > windows.started_at {
            *windows = Windows { started_at, payers: HashMap::new() };
        }
        windows
    }

    fn window_millis(&self) -> i64 {
        i64::try_from(self.quotas.window.as_millis()).unwrap_or(60_000).max(1)
    }

    fn window_start(&self, now: Timestamp) -> i64 {
        now.millis() - now.millis().rem_euclid(self.window_millis())
    }

    fn seconds_left(&self, now: Timestamp) -> u32 {
        let left = self.window_start(now) + self.window_millis() - now.millis();
        u32::try_from((left + 999) / 1_000).unwrap_or(1).max(1)
    }
}

pub(crate) fn spent(seconds: u32) -> Error {
    Error::new(Code::RateLimited, "The quota of the current window is used up.")
        .suggest(format!("Wait {seconds} seconds before the next request."))
        .retry_after(seconds)
}

impl Payer {
    /// The payer's name in the store.
    fn key(&self) -> String {
        match self {
            Self::Account(id) => id.to_string(),
            Self::Agent(id) => id.to_string(),
            Self::Ip(ip) => format!("ip:{}", network(*ip)),
            Self::SignIn(ip) => format!("sign-in:{}", network(*ip)),
        }
    }

    /// A payer for an address. One IPv6 subscriber has a whole /64, so the rest of the address does not count.
    #[must_use]
    pub fn ip(ip: IpAddr) -> Self {
        Self::Ip(network(ip))
    }

    /// A payer for an address at sign-in.
    #[must_use]
    pub fn sign_in(ip: IpAddr) -> Self {
        Self::SignIn(network(ip))
    }
}

fn network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6((ip.to_bits() & !u128::from(u64::MAX)).into()),
        ip @ IpAddr::V4(_) => ip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000 + millis)
    }

    fn quotas() -> Quotas {
        Quotas { account: 3, ip: 16, ..Quotas::default() }
    }

    #[test]
    fn a_window_gives_its_quota_and_says_when_it_ends() {
        let limiter = Limiter::new(quotas(), false);
        let payer = Payer::Account(AccountId::new(at(0), 0, 0));
        assert_eq!(limiter.take(&payer, at(0)), Take::Granted(2));
        assert_eq!(limiter.take(&payer, at(1)), Take::Granted(1));
        assert_eq!(limiter.take(&payer, at(2)), Take::Granted(0));
        assert_eq!(limiter.take(&payer, at(100)), Take::Spent(60));
        assert_eq!(limiter.take(&payer, at(59_999)), Take::Spent(1));
        assert_eq!(limiter.take(&payer, at(60_000)), Take::Granted(2));
        assert_eq!(
            limiter.take(&payer, at(59_999)),
            Take::Granted(1),
            "a clock that goes back gives nothing new"
        );
    }

    #[test]
    fn two_nodes_together_never_give_more_than_the_quota() {
        let nodes = [Limiter::new(quotas(), true), Limiter::new(quotas(), true)];
        let payer = Payer::ip("192.0.2.1".parse().unwrap());
        let (mut taken, mut granted) = (0_i64, 0);
        for round in 0..100 {
            let node = &nodes[round % 2];
            match node.take(&payer, at(0)) {
                Take::Granted(_) => granted += 1,
                Take::Spent(_) => {}
                Take::Lease => {
                    let (slice, started_at) = node.wanted(&payer, at(0));
                    taken += i64::from(slice);
                    node.credit(&payer, started_at, slice, taken);
                }
            }
        }
        assert_eq!(granted, 16);
    }

    /// A request that began before the window ended asks for a slice of the window that counts, and gets it.
    #[test]
    fn a_request_across_the_end_of_a_window_is_served() {
        let node = Limiter::new(quotas(), true);
        let payer = Payer::ip("192.0.2.1".parse().unwrap());
        assert_eq!(node.take(&payer, at(59_999)), Take::Lease);
        let (slice, ended) = node.wanted(&payer, at(59_999));
        assert_eq!(node.take(&payer, at(60_000)), Take::Lease, "the next window has begun");
        node.credit(&payer, ended, slice, i64::from(slice));
        assert_eq!(
            node.take(&payer, at(59_999)),
            Take::Lease,
            "a slice of the past is worth nothing"
        );
        let (slice, started_at) = node.wanted(&payer, at(59_999));
        assert_eq!(started_at, ended + 60_000);
        node.credit(&payer, started_at, slice, i64::from(slice));
        assert!(matches!(node.take(&payer, at(59_999)), Take::Granted(_)));
    }

    #[test]
    fn an_ipv6_subscriber_is_one_payer() {
        let one = Payer::ip("2001:db8:1:2:3:4:5:6".parse().unwrap());
        assert_eq!(one, Payer::ip("2001:db8:1:2::1".parse().unwrap()));
        assert_ne!(one, Payer::ip("2001:db8:1:3::1".parse().unwrap()));
        assert_eq!(
            Payer::ip("::ffff:192.0.2.1".parse().unwrap()),
            Payer::ip("192.0.2.1".parse().unwrap())
        );
    }
}
