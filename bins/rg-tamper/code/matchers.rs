//! Matchers of the project: `expect.extend({ toBeJson(…) { … } })`. A test that uses a new one asserts what the matcher compares.

use super::Judgement;
use super::extent::{self, all_words};
use super::inlined::{bound, named};
use super::removed_words::line_at;
use super::weight::Lost;
use super::words::Texts;
use review_gate::outline::compare::{Pair, Side};
use review_gate::outline::{Assert, Test};
use std::collections::BTreeSet;

/// What makes a matcher of a function, in the line of its name or in one above it.
const EXTENDS: [&str; 5] =
    ["expect.extend", "addMethod(", "addMatchers", "RSpec::Matchers.define", "expect()->extend("];

/// Results of matchers that always hold.
const ALWAYS: [&str; 6] = ["pass: true", "pass:true", "=> ({ pass: true", "{ true }", "return true", "=> true"];

/// Drops the lost assertions about members of a value that a new matcher of the changed files compares.
pub fn drop_extended(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let Some((old, new)) = tests else { return true };
        let lines = texts.lines(pair.then.file).map(|(then, _)| &then[extent::of(then, line_at(old.line))]);
        // A value that had a name may stand in the assertion now.
        let names = lines.map(bound).unwrap_or_default();
        for assert in named(&new.asserts, &names).iter().filter(|assert| !uses(old, name_of(assert))) {
            let bodies = texts.files().filter_map(|(_, now)| definition(now, name_of(assert)));
            let held: BTreeSet<&str> = bodies.flatten().flat_map(|line| all_words(line)).collect();
            losses.retain(|loss| held.is_empty() || !compares(&loss.before, assert, &held));
        }
        !losses.is_empty()
    });
}

fn name_of(assert: &Assert) -> &str {
    assert.how.rsplit('.').next().unwrap_or_default()
}

fn uses(test: &Test, name: &str) -> bool {
    test.asserts.iter().any(|assert| name_of(assert) == name)
}

/// The lines of a matcher that can fail.
fn definition<'a>(lines: &'a [String], name: &str) -> Option<&'a [String]> {
    let names = |line: &String| all_words(line).any(|word| word == name) && line.contains(['(', ':', '=']);
    let extends = |line: &String| EXTENDS.iter().any(|word| line.contains(word));
    let begin = lines.iter().position(extends)?;
    let at = (begin..lines.len()).find(|at| names(&lines[*at]))?;
    // Its parameters are no comparison.
    let body = lines[extent::of(lines, at)].get(1..)?;
    let is_constant = body.iter().any(|line| ALWAYS.iter().any(|always| line.contains(always)));
    (!is_constant && !body.is_empty()).then_some(body)
}

/// Whether a matcher about a value names the member of it that an assertion was about.
fn compares(old: &Assert, new: &Assert, held: &BTreeSet<&str>) -> bool {
    let bare = |text: &str| text.trim().trim_start_matches("await ").trim_start_matches('(').to_string();
    let rest = bare(&old.subject).strip_prefix(&bare(&new.subject)).map(str::to_string);
    let rest = rest.filter(|rest| !new.subject.is_empty() && rest.starts_with(['.', '[', '-', '?']));
    rest.is_some_and(|rest| {
        all_words(&rest).filter(|word| word.len() > 2).last().is_some_and(|word| held.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn a_matcher_compares_the_members_that_it_names() {
        let text = |pass: &str| {
            lines(&format!(
                "expect.extend({{\n  toBeJson(res, status) {{\n    const is = res.status === status;\n    return {{ pass: {pass} }};\n  }},\n}});"
            ))
        };
        let (real, always) = (text("is"), text("true"));
        let body = definition(&real, "toBeJson").unwrap();
        assert_eq!(definition(&always, "toBeJson"), None, "it always holds");
        assert_eq!(definition(&real, "toBeXml"), None);
        let held: BTreeSet<&str> = body.iter().flat_map(|line| all_words(line)).collect();
        let assert =
            |how: &str, subject: &str| Assert { how: how.into(), subject: subject.into(), ..Assert::default() };
        let new = assert("toBeJson", "res");
        assert!(compares(&assert("toBe", "res.status"), &new, &held));
        assert!(!compares(&assert("toBe", "res.headers.type"), &new, &held), "it does not name that");
        assert!(!compares(&assert("toBe", "other.status"), &new, &held), "another value");
    }
}
