//! Finds code and settings that decide the outcome of checks from outside: hooks of test runners, shells of scripts, hooks of git.

use super::command::category_of_name;
use super::files::{Format, read};
use super::shell::OnFailure;
use super::shell_text::is_reading_flag;
use super::strength::{self, Text};
use super::value::Value;
use super::{Edit, Loss, makefile, scripts, strip_comments};
use review_gate::event::Rule;
use std::collections::BTreeMap;

/// Whether a file may hold such code, and no other part of this guard reads it.
pub fn is_hook_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    is_python_hook(name)
        || is_setup_script(name)
        || name.ends_with("_test.go")
        || matches!(name, ".envrc" | ".npmrc" | ".yarnrc" | ".yarnrc.yml" | ".gitconfig")
}

fn is_python_hook(name: &str) -> bool {
    matches!(name, "conftest.py" | "sitecustomize.py" | "usercustomize.py") || name.ends_with(".pth")
}

/// Whether a file runs before tests: of Jest, Vitest, RSpec and others.
fn is_setup_script(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let (stem, end) = lower.rsplit_once('.').unwrap_or((&lower, ""));
    let is_setup =
        ["setup", "teardown", "test_helper", "spec_helper", "rails_helper", "bootstrap", "reporter", "environment"]
            .iter()
            .any(|word| stem.contains(word));
    is_setup && matches!(end, "js" | "ts" | "mjs" | "cjs" | "rb" | "php")
}

/// Words in the code of a hook, and whether they decide the outcome for certain.
const WORDS: [(&str, bool); 32] = [
    ("os._exit(", true),
    (".outcome = ", true),
    (".outcome=\"", true),
    (".outcome='", true),
    ("force_result", true),
    ("force_exception", false),
    ("exitstatus = 0", true),
    ("items[:] =", true),
    ("items.clear(", true),
    ("items.remove(", true),
    ("del items", true),
    ("testsfailed = 0", true),
    ("pytest_runtest_makereport", false),
    ("pytest_collection_modifyitems", false),
    ("pytest_ignore_collect", false),
    ("pytest_runtest_protocol", false),
    ("pytest_pyfunc_call", false),
    ("pytest_sessionfinish", false),
    ("collect_ignore", false),
    ("pytest_deselected", false),
    ("sys.exit(0)", true),
    ("process.exit(0)", true),
    ("process.exit()", true),
    ("process.exitCode = 0", true),
    ("process.reallyExit", true),
    ("global.it =", true),
    ("global.test =", true),
    ("global.expect =", true),
    ("globalThis.test =", true),
    ("globalThis.expect =", true),
    ("exit!(0)", true),
    ("exit! 0", true),
];

/// Words of code that changes a report, apart from the two that a wrapper needs to read it.
const CHANGING: [&str; 12] = [
    "outcome",
    "passed",
    "failed =",
    "skipped =",
    "excinfo",
    "longrepr",
    "wasxfail",
    "__dict__",
    "vars(",
    "exec(",
    "eval(",
    "from_item_and_call",
];

/// Whether the hooks of reports wrap those of pytest, and only keep what they read.
fn only_stores_reports(code: &str) -> bool {
    let plain = code.replace("outcome = yield", "").replace("outcome.get_result()", "");
    code.contains("yield") && !CHANGING.iter().any(|word| plain.contains(word))
}

