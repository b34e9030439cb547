//! The three experiments: old tests on new code, new tests on old code, and each change undone.

use crate::change::Changed;
use crate::parts::{self, Part};
use crate::plan::Plan;
use crate::report::{Gap, Report};
use crate::runs::{Mixture, NoResult, Outcome, Ran, Runs};
use review_gate::event::Rule;
use review_gate::evidence::{is_named, leaf, without_parameters};
use review_gate::sys::error::Result;
use review_gate::sys::text::count;
use std::collections::{BTreeMap, BTreeSet};

/// How many tests of a finding are named.
const NAMED: usize = 10;

const OLD_TESTS: &str = "old tests, new code";
const NEW_TESTS: &str = "new tests, old code";

/// How many tests a check executed before, if it is known.
pub type Executed = Vec<(String, u64)>;

/// Runs the experiments that the change permits. `executed`: what the checks reported in the user's own directory.
pub fn run(plan: &Plan, runs: &Runs<'_>, most: usize, executed: &Executed) -> Result<Report> {
    let mut report = Report { not_comparable: plan.left_out.clone(), ..Report::default() };
    let Some(control) = control(plan, runs, executed, &mut report)? else { return Ok(report) };
    report.checks = control.iter().map(|ran| ran.name.clone()).collect();
    let parts = match plan.spec.level(Rule::ChangeNotTested) {
        Some(_) => parts::parts(plan.sources(), most),
        None => Vec::new(),
    };
    let lab = Lab { plan, runs, control };
    let (old, new) = (lab.old_tests(), lab.new_tests());
    let mut mixtures: Vec<Mixture> = Vec::new();
    let mut place = |mixture: Option<Mixture>| mixture.map(|mixture| (mixtures.len(), mixtures.push(mixture)).0);
    let (old, new) = (place(old), place(new));
    let first = mixtures.len();
    mixtures.extend(parts.iter().take(most).map(|part| Mixture {
        what: format!("without {}", part.place()),
        files: vec![(part.path.clone(), part.undone.clone())],
    }));
    let outcomes = runs.run(&mixtures, &lab.names())?;
    let old = old.map(|at| &outcomes[at]);
    if let Some(outcome) = old {
        lab.judge_old_tests(outcome, &mixtures[0], &mut report)?;
    }
    if let Some(at) = new {
        lab.judge_new_tests(&outcomes[at], old.and_then(|old| old.as_ref().ok()), &mut report);
    }
    lab.judge_parts(&parts, &outcomes[first..], &mut report);
    Ok(report)
}

/// The checks that are green in a copy of the files as they are. Only those can show what a mixture breaks.
fn control(plan: &Plan, runs: &Runs<'_>, executed: &Executed, report: &mut Report) -> Result<Option<Vec<Ran>>> {
    let names: Vec<&str> = plan.checks.iter().map(|check| check.name.as_str()).collect();
    if names.is_empty() {
        report.not_comparable.push("DONE.md has no check that may run tests".to_string());
        return Ok(None);
    }
    let what = "a copy of the files as they are";
    let mixture = Mixture { what: what.to_string(), files: Vec::new() };
    let control = match runs.run(&[mixture], &names)?.pop() {
        Some(Ok(control)) => control,
        Some(Err(why)) => {
            report.without_result(what, &why);
            return Ok(None);
        }
        None => return Ok(None),
    };
    let has_tests = |ran: &Ran| ran.executed.is_some_and(|tests| tests > 0);
    let report_tests = control.iter().any(has_tests);
    let mut green = Vec::new();
    for ran in control {
        let before = executed.iter().find(|(name, _)| *name == ran.name).map(|(_, tests)| *tests);
        if !ran.is_green {
            let why = ran.reason();
            report.not_comparable.push(format!("check \"{}\" is red in a copy of the files{why}", ran.name));
        } else if let (Some(before), Some(now)) = (before, ran.executed)
            && before != now
        {
            report.not_comparable.push(format!(
                "check \"{}\" runs {} in a copy of the files, and {before} in their own directory",
                ran.name,
                count(now as usize, "test")
            ));
        } else if !report_tests || has_tests(&ran) {
            green.push(ran);
        }
    }
    Ok((!green.is_empty()).then_some(green))
}

struct Lab<'a, 'p> {
    plan: &'a Plan,
    runs: &'a Runs<'p>,
    control: Vec<Ran>,
}

impl Lab<'_, '_> {
    fn names(&self) -> Vec<&str> {
        self.control.iter().map(|ran| ran.name.as_str()).collect()
    }

    fn control_of(&self, ran: &Ran) -> Option<&Ran> {
        self.control.iter().find(|control| control.name == ran.name)
    }

    fn has_run_tests(&self, ran: &Ran) -> bool {
        ran.has_run_tests(self.control_of(ran))
    }

