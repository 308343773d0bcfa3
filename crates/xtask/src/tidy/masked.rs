//! Rust source with comments and the insides of literals blanked out.
//!
//! Rules that look for words must not be fooled by a word inside a string, and rules that count braces must not be
//! fooled by `'{'`. Blanks keep every byte's place, so an offset in the code is an offset in the file.

use std::ops::Range;

/// The code of a file, and the string literals that were taken out of it.
#[derive(Debug, Default)]
pub(super) struct Masked {
    /// The text with comments and the insides of literals turned into spaces.
    pub(super) code: String,
    /// The string literals, as written between their quotes.
    pub(super) literals: Vec<Literal>,
}

/// A string literal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) offset: usize,
    pub(super) text: String,
}

impl Masked {
    pub(super) fn of(text: &str) -> Self {
        let mut masked = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            let taken = masked.take_one(rest);
            rest = rest.get(taken..).unwrap_or_default();
        }
        masked
    }

    /// Takes the comment, literal, word or character at the start of `rest`; returns its length.
    fn take_one(&mut self, rest: &str) -> usize {
        if let Some(length) = comment(rest) {
            self.blank(rest, length);
            length
        } else if let Some(string) = string(rest) {
            self.take_string(rest, &string);
            string.whole
        } else if let Some(length) = character(rest) {
            self.blank(rest, length);
            length
        } else {
            let length = word(rest).max(rest.chars().next().map_or(1, char::len_utf8));
            self.code.push_str(rest.get(..length).unwrap_or_default());
            length
        }
    }

    fn take_string(&mut self, rest: &str, string: &StringToken) {
        let text = rest.get(string.inside.clone()).unwrap_or_default();
        self.literals.push(Literal { offset: self.code.len(), text: text.to_owned() });
        self.code.push_str(rest.get(..string.inside.start).unwrap_or_default());
        self.blank(text, text.len());
        self.code.push_str(rest.get(string.inside.end..string.whole).unwrap_or_default());
    }

    fn blank(&mut self, text: &str, length: usize) {
        let blanks = text.bytes().take(length).map(|byte| if byte == b'\n' { '\n' } else { ' ' });
        self.code.extend(blanks);
    }

    /// The attributes `#[…]` and `#![…]`, as places in the code.
    pub(super) fn attributes(&self) -> Vec<Range<usize>> {
        let starts = self.code.match_indices('#').filter(|(at, _)| {
            let rest = self.code.get(at + 1..).unwrap_or_default();
            rest.starts_with('[') || rest.starts_with("![")
        });
        starts.map(|(at, _)| at..closing(&self.code, at)).collect()
    }

    /// The items that only tests are built with.
    pub(super) fn test_items(&self) -> Vec<Range<usize>> {
        let marks = self.attributes().into_iter().filter(|at| {
            let text = self.code.get(at.clone()).unwrap_or_default();
            text.contains("cfg(test)") || text.contains("cfg(all(test") || text.contains("test]")
        });
        marks.map(|at| at.start..item_end(&self.code, at.end)).collect()
    }
}

/// Where a string literal's inside is, and how long it is with its prefix and quotes.
struct StringToken {
    inside: Range<usize>,
    whole: usize,
}

fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if !rest.starts_with("/*") {
        return None;
    }
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        if tail.starts_with("/*") {
            (at, depth) = (at + 2, depth + 1);
        } else if tail.starts_with("*/") {
            (at, depth) = (at + 2, depth - 1);
        } else {
            at += tail.chars().next().map_or(1, char::len_utf8);
        }
        if depth == 0 {
            break;
        }
    }
    Some(at)
}

fn string(rest: &str) -> Option<StringToken> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|p| rest.starts_with(p))?;
    let raw = prefix.ends_with('r');
    let after = rest.get(prefix.len()..)?;
    let hashes = if raw { after.bytes().take_while(|byte| *byte == b'#').count() } else { 0 };
    let body = after.get(hashes..)?.strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let length = if raw { body.find(&close) } else { unescaped(body, b'"') };
    let length = length.unwrap_or(body.len());
    let start = rest.len() - body.len();
    let whole = rest.len().min(start + length + close.len());
    Some(StringToken { inside: start..start + length, whole })
}

