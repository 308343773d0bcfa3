//! `guildhall admin …`: the operator's hand on an instance, also beside its running server.

use std::sync::Arc;

use guildhall_core::{AccountId, Timestamp};
use guildhall_identity::{AccountView, Email, Identity};
use guildhall_outbound::{Limits, Outbound};
use guildhall_store::tables::account::Account;
use guildhall_store::tables::signing_key::SigningKey;
use guildhall_store::{self as store, Db};
use serde::Serialize;
use serde_json::json;

use super::target::Target;
use super::{ledger, password, pause};
use crate::app;
use crate::cli::{
    AccountCommand, AdminCommand, ArbiterCommand, CreditsCommand, InstanceArgs, KeysCommand,
    LedgerCommand, PauseCommand, ResumeCommand,
};
use crate::config::Config;
use crate::failure::Failure;
use crate::fetcher::Fetcher;
use crate::{node, output};

/// More signing keys than anybody rotates to between two looks.
const MOST_KEYS: u32 = 100;

pub(super) fn run(command: &AdminCommand, json: bool) -> Result<(), Failure> {
    let target = Target::of(instance(command))?;
    let (config, clock) = (target.load()?.config, target.clock()?);
    let key = config.secrets.master_key().map_err(Failure::new)?;
    node::runtime()?.block_on(async {
        let db = open(&config).await?;
        let fetch = Arc::new(Fetcher(Arc::new(Outbound::new(Limits::default()))));
        let identity =
            app::identity(&config, &key, db.clone(), clock.clone(), (fetch, false)).await?;
        let admin = Admin { db, identity, json };
        match command {
            AdminCommand::Account(account) => admin.account(account).await,
            AdminCommand::Arbiter(ArbiterCommand::Add(one)) => {
                admin.set_arbiter(&one.email, true).await
            }
            AdminCommand::Arbiter(ArbiterCommand::Remove(one)) => {
                admin.set_arbiter(&one.email, false).await
            }
            AdminCommand::Keys(KeysCommand::Rotate(_)) => admin.rotate_keys().await,
            AdminCommand::Keys(KeysCommand::List(_)) => admin.list_keys().await,
            AdminCommand::Credits(CreditsCommand::Grant { email, credits, .. }) => {
                let by = (&admin.db, &admin.identity);
                ledger::grant(by, clock.now(), email, *credits, json).await
            }
            AdminCommand::Ledger(LedgerCommand::Verify(_)) => ledger::verify(&admin.db, json).await,
            AdminCommand::Pause(PauseCommand::Spending { reason, .. }) => {
                pause::spending(&admin.db, clock.now(), reason, json).await
            }
            AdminCommand::Pause(PauseCommand::Status(_)) => pause::status(&admin.db, json).await,
            AdminCommand::Resume(ResumeCommand::Spending(_)) => {
                pause::resume_spending(&admin.db, json).await
            }
        }
    })
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
        AdminCommand::Arbiter(ArbiterCommand::Add(one) | ArbiterCommand::Remove(one)) => {
            &one.instance
        }
        AdminCommand::Credits(CreditsCommand::Grant { instance, .. })
        | AdminCommand::Keys(KeysCommand::Rotate(instance) | KeysCommand::List(instance))
        | AdminCommand::Ledger(LedgerCommand::Verify(instance))
        | AdminCommand::Pause(
            PauseCommand::Spending { instance, .. } | PauseCommand::Status(instance),
        )
        | AdminCommand::Resume(ResumeCommand::Spending(instance)) => instance,
    }
}

/// The instance's database as it is: a command for one account must not change the schema under a running server.
async fn open(config: &Config) -> Result<Db, Failure> {
    let database = &config.database;
    // One connection is enough, and a busy server may have none to spare.
    Db::open(&store::Config { workers: 1, ..database.store() }).await.map_err(|error| {
        Failure::new(format!("database {}: {error}", database.url))
            .hint("guildhall doctor looks for the cause")
    })
}

/// An instance that is looked after.
struct Admin {
    db: Db,
    identity: Identity,
    json: bool,
}

/// An account as the operator sees it.
#[derive(Serialize)]
struct ShownAccount {
    #[serde(flatten)]
    account: AccountView,
    disabled_at: Option<Timestamp>,
}

impl From<&Account> for ShownAccount {
    fn from(found: &Account) -> Self {
        Self { account: AccountView::from(found), disabled_at: found.disabled_at }
    }
}

/// A signing key as the operator sees it.
#[derive(Serialize)]
struct ShownKey {
    key_id: String,
    state: &'static str,
    created_at: Timestamp,
    retired_at: Option<Timestamp>,
}

