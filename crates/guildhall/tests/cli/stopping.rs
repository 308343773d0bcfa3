//! How the program ends.

use std::time::{Duration, Instant};

use crate::support::{Dev, client, send};

/// Whoever waits for news gets the answer there is, and the program does not wait for them.
#[tokio::test]
async fn a_long_poll_is_answered_when_the_server_stops() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let (base, key) = (dev.base_url(), dev.api_key(1));
    let news = client().get(format!("{base}/v1/notifications")).header("x-api-key", &key);
    let news = send(news).await.expect(200);
    let newest = news["data"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap();
    let poll = format!("{base}/v1/notifications?after={newest}&wait=30");
    let poll = client().get(poll).header("x-api-key", &key);
    let poll = tokio::spawn(poll.send());
    // The poll is on its way once the quota shows one request more than were made here.
    let mut made_here = 1;
    loop {
        made_here += 1;
        let left = dev.me(&key).await.header("x-limit-remaining").unwrap().to_owned();
        if left != (600 - made_here).to_string() {
            break;
        }
    }
    let stopped = Instant::now();
    let code = tokio::task::spawn_blocking(move || dev.stop()).await.unwrap();
    assert_eq!(code, 0);
    assert!(stopped.elapsed() < Duration::from_secs(5), "{:?}", stopped.elapsed());
    let answer = poll.await.unwrap().unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.text().await.unwrap(), "{\"data\":[],\"next_page\":null}");
}
