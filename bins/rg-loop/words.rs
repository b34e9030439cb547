//! The words for the agent: where it stands, what it is at, how it ends.

use crate::frame;
use review_gate::git::Repository;
use review_gate::store::loops::stack::{Frame, Seen};
use review_gate::store::task::Task;
use review_gate::sys::error::Result;
use review_gate::sys::text::{count, cut_end, one_line};

/// How much of the task's text is repeated each time, in characters.
const SHOWN: usize = 1_500;

/// How a loop ends.
const END: &str = "When the task is done, say so on a line of its own, unquoted: <loop-done>COMPLETE</loop-done>. It is then held against the \
                   definition of done. When you cannot get on: <loop-done>STUCK</loop-done>, and say why.";

/// What the agent is told as a loop begins.
pub fn begun(task: &Task, frame: &Frame) -> String {
    let context = place(frame);
    let max = count(frame.begin.max as usize, "iteration");
    format!(
        "review-gate: this is a loop of at most {max}: you are sent back to it until it is done. {END}\n{context}\n{}",
        cap(frame, task)
    )
}

/// The client that ends turns by itself says nothing of it: so we do.
fn cap(frame: &Frame, task: &Task) -> String {
    let caps = task.begin.client == review_gate::event::Client::Claude && frame.begin.max > 8;
    let text = "Use tools in each iteration: after 8 answers in a row without any the client ends the turn by itself \
                (CLAUDE_CODE_STOP_HOOK_BLOCK_CAP lifts that).";
    if caps { text.to_string() } else { String::new() }
}

/// What sends the agent into the next iteration; `frame` is the one that it ends. `before` is what happened, where more than that did.
pub fn next(task: &Task, frame: &Frame, seen: &Seen, before: &str, open: &[String]) -> Result<String> {
    let (n, of) = (frame.iteration + 1, frame.begin.max);
    let last = if n == of { " This is the last one." } else { "" };
    let phase = phase(frame, seen);
    let text = frame::text(task, frame)?;
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
        format!("\nOpen ({} in all):{}", open.len(), shown.concat())
    };
    Ok(format!(
        "{before}[iteration {n} of {of}] Go on with the task below.{last}\n{END}\n{}\nSo far: {phase}.{open}\nThe task{rest}:\n{shown}",
        place(frame)
    ))
}

/// Where the work is: nothing that depends on the current directory.
fn place(frame: &Frame) -> String {
    let top = one_line(&frame.begin.worktree.to_string_lossy());
    // Read anew: it may be another one by now.
    let branch = Repository::at(&frame.begin.worktree).and_then(|repository| repository.branch());
    let short = |branch: &str| one_line(branch.strip_prefix("refs/heads/").unwrap_or(branch));
    let branch = branch.map_or(String::new(), |branch| format!(", branch {}", short(&branch)));
    let from = frame.begin.base.as_deref().map(|base| {
        let base = ["refs/heads/", "refs/remotes/"].iter().find_map(|head| base.strip_prefix(head)).unwrap_or(base);
        let is_id = base.len() >= 40 && base.bytes().all(|byte| byte.is_ascii_hexdigit());
        format!(", from {}", if is_id { base.get(..12).unwrap_or(base).to_string() } else { one_line(base) })
    });
    format!(
        "Where: {top}{branch}{}. Use absolute paths below it; nothing outside of it belongs to the task.",
        from.unwrap_or_default()
    )
}

/// How far it is.
fn phase(frame: &Frame, now: &Seen) -> String {
    let first = frame.seen.first().map(|seen| seen.snapshot.as_str()).unwrap_or_default();
    let unchanged = unchanged(frame, now);
    match () {
        () if !now.keys.is_empty() => {
            format!("{} at the last judgement: settle them", count(now.keys.len(), "open finding"))
        }
        () if unchanged > 0 => {
            format!("nothing changed in {}; after three it is taken as stuck", count(unchanged, "iteration"))
        }
        () if now.snapshot == first => "the files are as the loop found them".to_string(),
        () => "files changed since the loop began; commit what is good".to_string(),
    }
}

/// In how many iterations, the one that ends now counted, neither a file nor a finding changed. Those that waited for other agents
/// count for nothing.
pub fn unchanged(frame: &Frame, now: &Seen) -> usize {
    if now.has_helpers {
        return 0;
    }
    let is_same = |seen: &&Seen| (&seen.snapshot, &seen.keys) == (&now.snapshot, &now.keys);
    frame.seen.iter().rev().take_while(is_same).filter(|seen| !seen.has_helpers).count()
}
