//! What a log line holds, and what never gets into one.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::*;

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Written {
    fn lines(&self) -> Vec<Value> {
        let bytes = self.0.lock().unwrap().clone();
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn logged(filter: &str, act: impl FnOnce()) -> Vec<Value> {
    let written = Written::default();
    let to = written.clone();
    let log = Log { filter: filter.to_owned().try_into().unwrap(), ..Log::default() };
    let lines = lines(LogFormat::Json, false, move || to.clone());
    let subscriber = tracing_subscriber::registry().with(layers(&log, lines, None));
    tracing::subscriber::with_default(subscriber, act);
    written.lines()
}

#[test]
fn a_line_carries_the_request_and_the_principal_of_its_spans() {
    let lines = logged("info", || {
        let request =
            tracing::info_span!("request", request_id = "req_1", principal = tracing::field::Empty);
        let _entered = request.enter();
        request.record("principal", "acct_1");
        let _inner = tracing::info_span!("inner").entered();
        tracing::info!(target: "guildhall", tasks = 3, level = "mine", "listed");
    });
    let line = &lines[0];
    assert_eq!(line["request_id"], "req_1");
    assert_eq!(line["principal"], "acct_1");
    assert_eq!(line["message"], "listed");
    assert_eq!(line["target"], "guildhall");
    assert_eq!(line["tasks"], 3);
    assert_eq!((&line["level"], &line["field_level"]), (&"INFO".into(), &"mine".into()));
    assert!(line["timestamp"].as_str().unwrap().starts_with("20"));
}

#[test]
fn no_filter_makes_the_talkative_crates_talk() {
    let lines = logged("trace,hyper=trace,tokio_postgres::query=trace", || {
        tracing::debug!(target: "hyper::proto", "authorization: Bearer canary");
        tracing::trace!(target: "h2::codec", "canary");
        tracing::debug!(target: "tokio_postgres::query", "canary");
        tracing::debug!(target: "rusqlite", "canary");
        tracing::debug!(target: "reqwest::connect", "canary");
        tracing::info!(target: "hyper", "calm");
        tracing::trace!(target: "guildhall", "ours");
    });
    let messages: Vec<&Value> = lines.iter().map(|line| &line["message"]).collect();
    assert_eq!(messages, ["calm", "ours"]);
}

#[test]
fn a_quiet_filter_is_quiet() {
    let lines = logged("warn,guildhall_ops=debug", || {
        tracing::info!(target: "guildhall", "no");
        tracing::debug!(target: "guildhall_ops::task", "yes");
    });
    assert_eq!(lines.len(), 1);
}

#[test]
fn a_span_reaches_the_collector_before_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let collector = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut request, mut piece) = (Vec::new(), [0; 4096]);
        while !request.windows(9).any(|window| window == b"acct_here") {
            let read = stream.read(&mut piece).unwrap();
            assert!(read > 0, "the request ended without the span's field");
            request.extend_from_slice(&piece[..read]);
        }
        let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8_lossy(&request).into_owned()
    });
    let otlp = crate::config::Otlp {
        endpoint: Some(endpoint.try_into().unwrap()),
        ..crate::config::Otlp::default()
    };
    let exporter = otlp::Exporter::start(&otlp).unwrap().unwrap();
    let quiet = lines(LogFormat::Json, false, io::sink);
    let layers = layers(&Log::default(), quiet, Some(exporter.layer()));
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layers), || {
        let _span = tracing::info_span!("list_tasks", principal = "acct_here").entered();
    });
    exporter.flush();
    let request = collector.join().unwrap();
    assert!(request.starts_with("POST /v1/traces HTTP/1.1"), "{request}");
    assert!(request.contains("list_tasks"));
}

#[test]
fn a_silent_collector_does_not_hold_up_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let otlp = crate::config::Otlp {
        endpoint: Some(endpoint.try_into().unwrap()),
        ..crate::config::Otlp::default()
    };
    let exporter = otlp::Exporter::start(&otlp).unwrap().unwrap();
    let layers = vec![exporter.layer()];
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layers), || {
        let _span = tracing::info_span!("list_tasks").entered();
    });
    let began = std::time::Instant::now();
    exporter.flush();
    assert!(began.elapsed() < std::time::Duration::from_secs(6), "{:?}", began.elapsed());
    drop(listener);
}
