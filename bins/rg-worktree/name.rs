//! Turns an id into a name that is safe for a directory and a branch, and different for different ids on every file system.

use review_gate::sys::digest::sha256;

/// The longest part of an id in its name, in bytes.
const KEPT: usize = 48;

/// The number of digest digits in a name.
const DIGITS: usize = 12;

/// The name of an id: the id itself if it is short, plain and in lower case; else its plain characters and digits of its digest. An id
/// that already looks like such a name gets digits, too.
pub fn safe(id: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    let starts_plain = id.as_bytes().first().is_some_and(|first| first.is_ascii_alphanumeric());
    if starts_plain && id.len() <= KEPT && id.bytes().all(is_plain) && !has_digits(id) {
        return id.to_string();
    }
    let mut plain = String::new();
    for c in id.chars().map(|c| c.to_ascii_lowercase()) {
        let c = if c.is_ascii() && is_plain(c as u8) { c } else { '-' };
        if c != '-' || !plain.is_empty() && !plain.ends_with('-') {
            plain.push(c);
        }
    }
    plain.truncate(KEPT);
    let plain = plain.trim_matches(['-', '_']);
    let plain = if plain.is_empty() { "x" } else { plain };
    format!("{plain}-{}", &sha256(id.as_bytes())[..DIGITS])
}

fn has_digits(id: &str) -> bool {
    let last = id.rsplit('-').next().unwrap_or("");
    last.len() == DIGITS
        && last.len() < id.len()
        && last.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_made_safe_and_stay_apart() {
        assert_eq!(safe("fix-login_2"), "fix-login_2");
        let hostile = [
            "#123",
            "123",
            "../../etc/passwd",
            "$(whoami)",
            "`id`",
            "a;b",
            "a|b",
            "-n",
            "Fix",
            "fix",
            "FIX",
            "a*b",
            "a.b",
            "ab",
            "a b",
            "!!!",
            "???",
            "",
            " ",
            ".",
            "..",
            ".git",
            "a.lock",
            "ü",
            "a\nb",
            "a/b",
            "a//b",
            "HEAD",
            "head",
            "@{-1}",
            "a-",
            "a_",
            "_a",
            &"x".repeat(300),
            &"x".repeat(301),
            "fix-012345678abc",
            "con",
        ];
        let names: Vec<String> = hostile.iter().map(|id| safe(id)).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), hostile.len(), "{names:?}");
        assert_eq!(safe(&safe("#123")).len(), safe("#123").len() + 13, "a name is no id");
    }

    proptest! {
        #[test]
        fn a_name_is_one_plain_part_and_its_own(a in ".{0,80}", b in ".{0,80}") {
            let name = safe(&a);
            prop_assert!(name.len() <= KEPT + 1 + DIGITS && !name.starts_with(['-', '.']));
            prop_assert!(name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-' || c == b'_'));
            prop_assert_eq!(a == b, name == safe(&b));
        }
    }
}
