//! Wildcard matching.

/// Whether a pattern of pieces matches a word. A star matches any number of characters. Backtracks to the last star only, so the
/// time is at most the product of both lengths.
pub fn is_match<P, C>(
    pattern: &[P],
    word: &[C],
    is_star: impl Fn(&P) -> bool,
    is_one: impl Fn(&P, &C) -> bool,
) -> bool {
    let (mut p, mut w) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while w < word.len() {
        let piece = pattern.get(p);
        if piece.is_some_and(&is_star) {
            star = Some((p + 1, w));
            p += 1;
        } else if piece.is_some_and(|piece| is_one(piece, &word[w])) {
            p += 1;
            w += 1;
        } else if let Some((after, from)) = star {
            star = Some((after, from + 1));
            (p, w) = (after, from + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(is_star)
}
