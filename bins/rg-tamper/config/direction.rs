//! Compares the settings of a tool with those at the base, each in its direction.

use super::files::Tool;
use super::lint_rules::is_of_style;
use super::neighbours::{has_gained, is_renamed, keeps_files, of_wider, was_selected};
use super::newcomers::is_new_target;
use super::settings::{SETTINGS, Sense, Setting, matches};
use super::shell::OnFailure;
use super::side::{Found, Side, rank};
use super::strength::{self, Text};
use super::value::Value;
use super::{Around, Loss, paths, presets};
use review_gate::event::Rule;
use review_gate::sys::text::count;
use std::collections::BTreeMap;

/// The reporters that Jest and Vitest bring along.
const REPORTERS: [&str; 15] = [
    "basic",
    "blob",
    "default",
    "dot",
    "github-actions",
    "hanging-process",
    "html",
    "json",
    "junit",
    "minimal",
    "summary",
    "tap",
    "tap-flat",
    "tree",
    "verbose",
];

/// By how much a limit of size may grow without being tampering.
const GROWTH: f64 = 1.1;

/// What comparing one setting gives.
enum Change {
    Clean,
    /// What happened, and whether the check is looser for certain.
    Looser(String, bool),
}

/// Compares both sides. Settings that only one side has are compared with nothing.
pub fn compare(tool: Tool, then: &[Side], now: &[Side], around: &Around<'_>) -> Vec<Loss> {
    let (old, new) = (collect(tool, then), collect(tool, now));
    let shown_at = |side: &[Side], key: &[String]| {
        let side = side.first();
        let place = side.map_or("", |side| side.place.trim_start_matches('~'));
        let parts = place.split('/').filter(|part| !part.is_empty()).chain(key.iter().map(String::as_str));
        parts.collect::<Vec<_>>().join(".")
    };
    let path = now.first().or(then.first()).map_or(String::new(), |side| side.path.clone());
    let dir = path.rsplit_once('/').map_or(String::new(), |(dir, _)| format!("{dir}/"));
    let has_gained = has_gained(&old, &new, then, now);
    let keeps_files = keeps_files(&old, &new);
    let mut found = Vec::new();
    let mut keys: Vec<&Vec<String>> = old.keys().chain(new.keys()).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        let (before, after) = (old.get(key).or_else(|| of_wider(key, &old)), new.get(key));
        let Some((setting, _)) = before.or(after) else { continue };
        let values = (before.map(|(_, value)| value), after.map(|(_, value)| value));
        let is_renamed = before.is_none() && is_renamed(key, after, &old, &new);
        let context = Context { key, has_gained, keeps_files, is_renamed, around, dir: &dir, then, now, tool };
        let Change::Looser(what, is_certain) = context.judge(setting.sense, values) else { continue };
        let is_moved = !then.is_empty() && !now.is_empty() && then[0].path != now[0].path;
        let is_moved = is_moved && !matches!(setting.sense, Sense::Coverage);
        // Another format may say it in another place.
        if is_moved && values.1.is_none() {
            continue;
        }
        // A new file has no old bar; a tool without settings any more may be gone. Coverage is compared all the same.
        let is_hook = matches!(setting.sense, Sense::Decider);
        let is_bare = then.is_empty() && !is_hook || now.is_empty() && !matches!(setting.sense, Sense::Coverage);
        let key = shown_at(if now.is_empty() { then } else { now }, key);
        let shown = |value: Option<&Value>| value.map_or("none".to_string(), Value::shown);
        found.push(Loss {
            rule: rule_of(setting),
            path: path.clone(),
            text: format!("{key} {what}: {} -> {}", shown(values.0), shown(values.1)),
            key,
            is_certain: is_certain && !is_bare && !is_moved,
        });
    }
    found
}

fn rule_of(setting: &Setting) -> Rule {
    match setting.sense {
        Sense::Coverage | Sense::Unmeasured | Sense::Measured => Rule::NoLoweredCoverage,
        _ if setting.tool == Tool::Codecov || setting.tool == Tool::Nyc || setting.path.ends_with(".branch") => {
            Rule::NoLoweredCoverage
        }
        Sense::Hook | Sense::Decider => Rule::NoRunnerHooks,
        _ => Rule::NoConfigLoosening,
    }
}

fn collect<'a>(tool: Tool, sides: &[Side]) -> Found<'a> {
    let mut found = BTreeMap::new();
    for side in sides {
        side.value.leaves(&mut |path, value| {
            let row = SETTINGS.iter().find(|row| row.tool == tool && matches(row.path, path));
            if let Some(row) = row {
                // A lint is its level alone, or a table with its level.
                let is_level = path.last().is_some_and(|key| key == "level") && row.sense == Sense::Severity;
                found.insert(path[..path.len() - usize::from(is_level)].to_vec(), (row, value.clone()));
            }
        });
    }
    found
}

