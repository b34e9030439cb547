//! What a callback was given, and the test awaits now; and warnings that were recorded, and are errors now.

use super::Judgement;
use super::extent;
use super::removed_words::line_at;
use super::weight::Lost;
use super::words::Texts;
use regex::Regex;
use review_gate::outline::Assert;
use review_gate::outline::compare::{Pair, Side};
use std::sync::LazyLock;

/// The parameters of a callback that is given an error first: `(err, data) => {`, `function (error, data) {`.
static CALLBACK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:function\s*\w*\s*)?\(\s*(_?(?:e|err|error|ex)\w*(?:\s*:\s*[\w| ]+)?(?:\s*,\s*\w+(?:\s*:\s*[\w| ]+)?)*)\s*\)\s*(?:=>|\{)")
        .ok()
});

/// What waits for a promise.
static AWAITS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\bawait\b|\.(?:resolves|rejects|eventually)\b|\breturn\s+expect\(").ok());

/// What has an assertion in a branch for an error.
static CATCHES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\bcatch\b|\bdone\b").ok());

/// What keeps the warnings of a block, and the name that it has.
static RECORDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:\bwarns\(\s*(?:None)?\s*\)|catch_warnings\(.*record=True.*\))\s+as\s+(\w+)").ok());

/// What makes an error of each warning.
static STRICT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?:simplefilter|filterwarnings)\(\s*(?:action=)?["']error["']\s*\)"#).ok());

/// Drops that a callback was given no error, or nothing but an error, if the test awaits the call now, and that no warning was recorded, if
/// each one is an error now.
pub fn drop_given(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let lines = texts.lines(pair.then.file).zip(texts.lines(pair.now.file));
        let (Some((old, new)), Some(((then, _), (_, now)))) = (tests, lines) else { return true };
        let before = &then[extent::of(then, line_at(old.line))];
        let after = &now[extent::of(now, line_at(new.line))];
        let is_in = |regex: &Option<Regex>, lines: &[String]| {
            lines.iter().any(|line| regex.as_ref().is_some_and(|regex| regex.is_match(line)))
        };
        let awaits = is_in(&AWAITS, after) && !is_in(&AWAITS, before);
        let is_strict = is_in(&STRICT, after) && !is_in(&STRICT, before);
        let given = if awaits { names(&CALLBACK, before) } else { Vec::new() };
        let recorded = if is_strict { names(&RECORDS, before) } else { Vec::new() };
        losses.retain(|loss| {
            let a = &loss.before;
            let is_of_callback = given.contains(&a.subject) && is_nothing(a);
            // Without a branch in which an error is caught, no assertion can be left out.
            let is_count = a.how.starts_with("expect.") && is_in(&CATCHES, before) && !is_in(&CATCHES, after);
            let is_record = a.how == "warns" && matches!(a.expected.trim(), "" | "None");
            let is_about = recorded.iter().any(|name| a.subject.trim_start_matches("len(").starts_with(name.as_str()));
            !(is_of_callback || is_count || !recorded.is_empty() && (is_record || is_about))
        });
        !losses.is_empty()
    });
}

/// The names that an expression captures in these lines, parted by commas and without their types.
fn names(regex: &Option<Regex>, lines: &[String]) -> Vec<String> {
    let text = lines.join("\n");
    let all = regex.as_ref().into_iter().flat_map(|regex| regex.captures_iter(&text));
    let all = all.map(|found| found[1].to_string()).collect::<Vec<_>>();
    let names = all.iter().flat_map(|names| names.split(',')).map(|name| name.split(':').next().unwrap_or(name).trim());
    names.map(str::to_string).collect()
}

/// Whether an assertion says that there is nothing: `err toBeNull`, `data == undefined`, `err to.not.exist`, `err ifError`.
fn is_nothing(a: &Assert) -> bool {
    let how = a.how.to_ascii_lowercase().replace('_', "");
    let is_negated = how.contains("not") || how.contains("isnt");
    let says = |words: &[&str]| words.iter().any(|word| how.contains(word));
    let is_named = says(&["null", "undefined", "falsy", "nil", "false"]) && a.expected.is_empty();
    let is_value = matches!(a.expected.trim(), "null" | "undefined");
    match is_negated {
        true => says(&["exist", "ok", "defined", "truthy"]) && !says(&["undefined"]),
        false => is_named || is_value || how == "iferror",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn the_parameters_of_a_callback_are_told() {
        assert_eq!(names(&CALLBACK, &lines("read(f, (err, data) => {")), ["err", "data"]);
        assert_eq!(names(&CALLBACK, &lines("read(f, function (error: Error, data: any) {")), ["error", "data"]);
        assert!(names(&CALLBACK, &lines("xs.map((x, at) => at)\nif (error) {}")).iter().all(|name| name != "x"));
        assert_eq!(names(&RECORDS, &lines("with pytest.warns(None) as record:")), ["record"]);
        assert_eq!(names(&RECORDS, &lines("with warnings.catch_warnings(record=True) as w:")), ["w"]);
    }

    #[test]
    fn nothing_is_told_from_something() {
        let assert =
            |how: &str, expected: &str| Assert { how: how.into(), expected: expected.into(), ..Assert::default() };
        for (how, expected) in [
            ("toBeNull", ""),
            ("toBe", "null"),
            ("to.not.exist", ""),
            ("ifError", ""),
            ("toBeUndefined", ""),
            ("not.toBeDefined", ""),
        ] {
            assert!(is_nothing(&assert(how, expected)), "{how} {expected}");
        }
        for (how, expected) in [("not.toBeNull", ""), ("toBe", "1"), ("to.exist", ""), ("not.toBeUndefined", "")] {
            assert!(!is_nothing(&assert(how, expected)), "{how} {expected}");
        }
    }
}
