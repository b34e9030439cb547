//! The text of a JSON string, decoded with one allocation: a parser collects a text with escapes first, and then copies it.

/// The text of a JSON string that was parsed before. None for any other value, and for surrogates, which come in pairs.
pub fn decode(json: &str) -> Option<String> {
    let mut rest = json.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(rest.len());
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        let mut signs = rest[at + 1..].chars();
        let sign = signs.next()?;
        rest = signs.as_str();
        text.push(match sign {
            '"' | '\\' | '/' => sign,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let (digits, after) = rest.split_at_checked(4)?;
                rest = after;
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
            }
            _ => return None,
        });
    }
    text.push_str(rest);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_or_has_surrogates_is_left_to_the_parser() {
        for json in ["", "\"", "null", "[\"a\"]", "\"\\ud83d\\ude00\"", "\"\\", "\"\\\"", "\"\\u12\"", "\"\\x\""] {
            assert_eq!(decode(json), None, "{json}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_text_is_decoded_as_by_the_parser(text in "[\\PC\\n\\t\"\\\\/\u{0}-\u{1f}\u{e000}]{0,40}", escapes in 0u8..3) {
            let escaped = |c: char| match escapes {
                1 if !c.is_ascii() && (c as u32) < 0x10000 => format!("\\u{:04x}", c as u32),
                2 if (c as u32) < 0x10000 => format!("\\u{:04X}", c as u32),
                _ => serde_json::to_string(&c).unwrap().trim_matches('"').to_string(),
            };
            let json = match escapes {
                0 => serde_json::to_string(&text).unwrap(),
                _ => format!("\"{}\"", text.chars().map(|c| if matches!(c, '"' | '\\') { format!("\\{c}") } else { escaped(c) }).collect::<String>()),
            };
            proptest::prop_assert_eq!(decode(&json), serde_json::from_str::<String>(&json).ok());
        }
    }
}
