//! Texts as words that are searched for. Both engines are given words that need no more reading, so that both find the same.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The longest part of a word that counts, in characters.
const MAX_WORD: usize = 64;
/// How many different words of a document count.
const MAX_WORDS: usize = 4_096;
/// How many words of a query count.
const MAX_QUERY: usize = 16;

/// The distinct words of a document, separated by one space.
pub(crate) fn of_document(text: &str) -> String {
    let mut words = BTreeSet::new();
    for word in folded(text) {
        if words.len() >= MAX_WORDS {
            break;
        }
        words.insert(word);
    }
    words.into_iter().collect::<Vec<_>>().join(" ")
}

/// A query for documents that have every word of a text, the last one perhaps only begun; none if it has no words.
pub(crate) fn query(text: &str) -> Option<String> {
    let words: Vec<String> = folded(text).take(MAX_QUERY).collect();
    (!words.is_empty()).then(|| format!("\"{}\"*", words.join("\" \"")))
}

/// Words without case and without marks, each cut at its longest.
fn folded(text: &str) -> impl Iterator<Item = String> {
    let bare = text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
    let folded: String = bare.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(plain).collect();
    let words: Vec<String> = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.chars().take(MAX_WORD).collect())
        .collect();
    words.into_iter()
}

/// Letters whose stroke or ligature is no mark that could be taken off.
fn plain(letter: char) -> impl Iterator<Item = char> {
    let text = match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ð' | 'đ' => "d",
        'þ' => "th",
        'ł' => "l",
        'ħ' => "h",
        'ı' => "i",
        'ŧ' => "t",
        'ς' => "σ",
        _ => "",
    };
    let itself = if text.is_empty() { Some(letter) } else { None };
    text.chars().chain(itself)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_case_and_marks() {
        assert_eq!(of_document("Crème BRÛLÉE, für Größe; naïve"), "brulee creme fur grosse naive");
        assert_eq!(
            of_document("Ørsted Łódź œuvre Æsir ﬁne Ⅻ İzmir"),
            "aesir fine izmir lodz oeuvre orsted xii"
        );
        assert_eq!(of_document("Ὀδυσσεύς ОДЁССА 東京 v2.0 a_b"), "0 a b v2 οδυσσευσ одесса 東京");
        assert_eq!(of_document("e\u{301}té été ETE\u{301}"), "ete");
    }

    #[test]
    fn a_query_holds_nothing_but_words() {
        assert_eq!(query("Deep  water").as_deref(), Some("\"deep\" \"water\"*"));
        assert_eq!(
            query("\"a\" OR b* NOT (c:d) -e").as_deref(),
            Some("\"a\" \"or\" \"b\" \"not\" \"c\" \"d\" \"e\"*")
        );
        for nothing in ["", "   ", "\"", "*", "!&|:()'\\", "\u{301}", "\0"] {
            assert_eq!(query(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn what_is_endless_is_cut() {
        assert_eq!(of_document(&"a".repeat(10_000)).len(), MAX_WORD);
        let many: Vec<String> = (0..10_000).map(|n| format!("w{n}")).collect();
        let many = many.join(" ");
        assert_eq!(of_document(&many).split(' ').count(), MAX_WORDS);
        assert_eq!(query(&many).unwrap().split(' ').count(), MAX_QUERY);
    }
}
