//! Lays out a summary as text: at most 1,536 bytes for the agent, or all of it. Lines with a command come first; the other parts are
//! shortened in a fixed order until the text fits.

use crate::summary::{Summary, first_sentence};
use review_gate::store::record::FileList;
use review_gate::sys::text::count;

/// The maximum length of the agent's summary, in bytes.
pub const LIMIT: usize = 1_536;

/// A part that can be shortened.
struct Part {
    title: &'static str,
    lines: Vec<String>,
    /// How many lines there are in all; `lines` may hold fewer.
    count: usize,
}

/// The order in which parts are shortened: the index of each, and to how many lines. A second pass shortens them to none.
const SHORTENING: [(usize, usize); 6] = [(5, 3), (4, 3), (3, 3), (2, 2), (1, 5), (0, 1)];

/// The agent's summary after its context was loss; `loss` is the source of the session's start.
pub fn short(summary: &Summary, loss: &str) -> String {
    let loss = match loss {
        "compact" => "compacted",
        "clear" => "cleared",
        _ => "resumed",
    };
    let head = head(summary, loss, 300);
    let parts = parts(summary, 110);
    let mut shown: Vec<usize> = parts.iter().map(|part| part.lines.len()).collect();
    let order = SHORTENING.iter().copied().chain(SHORTENING.iter().map(|(part, _)| (*part, 0)));
    for (part, least) in order {
        while shown[part] > least && head.len() + body(&parts, &shown).len() > LIMIT {
            shown[part] -= 1;
        }
    }
    // Long names can make the head alone exceed the limit.
    cut(&(head + &body(&parts, &shown)), LIMIT)
}

/// The whole summary, for the user.
pub fn whole(summary: &Summary) -> String {
    let parts = parts(summary, 500);
    let shown: Vec<usize> = parts.iter().map(|part| part.lines.len()).collect();
    head(summary, "", 2_000) + &body(&parts, &shown)
}

/// The lines that are always shown: the goal's first sentence, the next command, and a command for everything else.
fn head(summary: &Summary, loss: &str, width: usize) -> String {
    let task = &summary.task;
    let goal = match summary.goal.as_str() {
        "" => "unknown: no prompt of the user is on record".to_string(),
        goal => cut(&first_sentence(goal), width),
    };
    let (next, why) = summary.next();
    let mut lines = Vec::new();
    if !loss.is_empty() {
        lines.push(format!("review-gate: this conversation was {loss} during a task. From the task's records:"));
    }
    lines.push(format!("Goal: {goal}"));
    lines.push(format!("Next: {next} ({why})"));
    let bytes: usize = summary.prompts.iter().map(String::len).sum();
    lines.push(format!("- the user's prompts ({bytes} bytes): rg-anchor show --prompts --task {task}"));
    lines.push(format!("- the whole summary: rg-anchor show --task {task}"));
    if let Some((outcome, receipt)) = &summary.outcome {
        let round = if summary.round.is_empty() { String::new() } else { format!(", {}", summary.round) };
        let open = count(summary.open.len(), "open finding");
        lines.push(format!("- {outcome}{round}, {open}: rg-receipt show {}", cut(receipt, 40)));
    }
    if !summary.looping.is_empty() {
        lines.push(format!("- loop: {}; its task: rg-loop show --prompt --task {task}", summary.looping));
    }
    if !summary.review.is_empty() {
        lines.push(format!("- {}: rg-review-state show --task {task}", summary.review));
    }
    let tree = &summary.tree;
    if let Some(top) = &tree.top {
        let branch = match (&tree.branch, &tree.head) {
            (Some(branch), _) => format!("branch {}", cut(branch, 80)),
            (None, Some(head)) => format!("detached at {}", cut(head, 12)),
            (None, None) => "no branch".to_string(),
        };
        let top = cut(top, if loss.is_empty() { 4_096 } else { 120 });
        let (staged, unstaged, untracked) = (tree.staged.count, tree.unstaged.count, tree.untracked.count);
        lines.push(format!(
            "- {branch} in {top}: {staged} staged, {unstaged} changed, {untracked} untracked: git status --short"
        ));
    }
    if let Some(since) =
        summary.since.as_ref().filter(|since| tree.head.as_ref() != Some(*since) && tree.head.is_some())
    {
        lines.push(format!("- commits of this task: git log --oneline {}..", since.get(..12).unwrap_or(since)));
    }
    lines.join("\n") + "\n"
}

