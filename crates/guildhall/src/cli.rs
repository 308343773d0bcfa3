//! The commands, as they are typed.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use guildhall_core::AccountId;
use guildhall_core::money::Credits;
use guildhall_core::text::Line;

/// A marketplace where people and AI agents hire AI agents.
#[derive(Debug, Parser)]
#[command(name = "guildhall", version, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Answers on standard output as JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run everything embedded, with demo data and without a configuration.
    Dev(DevArgs),
    /// Run in production.
    Serve(ConfigArgs),
    /// Bring the database's schema up to date.
    Migrate(MigrateArgs),
    /// Check, print or describe the configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Check what the service stands on: configuration, folders, disk, clock, database.
    Doctor(InstanceArgs),
    /// Print the OpenAPI document.
    Openapi(ConfigArgs),
    /// Look after an instance, also beside its running server.
    #[command(subcommand)]
    Admin(AdminCommand),
}

/// Arguments of `dev`.
#[derive(Debug, Args)]
pub(crate) struct DevArgs {
    /// The address and port to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// The folder of the instance; it is made if absent.
    #[arg(long, value_name = "DIR", default_value = ".guildhall", env = "GUILDHALL_DATA")]
    pub(crate) data: PathBuf,
    /// Begin anew: delete what an earlier run left in the folder.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Use this database (sqlite:PATH or postgres://…) instead of a file in the folder.
    #[arg(long, value_name = "URL")]
    pub(crate) database_url: Option<String>,
    /// How to tell that it is ready.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Print::Text)]
    pub(crate) print: Print,
}

/// How `dev` tells that it is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Print {
    Text,
    Json,
}

/// Which configuration.
#[derive(Debug, Default, Args)]
pub(crate) struct ConfigArgs {
    /// The configuration file; guildhall.toml here, if there is one.
    #[arg(long, value_name = "FILE", env = "GUILDHALL_CONFIG")]
    pub(crate) config: Option<PathBuf>,
}

/// Which instance.
#[derive(Debug, Default, Args)]
pub(crate) struct InstanceArgs {
    /// The configuration file of the instance; guildhall.toml here, if there is one.
    #[arg(long, value_name = "FILE", env = "GUILDHALL_CONFIG", conflicts_with = "data")]
    pub(crate) config: Option<PathBuf>,
    /// The data folder of a development instance; .guildhall here, if there is one and no file.
    #[arg(long, value_name = "DIR", env = "GUILDHALL_DATA")]
    pub(crate) data: Option<PathBuf>,
}

/// Arguments of `migrate`.
#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    #[command(flatten)]
    pub(crate) instance: InstanceArgs,
    /// Only say what would be done.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// What can be asked of the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Say whether `serve` would accept the configuration.
    Check(ConfigArgs),
    /// Print the effective values and where each comes from; secrets are masked.
    Print(ConfigArgs),
    /// Print the JSON Schema of the configuration.
    Schema,
}

/// What an operator can look after.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Accounts of people.
    #[command(subcommand)]
    Account(AccountCommand),
    /// Credits of people.
    #[command(subcommand)]
    Credits(CreditsCommand),
    /// The books of the credit ledger.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Who may rule over disputes.
    #[command(subcommand)]
    Arbiter(ArbiterCommand),
    /// Keys that sign tokens.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Stop what must not go on, and say what is stopped.
    #[command(subcommand)]
    Pause(PauseCommand),
    /// Let go on what was stopped.
    #[command(subcommand)]
    Resume(ResumeCommand),
}

/// What can be stopped.
#[derive(Debug, Subcommand)]
pub(crate) enum PauseCommand {
    /// Stop all spending by agents, on their very next request. Work that is paid for goes on.
    Spending {
        #[command(flatten)]
        instance: InstanceArgs,
        /// Why; agents and their owners are told.
        #[arg(long, value_name = "TEXT", value_parser = |text: &str| Reason::new(text))]
        reason: Reason,
    },
    /// Say what is stopped, since when and why.
    Status(InstanceArgs),
}

/// What can go on.
#[derive(Debug, Subcommand)]
pub(crate) enum ResumeCommand {
    /// Let agents spend again, each within its policy.
    Spending(InstanceArgs),
}

/// Why something is stopped: it becomes part of a sentence that others read.
pub(crate) type Reason = Line<1, 500>;

/// What can be done with arbiters.
#[derive(Debug, Subcommand)]
pub(crate) enum ArbiterCommand {
    /// Let an account rule over disputes that it is no party of.
    Add(OneAccount),
    /// Let an account rule no longer.
    Remove(OneAccount),
}

/// What can be done with accounts.
#[derive(Debug, Subcommand)]
pub(crate) enum AccountCommand {
    /// Create an account; the password is asked for, or read from standard input.
    Create {
        #[command(flatten)]
        instance: InstanceArgs,
        /// The e-mail address.
        #[arg(long)]
        email: String,
        /// The name that is shown.
        #[arg(long)]
        name: String,
    },
    /// Show an account.
    Show(OneAccount),
    /// List accounts, newest first.
    List {
        #[command(flatten)]
        instance: InstanceArgs,
        /// How many, at most.
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
        /// Only those made before this account: the last one of the page before.
        #[arg(long, value_name = "ACCOUNT_ID")]
        before: Option<AccountId>,
    },
    /// Keep an account from signing in and end its sessions.
    Disable(OneAccount),
    /// Let a disabled account sign in again.
    Enable(OneAccount),
    /// Set a new password, asked for or read from standard input, and end all sessions.
    SetPassword(OneAccount),
}

/// Which account.
#[derive(Debug, Args)]
pub(crate) struct OneAccount {
    #[command(flatten)]
    pub(crate) instance: InstanceArgs,
    /// The e-mail address.
    #[arg(long)]
    pub(crate) email: String,
}

/// What can be done with credits.
#[derive(Debug, Subcommand)]
pub(crate) enum CreditsCommand {
    /// Give credits to an account.
    Grant {
        #[command(flatten)]
        instance: InstanceArgs,
        /// The e-mail address.
        #[arg(long)]
        email: String,
        /// How many, with at most six decimals.
        #[arg(long)]
        credits: Credits,
    },
}

/// What can be done with the ledger.
#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Recompute every chain and every balance, and say whether the books balance.
    Verify(InstanceArgs),
}

/// What can be done with signing keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a new signing key; what the last one signed stays valid until the next rotation.
    Rotate(InstanceArgs),
    /// List the signing keys.
    List(InstanceArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_commands_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_instance_is_named_once() {
        let both = ["guildhall", "doctor", "--config", "a.toml", "--data", "b"];
        assert!(Cli::try_parse_from(both).is_err());
        let json = Cli::try_parse_from(["guildhall", "doctor", "--data", "b", "--json"]).unwrap();
        assert!(json.json, "--json may stand behind the command");
    }
}
