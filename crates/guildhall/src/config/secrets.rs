//! The key that everything kept encrypted hangs on.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use guildhall_core::Secret;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::values::SecretText;

/// The 32 bytes from which every other key is derived.
pub(crate) type MasterKey = Secret<[u8; 32]>;

const KEY_BYTES: usize = 32;
/// Random bytes repeat themselves seldom: with fewer different ones than this, somebody typed the key.
const FEWEST_DIFFERENT: usize = 12;
/// More than any encoding of a key, so that a wrong path is not read whole.
const KEY_FILE_BYTES: u64 = 1024;

/// Section `secrets`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Secrets {
    /// 32 random bytes as 64 hexadecimal digits or as base64.
    #[schemars(extend("writeOnly" = true))]
    pub(crate) key: Option<SecretText>,
    /// A file with the key, readable by its owner only.
    pub(crate) key_file: Option<PathBuf>,
}

impl Secrets {
    /// The key, if it is there and is one.
    pub(crate) fn master_key(&self) -> Result<MasterKey, String> {
        match (&self.key, &self.key_file) {
            (Some(key), None) => decode(key.reveal()),
            (None, Some(path)) => decode(&read_key_file(path)?),
            (Some(_), Some(_)) => Err("key and key_file are both set: keep one".to_owned()),
            (None, None) => Err("no key is set".to_owned()),
        }
    }
}

fn read_key_file(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
    let file = fs::File::open(path).map_err(failed)?;
    // Asked of the open file, so that it cannot be another one than is read.
    let mode = file.metadata().map_err(failed)?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(format!(
            "{} can be read by others (mode {:03o}): chmod 600 it",
            path.display(),
            mode & 0o777
        ));
    }
    let mut text = String::new();
    file.take(KEY_FILE_BYTES).read_to_string(&mut text).map_err(failed)?;
    Ok(text)
}

/// Reads a key and refuses one that nobody drew at random.
pub(crate) fn decode(text: &str) -> Result<MasterKey, String> {
    let text = text.trim();
    let bytes = if text.len() == KEY_BYTES * 2 { from_hex(text) } else { from_base64(text) };
    let Some(bytes) = bytes else {
        let length = text.chars().count();
        return Err(format!(
            "the key is neither 64 hexadecimal digits nor base64 ({length} characters)"
        ));
    };
    let length = bytes.len();
    let Ok(key) = <[u8; KEY_BYTES]>::try_from(bytes) else {
        return Err(format!("the key has {length} bytes and must have {KEY_BYTES}"));
    };
    match weakness(&key) {
        Some(weakness) => Err(format!("the key is {weakness}")),
        None => Ok(Secret::new(key)),
    }
}

/// Why a key was not drawn at random, if that shows.
fn weakness(key: &[u8; KEY_BYTES]) -> Option<&'static str> {
    let mut seen = [false; 256];
    for byte in key {
        if let Some(place) = seen.get_mut(usize::from(*byte)) {
            *place = true;
        }
    }
    let different = seen.iter().filter(|seen| **seen).count();
    let mut steps = key.iter().zip(key.iter().skip(1)).map(|(one, next)| next.wrapping_sub(*one));
    let first = steps.next();
    if different == 1 {
        Some("one byte repeated")
    } else if steps.all(|step| Some(step) == first) {
        Some("a sequence, such as examples have")
    } else if different < FEWEST_DIFFERENT {
        Some("a repeated pattern")
    } else if key.iter().all(|byte| (0x20..0x7f).contains(byte)) {
        // One random key in 10^13 looks like this; a passphrase always does.
        Some("readable text, not random bytes")
    } else {
        None
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.chars().map(|c| c.to_digit(16)).collect::<Option<Vec<u32>>>()?;
    let pairs = digits.chunks_exact(2);
    pairs
        .map(|pair| u8::try_from(pair.iter().fold(0, |sum, digit| sum * 16 + digit)).ok())
        .collect()
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    [alphabet::STANDARD, alphabet::URL_SAFE]
        .iter()
        .find_map(|alphabet| GeneralPurpose::new(alphabet, config).decode(text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drawn at random for these tests.
    const HEX: &str = "a91fd66b2ee80c573c4b80e1f97d5a0812b6c3dd49ef7061850aa4c2173b9e5d";

    fn refusal(text: &str) -> String {
        decode(text).unwrap_err()
    }

    #[test]
    fn a_random_key_is_read_from_hex_and_from_both_kinds_of_base64() {
        let key = decode(HEX).unwrap();
        let standard = base64::prelude::BASE64_STANDARD.encode(key.reveal());
        let url_safe = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(key.reveal());
        for text in [HEX.to_uppercase(), format!("  {HEX}\n"), standard, url_safe] {
            assert_eq!(decode(&text).unwrap(), key, "{text}");
        }
        assert_eq!(format!("{key:?}"), "…");
    }

    #[test]
    fn a_key_that_nobody_drew_is_refused_without_being_repeated() {
        let sequence = (0..32).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        let passphrase =
            base64::prelude::BASE64_STANDARD.encode("correct horse battery staple, ok");
        for (text, why) in [
            ("00".repeat(32), "one byte repeated"),
            ("ff".repeat(32), "one byte repeated"),
            (sequence, "a sequence"),
            ("0123456789abcdef".repeat(4), "a repeated pattern"),
            (passphrase, "readable text"),
            (HEX[..62].to_owned(), "neither 64 hexadecimal digits nor base64 (62 characters)"),
            ("c2hvcnQ=".to_owned(), "has 5 bytes and must have 32"),
            ("change me!".to_owned(), "neither"),
            (String::new(), "must have 32"),
        ] {
            let refusal = refusal(&text);
            assert!(refusal.contains(why), "{text}: {refusal}");
            assert!(text.is_empty() || !refusal.contains(&text), "{refusal}");
        }
    }

    #[test]
    fn a_key_file_must_be_private() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), HEX).unwrap();
        let secrets = Secrets { key: None, key_file: Some(file.path().to_owned()) };
        for (mode, private) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(secrets.master_key().is_ok(), private, "{mode:o}");
        }
        let both = Secrets { key: Some(HEX.to_owned().into()), ..secrets };
        assert!(both.master_key().unwrap_err().contains("both"));
        assert!(Secrets::default().master_key().unwrap_err().contains("no key"));
    }
}
