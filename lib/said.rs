//! What an agent says in its own words: the lines of a message that are neither fenced, quoted, commented out nor indented
//! as code, as Markdown has it.

use crate::event::{Event, LoopMark, Marks};
use crate::text::cut_end;

/// The marks of a loop.
const LOOP_DONE: [LoopMark; 3] = [LoopMark::Complete, LoopMark::Stuck, LoopMark::MaxIterations];

/// How much is kept of a reason, in characters.
const REASON: usize = 4_000;

/// How many columns make a line code.
const CODE: usize = 4;

/// A fence that is open: its character, how many there are, the column at which it began.
type Fence = (char, usize, usize);

/// The lines of a message that are the agent's own.
fn said_lines(message: &str) -> Vec<&str> {
    let lines: Vec<&str> = message.lines().collect();
    let (mut fence, mut is_quoted): (Option<Fence>, bool) = (None, false);
    let mut said = Vec::new();
    // No comment that begins amid a line ends before that line: a long text costs its length.
    let mut no_end_before = 0;
    let mut at = 0;
    while let Some(line) = lines.get(at).copied() {
        at += 1;
        let (column, text) = indented(line);
        if let Some(opened) = fence {
            fence = Some(opened).filter(|opened| !closes(*opened, column, text));
            continue;
        }
        fence = opens(line);
        let is_code = column >= CODE;
        if fence.is_some() || text.is_empty() {
            is_quoted = false;
        } else if text.starts_with('>') && !is_code {
            // The next line goes on with a quoted sentence, without a sign of its own.
            is_quoted = goes_on(text);
        } else if is_quoted && !begins_anew(text) {
            // The quoted sentence goes on.
        } else if text.starts_with("<!--") && !is_code {
            is_quoted = false;
            at = at - 1 + comment_end(&lines[at - 1..]).unwrap_or(lines.len());
        } else {
            is_quoted = false;
            if is_code {
                continue;
            }
            said.push(line);
            if at > no_end_before && has_open_comment(line) {
                let end = lines[at..].iter().position(|line| line.trim().is_empty());
                let end = end.map_or(lines.len(), |end| at + end);
                match lines[at..end].iter().position(|line| line.contains("-->")) {
                    Some(last) => at += last + 1,
                    None => no_end_before = end,
                }
            }
        }
    }
    said
}

/// What the agent's last message says to the gate; of one that is not kept whole, what was found in the whole.
pub fn marks(event: &Event) -> Marks {
    event.marks.clone().unwrap_or_else(|| marks_of(event.message.as_deref().unwrap_or_default()))
}

/// The same of a whole message. A loop's mark is not indented.
pub fn marks_of(message: &str) -> Marks {
    let mut marks = Marks::default();
    for line in said_lines(message) {
        let line = line.trim_end();
        let word = line.strip_prefix("<loop-done>").and_then(|rest| rest.strip_suffix("</loop-done>"));
        if let Some(mark) = LOOP_DONE.into_iter().find(|mark| word == Some(mark.word()))
            && !marks.loop_done.contains(&mark)
        {
            marks.loop_done.push(mark);
        }
        let reason = line.trim_start().strip_prefix("CANNOT:").map(str::trim).filter(|reason| !reason.is_empty());
        marks.cannot = marks.cannot.or(reason.map(|reason| cut_end(reason, REASON)));
    }
    marks
}

/// At which column a line's text begins, and the text.
fn indented(line: &str) -> (usize, &str) {
    let text = line.trim_start_matches([' ', '\t']);
    let blank = &line[..line.len() - text.len()];
    let column = blank.chars().fold(0, |column, c| if c == '\t' { column / 4 * 4 + 4 } else { column + 1 });
    (column, text.trim_end())
}

/// The fence that a line opens, in a list, too.
fn opens(line: &str) -> Option<Fence> {
    let (mut column, mut text) = indented(line);
    let mut blanks = column;
    while blanks < CODE {
        if let Some((mark, count)) = fence_of(text) {
            // Three of them may stand about words in a sentence, too.
            return Some((mark, count, column)).filter(|_| mark != '`' || !text[count..].contains('`'));
        }
        let sign = item(text)?;
        // One blank is the sign's own.
        let (apart, rest) = indented(&text[sign..]);
        (column, text, blanks) = (column + sign + apart, rest, apart - 1);
    }
    None
}

/// How long the sign is that begins an item of a list: `- `, `1. `.
fn item(text: &str) -> Option<usize> {
    let digits = text.bytes().take(9).take_while(u8::is_ascii_digit).count();
    let signs: &[u8] = if digits == 0 { b"-*+" } else { b".)" };
    let is_sign = text.as_bytes().get(digits).is_some_and(|sign| signs.contains(sign));
    let is_apart = || text[digits + 1..].starts_with([' ', '\t']);
    (is_sign && is_apart()).then_some(digits + 1)
}

fn closes((mark, least, opened_at): Fence, column: usize, text: &str) -> bool {
    fence_of(text).is_some_and(|(found, count)| {
        found == mark && count >= least && text.len() == count && column < opened_at + CODE
    })
}

