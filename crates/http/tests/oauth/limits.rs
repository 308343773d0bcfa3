//! Guessing and flooding: an address has so many tries.

use guildhall_ops::Quotas;
use serde_json::json;
use testkit::{Engine, REDIRECT_URI, Server, Setup, fields};

async fn with_tries(engine: Engine, tries: u32) -> Server {
    let quotas = Quotas { sign_in: tries, ..Setup::default().quotas };
    Server::start_with(engine, Setup { quotas, ..Setup::default() }).await
}

/// "rate limits by address": codes, secrets and registrations are tried so often and no more.
async fn an_address_has_so_many_tries(server: Server) {
    let client = server.oauth_client("Scribe").await;
    let mut refused = 0;
    for number in 0..20 {
        let form = fields(&[
            ("grant_type", "authorization_code"),
            ("code", &format!("guess-{number}")),
            ("code_verifier", &"v".repeat(43)),
            ("client_id", &client.client_id),
        ]);
        let answer = server.oauth("token", &form).await;
        if answer.status == 429 {
            answer.denied(429, "temporarily_unavailable");
            let seconds: u32 = answer.header("retry-after").unwrap().parse().unwrap();
            assert!(seconds >= 1);
            assert_eq!(answer.header("x-limit-remaining"), Some("0"));
            refused += 1;
        } else {
            answer.denied(400, "invalid_grant");
        }
    }
    assert!(refused >= 10, "{refused}");
    let flood = server.register(&json!({ "redirect_uris": [REDIRECT_URI] })).await;
    flood.denied(429, "temporarily_unavailable");
}

mod sqlite {
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_address_has_so_many_tries() {
        let server = super::with_tries(testkit::Engine::Sqlite, 10).await;
        super::an_address_has_so_many_tries(server).await;
    }
}

mod postgres {
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_address_has_so_many_tries() {
        let server = super::with_tries(testkit::Engine::Postgres, 10).await;
        super::an_address_has_so_many_tries(server).await;
    }
}
