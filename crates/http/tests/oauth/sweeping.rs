//! What is over is forgotten by itself, and nothing else is.

use std::time::Duration;

use testkit::{OauthTokens, Server, on_both_engines};

use super::works;

const DAY: Duration = Duration::from_hours(24);

on_both_engines!(codes_and_tokens_are_forgotten, only_clients_that_were_never_used_are_forgotten);

/// "sweeping of old codes/tokens": spent tokens are known as spent for a week, codes for a day, successors for a moment.
async fn codes_and_tokens_are_forgotten(server: Server) {
    let ada = server.person("ada").await;
    let client = server.oauth_client("Scribe").await;
    let agent = ada.create_agent("scout").await;
    let first = client.connect(&ada, &agent).await;
    let second = OauthTokens::of(&client.refresh(&first.refresh).await.expect(200));
    let memory = server.oauth_memory().await;
    assert_eq!((memory.codes, memory.refresh_tokens, memory.successors), (1, 2, 1));
    server.advance(Duration::from_mins(3)).await;
    assert_eq!(server.oauth_memory().await.successors, 0);
    server.advance(2 * DAY).await;
    let memory = server.oauth_memory().await;
    assert_eq!((memory.codes, memory.refresh_tokens), (0, 2));
    server.advance(6 * DAY).await;
    assert_eq!(server.oauth_memory().await.refresh_tokens, 1);
    let third = OauthTokens::of(&client.refresh(&second.refresh).await.expect(200));
    works(&server, &third.access).await;
    server.advance(31 * DAY).await;
    server.advance(Duration::from_mins(2)).await;
    let memory = server.oauth_memory().await;
    assert_eq!((memory.refresh_tokens, memory.families), (0, 0));
}

/// "Dynamic registrations are not pruned while plausible"; "TTL only for never-used clients"
async fn only_clients_that_were_never_used_are_forgotten(server: Server) {
    let ada = server.person("ada").await;
    let (used, unused) = (server.oauth_client("Used").await, server.oauth_client("Unused").await);
    let tokens = used.connect(&ada, &ada.create_agent("scout").await).await;
    server.advance(89 * DAY).await;
    unused.refresh("gr_x").await.denied(400, "invalid_grant");
    server.advance(2 * DAY).await;
    unused.refresh("gr_x").await.denied(401, "invalid_client");
    used.refresh(&tokens.refresh).await.denied(400, "invalid_grant");
}
