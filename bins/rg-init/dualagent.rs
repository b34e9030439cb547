//! `.dualagent.json`, the configuration of Checkmate: what each of its keys becomes in DONE.md.

use crate::definition::{self, scalar};
use crate::part::Part;
use crate::proposal::Plan;
use review_gate::donefile::{self, CheckKind};
use review_gate::sys::error::{Error, ErrorKind, Result};
use review_gate::sys::files;
use review_gate::sys::text::one_line;
use serde_json::{Map, Value};
use std::path::Path;

/// The largest configuration that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The most bounces and rounds of a review that DONE.md accepts.
const MOST_ROUNDS: f64 = 20.0;

/// The fewest and the most tokens of `run.context_summary_threshold`.
const LEAST_CONTEXT: f64 = 1500.0;
const MOST_CONTEXT: f64 = 100_000.0;

/// A key of Checkmate.
struct Key {
    name: &'static str,
    /// Its keys in DONE.md.
    becomes: &'static str,
    default: &'static str,
    /// What is different in review-gate, and why.
    change: &'static str,
    kind: Kind,
}

/// The values of a key.
enum Kind {
    Text,
    Texts,
    Number,
    Bool,
    OneOf(&'static [&'static str]),
}

const PROVIDERS: Kind = Kind::OneOf(&["openai", "anthropic"]);

const fn key(
    name: &'static str,
    becomes: &'static str,
    default: &'static str,
    kind: Kind,
    change: &'static str,
) -> Key {
    Key { name, becomes, default, change, kind }
}

/// All keys, in the order of the rows.
const KEYS: [Key; 14] = [
    key(
        "test_command",
        "checks",
        "none",
        Kind::Text,
        "a shell runs it now, with a time limit; the builder cannot replace it",
    ),
    key("allow_paths", "paths.allow", "all files", Kind::Texts, "gitignore patterns: src no longer allows src-secrets"),
    key("max_iterations", "gate.max_bounces, review.rounds", "3", Kind::Number, "only rounds without progress count"),
    key(
        "review_mode",
        "review.when: always",
        "always",
        Kind::OneOf(&["always", "selective", "final_only"]),
        "no review is skipped: each task ends with one, after the checks passed",
    ),
    key("review_on_test_pass", "none", "true", Kind::Bool, "a review follows whenever the checks pass"),
    key(
        "review_strictness",
        "review.floor",
        "balanced",
        Kind::OneOf(&["lenient", "balanced", "strict"]),
        "it decides which issues block",
    ),
    key(
        "reviewer_provider",
        "ask",
        "none",
        PROVIDERS,
        "the vendor's own program reviews: openai is codex, anthropic is claude",
    ),
    key("reviewer_model", "review.model", "none", Kind::Text, "unchanged"),
    key(
        "enable_moderator",
        "review.second_opinion: asked",
        "false",
        Kind::Bool,
        "nobody overrules the reviewer; a second model is asked",
    ),
    key("moderator_provider", "ask", "none", PROVIDERS, "the second model of the list"),
    key("moderator_model", "none", "none", Kind::Text, "rg-ask uses the default model of the program"),
    key(
        "builder_provider",
        "run.builder",
        "none",
        PROVIDERS,
        "rg-run starts the vendor's own program: openai is codex, anthropic is claude",
    ),
    key("builder_model", "run.model", "none", Kind::Text, "unchanged"),
    key(
        "context_summary_threshold",
        "run.context_summary_threshold",
        "2000",
        Kind::Number,
        "Checkmate never used it; rg-run keeps to it, with at least 1500 tokens",
    ),
];

