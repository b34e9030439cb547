//! The rules of linters that name them in maps: ESLint, Stylelint and Checkstyle, and the lints of Rust.

use super::Loss;
use super::files::Tool;
use super::side::{Side, rank};
use super::value::Value;
use review_gate::event::Rule;
use std::collections::{BTreeMap, BTreeSet};

/// Groups of lints of Rust: of clippy, rustdoc and the compiler.
const GROUPS: [&str; 17] = [
    "all",
    "correctness",
    "suspicious",
    "style",
    "complexity",
    "perf",
    "pedantic",
    "restriction",
    "nursery",
    "cargo",
    "warnings",
    "unused",
    "nonstandard_style",
    "future_incompatible",
    "let_underscore",
    "keyword_idents",
    "refining_impl_trait",
];

/// Groups of the compiler for an edition begin so.
const OF_EDITIONS: &str = "rust_20";

/// Whether a name is that of one lint of Rust, and not of a group.
pub fn is_single_lint(lint: &str) -> bool {
    !GROUPS.contains(&lint) && !lint.starts_with(OF_EDITIONS)
}

/// Whether a key of a manifest of Cargo sets one lint of clippy, which maintainers allow as a matter of style.
pub fn is_of_style(tool: Tool, key: &[String]) -> bool {
    let at = key.iter().position(|part| part == "clippy");
    tool == Tool::Cargo && at.and_then(|at| key.get(at + 1)).is_some_and(|lint| is_single_lint(lint))
}

/// A rule in a scope: the files that it is set for, empty for all.
type Rules = BTreeMap<(String, String), Value>;

/// Compares the rules of ESLint or Stylelint.
pub fn compare(then: &[Side], now: &[Side]) -> Vec<Loss> {
    let (old, new) = (collect(then), collect(now));
    let (Some(first), false) = (now.first(), then.is_empty()) else { return Vec::new() };
    let mut found = Vec::new();
    let is_moved = then[0].path != first.path;
    let presets = |sides: &[Side]| sides.iter().map(|side| every_preset(&side.value)).collect::<String>();
    let gained = presets(then) != presets(now)
        || new.iter().any(|(key, value)| rank(value) > Some(0) && old.get(key).and_then(rank).unwrap_or(0) == 0);
    let mut add = |key: &(String, String), what: &str, values: (&str, &str), is_certain: bool| {
        let (scope, name) = key;
        let place = if scope.is_empty() { String::new() } else { format!("{scope}: ") };
        let text = format!("{place}rules.{name} {what}: {} -> {}", values.0, values.1);
        let key = format!("{scope} {name}");
        let is_certain = is_certain && !is_moved;
        found.push(Loss { rule: Rule::NoConfigLoosening, path: first.path.clone(), key, text, is_certain });
    };
    for (key, value) in &old {
        let before = (rank(value), value.shown());
        match new.get(key) {
            Some(after) if after == value => {}
            Some(after) => match (before.0, rank(after)) {
                (Some(old), Some(new)) if new < old => {
                    let what = if new == 0 { "was turned off" } else { "was lowered" };
                    add(key, what, (&before.1, &after.shown()), true);
                }
                (Some(old), Some(new))
                    if old == new && new > 0 && limit(after) > limit(value) && limit(value).is_some() =>
                {
                    add(key, "has a higher limit", (&before.1, &after.shown()), true);
                }
                _ => {}
            },
            // It may still come from a preset.
            // A plugin may have another name now.
            None if new.iter().any(|(other, after)| is_same_rule(&key.1, &other.1) && rank(after) >= before.0) => {}
            None if before.0 > Some(0) && key.0.is_empty() => add(key, "was removed", (&before.1, "none"), false),
            None => {}
        }
    }
    // What a plugin finds that was not there before was not found before.
    let before = presets(then);
    let is_known = |name: &str| match plugin(name) {
        Some(plugin) => before.contains(plugin) || old.keys().any(|(_, name)| self::plugin(name) == Some(plugin)),
        None => true,
    };
    let is_off = |(key, value): &(&(String, String), &Value)| {
        !old.contains_key(*key) && rank(value) == Some(0) && is_known(&key.1)
    };
    for (key, value) in new.iter().filter(is_off) {
        add(key, "was turned off", ("none", &value.shown()), key.0.is_empty() && !gained);
    }
    found
}

/// The plugin that a rule is of: `@vitest` for `@vitest/expect-expect`.
fn plugin(rule: &str) -> Option<&str> {
    rule.rsplit_once('/').map(|(plugin, _)| plugin)
}

