//! Signatures and messages as they are, and as somebody might bend them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use guildhall_core::Timestamp;
use guildhall_core::canonical::hex;
use guildhall_evm::siwe::Message;
use guildhall_evm::{Signature, Unrecoverable, recover};
use proptest::prelude::*;
use testkit::Wallet;

/// The order of the curve.
const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

fn number(hex: &str) -> [u8; 32] {
    let bytes = (0..64).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
    bytes.collect::<Vec<_>>().try_into().unwrap()
}

/// `a - b`.
fn minus(a: [u8; 32], b: &[u8]) -> [u8; 32] {
    let (mut result, mut borrow) = ([0; 32], 0i16);
    for at in (0..32).rev() {
        let digit = i16::from(a[at]) - i16::from(b[at]) - borrow;
        borrow = i16::from(digit < 0);
        result[at] = u8::try_from(digit.rem_euclid(256)).unwrap();
    }
    result
}

fn changed(signature: &Signature, change: impl FnOnce(&mut [u8; 65])) -> Signature {
    let mut bytes: [u8; 65] = signature.as_bytes().try_into().unwrap();
    change(&mut bytes);
    bytes.into()
}

proptest! {
    #[test]
    fn who_signed_is_found(seed: u64, digest: [u8; 32]) {
        let wallet = Wallet::new(seed);
        let signature = wallet.sign_digest(&digest);
        prop_assert_eq!(recover(&digest, &signature), Ok(wallet.address()));
        let again: Signature = signature.to_string().parse().unwrap();
        prop_assert_eq!(again, signature);
    }

    #[test]
    fn another_digest_has_another_signer(seed: u64, digest: [u8; 32], bit in 0usize..256) {
        let wallet = Wallet::new(seed);
        let signature = wallet.sign_digest(&digest);
        let mut other = digest;
        other[bit / 8] ^= 1 << (bit % 8);
        prop_assert_ne!(recover(&other, &signature), Ok(wallet.address()));
    }

    /// The recovery byte of some wallets counts from zero.
    #[test]
    fn recovery_bytes_count_from_27_or_from_0(
        seed: u64,
        digest: [u8; 32],
        byte in prop_oneof![Just(0), Just(1), Just(27), Just(28), any::<u8>()],
    ) {
        let wallet = Wallet::new(seed);
        let signature = wallet.sign_digest(&digest);
        let own = signature.as_bytes()[64];
        let found = recover(&digest, &changed(&signature, |bytes| bytes[64] = byte));
        match byte {
            _ if byte == own || own.checked_sub(27) == Some(byte) => prop_assert_eq!(found, Ok(wallet.address())),
            0 | 1 | 27 | 28 => prop_assert_ne!(found, Ok(wallet.address())),
            _ => prop_assert_eq!(found, Err(Unrecoverable::RecoveryByte)),
        }
    }

    /// The twin that anyone can make of a signature: `n - s` and the other parity.
    #[test]
    fn the_twin_of_a_signature_is_refused(seed: u64, digest: [u8; 32]) {
        let wallet = Wallet::new(seed);
        let twin = changed(&wallet.sign_digest(&digest), |bytes| {
            let s = minus(number(ORDER), &bytes[32..64]);
            bytes[32..64].copy_from_slice(&s);
            bytes[64] = 55 - bytes[64];
        });
        prop_assert_eq!(recover(&digest, &twin), Err(Unrecoverable::HighS));
    }

    #[test]
    fn any_bytes_are_judged_without_a_panic(digest: [u8; 32], bytes in prop::collection::vec(any::<u8>(), 65..200)) {
        let signature: Signature = format!("0x{}", hex(&bytes)).parse().unwrap();
        let found = recover(&digest, &signature);
        prop_assert_eq!(found == Err(Unrecoverable::NotOfAKey), bytes.len() != 65);
    }

    #[test]
    fn a_message_is_read_as_it_was_written(message in messages()) {
        prop_assert_eq!(message.to_string().parse(), Ok(message));
    }

    /// One character more, less or other: either refused, or another message, and never the same one in another dress.
    #[test]
    fn no_two_texts_are_one_message(message in messages(), at: prop::sample::Index, byte in 0u8..128, how in 0..3) {
        let text = message.to_string();
        let mut bytes = text.clone().into_bytes();
        let at = at.index(bytes.len());
        match how {
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            _ => drop(bytes.remove(at)),
        }
        let other = String::from_utf8(bytes).unwrap();
        if other != text && let Ok(read) = other.parse::<Message>() {
            prop_assert_ne!(&read, &message);
            prop_assert_eq!(read.to_string(), other);
        }
    }
}

