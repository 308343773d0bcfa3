//! The one way through: every request of every surface goes this way, and there is no other.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use guildhall_core::passkey::Verifier;
use guildhall_core::receipt::Signer;
use guildhall_core::remote::Fetch;
use guildhall_core::{Code, ConnectionId, RequestId, Secret, Timestamp};
use guildhall_store::{Blobs, Db, ReadTx, Sealer, Tx};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::caller::{self, Caller, Credential, Surface};
use crate::clock::Clock;
use crate::content::{Content, Needs};
use crate::cx::{Env, Setting};
use crate::error::{Error, Result};
use crate::idempotency::{Claim, Key};
use crate::limit::{self, Limiter, Payer, Quotas, Take};
use crate::meta::PUBLIC;
use crate::mint::Mint;
use crate::operation::{Entry, Prepared};

/// How many credentials are remembered as seen live.
const MOST_KNOWN: usize = 65_536;

/// How many things may have to happen before one request can be judged: one deadline can lead to the next.
const MOST_OVERDUE: usize = 8;
/// Whose the keys of requests without a credential are. An answer goes only to who sends the same request again, with all
/// that it proves.
const ANYBODY: &str = "anybody";

/// What the service is made of.
pub struct Parts {
    /// The data.
    pub db: Db,
    /// The files.
    pub blobs: Blobs,
    /// The time.
    pub clock: Clock,
    /// The secret that everything secret at rest is derived from.
    pub server_key: Secret<[u8; 32]>,
    /// Where the service is found.
    pub base_url: String,
    /// Where people and clients sign in.
    pub auth_url: String,
    /// The rate limits.
    pub quotas: Quotas,
    /// How long an Idempotency-Key is remembered.
    pub retention: Duration,
    /// How many bytes of files an account may keep.
    pub account_quota_bytes: i64,
    /// The platform's part of a worker's share, in basis points.
    pub fee_bps: u16,
    /// What the service signs receipts with.
    pub signer: Arc<dyn Signer>,
    /// Who knows what the word of a passkey is made of.
    pub passkeys: Arc<dyn Verifier>,
    /// The chain that wallets sign for.
    pub chain_id: u64,
    /// Whether the loopback of this machine may be named as a place to call: for development and tests.
    pub allow_local: bool,
    /// Who goes out for documents that others name.
    pub fetch: Arc<dyn Fetch>,
}

/// The service behind every surface.
pub struct Service {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) env: Env,
    blobs: Blobs,
    fetch: Arc<dyn Fetch>,
    limiter: Limiter,
    secrets: Sealer,
    retention: Duration,
    /// Credentials that were live when last seen, only to know whose quota to count before the transaction decides.
    known: Mutex<HashMap<Credential, Payer>>,
    /// Whether nobody may wait for a better answer any more.
    waits_ended: watch::Sender<bool>,
}

/// One request, read but not judged.
pub struct Call {
    /// The operation.
    pub entry: &'static Entry,
    /// What the caller proves itself with.
    pub credential: Credential,
    /// Where it comes in.
    pub surface: Surface,
    /// Where the request comes from.
    pub ip: IpAddr,
    /// The request's id.
    pub request_id: RequestId,
    /// The input and the Idempotency-Key, or what is wrong with the request's shape.
    pub prepared: Result<(Prepared, Option<Key>)>,
    /// The digest of what the request asks for.
    pub fingerprint: [u8; 32],
    /// An uploaded file with the name of its content.
    pub file: Option<(String, Bytes)>,
    /// Whether the request counts against a quota; the later looks of a long answer do not.
    pub counted: bool,
}

/// A good answer, or a refusal that was stored as one.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The JSON body.
    pub body: Vec<u8>,
    /// How long the caller is willing to wait for a better answer.
    pub wait: Option<Duration>,
    /// Whether it is the answer of an earlier request with the same key.
    pub replayed: bool,
}

