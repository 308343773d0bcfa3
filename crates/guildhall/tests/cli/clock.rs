//! `POST /dev/clock`: time for those who cannot wait.

use serde_json::json;

use crate::support::{Dev, client, me, send, sign_in};

const DAY: i64 = 24 * 3600;

/// "a movable clock: answers 200 once every timer then due has run; the offset is kept in the data folder across
/// restarts"
#[tokio::test]
async fn a_moved_clock_expires_tokens_and_grants_and_stays_moved() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let base = dev.base_url();
    let owner = dev.ready["accounts"][1].clone();
    let text = |name: &str| owner[name].as_str().unwrap();
    let token = sign_in(&base, text("email"), text("password")).await;
    me(&base, &token).await.expect(200);
    let moved = dev.move_clock(&json!({ "advance_seconds": 901 })).await.expect(200);
    assert_eq!(moved["offset_seconds"], 901);
    me(&base, &token).await.expect(401);

    let key = dev.api_key(0);
    let grant = dev.me(&key).await.expect(200)["connection"]["grant"]["expires_at"].clone();
    let moved = dev.move_clock(&json!({ "advance_seconds": 366 * DAY })).await.expect(200);
    assert_eq!(moved["offset_seconds"], 366 * DAY + 901);
    // Both are written in the same way, so they compare as texts.
    assert!(moved["now"].as_str().unwrap() > grant.as_str().unwrap(), "{moved} {grant}");
    dev.me(&key).await.expect(401);
    assert_eq!(dev.stop(), 0);

    let again = Dev::start(folder.path(), &[]);
    assert_eq!(again.api_key(0), key);
    again.me(&key).await.expect(401);
    let still = again.move_clock(&json!({ "advance_seconds": 0 })).await.expect(200);
    assert_eq!(still["offset_seconds"], 366 * DAY + 901);
    assert!(still["now"].as_str().unwrap() > moved["now"].as_str().unwrap());
}

/// A policy's date is written down by a timer, and it has run when the clock's answer comes.
#[tokio::test]
async fn timers_have_run_when_the_clock_answers() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let base = dev.base_url();
    // Of the demo's people the arbiter alone has no policy.
    let arbiter = dev.ready["accounts"][2].clone();
    let text = |name: &str| arbiter[name].as_str().unwrap();
    let token = sign_in(&base, text("email"), text("password")).await;
    let now = dev.move_clock(&json!({ "advance_seconds": 0 })).await.expect(200)["now"].clone();
    let day = now.as_str().unwrap().get(..10).unwrap().to_owned();
    let year: u32 = day.get(..4).unwrap().parse().unwrap();
    let policy = json!({
        "max_per_command_micros": "1", "max_per_day_micros": "1",
        "expires_at": format!("{}-01-01T00:00:00Z", year + 1),
    });
    let create = client().post(format!("{base}/v1/spend-policies")).bearer_auth(&token);
    let create = create.header("idempotency-key", "clock").json(&policy);
    let policy = send(create).await.expect(201);
    assert_eq!(policy["status"], "active");
    dev.move_clock(&json!({ "advance_seconds": 366 * DAY })).await.expect(200);
    let token = sign_in(&base, text("email"), text("password")).await;
    let policy_id = policy["policy_id"].as_str().unwrap();
    let read = client().get(format!("{base}/v1/spend-policies/{policy_id}")).bearer_auth(&token);
    let read = send(read).await.expect(200);
    assert_eq!(read["status"], "expired");
}

/// Whatever is no move is refused in the envelope, and the clock stays where it is.
#[tokio::test]
async fn what_is_no_move_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dev = Dev::start(folder.path(), &[]);
    let too_far = 10 * 365 * DAY + 1;
    for bad in [
        json!({ "advance_seconds": -1 }),
        json!({ "advance_seconds": too_far }),
        json!({ "advance_seconds": "60" }),
        json!({ "advance_seconds": 1.5 }),
        json!({ "advance_seconds": 1, "more": true }),
        json!({}),
        json!([]),
    ] {
        let refused = dev.move_clock(&bad).await;
        assert!(refused.header("request-id").is_some_and(|id| id.starts_with("req_")), "{bad}");
        assert_eq!(refused.header("service-version"), Some("2026-11-01"));
        assert_eq!(refused.expect(400)["error"]["code"], "invalid_request", "{bad}");
    }
    let form = client().post(dev.base_url() + "/dev/clock").body("advance_seconds=1");
    send(form).await.expect(415);
    send(client().get(dev.base_url() + "/dev/clock")).await.expect(405);
    let still = dev.move_clock(&json!({ "advance_seconds": 0 })).await.expect(200);
    assert_eq!(still["offset_seconds"], 0);
}
