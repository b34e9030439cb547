//! Suppressions: lint and type checks that are newly turned off, or turned off for more. Those that only moved are left out.

use super::blocks::Blocks;
use super::removed_words::line_at;
use super::rewritten::Hunks;
use super::{Judgement, lints, show};
use crate::guards::Inspection;
use crate::new_code::NewCode;
use crate::sides::Source;
use review_gate::event::{Level, Rule};
use review_gate::outline::compare::{Side, stem};
use review_gate::outline::{Outline, Reach, Suppression};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// A suppression and its file.
type Entry<'a> = (usize, &'a Suppression);

impl Inspection<'_> {
    /// Finds new suppressions.
    pub fn find_suppressions(&mut self, judgement: &Judgement<'_>, new_code: &NewCode, source: &Source<'_>) {
        let Some(level) = self.guards.level(Rule::NoDisabledLint) else { return };
        let blocks = Blocks::of(judgement, source);
        let added = added(judgement, &blocks);
        let projects = LazyCell::new(|| projects(judgement, source));
        let files: BTreeSet<usize> = added.iter().map(|((file, _), _)| *file).collect();
        let lines = |file: usize| Some((file, Hunks::of(judgement.texts(source).lines(file)?)));
        let hunks: BTreeMap<usize, Hunks<'_>> = files.into_iter().filter_map(lines).collect();
        // Of what one attribute turns off, the worst counts.
        let mut worst: BTreeMap<(usize, u64), (Level, String, String)> = BTreeMap::new();
        for ((file, suppression), wider) in added {
            let hunks = hunks.get(&file);
            if wider.is_none() && hunks.is_some_and(|hunks| was_there(judgement, file, suppression, hunks)) {
                continue;
            }
            // In a test, an expected error of types is an assertion.
            let is_expected = judgement.sides(file).role.is_test && suppression.text.contains("@ts-expect-error");
            if judgement.is_foreign(file)
                || is_expected
                || is_newly_typed(judgement, file, suppression)
                || wider.is_none() && names_rules(suppression) && were_off(&projects, suppression)
            {
                continue;
            }
            let is_wide = suppression.reach > Reach::Definition;
            let is_far = is_wide && !blocks.is_short(file, suppression);
            let at = judgement.code.of[file];
            let is_rewritten =
                || suppression.reach == Reach::Line && hunks.is_some_and(|hunks| is_other(suppression, hunks));
            let is_inserted = new_code.is_new_line(at, suppression.line, is_trailing(suppression), is_wide);
            let is_block = || blocks.is_new(new_code, file, suppression);
            let is_new = is_inserted || wider.is_none() && (is_rewritten() || is_block());
            let reason = is_new.then_some("new code");
            let note = reason.map_or(String::new(), |reason| format!(" ({reason})"));
            let shown = show::code(&suppression.text);
            let text = match wider {
                Some(before) => {
                    let how = if is_wider(before, suppression) { "for more" } else { "in another way" };
                    format!("lint is suppressed {how}: {} -> {shown}{note}", show::code(&before.text))
                }
                None => format!("suppressed lint: {shown}{note}"),
            };
            // Honest work suppresses one rule on an existing line, too.
            let is_chosen = self.guards.is_chosen(Rule::NoDisabledLint);
            let is_bare = suppression.rules.is_empty() && !has_no_rules(suppression);
            let is_all = is_bare || suppression.rules.iter().any(|rule| lints::is_group(&suppression.linter, rule));
            let then = judgement.texts(source).lines(file).map_or(&[][..], |(then, _)| then);
            let is_named = lints::is_named(suppression, wider, judgement.shown(file));
            let is_style = is_named && !lints::were_demanded(suppression, then)
                || lints::is_of_deprecated(suppression, judgement.texts(source));
            let is_certain = is_chosen || !is_style && (is_far || is_all);
            let level = if reason.is_some() || !is_certain { level.min(Level::Warning) } else { level };
            let level = if judgement.is_new_input(file) { level.min(Level::Note) } else { level };
            let key = format!(
                "{}{}{:?}{}",
                suppression.linter,
                suppression.rules.join(","),
                suppression.reach,
                suppression.target.0
            );
            let level = judgement.level(file, level);
            let known = worst.entry((file, suppression.line)).or_insert_with(|| (level, key.clone(), text.clone()));
            if level > known.0 {
                *known = (level, key, text);
            }
        }
        for ((file, line), (level, key, text)) in worst {
            self.find_at(level, Rule::NoDisabledLint, judgement.shown(file), Some(line), &key, text);
        }
    }
}

