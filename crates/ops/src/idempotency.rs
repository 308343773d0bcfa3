//! One key, one effect: the outcome is stored in the transaction that makes it, and a replay gets exactly that.

use std::borrow::Cow;
use std::time::Duration;

use guildhall_core::canonical::hex;
use guildhall_core::{Code, Secret, Timestamp};
use guildhall_store::tables::idempotency::{Outcome, Slot};
use guildhall_store::tables::timer::Timer;
use guildhall_store::{Sealer, Tx};

use crate::error::{Error, Result};
use crate::meta::Meta;
use crate::service::Answer;
use crate::timers::ERASE_SECRETS;

/// How long a replay still shows a one-time secret.
pub(crate) const SECRET_LIFETIME: Duration = Duration::from_mins(10);

/// The value of an Idempotency-Key header that has the right shape.
#[derive(Clone, Debug)]
pub struct Key(Secret<String>);

impl Key {
    /// Checks a key: 1 to 255 visible characters.
    pub fn new(text: Cow<'_, str>) -> Result<Self> {
        let fits =
            (1..=255).contains(&text.len()) && text.bytes().all(|b| (0x20..0x7f).contains(&b));
        if !fits {
            return Err(Error::invalid(
                "Idempotency-Key: must be 1 to 255 visible ASCII characters.",
            )
            .suggest("Send a random UUID as Idempotency-Key."));
        }
        Ok(Self(Secret::new(text.into_owned())))
    }

    /// The refusal of a mutation without a key.
    #[must_use]
    pub fn missing() -> Error {
        Error::invalid("Idempotency-Key: every mutation needs this header.")
            .suggest("Send a random UUID as Idempotency-Key, and the same one when you retry.")
    }
}

/// What a request asks for, whichever surface it came in by.
pub struct Asked<'a> {
    /// The parameters of the path, in their order.
    pub path: Vec<Cow<'a, str>>,
    /// The parameters of the query, in any order.
    pub query: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The date-version of the API.
    pub version: &'a str,
    /// The JSON of the body.
    pub body: &'a [u8],
    /// The name of an uploaded file's content.
    pub file: Option<&'a str>,
}

impl Asked<'_> {
    /// What must be the same when a key is used again: path and query as they were understood, the version, the body.
    #[must_use]
    pub fn fingerprint(self, meta: &Meta) -> [u8; 32] {
        let mut parts: Vec<Cow<'_, str>> = vec![meta.path.into()];
        parts.extend(self.path);
        let mut query = self.query;
        query.sort_unstable();
        parts.extend(query.into_iter().flat_map(|(name, text)| [name, text]));
        parts.push(self.version.into());
        let visible = || self.body.iter().filter(|b| !b.is_ascii_whitespace());
        let empty = visible().next().is_none() || visible().eq(b"{}");
        parts.push(match self.file {
            Some(sha256) => sha256.into(),
            None if empty => "".into(),
            None => hex(&crate::digest(self.body)).into(),
        });
        // Each part is preceded by its length, so that no two requests run together into the same bytes.
        let bytes: Vec<u8> = parts
            .iter()
            .flat_map(|part| [&(part.len() as u64).to_be_bytes(), part.as_bytes()].concat())
            .collect();
        crate::digest(&bytes)
    }
}

/// The request's place in the table, and what it asks for.
pub(crate) struct Claim {
    slot: Slot,
    fingerprint: [u8; 32],
    sealer: Sealer,
    now: Timestamp,
    retention: Duration,
}

impl Claim {
    pub(crate) fn new(
        (principal, meta, key): (String, &Meta, &Key),
        fingerprint: [u8; 32],
        sealer: &Sealer,
        now: Timestamp,
        retention: Duration,
    ) -> Self {
        let key_digest = crate::digest(key.0.reveal().as_bytes());
        let slot = Slot { principal, operation: meta.id, key_digest };
        // Whoever reads the table has neither the server's key nor the caller's: both are needed to open a secret.
        let sealer = sealer.derive(key.0.reveal().as_bytes());
        Self { slot, fingerprint, sealer, now, retention }
    }

    /// The answer of an earlier request, if there was one.
    pub(crate) fn replay(&self, tx: &mut Tx<'_>) -> Result<Option<Answer>> {
        let Some(outcome) = tx.find_outcome(&self.slot)? else { return Ok(None) };
        if outcome.expires_at <= self.now {
            tx.delete_outcome(&self.slot)?;
            return Ok(None);
        }
        if outcome.fingerprint != self.fingerprint {
            return Err(Error::new(
                Code::Conflict,
                "The Idempotency-Key was used for a different request.",
            )
            .suggest("Use a new key for a new request."));
        }
        let status = u16::try_from(outcome.status).unwrap_or(500);
        Ok(Some(Answer { status, body: self.open(outcome), wait: None, replayed: true }))
    }

    /// The body with its secret while that may be shown, else without.
    fn open(&self, outcome: Outcome) -> Vec<u8> {
        let shown = self.now < outcome.created_at.after(SECRET_LIFETIME);
        let sealed = outcome.sealed_body.filter(|_| shown);
        sealed
            .and_then(|sealed| self.sealer.open(&sealed, &self.fingerprint))
            .unwrap_or(outcome.body)
    }

    /// Stores the outcome with its effect.
    pub(crate) fn keep(
        &self,
        tx: &mut Tx<'_>,
        meta: &Meta,
        status: u16,
        body: &[u8],
    ) -> Result<()> {
        let secret = meta.secret.filter(|_| status < 400);
        let (shown, sealed_body) = match secret {
            None => (body.to_vec(), None),
            Some(field) => {
                (without(body, field)?, Some(self.sealer.seal(body, &self.fingerprint)?))
            }
        };
        if sealed_body.is_some() {
            self.schedule_erasure(tx)?;
        }
        let outcome = Outcome {
            fingerprint: self.fingerprint,
            status: u32::from(status),
            body: shown,
            sealed_body,
            created_at: self.now,
            expires_at: self.now.after(self.retention),
        };
        Ok(tx.insert_outcome(&self.slot, &outcome)?)
    }

    fn schedule_erasure(&self, tx: &mut Tx<'_>) -> Result<()> {
        let timer = Timer {
            due_at: self.now.after(SECRET_LIFETIME),
            kind: ERASE_SECRETS.to_owned(),
            subject_id: hex(&self.slot.key_digest),
            epoch: 0,
        };
        Ok(tx.set_timer(&timer)?)
    }
}

/// A JSON object without the secret in one of its members.
fn without(body: &[u8], field: &str) -> Result<Vec<u8>> {
    let broken = |error: serde_json::Error| Error::internal(error.to_string());
    let mut object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(body).map_err(broken)?;
    // Of an address whose fragment is the secret, the rest may stay.
    match object.get(field).and_then(|value| value.as_str()).and_then(|text| text.split_once('#')) {
        Some((address, _)) => {
            let address = address.to_owned();
            object.insert(field.to_owned(), address.into());
        }
        None => {
            object.shift_remove(field);
        }
    }
    serde_json::to_vec(&object).map_err(broken)
}
