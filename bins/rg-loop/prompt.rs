//! `mark` at a prompt: what a person says of loops. rg-event has found out whose words they are, and noted it in the journal.

use crate::frame::{self, Wanted};
use crate::{TOOL, words};
use review_gate::basis::Basis;
use review_gate::error::Result;
use review_gate::event::{By, Event, Said};
use review_gate::frames::Stack;
use review_gate::task::Task;

/// The words that ask for a loop, each the first of its line.
const ASK: [&str; 2] = ["#loop", "/review-gate:loop"];

/// The words that end it.
const END: [&str; 2] = ["#loop:stop", "/review-gate:cancel"];

/// Whether a prompt may say anything of loops.
pub fn concerns(event: &Event) -> bool {
    let text = event.prompt.as_deref().unwrap_or_default();
    event.by == By::Person && event.task.is_some() && ASK.iter().chain(&END).any(|word| text.contains(word))
}

/// Does what it says.
pub fn submitted(event: &mut Event, task: &Task) -> Result<()> {
    let last = task.records.iter().rfind(|record| record.kind == "prompt");
    // The event's own is cut where it is long.
    let prompt = last.map(|prompt| task.prompt_text(prompt)).unwrap_or_default();
    match last.map(|record| record.text("loop")) {
        Some("on") => begin(event, task, &wanted(&prompt)),
        Some("off") => cancel(event, task),
        _ if prompt.lines().any(|line| ASK.contains(&line.trim())) => {
            event.tell(TOOL.name, "review-gate: no loop begins: say what is to be done, #loop TEXT");
        }
        _ => {}
    }
    Ok(())
}

fn begin(event: &mut Event, task: &Task, text: &str) {
    let begun = Basis::of(event)
        .and_then(|basis| frame::begin(event, &basis, task, Wanted { text, max: None, by: By::Person }))
        .map(|frame| (words::begun(task, &frame), frame.max));
    match begun {
        Ok((text, max)) => {
            event.context.push(Said { by: TOOL.name.into(), text });
            event.tell(TOOL.name, format!("review-gate: a loop of at most {max} iterations (to end it: #loop:stop)"));
        }
        Err(error) => event.tell(TOOL.name, format!("review-gate: {error}")),
    }
}

fn cancel(event: &mut Event, task: &Task) {
    let stack = Stack::of(&task.records);
    let text = match (stack.frames.first(), &stack.wrong) {
        (None, None) => "there is no loop to end".to_string(),
        (first, _) => match frame::end_all(task, &stack, "cancelled") {
            Ok(()) => {
                let text = "The person ended the loop. Nobody sends you back to it any more.".to_string();
                event.context.push(Said { by: TOOL.name.into(), text });
                let at = first.map_or(String::new(), |frame| format!(", at iteration {}", frame.iteration));
                format!("the loop ended, as you said{at}")
            }
            Err(error) => format!("the loop could not be ended: {error}"),
        },
    };
    event.tell(TOOL.name, format!("review-gate: {text}"));
}

/// What is to be done: what follows the word, to the prompt's end, without lines that speak to the gate.
fn wanted(prompt: &str) -> String {
    let mut lines = prompt.lines();
    let first = lines.by_ref().find_map(|line| {
        let (word, rest) = line.trim_end().split_once(char::is_whitespace)?;
        ASK.contains(&word.to_ascii_lowercase().as_str()).then(|| rest.trim().to_string())
    });
    let is_sigil = |line: &&str| ["#gate:", "#review:", "#loop:"].iter().any(|sigil| line.starts_with(sigil));
    let rest = lines.filter(|line| !is_sigil(line));
    first.into_iter().chain(rest.map(str::to_string)).collect::<Vec<_>>().join("\n").trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_done_follows_the_word() {
        for (prompt, want) in [
            ("#loop do X", "do X"),
            ("/review-gate:loop  do X\n\n  and Y\n", "do X\n\n  and Y"),
            ("#review\n#Loop do X\n#gate:on\nand Y", "do X\nand Y"),
            ("before\n#loop do X", "do X"),
            ("as it says:\n    #loop that\n#loop this", "this"),
            ("nothing", ""),
        ] {
            assert_eq!(wanted(prompt), want, "{prompt:?}");
        }
    }
}