/// Finds new hooks in one file.
pub fn judge(edit: &Edit) -> Vec<Loss> {
    let Some(now) = &edit.now else { return Vec::new() };
    let then = edit.then.as_deref().unwrap_or("");
    let name = edit.path.rsplit('/').next().unwrap_or(&edit.path);
    let mut found = Vec::new();
    let mut add = |key: &str, text: String, is_certain: bool| {
        found.push(Loss { rule: Rule::NoRunnerHooks, path: edit.path.clone(), key: key.to_string(), text, is_certain });
    };
    if is_python_hook(name) || is_setup_script(name) {
        let comment = if name.ends_with("js") || name.ends_with("ts") || name.ends_with("php") { "//" } else { "#" };
        let (old, new) = (strip_comments(then, comment), strip_comments(now, comment));
        for (word, is_certain) in WORDS {
            let (before, after) = (old.matches(word).count(), new.matches(word).count());
            let is_report = matches!(word, "pytest_runtest_makereport" | "pytest_runtest_protocol");
            if after > before && !(is_report && only_stores_reports(&new)) {
                add(
                    word,
                    format!("new code that decides the outcome of tests: {}", word.trim_end_matches(['(', ' ', '='])),
                    is_certain,
                );
            }
        }
        let known = ignored_files(&old);
        for path in ignored_files(&new).into_iter().filter(|path| !known.contains(path)) {
            let name = path.rsplit('/').next().unwrap_or(&path);
            let is_test = name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"));
            if is_test || old.contains("collect_ignore") {
                add(&path, format!("pytest no longer collects {path}"), is_test);
            }
        }
        let runs_early = matches!(name, "sitecustomize.py" | "usercustomize.py")
            || name.ends_with(".pth") && now.contains("import ");
        if runs_early && then != now {
            add("early", "runs before every Python program, so it decides the outcome of tests".to_string(), true);
        }
    }
    let ends_well = |text: &str| text.contains("func TestMain(") && strip_comments(text, "//").contains("os.Exit(0)");
    if name.ends_with("_test.go") && ends_well(now) && !ends_well(then) {
        add("TestMain", "TestMain ends with success, whatever the tests do: os.Exit(0)".to_string(), true);
    }
    if name == ".envrc"
        || makefile::is_makefile(name)
        || name == "package.json"
        || name == ".gitconfig"
        || name.ends_with(".sh")
    {
        for line in now.lines().filter(|line| line.contains("hooksPath") && !then.contains(line.trim())) {
            let is_nowhere = line.contains("/dev/null") || line.contains("hooksPath \"\"") || line.contains("/tmp/");
            let text = format!(
                "sets core.hooksPath, which decides the hooks of git: {}",
                review_gate::sys::text::cut_end(line.trim(), 80)
            );
            add("hooksPath", text, is_nowhere);
        }
    }
    if name == ".envrc" {
        for line in now.lines().filter(|line| !then.contains(line.trim()) && !line.trim_start().starts_with('#')) {
            let is_deciding = [
                "PATH_add",
                "NODE_OPTIONS",
                "PYTEST_ADDOPTS",
                "RUSTC_WRAPPER",
                "alias ",
                "PYTHONPATH",
                "GOFLAGS",
                "BASH_ENV",
            ]
            .iter()
            .any(|word| line.contains(word));
            if is_deciding {
                let text =
                    format!("changes the environment of checks: {}", review_gate::sys::text::cut_end(line.trim(), 80));
                add(line.trim(), text, false);
            }
        }
    }
    if makefile::is_makefile(name) {
        makefile_settings(then, now, &mut add);
    }
    if name == "package.json" || name == ".npmrc" {
        node_options(edit, &mut add);
    }
    if name.starts_with(".pre-commit-config.") {
        pre_commit(then, now, &mut add);
    }
    found
}

/// The files that a list of pytest leaves out: `collect_ignore = ["manual.py"]`.
fn ignored_files(text: &str) -> Vec<String> {
    let lists = text.match_indices("collect_ignore").filter_map(|(at, _)| {
        let (_, rest) = text[at..].split_once('[')?;
        rest.split(']').next()
    });
    lists.flat_map(|list| list.split(['"', '\'']).skip(1).step_by(2)).map(str::to_string).collect()
}

/// Letters of flags of make that take a value.
const WITH_VALUE: &str = "CIOWfjlo";

/// Whether a flag lets make ignore failures, or run nothing. Only the first word may stand without a dash.
fn is_idle_flag(word: &str, is_first: bool) -> bool {
    let long = ["--ignore-errors", "--dry-run", "--just-print", "--recon", "--touch", "--question"];
    let letters = match word.strip_prefix('-') {
        Some(letters) => letters,
        None if is_first && !word.contains(['=', '$', '(']) => word,
        None => return false,
    };
    let mut letters = letters.chars().take_while(|c| !WITH_VALUE.contains(*c));
    long.contains(&word) || !word.starts_with("--") && letters.any(|c| matches!(c, 'i' | 'n' | 't' | 'q'))
}

/// Whether a shell with these flags reads its commands and runs none.
fn reads_only(flags: &str) -> bool {
    flags.split_whitespace().any(|word| is_reading_flag(word) || word == "noexec")
}

/// `SHELL`, `.IGNORE` and flags of make.
fn makefile_settings(then: &str, now: &str, add: &mut impl FnMut(&str, String, bool)) {
    let (old, new) = (makefile::variables(then), makefile::variables(now));
    for name in ["SHELL", ".SHELLFLAGS", "MAKEFLAGS"] {
        let Some(value) = new.get(name).filter(|value| old.get(name) != Some(value)) else { continue };
        let program = value.split_whitespace().next().and_then(|word| word.rsplit('/').next()).unwrap_or("");
        let is_ignoring = value.split_whitespace().enumerate().any(|(at, word)| is_idle_flag(word, at == 0));
        let before = old.get(name).map_or("none", String::as_str);
        let text = format!("{name} was changed: {before} -> {value}");
        match name {
            "SHELL" if matches!(program, "bash" | "sh" | "zsh" | "dash" | "env") => {}
            "SHELL" => add(name, text, true),
            "MAKEFLAGS" if is_ignoring => add(name, text, true),
            ".SHELLFLAGS" if !value.contains('c') || reads_only(value) => add(name, text, true),
            ".SHELLFLAGS" if old.get(name).is_some_and(|old| old.contains('e') && !value.contains('e')) => {
                add(name, text, false)
            }
            _ => {}
        }
    }
    let ignores = |text: &str| text.lines().any(|line| line.starts_with(".IGNORE"));
    if ignores(now) && !ignores(then) {
        add(".IGNORE", "gains .IGNORE, so that make ignores failures".to_string(), true);
    }
}

