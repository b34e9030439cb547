//! Tables: counts for how many tests the tables of parametrised tests stand.

use regex::bytes::Regex;
use std::sync::LazyLock;

/// How far a table is read, in bytes.
const LONGEST: usize = 64 << 10;

/// What turns rows into tests, in each language. The list, or its name, follows.
static MARKERS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let markers = [
        r"\.\s*each\s*\(",
        r"\bparametrize\s*\([^\[(\n]*,",
        r"\bfor\s*\(\s*(?:const|let|var)\s[^;\n]*?\sof\s",
        r"\bfor\s[^\n]*?\sin\s",
        r"\bfor\s[^\n]*?<-",
        r"\brange\s",
        r"@(?:CsvSource|ValueSource)\s*\(",
    ];
    Regex::new(&format!("(?-u)(?:{})", markers.join("|"))).ok()
});

/// What follows a list, or its name, and turns its rows into tests.
static FOLLOWERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?-u)(\w+|\])\s*\.\s*(?:forEach\s*\(|each\s+(?:do\b|\{))").ok());

/// An attribute that is one row.
static ROWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?-u)^\s*(?:#\[case(?:::\w+)?\(|\[(?:InlineData|DataRow)\(|#\[TestWith\(|@TestWith\b)").ok()
});

/// For how many tests more than they declare the tables in these bytes stand.
pub fn rows(bytes: &[u8]) -> usize {
    let more = |rows: usize| rows.saturating_sub(1);
    let led = MARKERS.iter().flat_map(|regex| regex.find_iter(bytes)).map(|mark| more(rows_at(bytes, mark.end())));
    let followed = FOLLOWERS.iter().flat_map(|regex| regex.captures_iter(bytes)).filter_map(|found| found.get(1));
    let followed = followed.map(|name| match name.as_bytes() {
        b"]" => start_of(bytes, name.end()).map_or(0, |start| more(items(&bytes[start..]))),
        name_bytes => more(rows_of(bytes, name_bytes, name.start())),
    });
    led.sum::<usize>() + followed.sum::<usize>() + attributes(bytes)
}

/// The rows of the list that begins at `at`, or of the list with the name that stands there.
fn rows_at(bytes: &[u8], at: usize) -> usize {
    let rest = bytes[at..].trim_ascii_start();
    let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    match rest.first() {
        Some(b'[' | b'{' | b'(') => items(strip_type(rest)),
        Some(_) if name > 0 => rows_of(bytes, &rest[..name], at),
        _ => 0,
    }
}

/// The rows of the last list that was given this name before `at`.
fn rows_of(bytes: &[u8], name: &[u8], at: usize) -> usize {
    let before = &bytes[at.saturating_sub(LONGEST)..at];
    let is_name = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let value = memchr::memmem::rfind_iter(before, name).find_map(|start| {
        let end = start + name.len();
        let is_whole = !is_name(start.checked_sub(1).and_then(|at| before.get(at))) && !is_name(before.get(end));
        let line = before[end..].split(|b| *b == b'\n').next().unwrap_or_default();
        let sign = line.iter().position(|b| *b == b'=').filter(|_| is_whole)?;
        Some(&before[end + sign + 1..])
    });
    value
        .map(|value| strip_type(value.trim_ascii_start()))
        .filter(|list| matches!(list, [b'[' | b'{' | b'(', ..]))
        .map_or(0, items)
}

/// A list without the type before it: `[]int{`, `[]struct{ a int }{`, `map[string]int{`.
fn strip_type(list: &[u8]) -> &[u8] {
    let list = list.strip_prefix(b"map").unwrap_or(list);
    let is_type = list.starts_with(b"[]") || list.starts_with(b"[...]") || list.starts_with(b"[string]");
    let Some(close) = list.iter().position(|b| *b == b']').filter(|_| is_type) else { return list };
    let rest = list[close + 1..].trim_ascii_start();
    let Some(open) = rest.iter().position(|b| *b == b'{') else { return list };
    if !rest.starts_with(b"struct") {
        return &rest[open..];
    }
    let end = open + length(&rest[open..]);
    rest[end..].trim_ascii_start()
}

/// How many items the list at the start of these bytes has.
fn items(list: &[u8]) -> usize {
    let (mut count, mut has_item) = (0, false);
    let mut see = |_: usize, depth: usize, byte: u8| match (depth, byte) {
        (1, b',') => {
            count += usize::from(has_item);
            has_item = false;
        }
        (0, _) | (1, b'[' | b'{' | b'(' | b']' | b'}' | b')') => {}
        (_, byte) => has_item |= !byte.is_ascii_whitespace(),
    };
    let is_closed = walk(list, &mut see);
    if is_closed { count + usize::from(has_item) } else { 0 }
}

