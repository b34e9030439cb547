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

/// A long line that gives two values in quotes, each shortly around the first difference: `got "…abc…" want "…abd…"`.
pub fn cut_one(line: &[u8]) -> Option<Vec<u8>> {
    // A control sequence takes bytes, but no room.
    if line.len() <= LONG || line.contains(&0x1b) {
        return None;
    }
    let one = line[..LONG].iter().position(|b| matches!(b, b'"' | b'\'' | b'`'))?;
    let begin = line.get(one..one + BEFORE)?;
    let other = one + BEFORE + memchr::memmem::find(&line[one + BEFORE..], begin)?;
    let same = line[one..other].iter().zip(&line[other..]).take_while(|(a, b)| a == b).count();
    let (from_one, from_other) = (boundary(line, one + same - BEFORE), boundary(line, other + same - BEFORE));
    let (to_one, to_other) = (boundary(line, one + same + BEFORE), boundary(line, other + same + BEFORE));
    // The words between both values stand before the second one.
    let between = boundary(line, other.saturating_sub(LABEL).max(to_one));
    let dots = "\u{2026}".as_bytes();
    let is_cut = from_one > one && to_one < other && to_other <= line.len();
    is_cut.then(|| {
        let first = [&line[..=one], dots, &line[from_one..to_one], dots, &line[between..=other]].concat();
        [&first, dots, &line[from_other..to_other]].concat()
    })
}

/// The next place at which a character begins.
fn boundary(line: &[u8], at: usize) -> usize {
    (at..line.len()).find(|at| line[*at] & 0xc0 != 0x80).unwrap_or(line.len())
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
