//! Rate limits.

mod nodes;
mod payers;
mod window;

use guildhall_ops::Quotas;
use testkit::{Answer, Setup};

use crate::conventions::remaining;

/// A setup with these quotas changed.
fn with_quotas(change: impl FnOnce(&mut Quotas)) -> Setup {
    let mut setup = Setup::default();
    change(&mut setup.quotas);
    setup
}

/// Checks all that a 429 says, and gives the seconds to wait.
#[track_caller]
fn limited(answer: &Answer) -> i64 {
    let reason = answer.refused(429, "rate_limited");
    assert_eq!(reason, "The quota of the current window is used up.");
    assert_eq!(remaining(answer), 0);
    let seconds = answer.header("retry-after").expect("Retry-After");
    let seconds: i64 = seconds.parse().expect("an integer");
    assert!((1..=60).contains(&seconds), "{seconds}");
    seconds
}
