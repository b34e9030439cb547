//! Scripts, targets and sessions that run checks: package.json, Makefile, justfile, tox, nox and others, and shell scripts.

use super::command::{Category, category_of_name};
use super::script::Script;
use super::shell::{self, OnFailure};
use super::strength::{self, Lost, Text};
use super::value::Value;
use super::{Around, Edit, Loss, makefile, strip_comments};
use super::{files::Format, files::read};
use review_gate::event::Rule;
use review_gate::sys::text::{cut_end, one_line};

/// Whether a file holds scripts.
pub fn is_scripts(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        "package.json"
            | "composer.json"
            | "deno.json"
            | "deno.jsonc"
            | "tox.ini"
            | "setup.cfg"
            | "pyproject.toml"
            | "noxfile.py"
            | "Taskfile.yml"
            | "Taskfile.yaml"
            | "lefthook.yml"
    ) || makefile::is_makefile(name)
        || is_shell(path)
        || is_git_hook(path)
}

fn is_shell(path: &str) -> bool {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_script = name.ends_with(".sh")
        || name.ends_with(".bash")
        || !name.contains('.')
            && ["scripts", "script", "bin", "ci", ".ci", "tools", "build", "dev", ".github", "hack"]
                .iter()
                .any(|known| dir.split('/').any(|part| part == *known));
    is_script && category_of_name(name).is_some()
}

/// Whether a file is a hook of git in the repository.
fn is_git_hook(path: &str) -> bool {
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    matches!(dir, ".husky" | ".githooks" | ".git-hooks" | "githooks" | ".hooks") && !path.ends_with(".gitignore")
}

/// The scripts of a file.
pub fn scripts(path: &str, text: &str) -> Vec<Script> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let of = |format: Format| read(format, text).unwrap_or(Value::Null);
    let map = |value: &Value, place: &str| -> Vec<Script> {
        let entries = value.at(place).map(Value::entries).unwrap_or_default();
        let script = |(name, value): &(String, Value)| {
            let text = lines_of(value)?;
            let shown = format!("{}.{name}", place.replace('/', "."));
            Some(Script { name: name.clone(), shown, text, on_failure: OnFailure::Continue })
        };
        entries.iter().filter_map(script).collect()
    };
    match name {
        "package.json" => map(&of(Format::Json), "scripts"),
        "composer.json" => map(&of(Format::Json), "scripts"),
        "deno.json" | "deno.jsonc" => map(&of(Format::Json), "tasks"),
        "pyproject.toml" => {
            let value = of(Format::Toml);
            let places = ["tool/poe/tasks", "tool/pdm/scripts", "tool/taskipy/tasks", "tool/rye/scripts"];
            let mut all: Vec<Script> = places.iter().flat_map(|place| map(&value, place)).collect();
            let envs = value.at("tool/hatch/envs").map(Value::entries).unwrap_or_default();
            all.extend(envs.iter().flat_map(|(env, _)| map(&value, &format!("tool/hatch/envs/{env}/scripts"))));
            all
        }
        "tox.ini" | "setup.cfg" => {
            let value = of(Format::Ini);
            let envs = value.entries().iter().filter(|(name, _)| name.starts_with("testenv"));
            let script = |(name, env): &(String, Value)| {
                let text = ["commands_pre", "commands", "commands_post"]
                    .iter()
                    .filter_map(|key| env.get(key)?.text())
                    .map(|text| text.lines().map(tox_line).collect::<Vec<_>>().join(" && "))
                    .filter(|text| !text.is_empty())
                    .collect::<Vec<_>>()
                    .join(" && ");
                let ignores = env.get("ignore_outcome").and_then(Value::truth) == Some(true);
                let text = if ignores { format!("({text}) || true") } else { text };
                Script { name: name.clone(), shown: format!("{name}.commands"), text, on_failure: OnFailure::Stop }
            };
            envs.map(script).filter(|script| !script.text.is_empty()).collect()
        }
        "Taskfile.yml" | "Taskfile.yaml" => {
            let value = of(Format::Yaml);
            let tasks = value.get("tasks").map(Value::entries).unwrap_or_default();
            let script = |(name, task): &(String, Value)| {
                let text = lines_of(task.get("cmds").or(task.get("cmd")).unwrap_or(task))?;
                let ignores = task.get("ignore_error").and_then(Value::truth) == Some(true);
                let text = if ignores { format!("({text}) || true") } else { text };
                Some(Script { name: name.clone(), shown: format!("tasks.{name}"), text, on_failure: OnFailure::Stop })
            };
            tasks.iter().filter_map(script).collect()
        }
        "lefthook.yml" => {
            let value = of(Format::Yaml);
            let hook = |(name, hook): &(String, Value)| {
                let commands = hook.get("commands").or(hook.get("jobs"))?;
                let runs: Vec<String> = match commands {
                    Value::List(items) => items.iter().filter_map(|item| item.get("run")?.text()).collect(),
                    other => other.entries().iter().filter_map(|(_, item)| item.get("run")?.text()).collect(),
                };
                Some(Script {
                    name: name.clone(),
                    shown: name.clone(),
                    text: runs.join(" && "),
                    on_failure: OnFailure::Stop,
                })
            };
            value.entries().iter().filter_map(hook).collect()
        }
        "noxfile.py" => nox(text),
        _ if makefile::is_makefile(name) => makefile::scripts(text, name.to_ascii_lowercase().contains("just")),
        _ => {
            vec![Script {
                name: name.to_string(),
                shown: name.to_string(),
                text: text.to_string(),
                on_failure: OnFailure::Continue,
            }]
        }
    }
}