/// The checks and settings of a configuration, with a row for each key.
pub fn read(path: &Path, shown: &str, root: &Path) -> Result<Plan> {
    let wrong = |why: &str| Error::usage(format!("{shown}: {}", one_line(why)));
    let bytes = files::read_following(path, LARGEST)?.ok_or_else(|| wrong("no such file"))?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| wrong(&format!("not valid JSON: {error}")))?;
    let config = value.as_object().ok_or_else(|| wrong("it must be an object"))?;
    for (name, value) in config {
        let known = KEYS.iter().find(|key| key.name == name);
        let key = known.ok_or_else(|| wrong(&format!("unknown key {name:?}. Remove it, or correct its name")))?;
        check_value(key, value).map_err(|why| wrong(&format!("{name:?} must be {why}")))?;
    }
    let command = config.get("test_command").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let command = command.ok_or_else(|| wrong("\"test_command\" is missing: DONE.md needs a check"))?;
    let mut plan =
        Plan { settings: settings(config), rows: KEYS.iter().map(|key| row(key, config)).collect(), ..Plan::default() };
    plan.check(&Part::root(root), "tests", shown, ("tests", CheckKind::Test), command);
    // Patterns may leave the root, and texts may hold what DONE.md does not accept.
    let text = format!(
        "{}{}```\n",
        definition::of_trial(&plan.checks[0], 600.0).trim_end_matches("```\n"),
        joined(&plan.settings)
    );
    donefile::parse("DONE.md", text.as_bytes(), root).map_err(|error| match error.kind() {
        // The line would be one of a file that nobody sees.
        ErrorKind::Definition { words, .. } => wrong(words),
        _ => error,
    })?;
    Ok(plan)
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Whether a value has the type of its key; otherwise what it must be.
fn check_value(key: &Key, value: &Value) -> std::result::Result<(), String> {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.contains('\0'));
    match &key.kind {
        Kind::Text if is_text(value) => Ok(()),
        Kind::Texts if value.as_array().is_some_and(|all| all.iter().all(is_text)) => Ok(()),
        Kind::Number if value.as_f64().is_some_and(|number| number >= 0.0) => Ok(()),
        Kind::Bool if value.is_boolean() => Ok(()),
        Kind::OneOf(words) if value.as_str().is_some_and(|word| words.contains(&word)) => Ok(()),
        Kind::Text => Err("a text".into()),
        Kind::Texts => Err("a list of texts".into()),
        Kind::Number => Err("a number from 0".into()),
        Kind::Bool => Err("true or false".into()),
        Kind::OneOf(words) => Err(format!("one of: {}", words.join(", "))),
    }
}

/// What became of a key.
fn row(key: &Key, config: &Map<String, Value>) -> String {
    let value = match config.get(key.name) {
        Some(value) => one_line(&value.to_string()),
        None => format!("not set, default {}", key.default),
    };
    format!("{} ({value}) becomes {}: {}", key.name, key.becomes, key.change)
}

/// The lines of DONE.md for all keys but `test_command`.
fn settings(config: &Map<String, Value>) -> Vec<String> {
    let text = |name: &str| config.get(name).and_then(Value::as_str);
    let rounds = config.get("max_iterations").and_then(Value::as_f64).unwrap_or(3.0).floor().clamp(1.0, MOST_ROUNDS);
    let mut lines = Vec::new();
    let allowed = config.get("allow_paths").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let patterns: Vec<String> = allowed.iter().filter_map(Value::as_str).map(pattern).collect();
    if !patterns.is_empty() && !patterns.iter().any(String::is_empty) {
        let quoted: Vec<String> = patterns.iter().map(|pattern| scalar(pattern)).collect();
        lines.push(format!("paths:\n  allow: [{}]", quoted.join(", ")));
    }
    lines.push(format!("gate:\n  max_bounces: {rounds}"));
    let floor = text("review_strictness").unwrap_or("balanced");
    lines.push(format!("review:\n  when: always\n  floor: {floor}\n  rounds: {rounds}"));
    lines.extend(
        text("reviewer_model")
            .filter(|model| !model.trim().is_empty())
            .map(|model| format!("  model: {}", quoted(model))),
    );
    if config.get("enable_moderator") == Some(&Value::Bool(true)) {
        lines.push("  second_opinion: asked".to_string());
    }
    let mut models: Vec<&str> = ["reviewer_provider", "moderator_provider"]
        .iter()
        .filter_map(|name| text(name))
        .map(|provider| if provider == "openai" { "codex" } else { "claude" })
        .collect();
    models.dedup();
    if !models.is_empty() {
        lines.push("  by: command".to_string());
        lines.push(format!("ask: [{}]", models.join(", ")));
    }
    let builder = text("builder_provider").map(|provider| if provider == "openai" { "codex" } else { "claude" });
    let model = text("builder_model").filter(|model| !model.trim().is_empty());
    let threshold = config.get("context_summary_threshold").and_then(Value::as_f64);
    let run = [
        builder.map(|builder| format!("  builder: {builder}")),
        model.map(|model| format!("  model: {}", quoted(model))),
        threshold.map(|tokens| {
            format!("  context_summary_threshold: {}", tokens.clamp(LEAST_CONTEXT, MOST_CONTEXT).floor())
        }),
    ];
    if run.iter().any(Option::is_some) {
        lines.push("run:".to_string());
        lines.extend(run.into_iter().flatten());
    }
    lines
}

/// A text that DONE.md reads as a text, even if it looks like a number.
fn quoted(text: &str) -> String {
    scalar(text.trim())
}

/// A path or glob as a gitignore pattern below the root; empty if it allows everything.
fn pattern(glob: &str) -> String {
    let glob = glob.trim().trim_start_matches("./");
    match glob {
        "" | "." | "*" | "**" | "**/*" => String::new(),
        glob if glob.starts_with("**/") => glob.to_string(),
        glob => format!("/{}", glob.trim_start_matches('/')),
    }
}