/// What comes of a call.
#[derive(Debug)]
pub struct Reply {
    /// The answer, or why there is none.
    pub result: Result<Answer>,
    /// What is left of the payer's quota.
    pub remaining: Option<u32>,
}

/// Why a look stopped before its end.
enum Halt {
    Error(Error, Option<u32>),
    /// A slice of this payer's quota is needed first.
    Lease(Payer),
    /// The use of this connection has to be noted first.
    Note(ConnectionId),
}

/// How a look is to go.
#[derive(Clone, Copy)]
struct View {
    /// Whether to run the operation.
    run: bool,
    /// Whether to count the request.
    counted: bool,
    /// Whether the use of the connection has been noted, as far as that was possible.
    noted: bool,
}

/// What a look found.
struct Seen {
    answer: Option<Answer>,
    remaining: Option<u32>,
    topic: Option<String>,
    needs: Needs,
}

impl From<guildhall_store::Error> for Halt {
    fn from(error: guildhall_store::Error) -> Self {
        Self::Error(error.into(), None)
    }
}

impl Service {
    /// Puts the service together.
    #[must_use]
    pub fn new(parts: Parts) -> Arc<Self> {
        let env = Env {
            base_url: parts.base_url,
            auth_url: parts.auth_url,
            account_quota_bytes: parts.account_quota_bytes,
            fee_bps: parts.fee_bps,
            signer: parts.signer,
            passkeys: parts.passkeys,
            chain_id: parts.chain_id,
            mint: Mint::default(),
            allow_local: parts.allow_local,
            cursors: Sealer::new(&parts.server_key, "cursors"),
            previews: Sealer::new(&parts.server_key, "previews"),
            webhooks: Sealer::new(&parts.server_key, "webhooks"),
        };
        Arc::new(Self {
            limiter: Limiter::new(parts.quotas, parts.db.is_shared()),
            secrets: Sealer::new(&parts.server_key, "idempotency"),
            db: parts.db,
            clock: parts.clock,
            blobs: parts.blobs,
            fetch: parts.fetch,
            env,
            retention: parts.retention,
            known: Mutex::default(),
            waits_ended: watch::Sender::new(false),
        })
    }

    /// The data, for what is not an operation: health, sign-in, the operator's commands.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The files.
    pub fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// Answers whoever waits for a better answer with the one there is, now and from now on: the program stops.
    pub fn end_waits(&self) {
        self.waits_ended.send_replace(true);
    }

    /// Counts a request that is not an operation against a payer's quota, and says what is left.
    pub async fn admit(&self, payer: &Payer) -> Result<u32> {
        self.limiter.admit(&self.db, payer, self.clock.now()).await
    }

    /// An id for a request.
    pub fn request_id(&self) -> RequestId {
        self.env.mint.name(self.clock.now())
    }

    /// Serves a request.
    pub async fn call(self: &Arc<Self>, call: Call) -> Reply {
        let call = Arc::new(call);
        let mut served = self.serve(&call).await;
        for _ in 0..MOST_OVERDUE {
            let Some(overdue) =
                served.as_ref().err().and_then(|(error, _)| error.awaits().cloned())
            else {
                break;
            };
            if let Err(fault) = self.catch_up(&overdue).await {
                return Reply { result: Err(fault), remaining: None };
            }
            served = self.serve(&call).await;
        }
        match served {
            Ok((answer, remaining)) => Reply { result: Ok(answer), remaining },
            Err((error, remaining)) => Reply { result: Err(error), remaining },
        }
    }

    async fn serve(self: &Arc<Self>, call: &Arc<Call>) -> Served {
        if call.entry.writes { self.write(call).await } else { self.read(call).await }
    }