/// Whether a suppression is about types in a file of TypeScript that was one of JavaScript: nothing checked its types.
fn is_newly_typed(judgement: &Judgement<'_>, file: usize, suppression: &Suppression) -> bool {
    let shown = judgement.shown(file);
    let typed = [(".ts", ".js"), (".tsx", ".jsx"), (".tsx", ".js"), (".mts", ".mjs"), (".cts", ".cjs")];
    let was_plain = |other: usize| {
        let is_gone = judgement.outline(Side::Then, other).is_some() && judgement.outline(Side::Now, other).is_none();
        let was = judgement.shown(other);
        let is_it = |(now, then): &(&str, &str)| {
            shown.strip_suffix(now).is_some_and(|stem| was.strip_suffix(then) == Some(stem))
        };
        is_gone && typed.iter().any(is_it)
    };
    suppression.text.contains("@ts-")
        && judgement.outline(Side::Then, file).is_none()
        && (0..judgement.code.files.len()).any(was_plain)
}

/// Both sides of the changed project files of C#.
fn projects(judgement: &Judgement<'_>, source: &Source<'_>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let is_project = |path: &Path| {
        let name = path.to_string_lossy().into_owned();
        [".csproj", ".props", ".editorconfig"].iter().any(|end| name.ends_with(end))
    };
    let changes = judgement.all.iter().map(|one| &one.change).filter(|change| is_project(&change.path)).cloned();
    source.both_texts(&changes.collect::<Vec<_>>(), ROOM).unwrap_or_default()
}

/// Whether a suppression is one of C# that names its rules.
fn names_rules(suppression: &Suppression) -> bool {
    suppression.linter == "csharp" && !suppression.rules.is_empty()
}

/// Whether all rules that a suppression names were off in a project file, which no longer names them.
fn were_off(projects: &[(Vec<u8>, Vec<u8>)], suppression: &Suppression) -> bool {
    let names = |text: &[u8], rule: &str| {
        let lines = text.split(|b| *b == b'\n').map(String::from_utf8_lossy);
        let mut turning = lines.filter(|line| line.contains("NoWarn") || line.contains("severity"));
        turning.any(|line| line.split(|c: char| !c.is_alphanumeric()).any(|word| word == rule))
    };
    let was_off = |rule: &String| projects.iter().any(|(then, now)| names(then, rule) && !names(now, rule));
    suppression.rules.iter().all(was_off)
}

/// The largest project files that are read, in bytes.
const ROOM: usize = 1 << 20;

/// Whether the code that a suppression is about was written in the place of other code.
fn is_other(suppression: &Suppression, hunks: &Hunks<'_>) -> bool {
    hunks.code_from(line_at(suppression.line)).is_some_and(|line| hunks.is_other(line))
}

/// Whether code that was written in the place of other code has the suppression that stood there.
fn was_there(judgement: &Judgement<'_>, file: usize, suppression: &Suppression, hunks: &Hunks<'_>) -> bool {
    let line = hunks.code_from(line_at(suppression.line));
    let Some(before) = line.and_then(|line| hunks.replaced(line)) else { return false };
    let is_same = |old: &Suppression| {
        let is_no_more = old.rules.is_empty()
            || !suppression.rules.is_empty() && suppression.rules.iter().all(|rule| old.rules.contains(rule));
        let is_there = before.contains(&line_at(old.line));
        old.linter == suppression.linter && old.reach == Reach::Line && is_no_more && is_there
    };
    let mut old = judgement.outline(Side::Then, file).into_iter().flat_map(|outline| &outline.suppressions);
    suppression.reach == Reach::Line && old.any(is_same)
}

