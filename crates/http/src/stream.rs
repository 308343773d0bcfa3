//! Streams of events: an operation that is asked again and again, its news sent as they come.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use guildhall_ops::{Answer, Call, Entry, Error, Raw, Result, Surface};
use http_body_util::StreamBody;
use hyper::body::Frame;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::app::App;
use crate::rest::{self, Sent};
use crate::{answer, credential};

/// A stream that is being sent.
struct Feed {
    app: Arc<App>,
    entry: &'static Entry,
    sent: Sent,
    /// Where to go on, or what is wrong with the request's shape.
    after: Result<Option<String>>,
    /// What the first look found, sent before anything else.
    first: Option<Answer>,
    ended: bool,
}

/// A part of a stream as the operation answers it.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    data: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item<'a> {
    id: &'a str,
}

/// Serves a stream, or says why there is none.
pub(crate) async fn serve(
    app: &Arc<App>,
    entry: &'static Entry,
    sent: Sent,
    body: &Bytes,
) -> Result<Response> {
    let after = starting_point(&sent, body);
    let app = Arc::clone(app);
    let mut feed = Feed { app, entry, sent, after, first: None, ended: false };
    let call = feed.call(true)?;
    let reply = feed.app.service.call(call).await;
    let Ok(first) = &reply.result else {
        return Ok(answer::reply(reply, &entry.meta, &feed.app.settings, &feed.sent));
    };
    feed.first = Some(first.clone());
    let remaining = reply.remaining;
    let frames = stream::unfold(feed, |mut feed| async {
        let bytes = feed.next().await?;
        Some((Ok::<_, Infallible>(Frame::data(bytes)), feed))
    });
    let mut response = Response::new(Body::new(StreamBody::new(frames)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    if let Some(remaining) = remaining {
        answer::set_remaining(&mut response, remaining);
    }
    Ok(response)
}

/// Where to go on: the `after` of the query, or what a browser says it saw last.
fn starting_point(sent: &Sent, body: &Bytes) -> Result<Option<String>> {
    if !body.is_empty() {
        return Err(rest::unwanted_body());
    }
    let query = sent.parts.uri.query().unwrap_or_default();
    let mut after = None;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        if rest::decoded(name)? != "after" || after.is_some() {
            return Err(Error::invalid("Only `after` is taken, and once."));
        }
        after = Some(rest::decoded(text)?.into_owned());
    }
    let seen = sent.parts.headers.get("last-event-id").and_then(|value| value.to_str().ok());
    Ok(after.or_else(|| seen.map(str::to_owned)))
}

impl Feed {
    fn call(&self, counted: bool) -> Result<Call> {
        let shape =
            self.sent.version.clone().and_then(|_| self.after.as_ref().map_err(Clone::clone));
        let prepared = shape.and_then(|after| {
            let pairs = after.iter().map(|after| ("after".into(), after.as_str().into())).collect();
            (self.entry.parse)(&Raw { pairs, body: None })
        });
        Ok(Call {
            entry: self.entry,
            credential: self.sent.credential,
            surface: Surface::Rest,
            ip: self.app.settings.trusted.client(&self.sent.parts),
            request_id: rest::request_id(&self.sent.parts)?,
            prepared: prepared.map(|prepared| (prepared, None)),
            fingerprint: [0; 32],
            file: None,
            counted,
        })
    }

    /// The next bytes, or the end.
    async fn next(&mut self) -> Option<Bytes> {
        if self.ended {
            return None;
        }
        let looked = if let Some(answer) = self.first.take() {
            Ok(answer)
        } else {
            let stop = self.app.settings.stop.clone();
            tokio::select! {
                looked = self.look() => looked,
                () = stop.cancelled() => return None,
            }
        };
        let text = looked.and_then(|answer| self.events(&answer.body));
        Some(Bytes::from(text.unwrap_or_else(|error| {
            self.ended = true;
            format!("event: error\ndata: {}\n\n", String::from_utf8_lossy(&error.body()))
        })))
    }

    /// Looks again, with the credential judged anew: a token that has expired since ends the stream.
    async fn look(&mut self) -> Result<Answer> {
        let now = self.app.service.clock().now();
        self.sent.credential =
            credential::read(&self.sent.parts, &self.app.identity, Surface::Rest, now).await?;
        self.app.service.call(self.call(false)?).await.result
    }

    fn events(&mut self, body: &[u8]) -> Result<String> {
        let broken = |error: serde_json::Error| Error::internal(error.to_string());
        let part: Part<'_> = serde_json::from_slice(body).map_err(broken)?;
        if part.data.is_empty() {
            return Ok(": quiet\n\n".to_owned());
        }
        let mut events = Vec::with_capacity(part.data.len());
        for item in part.data {
            let Item { id } = serde_json::from_str(item.get()).map_err(broken)?;
            events.push(format!("id: {id}\nevent: activity\ndata: {}\n\n", item.get()));
            self.after = Ok(Some(id.to_owned()));
        }
        Ok(events.concat())
    }
}
