//! The one form of a document that is hashed or signed.

use sha2::{Digest, Sha256};

/// SHA-256 of a document's canonical JSON, in hex.
#[must_use]
pub fn digest(document: &serde_json::Value) -> String {
    hex(&Sha256::digest(canonical_json(document)))
}

/// JSON by RFC 8785, for values without fractions: keys in UTF-16 order, no white space.
#[must_use]
pub fn canonical_json(value: &serde_json::Value) -> String {
    use serde_json::Value;
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_cached_key(|(key, _)| key.encode_utf16().collect::<Vec<_>>());
            let members: Vec<_> = entries
                .into_iter()
                .map(|(key, value)| {
                    format!("{}:{}", Value::from(key.as_str()), canonical_json(value))
                })
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(canonical_json).collect();
            format!("[{}]", items.join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// Bytes as lower-case hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]);
    nibbles.filter_map(|nibble| char::from_digit(u32::from(nibble), 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_json_sorts_keys_by_utf16_and_escapes_as_rfc_8785_does() {
        let value = serde_json::json!({
            "\u{20ac}": "Euro", "\r": "CR", "1": "One", "\u{1f600}": "Smiley", "\u{fb33}": "Dalet",
            "b": [1, true, null, "\u{f}\n\"\\/"], "a": {"z": 1, "y": 2},
        });
        let expected = concat!(
            r#"{"\r":"CR","1":"One","a":{"y":2,"z":1},"b":[1,true,null,"\u000f\n\"\\/"],"#,
            "\"\u{20ac}\":\"Euro\",\"\u{1f600}\":\"Smiley\",\"\u{fb33}\":\"Dalet\"}"
        );
        assert_eq!(canonical_json(&value), expected);
    }
}
