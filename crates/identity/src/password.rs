//! What a password must be: long enough, and not among the first that anybody would try.

use std::collections::HashSet;
use std::sync::LazyLock;

use guildhall_core::{Code, Refusal};

use crate::email::Email;
use crate::error::Result;

const MIN_CHARS: usize = 10;

/// The longest password that is hashed at all, in characters.
pub(crate) const MAX_CHARS: usize = 256;

/// Folded, one a line. `tests/common_passwords.rs` composes the file and holds it to its rules.
static COMMON: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("common-passwords.txt").lines().collect());

/// Refuses a password that is too short, too long or too easily guessed.
pub(crate) fn check(password: &str, email: &Email) -> Result<()> {
    let chars = password.chars().count();
    if !(MIN_CHARS..=MAX_CHARS).contains(&chars) {
        let reason = format!(
            "password: must be {MIN_CHARS} to {MAX_CHARS} characters long, and is {chars}."
        );
        return Err(refuse(reason, "Choose a longer one; several words make a good one."));
    }
    let folded = password.to_lowercase();
    if folded == email.folded() || folded == email.folded_local() {
        return Err(refuse("password: is the e-mail address.", UNRELATED));
    }
    if is_one_character(&folded) || COMMON.contains(folded.as_str()) {
        return Err(refuse("password: is one of the first that anybody would guess.", UNRELATED));
    }
    Ok(())
}

const UNRELATED: &str = "Choose several words that have nothing to do with each other, or let a password manager choose.";

fn is_one_character(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next();
    chars.all(|c| Some(c) == first)
}

fn refuse(reason: impl Into<std::borrow::Cow<'static, str>>, advice: &'static str) -> crate::Error {
    Refusal::new(Code::InvalidRequest, reason).suggest(advice).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(password: &str) -> Option<String> {
        let email = Email::parse("Bartholomew@example.org").unwrap();
        check(password, &email).err().map(|error| error.refusal.reason.into_owned())
    }

    #[test]
    fn takes_what_is_long_and_unusual() {
        let long = "ü7".repeat(128);
        for good in ["otter violin march", "k3#Lq9!vXz", "ärgerlich-süß", &long] {
            assert_eq!(refused(good), None, "{good}");
        }
    }

    #[test]
    fn refuses_by_length_in_characters() {
        assert!(refused("k3#Lq9!vX").unwrap().contains("and is 9"));
        assert!(refused(&format!("{}x", "ü7".repeat(128))).unwrap().contains("and is 257"));
    }

    #[test]
    fn refuses_what_is_guessed_first() {
        let bad = [
            "password123",
            "Password123",
            "PASSWORD2024",
            "p@ssw0rd123",
            "qwertyuiop",
            "1qaz2wsx3edc",
            "1234567890",
            "iloveyou123",
            "monkeymonkey",
            "Summer2025!",
            "november2026",
            "correcthorsebatterystaple",
            "aaaaaaaaaa",
            "üüüüüüüüüüü",
            "bartholomew",
            "Bartholomew@Example.org",
        ];
        for password in bad {
            assert!(refused(password).is_some(), "{password}");
        }
    }
}
