//! Tokens whose signature was verified: a look-up costs a hash, a verification as much as six point reads.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use aws_lc_rs::digest;
use guildhall_core::Timestamp;

/// Several locks, so that requests on several cores seldom wait for each other.
const SHARDS: usize = 16;
const MAX_PER_SHARD: usize = 6_250;

/// The tokens that were verified, by their SHA-256, each until it expires.
pub(crate) struct Seen<C>([Mutex<Shard<C>>; SHARDS]);

/// What a token says, for as long as it says it.
pub(crate) trait Claims: Copy {
    /// Until when the token is good.
    fn expires_at(&self) -> Timestamp;
}

/// The name of a token in the cache.
pub(crate) type Digest = [u8; 32];

struct Shard<C> {
    /// The generation of keys under which the tokens were verified.
    generation: u64,
    tokens: HashMap<Digest, C>,
}

/// The name of a token.
pub(crate) fn digest(token: &str) -> Digest {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest::digest(&digest::SHA256, token.as_bytes()).as_ref());
    bytes
}

impl<C: Claims> Seen<C> {
    /// An empty cache.
    pub(crate) fn new() -> Self {
        let empty = || Shard { generation: 0, tokens: HashMap::new() };
        Self(std::array::from_fn(|_| Mutex::new(empty())))
    }

    /// The claims of a token that was verified under the keys of this generation and has not expired.
    pub(crate) fn get(&self, digest: &Digest, generation: u64, now: Timestamp) -> Option<C> {
        self.with_shard(digest, |shard| {
            let claims = shard.tokens.get(digest).filter(|_| shard.generation == generation)?;
            (now < claims.expires_at()).then_some(*claims)
        })
    }

    /// Remembers a verified token.
    pub(crate) fn insert(&self, digest: Digest, generation: u64, claims: C, now: Timestamp) {
        self.with_shard(&digest, |shard| {
            if shard.generation != generation {
                *shard = Shard { generation, tokens: HashMap::new() };
            }
            if shard.tokens.len() >= MAX_PER_SHARD {
                shard.tokens.retain(|_, claims| now < claims.expires_at());
            }
            if shard.tokens.len() >= MAX_PER_SHARD {
                // All alive: half of them, by chance, make room. They are verified again when they come back.
                let mut keep = false;
                shard.tokens.retain(|_, _| {
                    keep = !keep;
                    keep
                });
            }
            shard.tokens.insert(digest, claims);
        });
    }

    /// Runs `work` on the shard of a digest.
    fn with_shard<T: Default>(&self, digest: &Digest, work: impl FnOnce(&mut Shard<C>) -> T) -> T {
        let [first, ..] = digest;
        let shard = self.0.get(usize::from(*first) % SHARDS);
        shard.map_or_else(T::default, |shard| {
            work(&mut shard.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::tokens::SessionClaims;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn claims(expires_at: Timestamp) -> SessionClaims {
        SessionClaims {
            account_id: guildhall_core::Id::new(NOW, 0, 1),
            session_id: guildhall_core::Id::new(NOW, 0, 2),
            expires_at,
        }
    }

    #[test]
    fn remembers_until_expiry_and_only_under_the_same_keys() {
        let seen = Seen::new();
        let expiry = NOW.after(Duration::from_secs(1));
        seen.insert(digest("token"), 3, claims(expiry), NOW);
        assert!(seen.get(&digest("token"), 3, NOW).is_some());
        assert!(seen.get(&digest("Token"), 3, NOW).is_none());
        assert!(seen.get(&digest("token"), 4, NOW).is_none());
        assert!(seen.get(&digest("token"), 3, expiry).is_none());
    }

    #[test]
    fn is_bounded_and_forgets_the_expired_first() {
        let seen = Seen::new();
        let later = NOW.after(Duration::from_secs(9));
        let insert = |number: usize, expiry| {
            let mut digest = [0; 32];
            digest[8..16].copy_from_slice(&number.to_be_bytes());
            seen.insert(digest, 1, claims(expiry), NOW);
            digest
        };
        let alive = insert(0, later);
        for number in 1..MAX_PER_SHARD {
            insert(number, NOW);
        }
        insert(MAX_PER_SHARD, later);
        assert_eq!(seen.0[0].lock().unwrap().tokens.len(), 2, "the expired made room");
        assert!(seen.get(&alive, 1, NOW).is_some());
        for number in 0..3 * MAX_PER_SHARD {
            insert(number, later);
        }
        assert!(seen.0[0].lock().unwrap().tokens.len() <= MAX_PER_SHARD);
    }
}
