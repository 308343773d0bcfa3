//! What the libraries of wallets and web pages say, held against what this crate says. `scripts/wallet-vectors/run` made the file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use guildhall_core::canonical::hex;
use guildhall_evm::siwe::Message;
use guildhall_evm::{Address, Digest, Signature, eip191_digest, recover, typed_data_digest};
use serde_json::{Value, json};
use testkit::Wallet;

fn vectors(kind: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("vectors.json")).unwrap();
    let some = all[kind].as_array().unwrap().clone();
    assert!(some.len() >= 3, "{kind}");
    some
}

fn text<'v>(vector: &'v Value, name: &str) -> &'v str {
    vector[name].as_str().unwrap()
}

fn shown(digest: &Digest) -> String {
    format!("0x{}", hex(digest))
}

fn signer(vector: &Value, digest: &Digest) -> Address {
    recover(digest, &text(vector, "signature").parse::<Signature>().unwrap()).unwrap()
}

fn wallet_of(address: &str) -> Wallet {
    let accounts = vectors("accounts");
    let account = accounts.iter().find(|account| text(account, "address") == address).unwrap();
    let digits = text(account, "key").trim_start_matches("0x");
    let bytes = (0..64).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap());
    Wallet::of_key(bytes.collect::<Vec<_>>().try_into().unwrap())
}

#[test]
fn a_key_has_one_address() {
    for account in vectors("accounts") {
        let address = text(&account, "address");
        assert_eq!(wallet_of(address).address().to_string(), address);
    }
}

/// EIP-191, `personal_sign`.
#[test]
fn texts_have_their_digest_and_signer() {
    for vector in vectors("texts") {
        let digest = eip191_digest(text(&vector, "text"));
        assert_eq!(shown(&digest), text(&vector, "digest"));
        assert_eq!(signer(&vector, &digest).to_string(), text(&vector, "signer"));
        let wallet = wallet_of(text(&vector, "signer"));
        assert_eq!(wallet.sign_message(text(&vector, "text")), text(&vector, "signature"));
    }
}

/// EIP-712, `eth_signTypedData_v4`.
#[test]
fn documents_have_their_digest_and_signer() {
    for vector in vectors("documents") {
        let digest = typed_data_digest(&vector["document"]).unwrap();
        assert_eq!(shown(&digest), text(&vector, "digest"));
        assert_eq!(signer(&vector, &digest).to_string(), text(&vector, "signer"));
        let wallet = wallet_of(text(&vector, "signer"));
        assert_eq!(wallet.sign_typed_data(&vector["document"]), text(&vector, "signature"));
    }
}

/// The example of EIP-712 itself, with the digest that stands there.
#[test]
fn the_mail_of_eip_712_has_the_digest_that_stands_there() {
    let mail = vectors("documents")
        .into_iter()
        .find(|vector| vector["document"]["primaryType"] == "Mail")
        .unwrap();
    let digest = typed_data_digest(&mail["document"]).unwrap();
    assert_eq!(
        shown(&digest),
        "0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2"
    );
}

/// EIP-4361.
#[test]
fn messages_are_read_and_written_as_siwe_does() {
    for vector in vectors("messages") {
        let (fields, written) = (&vector["fields"], text(&vector, "text"));
        let message: Message = written.parse().unwrap();
        assert_eq!(message.to_string(), written);
        let read = json!({
            "domain": message.domain, "uri": message.uri, "statement": message.statement,
            "chainId": message.chain_id, "address": message.address.to_string(), "version": "1",
            "nonce": message.nonce, "issuedAt": message.issued_at.to_string(),
            "expirationTime": message.expiration_time.to_string(),
        });
        assert_eq!(&read, fields);
        assert_eq!(signer(&vector, &eip191_digest(written)), message.address);
    }
}

/// A wallet hashes what `types` says, so what is in `domain` and not there would be signed by nobody.
#[test]
fn documents_that_could_be_read_in_two_ways_have_no_digest() {
    let good = vectors("documents").swap_remove(0)["document"].clone();
    assert!(typed_data_digest(&good).is_ok());
    let changes: [fn(&mut Value); 11] = [
        |it| it["domain"]["salt"] = json!(format!("0x{}", "00".repeat(32))),
        |it| it["domain"]["color"] = json!("red"),
        |it| drop(it["domain"].as_object_mut().unwrap().shift_remove("version")),
        |it| drop(it["types"]["EIP712Domain"].as_array_mut().unwrap().pop()),
        |it| it["types"]["EIP712Domain"].as_array_mut().unwrap().swap(0, 1),
        |it| drop(it["types"].as_object_mut().unwrap().shift_remove("EIP712Domain")),
        |it| drop(it["types"].as_object_mut().unwrap().shift_remove("Person")),
        |it| drop(it["message"].as_object_mut().unwrap().shift_remove("contents")),
        |it| it["message"]["from"]["wallet"] = json!("0x12"),
        |it| it["primaryType"] = json!("Letter"),
        |it| *it = json!([]),
    ];
    for (index, change) in changes.iter().enumerate() {
        let mut document = good.clone();
        change(&mut document);
        assert!(typed_data_digest(&document).is_err(), "change {index}");
    }
}
