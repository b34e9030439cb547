//! Steps of setup: a check that a call of the standard library had no error goes with that call, as `os.ReadFile` of a golden file.

use super::Judgement;
use super::extent;
use super::removed_words::line_at;
use super::weight::Lost;
use super::words::Texts;
use regex::Regex;
use review_gate::outline::compare::{Pair, Side};
use review_gate::outline::{Assert, Test};
use std::sync::LazyLock;

/// A call of Go's standard library that gives an error.
static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\berr\s*:?=\s*(?:os|io|ioutil|filepath|fs|embed|json|xml|yaml|toml|url|net|http|time|strconv|template|exec|user|zip|gzip|tar|base64|hex|pem|csv)\.(\w+)\(").ok()
});

/// How many lines above a check its call stands.
const ABOVE: usize = 6;

/// Drops the checks of calls that the test no longer makes.
pub fn drop_setup(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let (Some((old, new)), Some((then, _))) = (tests, texts.lines(pair.then.file)) else { return true };
        let lines = &then[..extent::of(then, line_at(old.line)).end.min(then.len())];
        losses.retain(|loss| !is_setup(&loss.before, lines, new));
        !losses.is_empty()
    });
}

/// Whether an assertion only says that a call of the standard library had no error, and the test of today does not call it.
fn is_setup(assert: &Assert, lines: &[String], new: &Test) -> bool {
    let is_none = assert.how == "==" && assert.expected == "nil" || assert.how.ends_with("NoError");
    if !is_none || assert.subject != "err" {
        return false;
    }
    let at = line_at(assert.line).min(lines.len().saturating_sub(1));
    let above = lines.get(at.saturating_sub(ABOVE)..=at).unwrap_or_default();
    let binds = above.iter().rev().find(|line| line.contains("err :=") || line.contains("err = "));
    let called = binds.and_then(|line| Some(CALL.as_ref()?.captures(line)?[1].to_string()));
    called.is_some_and(|name| !new.calls.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_of_setup_goes_with_its_call() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let assert =
            Assert { how: "==".into(), subject: "err".into(), expected: "nil".into(), line: 3, ..Assert::default() };
        let is = |line: &str, calls: &[&str]| {
            let new = Test { calls: calls.iter().map(|call| (*call).to_string()).collect(), ..Test::default() };
            is_setup(&assert, &lines(&format!("{line}\nif err != nil {{\n\tt.Fatal(err)\n}}")), &new)
        };
        assert!(is("want, err := os.ReadFile(golden)", &["Table"]));
        assert!(!is("want, err := os.ReadFile(golden)", &["ReadFile"]), "it is still called");
        assert!(!is("got, err := table.Render(rows)", &["Table"]), "the code under test");
    }
}