struct Context<'a> {
    key: &'a [String],
    has_gained: bool,
    keeps_files: bool,
    /// Whether another key beside this one held the same and is gone.
    is_renamed: bool,
    around: &'a Around<'a>,
    dir: &'a str,
    then: &'a [Side],
    now: &'a [Side],
    tool: Tool,
}

impl Context<'_> {
    fn judge(&self, sense: Sense, values: (Option<&Value>, Option<&Value>)) -> Change {
        use Change::{Clean, Looser};
        let looser = |what: &str, is_certain: bool| Looser(what.to_string(), is_certain);
        let (before, after) = values;
        if before == after {
            return Clean;
        }
        // What is written out in a list leaves files out, whatever else is in it.
        let is_listed =
            |value: &Value| matches!(value, Value::List(items) if items.iter().any(|item| !item.is_computed()));
        let is_partly = matches!(sense, Sense::Excluded | Sense::Unmeasured) && after.is_some_and(is_listed);
        let is_computed = values.0.is_some_and(Value::is_computed) || values.1.is_some_and(Value::is_computed);
        if is_computed && !is_partly {
            let is_new = before.is_none() && !matches!(sense, Sense::Decider | Sense::Hook);
            return if after.is_none() || is_new { Clean } else { looser("changed, and cannot be compared", false) };
        }
        let truth = |value: Option<&Value>| value.and_then(Value::truth);
        let numbers = (before.and_then(Value::number), after.and_then(Value::number));
        let is_in_part = self.key.iter().any(|key| key.contains('[') || key.contains("per-file"));
        match sense {
            Sense::Coverage | Sense::Floor => match numbers {
                (Some(old), Some(new)) if new < old => looser("was lowered", true),
                (Some(_), Some(_)) => Clean,
                (Some(old), None) if after.is_none() => looser("was removed", sense == Sense::Coverage && old != 0.0),
                _ if before.is_some() && after.is_some() => self.severity(values, "was changed"),
                _ => Clean,
            },
            Sense::Ceiling => match numbers {
                // Code grows, and its limits with it.
                (Some(old), Some(new)) if new > old => {
                    let is_small = self.is_size() && new <= old * GROWTH;
                    looser("was raised", !(is_small || self.is_last("retries")))
                }
                (None, Some(new)) if before.is_none() && new > 0.0 => looser("was added", false),
                (Some(_), None) if after.is_some() => looser("was changed", false),
                _ => Clean,
            },
            Sense::Strict => match (truth(before), truth(after)) {
                (Some(true), Some(false)) => looser("was turned off", true),
                (Some(true), None) if after.is_none() && self.is_included() => Clean,
                (Some(true), None) if after.is_none() => looser("was removed", !self.has_new_base()),
                (None, Some(false)) if before.is_none() && self.is_on_by_others() => {
                    looser("was turned off", !self.has_gained)
                }
                (None, None) if before.is_some() && after.is_none() => Clean,
                _ => Clean,
            },
            Sense::StrictByDefault if is_new_target(self.tool, self.key, self.dir, self.now, self.around) => Clean,
            Sense::StrictByDefault => match (truth(before), truth(after)) {
                (Some(true), Some(false)) => looser("was turned off", true),
                (None, Some(false)) if before.is_none() => looser("was turned off", !self.has_gained),
                _ => Clean,
            },
            Sense::Lax => match (truth(before), truth(after)) {
                (Some(true), Some(true)) => Clean,
                (_, Some(true)) => looser("was turned on", true),
                _ => Clean,
            },
            Sense::Severity => self.severity(values, "was lowered"),
            Sense::Excluded | Sense::Unmeasured => {
                let (old, new) = (texts(before), texts(after));
                let lost = paths::newly_matched(&old, &new, self.around.paths(), self.dir, self.has_expressions());
                match lost.first() {
                    Some(first) => {
                        let is_certain = !is_in_part && !self.is_of_new_cop();
                        Looser(format!("excludes {} more, {first}", count(lost.len(), "file")), is_certain)
                    }
                    None => Clean,
                }
            }
            Sense::Included | Sense::Measured => {
                let (old, new) = (texts(before), texts(after));
                if after.is_none()
                    || new.iter().all(|item| old.contains(item)) && old.iter().all(|item| new.contains(item))
                {
                    return Clean;
                }
                if paths::cover(&new, &old) {
                    return Clean;
                }
                if before.is_none() {
                    return if self.tool == Tool::TypeScript || self.keeps_files {
                        Clean
                    } else {
                        looser("was added", false)
                    };
                }
                let lost = paths::no_longer_matched(&old, &new, self.around.paths(), self.dir, self.has_expressions());
                let is_known =
                    !paths::no_longer_matched(&old, &[], self.around.paths(), self.dir, self.has_expressions())
                        .is_empty();
                match lost.first() {
                    Some(first) => Looser(format!("leaves out {}, {first}", count(lost.len(), "file")), true),
                    None if is_known || old.iter().all(|item| new.contains(item)) => Clean,
                    None => looser("was changed", false),
                }
            }
            Sense::Enabled => {
                let (old, new) = (texts(before), texts(after));
                let is_kept = |item: &String| {
                    let is_of = |new: &String| {
                        item.starts_with(new.as_str()) || new == "ALL" || new == "all" || presets::holds(new, item)
                    };
                    new.iter().any(is_of)
                };
                let lost = old.iter().filter(|item| !is_kept(item)).count();
                let is_swapped = new.iter().any(|item| !old.contains(item));
                match () {
                    () if lost == 0 || after.is_none() && self.now.is_empty() => Clean,
                    () if after.is_none() => looser("was removed", false),
                    () => Looser(format!("loses {}", count(lost, "item")), !is_swapped),
                }
            }
            Sense::Disabled => {
                let (old, new) = (texts(before), texts(after));
                let is_known = |item: &String| {
                    old.iter().any(|old| item.starts_with(old.as_str()))
                        || self.tool == Tool::Ruff && !is_in_part && !was_selected(item, self.then)
                };
                let added = new.iter().filter(|item| !is_known(item)).count();
                match added {
                    0 => Clean,
                    _ if self.is_renamed || before.is_none() && self.is_of_new_item() => Clean,
                    added => Looser(format!("gains {}", count(added, "item")), !is_in_part && !self.has_gained),
                }
            }
            Sense::Options => self.options(before, after),
            Sense::Decider if after.is_some() => looser("was changed: it decides the outcome of the checks", true),
            Sense::Hook if texts(after).iter().all(|name| REPORTERS.contains(&name.as_str())) => Clean,
            Sense::Hook if after.is_some() => looser("was changed: it runs with the checks", false),
            Sense::Watched
                if texts(before)
                    .first()
                    .zip(texts(after).first())
                    .is_some_and(|(old, new)| presets::holds(new, old)) =>
            {
                Clean
            }
            Sense::Filters if strength::is_stricter_filter(&texts(before), &texts(after)) => Clean,
            Sense::Watched | Sense::Filters if after.is_some() => {
                looser(if before.is_some() { "was changed" } else { "was added" }, false)
            }
            Sense::Decider | Sense::Hook | Sense::Watched | Sense::Filters => Clean,
        }
    }

    /// Whether it is about a rule of RuboCop that was not configured before new rules were turned on.
    fn is_of_new_cop(&self) -> bool {
        let is_known = |side: &Side| self.key.first().is_some_and(|cop| side.value.get(cop).is_some());
        self.tool == Tool::Rubocop && self.has_gained && !self.then.iter().any(is_known)
    }

    /// Whether it is a setting of an item of a list that was not there before: of a new target.
    fn is_of_new_item(&self) -> bool {
        if self.tool == Tool::TestPlan {
            // Its items have no names.
            return false;
        }
        let Some(at) = self.key.iter().position(|key| key.starts_with('[')) else { return false };
        let (list, name) = (self.key[..at].join("/"), self.key[at].trim_matches(['[', ']']));
        let is_named = |item: &Value| item.get("name").and_then(Value::text).is_some_and(|text| text == name);
        !self.then.iter().any(|side| side.value.at(&list).is_some_and(|list| list.items().iter().any(is_named)))
    }

    /// Whether patterns of files are regular expressions.
    fn has_expressions(&self) -> bool {
        match self.tool {
            Tool::Jest => !self.is_last("testMatch") && !self.is_last("collectCoverageFrom"),
            tool => matches!(tool, Tool::Mypy | Tool::PreCommit),
        }
    }

    /// Whether it limits the size of code.
    fn is_size(&self) -> bool {
        self.key.iter().any(|key| {
            let key = key.to_ascii_lowercase();
            ["metrics/", "length", "lines", "size", "complexity", "statements", "max-args"]
                .iter()
                .any(|word| key.contains(word))
        })
    }

    fn is_last(&self, name: &str) -> bool {
        self.key.last().is_some_and(|key| key == name)
    }

    fn severity(&self, (before, after): (Option<&Value>, Option<&Value>), what: &str) -> Change {
        let (old, new) = (before.and_then(rank), after.and_then(rank));
        match (old, new) {
            (Some(old), Some(new)) if new < old => Change::Looser("was lowered".into(), true),
            (Some(_), Some(_)) => Change::Clean,
            (None, Some(0)) if before.is_none() => {
                Change::Looser("was turned off".into(), !self.has_gained && !is_of_style(self.tool, self.key))
            }
            (Some(old), None) if old > 0 && after.is_none() => Change::Looser("was removed".into(), false),
            _ if before.is_some() && after.is_some() => Change::Looser(what.into(), false),
            _ => Change::Clean,
        }
    }

    /// Whether a switch that is not set here is on through another setting.
    fn is_on_by_others(&self) -> bool {
        let is_on = |sides: &[Side], key: &str| {
            sides.iter().any(|side| side.value.at(key).and_then(Value::truth) == Some(true))
        };
        let has = |key: &str| self.now.iter().any(|side| side.value.get(key).is_some());
        match self.tool {
            Tool::TypeScript => {
                has("extends")
                    || is_on(self.then, "compilerOptions/strict") && is_on(self.now, "compilerOptions/strict")
            }
            Tool::Mypy => is_on(self.then, "strict"),
            Tool::Pytest => is_on(self.then, "strict") && is_on(self.now, "strict"),
            _ => false,
        }
    }

    /// Whether the settings now come from another base.
    fn has_new_base(&self) -> bool {
        let of = |sides: &[Side]| sides.iter().find_map(|side| side.value.get("extends")).map(Value::shown);
        // Builds inherit settings from files above.
        matches!(self.tool, Tool::Dotnet | Tool::Maven) || of(self.then) != of(self.now)
    }

    /// Whether a switch that includes this one is on.
    fn is_included(&self) -> bool {
        let is_strict = |key: &str| self.now.iter().any(|side| side.value.at(key).and_then(Value::truth) == Some(true));
        let is_part = self.tool == Tool::TypeScript
            && is_strict("compilerOptions/strict")
            && self.key.last().is_some_and(|key| {
                key.starts_with("strict")
                    || matches!(
                        key.as_str(),
                        "noImplicitAny" | "noImplicitThis" | "alwaysStrict" | "useUnknownInCatchVariables"
                    )
            });
        // `strict` of pytest stands for all of its switches; one of them has two names.
        let is_strict_alike = self.tool == Tool::Pytest
            && (is_strict("strict") && !self.is_last("strict")
                || self.is_last("xfail_strict") && is_strict("strict_xfail")
                || self.is_last("strict_xfail") && is_strict("xfail_strict"));
        is_part || is_strict_alike || self.tool == Tool::Mypy && is_strict("strict")
    }

    /// The options of pytest that a switch beside a command line stands for.
    fn implied_options(&self, text: &str, sides: &[Side]) -> String {
        let is_on = |key: &str| sides.iter().any(|side| side.value.at(key).and_then(Value::truth) == Some(true));
        let pairs = [("strict_config", "--strict-config"), ("strict_markers", "--strict-markers")];
        let is_implied = |(key, option): &(&str, &str)| {
            self.tool == Tool::Pytest && (is_on("strict") || is_on(key)) && !text.contains(option)
        };
        let options: Vec<&str> = pairs.iter().filter(|pair| is_implied(pair)).map(|(_, option)| *option).collect();
        options.iter().map(|option| format!(" {option}")).collect()
    }

    /// Compares options of a command line.
    fn options(&self, before: Option<&Value>, after: Option<&Value>) -> Change {
        let program = if self.tool == Tool::Pytest { "pytest" } else { "cargo build" };
        let line = |value: Option<&Value>, sides: &[Side]| {
            let text = match value {
                Some(Value::List(_)) | None => texts(value).join(" "),
                Some(value) => value.text().unwrap_or_default(),
            };
            format!("{program} {}{}", text.replace('\n', " "), self.implied_options(&text, sides))
        };
        let (old, new) = (line(before, self.then), line(after, self.now));
        let side = |text| Text { text, on_failure: OnFailure::Stop, find: &|_| None };
        match strength::lost(&side(&old), &side(&new), None).into_iter().next() {
            Some(lost) => Change::Looser(lost.what, lost.is_certain),
            None => Change::Clean,
        }
    }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    value.map(Value::texts).unwrap_or_default()
}
