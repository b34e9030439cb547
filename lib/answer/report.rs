//! The reports for users and scripts: text, Markdown, JSON and GitHub's workflow commands.

use super::reason::{how_it_ended, place, rest_of_output};
use super::{way_out, why, why_below_findings};
use crate::donefile::{self, SKELETON};
use crate::event::outcome::Ruling;
use crate::event::{CheckEnd, Event, Level, Outcome, Rule, Stage};
use crate::evidence::TestRun;
use crate::excerpt;
use crate::sys::exit::Exit;
use crate::sys::text::{count, cut_end, one_line};
use serde_json::json;

/// Adds terminal colours if they are on.
struct Paint {
    is_on: bool,
}

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.is_on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
    }

    fn outcome(&self, word: Outcome) -> String {
        let code = match word {
            Outcome::Done => "1;32",
            Outcome::NotDone | Outcome::Abandoned => "1;31",
            Outcome::Unverified | Outcome::Waived => "1;33",
        };
        self.with(code, word.word())
    }

    fn level(&self, level: Level) -> String {
        let code = match level {
            Level::Error | Level::Tampered => "31",
            Level::Inconclusive | Level::Warning => "33",
            Level::Note => "2",
        };
        self.with(code, level.word())
    }
}

/// Lines for a terminal. A finding is `path:line: level: text`, which editors can parse.
pub fn text(event: &Event, ruling: Option<Ruling>, notice: &str, color: bool) -> String {
    let paint = Paint { is_on: color };
    let Some(ruling) = ruling else {
        let notice = if notice.is_empty() { String::new() } else { format!("{notice}\n") };
        let context = event.context().iter().map(|note| format!("{}\n", note.text)).collect::<String>();
        return notice + &context;
    };
    let mut out = String::new();
    for check in event.checks() {
        let mark = match check.ended {
            CheckEnd::Passed if !check.is_flaky() => paint.with("32", "ok  "),
            _ if check.is_green() => paint.with("33", "ok  "),
            CheckEnd::NotRun => paint.with("33", "--  "),
            _ => paint.with("31", "fail"),
        };
        let age = check
            .replayed_at
            .map_or(String::new(), |at| format!("; cached, {} ago", crate::sys::clock::human(event.at.since(at))));
        let ran = check.tests.as_ref().map_or(String::new(), |tests| format!("; {}", tests_line(tests)));
        out.push_str(&format!("{mark} {}: {}{ran}{age}\n", one_line(&check.name), how_it_ended(check)));
        if check.ended != CheckEnd::Passed || check.is_flaky() {
            let check = check.failed_tries.first().filter(|_| check.is_flaky()).unwrap_or(check);
            let (lines, left_out) = excerpt::lines(check.excerpt.as_ref(), &check.tail, excerpt::LINES, excerpt::WIDTH);
            for line in &lines {
                out.push_str(&format!("     {} {line}\n", paint.with("2", "|")));
            }
            if let Some(rest) = rest_of_output(check, lines.len(), left_out) {
                out.push_str(&format!("     {}\n", paint.with("2", &rest)));
            }
        }
    }
    for finding in event.findings().iter().filter(|finding| finding.rule != Rule::CheckFailed) {
        let (text, rule) = (one_line(&finding.text), paint.with("2", &format!("[{}]", finding.rule)));
        out.push_str(&format!("{}{}: {text} {rule}\n", place(finding), paint.level(finding.level)));
    }
    match ruling.outcome {
        Some(word) => {
            let lowered = if ruling.status == Exit::Tampered { " (tampering)" } else { "" };
            let round = event.bounce().filter(|b| ruling.is_blocked && b.of > 0);
            let round = round.map_or(String::new(), |bounce| format!(", bounce {} of {}", bounce.n, bounce.of));
            // rg-tamper alone does not make work done.
            let is_tamper_only =
                word == Outcome::Done && event.verdicts().iter().all(|judged| judged.by == Stage::Tamper);
            let word_shown = if is_tamper_only { paint.with("32", "clean") } else { paint.outcome(word) };
            out.push_str(&format!(
                "{}{lowered}{round}: {}\n",
                word_shown,
                cut_end(&one_line(&why_below_findings(event, word)), 400)
            ));
        }
        None if ruling.status == Exit::Usage => {
            out.push_str(&format!("nothing to judge: {}\n", why_nothing(event, ruling)));
        }
        None => out.push_str(&format!("nothing to check: {}\n", one_line(&why_nothing(event, ruling)))),
    }
    if let Some(id) = event.receipt() {
        out.push_str(&paint.with("2", &format!("receipt {id}\n")));
    }
    if ruling.status == Exit::Tampered && event.receipt().is_some() && event.task.is_some() && ruling.is_blocked {
        out.push_str(&format!("{}\n", way_out(event)));
    }
    out
}

