//! An authenticator in software, and people who use it: it makes a passkey and signs with it, honestly unless told
//! otherwise.

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::people::{Person, unique};
use crate::server::{Server, send};

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const HAS_CREDENTIAL: u8 = 0x40;

/// A passkey and the browser around it.
pub struct Authenticator {
    key: EcdsaKeyPair,
    credential_id: Vec<u8>,
    /// Whose it is, as far as it was told.
    pub user_handle: Option<String>,
    /// The address of the page that asks.
    pub origin: String,
    /// The service that it signs for.
    pub rp_id: String,
    /// Whether it makes sure who is there.
    pub verifies: bool,
    /// Whether the page that asks is inside one of another site.
    pub framed: bool,
    /// What it has counted to.
    pub counter: u32,
}

impl Server {
    /// The address of the pages where passkeys work.
    pub fn passkey_origin(&self) -> String {
        self.public_url().replace("127.0.0.1", "localhost")
    }

    /// A request from one of those pages.
    pub fn page_request(&self, method: &str, path: &str) -> RequestBuilder {
        self.request(method, path).header("origin", self.passkey_origin())
    }

    /// An authenticator that has made nothing yet.
    pub fn authenticator(&self) -> Authenticator {
        Authenticator {
            key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).expect("a key"),
            credential_id: unique("credential").into_bytes(),
            user_handle: None,
            origin: self.passkey_origin(),
            rp_id: "localhost".to_owned(),
            verifies: true,
            framed: false,
            counter: 0,
        }
    }

    /// Signs in with a passkey.
    pub async fn sign_in_with(&self, authenticator: &mut Authenticator) -> Answer {
        let asked = self.page_request("POST", "/api/auth/sign-in/passkey/options").json(&json!({}));
        let options = send(asked).await.expect(200);
        self.answer_sign_in(&options, authenticator.get(&options)).await
    }

    /// Sends the answer to a sign-in.
    pub async fn answer_sign_in(&self, options: &Value, credential: Value) -> Answer {
        let answer = json!({ "ceremony_id": options["ceremony_id"], "credential": credential });
        let path = "/api/auth/sign-in/passkey/verify";
        send(self.page_request("POST", path).json(&answer)).await
    }
}

impl Person<'_> {
    /// Sends JSON with the cookie, from a page where passkeys work.
    pub async fn on_page(&self, method: &str, path: &str, body: &Value) -> Answer {
        let request = self.server.page_request(method, path).header("cookie", &self.cookie);
        send(request.json(body)).await
    }

    /// Asks for what a new passkey answers.
    pub async fn passkey_options(&self) -> Value {
        self.on_page("POST", "/api/auth/passkeys/options", &json!({})).await.expect(200)
    }

    /// Sends a new passkey, with `more` beside it.
    pub async fn add_passkey(
        &self,
        options: &Value,
        authenticator: &mut Authenticator,
        more: Value,
    ) -> Answer {
        let credential = authenticator.create(options);
        let mut answer = json!({ "ceremony_id": options["ceremony_id"], "credential": credential });
        let members = answer.as_object_mut().expect("an object");
        members.extend(more.as_object().expect("an object").clone());
        self.on_page("POST", "/api/auth/passkeys/verify", &answer).await
    }

    /// Registers the account's first passkey, and gives its id.
    pub async fn register(&self, authenticator: &mut Authenticator) -> String {
        let options = self.passkey_options().await;
        let added = self.add_passkey(&options, authenticator, json!({})).await.expect(200);
        added["passkey_id"].as_str().expect("an id").to_owned()
    }

    /// Seals an action with a passkey.
    pub async fn seal_with(&self, authenticator: &mut Authenticator, action: &Value) -> Answer {
        let path = format!("/v1/actions/{}/seal", action["action_id"].as_str().expect("an id"));
        self.post(&path, json!({ "passkey": authenticator.seal(action) })).await
    }
}

impl Authenticator {
    /// What it calls its passkey.
    pub fn credential_id(&self) -> String {
        BASE64.encode(&self.credential_id)
    }