/// The commands of a script: one text, or a list of them.
fn lines_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::List(items) => {
            let line = |item: &Value| match item {
                // Composer calls another script with `@name`.
                Value::Text(text) => {
                    Some(text.strip_prefix('@').map_or(text.clone(), |name| match name.split_once(' ') {
                        Some(("php", rest)) => format!("php {rest}"),
                        _ => format!("npm run {name}"),
                    }))
                }
                other => other.get("cmd").or(other.get("task")).and_then(Value::text),
            };
            Some(items.iter().filter_map(line).collect::<Vec<_>>().join(" && "))
        }
        Value::Map(_) => ["cmd", "shell", "command", "sequence"].iter().find_map(|key| lines_of(value.get(key)?)),
        _ => None,
    }
}

/// A line of tox, whose `-` before a command ignores its failure.
fn tox_line(line: &str) -> String {
    match line.trim().strip_prefix('-') {
        Some(rest) if !rest.starts_with('-') => format!("({}) || true", rest.trim()),
        _ => line.trim().trim_end_matches('\\').to_string(),
    }
}

/// The sessions of nox: the literal arguments of each `session.run`.
fn nox(text: &str) -> Vec<Script> {
    let mut all: Vec<Script> = Vec::new();
    let text = strip_comments(text, "#");
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("def ") {
            let name = rest.split('(').next().unwrap_or(rest).trim().to_string();
            all.push(Script { shown: name.clone(), name, text: String::new(), on_failure: OnFailure::Stop });
        }
        let Some((_, call)) = line.split_once("session.run(") else { continue };
        let words: Vec<&str> = call.split(['"', '\'']).skip(1).step_by(2).collect();
        let is_soft = call.contains("success_codes");
        if let Some(script) = all.last_mut().filter(|_| !words.is_empty()) {
            let more = if is_soft { " || true" } else { "" };
            script.text.push_str(&format!("{}{more}\n", words.join(" ")));
        }
    }
    all.retain(|script| !script.text.is_empty());
    all
}

/// Finds scripts that check less than at the base.
pub fn judge(edit: &Edit, edits: &[Edit], around: &Around<'_>) -> Vec<Loss> {
    let is_hook = is_git_hook(&edit.path) || edit.path.ends_with("lefthook.yml");
    let Some(then) = &edit.then else { return Vec::new() };
    let old = scripts(&edit.path, then);
    let new = edit.now.as_ref().map(|now| scripts(&edit.path, now)).unwrap_or_default();
    let (find_then, find_now) = (finder(&old, edits, around, true), finder(&new, edits, around, false));
    let mut found = Vec::new();
    if let Some(now) = edit.now.as_ref().filter(|now| is_shell(&edit.path) && shell::stops(then) && !shell::stops(now))
    {
        let is_long =
            shell::steps(now, OnFailure::Continue).iter().filter(|step| !shell::is_idle(&step.words)).count() > 1;
        if is_long {
            let text = "no longer stops at a command that fails: set -e is gone".to_string();
            let (rule, path) = (Rule::NoScriptGutting, edit.path.clone());
            found.push(Loss { rule, path, key: "set -e".to_string(), text, is_certain: true });
        }
    }
    for script in &old {
        let category = category_of_name(&script.name).or(is_hook.then_some(Category::Lint));
        let then = Text { text: &script.text, on_failure: script.on_failure, find: &find_then };
        let same = new.iter().find(|other| other.name == script.name);
        let losses = match same {
            Some(other) if normal(&other.text) == normal(&script.text) => continue,
            Some(other) => {
                let now = Text { text: &other.text, on_failure: other.on_failure, find: &find_now };
                strength::lost(&then, &now, category)
            }
            None => removed(script, &then, &new, &find_now, edit, edits, around),
        };
        let moved = |lost: &Lost| moved_elsewhere(lost, script, &old, &new);
        for lost in losses.into_iter().take(3) {
            let after = same.map_or("none".to_string(), |other| shown(&other.text));
            let rule = match () {
                () if lost.is_coverage => Rule::NoLoweredCoverage,
                () if is_hook => Rule::NoRunnerHooks,
                () => Rule::NoScriptGutting,
            };
            // With its whole package, a script is gone with what it checked.
            let is_certain =
                lost.is_certain && edit.now.is_some() && !moved(&lost) && category_or_known(category, &then);
            let text = match is_whole(script, edit) {
                true => lost.what.clone(),
                false => format!("{} {}: {} -> {after}", script.shown, lost.what, shown(&script.text)),
            };
            found.push(Loss {
                rule,
                path: edit.path.clone(),
                key: format!("{} {}", script.name, lost.what),
                text,
                is_certain,
            });
        }
    }
    found
}

