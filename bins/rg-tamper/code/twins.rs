//! Twins: tests that stand a second time elsewhere, so that nothing is lost if one of them is removed.

use super::extent::all_words;
use super::removed_words::line_at;
use super::words::Texts;
use super::{Judgement, extent, imports, successors, tree, wrappers};
use crate::places;
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::compare::{Place, Side};
use review_gate::outline::{Test, language};
use review_gate::sys::glob;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

/// How many tokens the body of a test has at least, so that another one of the same body is the same test.
const TELLING: u64 = 8;

/// What keeps a test from running, above it or in its file.
static SKIPS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)skip|ignore|disabled|xfail|todo|fixme|only|pending").ok());
static SKIPS_MORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:describe|context|suite|test|it)\.(?:skip|todo|only)|\bx(?:describe|context)\b|pytestmark|collect_ignore|__test__|allow_module_level|t\.Skip|#!?\[ignore").ok()
});

/// Words of imports that are another file in another place.
const RELATIVE: [&str; 5] = ["./", "super::", "from .", "require_relative", "use crate::"];

/// Whether another changed file, or the same one, held and holds a running test that is the same: of the same body, and in another file
/// of the same name, with the same imports.
pub fn is_twice(judgement: &Judgement<'_>, texts: &Texts, place: Place) -> bool {
    let Some(old) = judgement.test(Side::Then, place).filter(|test| test.tokens >= TELLING) else { return false };
    let is_same = |test: &Test| test.body == old.body && test.rows == old.rows && test.skip.is_none();
    judgement.compared.pairs.iter().any(|pair| {
        let is_alike = || {
            let both = texts.lines(place.file).zip(texts.lines(pair.now.file));
            let paths = (judgement.shown(place.file), judgement.shown(pair.now.file));
            both.is_some_and(|((then, _), (_, now))| has_same_imports((paths.0, then), (paths.1, now), old))
        };
        let is_near = |test: &Test| match pair.then.file == place.file {
            true => test.suite == old.suite,
            false => test.name == old.name && !judgement.is_out_of_sight(place.file, pair.now.file) && is_alike(),
        };
        let both = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        // Of two that were the same in all, the other one is compared with what it is today.
        let is_copy = |then: &Test| pair.then.file == place.file && then.name == old.name && then.suite == old.suite;
        both.is_some_and(|(then, now)| is_near(then) && is_same(then) && (is_same(now) || is_copy(then)))
    })
}

/// Whether a group of examples that others include holds a test with the name and the body of a removed one, and the file of the removed
/// one includes it: `it_behaves_like "a cache"`.
pub fn is_shared(judgement: &Judgement<'_>, place: Place) -> bool {
    let Some(old) = judgement.test(Side::Then, place) else { return false };
    let outlines = || (0..judgement.code.files.len()).filter_map(|file| judgement.outline(Side::Now, file));
    let is_same = |test: &&Test| {
        let is_as_strong = test.body == old.body || successors::demands_as_much(old, test);
        test.name == old.name && is_as_strong && test.skip.is_none()
    };
    let groups = outlines().flat_map(|outline| &outline.tests).filter(is_same).filter_map(|test| test.suite.last());
    let here = || judgement.outline(Side::Now, place.file).into_iter().flat_map(|outline| &outline.tests);
    let is_around = |suite: &[String]| suite.starts_with(&old.suite) || old.suite.starts_with(suite);
    groups.into_iter().any(|group| here().any(|test| test.name == *group && is_around(&test.suite)))
}

/// Those of these removed tests that an unchanged test file holds, each with its path: the same declaration with the same lines below it.
pub fn elsewhere(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    texts: &Texts,
    test_globs: &[String],
    gone: &BTreeSet<Place>,
) -> BTreeMap<Place, String> {
    let mut held = BTreeMap::new();
    let telling = |place: &&Place| judgement.test(Side::Then, **place).is_some_and(|test| test.tokens >= TELLING);
    let wanted: Vec<(Place, &str, Vec<&str>)> = gone
        .iter()
        .filter(telling)
        .filter_map(|place| {
            let (lines, test) = (texts.lines(place.file)?.0, judgement.test(Side::Then, *place)?);
            let first = line_at(test.line);
            Some((*place, lines.get(first)?.trim(), wrappers::body(lines, first)))
        })
        .filter(|(_, declaration, body)| !declaration.is_empty() && !body.is_empty())
        .collect();
    let declarations: BTreeSet<&str> = wanted.iter().map(|(_, declaration, _)| *declaration).collect();
    let read = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path());
    let changed: BTreeSet<&Path> = read.collect();
    for (path, lines) in tree::holding(source.top, source.now, &changed, &declarations) {
        let is_marked = language::of(&path).is_some_and(language::marks_its_tests);
        let is_alike = |place: &Place| {
            let (then, old) = (texts.lines(place.file), judgement.test(Side::Then, *place));
            let shown = judgement.shown(place.file);
            then.zip(old).is_some_and(|((then, _), old)| has_same_imports((shown, then), (&path, &lines), old))
        };
        let is_seen = (glob::any(test_globs, &path) || is_marked) && !places::is_apart(&path);
        let is_off = |regex: &Option<Regex>, line: &String| regex.as_ref().is_some_and(|regex| regex.is_match(line));
        if !is_seen || lines.iter().any(|line| is_off(&SKIPS_MORE, line)) {
            continue;
        }
        for at in 0..lines.len() {
            let is_marked = || lines[extent::of(&lines, at).start..at].iter().any(|line| is_off(&SKIPS, line));
            let is_one = |(_, declaration, body): &&(Place, &str, Vec<&str>)| {
                lines[at].trim() == *declaration && wrappers::body(&lines, at) == *body && !is_marked()
            };
            let found = wanted.iter().filter(is_one).filter(|(place, ..)| is_alike(place));
            held.extend(found.map(|(place, ..)| (*place, path.clone())));
        }
    }
    held
}

/// Whether two files take what a test uses from the same places.
fn has_same_imports(then: (&str, &[String]), now: (&str, &[String]), test: &Test) -> bool {
    let dir = |path: &str| path.rsplit_once('/').map_or(String::new(), |(dir, _)| dir.to_string());
    let of = |lines: &[String]| -> BTreeSet<String> {
        let is_used = |statement: &String| all_words(statement).any(|word| test.calls.iter().any(|call| call == word));
        imports::statements(lines).into_iter().filter(is_used).collect()
    };
    let (before, today) = (of(then.1), of(now.1));
    let is_relative = before.iter().any(|statement| RELATIVE.iter().any(|word| statement.contains(word)));
    let is_apart = is_relative || before.is_empty();
    before.is_subset(&today) && (!is_apart || dir(then.0) == dir(now.0))
}