/// Whether two names are those of one rule, of a plugin with and without a scope.
fn is_same_rule(a: &str, b: &str) -> bool {
    let bare = |rule: &str| rule.trim_start_matches('@').to_string();
    a != b && plugin(a).is_some() && bare(a) == bare(b)
}

/// The files that a list of configurations ignores everywhere, as the settings of a single configuration.
pub fn ignored(value: &Value) -> Option<Value> {
    let Value::List(items) = value else { return None };
    let is_global = |item: &&Value| item.entries().iter().all(|(key, _)| key == "ignores" || key == "name");
    let patterns = items.iter().filter(is_global).filter_map(|item| item.get("ignores"));
    let patterns: Vec<Value> = patterns.flat_map(|list| list.items().iter().cloned()).collect();
    Some(Value::Map(vec![("ignorePatterns".into(), Value::List(patterns))]))
}

/// What a configuration starts from.
fn preset(value: &Value) -> String {
    let names = ["extends", "plugins", "parser"].iter().filter_map(|name| value.get(name)).map(Value::shown);
    let computed = value.items().iter().filter(|item| matches!(item, Value::Computed(_))).map(Value::shown);
    names.chain(computed).collect()
}

/// What a configuration and its parts for some files start from.
fn every_preset(value: &Value) -> String {
    let parts = value.get("overrides").map(Value::items).unwrap_or_default();
    std::iter::once(value).chain(parts).map(preset).collect()
}

/// A limit among the options of a rule.
fn limit(value: &Value) -> Option<f64> {
    let options = value.items().get(1)?;
    options.get("max").and_then(Value::number).or_else(|| options.number())
}

fn collect(sides: &[Side]) -> Rules {
    let mut found = Rules::new();
    let mut add = |item: &Value| {
        let scope = item.get("files").map(|files| files.texts().join(",")).unwrap_or_default();
        for (name, value) in item.get("rules").map(Value::entries).unwrap_or_default() {
            if !name.starts_with("...") && !value.is_computed() {
                found.insert((scope.clone(), name.clone()), value.clone());
            }
        }
    };
    for side in sides {
        for item in side.value.items() {
            add(item);
            item.get("overrides").map(Value::items).unwrap_or_default().iter().for_each(&mut add);
        }
    }
    found
}

/// Compares the modules of Checkstyle, or the rules of PMD.
pub fn compare_modules(then: &[Side], now: &[Side]) -> Vec<Loss> {
    let (Some(old), Some(new)) = (then.first(), now.first()) else { return Vec::new() };
    let (before, after) = (modules(&old.value), modules(&new.value));
    let loss = |key: &str, text: String, is_certain: bool| Loss {
        rule: Rule::NoConfigLoosening,
        path: new.path.clone(),
        key: key.to_string(),
        text,
        is_certain,
    };
    let names = |modules: &BTreeMap<String, String>| modules.keys().cloned().collect::<BTreeSet<_>>();
    let gone = names(&before);
    let gone =
        gone.difference(&names(&after)).map(|name| loss(name, format!("{name} was removed"), true)).collect::<Vec<_>>();
    let severity = |text: &str| rank(&Value::Text(text.to_string()));
    let lowered = after.iter().filter_map(|(name, now)| {
        let then = before.get(name)?;
        let is_lower = severity(now) < severity(then) && severity(then).is_some();
        is_lower.then(|| loss(name, format!("the severity of {name} was lowered: {then} -> {now}"), true))
    });
    gone.into_iter().chain(lowered).collect()
}

/// The names of modules and rules, each with its severity if it has one.
fn modules(value: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    add_modules(value, "", &mut found);
    found
}

fn add_modules(value: &Value, parent: &str, found: &mut BTreeMap<String, String>) {
    for (key, child) in value.entries() {
        let name = child.get("@name").or_else(|| child.get("@ref")).and_then(Value::text).unwrap_or_default();
        let is_module = matches!(key.as_str(), "module" | "rule" | "exclude") && !name.is_empty();
        match key.as_str() {
            // What PMD leaves out of a ruleset.
            "exclude" => {}
            "property" if name == "severity" => {
                let value = child.get("@value").and_then(Value::text).unwrap_or_default();
                found.insert(parent.to_string(), value);
            }
            _ if is_module => {
                found.entry(name.clone()).or_default();
                add_modules(child, &name, found);
            }
            _ => add_modules(child, parent, found),
        }
    }
}
