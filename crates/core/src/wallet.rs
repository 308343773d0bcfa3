//! Wallets: how an address becomes a person's, and what lets it.
//!
//! Addresses are texts with their checksum here; what they and signatures are made of is not decided in this crate.

use std::time::Duration;

use crate::{AccountId, ChallengeId, Code, Entity, LinkId, Refusal, Step, Timestamp, WalletId};

/// How long a challenge or a link can be answered.
pub const ANSWER_WITHIN: Duration = Duration::from_mins(10);
/// How old a sign-in may be that vouches for a wallet by itself.
const FRESH_SIGN_IN: Duration = Duration::from_mins(10);

/// How many wallets an account may have linked.
pub const MOST: i64 = 50;

/// A wallet that is, or was, linked to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wallet {
    /// Its id.
    pub wallet_id: WalletId,
    /// Whose it is.
    pub account_id: AccountId,
    /// Its address.
    pub address: String,
    /// The chain its contract is on; a key's own address is the same on every chain.
    pub chain_id: Option<u64>,
    /// When it was linked.
    pub created_at: Timestamp,
    /// When it was unlinked.
    pub unlinked_at: Option<Timestamp>,
    /// How many times it was changed.
    pub revision: i64,
}

/// A text that a wallet is asked to sign, once, to be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// Its id.
    pub challenge_id: ChallengeId,
    /// Who asked for it.
    pub account_id: AccountId,
    /// The wallet that is to sign.
    pub address: String,
    /// What it is to sign.
    pub message: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Until when it can be answered.
    pub expires_at: Timestamp,
    /// When it was answered.
    pub used_at: Option<Timestamp>,
    /// How many times it was changed.
    pub revision: i64,
}

/// Leave to link one wallet from a device that is not signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its id, which is no secret.
    pub link_id: LinkId,
    /// Whose wallet it is going to be.
    pub account_id: AccountId,
    /// SHA-256 of the code that the signed-in device shows.
    pub code_digest: [u8; 32],
    /// What makes the text to sign unlike any other.
    pub nonce: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Until when it can be answered.
    pub expires_at: Timestamp,
    /// When it was answered.
    pub used_at: Option<Timestamp>,
    /// How many times it was changed.
    pub revision: i64,
}

macro_rules! entities {
    ($($entity:ident by $id:ident $kind:ident;)*) => {
        $(impl Entity for $entity {
            type Id = $kind;

            fn id(&self) -> $kind {
                self.$id
            }

            fn revision(&self) -> i64 {
                self.revision
            }

            fn set_revision(&mut self, revision: i64) {
                self.revision = revision;
            }
        })*
    };
}

entities! {
    Wallet by wallet_id WalletId;
    Challenge by challenge_id ChallengeId;
    Link by link_id LinkId;
}

impl Wallet {
    /// Unlinks the wallet, or says `None` if it is not linked any more.
    #[must_use]
    pub fn unlink(&self, now: Timestamp) -> Option<Step<Self>> {
        if self.unlinked_at.is_some() {
            return None;
        }
        Some(Step::to(self, Self { unlinked_at: Some(now), ..self.clone() }))
    }

    /// Refuses if the wallet is not linked any more.
    pub fn check_linked(&self) -> Result<(), Refusal> {
        match self.unlinked_at {
            None => Ok(()),
            Some(_) => Err(Refusal::new(Code::WalletNotLinked, "The wallet was unlinked.")),
        }
    }
}

impl Challenge {
    /// Refuses if the challenge cannot be answered any more.
    pub fn check_open(&self, now: Timestamp) -> Result<(), Refusal> {
        let reason = match self.used_at {
            Some(_) => "The challenge was used before.",
            None if now >= self.expires_at => "The challenge has expired.",
            None => return Ok(()),
        };
        Err(Refusal::new(Code::ChallengeExpired, reason))
    }

    /// Uses the challenge up.
    pub fn answer(&self, now: Timestamp) -> Result<Step<Self>, Refusal> {
        self.check_open(now)?;
        Ok(Step::to(self, Self { used_at: Some(now), ..self.clone() }))
    }
}

impl Link {
    /// Refuses if the link cannot be answered any more.
    pub fn check_open(&self, now: Timestamp) -> Result<(), Refusal> {
        let reason = match self.used_at {
            Some(_) => "The link was used before.",
            None if now >= self.expires_at => "The link has expired.",
            None => return Ok(()),
        };
        Err(Refusal::new(Code::WalletLinkExpired, reason))
    }

    /// Uses the link up.
    pub fn answer(&self, now: Timestamp) -> Result<Step<Self>, Refusal> {
        self.check_open(now)?;
        Ok(Step::to(self, Self { used_at: Some(now), ..self.clone() }))
    }
}

