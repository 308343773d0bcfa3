//! Requests that share a round trip.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use futures_util::future::maybe_done;
use tokio_postgres::Error as PgError;

/// A request to the server. Its first poll sends it; the later ones wait for the answer.
pub(super) type Request<'f, T> = Pin<Box<dyn Future<Output = Result<T, PgError>> + 'f>>;

/// How a flight went.
pub(super) struct Flown<T> {
    /// The answers in order, or the first failure with its place: what follows a failure only echoes it.
    pub(super) answers: Result<Vec<T>, (usize, PgError)>,
    /// How many requests were handed to the connection.
    pub(super) sent: usize,
}

/// Sends requests in their order and collects the answers in the same order.
///
/// A request that cannot even be sent stops the sending: the server does not know of the failure, and would carry out
/// what comes after it, a COMMIT included. (`join_all` is no substitute: with many futures it changes their order.)
pub(super) async fn fly<'f, T>(requests: impl IntoIterator<Item = Request<'f, T>>) -> Flown<T> {
    let mut under_way = Vec::new();
    let mut sent = 0;
    for request in requests {
        let mut request = maybe_done(request);
        let _ = poll_fn(|cx| Poll::Ready(Pin::new(&mut request).poll(cx))).await;
        let refused = Pin::new(&mut request).output_mut().is_some_and(|answer| answer.is_err());
        under_way.push(request);
        if refused {
            break;
        }
        sent += 1;
    }
    let mut answers = Vec::with_capacity(under_way.len());
    for (place, mut request) in under_way.into_iter().enumerate() {
        (&mut request).await;
        match Pin::new(&mut request).take_output() {
            Some(Ok(answer)) => answers.push(answer),
            Some(Err(error)) => return Flown { answers: Err((place, error)), sent },
            None => {}
        }
    }
    Flown { answers: Ok(answers), sent }
}
