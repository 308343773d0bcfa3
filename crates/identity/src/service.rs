//! Identity as one thing: what its parts share.

use std::sync::Arc;

use guildhall_core::receipt::Signer;
use guildhall_core::remote::Fetch;
use guildhall_core::{Secret, Timestamp};
use guildhall_passkey::Passkeys;
use guildhall_store::{Db, Sealer};
use serde_json::Value;

use crate::error::Result;
use crate::forms::Forms;
use crate::hashing::{HashCost, Passwords};
use crate::keys::Keys;
use crate::mail::Outbox;
use crate::oauth::{AccessTokens, Oauth};
use crate::random::Mint;
use crate::throttle::Strangers;
use crate::tokens::Tokens;
use crate::wallet::Wallets;

/// Where the time comes from.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// How identity is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where people sign in.
    pub auth_url: String,
    /// Where the API is.
    pub base_url: String,
    /// The chain that wallets sign for.
    pub chain_id: u64,
    /// What a guess at a password costs.
    pub hash_cost: HashCost,
    /// Whether a client's document may be on this machine: for development and tests.
    pub allow_local: bool,
}

/// Accounts, sessions, tokens, and the authorization server.
pub struct Identity {
    pub(crate) db: Db,
    pub(crate) passwords: Passwords,
    pub(crate) keys: Arc<Keys>,
    pub(crate) tokens: Tokens,
    pub(crate) oauth: Oauth,
    pub(crate) strangers: Strangers,
    pub(crate) wallets: Wallets,
    pub(crate) passkeys: Arc<Passkeys>,
    forms: Forms,
    pub(crate) outbox: Outbox,
    pub(crate) auth_url: String,
    pub(crate) mint: Mint,
    clock: Clock,
}

impl Identity {
    /// Opens identity on a database whose schema is current. The first start makes the first signing key.
    pub async fn open(
        db: Db,
        server_key: &Secret<[u8; 32]>,
        settings: &Settings,
        clock: Clock,
        fetch: Arc<dyn Fetch>,
    ) -> Result<Self> {
        let passwords = Passwords::new(settings.hash_cost)?;
        let keys = Arc::new(Keys::open(db.clone(), server_key, clock()).await?);
        let tokens = Tokens::new(Arc::clone(&keys), &settings.auth_url, &settings.base_url);
        let oauth = Oauth::new(Arc::clone(&keys), server_key, settings, fetch);
        let (strangers, forms) = (Strangers::default(), Forms::new(server_key));
        let wallets = Wallets::new(Sealer::new(server_key, "wallet sign-in"), settings);
        let passkeys = Arc::new(Passkeys::new(&settings.auth_url));
        Ok(Self {
            db,
            passwords,
            keys,
            tokens,
            oauth,
            strangers,
            wallets,
            passkeys,
            forms,
            outbox: Outbox::default(),
            auth_url: settings.auth_url.clone(),
            mint: Mint::default(),
            clock,
        })
    }

    /// The verifier of session tokens.
    #[must_use]
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// The hidden fields of forms.
    #[must_use]
    pub fn forms(&self) -> &Forms {
        &self.forms
    }

    /// The verifier of agents' access tokens.
    #[must_use]
    pub fn access_tokens(&self) -> &AccessTokens {
        &self.oauth.access
    }

    /// What the service signs with.
    #[must_use]
    pub fn signer(&self) -> Arc<dyn Signer> {
        Arc::clone(&self.keys) as Arc<dyn Signer>
    }

    /// The public keys, as a JSON Web Key Set.
    pub async fn jwks(&self) -> Result<Value> {
        self.keys.jwks().await
    }

    /// The time by identity's clock.
    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }
}
