//! The marks in an agent's last message, on lines that are the agent's own according to `markdown`.

use crate::event::{Contest, Event, LoopMark, Marks};
use crate::sys::markdown::own_lines;
use crate::sys::text::cut_end;

/// The marks of a loop.
const LOOP_DONE: [LoopMark; 3] = [LoopMark::Complete, LoopMark::Stuck, LoopMark::MaxIterations];

/// The longest reason that is kept, in characters.
const REASON: usize = 4_000;

/// The most contested issues of one message.
const CONTESTS: usize = 20;

/// The shortest beginning of a key that names an issue, in characters.
const SHORTEST_KEY: usize = 6;

/// The marks of the agent's last message; if the message was cut, those that the source found in the whole message.
pub fn marks(event: &Event) -> Marks {
    event.marks.clone().unwrap_or_else(|| marks_of(event.message.as_deref().unwrap_or_default()))
}

/// The marks of a whole message. A loop's mark must not be indented.
pub fn marks_of(message: &str) -> Marks {
    let mut marks = Marks::default();
    // Most messages have no marks, so most need not be parsed.
    if !["CANNOT:", "CONTEST ", "<loop-done>"].iter().any(|mark| message.contains(mark)) {
        return marks;
    }
    for line in own_lines(message) {
        let line = line.trim_end();
        let word = line.strip_prefix("<loop-done>").and_then(|rest| rest.strip_suffix("</loop-done>"));
        if let Some(mark) = LOOP_DONE.into_iter().find(|mark| word == Some(mark.word()))
            && !marks.loop_done.contains(&mark)
        {
            marks.loop_done.push(mark);
        }
        if marks.contests.len() < CONTESTS {
            marks.contests.extend(contest(line.trim_start()));
        }
        let reason = line.trim_start().strip_prefix("CANNOT:").map(str::trim).filter(|reason| !reason.is_empty());
        marks.cannot = marks.cannot.or(reason.map(|reason| cut_end(reason, REASON)));
    }
    marks
}

/// The contested issue of a line.
fn contest(line: &str) -> Option<Contest> {
    let (key, reason) = line.strip_prefix("CONTEST ")?.split_once(':')?;
    let (key, reason) = (key.trim().trim_matches('`'), reason.trim());
    let is_key = (SHORTEST_KEY..=64).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_key && !reason.is_empty()).then(|| Contest { key: key.to_ascii_lowercase(), reason: cut_end(reason, REASON) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_contested_on_a_line_of_its_own_with_its_key_and_a_reason() {
        for (message, want) in [
            ("CONTEST 0a1b2c3d: the file ends with a newline", Some("0a1b2c3d")),
            ("text\n\n  CONTEST `0A1B2C`: no\nmore", Some("0a1b2c")),
            ("CONTEST 0a1b2: too short", None),
            ("CONTEST the issue: is wrong", None),
            ("CONTEST 0a1b2c3d:", None),
            ("CONTEST 0a1b2c3d", None),
            ("> CONTEST 0a1b2c3d: quoted", None),
            ("```\nCONTEST 0a1b2c3d: code\n```", None),
            ("I CONTEST 0a1b2c3d: inside a line", None),
        ] {
            let marks = marks_of(message);
            assert_eq!(marks.contests.first().map(|contest| contest.key.as_str()), want, "{message:?}");
        }
        assert_eq!(marks_of(&"CONTEST 0a1b2c3d: x\n".repeat(1000)).contests.len(), CONTESTS);
    }

    #[test]
    fn only_a_reason_on_a_line_of_its_own_counts_as_cannot() {
        for (message, want) in [
            ("CANNOT: the spec contradicts itself", Some("the spec contradicts itself")),
            ("I tried.\n\n  CANNOT: no network  \nSorry.", Some("no network")),
            ("```\nCANNOT: x\n```\n", None),
            ("~~~\nCANNOT: x\n~~~\nCANNOT: y", Some("y")),
            ("````\n```\nCANNOT: x\n````", None),
            ("> CANNOT: x", None),
            ("    CANNOT: x", None),
            ("\tCANNOT: x", None),
            ("I will not say CANNOT: x", None),
            ("CANNOT:", None),
            ("CANNOT: ", None),
            ("cannot: x", None),
            ("", None),
        ] {
            assert_eq!(marks_of(message).cannot.as_deref(), want, "{message:?}");
        }
    }
}
