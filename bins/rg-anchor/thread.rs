//! The thread: what was asked for, what was decided, what is open. A fold over the task's journal and its last receipt.

use crate::tree::Tree;
use review_gate::event::{Bounce, By, Loop, Outcome};
use review_gate::journal::Record;
use review_gate::left;
use review_gate::loops;
use review_gate::review::record::Reviews;
use review_gate::task::Task;
use review_gate::text::{count, cut_end, one_line};

/// What a person's prompt says to the gate at its beginning.
const SIGILS: [&str; 6] = ["#review", "#alice", "#idle", "/review-gate:review", "#loop", "/review-gate:loop"];

/// Everything that an agent must know to go on.
pub struct Thread {
    /// The task.
    pub task: String,
    /// What persons said, in order, without their words to the gate.
    pub prompts: Vec<String>,
    /// The last word, and the receipt that says it.
    pub word: Option<(Outcome, String)>,
    /// `round 2 of 3`, where the agent was sent back.
    pub round: String,
    /// What is open, each in a line.
    pub open: Vec<String>,
    /// How the review stands; empty where none was asked for.
    pub review: String,
    /// `iteration 2 of 10`, and in how many others it is; empty without a loop.
    pub looping: String,
    /// There is a definition of done.
    pub is_judged: bool,
    /// The commit at the begin.
    pub since: Option<String>,
    /// The work tree.
    pub tree: Tree,
}

impl Thread {
    /// That of a task.
    pub fn of(task: &Task) -> Thread {
        let by_person = |record: &&Record| record.kind == "prompt" && record.text("by") == By::Person.word();
        let said = task.records.iter().filter(by_person).map(|record| without_sigils(record.text("text")));
        let mut prompts: Vec<String> = said.filter(|text| !text.is_empty()).collect();
        if prompts.is_empty() {
            // Where nothing but words to the gate was said, these are what there is.
            prompts.extend(task.records.iter().filter(by_person).map(|record| record.text("text").trim().to_string()));
        }
        // A judgement amid a loop seals no receipt: what was said before it holds no more.
        let last = left::last(task).filter(|record| record.kind == "receipt");
        let word = last.and_then(|record| Some((record.get("outcome")?, record.text("receipt").to_string())));
        let bounce: Option<Bounce> =
            last.filter(|record| record.text("reply") == "block").and_then(|r| r.get("bounce"));
        let reviews = Reviews::of(Some(task));
        let mut open = left::open(task);
        let raised = reviews.open_issues();
        let is_known = |key: &str| open.iter().any(|(known, _)| known == key);
        let issues = raised.iter().filter(|issue| !is_known(&issue.key));
        let issues: Vec<(String, String)> = issues
            .map(|issue| (issue.key.clone(), left::placed(&issue.path, issue.line, &issue.description)))
            .collect();
        open.extend(issues);
        let standing = reviews.counting().next_back().map(|given| given.standing.word());
        let review = match (standing, task.is_review_asked()) {
            (Some(standing), _) => format!("review: {standing}, {} open", count(raised.len(), "issue")),
            (None, Some(true)) => "review: owed, not given yet".to_string(),
            (None, _) => String::new(),
        };
        // One that nothing happened in for hours holds nobody.
        let stack = loops::of(task).unwrap_or_default();
        let is_alive = stack.frames.last().is_some_and(|top| loops::quiet(task, top).is_none());
        let looping = stack.summary().filter(|top| is_alive && !top.frame.is_empty());
        let within = |top: &Loop| if top.depth > 1 { format!(", in {} others", top.depth - 1) } else { String::new() };
        Thread {
            looping: looping
                .map_or(String::new(), |top| format!("iteration {} of {}{}", top.iteration, top.of, within(&top))),
            task: task.id.clone(),
            prompts,
            word,
            round: bounce.map_or(String::new(), |bounce| format!("round {} of {}", bounce.n, bounce.of)),
            open: open.into_iter().map(|(_, text)| text).collect(),
            review,
            is_judged: task.begin.donefile.is_some(),
            since: task.begin.head.clone(),
            tree: Tree::now_or_kept(task),
        }
    }

    /// The command that shows how to go on, and why that one.
    pub fn next(&self) -> (String, &'static str) {
        match &self.word {
            Some((Outcome::NotDone | Outcome::Abandoned | Outcome::Unverified, receipt)) => {
                (format!("rg-receipt show {}", cut_end(receipt, 40)), "what is open; settle it, then finish again")
            }
            _ if !self.review.is_empty() && self.tree.changed() > 0 => {
                (format!("rg-review-state show --task {}", self.task), "how the review stands")
            }
            _ if self.is_judged => ("rg-check --now".to_string(), "how far the work is from done"),
            _ if self.tree.head.is_some() => ("git status --short".to_string(), "what was changed so far"),
            _ => (format!("rg-anchor show --task {}", self.task), "what was asked for"),
        }
    }
}

/// What is left of a prompt when the words to the gate are taken out.
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

/// A prompt's first sentence, on one line; a heading alone is none.
pub fn first_sentence(prompt: &str) -> String {
    let mut text = String::new();
    for part in prompt.split("\n\n").map(one_line).filter(|part| !part.is_empty()) {
        let is_heading = part.starts_with('#') || part.ends_with(':');
        text.push_str(&part);
        if !is_heading {
            break;
        }
        text.push(' ');
    }
    let ends = text.match_indices(['.', '!', '?', '\u{3002}']);
    let after = |at: usize, mark: &str| at + mark.len();
    let mut ends = ends.map(|(at, mark)| after(at, mark)).filter(|end| {
        text[*end..].starts_with(' ') && text[..*end].chars().filter(|c| c.is_alphanumeric()).count() > 3
    });
    text[..ends.next().unwrap_or(text.len())].trim_end().to_string()
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
            ("upgrade to 2.5.1 please", "upgrade to 2.5.1 please"),
            ("", ""),
            ("\n\n#\n\n", "#"),
        ] {
            assert_eq!(first_sentence(prompt), want, "{prompt:?}");
        }
    }

    #[test]
    fn words_to_the_gate_are_not_the_goal() {
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
