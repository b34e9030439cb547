//! Second opinions, and the proof that one was asked for: a record of rg-ask about the review request, or a successful call of another
//! model's program in the reviewer's transcript. The reviewer's own claim is no proof.

use crate::donefile::SecondOpinion;
use crate::store::journal;
use crate::store::record::{Ask, Issue, Word};
use crate::store::state::State;
use crate::sys::shell;
use serde_json::Value;
use std::path::Path;

/// The state of the second opinion.
#[derive(Clone, Debug, PartialEq)]
pub enum Proof {
    /// None is required.
    NotWanted,
    /// No other model was asked.
    Missing,
    /// The model that was asked gave no answer.
    Unavailable(String),
    /// Another model was asked, and decided differently; its name and decision, and its issues.
    Disagrees(String, Vec<Issue>),
    /// Another model was asked; its name and its decision.
    Given(String),
}

/// Whether a second opinion is required. `is_critical`: `review.paths` matched, or an issue was critical.
pub fn is_wanted(second: SecondOpinion, is_critical: bool) -> bool {
    match second {
        SecondOpinion::None => false,
        SecondOpinion::Asked | SecondOpinion::Agree => true,
        SecondOpinion::Critical => is_critical,
    }
}

/// The proof for a review request, given the reviewer's decision and the vendor of its model.
pub fn proof(
    second: SecondOpinion,
    request: &str,
    (word, vendor): (Word, &str),
    state: &State,
    transcript: Option<&Path>,
) -> Proof {
    let mut asks: Vec<Ask> = journal::search(&state.asks(), request).unwrap_or_default();
    asks.retain(|ask| ask.request.as_deref() == Some(request));
    let summary = |ask: &Ask| {
        let word = ask.decision.map_or("an answer without a decision", Word::word);
        format!("{}: {word}", ask.to)
    };
    let answered: Vec<&Ask> = asks.iter().filter(|ask| ask.unavailable.is_none()).collect();
    let same = answered.iter().find(|ask| ask.decision == Some(word) && ask.to != vendor);
    match (second, same, answered.last()) {
        (_, Some(ask), _) => Proof::Given(summary(ask)),
        (SecondOpinion::Agree, None, Some(ask)) => Proof::Disagrees(summary(ask), ask.issues.clone()),
        (_, None, Some(ask)) => Proof::Given(summary(ask)),
        (_, None, None) => match (asks.last(), transcript.and_then(called_program)) {
            (_, Some(program)) if second != SecondOpinion::Agree => {
                Proof::Given(format!("{program}: called by the reviewer"))
            }
            (Some(ask), _) => {
                let why = ask.unavailable.clone().unwrap_or_default();
                Proof::Unavailable(format!("{}: {why}", ask.to))
            }
            _ => Proof::Missing,
        },
    }
}

/// The programs of other models, and for each the arguments one of which makes it answer a prompt.
const PROGRAMS: [(&str, &[&str]); 3] =
    [("codex", &["exec", "e"]), ("gemini", &["-p", "--prompt"]), ("claude", &["-p", "--print"])];

/// The program of another model that a reviewer ran with success, by its transcript.
fn called_program(transcript: &Path) -> Option<String> {
    let bytes = crate::sys::files::try_read(transcript, crate::sys::limits::TRANSCRIPT)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let mut calls: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let Ok(row) = serde_json::from_str::<Value>(line) else { continue };
        let parts = row.pointer("/message/content").and_then(Value::as_array).cloned().unwrap_or_default();
        for part in parts {
            let text = |name: &str| part.get(name).and_then(Value::as_str).unwrap_or("").to_string();
            match text("type").as_str() {
                "tool_use" => {
                    let command = part.pointer("/input/command").and_then(Value::as_str).unwrap_or("");
                    calls.extend(program_of(command).map(|program| (text("id"), program.to_string())));
                }
                "tool_result" if part.get("is_error").and_then(Value::as_bool) != Some(true) => {
                    let id = text("tool_use_id");
                    if let Some((_, program)) = calls.iter().find(|(call, _)| *call == id) {
                        return Some(program.clone());
                    }
                }
                _ => {}
            }
        }
    }
    None
}

/// The model's program that a shell command line runs to answer a prompt.
fn program_of(command: &str) -> Option<&'static str> {
    // A command that continues after a failure proves no success.
    if command.contains("||") || command.trim_end().ends_with("true") {
        return None;
    }
    shell::commands(command).iter().find_map(|words| {
        let mut words = words.iter().map(String::as_str).skip_while(|word| word.contains('='));
        let name = shell::program_name(words.next()?);
        let (program, asks) = PROGRAMS.into_iter().find(|(program, _)| *program == name)?;
        words.any(|word| asks.contains(&word)).then_some(program)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_program_that_is_run_counts() {
        for (line, want) in [
            ("codex exec -", Some("codex")),
            ("cat p | /usr/bin/gemini -p x", Some("gemini")),
            ("A=1 claude -p", Some("claude")),
            ("codex --version", None),
            ("codex exec - || true", None),
            ("out=\"$(codex exec -)\"", Some("codex")),
            ("echo \"a; codex exec -\"", None),
            ("echo codex", None),
            ("grep gemini README.md", None),
            ("cat codex", None),
        ] {
            assert_eq!(program_of(line), want, "{line}");
        }
    }
}
