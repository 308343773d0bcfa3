//! `guildhall serve`: production, with a configuration.

use std::path::Path;

use guildhall_store::Engine as Place;
use serde_json::json;
use testkit::{Database, Engine};

use crate::support::{KEY, client, free_port, me, post, run, send, serve, sign_in};

const PASSWORD: &str = "otter violin march";

/// A configuration that may be served with; gives the address of the service.
fn configure(folder: &Path, database: &str) -> String {
    let base_url = format!("http://127.0.0.1:{}", free_port());
    let listen = base_url.strip_prefix("http://").unwrap();
    let file = format!(
        "[server]\nbase_url = \"{base_url}\"\nlisten = \"{listen}\"\nmetrics_listen = \"off\"\n\
         [secrets]\nkey = \"{KEY}\"\n[database]\nurl = \"{database}\"\n[limits]\nagent = 7\n"
    );
    std::fs::write(folder.join("guildhall.toml"), file).unwrap();
    base_url
}

async fn works(folder: &Path, base_url: &str) {
    let server = serve(folder);
    let ready = send(client().get(format!("{base_url}/readyz"))).await.expect(200);
    assert_eq!(ready["checks"]["store"], "ok");
    let account = json!({ "email": "a@example.test", "password": PASSWORD, "name": "A" });
    let signed_up = post(base_url, "/api/auth/sign-up/email", &account).await.expect(200);
    let token = sign_in(base_url, "a@example.test", PASSWORD).await;
    let seen = me(base_url, &token).await.expect(200);
    assert_eq!(seen["account_id"], signed_up["account"]["account_id"]);
    // The clock of a service that others rely on does not move.
    post(base_url, "/dev/clock", &json!({ "advance_seconds": 1 })).await.expect(404);
    send(client().get(format!("{base_url}/dev/mailbox"))).await.expect(404);
    assert_eq!(server.stop(), 0);
    let server = serve(folder);
    me(base_url, &token).await.expect(200);
    assert_eq!(server.stop(), 0);
}

/// "production: every key also as `GUILDHALL_SECTION_KEY`"
#[tokio::test]
async fn it_works_over_sqlite_and_forgets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let base_url = configure(folder.path(), "sqlite:data/guildhall.db");
    works(folder.path(), &base_url).await;
}

#[tokio::test]
async fn it_works_over_postgres_and_forgets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::create(Engine::Postgres, folder.path()).await;
    let Place::Postgres(url) = database.config().engine else { panic!("not PostgreSQL") };
    let base_url = configure(folder.path(), &url);
    works(folder.path(), &base_url).await;
}

/// "refuses to start on default secrets or an unsafe combination, and says which"
#[test]
fn it_refuses_what_is_unsafe_and_says_which() {
    let folder = tempfile::tempdir().unwrap();
    let example = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    for (file, told) in [
        (String::new(), "secrets: no key is set"),
        (format!("[secrets]\nkey = \"{example}\"\n"), "a sequence, such as examples have"),
        (
            format!("[server]\nbase_url = \"http://market.example\"\n[secrets]\nkey = \"{KEY}\"\n"),
            "server.base_url = http://market.example: is plain http",
        ),
    ] {
        std::fs::write(folder.path().join("guildhall.toml"), file).unwrap();
        let (code, printed, error) = run(folder.path(), &["serve"]);
        assert_eq!((code, printed.as_str()), (3, ""), "{error}");
        assert!(error.contains(told), "{error}");
    }
    assert!(!folder.path().join("data").exists(), "nothing is made before the refusal");
}
