//! How fast Guildhall is: ratios measured side by side in one run, next to the bars they have to reach.
//!
//! `cargo run -p bench --release -- all` runs every suite. Each side of a ratio is a process of its own under the same
//! load, and the sides take turns, so that whatever else the machine does falls on both.
#![expect(clippy::float_arithmetic, reason = "ratios are fractions; no money is counted here")]

mod books;
mod child;
mod crowd;
mod fixture;
mod http;
mod load;
mod market;
mod pace;
mod postgres;
mod report;
mod serve;
mod suites;
mod throng;
mod work;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// The allocator of the program itself, so that both sides use what it uses.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures Guildhall against its bars.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Arguments {
    /// What to measure, or `all`.
    #[arg(required = true, value_parser = suites::names())]
    suites: Vec<String>,
    /// Also write the findings to a file.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Shorter and fewer rounds: to see that it runs, not to judge by.
    #[arg(long)]
    quick: bool,
    #[command(subcommand)]
    hidden: Option<Hidden>,
}

#[derive(Subcommand)]
enum Hidden {
    /// One side of a ratio: what the suites start as a process of its own.
    #[command(subcommand, hide = true)]
    Serve(serve::Side),
    /// Holds the statements that are written down here against those that the service sends.
    #[command(hide = true)]
    Check,
}

/// How long and how often to measure.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) rounds: usize,
    pub(crate) warm_up: Duration,
    pub(crate) window: Duration,
    /// How many rows a long list has.
    pub(crate) rows: u32,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match arguments.hidden {
        Some(Hidden::Serve(side)) => return serve::run(side),
        Some(Hidden::Check) => return suites::check_statements(),
        None => {}
    }
    child::raise_descriptor_limit()?;
    let millis = Duration::from_millis;
    let effort = if arguments.quick {
        Effort { rounds: 3, warm_up: millis(200), window: millis(800), rows: 40_000 }
    } else {
        Effort { rounds: 7, warm_up: millis(500), window: millis(3_000), rows: 1_000_000 }
    };
    let findings = suites::run(&arguments.suites, effort)?;
    report::print(&findings);
    if let Some(path) = arguments.json {
        std::fs::write(path, report::json(&findings)?)?;
    }
    Ok(())
}
