//! Guessing slowed down: ten failures in an hour are free, and from then on every one doubles the wait for the next.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use aws_lc_rs::digest;
use guildhall_core::{Code, Refusal, Timestamp};

use crate::error::{Error, Result};

const FREE_FAILURES: u32 = 10;
const LONGEST_WAIT_SECONDS: u32 = 900;
/// How long a failure is held against an address.
const MEMORY: Duration = Duration::from_hours(1);
/// How many addresses without an account are remembered.
const MAX_STRANGERS: usize = 10_000;

/// How signing in with one address has failed lately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Failures {
    /// How often.
    pub(crate) count: u32,
    /// When the first of the free ones was; after them, when the latest was. They are forgotten an hour later.
    pub(crate) since: Option<Timestamp>,
}

impl Failures {
    /// Refuses another try before its time.
    pub(crate) fn admit(self, now: Timestamp) -> Result<()> {
        let failures = self.at(now);
        let Some(since) = failures.since.filter(|_| failures.count >= FREE_FAILURES) else {
            return Ok(());
        };
        let wait = Duration::from_secs(u64::from(wait_seconds(failures.count)));
        let left = since.after(wait).since(now);
        if left.is_zero() {
            return Ok(());
        }
        let seconds = u32::try_from(left.as_millis().div_ceil(1_000)).unwrap_or(u32::MAX);
        let refusal =
            Refusal::new(Code::RateLimited, "Signing in with this address has failed too often.")
                .suggest(format!(
                    "Wait {seconds} seconds, then try again with the right password."
                ));
        Err(Error::wait(refusal, seconds))
    }

    /// The failures once another has happened.
    pub(crate) fn and_one(self, now: Timestamp) -> Self {
        let failures = self.at(now);
        let count = failures.count.saturating_add(1);
        let since = if count < FREE_FAILURES { failures.since.unwrap_or(now) } else { now };
        Self { count, since: Some(since) }
    }

    /// What is still held against the address.
    fn at(self, now: Timestamp) -> Self {
        let recent = self.since.is_some_and(|since| now.since(since) < MEMORY);
        if recent { self } else { Self::default() }
    }
}

/// The wait after so many failures: 1, 2, 4 … seconds.
fn wait_seconds(failures: u32) -> u32 {
    let doublings = failures.saturating_sub(FREE_FAILURES);
    1_u32.checked_shl(doublings).unwrap_or(LONGEST_WAIT_SECONDS).min(LONGEST_WAIT_SECONDS)
}

/// The failures of addresses that have no account, so that a throttled answer does not tell that one exists.
#[derive(Default)]
pub(crate) struct Strangers(Mutex<HashMap<[u8; 32], Failures>>);

impl Strangers {
    /// How an address has failed.
    pub(crate) fn of(&self, email_folded: &str) -> Failures {
        let strangers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        strangers.get(&key(email_folded)).copied().unwrap_or_default()
    }

    /// Counts a failure, unless the address has to wait.
    pub(crate) fn fail(&self, email_folded: &str, now: Timestamp) -> Result<()> {
        let mut strangers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key(email_folded);
        let failures = strangers.get(&key).copied().unwrap_or_default();
        failures.admit(now)?;
        if strangers.len() >= MAX_STRANGERS && !strangers.contains_key(&key) {
            make_room(&mut strangers, now);
        }
        strangers.insert(key, failures.and_one(now));
        Ok(())
    }
}

/// Forgets what no longer counts; if everything does, whoever is not waiting yet.
fn make_room(strangers: &mut HashMap<[u8; 32], Failures>, now: Timestamp) {
    strangers.retain(|_, failures| failures.at(now).count > 0);
    if strangers.len() >= MAX_STRANGERS {
        strangers.retain(|_, failures| failures.count >= FREE_FAILURES);
    }
    if strangers.len() >= MAX_STRANGERS {
        strangers.clear();
    }
}

/// Addresses that have no account are not ours to keep, not even in memory.
fn key(email_folded: &str) -> [u8; 32] {
    let mut key = [0; 32];
    key.copy_from_slice(digest::digest(&digest::SHA256, email_folded.as_bytes()).as_ref());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    fn failed(times: u32) -> Failures {
        (0..times).fold(Failures::default(), |failures, _| failures.and_one(START))
    }

    #[test]
    fn ten_failures_are_free_and_then_the_wait_doubles_to_its_bound() {
        assert!(failed(9).admit(START).is_ok());
        for (count, wait) in [(10, 1), (11, 2), (12, 4), (19, 512), (20, 900), (99, 900)] {
            let error = failed(count).admit(START).unwrap_err();
            assert_eq!(error.refusal.code, Code::RateLimited);
            assert_eq!(error.retry_after_seconds, Some(wait), "after {count}");
            assert!(failed(count).admit(START.after(seconds(wait.into()))).is_ok());
        }
    }

    #[test]
    fn an_hour_forgets() {
        let later = START.after(seconds(3_600));
        assert_eq!(failed(9).and_one(later).count, 1);
        assert_eq!(failed(30).and_one(later).count, 1);
        assert_eq!(failed(30).and_one(START.after(seconds(3_599))).count, 31);
    }

    #[test]
    fn the_hour_of_the_free_ones_begins_with_the_first() {
        let spread = failed(1).and_one(START.after(seconds(3_000)));
        assert_eq!(spread.since, Some(START));
        assert_eq!(spread.and_one(START.after(seconds(3_700))).count, 1);
    }

    #[test]
    fn strangers_wait_like_anybody_and_are_bounded() {
        let strangers = Strangers::default();
        for _ in 0..10 {
            strangers.fail("nobody@example.org", START).unwrap();
        }
        assert_eq!(strangers.of("nobody@example.org"), failed(10));
        let error = strangers.fail("nobody@example.org", START).unwrap_err();
        assert_eq!(error.retry_after_seconds, Some(1));
        for number in 0..=MAX_STRANGERS {
            strangers.fail(&format!("{number}@example.org"), START).unwrap();
        }
        assert!(strangers.0.lock().unwrap().len() <= MAX_STRANGERS);
        assert_eq!(
            strangers.of("nobody@example.org").count,
            10,
            "who waits is not forgotten first"
        );
    }
}
