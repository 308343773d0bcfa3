//! Clients: who asks, and how they prove it.

use guildhall_core::text::Line;
use guildhall_store::tables::oauth as table;
use serde::{Deserialize, Serialize};

use super::document;
use super::parameters::{ClientProof, Parameters, decoded};
use super::redirect;
use super::refused::{Denied, OauthError};
use super::secrets;
use crate::error::{Error, Result};
use crate::service::Identity;

/// How the ids begin that we give.
pub(super) const GIVEN: &str = "client_";

/// A client of the authorization server.
#[derive(Clone, Debug)]
pub struct Client {
    /// Its id: one that it was given when it registered, or the address of its own metadata document.
    pub client_id: String,
    /// What it calls itself. Nobody has checked that.
    pub name: Option<String>,
    /// The host of its metadata document, which it has proven to speak for.
    pub host: Option<String>,
    pub(super) metadata: Metadata,
    pub(super) secret_digest: Option<[u8; 32]>,
}

/// How a client proves who it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthMethod {
    /// Not at all: what it has, the code's verifier and the refresh token, is proof enough.
    #[default]
    None,
    /// By its secret in the Authorization header.
    ClientSecretBasic,
    /// By its secret in the form.
    ClientSecretPost,
}

/// What is kept of what a client says about itself.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Metadata {
    pub(super) redirect_uris: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) client_uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) software_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) software_version: Option<String>,
    pub(super) token_endpoint_auth_method: AuthMethod,
    pub(super) application_type: String,
    pub(super) grant_types: Vec<String>,
    pub(super) response_types: Vec<String>,
}

impl Metadata {
    /// Whether the client says that it can use refresh tokens.
    pub(super) fn refreshes(&self) -> bool {
        self.grant_types.iter().any(|kind| kind == "refresh_token")
    }
}

impl Client {
    pub(super) fn new(row: &table::Client) -> Result<Self> {
        let metadata: Metadata = serde_json::from_str(&row.metadata)
            .map_err(|error| Error::internal(format!("the client {}: {error}", row.client_id)))?;
        Ok(Self {
            client_id: row.client_id.clone(),
            name: metadata.client_name.clone(),
            host: document::is_address(&row.client_id).then(|| redirect::host(&row.client_id)),
            metadata,
            secret_digest: row.secret_digest,
        })
    }

    /// Whether codes may be sent to an address.
    pub(super) fn owns(&self, redirect_uri: &str) -> bool {
        self.metadata.redirect_uris.iter().any(|known| redirect::matches(known, redirect_uri))
    }
}

/// Whether a text can be an id that we gave.
pub(super) fn is_given(client_id: &str) -> bool {
    let digits = client_id.strip_prefix(GIVEN).unwrap_or_default();
    digits.len() == 32 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// A name as people will see it: one short line that hides nothing, or no name at all.
pub(super) fn shown_name(name: &str) -> Result<String, String> {
    Line::<1, 100>::new(name.trim()).map(Line::into_string)
}

/// A client that has proven itself at an endpoint.
pub(super) struct Proven {
    pub(super) client_id: String,
    /// Whether it has a secret, and has shown it.
    pub(super) confidential: bool,
}

impl Identity {
    /// A client that registered itself, if it is known.
    pub(super) async fn registered(&self, client_id: &str) -> Result<Option<Client>> {
        let row = self.registered_row(client_id).await?;
        row.as_ref().map(Client::new).transpose()
    }

    /// The row of a client that registered itself. What cannot be an id of ours is not looked for.
    pub(super) async fn registered_row(&self, client_id: &str) -> Result<Option<table::Client>> {
        if !is_given(client_id) {
            return Ok(None);
        }
        let id = client_id.to_owned();
        Ok(self.db.read("oauth_client", move |tx| tx.find_oauth_client(&id)).await?)
    }

    /// Finds out which client speaks, by what it sends along.
    pub(super) async fn prove(
        &self,
        parameters: &Parameters<'_>,
        proof: &ClientProof,
    ) -> Result<Proven, Denied> {
        let named = parameters.one("client_id")?;
        let posted = parameters.one("client_secret")?;
        let (client_id, secret, method) = match (&proof.basic, posted) {
            (Some(_), Some(_)) => {
                return Err(OauthError::invalid_request("The client proves itself twice.").into());
            }
            (Some(None), None) => return Err(OauthError::invalid_client().into()),
            (Some(Some((user, password))), None) => {
                let (user, password) = (decoded(user), decoded(password.reveal()));
                if named.is_some_and(|named| named != user) {
                    let twice = "client_id: is not the one of the Authorization header.";
                    return Err(OauthError::invalid_request(twice).into());
                }
                (user, Some(password), AuthMethod::ClientSecretBasic)
            }
            (None, Some(secret)) => {
                let id = parameters.needed("client_id")?.to_owned();
                (id, Some(secret.to_owned()), AuthMethod::ClientSecretPost)
            }
            (None, None) => (parameters.needed("client_id")?.to_owned(), None, AuthMethod::None),
        };
        // A client with a document of its own has no secret, and its codes and tokens name it.
        if document::is_address(&client_id) && secret.is_none() {
            return Ok(Proven { client_id, confidential: false });
        }
        let client = self.registered(&client_id).await?.ok_or_else(OauthError::invalid_client)?;
        let expected = client.metadata.token_endpoint_auth_method;
        let shown = secret.as_deref().map(secrets::digest);
        if expected != method || !secrets::same(client.secret_digest, shown) {
            return Err(OauthError::invalid_client().into());
        }
        Ok(Proven { client_id, confidential: shown.is_some() })
    }
}
