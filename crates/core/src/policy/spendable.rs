//! What is left to spend under a policy.

use super::SpendPolicy;
use crate::Timestamp;
use crate::money::Credits;

impl SpendPolicy {
    /// The most that commands may spend from now on before a window ends; nothing while the policy is not in force.
    ///
    /// `max_per_command` is no part of it: it bounds one command, not what commands may spend together.
    #[must_use]
    pub fn spendable(&self, now: Timestamp) -> Credits {
        if !self.is_active(now) || self.rules.paused {
            return Credits::ZERO;
        }
        let (rules, usage) = (&self.rules, self.usage.at(now));
        let left = |limit: Option<Credits>, used: Credits| limit.map(|it| it.minus_or_zero(used));
        let day = rules.max_per_day.minus_or_zero(usage.day);
        let month = left(rules.max_per_month, usage.month);
        let total = left(rules.max_total, usage.total);
        [month, total].into_iter().flatten().fold(day, Credits::min)
    }
}
