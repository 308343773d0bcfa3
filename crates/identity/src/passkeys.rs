//! Passkeys: added to an account, listed and taken away by their owner.

use std::sync::Arc;

use guildhall_core::id::missing;
use guildhall_core::passkey::{self, Ceremony, Passkey, Purpose, Verifier};
use guildhall_core::text::Line;
use guildhall_core::{
    AccountId, CeremonyId, Code, PasskeyId, PasskeyKind, Refusal, Secret, Timestamp,
};
use guildhall_core::{AccountKind, wallet};
use guildhall_passkey::{Begun, Registered};
use guildhall_store::tables::session::Session;
use guildhall_store::{ReadTx, Tx};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::confirmation::{Confirmation, Confirmed};
use crate::error::{Error, Result};
use crate::service::Identity;
use crate::session::live;

/// What a passkey is called whose owner gives it no name.
const NAMELESS: &str = "Passkey";

/// A question to a browser's authenticator.
#[derive(Clone, Debug, Serialize)]
pub struct PasskeyOptions {
    /// By what its answer is known.
    pub ceremony_id: CeremonyId,
    /// The `publicKey` of `navigator.credentials`, as JSON.
    pub public_key: Value,
    /// Until when it can be answered.
    pub expires_at: Timestamp,
    /// Where the account has a wallet or a passkey: what one of them signs to confirm the new passkey, whose id takes the
    /// place of `{credential_id}`. A wallet signs the text, a passkey its SHA-256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_message: Option<String>,
}

/// A passkey that wants to be an account's.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewPasskey {
    /// The ceremony that is answered.
    ceremony_id: CeremonyId,
    /// What the authenticator made, as `PublicKeyCredential.toJSON` writes it.
    credential: Value,
    /// What its owner calls it.
    #[serde(default)]
    name: Option<Line<1, 100>>,
    /// The word of a wallet or a passkey that the account has already, unless it has none.
    #[serde(default)]
    confirmation: Option<Confirmation>,
}

/// A passkey as its owner sees it.
#[derive(Clone, Debug, Serialize)]
pub struct PasskeyView {
    /// Its id.
    pub passkey_id: PasskeyId,
    /// What its authenticator calls it.
    pub credential_id: String,
    /// What its owner calls it.
    pub name: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last signed.
    pub last_used_at: Option<Timestamp>,
}

impl Identity {
    /// Who knows what the word of a passkey is made of.
    #[must_use]
    pub fn passkey_verifier(&self) -> Arc<dyn Verifier> {
        Arc::clone(&self.passkeys) as Arc<dyn Verifier>
    }

    /// Refuses the page of an address where the browser's passkeys are not this service's.
    pub fn check_passkey_page(&self, origin: Option<&str>) -> Result<()> {
        let own = self.passkeys.origin()?;
        match origin {
            Some(other) if other != own => {
                let reason = format!("Passkeys work at {own}, and this page is of {other}.");
                Err(Refusal::new(Code::Forbidden, reason).suggest(format!("Open {own}.")).into())
            }
            _ => Ok(()),
        }
    }

    /// Asks the browser of whoever is signed in by a cookie for a new passkey.
    pub async fn begin_passkey(&self, cookie: &Secret<String>) -> Result<PasskeyOptions> {
        let (now, cookie) = (self.now(), cookie.clone());
        let (held, known, confirmed) = self
            .db
            .read("begin_passkey", move |tx| {
                let held = live(tx, &cookie, now)?;
                let known = tx.list_passkeys(held.session.account_id, passkey::MOST)?;
                passkey::check_room(&known)?;
                let confirmed = has_factor(tx, &held.session, now)?;
                Ok::<_, Error>((held, known, confirmed))
            })
            .await?;
        let owner = held.session.account_id;
        let names = (held.email.as_str(), held.display_name.as_str());
        let begun = self.passkeys.begin_registration(owner, names, &known)?;
        let options = self.ask(Purpose::Registration, Some(owner), begun).await?;
        let message =
            confirmed.then(|| self.confirmed(owner, options.ceremony_id, "{credential_id}"));
        Ok(PasskeyOptions { confirmation_message: message.transpose()?, ..options })
    }

