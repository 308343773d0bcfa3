//! E-mail addresses: checked for their shape only, for nothing but a mail that arrives proves more.

use guildhall_core::Code;

use crate::error::{Error, Result};

const MAX_LENGTH: usize = 254;
const MAX_LOCAL: usize = 64;

/// An address, as written and as compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email {
    shown: String,
    folded: String,
}

impl Email {
    /// Checks an address.
    pub fn parse(text: &str) -> Result<Self> {
        let refused = || {
            Error::from(
                guildhall_core::Refusal::new(Code::InvalidRequest, "email: not an e-mail address.")
                    .suggest("Write it as name@example.org, at most 254 characters."),
            )
        };
        let shown = text.trim();
        let (local, domain) = shown.split_once('@').ok_or_else(refused)?;
        if shown.len() > MAX_LENGTH || !is_local(local) || !is_domain(domain) {
            return Err(refused());
        }
        Ok(Self { shown: shown.to_owned(), folded: shown.to_lowercase() })
    }

    /// The address as its owner writes it.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The address as it is compared.
    #[must_use]
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// What stands before the at sign, folded.
    #[must_use]
    pub fn folded_local(&self) -> &str {
        self.folded.split_once('@').map_or(self.folded(), |(local, _)| local)
    }
}

fn is_local(local: &str) -> bool {
    (1..=MAX_LOCAL).contains(&local.len()) && local.chars().all(is_plain)
}

/// Labels between dots, at least two of them unless the mail stays on this machine.
fn is_domain(domain: &str) -> bool {
    let labelled = domain.split('.').all(|label| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c == '-' || c.is_alphanumeric())
    });
    labelled && (domain.contains('.') || domain.eq_ignore_ascii_case("localhost"))
}

fn is_plain(c: char) -> bool {
    let forbidden =
        matches!(c, '@' | '"' | '(' | ')' | '<' | '>' | ',' | ';' | ':' | '\\' | '[' | ']');
    // What hides or reorders text lets one address pass for another.
    let hides = matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{00AD}');
    !(c.is_whitespace() || c.is_control() || forbidden || hides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_addresses_and_folds_them() {
        for good in ["a@b.cd", "Ada.Lovelace+x@Example.ORG", "root@localhost", " x@exämple.de "] {
            assert!(Email::parse(good).is_ok(), "{good}");
        }
        let email = Email::parse("Ada@Example.org").unwrap();
        assert_eq!((email.shown(), email.folded()), ("Ada@Example.org", "ada@example.org"));
        assert_eq!(email.folded_local(), "ada");
    }

    #[test]
    fn refuses_what_cannot_be_one() {
        let long_local = format!("{}@b.cd", "a".repeat(65));
        let long = format!("a@{}.cd", "b.".repeat(130));
        let bad = [
            "",
            "a",
            "@",
            "a@",
            "@b.cd",
            "a@b",
            "a@@b.cd",
            "a@b@c.de",
            "a b@c.de",
            "a@b .cd",
            "a@.cd",
            "a@b..cd",
            "a@b.cd.",
            "a@-b.cd",
            "a\u{0}@b.cd",
            "a\u{202E}@b.cd",
            "a@b_c.de",
            "<a@b.cd>",
            &long_local,
            &long,
        ];
        for text in bad {
            let error = Email::parse(text).unwrap_err();
            assert_eq!(error.refusal.code, Code::InvalidRequest, "{text}");
        }
    }
}
