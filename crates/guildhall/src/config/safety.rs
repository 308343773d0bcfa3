//! What `serve` refuses to run with: each setting is valid, and together they are unsafe.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use guildhall_store::Engine;

use super::values::{Listen, WebOrigin};
use super::{Config, Identity, Problem};

/// Everything that is unsafe, each with what would make it safe.
pub(crate) fn unsafe_settings(config: &Config) -> Vec<Problem> {
    let rules: &[fn(&Config) -> Option<Problem>] = &[
        plain_address,
        plain_sign_in,
        plain_listener,
        key,
        metrics,
        database,
        passwords,
        proxies,
        cors,
    ];
    rules.iter().filter_map(|rule| rule(config)).collect()
}

fn plain_address(config: &Config) -> Option<Problem> {
    let url = &config.server.base_url;
    (!url.is_https() && !url.is_loopback()).then(|| {
        Problem::at(
            format!("server.base_url = {url}"),
            "is plain http, so passwords and keys would cross the network in the clear",
            "put a TLS proxy in front and set server.base_url to its https:// address",
        )
    })
}

fn plain_sign_in(config: &Config) -> Option<Problem> {
    let url = config.server.auth_url.as_ref()?;
    (!url.is_https() && !url.is_loopback()).then(|| {
        Problem::at(
            format!("server.auth_url = {url}"),
            "is plain http, so passwords would cross the network in the clear",
            "set server.auth_url to an https:// address, or leave it out",
        )
    })
}

fn plain_listener(config: &Config) -> Option<Problem> {
    let (listen, url) = (config.server.listen, &config.server.base_url);
    (!listen.ip().is_loopback() && !url.is_https()).then(|| {
        Problem::at(
            format!("server.listen = {listen} with server.base_url = {url}"),
            "other machines could reach the service without encryption",
            "listen on 127.0.0.1, or set server.base_url to the https:// address of the proxy in front",
        )
    })
}

fn key(config: &Config) -> Option<Problem> {
    let fault = config.secrets.master_key().err()?;
    Some(Problem::at(
        "secrets",
        fault,
        "write 32 random bytes into a file of your own (umask 077; openssl rand -hex 32 > secret.key) and set secrets.key_file",
    ))
}

fn metrics(config: &Config) -> Option<Problem> {
    let Listen::On(address) = config.server.metrics_listen else { return None };
    (!address.ip().is_loopback() && !config.server.metrics_public).then(|| {
        Problem::at(
            format!("server.metrics_listen = {address}"),
            "other machines could read the metrics",
            "listen on 127.0.0.1, set it to off, or say server.metrics_public = true",
        )
    })
}

fn database(config: &Config) -> Option<Problem> {
    let Engine::Sqlite(path) = config.database.store().engine else { return None };
    let folder = nearest_folder(&path)?;
    let mode = folder.metadata().ok()?.permissions().mode();
    (mode & 0o002 != 0).then(|| {
        Problem::at(
            format!("database.url = {}", config.database.url),
            format!("anyone on this machine can write in {}", folder.display()),
            "keep the database in a folder that only the service's user can write in (chmod 700)",
        )
    })
}

/// The folder that holds the file, or will once it is made.
fn nearest_folder(path: &Path) -> Option<&Path> {
    let folders = path.ancestors().skip(1);
    let named = folders.map(|folder| if folder == Path::new("") { Path::new(".") } else { folder });
    named.into_iter().find(|folder| folder.is_dir())
}

fn passwords(config: &Config) -> Option<Problem> {
    let (memory, passes) =
        (config.identity.password_memory_kib, config.identity.password_iterations);
    let (least, fewest) = (Identity::LEAST_MEMORY_KIB, Identity::FEWEST_ITERATIONS);
    (memory < least || passes < fewest).then(|| {
        Problem::at(
            format!(
                "identity.password_memory_kib = {memory}, identity.password_iterations = {passes}"
            ),
            "passwords would be cheap to guess from a stolen database",
            format!("use at least {least} KiB and {fewest} iterations"),
        )
    })
}

fn proxies(config: &Config) -> Option<Problem> {
    let anyone = config.server.trusted_proxies.iter().find(|network| network.is_anyone())?;
    Some(Problem::at(
        format!("server.trusted_proxies has {}", String::from(*anyone)),
        "anyone could claim any address and pass the limits",
        "name the addresses of your own proxies",
    ))
}

fn cors(config: &Config) -> Option<Problem> {
    config.server.cors_origins.contains(&WebOrigin::Any).then(|| {
        Problem::at(
            "server.cors_origins has *",
            "any web page could call the API from its visitor's browser",
            "name the origins that need it",
        )
    })
}
