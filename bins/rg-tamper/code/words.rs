//! Vanished words: identifiers that stood in lines of source that a change removed, and that no code holds any more. A test that used one
//! of them went with the behaviour or the option that it was about.

use super::extent::all_words;
use super::phrases::{self, Phrase};
use super::removed_words::{Lines, Removed, is_source, is_specific, is_standard, is_telling, line_at, tests_of, words};
use super::{Judgement, dependencies, extent, imports, literals, special_cases, tree};
use crate::sides::Source;
use review_gate::outline::compare::{Place, Side};
use review_gate::outline::language;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many bytes of changed files are read.
const IN_ALL: usize = 32 << 20;

/// The words that removed tests used and that source lost; for each test those words.
#[derive(Default)]
pub struct Lost {
    /// Words that no code holds any more.
    pub vanished: BTreeMap<Place, Vec<String>>,
    /// Telling words that source holds less often, because lines were removed without a replacement.
    pub fewer: BTreeMap<Place, Vec<String>>,
    /// Those of them that source holds at most half as often.
    pub mostly: BTreeMap<Place, Vec<String>>,
    /// Words that no code holds any more, whatever took the place of their lines: something was renamed or replaced.
    pub replaced: BTreeMap<Place, Vec<String>>,
    /// Names that the test took from a file that no longer holds them.
    pub imported: BTreeMap<Place, Vec<String>>,
    /// Phrases that no code holds any more, although it holds their words.
    pub phrases: BTreeMap<Place, Vec<String>>,
    /// Literals that left the source, and that no code but tests holds any more, and names that the tested file no longer mentions.
    pub literals: BTreeMap<Place, Vec<String>>,
}

/// The changed files, without comments.
pub struct Texts {
    /// None if they are too large.
    files: Option<BTreeMap<usize, Lines>>,
    /// The names of the dependencies that manifests dropped.
    dropped: BTreeSet<String>,
}

impl Texts {
    /// Reads the changed files again.
    pub fn of(judgement: &Judgement<'_>, source: &Source<'_>) -> Texts {
        let changes: Vec<_> = judgement.code.of.iter().map(|at| judgement.all[*at].change.clone()).collect();
        let lines = |(file, (then, now)): (usize, (Vec<u8>, Vec<u8>))| {
            let language = judgement.sides(file).role.language.unwrap_or_default();
            let is_hash = language::has_hash_comments(language);
            (file, Lines { then: extent::code_lines(&then, is_hash), now: extent::code_lines(&now, is_hash) })
        };
        let texts = source.both_texts(&changes, IN_ALL);
        let files = texts.map(|texts| texts.into_iter().enumerate().map(lines).collect());
        let dropped = dependencies::dropped(judgement, source).into_iter().filter(|word| is_specific(word)).collect();
        Texts { files, dropped }
    }

    /// The words that the source of the changed files held; None if it was not read.
    pub fn source_words(&self, judgement: &Judgement<'_>) -> Option<BTreeSet<&str>> {
        let mut held = BTreeSet::new();
        for (file, lines) in self.files.as_ref()?.iter().filter(|(file, _)| is_source(judgement, **file)) {
            let hidden = tests_of(judgement, Side::Then, *file, &lines.then);
            let shown = lines.then.iter().zip(hidden).filter(|(_, hidden)| !hidden);
            held.extend(shown.flat_map(|(line, _)| all_words(line)));
        }
        Some(held)
    }

    /// The words that source files lost which a test file imports from.
    pub fn lost_where_imported(&self, judgement: &Judgement<'_>, test: usize) -> BTreeSet<&str> {
        self.files.as_ref().map(|files| imports::lost_words(judgement, files, test)).unwrap_or_default()
    }

    /// The lines of a changed file before and today, without comments.
    pub fn lines(&self, file: usize) -> Option<(&[String], &[String])> {
        self.files.as_ref()?.get(&file).map(|lines| (lines.then.as_slice(), lines.now.as_slice()))
    }

    /// The lines of all changed files.
    pub fn files(&self) -> impl Iterator<Item = (&[String], &[String])> {
        self.files.iter().flatten().map(|(_, lines)| (lines.then.as_slice(), lines.now.as_slice()))
    }

