//! The conventions of every endpoint, and what the tests of this binary share to look at them.

mod cors;
mod credentials;
mod headers;
mod keys;
mod order;
mod shape;

use std::time::Duration;

use reqwest::RequestBuilder;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use testkit::{Answer, Person, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Runs tests on both engines, each group with a setup of its own.
macro_rules! on_both_engines_with {
    ($($setup:ident: [$($test:ident),* $(,)?]),* $(,)?) => {
        mod sqlite {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    let engine = testkit::Engine::Sqlite;
                    super::$test(testkit::Server::start_with(engine, super::$setup()).await).await;
                }
            )*)*
        }

        mod postgres {
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    let engine = testkit::Engine::Postgres;
                    super::$test(testkit::Server::start_with(engine, super::$setup()).await).await;
                }
            )*)*
        }
    };
}
pub(crate) use on_both_engines_with;

/// Sends a request that no person or agent has a word for.
pub(crate) async fn send(request: RequestBuilder) -> Answer {
    let response = request.send().await.expect("an answer");
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.expect("a whole body");
    let body = serde_json::from_str(&text).unwrap_or_default();
    Answer { status, headers, text, body }
}

/// Sends bytes as they are and reads until the server closes: for requests that no client would make.
pub(crate) async fn send_bytes(server: &Server, bytes: &[u8]) -> Answer {
    let address = server.base_url.strip_prefix("http://").expect("an address");
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(bytes).await.expect("sent");
    let mut answer = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer));
    read.await.expect("an end in time").expect("an answer");
    parsed(&String::from_utf8(answer).expect("text"))
}

fn parsed(answer: &str) -> Answer {
    let (head, text) = answer.split_once("\r\n\r\n").expect("a head");
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status line");
    let headers: HeaderMap = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").expect("a header");
            (
                name.parse::<HeaderName>().expect("a name"),
                HeaderValue::from_str(value).expect("one"),
            )
        })
        .collect();
    let body = serde_json::from_str(text).unwrap_or_default();
    Answer { status: status.parse().expect("a number"), headers, text: text.to_owned(), body }
}

/// Moves the clock to the start of a rate-limit window, so that a test of a minute at most sees one window only.
pub(crate) fn begin_window(server: &Server) {
    let millis = server.clock.now().millis();
    server.clock.advance(60_000 - millis.rem_euclid(60_000));
}

/// What is left of the quota, as an answer says it.
#[track_caller]
pub(crate) fn remaining(answer: &Answer) -> u32 {
    let text = answer.header("x-limit-remaining").expect("X-Limit-Remaining");
    text.parse().expect("an integer, not negative")
}

/// The names of a person's agents, newest first.
pub(crate) async fn agent_names(person: &Person<'_>) -> Vec<String> {
    let page = person.get("/v1/me/agents?limit=100").await.expect(200);
    let agents = page["data"].as_array().expect("a list").iter();
    agents.map(|agent| agent["name"].as_str().expect("a name").to_owned()).collect()
}

/// The same person with a new token: the old one does not outlive a long jump of the clock.
pub(crate) async fn renewed<'s>(person: &Person<'s>) -> Person<'s> {
    let ask = person.server.request("GET", "/api/auth/token").header("cookie", &person.cookie);
    let token = send(ask).await.expect(200)["token"].as_str().expect("a token").to_owned();
    Person { token, ..person.at(person.server) }
}
