//! One running node, from its database to its listener, until it is told to stop.

use std::io;

use guildhall_http::serve as accept;
use guildhall_store::{self as store, Db};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::{BaseUrl, Config, Listen, MasterKey};
use crate::failure::Failure;
use crate::metrics::{self, Numbers};
use crate::telemetry;

/// What a node needs to run.
pub(crate) struct Node {
    pub(crate) config: Config,
    pub(crate) key: MasterKey,
    /// How far the clock of a development instance is ahead.
    pub(crate) clock_offset_seconds: i64,
    /// Whether `base_url` is simply where the node listens, known once it does.
    pub(crate) address_is_base: bool,
}

impl Node {
    /// Runs until a signal; `ready` is told the final configuration once requests are answered.
    pub(crate) fn run(
        self,
        ready: impl FnOnce(&Config) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        // Outlives the runtime, so that the last spans are sent after the last request.
        let _telemetry = telemetry::start(&self.config.log)?;
        let numbers = Numbers::install()?;
        let ran = runtime()?.block_on(self.serve(&numbers, ready));
        tracing::info!("stopped");
        ran
    }

    async fn serve(
        mut self,
        numbers: &Numbers,
        ready: impl FnOnce(&Config) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let stop = stop_on_signal()?;
        let db = open(&self.config).await?;
        let server = &mut self.config.server;
        let listener = accept::bind(server.listen)
            .map_err(|error| cannot_listen("server.listen", server.listen, &error))?;
        if self.address_is_base {
            let bound = listener.local_addr();
            let bound =
                bound.map_err(|error| cannot_listen("server.listen", server.listen, &error));
            server.base_url = BaseUrl::of_address(bound?);
        }
        let limits = server.connection_limits();
        let counting = count(&self.config, numbers, &stop)?;
        let config = self.config.clone();
        let app = App {
            config: self.config,
            key: self.key,
            db,
            clock_offset_seconds: self.clock_offset_seconds,
        };
        let accepting = tokio::spawn(accept::serve(listener, app.router(), limits, stop.clone()));
        tracing::info!(base_url = %config.server.base_url, "ready");
        if let Err(failure) = ready(&config) {
            stop.cancel();
            return Err(failure);
        }
        let ended =
            accepting.await.map_err(|error| Failure::new(format!("the server: {error}")))?;
        stop.cancel();
        counting.abort();
        ended.map_err(|error| Failure::new(format!("the server: {error}")))
    }
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

fn cannot_listen(key: &str, address: std::net::SocketAddr, error: &io::Error) -> Failure {
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