    async fn read(self: &Arc<Self>, call: &Arc<Call>) -> Served {
        let mut seen = if call.entry.meta.gathers {
            let seen = self.look(call, false, call.counted).await?;
            let content = self.read_content(&seen).await?;
            let answered = self.look_into(call, (true, false), &content).await?;
            Seen { remaining: seen.remaining, ..answered }
        } else {
            self.look(call, true, call.counted).await?
        };
        let Some((answer, wait)) =
            seen.answer.take_if(|answer| answer.wait.is_some()).map(|answer| {
                let wait = answer.wait.unwrap_or_default();
                (answer, wait)
            })
        else {
            return seen.into_served();
        };
        let Some(topic) = seen.topic.clone() else { return Ok((answer, seen.remaining)) };
        self.wait_for_better(call, &topic, answer, wait, seen.remaining).await
    }

    /// Looks again whenever something new was committed, and once in a while without being told.
    async fn wait_for_better(
        self: &Arc<Self>,
        call: &Arc<Call>,
        topic: &str,
        mut answer: Answer,
        wait: Duration,
        remaining: Option<u32>,
    ) -> Served {
        let waiter = self.db.waiter(topic);
        let deadline = Instant::now() + wait;
        let pause = Duration::from_secs(if self.db.is_shared() { 1 } else { 5 });
        let mut ended = self.waits_ended.subscribe();
        loop {
            let woken = waiter.woken();
            if let Some(next) = self.look(call, true, false).await?.answer {
                answer = next;
            }
            if answer.wait.is_none() || Instant::now() >= deadline || *ended.borrow() {
                return Ok((answer, remaining));
            }
            tokio::select! {
                _ = tokio::time::timeout_at(deadline.min(Instant::now() + pause), woken) => {}
                _ = ended.wait_for(|ended| *ended) => {}
            }
        }
    }

    async fn write(self: &Arc<Self>, call: &Arc<Call>) -> Served {
        // What is refused here never gets to the writer; what passes is judged again inside the transaction.
        let payer = self.known_payer(&call.credential);
        let plain = call.file.is_none() && !call.entry.meta.gathers;
        let simple = call.prepared.is_ok() && plain && call.counted;
        let (remaining, content) = if let Some(payer) = payer.filter(|_| simple) {
            let left = self.admit(&payer).await.map_err(|error| (error, Some(0)))?;
            (Some(left), Arc::default())
        } else {
            let seen = self.look(call, false, call.counted).await?;
            (seen.remaining, self.read_content(&seen).await?)
        };
        if let Some((name, bytes)) = &call.file {
            let stored = self.blobs.put(name, bytes.clone()).await;
            stored.map_err(|error| (error.into(), remaining))?;
        }
        let (service, job) = (Arc::clone(self), Arc::clone(call));
        let written = self
            .db
            .write(call.entry.meta.id, move |tx| service.write_once(tx, &job, &content))
            .await;
        match written {
            Ok(answer) => Ok((answer, remaining)),
            Err(error) if error.code() == Code::Unauthorized => {
                self.forget(&call.credential);
                Err(self.count_stranger(call.ip, error).await)
            }
            Err(error) => Err((error, remaining)),
        }
    }

    /// The transaction of a write: who, whether, whether before, then the operation with everything it leaves behind.
    fn write_once(&self, tx: &mut Tx<'_>, call: &Call, content: &Content) -> Result<Answer> {
        let (meta, now) = (&call.entry.meta, self.clock.now());
        let (prepared, key) = call.prepared.as_ref().map_err(Clone::clone)?;
        let caller = caller::authenticate(tx, (&call.credential, call.surface), now)?;
        caller.check_admitted(meta, call.surface)?;
        if let Some(connection) = caller.due_for_note(now) {
            note_use(tx, connection, now)?;
        }
        let claim = key.as_ref().map(|key| {
            let principal = caller.principal().unwrap_or_else(|| ANYBODY.to_owned());
            let subject = (principal, meta, key);
            Claim::new(subject, call.fingerprint, &self.secrets, now, self.retention)
        });
        if let Some(claim) = &claim
            && let Some(answer) = claim.replay(tx)?
        {
            return Ok(answer);
        }
        let setting = self.setting(call, &caller, now, content);
        let (status, body) = match tx.attempt(|tx| prepared.write(tx, &setting))? {
            Ok(ready) => (ready.status.unwrap_or(meta.status), ready.body),
            Err(refusal) if refusal.status() < 500 => (refusal.status(), refusal.body()),
            Err(fault) => return Err(fault),
        };
        if let Some(claim) = &claim {
            claim.keep(tx, meta, status, &body)?;
        }
        Ok(Answer { status, body, wait: None, replayed: false })
    }

