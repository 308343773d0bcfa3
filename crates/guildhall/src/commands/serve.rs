//! `guildhall serve`: production.

use super::target::load_file;
use crate::cli::ConfigArgs;
use crate::config::unsafe_settings;
use crate::failure::Failure;
use crate::node::Node;

pub(super) fn run(args: &ConfigArgs) -> Result<(), Failure> {
    let config = load_file(args.config.as_deref())?.config;
    let problems = unsafe_settings(&config);
    if !problems.is_empty() {
        return Err(Failure::unsafe_config(&problems));
    }
    let key = config.secrets.master_key().map_err(Failure::new)?;
    let node = Node { config, key, clock_offset_seconds: 0, address_is_base: false };
    node.run(|_| Ok(()))
}
