//! Connections: from a URL to a client whose session is set up.

use std::future::poll_fn;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Socket, tls::NoTlsStream};

use crate::error::{Error, Result};

/// How long a server may take until it has let us in.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long one statement may run. Shorter than the time after which a silent connection is given up.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(12);
/// How long a transaction may stand open between two statements.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);
/// The oldest server whose behaviour is known to fit.
const OLDEST_VERSION: u32 = 13;

/// Where the server is and what every session on it begins with.
pub(super) struct Server {
    config: Config,
    settings: String,
}

/// Connects for work that may take its time, such as migrations: no limit but the ones it sets itself.
pub(crate) async fn connect(url: &str) -> Result<(Client, JoinHandle<()>)> {
    let server = Server { config: parse(url)?, settings: common_settings() };
    server.connect(|_| {}).await
}

impl Server {
    /// Reads the URL. Nothing is connected yet.
    pub(super) fn new(url: &str, lock_timeout: Duration) -> Result<Self> {
        let settings = format!(
            "{}; SET lock_timeout = {}; SET statement_timeout = {}; \
             SET idle_in_transaction_session_timeout = {}",
            common_settings(),
            lock_timeout.as_millis().max(1),
            STATEMENT_TIMEOUT.as_millis(),
            IDLE_TIMEOUT.as_millis(),
        );
        Ok(Self { config: parse(url)?, settings })
    }

    /// Opens a session and drives it on the current runtime; `hear` gets its notices and notifications.
    pub(super) async fn connect(
        &self,
        hear: impl FnMut(AsyncMessage) + Send + 'static,
    ) -> Result<(Client, JoinHandle<()>)> {
        timeout(self.limit(), self.enter(hear))
            .await
            .map_err(|_| Error::Unavailable("the database did not answer in time".into()))?
    }

    /// Each of several hosts gets its time, so that one that is silent does not keep us from the next.
    fn limit(&self) -> Duration {
        let hosts = u32::try_from(self.config.get_hosts().len()).unwrap_or(1).max(1);
        *self.config.get_connect_timeout().unwrap_or(&CONNECT_TIMEOUT) * hosts
    }

    async fn enter(
        &self,
        hear: impl FnMut(AsyncMessage) + Send + 'static,
    ) -> Result<(Client, JoinHandle<()>)> {
        let (client, connection) =
            self.config.connect(NoTls).await.map_err(|error| unreachable(&error))?;
        check_version(connection.parameter("server_version"))?;
        let driver = tokio::spawn(drive(connection, hear));
        let (settings, _refusable) = tokio::join!(
            client.batch_execute(&self.settings),
            // Only a superuser may shorten this one; without it a deadlock is found after the server's own second.
            client.batch_execute("SET deadlock_timeout = '200ms'"),
        );
        settings.map_err(|error| unreachable(&error))?;
        Ok((client, driver))
    }
}

/// What no role's or server's default may take away: UTC, the warnings we listen for, and commits that wait for the disk.
fn common_settings() -> String {
    "SET timezone = 'UTC'; SET client_min_messages = warning; \
     SELECT set_config('synchronous_commit', 'on', false) \
     WHERE current_setting('synchronous_commit') = 'off'"
        .to_owned()
}

fn parse(url: &str) -> Result<Config> {
    // The driver knows no `verify-…` and would call it a bad value, which helps nobody.
    let wants_tls = url.contains("sslmode=verify") || url.contains("sslmode=require");
    let no_tls = || {
        let why =
            "TLS to PostgreSQL is not built in yet: use a unix socket, loopback, or a TLS proxy";
        Error::Unavailable(why.into())
    };
    if wants_tls {
        return Err(no_tls());
    }
    let mut config: Config =
        url.parse().map_err(|_| Error::Database("the PostgreSQL URL cannot be read".into()))?;
    if config.get_ssl_mode() == SslMode::Require
        || config.get_ssl_negotiation() == SslNegotiation::Direct
    {
        return Err(no_tls());
    }
    if config.get_ssl_mode() != SslMode::Disable && config.get_hosts().iter().any(is_remote) {
        tracing::warn!("the connection to PostgreSQL leaves this machine without TLS");
    }
    fill_in(&mut config);
    Ok(config)
}

fn is_remote(host: &Host) -> bool {
    match host {
        Host::Tcp(name) if name == "localhost" => false,
        Host::Tcp(name) => {
            !name.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
        }
        Host::Unix(_) => false,
    }
}

/// A peer that vanished must be noticed in seconds, where the driver's defaults take hours.
fn fill_in(config: &mut Config) {
    if config.get_application_name().is_none() {
        config.application_name("guildhall");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(Duration::from_secs(30));
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_idle(Duration::from_secs(30));
        config.keepalives_interval(Duration::from_secs(10));
        config.keepalives_retries(3);
    }
}

fn check_version(version: Option<&str>) -> Result<()> {
    let version = version.unwrap_or("an unknown version");
    let major =
        version.split(|c: char| !c.is_ascii_digit()).next().and_then(|text| text.parse().ok());
    if major.is_some_and(|major: u32| major >= OLDEST_VERSION) {
        return Ok(());
    }
    Err(Error::Unavailable(format!(
        "PostgreSQL {OLDEST_VERSION} or newer is needed, found {version}"
    )))
}

/// Moves bytes until the connection ends, and passes on what the server says unasked.
async fn drive(
    mut connection: Connection<Socket, NoTlsStream>,
    mut hear: impl FnMut(AsyncMessage) + Send,
) {
    loop {
        match poll_fn(|cx| connection.poll_message(cx)).await {
            Some(Ok(message)) => hear(message),
            Some(Err(error)) => return tracing::debug!(%error, "a PostgreSQL connection broke"),
            None => return,
        }
    }
}

fn unreachable(error: &tokio_postgres::Error) -> Error {
    let cause =
        std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    Error::Unavailable(format!("{error}{cause}"))
}
