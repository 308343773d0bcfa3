//! Access tokens that are right, and what only looks so. What holds for every signed token is held by the session token's
//! tests; here is what is an access token's own.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use guildhall_core::Id;
use guildhall_core::scope::Scope;
use guildhall_store::{Config, Db, Engine};
use jsonwebtoken::{DecodingKey, Validation};
use serde_json::{Value, json};

use super::*;
use crate::tokens::Tokens;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_500);

struct Bench {
    tokens: AccessTokens,
    sessions: Tokens,
    key: Arc<Key>,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::new(Engine::Sqlite(folder.path().join("guildhall.db")));
        guildhall_store::migrate(&config).await.unwrap();
        let db = Db::open(&config).await.unwrap();
        let keys = Arc::new(Keys::open(db, &Secret::new([1; 32]), NOW).await.unwrap());
        let (auth, base) = ("https://id.example/", "https://api.example");
        let tokens = AccessTokens::new(Arc::clone(&keys), auth, base);
        let sessions = Tokens::new(Arc::clone(&keys), auth, base);
        let jwks = keys.jwks().await.unwrap();
        let key = keys.ring().find(jwks["keys"][0]["kid"].as_str().unwrap()).unwrap();
        Self { tokens, sessions, key, _folder: folder }
    }

    async fn mint(&self) -> String {
        let bearer = Bearer {
            agent_id: Id::new(NOW, 0, 1),
            connection_id: Id::new(NOW, 0, 2),
            epoch: 3,
            client_id: "client_1".to_owned(),
            scopes: ScopeSet::NONE.with(Scope::Read),
        };
        self.tokens.mint(self.key.key_id(), bearer, NOW).await.unwrap().reveal().clone()
    }

    /// Signs the claims of a good token after a change, with the real key.
    fn changed(&self, typ: &str, change: impl FnOnce(&mut Value)) -> String {
        let mut claims = claims();
        change(&mut claims);
        jws::sign(&self.key, typ, &claims).unwrap()
    }
}

fn claims() -> Value {
    json!({
        "iss": "https://id.example/api/auth", "aud": "https://api.example/mcp",
        "sub": AgentId::new(NOW, 0, 1), "client_id": "client_1",
        "connection_id": ConnectionId::new(NOW, 0, 2), "epoch": 3, "scope": "read",
        "iat": 1_800_000_000, "exp": 1_800_000_600, "jti": "1"
    })
}

/// "RFC 9068: typ `at+jwt`, ES256, aud `{base_url}/mcp`, iss `{auth_url}/api/auth`, sub the agent, `client_id`,
/// `connection_id`, epoch, scope, jti, iat, exp 10 min"
#[tokio::test]
async fn a_token_says_which_connection_and_another_library_reads_it() {
    let bench = Bench::new().await;
    let token = bench.mint().await;
    let said = bench.tokens.verify(&token, NOW).await.unwrap();
    assert_eq!((said.connection_id, said.epoch), (Id::new(NOW, 0, 2), 3));
    assert_eq!(said.scopes, ScopeSet::NONE.with(Scope::Read));
    let jwk = serde_json::from_value(bench.key.jwk().clone()).unwrap();
    let mut validation = Validation::new(jsonwebtoken::Algorithm::ES256);
    validation.set_audience(&["https://api.example/mcp"]);
    validation.set_issuer(&["https://id.example/api/auth"]);
    validation.validate_exp = false;
    let key = DecodingKey::from_jwk(&jwk).unwrap();
    let data = jsonwebtoken::decode::<Value>(&token, &key, &validation).unwrap();
    assert_eq!(data.header.typ.as_deref(), Some("at+jwt"));
    let mut expected = claims();
    expected["jti"] = data.claims["jti"].clone();
    assert_eq!(data.claims, expected);
    assert_eq!(expected["jti"].as_str().unwrap().len(), 32);
}

/// "audience confusion: a token with another `aud`", "wrong iss/aud, expired"
#[tokio::test]
async fn claims_must_be_exactly_ours() {
    let bench = Bench::new().await;
    assert!(bench.tokens.verify(&bench.changed("at+jwt", |_| ()), NOW).await.is_ok());
    let changes: [(&str, Value); 12] = [
        ("iss", json!("https://id.example")),
        ("aud", json!("https://api.example/v1")),
        ("aud", json!("https://api.example/mcp/")),
        ("aud", json!(["https://api.example/mcp"])),
        ("sub", json!("acct_00000000000000000000000000000001")),
        ("connection_id", json!("conn_1")),
        ("epoch", json!(-1)),
        ("epoch", json!("3")),
        ("scope", json!("read owner")),
        ("exp", json!(1_800_000_000)),
        ("iat", json!(1_800_000_062)),
        ("nbf", json!(1_800_000_000)),
    ];
    for (name, value) in changes {
        let token = bench.changed("at+jwt", |claims| claims[name] = value.clone());
        assert_eq!(bench.tokens.verify(&token, NOW).await, Err(Invalid), "{name} {value}");
    }
    for name in ["client_id", "connection_id", "epoch", "scope", "jti", "exp"] {
        let token = bench.changed("at+jwt", |claims| {
            claims.as_object_mut().unwrap().shift_remove(name);
        });
        assert_eq!(bench.tokens.verify(&token, NOW).await, Err(Invalid), "no {name}");
    }
    let late = Timestamp::from_millis(1_800_000_600_000);
    assert_eq!(bench.tokens.verify(&bench.mint().await, late).await, Err(Invalid));
}

/// The two kinds of tokens are signed with the same keys, and neither passes for the other.
#[tokio::test]
async fn neither_kind_passes_for_the_other() {
    let bench = Bench::new().await;
    let access = bench.mint().await;
    assert!(bench.sessions.verify(&access, NOW).await.is_err());
    let session = bench
        .sessions
        .mint(bench.key.key_id(), Id::new(NOW, 0, 1), Id::new(NOW, 0, 2), NOW)
        .await
        .unwrap();
    assert_eq!(bench.tokens.verify(session.token.reveal(), NOW).await, Err(Invalid));
    for typ in ["JWT", "application/at+jwt", "AT+JWT", ""] {
        assert_eq!(bench.tokens.verify(&bench.changed(typ, |_| ()), NOW).await, Err(Invalid));
    }
    let unsigned = format!(
        "{}.{}.",
        BASE64.encode(r#"{"alg":"none","typ":"at+jwt"}"#),
        BASE64.encode(claims().to_string())
    );
    assert_eq!(bench.tokens.verify(&unsigned, NOW).await, Err(Invalid));
}