/// The parts that can be shortened.
fn parts(summary: &Summary, width: usize) -> Vec<Part> {
    let tree = &summary.tree;
    let of = |title, lines: &[String]| Part {
        title,
        lines: lines.iter().map(|line| cut(line, width)).collect(),
        count: lines.len(),
    };
    let listed = |title, listed: &FileList| Part { count: listed.count, ..of(title, &listed.first) };
    let last = summary.prompts.last().map(|prompt| first_sentence(prompt));
    let last: Vec<String> = last.filter(|last| *last != first_sentence(&summary.goal)).into_iter().collect();
    vec![
        Part { lines: last.iter().map(|text| cut(text, width * 2)).collect(), ..of("the user's last prompt", &last) },
        of("open findings", &summary.open),
        of("last commits", &tree.commits),
        listed("staged", &tree.staged),
        listed("changed", &tree.unstaged),
        listed("untracked", &tree.untracked),
    ]
}

fn body(parts: &[Part], shown: &[usize]) -> String {
    let mut out = String::new();
    for (part, shown) in parts.iter().zip(shown).filter(|(_, shown)| **shown > 0) {
        let of = if *shown < part.count { format!(" ({shown} of {})", part.count) } else { String::new() };
        out.push_str(&format!("{}{of}:\n", part.title));
        part.lines[..*shown].iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    out
}

/// Cuts a text to at most `limit` bytes, with an ellipsis at the end.
fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_string();
    }
    let mut end = limit.saturating_sub('…'.len_utf8());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use review_gate::event::Outcome;
    use review_gate::store::record::TreeState;

    fn listed(names: &[String], count: usize) -> FileList {
        FileList { count, first: names.to_vec() }
    }

    proptest! {
        /// For all names, prompts and findings: the text is within the limit and has the goal and the next command.
        #[test]
        fn a_short_summary_is_within_the_limit_and_has_its_head(
            goal in "\\PC{1,2000}",
            names in proptest::collection::vec("\\PC{0,300}", 0..60),
            top in "\\PC{0,4000}",
            branch in "\\PC{1,300}",
        ) {
            let head = Some("f".repeat(64));
            let tree = TreeState {
                top: Some(review_gate::sys::text::one_line(&top)), branch: Some(branch), head, commits: names.clone(), staged: listed(&names, 10_000),
                unstaged: listed(&names, 100_000), untracked: listed(&names, 1_000_000),
            };
            let summary = Summary {
                task: "0".repeat(26), goal: goal.clone(), prompts: vec![goal.clone(), goal.clone()], outcome: Some((Outcome::NotDone, "0".repeat(26))),
                round: "bounce 19 of 20".into(), open: names, review: "review: rejected, 1000 open issues".into(),
                looping: "iteration 100 of 100, inside 3 other loops".into(), has_definition: true,
                since: Some("0".repeat(64)), tree,
            };
            for loss in ["compact", "resume", "clear"] {
                let text = short(&summary, loss);
                prop_assert!(text.len() <= LIMIT, "{}", text.len());
                prop_assert!(text.contains(&format!("Goal: {}", cut(&first_sentence(&goal), 300))), "{text}");
                prop_assert!(text.contains("Next: rg-receipt show 0000"), "{text}");
                prop_assert!(text.contains("git status --short") && text.contains("git log --oneline"), "{text}");
            }
        }
    }
}
