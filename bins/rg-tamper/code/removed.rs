//! Removed tests: those that are gone, rows that a table lost, and tests that a runner no longer looks for. A test that goes with the
//! code that it called is not removed.

use super::words::Texts;
use super::{
    Judgement, absorbed, arities, callers, cargo_features, handed, inherited, relocated, row_values, rows, show,
    successors, tables, tree, twins, wrappers,
};
use crate::guards::Inspection;
use crate::packages;
use crate::places;
use crate::sides::Source;
use review_gate::event::{Level, Rule};
use review_gate::outline::compare::{Into, Names, Pair, Place, Side};
use review_gate::outline::{SkipKind, Strength, Test};
use review_gate::sys::text::count;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

impl Inspection<'_> {
    /// Finds removed tests.
    pub fn find_gone_tests(&mut self, judgement: &mut Judgement<'_>, source: &Source<'_>) {
        let Some(level) = self.guards.level(Rule::NoDeletedTests) else { return };
        self.find_gone(judgement, source, level);
        self.find_out_of_sight(judgement, source, level);
        self.find_lost_rows(judgement, source, level);
        self.note_merged(judgement, level);
    }

    fn find_gone(&mut self, judgement: &Judgement<'_>, source: &Source<'_>, level: Level) {
        if judgement.compared.gone.is_empty() {
            return;
        }
        let texts = judgement.texts(source);
        let obsolete = obsolete(judgement, source, texts);
        let mut gone = BTreeSet::new();
        for place in &judgement.compared.gone {
            let role = &judgement.sides(place.file).role;
            let is_dead = judgement.test(Side::Then, *place).is_none_or(|test| is_dead(test, role.language))
                || cargo_features::was_never_built(judgement, source, *place);
            let is_data = places::is_fixture(&role.shown) && !role.is_named;
            let is_counted = !judgement.broken.contains(&place.file) && !is_data;
            let is_group = judgement.test(Side::Then, *place).is_some_and(|test| is_group(judgement, *place, test));
            let is_twice = twins::is_twice(judgement, texts, *place) || twins::is_shared(judgement, *place);
            let is_run = callers::run(judgement, *place) || inherited::run(judgement, texts, *place);
            if !obsolete.contains(place) && !is_dead && !is_group && !is_twice && !is_run && is_counted {
                gone.insert(*place);
            }
        }
        let twice = twins::elsewhere(judgement, source, texts, &self.guards.test_globs, &gone);
        self.note_elsewhere(judgement, &mut gone, &twice, "holds the same");
        let relocated = relocated::of(judgement, texts, &gone);
        self.note_elsewhere(judgement, &mut gone, &relocated, "has a new test of the same texts");
        let handed = handed::successors(judgement, texts, &gone);
        self.note_elsewhere(judgement, &mut gone, &handed, "is given its values by a new test");
        let rows = row_values::asserted(judgement, texts, &gone);
        for (file, places) in by_file(rows.iter()) {
            self.find_gone_in(judgement, file, &places, Level::Note, ", and its values are rows of another test");
        }
        gone.retain(|place| !rows.contains(place));
        let given = row_values::rows(judgement, texts, &gone).into_iter().collect();
        self.note_elsewhere(judgement, &mut gone, &given, "has a row of its values");
        let absorbed = absorbed::of(judgement, texts, &gone);
        for (file, places) in by_file(absorbed.keys()) {
            let names: BTreeSet<&String> = places.iter().filter_map(|place| absorbed.get(place)).collect();
            let names: Vec<String> = names.into_iter().map(|name| format!("\"{}\"", show::code(name))).collect();
            let why = format!(", and {} runs its lines", show::list(&names));
            self.find_gone_in(judgement, file, &places, Level::Note, &why);
        }
        gone.retain(|place| !absorbed.contains_key(place));
        let wrapped = wrappers::declared(judgement, source, texts, &gone);
        self.note_wrapped(judgement, &wrapped);
        gone.retain(|place| !wrapped.contains_key(place) && !wrappers::is_unwrapped(judgement, texts, *place));
        let lost = texts.lost(judgement, source, &self.guards.test_globs, &gone);
        // A test that was rewritten together with the code: the new one demands as much of the same.
        let has_other_source = texts.has_other_source(judgement);
        let rewritten = gone.iter().filter(|place| has_other_source && !lost.replaced.contains_key(place));
        let replaced = successors::of(judgement, lost.replaced.keys().chain(rewritten));
        let is_with = |place: &&Place| {
            let has = |of: &BTreeMap<Place, Vec<String>>| of.contains_key(place);
            let has_words = has(&lost.vanished) || has(&lost.imported) || has(&lost.phrases) || has(&lost.literals);
            has_words || replaced.contains(place)
        };
        let is_perhaps_with = |place: &&Place| lost.fewer.contains_key(place) && !is_with(place);
        let without = gone.iter().filter(|place| !is_with(place) && !is_perhaps_with(place));
        for (file, places) in by_file(without) {
            // A few tests of a removed file go with the others of it, whose subject is gone.
            let is_of_file = |place: &&Place| place.file == file;
            let others = obsolete.iter().chain(gone.iter().filter(is_with)).filter(is_of_file).count();
            if judgement.sides(file).change.now.is_none() && others >= places.len() * OTHERS {
                self.find_gone_in(judgement, file, &places, Level::Note, ", and what the others were about");
                continue;
            }
            // Others maintain it, or a program wrote it.
            let level = if judgement.is_foreign(file) { level.min(Level::Warning) } else { level };
            self.find_gone_in(judgement, file, &places, level, "");
        }
        let why = |words: &BTreeMap<Place, Vec<String>>, places: &[Place], what: &str| {
            let words: BTreeSet<&String> = places.iter().filter_map(|place| words.get(place)).flatten().collect();
            let words: Vec<String> = words.into_iter().map(|word| format!("`{}`", show::code(word))).collect();
            format!(", and {what} of {}", show::list(&words))
        };
        for (file, places) in by_file(gone.iter().filter(is_perhaps_with)) {
            let why = why(&lost.fewer, &places, "a part of the code");
            // Most of that code is gone.
            let is_mostly = places.iter().all(|place| lost.mostly.contains_key(place));
            let level = level.min(if is_mostly { Level::Note } else { Level::Warning });
            self.find_gone_in(judgement, file, &places, level, &why);
        }
        for (file, places) in by_file(gone.iter().filter(is_with)) {
            let mut words = lost.literals.clone();
            words.extend(lost.phrases.clone());
            words.extend(lost.imported.clone());
            words.extend(
                lost.replaced.iter().filter(|(place, _)| replaced.contains(place)).map(|(a, b)| (*a, b.clone())),
            );
            words.extend(lost.vanished.clone());
            let why = match places.iter().any(|place| words.contains_key(place)) {
                true => why(&words, &places, "the code"),
                false => ", and new tests of the changed code take their place".to_string(),
            };
            self.find_gone_in(judgement, file, &places, Level::Note, &why);
        }
    }

    /// Notes the tests that another file has, and takes them out.
    fn note_elsewhere(
        &mut self,
        judgement: &Judgement<'_>,
        gone: &mut BTreeSet<Place>,
        elsewhere: &BTreeMap<Place, String>,
        what: &str,
    ) {
        for (file, places) in by_file(elsewhere.keys()) {
            let paths: BTreeSet<&String> = places.iter().filter_map(|place| elsewhere.get(place)).collect();
            let paths: Vec<String> = paths.into_iter().map(|path| format!("`{}`", show::code(path))).collect();
            let why = format!(", and {} {what}", show::list(&paths));
            self.find_gone_in(judgement, file, &places, Level::Note, &why);
        }
        gone.retain(|place| !elsewhere.contains_key(place));
    }

    /// Notes the tests that a function or a macro of the project declares now.
    fn note_wrapped(&mut self, judgement: &Judgement<'_>, wrapped: &BTreeMap<Place, String>) {
        for (file, places) in by_file(wrapped.keys()) {
            let words: BTreeSet<&str> =
                places.iter().filter_map(|place| wrapped.get(place)).map(String::as_str).collect();
            let words: Vec<String> = words.into_iter().map(|word| format!("`{}`", show::code(word))).collect();
            let text = format!("{} declared by {} now", count(places.len(), "test"), show::list(&words));
            self.find_at(Level::Note, Rule::NoDeletedTests, judgement.shown(file), None, "wrapped", text);
        }
    }

    /// Tells of the removed tests of one file, and apart from them of its examples.
    fn find_gone_in(&mut self, judgement: &Judgement<'_>, file: usize, places: &[Place], level: Level, why: &str) {
        let level_of = |place: &Place| judgement.level_of_example((Side::Then, *place), level);
        let (tests, examples): (Vec<Place>, Vec<Place>) = places.iter().partition(|place| level_of(place) == level);
        for places in [tests, examples].iter().filter(|places| !places.is_empty()) {
            self.find_gone_at(judgement, file, places, level_of(&places[0]), why);
        }
    }

    fn find_gone_at(&mut self, judgement: &Judgement<'_>, file: usize, places: &[Place], level: Level, why: &str) {
        let tests: Vec<_> = places.iter().filter_map(|place| judgement.test(Side::Then, *place)).collect();
        let names: Vec<String> = tests.iter().map(|test| show::name(test)).collect();
        let is_file_gone = judgement.sides(file).change.now.is_none();
        let (what, was) = (show::tests(&names), show::was(names.len()));
        let text = match is_file_gone {
            true => format!("this test file was removed with {what}{why}"),
            false => format!("{what} {was} removed{why}"),
        };
        let keys: Vec<String> =
            tests.iter().map(|test| format!("{}\u{1f}{}", test.suite.join("\u{1f}"), test.name)).collect();
        self.find_at(level, Rule::NoDeletedTests, judgement.shown(file), None, &keys.join("\u{1e}"), text);
    }

    /// Tests that are in a file now where a runner does not look for them.
    fn find_out_of_sight(&mut self, judgement: &Judgement<'_>, source: &Source<'_>, level: Level) {
        let mut moved: BTreeMap<(usize, usize), Vec<Place>> = BTreeMap::new();
        let pairs = judgement.compared.pairs.iter();
        let is_lost = |pair: &&Pair| {
            judgement.is_out_of_sight(pair.then.file, pair.now.file)
                && !twins::is_shared(judgement, pair.then)
                && !inherited::run(judgement, judgement.texts(source), pair.then)
        };
        for pair in pairs.filter(is_lost) {
            moved.entry((pair.then.file, pair.now.file)).or_default().push(pair.then);
        }
        for ((then, now), places) in moved {
            let tests = places.iter().filter_map(|place| judgement.test(Side::Then, *place));
            let names: Vec<String> = tests.map(show::name).collect();
            let (what, was) = (show::tests(&names), show::was(names.len()));
            let text = format!("{what} {was} moved to {}, where no runner looks for tests", judgement.shown(now));
            let key = format!("{}{}", judgement.shown(now), names.join("\u{1e}"));
            self.find_at(level, Rule::NoDeletedTests, judgement.shown(then), None, &key, text);
        }
    }

    fn find_lost_rows(&mut self, judgement: &Judgement<'_>, source: &Source<'_>, level: Level) {
        for pair in judgement.compared.pairs.iter().filter(|pair| pair.lost_rows > 0) {
            let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
            let Some((old, new)) = tests.filter(|_| !judgement.broken.contains(&pair.now.file)) else { continue };
            if tables::kept(judgement, judgement.texts(source), pair) {
                continue;
            }
            let obsolete = || rows::obsolete(judgement, source, judgement.texts(source), pair, &self.guards.test_globs);
            let (level, why) = match rows::moved(judgement, judgement.texts(source), pair) {
                true => (level.min(Level::Note), String::new()),
                false => obsolete().map_or((level, String::new()), |word| {
                    (level.min(Level::Note), format!(", and the code of {}", show::code(&word)))
                }),
            };
            let of = old.rows.as_ref().map_or(0, Vec::len);
            let text = format!("test {} lost {} of its {of} cases{why}", show::name(new), pair.lost_rows);
            let key = format!("rows{}{}{}", new.suite.join("\u{1f}"), new.name, pair.lost_rows);
            self.find_at(level, Rule::NoDeletedTests, judgement.shown(pair.now.file), Some(new.line), &key, text);
        }
    }

    /// Notes the tests that became parts of others. A table whose rows are not listed may have fewer of them.
    fn note_merged(&mut self, judgement: &Judgement<'_>, level: Level) {
        let mut by_file: BTreeMap<(usize, Into), usize> = BTreeMap::new();
        for one in &judgement.compared.merged {
            let language = judgement.sides(one.then.file).role.language;
            if judgement.test(Side::Then, one.then).is_some_and(|test| is_dead(test, language)) {
                continue;
            }
            *by_file.entry((one.then.file, one.into)).or_default() += 1;
        }
        for ((file, into), tests) in by_file {
            let (level, what, key) = match into {
                Into::Rows => (Level::Note, "became rows of a table", "table"),
                Into::Asserts => (Level::Note, "became part of other tests", "merged"),
                Into::UnknownRows => {
                    (level.min(Level::Warning), "may have become rows of a table that is not listed", "unknown")
                }
            };
            let text = format!("{} {what}", count(tests, "test"));
            self.find_at(level, Rule::NoDeletedTests, judgement.shown(file), None, key, text);
        }
    }
}

