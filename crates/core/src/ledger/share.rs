//! How an amount is divided. Whatever is rounded off stays with somebody: nothing is created or lost.

use crate::money::Credits;

const WHOLE_BPS: i128 = 10_000;

/// The platform's fee on a worker's share: `floor(share × bps / 10,000)`.
#[must_use]
pub fn fee(share: Credits, bps: u16) -> Credits {
    part(share, bps)
}

/// A price divided between the worker, whose share is floored, and the buyer, who gets the rest back.
#[must_use]
pub fn split(price: Credits, worker_share_bps: u16) -> (Credits, Credits) {
    let share = part(price, worker_share_bps);
    (share, price.minus_or_zero(share))
}

/// A part is never more than the whole, however many basis points are asked for.
fn part(whole: Credits, bps: u16) -> Credits {
    let whole = whole.micros().max(0);
    let micros = i128::from(whole) * i128::from(bps).min(WHOLE_BPS) / WHOLE_BPS;
    Credits::from_micros(i64::try_from(micros).unwrap_or(whole))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn micros(micros: i64) -> Credits {
        Credits::from_micros(micros)
    }

    /// "fee = floor(worker's share × bps / 10,000); a split's worker share is floored, the rest goes to the buyer"
    #[test]
    fn parts_are_floored() {
        assert_eq!(fee(micros(9_999), 1), micros(0));
        assert_eq!(fee(micros(10_000), 1), micros(1));
        assert_eq!(fee(micros(3_333_333), 250), micros(83_333));
        assert_eq!(fee(micros(5), 10_000), micros(5));
        assert_eq!(split(micros(1), 9_999), (micros(0), micros(1)));
        assert_eq!(split(micros(7), 5_000), (micros(3), micros(4)));
        assert_eq!(split(micros(7), 10_000), (micros(7), micros(0)));
        assert_eq!(split(micros(7), 0), (micros(0), micros(7)));
    }

    proptest! {
        /// "nothing is created or lost"
        #[test]
        fn a_split_is_whole(price in 0..=Credits::MAX.micros(), bps in 0..=10_000_u16) {
            let (share, rest) = split(micros(price), bps);
            prop_assert_eq!(share.plus(rest), Some(micros(price)));
            prop_assert!(share.micros() >= 0 && rest.micros() >= 0);
            let exact = i128::from(price) * i128::from(bps);
            prop_assert!(i128::from(share.micros()) * 10_000 <= exact);
            prop_assert!((i128::from(share.micros()) + 1) * 10_000 > exact);
        }

        #[test]
        fn a_fee_is_never_more_than_the_share(share in 0..=i64::MAX, bps in 0..=u16::MAX) {
            let fee = fee(micros(share), bps);
            prop_assert!(fee >= Credits::ZERO && fee <= micros(share));
        }
    }
}
