//! Skips: tests that ran and no longer run, and new tests that do not run. A condition that the environment decides is a warning.

use super::marks::{self, ByMark};
use super::modes::Modes;
use super::skip_conditions::{is_implied, is_no_wider, plain, says_where};
use super::{Judgement, cargo_features, condition, known_skips, show};
use crate::guards::Inspection;
use crate::sides::Source;
use review_gate::event::{Level, Rule};
use review_gate::outline::compare::{Pair, Place, Side, losses};
use review_gate::outline::{Assert, Bearer, Mark, SkipKind, Test};
use std::cell::LazyCell;
use std::collections::BTreeSet;

impl Inspection<'_> {
    /// Finds tests that are newly skipped. New tests with a condition are clean.
    pub fn find_skips(&mut self, judgement: &mut Judgement<'_>, source: &Source<'_>) {
        let mut found = ByMark::new();
        let mut reported: Vec<Place> = Vec::new();
        let mut turned: BTreeSet<(usize, u64)> = BTreeSet::new();
        for pair in &judgement.compared.pairs {
            let Some(old) = judgement.test(Side::Then, pair.then) else { continue };
            for place in std::iter::once(&pair.now).chain(&pair.parts) {
                let Some(new) = judgement.test(Side::Now, *place) else { continue };
                // A part of a test that was split is new, if the parts that run demand what it demanded.
                if *place != pair.now
                    && new.skip.as_ref().is_some_and(|mark| mark.condition.is_some())
                    && is_covered(judgement, pair, old)
                {
                    continue;
                }
                let is_known =
                    |mark: &&Mark| known_skips::is_known(judgement, source, (old, pair.then.file), (mark, *place));
                if let Some(mark) = new_mark(old, new).filter(|mark| !is_known(mark)) {
                    marks::add(&mut found, mark, *place, true);
                    reported.push(pair.then);
                    if is_turned(old, mark) {
                        turned.insert((place.file, mark.line));
                    }
                }
            }
        }
        for place in &judgement.compared.new {
            let mark = judgement.test(Side::Now, *place).and_then(|test| test.skip.as_ref());
            if let Some(mark) = mark.filter(|mark| mark.condition.is_none() && mark.kind != SkipKind::Fails) {
                marks::add(&mut found, mark, *place, false);
            }
        }
        let Some(level) = self.guards.level(Rule::NoNewSkips) else { return };
        judgement.reported.extend(reported);
        let new_names = judgement.names.new_ones();
        let modes = LazyCell::new(|| Modes::of(judgement, source));
        for ((file, line, _), marked) in found {
            let is_old = !marked.old.is_empty();
            let places = if is_old { &marked.old } else { &marked.new };
            let names = marks::names(judgement, places);
            let what = format!("{} {}", show::tests(&names), show::was(names.len()));
            let mark = show::mark(marked.mark);
            let text = match marked.mark.kind {
                _ if !is_old => format!("new {} skipped: {mark} (new code)", show::tests(&names)),
                SkipKind::Skip => format!("{what} skipped: {mark}"),
                SkipKind::Todo => format!("{what} marked as unfinished: {mark}"),
                SkipKind::Fails => format!("{what} marked as failing: {mark}"),
            };
            // A condition of the build says where the file belongs.
            let is_of_build = marked.mark.of == Bearer::File && marked.mark.condition.is_some();
            let is_of_environment =
                marked.mark.condition.as_deref().is_some_and(|condition| {
                    let mark = &marked.mark.text;
                    condition::is_of_environment(condition, mark, new_names)
                        || cargo_features::are_of_package(judgement, source, file, mark, condition)
                }) || marked.old.iter().all(|place| is_another_version(judgement, *place, marked.mark)) && is_old;
            let is_turned = turned.contains(&(file, line));
            let level = if is_old && !is_of_build && (is_turned || !is_of_environment) {
                judgement.level(file, level)
            } else {
                level.min(Level::Warning)
            };
            // What the change opens to a further mode ran in no other way there before.
            let opens = |condition: &str| {
                let is_new = new_names.iter().any(|name| condition.contains(name));
                !is_new && modes.opens(judgement.shown(file), &marked.mark.text, condition)
            };
            let is_opened = is_old && !is_turned && marked.mark.condition.as_deref().is_some_and(opens);
            let is_input = !is_old && judgement.is_new_input(file);
            let level = if is_opened || is_input { level.min(Level::Note) } else { level };
            let levels = places.iter().map(|place| judgement.level_of_example((Side::Now, *place), level));
            let level = levels.max().unwrap_or(level);
            let key = marks::key(judgement, marked.mark, places);
            self.find_at(level, Rule::NoNewSkips, judgement.shown(file), Some(line), &key, text);
        }
    }
}

/// Whether the parts of a split test that always run, and the new tests beside them, assert all that the whole one asserted.
fn is_covered(judgement: &Judgement<'_>, pair: &Pair, old: &Test) -> bool {
    let is_beside = |place: &&Place| place.file == pair.now.file;
    let places = std::iter::once(&pair.now).chain(&pair.parts).chain(judgement.compared.new.iter().filter(is_beside));
    let running = places.filter_map(|place| judgement.test(Side::Now, *place)).filter(|test| test.skip.is_none());
    let asserts: Vec<Assert> = running.flat_map(|test| test.asserts.iter().cloned()).collect();
    !asserts.is_empty() && losses(&old.asserts, &asserts).is_empty()
}

