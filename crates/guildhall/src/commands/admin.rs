//! `guildhall admin …`: the operator's hand on an instance, also beside its running server.

use guildhall_store::{self as store, Db};

use super::target::Target;
use crate::cli::{AccountCommand, AdminCommand, InstanceArgs, KeysCommand};
use crate::config::Loaded;
use crate::failure::Failure;
use crate::node;

pub(super) fn run(command: &AdminCommand) -> Result<(), Failure> {
    let args = instance(command);
    let (runtime, loaded) = (node::runtime()?, Target::of(args)?.load()?);
    let _db = runtime.block_on(open(&loaded))?;
    Err(Failure::new("this build has no accounts and no signing keys"))
}

fn instance(command: &AdminCommand) -> &InstanceArgs {
    match command {
        AdminCommand::Account(account) => match account {
            AccountCommand::Create { instance, .. } | AccountCommand::List { instance, .. } => {
                instance
            }
            AccountCommand::Show(one)
            | AccountCommand::Disable(one)
            | AccountCommand::Enable(one)
            | AccountCommand::SetPassword(one) => &one.instance,
        },
        AdminCommand::Keys(KeysCommand::Rotate(instance) | KeysCommand::List(instance)) => instance,
    }
}

/// The instance's database as it is: a command for one account must not change the schema under a running server.
async fn open(loaded: &Loaded) -> Result<Db, Failure> {
    let database = &loaded.config.database;
    // One connection is enough, and a busy server may have none to spare.
    Db::open(&store::Config { workers: 1, ..database.store() }).await.map_err(|error| {
        Failure::new(format!("database {}: {error}", database.url))
            .hint("guildhall doctor looks for the cause")
    })
}
