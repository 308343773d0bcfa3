//! An endpoint of a test's own, to be posted to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Received {
    /// The head, in small letters as hyper sends it.
    pub head: String,
    /// The body.
    pub body: String,
}

impl Received {
    /// A header.
    pub fn header(&self, name: &str) -> &str {
        let start = format!("{name}: ");
        let line = self.head.lines().find_map(|line| line.strip_prefix(&start));
        line.unwrap_or_else(|| panic!("no {name} in {}", self.head))
    }
}

/// An endpoint on the loopback. It answers 200 unless told otherwise, and keeps what it gets.
pub struct Receiver {
    /// Where it is.
    pub url: String,
    state: Arc<Mutex<State>>,
    came: Arc<Notify>,
    serving: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    statuses: VecDeque<u16>,
    received: Vec<Received>,
}

impl Receiver {
    /// Starts one.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let state = Arc::new(Mutex::new(State::default()));
        let came = Arc::new(Notify::new());
        let (shared, bell) = (Arc::clone(&state), Arc::clone(&came));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&shared), Arc::clone(&bell)));
            }
        });
        Self { url, state, came, serving }
    }

    /// Says what to answer the next requests with; after them it is 200 again.
    pub fn answer_with(&self, statuses: &[u16]) {
        self.state.lock().expect("a state").statuses.extend(statuses);
    }

    /// Waits until something has come, and takes it.
    pub async fn wait(&self) -> Vec<Received> {
        let came = tokio::time::timeout(Duration::from_secs(30), self.came.notified());
        came.await.expect("a request within the time");
        self.take()
    }

    /// Takes what has come since the last time, in the order it came.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.state.lock().expect("a state").received)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(mut stream: TcpStream, state: Arc<Mutex<State>>, came: Arc<Notify>) {
    let Some(received) = read(&mut stream).await else { return };
    let status = {
        let mut state = state.lock().expect("a state");
        state.received.push(received);
        state.statuses.pop_front().unwrap_or(200)
    };
    came.notify_one();
    let answer = format!("HTTP/1.1 {status} So\r\ncontent-length: 2\r\n\r\nok");
    // The other side may have hung up, which is its own business.
    let _ = stream.write_all(answer.as_bytes()).await;
}

/// Head and body, as far as Content-Length says.
async fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().expect("a length")) {
                return Some(Received { head: head.to_owned(), body: body.to_owned() });
            }
        }
        let mut more = [0; 4_096];
        match stream.read(&mut more).await {
            Ok(read @ 1..) => bytes.extend_from_slice(&more[..read]),
            _ => return None,
        }
    }
}
