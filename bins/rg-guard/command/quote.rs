//! Quoting for a shell.

use super::marks;

/// The text as one word of a shell.
pub fn quote(text: &str) -> String {
    let plain = |c: char| {
        c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | '=' | ',' | ':' | '@' | '+') || marks::is_mark(c)
    };
    if !text.is_empty() && text.chars().all(plain) {
        text.to_string()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
