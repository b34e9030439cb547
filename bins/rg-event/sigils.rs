//! Sigils: commands to the gate in a user's prompt, each on a line of its own, outside of a client's tags.

use review_gate::sys::spelling::edits;

/// A command to the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sigil {
    /// `#gate:off`
    GateOff,
    /// `#gate:on`
    GateOn,
    /// `#review` and its other names, with the task.
    Review,
    /// `#review:stop`
    ReviewStop,
    /// `#loop` and the plugin's command, with the task.
    Loop,
    /// `#loop:stop`
    LoopStop,
}

impl Sigil {
    /// Whether it weakens the gate, so that only a user may say it.
    pub fn weakens(self) -> bool {
        matches!(self, Sigil::GateOff | Sigil::ReviewStop | Sigil::LoopStop)
    }
}

/// The names of the review sigil, each the first word of a line. A client submits the plugin's command as the last one.
const REVIEW: [&str; 4] = ["#review", "#alice", "#idle", "/review-gate:review"];

/// The names of the loop sigil, and of its end.
const LOOP: [&str; 2] = ["#loop", "/review-gate:loop"];
const CANCEL: &str = "/review-gate:cancel";

/// Words after a `#` that are one edit away from a sigil and are words of their own.
const ORDINARY: [&str; 7] = ["#reviews", "#loops", "#look", "#loom", "#loon", "#loot", "#idler"];

/// The longest word that may be a misspelt sigil, in bytes.
const MISSPELT: usize = 12;

/// How many sigils of a prompt are obeyed.
const MAX: usize = 100;

/// The sigils of a prompt, each with its line. Several prompts may arrive merged, so each line may begin with one.
pub fn of(prompt: &str) -> Vec<(Sigil, &str)> {
    let lines = outside_of_tags(prompt).into_iter();
    let mut found: Vec<(Sigil, &str)> = lines.filter_map(|line| Some((of_line(line)?, line.trim()))).collect();
    // The last ones count: a pasted log may hold any number.
    found.drain(..found.len().saturating_sub(MAX));
    found
}

fn of_line(line: &str) -> Option<Sigil> {
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
    // `review:` alone may be a key of a pasted YAML file.
    (is_named || first == "review:" && !rest.trim().is_empty()).then_some(Sigil::Review)
}

/// The loop sigils of a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loops {
    /// The running loops end first.
    pub has_stop: bool,
    /// The tasks of the loops that begin then, in order; merged prompts may hold several.
    pub tasks: Vec<String>,
    /// A loop sigil has no task: the loop is over issues.
    pub has_empty: bool,
}

/// The loop sigils in the typed lines of a prompt. A task reaches from its sigil to the next one or the end of the prompt, without
/// lines that are other sigils.
pub fn loops(prompt: &str, is_typed: impl Fn(&str) -> bool) -> Loops {
    let mut loops = Loops::default();
    let mut is_task = false;
    for line in outside_of_tags(prompt).into_iter().filter(|line| is_typed(line.trim())) {
        let is_to_gate = ["#gate:", "#review:", "#loop:"].iter().any(|word| line.starts_with(word));
        let rest = || line.trim().split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim().to_string();
        match of_line(line) {
            Some(Sigil::LoopStop) => (loops, is_task) = (Loops { has_stop: true, ..Loops::default() }, false),
            Some(Sigil::Loop) => {
                loops.tasks.push(rest());
                is_task = true;
            }
            _ if LOOP.contains(&line.trim_end().to_ascii_lowercase().as_str()) => {
                (loops.has_empty, is_task) = (true, false);
            }
            _ if is_to_gate || !is_task || opened_tag(line).is_some() => {}
            _ => loops.tasks.last_mut().into_iter().for_each(|task| *task = format!("{task}\n{line}")),
        }
    }
    loops.tasks.iter_mut().for_each(|task| *task = task.trim().to_string());
    loops
}

/// The first line that looks like a sigil and is not one.
pub fn unknown(prompt: &str) -> Option<&str> {
    let begins =
        |line: &str| line.trim().starts_with("#gate") || line.starts_with("#review:") || line.starts_with("#loop:");
    let is_like = |line: &&str| begins(line) || meant(line).is_some();
    outside_of_tags(prompt).into_iter().find(|line| is_like(line) && of_line(line).is_none()).map(str::trim)
}

/// The sigil that a line probably begins with: its first word is one edit away from it.
pub fn meant(line: &str) -> Option<&'static str> {
    let first = line.split_whitespace().next().filter(|first| line.starts_with(first))?;
    let first = first.trim_end_matches([':', ',']).to_ascii_lowercase();
    // A longer word is no sigil, and is not compared. A word that begins with another letter is another word, such as #preview.
    let is_candidate = first.len() <= MISSPELT && !ORDINARY.contains(&first.as_str());
    let known = REVIEW.into_iter().chain(LOOP).filter(|known| known.starts_with('#') && first.starts_with(&known[..2]));
    known.filter(|_| is_candidate).find(|known| edits(&first, known) == 1)
}

/// The lines outside of a client's tags.
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
    fn the_commands_that_a_client_decodes_anywhere_are_those_that_weaken_the_gate() {
        for command in review_gate::dialect::WEAKENING_COMMANDS {
            assert!(of_line(command).is_some_and(Sigil::weakens), "{command}");
        }
        for command in ["#gate:on", "#review x", "#loop x"] {
            assert!(of_line(command).is_some_and(|sigil| !sigil.weakens()), "{command}");
        }
    }

    #[test]
    fn a_word_that_is_one_edit_away_from_a_sigil_is_unknown() {
        for (line, want) in [
            ("#reviw x", Some("#review")),
            ("#revieww", Some("#review")),
            ("#reveiw: x", Some("#review")),
            ("#Reviw x", Some("#review")),
            ("#lop x", Some("#loop")),
            ("#lopo", Some("#loop")),
            ("#idel x", Some("#idle")),
        ] {
            assert_eq!((unknown(line), meant(line)), (Some(line), want), "{line}");
        }
        for line in [
            "#123",
            "#define X",
            "#release",
            "#reviewer",
            "#reviews",
            "#loops are bad",
            "#look",
            "#review x",
            "#loop x",
            "#loop",
            "# loop",
            "  #lop x",
            "see #reviw",
            "#",
            "",
            "#include <loop>",
            "#slice",
            "#preview",
        ] {
            assert_eq!(unknown(line), None, "{line}");
        }
    }

    #[test]
    fn only_the_last_hundred_sigils_count() {
        let prompt = format!("{}#gate:on", "#gate:off\n".repeat(5_000));
        let sigils = of(&prompt);
        assert_eq!((sigils.len(), sigils.last()), (MAX, Some(&(Sigil::GateOn, "#gate:on"))));
    }

    #[test]
    fn a_loops_task_follows_its_sigil() {
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
            let loops = loops(&prompt, |line| line != "scheduled");
            assert_eq!(
                (loops.tasks, loops.has_stop),
                (want.iter().map(|t| t.to_string()).collect(), prompt.contains(":stop"))
            );
        }
        assert!(loops("#loop", |_| true).has_empty && loops("/review-gate:loop ", |_| true).has_empty);
        assert!(!loops("  #loop", |_| true).has_empty && !loops(notified, |_| true).has_empty);
    }

    #[test]
    fn a_sigil_is_the_first_word_of_a_line() {
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
            let sigils: Vec<Sigil> = of(prompt).into_iter().map(|(sigil, _)| sigil).collect();
            assert_eq!(sigils, want, "{prompt:?}");
        }
    }
}
