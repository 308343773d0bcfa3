//! The keys that sign: the current one, the one before it, and how they change under a running server.

use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use guildhall_core::card::Signature;
use guildhall_core::receipt::Signer;
use guildhall_core::{Secret, Timestamp};
use guildhall_store::tables::signing_key::SigningKey;
use guildhall_store::{Db, Sealer, Tx};
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::jws;
use crate::key::Key;

/// The current key and the previous one: what was signed before a rotation stays valid until it expires.
const PUBLISHED: u32 = 2;

/// More keys than any service ever had.
const EVERY: u32 = 10_000;

/// How often a token that names an unknown key may send us to the database.
const RELOAD_INTERVAL: Duration = Duration::from_secs(1);

/// The signing keys of the service.
pub struct Keys {
    db: Db,
    sealer: Sealer,
    ring: RwLock<Arc<Ring>>,
    /// When an unknown key was last looked for.
    searched_at: Mutex<Option<Timestamp>>,
}

/// The published keys, the current one first.
#[derive(Default)]
pub(crate) struct Ring {
    /// Grows whenever the keys change.
    pub(crate) generation: u64,
    keys: Vec<Arc<Key>>,
}

impl Keys {
    /// Opens the keys, and makes the first one if there is none.
    pub async fn open(db: Db, server_key: &Secret<[u8; 32]>, now: Timestamp) -> Result<Self> {
        let sealer = Sealer::new(server_key, "signing keys");
        let keys = Self { db, sealer, ring: RwLock::default(), searched_at: Mutex::default() };
        if keys.reload().await?.keys.is_empty() {
            keys.create(now).await?;
            keys.reload().await?;
        }
        Ok(keys)
    }

    /// Makes a new key the current one. What the former one signed stays valid until the next rotation. Gives the
    /// new key's id.
    pub async fn rotate(&self, now: Timestamp) -> Result<String> {
        let fresh = self.generate(now)?;
        let key_id = fresh.key_id.clone();
        self.db.write("rotate_signing_keys", move |tx| replace(tx, &fresh, now)).await?;
        self.reload().await?;
        Ok(key_id)
    }

    /// The public keys, as a JSON Web Key Set: the current one first, then every one there was. Tokens of the older ones
    /// are not taken any more; receipts that they signed can be checked for good.
    pub async fn jwks(&self) -> Result<Value> {
        let rows: Vec<SigningKey> = self.db.read("jwks", |tx| tx.list_signing_keys(EVERY)).await?;
        let jwk = |row: &SigningKey| {
            serde_json::from_str(&row.public_jwk)
                .map_err(|error| Error::internal(format!("{}: {error}", row.key_id)))
        };
        let keys = rows.iter().map(jwk).collect::<Result<Vec<Value>>>()?;
        Ok(json!({ "keys": keys }))
    }

    /// Signs claims with a key, which the caller has read as the current one.
    pub(crate) async fn sign(
        &self,
        key_id: &str,
        typ: &str,
        claims: &impl Serialize,
    ) -> Result<String> {
        let key = match self.ring().find(key_id) {
            Some(key) => key,
            None => self
                .reload()
                .await?
                .find(key_id)
                .ok_or_else(|| Error::unavailable("the signing key changed meanwhile"))?,
        };
        jws::sign(&key, typ, claims)
    }