    /// Whether a test of today holds a telling word of a piece of code.
    pub fn holds_telling(&self, judgement: &Judgement<'_>, place: Place, code: &str) -> bool {
        let lines = self.lines(place.file).map(|(_, now)| now);
        let (Some(lines), Some(test)) = (lines, judgement.test(Side::Now, place)) else { return false };
        let held: BTreeSet<&str> =
            lines[extent::of(lines, line_at(test.line))].iter().flat_map(|line| words(line)).collect();
        words(code).any(|word| is_telling(word) && held.contains(word))
    }

    /// Whether the code of a source file differs, and not only its comments and blanks.
    pub fn has_other_source(&self, judgement: &Judgement<'_>) -> bool {
        let code = |lines: &[String]| -> Vec<String> {
            let lines = lines.iter().map(|line| line.trim().to_string());
            lines.filter(|line| !line.is_empty()).collect()
        };
        let mut source = self.files.iter().flatten().filter(|(file, _)| is_source(judgement, **file));
        source.any(|(_, lines)| !lines.then.is_empty() && code(&lines.then) != code(&lines.now))
    }

    /// The lost words of these removed tests. Tests without such words are left out.
    pub fn lost(
        &self,
        judgement: &Judgement<'_>,
        source: &Source<'_>,
        test_globs: &[String],
        gone: &BTreeSet<Place>,
    ) -> Lost {
        let mut lost = Lost::default();
        let Some(files) = self.files.as_ref().filter(|_| !gone.is_empty()) else { return lost };
        let (today, mut removed) = (words_of_today(files), Removed::of(judgement, files));
        removed.shrunk.extend(self.dropped.iter().map(String::as_str));
        let vanished: BTreeSet<&str> = removed.shrunk.iter().filter(|word| !today.contains(*word)).copied().collect();
        let replaced: BTreeSet<&str> = removed.changed.iter().filter(|word| !today.contains(*word)).copied().collect();
        let fewer: BTreeSet<&str> =
            removed.cut.iter().filter(|word| is_telling(word) && removed.is_fewer(word)).copied().collect();
        let used_lines = used_lines(judgement, files, gone, &today);
        let used = self.used(files, &used_lines);
        for (place, mine) in &used {
            let kinds = [(&mut lost.vanished, &vanished), (&mut lost.fewer, &fewer), (&mut lost.replaced, &replaced)];
            for (of, words) in kinds {
                let mine: Vec<String> = mine.intersection(words).map(|word| (*word).to_string()).collect();
                if !mine.is_empty() {
                    of.insert(*place, mine);
                }
            }
        }
        lost.mostly = mostly(judgement, source, files, &removed, &lost.fewer);
        keep_absent(judgement, source, &mut lost.vanished);
        // A standard error that is thrown no more is a check that is gone, or a behaviour.
        let standard: Vec<Place> = lost
            .vanished
            .iter()
            .filter(|(_, words)| words.iter().all(|word| is_standard(word)))
            .map(|(place, _)| *place)
            .collect();
        for place in standard {
            if let Some(words) = lost.vanished.remove(&place) {
                lost.fewer.entry(place).or_insert(words);
            }
        }
        lost.replaced.retain(|place, _| !lost.vanished.contains_key(place));
        keep_absent(judgement, source, &mut lost.replaced);
        lost.imported = imports::lost(judgement, files, &used);
        let is_other = |place: &Place| !lost.vanished.contains_key(place) && !lost.imported.contains_key(place);
        let absent = |removed: &BTreeSet<Phrase<'_>>| {
            let phrases = used_lines.iter().filter(|(place, _)| is_other(place)).map(|(place, at)| {
                let lines = at.iter().filter_map(|at| files.get(&place.file)?.then.get(*at));
                (*place, phrases::of_all(lines).intersection(removed).copied().collect())
            });
            shown_phrases(keep_absent_phrases(judgement, source, files, phrases.collect()))
        };
        let (phrases, checks) = (absent(&removed.phrases), absent(&removed.checks));
        lost.phrases = phrases;
        // A check that is gone with its test is a bar that was lowered, or a behaviour that is gone.
        lost.fewer.extend(checks);
        let is_open = |place: &Place| {
            !lost.vanished.contains_key(place)
                && !lost.imported.contains_key(place)
                && !lost.phrases.contains_key(place)
        };
        let mut open = used_lines;
        open.retain(|place, _| is_open(place));
        let [literals, checks] = literals::lost(judgement, source, files, &open, test_globs);
        open.retain(|place, _| !literals.contains_key(place) && !checks.contains_key(place));
        let [special, more] = special_cases::lost(judgement, files, &open);
        lost.literals = literals.into_iter().chain(special).collect();
        for (place, words) in checks.into_iter().chain(more) {
            lost.fewer.entry(place).or_insert(words);
        }
        lost
    }

    /// The words that each of these old tests used, with the names of dependencies that they stand for.
    fn used<'a>(
        &'a self,
        files: &'a BTreeMap<usize, Lines>,
        lines: &BTreeMap<Place, Vec<usize>>,
    ) -> BTreeMap<Place, BTreeSet<&'a str>> {
        let of = |(place, at): (&Place, &Vec<usize>)| {
            let then = &files.get(&place.file)?.then;
            let mut mine: BTreeSet<&str> =
                at.iter().filter_map(|at| then.get(*at)).flat_map(|line| words(line)).collect();
            let dropped = dependencies::used(then, &self.dropped, &mine);
            mine.extend(dropped);
            Some((*place, mine))
        };
        lines.iter().filter_map(of).collect()
    }

    /// Those of the literals in these pieces of code that left the source, and that no code but tests holds any more.
    pub fn lost_literals(
        &self,
        judgement: &Judgement<'_>,
        source: &Source<'_>,
        test_globs: &[String],
        code: &[&str],
    ) -> BTreeSet<String> {
        let all = self.files.as_ref().map(|files| literals::gone_in(judgement, source, files, code, test_globs));
        all.unwrap_or_default()
    }

    /// Those of the words and phrases in these pieces of code that source lost and that no code holds any more.
    pub fn vanished(&self, judgement: &Judgement<'_>, source: &Source<'_>, code: &[&str]) -> BTreeSet<String> {
        let Some(files) = &self.files else { return BTreeSet::new() };
        let (today, mut removed) = (words_of_today(files), Removed::of(judgement, files));
        removed.shrunk.extend(self.dropped.iter().map(String::as_str));
        let used = code.iter().flat_map(|code| words(code));
        let wanted = used.filter(|word| removed.shrunk.contains(word) && !today.contains(word)).collect();
        let mut found = absent(judgement, source, &wanted);
        // Each piece has a place of its own, only to be told from the others.
        let phrases = code.iter().enumerate().map(|(at, code)| {
            (Place { file: 0, at }, phrases::of(code).filter(|phrase| removed.phrases.contains(phrase)).collect())
        });
        let phrases = shown_phrases(keep_absent_phrases(judgement, source, files, phrases.collect()));
        found.extend(phrases.into_values().flatten());
        found
    }
}

