//! The accept loop on real sockets: what it bounds, what it answers, how it stops.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::{future::pending, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Extension, Router,
    body::Body,
    extract::Request,
    http::StatusCode,
    routing::{get, post},
};
use guildhall_http::serve::{
    Limits, PeerAddr, bind,
    body::{self, BodyError},
    serve,
};
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::Notify,
    task::JoinHandle,
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;

const GET: &[u8] = b"GET /peer HTTP/1.1\r\nhost: g\r\n\r\n";
const BODY_LIMIT: usize = 1000;
const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(150);

struct Server {
    addr: SocketAddr,
    stop: CancellationToken,
    /// A request to `/wait` has begun.
    begun: Arc<Notify>,
    /// Lets it finish.
    finish: Arc<Notify>,
    task: JoinHandle<std::io::Result<()>>,
}

/// No limit of these is reached by a test that does not shorten it.
fn patient() -> Limits {
    Limits {
        header_timeout: LONG,
        first_byte_timeout: LONG,
        idle_timeout: LONG,
        write_timeout: LONG,
        shutdown_grace: LONG,
        malformed: |status| {
            let body = format!("{{\"error\":{{\"code\":\"malformed_{status}\"}}}}");
            let len = body.len();
            format!(
                "HTTP/1.1 {status} Refused\r\nrequest-id: req_1\r\nconnection: close\r\ncontent-length: {len}\r\n\r\n{body}"
            )
            .into_bytes()
        },
        ..Limits::default()
    }
}

fn start(limits: Limits) -> Server {
    let (begun, finish) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let wait = {
        let (begun, finish) = (Arc::clone(&begun), Arc::clone(&finish));
        async move || {
            begun.notify_one();
            finish.notified().await;
            "finished"
        }
    };
    let big = || async { vec![b'x'; 64 * 1024 * 1024] };
    let router = Router::new()
        .route(
            "/peer",
            get(async |Extension(PeerAddr(peer)): Extension<PeerAddr>| peer.to_string()),
        )
        .route("/bare", get(bare))
        .route("/body", post(async |request: Request| echo(request, LONG).await))
        .route("/impatient", post(async |request: Request| echo(request, SHORT).await))
        .route("/never", get(async || pending::<()>().await))
        .route("/big", get(big))
        .route("/wait", get(wait));
    let listener = bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let addr = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let task = tokio::spawn(serve(listener, router, limits, stop.clone()));
    Server { addr, stop, begun, finish, task }
}

/// An empty refusal, which looks like one of hyper's; late, so that hyper has flushed before.
async fn bare() -> StatusCode {
    tokio::task::yield_now().await;
    StatusCode::BAD_REQUEST
}

async fn echo(request: Request, time: Duration) -> (StatusCode, Vec<u8>) {
    match body::read(request.into_body(), BODY_LIMIT, time).await {
        Ok(bytes) => (StatusCode::OK, bytes.to_vec()),
        Err(BodyError::TooLarge) => (StatusCode::PAYLOAD_TOO_LARGE, b"too large".to_vec()),
        Err(BodyError::TimedOut) => (StatusCode::REQUEST_TIMEOUT, b"too slow".to_vec()),
        Err(BodyError::Broken) => (StatusCode::BAD_REQUEST, b"broken".to_vec()),
    }
}

impl Server {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.addr).await.unwrap()
    }

    async fn connect_and_send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = self.connect().await;
        stream.write_all(bytes).await.unwrap();
        stream
    }

    async fn stop(self) {
        self.stop.cancel();
        timeout(LONG / 2, self.task).await.unwrap().unwrap().unwrap();
    }
}

/// Everything up to the close; a reset is an error.
async fn to_end(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut text = Vec::new();
    timeout(LONG / 2, stream.read_to_end(&mut text)).await.unwrap()?;
    Ok(String::from_utf8(text).unwrap())
}

/// One response with a `content-length`.
async fn one(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    loop {
        let whole = String::from_utf8(text.clone()).unwrap();
        if let Some((head, body)) = whole.split_once("\r\n\r\n") {
            let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
            if body.len() == length.parse::<usize>().unwrap() {
                return whole;
            }
        }
        text.push(timeout(LONG / 2, stream.read_u8()).await.unwrap().unwrap());
    }
}

async fn closes_after(stream: &mut TcpStream, from: Instant, least: Duration) {
    assert_eq!(to_end(stream).await.unwrap_or_default(), "");
    assert!(from.elapsed() >= least, "closed after {:?}", from.elapsed());
}

#[tokio::test]
async fn a_silent_socket_is_closed() {
    let server = start(Limits { first_byte_timeout: SHORT, ..patient() });
    let from = Instant::now();
    closes_after(&mut server.connect().await, from, SHORT).await;
}

