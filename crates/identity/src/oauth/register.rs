//! Clients that register themselves (RFC 7591), look at their registration and end it (RFC 7592).

use guildhall_core::{Secret, Timestamp};
use guildhall_store::Tx;
use guildhall_store::tables::oauth as table;
use serde::{Deserialize, Serialize};

use super::client::{AuthMethod, Metadata, shown_name};
use super::refused::{Denied, OauthError};
use super::{family, redirect, secrets};
use crate::error::{Error, Result};
use crate::random;
use crate::service::Identity;

const MOST_REDIRECTS: usize = 10;
const MAX_TEXT: usize = 200;
/// What any client may ask for.
const SCOPE: &str = "read worker offline_access";

/// What a client says about itself. What is not known here is not taken in, as the RFC says.
#[derive(Debug, Deserialize)]
pub struct Registration {
    #[serde(default)]
    redirect_uris: Vec<String>,
    client_name: Option<String>,
    client_uri: Option<String>,
    software_id: Option<String>,
    software_version: Option<String>,
    token_endpoint_auth_method: Option<String>,
    application_type: Option<String>,
    grant_types: Option<Vec<String>>,
    response_types: Option<Vec<String>>,
}

/// A registration as its client sees it.
#[derive(Debug, Serialize)]
pub struct RegistrationView {
    client_id: String,
    client_id_issued_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret_expires_at: Option<i64>,
    registration_access_token: String,
    registration_client_uri: String,
    scope: &'static str,
    #[serde(flatten)]
    metadata: Metadata,
}

impl Identity {
    /// Registers a client.
    pub async fn register(&self, registration: Registration) -> Result<RegistrationView, Denied> {
        let metadata = check(registration)?;
        let now = self.now();
        let method = metadata.token_endpoint_auth_method;
        let secret = match method {
            AuthMethod::None => None,
            AuthMethod::ClientSecretBasic | AuthMethod::ClientSecretPost => {
                Some(secrets::fresh("gcs_")?)
            }
        };
        let token = secrets::fresh("grt_")?;
        let row = table::Client {
            client_id: format!("client_{}", random::name()?),
            metadata: serde_json::to_string(&metadata).map_err(|e| Error::internal(e.to_string()))?,
            secret_digest: secret.as_ref().map(|secret| secrets::digest(secret.reveal())),
            registration_digest: Some(secrets::digest(token.reveal())),
            fresh_until: None,
            created_at: now,
        };
        let mut view = self.view(&row, metadata, &token);
        view.client_secret_expires_at = secret.as_ref().map(|_| 0);
        view.client_secret = secret.map(|secret| secret.reveal().clone());
        self.db
            .write("oauth_register", move |tx| Ok::<_, Error>(tx.insert_oauth_client(&row)?))
            .await?;
        Ok(view)
    }

    /// A registration, for who holds its token; nothing for anybody else. Its secret was shown once.
    pub async fn registration(
        &self,
        client_id: &str,
        token: &Secret<String>,
    ) -> Result<Option<RegistrationView>> {
        let id = client_id.to_owned();
        let row: Option<table::Client> =
            self.db.read("oauth_registration", move |tx| tx.find_oauth_client(&id)).await?;
        let Some(row) = row.filter(|row| manages(row, token)) else { return Ok(None) };
        let metadata = serde_json::from_str(&row.metadata)
            .map_err(|error| Error::internal(format!("the client {}: {error}", row.client_id)))?;
        Ok(Some(self.view(&row, metadata, token)))
    }

    /// Ends a registration and every token of its client, for who holds its token; says whether that was so.
    pub async fn unregister(&self, client_id: &str, token: &Secret<String>) -> Result<bool> {
        let (id, token, now) = (client_id.to_owned(), token.clone(), self.now());
        self.db.write("oauth_unregister", move |tx| unregister(tx, &id, &token, now)).await
    }

    fn view(&self, row: &table::Client, metadata: Metadata, token: &Secret<String>) -> RegistrationView {
        let issuer = self.oauth.access.issuer();
        RegistrationView {
            client_id: row.client_id.clone(),
            client_id_issued_at: row.created_at.millis().div_euclid(1_000),
            client_secret: None,
            client_secret_expires_at: None,
            registration_access_token: token.reveal().clone(),
            registration_client_uri: format!("{issuer}/oauth2/register/{}", row.client_id),
            scope: SCOPE,
            metadata,
        }
    }
}

