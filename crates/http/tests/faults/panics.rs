//! A panic is a 500 in the envelope, and nothing more: the next request is served.

use testkit::{Server, on_both_engines};

on_both_engines!(a_panic_is_answered_and_leaves_nothing_behind);

async fn a_panic_is_answered_and_leaves_nothing_behind(server: Server) {
    let person = server.person("ada").await;
    for path in ["/test/panic", "/test/panic-in-transaction"] {
        for _ in 0..20 {
            let answer = server.get(path).await;
            let reason = answer.refused(500, "internal");
            assert!(!reason.contains("asked"), "the cause is the operator's: {reason}");
            assert!(
                answer.header("request-id").is_some() && answer.header("service-version").is_some()
            );
        }
        person.get("/v1/me").await.expect(200);
        person.create_agent("Scout").await;
    }
}