    /// Adds a passkey to the account that is signed in by a cookie. The ceremony is used up, whatever comes of it.
    pub async fn add_passkey(
        &self,
        cookie: &Secret<String>,
        new: NewPasskey,
    ) -> Result<PasskeyView> {
        let now = self.now();
        let ceremony = self.answered(new.ceremony_id, Purpose::Registration, Some(cookie)).await?;
        let owner = ceremony.account_id.ok_or_else(|| Error::internal("nobody's registration"))?;
        let made = self.passkeys.finish_registration(&ceremony.state, new.credential);
        let made = made.map_err(|error| Error::passkey(error, Code::InvalidRequest))?;
        let message = self.confirmed(owner, new.ceremony_id, &made.credential_id)?;
        let word = match &new.confirmation {
            Some(confirmation) => Some(self.heard(owner, confirmation, &message).await?),
            None => None,
        };
        let passkey = self.row(owner, made, new.name, now)?;
        let (row, cookie) = (passkey.clone(), cookie.clone());
        self.db
            .write("add_passkey", move |tx| {
                let held = live(tx, &cookie, now)?;
                add(tx, &row, word.as_ref(), &held.session, now)
            })
            .await?;
        Ok(passkey.into())
    }

    /// The passkeys of whoever is signed in by a cookie, the newest first.
    pub async fn list_passkeys(&self, cookie: &Secret<String>) -> Result<Vec<PasskeyView>> {
        let (now, cookie) = (self.now(), cookie.clone());
        self.db
            .read("list_passkeys", move |tx| {
                let owner = live(tx, &cookie, now)?.session.account_id;
                let passkeys = tx.list_passkeys(owner, passkey::MOST)?;
                Ok(passkeys.into_iter().map(PasskeyView::from).collect())
            })
            .await
    }

    /// Takes a passkey away from the account that is signed in by a cookie.
    pub async fn remove_passkey(&self, cookie: &Secret<String>, id: PasskeyId) -> Result<()> {
        let (now, cookie) = (self.now(), cookie.clone());
        self.db
            .write("remove_passkey", move |tx| {
                let owner = live(tx, &cookie, now)?.session.account_id;
                remove(tx, owner, id, now)
            })
            .await
    }

    /// Keeps a question until it is answered.
    pub(crate) async fn ask(
        &self,
        purpose: Purpose,
        account_id: Option<AccountId>,
        begun: Begun,
    ) -> Result<PasskeyOptions> {
        let now = self.now();
        let ceremony = Ceremony {
            ceremony_id: self.mint.id(now)?,
            purpose,
            account_id,
            state: begun.state,
            created_at: now,
            expires_at: now.after(passkey::ANSWER_WITHIN),
            used_at: None,
            revision: 0,
        };
        let (ceremony_id, expires_at) = (ceremony.ceremony_id, ceremony.expires_at);
        self.db
            .write("begin_ceremony", move |tx| {
                Ok::<_, Error>(tx.insert_passkey_ceremony(&ceremony)?)
            })
            .await?;
        let public_key = begun.public_key;
        Ok(PasskeyOptions { ceremony_id, public_key, expires_at, confirmation_message: None })
    }

