//! Tools of MCP servers: a shell, an interpreter, a database, a writer of files.
//!
//! What such a tool does is guessed from its name and the names of its fields: no list of all servers exists.

use crate::command::quote;
use serde_json::{Map, Value};

/// How deep nested fields are read.
const MAX_DEPTH: usize = 4;

/// Fields that hold a shell line in any tool.
const COMMANDS: [&str; 6] = ["command", "cmd", "shell_command", "command_line", "commandLine", "commands"];

/// Fields that hold a shell line in a tool with the name of a shell.
const TYPED: [&str; 9] = ["script", "line", "input", "text", "keys", "chars", "data", "stdin", "content"];
const SHELLS: [&str; 9] = ["shell", "bash", "terminal", "console", "stdin", "tmux", "ssh", "exec", "run_script"];

/// Fields that hold code in a tool with the name of an interpreter.
const CODE: [&str; 5] = ["code", "source", "python", "javascript", "expression"];
const INTERPRETERS: [&str; 11] =
    ["exec", "eval", "run", "python", "node", "repl", "kernel", "notebook", "jupyter", "interpreter", "sandbox"];

/// Fields that hold SQL in a tool with the name of a database.
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

/// Whether a tool of a server writes files, by its name.
pub fn is_writer(tool: &str) -> bool {
    let name = tool.rsplit("__").next().unwrap_or("").to_lowercase();
    let verbs = ["write", "edit", "create", "delete", "remove", "move", "rename", "patch", "append", "replace"];
    tool.starts_with("mcp__") && verbs.iter().any(|verb| name.contains(verb))
}

/// The shell lines that a tool would run, as far as its name and the names of its fields tell.
pub fn shell_lines(tool: &str, input: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    collect(&tool.to_lowercase(), input, MAX_DEPTH, &mut lines);
    lines
}

fn collect(tool: &str, value: &Value, depth: usize, lines: &mut Vec<String>) {
    let nested: Vec<&Value> = match value {
        Value::Object(fields) => {
            collect_fields(tool, fields, lines);
            fields.values().collect()
        }
        Value::Array(all) => all.iter().collect(),
        _ => return,
    };
    if depth > 0 {
        nested.into_iter().for_each(|value| collect(tool, value, depth - 1, lines));
    }
}

fn collect_fields(tool: &str, fields: &Map<String, Value>, lines: &mut Vec<String>) {
    let is_named = |names: &[&str]| names.iter().any(|name| tool.contains(name));
    let texts = |names: &[&str]| names.iter().filter_map(|name| fields.get(*name)).flat_map(texts).collect::<Vec<_>>();
    let arguments = ["args", "arguments", "argv"].iter().find_map(|name| words(fields.get(*name)?));
    for name in COMMANDS {
        match fields.get(name) {
            // A list is the words of one command, except in `commands`: there it is a list of lines.
            Some(list @ Value::Array(_)) if name != "commands" => lines.extend(words(list)),
            Some(value) => lines.extend(texts_with(value, arguments.as_deref())),
            None => {}
        }
    }
    if is_named(&SHELLS) {
        lines.extend(texts(&TYPED).into_iter().map(str::to_string));
    }
    if is_named(&INTERPRETERS) {
        let named = ["language", "lang", "runtime", "kernel"].iter().find_map(|name| fields.get(*name)?.as_str());
        let language = named.unwrap_or(tool).to_lowercase();
        lines.extend(texts(&CODE).into_iter().map(|code| interpreter_line(&language, code)));
    }
    if is_named(&DATABASES) {
        lines.extend(texts(&STATEMENTS).into_iter().map(|text| format!("sql {}", quote(text))));
    }
}

/// Code as the shell line that runs it.
fn interpreter_line(language: &str, code: &str) -> String {
    let is = |names: &[&str]| names.iter().any(|name| language.contains(name));
    let program = match () {
        () if is(&["javascript", "typescript", "node", "deno", "bun"]) => "node -e",
        () if is(&["bash", "shell", "zsh"]) || language == "sh" => "sh -c",
        () if is(&["ruby"]) => "ruby -e",
        () if is(&["perl"]) => "perl -e",
        () if is(&["php"]) => "php -r",
        () => "python3 -c",
    };
    format!("{program} {}", quote(code))
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
    let words: Option<Vec<String>> = value.as_array()?.iter().map(|word| word.as_str().map(quote)).collect();
    words.map(|words| words.join(" "))
}

fn texts_with(value: &Value, arguments: Option<&str>) -> Vec<String> {
    let with = |text: &str| arguments.map_or(text.to_string(), |arguments| format!("{text} {arguments}"));
    texts(value).into_iter().map(with).collect()
}
