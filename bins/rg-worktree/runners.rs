//! Test runners of the main worktree that also find the tests of the worktrees below it.

use crate::place::DIR;
use review_gate::donefile;
use review_gate::sys::files;
use review_gate::sys::limits::SETTINGS;
use review_gate::sys::shell;
use serde_json::Value;
use std::path::Path;

/// The runners that search hidden directories, with what keeps them out of one. All others were tried and do not.
const RUNNERS: [(&str, &str); 3] = [
    ("node --test", "name its directories or files, for example `node --test test/`"),
    ("jest", "add \"/.worktrees/\" to `testPathIgnorePatterns`"),
    ("vitest", "add `--exclude '.worktrees/**'`"),
];

/// The programs that run a script of package.json.
const MANAGERS: [&str; 4] = ["bun", "npm", "pnpm", "yarn"];

/// Files that may hold the settings of a runner.
const CONFIGURATIONS: [&str; 13] = [
    "package.json",
    "jest.config.cjs",
    "jest.config.js",
    "jest.config.json",
    "jest.config.mjs",
    "jest.config.ts",
    "vite.config.js",
    "vite.config.mjs",
    "vite.config.ts",
    "vitest.config.js",
    "vitest.config.mjs",
    "vitest.config.mts",
    "vitest.config.ts",
];

/// The sentence about the first check of the main worktree that runs the tests of worktrees, too; None if there is none.
pub fn warning(main: &Path) -> Option<String> {
    let found = donefile::find(main).ok()??;
    let definition = donefile::parse(found.name, &found.bytes, &found.root).ok()?;
    // Below another directory no runner meets the worktrees.
    let checks = definition.checks.iter().filter(|check| found.root == main && check.cwd.is_none());
    let scripts = json(main);
    for check in checks.filter(|check| !check.run.contains(DIR)) {
        if let Some((runner, how)) = runner_of(&check.run, &scripts["scripts"])
            && (*runner == "node --test" || !is_excluded(main))
        {
            let check = &check.name;
            return Some(format!("check {check:?}: `{runner}` also runs the tests in {DIR}. To keep it out, {how}"));
        }
    }
    None
}

fn json(main: &Path) -> Value {
    let bytes = files::try_read_following(&main.join("package.json"), SETTINGS).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Whether a configuration names the directory of worktrees.
fn is_excluded(main: &Path) -> bool {
    let text = |name: &str| files::try_read_following(&main.join(name), SETTINGS).unwrap_or_default();
    CONFIGURATIONS.iter().any(|name| String::from_utf8_lossy(&text(name)).contains("worktrees"))
}

/// The runner that a line starts, itself or through a script of package.json.
fn runner_of(line: &str, scripts: &Value) -> Option<&'static (&'static str, &'static str)> {
    let commands = shell::commands(line);
    if commands.iter().any(|words| words[0] == "cd") {
        return None;
    }
    commands.iter().find_map(|words| {
        let names: Vec<&str> = words.iter().map(|word| shell::program_name(word)).collect();
        if let Some(text) = script_of(words).and_then(|script| scripts[script].as_str()) {
            // A script that runs another one is not followed.
            return if text.contains(DIR) { None } else { runner_of(text, &Value::Null) };
        }
        RUNNERS.iter().find(|(runner, _)| match runner.strip_prefix("node ") {
            Some(option) => {
                names[0] == "node" && words[1..].iter().all(|word| word.starts_with('-')) && names.contains(&option)
            }
            None => names.contains(runner),
        })
    })
}

/// The script of package.json that a command runs.
fn script_of(words: &[String]) -> Option<&str> {
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    match words[..] {
        [manager, "run" | "run-script", script, ..] if MANAGERS.contains(&manager) => Some(script),
        ["npm" | "pnpm", "t", ..] => Some("test"),
        [manager, script, ..] if MANAGERS.contains(&manager) => Some(script),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_runner_is_found_in_a_line_and_through_a_script() {
        let scripts = json!({"test": "node --test", "unit": "jest --ci", "one": "node --test test/", "out": "vitest run --exclude '.worktrees/**'"});
        let of = |line: &str| runner_of(line, &scripts).map(|(runner, _)| *runner);
        for (line, runner) in [
            ("node --test", "node --test"),
            ("node --test --test-reporter=tap", "node --test"),
            ("npx jest", "jest"),
            ("npm ci && ./node_modules/.bin/vitest run", "vitest"),
            ("npm test", "node --test"),
            ("pnpm t", "node --test"),
            ("npm run -s unit", "jest"),
            ("yarn unit", "jest"),
        ] {
            assert_eq!(of(line), Some(runner), "{line}");
        }
        for line in [
            "node --test test/",
            "cargo test",
            "pytest",
            "npm run one",
            "npm run out",
            "cd web && jest",
            "npm run none",
            "node",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
