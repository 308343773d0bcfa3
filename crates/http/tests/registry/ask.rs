//! A request that can be varied before it is sent.

use guildhall_ops::{ACTION, API_KEY, Body, Credentials, Entry, Form, PUBLIC, SESSION};
use reqwest::RequestBuilder;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;
use testkit::{Answer, Server, send, unique};

use crate::document::Document;
use crate::world::World;

/// What one request asks for.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// What stands for the braces of the path.
    pub(crate) parameters: Vec<(&'static str, String)>,
    pub(crate) query: String,
    pub(crate) body: Vec<u8>,
    pub(crate) media_type: &'static str,
}

impl Ask {
    pub(crate) fn plain() -> Self {
        let (parameters, query, body) = (Vec::new(), String::new(), Vec::new());
        Self { parameters, query, body, media_type: "application/json" }
    }

    pub(crate) fn query(query: &str) -> Self {
        Self { query: query.to_owned(), ..Self::plain() }
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self { body: body.to_string().into_bytes(), ..Self::plain() }
    }

    pub(crate) fn file(query: &str, content: &[u8]) -> Self {
        Self { body: content.to_vec(), media_type: "text/plain", ..Self::query(query) }
    }

    /// Fills a parameter of the path in, or replaces what is there.
    pub(crate) fn at(mut self, name: &'static str, value: &str) -> Self {
        self.parameters.retain(|(known, _)| *known != name);
        self.parameters.push((name, value.to_owned()));
        self
    }

    pub(crate) fn with_query(mut self, query: &str) -> Self {
        let joint = if self.query.is_empty() { "" } else { "&" };
        self.query = format!("{}{joint}{query}", self.query);
        self
    }

    pub(crate) fn with_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The JSON of the body; no body is an empty object.
    pub(crate) fn value(&self) -> Value {
        if self.body.is_empty() {
            return Value::Object(serde_json::Map::new());
        }
        serde_json::from_slice(&self.body).expect("JSON")
    }

    /// The request, without credential and key.
    pub(crate) fn request(&self, server: &Server, entry: &Entry) -> RequestBuilder {
        let mut path = entry.meta.path.to_owned();
        for (name, value) in &self.parameters {
            path = path.replace(&format!("{{{name}}}"), value);
        }
        assert!(!path.contains('{'), "{}: {path} is not filled in", entry.meta.id);
        if !self.query.is_empty() {
            path = format!("{path}?{}", self.query);
        }
        let request = server.request(entry.meta.method.as_str(), &path);
        if self.body.is_empty() && entry.meta.body != Body::File {
            return request;
        }
        request.header(CONTENT_TYPE, self.media_type).body(self.body.clone())
    }
}

/// Puts on a credential of this kind.
pub(crate) fn signed(
    request: RequestBuilder,
    kind: Credentials,
    world: &World<'_>,
) -> RequestBuilder {
    match kind {
        SESSION => request.bearer_auth(&world.person.token),
        API_KEY => request.header("x-api-key", &world.agent.api_key),
        ACTION => request.header("authorization", format!("Action {}", world.action_token())),
        PUBLIC => request,
        other => panic!("nobody holds {}", other.words()),
    }
}

/// The kinds of credentials that exist and that the operation takes.
pub(crate) fn admitted(entry: &Entry) -> Vec<Credentials> {
    let kinds = [SESSION, API_KEY, ACTION, PUBLIC].into_iter();
    let kinds: Vec<_> = kinds.filter(|kind| entry.meta.credentials.admits(*kind)).collect();
    assert!(!kinds.is_empty(), "nobody can call {}", entry.meta.id);
    kinds
}

/// Sends a request to an operation. Whatever comes back must be what the document says can come back.
pub(crate) async fn answer(document: &Document, entry: &Entry, request: RequestBuilder) -> Answer {
    let answer = if entry.meta.form == Form::Events {
        first_part(request).await
    } else {
        send(request).await
    };
    document.check(entry, &answer);
    answer
}

/// Sends a good request with a credential the operation takes, and a new key where one is needed.
pub(crate) async fn called(
    document: &Document,
    entry: &Entry,
    world: &World<'_>,
    ask: &Ask,
) -> Answer {
    called_as(document, entry, world, ask, admitted(entry)[0]).await
}

/// The same with a credential of one kind.
pub(crate) async fn called_as(
    document: &Document,
    entry: &Entry,
    world: &World<'_>,
    ask: &Ask,
    kind: Credentials,
) -> Answer {
    let request = signed(ask.request(world.person.server, entry), kind, world);
    answer(document, entry, keyed(request, entry, &unique("key"))).await
}

/// Puts a key on where one is needed.
fn keyed(request: RequestBuilder, entry: &Entry, key: &str) -> RequestBuilder {
    if entry.meta.needs_key { request.header("idempotency-key", key) } else { request }
}

/// The same with a key of the test's choice.
pub(crate) async fn with_key(
    document: &Document,
    entry: &Entry,
    world: &World<'_>,
    ask: &Ask,
    key: &str,
) -> Answer {
    let request = signed(ask.request(world.person.server, entry), admitted(entry)[0], world);
    answer(document, entry, keyed(request, entry, key)).await
}

/// The head of a stream and what it begins with; an answer that is no stream is read whole.
async fn first_part(request: RequestBuilder) -> Answer {
    let mut response = request.send().await.expect("an answer");
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = if status == 200 {
        let chunk = response.chunk().await.expect("a stream").expect("a beginning");
        String::from_utf8(chunk.to_vec()).expect("text")
    } else {
        response.text().await.expect("a whole body")
    };
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    Answer { status, headers, text, body }
}
