//! The thread in words: at most 1,536 bytes for the agent, or all of it. Pointers come before what they point to; what does not fit
//! goes in a fixed order, and its pointer says how much there is.

use crate::thread::{Thread, first_sentence};
use review_gate::store::record::Listed;
use review_gate::sys::text::count;

/// The most bytes that a client is given.
pub const LIMIT: usize = 1_536;

/// One part of what may be left out.
struct Part {
    title: &'static str,
    lines: Vec<String>,
    /// In all, where not every one is at hand.
    count: usize,
}

/// In which order parts give way, by their place below, and down to how many lines; then the same down to none.
const GIVES_WAY: [(usize, usize); 6] = [(5, 3), (4, 3), (3, 3), (2, 2), (1, 5), (0, 1)];

/// What is handed back after the agent lost what it knew, in that way.
pub fn short(thread: &Thread, lost: &str) -> String {
    let lost = match lost {
        "compact" => "compacted",
        "clear" => "cleared",
        _ => "resumed",
    };
    let head = head(thread, lost, 300);
    let parts = parts(thread, 110);
    let mut shown: Vec<usize> = parts.iter().map(|part| part.lines.len()).collect();
    let order = GIVES_WAY.iter().copied().chain(GIVES_WAY.iter().map(|(part, _)| (*part, 0)));
    for (part, least) in order {
        while shown[part] > least && head.len() + body(&parts, &shown).len() > LIMIT {
            shown[part] -= 1;
        }
    }
    // Whatever the names in it: the head comes first, and nothing goes beyond the limit.
    cut(&(head + &body(&parts, &shown)), LIMIT)
}

/// All of it, for people.
pub fn whole(thread: &Thread) -> String {
    let parts = parts(thread, 500);
    let shown: Vec<usize> = parts.iter().map(|part| part.lines.len()).collect();
    head(thread, "", 2_000) + &body(&parts, &shown)
}

/// What always stands: the goal's first sentence, the next command, and a pointer to everything else.
fn head(thread: &Thread, lost: &str, width: usize) -> String {
    let task = &thread.task;
    let goal = match thread.goal.as_str() {
        "" => "not on record: no prompt of a person was seen".to_string(),
        goal => cut(&first_sentence(goal), width),
    };
    let (next, why) = thread.next();
    let mut lines = Vec::new();
    if !lost.is_empty() {
        lines.push(format!("review-gate: this conversation was {lost} amid a task. What stands, from the record:"));
    }
    lines.push(format!("Goal: {goal}"));
    lines.push(format!("Next: {next} ({why})"));
    let bytes: usize = thread.prompts.iter().map(String::len).sum();
    lines.push(format!("- the person's words ({bytes} bytes): rg-anchor show --prompts --task {task}"));
    lines.push(format!("- all of this: rg-anchor show --task {task}"));
    if let Some((word, receipt)) = &thread.word {
        let round = if thread.round.is_empty() { String::new() } else { format!(", {}", thread.round) };
        let open = count(thread.open.len(), "open finding");
        lines.push(format!("- {word}{round}, {open}: rg-receipt show {}", cut(receipt, 40)));
    }
    if !thread.looping.is_empty() {
        lines.push(format!("- loop: {}; its task: rg-loop show --prompt --task {task}", thread.looping));
    }
    if !thread.review.is_empty() {
        lines.push(format!("- {}: rg-review-state show --task {task}", thread.review));
    }
    let tree = &thread.tree;
    if let Some(top) = &tree.top {
        let branch = match (&tree.branch, &tree.head) {
            (Some(branch), _) => format!("branch {}", cut(branch, 80)),
            (None, Some(head)) => format!("detached at {}", cut(head, 12)),
            (None, None) => "no branch".to_string(),
        };
        let top = cut(top, if lost.is_empty() { 4_096 } else { 120 });
        let (staged, unstaged, untracked) = (tree.staged.count, tree.unstaged.count, tree.untracked.count);
        lines.push(format!(
            "- {branch} in {top}: {staged} staged, {unstaged} changed, {untracked} untracked: git status --short"
        ));
    }
    if let Some(since) = thread.since.as_ref().filter(|since| tree.head.as_ref() != Some(*since) && tree.head.is_some())
    {
        lines.push(format!("- commits of this task: git log --oneline {}..", since.get(..12).unwrap_or(since)));
    }
    lines.join("\n") + "\n"
}

/// What may give way, the last first.
fn parts(thread: &Thread, width: usize) -> Vec<Part> {
    let tree = &thread.tree;
    let of = |title, lines: &[String]| Part {
        title,
        lines: lines.iter().map(|line| cut(line, width)).collect(),
        count: lines.len(),
    };
    let listed = |title, listed: &Listed| Part { count: listed.count, ..of(title, &listed.first) };
    let last = thread.prompts.last().map(|prompt| first_sentence(prompt));
    let last: Vec<String> = last.filter(|last| *last != first_sentence(&thread.goal)).into_iter().collect();
    vec![
        Part { lines: last.iter().map(|text| cut(text, width * 2)).collect(), ..of("the person said last", &last) },
        of("open", &thread.open),
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

/// At most `limit` bytes, an ellipsis standing for the rest.
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

    fn listed(names: &[String], count: usize) -> Listed {
        Listed { count, first: names.to_vec() }
    }

    proptest! {
        /// Whatever the names, the prompts and the findings are: the limit holds, the goal and the next command stand.
        #[test]
        fn the_limit_holds_and_what_must_stand_stands(
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
            let thread = Thread {
                task: "0".repeat(26), goal: goal.clone(), prompts: vec![goal.clone(), goal.clone()], word: Some((Outcome::NotDone, "0".repeat(26))),
                round: "round 19 of 20".into(), open: names, review: "review: rejected, 1000 open issues".into(),
                looping: "iteration 100 of 100, in 3 others".into(), is_judged: true,
                since: Some("0".repeat(64)), tree,
            };
            for lost in ["compact", "resume", "clear"] {
                let text = short(&thread, lost);
                prop_assert!(text.len() <= LIMIT, "{}", text.len());
                prop_assert!(text.contains(&format!("Goal: {}", cut(&first_sentence(&goal), 300))), "{text}");
                prop_assert!(text.contains("Next: rg-receipt show 0000"), "{text}");
                prop_assert!(text.contains("git status --short") && text.contains("git log --oneline"), "{text}");
            }
        }
    }
}
