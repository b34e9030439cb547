//! The summary of a task: its goal, the last decision, and what is open. A fold over the task's journal and its last receipt.

use crate::tree;
use review_gate::event::{Action, Actor, Loop, Outcome};
use review_gate::review::record::Reviews;
use review_gate::store::loops;
use review_gate::store::loops::stack::Stack;
use review_gate::store::open_findings::{self, LastJudgement};
use review_gate::store::record::{OpenFinding, TreeState};
use review_gate::store::task::Task;
use review_gate::sys::text::{count, cut_end, one_line};
use std::collections::HashSet;

/// The sigils that are followed by a task.
const SIGILS: [&str; 6] = ["#review", "#alice", "#idle", "/review-gate:review", "#loop", "/review-gate:loop"];

/// How many characters of a prompt are searched for its first sentence.
const SEARCHED: usize = 8_000;

/// After this many characters a sentence may also end before a small letter.
const LONG: usize = 20;

/// Abbreviations that end with a full stop.
const ABBREVIATIONS: [&str; 9] = ["approx", "cf", "dr", "incl", "mr", "mrs", "resp", "st", "vs"];

/// What an agent must know to continue a task.
pub struct Summary {
    /// The id of the task.
    pub task: String,
    /// The task of the user's innermost loop, else the user's first prompt; empty if there is none.
    pub goal: String,
    /// The user's prompts, in order, without sigils.
    pub prompts: Vec<String>,
    /// The last outcome, and its receipt.
    pub outcome: Option<(Outcome, String)>,
    /// `bounce 2 of 3`, if the agent was bounced; else empty.
    pub round: String,
    /// The open findings, a line each.
    pub open: Vec<String>,
    /// The state of the review; empty if none was requested.
    pub review: String,
    /// `iteration 2 of 10`, and how many loops are around it; empty without a loop.
    pub looping: String,
    /// Whether there is a definition of done.
    pub has_definition: bool,
    /// The commit at the begin of the task.
    pub since: Option<String>,
    /// The working tree.
    pub tree: TreeState,
}

impl Summary {
    /// The summary of a task.
    pub fn of(task: &Task) -> Summary {
        let texts = task.prompts.of_user().map(|(_, prompt)| without_sigils(&task.prompt_text(prompt)));
        let mut prompts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        if prompts.is_empty() {
            // The prompts hold only sigils, so these are shown.
            prompts.extend(task.prompts.of_user().map(|(_, prompt)| prompt.text.trim().to_string()));
        }
        // A judgement during a loop writes no receipt, and replaces an earlier one.
        let last = match open_findings::last(task) {
            Some(LastJudgement::Sealed(sealed)) => Some(sealed),
            Some(LastJudgement::Step(_)) | None => None,
        };
        let outcome = last.map(|sealed| (sealed.outcome, sealed.receipt.clone()));
        let bounce = last.filter(|sealed| sealed.reply == Action::Block).and_then(|sealed| sealed.bounce.as_ref());
        let reviews = Reviews::of(Some(task));
        let mut open = open_findings::open(task);
        let raised = reviews.open_issues();
        let known: HashSet<String> = open.iter().map(|open| open.key.clone()).collect();
        let issues = raised.iter().filter(|issue| !known.contains(&issue.key));
        open.extend(issues.map(|issue| OpenFinding {
            key: issue.key.clone(),
            text: open_findings::placed(&issue.path, issue.line, &issue.description),
        }));
        let standing = reviews.counting().next_back().map(|given| given.standing.word());
        let review = match (standing, task.prompts.is_review_asked()) {
            (Some(standing), _) => format!("review: {standing}, {} open", count(raised.len(), "issue")),
            (None, Some(true)) => "review: requested, no decision yet".to_string(),
            (None, _) => String::new(),
        };
        // A loop in which nothing happened for hours no longer counts.
        let stack = Stack::of(&task.journal);
        let is_alive = stack.frames.last().is_some_and(|top| loops::longest_silence(task, top).is_none());
        let looping = stack.summary().filter(|top| is_alive && !top.frame.is_empty());
        let around = |top: &Loop| match top.depth {
            0 | 1 => String::new(),
            depth => format!(", inside {}", count(depth as usize - 1, "other loop")),
        };
        // The goal comes from the user: a loop that the agent began has none.
        let frame = stack.frames.iter().rfind(|frame| frame.begin.by == Actor::User && stack.wrong.is_none());
        let loop_task = frame.and_then(|frame| String::from_utf8(task.state.read_blob(&frame.begin.prompt).ok()?).ok());
        Summary {
            looping: looping
                .map_or(String::new(), |top| format!("iteration {} of {}{}", top.iteration, top.of, around(&top))),
            task: task.id.clone(),
            goal: loop_task.or(prompts.first().cloned()).unwrap_or_default(),
            prompts,
            outcome,
            round: bounce.map_or(String::new(), |bounce| format!("bounce {} of {}", bounce.n, bounce.of)),
            open: open.into_iter().map(|open| open.text).collect(),
            review,
            has_definition: task.begin.donefile.is_some(),
            since: task.begin.head.clone(),
            tree: tree::now_or_recorded(task),
        }
    }