#[tokio::test]
async fn a_head_that_does_not_end_is_closed_however_steadily_it_trickles() {
    let server = start(Limits { header_timeout: SHORT, ..patient() });
    for head in [&b"P"[..], b"PRI * HTTP/2.0\r\n", b"GET / HTTP/1.1\r\nhost: g\r\nx:"] {
        let from = Instant::now();
        let mut stream = server.connect_and_send(head).await;
        closes_after(&mut stream, from, SHORT).await;
    }

    let from = Instant::now();
    let mut stream = server.connect_and_send(GET).await;
    one(&mut stream).await;
    stream.write_all(b"GET / HTTP/1.1\r\nx: ").await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let mut byte = [0];
    let mut ticks = tokio::time::interval(SHORT / 10);
    loop {
        tokio::select! {
            read = reader.read(&mut byte) => {
                assert!(matches!(read, Ok(0) | Err(_)));
                break;
            }
            _ = ticks.tick() => { let _ = writer.write_all(b"a").await; }
        }
    }
    assert!(from.elapsed() >= SHORT && from.elapsed() < LONG);
}

#[tokio::test]
async fn an_idle_connection_outlives_the_header_timeout_but_not_the_idle_timeout() {
    let server = start(Limits { header_timeout: SHORT / 3, idle_timeout: SHORT * 2, ..patient() });
    let mut stream = server.connect_and_send(GET).await;
    one(&mut stream).await;
    let from = Instant::now();
    closes_after(&mut stream, from, SHORT + SHORT / 2).await;
}

#[tokio::test]
async fn a_request_in_flight_is_not_idle() {
    let server = start(Limits { header_timeout: SHORT / 3, idle_timeout: SHORT / 3, ..patient() });
    let mut stream = server.connect_and_send(b"GET /never HTTP/1.1\r\nhost: g\r\n\r\n").await;
    let mut byte = [0];
    let heard = timeout(SHORT, stream.read(&mut byte)).await;
    assert!(heard.is_err(), "answered or closed: {heard:?}");
}

#[tokio::test]
async fn a_peer_that_does_not_read_its_answer_is_closed() {
    let server = start(Limits { write_timeout: SHORT, max_connections: 1, ..patient() });
    let mut deaf = server.connect_and_send(b"GET /big HTTP/1.1\r\nhost: g\r\n\r\n").await;
    deaf.readable().await.unwrap();
    // Its place becomes free although it is still there.
    timeout(LONG / 2, async {
        loop {
            let mut stream = server.connect_and_send(GET).await;
            let mut byte = [0];
            if matches!(stream.read(&mut byte).await, Ok(1)) {
                break;
            }
        }
    })
    .await
    .unwrap();
    let mut read = Vec::new();
    let _ = deaf.read_to_end(&mut read).await;
    assert!(read.len() < 64 * 1024 * 1024);
}

#[tokio::test]
async fn connections_past_the_cap_are_closed_until_one_ends() {
    for limits in [
        Limits { max_connections: 2, ..patient() },
        Limits { max_connections_per_ip: 2, ..patient() },
    ] {
        let server = start(limits);
        let mut held = [server.connect_and_send(GET).await, server.connect_and_send(GET).await];
        for stream in &mut held {
            assert!(one(stream).await.starts_with("HTTP/1.1 200"));
        }
        let mut refused = server.connect().await;
        assert_eq!(to_end(&mut refused).await.unwrap(), "");

        let [mut leaving, mut staying] = held;
        leaving.shutdown().await.unwrap();
        assert_eq!(to_end(&mut leaving).await.unwrap(), "");
        timeout(LONG / 2, async {
            loop {
                let mut stream = server.connect_and_send(GET).await;
                let mut byte = [0];
                if matches!(stream.read(&mut byte).await, Ok(1)) {
                    break;
                }
            }
        })
        .await
        .unwrap();
        staying.write_all(GET).await.unwrap();
        assert!(one(&mut staying).await.starts_with("HTTP/1.1 200"));
    }
}

#[tokio::test]
async fn a_request_knows_its_peer() {
    let server = start(patient());
    let mut stream = server.connect_and_send(GET).await;
    let own = stream.local_addr().unwrap().to_string();
    assert!(one(&mut stream).await.ends_with(&own));
}

