//! An OAuth client asks for a connection, and the owner decides.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use guildhall_core::agent::Agent;
use guildhall_core::scope::{Scope, ScopeSet};
use guildhall_core::text::Line;
use guildhall_core::{AccountId, Code};
use guildhall_identity::oauth::{Authorization, NotAuthorized, Prompt};
use guildhall_identity::{AccountView, SessionView};
use guildhall_ops::{Consent, ConsentedAgent, Error, Payer, Result};
use guildhall_pages::{AgentChoice, ConsentPage};

use super::visit::{Visit, asked, encoded, sent, stale};
use super::{failure, led_to, shown};
use crate::app::App;
use crate::auth::Failed;
use crate::rest;

const PURPOSE: &str = "consent";

/// How many agents are offered; the newest come first.
const MOST_AGENTS: i64 = 100;

/// `GET /api/auth/oauth2/authorize`: everything about the request is checked before anybody is asked to sign in.
pub(super) async fn authorize(State(app): State<Arc<App>>, request: Request) -> Response {
    answered(begin(app, request).await)
}

/// `POST /api/auth/oauth2/consent`: what the owner decided.
pub(super) async fn decide(State(app): State<Arc<App>>, request: Request) -> Response {
    answered(decided(app, request).await)
}

/// Why a request came to nothing: on a page, or back at the client.
enum Ended {
    Shown(Error),
    SentBack(String),
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self::Shown(error)
    }
}

impl From<NotAuthorized> for Ended {
    fn from(refused: NotAuthorized) -> Self {
        match refused {
            NotAuthorized::Shown(denied) | NotAuthorized::Fault(denied) => {
                Self::Shown(Failed::from(denied).into_error())
            }
            NotAuthorized::SentBack(address) => Self::SentBack(address),
        }
    }
}

fn answered(result: Result<Response, Ended>) -> Response {
    match result {
        Ok(response) => response,
        Err(Ended::Shown(error)) => failure(&error),
        Err(Ended::SentBack(address)) => led_to(&address),
    }
}

async fn begin(app: Arc<App>, request: Request) -> Result<Response, Ended> {
    let visit = asked(app, request).await?;
    let query = visit.parts.uri.query().unwrap_or_default().to_owned();
    let authorization = visit.app.identity.authorization(&query).await?;
    let signed_in = visit.signed_in().await?;
    match (authorization.prompt, signed_in) {
        (Prompt::None, None) => {
            let reason = "Nobody is signed in.";
            Err(Ended::SentBack(authorization.sent_back("login_required", reason)))
        }
        (Prompt::None, Some(_)) => {
            let reason = "The owner has to be asked.";
            Err(Ended::SentBack(authorization.sent_back("consent_required", reason)))
        }
        (Prompt::Login, _) => Ok(led_to_sign_in(&without_prompt(&query), true)),
        (Prompt::Consent | Prompt::Unsaid, None) => Ok(led_to_sign_in(&query, false)),
        (Prompt::Consent | Prompt::Unsaid, Some(signed_in)) => {
            Ok(ask(&visit, &authorization, &signed_in, &query, None).await?)
        }
    }
}

fn led_to_sign_in(query: &str, again: bool) -> Response {
    let address = sign_in(query);
    if again { led_to(&format!("{address}&again=1")) } else { led_to(&address) }
}

/// Where to sign in for a request.
fn sign_in(query: &str) -> String {
    let next = encoded(&format!("/api/auth/oauth2/authorize?{query}"));
    format!("/api/auth/sign-in?next={next}")
}

/// The query for after the sign-in that it asked for.
fn without_prompt(query: &str) -> String {
    let kept = query.split('&').filter(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        rest::decoded(name).is_ok_and(|name| name != "prompt")
    });
    kept.collect::<Vec<_>>().join("&")
}

/// The page that asks.
async fn ask(
    visit: &Visit,
    authorization: &Authorization,
    (account, session): &(AccountView, SessionView),
    query: &str,
    problem: Option<&Error>,
) -> Result<Response> {
    let form = visit.form_for_session(PURPOSE, session, query)?;
    let agents = agents_of(visit, account.account_id).await?;
    let redirect_host = authorization.redirect_host();
    let client = &authorization.client;
    let again = format!("{}&again=1", sign_in(query));
    let page = ConsentPage {
        form: &form,
        client: client.name.as_deref().unwrap_or("A client without a name"),
        client_host: client.host.as_deref(),
        redirect_host,
        local: is_local(redirect_host),
        worker: authorization.scopes.has(Scope::Worker),
        offline: authorization.offline,
        agents: &agents,
        email: &account.email,
        again: &again,
        problem: problem.map(Error::reason),
    };
    let status = problem.map_or(200, Error::status);
    Ok(shown(&page, status, Some(&authorization.redirect_source())))
}

fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

/// The agents that a client can be connected to; those of one name are told apart by the ends of their ids.
async fn agents_of(visit: &Visit, owner: AccountId) -> Result<Vec<AgentChoice>> {
    let rows = visit
        .app
        .service
        .db()
        .read("consent", move |tx| tx.list_agents(owner, None, MOST_AGENTS))
        .await?;
    let open = |agent: &&Agent| !agent.hosted && agent.retired_at.is_none();
    let open: Vec<&Agent> = rows.iter().filter(open).collect();
    let choice = |agent: &&Agent| {
        let (agent_id, name) = (agent.agent_id.to_string(), agent.name.clone());
        let alike = open.iter().filter(|other| other.name == name).count() > 1;
        let tail = agent_id.get(agent_id.len().saturating_sub(6)..).unwrap_or_default();
        let name = if alike { format!("{name} (…{tail})") } else { name };
        AgentChoice { agent_id, name }
    };
    Ok(open.iter().map(choice).collect())
}

async fn decided(app: Arc<App>, request: Request) -> Result<Response, Ended> {
    let visit = sent(app, request, Payer::ip).await?;
    let signed_in = visit.signed_in().await?.ok_or_else(stale)?;
    let query = visit.opened_in_session(PURPOSE, &signed_in.1).ok_or_else(stale)?;
    // Whatever the client is registered for may have changed since the page was shown.
    let authorization = visit.app.identity.authorization(&query).await?;
    match visit.fields.get("decision") {
        "deny" => {
            let reason = "The owner denied the request.";
            Err(Ended::SentBack(authorization.sent_back("access_denied", reason)))
        }
        "allow" => match allow(&visit, &authorization, &signed_in).await {
            Ok(address) => Ok(led_to(&address)),
            Err(error) if error.status() < 500 => {
                Ok(ask(&visit, &authorization, &signed_in, &query, Some(&error)).await?)
            }
            Err(error) => Err(error.into()),
        },
        _ => Err(Error::invalid("The request was neither allowed nor denied.").into()),
    }
}

/// Makes or renews the connection, and gives the address at which the client finds its code.
async fn allow(
    visit: &Visit,
    authorization: &Authorization,
    (account, session): &(AccountView, SessionView),
) -> Result<String> {
    let worker = authorization.scopes.has(Scope::Worker) && visit.fields.get("worker") == "on";
    let read = ScopeSet::NONE.with(Scope::Read);
    let scopes = if worker { read.with(Scope::Worker) } else { read };
    let (account_id, session_id) = (account.account_id, session.session_id);
    let code = visit.app.identity.new_code(authorization, account_id, session_id, scopes);
    let code = code.map_err(|denied| Failed::from(denied).into_error())?;
    let address = code.redirect().to_owned();
    let consent = Consent {
        account_id,
        session_id,
        request_id: rest::request_id(&visit.parts)?,
        client_id: authorization.client.client_id.clone(),
        client_name: authorization.client.name.clone(),
        agent: chosen(visit)?,
        scopes,
    };
    let keep = move |tx: &mut guildhall_store::Tx<'_>, connection: &_| code.keep(tx, connection);
    visit.app.service.consent(consent, Box::new(keep)).await?;
    Ok(address)
}

fn chosen(visit: &Visit) -> Result<ConsentedAgent> {
    let invalid = |reason: String| Error::new(Code::InvalidRequest, reason);
    match visit.fields.get("agent") {
        "new" => {
            let name = Line::new(visit.fields.get("agent_name").trim());
            let name = name.map_err(|what| invalid(format!("The agent's name {what}.")))?;
            Ok(ConsentedAgent::New(name))
        }
        "" => Err(invalid("Choose an agent.".to_owned())),
        id => {
            let id = id.parse().map_err(|_| invalid("Choose one of the agents.".to_owned()))?;
            Ok(ConsentedAgent::Existing(id))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_is_taken_out_once_it_was_answered() {
        let query = "a=1&prompt=login&b=2&%70rompt=login&c";
        assert_eq!(without_prompt(query), "a=1&b=2&c");
    }
}
