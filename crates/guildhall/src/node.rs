//! One running node, from its database to its listener, until it is told to stop.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use guildhall_http::serve as accept;
use guildhall_ops::Clock;
use guildhall_store::{self as store, Db};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::{BaseUrl, Config, Listen, MasterKey};
use crate::development::Development;
use crate::failure::Failure;
use crate::metrics::{self, Numbers};
use crate::{telemetry, workers};

/// How long a worker may take to end what it is doing once the last request is answered.
const WORKERS_GRACE: Duration = Duration::from_secs(3);

/// What a node needs to run.
pub(crate) struct Node {
    pub(crate) config: Config,
    pub(crate) key: MasterKey,
    pub(crate) clock: Clock,
    /// What a development instance has besides.
    pub(crate) development: Option<Development>,
}

impl Node {
    /// Runs until a signal.
    pub(crate) fn run(self) -> Result<(), Failure> {
        // Outlives the runtime, so that the last spans are sent after the last request.
        let _telemetry = telemetry::start(&self.config.log)?;
        let numbers = Numbers::install()?;
        let ran = runtime()?.block_on(self.serve(&numbers));
        tracing::info!("stopped");
        ran
    }

    async fn serve(mut self, numbers: &Numbers) -> Result<(), Failure> {
        let stop = stop_on_signal()?;
        // Whatever ends the node also ends its workers.
        let _stopping = stop.clone().drop_guard();
        let db = open(&self.config).await?;
        let listener = self.listen()?;
        let Self { config, key, clock, development } = self;
        let app =
            App::assemble(&config, &key, db, clock, development.is_some(), stop.clone()).await?;
        app.service.start_timers().await.map_err(|error| Failure::of_service("timers", &error))?;
        let counting = count(&config, numbers, &stop)?;
        let working = workers::start(&app, &stop);
        let extra = development.as_ref().map_or_else(Router::new, |it| it.routes(&app));
        let limits = config.server.connection_limits();
        let router = app.router(extra);
        let demo = match &development {
            Some(development) => {
                let (demo, presence) = development.demo(&app, &config, &key).await?;
                working.spawn(presence.keep(stop.clone()));
                Some(demo)
            }
            None => None,
        };
        let accepting = tokio::spawn(accept::serve(listener, router, limits, stop.clone()));
        tracing::info!(base_url = %config.server.base_url, "ready");
        if let Some((development, demo)) = development.as_ref().zip(demo.as_ref()) {
            development.announce(&config.server, demo)?;
        }
        finish(accepting, &app, &stop, &working).await?;
        counting.abort();
        Ok(())
    }

    /// Opens the port, and takes its address for the base URL if nobody has named one.
    fn listen(&mut self) -> Result<TcpListener, Failure> {
        let server = &mut self.config.server;
        let failed = |error: io::Error| cannot_listen("server.listen", server.listen, &error);
        let listener = accept::bind(server.listen).map_err(failed)?;
        if self.development.as_ref().is_some_and(|it| it.address_is_base) {
            server.base_url = BaseUrl::of_address(listener.local_addr().map_err(failed)?);
        }
        Ok(listener)
    }
}

/// Waits for the end in its order: first no new requests, then the last answers, then the workers, then the database.
async fn finish(
    accepting: tokio::task::JoinHandle<io::Result<()>>,
    app: &App,
    stop: &CancellationToken,
    working: &tokio_util::task::TaskTracker,
) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("the server: {error}"));
    let mut accepting = accepting;
    let ended = tokio::select! {
        ended = &mut accepting => ended,
        () = stop.cancelled() => {
            app.service.end_waits();
            accepting.await
        }
    };
    stop.cancel();
    if tokio::time::timeout(WORKERS_GRACE, working.wait()).await.is_err() {
        // Whatever it is, it is a transaction: it is undone, and tried again after the next start.
        tracing::warn!("a worker did not end in time");
    }
    ended.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}

/// An async runtime with a thread a core.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| Failure::new(format!("cannot start threads: {error}")))
}

/// Opens the database, and brings its schema up to date if that is wanted.
pub(crate) async fn open(config: &Config) -> Result<Db, Failure> {
    let failed = |error: store::Error| {
        Failure::new(format!("database {}: {error}", config.database.url))
            .hint("guildhall doctor looks for the cause")
    };
    let settings = config.database.store();
    if config.database.migrate_on_start {
        let migrated = store::migrate(&settings).await.map_err(failed)?;
        for step in migrated.applied {
            tracing::info!(step, "migrated");
        }
    }
    Db::open(&settings).await.map_err(failed)
}

/// Starts the listener of the metrics and the upkeep of their memory.
fn count(
    config: &Config,
    numbers: &Numbers,
    stop: &CancellationToken,
) -> Result<tokio::task::JoinHandle<()>, Failure> {
    if let Listen::On(address) = config.server.metrics_listen {
        let listener = accept::bind(address)
            .map_err(|error| cannot_listen("server.metrics_listen", address, &error))?;
        tokio::spawn(metrics::serve(listener, numbers.clone(), stop.clone()));
    }
    let numbers = numbers.clone();
    Ok(tokio::spawn(async move { numbers.upkeep().await }))
}

fn cannot_listen(key: &str, address: SocketAddr, error: &io::Error) -> Failure {
    Failure::new(format!("cannot listen on {address}: {error}"))
        .hint(format!("stop what listens there, or set {key} to another address"))
}

/// A token that the first SIGTERM or SIGINT cancels; the second ends the process at once.
fn stop_on_signal() -> Result<CancellationToken, Failure> {
    let failed = |error: io::Error| Failure::new(format!("cannot wait for signals: {error}"));
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let stop = CancellationToken::new();
    let told = stop.clone();
    tokio::spawn(async move {
        for again in [false, true] {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if again {
                std::process::exit(1);
            }
            tracing::info!("stopping");
            told.cancel();
        }
    });
    Ok(stop)
}