    /// Uses a ceremony up, before anything else is known about its answer: each is one try.
    pub(crate) async fn answered(
        &self,
        ceremony_id: CeremonyId,
        purpose: Purpose,
        cookie: Option<&Secret<String>>,
    ) -> Result<Ceremony> {
        let (now, cookie) = (self.now(), cookie.cloned());
        self.db
            .write("answer_ceremony", move |tx| {
                let owner = match &cookie {
                    Some(cookie) => Some(live(tx, cookie, now)?.session.account_id),
                    None => None,
                };
                let found = tx
                    .lock_passkey_ceremony(ceremony_id)?
                    .filter(|ceremony| ceremony.purpose == purpose && ceremony.account_id == owner);
                let mut ceremony = found.ok_or_else(passkey::ended)?;
                let step = ceremony.answer(now)?;
                tx.apply(&mut ceremony, step)?;
                Ok::<_, Error>(ceremony.clone())
            })
            .await
    }

    fn row(
        &self,
        account_id: AccountId,
        made: Registered,
        name: Option<Line<1, 100>>,
        now: Timestamp,
    ) -> Result<Passkey> {
        let Registered { credential_id, credential, counter } = made;
        Ok(Passkey {
            passkey_id: self.mint.id(now)?,
            account_id,
            credential_id,
            credential,
            name: name.map_or_else(|| NAMELESS.to_owned(), Line::into_string),
            counter,
            created_at: now,
            last_used_at: None,
            removed_at: None,
            revision: 0,
        })
    }
}

/// Whether the account has something that confirms what is added to it. If not, the session has to be fresh.
fn has_factor(tx: &mut ReadTx<'_>, session: &Session, now: Timestamp) -> Result<bool> {
    let owner = session.account_id;
    if tx.has_passkey(owner)? || !tx.list_wallets(owner, None, 1)?.is_empty() {
        return Ok(true);
    }
    wallet::check_fresh(session.created_at, now)?;
    Ok(false)
}

fn add(
    tx: &mut Tx<'_>,
    passkey: &Passkey,
    word: Option<&Confirmed>,
    session: &Session,
    now: Timestamp,
) -> Result<()> {
    let owner = passkey.account_id;
    // Which passkey is the first is decided for the account as a whole.
    tx.lock_account(owner)?.ok_or_else(missing::<AccountKind>)?;
    if tx.find_passkey_by_credential(&passkey.credential_id)?.is_some() {
        let reason = "The passkey is, or was, an account's already.";
        return Err(Refusal::new(Code::Conflict, reason).suggest("Make a new one.").into());
    }
    passkey::check_room(&tx.list_passkeys(owner, passkey::MOST)?)?;
    if has_factor(tx, session, now)? {
        let word = word.ok_or_else(unconfirmed)?;
        word.check(tx, owner, now)?;
    }
    Ok(tx.insert_passkey(passkey)?)
}

/// Takes a passkey away, unless it is the last one and something of the account counts on it.
fn remove(tx: &mut Tx<'_>, owner: AccountId, id: PasskeyId, now: Timestamp) -> Result<()> {
    tx.lock_account(owner)?.ok_or_else(missing::<AccountKind>)?;
    let mut passkey = tx.lock_passkey(owner, id)?.ok_or_else(missing::<PasskeyKind>)?;
    let step = passkey.remove(now).ok_or_else(missing::<PasskeyKind>)?;
    let is_last = tx.list_passkeys(owner, 2)?.len() == 1;
    if is_last && tx.signer_is_needed(owner, passkey::SIGNER)? {
        return Err(Refusal::new(Code::Conflict, "A prepared action waits for this passkey.")
            .suggest("Seal or cancel the action first (listActions).")
            .into());
    }
    Ok(tx.apply(&mut passkey, step)?)
}

fn unconfirmed() -> Error {
    let reason =
        "A further passkey is confirmed by a wallet or a passkey that the account has already.";
    Refusal::new(Code::Forbidden, reason)
        .suggest("Sign the confirmation_message with one of them and send it as `confirmation`.")
        .into()
}

impl From<Passkey> for PasskeyView {
    fn from(passkey: Passkey) -> Self {
        let Passkey { passkey_id, credential_id, name, created_at, last_used_at, .. } = passkey;
        Self { passkey_id, credential_id, name, created_at, last_used_at }
    }
}
