//! `guildhall dev`: everything embedded, in one folder.

use guildhall_ops::Clock;

use super::target::environment;
use crate::cli::DevArgs;
use crate::config::{Loaded, Origin, Sources, Wallets, load};
use crate::development::Development;
use crate::failure::Failure;
use crate::instance::Folder;
use crate::node::Node;

pub(super) fn run(args: DevArgs) -> Result<(), Failure> {
    let (print, fresh) = (args.print, args.fresh);
    let folder = Folder::create(&args.data)?;
    let held = folder.lock()?;
    let loaded = settings(&folder, args)?;
    let database = String::from(loaded.config.database.url.clone());
    if fresh {
        folder.clear(&held, database != folder.own_database())?;
    }
    folder.prepare()?;
    folder.remember_database(&database)?;
    let key = loaded.config.secrets.master_key().map_err(|fault| {
        Failure::new(format!("{}: {fault}", folder.path().display()))
            .hint("start with --fresh to begin anew with a new key")
    })?;
    let address_is_base = *loaded.origin("server.base_url") == Origin::Default;
    let clock = Clock::ahead_by(folder.clock().offset_seconds()?.saturating_mul(1000));
    let development = Some(Development { folder, print, address_is_base });
    Node { config: loaded.config, key, clock, development }.run()
}

/// The folder's settings, under the environment's and the flags'.
fn settings(folder: &Folder, args: DevArgs) -> Result<Loaded, Failure> {
    // What an earlier run was told does not bind this one: without a word it is the folder's own database.
    let mut development = folder.settings(folder.own_database())?;
    // Several instances on one machine must not fight for one port that nobody asked for.
    development.push(("server.metrics_listen", "off".into()));
    development.push(("wallets.chain_id", Wallets::DEVELOPMENT_CHAIN.into()));
    let mut flags = Vec::new();
    flags.extend(args.listen.map(|listen| ("server.listen", listen.to_string().into())));
    flags.extend(args.database_url.map(|url| ("database.url", url.into())));
    let sources = Sources { development, flags, ..environment() };
    load(sources).map_err(|problems| Failure::invalid(&problems))
}
