//! Reads an output line by line and collects its failures.

use super::block::{Begin, Block, Format, Place, Step, Tier};
use super::{LINE, LINES, WIDTH, compilers, golang, java, javascript, numbered, python, rust, tap};
use crate::sys::text::{cut_end, last_lines};
use std::collections::HashMap;

/// The formats. The first one that knows a line reads it.
const FORMATS: [Format; 16] = [
    rust::TEST,
    python::PYTEST,
    python::TRACEBACK,
    javascript::JEST,
    javascript::VITEST,
    javascript::NODE,
    tap::TAP,
    golang::GO,
    java::JAVA,
    numbered::NUMBERED,
    compilers::TSC,
    compilers::ESLINT,
    compilers::SHELLCHECK,
    compilers::MAKE,
    rust::COMPILER,
    rust::RUFF,
];

/// Formats that know a line only if no other does.
const LAST: Format = compilers::PLACE;

/// The most failures that are kept. Further ones are counted.
const KEPT: usize = 200;

/// The most headlines that are remembered.
const NAMES: usize = 1000;

/// The most lines of one failure that are read.
const READ: usize = 400;

/// Words that mark a line with an error.
const MARKS: [&str; 6] = ["error", "failed", "failure", "panicked", "fatal", "exception"];

/// The failures of an output.
#[derive(Default)]
pub struct Found {
    /// The lines of each failure.
    pub failures: Vec<Vec<String>>,
    /// How many failures were only counted.
    pub left_out: usize,
    /// If there is no failure: lines with an error that are not among the last lines.
    pub marked: Vec<String>,
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    open: Option<Block>,
    /// Tests that run, and what they printed.
    running: Vec<Block>,
    /// How many failures of each tier were not kept.
    beyond: [usize; 3],
    /// Which failures there were, by their lines.
    known: HashMap<String, usize>,
    /// The headlines of all failures with a cause.
    headlines: Vec<String>,
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
        if !line.is_empty() && !line.starts_with([' ', '\t']) {
            heading = line;
        }
    }
    let mut found = reader.finish();
    if found.failures.is_empty() {
        let last = last_lines(text, LINES, WIDTH);
        let marked = marked.iter().map(|line| cut_end(line, WIDTH));
        found.marked = marked.filter(|line| !last.contains(line)).take(LINES / 3).collect();
    }
    found
}

fn cut_bytes(line: &str) -> &str {
    let mut end = line.len().min(LINE);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    &line[..end]
}

fn is_marked(line: &str) -> bool {
    let is_passed = ["ok", "passed", "PASS", "PASSED"].iter().any(|end| line.ends_with(end));
    if is_passed || line.len() < 5 {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    MARKS.iter().any(|mark| lower.contains(mark))
        && !["0 error", "0 failed", "0 failure", "no error"].iter().any(|none| lower.contains(none))
}

impl Reader {
    fn take(&mut self, place: &Place<'_>) {
        self.is_numbered |= numbered::announces(place.line);
        if let Some(mut block) = self.open.take() {
            if self.begins_anew(&block, place) {
                self.close(block);
            } else {
                block.read += 1;
                let step =
                    if block.read > READ { Step::End } else { (FORMATS[block.format].read)(&mut block, place.line) };
                match step {
                    Step::Drop => {}
                    Step::Keep => block.keep(place.line),
                    Step::KeepAs(text) => block.keep(&text),
                    Step::Discard => return,
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
            || line.starts_with("Traceback ") && block.lines.len() == 1;
        begin.is_some_and(|begin| begin.tier <= block.tier) && !is_within
    }

    fn begin(&mut self, place: &Place<'_>) {
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
            Some((format, begin)) if begin.is_whole => self.close(Block::new(format, &begin)),
            Some((format, begin)) => self.open(format, &begin),
            None => {}
        }
    }

    fn open(&mut self, format: usize, begin: &Begin) {
        self.open = Some(Block::new(format, begin));
    }

    /// Keeps a failure, unless it repeats one.
    fn close(&mut self, block: Block) {
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

    fn finish(mut self) -> Found {
        if let Some(block) = self.open.take() {
            self.close(block);
        }
        let mut blocks = self.blocks;
        // A test that only contains a failed test adds no cause.
        let headline = |block: &Block| block.lines[0].split(" (").next().unwrap_or("").to_string();
        let names: Vec<String> = blocks.iter().map(headline).collect();
        let mut at = 0;
        blocks.retain(|block| {
            at += 1;
            let inner = format!("{}/", names[at - 1]);
            block.lines.len() > 1 || !names.iter().any(|name| name.starts_with(&inner))
        });
        let best = |format: usize| blocks.iter().filter(|block| block.format == format).map(|block| block.tier).min();
        let is_shown: Vec<bool> = blocks
            .iter()
            .map(|block| match block.tier {
                Tier::Detail => true,
                Tier::Summary => match &block.name {
                    Some(name) => !self.headlines.iter().any(|headline| headline.contains(name.as_str())),
                    None => best(block.format) == Some(Tier::Summary),
                },
                Tier::Around => blocks.iter().all(|other| other.tier >= Tier::Around),
                Tier::Running => false,
            })
            .collect();
        let mut found = Found::default();
        let mut beyond = self.beyond[Tier::Detail as usize];
        if blocks.iter().all(|block| block.tier != Tier::Detail) {
            beyond = self.beyond[Tier::Summary as usize].max(self.beyond[Tier::Around as usize]);
        }
        found.left_out = beyond;
        for (mut block, _) in blocks.into_iter().zip(is_shown).filter(|(_, is_shown)| *is_shown) {
            if block.alike > 0 {
                block.lines[0].push_str(&format!(" (and {} more like it)", block.alike));
            }
            found.failures.push(block.lines);
        }
        found
    }
}
