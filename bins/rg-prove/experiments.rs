//! The three experiments: old tests on new code, new tests on old code, and each change undone.

use crate::copy::Copy;
use crate::hunks::{self, Part};
use crate::plan::Plan;
use crate::runs::{NoResult, Ran, Runs};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::count;
use serde::Serialize;
use std::collections::BTreeSet;

/// What the experiments found out.
#[derive(Default, Serialize)]
pub struct Report {
    /// The checks that took part.
    pub checks: Vec<String>,
    /// What could not be compared, each with the reason.
    pub not_comparable: Vec<String>,
    /// What the tests do not prove.
    pub findings: Vec<Finding>,
    /// What they prove.
    pub proved: Vec<String>,
}

/// Something that the tests do not prove.
#[derive(Serialize)]
pub struct Finding {
    /// The experiment.
    pub experiment: Experiment,
    /// One sentence.
    pub text: String,
    /// The names of tests, or lines of output.
    pub details: Vec<String>,
}

/// An experiment.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// The base's tests run on the new code.
    OldTests,
    /// The new tests run on the base's code.
    NewTests,
    /// One part of the change is undone.
    Undone,
}

impl Report {
    /// No: something is not proved. Unjudged: nothing could be compared.
    pub fn exit(&self) -> Exit {
        match (self.findings.is_empty(), self.proved.is_empty() && !self.not_comparable.is_empty()) {
            (false, _) => Exit::No,
            (true, true) => Exit::Unjudged,
            (true, false) => Exit::Yes,
        }
    }

    fn find(&mut self, experiment: Experiment, text: String, details: Vec<String>) {
        self.findings.push(Finding { experiment, text, details });
    }

    fn without_result(&mut self, what: &str, why: NoResult) {
        self.not_comparable.push(match why {
            NoResult::Time => format!("{what}: no time left. --minutes gives more"),
            NoResult::Unknown(why) => format!("{what}: {why}"),
        });
    }
}

/// Runs the experiments that the change permits.
pub fn run(plan: &Plan, copy: &Copy, runs: Runs, most: usize) -> Result<Report> {
    let mut report = Report { not_comparable: plan.left_out.clone(), ..Report::default() };
    let Some(control) = control(plan, &runs, &mut report) else { return Ok(report) };
    report.checks = control.iter().map(|ran| ran.name.clone()).collect();
    let lab = Lab { plan, copy, runs, control };
    let old = lab.old_tests(&mut report)?;
    lab.new_tests(old.as_deref(), &mut report)?;
    lab.undone(most, &mut report)?;
    Ok(report)
}

/// The checks that are green in a copy of the files as they are. Only those can show what a mixture breaks.
fn control(plan: &Plan, runs: &Runs, report: &mut Report) -> Option<Vec<Ran>> {
    let names: Vec<&str> = plan.checks.iter().map(|check| check.name.as_str()).collect();
    if names.is_empty() {
        report.not_comparable.push("DONE.md has no check that may run tests".to_string());
        return None;
    }
    let control = match runs.run("a copy of the files as they are", &names) {
        Ok(control) => control,
        Err(why) => {
            report.without_result("a copy of the files as they are", why);
            return None;
        }
    };
    for ran in control.iter().filter(|ran| !ran.is_green) {
        let why = ran.excerpt.last().map(|line| format!(": {line}")).unwrap_or_default();
        report.not_comparable.push(format!("check \"{}\" is red in a copy of the files{why}", ran.name));
    }
    let has_tests = |ran: &Ran| ran.executed.is_some_and(|tests| tests > 0);
    let report_tests = control.iter().any(has_tests);
    let green: Vec<Ran> = control.into_iter().filter(|ran| ran.is_green && (!report_tests || has_tests(ran))).collect();
    (!green.is_empty()).then_some(green)
}

struct Lab<'a> {
    plan: &'a Plan,
    copy: &'a Copy,
    runs: Runs<'a>,
    control: Vec<Ran>,
}

