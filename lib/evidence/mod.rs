//! What a test runner reports about its run: how many tests were executed, failed and skipped, and their names.
//!
//! The closing lines of common runners are recognised in the output of a check. Report files are read as JUnit XML, TRX, JSON or TAP.

mod counts;
mod document;
mod name;
mod output;
mod report;
mod test_lines;
mod xml;

pub use name::{is_named, leaf, without_parameters};
pub use output::OutputReader;
pub use report::read_report;

use serde::{Deserialize, Serialize};

/// The most tests whose names are kept.
const NAMES: usize = 50_000;

/// The most bytes of the name of a test.
const NAME: usize = 400;

/// What a runner reports about one run. The names are in a blob of the state directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRun {
    /// The runners or report formats, sorted.
    pub runners: Vec<String>,
    /// How many tests were executed.
    pub executed: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many were skipped.
    pub skipped: u64,
    /// Whether a runner began and never printed its closing line.
    #[serde(default, skip_serializing_if = "is_false")]
    pub incomplete: bool,
    /// The report files that were read, relative to the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// SHA-256 of the list of tests; None if their names are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// How one test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// It passed, or failed as expected.
    Passed,
    /// It failed.
    Failed,
    /// It did not run.
    Skipped,
}

impl Ending {
    const fn word(self) -> &'static str {
        match self {
            Ending::Passed => "passed",
            Ending::Failed => "failed",
            Ending::Skipped => "skipped",
        }
    }
}

/// The tests of a run: how each one ended, and its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestList(Vec<(Ending, String)>);

impl TestList {
    /// Adds a test. Tests beyond the limit are counted only.
    fn add(&mut self, ending: Ending, name: &str) {
        if self.0.len() <= NAMES {
            let mut end = name.len().min(NAME);
            while !name.is_char_boundary(end) {
                end -= 1;
            }
            self.0.push((ending, name[..end].to_string()));
        }
    }

    /// The names of the tests that ended so.
    pub fn named(&self, ending: Ending) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |test| test.0 == ending).map(|test| test.1.as_str())
    }

    /// The names of the tests that ran.
    pub fn executed(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|test| test.0 != Ending::Skipped).map(|test| test.1.as_str())
    }

    /// A line for each test, sorted: how it ended, and its name.
    pub fn bytes(&self) -> Vec<u8> {
        let mut lines: Vec<String> =
            self.0.iter().map(|(ending, name)| format!("{} {}\n", ending.word(), name.replace('\n', " "))).collect();
        lines.sort();
        lines.concat().into_bytes()
    }

    /// Reads such lines. Others are ignored.
    pub fn parse(bytes: &[u8]) -> TestList {
        let mut list = TestList::default();
        for line in String::from_utf8_lossy(bytes).lines() {
            let Some((word, name)) = line.split_once(' ') else { continue };
            let endings = [Ending::Passed, Ending::Failed, Ending::Skipped];
            if let Some(ending) = endings.into_iter().find(|ending| ending.word() == word) {
                list.add(ending, name);
            }
        }
        list
    }

    /// Whether these are the tests of a run with so many executed ones.
    fn is_whole(&self, executed: u64) -> bool {
        self.0.len() <= NAMES && self.executed().count() as u64 == executed
    }
}

/// What one runner reported so far.
#[derive(Clone, Debug, Default)]
struct Tally {
    executed: u64,
    failed: u64,
    skipped: u64,
    /// How often the runner began.
    opened: u64,
    /// How often it printed its closing line.
    closed: u64,
    tests: TestList,
    /// Whether the lines that follow repeat tests.
    has_names: bool,
}

impl Tally {
    fn open(&mut self, times: u64) {
        self.opened = self.opened.saturating_add(times);
    }

    fn end(&mut self, times: u64) {
        self.closed = self.closed.saturating_add(times);
    }

    fn fail(&mut self, tests: u64) {
        self.executed = self.executed.saturating_add(tests);
        self.failed = self.failed.saturating_add(tests);
    }

    /// A closing line.
    fn close(&mut self, executed: u64, failed: u64, skipped: u64) {
        self.end(1);
        self.executed = self.executed.saturating_add(executed);
        self.failed = self.failed.saturating_add(failed);
        self.skipped = self.skipped.saturating_add(skipped);
    }

    /// A test of a report that counts its tests one by one.
    fn count(&mut self, ending: Ending, name: &str) {
        match ending {
            Ending::Passed => self.executed = self.executed.saturating_add(1),
            Ending::Failed => self.fail(1),
            Ending::Skipped => self.skipped = self.skipped.saturating_add(1),
        }
        self.tests.add(ending, name);
    }
}

/// Evidence of a run: what was reported, and the names if all are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The counts.
    pub run: TestRun,
    /// The tests, if the report names all that were executed.
    pub tests: Option<TestList>,
}

impl Evidence {
    /// The sum of what runners report.
    fn of(tallies: Vec<(&'static str, Tally)>) -> Option<Evidence> {
        let mut all = Evidence { run: TestRun::default(), tests: Some(TestList::default()) };
        for (runner, tally) in tallies {
            all.add(Evidence {
                run: TestRun {
                    runners: vec![runner.to_string()],
                    executed: tally.executed,
                    failed: tally.failed,
                    skipped: tally.skipped,
                    incomplete: tally.opened > tally.closed,
                    ..TestRun::default()
                },
                tests: tally.tests.is_whole(tally.executed).then_some(tally.tests),
            });
        }
        (!all.run.runners.is_empty()).then_some(all)
    }

    /// Adds the evidence of another report.
    pub fn add(&mut self, other: Evidence) {
        let run = &mut self.run;
        run.runners.extend(other.run.runners);
        run.runners.sort();
        run.runners.dedup();
        run.executed = run.executed.saturating_add(other.run.executed);
        run.failed = run.failed.saturating_add(other.run.failed);
        run.skipped = run.skipped.saturating_add(other.run.skipped);
        run.incomplete |= other.run.incomplete;
        run.reports.extend(other.run.reports);
        self.tests = match (self.tests.take(), other.tests) {
            (Some(mut tests), Some(more)) => {
                more.0.iter().for_each(|(ending, name)| tests.add(*ending, name));
                Some(tests)
            }
            _ => None,
        };
    }
}
