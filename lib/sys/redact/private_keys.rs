//! Private keys in their text form.

/// The longest private key, in bytes.
const KEY_LIMIT: usize = 32 << 10;

/// The first private key of a text: where it begins, and its length.
pub(super) fn private_key(text: &str) -> Option<(usize, usize)> {
    let marks = text.match_indices("-----BEGIN ").map(|(at, mark)| (at, at + mark.len()));
    let is_private = |kind: &[u8]| kind.windows(11).any(|words| words == b"PRIVATE KEY");
    let (begin, end) = marks.into_iter().find_map(|(at, kind)| {
        let length = dashes(&text[kind..])?;
        is_private(&text.as_bytes()[kind..kind + length]).then_some((at, kind + length))
    })?;
    let key = &text[end..];
    let until = key.find("-----BEGIN ").unwrap_or(key.len()).min(KEY_LIMIT);
    let mut length = 0;
    if let Some(at) = memchr::memmem::find(&key.as_bytes()[..until], b"-----END") {
        let at = at + "-----END".len();
        length = at + dashes(&key[at..]).unwrap_or(0);
    } else if key.trim_start_matches([' ', '\t', '\r']).starts_with('\n') {
        // The key was cut off: lines that look like a key are removed, the text after them stays.
        let is_of_key = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-');
        let is_of_key = |line: &&str| !line.trim().is_empty() && line.trim().bytes().all(is_of_key);
        let mut lines = key.split_inclusive('\n');
        let first = lines.next().map_or(0, str::len);
        let of_key: usize = lines.take_while(is_of_key).map(str::len).sum();
        length = if of_key == 0 { 0 } else { first + of_key };
        length -= usize::from(key[..length].ends_with('\n'));
    }
    Some((begin, end - begin + length))
}

/// The position after the dashes that end a `BEGIN` or `END` line.
fn dashes(text: &str) -> Option<usize> {
    let near = &text.as_bytes()[..text.len().min(48)];
    near.windows(5).position(|five| five == b"-----").map(|at| at + 5)
}
