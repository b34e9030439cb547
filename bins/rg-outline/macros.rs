//! Code that a grammar reads better in another form: calls of macros like calls of functions, so that their arguments are expressions and
//! no bare tokens, and exports of all types like exports.

use std::borrow::Cow;

/// The text with a blank in place of the `!` of each call `name!(`. Every byte keeps its place.
pub fn as_calls<'t>(text: &'t [u8], names: &str) -> Cow<'t, [u8]> {
    let mut source = Cow::Borrowed(text);
    if names.is_empty() {
        return source;
    }
    let names: std::collections::HashSet<&[u8]> = names.split_whitespace().map(str::as_bytes).collect();
    for at in memchr::memmem::find_iter(text, "!(") {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let begin = text[..at].iter().rposition(|byte| !is_part(byte)).map_or(0, |before| before + 1);
        if names.contains(&text[begin..at]) {
            source.to_mut()[at] = b' ';
        }
    }
    source
}

/// The text with blanks in place of the `type` of each `export type *`, which the grammar does not know. Every byte keeps its place.
pub fn without_type_stars(text: &[u8]) -> Cow<'_, [u8]> {
    let mut source = Cow::Borrowed(text);
    for at in memchr::memmem::find_iter(text, "export type *") {
        source.to_mut()[at + 7..at + 11].fill(b' ');
    }
    source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_export_of_all_types_is_an_export() {
        let text = b"export type * from './a.js';\nexport type A = 1;\n";
        assert_eq!(&*without_type_stars(text), b"export      * from './a.js';\nexport type A = 1;\n");
    }

    #[test]
    fn a_named_macro_is_a_call_and_every_byte_keeps_its_place() {
        let text = b"assert_eq!(a, !b); my_assert_eq!(a); x != (b); vec!(1); std::assert_eq!(1, 2); !(c)";
        let source = as_calls(text, "assert assert_eq");
        assert_eq!(&*source, b"assert_eq (a, !b); my_assert_eq!(a); x != (b); vec!(1); std::assert_eq (1, 2); !(c)");
        assert!(matches!(as_calls(text, ""), Cow::Borrowed(_)));
        assert_eq!(&*as_calls(b"!(", "a"), b"!(");
    }
}
