//! What each command does.

mod admin;
mod config;
mod dev;
mod doctor;
mod ledger;
mod migrate;
mod openapi;
mod password;
mod pause;
mod serve;
mod target;

use crate::cli::{Cli, Command};
use crate::failure::Failure;

/// Runs a command.
pub(crate) fn run(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        Command::Dev(args) => dev::run(args),
        Command::Serve(args) => serve::run(&args),
        Command::Migrate(args) => migrate::run(&args, cli.json),
        Command::Config(command) => config::run(&command, cli.json),
        Command::Doctor(args) => doctor::run(&args, cli.json),
        Command::Openapi(args) => openapi::run(&args),
        Command::Admin(command) => admin::run(&command, cli.json),
    }
}