/// Code that `NODE_OPTIONS` loads before every script.
fn node_options(edit: &Edit, add: &mut impl FnMut(&str, String, bool)) {
    let texts = |text: &Option<String>| -> Vec<String> {
        let text = text.clone().unwrap_or_default();
        let scripts = scripts::scripts("package.json", &text);
        let lines = if edit.path.ends_with(".npmrc") { text.lines().map(str::to_string).collect() } else { Vec::new() };
        scripts.into_iter().map(|script| script.text).chain(lines).collect()
    };
    let options = |text: &String| -> Vec<String> {
        let after = text.split("NODE_OPTIONS=").skip(1);
        let cut = |rest: &str| {
            let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
            let body = quote.map_or(rest, |_| &rest[1..]);
            body.split(|c| quote.map_or(c == ' ', |quote| c == quote)).next().unwrap_or("").to_string()
        };
        after.map(cut).collect()
    };
    let old: Vec<String> = texts(&edit.then).iter().flat_map(options).collect();
    for value in texts(&edit.now).iter().flat_map(options).filter(|value| !old.contains(value)) {
        let loads = ["-r ", "--require", "--import", "--loader", "--experimental-loader"]
            .iter()
            .any(|flag| value.contains(flag));
        if loads {
            let is_own = value.contains("./") || value.contains("=/") || value.contains(" /");
            add(&value, format!("NODE_OPTIONS loads code into every script: {value}"), is_own);
        }
    }
}

/// Hooks of pre-commit that are gone, or run only by hand.
fn pre_commit(then: &str, now: &str, add: &mut impl FnMut(&str, String, bool)) {
    let (Some(old), Some(new)) = (read(Format::Yaml, then), read(Format::Yaml, now)) else { return };
    let hooks = |value: &Value| -> BTreeMap<String, Value> {
        let repositories = value.get("repos").map(Value::items).unwrap_or_default();
        let hooks =
            repositories.iter().flat_map(|repository| repository.get("hooks").map(Value::items).unwrap_or_default());
        hooks.filter_map(|hook| Some((hook.get("id")?.text()?, hook.clone()))).collect()
    };
    let (old, new) = (hooks(&old), hooks(&new));
    let has_new = new.keys().any(|id| !old.contains_key(id));
    let text = |hook: &Value, key: &str| hook.get(key).and_then(Value::text).unwrap_or_default();
    for (id, hook) in &old {
        let Some(other) = new.get(id) else {
            add(id, format!("hook {id} was removed"), !has_new && !then.is_empty());
            continue;
        };
        let is_manual = |hook: &Value| {
            let stages = hook.get("stages").map(Value::texts).unwrap_or_default();
            !stages.is_empty() && stages.iter().all(|stage| stage == "manual")
        };
        if is_manual(other) && !is_manual(hook) {
            add(id, format!("hook {id} runs only by hand: stages: [manual]"), true);
        }
        let (before, after) = (text(hook, "entry"), text(other, "entry"));
        if before != after && !before.is_empty() {
            let side = |text| Text { text, on_failure: OnFailure::Stop, find: &|_| None };
            for lost in strength::lost(&side(&before), &side(&after), category_of_name(id)).into_iter().take(1) {
                add(id, format!("hook {id} {}: {before} -> {after}", lost.what), lost.is_certain);
            }
        }
        let (before, after) = (hook.get("args").map(Value::texts), other.get("args").map(Value::texts));
        let line = |args: &Option<Vec<String>>| format!("{id} {}", args.clone().unwrap_or_default().join(" "));
        if before != after {
            let (before, after) = (line(&before), line(&after));
            let side = |text| Text { text, on_failure: OnFailure::Stop, find: &|_| None };
            for lost in strength::lost(&side(&before), &side(&after), None).into_iter().take(1) {
                add(id, format!("hook {id} {}: {before} -> {after}", lost.what), lost.is_certain);
            }
        }
    }
}