/// The mark that keeps a test from running that ran before, or ran under more conditions.
fn new_mark<'a>(old: &Test, new: &'a Test) -> Option<&'a Mark> {
    let mark = new.skip.as_ref()?;
    let is_new = match old.skip.as_ref() {
        None => true,
        Some(before) => match (&before.condition, &mark.condition) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(a), Some(b)) => {
                let is_alike = || {
                    let none = BTreeSet::new();
                    let is_given = |condition: &str, mark: &str| condition::is_of_environment(condition, mark, &none);
                    let is_alike = condition::is_alike((&before.text, a), (&mark.text, b));
                    is_alike && is_given(a, &before.text) && is_given(b, &mark.text) && !is_turned(old, mark)
                };
                let is_no_wider = says_where(before) == says_where(mark) && is_no_wider(a, b);
                !is_no_wider && !is_implied(before, a, mark, b) && !is_about_module(a, mark, b) && !is_alike()
            }
        },
    };
    is_new.then_some(mark)
}

/// Whether a test had the same condition with other numbers: the feature of another version of a library.
fn is_another_version(judgement: &Judgement<'_>, place: Place, mark: &Mark) -> bool {
    let pair = judgement.compared.pairs.iter().find(|pair| pair.now == place);
    let old = pair.and_then(|pair| judgement.test(Side::Then, pair.then)?.skip.as_ref());
    let bare = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let before = old.and_then(|old| old.condition.as_deref()).zip(mark.condition.as_deref());
    let is_feature = mark.text.contains("feature");
    is_feature && before.is_some_and(|(a, b)| bare(a) == bare(b) && a.chars().any(|c| c.is_ascii_digit()))
}

/// Whether a mark has the opposite of the condition that was there before: where the test ran, it no longer runs.
fn is_turned(old: &Test, mark: &Mark) -> bool {
    let bare = |text: &str| -> String {
        let text = text.replace("!=", "==").replace("not ", "").replace("unless ", "if ");
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '(' | ')' | '!')).collect()
    };
    let is_same_sense = old.skip.as_ref().is_some_and(|old| says_where(old) == says_where(mark));
    let before = old.skip.as_ref().and_then(|mark| mark.condition.as_deref());
    let is_turned =
        |(a, b): (&str, &str)| if is_same_sense { a != b && bare(a) == bare(b) } else { plain(a) == plain(b) };
    before.zip(mark.condition.as_deref()).is_some_and(is_turned)
}

/// Whether the mark skips the test if a module is not installed that the condition before asked for, too.
fn is_about_module(before: &str, mark: &Mark, now: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric();
    let module = condition::module(&mark.text, now);
    module.is_some_and(|module| before.split(|c| !is_part(c)).any(|word| word == module))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opposite_of_a_condition_is_told() {
        let mark = |condition: &str| Mark { condition: Some(condition.into()), ..Mark::default() };
        let is = |a: &str, b: &str| is_turned(&Test { skip: Some(mark(a)), ..Test::default() }, &mark(b));
        assert!(is("platform == 'a'", "platform != 'a'") && is("is_old", "not is_old") && is("!isOld()", "isOld()"));
        assert!(!is("platform == 'a'", "platform == 'b'") && !is("is_old", "is_old"));
    }

    #[test]
    fn a_skip_without_the_same_module_is_no_other_skip() {
        let skip = |text: &str, condition: &str| Test {
            skip: Some(Mark { text: text.into(), condition: Some(condition.into()), ..Mark::default() }),
            ..Test::default()
        };
        let by_version = skip("pytest.mark.skipif", "watchdog_version < \"5\"");
        let is_new = |text: &str, condition: &str| new_mark(&by_version, &skip(text, condition)).is_some();
        assert!(!is_new("pytest.importorskip", "\"watchdog\""));
        assert!(is_new("pytest.importorskip", "\"other\"") && is_new("pytest.mark.skipif", "\"watchdog\""));
    }

    #[test]
    fn another_condition_is_another_skip() {
        let test = |mark: Option<Option<&str>>| {
            let mark = mark.map(|condition| Mark { condition: condition.map(str::to_string), ..Mark::default() });
            Test { skip: mark, ..Test::default() }
        };
        let is_new = |old, new| new_mark(&test(old), &test(new)).is_some();
        assert!(is_new(None, Some(None)) && is_new(None, Some(Some("a"))) && is_new(Some(Some("a")), Some(None)));
        assert!(is_new(Some(Some("a == b")), Some(Some("a != b"))));
        assert!(!is_new(Some(None), Some(None)) && !is_new(Some(None), Some(Some("a"))) && !is_new(Some(None), None));
        assert!(!is_new(Some(Some("a == 'b'")), Some(Some("a==\"b\""))));
        assert!(!is_new(Some(Some("a")), Some(Some("a && b"))));
    }
}