/// How many tests of a removed file go with their subject for each one that may go with them.
const OTHERS: usize = 3;

/// Languages in which a test has a body of its own. In others it may be the name of a function that is defined elsewhere.
const WITH_BODIES: [&str; 6] = ["go", "rust", "python", "java", "kotlin", "php"];

/// Whether a test had no effect: it was skipped without a condition, or its body was empty.
fn is_dead(test: &Test, language: Option<&str>) -> bool {
    let is_skipped = test.skip.as_ref().is_some_and(|mark| mark.condition.is_none() && mark.kind != SkipKind::Fails);
    let has_body = language.is_some_and(|language| WITH_BODIES.contains(&language));
    // `assertTrue(true)`
    let is_void = !test.asserts.is_empty()
        && test.asserts.iter().all(|assert| assert.strength == Strength::Nothing)
        && test.calls.iter().all(|call| test.asserts.iter().any(|assert| assert.how.split('.').any(|how| how == call)));
    is_skipped || is_void || has_body && test.tokens == 0 && test.asserts.is_empty()
}

/// Whether a test only holds others, which are judged by themselves: sections, subtests.
fn is_group(judgement: &Judgement<'_>, place: Place, test: &Test) -> bool {
    let mut of_file = judgement.outline(Side::Then, place.file).into_iter().flat_map(|outline| &outline.tests);
    if is_dissolved_suite(judgement, place, test) {
        return true;
    }
    let depth = test.suite.len();
    let is_inside = |inner: &&Test| {
        inner.suite.len() > depth && inner.suite[..depth] == test.suite[..] && inner.suite[depth] == test.name
    };
    test.asserts.is_empty() && of_file.any(|inner| is_inside(&inner))
}