    /// The base's tests on the new code. Without old tests nothing can have been changed to fit.
    fn old_tests(&self) -> Option<Mixture> {
        self.plan.spec.level(Rule::OldTestsFail)?;
        self.plan.tests().any(Changed::had_tests).then(|| Mixture {
            what: OLD_TESTS.to_string(),
            files: self.plan.tests().map(|test| (test.path.clone(), test.with_old_tests())).collect(),
        })
    }

    /// The new tests on the base's code.
    fn new_tests(&self) -> Option<Mixture> {
        self.plan.spec.level(Rule::TestsProveNothing)?;
        let is_there = |test: &Changed| test.new.is_some();
        let has_both = self.plan.tests().any(is_there) && self.plan.sources().next().is_some();
        has_both.then(|| Mixture {
            what: NEW_TESTS.to_string(),
            files: self.plan.sources().map(|source| (source.path.clone(), source.with_old_code())).collect(),
        })
    }

    /// Red where the new tests are green means that the tests were changed to fit the code.
    fn judge_old_tests(&self, outcome: &Outcome, mixture: &Mixture, report: &mut Report) -> Result<()> {
        let ran = match outcome {
            Ok(ran) => ran,
            Err(why) => {
                report.without_result(OLD_TESTS, why);
                return Ok(());
            }
        };
        if ran.iter().all(|ran| ran.is_green) {
            report.proved.push("the tests of the base pass on the new code".to_string());
            return Ok(());
        }
        for one in ran.iter().filter(|ran| !ran.is_green) {
            let failed: Vec<&str> = one.failed_tests().collect();
            // The name of a case may hold what it expects, so a case that was changed to fit has another name.
            let passed = self.control.iter().flat_map(|ran| &ran.passed);
            let kept: BTreeSet<&str> = passed.map(|name| without_parameters(name)).collect();
            let is_kept = |name: &&&str| kept.contains(without_parameters(name));
            let (bent, removed): (Vec<&str>, Vec<&str>) = failed.iter().partition(is_kept);
            if !self.has_run_tests(one) {
                let why = one.reason();
                report.not_comparable.push(format!("{OLD_TESTS}: the tests of check \"{}\" do not run{why}", one.name));
                continue;
            }
            // The control names each test that passed, or none.
            if !failed.is_empty() && bent.is_empty() && !kept.is_empty() {
                let names = removed.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
                let tests = count(removed.len(), "failing test");
                report.not_comparable.push(format!("{OLD_TESTS}: the change removes or renames {tests}: {names}"));
                continue;
            }
            if self.is_unstable(mixture, &one.name)? {
                let text = format!("{OLD_TESTS}: check \"{}\" fails and passes on the same files", one.name);
                report.not_comparable.push(text);
                continue;
            }
            let named = if bent.is_empty() { &failed } else { &bent };
            let tests: BTreeSet<&str> = named.iter().map(|name| without_parameters(name)).collect();
            let text = match tests.len() {
                0 => format!("check \"{}\" fails with the tests of the base", one.name),
                1 => format!("1 test of the base fails on the new code (check \"{}\")", one.name),
                n => format!("{n} tests of the base fail on the new code (check \"{}\")", one.name),
            };
            let is_name = |line: &&String| {
                let line = line.trim().trim_end_matches(':');
                named.iter().any(|name| line == *name || line == leaf(name))
            };
            let excerpt = one.excerpt.iter().filter(|line| !is_name(line)).cloned();
            let details = named.iter().take(NAMED).map(|name| name.to_string()).chain(excerpt).collect();
            let what = [one.name.as_str(), &named.join("\0")].join("\0");
            report.find(self.plan, Rule::OldTestsFail, &what, text, details);
        }
        Ok(())
    }

    /// Whether a check that was red passes if it runs again.
    fn is_unstable(&self, mixture: &Mixture, name: &str) -> Result<bool> {
        let again = Mixture { what: format!("{}, again", mixture.what), files: mixture.files.clone() };
        let outcome = self.runs.run(&[again], &self.names())?.pop();
        Ok(outcome.and_then(Outcome::ok).is_some_and(|ran| ran.iter().any(|ran| ran.name == name && ran.is_green)))
    }

    /// A new test that passes on the base's code proves nothing about the change.
    fn judge_new_tests(&self, outcome: &Outcome, old: Option<&Vec<Ran>>, report: &mut Report) {
        let ran = match outcome {
            Ok(ran) => ran,
            Err(why) => return report.without_result(NEW_TESTS, why),
        };
        let new = self.new_names(old);
        // Some runners name their tests only if none fails.
        if new.is_empty() || ran.iter().any(Ran::is_unnamed) {
            return self.judge_unnamed(ran, report);
        }
        let passed: BTreeSet<&str> = ran.iter().flat_map(|ran| &ran.passed).map(String::as_str).collect();
        // A test with parameters is one test. It needs the change if one of its cases does.
        let mut tests: BTreeMap<&str, bool> = BTreeMap::new();
        for name in new {
            *tests.entry(without_parameters(name)).or_default() |= !passed.contains(name);
        }
        let all = count(tests.len(), "new or changed test");
        let needing = tests.values().filter(|needs| **needs).count();
        if needing > 0 {
            let verb = if needing == 1 { "needs" } else { "need" };
            report.proved.push(format!("{needing} of {all} {verb} the change of the code"));
        }
        let idle = tests.into_iter().filter(|(name, needs)| !needs && !is_characterisation(name));
        let idle: Vec<String> = idle.map(|(name, _)| name.to_string()).collect();
        if !idle.is_empty() {
            let verb = if idle.len() == 1 { "passes" } else { "pass" };
            let text = format!("{} of {all} {verb} without the change of the code", idle.len());
            let what = idle.join("\0");
            let details = idle.into_iter().take(NAMED).collect();
            report.find(self.plan, Rule::TestsProveNothing, &what, text, details);
        }
    }

