//! Characters that nobody sees, or that turn the order of what is seen, are shown as what they are.
//!
//! The text of a result is JSON, and JSON can write every character as an escape. So the text says `\u202e` where a brief
//! hides one, and whoever parses it still gets exactly what was written.

use std::borrow::Cow;
use std::fmt::Write;

/// JSON with its invisible characters written as escapes.
pub(crate) fn shown(json: &str) -> Cow<'_, str> {
    if json.is_ascii() || !json.contains(hides) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 64);
    for letter in json.chars() {
        if hides(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(letter);
        }
    }
    Cow::Owned(text)
}

/// Whether a character takes no room, changes the direction, or only changes another.
const fn hides(letter: char) -> bool {
    matches!(letter,
        // Controls, and what is a line's end to some readers.
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}'
        // Hyphens, joiners and fillers without a width.
        | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        // Directions.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
        // Annotations, variants and tags, in which whole texts have been hidden.
        | '\u{fff9}'..='\u{fffb}' | '\u{fe00}'..='\u{fe0f}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// "Bidi and zero-width characters shown as such."
    #[test]
    fn what_hides_is_seen_and_still_the_same() {
        let value = json!({ "brief": "pay\u{202e}yap a\u{200b}b \u{e0041}\u{feff} ok ü 漢 😀" });
        let text = value.to_string();
        let seen = shown(&text);
        for escape in ["\\u202e", "\\u200b", "\\udb40\\udc41", "\\ufeff"] {
            assert!(seen.contains(escape), "{seen}");
        }
        assert!(!seen.contains(hides));
        assert!(seen.contains("ok ü 漢 😀"), "what is seen stays as it is");
        assert_eq!(serde_json::from_str::<Value>(&seen).unwrap(), value);
        assert!(matches!(shown("{\"a\":\"ü\"}"), Cow::Borrowed(_)));
    }
}