/// The lines of each of these old tests, with those of what went with it in its file.
fn used_lines(
    judgement: &Judgement<'_>,
    files: &BTreeMap<usize, Lines>,
    gone: &BTreeSet<Place>,
    today: &BTreeSet<&str>,
) -> BTreeMap<Place, Vec<usize>> {
    let mut hidden: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for place in gone {
        let Some(lines) = files.get(&place.file) else { continue };
        let Some(test) = judgement.test(Side::Then, *place) else { continue };
        let mut mine: Vec<usize> = extent::of(&lines.then, line_at(test.line)).collect();
        // What the test used in its file, and what went with it, is a part of the test.
        let suite = test.suite.last().map(String::as_str);
        let used: BTreeSet<&str> = mine.iter().flat_map(|at| words(&lines.then[*at])).chain(suite).collect();
        let gone: BTreeSet<&str> = used.into_iter().filter(|word| !today.contains(word)).collect();
        let of_tests =
            hidden.entry(place.file).or_insert_with(|| tests_of(judgement, Side::Then, place.file, &lines.then));
        mine.extend(extent::definitions(&lines.then, &gone).filter(|at| !of_tests[*at]));
        all.insert(*place, mine);
    }
    all
}

/// Those of these words that source holds less than half as often. What the file of the test still imports is there.
fn mostly(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    files: &BTreeMap<usize, Lines>,
    removed: &Removed<'_>,
    fewer: &BTreeMap<Place, Vec<String>>,
) -> BTreeMap<Place, Vec<String>> {
    let wanted: BTreeSet<&str> = fewer.values().flatten().map(String::as_str).collect();
    let read = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path());
    let Some(elsewhere) = tree::counts(source.top, source.now, &read.collect(), &wanted) else {
        return BTreeMap::new();
    };
    let of = |(place, words): (&Place, &Vec<String>)| {
        let imports = imports::statements(&files.get(&place.file)?.now);
        let is_imported = |word: &String| imports.iter().any(|line| all_words(line).any(|other| other == word));
        let is_gone = |word: &String| {
            let elsewhere = elsewhere.get(word.as_str()).copied().unwrap_or_default();
            removed.is_mostly_gone(word, elsewhere) && !is_imported(word)
        };
        let words: Vec<String> = words.iter().filter(|word| is_gone(word)).cloned().collect();
        (!words.is_empty()).then_some((*place, words))
    };
    fewer.iter().filter_map(of).collect()
}

