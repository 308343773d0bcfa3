//! The address of the database, whose password must not be seen.

use std::fmt;
use std::path::{Path, PathBuf};

use guildhall_store::{Config, Engine};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `sqlite:PATH` or `postgres://…`; it prints without its password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The embedded engine's file at `path`.
    pub(crate) fn sqlite(path: impl AsRef<Path>) -> Self {
        Self(format!("sqlite:{}", path.as_ref().display()))
    }

    /// The engine it names.
    pub(crate) fn engine(&self) -> Engine {
        match self.0.strip_prefix("sqlite:") {
            Some(path) => Engine::Sqlite(PathBuf::from(path)),
            None => Engine::Postgres(self.0.clone()),
        }
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&masked(&self.0))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<DatabaseUrl> for String {
    fn from(url: DatabaseUrl) -> Self {
        url.0
    }
}

impl TryFrom<String> for DatabaseUrl {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text == "sqlite:" {
            return Err("names no file: write sqlite:PATH".to_owned());
        }
        Config::from_url(&text).map(|_| Self(text)).map_err(|_| {
            "must be sqlite:PATH or postgres://user:password@host:port/name".to_owned()
        })
    }
}

/// A secret setting as it may be shown: a database's address without its password, anything else not at all.
pub(crate) fn masked(secret: &str) -> String {
    if secret.starts_with("sqlite:") {
        return secret.to_owned();
    }
    let Some((scheme, rest)) = secret.split_once("://") else { return "…".to_owned() };
    if !matches!(scheme, "postgres" | "postgresql") {
        return "…".to_owned();
    }
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    // A `@` behind the question mark means that the password holds the question mark.
    if query.contains('@') {
        return format!("{scheme}://…");
    }
    // The last `@`, because a password may hold one that should have been escaped.
    let place = match place.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((name, _)) => format!("{name}:…@{host}"),
            None => format!("{user}@{host}"),
        },
        None => place.to_owned(),
    };
    let query: Vec<String> = query.split('&').map(masked_parameter).collect();
    let mark = if query.concat().is_empty() { "" } else { "?" };
    format!("{scheme}://{place}{mark}{}", query.join("&"))
}

fn masked_parameter(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, _)) if name.contains("pass") => format!("{name}=…"),
        _ => pair.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_masked_wherever_it_stands() {
        for (url, shown) in [
            ("sqlite:data/guildhall.db", "sqlite:data/guildhall.db"),
            ("postgres://db/guildhall", "postgres://db/guildhall"),
            ("postgres://u@db/guildhall", "postgres://u@db/guildhall"),
            (
                "postgres://u:canary@db:5432/g?sslmode=require",
                "postgres://u:…@db:5432/g?sslmode=require",
            ),
            ("postgresql://u:can@ry/x@db/g", "postgresql://u:…@db/g"),
            ("postgres://db/g?user=u&password=canary", "postgres://db/g?user=u&password=…"),
            ("postgres://u:ca?nary@db/g", "postgres://…"),
            ("mysql://u:canary@db/g", "…"),
            ("canary", "…"),
        ] {
            assert_eq!(masked(url), shown);
        }
    }

    #[test]
    fn it_never_prints_its_password() {
        let url = DatabaseUrl::try_from("postgres://u:canary@db/g".to_owned()).unwrap();
        assert!(!format!("{url} {url:?}").contains("canary"));
        assert!(matches!(url.engine(), Engine::Postgres(whole) if whole.contains("canary")));
        assert!(DatabaseUrl::try_from("sqlite:".to_owned()).is_err());
        assert!(DatabaseUrl::try_from("mysql://db/g".to_owned()).is_err());
    }
}