    /// The keys as this process knows them.
    pub(crate) fn ring(&self) -> Arc<Ring> {
        Arc::clone(&self.ring.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Which keys this process knows: the number changes with them.
    pub(crate) fn generation(&self) -> u64 {
        self.ring.read().unwrap_or_else(PoisonError::into_inner).generation
    }

    /// The keys, among which `key_id` ought to be: read again if it is not, in case another process has rotated them.
    pub(crate) async fn ring_with(&self, key_id: &str, now: Timestamp) -> Result<Arc<Ring>> {
        let ring = self.ring();
        if ring.find(key_id).is_some() || !self.may_search(now) {
            return Ok(ring);
        }
        self.reload().await
    }

    fn may_search(&self, now: Timestamp) -> bool {
        let mut searched_at = self.searched_at.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = searched_at.is_some_and(|at| at <= now && now.since(at) < RELOAD_INTERVAL);
        if !recent {
            *searched_at = Some(now);
        }
        !recent
    }

    /// Reads which keys are published and opens those that are new to this process.
    async fn reload(&self) -> Result<Arc<Ring>> {
        let rows: Vec<SigningKey> =
            self.db.read("signing_keys", |tx| tx.list_signing_keys(PUBLISHED)).await?;
        let known = self.ring();
        let same = known.keys.iter().map(|key| key.key_id()).eq(rows.iter().map(|row| &row.key_id));
        if same {
            return Ok(known);
        }
        let open = |row: &SigningKey| match known.find(&row.key_id) {
            Some(key) => Ok(key),
            None => self.unseal(row).map(Arc::new),
        };
        let keys = rows.iter().map(open).collect::<Result<Vec<_>>>()?;
        let mut ring = self.ring.write().unwrap_or_else(PoisonError::into_inner);
        *ring = Arc::new(Ring { generation: ring.generation + 1, keys });
        Ok(Arc::clone(&ring))
    }

    fn unseal(&self, row: &SigningKey) -> Result<Key> {
        let pkcs8 =
            self.sealer.open(&row.private_sealed, row.key_id.as_bytes()).ok_or_else(|| {
                let cause = "cannot be opened: the server key is not the one it was sealed with";
                Error::internal(format!("the signing key {} {cause}", row.key_id))
            })?;
        Key::from_pkcs8(&zeroize::Zeroizing::new(pkcs8))
    }

    /// Makes the first key, unless another process was faster.
    async fn create(&self, now: Timestamp) -> Result<()> {
        let fresh = self.generate(now)?;
        self.db
            .write("create_signing_key", move |tx| match tx.lock_current_key()? {
                Some(_) => Ok(()),
                None => tx.insert_signing_key(&fresh).map_err(Error::from),
            })
            .await
    }

    fn generate(&self, now: Timestamp) -> Result<SigningKey> {
        let (key, pkcs8) = Key::generate()?;
        let key_id = key.key_id().to_owned();
        let private_sealed = self.sealer.seal(&pkcs8, key_id.as_bytes())?;
        let public_jwk = key.jwk().to_string();
        Ok(SigningKey { key_id, public_jwk, private_sealed, created_at: now, retired_at: None })
    }
}

/// Puts a key in the place of the current one. Its time is after the current one's, whatever the clock says, for the
/// order of retirement tells which key is the previous one.
fn replace(tx: &mut Tx<'_>, fresh: &SigningKey, now: Timestamp) -> Result<()> {
    let Some(current) = tx.lock_current_key()? else { return Ok(tx.insert_signing_key(fresh)?) };
    let at = now.max(current.created_at.after(Duration::from_millis(1)));
    tx.retire_signing_key(&current, at)?;
    Ok(tx.insert_signing_key(&SigningKey { created_at: at, ..fresh.clone() })?)
}

impl Signer for Keys {
    fn sign(&self, typ: &str, payload: &[u8]) -> std::result::Result<String, String> {
        let ring = self.ring();
        let key = ring.keys.first().ok_or("there is no signing key")?;
        jws::sign_bytes(key, typ, payload).map_err(|error| error.to_string())
    }

    fn sign_card(&self, keys_url: &str, payload: &[u8]) -> std::result::Result<Signature, String> {
        let ring = self.ring();
        let key = ring.keys.first().ok_or("there is no signing key")?;
        jws::sign_card(key, keys_url, payload).map_err(|error| error.to_string())
    }
}

impl Ring {
    /// The published key of this id.
    pub(crate) fn find(&self, key_id: &str) -> Option<Arc<Key>> {
        self.keys.iter().find(|key| key.key_id() == key_id).cloned()
    }
}
