//! One request and its answer on a connection of their own.

use bytes::{Bytes, BytesMut};
use guildhall_core::remote::RemoteUrl;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;

use crate::connect::Stream;
use crate::error::Error;

/// Header lines of an answer.
const MAX_HEADERS: usize = 100;

/// What is asked.
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    pub(crate) headers: &'a [(&'a str, String)],
    pub(crate) body: Bytes,
}

/// The head of an answer, and its body still to come.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) media_type: Option<String>,
    pub(crate) cache_control: Option<String>,
    body: Incoming,
    _connection: Connection,
}

/// The connection's own task. It ends with the answer, whatever of it was read.
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends a request and reads the head of its answer.
pub(crate) async fn exchange(
    stream: Stream,
    url: &RemoteUrl,
    ask: Ask<'_>,
    max_header_bytes: usize,
) -> Result<Answer, Error> {
    let request = request(url, ask)?;
    let handshake = http1::Builder::new()
        .max_buf_size(max_header_bytes.max(8 * 1_024))
        .max_headers(MAX_HEADERS)
        .handshake(TokioIo::new(stream));
    let (mut sender, connection) = handshake.await.map_err(|_| Error::Broken)?;
    let connection = Connection(tokio::spawn(async move {
        // Whatever ends the connection, whoever waits for the answer is told.
        let _ = connection.await;
    }));
    let response = sender.send_request(request).await.map_err(|_| Error::Broken)?;
    let header = |name| {
        let value = response.headers().get(name);
        value.and_then(|value: &HeaderValue| value.to_str().ok()).map(str::to_owned)
    };
    let (media_type, cache_control) = (header(CONTENT_TYPE), header(CACHE_CONTROL));
    let status = response.status().as_u16();
    let body = response.into_body();
    Ok(Answer { status, media_type, cache_control, body, _connection: connection })
}

fn request(url: &RemoteUrl, ask: Ask<'_>) -> Result<Request<Full<Bytes>>, Error> {
    let mut request = Request::builder()
        .method(ask.method)
        .uri(url.path_and_query())
        .header(HOST, url.authority())
        .header(USER_AGENT, concat!("guildhall/", env!("CARGO_PKG_VERSION")));
    for (name, value) in ask.headers {
        request = request.header(*name, value);
    }
    let built = request.body(Full::new(ask.body));
    built.map_err(|_| Error::Refused("or a header cannot be sent".to_owned()))
}

impl Answer {
    /// The whole body, if it has at most `max_bytes`.
    pub(crate) async fn whole(mut self, max_bytes: usize) -> Result<Bytes, Error> {
        if self.body.size_hint().lower() > max_bytes as u64 {
            return Err(Error::TooLarge);
        }
        let mut whole = BytesMut::new();
        while let Some(frame) = self.body.frame().await {
            let Ok(data) = frame.map_err(|_| Error::Broken)?.into_data() else { continue };
            if whole.len() + data.len() > max_bytes {
                return Err(Error::TooLarge);
            }
            whole.extend_from_slice(&data);
        }
        Ok(whole.freeze())
    }

    /// How the body begins; what is broken off is as good as it is.
    pub(crate) async fn beginning(mut self, max_bytes: usize) -> Bytes {
        let mut beginning = BytesMut::new();
        while beginning.len() < max_bytes
            && let Some(Ok(frame)) = self.body.frame().await
        {
            if let Ok(data) = frame.into_data() {
                beginning.extend_from_slice(&data);
            }
        }
        beginning.truncate(max_bytes);
        beginning.freeze()
    }
}
