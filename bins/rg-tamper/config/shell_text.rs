//! What a shell text says before it is split: here-documents, functions, its first line, traps.

use std::collections::HashSet;

/// Programs that read a document as commands.
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

/// A text without its here-documents, unless a shell reads them.
pub fn without_documents(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut end: Option<String> = None;
    for line in text.lines() {
        if let Some(word) = &end {
            if line.trim_start_matches('\t').trim_end() == word {
                end = None;
            }
            continue;
        }
        kept.push_str(line);
        kept.push('\n');
        let Some((command, rest)) = line.split_once("<<").filter(|(_, rest)| !rest.starts_with('<')) else { continue };
        let is_shell = command.split(|c: char| c.is_whitespace() || c == '/').any(|word| SHELLS.contains(&word));
        let word = rest.trim_start_matches('-').split_whitespace().next().unwrap_or_default();
        let word = word.trim_matches(['"', '\'', '\\']);
        let is_word = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
        end = (is_word && !is_shell && !command.trim().is_empty()).then(|| word.to_string());
    }
    kept
}

/// The functions that a text defines: `pytest() { true; }`. They stand for the programs of their names.
pub fn functions(text: &str) -> HashSet<String> {
    let name = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("function ").unwrap_or(line);
        let (name, _) = line.split_once('(').filter(|(_, rest)| rest.trim_start().starts_with(')'))?;
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        (!name.trim().is_empty() && name.trim().chars().all(is_name)).then(|| name.trim().to_string())
    };
    text.lines().filter_map(name).collect()
}

/// Whether the first line of a script gives it to a program that runs nothing of it.
pub fn is_never_run(text: &str) -> bool {
    let first = text.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or_default();
    let mut words = first.split_whitespace().filter_map(|word| word.rsplit('/').next());
    words.find(|word| *word != "env").is_some_and(|program| ["true", ":", "echo", "cat"].contains(&program))
}

/// Whether flags of `set` let a shell only read: `-n`.
pub fn is_reading_flag(flag: &str) -> bool {
    flag.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains('n'))
}

/// Whether a trap ends the shell well, whatever failed.
pub fn hides_failures(action: &str, signals: &[&str]) -> bool {
    let is_told = signals.iter().any(|signal| ["EXIT", "ERR", "0"].contains(signal));
    is_told && action.split([';', '\n']).any(|part| part.trim() == "exit 0")
}