    /// Looks until nothing stands between the request and its answer.
    async fn look(
        self: &Arc<Self>,
        call: &Arc<Call>,
        run: bool,
        counted: bool,
    ) -> Result<Seen, (Error, Option<u32>)> {
        self.look_into(call, (run, counted), &Arc::default()).await
    }

    /// The same, with what was read for the run beforehand.
    async fn look_into(
        self: &Arc<Self>,
        call: &Arc<Call>,
        (run, counted): (bool, bool),
        content: &Arc<Content>,
    ) -> Result<Seen, (Error, Option<u32>)> {
        let mut noted = false;
        loop {
            let (service, job) = (Arc::clone(self), Arc::clone(call));
            let (view, content) = (View { run, counted, noted }, Arc::clone(content));
            let looked = self
                .db
                .read(call.entry.meta.id, move |tx| service.look_once(tx, &job, view, &content))
                .await;
            match looked {
                Ok(seen) => return Ok(seen),
                Err(Halt::Error(error, remaining)) => return Err((error, remaining)),
                Err(Halt::Lease(payer)) => {
                    let leased = self.limiter.lease(&self.db, &payer, self.clock.now()).await;
                    leased.map_err(|error| (error, None))?;
                }
                Err(Halt::Note(connection)) => {
                    self.note_use(connection).await;
                    noted = true;
                }
            }
        }
    }

    /// One look: who, how often, whether, in which shape; and for a read, the operation itself.
    fn look_once(
        &self,
        tx: &mut ReadTx<'_>,
        call: &Call,
        view: View,
        content: &Content,
    ) -> Result<Seen, Halt> {
        let (meta, now) = (&call.entry.meta, self.clock.now());
        let caller = match caller::authenticate(tx, (&call.credential, call.surface), now) {
            Ok(Caller::Public) if !meta.credentials.admits(PUBLIC) => {
                return Err(self.stranger(call.ip, caller::no_credential(), now));
            }
            Ok(caller) => caller,
            Err(error) if error.code() == Code::Unauthorized => {
                return Err(self.stranger(call.ip, error, now));
            }
            Err(error) => return Err(Halt::Error(error, None)),
        };
        if let Some(connection) = caller.due_for_note(now).filter(|_| !view.noted) {
            return Err(Halt::Note(connection));
        }
        self.remember(&call.credential, &caller);
        let remaining = if view.counted { Some(self.charge(&caller, call.ip, now)?) } else { None };
        let fail = |error| Halt::Error(error, remaining);
        caller.check_admitted(meta, call.surface).map_err(fail)?;
        let (prepared, _) = call.prepared.as_ref().map_err(|error| fail(error.clone()))?;
        let (setting, topic) = (self.setting(call, &caller, now, content), topic(&caller));
        let (answer, needs) = if view.run {
            let ready = prepared.read(tx, &setting).map_err(fail)?;
            let (status, body, wait) = (meta.status, ready.body, ready.wait);
            (Some(Answer { status, body, wait, replayed: false }), Needs::default())
        } else if meta.gathers {
            (None, prepared.gather(tx, &setting).map_err(fail)?)
        } else {
            (None, Needs::default())
        };
        Ok(Seen { answer, remaining, topic, needs })
    }

    /// Reads what a look found that the run needs.
    async fn read_content(&self, seen: &Seen) -> Result<Arc<Content>, (Error, Option<u32>)> {
        let read = Content::read(&self.blobs, self.fetch.as_ref(), &seen.needs).await;
        read.map(Arc::new).map_err(|error| (error, seen.remaining))
    }