/// The fence characters that a line begins with, when there are at least three.
fn fence_of(text: &str) -> Option<(char, usize)> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let count = text.chars().take_while(|c| *c == mark).count();
    (count >= 3).then_some((mark, count))
}

/// Whether a quoted line is of a sentence, so that the next line may go on with it.
fn goes_on(text: &str) -> bool {
    let text = text.trim_start_matches(['>', ' ', '\t']);
    !text.is_empty() && fence_of(text).is_none() && !text.starts_with('#')
}

/// Whether a line ends the sentence before it: a heading, an item of a list, a rule, a comment.
fn begins_anew(text: &str) -> bool {
    let heading = text.trim_start_matches('#');
    let is_rule = |c: char| text.len() >= 3 && text.chars().all(|each| each == c);
    item(text).is_some()
        || text.starts_with("<!--")
        || text.starts_with('#') && heading.starts_with(' ')
        || ['-', '*', '_'].into_iter().any(is_rule)
}

/// How many lines a comment has that begins the first of them; None where it never ends.
fn comment_end(lines: &[&str]) -> Option<usize> {
    let ends = |(n, line): (usize, &&str)| line[if n == 0 { line.find("<!--")? + 2 } else { 0 }..].find("-->");
    lines.iter().enumerate().position(|line| ends(line).is_some()).map(|at| at + 1)
}

/// Whether a comment begins amid a line, not in code, and goes beyond it.
fn has_open_comment(line: &str) -> bool {
    let last = line.rfind("<!--");
    last.is_some_and(|at| !line[at + 2..].contains("-->") && line[..at].matches('`').count().is_multiple_of(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is said of a line `X` in each of these.
    #[test]
    fn only_what_is_neither_fenced_quoted_nor_indented_is_said() {
        for (message, want) in [
            ("X", true),
            ("a\nX\nb", true),
            ("```\nX\n```", false),
            ("```\nX", false),
            ("```\n```\nX", true),
            ("~~~~\n~~~\nX\n~~~~", false),
            ("~~~ a `b`\nX\n~~~", false),
            ("```rust\nX\n```", false),
            ("```\n``` a\nX\n```", false),
            // What opens no fence.
            ("    ```\nX", true),
            ("\t```\nX", true),
            ("  \t```\nX", true),
            ("   ```\nX", false),
            ("``` ```x``` is what it prints ```\nX", true),
            ("```x``` and so on\nX", true),
            ("``\nX", true),
            // What closes none.
            ("```\n    ```\nX\n```", false),
            ("   ```\n    ```\nX", true),
            // In a list.
            ("- ```\n  X\n  ```", false),
            ("- ```\nX\n  ```", false),
            ("1. ```sh\n   a\n   ```\nX", true),
            ("10. a\n\n    ```\n    b\n    ```\n\nX", true),
            ("-     ```\nX", true),
            ("- 2) ~~~\nX\n     ~~~", false),
            ("- a\nX", true),
            // Quoted.
            ("> X", false),
            ("> The manual says to end with\nX", false),
            ("> a\nb\nX", false),
            ("> a\n\nX", true),
            (">\nX", true),
            ("> a\n>\nX", true),
            ("> # a\nX", true),
            ("> a\n- b\nX", true),
            ("> a\n# b\nX", true),
            ("> a\n---\nX", true),
            ("> a\n```\nb\n```\nX", true),
            ("> ```\n> a\n> ```\nX", true),
            ("    > a\nX", true),
            // Commented out.
            ("<!--\nX\n-->", false),
            ("<!-- a\n\nX\n-->", false),
            ("<!-- a -->\nX", true),
            ("<!-->\nX", true),
            ("<!-- a\n-->\nX", true),
            ("<!--\n```\n-->\nX", true),
            ("<!--\nX", false),
            ("> a\n<!-- b -->\nX", true),
            ("a <!--\nX\n-->", false),
            ("a <!-- b --> <!--\nX\n-->", false),
            ("a <!--\nX\n\n-->", true),
            ("a `<!--` b\nX\n-->", true),
            ("a <!-- b -->\nX", true),
            ("```\n<!--\n```\nX", true),
            ("    X", false),
            ("\tX", false),
        ] {
            let said = said_lines(message);
            assert_eq!(said.iter().any(|line| line.trim() == "X"), want, "{message:?}: {said:?}");
        }
    }

    #[test]
    fn only_a_reason_on_a_line_of_its_own_is_a_way_out() {
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

    #[test]
    fn a_long_message_costs_its_length() {
        let began = std::time::Instant::now();
        for unit in ["a <!--\n", "<!--\n", "> a\n", "- ", "```\n", "1. ```\n", " ", "`", "<!-- "] {
            said_lines(&unit.repeat((1 << 20) / unit.len()));
        }
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }

    proptest! {
        #[test]
        fn any_message_is_read_without_harm(message in "[\\PC\n\t`~<>!/ 1.)-]{0,300}") {
            said_lines(&message);
        }
    }
}
