//! The window: what it gives, what a 429 says, and when it is over.

use serde_json::json;
use testkit::{Server, Setup};

use super::{limited, with_quotas};
use crate::conventions::{agent_names, begin_window, on_both_engines_with, remaining, send};

on_both_engines_with!(
    three: [
        a_429_says_when_to_come_back,
        waiting_as_long_as_told_is_enough,
        what_is_over_the_limit_does_nothing,
        reads_and_mutations_share_one_quota,
    ],
    twenty: [parallel_requests_get_the_quota_and_no_more],
);

fn three() -> Setup {
    with_quotas(|quotas| quotas.account = 3)
}

fn twenty() -> Setup {
    with_quotas(|quotas| quotas.account = 20)
}

/// "A 429 response carries Retry-After and X-Limit-Remaining."; "integer seconds, minimum 1"
async fn a_429_says_when_to_come_back(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    for left in [2, 1, 0] {
        let answer = ada.get("/v1/me").await;
        assert_eq!((answer.status, remaining(&answer)), (200, left));
    }
    let first = limited(&ada.get("/v1/me").await);
    assert!(first > 30, "the window has just begun: {first}");
    server.clock.advance(29_000);
    let later = limited(&ada.get("/v1/me").await);
    assert!((first - 31..first - 28).contains(&later), "{later} after {first}");
    let suggestion = ada.get("/v1/me").await.body["error"]["suggestion"].clone();
    assert!(suggestion.as_str().is_some_and(|text| text.starts_with("Wait ")), "{suggestion}");
}

/// "after a 429 the client waits at least the Retry-After period before retrying"
async fn waiting_as_long_as_told_is_enough(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    for _ in 0..3 {
        for _ in 0..3 {
            ada.get("/v1/me").await.expect(200);
        }
        let seconds = limited(&ada.get("/v1/me").await);
        server.clock.advance(seconds * 1_000);
    }
    assert_eq!(remaining(&ada.get("/v1/me").await), 2, "the whole quota again");
}

/// What is refused for the limit has no effect and is no 401 or 403 in disguise.
async fn what_is_over_the_limit_does_nothing(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    for _ in 0..3 {
        ada.get("/v1/me").await.expect(200);
    }
    for _ in 0..5 {
        limited(&ada.post("/v1/me/agents", json!({ "name": "scout" })).await);
        limited(&send(ada.request("GET", "/v1/me/activity/stream")).await);
        limited(&ada.get("/v1/client-catalog").await);
    }
    begin_window(&server);
    assert!(agent_names(&ada).await.is_empty());
}

/// "requests left in the current rate-limit window": whatever they ask for.
async fn reads_and_mutations_share_one_quota(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let created = ada.post("/v1/me/agents", json!({ "name": "scout" })).await;
    assert_eq!((created.status, remaining(&created)), (201, 2));
    let refused = ada.post("/v1/me/agents", json!({})).await;
    assert_eq!((refused.status, remaining(&refused)), (400, 1), "refusals count");
    assert_eq!(remaining(&ada.get("/v1/me").await), 0);
    limited(&ada.post("/v1/me/agents", json!({ "name": "scout" })).await);
}

/// The quota holds when everything comes at once.
async fn parallel_requests_get_the_quota_and_no_more(server: Server) {
    begin_window(&server);
    let ada = server.person("ada").await;
    let mut requests = tokio::task::JoinSet::new();
    for _ in 0..64 {
        requests.spawn(send(ada.request("GET", "/v1/me")));
    }
    let answers = requests.join_all().await;
    let (granted, refused): (Vec<_>, Vec<_>) =
        answers.iter().partition(|answer| answer.status == 200);
    assert_eq!((granted.len(), refused.len()), (20, 44));
    for answer in refused {
        limited(answer);
    }
    let mut left: Vec<u32> = granted.into_iter().map(remaining).collect();
    left.sort_unstable();
    if server.service.db().is_shared() {
        // Slices on their way from the store are not counted yet: nobody is told of more than there is.
        assert!(left.iter().all(|left| *left < 20), "{left:?}");
    } else {
        assert_eq!(left, (0..20).collect::<Vec<_>>(), "no two are told the same");
    }
}
