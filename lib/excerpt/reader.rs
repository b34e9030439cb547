//! Reads an output line by line and collects its failures.

use super::block::{Begin, Block, Format, Place, Step, Tier};
use super::frames::is_of_runtime;
use super::{
    LINE, LINES, WIDTH, bun, compilers, golang, java, jest, node, numbered, pytest, rust, tail, tap, unittest, values,
};
use crate::sys::text::cut_end;
use std::collections::{HashMap, VecDeque};

/// The formats. The first one that knows a line reads it.
const FORMATS: [Format; 23] = [
    rust::TEST,
    pytest::PYTEST,
    unittest::TRACEBACK,
    unittest::DOCTEST,
    unittest::FATAL,
    jest::JEST,
    jest::VITEST,
    node::NODE,
    node::CRASH,
    bun::BUN,
    bun::DENO,
    tap::TAP,
    golang::GO,
    java::JAVA,
    numbered::NUMBERED,
    compilers::TSC,
    compilers::ESLINT,
    compilers::SHELLCHECK,
    compilers::MAKE,
    compilers::MYPY,
    java::JAVAC,
    rust::COMPILER,
    rust::RUFF,
];

/// Formats that know a line only if no other does.
const LAST: Format = compilers::PLACE;

/// The most failures that are kept. Further ones are counted.
const KEPT: usize = 200;

/// The most headlines that are remembered.
const NAMES: usize = 1000;

/// The lines that are kept before a line of a program around a runner.
const BEFORE: usize = 3;

/// Among how many lines they are looked for.
const RECENT: usize = 12;

/// The most lines of one failure that are read.
const READ: usize = 400;

/// Words that mark a line with an error.
const MARKS: [&str; 8] = ["error", "failed", "failure", "panicked", "fatal", "exception", "sanitizer:", "[fail]"];

/// The failures of an output.
#[derive(Default)]
pub struct Found {
    /// The lines of each failure.
    pub failures: Vec<Vec<String>>,
    /// How many failures were only counted.
    pub left_out: usize,
    /// If there is no failure: lines that stand beside the last lines.
    pub marked: Vec<String>,
}

#[derive(Default)]
struct Reader<'a> {
    blocks: Vec<Block>,
    open: Option<Block>,
    /// Tests that run, and what they printed.
    running: Vec<Block>,
    /// How many failures of each tier were not kept.
    beyond: [usize; 5],
    /// Which failures there were, by their lines.
    known: HashMap<String, usize>,
    /// The headlines of all failures with a cause.
    headlines: Vec<String>,
    /// The last lines that are not blank.
    recent: VecDeque<&'a str>,
    is_numbered: bool,
}

/// The failures that a text reports.
pub fn read(text: &str) -> Found {
    let mut reader = Reader::default();
    let (mut previous, mut heading) = ("", "");
    let mut marked: Vec<&str> = Vec::new();
    for line in text.lines() {
        let line = cut_bytes(line).trim_end();
        reader.take(&Place { line, previous, heading, is_numbered: reader.is_numbered });
        if marked.len() < LINES && is_marked(line) && !marked.contains(&line) {
            marked.push(line);
        }
        previous = line;
        if !line.is_empty() {
            reader.remember(line);
            if !line.starts_with(['\t', ' ']) || line.starts_with(" FAIL ") {
                heading = line;
            }
        }
    }
    let marked = marked.iter().map(|line| cut_end(line, WIDTH)).collect();
    reader.finish(marked, text)
}

fn cut_bytes(line: &str) -> &str {
    let mut end = line.len().min(LINE);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

fn is_marked(line: &str) -> bool {
    let is_of_npm = line.starts_with("npm ERR!") || line.starts_with("npm error");
    let is_passed = ["ok", "passed", "PASS", "PASSED"].iter().any(|end| line.ends_with(end));
    if is_passed || is_of_npm || line.starts_with("====") || line.len() < 5 {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark))
        && !["0 error", "0 failed", "0 failure", "no error"].iter().any(|none| lower.contains(none))
}