fn manages(row: &table::Client, token: &Secret<String>) -> bool {
    let shown = Some(secrets::digest(token.reveal()));
    row.registration_digest.is_some() && secrets::same(row.registration_digest, shown)
}

fn unregister(
    tx: &mut Tx<'_>,
    client_id: &str,
    token: &Secret<String>,
    now: Timestamp,
) -> Result<bool> {
    // Connections are locked before all that hangs on them.
    let connections = tx.lock_connections_of_client(client_id)?;
    let client = tx.lock_oauth_client(client_id)?;
    let Some(client) = client.filter(|row| manages(row, token)) else { return Ok(false) };
    for connection in connections {
        family::end(tx, connection, now)?;
    }
    tx.delete_oauth_client(&client)?;
    Ok(true)
}

fn check(said: Registration) -> Result<Metadata, OauthError> {
    let uris = &said.redirect_uris;
    if uris.is_empty() || uris.len() > MOST_REDIRECTS {
        return Err(OauthError::new("invalid_redirect_uri", "redirect_uris: must have 1 to 10."));
    }
    for uri in uris {
        redirect::check(uri).map_err(|what| {
            OauthError::new("invalid_redirect_uri", format!("redirect_uris: each {what}."))
        })?;
    }
    let native = uris.iter().all(|uri| redirect::is_native(uri));
    let client_name = said.client_name.as_deref().map(shown_name).transpose();
    Ok(Metadata {
        client_name: client_name.map_err(|what| invalid(&format!("client_name: {what}.")))?,
        client_uri: short("client_uri", said.client_uri)?,
        software_id: short("software_id", said.software_id)?,
        software_version: short("software_version", said.software_version)?,
        token_endpoint_auth_method: method(said.token_endpoint_auth_method.as_deref())?,
        application_type: application_type(said.application_type, native)?,
        grant_types: kinds("grant_types", said.grant_types, &["authorization_code", "refresh_token"])?,
        response_types: kinds("response_types", said.response_types, &["code"])?,
        redirect_uris: said.redirect_uris,
    })
}

fn invalid(description: &str) -> OauthError {
    OauthError::new("invalid_client_metadata", description.to_owned())
}

fn short(name: &str, text: Option<String>) -> Result<Option<String>, OauthError> {
    let fits = |text: &String| text.len() <= MAX_TEXT && !text.chars().any(char::is_control);
    if text.as_ref().is_none_or(fits) {
        return Ok(text);
    }
    Err(invalid(&format!("{name}: must have at most {MAX_TEXT} bytes and no control characters.")))
}

fn method(said: Option<&str>) -> Result<AuthMethod, OauthError> {
    match said {
        None | Some("none") => Ok(AuthMethod::None),
        Some("client_secret_basic") => Ok(AuthMethod::ClientSecretBasic),
        Some("client_secret_post") => Ok(AuthMethod::ClientSecretPost),
        Some(_) => Err(invalid(
            "token_endpoint_auth_method: is none, client_secret_basic or client_secret_post.",
        )),
    }
}

/// Many clients leave it out: one whose addresses are all on the owner's machine runs there.
fn application_type(said: Option<String>, native: bool) -> Result<String, OauthError> {
    match said.as_deref() {
        None => Ok(if native { "native" } else { "web" }.to_owned()),
        Some("native" | "web") => Ok(said.unwrap_or_default()),
        Some(_) => Err(invalid("application_type: is native or web.")),
    }
}

/// Those of the kinds that there are here; the first of them has to be among them.
fn kinds(
    name: &str,
    said: Option<Vec<String>>,
    known: &[&str],
) -> Result<Vec<String>, OauthError> {
    let first = known.first().copied().unwrap_or_default();
    let Some(said) = said.filter(|said| !said.is_empty()) else { return Ok(vec![first.to_owned()]) };
    if !said.iter().any(|kind| kind == first) {
        return Err(invalid(&format!("{name}: `{first}` has to be among them.")));
    }
    Ok(known.iter().filter(|kind| said.iter().any(|said| said == *kind)).map(|kind| (*kind).to_owned()).collect())
}
