//! Passkeys: keys of an account that sign it in and seal its credits.
//!
//! What an assertion is made of is not decided here: whoever knows that is a [`Verifier`], and what he found is a [`Use`].

use std::borrow::Cow;
use std::ops::Deref;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;

use crate::text::looks_like_private_key;
use crate::{AccountId, CeremonyId, Code, Entity, PasskeyId, Refusal, Step, Timestamp};

/// How long a ceremony can be answered.
pub const ANSWER_WITHIN: Duration = Duration::from_mins(5);

/// How many passkeys an account may have.
pub const MOST: i64 = 50;

/// Who signs an action of an account that has no wallet: any of its passkeys.
pub const SIGNER: &str = "passkey";

/// A key that is, or was, an account's.
#[derive(Clone, Debug, PartialEq)]
pub struct Passkey {
    /// Its id.
    pub passkey_id: PasskeyId,
    /// Whose it is.
    pub account_id: AccountId,
    /// What its authenticator calls it, as unpadded base64url.
    pub credential_id: String,
    /// Its public half and what else is checked, as the [`Verifier`] keeps it.
    pub credential: Value,
    /// What its owner calls it.
    pub name: String,
    /// How often its authenticator says that it was used; zero for ever where it does not count.
    pub counter: i64,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last signed.
    pub last_used_at: Option<Timestamp>,
    /// When it was removed.
    pub removed_at: Option<Timestamp>,
    /// How many times it was changed.
    pub revision: i64,
}

/// What a ceremony is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A passkey is added to an account.
    Registration,
    /// Somebody signs in.
    SignIn,
}

/// A question to an authenticator, that is answered once.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceremony {
    /// Its id.
    pub ceremony_id: CeremonyId,
    /// What it is for.
    pub purpose: Purpose,
    /// Whose passkey it is going to be; nobody is known before a sign-in.
    pub account_id: Option<AccountId>,
    /// What the answer is checked against, as the verifier keeps it.
    pub state: Value,
    /// When it began.
    pub created_at: Timestamp,
    /// Until when it can be answered.
    pub expires_at: Timestamp,
    /// When it was answered.
    pub used_at: Option<Timestamp>,
    /// How many times it was changed.
    pub revision: i64,
}

/// The word of a passkey, as a browser gives it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PasskeyAssertion")]
pub struct Assertion {
    /// Which passkey signs.
    pub credential_id: Base64Url<1_400>,
    /// What the authenticator says about itself and its user.
    pub authenticator_data: Base64Url<4_000>,
    /// What the browser says was signed, and where.
    pub client_data_json: Base64Url<4_000>,
    /// The signature over both.
    pub signature: Base64Url<1_400>,
}

/// Unpadded base64url text of 1 to `MAX` characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Base64Url<const MAX: usize>(String);

/// A verified use of a passkey.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The credential after it.
    pub credential: Value,
    /// What the authenticator has counted to.
    pub counter: i64,
}

/// Why an assertion is worth nothing, in words that begin a sentence's second half.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unverified(pub String);

/// Who knows what assertions are made of. Pure, and costly.
pub trait Verifier: Send + Sync {
    /// Checks that the user of `passkey` was verified and signed exactly `challenge` for this service.
    fn verify(
        &self,
        passkey: &Passkey,
        assertion: &Assertion,
        challenge: &[u8; 32],
    ) -> Result<Use, Unverified>;
}

impl Entity for Passkey {
    type Id = PasskeyId;