prop_compose! {
    fn messages()(
        domain in "[a-z0-9.-]{1,20}(:[0-9]{1,5})?",
        seed: u64,
        statement in "[A-Za-z0-9 .,;:_-]{1,60}",
        uri in "https?://[a-z0-9./?=-]{1,30}",
        chain_id: u64,
        nonce in "[A-Za-z0-9]{8,40}",
        issued in 0i64..4_000_000_000_000,
        expires in 0i64..4_000_000_000_000,
    ) -> Message {
        Message {
            domain, statement, uri, chain_id, nonce,
            address: Wallet::new(seed).address(),
            issued_at: Timestamp::from_millis(issued),
            expiration_time: Timestamp::from_millis(expires),
        }
    }
}

#[test]
fn numbers_that_no_signature_has_are_refused() {
    let digest = [9; 32];
    let signature = Wallet::new(1).sign_digest(&digest);
    let [zero, order] = [[0; 32], number(ORDER)];
    for (r, s) in
        [(Some(zero), None), (None, Some(zero)), (Some(zero), Some(zero)), (Some(order), None)]
    {
        let bent = changed(&signature, |bytes| {
            if let Some(r) = r {
                bytes[..32].copy_from_slice(&r);
            }
            if let Some(s) = s {
                bytes[32..64].copy_from_slice(&s);
            }
        });
        assert_eq!(recover(&digest, &bent), Err(Unrecoverable::NoKey), "{r:?} {s:?}");
    }
}

fn message() -> String {
    let message = Message {
        domain: "market.example".to_owned(),
        address: Wallet::new(7).address(),
        statement: "Link this wallet.".to_owned(),
        uri: "https://market.example".to_owned(),
        chain_id: 1,
        nonce: "0123456789abcdef".to_owned(),
        issued_at: Timestamp::from_millis(1_800_000_000_000),
        expiration_time: Timestamp::from_millis(1_800_000_600_000),
    };
    message.to_string()
}

/// Every field, bent one way a careless or wilful writer might.
#[test]
fn a_message_that_is_bent_is_refused() {
    let good = message();
    assert!(good.parse::<Message>().is_ok());
    let small = Wallet::new(7).address().to_string().to_lowercase();
    for (from, to) in [
        ("market.example wants", " wants"),
        ("market.example wants", "market example wants"),
        ("market.example wants", "https://market.example\nwants"),
        ("Ethereum account:", "Ethereum account"),
        (&*Wallet::new(7).address().to_string(), &*small),
        ("\n\nLink", "\nLink"),
        ("\n\nLink", "\n\n\nLink"),
        ("Link this wallet.", ""),
        ("Link this wallet.", "Link this\nwallet."),
        ("Link this wallet.", "Link this wället."),
        ("URI: https://market.example", "URI: "),
        ("URI: https://market.example", "URI: market.example"),
        ("URI: ", "Uri: "),
        ("Version: 1", "Version: 2"),
        ("Version: 1", "Version: 1 "),
        ("Version: 1\n", ""),
        ("Chain ID: 1", "Chain ID: 01"),
        ("Chain ID: 1", "Chain ID: +1"),
        ("Chain ID: 1", "Chain ID: 0x1"),
        ("Chain ID: 1", "Chain ID: "),
        ("Nonce: 0123456789abcdef", "Nonce: 0123456"),
        ("Nonce: 0123456789abcdef", "Nonce: 0123456789-abcdef"),
        ("Issued At: 2027", "Issued At: 27"),
        (".000Z\nExp", "Z\nExp"),
        (".000Z\nExp", ".000+00:00\nExp"),
        ("Issued At", "Issued at"),
        ("\nExpiration Time", "\nNot Before: 2027-01-15T08:00:00.000Z\nExpiration Time"),
    ] {
        let bent = good.replacen(from, to, 1);
        assert_ne!(bent, good, "{from}");
        assert!(bent.parse::<Message>().is_err(), "{bent}");
    }
    for bent in [
        format!("{good}\n"),
        format!("\n{good}"),
        format!("{good}\nResources:"),
        good.replace('\n', "\r\n"),
    ] {
        assert!(bent.parse::<Message>().is_err(), "{bent}");
    }
}