/// Refuses a sign-in that is too old to vouch for a wallet by itself.
pub fn check_fresh(signed_in_at: Timestamp, now: Timestamp) -> Result<(), Refusal> {
    if now.since(signed_in_at) < FRESH_SIGN_IN {
        return Ok(());
    }
    Err(Refusal::new(Code::Forbidden, "This takes a session that is less than ten minutes old.")
        .suggest("Sign in again, then send the request with the new session."))
}

/// Refuses a wallet that is linked: it is one account's, once.
pub fn check_free(linked: Option<&Wallet>, account_id: AccountId) -> Result<(), Refusal> {
    match linked {
        None => Ok(()),
        Some(wallet) if wallet.account_id == account_id => {
            Err(Refusal::new(Code::Conflict, "The wallet is linked to this account already.")
                .suggest("Read listWallets; nothing is left to do."))
        }
        Some(_) => Err(Refusal::new(Code::WalletInUse, "The wallet is linked to another account.")),
    }
}

/// Refuses one wallet more than an account may have.
pub fn check_room(linked: &[Wallet]) -> Result<(), Refusal> {
    if i64::try_from(linked.len()).is_ok_and(|count| count < MOST) {
        return Ok(());
    }
    Err(Refusal::new(Code::Conflict, format!("The account has {MOST} wallets already."))
        .suggest("Unlink one that is not needed (unlinkWallet)."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
    const A_MOMENT: Duration = Duration::from_millis(1);

    fn challenge() -> Challenge {
        Challenge {
            challenge_id: ChallengeId::new(NOW, 0, 1),
            account_id: AccountId::new(NOW, 0, 1),
            address: "0x".to_owned(),
            message: "sign this".to_owned(),
            created_at: NOW,
            expires_at: NOW.after(ANSWER_WITHIN),
            used_at: None,
            revision: 0,
        }
    }

    fn wallet(account_id: AccountId) -> Wallet {
        Wallet {
            wallet_id: WalletId::new(NOW, 0, 1),
            account_id,
            address: "0x".to_owned(),
            chain_id: None,
            created_at: NOW,
            unlinked_at: None,
            revision: 0,
        }
    }

    #[test]
    fn a_challenge_is_answered_once_and_in_time() {
        let challenge = challenge();
        let end = challenge.expires_at;
        let used = challenge.answer(end.before(A_MOMENT)).unwrap().into_next();
        for late in [challenge.answer(end), used.answer(NOW), used.answer(end)] {
            assert_eq!(late.unwrap_err().code, Code::ChallengeExpired);
        }
    }

    #[test]
    fn a_link_is_answered_once_and_in_time() {
        let link = Link {
            link_id: LinkId::new(NOW, 0, 1),
            account_id: AccountId::new(NOW, 0, 1),
            code_digest: [1; 32],
            nonce: "0123456789".to_owned(),
            created_at: NOW,
            expires_at: NOW.after(ANSWER_WITHIN),
            used_at: None,
            revision: 0,
        };
        let used = link.answer(link.expires_at.before(A_MOMENT)).unwrap().into_next();
        for late in [link.answer(link.expires_at), used.answer(NOW)] {
            assert_eq!(late.unwrap_err().code, Code::WalletLinkExpired);
        }
    }

    #[test]
    fn a_sign_in_is_fresh_for_ten_minutes() {
        let end = NOW.after(FRESH_SIGN_IN);
        assert!(check_fresh(NOW, end.before(A_MOMENT)).is_ok());
        assert_eq!(check_fresh(NOW, end).unwrap_err().code, Code::Forbidden);
        assert!(check_fresh(end, NOW).is_ok(), "clocks of two nodes may differ a little");
    }

    #[test]
    fn an_address_is_one_accounts() {
        let (ada, eve) = (AccountId::new(NOW, 0, 1), AccountId::new(NOW, 0, 2));
        assert!(check_free(None, ada).is_ok());
        assert_eq!(check_free(Some(&wallet(ada)), eve).unwrap_err().code, Code::WalletInUse);
        assert_eq!(check_free(Some(&wallet(ada)), ada).unwrap_err().code, Code::Conflict);
    }

    #[test]
    fn an_account_has_room_for_fifty() {
        let many = vec![wallet(AccountId::new(NOW, 0, 1)); 50];
        assert!(check_room(&many[1..]).is_ok());
        assert_eq!(check_room(&many).unwrap_err().code, Code::Conflict);
    }

    #[test]
    fn a_wallet_is_unlinked_once() {
        let linked = wallet(AccountId::new(NOW, 0, 1));
        assert!(linked.check_linked().is_ok());
        let unlinked = linked.unlink(NOW).unwrap().into_next();
        assert_eq!(unlinked.unlinked_at, Some(NOW));
        assert!(unlinked.unlink(NOW).is_none());
        assert_eq!(unlinked.check_linked().unwrap_err().code, Code::WalletNotLinked);
    }
}