/// An example of a DONE.md if there is none, for a user at a terminal.
pub fn skeleton(event: &Event, ruling: Option<Ruling>) -> &'static str {
    let is_missing = ruling.is_some_and(|ruling| ruling.outcome.is_none() && ruling.status == Exit::Usage);
    if is_missing && !donefile::find(&event.root).is_ok_and(|found| found.is_some()) { SKELETON } else { "" }
}

/// Why there is no outcome.
fn why_nothing(event: &Event, ruling: Ruling) -> String {
    if ruling.status == Exit::Usage {
        return match (&event.against, donefile::find(&event.root)) {
            (None, _) => donefile::absence(&event.root),
            (Some(commit), Ok(Some(found))) => {
                let name = found.name;
                format!("{name} is not committed in {commit}. Commit it: `git add {name} && git commit`")
            }
            (Some(commit), _) => format!("no DONE.md in {commit}. Write one with `rg-init` and commit it"),
        };
    }
    event.verdicts().first().map_or("no file changed since the task began", |judged| judged.why.as_str()).to_string()
}

/// One line with one JSON object, for scripts: the judge, its verdict, the outcome and the findings.
pub fn verdict(event: &Event, ruling: Option<Ruling>, status: Exit) -> String {
    let judged = event.verdicts().first();
    let why = match (judged, ruling) {
        (Some(judged), _) => judged.why.clone(),
        (None, Some(ruling)) => why_nothing(event, ruling),
        (None, None) => String::new(),
    };
    let object = json!({
        "judge": judged.map(|judged| &judged.by),
        "verdict": judged.map(|judged| judged.verdict),
        "why": why,
        "outcome": ruling.and_then(|ruling| ruling.outcome),
        "status": status as u8,
        "root": event.root,
        "snapshot": event.snapshot(),
        "checks": event.checks(),
        "findings": event.findings(),
        "review": event.review(),
    });
    format!("{object}\n")
}

/// Workflow commands. GitHub shows each one beside its line of the file.
pub fn github(event: &Event) -> String {
    let escaped = |text: &str| one_line(text).replace('%', "%25");
    let property = |text: &str| escaped(text).replace(':', "%3A").replace(',', "%2C");
    let mut out = String::new();
    for finding in event.findings() {
        let command = match finding.level {
            Level::Error | Level::Tampered => "error",
            Level::Inconclusive | Level::Warning => "warning",
            Level::Note => "notice",
        };
        let file = finding.path.as_ref().map_or(String::new(), |path| format!("file={},", property(path)));
        let line = finding.line.map_or(String::new(), |line| format!("line={line},"));
        let title = format!("title=review-gate {}", property(&finding.rule));
        out.push_str(&format!("::{command} {file}{line}{title}::{}\n", escaped(&finding.text)));
    }
    out
}