impl Lab<'_> {
    fn names(&self) -> Vec<&str> {
        self.control.iter().map(|ran| ran.name.as_str()).collect()
    }

    /// The base's tests on the new code. Red means that the tests were changed to fit the code.
    fn old_tests(&self, report: &mut Report) -> Result<Option<Vec<Ran>>> {
        let what = "old tests, new code";
        // A new test cannot have been changed to fit; without old ones, nothing is different.
        if self.plan.tests().all(|test| test.old.is_none()) {
            return Ok(None);
        }
        for test in self.plan.tests() {
            self.copy.put(test, test.old.as_ref())?;
        }
        let result = self.runs.run(what, &self.names());
        for test in self.plan.tests() {
            self.copy.put(test, test.new.as_ref())?;
        }
        let ran = match result {
            Ok(ran) => ran,
            Err(why) => {
                report.without_result(what, why);
                return Ok(None);
            }
        };
        let mut is_proved = true;
        for one in ran.iter().filter(|ran| !ran.is_green) {
            is_proved = false;
            let failed: Vec<String> = one.failed_tests().map(str::to_string).collect();
            if !one.has_run_tests() {
                let why = one.excerpt.last().map(|line| format!(": {line}")).unwrap_or_default();
                report.not_comparable.push(format!("{what}: the tests of check \"{}\" do not run{why}", one.name));
            } else if failed.is_empty() {
                let text = format!("check \"{}\" fails with the tests of the base", one.name);
                report.find(Experiment::OldTests, text, one.excerpt.clone());
            } else {
                let tests = match failed.len() {
                    1 => "1 test of the base fails".to_string(),
                    n => format!("{n} tests of the base fail"),
                };
                let details = failed.into_iter().take(10).chain(one.excerpt.iter().cloned()).collect();
                report.find(Experiment::OldTests, format!("{tests} on the new code (check \"{}\")", one.name), details);
            }
        }
        if is_proved {
            report.proved.push("the tests of the base pass on the new code".to_string());
        }
        Ok(Some(ran))
    }

    /// The new tests on the base's code. A test that passes there proves nothing about the change.
    fn new_tests(&self, old: Option<&[Ran]>, report: &mut Report) -> Result<()> {
        let what = "new tests, old code";
        if self.plan.tests().all(|test| test.new.is_none()) || self.plan.sources().next().is_none() {
            return Ok(());
        }
        for source in self.plan.sources() {
            self.copy.put(source, source.old.as_ref())?;
        }
        let result = self.runs.run(what, &self.names());
        for source in self.plan.sources() {
            self.copy.put(source, source.new.as_ref())?;
        }
        let ran = match result {
            Ok(ran) => ran,
            Err(why) => {
                report.without_result(what, why);
                return Ok(());
            }
        };
        let known: BTreeSet<&str> = old
            .into_iter()
            .flatten()
            .flat_map(|ran| ran.passed.iter().chain(&ran.failed))
            .map(String::as_str)
            .collect();
        let all_new = || self.control.iter().flat_map(|ran| &ran.passed).map(String::as_str);
        // Without the names of the old tests, only a test file without an older version has new tests alone.
        let new: BTreeSet<&str> = match old.is_some() && !known.is_empty() {
            true => all_new().filter(|name| !known.contains(name)).collect(),
            false => BTreeSet::new(),
        };
        if new.is_empty() {
            match ran.iter().all(|ran| ran.is_green) {
                true => {
                    let text = "the changed tests pass without the change of the code".to_string();
                    let details = self.plan.tests().map(|test| test.path.display().to_string()).take(10).collect();
                    report.find(Experiment::NewTests, text, details);
                }
                false => report.proved.push("the tests fail without the change of the code".to_string()),
            }
            return Ok(());
        }
        let passed: Vec<&str> =
            ran.iter().flat_map(|ran| &ran.passed).map(String::as_str).filter(|name| new.contains(name)).collect();
        let idle: Vec<String> =
            passed.iter().filter(|name| !is_characterisation(name)).map(|name| name.to_string()).collect();
        let proving = new.len() - passed.len();
        if !idle.is_empty() {
            let all = count(new.len(), "new test");
            let verb = if idle.len() == 1 { "passes" } else { "pass" };
            let text = format!("{} of {all} {verb} without the change of the code", idle.len());
            report.find(Experiment::NewTests, text, idle.into_iter().take(10).collect());
        }
        if proving > 0 {
            report.proved.push(format!("{proving} of {} need the change of the code", count(new.len(), "new test")));
        }
        Ok(())
    }

    /// Each part of the change undone. Some check must turn red.
    fn undone(&self, most: usize, report: &mut Report) -> Result<()> {
        let parts = hunks::parts(self.plan.sources());
        let (mut noticed, mut tried) = (0, 0);
        for part in parts.iter().take(most) {
            let what = format!("without {}", part.place());
            self.copy.put_bytes(&part.path, part.undone.as_ref().map(|(bytes, mode)| (bytes.as_slice(), *mode)))?;
            let result = self.runs.run(&what, &self.names());
            if let Some(source) = self.plan.sources().find(|source| source.path == part.path) {
                self.copy.put(source, source.new.as_ref())?;
            }
            match result {
                Ok(ran) => {
                    tried += 1;
                    noticed += usize::from(self.is_noticed(part, &ran, report));
                }
                Err(why) => {
                    let is_over = matches!(why, NoResult::Time);
                    report.without_result(&what, why);
                    if is_over {
                        break;
                    }
                }
            }
        }
        if noticed > 0 {
            report.proved.push(format!("tests notice {noticed} of {}", count(tried, "undone change")));
        }
        if parts.len() > most {
            let left = parts.len() - most;
            report.proved.push(format!("{} were not tried: --changes tries more", count(left, "smaller change")));
        }
        Ok(())
    }

    fn is_noticed(&self, part: &Part, ran: &[Ran], report: &mut Report) -> bool {
        let red: Vec<&Ran> = ran.iter().filter(|ran| !ran.is_green).collect();
        if red.is_empty() {
            let what = if part.lines.is_empty() { "the removal at" } else { "the lines" };
            report.find(Experiment::Undone, format!("no test notices {what} {}", part.place()), Vec::new());
        } else if !red.iter().any(|ran| ran.has_run_tests()) {
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
