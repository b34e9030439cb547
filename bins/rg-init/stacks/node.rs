//! The scripts of package.json, and the tasks of Deno.

use crate::part::Part;
use crate::proposal::Plan;
use review_gate::donefile::CheckKind::{self, Build, Lint, Test};
use review_gate::sys::text::{cut_end, one_line};
use serde_json::Value;

/// The scripts that are checks, with the name and kind of the check. The first of a name counts.
const SCRIPTS: [(&str, &str, CheckKind); 12] = [
    ("test", "tests", Test),
    ("lint", "lint", Lint),
    ("typecheck", "types", Lint),
    ("type-check", "types", Lint),
    ("check-types", "types", Lint),
    ("check:types", "types", Lint),
    ("types", "types", Lint),
    ("format:check", "format", Lint),
    ("format-check", "format", Lint),
    ("check-format", "format", Lint),
    ("check:format", "format", Lint),
    ("build", "build", Build),
];

/// The lock files of the package managers, in the order in which they count.
const LOCKS: [(&str, &str); 6] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
];

/// The test script of `npm init`, which always fails.
const PLACEHOLDER: &str = "no test specified";

/// Whether a part has a package.json.
pub fn is_used(part: &Part) -> bool {
    part.has(&["package.json"])
}

/// Whether a part is the root of a workspace.
pub fn is_workspace(part: &Part) -> bool {
    let manifest = part.json("package.json").and_then(Result::ok).unwrap_or_default();
    manifest.get("workspaces").is_some() || part.has(&["pnpm-workspace.yaml", "lerna.json", "nx.json", "turbo.json"])
}

/// The scripts that are checks.
pub fn propose(part: &Part, plan: &mut Plan) {
    match part.json("package.json") {
        Some(Ok(manifest)) => scripts(part, plan, &manifest, false),
        Some(Err(why)) => plan.note(&format!("{} is not valid JSON: {why}", part.shown("package.json"))),
        None => plan.note(&format!("{} cannot be read", part.shown("package.json"))),
    }
}

/// Proposes scripts of a package.json. If `is_wide`, variants such as `test:unit` are proposed, too.
pub fn scripts(part: &Part, plan: &mut Plan, manifest: &Value, is_wide: bool) {
    let manager = manager(part, manifest);
    let none = serde_json::Map::new();
    let scripts = manifest["scripts"].as_object().unwrap_or(&none);
    let mut proposed: Vec<&str> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for (script, name, kind) in &SCRIPTS {
        let Some(text) = scripts.get(*script).and_then(Value::as_str) else { continue };
        proposed.push(script);
        if text.contains(PLACEHOLDER) {
            plan.note(&format!("{}: the script `test` is the placeholder of `npm init`", part.shown("package.json")));
        } else if !names.contains(name) {
            names.push(name);
            plan.check(part, manager, "package.json", (name, *kind), &command(manager, script));
        }
    }
    if !names.contains(&"tests") && is_workspace(part) && manager == "npm" {
        plan.check(part, manager, "package.json", ("tests", Test), "npm test --workspaces --if-present");
    } else if proposed.is_empty() {
        plan.lacking.push(format!("{}: it has no script `test`, `lint` or `build`", part.shown("package.json")));
    }
    for (script, text) in scripts.iter().filter(|(script, _)| !proposed.contains(&script.as_str())) {
        match variant_kind(script).filter(|_| is_wide && text.is_string()) {
            Some(kind) => plan.check(part, manager, "package.json", (script, kind), &command(manager, script)),
            None => {
                let shown = cut_end(&one_line(script), 60);
                plan.note(&format!("{}: the script `{shown}`", part.shown("package.json")));
            }
        }
    }
}

/// The kind of a check that a variant of a script is; None if it may change files or never ends.
fn variant_kind(script: &str) -> Option<CheckKind> {
    let changes = ["fix", "write", "watch", "update", "dev", "ui", "open", "debug", "serve"];
    if script.split([':', '-', '.', '_']).any(|word| changes.contains(&word)) {
        return None;
    }
    match script.split([':', '-']).next()? {
        "test" | "tests" | "verify" | "ci" => Some(Test),
        "lint" | "check" | "typecheck" => Some(Lint),
        _ => None,
    }
}

/// The package manager: the one that package.json names, else that of the lock file, else npm.
fn manager(part: &Part, manifest: &Value) -> &'static str {
    let named = manifest["packageManager"].as_str().and_then(|text| text.split('@').next());
    let known = ["npm", "pnpm", "yarn", "bun"].into_iter().find(|name| Some(*name) == named);
    let locked = || LOCKS.iter().find(|(file, _)| part.has(&[file])).map(|(_, name)| *name);
    known.or_else(locked).unwrap_or("npm")
}

/// The command that runs a script.
fn command(manager: &str, script: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_:./".contains(c);
    let word = match !script.is_empty() && !script.starts_with('-') && script.chars().all(is_plain) {
        true => script.to_string(),
        false => format!("'{}'", script.replace('\'', "'\\''")),
    };
    // `bun test` is a test runner of its own.
    if script == "test" && manager != "bun" { format!("{manager} test") } else { format!("{manager} run {word}") }
}

/// The configuration files of Deno.
const DENO: [&str; 2] = ["deno.json", "deno.jsonc"];

/// Whether a part is a project of Deno.
pub fn is_deno(part: &Part) -> bool {
    part.has(&DENO)
}

/// The task `test`, or Deno's own test runner; its linter and formatter if they are configured.
pub fn deno(part: &Part, plan: &mut Plan) {
    let file = part.first(&DENO).unwrap_or("deno.json");
    // A file with comments is searched for its keys only.
    let text = part.text(file);
    let has_key = |key: &str| text.contains(&format!("\"{key}\""));
    let parsed = part.json(file).and_then(Result::ok).unwrap_or_default();
    let run = if parsed["tasks"].get("test").is_some() { "deno task test" } else { "deno test" };
    plan.check(part, "deno", file, ("tests", Test), run);
    if parsed["tasks"].get("lint").is_some() {
        plan.check(part, "deno", file, ("lint", Lint), "deno task lint");
    } else if has_key("lint") {
        plan.check(part, "deno", file, ("lint", Lint), "deno lint");
    }
    if has_key("fmt") {
        plan.check(part, "deno", file, ("format", Lint), "deno fmt --check");
    }
}
