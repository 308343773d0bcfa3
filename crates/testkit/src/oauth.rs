//! OAuth clients: they register, ask owners by the pages' forms, redeem and refresh.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::browser::{Browser, Shown};
use crate::people::{Person, unique};
use crate::server::{Server, send};

/// Where the clients of tests wait for their codes.
pub const REDIRECT_URI: &str = "http://127.0.0.1:4711/callback";

/// The fields of a form, or the parameters of a query.
pub type Fields = Vec<(String, String)>;

/// A client of the authorization server.
pub struct OauthClient<'s> {
    /// Where it is registered.
    pub server: &'s Server,
    /// Its id.
    pub client_id: String,
    /// Its secret, if it has one.
    pub secret: Option<String>,
    /// What its registration was answered with.
    pub registration: Value,
}

/// A code on its way from the owner to the client, with what the client needs to redeem it.
#[derive(Clone, Debug)]
pub struct SentCode {
    /// The code.
    pub code: String,
    /// What the client has kept to itself.
    pub verifier: String,
    /// The address that the browser was led to.
    pub address: String,
}

/// How much the authorization server remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OauthMemory {
    /// Codes.
    pub codes: i64,
    /// Families of tokens.
    pub families: i64,
    /// Refresh tokens, spent ones among them.
    pub refresh_tokens: i64,
    /// Successors of spent tokens that can still be asked for.
    pub successors: i64,
}

/// The tokens that a client holds.
#[derive(Clone, Debug)]
pub struct OauthTokens {
    /// The access token.
    pub access: String,
    /// The refresh token, or nothing.
    pub refresh: String,
    /// The scopes, as the answer says them.
    pub scope: String,
}

impl Server {
    /// Registers a client without a secret, which may refresh.
    pub async fn oauth_client(&self, name: &str) -> OauthClient<'_> {
        let grants = ["authorization_code", "refresh_token"];
        self.oauth_client_as(json!({
            "client_name": name, "redirect_uris": [REDIRECT_URI], "grant_types": grants,
        }))
        .await
    }

    /// Registers a client with metadata of the test's choice.
    pub async fn oauth_client_as(&self, metadata: Value) -> OauthClient<'_> {
        let registration = self.register(&metadata).await.expect(201);
        let text = |name: &str| registration[name].as_str().map(str::to_owned);
        let client_id = text("client_id").expect("an id");
        OauthClient { server: self, client_id, secret: text("client_secret"), registration }
    }

    /// Sends a registration.
    pub async fn register(&self, metadata: &Value) -> Answer {
        send(self.request("POST", "/api/auth/oauth2/register").json(metadata)).await
    }

    /// Sends a form to an endpoint of the authorization server.
    pub async fn oauth(&self, endpoint: &str, fields: &Fields) -> Answer {
        send(self.oauth_request(endpoint, fields)).await
    }

    /// The same, not yet sent.
    pub fn oauth_request(&self, endpoint: &str, fields: &Fields) -> RequestBuilder {
        self.request("POST", &format!("/api/auth/oauth2/{endpoint}"))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(encoded(fields))
    }

    /// How much the authorization server remembers.
    pub async fn oauth_memory(&self) -> OauthMemory {
        let read = self.service.db().read("oauth_memory", |tx| {
            let mut count =
                |sql| tx.find::<(i64,)>(sql, Vec::new()).map(|row| row.map_or(0, |row| row.0));
            Ok::<_, guildhall_store::Error>(OauthMemory {
                codes: count("SELECT count(*) FROM oauth_codes")?,
                families: count("SELECT count(*) FROM oauth_families")?,
                refresh_tokens: count("SELECT count(*) FROM oauth_refresh_tokens")?,
                successors: count(
                    "SELECT count(*) FROM oauth_refresh_tokens WHERE successor IS NOT NULL",
                )?,
            })
        });
        read.await.expect("counts")
    }

    /// What an agent's token is answered with at the agent's own page of the API.
    pub async fn me_by(&self, token: &str) -> Answer {
        send(self.request("GET", "/v1/me").bearer_auth(token)).await
    }
}

impl<'s> Person<'s> {
    /// A browser that this person is signed in with.
    pub fn browser(&self) -> Browser<'s> {
        let browser = self.server.browser();
        let (name, value) = self.cookie.split_once('=').expect("a cookie");
        browser.set_cookie(name, value);
        browser
    }
}

/// The S256 challenge of a verifier.
pub fn challenge(verifier: &str) -> String {
    BASE64.encode(guildhall_ops::digest(verifier.as_bytes()))
}

