//! Tokens that are right, and everything that only looks so.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use guildhall_core::{Id, Secret};
use guildhall_store::{Config, Db, Engine};
use jsonwebtoken::{DecodingKey, EncodingKey, Validation};
use serde_json::{Value, json};

use super::*;
use crate::key::Key;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_500);
const SECOND: Duration = Duration::from_secs(1);

struct Bench {
    tokens: Tokens,
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
        let tokens = Tokens::new(Arc::clone(&keys), "https://id.example/", "https://api.example");
        let jwks = keys.jwks().await.unwrap();
        let key = keys.ring().find(jwks["keys"][0]["kid"].as_str().unwrap()).unwrap();
        Self { tokens, key, _folder: folder }
    }

    async fn mint(&self) -> String {
        let (account, session) = (Id::new(NOW, 0, 1), Id::new(NOW, 0, 2));
        let minted = self.tokens.mint(self.key.key_id(), account, session, NOW).await.unwrap();
        minted.token.reveal().clone()
    }

    fn header(&self) -> Value {
        json!({ "alg": "ES256", "typ": "JWT", "kid": self.key.key_id() })
    }

    /// Signs texts as they are, with the real key.
    fn forge(&self, header: &str, claims: &str) -> String {
        let message = format!("{}.{}", BASE64.encode(header), BASE64.encode(claims));
        let signature = self.key.sign(message.as_bytes()).unwrap();
        format!("{message}.{}", BASE64.encode(signature))
    }

    async fn verify(&self, token: &str) -> Result<SessionClaims, Invalid> {
        self.tokens.verify(token, NOW).await
    }

    /// Signs the claims of a good token after a change.
    fn changed(&self, change: impl FnOnce(&mut Value)) -> String {
        let mut claims = claims();
        change(&mut claims);
        self.forge(&self.header().to_string(), &claims.to_string())
    }
}

fn claims() -> Value {
    json!({
        "iss": "https://id.example/api/auth", "aud": "https://api.example/v1",
        "sub": AccountId::new(NOW, 0, 1), "sid": SessionId::new(NOW, 0, 2),
        "iat": 1_800_000_000, "exp": 1_800_000_900, "jti": "1"
    })
}

#[tokio::test]
async fn a_minted_token_says_who_and_until_when() {
    let bench = Bench::new().await;
    let said = bench.verify(&bench.mint().await).await.unwrap();
    assert_eq!(said.account_id, Id::new(NOW, 0, 1));
    assert_eq!(said.session_id, Id::new(NOW, 0, 2));
    assert_eq!(said.expires_at, Timestamp::from_millis(1_800_000_900_000));
    assert!(bench.verify(&bench.changed(|_| ())).await.is_ok(), "what the forger changes below");
}

/// A verifier that nobody here wrote reads the token with the published key.
#[tokio::test]
async fn another_library_verifies_it_by_the_published_keys() {
    let bench = Bench::new().await;
    let jwks = bench.tokens.keys.jwks().await.unwrap();
    let jwk = serde_json::from_value(jwks["keys"][0].clone()).unwrap();
    let mut validation = Validation::new(jsonwebtoken::Algorithm::ES256);
    validation.set_audience(&["https://api.example/v1"]);
    validation.set_issuer(&["https://id.example/api/auth"]);
    validation.validate_exp = false;
    let key = DecodingKey::from_jwk(&jwk).unwrap();
    let token = bench.mint().await;
    let data = jsonwebtoken::decode::<Value>(&token, &key, &validation).unwrap();
    assert_eq!(data.claims["exp"], 1_800_000_900);
    assert_eq!(data.header.kid.as_deref(), Some(bench.key.key_id()));
    assert_eq!(data.header.typ.as_deref(), Some("JWT"));
}

#[tokio::test]
async fn its_time_is_the_given_clocks() {
    let bench = Bench::new().await;
    let token = bench.mint().await;
    let expiry = Timestamp::from_millis(1_800_000_900_000);
    // The second look is at the remembered token, which expires no later.
    for _ in 0..2 {
        assert!(bench.tokens.verify(&token, expiry.before(Duration::from_millis(1))).await.is_ok());
        assert_eq!(bench.tokens.verify(&token, expiry).await, Err(Invalid));
    }
    let fresh = Bench::new().await;
    let token = fresh.mint().await;
    assert_eq!(fresh.tokens.verify(&token, NOW.before(62 * SECOND)).await, Err(Invalid));
    assert!(fresh.tokens.verify(&token, NOW.before(59 * SECOND)).await.is_ok());
}

#[tokio::test]
async fn claims_must_be_exactly_ours() {
    let bench = Bench::new().await;
    let changes: [(&str, Value); 12] = [
        ("iss", json!("https://id.example")),
        ("iss", json!("https://id.example/api/auth/")),
        ("aud", json!("https://api.example/mcp")),
        ("aud", json!(["https://api.example/v1", "https://evil.example"])),
        ("aud", json!(null)),
        ("sub", json!("agent_00000000000000000000000000000001")),
        ("sid", json!("sess_1")),
        ("exp", json!(1_800_000_000)),
        ("exp", json!("1800000900")),
        ("exp", json!(i64::MAX)),
        ("iat", json!(1_800_000_062)),
        ("nbf", json!(1_800_000_001)),
    ];
    for (name, value) in changes {
        let token = bench.changed(|claims| claims[name] = value.clone());
        assert_eq!(bench.verify(&token).await, Err(Invalid), "{name} {value}");
    }
    for name in ["iss", "aud", "sub", "sid", "iat", "exp", "jti"] {
        let token = bench.changed(|claims| {
            claims.as_object_mut().unwrap().shift_remove(name);
        });
        assert_eq!(bench.verify(&token).await, Err(Invalid), "no {name}");
    }
}

