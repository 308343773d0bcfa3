//! Wallets, and what is asked before one is linked.

use guildhall_core::wallet::{Challenge, Link, Wallet};
use guildhall_core::{AccountId, AgentId, ChallengeId, LinkId, Timestamp, WalletId};

use super::columns::below;
use super::save::Saved;
use crate::error::{Error, Result};
use crate::locked::Locked;
use crate::params;
use crate::row::{FromRow, Row};
use crate::tx::{ReadTx, Tx};
use crate::value::{ToValue, Value};

macro_rules! select_wallet {
    ($rest:literal) => {
        concat!(
            "SELECT t.wallet_id, t.account_id, t.address, t.chain_id, t.created_at, t.unlinked_at, t.revision \
             FROM wallets t ",
            $rest
        )
    };
}

macro_rules! select_challenge {
    ($rest:literal) => {
        concat!(
            "SELECT t.challenge_id, t.account_id, t.address, t.message, t.created_at, t.expires_at, t.used_at, \
             t.revision FROM wallet_challenges t ",
            $rest
        )
    };
}

macro_rules! select_link {
    ($rest:literal) => {
        concat!(
            "SELECT t.link_id, t.account_id, t.code_digest, t.nonce, t.created_at, t.expires_at, t.used_at, \
             t.revision FROM wallet_links t ",
            $rest
        )
    };
}

/// A message that a wallet has signed in with.
#[derive(Clone, Debug)]
pub struct SignInAnswer {
    /// What makes the message unlike any other.
    pub nonce: String,
    /// Who signed it.
    pub wallet_id: WalletId,
    /// When it could not be used again anyhow.
    pub expires_at: Timestamp,
}

impl FromRow for Wallet {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            wallet_id: row.take()?,
            account_id: row.take()?,
            address: row.take()?,
            chain_id: row.take::<Option<i64>>()?.map(chain_id).transpose()?,
            created_at: row.take()?,
            unlinked_at: row.take()?,
            revision: row.take()?,
        })
    }
}

fn chain_id(stored: i64) -> Result<u64> {
    u64::try_from(stored).map_err(|_| Error::Corrupt(format!("{stored} is no chain")))
}

impl FromRow for Challenge {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            challenge_id: row.take()?,
            account_id: row.take()?,
            address: row.take()?,
            message: row.take()?,
            created_at: row.take()?,
            expires_at: row.take()?,
            used_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl FromRow for Link {
    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        Ok(Self {
            link_id: row.take()?,
            account_id: row.take()?,
            code_digest: row.take()?,
            nonce: row.take()?,
            created_at: row.take()?,
            expires_at: row.take()?,
            used_at: row.take()?,
            revision: row.take()?,
        })
    }
}

impl Saved for Wallet {
    const UPDATE: &'static str =
        "UPDATE wallets SET unlinked_at = $1, revision = $2 WHERE wallet_id = $3 AND revision = $4";

    fn columns(&self) -> Vec<Value> {
        params![self.unlinked_at, self.revision]
    }

    fn key(&self) -> Value {
        self.wallet_id.to_value()
    }
}

impl Saved for Challenge {
    const UPDATE: &'static str = "UPDATE wallet_challenges SET used_at = $1, revision = $2 \
        WHERE challenge_id = $3 AND revision = $4";

    fn columns(&self) -> Vec<Value> {
        params![self.used_at, self.revision]
    }

    fn key(&self) -> Value {
        self.challenge_id.to_value()
    }
}

impl Saved for Link {
    const UPDATE: &'static str =
        "UPDATE wallet_links SET used_at = $1, revision = $2 WHERE link_id = $3 AND revision = $4";

    fn columns(&self) -> Vec<Value> {
        params![self.used_at, self.revision]
    }

    fn key(&self) -> Value {
        self.link_id.to_value()
    }
}

impl ReadTx<'_> {
    /// The wallet that an address is linked as, whoever linked it.
    pub fn find_linked_wallet(&mut self, address: &str) -> Result<Option<Wallet>> {
        self.find(
            select_wallet!("WHERE t.address = $1 AND t.unlinked_at IS NULL"),
            params![address],
        )
    }

    /// Whether somebody has signed in with the message that has this nonce.
    pub fn is_sign_in_answered(&mut self, nonce: &str) -> Result<bool> {
        let row: Option<(i64,)> =
            self.find("SELECT 1 FROM wallet_sign_ins WHERE nonce = $1", params![nonce])?;
        Ok(row.is_some())
    }

    /// The account's linked wallets, newest first.
    pub fn list_wallets(
        &mut self,
        owner: AccountId,
        before: Option<WalletId>,
        limit: i64,
    ) -> Result<Vec<Wallet>> {
        self.rows(
            select_wallet!(
                "WHERE t.account_id = $1 AND t.unlinked_at IS NULL AND t.wallet_id < $2 \
                 ORDER BY t.wallet_id DESC LIMIT $3"
            ),
            params![owner, below(before), limit],
        )
    }

    /// An agent of the account that is paid to this address and has not been retired.
    pub fn find_agent_paid_to(
        &mut self,
        owner: AccountId,
        address: &str,
    ) -> Result<Option<AgentId>> {
        let agent: Option<(AgentId,)> = self.find(
            "SELECT agent_id FROM agents WHERE account_id = $1 AND payout_wallet = $2 AND retired_at IS NULL \
             ORDER BY agent_id LIMIT 1",
            params![owner, address],
        )?;
        Ok(agent.map(|(agent_id,)| agent_id))
    }

    /// A challenge of the account.
    pub fn find_wallet_challenge(
        &mut self,
        owner: AccountId,
        challenge: ChallengeId,
    ) -> Result<Option<Challenge>> {
        self.find(
            select_challenge!("WHERE t.challenge_id = $1 AND t.account_id = $2"),
            params![challenge, owner],
        )
    }

    /// A link, whoever made it.
    pub fn find_wallet_link(&mut self, link: LinkId) -> Result<Option<Link>> {
        self.find(select_link!("WHERE t.link_id = $1"), params![link])
    }
}

