//! What the node is made of, put together from the configuration.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use guildhall_core::remote::Fetch;
use guildhall_http::Trusted;
use guildhall_identity::{HashCost, Identity};
use guildhall_ops::{Clock, Parts, Quotas, Service};
use guildhall_outbound::{Limits, Outbound};
use guildhall_store::{Blobs, Db};
use tokio_util::sync::CancellationToken;

use crate::config::{self, Config, MasterKey};
use crate::failure::Failure;
use crate::fetcher::Fetcher;

/// The service with everything it needs, before it is put on a listener.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) service: Arc<Service>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) outbound: Arc<Outbound>,
    surface: guildhall_http::Settings,
}

impl App {
    /// Puts the parts together. `allow_local` lets others name places on this machine to be called; `stop` ends answers
    /// that would go on for ever.
    pub(crate) async fn assemble(
        config: &Config,
        key: &MasterKey,
        db: Db,
        clock: Clock,
        allow_local: bool,
        stop: CancellationToken,
    ) -> Result<Self, Failure> {
        let folder = &config.storage.blobs;
        let blobs = Blobs::in_folder(folder).map_err(|error| {
            Failure::new(format!("storage.blobs = {}: {error}", folder.display()))
        })?;
        let outbound = Arc::new(Outbound::new(Limits { allow_local, ..Limits::default() }));
        let fetch: Arc<dyn Fetch> = Arc::new(Fetcher(Arc::clone(&outbound)));
        let identity =
            identity(config, key, db.clone(), clock.clone(), (Arc::clone(&fetch), allow_local))
                .await?;
        let service = Service::new(Parts {
            db,
            blobs,
            clock,
            server_key: key.clone(),
            base_url: config.server.base_url.to_string(),
            auth_url: config.server.auth_url().to_string(),
            quotas: quotas(&config.limits),
            retention: seconds(config.limits.idempotency_retention_seconds),
            account_quota_bytes: i64::try_from(config.storage.account_quota_bytes)
                .unwrap_or(i64::MAX),
            fee_bps: config.market.fee_bps,
            signer: identity.signer(),
            passkeys: identity.passkey_verifier(),
            chain_id: config.wallets.chain_id,
            allow_local,
            fetch,
        });
        let surface = surface(&config.server, stop);
        Ok(Self { service, identity: Arc::new(identity), outbound, surface })
    }

    /// The routes of the service, with some that only this kind of instance has.
    pub(crate) fn router(&self, extra: Router) -> Router {
        let app = guildhall_http::App {
            service: Arc::clone(&self.service),
            identity: Arc::clone(&self.identity),
            settings: self.surface.clone(),
        };
        let extra = extra.merge(guildhall_mcp::routes(app.clone()));
        guildhall_http::router_with(app, extra)
    }
}

/// Accounts, sessions and tokens of an instance.
pub(crate) async fn identity(
    config: &Config,
    key: &MasterKey,
    db: Db,
    clock: Clock,
    (fetch, allow_local): (Arc<dyn Fetch>, bool),
) -> Result<Identity, Failure> {
    let settings = guildhall_identity::Settings {
        auth_url: config.server.auth_url().to_string(),
        base_url: config.server.base_url.to_string(),
        chain_id: config.wallets.chain_id,
        hash_cost: HashCost {
            memory_kib: config.identity.password_memory_kib,
            iterations: config.identity.password_iterations,
            parallelism: config.identity.password_lanes,
        },
        allow_local,
    };
    let opened = Identity::open(db, key, &settings, Arc::new(move || clock.now()), fetch).await;
    opened.map_err(|error| {
        Failure::new(format!("accounts and signing keys: {error}"))
            .hint("the database belongs to the secret key it was first used with")
    })
}

fn quotas(limits: &config::Limits) -> Quotas {
    Quotas {
        window: seconds(limits.window_seconds),
        account: limits.account,
        agent: limits.agent,
        ip: limits.ip,
        sign_in: limits.sign_in,
    }
}

fn surface(server: &config::Server, stop: CancellationToken) -> guildhall_http::Settings {
    let proxies = server.trusted_proxies.clone();
    guildhall_http::Settings {
        base_url: server.base_url.to_string(),
        auth_url: server.auth_url().to_string(),
        max_body_bytes: bytes(server.max_body_bytes),
        max_upload_bytes: bytes(server.max_upload_bytes),
        body_timeout: Duration::from_secs(server.body_timeout_seconds),
        trusted: Trusted::new(move |ip| proxies.iter().any(|proxy| proxy.contains(ip))),
        cors_origins: server.cors_origins.iter().cloned().map(String::from).collect(),
        stop,
    }
}

fn seconds(seconds: u32) -> Duration {
    Duration::from_secs(seconds.into())
}

fn bytes(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
