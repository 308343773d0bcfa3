//! The people of the demo: an account, some credits and a linked wallet each.

use guildhall_core::money::Credits;
use guildhall_core::{Code, Secret};
use guildhall_identity::{Identity, SignedIn};
use guildhall_ops::{Result, grant_credits};
use guildhall_store as store;
use serde_json::{Value, json};

use super::Ground;
use crate::app::App;
use crate::development::calls::{Calls, items, member, text};
use crate::development::kept::DemoAccount;
use crate::development::wallet::Wallet;
use crate::failure::Failure;

/// For everybody who tries this out; no instance with other people's data has these accounts.
const PASSWORD: &str = "lantern-harbor-quartz";

/// Who somebody is.
pub(super) struct Role {
    kind: &'static str,
    pub(super) email: &'static str,
    name: &'static str,
    /// What the account begins with.
    credits: Credits,
}

pub(super) const BUYER: Role = Role {
    kind: "buyer",
    email: "buyer@guildhall.test",
    name: "Bea Buyer",
    credits: Credits::from_micros(1_000 * Credits::UNIT),
};
pub(super) const OWNER: Role = Role {
    kind: "owner",
    email: "owner@guildhall.test",
    name: "Otto Owner",
    credits: Credits::from_micros(500 * Credits::UNIT),
};
pub(super) const ARBITER: Role = Role {
    kind: "arbiter",
    email: "arbiter@guildhall.test",
    name: "Ada Arbiter",
    credits: Credits::from_micros(0),
};

/// A person of the demo, signed in.
pub(super) struct Person<'a> {
    role: &'static Role,
    signed_in: SignedIn,
    pub(super) calls: Calls<'a>,
    wallet: Wallet,
}

impl<'a> Person<'a> {
    /// Signs the person in, and makes what is missing of the account.
    pub(super) async fn enter(ground: Ground<'a>, role: &'static Role) -> Result<Self, Failure> {
        let told = |error| Failure::of_service("demo data", &error);
        let app = ground.app;
        let signed_in = sign_in(&app.identity, role).await?;
        let calls = Calls::of_person(&app.service, &signed_in);
        let wallet = Wallet::of(ground.key, role.email).map_err(told)?;
        let person = Self { role, signed_in, calls, wallet };
        person.give(app).await?;
        person.link_wallet(ground.config.wallets.chain_id).await.map_err(told)?;
        Ok(person)
    }

    /// Ends the session: it was only for this.
    pub(super) async fn leave(self, identity: &Identity) -> Result<(), Failure> {
        identity.sign_out(&self.signed_in.cookie).await.map_err(failed)
    }

    pub(super) fn told(&self) -> DemoAccount {
        DemoAccount {
            role: self.role.kind.to_owned(),
            email: self.role.email.to_owned(),
            password: PASSWORD.to_owned(),
            account_id: self.signed_in.account.account_id.to_string(),
            wallet_private_key: Some(self.wallet.private_key()),
        }
    }

    /// Seals a prepared action, and gives it as it is then.
    pub(super) async fn seal(&self, action: &Value) -> Result<Value> {
        let typed_data = member(member(action, "payload")?, "typed_data")?;
        let signature = self.wallet.sign_typed_data(typed_data)?;
        let seal = json!({ "signature": signature, "signer": self.wallet.address() });
        let of_action = [("action_id", text(action, "action_id")?)];
        self.calls.call("sealAction", &of_action, Some(seal)).await
    }

    /// Gives the credits to begin with, unless there was ever a credit in the account.
    async fn give(&self, app: &App) -> Result<(), Failure> {
        let (db, to) = (app.service.db(), self.signed_in.account.account_id);
        let entries = db.read("demo", move |tx| tx.list_credit_entries(to, None, 1)).await;
        let entries =
            entries.map_err(|error: store::Error| Failure::new(format!("demo data: {error}")))?;
        let amount = self.role.credits;
        if entries.is_empty() && amount.micros() > 0 {
            let granted = grant_credits(db, app.service.clock().now(), to, amount).await;
            granted.map_err(|error| Failure::of_service("demo data", &error))?;
        }
        Ok(())
    }

    async fn link_wallet(&self, chain_id: u64) -> Result<()> {
        let address = self.wallet.address().to_string();
        let linked = self.calls.call("listWallets", &[], None).await?;
        let ours = |wallet: &Value| wallet.get("address") == Some(&json!(address));
        if items(&linked).any(|wallet| ours(wallet) && wallet.get("unlinked_at").is_none()) {
            return Ok(());
        }
        let ask = json!({ "address": address, "chain_id": chain_id });
        let challenge = self.calls.call("createWalletChallenge", &[], Some(ask)).await?;
        let signature = self.wallet.sign_message(text(&challenge, "message")?)?;
        let answer = json!({
            "challenge_id": member(&challenge, "challenge_id")?, "signature": signature,
        });
        self.calls.call("linkWallet", &[], Some(answer)).await.map(drop)
    }
}

/// The person, signed in; signed up first unless the account is there.
async fn sign_in(identity: &Identity, role: &Role) -> Result<SignedIn, Failure> {
    let password = Secret::new(PASSWORD.to_owned());
    match identity.sign_up(role.email, &password, role.name, "guildhall dev").await {
        Err(error) if error.refusal.code == Code::Conflict => {
            identity.sign_in(role.email, &password, "guildhall dev").await.map_err(failed)
        }
        signed_up => signed_up.map_err(failed),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err takes")]
pub(super) fn failed(error: guildhall_identity::Error) -> Failure {
    Failure::new(format!("demo data: {error}")).hint("start with --fresh to begin anew")
}