/// Whether a suppression turns off more than the one before it: all rules, further rules, or more code.
fn is_wider(before: &Suppression, now: &Suppression) -> bool {
    let is_all = now.rules.is_empty() && !before.rules.is_empty();
    is_all || now.reach > before.reach || now.rules.len() > before.rules.len()
}

/// Whether a suppression can name no rule: of coverage, or of a formatter.
fn has_no_rules(suppression: &Suppression) -> bool {
    let linter = suppression.linter.as_str();
    WITHOUT_RULES.iter().any(|known| linter.contains(known))
}

/// Tools whose suppressions name no rule.
const WITHOUT_RULES: [&str; 10] =
    ["coverage", "simplecov", "istanbul", "c8", "format", "prettier", "black", "fmt", "nocov", "tarpaulin"];

/// Whether code stands before the mark in its line.
fn is_trailing(suppression: &Suppression) -> bool {
    let text = suppression.text.trim_start();
    !["//", "/*", "*", "#", "@", "[", "{/*", "<!--", "--", "%"].iter().any(|sign| text.starts_with(sign))
}

/// The suppressions that are new, and for one that grew what it was before.
fn added<'a>(judgement: &Judgement<'a>, blocks: &Blocks<'_, 'a>) -> Vec<(Entry<'a>, Option<&'a Suppression>)> {
    let list = |side: Side| -> Vec<Entry<'a>> {
        let of = |file| {
            judgement
                .outline(side, file)
                .into_iter()
                .flat_map(move |o: &Outline| o.suppressions.iter().map(move |s| (file, s)))
        };
        (0..judgement.code.files.len()).flat_map(of).collect()
    };
    let (mut old, mut new) = (list(Side::Then), list(Side::Now));
    let rules = |s: &Suppression| s.rules.join("\u{1f}");
    // The same one: about the same code, in its file or in another one; then about other code in its file.
    cancel(&mut old, &mut new, |(file, s)| Some((*file, s.linter.clone(), rules(s), s.reach as u8, s.target.0)));
    cancel(&mut old, &mut new, |(_, s)| {
        (s.target.0 != 0).then(|| (0, s.linter.clone(), rules(s), s.reach as u8, s.target.0))
    });
    cancel(&mut old, &mut new, |(file, s)| Some((*file, s.linter.clone(), rules(s), s.reach as u8, 0)));
    // A whole file that moved.
    let is_moved =
        |file: usize| judgement.outline(Side::Then, file).is_none() || judgement.outline(Side::Now, file).is_none();
    cancel(&mut old, &mut new, |(file, s)| {
        (is_moved(*file) && s.reach >= Reach::Block).then(|| (0, s.linter.clone(), rules(s), s.reach as u8, 0))
    });
    // A file that was written anew in another language: it has other suppressions.
    cancel(&mut old, &mut new, |(file, _)| is_moved(*file).then(|| stem(judgement.shown(*file))));
    let mut found = Vec::new();
    // One of the whole file, or of a block, may have become several narrower ones.
    let wide: Vec<Entry<'a>> = old.iter().filter(|(_, one)| one.reach >= Reach::Block).copied().collect();
    new.retain(|(file, one)| {
        !wide.iter().any(|(other, before)| {
            other == file
                && is_narrowed(before, one)
                && (before.reach > Reach::Block || blocks.held(*file, before, one))
        })
    });
    for (file, suppression) in new {
        let is_same_place = |(other, before): &Entry<'_>| {
            let is_alike = before.target == suppression.target || before.reach == suppression.reach;
            *other == file && before.linter == suppression.linter && (is_alike || before.rules == suppression.rules)
        };
        let is_no_more = |before: &Suppression| {
            let is_fewer =
                !suppression.rules.is_empty() && suppression.rules.iter().all(|rule| before.rules.contains(rule));
            suppression.reach <= before.reach && (before.rules.is_empty() || is_fewer)
        };
        // A block says nothing about code that stood elsewhere.
        let is_held = |before: &Suppression| {
            before.reach != Reach::Block || suppression.reach >= Reach::Block || blocks.held(file, before, suppression)
        };
        let fewer = old.iter().position(|entry| is_same_place(entry) && is_no_more(entry.1) && is_held(entry.1));
        if let Some(at) = fewer {
            old.remove(at);
            continue;
        }
        let before = old.iter().position(is_same_place).map(|at| old.remove(at).1);
        found.push(((file, suppression), before));
    }
    found
}

