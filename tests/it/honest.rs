//! Honest flows: what people and agents do every day must not be bounced. Each script of `tests/flows` is one flow, played against
//! the whole lines of hooks.json; docs/honest-flows.md lists them with their results.

use crate::scratch::{Scratch, feed, skipped};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The events whose lines a flow uses, with the name of the variable that holds the line.
const LINES: [(&str, &str); 6] = [
    ("SessionStart", "SESSION_START"),
    ("UserPromptSubmit", "PROMPT"),
    ("SubagentStart", "SUBAGENT_START"),
    ("SubagentStop", "SUBAGENT_STOP"),
    ("PreCompact", "PRE_COMPACT"),
    ("Stop", "STOP"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The value of a `# key: value` line in a script.
fn header<'a>(script: &'a str, key: &str) -> Option<&'a str> {
    script.lines().find_map(|line| line.strip_prefix(&format!("# {key}: ")))
}

/// Whether a program of that name is on PATH.
fn is_installed(program: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|dir| dir.join(program).is_file())
}

/// Whether a line of the replies only tells the agent, at a session's start, what judges its work. The user sees no message.
fn is_introduction(line: &str) -> bool {
    line.contains(" SessionStart: ")
        && line.contains("review-gate judges the work here")
        && !line.contains("systemMessage")
}

/// Plays a flow. Returns its result, as the table names it, and everything that was printed.
fn play(path: &Path, hooks: &Value) -> (String, String) {
    let scratch = Scratch::new();
    let mut command = scratch.command("sh");
    for (event, variable) in LINES {
        let line = hooks["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
        command.env(variable, line.replace("\"${CLAUDE_PLUGIN_ROOT}\"/bin/", ""));
    }
    // Toolchains are found through the user's home, which the flow replaces.
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    for (variable, dir) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
        command.env(variable, std::env::var_os(variable).unwrap_or_else(|| home.join(dir).into_os_string()));
    }
    let lib = root().join("tests/flows/lib/client.sh");
    command.env("T", scratch.top()).arg("-c").arg(". \"$1\"; . \"$0\"").arg(path).arg(lib);
    let said = feed(&mut command, b"");
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{}: {said:?}", path.display());
    let said_to_all = fs::read_to_string(scratch.top().join("replies")).unwrap_or_default();
    let replies: String = said_to_all.split_inclusive('\n').filter(|line| !is_introduction(line)).collect();
    let blocks = replies.matches("\"decision\":\"block\"").count();
    let outcomes = scratch.words();
    let is_told = replies.contains("systemMessage");
    let result = match (outcomes.last().map(String::as_str), blocks) {
        (None, 0) if replies.is_empty() => "silent".to_string(),
        (None, 0) => "told".to_string(),
        (Some(last), 0) if is_told => format!("{last}, told"),
        (Some(last), 0) => last.to_string(),
        (last, n) => format!("{} after {n} bounce{}", last.unwrap_or("nothing"), if n == 1 { "" } else { "s" }),
    };
    (result, format!("outcomes: {outcomes:?}\n{replies}{}", said.out))
}

/// The row of a flow in the table, and what was printed. None if a program that it needs is not installed.
fn row(path: &Path, hooks: &Value) -> Option<(String, String)> {
    let script = fs::read_to_string(path).unwrap();
    if let Some(program) = header(&script, "needs").filter(|program| !is_installed(program)) {
        skipped(&format!("no {program}"));
        return None;
    }
    let title = script.lines().next().unwrap().trim_start_matches("# ");
    let (result, log) = play(path, hooks);
    Some((format!("| `{}` | {title} | {result} |", name(path)), log))
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// Every flow ends as docs/honest-flows.md says. `BLESS=1 cargo test honest` rewrites the rows.
#[test]
fn every_honest_flow_ends_as_the_table_says() {
    let page = root().join("docs/honest-flows.md");
    let table = fs::read_to_string(&page).unwrap();
    let hooks: Value = serde_json::from_str(&fs::read_to_string(root().join("hooks.json")).unwrap()).unwrap();
    let mut scripts: Vec<PathBuf> =
        fs::read_dir(root().join("tests/flows")).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.retain(|path| path.extension().is_some_and(|end| end == "sh"));
    scripts.sort();
    let played: Vec<Option<(String, String)>> = std::thread::scope(|scope| {
        let parts = scripts.chunks(scripts.len().div_ceil(4));
        let play_all = |part: &[PathBuf]| part.iter().map(|path| row(path, &hooks)).collect::<Vec<_>>();
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || play_all(part))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let (text, rows): (Vec<&str>, Vec<&str>) = table.lines().partition(|line| !line.starts_with("| `"));
    if std::env::var_os("BLESS").is_some() {
        let rows: Vec<&str> = played.iter().flatten().map(|(row, _)| row.as_str()).collect();
        fs::write(&page, format!("{}\n{}\n", text.join("\n"), rows.join("\n"))).unwrap();
        return;
    }
    let named: Vec<String> = scripts.iter().map(|path| name(path)).collect();
    let listed: Vec<&str> = rows.iter().map(|row| row.split('`').nth(1).unwrap()).collect();
    assert_eq!(listed, named, "docs/honest-flows.md has one row for each script of tests/flows");
    let differs = |(row, log): &(String, String)| (!rows.contains(&row.as_str())).then(|| format!("{row}\n{log}"));
    let wrong: Vec<String> = played.iter().flatten().filter_map(differs).collect();
    assert!(wrong.is_empty(), "{} flows end otherwise:\n{}", wrong.len(), wrong.join("\n"));
}
