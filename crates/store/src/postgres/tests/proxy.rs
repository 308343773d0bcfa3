//! A link to the server that can be watched and broken at a chosen moment.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// COMMIT as the client sends it.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";

/// What happens to the next COMMIT.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AtCommit {
    /// It passes.
    Pass,
    /// The link breaks, and the server never sees it.
    Lose,
    /// The server carries it out, and the link breaks under its answer.
    LoseAnswer,
    /// The server's answer comes with the warning that no standby confirmed it.
    Warn,
}

/// The proxy; it ends with the test's runtime.
pub(super) struct Proxy {
    pub(super) url: String,
    state: Arc<State>,
    up: watch::Sender<bool>,
}

struct State {
    at_commit: Mutex<AtCommit>,
    round_trips: AtomicUsize,
    seen: Mutex<Vec<u8>>,
}

impl Proxy {
    pub(super) async fn new(url: &str) -> Self {
        let server: SocketAddr =
            address(url).parse().expect("the server's URL has an IP address and a port");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = url.replace(address(url), &listener.local_addr().unwrap().to_string());
        let state = Arc::new(State {
            at_commit: Mutex::new(AtCommit::Pass),
            round_trips: AtomicUsize::new(0),
            seen: Mutex::new(Vec::new()),
        });
        let (up, is_up) = watch::channel(true);
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (state, mut is_up) = (Arc::clone(&shared), is_up.clone());
                tokio::spawn(async move {
                    let down = async { is_up.wait_for(|up| !up).await.map(|_| ()) };
                    tokio::select! { _ = down => {} () = pass(client, server, &state) => {} }
                });
            }
        });
        Self { url, state, up }
    }

    /// Decides about the next COMMIT.
    pub(super) fn at_commit(&self, what: AtCommit) {
        *self.state.at_commit.lock().unwrap() = what;
    }

    /// Breaks every link, and every new one; or lets them stand again.
    pub(super) fn set_up(&self, up: bool) {
        self.up.send(up).unwrap();
    }

    /// Forgets what was seen until now.
    pub(super) fn forget(&self) {
        self.state.round_trips.store(0, Ordering::SeqCst);
        self.state.seen.lock().unwrap().clear();
    }

    /// How often a client spoke after the server had.
    pub(super) fn round_trips(&self) -> usize {
        self.state.round_trips.load(Ordering::SeqCst)
    }

    /// How often clients have sent these bytes.
    pub(super) fn times_seen(&self, text: &str) -> usize {
        let seen = self.state.seen.lock().unwrap();
        seen.windows(text.len()).filter(|window| *window == text.as_bytes()).count()
    }
}

fn address(url: &str) -> &str {
    let (_, rest) = url.split_once("://").unwrap();
    let (authority, _) = rest.split_once('/').unwrap();
    authority.rsplit('@').next().unwrap()
}

/// Copies between the two until one of them ends, or the link is to break.
async fn pass(mut client: TcpStream, server: SocketAddr, state: &State) {
    let mut server = TcpStream::connect(server).await.unwrap();
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    let mut client_spoke = false;
    let mut breaking = AtCommit::Pass;
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(1..) = read else { return };
                let bytes = asked.get(..read.unwrap()).unwrap();
                state.note(bytes, !std::mem::replace(&mut client_spoke, true));
                if bytes.windows(COMMIT.len()).any(|window| window == COMMIT) {
                    breaking = std::mem::replace(&mut state.at_commit.lock().unwrap(), AtCommit::Pass);
                }
                if breaking == AtCommit::Lose || server.write_all(bytes).await.is_err() {
                    return;
                }
            }
            read = server.read(&mut answered) => {
                let Ok(1..) = read else { return };
                let bytes = answered.get(..read.unwrap()).unwrap();
                client_spoke = false;
                if breaking == AtCommit::LoseAnswer {
                    // The tag of the command: only now has the server committed.
                    if bytes.windows(7).any(|window| window == b"COMMIT\0") {
                        return;
                    }
                    continue;
                }
                if std::mem::replace(&mut breaking, AtCommit::Pass) == AtCommit::Warn {
                    client.write_all(&warning()).await.unwrap();
                }
                if client.write_all(bytes).await.is_err() {
                    return;
                }
            }
        }
    }
}

impl State {
    fn note(&self, bytes: &[u8], begins_round_trip: bool) {
        self.seen.lock().unwrap().extend_from_slice(bytes);
        self.round_trips.fetch_add(usize::from(begins_round_trip), Ordering::SeqCst);
    }
}

/// The warning as a server in another language sends it.
fn warning() -> Vec<u8> {
    let fields = b"SAVISO\0VWARNING\0C01000\0Mlocalised\0RSyncRepWaitForLSN\0\0";
    let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
    [b"N", length.as_slice(), fields].concat()
}
