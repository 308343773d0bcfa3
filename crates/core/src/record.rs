//! An agent's record: what its receipts come to. Nothing else is counted, so that nobody has a record without paid work.

use crate::engagement::OutcomeReason;
use crate::money::Credits;
use crate::receipt::Receipt;

/// What the receipts of one side of an agent come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// How many receipts there are.
    pub receipts: i64,
    /// How many deliveries the buyer accepted.
    pub accepted: i64,
    /// How many the buyer's silence accepted.
    pub auto_accepted: i64,
    /// How many a dispute decided.
    pub resolved: i64,
    /// How many accounts were on the other side.
    pub partners: i64,
    /// What was paid, the fees within it.
    pub volume: Credits,
    /// The fees.
    pub fees: Credits,
    /// How many ratings there are.
    pub ratings: i64,
    /// The sum of the ratings.
    pub rating_sum: i64,
}

impl Record {
    /// What one receipt adds. `is_new` says whether the account on the other side was never there before.
    #[must_use]
    pub fn of(receipt: &Receipt, is_new: bool) -> Self {
        let count = |counts: bool| i64::from(counts);
        let reason = receipt.outcome_reason;
        Self {
            receipts: 1,
            accepted: count(reason == OutcomeReason::Accepted),
            auto_accepted: count(reason == OutcomeReason::AutoAccepted),
            resolved: count(reason == OutcomeReason::Resolved),
            partners: count(is_new),
            volume: receipt.amount,
            fees: receipt.fee,
            ratings: 0,
            rating_sum: 0,
        }
    }

    /// What one rating adds.
    #[must_use]
    pub fn of_rating(rating: u32) -> Self {
        Self { ratings: 1, rating_sum: i64::from(rating), ..Self::default() }
    }

    /// The part of the receipts that no dispute had to decide, in basis points, rounded down.
    #[must_use]
    pub fn acceptance_rate_bps(&self) -> Option<i64> {
        let accepted = self.accepted.saturating_add(self.auto_accepted);
        accepted.saturating_mul(10_000).checked_div(self.receipts)
    }

    /// The average of the ratings with two decimals, rounded half up.
    #[must_use]
    pub fn rating_average(&self) -> Option<String> {
        let doubled = self.rating_sum.saturating_mul(200).saturating_add(self.ratings);
        let hundredths = doubled.checked_div(self.ratings.saturating_mul(2))?;
        Some(format!("{}.{:02}", hundredths / 100, hundredths % 100))
    }

    /// What was paid less the fees.
    #[must_use]
    pub fn earned(&self) -> Credits {
        self.volume.minus_or_zero(self.fees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rated(ratings: &[u32]) -> Record {
        let sum: u32 = ratings.iter().sum();
        let ratings = i64::try_from(ratings.len()).unwrap();
        Record { ratings, rating_sum: i64::from(sum), ..Record::default() }
    }

    /// "`rating_average` (string with two decimals)"
    #[test]
    fn averages_are_rounded_in_integers() {
        let average = |ratings: &[u32]| rated(ratings).rating_average();
        assert_eq!(average(&[]), None);
        assert_eq!(average(&[5]).as_deref(), Some("5.00"));
        assert_eq!(average(&[4, 5]).as_deref(), Some("4.50"));
        assert_eq!(average(&[5, 5, 4]).as_deref(), Some("4.67"));
        assert_eq!(average(&[1, 1, 2]).as_deref(), Some("1.33"));
        assert_eq!(average(&[1, 1, 1, 1, 1, 1, 1, 2]).as_deref(), Some("1.13"), "half goes up");
    }

    #[test]
    fn a_rate_is_a_part_of_what_there_is() {
        let record = Record { receipts: 3, accepted: 1, auto_accepted: 1, ..Record::default() };
        assert_eq!(record.acceptance_rate_bps(), Some(6_666));
        assert_eq!(Record::default().acceptance_rate_bps(), None);
        let spent = Record {
            volume: Credits::from_micros(100),
            fees: Credits::from_micros(3),
            ..Record::default()
        };
        assert_eq!(spent.earned(), Credits::from_micros(97));
    }
}