/// Keeps the phrases that no code of today holds.
fn keep_absent_phrases<'a>(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    files: &BTreeMap<usize, Lines>,
    mut of: BTreeMap<Place, BTreeSet<Phrase<'a>>>,
) -> BTreeMap<Place, BTreeSet<Phrase<'a>>> {
    of.retain(|_, phrases| !phrases.is_empty());
    if of.is_empty() {
        return of;
    }
    let today = phrases::of_all(files.values().flat_map(|lines| &lines.now));
    let wanted: BTreeSet<Phrase<'_>> =
        of.values().flatten().filter(|phrase| !today.contains(*phrase)).copied().collect();
    let read = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path());
    let absent = tree::absent_phrases(source.top, source.now, &read.collect(), &wanted);
    of.retain(|_, phrases| {
        phrases.retain(|phrase| absent.contains(phrase));
        !phrases.is_empty()
    });
    of
}

/// Phrases as a message shows them.
fn shown_phrases(of: BTreeMap<Place, BTreeSet<Phrase<'_>>>) -> BTreeMap<Place, Vec<String>> {
    let shown = |phrases: BTreeSet<Phrase<'_>>| phrases.into_iter().map(|(a, b)| format!("{a} {b}")).collect();
    of.into_iter().map(|(place, phrases)| (place, shown(phrases))).collect()
}

/// The words that the changed files hold today.
fn words_of_today(files: &BTreeMap<usize, Lines>) -> BTreeSet<&str> {
    files.values().flat_map(|lines| &lines.now).flat_map(|line| words(line)).collect()
}

/// Keeps the words that no file outside the changed ones holds, and the tests that used one of them.
fn keep_absent(judgement: &Judgement<'_>, source: &Source<'_>, of: &mut BTreeMap<Place, Vec<String>>) {
    let wanted: BTreeSet<&str> = of.values().flatten().map(String::as_str).collect();
    let absent = absent(judgement, source, &wanted);
    of.retain(|_, words| {
        words.retain(|word| absent.contains(word));
        !words.is_empty()
    });
}

/// Those of these words that no file outside the changed ones holds.
fn absent(judgement: &Judgement<'_>, source: &Source<'_>, wanted: &BTreeSet<&str>) -> BTreeSet<String> {
    // A changed file that was not read above is read with the rest of the tree.
    let read = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path());
    let changed: BTreeSet<&Path> = read.collect();
    let absent = tree::absent(source.top, source.now, &changed, wanted);
    absent.into_iter().map(str::to_string).collect()
}

/// Whether a piece of code uses one of these words, literals or phrases.
pub fn uses(code: &str, vanished: &BTreeSet<String>) -> bool {
    words(code).chain(literals::of(code)).any(|word| vanished.contains(word))
        || phrases::of(code).any(|(a, b)| vanished.contains(&format!("{a} {b}")))
}
