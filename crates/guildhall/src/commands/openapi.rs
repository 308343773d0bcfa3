//! `guildhall openapi`.

use super::target::load_file;
use crate::cli::ConfigArgs;
use crate::config::Origin;
use crate::failure::Failure;
use crate::output;

/// Where the document says the service is, unless it has been told.
const NOWHERE: &str = "https://guildhall.invalid";

pub(super) fn run(args: &ConfigArgs) -> Result<(), Failure> {
    let loaded = load_file(args.config.as_deref())?;
    let server = &loaded.config.server;
    let is_named = *loaded.origin("server.base_url") != Origin::Default;
    let base_url = if is_named { server.base_url.to_string() } else { NOWHERE.to_owned() };
    let auth_url = server.auth_url.as_ref().map_or_else(|| base_url.clone(), ToString::to_string);
    output::json_document(&guildhall_http::document(&base_url, &auth_url))
}
