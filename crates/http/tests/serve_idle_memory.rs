//! What an idle keep-alive connection costs in memory. A process of its own: it measures it.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use axum::{Router, routing::get};
use guildhall_http::serve::{Limits, bind, serve};
use tokio_util::sync::CancellationToken;

const CONNECTIONS: usize = 2000;
const MOST_BYTES_EACH: usize = 30 * 1024;
/// As much as an API client with a bearer token and tracing headers sends.
const HEAD_PADDING: usize = 600;

fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

fn open(addr: std::net::SocketAddr, count: usize) -> Vec<TcpStream> {
    let request = format!("GET / HTTP/1.1\r\nhost: g\r\nx: {}\r\n\r\n", "a".repeat(HEAD_PADDING));
    let mut answer = [0; 4096];
    let open = |_| {
        let mut stream = TcpStream::connect(addr).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        assert!(stream.read(&mut answer).unwrap() > 0);
        stream
    };
    (0..count).map(open).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_connection_is_cheap() {
    let limits = Limits { max_connections_per_ip: 2 * CONNECTIONS, ..Limits::default() };
    let listener = bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let addr = listener.local_addr().unwrap();
    let router = Router::new().route("/", get(async || "{\"answer\":42}"));
    let stop = CancellationToken::new();
    let server = tokio::spawn(serve(listener, router, limits, stop.clone()));

    // The first ones pay for the allocator's arenas and the runtime's own tables.
    let warm = tokio::task::spawn_blocking(move || open(addr, 100)).await.unwrap();
    let before = resident();
    let idle = tokio::task::spawn_blocking(move || open(addr, CONNECTIONS)).await.unwrap();
    let each = resident().saturating_sub(before) / CONNECTIONS;
    println!("{each} bytes of resident memory for each of {CONNECTIONS} idle connections");
    assert!(each < MOST_BYTES_EACH);

    stop.cancel();
    server.await.unwrap().unwrap();
    drop((warm, idle));
}
