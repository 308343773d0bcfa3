//! Links to tasks that open without a credential, for a while.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use guildhall_core::{Secret, TaskId};
use guildhall_store::Sealer;
use testkit::{Server, on_both_engines, send};

on_both_engines!(a_link_ends, a_forged_link_opens_nothing, a_link_is_only_read);

/// A link as the service makes it, with the key that servers under test have.
fn token(server: &Server, purpose: &str) -> String {
    let now = server.clock.now();
    let ends = now.after(Duration::from_mins(10)).millis();
    let claim = format!("{} {ends}", TaskId::new(now, 0, 7));
    let tag = Sealer::new(&Secret::new([7; 32]), purpose).mac(claim.as_bytes());
    BASE64.encode([tag.as_slice(), claim.as_bytes()].concat())
}

/// "the url answers without credential until it expires, and then 410"; "410 `not_found`".
async fn a_link_ends(server: Server) {
    let path = format!("/previews/{}", token(&server, "previews"));
    let absent = server.get(&path).await;
    absent.refused(404, "not_found");
    server.advance(Duration::from_secs(599)).await;
    server.get(&path).await.refused(404, "not_found");
    server.advance(Duration::from_secs(1)).await;
    let over = server.get(&path).await;
    over.refused(410, "not_found");
    assert_eq!(over.header("cache-control"), Some("no-store"));
    assert_eq!(over.header("x-content-type-options"), Some("nosniff"));
}

async fn a_forged_link_opens_nothing(server: Server) {
    let good = token(&server, "previews");
    let cut = &good[..good.len() - 2];
    for forged in ["x", "%00", "..", cut, &token(&server, "cursors"), &format!("{good}AA")] {
        let answer = server.get(&format!("/previews/{forged}")).await;
        assert_eq!(answer.status, 404, "{forged}: {}", answer.text);
        answer.refused(404, "not_found");
    }
    server.advance(Duration::from_secs(3_600)).await;
    server.get(&format!("/previews/{cut}")).await.refused(404, "not_found");
}

async fn a_link_is_only_read(server: Server) {
    let path = format!("/previews/{}", token(&server, "previews"));
    send(server.request("POST", &path)).await.refused(405, "invalid_request");
}
