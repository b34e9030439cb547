//! Vanished words: identifiers that stood in lines of source that a change removed, and that no code holds any more. A test that used one
//! of them went with the behaviour or the option that it was about.

use super::extent::all_words;
use super::{Judgement, dependencies, extent, imports, tree};
use crate::sides::Source;
use imara_diff::{Algorithm, Diff, InternedInput};
use review_gate::outline::compare::{Place, Side};
use review_gate::outline::language;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many bytes of changed files are read.
const IN_ALL: usize = 32 << 20;

/// How short a word may be.
const SHORTEST: usize = 4;

/// How short a telling word may be.
const TELLING: usize = 8;

/// How much shorter a hunk has to become, so that its words are removed and not replaced: at least half of its lines go.
const SHRINKS: usize = 2;

/// The lines of a file on both sides, without comments.
#[derive(Default)]
pub struct Lines {
    pub then: Vec<String>,
    pub now: Vec<String>,
}

/// The words that removed tests used and that source lost; for each test those words.
#[derive(Default)]
pub struct Lost {
    /// Words that no code holds any more.
    pub vanished: BTreeMap<Place, Vec<String>>,
    /// Telling words that source holds less often, because lines were removed without a replacement.
    pub fewer: BTreeMap<Place, Vec<String>>,
    /// Words that no code holds any more, whatever took the place of their lines: something was renamed or replaced.
    pub replaced: BTreeMap<Place, Vec<String>>,
    /// Names that the test took from a file that no longer holds them.
    pub imported: BTreeMap<Place, Vec<String>>,
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
    pub fn lost(&self, judgement: &Judgement<'_>, source: &Source<'_>, gone: &BTreeSet<Place>) -> Lost {
        let mut lost = Lost::default();
        let Some(files) = self.files.as_ref().filter(|_| !gone.is_empty()) else { return lost };
        let (today, mut removed) = (words_of_today(files), Removed::of(judgement, files));
        removed.shrunk.extend(self.dropped.iter().map(String::as_str));
        let vanished: BTreeSet<&str> = removed.shrunk.iter().filter(|word| !today.contains(*word)).copied().collect();
        let replaced: BTreeSet<&str> = removed.changed.iter().filter(|word| !today.contains(*word)).copied().collect();
        let fewer: BTreeSet<&str> =
            removed.cut.iter().filter(|word| is_telling(word) && removed.is_fewer(word)).copied().collect();
        let used = self.used(judgement, files, gone, &today);
        for (place, mine) in &used {
            let kinds = [(&mut lost.vanished, &vanished), (&mut lost.fewer, &fewer), (&mut lost.replaced, &replaced)];
            for (of, words) in kinds {
                let mine: Vec<String> = mine.intersection(words).map(|word| (*word).to_string()).collect();
                if !mine.is_empty() {
                    of.insert(*place, mine);
                }
            }
        }
        keep_absent(judgement, source, &mut lost.vanished);
        lost.replaced.retain(|place, _| !lost.vanished.contains_key(place));
        keep_absent(judgement, source, &mut lost.replaced);
        lost.imported = imports::lost(judgement, files, &used);
        lost
    }

    /// The words that each of these old tests used, with those of what went with it in its file.
    fn used<'a>(
        &'a self,
        judgement: &Judgement<'_>,
        files: &'a BTreeMap<usize, Lines>,
        gone: &BTreeSet<Place>,
        today: &BTreeSet<&str>,
    ) -> BTreeMap<Place, BTreeSet<&'a str>> {
        let mut hidden: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
        let mut all = BTreeMap::new();
        for place in gone {
            let Some(lines) = files.get(&place.file) else { continue };
            let Some(test) = judgement.test(Side::Then, *place) else { continue };
            let body = extent::of(&lines.then, line_at(test.line));
            let mut mine: BTreeSet<&str> = lines.then[body].iter().flat_map(|line| words(line)).collect();
            // What the test used in its file, and what went with it, is a part of the test.
            let suite = test.suite.last().map(String::as_str);
            let used: BTreeSet<&str> = mine.iter().copied().chain(suite).filter(|word| !today.contains(word)).collect();
            let dropped = dependencies::used(&lines.then, &self.dropped, &mine);
            mine.extend(dropped);
            let of_tests =
                hidden.entry(place.file).or_insert_with(|| tests_of(judgement, Side::Then, place.file, &lines.then));
            mine.extend(
                extent::definitions(&lines.then, &used)
                    .filter(|at| !of_tests[*at])
                    .flat_map(|at| words(&lines.then[at])),
            );
            all.insert(*place, mine);
        }
        all
    }

    /// Those of the words in these pieces of code that source lost and that no code holds any more.
    pub fn vanished(&self, judgement: &Judgement<'_>, source: &Source<'_>, code: &[&str]) -> BTreeSet<String> {
        let Some(files) = &self.files else { return BTreeSet::new() };
        let (today, mut removed) = (words_of_today(files), Removed::of(judgement, files));
        removed.shrunk.extend(self.dropped.iter().map(String::as_str));
        let used = code.iter().flat_map(|code| words(code));
        let wanted = used.filter(|word| removed.shrunk.contains(word) && !today.contains(word)).collect();
        absent(judgement, source, &wanted)
    }
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