/// Fields with some of them changed: `None` takes one away.
pub fn changed(fields: &Fields, changes: &[(&str, Option<&str>)]) -> Fields {
    let mut fields = fields.clone();
    for (name, value) in changes {
        fields.retain(|(known, _)| known != name);
        fields.extend(value.map(|value| ((*name).to_owned(), value.to_owned())));
    }
    fields
}

/// Fields from pairs.
pub fn fields(pairs: &[(&str, &str)]) -> Fields {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The page at which these parameters ask.
pub fn authorize_path(parameters: &Fields) -> String {
    format!("/api/auth/oauth2/authorize?{}", encoded(parameters))
}

/// Fields as they travel.
fn encoded(fields: &Fields) -> String {
    let mut url = reqwest::Url::parse("http://x/").expect("an address");
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}

impl<'s> OauthClient<'s> {
    /// A good request for everything, by the challenge of a verifier.
    pub fn request(&self, verifier: &str) -> Fields {
        fields(&[
            ("response_type", "code"),
            ("client_id", &self.client_id),
            ("redirect_uri", REDIRECT_URI),
            ("code_challenge", &challenge(verifier)),
            ("code_challenge_method", "S256"),
            ("state", "a/b c"),
            ("scope", "read worker offline_access"),
        ])
    }

    /// Asks a person for an agent, with some parameters changed, and has them allow it.
    pub async fn ask(
        &self,
        person: &Person<'s>,
        agent_id: &str,
        changes: &[(&str, Option<&str>)],
    ) -> SentCode {
        let verifier = format!("{:-<43}", unique("verifier"));
        let request = changed(&self.request(&verifier), changes);
        let shown = allow(&person.browser(), &request, agent_id).await;
        let code = shown.parameter("code");
        let code =
            code.unwrap_or_else(|| panic!("{} {}: {}", shown.status, shown.address, shown.html));
        SentCode { code, verifier, address: shown.address }
    }

    /// The form that redeems a code.
    pub fn redemption(&self, sent: &SentCode) -> Fields {
        self.proven(&[
            ("grant_type", "authorization_code"),
            ("code", &sent.code),
            ("redirect_uri", REDIRECT_URI),
            ("code_verifier", &sent.verifier),
        ])
    }

    /// The form that refreshes.
    pub fn refreshing(&self, refresh_token: &str) -> Fields {
        self.proven(&[("grant_type", "refresh_token"), ("refresh_token", refresh_token)])
    }

    /// Fields with the proof of who the client is, as a form has it.
    pub fn proven(&self, pairs: &[(&str, &str)]) -> Fields {
        let mut fields = fields(pairs);
        fields.push(("client_id".to_owned(), self.client_id.clone()));
        fields
            .extend(self.secret.iter().map(|secret| ("client_secret".to_owned(), secret.clone())));
        fields
    }

    /// Redeems a code.
    pub async fn redeem(&self, sent: &SentCode) -> Answer {
        self.server.oauth("token", &self.redemption(sent)).await
    }

    /// Refreshes.
    pub async fn refresh(&self, refresh_token: &str) -> Answer {
        self.server.oauth("token", &self.refreshing(refresh_token)).await
    }

    /// Is connected to an agent of a person, and holds tokens.
    pub async fn connect(&self, person: &Person<'s>, agent_id: &str) -> OauthTokens {
        let sent = self.ask(person, agent_id, &[]).await;
        OauthTokens::of(&self.redeem(&sent).await.expect(200))
    }

    /// The same client at another node.
    pub fn at<'t>(&self, server: &'t Server) -> OauthClient<'t> {
        let Self { client_id, secret, registration, .. } = self;
        let (client_id, secret) = (client_id.clone(), secret.clone());
        OauthClient { server, client_id, secret, registration: registration.clone() }
    }
}

/// Opens the page of a request and allows what it asks for.
pub async fn allow(browser: &Browser<'_>, request: &Fields, agent_id: &str) -> Shown {
    let page = browser.open(&authorize_path(request)).await;
    assert_eq!(page.status, 200, "{} {}", page.address, page.html);
    let decision = [("agent", Some(agent_id)), ("decision", Some("allow"))];
    browser.submit(&page, &decision).await
}

impl OauthTokens {
    /// The tokens of an answer.
    pub fn of(answer: &Value) -> Self {
        let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        Self { access: text("access_token"), refresh: text("refresh_token"), scope: text("scope") }
    }
}

impl Answer {
    /// Checks that this is an error of the authorization server, which nobody may keep, and gives its description.
    #[track_caller]
    pub fn denied(&self, status: u16, word: &str) -> String {
        let found = self.body["error"].as_str().unwrap_or_default();
        assert_eq!((self.status, found), (status, word), "{}", self.text);
        assert_eq!(self.header("cache-control"), Some("no-store"));
        self.body["error_description"].as_str().expect("a description").to_owned()
    }
}