/// Whether a suppression turns off a part of what a wider one of the same tool turned off.
fn is_narrowed(before: &Suppression, now: &Suppression) -> bool {
    let covers = |rule: &String| before.rules.contains(rule);
    before.reach > now.reach
        && is_same_tool(&before.linter, &now.linter)
        && (before.rules.is_empty() || !now.rules.is_empty() && now.rules.iter().all(covers))
}

/// Whether suppressions of two names are of one tool: a file has other marks than a line.
fn is_same_tool(a: &str, b: &str) -> bool {
    let types = |name: &str| ["mypy", "typing", "pyright", "types"].contains(&name);
    a == b || types(a) && types(b)
}

/// Removes the entries that both lists hold with the same key.
fn cancel<K: std::hash::Hash + Eq>(
    old: &mut Vec<Entry<'_>>,
    new: &mut Vec<Entry<'_>>,
    key: impl Fn(&Entry<'_>) -> Option<K>,
) {
    let mut there: HashMap<K, usize> = HashMap::new();
    old.iter().filter_map(&key).for_each(|key| *there.entry(key).or_default() += 1);
    let mut taken: HashMap<K, usize> = HashMap::new();
    let take = |count: &mut usize| {
        let is_some = *count > 0;
        *count -= usize::from(is_some);
        is_some
    };
    new.retain(|entry| {
        let Some(key) = key(entry) else { return true };
        let is_there = there.get_mut(&key).is_some_and(take);
        *taken.entry(key).or_default() += usize::from(is_there);
        !is_there
    });
    old.retain(|entry| !key(entry).is_some_and(|key| taken.get_mut(&key).is_some_and(take)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suppression_is_wider_if_it_names_more_or_reaches_further() {
        let of = |rules: &[&str], reach| Suppression {
            rules: rules.iter().map(|rule| rule.to_string()).collect(),
            reach,
            ..Suppression::default()
        };
        let named = of(&["raw", "unused"], Reach::Line);
        assert!(!is_wider(&named, &of(&["rawtypes", "unused"], Reach::Line)));
        assert!(is_wider(&named, &of(&["raw", "unused", "all"], Reach::Line)));
        assert!(is_wider(&named, &of(&[], Reach::Line)));
        assert!(is_wider(&named, &of(&["raw"], Reach::Definition)));
    }

    #[test]
    fn a_suppression_is_narrowed_if_less_code_or_fewer_rules_are_left() {
        let of = |linter: &str, rules: &[&str], reach| Suppression {
            linter: linter.into(),
            rules: rules.iter().map(|rule| rule.to_string()).collect(),
            reach,
            ..Suppression::default()
        };
        let file = of("eslint", &[], Reach::File);
        assert!(is_narrowed(&file, &of("eslint", &["no-console"], Reach::Line)));
        assert!(!is_narrowed(&file, &of("typescript", &[], Reach::Line)), "another tool");
        let named = of("rubocop", &["Metrics/MethodLength"], Reach::Block);
        assert!(is_narrowed(&named, &of("rubocop", &["Metrics/MethodLength"], Reach::Line)));
        assert!(!is_narrowed(&named, &of("rubocop", &["Lint/Void"], Reach::Line)), "another rule");
        assert!(!is_narrowed(&named, &of("rubocop", &[], Reach::Line)), "all rules");
        assert!(!is_narrowed(&of("eslint", &[], Reach::Line), &of("eslint", &[], Reach::Line)), "as wide");
    }

    #[test]
    fn coverage_and_formatters_name_no_rules() {
        let of = |linter: &str| has_no_rules(&Suppression { linter: linter.into(), ..Suppression::default() });
        assert!(of("coverage") && of("swift-format") && of("prettier"));
        assert!(!of("eslint") && !of("mypy") && !of("typescript"));
    }
}