    /// The names of the tests that passed and are new, or assert more now.
    fn new_names(&self, old: Option<&Vec<Ran>>) -> BTreeSet<&str> {
        let passed = || self.control.iter().flat_map(|ran| &ran.passed).map(String::as_str);
        let files: Vec<_> = self.plan.tests().filter(|file| file.new.is_some() && file.is_code()).collect();
        let changed: Option<Vec<&BTreeSet<String>>> = files.iter().map(|file| file.changed_tests.as_ref()).collect();
        if let Some(changed) = changed.filter(|changed| !changed.is_empty()) {
            let is_changed = |name: &&str| changed.iter().copied().flatten().any(|title| is_named(name, title));
            return passed().filter(is_changed).collect();
        }
        // Without outlines: the tests that did not run with the tests of the base.
        let known: BTreeSet<&str> = old
            .into_iter()
            .flatten()
            .flat_map(|ran| ran.passed.iter().chain(&ran.failed))
            .map(String::as_str)
            .collect();
        if known.is_empty() { BTreeSet::new() } else { passed().filter(|name| !known.contains(name)).collect() }
    }

    /// Without the names of tests, only all of them can be judged.
    fn judge_unnamed(&self, ran: &[Ran], report: &mut Report) {
        let has_new_tests = self
            .plan
            .tests()
            .any(|test| test.is_code() && test.changed_tests.as_ref().is_none_or(|names| !names.is_empty()));
        if !has_new_tests {
            return;
        }
        if ran.iter().any(|ran| !ran.is_green) {
            report.proved.push("the tests fail without the change of the code".to_string());
            return;
        }
        let tests: Vec<String> =
            self.plan.tests().filter(|test| test.new.is_some()).map(|test| test.shown.clone()).collect();
        let text = "the changed tests pass without the change of the code".to_string();
        let what = tests.join("\0");
        report.find(self.plan, Rule::TestsProveNothing, &what, text, tests.into_iter().take(NAMED).collect());
    }

    /// Each part of the change undone. Some check must turn red.
    fn judge_parts(&self, parts: &[Part], outcomes: &[Outcome], report: &mut Report) {
        let (mut noticed, mut tried, mut late) = (0, 0, 0);
        for (part, outcome) in parts.iter().zip(outcomes) {
            match outcome {
                Ok(ran) => {
                    tried += 1;
                    noticed += usize::from(self.is_noticed(part, ran, report));
                }
                Err(NoResult::Time) => late += 1,
                Err(why) => report.without_result(&format!("without {}", part.place()), why),
            }
        }
        if late > 0 {
            report.without_result(&count(late, "undone change"), &NoResult::Time);
        }
        if noticed > 0 {
            report.proved.push(format!("tests notice {noticed} of {}", count(tried, "undone change")));
        }
        if parts.len() > outcomes.len() {
            let left = parts.len() - outcomes.len();
            report.left_out.push(format!("{}: --changes tries more", count(left, "smaller change")));
        }
    }

    fn is_noticed(&self, part: &Part, ran: &[Ran], report: &mut Report) -> bool {
        let red: Vec<&Ran> = ran.iter().filter(|ran| !ran.is_green).collect();
        if red.is_empty() {
            if let Some(level) = self.plan.spec.level(Rule::ChangeNotTested) {
                let what = match (part.lines.is_empty(), &part.undone) {
                    (false, _) => "the lines",
                    (true, Some(_)) => "the removal at",
                    (true, None) => "the new, empty file",
                };
                report.findings.push(Gap {
                    rule: Rule::ChangeNotTested.into(),
                    level,
                    text: format!("no test notices {what} {}", part.place()),
                    path: Some(part.shown.clone()),
                    line: Some(part.lines.start.max(1) as u64),
                    details: Vec::new(),
                    what: part.text.clone(),
                });
            }
        } else if !red.iter().any(|ran| self.has_run_tests(ran)) {
            report.not_comparable.push(format!("without {} the tests do not run", part.place()));
            return false;
        }
        !red.is_empty()
    }
}

/// Whether the name of a test says that it records what the code does already.
fn is_characterisation(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("characterisation") || name.contains("characterization")
}
