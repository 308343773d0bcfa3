//! One client, several agents, several owners: families do not touch each other.

use serde_json::json;
use testkit::{OauthTokens, Server, on_both_engines};

use super::{claims, is_dead, works};

on_both_engines!(
    families_of_one_client_live_apart,
    a_new_consent_ends_the_family_before_it,
    no_secret_is_kept,
);

async fn families_of_one_client_live_apart(server: Server) {
    let (ada, bob) = (server.person("ada").await, server.person("bob").await);
    let client = server.oauth_client("Scribe").await;
    let one = client.connect(&ada, &ada.create_agent("one").await).await;
    let two = client.connect(&ada, &ada.create_agent("two").await).await;
    let three = client.connect(&bob, &bob.create_agent("three").await).await;
    let next = OauthTokens::of(&client.refresh(&one.refresh).await.expect(200));
    client.refresh(&next.refresh).await.expect(200);
    client.refresh(&one.refresh).await.denied(400, "invalid_grant");
    is_dead(&server, &next.access).await;
    for tokens in [&two, &three] {
        works(&server, &tokens.access).await;
        client.refresh(&tokens.refresh).await.expect(200);
    }
}

/// "it dies … with a new consent of the same client and agent"; "renews that connection (epoch + 1) … and takes agent-buyer
/// away until the owner binds again"
async fn a_new_consent_ends_the_family_before_it(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.create_agent("scout").await;
    let client = server.oauth_client("Scribe").await;
    let first = client.connect(&ada, &agent).await;
    ada.policy().await;
    let connection = claims(&first.access)["connection_id"].as_str().unwrap().to_owned();
    ada.post(&format!("/v1/connections/{connection}/spend-policy"), json!({})).await.expect(200);
    let second = client.connect(&ada, &agent).await;
    let said = claims(&second.access);
    assert_eq!((&said["connection_id"], &said["epoch"]), (&json!(connection), &json!(2)));
    is_dead(&server, &first.access).await;
    client.refresh(&first.refresh).await.denied(400, "invalid_grant");
    let me = works(&server, &second.access).await;
    assert_eq!(me["connection"]["grant"]["scopes"], json!(["read", "worker"]));
    client.refresh(&second.refresh).await.expect(200);
}

/// "Digests only, never a secret in clear"
async fn no_secret_is_kept(server: Server) {
    let ada = server.person("ada").await;
    let metadata = json!({
        "redirect_uris": [testkit::REDIRECT_URI], "token_endpoint_auth_method": "client_secret_post",
    });
    let client = server.oauth_client_as(metadata).await;
    let sent = client.ask(&ada, &ada.create_agent("scout").await, &[]).await;
    let tokens = OauthTokens::of(&client.redeem(&sent).await.expect(200));
    let next = OauthTokens::of(&client.refresh(&tokens.refresh).await.expect(200));
    let registration = client.registration["registration_access_token"].as_str().unwrap();
    let secret = client.secret.clone().unwrap();
    let secrets =
        [&sent.code, &sent.verifier, &tokens.refresh, &next.refresh, &next.access, &secret, registration];
    let mut kept = Vec::new();
    for file in std::fs::read_dir(server.folder()).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            kept.push(String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned());
        }
    }
    if kept.is_empty() {
        kept = server.dump().await;
    }
    assert!(kept.iter().any(|text| text.contains(&client.client_id)), "the dump is one");
    for secret in secrets {
        assert!(kept.iter().all(|text| !text.contains(secret)), "{secret} is kept");
    }
}
