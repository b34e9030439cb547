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

/// What a prompt says of loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    /// Those that run are to end first.
    pub ends: bool,
    /// What is to be done then, one after the other: prompts that were merged mean what each of them meant.
    pub tasks: Vec<String>,
    /// A loop is asked for without saying what is to be done.
    pub bare: bool,
}

/// What the lines that were typed say of loops. A task is what follows the word, to the next such word or the prompt's end, without
/// lines that speak to the gate.
pub fn loops(prompt: &str, is_typed: impl Fn(&str) -> bool) -> Loops {
    let mut said = Loops::default();
    let mut is_task = false;
    for line in outside_of_tags(prompt).into_iter().filter(|line| is_typed(line.trim())) {
        let is_to_gate = ["#gate:", "#review:", "#loop:"].iter().any(|word| line.starts_with(word));
        let rest = || line.trim().split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim().to_string();
        match one(line) {
            Some(Sigil::LoopStop) => (said, is_task) = (Loops { ends: true, ..Loops::default() }, false),
            Some(Sigil::Loop) => {
                said.tasks.push(rest());
                is_task = true;
            }
            _ if LOOP.contains(&line.trim_end().to_ascii_lowercase().as_str()) => (said.bare, is_task) = (true, false),
            _ if is_to_gate || !is_task || opened_tag(line).is_some() => {}
            _ => said.tasks.last_mut().into_iter().for_each(|task| *task = format!("{task}\n{line}")),
        }
    }
    said.tasks.iter_mut().for_each(|task| *task = task.trim().to_string());
    said
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
                inside = opened_tag(line).filter(|tag| !line.contains(&format!("</{tag}")));
                found.push(line);
            }
        }
    }
    found
}

/// The client's tag that opens in a line.
fn opened_tag(line: &str) -> Option<&'static str> {
    let tags = ["task-notification", "agent-message", "subagent_notification"];
    tags.into_iter().find(|tag| line.contains(&format!("<{tag}")))
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
    fn what_is_to_be_done_follows_the_word() {
        let notified = "<task-notification>\n#loop agent's\n</task-notification>";
        for (prompt, want) in [
            ("#loop do X".to_string(), vec!["do X"]),
            ("/review-gate:loop  do X\n\n  and Y\n".into(), vec!["do X\n\n  and Y"]),
            ("#review\n#Loop do X\n#gate:on\nand Y".into(), vec!["do X\nand Y"]),
            ("before\n#loop do X".into(), vec!["do X"]),
            ("as it says:\n    #loop that\n#loop this".into(), vec!["this"]),
            ("nothing".into(), vec![]),
            ("#loop first\nof it\n#loop second".into(), vec!["first\nof it", "second"]),
            ("#loop first\n#loop:stop\n#loop second".into(), vec!["second"]),
            ("#loop first\n#loop:stop".into(), vec![]),
            (format!("Fine.\n{notified}\n#loop person's\n{notified}\nand more"), vec!["person's\nand more"]),
            ("#loop do X\nscheduled".into(), vec!["do X"]),
        ] {
            let said = loops(&prompt, |line| line != "scheduled");
            assert_eq!(
                (said.tasks, said.ends),
                (want.iter().map(|t| t.to_string()).collect(), prompt.contains(":stop"))
            );
        }
        assert!(loops("#loop", |_| true).bare && loops("/review-gate:loop ", |_| true).bare);
        assert!(!loops("  #loop", |_| true).bare && !loops(notified, |_| true).bare);
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
