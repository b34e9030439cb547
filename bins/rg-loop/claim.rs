//! What the agent claims about its loop: a mark alone on its line, outside of fences, quotations and indentation.

use review_gate::event::marks;
use review_gate::event::{Event, LoopMark, Marks};

/// What the agent's last message claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No mark.
    Nothing,
    /// Marks that contradict each other.
    Contradiction,
    /// `COMPLETE`: the task is done, as the agent claims.
    Complete,
    /// `STUCK`, `MAX_ITERATIONS` or `CANNOT:`, with the reason.
    GaveUp(String),
}

/// The claim of an event's message.
pub fn of(event: &Event) -> Claim {
    claim(&marks::marks(event))
}

fn claim(marks: &Marks) -> Claim {
    match (marks.loop_done.as_slice(), marks.cannot.as_deref()) {
        ([], Some(reason)) => Claim::GaveUp(reason.to_string()),
        ([], None) => Claim::Nothing,
        ([LoopMark::Complete], _) => Claim::Complete,
        ([LoopMark::Stuck], reason) => {
            Claim::GaveUp(reason.unwrap_or("the agent reports that it is stuck").to_string())
        }
        ([LoopMark::MaxIterations], _) => {
            Claim::GaveUp("the agent reports that its iterations are used up".to_string())
        }
        _ => Claim::Contradiction,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_mark_counts_only_alone_on_its_line() {
        let mark = "<loop-done>COMPLETE</loop-done>";
        let gave_up = |text: &str| Claim::GaveUp(text.to_string());
        for (message, want) in [
            (mark.to_string(), Claim::Complete),
            (format!("All is done.\n\n{mark}  \r\nBye."), Claim::Complete),
            (format!("{mark}\n{mark}"), Claim::Complete),
            (format!("It is {mark}"), Claim::Nothing),
            (format!("{mark} now"), Claim::Nothing),
            (format!("`{mark}`"), Claim::Nothing),
            (format!("> {mark}"), Claim::Nothing),
            (format!("  {mark}"), Claim::Nothing),
            (format!("    {mark}"), Claim::Nothing),
            (format!("\t{mark}"), Claim::Nothing),
            (format!("```\n{mark}\n```"), Claim::Nothing),
            (format!("~~~~\n~~~\n{mark}\n~~~~"), Claim::Nothing),
            (format!("```\nnever closed\n{mark}"), Claim::Nothing),
            (format!("```\n```\n{mark}"), Claim::Complete),
            ("<loop-done>complete</loop-done>".into(), Claim::Nothing),
            ("<loop-done> COMPLETE </loop-done>".into(), Claim::Nothing),
            ("<loop-done>DONE</loop-done>".into(), Claim::Nothing),
            (format!("{mark}\n<loop-done>STUCK</loop-done>"), Claim::Contradiction),
            ("<loop-done>STUCK</loop-done>".into(), gave_up("the agent reports that it is stuck")),
            ("<loop-done>STUCK</loop-done>\nCANNOT: no network".into(), gave_up("no network")),
            (
                "<loop-done>MAX_ITERATIONS</loop-done>".into(),
                gave_up("the agent reports that its iterations are used up"),
            ),
            ("CANNOT: no network".into(), gave_up("no network")),
            (String::new(), Claim::Nothing),
        ] {
            assert_eq!(claim(&marks::marks_of(&message)), want, "{message:?}");
        }
    }

    proptest! {
        #[test]
        fn any_message_is_read_without_harm(message in "[\\PC\n`~<>/ ]{0,300}") {
            claim(&marks::marks_of(&message));
        }
    }
}
