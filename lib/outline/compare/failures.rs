//! Failures: assertions of an error that is thrown or returned, or of none.

use super::features::identifiers;
use crate::outline::Assert;

/// Names of what was thrown.
const ERRORS: [&str; 15] = [
    "err",
    "error",
    "e",
    "ex",
    "exc",
    "exception",
    "excinfo",
    "exc_info",
    "info",
    "caught",
    "thrown",
    "raised",
    "cm",
    "reason",
    "message",
];

/// Whether an assertion is about an error that was thrown or returned.
pub fn is_about_error(a: &Assert) -> bool {
    let mut names = identifiers(&a.subject).chain(identifiers(&a.expected));
    a.how.ends_with("ExceptionMessage") || names.any(|name| ERRORS.contains(&name.to_ascii_lowercase().as_str()))
}

/// Whether an assertion expects an error: `raises`, `toThrow`, `assertThrows`, `EqualError`, `should_panic`.
pub fn expects_error(a: &Assert) -> bool {
    let how = a.how.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| how.contains(word));
    let is_opposite = says(&["not", "noerror", "nothrow", "never"]);
    !is_opposite && says(&["throw", "raise", "reject", "error", "panic", "exception", "fails_with", "failswith"])
}

/// Whether an assertion compares what is thrown, or what a promise gives, with one value: `rejects.toBe(error)`.
pub fn compares_value(a: &Assert) -> bool {
    let last = a.how.rsplit('.').next().unwrap_or(&a.how);
    ["toBe", "toEqual", "toStrictEqual"].contains(&last) && a.how.starts_with("rejects.")
}

/// Whether an assertion expects that nothing is thrown: `notThrows`, `not.toThrow`, `doesNotThrow`.
pub fn expects_no_error(a: &Assert) -> bool {
    let how = a.how.to_ascii_lowercase();
    how.contains("throw") && !expects_error(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assertion_tells_whether_it_expects_an_error() {
        let with = |how: &str| Assert { how: how.into(), subject: "f()".into(), ..Assert::default() };
        let of = |how: &str| (expects_error(&with(how)), expects_no_error(&with(how)));
        for how in ["toThrow", "raises", "assertThrows", "throwsAsync", "EqualError", "should_panic"] {
            assert_eq!(of(how), (true, false), "{how}");
        }
        for how in ["not.toThrow", "notThrowsAsync", "doesNotThrow", "assertDoesNotThrow"] {
            assert_eq!(of(how), (false, true), "{how}");
        }
        assert_eq!((of("toBe"), of("NoError")), ((false, false), (false, false)));
    }
}
