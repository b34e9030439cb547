//! The subject of a skip: the test, or the suite, that it is about.

use crate::line::{Line, normal};
use crate::patterns::{Kind, PATTERNS};
use crate::scan::{Hit, Scan};

/// What a skip is about.
#[derive(Debug)]
pub enum Subject<'a> {
    /// One test.
    Test(&'a Hit),
    /// All tests of a suite, a class or a file.
    Suite,
    /// It cannot be told.
    Unknown,
}

/// The identity of a test: its name, or the line below its attribute.
pub fn identity(test: &Hit) -> u64 {
    match test.declares.name {
        0 if PATTERNS[test.pattern].is_attribute => test.after,
        0 => test.own,
        name => name,
    }
}

/// The tests that a file declares.
pub fn tests(scan: Option<&Scan>) -> impl Iterator<Item = &Hit> {
    scan.into_iter().flat_map(|scan| &scan.hits).filter(|hit| hit.kind() == Kind::Test)
}

/// What a skip in this file is about.
pub fn of<'a>(scan: &'a Scan, skip: &Hit) -> Subject<'a> {
    let is_certain = skip.is_bare || skip.declares.name != 0 && skip.declares.has_body;
    if skip.declares.is_suite {
        return Subject::Suite;
    }
    if let Some(test) = tests(Some(scan)).find(|test| test.line == skip.line && is_certain) {
        return Subject::Test(test);
    }
    if skip.is_bare {
        let is_below =
            |test: &&Hit| skip.after != 0 && (test.own == skip.after || test.is_bare && test.after == skip.after);
        // An attribute of the test may stand above the skip.
        let nearest = tests(Some(scan)).filter(is_below).min_by_key(|test| test.line.abs_diff(skip.line));
        return nearest.map_or(Subject::Suite, Subject::Test);
    }
    if skip.text.contains("allow_module_level") {
        return Subject::Suite;
    }
    let above = tests(Some(scan)).filter(|test| test.line < skip.line).last();
    above.filter(|test| is_in_body(scan, test, skip)).map_or(Subject::Unknown, Subject::Test)
}

/// Whether a skip is in the body of a test: every line between them is indented more than the test.
fn is_in_body(scan: &Scan, test: &Hit, skip: &Hit) -> bool {
    let place = |line: u64| usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    let (first, last) = (place(test.line), place(skip.line));
    let (Some(head), Some(below)) = (scan.lines.get(first), scan.lines.get(first + 1..=last)) else { return false };
    let is_known = head.digest == test.own && below.last().is_some_and(|line| line.digest == skip.own);
    let signature = below.iter().position(|line| test.is_bare && line.digest == test.after).map_or(0, |at| at + 1);
    let brace = normal(b"{");
    let is_inner = |line: &Line| !line.has_text() || line.digest == brace || line.indent > head.indent;
    is_known && (test.declares.has_body || test.is_bare) && below[signature..].iter().all(is_inner)
}
