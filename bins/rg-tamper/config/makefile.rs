//! Reads Makefiles and justfiles: targets with their recipes, and the settings that decide how recipes fail.

use super::script::Script;
use super::shell::OnFailure;
use std::collections::{HashMap, HashSet};

/// How often variables in variables are replaced, and how long a recipe may become.
const ROUNDS: usize = 4;
const LENGTH: usize = 64 << 10;

/// Whether a file of this name is a Makefile or a justfile.
pub fn is_makefile(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(lower.as_str(), "makefile" | "gnumakefile" | "justfile" | ".justfile")
        || lower.ends_with(".mk")
        || lower.ends_with(".just")
}

/// The lines without their continuation.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let (part, goes_on) = match line.strip_suffix('\\') {
            Some(part) => (part, true),
            None => (line, false),
        };
        match lines.last_mut().filter(|_| is_open) {
            Some(last) => {
                last.push(' ');
                last.push_str(part.trim_start());
            }
            None => lines.push(part.to_string()),
        }
        is_open = goes_on;
    }
    lines
}

/// The assignments of a Makefile.
pub fn variables(text: &str) -> HashMap<String, String> {
    let mut found = HashMap::new();
    for line in joined(text).iter().filter(|line| !line.starts_with(['\t', ' ', '#'])) {
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.trim_end_matches([':', '?', '+', '!']).trim();
        let name = name.strip_prefix("export ").unwrap_or(name).trim();
        if !name.is_empty() && !name.contains([' ', '$', ':', '(']) {
            let value = value.split(" #").next().unwrap_or(value).trim().to_string();
            let whole = found.entry(name.to_string()).or_insert_with(String::new);
            *whole = if line.contains("+=") { format!("{whole} {value}").trim().to_string() } else { value };
        }
    }
    found
}

/// The targets of a Makefile, or the recipes of a justfile.
pub fn scripts(text: &str, is_just: bool) -> Vec<Script> {
    let variables = variables(text);
    let mut all: Vec<Script> = Vec::new();
    let mut doubled: HashSet<String> = HashSet::new();
    // Where the targets of the current rule begin.
    let mut current = 0;
    for line in joined(text) {
        let is_recipe = line.starts_with('\t') || is_just && line.starts_with(' ');
        if is_recipe {
            let command = recipe(line.trim(), &variables);
            for script in all.iter_mut().skip(current).filter(|_| !command.is_empty()) {
                script.text.push_str(&command);
                script.text.push('\n');
            }
            continue;
        }
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        current = all.len();
        let Some((targets, rest)) = line.split_once(':').filter(|(_, rest)| !rest.starts_with('=')) else { continue };
        if targets.contains('=') || targets.starts_with('.') {
            continue;
        }
        let targets: Vec<&str> = match is_just {
            true => targets.trim_start_matches('@').split_whitespace().take(1).collect(),
            false => targets.split_whitespace().collect(),
        };
        // Each rule with two colons runs.
        if rest.starts_with(':') {
            doubled.extend(targets.iter().map(|target| (*target).to_string()));
        }
        let rest = rest.trim_start_matches(':');
        let (needs, command) = rest.split_once(';').unwrap_or((rest, ""));
        let needs: String = needs
            .split_whitespace()
            .map(|need| need.trim_matches(['(', ')']))
            .filter(|need| !need.contains(['=', '|', '$', '#']))
            .map(|need| format!("make {need}\n"))
            .collect();
        for target in targets {
            let command = recipe(command.trim(), &variables);
            let text = format!("{needs}{command}{}", if command.is_empty() { "" } else { "\n" });
            let name = target.to_string();
            // A target may be declared twice, once for its needs and once for its recipe.
            all.push(Script { shown: format!("target {name}"), name, text, on_failure: OnFailure::Stop });
        }
    }
    let mut merged: Vec<Script> = Vec::new();
    for script in all {
        match merged.iter_mut().find(|known| known.name == script.name) {
            Some(known) if doubled.contains(&known.name) => known.text.push_str(&script.text),
            Some(known) => known.text = with_last_recipe(&known.text, &script.text),
            None => merged.push(script),
        }
    }
    merged.retain(|script| !script.text.is_empty());
    merged
}

/// What a target runs that is declared twice: what both need, and the last recipe.
fn with_last_recipe(first: &str, second: &str) -> String {
    let is_need = |line: &&str| line.starts_with("make ") && line.split(' ').count() == 2;
    let has_recipe = second.lines().any(|line| !is_need(&line));
    let kept = first.lines().filter(|line| !has_recipe || is_need(line));
    kept.chain(second.lines()).map(|line| format!("{line}\n")).collect()
}

/// A line of a recipe with its variables. A `-` before it ignores its failure.
fn recipe(line: &str, variables: &HashMap<String, String>) -> String {
    let mut line = line.to_string();
    for _ in 0..ROUNDS {
        if !line.contains("$(") && !line.contains("${") && !line.contains("{{") || line.len() > LENGTH {
            break;
        }
        let replaced = variables.iter().filter(|(name, _)| line.contains(name.as_str())).fold(
            line.clone(),
            |line, (name, value)| {
                if line.len() > LENGTH {
                    return line;
                }
                line.replace(&format!("$({name})"), value).replace(&format!("${{{name}}}"), value)
            },
        );
        if replaced == line {
            break;
        }
        line = replaced;
    }
    let line = line.replace("$(MAKE)", "make").replace("${MAKE}", "make").replace("$$", "$");
    let body = line.trim_start_matches(['@', '+', ' ']);
    match body.strip_prefix('-') {
        Some(rest) => format!("({}) || true", rest.trim_start_matches(['@', '+', ' '])),
        None => match body.rsplit_once(';').map(|(command, end)| (command, end.trim())) {
            // A line runs in a shell of its own, which goes on after a failure.
            Some((command, "true" | ":" | "exit 0")) if !command.contains("set -e") => format!("({command}) || true"),
            _ => body.to_string(),
        },
    }
}