/// Whether a script is a whole file, which is too long to be shown.
fn is_whole(script: &Script, edit: &Edit) -> bool {
    edit.path.ends_with(&script.name) && script.text.contains('\n')
}

fn category_or_known(category: Option<Category>, then: &Text<'_>) -> bool {
    category.is_some()
        || strength::effective(then)
            .iter()
            .any(|one| matches!(one.command.category, Some(Category::Test | Category::Lint)))
}

/// What is lost with a script that is gone.
fn removed(
    script: &Script,
    then: &Text<'_>,
    new: &[Script],
    find: &dyn Fn(&str) -> Option<String>,
    edit: &Edit,
    edits: &[Edit],
    around: &Around<'_>,
) -> Vec<Lost> {
    let is_check = strength::effective(then).iter().any(|one| !one.is_masked && one.command.category.is_some());
    if !is_check {
        return Vec::new();
    }
    // Under another name, or as parts of other scripts.
    let all: String = new.iter().map(|script| format!("({})\n", script.text)).collect();
    // A call of the script that is gone runs nothing.
    let without = |name: &str| if name == script.name { Some(String::new()) } else { find(name) };
    let whole = Text { text: &all, on_failure: OnFailure::Stop, find: &without };
    if edit.now.is_some() && strength::lost(then, &whole, None).iter().all(|lost| !lost.is_certain) {
        return Vec::new();
    }
    let caller = caller(&script.name, new, edits, around);
    let what = match &caller {
        Some(caller) => format!("was removed, and {caller} still calls it"),
        None => "was removed".to_string(),
    };
    let is_certain = caller.is_some() || script.name == "test" && edit.now.is_some();
    vec![Lost { what, is_certain, is_coverage: false }]
}

/// Who still calls a script.
fn caller(name: &str, new: &[Script], edits: &[Edit], around: &Around<'_>) -> Option<String> {
    let calls = |text: &str| {
        ["npm run ", "yarn ", "yarn run ", "pnpm ", "pnpm run ", "bun run ", "make ", "just ", "run-s ", "run-p "]
            .iter()
            .any(|start| {
                text.match_indices(&format!("{start}{name}")).any(|(at, found)| {
                    let next = text[at + found.len()..].chars().next();
                    next.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, ':' | '-' | '_' | '.')))
                })
            })
    };
    if let Some(other) = new.iter().find(|other| calls(&other.text)) {
        return Some(other.shown.clone());
    }
    let workflows =
        || around.paths().iter().filter(|path| path.starts_with(".github/workflows/") || *path == ".gitlab-ci.yml");
    workflows().take(50).find(|path| super::text_now(path, edits, around).is_some_and(|text| calls(&text))).cloned()
}

/// Whether the lost command is in another script that did not have it.
fn moved_elsewhere(lost: &Lost, script: &Script, old: &[Script], new: &[Script]) -> bool {
    let Some(command) = lost.what.split('`').nth(1).filter(|_| lost.what.starts_with("no longer runs")) else {
        return false;
    };
    let word = command.split(' ').next().unwrap_or(command);
    let has = |scripts: &[Script]| {
        scripts.iter().filter(|other| other.name != script.name && other.text.contains(word)).count()
    };
    has(new) > has(old)
}

/// Finds the text of what a command calls: a script of the same file, a target, or a file that changed.
fn finder<'a>(
    own: &'a [Script],
    edits: &'a [Edit],
    around: &'a Around<'_>,
    is_then: bool,
) -> impl Fn(&str) -> Option<String> + 'a {
    move |name: &str| {
        if let Some(script) = own.iter().find(|script| script.name == name) {
            return Some(script.text.clone());
        }
        if !name.contains(['/', '.']) {
            return None;
        }
        match edits.iter().find(|edit| edit.path == name) {
            Some(edit) => {
                if is_then {
                    edit.then.clone()
                } else {
                    edit.now.clone()
                }
            }
            None => around.read(name),
        }
    }
}

fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shown(text: &str) -> String {
    format!("{:?}", cut_end(&one_line(text), 80))
}
