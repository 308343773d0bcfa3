//! `GET /metrics`, on an address of its own so that it is never public by accident.

use std::io;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use guildhall_http::serve as accept;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::Numbers;

/// The version of the text format that Prometheus asks for.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// A scraper or two, and somebody who looks; not a crowd.
const CONNECTIONS: usize = 64;

/// Answers until `stop`.
pub(crate) async fn serve(
    listener: TcpListener,
    numbers: Numbers,
    stop: CancellationToken,
) -> io::Result<()> {
    let page = move || async move { ([(CONTENT_TYPE, TEXT_FORMAT)], numbers.page()) };
    let router = Router::new().route("/metrics", get(page));
    let limits = accept::Limits {
        max_connections: CONNECTIONS,
        max_connections_per_ip: CONNECTIONS,
        ..accept::Limits::default()
    };
    accept::serve(listener, router, limits, stop).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_page_tells_about_the_process_and_nothing_else_is_there() {
        let numbers = Numbers::install().unwrap();
        metrics::counter!("guildhall_tests_total").increment(2);
        let listener = accept::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let served = tokio::spawn(serve(listener, numbers, stop.clone()));

        let answer = reqwest::get(format!("http://{address}/metrics")).await.unwrap();
        assert_eq!(answer.headers()["content-type"], TEXT_FORMAT);
        let page = answer.text().await.unwrap();
        let number = |name: &str| -> u64 {
            let line = page.lines().find(|line| line.starts_with(name)).expect(name);
            let number = line.rsplit(' ').next().unwrap();
            number.split('.').next().unwrap().parse().unwrap()
        };
        assert!(number("process_resident_memory_bytes ") > 1_000_000);
        assert!(number("process_open_fds ") >= 3);
        assert!(number("guildhall_uptime_seconds ") < 60);
        assert_eq!(number("guildhall_build_info{"), 1);
        assert_eq!(number("guildhall_tests_total "), 2);

        let other = reqwest::get(format!("http://{address}/")).await.unwrap();
        assert_eq!(other.status(), 404);
        stop.cancel();
        served.await.unwrap().unwrap();
    }
}
