//! The word of a passkey in a request, and of whatever else an account may be vouched for by.

use std::borrow::Cow;
use std::sync::OnceLock;

use guildhall_core::passkey::{Assertion, Passkey, Unverified, Use};
use guildhall_core::{AccountId, Code};
use guildhall_evm::{Address, Digest};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

use crate::cx::{Cx, Env};
use crate::error::{Error, Result};
use crate::operation::{Reads, Writes};
use crate::wallets::Signed;

/// Who vouches for an account: one of its wallets or one of its passkeys.
pub(crate) enum Factor<'i> {
    /// A wallet, by its signature.
    Wallet(Address, &'i Signed),
    /// A passkey, by its assertion.
    Passkey(&'i Asserted),
}

impl<'i> Factor<'i> {
    /// What a request brings: one of the two, whole.
    pub(crate) fn of(
        signer: Option<Address>,
        signature: Option<&'i Signed>,
        passkey: Option<&'i Asserted>,
    ) -> Result<Self> {
        match (signer, signature, passkey) {
            (Some(signer), Some(signature), None) => Ok(Self::Wallet(signer, signature)),
            (None, None, Some(asserted)) => Ok(Self::Passkey(asserted)),
            _ => Err(Error::invalid(
                "signature: send this and `signer`, or `passkey`, one of the two.",
            )),
        }
    }

    /// Does the arithmetic, so that the writer need not. Whether it comes out right is for the transaction to say.
    pub(crate) fn gather(
        &self,
        cx: &mut Cx<Reads>,
        account: AccountId,
        digest: &Digest,
    ) -> Result<()> {
        match self {
            Self::Wallet(_, signature) => drop(signature.signer(digest)),
            Self::Passkey(asserted) => asserted.gather(cx, account, digest)?,
        }
        Ok(())
    }
}

/// An assertion as it was sent, that remembers what was found about it. Whoever asks first does the arithmetic: `gather`
/// asks, and `run` only has to remember, unless the digest or the passkey is another one by then.
#[derive(Debug)]
pub(crate) struct Asserted {
    assertion: Assertion,
    found: OnceLock<Found>,
}

#[derive(Debug)]
struct Found {
    digest: Digest,
    /// The passkey's, when it was asked.
    revision: i64,
    verified: Result<Use, Unverified>,
}

impl Asserted {
    /// Refuses an assertion over `digest` that is not by a passkey of the account, with the first code, or is worth
    /// nothing, with the second; notes the use of the passkey if it is.
    pub(crate) fn check(
        &self,
        cx: &mut Cx<Writes>,
        account: AccountId,
        digest: &Digest,
        (foreign, invalid): (Code, Code),
    ) -> Result<()> {
        let credential_id = &self.assertion.credential_id;
        // Somebody else's passkey is not told apart from one that nobody has.
        let Some(mut passkey) = cx.tx.lock_passkey_by_credential(account, credential_id)? else {
            let refusal = Error::new(foreign, "The passkey is not one of the account's.");
            return Err(refusal.suggest("Sign with a passkey that the account lists."));
        };
        let refused = |why: Unverified| {
            Error::new(invalid, format!("The passkey does not count: {}.", why.0))
                .suggest("Let the passkey sign the digest anew, on this service's own page.")
        };
        let used = self.verified(cx.env(), &passkey, digest).map_err(refused)?;
        let step = passkey.note_use(cx.now, used).map_err(refused)?;
        cx.apply(&mut passkey, step)
    }

    fn gather(&self, cx: &mut Cx<Reads>, account: AccountId, digest: &Digest) -> Result<()> {
        let found = cx.tx.find_passkey_by_credential(&self.assertion.credential_id)?;
        if let Some(passkey) = found.filter(|passkey| passkey.account_id == account) {
            drop(self.verified(cx.env(), &passkey, digest));
        }
        Ok(())
    }

    fn verified(&self, env: &Env, passkey: &Passkey, digest: &Digest) -> Result<Use, Unverified> {
        let verify = || env.passkeys.verify(passkey, &self.assertion, digest);
        let revision = passkey.revision;
        let found =
            self.found.get_or_init(|| Found { digest: *digest, revision, verified: verify() });
        if found.digest == *digest && found.revision == revision {
            found.verified.clone()
        } else {
            verify()
        }
    }
}

impl<'de> Deserialize<'de> for Asserted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let assertion = Assertion::deserialize(deserializer)?;
        Ok(Self { assertion, found: OnceLock::new() })
    }
}

impl JsonSchema for Asserted {
    fn schema_name() -> Cow<'static, str> {
        Assertion::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Assertion::json_schema(generator)
    }
}