impl<'a> Reader<'a> {
    fn remember(&mut self, line: &'a str) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(line);
    }

    /// The last lines, without frames of runtimes.
    fn before(&self) -> Vec<String> {
        let lines: Vec<&str> = self.recent.iter().copied().filter(|line| !is_of_runtime(line)).collect();
        lines[lines.len().saturating_sub(BEFORE)..].iter().map(|line| cut_end(line, WIDTH)).collect()
    }

    fn take(&mut self, place: &Place<'_>) {
        self.is_numbered |= numbered::announces(place.line);
        if let Some(mut block) = self.open.take() {
            if self.begins_anew(&block, place) {
                self.close(block);
            } else {
                block.read += 1;
                let step = match block.read > READ && !FORMATS[block.format].has_end {
                    true => Step::End,
                    false => (FORMATS[block.format].read)(&mut block, place.line),
                };
                match step {
                    Step::Drop => {}
                    Step::Keep => block.keep(place.line),
                    Step::KeepAs(text) => block.keep(&text),
                    Step::Discard => return self.begin(place),
                    Step::End => {
                        self.close(block);
                        return self.begin(place);
                    }
                }
                self.open = Some(block);
                return;
            }
        }
        self.begin(place);
    }

    /// Whether the next failure of the same format begins.
    fn begins_anew(&self, block: &Block, place: &Place<'_>) -> bool {
        let begin = (FORMATS[block.format].begins)(place);
        // A panic within a failed test belongs to it, and the traceback below its name.
        let line = place.line.trim_start();
        let is_within = line.starts_with("panic: ")
            || line.starts_with("thread '")
            || line.starts_with("Traceback ") && !block.lines[0].starts_with("Traceback ");
        begin.is_some_and(|begin| begin.tier <= block.tier) && !is_within
    }

    fn begin(&mut self, place: &Place<'_>) {
        if let Some(name) = rust::should_panic(place.line) {
            // The panic was asked for.
            let headline = format!("thread '{name}'");
            self.blocks.iter_mut().filter(|block| block.lines[0].starts_with(&headline)).for_each(|block| {
                block.tier = Tier::Running;
            });
            return;
        }
        if let Some((name, has_failed)) = golang::result(place.line)
            && let Some(at) = self.running.iter().rposition(|block| block.lines[0] == name)
        {
            let mut block = self.running.remove(at);
            if has_failed {
                block.tier = Tier::Detail;
                block.lines[0] = place.line.trim().to_string();
                self.close(block);
            }
            return;
        }
        let known = FORMATS.iter().enumerate().find_map(|(at, format)| Some((at, (format.begins)(place)?)));
        match known.or_else(|| (LAST.begins)(place).map(|begin| (FORMATS.len(), begin))) {
            Some((format, begin)) if begin.is_whole => {
                let mut block = Block::new(format, &begin);
                if block.tier == Tier::Around {
                    block.before = self.before();
                }
                self.close(block);
            }
            Some((format, begin)) => self.open(format, &begin),
            None => {}
        }
    }

    fn open(&mut self, format: usize, begin: &Begin) {
        self.open = Some(Block::new(format, begin));
    }

    /// Keeps a failure, unless it repeats one.
    fn close(&mut self, mut block: Block) {
        values::shorten(&mut block.lines);
        if block.tier == Tier::Running {
            if self.running.len() < KEPT {
                self.running.push(block);
            }
            return;
        }
        if block.tier == Tier::Detail && self.headlines.len() < NAMES {
            self.headlines.push(block.lines[0].clone());
        }
        // Failures with the same lines below the headline are one.
        let cause = if block.lines.len() > 1 { block.lines[1..].join("\n") } else { block.lines[0].clone() };
        if let Some(same) = self.known.get(&cause).and_then(|at| self.blocks.get_mut(*at)) {
            let is_other = same.lines[0] != block.lines[0];
            same.alike += usize::from(is_other && block.lines.len() > 1 && same.tier == block.tier);
            return;
        }
        if self.blocks.len() < KEPT {
            self.known.insert(cause, self.blocks.len());
            self.blocks.push(block);
        } else {
            self.beyond[block.tier as usize] += 1;
        }
    }

