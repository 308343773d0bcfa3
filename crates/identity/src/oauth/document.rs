//! Clients that are known by the address of a document about themselves (Client ID Metadata Documents).
//!
//! Whoever can put the document at the address speaks for its host, so nobody registers. We fetch what a stranger names:
//! from public hosts only, little of it, not for long, and not many at once.

use std::time::Duration;

use guildhall_core::Timestamp;
use guildhall_core::remote::{Fetched, RemoteUrl};
use guildhall_store::tables::oauth as table;
use serde::Deserialize;
use serde_json::Value;

use super::client::{AuthMethod, Client, Metadata, shown_name};
use super::redirect;
use super::refused::{Denied, OauthError};
use crate::error::{Error, Result};
use crate::service::Identity;

const MAX_BYTES: usize = 5 * 1_024;
const MAX_WAIT: Duration = Duration::from_secs(3);
const MOST_REDIRECTS: usize = 20;
/// How long a document is kept whose sender does not say.
const KEPT: Duration = Duration::from_mins(5);
/// How long one is kept at most, whatever its sender says.
const MOST_KEPT: Duration = Duration::from_hours(24);

/// What a document has to say, and what it must not.
#[derive(Deserialize)]
struct Document {
    client_id: String,
    client_name: String,
    redirect_uris: Vec<String>,
    #[serde(default)]
    client_uri: Option<String>,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
    #[serde(default)]
    grant_types: Option<Vec<String>>,
    #[serde(default)]
    client_secret: Option<Value>,
    #[serde(default)]
    client_secret_expires_at: Option<Value>,
}

/// Whether a client's id is the address of its document. No id that we give begins like that.
pub(super) fn is_address(client_id: &str) -> bool {
    client_id.starts_with("https://") || client_id.starts_with("http://")
}

impl Identity {
    /// The client whose document is at an address: by the copy that is still good, or by the document itself.
    pub(super) async fn document_client(&self, client_id: &str) -> Result<Client, Denied> {
        self.check_address(client_id)?;
        let (id, now) = (client_id.to_owned(), self.now());
        let kept: Option<table::Client> =
            self.db.read("oauth_client", move |tx| tx.find_oauth_client(&id)).await.map_err(Error::from)?;
        let fresh = kept.filter(|row| row.fresh_until.is_some_and(|until| now < until));
        if let Some(row) = fresh {
            return Ok(Client::new(&row)?);
        }
        let fetched = self.fetch_document(client_id).await?;
        let metadata = read(client_id, &fetched)?;
        let row = table::Client {
            client_id: client_id.to_owned(),
            metadata: serde_json::to_string(&metadata).map_err(|e| Error::internal(e.to_string()))?,
            secret_digest: None,
            registration_digest: None,
            fresh_until: fresh_until(fetched.cache_control.as_deref(), now),
            created_at: now,
        };
        let client = Client::new(&row)?;
        if row.fresh_until.is_some() {
            self.db
                .write("oauth_document", move |tx| Ok::<_, Error>(tx.keep_oauth_document(&row)?))
                .await?;
        }
        Ok(client)
    }

    /// An address is written in one way only: no dots to climb, no user, no fragment, a path.
    fn check_address(&self, client_id: &str) -> Result<(), OauthError> {
        let refused = |what: String| OauthError::invalid_request(format!("client_id: {what}."));
        let url = RemoteUrl::parse(client_id, self.oauth.allow_local).map_err(refused)?;
        if url.to_string() != client_id || url.path_and_query() == "/" {
            return Err(refused("must be written as browsers write it, and have a path".to_owned()));
        }
        Ok(())
    }

    async fn fetch_document(&self, client_id: &str) -> Result<Fetched, Denied> {
        let busy = || Error::unavailable("too many clients' documents are being fetched");
        let _turn = tokio::time::timeout(MAX_WAIT, self.oauth.fetches.acquire())
            .await
            .map_err(|_| busy())?
            .map_err(|_| busy())?;
        let fetching = self.oauth.fetch.fetch(client_id, MAX_BYTES);
        let fetched = tokio::time::timeout(MAX_WAIT, fetching).await;
        let why = match fetched {
            Ok(Ok(fetched)) => return Ok(fetched),
            Ok(Err(why)) => why,
            Err(_) => "the host did not answer in time".to_owned(),
        };
        Err(refused(&format!("cannot be fetched: {why}")).into())
    }
}

fn refused(what: &str) -> OauthError {
    OauthError::invalid_request(format!("client_id: its document {what}."))
}

