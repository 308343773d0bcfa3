//! The name that a misspelt one was meant to be.

/// The candidate that takes the fewest changes to become, if it takes few enough.
pub(super) fn nearest(name: &str, candidates: impl Iterator<Item = String>) -> Option<String> {
    let most = (name.chars().count() / 3).max(2);
    let ranked = candidates.map(|candidate| (distance(name, &candidate), candidate));
    ranked.filter(|(changes, _)| *changes <= most).min().map(|(_, candidate)| candidate)
}

/// How many characters must be put in, taken out or replaced.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (above, one) in from.chars().enumerate() {
        let mut next = vec![above + 1];
        let diagonals = row.iter().zip(row.iter().skip(1)).zip(&to);
        for ((diagonal, over), other) in diagonals {
            let left = next.last().copied().unwrap_or_default();
            let replaced = diagonal + usize::from(one != *other);
            next.push(replaced.min(over + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_the_changes() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("listen", "listen"), 0);
        assert_eq!(distance("lsiten", "listen"), 2);
        assert_eq!(distance("base_uri", "base_url"), 1);
    }

    #[test]
    fn only_a_near_name_is_offered() {
        let names = || ["listen", "base_url", "auth_url"].into_iter().map(str::to_owned);
        assert_eq!(nearest("base_ulr", names()).as_deref(), Some("base_url"));
        assert_eq!(nearest("zebra_crossing", names()), None);
    }
}
