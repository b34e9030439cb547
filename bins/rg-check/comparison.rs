//! Compares the tests that ran with those of the base: the run on the files with which the task began.

use crate::test_sources::Sources;
use review_gate::donefile::{CheckSpec, Donefile};
use review_gate::event::{Check, CheckEnd, Finding, Level, Rule, Stage};
use review_gate::evidence::{Ending, TestList, TestRun, leaf};
use review_gate::store::state::State;
use review_gate::sys::text::{count, cut_end, one_line};
use std::collections::{HashMap, HashSet};

/// The most tests that a finding names.
const SHOWN: usize = 8;

/// From so many tests on, a run without any of them is of other tests.
const ENOUGH: usize = 5;

/// So many tests of a run without a base are looked for in the sources.
const ASKED: usize = 200;

/// The first words of commands that are test runners, so that their output always has a closing line.
const RUNNERS: [&str; 18] = [
    "cargo test",
    "cargo nextest",
    "pytest",
    "python -m pytest",
    "python3 -m pytest",
    "python -m unittest",
    "python3 -m unittest",
    "go test",
    "npx jest",
    "jest",
    "npx vitest",
    "vitest",
    "npx mocha",
    "mocha",
    "node --test",
    "rspec",
    "bundle exec rspec",
    "phpunit",
];

/// Options with which each run has tests of its own.
const SELECTING: [&str; 9] = [
    "--onlyChanged",
    "--changed",
    "--changedSince",
    "--findRelatedTests",
    "--lf",
    "--last-failed",
    "--testmon",
    "--shard",
    "affected",
];

/// What the findings are judged by.
pub struct Context<'a> {
    /// The definition of done.
    pub done: &'a Donefile,
    /// What ran on the files with which the task began.
    pub base: &'a [Check],
    /// The state directory.
    pub state: &'a State,
    /// The files.
    pub sources: Sources<'a>,
}

impl Context<'_> {
    /// The findings about the reports of all checks that passed.
    pub fn findings(&self, checks: &[Check]) -> Vec<Finding> {
        let passed = checks.iter().filter(|check| check.ended == CheckEnd::Passed);
        let spec = |check: &Check| self.done.checks.iter().find(|spec| spec.name == check.name);
        passed
            .filter_map(|check| Some((check, spec(check)?)))
            .flat_map(|(check, spec)| self.of_check(check, spec))
            .collect()
    }

    fn of_check(&self, check: &Check, spec: &CheckSpec) -> Vec<Finding> {
        let base = self.base.iter().find(|base| base.name == check.name && base.run == check.run);
        let base =
            base.and_then(|base| base.tests.as_ref()).filter(|_| !SELECTING.iter().any(|word| spec.run.contains(word)));
        let name = cut_end(&one_line(&check.name), 80);
        let find = |rule: Rule, level, text: String| {
            Finding::new(Stage::Check, rule, level, None, &check.name, format!("check \"{name}\" {text}"))
        };
        let is_runner = RUNNERS
            .iter()
            .any(|runner| spec.run.strip_prefix(runner).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')));
        let needs = spec.needs_evidence();
        let before =
            base.map_or(String::new(), |base| format!(". On the files of the base, {} ran", tests(base.executed)));
        // The level of a report that is missing.
        let missing = match base {
            Some(_) if needs || is_runner => Some(Level::Tampered),
            Some(_) => Some(Level::Warning),
            None if needs => Some(Level::Inconclusive),
            None => None,
        };
        let no_report = |why: String| missing.map(|level| find(Rule::NoTestReport, level, why)).into_iter().collect();
        if let Some(why) = &check.report_error {
            return no_report(format!("passed, but its report cannot be used: {why}{before}"));
        }
        let Some(now) = &check.tests else {
            let remedy = "If its runner is not known, set `report` of the check in DONE.md to the file that it writes";
            return no_report(format!("passed, but its output has no closing line of a test runner{before}. {remedy}"));
        };
        if now.incomplete {
            return no_report(format!("passed, but {} ended before its closing line{before}", now.runners.join(", ")));
        }
        let mut findings = Vec::new();
        if now.failed > 0 {
            let level = if needs { Level::Error } else { Level::Warning };
            let text = format!("exits 0, but {} of its {} failed", now.failed, tests(now.executed));
            findings.push(find(Rule::FailuresHidden, level, text));
        }
        if now.executed == 0 {
            let level = match base {
                Some(_) => Some(Level::Tampered),
                None => needs.then_some(Level::Inconclusive),
            };
            let skipped = if now.skipped > 0 { format!(" ({} skipped)", now.skipped) } else { String::new() };
            let text = format!("passed without executing a test{skipped}{before}");
            findings.extend(level.map(|level| find(Rule::NoTestsRan, level, text)));
        } else if let Some(base) = base.filter(|base| base.runners == now.runners && !base.incomplete) {
            findings.extend(self.compare(base, now).into_iter().map(|(rule, level, text)| find(rule, level, text)));
        } else if base.is_none()
            && needs
            && let Some(list) = self.list(now)
        {
            let ran: Vec<&str> = list.executed().take(ASKED).collect();
            if ran.len() >= ENOUGH && self.sources.know_none(&ran) {
                let text = format!("reports tests that no file of tests names, such as {}", names(&ran[..1]));
                findings.push(find(Rule::NoTestReport, Level::Inconclusive, text));
            }
        }
        findings
    }

    /// Fewer tests executed, or more skipped.
    fn compare(&self, base: &TestRun, now: &TestRun) -> Vec<(Rule, Level, String)> {
        let (Some(then), Some(list)) = (self.list(base), self.list(now)) else {
            let mut found = compare_counts(base, now);
            if base.list.is_some() && now.list.is_none() {
                let text = "names none of its tests, and named all of them on the files of the base".to_string();
                found.push((Rule::NoTestReport, Level::Warning, text));
            }
            return found;
        };
        let (gone, is_any_known) = missing(&then, &list);
        let ran_before = then.executed().count();
        if ran_before >= ENOUGH && !is_any_known {
            let text = format!(
                "reports other tests: none of the {ran_before} that ran on the files of the base is among them"
            );
            return vec![(Rule::NoTestReport, Level::Tampered, text)];
        }
        let skipped: HashSet<&str> = list.named(Ending::Skipped).collect();
        let (skipped, gone): (Vec<&str>, Vec<&str>) = gone.into_iter().partition(|name| skipped.contains(name));
        let mut found = Vec::new();
        if now.executed < base.executed && !gone.is_empty() {
            let leaves: HashSet<&str> = list.executed().map(leaf).collect();
            let unmatched: Vec<&str> = gone.iter().copied().filter(|name| !leaves.contains(leaf(name))).collect();
            let still = self.sources.defining(&unmatched);
            found.push(match still.is_empty() {
                false => {
                    let text = format!(
                        "did not run {} of the base, which the files still have: {}",
                        tests(still.len() as u64),
                        names(&still)
                    );
                    (Rule::TestsNotRun, Level::Tampered, text)
                }
                true => {
                    let text = format!(
                        "did not run {} of the base, which were removed or renamed: {}",
                        tests(gone.len() as u64),
                        names(&gone)
                    );
                    (Rule::TestsNotRun, Level::Warning, text)
                }
            });
        }
        if !skipped.is_empty() {
            let text = format!(
                "skipped {} that ran on the files of the base: {}",
                tests(skipped.len() as u64),
                names(&skipped)
            );
            found.push((Rule::TestsNotRun, Level::Warning, text));
        }
        found
    }

    fn list(&self, run: &TestRun) -> Option<TestList> {
        let bytes = self.state.read_blob(run.list.as_ref()?).ok()?;
        Some(TestList::parse(&bytes))
    }
}