    fn id(&self) -> PasskeyId {
        self.passkey_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Entity for Ceremony {
    type Id = CeremonyId;

    fn id(&self) -> CeremonyId {
        self.ceremony_id
    }

    fn revision(&self) -> i64 {
        self.revision
    }

    fn set_revision(&mut self, revision: i64) {
        self.revision = revision;
    }
}

impl Passkey {
    /// Notes a use, unless the authenticator has counted backwards: then there are two of it.
    pub fn note_use(&self, now: Timestamp, used: Use) -> Result<Step<Self>, Unverified> {
        let counts = used.counter > 0 || self.counter > 0;
        if counts && used.counter <= self.counter {
            return Err(Unverified("its counter went back, as that of a copy would".to_owned()));
        }
        let Use { credential, counter } = used;
        let next = Self { credential, counter, last_used_at: Some(now), ..self.clone() };
        Ok(Step::to(self, next))
    }

    /// Removes the passkey, or says `None` if it is not the account's any more.
    #[must_use]
    pub fn remove(&self, now: Timestamp) -> Option<Step<Self>> {
        if self.removed_at.is_some() {
            return None;
        }
        Some(Step::to(self, Self { removed_at: Some(now), ..self.clone() }))
    }
}

impl Ceremony {
    /// Uses the ceremony up.
    pub fn answer(&self, now: Timestamp) -> Result<Step<Self>, Refusal> {
        if self.used_at.is_some() || now >= self.expires_at {
            return Err(ended());
        }
        Ok(Step::to(self, Self { used_at: Some(now), ..self.clone() }))
    }
}

/// The refusal of a ceremony that cannot be answered any more, or never could.
#[must_use]
pub fn ended() -> Refusal {
    Refusal::new(Code::ChallengeExpired, "The passkey ceremony was used, has expired or never was.")
        .suggest("Begin again: ask for new options and answer them within five minutes.")
}

/// Refuses one passkey more than an account may have.
pub fn check_room(passkeys: &[Passkey]) -> Result<(), Refusal> {
    if i64::try_from(passkeys.len()).is_ok_and(|count| count < MOST) {
        return Ok(());
    }
    Err(Refusal::new(Code::Conflict, format!("The account has {MOST} passkeys already."))
        .suggest("Remove one that is not needed."))
}

impl<const MAX: usize> Base64Url<MAX> {
    const ALPHABET: &'static str = "must be base64url without padding";

    /// Checks a text.
    pub fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        if !(1..=MAX).contains(&text.len()) {
            return Err(format!("must be 1 to {MAX} characters long, and is {}", text.len()));
        }
        if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
            return Err(Self::ALPHABET.to_owned());
        }
        if looks_like_private_key(&text) {
            return Err("looks like a private key: never send one to anybody".to_owned());
        }
        Ok(Self(text))
    }
}

impl<const MAX: usize> Deref for Base64Url<MAX> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Base64Url<MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl<const MAX: usize> JsonSchema for Base64Url<MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Base64Url_{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "minLength": 1, "maxLength": MAX, "pattern": "^[A-Za-z0-9_-]+$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
    const A_MOMENT: Duration = Duration::from_millis(1);

    fn passkey(counter: i64) -> Passkey {
        Passkey {
            passkey_id: PasskeyId::new(NOW, 0, 1),
            account_id: AccountId::new(NOW, 0, 1),
            credential_id: "AQID".to_owned(),
            credential: Value::Null,
            name: "phone".to_owned(),
            counter,
            created_at: NOW,
            last_used_at: None,
            removed_at: None,
            revision: 0,
        }
    }

    fn used(counter: i64) -> Use {
        Use { credential: Value::Bool(true), counter }
    }

    #[test]
    fn a_counter_goes_up_or_is_never_there() {
        for (stored, seen, fine) in
            [(0, 0, true), (0, 1, true), (7, 8, true), (7, 7, false), (7, 6, false), (7, 0, false)]
        {
            let noted = passkey(stored).note_use(NOW, used(seen));
            assert_eq!(noted.is_ok(), fine, "{seen} after {stored}");
            if let Ok(step) = noted {
                let next = step.into_next();
                assert_eq!((next.counter, next.last_used_at), (seen, Some(NOW)));
                assert_eq!(next.credential, Value::Bool(true));
            }
        }
    }

    #[test]
    fn a_ceremony_is_answered_once_and_in_time() {
        let ceremony = Ceremony {
            ceremony_id: CeremonyId::new(NOW, 0, 1),
            purpose: Purpose::SignIn,
            account_id: None,
            state: Value::Null,
            created_at: NOW,
            expires_at: NOW.after(ANSWER_WITHIN),
            used_at: None,
            revision: 0,
        };
        let used = ceremony.answer(ceremony.expires_at.before(A_MOMENT)).unwrap().into_next();
        for late in [ceremony.answer(ceremony.expires_at), used.answer(NOW)] {
            assert_eq!(late.unwrap_err().code, Code::ChallengeExpired);
        }
    }

    #[test]
    fn a_passkey_is_removed_once() {
        let removed = passkey(0).remove(NOW).unwrap().into_next();
        assert_eq!(removed.removed_at, Some(NOW));
        assert!(removed.remove(NOW).is_none());
    }

    #[test]
    fn an_account_has_room_for_fifty() {
        let many = vec![passkey(0); 50];
        assert!(check_room(&many[1..]).is_ok());
        assert_eq!(check_room(&many).unwrap_err().code, Code::Conflict);
    }

    #[test]
    fn bytes_are_text_of_one_alphabet() {
        assert!(Base64Url::<4>::new("a-_9").is_ok());
        for bad in ["", "abcde", "a+b", "a=", "ä"] {
            assert!(Base64Url::<4>::new(bad).is_err(), "{bad}");
        }
        assert!(Base64Url::<100>::new("a".repeat(64)).is_err(), "a private key");
    }
}
