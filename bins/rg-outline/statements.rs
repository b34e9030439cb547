//! Tests of C and C++ that are a macro with a title and a block, `TEST_CASE("title") {`, parsed like two statements.

use std::borrow::Cow;

/// The macros in front of a block.
const MACROS: [&[u8]; 17] = [
    b"TEST_CASE",
    b"TEST_CASE_METHOD",
    b"TEST_CASE_FIXTURE",
    b"TEMPLATE_TEST_CASE",
    b"TEST_CASE_TEMPLATE",
    b"TEST_SUITE",
    b"SCENARIO",
    b"SECTION",
    b"DYNAMIC_SECTION",
    b"SUBCASE",
    b"GIVEN",
    b"WHEN",
    b"THEN",
    b"AND_GIVEN",
    b"AND_WHEN",
    b"AND_THEN",
    b"BOOST_AUTO_TEST_CASE",
];

/// The longest title with its tags, in bytes.
const LIMIT: usize = 2000;

/// The text with a `;` between the macro and the block, and with blanks in place of `END_TEST`. Every byte keeps its place.
pub fn apart(text: &[u8]) -> Cow<'_, [u8]> {
    let mut source = Cow::Borrowed(text);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    for open in memchr::memchr_iter(b'(', text) {
        let begin = text[..open].iter().rposition(|byte| !is_part(byte)).map_or(0, |before| before + 1);
        if MACROS.contains(&&text[begin..open])
            && let Some(blank) = blank_behind(&text[open..text.len().min(open + LIMIT)])
        {
            source.to_mut()[open + blank] = b';';
            if memchr::memmem::find(&text[begin..open], b"TEMPLATE").is_some() {
                name_types(&mut source.to_mut()[open..open + blank]);
            }
        }
    }
    for (at, len) in definitions(text) {
        // `void F()` with as many bytes.
        let head = source.to_mut();
        head[at..at + len].fill(b' ');
        head[at..at + DEFINED.len()].copy_from_slice(DEFINED);
    }
    for at in memchr::memmem::find_iter(text, b"END_TEST") {
        let is_line =
            at > 0 && text[at - 1] == b'\n' && text.get(at + 8).is_none_or(|byte| !is_part(byte) && *byte != b'(');
        if is_line {
            source.to_mut()[at..at + 8].fill(b' ');
        }
    }
    source
}

/// Types that are words of the language, which the parser takes for no argument.
const TYPES: [&[u8]; 10] =
    [b"int", b"long", b"short", b"char", b"bool", b"float", b"double", b"void", b"unsigned", b"signed"];

/// Makes names of the types among the arguments of a macro: `Int` of `int`, `Unsigned_Char` of `unsigned char`.
fn name_types(arguments: &mut [u8]) {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let (mut at, mut is_quoted, mut last) = (0, false, None);
    while at < arguments.len() {
        is_quoted ^= arguments[at] == b'"';
        if is_quoted || !is_part(arguments[at]) {
            at += 1;
            continue;
        }
        let len = arguments[at..].iter().take_while(|byte| is_part(**byte)).count();
        let is_member = at > 0 && arguments[at - 1] == b':';
        if TYPES.contains(&&arguments[at..at + len]) && !is_member {
            if last == at.checked_sub(1) && last.is_some() {
                arguments[at - 1] = b'_';
            }
            arguments[at].make_ascii_uppercase();
            last = Some(at + len);
        }
        at += len;
    }
}

/// Macros of GoogleMock that define a function: what stands in their parentheses is no list of parameters.
const DEFINING: [&str; 2] = ["MATCHER", "ACTION"];

/// What such a macro is parsed as.
const DEFINED: &[u8] = b"void F()";

/// The places and lengths of macros that define a function, with their parentheses: `MATCHER_P(IsEven, n, "")`.
fn definitions(text: &[u8]) -> Vec<(usize, usize)> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut found = Vec::new();
    for name in DEFINING {
        for at in memchr::memmem::find_iter(text, name.as_bytes()) {
            let is_line = at == 0 || text[at - 1] == b'\n';
            let rest = &text[at..];
            let Some(open) = rest.iter().position(|byte| !is_part(byte)).filter(|open| is_line && rest[*open] == b'(')
            else {
                continue;
            };
            let mut depth = 0_i64;
            let mut is_quoted = false;
            let close = rest.iter().take(LIMIT).skip(open).position(|byte| {
                is_quoted ^= *byte == b'"';
                depth += i64::from(!is_quoted && *byte == b'(') - i64::from(!is_quoted && *byte == b')');
                depth == 0
            });
            let end = close.map(|close| open + close + 1).filter(|end| *end >= DEFINED.len());
            let is_block = |end: usize| rest[end..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
            found.extend(end.filter(|end| is_block(*end)).map(|end| (at, end)));
        }
    }
    found
}

/// The blank behind the closing parenthesis, if a title stands in the parentheses and a block follows.
fn blank_behind(text: &[u8]) -> Option<usize> {
    let (mut depth, mut is_quoted, mut has_title, mut at) = (0, false, false, 0);
    while at < text.len() {
        match text[at] {
            b'\\' if is_quoted => at += 1,
            b'"' => {
                is_quoted = !is_quoted;
                has_title = true;
            }
            _ if is_quoted => {}
            b'*' => has_title = true,
            b'(' => depth += 1,
            b')' if depth == 1 => break,
            b')' => depth -= 1,
            b';' | b'{' => return None,
            _ => {}
        }
        at += 1;
    }
    let behind = text.get(at + 1..)?;
    let blanks = behind.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    (has_title && blanks > 0 && behind.get(blanks) == Some(&b'{')).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_macro_with_a_title_is_a_statement_and_every_byte_keeps_its_place() {
        for (text, read) in [
            ("TEST_CASE(\"a)\", \"[b]\") {", "TEST_CASE(\"a)\", \"[b]\");{"),
            ("SECTION(\"a \\\" b\")\n{", "SECTION(\"a \\\" b\");{"),
            ("TEST_CASE(\"a\" * skip()) {", "TEST_CASE(\"a\" * skip());{"),
            ("BOOST_AUTO_TEST_CASE(a, * disabled()) {", "BOOST_AUTO_TEST_CASE(a, * disabled());{"),
            (
                "TEST_CASE_TEMPLATE(\"int a\", T, int, unsigned char, std::int8_t) {",
                "TEST_CASE_TEMPLATE(\"int a\", T, Int, Unsigned_Char, std::int8_t);{",
            ),
            ("x\nEND_TEST\ny", "x\n        \ny"),
        ] {
            assert_eq!(String::from_utf8_lossy(&apart(text.as_bytes())), read);
        }
        for text in
            ["TEST(A, B) {", "MY_SECTION(\"a\") {", "SECTION(\"a\");", "SECTION(", "SECTION(\"", "TEST_CASE(\"a\"){"]
        {
            assert!(matches!(apart(text.as_bytes()), Cow::Borrowed(_)), "{text}");
        }
    }
}
