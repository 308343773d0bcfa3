//! What the blows were answered.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

use testkit::Answer;

/// The refusals that a blow may meet: what the documents say about its operation.
const EXPECTED: &[(&str, &[&str])] = &[
    ("post", &["demand_limit"]),
    ("hire", &["demand_limit"]),
    ("quote", &["task_cancelled", "task_funded", "conflict", "not_found"]),
    ("select", &["demand_limit", "selection_active", "task_cancelled", "conflict"]),
    (
        "fund",
        &[
            "demand_limit",
            "selection_required",
            "funding_already_active",
            "task_cancelled",
            "conflict",
        ],
    ),
    ("release", &["task_cancelled", "conflict", "selection_required"]),
    ("cancel", &["task_cancelled", "task_funded", "conflict"]),
    ("offer", &[]),
    ("accept offer", &["selection_released", "task_cancelled", "conflict", "stale_terms"]),
    ("deliver", &["not_found", "delivery_window_closed", "task_cancelled"]),
    ("accept", &["not_under_review"]),
    ("surrender", &["not_found", "conflict"]),
];

/// The caps; each of them has to stand in somebody's way, or it was not tried.
const CAPS: &[&str] = &[
    "max_per_command_micros",
    "max_per_day_micros",
    "max_total_micros",
    "max_open_tasks",
    "max_per_worker_day_micros",
];

/// How often each answer was given.
#[derive(Default)]
pub(super) struct Tally(Mutex<BTreeMap<String, usize>>);

impl Tally {
    /// Counts an answer, and gives it back if it is not a refusal.
    pub(super) fn count(&self, blow: &str, answer: Answer) -> Option<Answer> {
        let Answer { status, .. } = answer;
        let code = answer.code();
        let mut key = format!("{blow} {status} {code}");
        if code == "demand_limit" {
            let reason = answer.body["error"]["reason"].as_str().unwrap_or_default();
            key.push(' ');
            key.push_str(reason.split(' ').next().unwrap_or_default());
        }
        let busy = status == 503 && answer.header("retry-after").is_some();
        let expected = EXPECTED.iter().find(|(name, _)| *name == blow).unwrap().1;
        assert!(
            status < 300 || busy || (status < 500 && expected.contains(&code)),
            "{blow}: {status} {}",
            answer.text
        );
        *self.0.lock().unwrap().entry(key).or_default() += 1;
        (status < 300).then_some(answer)
    }

    /// Whether somebody would have passed this cap.
    pub(super) fn has_met(&self, cap: &str) -> bool {
        self.0.lock().unwrap().keys().any(|key| key.ends_with(cap))
    }

    /// Whether every blow has met with success, and every cap with somebody who would have passed it.
    pub(super) fn is_complete(&self) -> bool {
        self.missing().is_none()
    }

    /// The same, or else what is missing.
    pub(super) fn check(&self) {
        assert_eq!(self.missing(), None, "never met");
    }

    fn missing(&self) -> Option<&'static str> {
        let counts = self.0.lock().unwrap();
        let any = |wanted: &dyn Fn(&str) -> bool| counts.keys().any(|key| wanted(key));
        let mut blows = EXPECTED.iter().map(|(blow, _)| *blow);
        blows
            .find(|blow| !any(&|key| key.starts_with(&format!("{blow} 2"))))
            .or_else(|| CAPS.iter().copied().find(|cap| !any(&|key| key.ends_with(cap))))
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, count) in &*self.0.lock().unwrap() {
            writeln!(f, "{count:>7} {key}")?;
        }
        Ok(())
    }
}
