//! Special cases: a name that a source file no longer mentions, although other code has it. A test of that file which used the name went
//! with the special case.

use super::extent::all_words;
use super::literals::{self, SAYS};
use super::removed_words::{Lines, is_source, is_specific, is_telling, tests_of};
use super::rewritten::Hunks;
use super::{Judgement, imports, phrases};
use review_gate::outline::compare::{Place, Side, is_generic, stem};
use std::collections::{BTreeMap, BTreeSet};

/// What one source file no longer mentions.
struct Loss<'a> {
    file: usize,
    words: BTreeSet<&'a str>,
    /// Words of lines that were little more than a check, which failed.
    checks: BTreeSet<&'a str>,
}

/// For each of these removed tests the names that the source file which it tests no longer mentions: those of lines that are gone, and
/// those of checks that are gone.
pub fn lost(
    judgement: &Judgement<'_>,
    files: &BTreeMap<usize, Lines>,
    used_lines: &BTreeMap<Place, Vec<usize>>,
) -> [BTreeMap<Place, Vec<String>>; 2] {
    let mut found = [BTreeMap::new(), BTreeMap::new()];
    if used_lines.is_empty() {
        return found;
    }
    let losses = losses(judgement, files);
    for (place, at) in used_lines {
        let Some(lines) = files.get(&place.file) else { continue };
        let today: BTreeSet<&str> = lines.now.iter().flat_map(|line| all_words(line)).collect();
        let mine = at.iter().filter_map(|at| lines.then.get(*at)).flat_map(|line| names(line));
        let mine: BTreeSet<&str> = mine.filter(|word| !today.contains(word)).collect();
        for loss in losses.iter().filter(|loss| is_about(judgement, *place, loss.file, &lines.then)) {
            for (at, words) in [&loss.words, &loss.checks].into_iter().enumerate() {
                let words: Vec<String> = mine.intersection(words).map(|word| (*word).to_string()).collect();
                if !words.is_empty() {
                    found[at].entry(*place).or_insert(words);
                }
            }
        }
    }
    found
}

/// The names that single source files lost, and that no other source file gained.
fn losses<'a>(judgement: &Judgement<'_>, files: &'a BTreeMap<usize, Lines>) -> Vec<Loss<'a>> {
    let sources: Vec<usize> = files.keys().copied().filter(|file| is_source(judgement, *file)).collect();
    let shown = |side: Side, file: usize| -> Vec<&'a String> {
        let lines = if side == Side::Then { &files[&file].then } else { &files[&file].now };
        let hidden = tests_of(judgement, side, file, lines);
        lines.iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(line, _)| line).collect()
    };
    let counts = |side: Side| -> BTreeMap<usize, BTreeMap<&'a str, usize>> {
        let count = |file: &usize| {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            shown(side, *file).into_iter().flat_map(|l| all_words(l)).for_each(|w| *counts.entry(w).or_default() += 1);
            (*file, counts)
        };
        sources.iter().map(count).collect()
    };
    let (then, now) = (counts(Side::Then), counts(Side::Now));
    let of = |counts: &BTreeMap<usize, BTreeMap<&str, usize>>, file: &usize, word: &str| {
        counts.get(file).and_then(|counts| counts.get(word)).copied().unwrap_or(0)
    };
    let is_lost = |file: usize, word: &str| {
        let is_gained = |other: &usize| of(&now, other, word) > of(&then, other, word);
        of(&now, &file, word) == 0 && !sources.iter().any(is_gained)
    };
    let loss = |file: &usize| {
        let lines = &files[file];
        let hidden = tests_of(judgement, Side::Then, *file, &lines.then);
        let (mut words, mut checks) = (BTreeSet::new(), BTreeSet::new());
        for (before, after) in Hunks::of((&lines.then, &lines.now)).ranges() {
            if !literals::is_cut(&lines.then[before.clone()], &lines.now[after]) {
                continue;
            }
            let is_check = phrases::is_check(&lines.then[before.clone()]);
            let says = |line: &String| SAYS.as_ref().is_none_or(|regex| regex.is_match(line));
            let gone = before.filter(|at| !hidden[*at] && !says(&lines.then[*at]));
            let gone = gone.flat_map(|at| names(&lines.then[at])).filter(|word| is_lost(*file, word));
            if is_check { checks.extend(gone) } else { words.extend(gone) }
        }
        Loss { file: *file, words, checks }
    };
    sources.iter().map(loss).filter(|loss| !(loss.words.is_empty() && loss.checks.is_empty())).collect()
}

/// The names in a line that a special case is about: types, literals, keys, and arguments with a name. Another name of several words that
/// is elsewhere is probably the same thing there.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let is_type = |word: &&str| word.starts_with(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let is_key = |text: &&str| text.chars().all(|c| c.is_alphanumeric() || c == '_') && !is_telling(text);
    let all = all_words(line).filter(is_type).chain(literals::of(line).filter(is_key));
    all.filter(|word| is_specific(word) && !is_generic(word))
}

/// Whether a test is about a source file: its file imports that one or has its name, and the test calls what it defines.
fn is_about(judgement: &Judgement<'_>, place: Place, source: usize, lines: &[String]) -> bool {
    let (own, other) = (judgement.shown(place.file), judgement.shown(source));
    let Some(test) = judgement.test(Side::Then, place) else { return false };
    let defined = judgement.outline(Side::Then, source).map_or(&[][..], |outline| &outline.names);
    let is_known = |call: &&String| !is_generic(call) && defined.contains(call);
    let calls = test.calls.iter().any(|call| is_known(&call));
    stem(own) == stem(other) || calls && imports::takes_from(judgement, place.file, source, lines)
}