#[tokio::test]
async fn a_slow_body_times_out() {
    let server = start(patient());
    let from = Instant::now();
    let head = b"POST /impatient HTTP/1.1\r\nhost: g\r\ncontent-length: 5\r\n\r\nab";
    let mut stream = server.connect_and_send(head).await;
    let answer = one(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 408") && answer.ends_with("too slow"), "{answer}");
    assert!(from.elapsed() >= SHORT);
}

#[tokio::test]
async fn a_body_is_read_whole_however_it_is_cut() {
    let server = start(patient());
    let bodies = [
        "content-length: 5\r\n\r\nhello",
        "transfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
    ];
    for rest in bodies {
        let head = format!("POST /body HTTP/1.1\r\nhost: g\r\n{rest}");
        let mut stream = server.connect().await;
        for byte in head.as_bytes() {
            stream.write_all(&[*byte]).await.unwrap();
        }
        let answer = one(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\nhello"));
    }
    let broken = b"POST /body HTTP/1.1\r\nhost: g\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    let mut stream = server.connect_and_send(broken).await;
    assert!(one(&mut stream).await.ends_with("broken"));
}

/// A peer that sends everything before it reads anything still gets its 413.
#[tokio::test]
async fn an_oversized_body_is_answered_413() {
    let server = start(patient());
    for size in [BODY_LIMIT + 1, 1024 * 1024, 7 * 1024 * 1024, 20 * 1024 * 1024] {
        for chunked in [false, true] {
            let framing = if chunked {
                format!("transfer-encoding: chunked\r\n\r\n{size:x}\r\n")
            } else {
                format!("content-length: {size}\r\n\r\n")
            };
            let head = format!("POST /body HTTP/1.1\r\nhost: g\r\n{framing}");
            let mut stream = server.connect_and_send(head.as_bytes()).await;
            stream.write_all(&vec![b'x'; size]).await.unwrap();
            if chunked {
                stream.write_all(b"\r\n0\r\n\r\n").await.unwrap();
            }
            let answer = one(&mut stream).await;
            assert!(answer.starts_with("HTTP/1.1 413"), "{size} {chunked}: {answer}");
            assert!(answer.ends_with("too large"), "{size} {chunked}: {answer}");
            // Read to its end, it leaves the connection as good as before.
            if size < 8 * 1024 * 1024 {
                stream.write_all(GET).await.unwrap();
                assert!(one(&mut stream).await.starts_with("HTTP/1.1 200"), "{size} {chunked}");
            }
        }
    }
}

#[tokio::test]
async fn a_malformed_head_gets_the_answer_of_ours() {
    let server = start(patient());
    let too_long = [b"GET / HTTP/1.1\r\nx: ".as_slice(), &vec![b'a'; 1024 * 1024]].concat();
    let long_uri = [b"GET /".as_slice(), &vec![b'a'; 100 * 1024], b" HTTP/1.1\r\n\r\n"].concat();
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(101));
    let cases: [(&[u8], u16); 9] = [
        (&too_long, 431),
        (&long_uri, 431),
        (many.as_bytes(), 431),
        (b"GET / HTTP/1.1\r\nx: a\0b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\na b: c\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"POST /body HTTP/1.1\r\ncontent-length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400),
    ];
    for (head, status) in cases {
        // Alone, and after a request that was fine, in the same segment and in another.
        for (before, pause) in [(&b""[..], false), (GET, false), (GET, true)] {
            let mut stream = server.connect_and_send(before).await;
            if pause {
                one(&mut stream).await;
            }
            stream.write_all(head).await.unwrap();
            if !before.is_empty() && !pause {
                assert!(one(&mut stream).await.starts_with("HTTP/1.1 200"));
            }
            let answer = to_end(&mut stream).await.unwrap();
            let shown = String::from_utf8_lossy(&head[..head.len().min(40)]);
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status} Refused\r\n")),
                "{shown}: {answer}"
            );
            assert!(
                answer.ends_with(&format!("{{\"error\":{{\"code\":\"malformed_{status}\"}}}}"))
            );
        }
    }
}

