//! Failures: assertions of an error that is thrown or returned, or of none.

use super::features::identifiers;
use crate::outline::{Assert, Strength, Test};

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

/// Whether a test only asks for an error: it throws, or gives one to `err`.
pub fn is_of_error(test: &Test) -> bool {
    let is_of_err = |a: &Assert| {
        a.subject == "err" && (a.how == "!=" && a.expected == "nil" || ["Is", "As"].contains(&a.how.as_str()))
    };
    let mut demands = test.asserts.iter().filter(|a| a.strength > Strength::Nothing).peekable();
    demands.peek().is_some() && demands.all(|a| expects_error(a) || is_of_err(a))
}

/// Whether a test asks for an error in any of its cases, or calls what may ask for one.
pub fn may_ask_for_error(test: &Test) -> bool {
    let is_none =
        |a: &Assert| a.how == "==" && a.expected == "nil" || a.how.ends_with("NoError") || expects_no_error(a);
    let mentions = |text: &str| {
        ["err", "throw", "raise", "fail", "exception"].iter().any(|word| text.to_ascii_lowercase().contains(word))
    };
    let asks = |a: &Assert| {
        !is_none(a) && (expects_error(a) || mentions(&a.how) || mentions(&a.subject) || mentions(&a.expected))
    };
    test.asserts.is_empty() || test.asserts.iter().any(asks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_of_an_error_is_no_row_of_a_table_without_errors() {
        let test = |asserts: &[(&str, &str, &str)]| {
            let one = |(how, subject, expected): &(&str, &str, &str)| Assert {
                how: (*how).into(),
                subject: (*subject).into(),
                expected: (*expected).into(),
                strength: Strength::Exact,
                line: 1,
            };
            Test { asserts: asserts.iter().map(one).collect(), ..Test::default() }
        };
        assert!(is_of_error(&test(&[("!=", "err", "nil")])) && is_of_error(&test(&[("Is", "err", "ErrFamily")])));
        assert!(is_of_error(&test(&[("toThrow", "f(1)", "")])) && !is_of_error(&test(&[])));
        assert!(
            !is_of_error(&test(&[("==", "err", "nil")]))
                && !is_of_error(&test(&[("!=", "err", "nil"), ("==", "x", "1")]))
        );
        assert!(!may_ask_for_error(&test(&[("==", "err", "nil"), ("==", "got", "tt.want")])));
        assert!(may_ask_for_error(&test(&[("==", "(err!=nil)", "tt.wantErr"), ("==", "got", "tt.want")])));
        assert!(may_ask_for_error(&test(&[])), "a helper may");
    }

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
