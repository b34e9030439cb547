//! One failure while it is read, and how a format reads it.

use super::weight::is_legend;
use super::{WIDTH, places};
use crate::sys::text::cut_end;

/// The most lines of one failure.
const MOST: usize = 64;

/// How much a failure says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// A failure with its cause.
    Detail,
    /// A failure that may only have been logged. It counts if no other failure is reported.
    Logged,
    /// Only a name. It counts if no failure of that name is reported.
    Summary,
    /// A line of a program around the runner. It stands beside the last lines if no failure is reported.
    Around,
    /// A warning. It stands beside the last lines if no failure is reported.
    Warning,
    /// A test that runs. It counts once it has failed.
    Running,
}

/// The part of a failure that is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Below the headline.
    Start,
    /// The cause.
    Message,
    /// Lines that differ, in their context.
    Diff,
    /// A stack trace.
    Frames,
    /// A traceback in place of the runner's own report.
    Trace,
    /// Values below their labels.
    Values,
    /// Lines that are not shown.
    Rest,
}

/// A failure that begins.
pub struct Begin {
    /// How much it says.
    pub tier: Tier,
    /// Its first line.
    pub headline: String,
    /// Whether no further line belongs to it.
    pub is_whole: bool,
    /// What a summary names. The summary is not shown if a failure of that name is.
    pub name: Option<String>,
}

impl Begin {
    /// A failure with further lines.
    pub fn detail(headline: impl Into<String>) -> Begin {
        Begin { tier: Tier::Detail, headline: headline.into(), is_whole: false, name: None }
    }

    /// A failure of one line.
    pub fn line(tier: Tier, headline: impl Into<String>) -> Begin {
        Begin { tier, headline: headline.into(), is_whole: true, name: None }
    }

    /// A line that names a failure.
    pub fn summary(headline: impl Into<String>, name: &str) -> Begin {
        Begin { name: Some(name.to_string()), ..Begin::line(Tier::Summary, headline) }
    }
}

/// What a line means for the failure that is being read.
pub enum Step {
    /// It says nothing.
    Drop,
    /// It is kept.
    Keep,
    /// This text is kept instead.
    KeepAs(String),
    /// The failure ended before this line.
    End,
    /// This is no failure.
    Discard,
}

/// A line and what came before it.
pub struct Place<'a> {
    /// The line, without white space at its end.
    pub line: &'a str,
    /// The line before it.
    pub previous: &'a str,
    /// The last line that is neither blank nor indented.
    pub heading: &'a str,
    /// Whether a numbered list of failures was announced.
    pub is_numbered: bool,
}

/// How one family of programs reports failures.
pub struct Format {
    /// The failure that begins with a line.
    pub begins: fn(&Place<'_>) -> Option<Begin>,
    /// What a further line means for a failure.
    pub read: fn(&mut Block, &str) -> Step,
    /// Whether a line always ends a failure, so that a long one may be read to its end.
    pub has_end: bool,
}

/// A failure.
pub struct Block {
    /// The index of its format.
    pub format: usize,
    /// How much it says.
    pub tier: Tier,
    /// The lines that are kept, the headline first.
    pub lines: Vec<String>,
    /// What it names, if it is a summary.
    pub name: Option<String>,
    /// The part that is being read.
    pub part: Part,
    /// Lines that are kept if something follows.
    pub pending: Vec<String>,
    /// Whether a frame of the project was kept.
    pub has_frame: bool,
    /// How many lines were read.
    pub read: usize,
    /// The line of code that failed, until its place is known.
    pub source: String,
    /// Which line gives that code.
    pub source_at: Option<usize>,
    /// Whether a line of the error was read.
    pub has_error: bool,
    /// The indentation of the error.
    pub indent: usize,
    /// How many later failures have the same lines.
    pub alike: usize,
    /// The lines of the output before it, if a program around the runner reports it.
    pub before: Vec<String>,
}

impl Block {
    /// A failure that has only its headline.
    pub fn new(format: usize, begin: &Begin) -> Block {
        Block {
            format,
            tier: begin.tier,
            lines: vec![cut_end(begin.headline.trim_end(), WIDTH)],
            name: begin.name.clone(),
            part: Part::Start,
            pending: Vec::new(),
            has_frame: false,
            read: 0,
            source: String::new(),
            source_at: None,
            has_error: false,
            indent: 0,
            alike: 0,
            before: Vec::new(),
        }
    }

    /// Keeps a line, unless it is blank or there are enough. A place is always kept.
    pub fn keep(&mut self, line: &str) {
        let line = line.trim_end();
        if line.is_empty() {
            return;
        }
        if self.lines.len() == MOST && places::of(line).is_some() {
            self.lines.pop();
        }
        if self.lines.len() < MOST {
            self.lines.push(cut_end(line, WIDTH));
        }
    }

    /// Joins a line to the class of an exception that stands alone on the line before it: `KeyError:`.
    pub fn joins_class(&mut self, line: &str) -> bool {
        let Some(last) = self.lines.iter_mut().skip(1).last() else { return false };
        let class = last.strip_prefix("E ").unwrap_or(last).trim();
        let is_class = class.starts_with(|c: char| c.is_ascii_alphabetic())
            && class.ends_with(':')
            && class.bytes().all(|b| b.is_ascii_alphanumeric() || b":._$".contains(&b))
            && class.contains(char::is_uppercase)
            && ["Error", "Exception", "Failure", "::", "."].iter().any(|part| class.contains(part));
        let joins = is_class && !line.trim().is_empty();
        if joins {
            *last = cut_end(&format!("{last} {}", line.trim()), WIDTH);
        }
        joins
    }

    /// Keeps the pending lines.
    pub fn keep_pending(&mut self) {
        for line in std::mem::take(&mut self.pending) {
            self.keep(&line);
        }
    }

    /// Keeps the first frame that is in the project.
    pub fn frame(&mut self, line: &str) -> Step {
        if self.has_frame || super::frames::is_of_runtime(line) {
            return Step::Drop;
        }
        self.has_frame = true;
        Step::Keep
    }

    /// Keeps a message, and of a diff in it only the lines that differ.
    pub fn message(&mut self, line: &str) -> Step {
        let text = line.trim();
        // Testing Library prints the whole document below its error.
        if text.starts_with("Ignored nodes:") || text.starts_with("Here are the accessible roles:") {
            self.part = Part::Rest;
        }
        if self.part == Part::Rest {
            return Step::Drop;
        }
        let differs = text.starts_with(['+', '-']);
        if text.is_empty() {
            return Step::Drop;
        }
        if is_legend(text) && differs || text.starts_with("Diff:") {
            self.part = Part::Diff;
        }
        if self.part == Part::Diff && !differs { Step::Drop } else { Step::Keep }
    }
}
