//! What a tool that is not the client's own would run: a server's shell, its interpreter, its database. Names of tools and fields
//! are all there is to go by: nobody knows every server.

use crate::run::quoted;
use serde_json::{Map, Value};

/// How deep fields stand inside each other that are looked at.
const DEEPEST: usize = 4;

/// Fields that hold a shell line, whatever the tool is called.
const COMMANDS: [&str; 6] = ["command", "cmd", "shell_command", "command_line", "commandLine", "commands"];

/// Fields that hold one where the tool is called like a shell.
const TYPED: [&str; 9] = ["script", "line", "input", "text", "keys", "chars", "data", "stdin", "content"];
const SHELLS: [&str; 9] = ["shell", "bash", "terminal", "console", "stdin", "tmux", "ssh", "exec", "run_script"];

const CODE: [&str; 5] = ["code", "source", "python", "javascript", "expression"];
const INTERPRETERS: [&str; 11] =
    ["exec", "eval", "run", "python", "node", "repl", "kernel", "notebook", "jupyter", "interpreter", "sandbox"];

const STATEMENTS: [&str; 6] = ["sql", "query", "statement", "statements", "queries", "command"];
const DATABASES: [&str; 14] = [
    "sql",
    "postgres",
    "database",
    "maria",
    "duckdb",
    "snowflake",
    "bigquery",
    "supabase",
    "neon",
    "planetscale",
    "clickhouse",
    "redshift",
    "cockroach",
    "oracle",
];

/// The shell lines that a tool called like that would run with that input, as far as its names tell.
pub fn lines(tool: &str, input: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    collect(&tool.to_lowercase(), input, DEEPEST, &mut lines);
    lines
}

fn collect(tool: &str, value: &Value, depth: usize, lines: &mut Vec<String>) {
    let inner: Vec<&Value> = match value {
        Value::Object(fields) => {
            of_fields(tool, fields, lines);
            fields.values().collect()
        }
        Value::Array(all) => all.iter().collect(),
        _ => return,
    };
    if depth > 0 {
        inner.into_iter().for_each(|value| collect(tool, value, depth - 1, lines));
    }
}

fn of_fields(tool: &str, fields: &Map<String, Value>, lines: &mut Vec<String>) {
    let called = |names: &[&str]| names.iter().any(|name| tool.contains(name));
    let texts = |names: &[&str]| names.iter().filter_map(|name| fields.get(*name)).flat_map(texts).collect::<Vec<_>>();
    let arguments = ["args", "arguments", "argv"].iter().find_map(|name| words(fields.get(*name)?));
    for name in COMMANDS {
        match fields.get(name) {
            // A list of words is one command; `commands` is a list of lines.
            Some(list @ Value::Array(_)) if name != "commands" => lines.extend(words(list)),
            Some(value) => lines.extend(texts_with(value, arguments.as_deref())),
            None => {}
        }
    }
    if called(&SHELLS) {
        lines.extend(texts(&TYPED).into_iter().map(str::to_string));
    }
    if called(&INTERPRETERS) {
        let named = ["language", "lang", "runtime", "kernel"].iter().find_map(|name| fields.get(*name)?.as_str());
        let language = named.unwrap_or(tool).to_lowercase();
        lines.extend(texts(&CODE).into_iter().map(|code| interpreted(&language, code)));
    }
    if called(&DATABASES) {
        lines.extend(texts(&STATEMENTS).into_iter().map(|text| format!("sql {}", quoted(text))));
    }
}

/// Code as the shell line that has it run.
fn interpreted(language: &str, code: &str) -> String {
    let is = |names: &[&str]| names.iter().any(|name| language.contains(name));
    let program = match () {
        () if is(&["javascript", "typescript", "node", "deno", "bun"]) => "node -e",
        () if is(&["bash", "shell", "zsh"]) || language == "sh" => "sh -c",
        () if is(&["ruby"]) => "ruby -e",
        () if is(&["perl"]) => "perl -e",
        () if is(&["php"]) => "php -r",
        () => "python3 -c",
    };
    format!("{program} {}", quoted(code))
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// A list of words as a shell line.
fn words(value: &Value) -> Option<String> {
    let words: Option<Vec<String>> = value.as_array()?.iter().map(|word| word.as_str().map(quoted)).collect();
    words.map(|words| words.join(" "))
}

fn texts_with(value: &Value, arguments: Option<&str>) -> Vec<String> {
    let with = |text: &str| arguments.map_or(text.to_string(), |arguments| format!("{text} {arguments}"));
    texts(value).into_iter().map(with).collect()
}
