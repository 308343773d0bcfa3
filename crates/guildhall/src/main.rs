//! Guildhall's server and its operator's tools.

mod app;
mod cli;
mod commands;
mod config;
mod doctor;
mod failure;
mod instance;
mod metrics;
mod node;
mod output;
mod telemetry;

use std::process::ExitCode;

use clap::Parser as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match commands::run(cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::failure(&failure);
            failure.code()
        }
    }
}
