//! The suites: one file for each row of the table of bars.

mod cycle;
mod latency;
mod ledger;
mod mcp;
mod memory;
mod page;
mod read;
mod start;
mod tasks;
mod write_postgres;
mod write_sqlite;

pub(crate) use write_postgres::check_statements;

use anyhow::Result;

use crate::Effort;
use crate::child::Child;
use crate::load::Throughput;
use crate::report::Finding;

type Suite = fn(Effort) -> Result<Vec<Finding>>;

const SUITES: &[(&str, Suite)] = &[
    ("read", read::run),
    ("mcp", mcp::run),
    ("page", page::run),
    ("write-sqlite", write_sqlite::run),
    ("write-postgres", write_postgres::run),
    ("latency", latency::run),
    ("memory", memory::run),
    ("start", start::run),
    ("ledger", ledger::run),
    ("cycle", cycle::run),
    ("tasks", tasks::run),
];

/// What may be asked for.
pub(crate) fn names() -> Vec<&'static str> {
    SUITES.iter().map(|(name, _)| *name).chain(["all"]).collect()
}

/// Runs the suites that were asked for, in the order of the table.
pub(crate) fn run(asked: &[String], effort: Effort) -> Result<Vec<Finding>> {
    let wanted = |name: &str| asked.iter().any(|asked| asked == name || asked == "all");
    let mut findings = Vec::new();
    for (name, suite) in SUITES.iter().filter(|(name, _)| wanted(name)) {
        eprintln!("{name} …");
        findings.extend(suite(effort)?);
    }
    Ok(findings)
}

/// How many connections a load has, unless it says otherwise.
const CONNECTIONS: usize = 64;

/// What one side did in one round.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Requests a second.
    rate: f64,
    /// Processor microseconds of the server for each.
    cpu_micros: f64,
}

/// Measures one side once.
fn turn(server: &Child, load: impl FnOnce() -> Result<Throughput>, effort: Effort) -> Result<Turn> {
    let before = server.cpu_seconds()?;
    let done = load()?;
    let used = server.cpu_seconds()? - before;
    // The warm-up used the processor too, at about the same rate.
    let all = (effort.warm_up + effort.window).as_secs_f64();
    Ok(Turn { rate: done.rate(), cpu_micros: used * 1e6 / (done.rate() * all) })
}

/// The ratio of every round.
fn ratios(ours: &[Turn], theirs: &[Turn]) -> Vec<f64> {
    ours.iter().zip(theirs).map(|(ours, theirs)| ours.rate / theirs.rate).collect()
}

/// The figures behind a ratio.
fn detail(ours: &[Turn], theirs: &[Turn]) -> String {
    let median = |turns: &[Turn], of: fn(&Turn) -> f64| {
        crate::report::median(&turns.iter().map(of).collect::<Vec<_>>())
    };
    let rates = [ours, theirs].map(|turns| median(turns, |turn| turn.rate));
    let cpu = [ours, theirs].map(|turns| median(turns, |turn| turn.cpu_micros));
    let times = cpu.map(|micros| if micros.is_nan() { "?".into() } else { format!("{micros:.1}") });
    let ([our_rate, their_rate], [our_time, their_time]) = (rates, times);
    format!(
        "{our_rate:.0}/s against {their_rate:.0}/s; server's processor {our_time} µs against {their_time} µs a request"
    )
}
