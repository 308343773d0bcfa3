//! Guildhall's server and its operator's tools.

mod app;
mod cli;
mod commands;
mod config;
mod development;
mod doctor;
mod failure;
mod fetcher;
mod instance;
mod metrics;
mod node;
mod output;
mod telemetry;
mod workers;

use std::process::ExitCode;

use clap::Parser as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The database, its journals and the files hold other people's data: whatever is made here is the owner's alone.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    match commands::run(cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::failure(&failure);
            failure.code()
        }
    }
}
