//! The servers under test, each in a process of its own.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use clap::{Args, Subcommand};
use guildhall_core::Secret;
use guildhall_core::remote::{Fetch, Fetching};
use guildhall_http::{App, Settings, Trusted, serve as accept};
use guildhall_identity::{HashCost, Identity};
use guildhall_ops::{Clock, Parts, Quotas, Service};
use guildhall_store::{Blobs, Config, Db};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::http::HOST;

/// One side of a ratio.
#[derive(Subcommand)]
pub(crate) enum Side {
    /// axum and nothing else, answering every GET /v1/me with the same bytes.
    Bare {
        /// The bytes.
        #[arg(long)]
        body: String,
    },
    /// The service as it is run in production.
    Guildhall(Guildhall),
}

#[derive(Args)]
pub(crate) struct Guildhall {
    /// The database.
    #[arg(long)]
    database: String,
    /// The folder of the files.
    #[arg(long)]
    folder: PathBuf,
    /// Another batch size than the default.
    #[arg(long)]
    max_batch: Option<usize>,
    /// Another number of PostgreSQL connections than the default.
    #[arg(long)]
    workers: Option<usize>,
}

/// Runs a side until standard input ends.
pub(crate) fn run(side: Side) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let stop = CancellationToken::new();
        stop_with_input(stop.clone());
        match side {
            Side::Bare { body } => bare(body, stop).await,
            Side::Guildhall(settings) => guildhall(settings, stop).await,
        }
    })
}

fn stop_with_input(stop: CancellationToken) {
    std::thread::spawn(move || {
        // However the input ends, the one who started this process has gone.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        stop.cancel();
    });
}

fn say_ready(address: SocketAddr) -> Result<()> {
    let mut output = std::io::stdout();
    writeln!(output, "{address}")?;
    Ok(output.flush()?)
}

async fn bare(body: String, stop: CancellationToken) -> Result<()> {
    let body: &'static str = body.leak();
    let answer = move || async move { ([(CONTENT_TYPE, "application/json")], body) };
    let router = Router::new().route("/v1/me", get(answer));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    say_ready(listener.local_addr()?)?;
    tokio::select! {
        () = stop.cancelled() => Ok(()),
        served = axum::serve(listener, router) => Ok(served?),
    }
}

async fn guildhall(settings: Guildhall, stop: CancellationToken) -> Result<()> {
    let _counting = tokio::spawn(count(recorder()?));
    let mut config = Config::from_url(&settings.database).map_err(anyhow::Error::msg)?;
    config.max_batch = settings.max_batch.unwrap_or(config.max_batch);
    config.workers = settings.workers.unwrap_or(config.workers);
    guildhall_store::migrate(&config).await?;
    let db = Db::open(&config).await?;
    let app = assemble(&settings, db, stop.clone()).await?;
    let limits =
        accept::Limits { malformed: guildhall_http::malformed, ..accept::Limits::default() };
    let listener = accept::bind("127.0.0.1:0".parse()?)?;
    say_ready(listener.local_addr()?)?;
    Ok(accept::serve(listener, guildhall_http::router(app), limits, stop).await?)
}

/// The recorder that production installs: counting costs time and is part of the service.
fn recorder() -> Result<PrometheusHandle> {
    let buckets =
        &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
    let seconds = Matcher::Suffix("_seconds".to_owned());
    Ok(PrometheusBuilder::new().set_buckets_for_metric(seconds, buckets)?.install_recorder()?)
}

async fn count(handle: PrometheusHandle) {
    let mut ticks = tokio::time::interval(Duration::from_secs(5));
    loop {
        ticks.tick().await;
        handle.run_upkeep();
    }
}

async fn assemble(settings: &Guildhall, db: Db, stop: CancellationToken) -> Result<App> {
    let base_url = format!("http://{HOST}");
    let server_key = Secret::new([7; 32]);
    let clock = Clock::default();
    let identity_settings = guildhall_identity::Settings {
        auth_url: base_url.clone(),
        base_url: base_url.clone(),
        chain_id: 31_337,
        hash_cost: HashCost::default(),
        allow_local: false,
    };
    let time = clock.clone();
    let time: guildhall_identity::Clock = Arc::new(move || time.now());
    let fetch = Arc::new(Nowhere);
    let identity =
        Identity::open(db.clone(), &server_key, &identity_settings, time, Arc::clone(&fetch) as _)
            .await?;
    let service = Service::new(Parts {
        db,
        blobs: Blobs::in_folder(&settings.folder.join("blobs"))?,
        clock,
        server_key,
        base_url: base_url.clone(),
        auth_url: base_url.clone(),
        quotas: quotas(),
        retention: Duration::from_secs(86_400),
        account_quota_bytes: 2 << 30,
        fee_bps: 0,
        allow_local: false,
        chain_id: 31_337,
        signer: identity.signer(),
        passkeys: identity.passkey_verifier(),
        fetch,
    });
    service.start_timers().await.map_err(|error| anyhow::anyhow!("timers: {error:?}"))?;
    let settings = Settings {
        base_url: base_url.clone(),
        auth_url: base_url,
        max_body_bytes: 1 << 20,
        max_upload_bytes: 32 << 20,
        body_timeout: Duration::from_secs(30),
        trusted: Trusted::new(|_| false),
        cors_origins: Vec::new(),
        stop,
    };
    Ok(App { service, identity: Arc::new(identity), settings })
}

/// No request of a measurement names a document elsewhere.
struct Nowhere;

impl Fetch for Nowhere {
    fn fetch<'a>(&'a self, _: &'a str, _: usize) -> Fetching<'a> {
        Box::pin(async { Err("nothing is fetched here".to_owned()) })
    }
}

/// The limits count, as they do in production, and are never reached.
fn quotas() -> Quotas {
    let plenty = 100_000_000;
    Quotas { account: plenty, agent: plenty, ip: plenty, sign_in: plenty, ..Quotas::default() }
}
