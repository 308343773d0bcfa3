//! The server under test.

use std::sync::Arc;
use std::time::Duration;

use guildhall_core::Secret;
use guildhall_core::remote::{Fetch, Fetched, Fetching};
use guildhall_http::{App, Settings, Trusted, serve};
use guildhall_identity::{HashCost, Identity};
use guildhall_ops::{Clock, Message, Outcome, Parts, Quotas, Service};
use guildhall_outbound::{Limits, Outbound};
use guildhall_store::{Blobs, Config, Db};
use reqwest::{Method, RequestBuilder};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::answer::Answer;
use crate::database::{Database, Engine};
use crate::faulty;

/// What a test may set before the server starts.
pub struct Setup {
    /// The rate limits: generous unless a test is about them.
    pub quotas: Quotas,
    /// How long an Idempotency-Key is remembered.
    pub retention: Duration,
    /// How many bytes of files an account may keep.
    pub account_quota_bytes: i64,
    /// The platform's part of a worker's share, in basis points.
    pub fee_bps: u16,
    /// The chain that wallets sign for.
    pub chain_id: u64,
    /// The largest JSON body.
    pub max_body_bytes: usize,
    /// The largest uploaded file.
    pub max_upload_bytes: usize,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
    /// The web origins that may call from a browser.
    pub cors_origins: Vec<String>,
    /// Whose word about a peer's address is believed: nobody's, or a loopback peer's.
    pub trust_loopback: bool,
    /// The limits of the accept loop.
    pub limits: serve::Limits,
    /// Changes how the store is opened.
    pub store: fn(&mut Config),
}

impl Default for Setup {
    fn default() -> Self {
        let plenty = 1_000_000;
        Self {
            quotas: Quotas {
                account: plenty,
                agent: plenty,
                ip: plenty,
                sign_in: plenty,
                ..Quotas::default()
            },
            retention: Duration::from_secs(86_400),
            account_quota_bytes: 2 << 30,
            fee_bps: 0,
            chain_id: 31_337,
            max_body_bytes: 1 << 20,
            max_upload_bytes: 32 << 20,
            body_timeout: Duration::from_secs(30),
            cors_origins: Vec::new(),
            trust_loopback: false,
            limits: serve::Limits {
                malformed: guildhall_http::malformed,
                ..serve::Limits::default()
            },
            store: |_| {},
        }
    }
}

/// A running server. It stops when it is dropped.
pub struct Server {
    /// Where it is.
    pub base_url: String,
    /// The service inside, to look under the hood.
    pub service: Arc<Service>,
    /// Accounts and tokens inside.
    pub identity: Arc<Identity>,
    /// Its clock, which a test may move.
    pub clock: Clock,
    /// A plain client.
    pub client: reqwest::Client,
    stop: CancellationToken,
    serving: Option<JoinHandle<()>>,
    place: Arc<Place>,
}

/// What nodes of one service share.
struct Place {
    database: Database,
    folder: TempDir,
    clock: Clock,
    base_url: std::sync::OnceLock<String>,
}

impl Server {
    /// Starts a server with defaults on a fresh database.
    pub async fn start(engine: Engine) -> Self {
        Self::start_with(engine, Setup::default()).await
    }

