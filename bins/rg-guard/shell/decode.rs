//! Decoders: backslash escapes, base64, base32, hexadecimal digits, `tr`.

/// A text with its backslash escapes decoded, as `$'...'`, `printf` and `echo -e` do.
pub fn unescape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(c) = bytes.get(at) {
        at += 1;
        if *c != b'\\' {
            out.push(*c);
            continue;
        }
        let Some(c) = bytes.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        match c {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'a' | b'b' | b'f' | b'v' => out.push(b' '),
            b'e' | b'E' => out.push(0x1b),
            b'x' => number(bytes, &mut at, 16, 2, &mut out),
            b'u' => number(bytes, &mut at, 16, 4, &mut out),
            b'U' => number(bytes, &mut at, 16, 8, &mut out),
            b'0'..=b'7' => {
                at -= 1;
                // `\0101` of echo has one more digit.
                let most = if *c == b'0' { 4 } else { 3 };
                number(bytes, &mut at, 8, most, &mut out);
            }
            b'\\' | b'\'' | b'"' | b'?' => out.push(*c),
            b'c' => at += 1,
            other => out.extend([b'\\', *other]),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn number(bytes: &[u8], at: &mut usize, base: u32, most: usize, out: &mut Vec<u8>) {
    let digits: Vec<u32> = bytes[*at..].iter().take(most).map_while(|c| char::from(*c).to_digit(base)).collect();
    *at += digits.len();
    let code = digits.iter().fold(0_u32, |code, digit| code.wrapping_mul(base).wrapping_add(*digit));
    match code {
        0 => {}
        1..=0x7f => out.push(code as u8),
        _ if most <= 3 => out.push(code as u8),
        _ => {
            let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend(c.to_string().into_bytes());
        }
    }
}

/// Decodes base64 as `base64 -d` does; None for an invalid text.
pub fn base64(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for c in text.bytes() {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            c if c.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    String::from_utf8(out).ok()
}

/// Decodes base32 as `base32 -d` does; None for an invalid text.
pub fn base32(text: &str) -> Option<String> {
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for c in text.bytes() {
        let value = match c.to_ascii_uppercase() {
            c @ b'A'..=b'Z' => c - b'A',
            c @ b'2'..=b'7' => c - b'2' + 26,
            b'=' => break,
            c if c.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = bits << 5 | u32::from(value);
        count += 5;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    String::from_utf8(out).ok()
}

/// Decodes hexadecimal digits as `xxd -r -p` does; None for an invalid text.
pub fn hexadecimal(text: &str) -> Option<String> {
    let digits: Option<Vec<u8>> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let bytes: Vec<u8> = digits?.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    String::from_utf8(bytes).ok()
}

/// `tr SET1 SET2` over a text; None for a set with a character class.
pub fn translate(text: &str, from: &str, to: &str) -> Option<String> {
    let (from, to) = (set(from)?, set(to)?);
    let last = to.last()?;
    let map = |c: char| match from.iter().position(|known| *known == c) {
        Some(at) => *to.get(at).unwrap_or(last),
        None => c,
    };
    Some(text.chars().map(map).collect())
}

fn set(text: &str) -> Option<Vec<char>> {
    if text.contains("[:") {
        return None;
    }
    let chars: Vec<char> = unescape(text).chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars.get(at + 1) == Some(&'-') && at + 2 < chars.len() {
            out.extend((chars[at]..=chars[at + 2]).take(256));
            at += 3;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_are_seen_through() {
        assert_eq!(unescape(r"\x72\x6d -rf \057 \162\n"), "rm -rf / r\n");
        assert_eq!(base64("cm0gLXJmIC8=").as_deref(), Some("rm -rf /"));
        assert_eq!(base32("OJWSALLSMYQC6===").as_deref(), Some("rm -rf /"));
        assert_eq!(hexadecimal("726d202d7266202f").as_deref(), Some("rm -rf /"));
        assert_eq!(translate("ez -es /", "a-z", "n-za-m").as_deref(), Some("rm -rf /"));
    }
}