/// A page: the outcome, a table of the checks, the findings, and the output of failed checks, folded.
pub fn markdown(event: &Event, ruling: Option<Ruling>) -> String {
    let Some(ruling) = ruling else { return String::new() };
    let word = ruling.outcome.map_or("nothing to check", Outcome::word);
    let why = ruling.outcome.map_or(String::new(), |word| format!(": {}", cell(&why(event, word))));
    let mut out = format!("**review-gate: {word}**{why}\n");
    if !event.checks().is_empty() {
        out.push_str("\n| check | result | command |\n| --- | --- | --- |\n");
        for check in event.checks() {
            out.push_str(&format!("| {} | {} | {} |\n", cell(&check.name), how_it_ended(check), code(&check.run)));
        }
    }
    for finding in event.findings().iter().filter(|finding| finding.rule != Rule::CheckFailed) {
        let place = cell(&place(finding));
        let blank = if place.is_empty() { "" } else { " " };
        out.push_str(&format!("\n- {place}{blank}{}: {} ({})", finding.level, cell(&finding.text), finding.rule));
    }
    out.push('\n');
    for check in event.checks().iter().filter(|check| check.ended != CheckEnd::Passed || check.is_flaky()) {
        let check = check.failed_tries.first().filter(|_| check.is_flaky()).unwrap_or(check);
        let (lines, left_out) = excerpt::lines(check.excerpt.as_ref(), &check.tail, excerpt::LINES, excerpt::WIDTH);
        // The output is indented code, because it could close a fence.
        let mut quoted: String = lines.iter().map(|line| format!("    {line}\n")).collect();
        quoted.extend(excerpt::left_out(left_out).map(|rest| format!("\n{rest}\n")));
        out.push_str(&format!("\n<details><summary>{}</summary>\n\n{quoted}\n</details>\n", cell(&check.name)));
    }
    for waiver in event.waivers() {
        out.push_str(&format!(
            "\n- waived: {} ({}, {}, until {})\n",
            cell(&waiver.why),
            cell(&waiver.scope.to_string()),
            cell(&waiver.who),
            waiver.until
        ));
    }
    if !event.not_judged().is_empty() {
        out.push_str(&format!(
            "\nnot judged: {} (this release does not support these parts of DONE.md)\n",
            event.not_judged().join(", ")
        ));
    }
    if let Some(snapshot) = event.snapshot() {
        out.push_str(&format!("\nsnapshot `{}`", snapshot.get(..12).unwrap_or(snapshot)));
    }
    if let Some(id) = event.receipt() {
        out.push_str(&format!(" receipt `{id}`"));
    }
    out.push('\n');
    out
}

/// `250 tests, 3 skipped`
fn tests_line(tests: &TestRun) -> String {
    let skipped = if tests.skipped > 0 { format!(", {} skipped", tests.skipped) } else { String::new() };
    format!("{}{skipped}", count(usize::try_from(tests.executed).unwrap_or(usize::MAX), "test"))
}

/// Escapes a text so that it stays in its table cell and holds no link, image, mention or HTML. Agents write parts of it.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in cut_end(&one_line(text), 300).chars() {
        match c {
            '`' => out.push('\''),
            '&' | '<' | '|' | '@' | '[' | ']' | '\\' => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    // A renderer makes a link of a bare address.
    out.replace("://", ":&#47;&#47;").replace("www.", "www&#46;")
}

fn code(text: &str) -> String {
    format!("`{}`", cut_end(&one_line(text), 120).replace('`', "'").replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_an_agent_holds_no_link_no_mention_and_no_cell() {
        let text = "[here](https://a.example) ![x](www.b.example) <b> @all \\| `c` & d\n| e";
        let shown = cell(text);
        for mark in ["](", "://", "www.", "<", "@", "|", "`", "\n", "\\"] {
            assert!(!shown.contains(mark), "{mark}: {shown}");
        }
        assert!(shown.starts_with("&#91;here&#93;(https:&#47;&#47;a.example) !&#91;x"), "{shown}");
        assert_eq!(cell("2 tests failed: a::b (c)"), "2 tests failed: a::b (c)");
    }
}
