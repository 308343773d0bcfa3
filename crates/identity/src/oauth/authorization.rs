//! A client's request to act as somebody's agent, checked before anybody is asked to sign in.

use guildhall_core::scope::{Scope, ScopeSet};
use guildhall_core::{Code, Refusal};

use super::client::Client;
use super::document;
use super::parameters::{Parameters, with_query};
use super::redirect;
use super::refused::{Denied, OauthError};
use super::secrets;
use crate::error::Error;
use crate::service::Identity;

const MAX_QUERY: usize = 8 * 1_024;

/// A request that an owner may be asked about.
#[derive(Clone, Debug)]
pub struct Authorization {
    /// Who asks.
    pub client: Client,
    /// Where the answer is sent.
    pub redirect_uri: String,
    /// What is asked for: read, worker or both.
    pub scopes: ScopeSet,
    /// Whether the client wants to stay connected, by refresh tokens.
    pub offline: bool,
    /// How the owner is to be asked.
    pub prompt: Prompt,
    pub(super) challenge: String,
    pub(super) resource: String,
    pub(super) state: Option<String>,
    pub(super) issuer: String,
    host: String,
}

/// How the owner is to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// Not at all: whatever would have to be asked is an error.
    None,
    /// Sign in anew, and then be asked.
    Login,
    /// Be asked, as always.
    Consent,
    /// The client does not say.
    Unsaid,
}

/// Why a request is not even put to an owner.
#[derive(Debug)]
pub enum NotAuthorized {
    /// Shown on a page, and never sent anywhere: nobody knows whose address it would be.
    Shown(Error),
    /// The address to send the browser to.
    SentBack(String),
    /// A fault of the service.
    Fault(Error),
}

impl Authorization {
    /// The address that tells the client that it gets nothing.
    #[must_use]
    pub fn sent_back(&self, error: &str, description: &str) -> String {
        sent_back((&self.redirect_uri, self.state.as_deref(), &self.issuer), error, description)
    }

    /// The host that the answer is sent to, or the scheme of a program's own.
    #[must_use]
    pub fn redirect_host(&self) -> &str {
        &self.host
    }

    /// Where the answer is sent, as a source for the `form-action` of a content security policy.
    #[must_use]
    pub fn redirect_source(&self) -> String {
        redirect::source(&self.redirect_uri)
    }
}

type Return<'a> = (&'a str, Option<&'a str>, &'a str);

fn sent_back((uri, state, issuer): Return<'_>, error: &str, description: &str) -> String {
    let mut answer = vec![("error", error), ("error_description", description)];
    answer.extend(state.map(|state| ("state", state)));
    answer.push(("iss", issuer));
    with_query(uri, &answer)
}

impl Identity {
    /// Checks an authorization request, before anybody signs in. `query` is the raw query string.
    pub async fn authorization(&self, query: &str) -> Result<Authorization, NotAuthorized> {
        if query.len() > MAX_QUERY {
            return Err(shown("The request is too long."));
        }
        let parameters = Parameters::parse(query.as_bytes()).map_err(said)?;
        let client_id = parameters.needed("client_id").map_err(said)?;
        let client = self.client(client_id).await?;
        let redirect_uri = parameters.needed("redirect_uri").map_err(said)?;
        if !client.owns(redirect_uri) {
            return Err(shown("redirect_uri: is not one that the client has registered."));
        }
        let issuer = self.oauth.access.issuer();
        let state = parameters.one("state").ok().flatten();
        self.check(&parameters, &client).map_or_else(
            |refused| {
                let back = sent_back(
                    (redirect_uri, state, issuer),
                    refused.error,
                    &refused.description,
                );
                Err(NotAuthorized::SentBack(back))
            },
            |asked| {
                Ok(Authorization {
                    redirect_uri: redirect_uri.to_owned(),
                    scopes: asked.scopes,
                    offline: asked.offline,
                    prompt: asked.prompt,
                    challenge: asked.challenge,
                    resource: self.oauth.access.resource().to_owned(),
                    state: state.map(str::to_owned),
                    issuer: issuer.to_owned(),
                    host: redirect::host(redirect_uri),
                    client: client.clone(),
                })
            },
        )
    }

    /// The client of an id, registered or by its document.
    async fn client(&self, client_id: &str) -> Result<Client, NotAuthorized> {
        if document::is_address(client_id) {
            return self.document_client(client_id).await.map_err(|denied| match denied {
                Denied::Refused(refused) => said(refused),
                Denied::Fault(fault) => NotAuthorized::Fault(fault),
            });
        }
        let found = self.registered(client_id).await.map_err(NotAuthorized::Fault)?;
        found.ok_or_else(|| {
            let refusal = Refusal::new(Code::InvalidRequest, "client_id: is not known here.")
                .suggest("Remove the connection in the client and add it again, so that it registers anew.");
            NotAuthorized::Shown(refusal.into())
        })
    }

