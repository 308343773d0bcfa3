//! `guildhall config check|print|schema`.

use serde_json::json;

use super::target::load_file;
use crate::cli::ConfigCommand;
use crate::config::{as_json, as_toml, schema, unsafe_settings};
use crate::failure::Failure;
use crate::output;

pub(super) fn run(command: &ConfigCommand, json: bool) -> Result<(), Failure> {
    match command {
        ConfigCommand::Check(args) => {
            let loaded = load_file(args.config.as_deref())?;
            let problems = unsafe_settings(&loaded.config);
            if !problems.is_empty() {
                return Err(Failure::unsafe_config(&problems));
            }
            if json {
                output::json(&json!({ "ok": true }))
            } else {
                output::line("the configuration is valid, and safe to serve with")
            }
        }
        ConfigCommand::Print(args) => {
            let loaded = load_file(args.config.as_deref())?;
            if json { output::json(&as_json(&loaded)) } else { output::text(&as_toml(&loaded)) }
        }
        ConfigCommand::Schema => output::json_document(&schema()),
    }
}
