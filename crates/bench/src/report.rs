//! What was found, next to what it has to be.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Result;
use serde_json::{Value, json};

/// What a figure has to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bar {
    AtLeast(f64),
    AtMost(f64),
    /// Nothing: it is there to explain another one.
    None,
}

/// One figure of one suite.
pub(crate) struct Finding {
    pub(crate) suite: &'static str,
    pub(crate) measured: String,
    pub(crate) against: String,
    /// One value a round.
    pub(crate) values: Vec<f64>,
    /// What the values count: `×` for a ratio.
    pub(crate) unit: &'static str,
    pub(crate) bar: Bar,
    /// The figures behind the ratio.
    pub(crate) detail: String,
}

impl Finding {
    fn passes(&self) -> Option<bool> {
        match self.bar {
            Bar::AtLeast(bar) => Some(median(&self.values) >= bar),
            Bar::AtMost(bar) => Some(median(&self.values) <= bar),
            Bar::None => None,
        }
    }

    fn verdict(&self) -> &'static str {
        match self.passes() {
            Some(true) => "pass",
            Some(false) => "MISS",
            None => "",
        }
    }

    fn bar_text(&self) -> String {
        match self.bar {
            Bar::AtLeast(bar) => format!("≥ {bar} {}", self.unit),
            Bar::AtMost(bar) => format!("≤ {bar} {}", self.unit),
            Bar::None => "–".into(),
        }
    }

    fn figure(&self) -> String {
        let (low, high) = range(&self.values);
        format!("{:.2} {} ({low:.2}–{high:.2})", median(&self.values), self.unit)
    }

    fn to_json(&self) -> Value {
        let (bar, kind) = match self.bar {
            Bar::AtLeast(bar) => (Some(bar), Some("at least")),
            Bar::AtMost(bar) => (Some(bar), Some("at most")),
            Bar::None => (None, None),
        };
        let (low, high) = range(&self.values);
        json!({
            "suite": self.suite, "measured": self.measured, "against": self.against,
            "unit": self.unit, "median": median(&self.values), "min": low, "max": high,
            "values": self.values, "bar": bar, "bar_is": kind, "passes": self.passes(),
            "detail": self.detail,
        })
    }
}

/// The middle value; of an even number, the mean of the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
    if sorted.len() % 2 == 1 { at(half) } else { f64::midpoint(at(half.wrapping_sub(1)), at(half)) }
}

fn range(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (low, high)
}

/// Everything as JSON.
pub(crate) fn json(findings: &[Finding]) -> Result<String> {
    let list: Vec<Value> = findings.iter().map(Finding::to_json).collect();
    Ok(serde_json::to_string_pretty(&json!({ "findings": list }))? + "\n")
}

/// The table, on standard output.
pub(crate) fn print(findings: &[Finding]) {
    // Nobody is left to tell when standard output is gone.
    let _ = std::io::stdout().write_all(table(findings).as_bytes());
}

fn table(findings: &[Finding]) -> String {
    let head = ["suite", "measured", "against", "median (min–max)", "bar", ""].map(str::to_owned);
    let mut rows = vec![head];
    rows.extend(findings.iter().map(|finding| {
        let Finding { suite, measured, against, .. } = finding;
        let (figure, bar) = (finding.figure(), finding.bar_text());
        let verdict = finding.verdict().to_owned();
        [(*suite).to_owned(), measured.clone(), against.clone(), figure, bar, verdict]
    }));
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..6).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(text, "{cell:<width$}  ");
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        if let Some(finding) = number.checked_sub(1).and_then(|index| findings.get(index))
            && !finding.detail.is_empty()
        {
            let _ = writeln!(text, "    {}", finding.detail);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(values: &[f64], bar: Bar) -> Finding {
        let text = String::new;
        let values = values.to_vec();
        Finding {
            suite: "s",
            measured: text(),
            against: text(),
            values,
            unit: "×",
            bar,
            detail: text(),
        }
    }

    #[test]
    fn a_bar_is_held_against_the_median() {
        assert_eq!(finding(&[0.1, 0.8, 0.9], Bar::AtLeast(0.75)).passes(), Some(true));
        assert_eq!(finding(&[0.1, 0.2, 0.9], Bar::AtLeast(0.75)).passes(), Some(false));
        assert_eq!(finding(&[1.0, 1.2], Bar::AtMost(1.1)).passes(), Some(true));
        assert_eq!(finding(&[1.3], Bar::AtMost(1.2)).passes(), Some(false));
        assert_eq!(finding(&[1.3], Bar::None).passes(), None);
    }
}