#[tokio::test]
async fn an_answer_of_the_service_is_never_taken_for_a_malformed_head() {
    let server = start(patient());
    for _ in 0..2 {
        let head = b"HEAD /bare HTTP/1.1\r\n\r\nGET /bare HTTP/1.1\r\nconnection: close\r\n\r\n";
        let mut stream = server.connect_and_send(head).await;
        let answers = to_end(&mut stream).await.unwrap();
        assert_eq!(answers.matches("HTTP/1.1 400 Bad Request\r\n").count(), 2, "{answers}");
    }
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let server = start(patient());
    let post = |body: &str| {
        format!("POST /body HTTP/1.1\r\nhost: g\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    };
    let all: String = (0..50).map(|n| post(&format!("number {n:02}"))).collect();
    let mut stream = server.connect_and_send(all.as_bytes()).await;
    for n in 0..50 {
        assert!(one(&mut stream).await.ends_with(&format!("number {n:02}")));
    }
}

#[tokio::test]
async fn http_1_0_is_answered_and_closed() {
    let server = start(patient());
    let mut stream = server.connect_and_send(b"GET /peer HTTP/1.0\r\n\r\n").await;
    assert!(to_end(&mut stream).await.unwrap().starts_with("HTTP/1.0 200"));
}

type H2 = hyper::client::conn::http2::SendRequest<Empty<bytes::Bytes>>;

async fn h2(server: &Server) -> (H2, JoinHandle<hyper::Result<()>>) {
    let io = TokioIo::new(server.connect().await);
    let (client, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
    (client, tokio::spawn(connection))
}

fn request(server: &Server, path: &str) -> hyper::Request<Empty<bytes::Bytes>> {
    hyper::Request::get(format!("http://{}{path}", server.addr)).body(Empty::new()).unwrap()
}

#[tokio::test]
async fn http_2_with_prior_knowledge_and_a_goodbye_when_idle() {
    let limits = Limits { header_timeout: SHORT / 3, idle_timeout: SHORT, ..patient() };
    let server = start(limits);
    let (mut client, connection) = h2(&server).await;
    // Longer in flight than the idle timeout: what is in flight is not idle.
    let waiting = tokio::spawn(client.send_request(request(&server, "/wait")));
    server.begun.notified().await;
    tokio::time::sleep(SHORT + SHORT / 2).await;
    server.finish.notify_one();
    let response = waiting.await.unwrap().unwrap();
    assert_eq!(response.version(), hyper::Version::HTTP_2);
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "finished");
    let from = Instant::now();
    // Closed with a GOAWAY: an end without an error.
    timeout(LONG / 2, connection).await.unwrap().unwrap().unwrap();
    assert!(from.elapsed() >= SHORT / 2);
}

#[tokio::test]
async fn a_ping_between_http_2_requests_is_not_the_start_of_a_head() {
    let server = start(Limits { header_timeout: SHORT / 3, ..patient() });
    let io = TokioIo::new(server.connect().await);
    let (mut client, connection) = hyper::client::conn::http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(SHORT / 10)
        .keep_alive_while_idle(true)
        .handshake::<_, Empty<bytes::Bytes>>(io)
        .await
        .unwrap();
    let mut connection = tokio::spawn(connection);
    client
        .send_request(request(&server, "/peer"))
        .await
        .unwrap()
        .into_body()
        .collect()
        .await
        .unwrap();
    assert!(timeout(SHORT, &mut connection).await.is_err(), "closed");
    client.send_request(request(&server, "/peer")).await.unwrap();
}

#[tokio::test]
async fn shutdown_finishes_what_is_in_flight_and_refuses_the_rest() {
    let server = start(patient());
    let mut idle = server.connect_and_send(GET).await;
    one(&mut idle).await;
    let mut silent = server.connect().await;
    let mut busy = server.connect_and_send(b"GET /wait HTTP/1.1\r\nhost: g\r\n\r\n").await;
    server.begun.notified().await;
    let (mut client, connection) = h2(&server).await;
    let multiplexed = tokio::spawn(client.send_request(request(&server, "/wait")));
    server.begun.notified().await;

    server.stop.cancel();
    assert_eq!(to_end(&mut idle).await.unwrap(), "");
    assert_eq!(to_end(&mut silent).await.unwrap(), "");
    assert!(TcpStream::connect(server.addr).await.is_err(), "the port is closed");
    assert!(!server.task.is_finished());

    server.finish.notify_waiters();
    let answer = to_end(&mut busy).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("finished"), "{answer}");
    let answer = multiplexed.await.unwrap().unwrap().into_body();
    assert_eq!(answer.collect().await.unwrap().to_bytes(), "finished");
    timeout(LONG / 2, connection).await.unwrap().unwrap().unwrap();
    server.stop().await;
}

#[tokio::test]
async fn shutdown_does_not_wait_longer_than_its_grace() {
    let server = start(Limits { shutdown_grace: SHORT, ..patient() });
    let mut busy = server.connect_and_send(b"GET /wait HTTP/1.1\r\nhost: g\r\n\r\n").await;
    server.begun.notified().await;
    let from = Instant::now();
    server.stop().await;
    assert!(from.elapsed() >= SHORT);
    assert_eq!(to_end(&mut busy).await.unwrap_or_default(), "");
}

#[tokio::test]
async fn a_body_over_the_limit_is_told_from_one_at_it() {
    let at = Body::from(vec![0; BODY_LIMIT]);
    assert_eq!(body::read(at, BODY_LIMIT, LONG).await.unwrap().len(), BODY_LIMIT);
    let over = Body::from(vec![0; BODY_LIMIT + 1]);
    assert_eq!(body::read(over, BODY_LIMIT, LONG).await, Err(BodyError::TooLarge));
    assert_eq!(body::read(Body::empty(), 0, LONG).await.unwrap(), "");
}
