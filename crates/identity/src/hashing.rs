//! Passwords as they are kept: argon2id, away from the threads that answer requests.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::{self, PasswordHasher, PasswordVerifier, phc::PasswordHash};
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD as BASE64;
use guildhall_core::Secret;
use tokio::sync::Semaphore;
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::random;

/// How many passwords are hashed at once: each takes its memory and a core.
const AT_ONCE: usize = 2;

/// How long a request may wait for its turn.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// How much work a guess costs.
#[derive(Clone, Copy, Debug)]
pub struct HashCost {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Passes over that memory.
    pub iterations: u32,
    /// Lanes.
    pub parallelism: u32,
}

impl Default for HashCost {
    fn default() -> Self {
        Self { memory_kib: 19 * 1024, iterations: 2, parallelism: 1 }
    }
}

/// Hashes and verifies passwords.
pub struct Passwords {
    hasher: Argon2<'static>,
    turns: Arc<Semaphore>,
    /// What the password of an unknown address is compared with, so that it costs as much as a known one's.
    nobody: Secret<String>,
}

impl Passwords {
    /// Makes the hasher.
    pub fn new(cost: HashCost) -> Result<Self> {
        let params = Params::new(cost.memory_kib, cost.iterations, cost.parallelism, None)
            .map_err(|error| Error::internal(format!("cost of password hashing: {error}")))?;
        let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let nobody = nobodys_hash(cost)?;
        Ok(Self { hasher, turns: Arc::new(Semaphore::new(AT_ONCE)), nobody })
    }

    /// The PHC string of a password.
    pub async fn hash(&self, password: &Secret<String>) -> Result<Secret<String>> {
        let hasher = self.hasher.clone();
        let password = Zeroizing::new(password.reveal().clone());
        self.in_turn(move || hash(&hasher, password.as_bytes())).await?
    }

    /// Whether a password is the one that was hashed. Without a hash it never is, after the same work.
    pub async fn verify(
        &self,
        password: &Secret<String>,
        hash: Option<&Secret<String>>,
    ) -> Result<bool> {
        let hasher = self.hasher.clone();
        let password = Zeroizing::new(password.reveal().clone());
        let known = hash.is_some();
        let hash = hash.unwrap_or(&self.nobody).clone();
        let matches =
            self.in_turn(move || verify(&hasher, password.as_bytes(), hash.reveal())).await??;
        Ok(matches && known)
    }

    /// Runs `work` on a blocking thread, a few at a time. The turn is kept until it ends, even if nobody waits any more.
    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let turn = tokio::time::timeout(LONGEST_WAIT, Arc::clone(&self.turns).acquire_owned())
            .await
            .map_err(|_| Error::unavailable("too many passwords are waiting to be hashed"))?
            .map_err(|_| Error::unavailable("password hashing has ended"))?;
        let worker = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        worker.await.map_err(|error| Error::internal(format!("password hashing: {error}")))
    }
}

/// A hash that belongs to no password: random where a real one is computed, so that making it costs nothing at the start
/// and checking against it costs what it always does.
fn nobodys_hash(
    HashCost { memory_kib, iterations, parallelism }: HashCost,
) -> Result<Secret<String>> {
    let (salt, output): ([u8; 16], [u8; 32]) = (random::bytes()?, random::bytes()?);
    let (salt, output) = (BASE64.encode(salt), BASE64.encode(output));
    let costs = format!("m={memory_kib},t={iterations},p={parallelism}");
    Ok(Secret::new(format!("$argon2id$v=19${costs}${salt}${output}")))
}

fn hash(hasher: &Argon2<'_>, password: &[u8]) -> Result<Secret<String>> {
    let salt: [u8; 16] = random::bytes()?;
    let hash: PasswordHash = hasher
        .hash_password_with_salt(password, &salt)
        .map_err(|error| Error::internal(format!("password hashing: {error}")))?;
    Ok(Secret::new(hash.to_string()))
}

fn verify(hasher: &Argon2<'_>, password: &[u8], hash: &str) -> Result<bool> {
    match hasher.verify_password(password, hash) {
        Ok(()) => Ok(true),
        Err(password_hash::Error::PasswordInvalid) => Ok(false),
        Err(error) => Err(Error::internal(format!("a stored password hash: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cheap() -> Passwords {
        Passwords::new(HashCost { memory_kib: 64, iterations: 1, parallelism: 1 }).unwrap()
    }

    fn secret(text: &str) -> Secret<String> {
        Secret::new(text.to_owned())
    }

    #[tokio::test]
    async fn verifies_its_own_hashes_and_salts_each() {
        let passwords = cheap();
        let hash = passwords.hash(&secret("otter violin")).await.unwrap();
        assert!(hash.reveal().starts_with("$argon2id$v=19$m=64,t=1,p=1$"), "{}", hash.reveal());
        assert!(passwords.verify(&secret("otter violin"), Some(&hash)).await.unwrap());
        assert!(!passwords.verify(&secret("otter violet"), Some(&hash)).await.unwrap());
        assert_ne!(passwords.hash(&secret("otter violin")).await.unwrap(), hash);
    }

    #[tokio::test]
    async fn nobody_has_no_password() {
        assert!(!cheap().verify(&secret("otter violin"), None).await.unwrap());
    }

    #[tokio::test]
    async fn a_broken_hash_is_a_fault_and_not_a_wrong_password() {
        assert!(cheap().verify(&secret("x"), Some(&secret("plain"))).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn waits_for_its_turn_only_so_long() {
        let passwords = cheap();
        let _turns = passwords.turns.clone().acquire_many_owned(2).await.unwrap();
        let error = passwords.hash(&secret("otter violin")).await.unwrap_err();
        assert_eq!(error.refusal.code, guildhall_core::Code::Unavailable);
        assert_eq!(error.retry_after_seconds, Some(1));
    }
}
