//! What the agent says of its loop: a mark alone on its line, outside of fences, quotations and indentation.

use review_gate::event::marks;
use review_gate::event::{Event, LoopMark, Marks};

/// What its last message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// No mark.
    Nothing,
    /// Marks that contradict each other: nobody can tell what is meant.
    Both,
    /// `COMPLETE`: the task is done, as far as the agent can tell.
    Complete,
    /// `STUCK`, `MAX_ITERATIONS` or the honest `CANNOT:`, in words.
    GaveUp(String),
}

/// The mark of an event's message.
pub fn of(event: &Event) -> Said {
    meant(&marks::marks(event))
}

fn meant(marks: &Marks) -> Said {
    match (marks.loop_done.as_slice(), marks.cannot.as_deref()) {
        ([], Some(reason)) => Said::GaveUp(reason.to_string()),
        ([], None) => Said::Nothing,
        ([LoopMark::Complete], _) => Said::Complete,
        ([LoopMark::Stuck], reason) => Said::GaveUp(reason.unwrap_or("the agent says that it is stuck").to_string()),
        ([LoopMark::MaxIterations], _) => Said::GaveUp("the agent says that its iterations are spent".to_string()),
        _ => Said::Both,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_mark_stands_alone_on_its_line() {
        let mark = "<loop-done>COMPLETE</loop-done>";
        let gave_up = |text: &str| Said::GaveUp(text.to_string());
        for (message, want) in [
            (mark.to_string(), Said::Complete),
            (format!("All is done.\n\n{mark}  \r\nBye."), Said::Complete),
            (format!("{mark}\n{mark}"), Said::Complete),
            (format!("It is {mark}"), Said::Nothing),
            (format!("{mark} now"), Said::Nothing),
            (format!("`{mark}`"), Said::Nothing),
            (format!("> {mark}"), Said::Nothing),
            (format!("  {mark}"), Said::Nothing),
            (format!("    {mark}"), Said::Nothing),
            (format!("\t{mark}"), Said::Nothing),
            (format!("```\n{mark}\n```"), Said::Nothing),
            (format!("~~~~\n~~~\n{mark}\n~~~~"), Said::Nothing),
            (format!("```\nnever closed\n{mark}"), Said::Nothing),
            (format!("```\n```\n{mark}"), Said::Complete),
            ("<loop-done>complete</loop-done>".into(), Said::Nothing),
            ("<loop-done> COMPLETE </loop-done>".into(), Said::Nothing),
            ("<loop-done>DONE</loop-done>".into(), Said::Nothing),
            (format!("{mark}\n<loop-done>STUCK</loop-done>"), Said::Both),
            ("<loop-done>STUCK</loop-done>".into(), gave_up("the agent says that it is stuck")),
            ("<loop-done>STUCK</loop-done>\nCANNOT: no network".into(), gave_up("no network")),
            ("<loop-done>MAX_ITERATIONS</loop-done>".into(), gave_up("the agent says that its iterations are spent")),
            ("CANNOT: no network".into(), gave_up("no network")),
            (String::new(), Said::Nothing),
        ] {
            assert_eq!(meant(&marks::marks_of(&message)), want, "{message:?}");
        }
    }

    proptest! {
        #[test]
        fn any_message_is_read_without_harm(message in "[\\PC\n`~<>/ ]{0,300}") {
            meant(&marks::marks_of(&message));
        }
    }
}