/// The length of the group in brackets at the start of these bytes.
fn length(group: &[u8]) -> usize {
    let mut length = 0;
    walk(group, &mut |at, _, _| length = at + 1);
    length
}

/// Walks over the group in brackets at the start, without comments: place, depth and byte. The depth is that after an opening and
/// before a closing bracket. Returns whether the group ends.
fn walk(group: &[u8], see: &mut impl FnMut(usize, usize, u8)) -> bool {
    let (mut depth, mut quote, mut is_escaped, mut in_comment) = (0usize, None, false, false);
    for (at, byte) in group.iter().copied().enumerate().take(LONGEST) {
        let opens_comment = group[at..].starts_with(b"//") || group[at..].starts_with(b"# ");
        in_comment = (in_comment || opens_comment && quote.is_none()) && byte != b'\n';
        if in_comment {
            continue;
        }
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if byte == b'\\' => is_escaped = true,
            Some(end) if byte == end || byte == b'\n' && end != b'`' => quote = None,
            Some(_) => {}
            None => match byte {
                b'"' | b'\'' | b'`' => quote = Some(byte),
                b'[' | b'{' | b'(' => depth += 1,
                b']' | b'}' | b')' => depth = depth.saturating_sub(1),
                _ => {}
            },
        }
        let is_closing = quote.is_none() && matches!(byte, b']' | b'}' | b')');
        see(at, depth + usize::from(is_closing), byte);
        if depth == 0 {
            return is_closing;
        }
    }
    false
}

/// Where the list begins that ends before `end`.
fn start_of(bytes: &[u8], end: usize) -> Option<usize> {
    let mut depth = 0usize;
    (end.saturating_sub(LONGEST)..end).rev().find(|at| {
        match bytes[*at] {
            b']' => depth += 1,
            b'[' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

/// The rows that are attributes of a test. A test of rstest is not declared by `#[test]`, so all of its rows count.
fn attributes(bytes: &[u8]) -> usize {
    let Some(regex) = ROWS.as_ref() else { return 0 };
    let (mut all, mut run) = (0, 0usize);
    for line in bytes.split(|b| *b == b'\n') {
        let is_case = line.trim_ascii_start().starts_with(b"#[case");
        if regex.is_match(line) {
            (all, run) = if is_case { (all + 1, run) } else { (all, run + 1) };
        } else if !matches!(line.trim_ascii_start(), [b'@' | b'[', ..] | [b'#', b'[', ..]) {
            all += run.saturating_sub(1);
            run = 0;
        }
    }
    all + run.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_rows_of_a_table_are_counted_in_each_language() {
        for (text, want) in [
            ("for (const [n,a,w] of [['a',1,2],['b',2,4],['c',3,6]]) test(n,()=>{eq(add(a,a),w)});", 2),
            ("test.each([\n  ['a', 1],\n  ['b', 2], // the second\n])('%s', () => {});", 1),
            ("const cases = [[1], [2], [3]];\nfor (const c of cases) {\n  it(`${c}`, () => {});\n}", 2),
            ("[1, 2, 3].forEach((n) => test(`${n}`, () => {}));", 2),
            ("@pytest.mark.parametrize('i,o', [(1, 1), (2, 4), (3, 9)])\ndef test_f(i, o):", 2),
            ("tests := []struct {\n\tname string\n}{\n\t{\"a, b\"},\n\t{\"c\"},\n}\nfor _, tt := range tests {", 1),
            ("[[1, 2], [3, 4]].each do |a, b|\n  it \"adds #{a}\" do", 1),
            ("@ParameterizedTest\n@ValueSource(ints = {1, 2, 3})\nvoid a(int n) {", 0),
            ("[Theory]\n[InlineData(1)]\n[InlineData(2)]\npublic void A(int n) {", 1),
            ("#[rstest]\n#[case(1)]\n#[case(2)]\nfn a(#[case] n: u8) {}", 2),
            ("it('a', () => { const list = [1, 2, 3]; });", 0),
            ("for (const c of cases) {", 0),
            ("for (const c of [1, 2", 0),
            ("for (const c of []) test(c);", 0),
        ] {
            assert_eq!(rows(text.as_bytes()), want, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(text in "(?s)(for \\(const a of |test\\.each\\(|range x|x =|[\\[\\](){},'\"`\\\\a1\n ]){0,60}") {
            prop_assert!(rows(text.as_bytes()) <= text.len() * text.len());
        }
    }
}
