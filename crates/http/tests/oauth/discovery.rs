//! What clients read first, wherever they look for it.

use serde_json::json;
use testkit::{Server, on_both_engines, send};

on_both_engines!(
    every_place_that_clients_try_has_the_document,
    the_resource_names_its_authorization_server,
    a_page_of_any_site_may_ask,
    no_page_of_another_site_may_use_a_cookie,
);

/// "clients with path issuers try, in order, …"; "issuer must be byte-identical to `{auth_url}/api/auth`"; "metadata lists only
/// S256"; "200 for each a client really probes"
async fn every_place_that_clients_try_has_the_document(server: Server) {
    let issuer = format!("{}/api/auth", server.public_url());
    let mut documents = Vec::new();
    for path in [
        "/.well-known/oauth-authorization-server/api/auth",
        "/.well-known/openid-configuration/api/auth",
        "/api/auth/.well-known/openid-configuration",
        "/api/auth/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server",
    ] {
        let answer = server.get(path).await;
        assert_eq!(answer.header("content-type"), Some("application/json"), "{path}");
        assert!(answer.header("service-version").is_some(), "{path}");
        documents.push(answer.expect(200));
    }
    assert!(documents.iter().all(|document| *document == documents[0]));
    let document = &documents[0];
    assert_eq!(document["issuer"], issuer);
    for (name, end) in [
        ("authorization_endpoint", "authorize"),
        ("token_endpoint", "token"),
        ("registration_endpoint", "register"),
        ("revocation_endpoint", "revoke"),
        ("introspection_endpoint", "introspect"),
    ] {
        assert_eq!(document[name], format!("{issuer}/oauth2/{end}"));
    }
    assert_eq!(document["scopes_supported"], json!(["read", "worker", "offline_access"]));
    assert_eq!(document["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(document["response_types_supported"], json!(["code"]));
    assert_eq!(document["grant_types_supported"], json!(["authorization_code", "refresh_token"]));
    for yes in ["authorization_response_iss_parameter_supported", "client_id_metadata_document_supported"] {
        assert_eq!(document[yes], true);
    }
    let keys = document["jwks_uri"].as_str().unwrap().strip_prefix(server.public_url()).unwrap();
    assert!(!server.get(keys).await.expect(200)["keys"].as_array().unwrap().is_empty());
}

/// "RFC 9728 document MUST exist … `scopes_supported=["read","worker"]` (NOT `offline_access`, NOT agent-buyer)"
async fn the_resource_names_its_authorization_server(server: Server) {
    let base = server.public_url();
    let expected = json!({
        "resource": format!("{base}/mcp"), "authorization_servers": [format!("{base}/api/auth")],
        "scopes_supported": ["read", "worker"], "bearer_methods_supported": ["header"],
        "resource_name": "Guildhall", "resource_documentation": format!("{base}/openapi.json"),
    });
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        assert_eq!(server.get(path).await.expect(200), expected, "{path}");
    }
}

/// "readable cross-origin (CORS `*`, no credentials) because browser clients use them"
async fn a_page_of_any_site_may_ask(server: Server) {
    let page = "https://client.example";
    let document = server.request("GET", "/.well-known/oauth-protected-resource/mcp");
    let answer = send(document.header("origin", page)).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    for endpoint in ["token", "register", "revoke"] {
        let path = format!("/api/auth/oauth2/{endpoint}");
        let preflight = server
            .request("OPTIONS", &path)
            .header("origin", page)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "content-type,mcp-protocol-version");
        let allowed = send(preflight).await;
        assert_eq!(allowed.status, 200, "{path}");
        assert_eq!(allowed.header("access-control-allow-origin"), Some("*"), "{path}");
        assert!(allowed.header("access-control-allow-credentials").is_none(), "{path}");
        let refused = send(server.request("POST", &path).header("origin", page)).await;
        assert_eq!(refused.status, 400);
        assert_eq!(refused.header("access-control-allow-origin"), Some("*"), "{path}");
    }
    let wrong = server.get("/api/auth/oauth2/token").await;
    wrong.denied(405, "invalid_request");
}

/// What everybody may call looks at no cookie, and what looks at one is for our own pages.
async fn no_page_of_another_site_may_use_a_cookie(server: Server) {
    let ada = server.person("ada").await;
    let token = server.request("GET", "/api/auth/token").header("cookie", &ada.cookie);
    let answer = send(token.header("origin", "https://client.example")).await;
    assert_eq!(answer.status, 403);
    assert!(answer.header("access-control-allow-origin").is_none());
}
