//! Reads the output of a check as it comes, line by line, and counts what the runners in it report.

use super::counts::{CLOSINGS, maven};
use super::{Ending, Evidence, Tally, TestList, document, test_lines};
use crate::sys::text::plain;

/// The most bytes of a line that are read.
const LINE: usize = 16 << 10;

/// The runners that mark tests with a sign and print their names without the runner's own.
const MARKING: [&str; 4] = ["jest", "vitest", "mocha", "node"];

/// The most suites that are open at a time.
const SUITES: usize = 64;

/// Counts the tests in an output.
#[derive(Default)]
pub struct OutputReader {
    line: Vec<u8>,
    is_cut: bool,
    closings: [Tally; CLOSINGS.len()],
    unittest: Tally,
    ran: Option<u64>,
    go: Tally,
    go_packages: Tally,
    go_json: Tally,
    tap: Tally,
    maven: Tally,
    mocha: Tally,
    node: Tally,
    marked: TestList,
    /// The tests of node in TAP, also those inside suites.
    nested: TestList,
    /// Failed tests of mocha, which it numbers: `1) adds`.
    numbered: TestList,
    /// Skipped tests of mocha.
    dashed: TestList,
    /// The suites of node that are open.
    suites: Vec<String>,
    /// Whether only repetitions of failures follow.
    is_listing_failures: bool,
}

impl OutputReader {
    /// Takes the next bytes of the output.
    pub fn take(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(at) = memchr::memchr(b'\n', rest) {
            self.keep(&rest[..at]);
            self.end_line();
            rest = &rest[at + 1..];
        }
        self.keep(rest);
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LINE.saturating_sub(self.line.len());
        self.is_cut |= bytes.len() > room;
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !std::mem::take(&mut self.is_cut) && !line.is_empty() {
            let is_plain = !line.iter().any(|b| *b < b' ' && *b != b'\t' || *b == 0x9b);
            match std::str::from_utf8(&line) {
                Ok(text) if is_plain => self.read(text),
                _ => self.read(&plain(&line)),
            }
        }
        // The buffer is used again.
        self.line = line;
        self.line.clear();
    }

    fn read(&mut self, whole: &str) {
        let line = whole.trim();
        if line.is_empty() {
            return;
        }
        if line.starts_with('{') {
            return document::go_line(line, &mut self.go_json);
        }
        for ((_, closing), tally) in CLOSINGS.iter().zip(&mut self.closings) {
            if let Some((executed, failed, skipped)) = closing(line) {
                return tally.close(executed, failed, skipped);
            }
        }
        if maven(line, &mut self.maven) || self.read_mocha(line) || self.read_node(whole) {
            return;
        }
        test_lines::cargo(line, &mut self.closings[0]);
        test_lines::nextest(line, &mut self.closings[1]);
        test_lines::pytest(line, &mut self.closings[2]);
        test_lines::unittest(line, &mut self.unittest, &mut self.ran);
        test_lines::go(line, &mut self.go);
        test_lines::go_package(whole, &mut self.go_packages);
        test_lines::tap(whole.trim_end(), &mut self.tap);
        test_lines::nested_tap(line, &mut self.nested);
        if let Some((_, tally)) = CLOSINGS.iter().zip(&mut self.closings).find(|((name, _), _)| *name == "minitest") {
            test_lines::minitest(line, tally);
        }
        if !self.is_listing_failures
            && let Some((ending, name)) = test_lines::marked(line)
        {
            // The suite of node ends with a mark, too.
            match self.suites.last().is_some_and(|suite| suite == name) {
                true => drop(self.suites.pop()),
                false => self.marked.add(ending, name),
            }
        } else if let Some(name) = line.strip_prefix("\u{25b6} ").filter(|_| self.suites.len() < SUITES) {
            self.suites.push(name.to_string());
        } else if let Some(name) = line.strip_prefix("- ").filter(|_| !self.is_listing_failures) {
            self.dashed.add(Ending::Skipped, name);
        } else if let Some((number, name)) = line.split_once(") ").filter(|_| self.mocha.closed == 0)
            && number.parse() == Ok(self.numbered.0.len() + 1)
        {
            self.numbered.add(Ending::Failed, name);
        }
    }

    /// `2 passing (4ms)`, then `1 pending` and `1 failing`
    fn read_mocha(&mut self, line: &str) -> bool {
        let Some((number, word)) = line.split_once(' ') else { return false };
        let Ok(number) = number.parse::<u64>() else { return false };
        let word = word.split(" (").next().unwrap_or(word);
        match word {
            "passing" => self.mocha.close(number, 0, 0),
            "failing" if self.mocha.closed > 0 => {
                self.mocha.fail(number);
                self.is_listing_failures = true;
            }
            "pending" if self.mocha.closed > 0 => self.mocha.skipped = self.mocha.skipped.saturating_add(number),
            _ => return false,
        }
        true
    }

    /// `ℹ pass 2`, or `# pass 2` in TAP
    fn read_node(&mut self, line: &str) -> bool {
        let Some(rest) = line.strip_prefix("\u{2139} ").or_else(|| line.strip_prefix("# ")) else {
            self.is_listing_failures |= line == "\u{2716} failing tests:";
            return false;
        };
        // tape aligns its numbers.
        let Some((word, number)) = rest.split_once(' ') else { return false };
        let Ok(number) = number.trim_start().parse::<u64>() else { return false };
        let node = &mut self.node;
        match word {
            "tests" => node.close(0, 0, 0),
            _ if node.closed == 0 => return false,
            "pass" => node.executed = node.executed.saturating_add(number),
            "fail" | "cancelled" => node.fail(number),
            "skipped" | "todo" => node.skipped = node.skipped.saturating_add(number),
            _ => return false,
        }
        true
    }

    /// What the output reports; None if no runner is recognised in it. `document` is the beginning of the output: it is read as one
    /// JSON report if no line is recognised.
    pub fn finish(mut self, document: impl FnOnce() -> Vec<u8>) -> Option<Evidence> {
        self.end_line();
        let names: Vec<&'static str> = CLOSINGS.iter().map(|(name, _)| *name).collect();
        let mut tallies: Vec<(&'static str, Tally)> = names.into_iter().zip(self.closings).collect();
        // Node prints TAP of its own: its counts say more.
        if self.node.closed > 0 {
            self.tap = Tally::default();
        }
        // Results of TAP count only with a plan.
        if self.tap.opened == 0 && self.tap.closed > 0 {
            self.tap = Tally::default();
        }
        // With -v, go names its tests.
        if self.go.opened > 0 || self.go_json.closed > 0 {
            self.go_packages = Tally::default();
        } else {
            self.go = Tally::default();
        }
        tallies.extend([
            ("unittest", self.unittest),
            ("go", self.go),
            ("go packages", self.go_packages),
            ("go json", self.go_json),
            ("tap", self.tap),
            ("maven", self.maven),
            ("mocha", self.mocha),
            ("node", self.node),
        ]);
        tallies.retain(|(_, tally)| tally.closed > 0 || tally.opened > 0);
        let mut marking = tallies.iter_mut().filter(|(name, _)| MARKING.contains(name));
        if let (Some((name, tally)), None) = (marking.next(), marking.next()) {
            let is_tap = *name == "node" && self.marked.0.is_empty();
            tally.tests = if is_tap { self.nested } else { self.marked };
            if *name == "mocha" {
                let more = self.dashed.0.iter().chain(&self.numbered.0);
                more.for_each(|(ending, name)| tally.tests.add(*ending, name));
            }
        }
        match tallies.is_empty() {
            true => document::json_in(&document()),
            false => Evidence::of(tallies),
        }
    }
}
