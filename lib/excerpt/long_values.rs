//! Long lines that give two values: they are cut around the first difference.

/// Lines longer than this are cut.
const LONG: usize = super::WIDTH;

/// The bytes that are kept before the first difference.
const BEFORE: usize = 60;

/// The most bytes of a label before a value: `    Expected: `.
const LABEL: usize = 40;

/// The same lines. If two lines that follow each other give long values, both begin shortly before the first difference.
pub fn cut<'a>(first: &'a [u8], second: &'a [u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    if first.len() <= LONG || second.len() <= LONG {
        return None;
    }
    let (one, other) = (value(first)?, value(second)?);
    let same = first[one..].iter().zip(&second[other..]).take_while(|(a, b)| a == b).count();
    let is_cut = same > BEFORE && same + one < first.len() && same + other < second.len();
    is_cut.then(|| (from(first, one, one + same), from(second, other, other + same)))
}

/// Where the value begins: behind a label and a quote, or behind the sign of a diff.
fn value(line: &[u8]) -> Option<usize> {
    let label = &line[..line.len().min(LABEL)];
    let is_quote = |b: &u8| matches!(b, b'"' | b'\'' | b'`');
    let behind = |at: usize| at + 1;
    let quoted = label.iter().position(is_quote).or_else(|| label.iter().position(|b| *b == b':')).map(behind);
    quoted
        .or_else(|| label.windows(2).position(|pair| matches!(pair, [b'+' | b'-', b' '])).map(|at| at + 2))
        .or_else(|| label.iter().position(|b| matches!(b, b'+' | b'-')).map(|at| at + 1))
}

/// A line without the part of its value that is too far before the difference.
fn from(line: &[u8], value: usize, difference: usize) -> Vec<u8> {
    let mut start = difference - BEFORE;
    while start < difference && line[start] & 0xc0 == 0x80 {
        start += 1;
    }
    [&line[..value], "\u{2026}".as_bytes(), &line[start..]].concat()
}
