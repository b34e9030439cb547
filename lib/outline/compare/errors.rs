//! Errors: an assertion of an error that allows more errors than before.

use super::failures;
use super::features::plain;
use super::lists::items;
use crate::outline::Assert;

/// Types that every error is of, in lower case.
const ANY_ERROR: [&str; 10] = [
    "exception",
    "throwable",
    "runtimeexception",
    "standarderror",
    "baseexception",
    "error",
    "object",
    "any error",
    "anyerror",
    "systemexception",
];

/// Whether an assertion of an error allows every error now, or no longer asks for its text.
pub fn is_any_error(a: &Assert, b: &Assert) -> bool {
    // One value of an error is compared whole: `rejects.toBe(error)`.
    let is_value = failures::compares_value(b) && !failures::compares_value(a);
    if !failures::expects_error(a) && !a.how.ends_with("expected") || b.expected.trim().is_empty() || is_value {
        return false;
    }
    let (old, new) = (items(&a.expected), items(&b.expected));
    let is_any = |items: &[&str]| {
        items.first().is_some_and(|first| ANY_ERROR.contains(&kind(first).as_str()) && !is_of_project(first))
    };
    // Fewer demands, or one more type that is allowed.
    let is_begin =
        |few: &[&str], many: &[&str]| few.len() < many.len() && few.iter().zip(many).all(|(a, b)| plain(a) == plain(b));
    let are_types = |items: &[&str]| items.iter().all(|item| is_type(item));
    let is_shorter = is_begin(&new, &old) && !are_types(&old);
    let is_further = !a.expected.trim().is_empty() && is_begin(&old, &new) && are_types(&new);
    is_any(&new) && (!is_any(&old) || new.len() < old.len()) || a.how == b.how && (is_shorter || is_further)
}

/// AssertJ's `isThrownBy`, whose subject is the type: `assertThatExceptionOfType(E.class).isThrownBy(f)`, `assertThatIOException()…`.
pub fn thrown_by(assert: &Assert) -> Option<Assert> {
    let rest = assert.how.strip_prefix("isThrownBy")?;
    let parts = items(&assert.expected);
    let (call, texts) = parts.split_first()?;
    let kind = assert
        .subject
        .strip_prefix("assertThat")
        .map_or_else(|| assert.subject.clone(), |kind| format!("{kind}.class"));
    let expected: Vec<&str> = std::iter::once(kind.as_str()).chain(texts.iter().map(|text| text.trim())).collect();
    let (how, subject) = (format!("throws{rest}"), call.trim().to_string());
    Some(Assert { how, subject, expected: expected.join(", "), ..assert.clone() })
}

/// Whether an error of a type was expected, and now one of any type.
pub fn is_untyped(a: &Assert, b: &Assert) -> bool {
    let typed = |assert: &Assert| {
        let first = items(&assert.expected).first().map(|first| kind(first)).filter(|kind| !kind.is_empty());
        let named = assert.how.split('.').rev().find(|link| link.ends_with("Exception") && link.len() > 9);
        first.or_else(|| named.map(str::to_ascii_lowercase)).filter(|kind| !ANY_ERROR.contains(&kind.as_str()))
    };
    let is_type = items(&a.expected).first().is_some_and(|first| {
        let first = first.trim().trim_matches(['<', '>', '(']);
        first.starts_with(char::is_uppercase) && first.contains(|c: char| c.is_lowercase())
    });
    let expect = failures::expects_error(a) && failures::expects_error(b);
    expect && a.how != b.how && is_type && typed(a).is_some() && typed(b).is_none()
}

/// Whether both expect the same type of error of the same call, and the second names each text that the first named.
pub fn is_same_error(a: &Assert, b: &Assert) -> bool {
    let is_one_library = a.how == b.how || b.how.contains("isNotNull");
    // One error is more than its text.
    let is_value = failures::compares_value(a) && !failures::compares_value(b);
    if is_value || !failures::expects_error(a) || !failures::expects_error(b) || is_one_library {
        return false;
    }
    let named = |assert: &Assert| -> (String, Vec<String>) {
        let parts = items(&assert.expected);
        let of_name = || {
            let links = assert.how.split('.');
            links.rev().find(|link| link.ends_with("Exception") && link.len() > 9).map(str::to_ascii_lowercase)
        };
        let is_text = |part: &str| part.trim().trim_start_matches('(').starts_with(['"', '\'', '`', '/']);
        let first =
            parts.first().filter(|first| !is_text(first)).map(|first| kind(first)).filter(|kind| !kind.is_empty());
        let texts = parts.iter().skip(usize::from(first.is_some())).map(|text| plain(text)).collect();
        (first.or_else(of_name).unwrap_or_default(), texts)
    };
    let ((old, texts), (new, others)) = (named(a), named(b));
    let is_any = |kind: &str| kind.is_empty() || ANY_ERROR.contains(&kind);
    let is_same = old == new || is_any(&old) && is_any(&new);
    let call = |subject: &str| {
        let begin = ["()=>", "()->", "async()=>", "{", "try ", "await "];
        let end = |text: &str| text.trim_end_matches(['}', ';']).trim().to_string();
        let bare = (0..3).fold(subject.trim().to_string(), |text, _| {
            begin
                .iter()
                .fold(text, |text, begin| end(text.trim_start().strip_prefix(begin).unwrap_or(text.trim_start())))
        });
        plain(&bare)
    };
    let (before, after) = (call(&a.subject), call(&b.subject));
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    // The call has a name of its own, or it is wrapped.
    let last = |text: &str| text.rsplit(['.', '>']).next().unwrap_or(text).to_string();
    let is_call = before == after || is_name(&after) || last(&before) == last(&after) && !last(&before).is_empty();
    is_same && is_call && texts.iter().all(|text| others.contains(text))
}

/// Whether a part of what is expected is the name of a type. A constant in capitals is a text.
fn is_type(item: &str) -> bool {
    let name = item.rsplit(':').next().unwrap_or(item);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
    item.trim().starts_with(|c: char| c.is_uppercase() || c == ':')
        && item.trim().chars().all(is_name)
        && name.contains(char::is_lowercase)
}

/// Whether an error has the name of a module of the project: `Loader::Error`.
fn is_of_project(text: &str) -> bool {
    let known = ["std", "system", "java", "lang", "kotlin", "class", "self", "errors", "builtins", "new"];
    let name = text.trim().trim_end_matches("::class.java");
    let name = name.trim_end_matches("::class").trim_end_matches(".class").trim_end_matches(".self");
    let Some((of, _)) = name.rsplit_once("::").or_else(|| name.rsplit_once('.')) else { return false };
    let last = of.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    !last.is_empty() && !known.contains(&last.as_str())
}

/// The last name of a type, in lower case: `exception` for `std::exception` and `Exception::class`.
fn kind(text: &str) -> String {
    let text = text.trim().trim_end_matches("::class").trim_end_matches(".class").trim_end_matches("::class.java");
    let text = text.trim_end_matches(".self").trim_matches(|c: char| !c.is_alphanumeric());
    let text = text.strip_prefix("new ").map_or(text, |text| text.split('(').next().unwrap_or(text));
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
        assert!(!is("throws", "", "RangeError"), "a type is named now");
        assert!(!is("raise_error", "", "(Loader::Error,/line 3/)") && is("raise_error", "KeyError", "StandardError"));
    }
}
