//! What a person says to the gate in a prompt: on lines of their own, outside of what a client wraps in its tags.

/// A word to the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sigil {
    /// `#gate:off`
    GateOff,
    /// `#gate:on`
    GateOn,
    /// `#review` and its other names, with what is to be done.
    Review,
    /// `#review:stop`
    ReviewStop,
    /// `#loop` and the plugin's command, with what is to be done.
    Loop,
    /// `#loop:stop`
    LoopStop,
}

/// The names under which a review is asked for, each the first word of a line; the last is how a client gives the plugin's command.
const REVIEW: [&str; 4] = ["#review", "#alice", "#idle", "/review-gate:review"];

/// The same for a loop, and for its end.
const LOOP: [&str; 2] = ["#loop", "/review-gate:loop"];
const CANCEL: &str = "/review-gate:cancel";

/// How many of a prompt are heeded.
const MOST: usize = 100;

/// The sigils of a prompt, each with its line. Prompts arrive merged, one a line: each line may begin with one.
pub fn of(prompt: &str) -> Vec<(Sigil, &str)> {
    let lines = outside_of_tags(prompt).into_iter();
    let mut found: Vec<(Sigil, &str)> = lines.filter_map(|line| Some((one(line)?, line.trim()))).collect();
    // The last ones count; a log that somebody pastes may hold any number.
    found.drain(..found.len().saturating_sub(MOST));
    found
}

fn one(line: &str) -> Option<Sigil> {
    match (line.trim(), line.trim_end()) {
        ("#gate:off", _) => return Some(Sigil::GateOff),
        ("#gate:on", _) => return Some(Sigil::GateOn),
        (_, "#review:stop") => return Some(Sigil::ReviewStop),
        (_, "#loop:stop" | CANCEL) => return Some(Sigil::LoopStop),
        _ => {}
    }
    let line = line.trim_end();
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let first = first.to_ascii_lowercase();
    if LOOP.contains(&first.as_str()) && !rest.trim().is_empty() {
        return Some(Sigil::Loop);
    }
    let is_named = REVIEW.contains(&first.trim_end_matches([':', ',']));
    // A key of a YAML file that somebody pastes asks for nothing.
    (is_named || first == "review:" && !rest.trim().is_empty()).then_some(Sigil::Review)
}

/// A line that looks like a sigil and is none.
pub fn nearly(prompt: &str) -> Option<&str> {
    let begins =
        |line: &str| line.trim().starts_with("#gate") || line.starts_with("#review:") || line.starts_with("#loop:");
    outside_of_tags(prompt).into_iter().find(|line| begins(line) && one(line).is_none()).map(str::trim)
}

/// The lines that are a client's tags' neither in whole nor in part.
fn outside_of_tags(prompt: &str) -> Vec<&str> {
    let mut inside: Option<&str> = None;
    let mut found = Vec::new();
    for line in prompt.lines() {
        match inside {
            Some(tag) if line.contains(&format!("</{tag}")) => inside = None,
            Some(_) => {}
            None => {
                let opened = ["task-notification", "agent-message", "subagent_notification"];
                let tag = opened.into_iter().find(|tag| line.contains(&format!("<{tag}")));
                inside = tag.filter(|tag| !line.contains(&format!("</{tag}")));
                found.push(line);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_hundred_count() {
        let prompt = format!("{}#gate:on", "#gate:off\n".repeat(5_000));
        let said = of(&prompt);
        assert_eq!((said.len(), said.last()), (MOST, Some(&(Sigil::GateOn, "#gate:on"))));
    }

    #[test]
    fn a_review_is_asked_for_by_the_first_word_of_a_line() {
        for (prompt, want) in [
            ("#review do X", vec![Sigil::Review]),
            ("#alice do X", vec![Sigil::Review]),
            ("#idle: do X", vec![Sigil::Review]),
            ("#Review do X", vec![Sigil::Review]),
            ("review: do X", vec![Sigil::Review]),
            ("review:\n  when: always", vec![]),
            ("first\n#review second", vec![Sigil::Review]),
            ("please #review this", vec![]),
            ("/review-gate:review do X", vec![Sigil::Review]),
            ("#reviewer", vec![]),
            ("#review:stop", vec![Sigil::ReviewStop]),
            ("#review:stop please", vec![]),
            ("a\n#review:stop  \nb", vec![Sigil::ReviewStop]),
            ("as the manual says:\n    #review:stop\n  #review x", vec![]),
            ("#gate:off\n#review go", vec![Sigil::GateOff, Sigil::Review]),
            ("#loop do X\nand Y", vec![Sigil::Loop]),
            ("/review-gate:loop do X", vec![Sigil::Loop]),
            ("#review\n#loop do X", vec![Sigil::Review, Sigil::Loop]),
            ("#loop", vec![]),
            ("#loops are bad", vec![]),
            ("please #loop", vec![]),
            ("#loop:stop", vec![Sigil::LoopStop]),
            ("/review-gate:cancel", vec![Sigil::LoopStop]),
            ("#loop:stop now", vec![]),
            ("as the manual says:\n    #loop:stop\n  #loop x", vec![]),
            ("<task-notification>\n#loop x\n</task-notification>", vec![]),
            ("<task-notification>\n#review x\n</task-notification>", vec![]),
            ("<agent-message from=\"x\">\n#review:stop\n</agent-message>\nhello", vec![]),
        ] {
            let said: Vec<Sigil> = of(prompt).into_iter().map(|(sigil, _)| sigil).collect();
            assert_eq!(said, want, "{prompt:?}");
        }
    }
}