impl<'c> Tx<'c> {
    /// Holds a wallet of the account, linked or not any more.
    pub fn lock_wallet(
        &mut self,
        owner: AccountId,
        wallet: WalletId,
    ) -> Result<Option<Locked<'c, Wallet>>> {
        self.lock(
            select_wallet!("WHERE t.wallet_id = $1 AND t.account_id = $2"),
            params![wallet, owner],
        )
    }

    /// Holds the wallet that an address is linked as, whoever linked it.
    pub fn lock_linked_wallet(&mut self, address: &str) -> Result<Option<Locked<'c, Wallet>>> {
        self.lock(
            select_wallet!("WHERE t.address = $1 AND t.unlinked_at IS NULL"),
            params![address],
        )
    }

    /// Holds a challenge of the account.
    pub fn lock_wallet_challenge(
        &mut self,
        owner: AccountId,
        challenge: ChallengeId,
    ) -> Result<Option<Locked<'c, Challenge>>> {
        self.lock(
            select_challenge!("WHERE t.challenge_id = $1 AND t.account_id = $2"),
            params![challenge, owner],
        )
    }

    /// Holds a link, whoever made it.
    pub fn lock_wallet_link(&mut self, link: LinkId) -> Result<Option<Locked<'c, Link>>> {
        self.lock(select_link!("WHERE t.link_id = $1"), params![link])
    }

    /// Links a wallet. If its address was linked meanwhile, the closure runs again and finds that.
    pub fn insert_wallet(&mut self, wallet: &Wallet) -> Result<()> {
        let chain_id = wallet.chain_id.map(|id| i64::try_from(id).unwrap_or(i64::MAX));
        self.put_first(
            "INSERT INTO wallets (wallet_id, account_id, address, chain_id, created_at, unlinked_at, revision) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            params![
                wallet.wallet_id,
                wallet.account_id,
                wallet.address,
                chain_id,
                wallet.created_at,
                wallet.unlinked_at,
                wallet.revision,
            ],
        )
    }

    /// Notes that somebody has signed in with a message. If another was faster, the closure runs again and finds that.
    pub fn insert_sign_in_answer(&mut self, answer: &SignInAnswer) -> Result<()> {
        self.put_first(
            "INSERT INTO wallet_sign_ins (nonce, wallet_id, expires_at) VALUES ($1, $2, $3)",
            params![answer.nonce, answer.wallet_id, answer.expires_at],
        )
    }

    /// Adds a challenge.
    pub fn insert_wallet_challenge(&mut self, challenge: &Challenge) -> Result<()> {
        self.put(
            "INSERT INTO wallet_challenges (challenge_id, account_id, address, message, created_at, expires_at, \
             used_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                challenge.challenge_id,
                challenge.account_id,
                challenge.address,
                challenge.message,
                challenge.created_at,
                challenge.expires_at,
                challenge.used_at,
                challenge.revision,
            ],
        )
    }

    /// Adds a link.
    pub fn insert_wallet_link(&mut self, link: &Link) -> Result<()> {
        self.put(
            "INSERT INTO wallet_links (link_id, account_id, code_digest, nonce, created_at, expires_at, used_at, \
             revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            params![
                link.link_id,
                link.account_id,
                link.code_digest,
                link.nonce,
                link.created_at,
                link.expires_at,
                link.used_at,
                link.revision,
            ],
        )
    }

    /// Forgets challenges, links and answered messages that expired before an instant, at most `most` of each.
    pub fn sweep_wallet_questions(&mut self, before: Timestamp, most: i64) -> Result<()> {
        self.put(
            "DELETE FROM wallet_challenges WHERE challenge_id IN \
                 (SELECT challenge_id FROM wallet_challenges WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
            params![before, most],
        )?;
        self.put(
            "DELETE FROM wallet_sign_ins WHERE nonce IN \
                 (SELECT nonce FROM wallet_sign_ins WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
            params![before, most],
        )?;
        self.put(
            "DELETE FROM wallet_links WHERE link_id IN \
                 (SELECT link_id FROM wallet_links WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)",
            params![before, most],
        )
    }
}
