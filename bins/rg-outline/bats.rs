//! Tests of bats, `@test "title" {`, that are parsed like functions of the shell.

use std::borrow::Cow;

/// The text with `title(){` in place of the line that begins a test. The title is `x`s, and every byte keeps its place.
pub fn as_functions(text: &[u8]) -> Cow<'_, [u8]> {
    let mut source = Cow::Borrowed(text);
    let mut from = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if let Some((open, close)) = title(line) {
            let line = &mut source.to_mut()[from..from + line.len()];
            line[..=open].fill(b' ');
            line[open + 1..close].fill(b'x');
            line[close..close + 2].copy_from_slice(b"()");
        }
        from += line.len();
    }
    source
}

/// Where the quotes around the title stand, if the line begins a test.
fn title(line: &[u8]) -> Option<(usize, usize)> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let begin = line.iter().position(|byte| !is_blank(byte))?;
    let behind = begin + b"@test".len();
    if !line[begin..].starts_with(b"@test") || !line.get(behind).is_some_and(is_blank) {
        return None;
    }
    let open = behind + line[behind..].iter().position(|byte| !is_blank(byte))?;
    let quote = Some(line[open]).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let ends = |at: usize| {
        let rest = &line[at + 1..];
        let blanks = rest.iter().take_while(|byte| is_blank(byte)).count();
        line[at] == quote && blanks > 0 && rest.get(blanks) == Some(&b'{')
    };
    (open + 2..line.len()).find(|at| ends(*at)).map(|close| (open, close))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_a_function_and_every_byte_keeps_its_place() {
        let text = b"@test \"adds two\" {\n  [ 1 ]\n}\n  @test 'x y'  { run \"a\" {\n# @test \"c\" {\n@tests \"d\" {\n@test e {\n";
        let read = b"       xxxxxxxx(){\n  [ 1 ]\n}\n         xxx() { run \"a\" {\n# @test \"c\" {\n@tests \"d\" {\n@test e {\n";
        assert_eq!(String::from_utf8_lossy(&as_functions(text)), String::from_utf8_lossy(read));
        for odd in ["", "@test", "@test ", "@test \"", "@test \"\" {", "@test \"a\"", "@test \"a\"{"] {
            assert!(matches!(as_functions(odd.as_bytes()), Cow::Borrowed(_)), "{odd}");
        }
    }
}
