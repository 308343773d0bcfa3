//! Which web pages may use a browser's cookie here: our own.

use axum::http::header;
use axum::http::request::Parts;
use guildhall_core::Code;
use guildhall_ops::{Error, Result};

use crate::app::Settings;

/// Refuses a request that a page of another site made a browser send. Programs send no `Origin` and pass.
pub(crate) fn check(parts: &Parts, settings: &Settings) -> Result<()> {
    let Some(origin) = parts.headers.get(header::ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let own = [&settings.base_url, &settings.auth_url]
        .into_iter()
        .any(|url| of(url) == origin || by_name(of(url)).is_some_and(|named| named == origin));
    if own || settings.cors_origins.iter().any(|allowed| allowed == origin) {
        return Ok(());
    }
    Err(Error::new(Code::Forbidden, "The request comes from a page of another site.")
        .suggest("Sign in from this service's own pages, or add the origin to cors_origins."))
}

/// The same for the form of a page. Our pages send no referrer, and a browser then calls its origin `null`; whether the page
/// was ours it still says in `Sec-Fetch-Site`.
pub(crate) fn check_form(parts: &Parts, settings: &Settings) -> Result<()> {
    let is = |name: &str, value: &str| {
        parts.headers.get(name).is_some_and(|found| found.as_bytes() == value.as_bytes())
    };
    if is("origin", "null") && is("sec-fetch-site", "same-origin") {
        return Ok(());
    }
    check(parts, settings)
}

/// The origin of an address.
fn of(url: &str) -> &str {
    let end = url.find("://").map_or(0, |at| at + 3);
    let host =
        url.get(end..).and_then(|rest| rest.find('/')).map_or(url.len(), |slash| end + slash);
    url.get(..host).unwrap_or(url)
}

/// The same place called `localhost`, if it is this machine's own address: passkeys need a name.
fn by_name(origin: &str) -> Option<String> {
    let addresses = ["http://127.0.0.1", "http://[::1]"];
    let port = addresses.into_iter().find_map(|address| origin.strip_prefix(address))?;
    (port.is_empty() || port.starts_with(':')).then(|| format!("http://localhost{port}"))
}

#[cfg(test)]
mod tests {
    use super::{by_name, of};

    #[test]
    fn only_this_machine_is_called_localhost() {
        for (origin, named) in [
            ("http://127.0.0.1:8080", Some("http://localhost:8080")),
            ("http://[::1]:8080", Some("http://localhost:8080")),
            ("http://127.0.0.1", Some("http://localhost")),
            ("http://127.0.0.1.example", None),
            ("https://127.0.0.1", None),
            ("http://10.0.0.1:8080", None),
        ] {
            assert_eq!(by_name(origin).as_deref(), named, "{origin}");
        }
    }

    #[test]
    fn an_origin_has_no_path() {
        assert_eq!(of("https://a.example/b/c"), "https://a.example");
        assert_eq!(of("http://127.0.0.1:8080"), "http://127.0.0.1:8080");
    }
}