    fn check(&self, parameters: &Parameters<'_>, client: &Client) -> Result<Asked, OauthError> {
        parameters.one("state")?;
        if parameters.one("request")?.is_some() {
            return Err(OauthError::new("request_not_supported", "request: is not supported."));
        }
        if parameters.one("request_uri")?.is_some() {
            let description = "request_uri: is not supported.";
            return Err(OauthError::new("request_uri_not_supported", description));
        }
        if parameters.needed("response_type")? != "code" {
            let description = "response_type: must be `code`.";
            return Err(OauthError::new("unsupported_response_type", description));
        }
        if parameters.one("response_mode")?.is_some_and(|mode| mode != "query") {
            return Err(OauthError::invalid_request("response_mode: must be `query`."));
        }
        let challenge = challenge(parameters)?;
        self.check_resource(parameters)?;
        let (scopes, offline) = match parameters.one("scope")? {
            // Who does not say gets what every client needs.
            None => (ScopeSet::WORKING, client.metadata.refreshes()),
            Some(scope) => scopes(scope)?,
        };
        // A token that could only be refreshed would be good for nothing.
        let scopes = if scopes.is_empty() { ScopeSet::WORKING } else { scopes };
        Ok(Asked { challenge, scopes, offline, prompt: prompt(parameters)? })
    }

    /// There is one resource; who names another is not to get a token for this one.
    pub(super) fn check_resource(&self, parameters: &Parameters<'_>) -> Result<(), OauthError> {
        let resource = self.oauth.access.resource();
        if parameters.all("resource").all(|asked| asked == resource) {
            return Ok(());
        }
        Err(OauthError::new("invalid_target", format!("resource: must be {resource}.")))
    }
}

/// What a request asks for.
struct Asked {
    challenge: String,
    scopes: ScopeSet,
    offline: bool,
    prompt: Prompt,
}

fn challenge(parameters: &Parameters<'_>) -> Result<String, OauthError> {
    let challenge = parameters.needed("code_challenge")?;
    if parameters.one("code_challenge_method")? != Some("S256") {
        return Err(OauthError::invalid_request("code_challenge_method: must be `S256`."));
    }
    if !secrets::is_challenge(challenge) {
        return Err(OauthError::invalid_request(
            "code_challenge: must be the base64url of a SHA-256, 43 characters.",
        ));
    }
    Ok(challenge.to_owned())
}

/// The scopes of a request, and whether refresh tokens are among them.
pub(super) fn scopes(words: &str) -> Result<(ScopeSet, bool), OauthError> {
    words.split_ascii_whitespace().try_fold((ScopeSet::NONE, false), |(set, offline), word| {
        match word {
            "read" => Ok((set.with(Scope::Read), offline)),
            "worker" => Ok((set.with(Scope::Worker), offline)),
            "offline_access" => Ok((set, true)),
            "agent-buyer" => Err(OauthError::invalid_scope(
                "agent-buyer is never given here: the owner binds a spending policy to the connection.",
            )),
            _ => Err(OauthError::invalid_scope(
                "The scopes are read, worker and offline_access.",
            )),
        }
    })
}

fn prompt(parameters: &Parameters<'_>) -> Result<Prompt, OauthError> {
    let Some(words) = parameters.one("prompt")? else { return Ok(Prompt::Unsaid) };
    let words: Vec<&str> = words.split_ascii_whitespace().collect();
    let known = ["none", "login", "consent", "select_account"];
    if !words.iter().all(|word| known.contains(word)) {
        return Err(OauthError::invalid_request("prompt: is none, login or consent."));
    }
    match words.as_slice() {
        ["none"] => Ok(Prompt::None),
        words if words.contains(&"none") => {
            Err(OauthError::invalid_request("prompt: `none` stands alone."))
        }
        // Signing in anew is how one chooses another account here.
        words if words.contains(&"login") || words.contains(&"select_account") => Ok(Prompt::Login),
        _ => Ok(Prompt::Consent),
    }
}

fn shown(reason: &'static str) -> NotAuthorized {
    NotAuthorized::Shown(Error::refused(Code::InvalidRequest, reason))
}

fn said(refused: OauthError) -> NotAuthorized {
    NotAuthorized::Shown(Error::refused(Code::InvalidRequest, refused.description))
}
