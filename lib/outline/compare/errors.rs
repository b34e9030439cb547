//! Errors: an assertion of an error that allows more errors than before.

use super::failures;
use super::features::plain;
use super::lists::items;
use crate::outline::Assert;

/// Types that every error is of, in lower case.
const ANY_ERROR: [&str; 7] =
    ["exception", "throwable", "runtimeexception", "standarderror", "baseexception", "error", "object"];

/// Whether an assertion of an error allows every error now, or no longer asks for its text.
pub fn is_any_error(a: &Assert, b: &Assert) -> bool {
    // One value of an error is compared whole: `rejects.toBe(error)`.
    let is_value = failures::compares_value(b) && !failures::compares_value(a);
    if !failures::expects_error(a) && !a.how.ends_with("expected") || b.expected.trim().is_empty() || is_value {
        return false;
    }
    let (old, new) = (items(&a.expected), items(&b.expected));
    let is_any = |items: &[&str]| items.first().is_some_and(|first| ANY_ERROR.contains(&kind(first).as_str()));
    // Fewer demands, or one more type that is allowed.
    let is_begin =
        |few: &[&str], many: &[&str]| few.len() < many.len() && few.iter().zip(many).all(|(a, b)| plain(a) == plain(b));
    let are_types = |items: &[&str]| items.iter().all(|item| is_type(item));
    let is_shorter = is_begin(&new, &old) && !are_types(&old);
    let is_further = is_begin(&old, &new) && are_types(&new);
    is_any(&new) && (!is_any(&old) || new.len() < old.len()) || a.how == b.how && (is_shorter || is_further)
}

/// Whether a part of what is expected is the name of a type. A constant in capitals is a text.
fn is_type(item: &str) -> bool {
    let name = item.rsplit(':').next().unwrap_or(item);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
    item.trim().starts_with(|c: char| c.is_uppercase() || c == ':')
        && item.trim().chars().all(is_name)
        && name.contains(char::is_lowercase)
}

/// The last name of a type, in lower case: `exception` for `std::exception` and `Exception::class`.
fn kind(text: &str) -> String {
    let text = text.trim().trim_end_matches("::class").trim_end_matches(".class").trim_end_matches("::class.java");
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    text.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(text).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::super::wider::is_wider;
    use super::*;
    use crate::outline::Strength;

    fn assert(how: &str, expected: &str, strength: Strength) -> Assert {
        Assert { how: how.into(), subject: "x".into(), expected: expected.into(), strength, line: 1 }
    }

    #[test]
    fn an_error_of_any_type_or_without_its_text_is_wider() {
        let is = |how: &str, before: &str, after: &str| {
            is_wider(&assert(how, before, Strength::Exact), &assert(how, after, Strength::Exact))
        };
        assert!(is("raise_error", "ArgumentError, \"a, b\"", "ArgumentError"));
        assert!(is("raise_error", "(ArgumentError,\"a\")", "(ArgumentError)"));
        assert!(is("expectException", "\\InvalidArgumentException::class", "\\Throwable::class"));
        assert!(is("toThrow", "RuntimeException::class, 'failed'", "Exception::class"));
        assert!(is("EXPECT_THROW", "std::invalid_argument", "std::exception"));
        assert!(is("expected", "IllegalArgumentException.class", "Exception.class"));
        assert!(!is("raise_error", "ArgumentError, \"a\"", "ArgumentError, \"b\""));
        assert!(is("assert_raises", "Cart::Empty", "Cart::Empty, Cart::Closed"));
        assert!(!is("assert_raises", "Cart::Empty, Cart::Closed", "Cart::Empty"));
        assert!(is("raise_error", "Cart::Empty, Texts::EMPTY", "Cart::Empty"));
        assert!(!is("raise_error", "ArgumentError", "KeyError"));
        assert!(!is("raise_error", "ArgumentError, \"a\"", "KeyError"));
        assert!(!is("toEqual", "f(1, 2)", "f(1)"), "no error");
    }
}