/// Whether a piece of code uses one of these words.
pub fn uses(code: &str, vanished: &BTreeSet<String>) -> bool {
    words(code).any(|word| vanished.contains(word))
}

/// What was removed from the source of all changed files.
#[derive(Default)]
pub struct Removed<'a> {
    /// The words of all lines that are gone or differ.
    pub changed: BTreeSet<&'a str>,
    /// The words of hunks that became shorter.
    pub shrunk: BTreeSet<&'a str>,
    /// The words of hunks that nothing replaced.
    cut: BTreeSet<&'a str>,
    /// How much more often each word was there before.
    change: BTreeMap<&'a str, i64>,
}

impl<'a> Removed<'a> {
    /// Reads the source among the changed files.
    fn of(judgement: &Judgement<'_>, files: &'a BTreeMap<usize, Lines>) -> Removed<'a> {
        let mut removed = Removed::default();
        for (file, lines) in files.iter().filter(|(file, _)| is_source(judgement, **file)) {
            removed.add_file(judgement, *file, lines);
        }
        removed
    }

    /// Reads one source file.
    pub fn of_file(judgement: &Judgement<'_>, file: usize, lines: &'a Lines) -> Removed<'a> {
        let mut removed = Removed::default();
        removed.add_file(judgement, file, lines);
        removed
    }

    fn add_file(&mut self, judgement: &Judgement<'_>, file: usize, lines: &'a Lines) {
        let hidden = [(Side::Then, &lines.then), (Side::Now, &lines.now)]
            .map(|(side, lines)| tests_of(judgement, side, file, lines));
        self.add(lines, &hidden);
    }

    /// Adds a file. Lines that belong to tests are hidden.
    fn add(&mut self, lines: &'a Lines, hidden: &[Vec<bool>; 2]) {
        for (lines, hidden, one) in [(&lines.then, &hidden[0], 1), (&lines.now, &hidden[1], -1)] {
            let shown = lines.iter().zip(hidden).filter(|(_, hidden)| !**hidden);
            shown.flat_map(|(line, _)| words(line)).for_each(|word| *self.change.entry(word).or_default() += one);
        }
        let mut input = InternedInput::default();
        input.update_before(lines.then.iter().map(|line| line.trim()));
        input.update_after(lines.now.iter().map(|line| line.trim()));
        for hunk in Diff::compute(Algorithm::Histogram, &input).hunks() {
            let before = hunk.before.start as usize..hunk.before.end as usize;
            let after = hunk.after.start as usize..hunk.after.end as usize;
            let count = |lines: &[String]| lines.iter().filter(|line| !line.trim().is_empty()).count();
            let (then, now) = (count(&lines.then[before.clone()]), count(&lines.now[after]));
            let words = || before.clone().filter(|at| !hidden[0][*at]).flat_map(|at| words(&lines.then[at]));
            self.changed.extend(words());
            if then > 0 && now * SHRINKS <= then {
                self.shrunk.extend(words());
            }
            if now == 0 {
                self.cut.extend(words());
            }
        }
    }

    fn is_fewer(&self, word: &str) -> bool {
        self.change.get(word).is_some_and(|change| *change > 0)
    }
}

/// The place of a line that is counted from 1.
pub fn line_at(line: u64) -> usize {
    usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1)
}

/// Whether words of a file count as source: it is no test, and in a language with marked tests it holds none unless they are Rust's inline tests.
pub fn is_source(judgement: &Judgement<'_>, file: usize) -> bool {
    let role = &judgement.sides(file).role;
    let holds_tests = judgement.outline(Side::Then, file).is_some_and(|outline| !outline.tests.is_empty());
    !role.is_test && !role.was_test && !judgement.is_foreign(file) && (!holds_tests || role.language == Some("rust"))
}

/// Which lines of a file belong to tests, or to what is compiled for tests only.
fn tests_of(judgement: &Judgement<'_>, side: Side, file: usize, lines: &[String]) -> Vec<bool> {
    let mut hidden = vec![false; lines.len()];
    let tests = judgement.outline(side, file).map_or(&[][..], |outline| &outline.tests);
    let of_tests = tests.iter().map(|test| line_at(test.line));
    let only_tests = (0..lines.len()).filter(|at| lines[*at].trim_start().starts_with("#[cfg(test)]"));
    for first in of_tests.chain(only_tests.map(|at| at + 1)) {
        hidden[extent::of(lines, first)].fill(true);
    }
    hidden
}

/// The specific words of a line: identifiers and names with hyphens.
fn words(line: &str) -> impl Iterator<Item = &str> {
    all_words(line).filter(|word| is_specific(word))
}

/// Whether a word is long enough and names something of this project.
pub fn is_specific(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    letters >= SHORTEST && !word.starts_with(|c: char| c.is_numeric())
}

/// Whether a word is made of several, as names of options are: `useSemicolon`, `max_size`, `dry-run`.
fn is_telling(word: &str) -> bool {
    let is_joined = word.trim_matches('_').contains(['_', '-']);
    let is_camel = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    word.len() >= TELLING && (is_joined || is_camel)
}
