//! A wallet that signs: for tests alone, since no part of the service ever holds a key.

use guildhall_evm::{Address, Digest, Signature, eip191_digest, typed_data_digest};
use k256::ecdsa::SigningKey;
use serde_json::{Value, json};

/// A key and its address.
pub struct Wallet {
    key: SigningKey,
    address: Address,
}

impl Wallet {
    /// The wallet of a seed: the same seed, the same wallet.
    pub fn new(seed: u64) -> Self {
        // Any number that is not zero and below the order of the curve is a key.
        let mut key = [0x42; 32];
        key[24..].copy_from_slice(&seed.to_be_bytes());
        Self::of_key(key)
    }

    /// A wallet that no other call of this process gives.
    pub fn unique() -> Self {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1 << 32);
        Self::new(NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
    }

    /// The wallet of a key.
    pub fn of_key(key: [u8; 32]) -> Self {
        let key = SigningKey::from_bytes(&key.into()).expect("a key");
        let address = alloy_primitives::Address::from_private_key(&key).into_array().into();
        Self { key, address }
    }

    /// Its address.
    pub fn address(&self) -> Address {
        self.address
    }

    /// Signs a digest as it is.
    pub fn sign_digest(&self, digest: &Digest) -> Signature {
        sign(&self.key, digest)
    }

    /// Signs a text, as `personal_sign` does.
    pub fn sign_message(&self, message: &str) -> String {
        self.sign_digest(&eip191_digest(message)).to_string()
    }

    /// The body that answers a challenge for this wallet.
    pub fn answer(&self, challenge: &Value) -> Value {
        let message = challenge["message"].as_str().expect("a message");
        json!({ "challenge_id": challenge["challenge_id"], "signature": self.sign_message(message) })
    }

    /// The word of this wallet for another one that answers a challenge or a link.
    pub fn confirm(&self, asked: &Value) -> Value {
        let signature = self.sign_typed_data(&asked["confirmation_payload"]);
        json!({ "signer": self.address(), "signature": signature })
    }

    /// Signs typed data, as `eth_signTypedData_v4` does.
    pub fn sign_typed_data(&self, document: &Value) -> String {
        self.sign_digest(&typed_data_digest(document).expect("typed data")).to_string()
    }
}

fn sign(key: &SigningKey, digest: &Digest) -> Signature {
    let (signature, recovery) = key.sign_prehash_recoverable(digest).expect("a signature");
    let mut bytes = [0; Signature::OF_A_KEY];
    bytes[..64].copy_from_slice(&signature.to_bytes());
    bytes[64] = 27 + recovery.to_byte();
    bytes.into()
}
