//! `guildhall serve`: production.

use guildhall_ops::Clock;

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
    Node { config, key, clock: Clock::default(), development: None }.run()
}
