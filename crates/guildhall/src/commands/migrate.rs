//! `guildhall migrate`.

use guildhall_store as store;
use serde_json::json;

use super::target::Target;
use crate::cli::MigrateArgs;
use crate::failure::Failure;
use crate::{node, output};

pub(super) fn run(args: &MigrateArgs, json: bool) -> Result<(), Failure> {
    let loaded = Target::of(&args.instance)?.load()?;
    let database = &loaded.config.database;
    let steps = node::runtime()?.block_on(async {
        if args.dry_run {
            store::pending(&database.store()).await
        } else {
            store::migrate(&database.store()).await.map(|migrated| migrated.applied)
        }
    });
    let steps = steps.map_err(|error| {
        Failure::new(format!("database {}: {error}", database.url))
            .hint("nothing is half done: mend the cause and run it again")
    })?;
    let list = if args.dry_run { "pending" } else { "applied" };
    if json {
        return output::json(&json!({ list: steps }));
    }
    if steps.is_empty() {
        return output::line("the schema is current");
    }
    steps.iter().try_for_each(|step| output::line(&format!("{list} {step}")))
}