    /// Notes that a connection was used. A read is answered even while nothing can be written.
    async fn note_use(&self, connection: ConnectionId) {
        let now = self.clock.now();
        let noted = self.db.write("note_use", move |tx| note_use(tx, connection, now)).await;
        if let Err(error) = noted {
            tracing::warn!(%connection, detail = error.internal_detail(), "a use was not noted");
        }
    }

    fn setting<'a>(
        &'a self,
        call: &'a Call,
        caller: &'a Caller,
        now: Timestamp,
        content: &'a Content,
    ) -> Setting<'a> {
        let (meta, request_id) = (&call.entry.meta, call.request_id);
        let (env, credential) = (&self.env, &call.credential);
        Setting { meta, caller, credential, now, env, request_id, content }
    }

    fn charge(&self, caller: &Caller, ip: IpAddr, now: Timestamp) -> Result<u32, Halt> {
        let payer = payer(caller).unwrap_or_else(|| Payer::ip(ip));
        match self.limiter.take(&payer, now) {
            Take::Granted(left) => Ok(left),
            Take::Spent(seconds) => Err(Halt::Error(limit::spent(seconds), Some(0))),
            Take::Lease => Err(Halt::Lease(payer)),
        }
    }

    /// A request without a valid credential counts against its address.
    fn stranger(&self, ip: IpAddr, error: Error, now: Timestamp) -> Halt {
        match self.limiter.take(&Payer::ip(ip), now) {
            Take::Granted(left) => Halt::Error(error, Some(left)),
            Take::Spent(seconds) => Halt::Error(limit::spent(seconds), Some(0)),
            Take::Lease => Halt::Lease(Payer::ip(ip)),
        }
    }

    async fn count_stranger(&self, ip: IpAddr, error: Error) -> (Error, Option<u32>) {
        match self.admit(&Payer::ip(ip)).await {
            Ok(left) => (error, Some(left)),
            Err(over) => (over, Some(0)),
        }
    }

    fn known_payer(&self, credential: &Credential) -> Option<Payer> {
        self.known().get(credential).copied()
    }

    fn remember(&self, credential: &Credential, caller: &Caller) {
        let Some(payer) = payer(caller) else { return };
        let mut known = self.known();
        if !known.contains_key(credential) {
            if known.len() >= MOST_KNOWN {
                known.clear();
            }
            known.insert(*credential, payer);
        }
    }

    fn forget(&self, credential: &Credential) {
        self.known().remove(credential);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Credential, Payer>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whose quota a caller's requests count against; a stranger's count against the address.
fn payer(caller: &Caller) -> Option<Payer> {
    match caller {
        Caller::Public => None,
        Caller::Account(account_id) | Caller::Action { account_id, .. } => {
            Some(Payer::Account(*account_id))
        }
        Caller::Agent(agent) => Some(Payer::Agent(agent.live.connection.connection_id)),
    }
}

type Served = Result<(Answer, Option<u32>), (Error, Option<u32>)>;

impl Seen {
    fn into_served(self) -> Served {
        let missing = || (Error::internal("a read gave no answer"), None);
        self.answer.map(|answer| (answer, self.remaining)).ok_or_else(missing)
    }
}

/// The feed whose news a caller can wait for.
fn topic(caller: &Caller) -> Option<String> {
    match caller {
        Caller::Public | Caller::Action { .. } => None,
        Caller::Account(account_id) => Some(account_id.to_string()),
        Caller::Agent(agent) => Some(agent.agent_id().to_string()),
    }
}

/// Notes that a connection was used; one that ended meanwhile is left as it is.
fn note_use(tx: &mut Tx<'_>, connection: ConnectionId, now: Timestamp) -> Result<()> {
    if let Some(mut connection) = tx.lock_connection(connection)?
        && let Ok(step) = connection.note_use(now)
    {
        tx.apply(&mut connection, step)?;
    }
    Ok(())
}
