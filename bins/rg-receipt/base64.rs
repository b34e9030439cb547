//! Base64 of RFC 4648 in its strict form: standard alphabet, padded, no white space, one text for each sequence of bytes.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes bytes.
pub fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |n: usize| u32::from(group.get(n).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for n in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * n) & 63) as usize];
            out.push(if n <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// Decodes a text; None if it is not what `encode` returns for any bytes.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits.as_bytes().chunks(4) {
        let mut bits = 0;
        for n in 0..4 {
            let value = match group.get(n) {
                Some(digit) => value_of(*digit)?,
                None => 0,
            };
            bits = bits << 6 | u32::from(value);
        }
        out.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    // Refuses wrong padding, a digit that holds no whole byte, and bits that no byte holds.
    (encode(&out) == text).then_some(out)
}

fn value_of(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_rfc_are_encoded_and_decoded() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
    }

    #[test]
    fn other_forms_of_the_same_bytes_are_refused() {
        for text in ["Zg", "Zg=", "Zg===", "Zh==", "Zm9v====", "Zm 9v", "Zm9v\n", "Z", "=", "====", "Zm9_", "Zé=="] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn bytes_come_back(bytes: Vec<u8>) {
            assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }

        #[test]
        fn no_text_makes_the_decoder_panic(text in "[A-Za-z0-9+/= é\n]{0,40}") {
            let _ = decode(&text);
        }
    }
}
