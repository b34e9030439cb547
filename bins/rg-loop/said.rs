//! What the agent says of its loop: a mark alone on its line, outside of fences, quotations and indentation.

use review_gate::text::said_lines;

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

/// The mark of a message.
pub fn of(message: &str) -> Said {
    let mut all: Vec<&str> = Vec::new();
    let mut cannot = None;
    for line in said_lines(message) {
        let line = line.trim_end();
        let word = line.strip_prefix("<loop-done>").and_then(|rest| rest.strip_suffix("</loop-done>"));
        let known = word.filter(|word| ["COMPLETE", "STUCK", "MAX_ITERATIONS"].contains(word));
        all.extend(known.filter(|word| !all.contains(word)));
        let reason = line.trim_start().strip_prefix("CANNOT:").map(str::trim).filter(|reason| !reason.is_empty());
        cannot = cannot.or(reason);
    }
    match (all.as_slice(), cannot) {
        ([], Some(reason)) => Said::GaveUp(reason.to_string()),
        ([], None) => Said::Nothing,
        (["COMPLETE"], _) => Said::Complete,
        (["STUCK"], reason) => Said::GaveUp(reason.unwrap_or("the agent says that it is stuck").to_string()),
        ([_], _) => Said::GaveUp("the agent says that its iterations are spent".to_string()),
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
            assert_eq!(of(&message), want, "{message:?}");
        }
    }

    proptest! {
        #[test]
        fn any_message_is_read_without_harm(message in "[\\PC\n`~<>/ ]{0,300}") {
            of(&message);
        }
    }
}