impl Admin {
    async fn account(&self, command: &AccountCommand) -> Result<(), Failure> {
        match command {
            AccountCommand::Create { email, name, .. } => {
                let password = password::read()?;
                let made = self.identity.create_account(email, &password, name).await;
                self.show(&made.map_err(refused)?.email).await
            }
            AccountCommand::Show(one) => self.show(&one.email).await,
            AccountCommand::List { limit, before, .. } => self.list(*before, *limit).await,
            AccountCommand::Disable(one) => {
                self.identity.disable_account(&one.email).await.map_err(refused)?;
                self.show(&one.email).await
            }
            AccountCommand::Enable(one) => {
                self.identity.enable_account(&one.email).await.map_err(refused)?;
                self.show(&one.email).await
            }
            AccountCommand::SetPassword(one) => {
                let password = password::read()?;
                self.identity.set_password(&one.email, &password).await.map_err(refused)?;
                self.show(&one.email).await
            }
        }
    }

    /// Tells how an account is now.
    async fn show(&self, email: &str) -> Result<(), Failure> {
        let folded = Email::parse(email).map_err(refused)?.folded().to_owned();
        let found = self.db.read("find_account", move |tx| tx.find_account_by_email(&folded));
        let found = found.await.map_err(|error: store::Error| Failure::new(error.to_string()))?;
        let found = found.ok_or_else(|| Failure::new(format!("there is no account {email}")))?;
        let shown = ShownAccount::from(&found);
        if self.json {
            return output::json(&shown);
        }
        let AccountView { account_id, email, display_name, created_at } = shown.account;
        let state =
            shown.disabled_at.map_or("enabled".to_owned(), |at| format!("disabled since {at}"));
        output::text(&format!(
            "{account_id}\n  e-mail   {email}\n  name     {display_name}\n  created  {created_at}\n  state    {state}\n"
        ))
    }

    /// Lists accounts, and says how to go on where there are more.
    async fn list(&self, before: Option<AccountId>, limit: u16) -> Result<(), Failure> {
        // One more than asked for shows whether the list goes on.
        let most = i64::from(limit) + 1;
        let rows = self.db.read("list_accounts", move |tx| tx.list_accounts(before, most)).await;
        let rows = rows.map_err(|error: store::Error| Failure::new(error.to_string()))?;
        let more = rows.len() > usize::from(limit);
        let accounts: Vec<ShownAccount> =
            rows.iter().take(limit.into()).map(ShownAccount::from).collect();
        let last = accounts.last().filter(|_| more).map(|last| last.account.account_id);
        if self.json {
            return output::json(&json!({ "accounts": accounts, "next_before": last }));
        }
        for ShownAccount { account, disabled_at } in &accounts {
            let AccountView { account_id, email, display_name, created_at } = account;
            let state = disabled_at.map_or("enabled ", |_| "disabled");
            let line = format!("{account_id}  {state}  {created_at}  {email}  {display_name}");
            output::line(&line)?;
        }
        if let Some(last) = last {
            output::note(&format!("there are more: --before {last}"));
        }
        Ok(())
    }

    async fn set_arbiter(&self, email: &str, arbiter: bool) -> Result<(), Failure> {
        let account = self.identity.set_arbiter(email, arbiter).await.map_err(refused)?;
        let AccountView { account_id, email, .. } = account;
        if self.json {
            return output::json(&json!({
                "account_id": account_id, "email": email, "arbiter": arbiter,
            }));
        }
        let does = if arbiter { "rules" } else { "does not rule" };
        output::line(&format!("{account_id} ({email}) {does} over disputes"))
    }

    async fn rotate_keys(&self) -> Result<(), Failure> {
        let key_id = self.identity.rotate_keys().await.map_err(refused)?;
        if self.json {
            return output::json(&json!({ "key_id": key_id }));
        }
        output::line(&format!("{key_id} signs from now on"))
    }

    async fn list_keys(&self) -> Result<(), Failure> {
        let rows = self.db.read("list_keys", |tx| tx.list_signing_keys(MOST_KEYS)).await;
        let rows = rows.map_err(|error: store::Error| Failure::new(error.to_string()))?;
        let keys: Vec<ShownKey> = rows.into_iter().enumerate().map(shown_key).collect();
        if self.json {
            return output::json(&json!({ "keys": keys }));
        }
        keys.iter().try_for_each(|key| {
            output::line(&format!("{}  {:8}  made {}", key.key_id, key.state, key.created_at))
        })
    }
}

/// The first signs, the second still verifies, and the others are only history.
fn shown_key((place, row): (usize, SigningKey)) -> ShownKey {
    let SigningKey { key_id, created_at, retired_at, .. } = row;
    let state = match place {
        0 => "signs",
        1 => "verifies",
        _ => "retired",
    };
    ShownKey { key_id, state, created_at, retired_at }
}

/// What identity refuses, in the operator's terms: its reason and advice, or the cause that only operators may see.
pub(super) fn refused(error: guildhall_identity::Error) -> Failure {
    if let Some(cause) = error.cause() {
        return Failure::new(cause.to_owned());
    }
    let failure = Failure::new(error.refusal.reason.into_owned());
    match error.refusal.suggestion {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