/// Reads a document.
fn read(client_id: &str, fetched: &Fetched) -> Result<Metadata, OauthError> {
    let essence = fetched.media_type.as_deref().and_then(|full| full.split(';').next());
    let essence = essence.unwrap_or_default().trim().to_ascii_lowercase();
    if essence != "application/json" && !essence.ends_with("+json") {
        return Err(refused("is not sent as application/json"));
    }
    let document: Document = serde_json::from_slice(&fetched.bytes)
        .map_err(|error| refused(&format!("cannot be read: {error}")))?;
    if document.client_id != client_id {
        return Err(refused("names another client_id"));
    }
    if document.client_secret.is_some() || document.client_secret_expires_at.is_some() {
        return Err(refused("has a client_secret, which everybody could read"));
    }
    if document.token_endpoint_auth_method.is_some_and(|method| method != "none") {
        return Err(refused("must have `none` as its token_endpoint_auth_method"));
    }
    let uris = &document.redirect_uris;
    if uris.is_empty() || uris.len() > MOST_REDIRECTS {
        return Err(refused("must have 1 to 20 redirect_uris"));
    }
    for uri in uris {
        redirect::check(uri).map_err(|what| refused(&format!("has a redirect_uri that {what}")))?;
    }
    let name = shown_name(&document.client_name)
        .map_err(|what| refused(&format!("has a client_name that {what}")))?;
    let native = uris.iter().all(|uri| redirect::is_native(uri));
    Ok(Metadata {
        redirect_uris: document.redirect_uris,
        client_name: Some(name),
        client_uri: document.client_uri,
        software_id: None,
        software_version: None,
        token_endpoint_auth_method: AuthMethod::None,
        application_type: if native { "native" } else { "web" }.to_owned(),
        grant_types: document.grant_types.unwrap_or_else(|| vec!["authorization_code".to_owned()]),
        response_types: vec!["code".to_owned()],
    })
}

/// Until when a document may be kept, by what its sender says; nothing if it may not be.
fn fresh_until(cache_control: Option<&str>, now: Timestamp) -> Option<Timestamp> {
    let said = cache_control.unwrap_or_default().to_ascii_lowercase();
    let words: Vec<&str> = said.split(',').map(str::trim).collect();
    if words.iter().any(|word| matches!(*word, "no-store" | "no-cache" | "private")) {
        return None;
    }
    let age = words.iter().find_map(|word| word.strip_prefix("max-age="));
    let age = match age.map(|seconds| seconds.trim_matches('"').parse()) {
        None => KEPT,
        Some(Ok(seconds)) => Duration::from_secs(seconds),
        // Who says something that cannot be read does not say that it may be kept.
        Some(Err(_)) => Duration::ZERO,
    };
    (!age.is_zero()).then(|| now.after(age.min(MOST_KEPT)))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
    const ID: &str = "https://app.example.com/client.json";

    fn document(change: impl FnOnce(&mut Value)) -> Result<Metadata, OauthError> {
        let mut document = json!({
            "client_id": ID, "client_name": "App", "redirect_uris": ["https://app.example.com/cb"],
            "logo_uri": "http://169.254.169.254/", "token_endpoint_auth_method": "none",
        });
        change(&mut document);
        let bytes = Bytes::from(document.to_string());
        let media_type = Some("application/json; charset=utf-8".to_owned());
        read(ID, &Fetched { media_type, cache_control: None, bytes })
    }

    /// "`client_id` in document equals URL by string compare, `client_name` + `redirect_uris` required, no `client_secret*`,
    /// auth method none"
    #[test]
    fn a_document_says_what_it_has_to_and_no_secret() {
        let read = document(|_| ()).unwrap();
        assert_eq!(read.client_name.as_deref(), Some("App"));
        assert!(!read.refreshes());
        let changes: [fn(&mut Value); 11] = [
            |d| d["client_id"] = json!("https://app.example.com/Client.json"),
            |d| d["client_id"] = json!(null),
            |d| d["client_name"] = json!(""),
            |d| d["client_name"] = json!("App\u{202e}ppA"),
            |d| drop(d.as_object_mut().unwrap().remove("client_name")),
            |d| d["redirect_uris"] = json!([]),
            |d| d["redirect_uris"] = json!(["javascript:alert(1)"]),
            |d| drop(d.as_object_mut().unwrap().remove("redirect_uris")),
            |d| d["client_secret"] = json!("x"),
            |d| d["client_secret_expires_at"] = json!(0),
            |d| d["token_endpoint_auth_method"] = json!("client_secret_basic"),
        ];
        for change in changes {
            assert_eq!(document(change).unwrap_err().error, "invalid_request");
        }
        let html = Some("text/html".to_owned());
        let bytes = Bytes::from_static(b"{}");
        assert!(super::read(ID, &Fetched { media_type: html, cache_control: None, bytes }).is_err());
    }

    /// "cache by HTTP headers"
    #[test]
    fn a_copy_is_good_as_long_as_its_sender_says_and_a_day_at_most() {
        let kept = |said: Option<&str>| fresh_until(said, NOW).map(|until| until.since(NOW));
        assert_eq!(kept(None), Some(KEPT));
        assert_eq!(kept(Some("public, max-age=60")), Some(Duration::from_secs(60)));
        assert_eq!(kept(Some("max-age=99999999")), Some(MOST_KEPT));
        for never in ["no-store", "no-cache", "private", "max-age=0", "Max-Age=60, No-Store", "max-age=x"] {
            assert_eq!(kept(Some(never)), None, "{never}");
        }
    }
}
