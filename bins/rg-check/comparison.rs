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

/// A finding about one check, without its name.
struct Found {
    rule: Rule,
    level: Level,
    text: String,
    /// What was found, in full: a waiver of it covers nothing else.
    what: String,
}

impl Found {
    fn new(rule: Rule, level: Level, text: String) -> Found {
        Found { rule, level, what: text.clone(), text }
    }

    /// One that names tests, which its text may not name all.
    fn about(mut self, names: &[&str]) -> Found {
        let mut names = names.to_vec();
        names.sort_unstable();
        self.what = names.join("\n");
        self
    }
}

impl Context<'_> {
    /// The findings about the reports of all checks that passed. Of one whose failure is in quarantine, its tests are compared, too: the
    /// permitted failure must not hide tests that did not run.
    pub fn findings(&self, checks: &[Check]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for check in checks.iter().filter(|check| check.is_green()) {
            let Some(spec) = self.done.checks.iter().find(|spec| spec.name == check.name) else { continue };
            let name = cut_end(&one_line(&check.name), 80);
            let is_whole = check.ended == CheckEnd::Passed;
            let found = if is_whole { self.of_check(check, spec, checks) } else { self.of_quarantined(check, checks) };
            findings.extend(found.into_iter().map(|Found { rule, level, text, what }| {
                let text = format!("check \"{name}\" {text}");
                Finding::new(Stage::Check, rule, level, None, &format!("{}\n{what}", check.name), text)
            }));
        }
        findings
    }

    /// What ran on the files of the base, if that can be compared.
    fn base_of(&self, check: &Check) -> Option<&TestRun> {
        let base = self.base.iter().find(|base| base.name == check.name && base.run == check.run)?;
        base.tests.as_ref().filter(|_| !SELECTING.iter().any(|word| check.run.contains(word)))
    }

    fn of_quarantined(&self, check: &Check, checks: &[Check]) -> Vec<Found> {
        // A check that may fail as a whole owes no tests.
        let (Some(base), Some(now)) = (self.base_of(check), check.tests.as_ref().filter(|run| run.failed > 0)) else {
            return Vec::new();
        };
        let found = self.compare((base, now), || self.elsewhere(check, checks), false);
        let lost = found.into_iter().filter(|found| found.level == Level::Tampered);
        let hint = ". A failure in quarantine must not end the run: let the runner go on after a failed test";
        lost.map(|found| Found { level: Level::Inconclusive, text: found.text + hint, ..found }).collect()
    }

    fn of_check(&self, check: &Check, spec: &CheckSpec, checks: &[Check]) -> Vec<Found> {
        let base = self.base_of(check);
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
        let no_report =
            |why: String| missing.map(|level| Found::new(Rule::NoTestReport, level, why)).into_iter().collect();
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
        let mut found = Vec::new();
        if now.failed > 0 {
            let level = if needs { Level::Error } else { Level::Warning };
            let text = format!("exits 0, but {} of its {} failed", now.failed, tests(now.executed));
            found.push(Found::new(Rule::FailuresHidden, level, text));
        }
        if now.executed == 0 {
            let level = match base {
                Some(_) => Some(Level::Tampered),
                None => needs.then_some(Level::Inconclusive),
            };
            let skipped = if now.skipped > 0 { format!(" ({} skipped)", now.skipped) } else { String::new() };
            let text = format!("passed without executing a test{skipped}{before}");
            found.extend(level.map(|level| Found::new(Rule::NoTestsRan, level, text)));
        } else if let Some(base) = base.filter(|base| !base.incomplete) {
            found.extend(self.compare((base, now), || self.elsewhere(check, checks), is_runner));
        } else if base.is_none()
            && needs
            && let Some(list) = self.list(now)
            && let Some(unknown) = self.unknown(&list)
        {
            let text = format!("reports tests that no file of tests names, such as {unknown}");
            found.push(Found::new(Rule::NoTestReport, Level::Inconclusive, text));
        }
        found
    }

    /// The tests that run in other checks now and did not before: a test may move to another package.
    fn elsewhere(&self, check: &Check, checks: &[Check]) -> HashSet<String> {
        let others = checks.iter().filter(|other| other.name != check.name);
        let lists = others.filter_map(|other| Some((self.base_of(other)?, self.list(other.tests.as_ref()?)?)));
        lists
            .flat_map(|(base, now)| {
                let then = self.list(base).unwrap_or_default();
                let then: HashSet<&str> = then.executed().map(leaf).collect();
                now.executed().map(leaf).filter(|name| !then.contains(name)).map(str::to_string).collect::<Vec<_>>()
            })
            .collect()
    }

    /// A test of a list of which no file of tests has any name.
    fn unknown(&self, list: &TestList) -> Option<String> {
        let ran: Vec<&str> = list.executed().take(ASKED).collect();
        (ran.len() >= ENOUGH && self.sources.know_none(&ran)).then(|| names(&ran[..1]))
    }

    /// Tests that the files still have and that did not run, fewer tests executed, or more skipped. `elsewhere` is asked only if one is gone.
    fn compare(
        &self,
        (base, now): (&TestRun, &TestRun),
        elsewhere: impl Fn() -> HashSet<String>,
        is_runner: bool,
    ) -> Vec<Found> {
        let (then, list) = match (self.list(base), self.list(now)) {
            (Some(then), Some(list)) => (then, list),
            (then, None) => return self.compare_counts(then, base, now, is_runner),
            (None, Some(_)) => return self.compare_counts(None, base, now, is_runner),
        };
        let (gone, is_any_known) = missing(&then, &list);
        let ran_before = then.executed().count();
        if ran_before >= ENOUGH && !is_any_known {
            // Another runner may write names in another way.
            if !lost_runners(base, now).is_empty() && self.unknown(&list).is_none() {
                return self.compare_counts(None, base, now, is_runner);
            }
            let text = format!(
                "reports other tests: none of the {ran_before} that ran on the files of the base is among them"
            );
            return vec![Found::new(Rule::NoTestReport, Level::Tampered, text)];
        }
        let skipped: HashSet<&str> = list.named(Ending::Skipped).collect();
        let (skipped, gone): (Vec<&str>, Vec<&str>) = gone.into_iter().partition(|name| skipped.contains(name));
        let mut found = Vec::new();
        let leaves: HashSet<&str> = list.executed().map(leaf).collect();
        let elsewhere = if gone.is_empty() { HashSet::new() } else { elsewhere() };
        let gone: Vec<&str> = gone.into_iter().filter(|name| !elsewhere.contains(leaf(name))).collect();
        // A test of which other cases ran is there.
        let unmatched: Vec<&str> = gone.iter().copied().filter(|name| !leaves.contains(leaf(name))).collect();
        let still = self.sources.defining(&unmatched);
        if !still.is_empty() {
            let many = tests(still.len() as u64);
            let text = format!("did not run {many} of the base, which the files still have: {}", names(&still));
            found.push(Found::new(Rule::TestsNotRun, Level::Tampered, text).about(&still));
        } else if now.executed < base.executed && !gone.is_empty() {
            let many = tests(gone.len() as u64);
            let text = format!("did not run {many} of the base, which were removed or renamed: {}", names(&gone));
            found.push(Found::new(Rule::TestsNotRun, Level::Warning, text).about(&gone));
        }
        if !skipped.is_empty() {
            let many = tests(skipped.len() as u64);
            let text = format!("skipped {many} that ran on the files of the base: {}", names(&skipped));
            found.push(Found::new(Rule::TestsNotRun, Level::Warning, text).about(&skipped));
        }
        found
    }

    /// The comparison of runs of which one does not name its tests. `then` are the names of the base, if they are known.
    fn compare_counts(&self, then: Option<TestList>, base: &TestRun, now: &TestRun, is_runner: bool) -> Vec<Found> {
        let mut found = Vec::new();
        let lost = lost_runners(base, now);
        if now.executed < base.executed {
            let known: HashSet<&str> = then.iter().flat_map(TestList::executed).map(leaf).collect();
            let still = self.sources.defining(&known.into_iter().collect::<Vec<_>>()).len() as u64;
            let counts = format!("executed {}, and {} on the files of the base", tests(now.executed), base.executed);
            found.push(match () {
                () if now.executed < still => {
                    // A script may have stopped to ask for names, and go then counts packages.
                    let level = if is_runner || !lost.is_empty() { Level::Tampered } else { Level::Inconclusive };
                    let text = format!("{counts}. It names none of them, and the files still have {still} of the base");
                    Found::new(Rule::TestsNotRun, level, text)
                }
                () if !lost.is_empty() => {
                    let text = format!("{counts}. {} reports nothing any more", lost.join(", "));
                    Found::new(Rule::NoTestReport, Level::Tampered, text)
                }
                () => Found::new(Rule::TestsNotRun, Level::Warning, counts),
            });
        } else if now.skipped > base.skipped {
            let text = format!("skipped {}, and {} on the files of the base", tests(now.skipped), base.skipped);
            found.push(Found::new(Rule::TestsNotRun, Level::Warning, text));
        }
        if then.is_some() && now.list.is_none() {
            let text = "names none of its tests, and named all of them on the files of the base".to_string();
            found.push(Found::new(Rule::NoTestReport, Level::Warning, text));
        }
        found
    }

    fn list(&self, run: &TestRun) -> Option<TestList> {
        let bytes = self.state.read_blob(run.list.as_ref()?).ok()?;
        Some(TestList::parse(&bytes))
    }
}

/// The runners of the base that report nothing now.
fn lost_runners<'a>(base: &'a TestRun, now: &TestRun) -> Vec<&'a str> {
    // go is one runner, whatever it prints: `go`, `go packages`, `go json`.
    let family = |name: &'a str| name.split(' ').next().unwrap_or(name);
    let left: HashSet<&str> = now.runners.iter().filter_map(|name| name.split(' ').next()).collect();
    base.runners.iter().map(|name| family(name)).filter(|runner| !left.contains(runner)).collect()
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