/// Whether a test only ran a suite of methods, of which none is left: `suite.Run(t, new(QueueSuite))`. Each method is judged by itself.
fn is_dissolved_suite(judgement: &Judgement<'_>, place: Place, test: &Test) -> bool {
    let of = |side: Side| judgement.outline(side, place.file).into_iter().flat_map(|outline| &outline.tests);
    let runs = test.asserts.is_empty() && test.calls.iter().any(|call| call == "Run" || call == "TestingT");
    let methods: BTreeSet<&String> = of(Side::Then).filter_map(|other| other.suite.last()).collect();
    let held: Vec<&&String> = methods.iter().filter(|suite| test.name.ends_with(suite.as_str())).collect();
    runs && !held.is_empty()
        && !of(Side::Now).any(|other| other.suite.last().is_some_and(|suite| held.contains(&&suite)))
}

/// These places by their file.
fn by_file<'a>(places: impl Iterator<Item = &'a Place>) -> BTreeMap<usize, Vec<Place>> {
    let mut by_file: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
    places.for_each(|place| by_file.entry(place.file).or_default().push(*place));
    by_file
}

/// The tests whose subject is gone from the whole tree.
fn obsolete(judgement: &Judgement<'_>, source: &Source<'_>, texts: &Texts) -> BTreeSet<Place> {
    let files = &judgement.code.files;
    let is_source = |file: usize| judgement.is_source(file);
    let mut obsolete = BTreeSet::new();
    let mut about: BTreeMap<Place, Vec<&str>> = BTreeMap::new();
    let mut packaged: BTreeMap<usize, bool> = BTreeMap::new();
    for place in &judgement.compared.gone {
        let subjects = judgement.names.subjects(files, *place, is_source);
        if !subjects.is_empty() {
            about.insert(*place, subjects);
        } else if Names::removed_file(files, *place, is_source).is_some() {
            obsolete.insert(*place);
        }
        if arities::is_gone(judgement, texts, *place) {
            obsolete.insert(*place);
        }
        let change = &judgement.sides(place.file).change;
        let is_known = packaged.entry(place.file).or_insert_with(|| {
            change.now.is_none()
                && (packages::is_gone_with_package(&change.path, judgement.all, source.now)
                    || packages::is_gone_with_script(&change.path, judgement.all))
        });
        if *is_known {
            obsolete.insert(*place);
        }
    }
    let wanted: BTreeSet<&str> = about.values().flatten().copied().collect();
    if wanted.is_empty() {
        return obsolete;
    }
    let changed: BTreeSet<&Path> = judgement.all.iter().map(|one| one.change.path.as_path()).collect();
    let undefined = tree::undefined(source.top, source.now, &changed, &wanted);
    // What inline tests define is no subject.
    let held = texts.source_words(judgement);
    let is_gone = |names: &[&str]| {
        names.iter().any(|name| undefined.contains(name) && held.as_ref().is_none_or(|held| held.contains(*name)))
    };
    obsolete.extend(about.iter().filter(|(_, names)| is_gone(names)).map(|(place, _)| *place));
    obsolete
}