    /// Starts a server on a fresh database.
    pub async fn start_with(engine: Engine, setup: Setup) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database = Database::create(engine, folder.path()).await;
        Self::start_in(folder, database, setup).await
    }

    /// Starts a server with its files in a folder of the test's choice, on a database of its choice.
    pub async fn start_in(folder: TempDir, database: Database, setup: Setup) -> Self {
        let (clock, base_url) = (Clock::default(), std::sync::OnceLock::new());
        let place = Arc::new(Place { database, folder, clock, base_url });
        Self::join(place, setup).await
    }

    /// Starts another node of the same service.
    pub async fn another_node(&self, setup: Setup) -> Self {
        Self::join(Arc::clone(&self.place), setup).await
    }

    async fn join(place: Arc<Place>, setup: Setup) -> Self {
        let listener = serve::bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
        let here = format!("http://{}", listener.local_addr().expect("an address"));
        // Nodes of one service have one name, whichever of them is asked.
        let named = place.base_url.get_or_init(|| here.clone()).clone();
        let mut config = place.database.config();
        (setup.store)(&mut config);
        let db = Db::open(&config).await.expect("a database");
        let (service, identity) = assemble(&place, &setup, &named, db).await;
        let stop = CancellationToken::new();
        let settings = settings(&setup, &named, stop.clone());
        let app = App { service: Arc::clone(&service), identity: Arc::clone(&identity), settings };
        let router = guildhall_http::router_with(app, faulty::routes(&service));
        let accepting = serve::serve(listener, router, setup.limits, stop.clone());
        let serving = tokio::spawn(async move {
            accepting.await.expect("a clean end");
        });
        let clock = place.clock.clone();
        let client = reqwest::Client::builder().no_proxy().build().expect("a client");
        let serving = Some(serving);
        Self { base_url: here, service, identity, clock, client, stop, serving, place }
    }

    /// Where the service says it is: the address of its first node.
    pub fn public_url(&self) -> &str {
        self.place.base_url.get().expect("a started server")
    }

    /// The folder with the data.
    pub fn folder(&self) -> &std::path::Path {
        self.place.folder.path()
    }

    /// Every table of a PostgreSQL database, as XML.
    pub async fn dump(&self) -> Vec<String> {
        let read = self.service.db().read("dump", |tx| {
            tx.rows::<(String,)>(
                "SELECT query_to_xml('SELECT * FROM ' || quote_ident(table_name), true, false, '')::text \
                 FROM information_schema.tables WHERE table_schema = 'public'",
                Vec::new(),
            )
        });
        let tables: Result<_, guildhall_store::Error> = read.await;
        let tables: Vec<String> =
            tables.expect("a dump").into_iter().map(|(table,)| table).collect();
        assert!(tables.len() > 5, "a dump has tables");
        tables
    }

    /// Moves the clock and runs what is due then.
    pub async fn advance(&self, span: Duration) {
        self.clock.advance(i64::try_from(span.as_millis()).expect("a short span"));
        self.service.run_due_timers().await.expect("timers");
    }

    /// Moves the clock and runs nothing: what is due has not happened yet, and requests must not notice.
    pub fn advance_quietly(&self, span: Duration) {
        self.clock.advance(i64::try_from(span.as_millis()).expect("a short span"));
    }

    /// Sends what is due to webhooks, as the program's worker does, and says how many events that were.
    pub async fn send_webhooks(&self) -> usize {
        let outbound = Arc::new(outbound());
        let mut sent = 0;
        for webhook in self.service.due_webhooks(100).await.expect("webhooks") {
            let post = |message: Message| {
                let outbound = Arc::clone(&outbound);
                async move {
                    let posted = outbound.post(&message.url, &message.headers, message.body).await;
                    posted.map_or_else(
                        |error| Outcome::Unreached(error.to_string()),
                        |answer| Outcome::Answered(answer.status),
                    )
                }
            };
            sent += self.service.send_webhook(webhook, post).await.expect("an outcome");
        }
        sent
    }

    /// A request that has not been sent.
    pub fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        self.client.request(method, format!("{}{path}", self.base_url))
    }

    /// Sends a request without a credential.
    pub async fn get(&self, path: &str) -> Answer {
        send(self.request("GET", path)).await
    }

    /// Stops the server and waits for its end.
    pub async fn stop(mut self) {
        self.stop.cancel();
        if let Some(serving) = self.serving.take() {
            serving.await.expect("a clean end");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Sends a request and reads its answer.
pub async fn send(request: RequestBuilder) -> Answer {
    Answer::read(request.send().await.expect("an answer")).await
}

/// A client that calls this machine too.
fn outbound() -> Outbound {
    Outbound::new(Limits { allow_local: true, ..Limits::default() })
}

/// Goes out for documents, as the program does.
struct Fetcher(Outbound);

impl Fetch for Fetcher {
    fn fetch<'a>(&'a self, url: &'a str, max_bytes: usize) -> Fetching<'a> {
        Box::pin(async move {
            let fetched = self.0.get(url, max_bytes).await.map_err(|error| error.to_string())?;
            let guildhall_outbound::Fetched { media_type, cache_control, bytes } = fetched;
            Ok(Fetched { media_type, cache_control, bytes })
        })
    }
}

async fn assemble(
    place: &Place,
    setup: &Setup,
    base_url: &str,
    db: Db,
) -> (Arc<Service>, Arc<Identity>) {
    let server_key = Secret::new([7; 32]);
    let clock = place.clock.clone();
    let settings = guildhall_identity::Settings {
        auth_url: base_url.to_owned(),
        base_url: base_url.to_owned(),
        chain_id: setup.chain_id,
        hash_cost: HashCost { memory_kib: 64, iterations: 1, parallelism: 1 },
        allow_local: true,
    };
    let fetch: Arc<dyn Fetch> = Arc::new(Fetcher(outbound()));
    let time: guildhall_identity::Clock = Arc::new(move || clock.now());
    let identity = Identity::open(db.clone(), &server_key, &settings, time, Arc::clone(&fetch));
    let identity = Arc::new(identity.await.expect("identity"));
    let service = Service::new(Parts {
        db,
        blobs: Blobs::in_folder(&place.folder.path().join("blobs")).expect("a folder"),
        clock: place.clock.clone(),
        server_key,
        base_url: base_url.to_owned(),
        auth_url: base_url.to_owned(),
        quotas: setup.quotas,
        retention: setup.retention,
        account_quota_bytes: setup.account_quota_bytes,
        fee_bps: setup.fee_bps,
        allow_local: true,
        chain_id: setup.chain_id,
        signer: identity.signer(),
        passkeys: identity.passkey_verifier(),
        fetch,
    });
    service.start_timers().await.expect("timers");
    (service, identity)
}

fn settings(setup: &Setup, base_url: &str, stop: CancellationToken) -> Settings {
    let trust_loopback = setup.trust_loopback;
    Settings {
        base_url: base_url.to_owned(),
        auth_url: base_url.to_owned(),
        max_body_bytes: setup.max_body_bytes,
        max_upload_bytes: setup.max_upload_bytes,
        body_timeout: setup.body_timeout,
        trusted: Trusted::new(move |ip| trust_loopback && ip.is_loopback()),
        cors_origins: setup.cors_origins.clone(),
        stop,
    }
}
