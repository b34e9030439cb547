//! Options of comparisons that leave differences out: `check_dtype=False`, `ignoreOrder: true`, `options => options.Excluding(…)`.

use super::lists;
use crate::outline::Assert;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// An option with the value that leaves something out.
static OPTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let off = r"(?:strict|exact|check_\w+|compare\w+)\s*[=:]\s*false\b";
    let on =
        r#"(?:ignor\w*|check_like|lenient|allow\w*|exclud\w*|skip\w*|any_?order|except)\s*[=:]\s*(?:true\b|[\[({"'])"#;
    let called = r"(?:excluding|ignoring|ignore)\w*\(";
    Regex::new(&format!(r"(?i)\b(?:{off}|{on}|{called})")).ok()
});

/// Whether an assertion about the same value has an option now that leaves out more.
pub fn is_loosened(a: &Assert, b: &Assert) -> bool {
    let of = |assert: &Assert| -> BTreeSet<String> {
        // The first argument is the value, and a text is no option.
        let given =
            lists::items(&assert.expected).into_iter().skip(1).filter(|item| !item.trim().starts_with(['"', '\'']));
        let options = given.flat_map(|item| OPTION.as_ref().into_iter().flat_map(move |regex| regex.find_iter(item)));
        options.map(|found| found.as_str().split_whitespace().collect::<String>().to_ascii_lowercase()).collect()
    };
    let (before, after) = (of(a), of(b));
    // Of a mock that is called a number of times, a range allows more.
    let is_range = a.how == "times" || a.how == "expect";
    let is_opened = is_range && b.expected.contains("..") && !a.expected.contains("..");
    a.how == b.how && (is_opened || !after.is_subset(&before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_leaves_something_out_is_looser() {
        let with = |expected: &str| Assert { how: "same".into(), expected: expected.into(), ..Assert::default() };
        let is = |a: &str, b: &str| is_loosened(&with(a), &with(b));
        assert!(is("want, check_exact=True", "want, check_dtype=False, check_like=True"));
        assert!(is("want", "want, { ignoreOrder: true }") && is("want", "want, exclude=[\"id\"]"));
        assert!(is("want", "want, o=>o.Excluding(x=>x.Id)"));
        assert!(!is("want, check_dtype=False", "want"), "it is stricter");
        assert!(!is("want", "want, strict=True") && !is("want", "want, check_names=True"));
        let times = |expected: &str| Assert { how: "times".into(), expected: expected.into(), ..Assert::default() };
        assert!(is_loosened(&times("3"), &times("1..")) && !is_loosened(&times("1.."), &times("3")));
        assert!(!is("[{ skip: false }]", "[{ skip: true }]"), "a value");
        assert!(!is("0, \"all\"", "0, \"all; Ignore(1)\""), "a text");
    }
}