    /// Makes the passkey that a registration asks for.
    pub fn create(&mut self, options: &Value) -> Value {
        let asked = &options["public_key"];
        self.user_handle = asked["user"]["id"].as_str().map(str::to_owned);
        let client_data = self.client_data("webauthn.create", &asked["challenge"]);
        let mut data = self.authenticator_data(HAS_CREDENTIAL);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.credential_id.len()).expect("a short id").to_be_bytes());
        data.extend(&self.credential_id);
        data.extend(self.public_key());
        json!({
            "id": self.credential_id(), "rawId": self.credential_id(), "type": "public-key",
            "response": {
                "attestationObject": BASE64.encode(unattested(&data)),
                "clientDataJSON": BASE64.encode(client_data),
            },
            "clientExtensionResults": {},
        })
    }

    /// Answers a sign-in.
    pub fn get(&mut self, options: &Value) -> Value {
        let (data, client_data, signature) = self.sign(&options["public_key"]["challenge"]);
        json!({
            "id": self.credential_id(), "rawId": self.credential_id(), "type": "public-key",
            "response": {
                "authenticatorData": data, "clientDataJSON": client_data, "signature": signature,
                "userHandle": self.user_handle,
            },
            "clientExtensionResults": {},
        })
    }

    /// Signs a digest that is known beforehand.
    pub fn assert(&mut self, challenge: &[u8]) -> Value {
        let (data, client_data, signature) = self.sign(&json!(BASE64.encode(challenge)));
        json!({
            "credential_id": self.credential_id(), "authenticator_data": data,
            "client_data_json": client_data, "signature": signature,
        })
    }

    /// Signs the digest of an action.
    pub fn seal(&mut self, action: &Value) -> Value {
        self.assert_hex(&action["payload"]["digest"])
    }

    /// Signs a digest that is written in hex.
    pub fn assert_hex(&mut self, digest: &Value) -> Value {
        let digest: guildhall_evm::Digest = {
            let text = digest.as_str().expect("a digest").trim_start_matches("0x");
            let byte = |at: usize| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hex");
            std::array::from_fn(byte)
        };
        self.assert(&digest)
    }

    /// Confirms another passkey of the same account.
    pub fn confirm(&mut self, options: &Value, other: &Authenticator) -> Value {
        let message = other.confirmation_message(options);
        json!({ "passkey": self.assert(digest(&SHA256, message.as_bytes()).as_ref()) })
    }

    /// What confirms this passkey.
    pub fn confirmation_message(&self, options: &Value) -> String {
        let message = options["confirmation_message"].as_str().expect("a message");
        message.replace("{credential_id}", &self.credential_id())
    }

    fn sign(&mut self, challenge: &Value) -> (String, String, String) {
        let client_data = self.client_data("webauthn.get", challenge);
        let data = self.authenticator_data(0);
        let signed = [&data, digest(&SHA256, client_data.as_bytes()).as_ref()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).expect("a signature");
        (BASE64.encode(data), BASE64.encode(client_data), BASE64.encode(signature))
    }

    fn client_data(&self, what: &str, challenge: &Value) -> String {
        json!({
            "type": what, "challenge": challenge, "origin": self.origin, "crossOrigin": self.framed,
        })
        .to_string()
    }

    fn authenticator_data(&mut self, more: u8) -> Vec<u8> {
        self.counter += 1;
        let verified = if self.verifies { USER_VERIFIED } else { 0 };
        let service = digest(&SHA256, self.rp_id.as_bytes());
        let flags = [USER_PRESENT | verified | more];
        [service.as_ref(), &flags, &self.counter.to_be_bytes()].concat()
    }

    /// The key as CBOR writes it: an elliptic curve key (2) for ES256 (-7) on P-256 (1).
    fn public_key(&self) -> Vec<u8> {
        let point = &self.key.public_key().as_ref()[1..];
        let (x, y) = point.split_at(32);
        let head = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
        [&head, x, &[0x22, 0x58, 0x20], y].concat()
    }
}

/// The CBOR of a registration that nobody vouches for: `{fmt: "none", attStmt: {}, authData: data}`.
fn unattested(data: &[u8]) -> Vec<u8> {
    let length = u8::try_from(data.len()).expect("short data");
    [b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58", &[length][..], data].concat()
}
