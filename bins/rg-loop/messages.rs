//! Messages for the agent: the worktree, the iteration, the task, and how the loop ends.

use crate::frame;
use review_gate::git::Repository;
use review_gate::store::loops::stack::{Frame, IterationState};
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::sys::text::{count, cut_end, one_line};

/// How much of the task's text is repeated each time, in characters.
const SHOWN: usize = 1_500;

/// How a loop ends.
const END: &str = "When the task is done, write <loop-done>COMPLETE</loop-done> on a line of its own, unquoted. Your work is then checked \
                   against the definition of done. If you cannot continue, write <loop-done>STUCK</loop-done> on a line of its own and \
                   explain why.";

/// The context for the agent as a loop starts.
pub fn start_message(task: &Task, frame: &Frame) -> String {
    let context = worktree_line(frame);
    let max = count(frame.begin.max as usize, "iteration");
    format!(
        "review-gate: this is a loop of at most {max}. Until the task is done, your stops are bounced to continue it. {END}\n{context}\n{}",
        client_limit(frame, task)
    )
}

/// A warning about the client's own limit, which the client does not mention.
fn client_limit(frame: &Frame, task: &Task) -> String {
    let caps = task.begin.client == review_gate::event::Client::Claude && frame.begin.max > 8;
    let text = "Use tools in each iteration: after 8 answers in a row without a tool call the client ends the turn by itself \
                (CLAUDE_CODE_STOP_HOOK_BLOCK_CAP raises this limit).";
    if caps { text.to_string() } else { String::new() }
}

/// The reason of the bounce into the next iteration. `frame` is the loop at the iteration that ends; `before` is text about other
/// events, put first.
pub fn next_message(
    task: &Task,
    frame: &Frame,
    seen: &IterationState,
    before: &str,
    open: &[String],
) -> Result<String> {
    let (n, of) = (frame.iteration + 1, frame.begin.max);
    let last = if n == of { " This is the last iteration." } else { "" };
    let status = status(frame, seen);
    let text = frame::prompt_text(task, frame)?;
    let shown = cut_end(&text, SHOWN);
    let rest = if shown == text {
        String::new()
    } else {
        format!(" ({} bytes; all: rg-loop show --prompt --task {})", text.len(), task.id)
    };
    let open = if open.is_empty() {
        String::new()
    } else {
        let shown: Vec<String> =
            open.iter().take(5).map(|text| format!("\n- {}", cut_end(&one_line(text), 160))).collect();
        format!("\nOpen findings ({}):{}", open.len(), shown.concat())
    };
    Ok(format!(
        "{before}[iteration {n} of {of}] Continue the task below.{last}\n{END}\n{}\nStatus: {status}.{open}\nThe task{rest}:\n{shown}",
        worktree_line(frame)
    ))
}

/// The worktree, its branch and its base. The path is absolute, because the agent's current directory may change.
fn worktree_line(frame: &Frame) -> String {
    let top = one_line(&frame.begin.worktree.to_string_lossy());
    // The branch may have changed since the loop started.
    let branch = Repository::at(&frame.begin.worktree).and_then(|repository| repository.branch());
    let short = |branch: &str| one_line(branch.strip_prefix("refs/heads/").unwrap_or(branch));
    let branch = branch.map_or(String::new(), |branch| format!(", branch {}", short(&branch)));
    let from = frame.begin.base.as_deref().map(|base| {
        let base = ["refs/heads/", "refs/remotes/"].iter().find_map(|head| base.strip_prefix(head)).unwrap_or(base);
        let is_id = base.len() >= 40 && base.bytes().all(|byte| byte.is_ascii_hexdigit());
        format!(", from {}", if is_id { base.get(..12).unwrap_or(base).to_string() } else { one_line(base) })
    });
    format!(
        "Worktree: {top}{branch}{}. Use absolute paths below it. Files outside of it are not part of the task.",
        from.unwrap_or_default()
    )
}

/// The state of the work, in a few words.
fn status(frame: &Frame, now: &IterationState) -> String {
    let first = frame.seen.first().map(|seen| seen.snapshot.as_str()).unwrap_or_default();
    let unchanged = unchanged(frame, now);
    match () {
        () if !now.keys.is_empty() => {
            format!("{} when the work was last judged; fix these first", count(now.keys.len(), "open finding"))
        }
        () if unchanged > 0 => {
            format!("nothing changed in {}; after three the loop ends as stuck", count(unchanged, "iteration"))
        }
        () if now.snapshot == first => "no file changed since the loop started".to_string(),
        () => "files changed since the loop started; commit what works".to_string(),
    }
}

/// The number of iterations in a row, including the one that ends now, in which neither a file nor a finding changed. Iterations that
/// waited for other agents do not count.
pub fn unchanged(frame: &Frame, now: &IterationState) -> usize {
    if now.has_helpers {
        return 0;
    }
    let is_same = |seen: &&IterationState| (&seen.snapshot, &seen.keys) == (&now.snapshot, &now.keys);
    frame.seen.iter().rev().take_while(is_same).filter(|seen| !seen.has_helpers).count()
}