    fn finish(mut self, errors: Vec<String>, text: &str) -> Found {
        if let Some(block) = self.open.take() {
            self.close(block);
        }
        let mut blocks = self.blocks;
        let best = blocks.iter().map(|block| block.tier).min().unwrap_or(Tier::Running);
        // The tests that failed are named: what was logged is not their cause.
        let is_named = blocks.iter().any(|block| block.tier == Tier::Summary && block.name.is_some());
        if best > Tier::Logged || best == Tier::Logged && is_named {
            let left_out = self.beyond[Tier::Summary as usize];
            return beside_tail(blocks, left_out, errors, text);
        }
        // A test that only contains a failed test adds no cause.
        let headline = |block: &Block| block.lines[0].split(" (").next().unwrap_or("").to_string();
        let names: Vec<String> = blocks.iter().map(headline).collect();
        let mut at = 0;
        blocks.retain(|block| {
            at += 1;
            let inner = format!("{}/", names[at - 1]);
            block.lines.len() > 1 || !names.iter().any(|name| name.starts_with(&inner))
        });
        let first = |format: usize| blocks.iter().filter(|block| block.format == format).map(|block| block.tier).min();
        let is_shown: Vec<bool> = blocks
            .iter()
            .map(|block| match (block.tier, &block.name) {
                (tier, _) if tier <= Tier::Logged => tier == best,
                (Tier::Summary, Some(name)) => !self.headlines.iter().any(|headline| headline.contains(name.as_str())),
                (Tier::Summary, None) => first(block.format) == Some(Tier::Summary),
                _ => false,
            })
            .collect();
        let mut found = Found { left_out: self.beyond[best as usize], ..Found::default() };
        for (mut block, _) in blocks.into_iter().zip(is_shown).filter(|(_, is_shown)| *is_shown) {
            if block.alike > 0 {
                block.lines[0].push_str(&format!(" (and {} more like it)", block.alike));
            }
            found.failures.push(block.lines);
        }
        found
    }
}

/// The lines that stand beside the last lines if there is no failure with a cause: names of failed tests; what programs around a runner
/// report, and what was printed before it; lines with an error; and warnings.
fn beside_tail(blocks: Vec<Block>, beyond: usize, errors: Vec<String>, text: &str) -> Found {
    let of = |tier: Tier| blocks.iter().filter(move |block| block.tier == tier);
    let mut marked: Vec<String> = of(Tier::Summary).flat_map(|block| block.lines.clone()).collect();
    let names = marked.len();
    let last = tail::last(text, LINES + 1, WIDTH);
    if last.len() <= LINES && last.len() == text.lines().filter(|line| !line.trim().is_empty()).count() {
        return Found::default();
    }
    let is_last = |line: &String| tail::holds(&last[last.len() - LINES.min(last.len())..], line);
    let around = of(Tier::Around).filter(|block| !is_last(&block.lines[0]));
    let around = around.flat_map(|block| block.before.iter().chain(&block.lines));
    let warnings = of(Tier::Warning).flat_map(|block| &block.lines);
    let mut others: Vec<String> = Vec::new();
    for line in around.chain(&errors).chain(warnings) {
        if !marked.contains(line) && !others.contains(line) && !is_last(line) {
            others.push(line.clone());
        }
        if others.len() == LINES / 3 {
            break;
        }
    }
    marked.truncate(LINES * 2 / 3);
    let left_out = beyond + names - marked.len();
    marked.extend(others);
    // If the last lines hold all of them, they are enough.
    if marked.iter().all(is_last) {
        marked.clear();
    }
    Found { failures: Vec::new(), left_out, marked }
}