#[tokio::test]
async fn no_claim_comes_twice() {
    let bench = Bench::new().await;
    let (header, claims) = (bench.header().to_string(), claims().to_string());
    for twice in [r#""sub":"acct_00000000000000000000000000000009""#, r#""exp":1800000901"#] {
        let doubled = claims.replacen('{', &format!("{{{twice},"), 1);
        assert_eq!(bench.verify(&bench.forge(&header, &doubled)).await, Err(Invalid), "{twice}");
    }
    let doubled = header.replacen('{', r#"{"alg":"none","#, 1);
    assert_eq!(bench.verify(&bench.forge(&doubled, &claims)).await, Err(Invalid));
}

#[tokio::test]
async fn headers_offer_no_choice() {
    let bench = Bench::new().await;
    let changes: [(&str, Value); 14] = [
        ("alg", json!("none")),
        ("alg", json!("None")),
        ("alg", json!("HS256")),
        ("alg", json!("ES384")),
        ("alg", json!("es256")),
        ("typ", json!("at+jwt")),
        ("typ", json!(null)),
        ("kid", json!("../../../dev/null")),
        ("kid", json!("' OR 1=1 --")),
        ("kid", json!("0123456789abcdef")),
        ("jku", json!("https://evil.example/jwks")),
        ("x5u", json!("https://evil.example/cert")),
        ("jwk", bench.key.jwk().clone()),
        ("crit", json!(["exp"])),
    ];
    for (name, value) in changes {
        let mut header = bench.header();
        header[name] = value.clone();
        let token = bench.forge(&header.to_string(), &claims().to_string());
        assert_eq!(bench.verify(&token).await, Err(Invalid), "{name} {value}");
    }
    for name in ["alg", "typ", "kid"] {
        let mut header = bench.header();
        header.as_object_mut().unwrap().shift_remove(name);
        let token = bench.forge(&header.to_string(), &claims().to_string());
        assert_eq!(bench.verify(&token).await, Err(Invalid), "no {name}");
    }
}

#[tokio::test]
async fn unsigned_tokens_are_worth_nothing() {
    let bench = Bench::new().await;
    let token = bench.mint().await;
    let (message, signature) = token.rsplit_once('.').unwrap();
    let (_, payload) = message.split_once('.').unwrap();
    let none = BASE64.encode(r#"{"alg":"none","typ":"JWT"}"#);
    for bad in [
        format!("{message}."),
        format!("{none}.{payload}."),
        format!("{none}.{payload}.{signature}"),
    ] {
        assert_eq!(bench.verify(&bad).await, Err(Invalid), "{bad}");
    }
}

/// The classic confusion: the public key, which everybody has, used as the secret of a MAC.
#[tokio::test]
async fn the_public_key_is_no_shared_secret() {
    let bench = Bench::new().await;
    let mut header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::HS256);
    header.kid = Some(bench.key.key_id().to_owned());
    let x = BASE64.decode(bench.key.jwk()["x"].as_str().unwrap()).unwrap();
    for secret in [bench.key.jwk().to_string().into_bytes(), x] {
        let key = EncodingKey::from_secret(&secret);
        let token = jsonwebtoken::encode(&header, &claims(), &key).unwrap();
        assert_eq!(bench.verify(&token).await, Err(Invalid));
        let (_, rest) = token.split_once('.').unwrap();
        let relabelled = format!("{}.{rest}", BASE64.encode(bench.header().to_string()));
        assert_eq!(bench.verify(&relabelled).await, Err(Invalid));
    }
}

#[tokio::test]
async fn another_services_key_is_not_ours() {
    let (bench, other) = (Bench::new().await, Bench::new().await);
    assert_eq!(bench.verify(&other.mint().await).await, Err(Invalid), "an unknown kid");
    let token = other.forge(&bench.header().to_string(), &claims().to_string());
    assert_eq!(bench.verify(&token).await, Err(Invalid), "our kid, their signature");
}

#[tokio::test]
async fn damaged_tokens_are_invalid() {
    let bench = Bench::new().await;
    let token = bench.mint().await;
    assert!(bench.verify(&token).await.is_ok());
    for length in 0..token.len() {
        assert_eq!(bench.verify(&token[..length]).await, Err(Invalid), "{length}");
    }
    let others = [
        format!("{token}="),
        format!("{token}."),
        format!(" {token}"),
        format!("{token}.e30"),
        token.replace('.', ""),
        "..".to_owned(),
        "é.é.é".to_owned(),
    ];
    for bad in others {
        assert_eq!(bench.verify(&bad).await, Err(Invalid), "{bad}");
    }
    let padded = bench.changed(|claims| claims["jti"] = json!("x".repeat(4_096)));
    assert_eq!(bench.verify(&padded).await, Err(Invalid), "too long");
}