/// The first `quote` that no backslash escapes.
fn unescaped(body: &str, quote: u8) -> Option<usize> {
    let mut escaped = false;
    body.bytes().position(|byte| {
        let found = byte == quote && !escaped;
        escaped = byte == b'\\' && !escaped;
        found
    })
}

/// The length of a character literal; a lifetime, which begins alike, is none.
fn character(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('\'')?;
    let first = body.chars().next()?;
    if first == '\\' {
        return unescaped(body, b'\'').map(|length| length + 2);
    }
    let after = body.get(first.len_utf8()..)?;
    after.starts_with('\'').then(|| first.len_utf8() + 2)
}

fn word(rest: &str) -> usize {
    rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
}

/// Whether a character can be part of a name.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The end of the first bracketed group at or after `from`.
pub(super) fn closing(code: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// Where an item's body opens, if it has one: the first `{` outside parentheses that comes before any `;`.
pub(super) fn body_start(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut const_argument = 0_usize;
    let mut previous = b' ';
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'{' if previous == b'<' || const_argument > 0 => const_argument += 1,
            b'}' if const_argument > 0 => const_argument -= 1,
            b'{' if depth == 0 => return Some(at),
            b';' if depth == 0 => return None,
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            previous = byte;
        }
    }
    None
}

fn item_end(code: &str, from: usize) -> usize {
    match body_start(code, from) {
        Some(open) => closing(code, open),
        None => code.get(from..).and_then(|rest| rest.find(';')).map_or(code.len(), |at| from + at),
    }
}

/// The places where `word` stands in the code as a word of its own.
pub(super) fn words<'c>(code: &'c str, word: &'c str) -> impl Iterator<Item = usize> + 'c {
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let before = code.get(..*at).and_then(|text| text.chars().next_back());
        let after = code.get(at + word.len()..).and_then(|text| text.chars().next());
        let ends = word.chars().next_back().is_some_and(is_word) && after.is_some_and(is_word);
        !before.is_some_and(is_word) && !ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literals(text: &str) -> Vec<String> {
        Masked::of(text).literals.into_iter().map(|literal| literal.text).collect()
    }

    #[test]
    fn every_byte_keeps_its_place() {
        let text = "let é = \"ü\"; // ö\nlet y = 'ß'; /* a\n /* b */ c */ r#\"\n\"# end";
        let code = Masked::of(text).code;
        assert_eq!(code.len(), text.len());
        assert_eq!(code.matches('\n').count(), text.matches('\n').count());
        assert_eq!(code.find("end"), text.find("end"));
        assert!(!code.contains('ü') && !code.contains('ö') && !code.contains(" c "));
    }

    #[test]
    fn finds_literals_of_every_kind() {
        let text = r###"f("a\"b", r"c\", r#"d"e"#, b"f", br##"g"#h"##, c"i")"###;
        assert_eq!(literals(text), [r#"a\"b"#, r"c\", "d\"e", "f", "g\"#h", "i"]);
    }

    #[test]
    fn quotes_in_comments_and_characters_open_nothing() {
        assert_eq!(literals("// \"no\nlet a = '\"'; let b = '\\''; /* \" */ f(\"yes\")"), ["yes"]);
    }

    #[test]
    fn a_lifetime_is_not_a_character() {
        let code = Masked::of("fn f<'a>(x: &'a str, y: &'static str) -> char { '{' }").code;
        assert_eq!(code, "fn f<'a>(x: &'a str, y: &'static str) -> char {     }");
    }

    #[test]
    fn a_raw_name_is_not_a_string() {
        let masked = Masked::of("let r#type = \"x\";");
        assert_eq!(masked.code, "let r#type = \" \";");
    }

    #[test]
    fn an_unclosed_literal_ends_with_the_file() {
        assert_eq!(literals("f(\"abc"), ["abc"]);
        assert_eq!(Masked::of("/* abc").code.trim(), "");
    }

    #[test]
    fn a_body_is_found_behind_arrays_and_constant_arguments() {
        let code = "fn f(x: [u8; 4]) -> A<{ 1 + 1 }> where A: B, { g() }";
        assert_eq!(body_start(code, 0), code.find("{ g"));
        assert_eq!(body_start("fn f(x: [u8; 4]); mod x {}", 0), None);
    }

    #[test]
    fn words_stand_alone() {
        let found: Vec<_> = words("fn fnord dyn_fn fn", "fn").collect();
        assert_eq!(found, [0, 16]);
    }
}