/// The comparison of runs whose tests are not named.
fn compare_counts(base: &TestRun, now: &TestRun) -> Vec<(Rule, Level, String)> {
    let mut found = Vec::new();
    if now.executed < base.executed {
        let text = format!("executed {}, and {} on the files of the base", tests(now.executed), base.executed);
        found.push((Rule::TestsNotRun, Level::Warning, text));
    } else if now.skipped > base.skipped {
        let text = format!("skipped {}, and {} on the files of the base", tests(now.skipped), base.skipped);
        found.push((Rule::TestsNotRun, Level::Warning, text));
    }
    found
}

/// The tests that ran then and not now, and whether any test ran both times. A test that moved to another file or class is the same.
fn missing<'a>(then: &'a TestList, now: &TestList) -> (Vec<&'a str>, bool) {
    let known: HashSet<&str> = now.executed().chain(now.named(Ending::Skipped)).collect();
    let mut ran: HashMap<&str, usize> = HashMap::new();
    now.executed().for_each(|name| *ran.entry(name).or_default() += 1);
    let mut take = |name: &str| match ran.get_mut(name) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    };
    let gone: Vec<&str> = then.executed().filter(|name| !take(name)).collect();
    let mut moved: HashMap<&str, usize> = HashMap::new();
    for (name, left) in &ran {
        *moved.entry(leaf(name)).or_default() += left;
    }
    let mut is_any_known = then.executed().any(|name| known.contains(name));
    let gone = gone.into_iter().filter(|name| match moved.get_mut(leaf(name)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            is_any_known = true;
            false
        }
        _ => true,
    });
    let gone = gone.collect();
    (gone, is_any_known)
}

fn tests(n: u64) -> String {
    count(usize::try_from(n).unwrap_or(usize::MAX), "test")
}

fn names(all: &[&str]) -> String {
    let shown: Vec<String> = all.iter().take(SHOWN).map(|name| cut_end(&one_line(name), 100)).collect();
    let more = if all.len() > SHOWN { format!(" and {} more", all.len() - SHOWN) } else { String::new() };
    shown.join(", ") + &more
}
