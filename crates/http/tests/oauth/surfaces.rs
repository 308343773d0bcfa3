//! Which credentials are worth something where.

use axum::http::Request;
use axum::http::request::Parts;
use guildhall_http::credential;
use guildhall_ops::{Credential, Surface};
use testkit::{Server, on_both_engines};

on_both_engines!(tools_take_what_agents_have_and_nothing_of_a_person);

fn parts(name: &str, value: &str) -> Parts {
    Request::builder().header(name, value).body(()).unwrap().into_parts().0
}

/// "account JWT (aud `{base_url}/v1`) rejected at /mcp with 401"; "An account session is no MCP credential"
async fn tools_take_what_agents_have_and_nothing_of_a_person(server: Server) {
    let ada = server.person("ada").await;
    let agent = ada.agent("keyed").await;
    let client = server.oauth_client("Scribe").await;
    let tokens = client.connect(&ada, &ada.create_agent("scout").await).await;
    let read = async |name: &str, value: String, surface| {
        let now = server.clock.now();
        credential::read(&parts(name, &value), &server.identity, surface, now).await.unwrap()
    };
    for surface in [Surface::Rest, Surface::Mcp] {
        let found = read("authorization", format!("Bearer {}", tokens.access), surface).await;
        assert!(matches!(found, Credential::Oauth { epoch: 1, .. }), "{found:?}");
        for (name, value) in [
            ("authorization", format!("Bearer {}", agent.api_key)),
            ("x-api-key", agent.api_key.clone()),
        ] {
            assert!(matches!(read(name, value, surface).await, Credential::Key(_)));
        }
        let found = read("authorization", "Bearer a.b.c".to_owned(), surface).await;
        assert_eq!(found, Credential::Invalid);
        assert_eq!(read("accept", "*/*".to_owned(), surface).await, Credential::None);
    }
    let session = format!("Bearer {}", ada.token);
    let action = "Action token".to_owned();
    let by_rest = read("authorization", session.clone(), Surface::Rest).await;
    assert!(matches!(by_rest, Credential::Session { .. }), "{by_rest:?}");
    assert!(matches!(
        read("authorization", action.clone(), Surface::Rest).await,
        Credential::Action(_)
    ));
    for persons in [session, action] {
        assert_eq!(read("authorization", persons, Surface::Mcp).await, Credential::Invalid);
    }
}
