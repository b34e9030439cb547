//! Finds the word that somebody probably meant.

/// The longest word that is compared, in bytes.
const LONGEST: usize = 64;

/// How many letters must be added, removed, replaced or swapped with their neighbour to make one word of the other.
pub fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(x != y);
            let mut best = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// The known word that is nearest: at most two edits away, and at most a third of the word's letters. None if there is none.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let most = (word.chars().count() / 3).min(2);
    let near = known.into_iter().map(|known| (edits(word, known), known)).filter(|(edits, _)| *edits <= most);
    near.min_by_key(|(edits, _)| *edits).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found() {
        let known = ["explain", "test", "check-failed", "no_new_skips"];
        for (word, want) in [
            ("explan", Some("explain")),
            ("exlpain", Some("explain")),
            ("check-faild", Some("check-failed")),
            ("rm", None),
            ("tets", Some("test")),
            ("tax", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), want, "{word}");
        }
        assert_eq!(nearest(&"x".repeat(100), known), None);
        assert_eq!((edits("", "abc"), edits("review", "reveiw"), edits("a", "a")), (3, 1, 0));
    }
}
