//! Ceremonies: a passkey is made, or signs somebody in.

use guildhall_core::AccountId;
use guildhall_core::passkey::{Passkey, Use};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use webauthn_rs::prelude::{
    self as webauthn, DiscoverableAuthentication, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, Uuid,
};

use crate::error::{Error, Result};
use crate::party::Passkeys;
use crate::verify::{check_own_page, stored, text, used};

/// A ceremony that has begun.
#[derive(Clone, Debug)]
pub struct Begun {
    /// What the browser is asked: the `publicKey` of `navigator.credentials`, as JSON.
    pub public_key: Value,
    /// What the answer is checked against. It stays with the service.
    pub state: Value,
}

/// A passkey that was made.
#[derive(Clone, Debug)]
pub struct Registered {
    /// What its authenticator calls it.
    pub credential_id: String,
    /// Its public half and what else is checked.
    pub credential: Value,
    /// What its authenticator has counted to.
    pub counter: i64,
}

/// An answer to a sign-in that was read and not judged.
#[derive(Clone, Debug)]
pub struct Answer(PublicKeyCredential);

impl Passkeys {
    /// Asks an authenticator for a new passkey of an account that has these already.
    pub fn begin_registration(
        &self,
        account_id: AccountId,
        (email, display_name): (&str, &str),
        known: &[Passkey],
    ) -> Result<Begun> {
        let known: Result<Vec<_>> =
            known.iter().map(|one| Ok(stored(one)?.cred_id().clone())).collect();
        let (asked, state) = self.party()?.webauthn.start_passkey_registration(
            handle(account_id)?,
            email,
            display_name,
            Some(known?),
        )?;
        let mut begun = Begun::new(&asked.public_key, &state)?;
        // Signing in asks for no name, so the authenticator itself has to remember whose the passkey is.
        if let Some(wish) = begun.public_key.get_mut("authenticatorSelection") {
            wish["residentKey"] = "required".into();
            wish["requireResidentKey"] = true.into();
        }
        Ok(begun)
    }

    /// Takes a new passkey.
    pub fn finish_registration(&self, state: &Value, answer: Value) -> Result<Registered> {
        let state: PasskeyRegistration = kept(state)?;
        let answer: RegisterPublicKeyCredential = read(answer)?;
        let made = self.party()?.webauthn.finish_passkey_registration(&answer, &state)?;
        let credential = json(&made)?;
        let counter = credential.pointer("/cred/counter").and_then(Value::as_i64);
        let counter = counter.ok_or_else(|| Error::Broken("no counter".to_owned()))?;
        Ok(Registered { credential_id: text(made.cred_id()), credential, counter })
    }

    /// Asks whoever is there to sign in.
    pub fn begin_sign_in(&self) -> Result<Begun> {
        let (asked, state) = self.party()?.webauthn.start_discoverable_authentication()?;
        Begun::new(&asked.public_key, &state)
    }

    /// Checks that an answer is by this passkey, and that its authenticator knows the account.
    pub fn finish_sign_in(&self, state: &Value, answer: &Answer, passkey: &Passkey) -> Result<Use> {
        let state: DiscoverableAuthentication = kept(state)?;
        let (user, _) = self.party()?.webauthn.identify_discoverable_authentication(&answer.0)?;
        if user != handle(passkey.account_id)? {
            return Err(Error::Refused("it names another account".to_owned()));
        }
        check_own_page(&answer.0)?;
        let stored = stored(passkey)?;
        let webauthn = &self.party()?.webauthn;
        let result = webauthn.finish_discoverable_authentication_v2(&answer.0, state, &stored)?;
        used(stored, &result)
    }
}

impl Begun {
    fn new(asked: &impl Serialize, state: &impl Serialize) -> Result<Self> {
        Ok(Self { public_key: json(asked)?, state: json(state)? })
    }
}

impl Answer {
    /// Reads an answer.
    pub fn read(answer: Value) -> Result<Self> {
        read(answer).map(Self)
    }

    /// Which passkey it says it is by.
    #[must_use]
    pub fn credential_id(&self) -> String {
        text(self.0.get_credential_id())
    }
}

/// What authenticators know an account by.
fn handle(account_id: AccountId) -> Result<webauthn::Uuid> {
    let name = account_id.to_string();
    let digits = name.rsplit('_').next().unwrap_or_default();
    Uuid::parse_str(digits).map_err(|error| Error::Broken(format!("{name}: {error}")))
}

/// Something of the browser's.
fn read<T: DeserializeOwned>(answer: Value) -> Result<T> {
    serde_json::from_value(answer)
        .map_err(|error| Error::Refused(format!("it cannot be read ({error})")))
}

/// Something of our own.
fn kept<T: DeserializeOwned>(state: &Value) -> Result<T> {
    T::deserialize(state).map_err(|error| Error::Broken(format!("a kept ceremony: {error}")))
}

pub(crate) fn json(value: &impl Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::Broken(error.to_string()))
}