    /// The next command, and what it does.
    pub fn next(&self) -> (String, &'static str) {
        match &self.outcome {
            Some((Outcome::NotDone | Outcome::Abandoned | Outcome::Unverified, receipt)) => {
                (format!("rg-receipt show {}", cut_end(receipt, 40)), "shows what is open; fix it, then finish again")
            }
            _ if !self.review.is_empty() && tree::changed(&self.tree) > 0 => {
                (format!("rg-review-state show --task {}", self.task), "shows the review")
            }
            _ if self.has_definition => ("rg-check --now".to_string(), "runs the checks"),
            _ if self.tree.head.is_some() => ("git status --short".to_string(), "shows the changed files"),
            _ => (format!("rg-anchor show --task {}", self.task), "shows the whole summary"),
        }
    }
}

/// A prompt without its sigils.
fn without_sigils(prompt: &str) -> String {
    let mut lines = Vec::new();
    for line in prompt.lines() {
        let text = line.trim_start();
        let ends = ["#gate:", "#review:", "#loop:", "/review-gate:cancel"];
        if ends.iter().any(|word| text.starts_with(word)) {
            continue;
        }
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let is_sigil = SIGILS.contains(&first.to_ascii_lowercase().trim_end_matches([':', ',']));
        lines.push(if is_sigil { rest } else { line });
    }
    lines.join("\n").trim().to_string()
}

/// A prompt's first sentence, on one line. A heading is joined with the paragraph below it.
pub fn first_sentence(prompt: &str) -> String {
    let mut text = String::new();
    let begin = cut_end(prompt.trim_start(), SEARCHED);
    for part in begin.split("\n\n").map(plain_lines).filter(|part| !part.is_empty()) {
        let is_heading = part.starts_with('#') || part.ends_with(':');
        text.push_str(&part);
        if !is_heading {
            break;
        }
        text.push(' ');
    }
    let marks = text.match_indices(['.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}']);
    let end =
        marks.filter(|(at, mark)| is_end(&text[..*at], mark, &text[at + mark.len()..])).map(|(at, m)| at + m.len());
    text[..end.into_iter().next().unwrap_or(text.len())].trim_end().replace('\n', " ")
}

/// The non-empty lines of a text, without control characters.
fn plain_lines(text: &str) -> String {
    text.lines().map(one_line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Whether a sentence ends at `mark`.
fn is_end(before: &str, mark: &str, after: &str) -> bool {
    let has_text = before.chars().filter(|c| c.is_alphanumeric()).nth(3).is_some();
    if !mark.is_ascii() {
        return has_text;
    }
    let word = before.rsplit([' ', '\n', '(']).next().unwrap_or_default();
    let is_number = word.bytes().all(|b| b.is_ascii_digit());
    let are_letters = |part: &str| part.chars().count() <= 2 && part.chars().all(char::is_alphabetic);
    let is_short = word.contains('.') && word.split('.').all(are_letters);
    let is_known = ABBREVIATIONS.contains(&word.to_ascii_lowercase().as_str());
    let is_last = after.starts_with('\n');
    let is_none = mark == "." && (is_number && !is_last || is_short || is_known);
    let is_long = || before.chars().nth(LONG).is_some();
    let begins = || after.trim_start().starts_with(char::is_uppercase);
    has_text && !is_none && (is_last || after.starts_with(' ') && (begins() || is_long()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_a_sentence() {
        for (prompt, want) in [
            ("Fix the login. Then rest.", "Fix the login."),
            ("# Task\n\nMake it fast! Now.", "# Task Make it fast!"),
            ("Do this:\n\n- one\n- two", "Do this: - one - two"),
            ("e.g. x. y", "e.g. x. y"),
            ("Please see i.e. the docs and fix it.", "Please see i.e. the docs and fix it."),
            (
                "Use any of the known ways (e.g. Python) for it. Then rest.",
                "Use any of the known ways (e.g. Python) for it.",
            ),
            ("Use Python 3. Make it work.", "Use Python 3. Make it work."),
            ("Use Python 3. x of it. Now.", "Use Python 3. x of it."),
            ("Fix src.txt. Then rest.", "Fix src.txt."),
            ("fix it. and soon", "fix it. and soon"),
            ("fix\nit.\nand soon", "fix it."),
            ("Use Python 3.\nmake it work.", "Use Python 3."),
            ("See i.e.\nthe docs.", "See i.e. the docs."),
            ("make the login work on mobile. then rest", "make the login work on mobile."),
            ("Is issue 42? Then fix it.", "Is issue 42?"),
            (
                "\u{4fee}\u{590d}\u{767b}\u{5f55}\u{3002}\u{7136}\u{540e}\u{4f11}\u{606f}\u{3002}",
                "\u{4fee}\u{590d}\u{767b}\u{5f55}\u{3002}",
            ),
            ("upgrade to 2.5.1 please", "upgrade to 2.5.1 please"),
            ("", ""),
            ("\n\n#\n\n", "#"),
        ] {
            assert_eq!(first_sentence(prompt), want, "{prompt:?}");
        }
    }

    #[test]
    fn sigils_are_not_part_of_the_goal() {
        for (prompt, want) in [
            ("#review add it", "add it"),
            ("#gate:off\nadd it\n#review:stop", "add it"),
            ("/review-gate:review  add it", "add it"),
            ("#123 is broken", "#123 is broken"),
            ("#gate:on", ""),
            ("#loop do it", "do it"),
            ("#loop:stop", ""),
        ] {
            assert_eq!(without_sigils(prompt), want);
        }
    }
}
