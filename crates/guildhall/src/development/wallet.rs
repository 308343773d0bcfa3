//! Wallets for the people of the demo. Nothing else in the program ever holds the key of a wallet.

use aws_lc_rs::hmac;
use guildhall_evm::{Address, Digest, Signature, eip191_digest, typed_data_digest};
use guildhall_ops::{Error, Result};
use k256::ecdsa::SigningKey;
use serde_json::Value;

use crate::config::MasterKey;

/// A key and its address.
pub(super) struct Wallet {
    key: SigningKey,
    address: Address,
}

impl Wallet {
    /// The wallet of a person: the same at every start, since it comes from the instance's secret key, and kept nowhere
    /// in the database.
    pub(super) fn of(master: &MasterKey, email: &str) -> Result<Self> {
        let master = hmac::Key::new(hmac::HMAC_SHA256, master.reveal());
        let secret = hmac::sign(&master, format!("guildhall demo wallet of {email}").as_bytes());
        let key = SigningKey::from_slice(secret.as_ref()).map_err(broken)?;
        let address = alloy_primitives::Address::from_private_key(&key).into_array().into();
        Ok(Self { key, address })
    }

    pub(super) fn address(&self) -> Address {
        self.address
    }

    /// The key as wallets import it.
    pub(super) fn private_key(&self) -> String {
        alloy_primitives::hex::encode_prefixed(self.key.to_bytes())
    }

    /// Signs a text, as `personal_sign` does.
    pub(super) fn sign_message(&self, message: &str) -> Result<String> {
        self.sign(&eip191_digest(message))
    }

    /// Signs typed data, as `eth_signTypedData_v4` does.
    pub(super) fn sign_typed_data(&self, document: &Value) -> Result<String> {
        self.sign(&typed_data_digest(document).map_err(broken)?)
    }

    fn sign(&self, digest: &Digest) -> Result<String> {
        let (signature, recovery) = self.key.sign_prehash_recoverable(digest).map_err(broken)?;
        let mut bytes = [27 + recovery.to_byte(); Signature::OF_A_KEY];
        let scalars = signature.to_bytes();
        bytes.iter_mut().zip(scalars).for_each(|(place, byte)| *place = byte);
        Ok(Signature::from(bytes).to_string())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that map_err takes")]
fn broken(error: impl ToString) -> Error {
    Error::internal(format!("a wallet of the demo: {}", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_has_the_same_wallet_at_every_start_and_nobody_elses() {
        let master = MasterKey::new([7; 32]);
        let buyer = Wallet::of(&master, "buyer").unwrap();
        assert_eq!(buyer.private_key(), Wallet::of(&master, "buyer").unwrap().private_key());
        assert_ne!(buyer.address(), Wallet::of(&master, "owner").unwrap().address());
        let elsewhere = Wallet::of(&MasterKey::new([8; 32]), "buyer").unwrap();
        assert_ne!(buyer.address(), elsewhere.address());
        let signature = buyer.sign_message("Hello").unwrap().parse().unwrap();
        let signer = guildhall_evm::recover(&eip191_digest("Hello"), &signature).unwrap();
        assert_eq!(signer, buyer.address());
    }
}
