//! Shares the lines of an excerpt among its failures.

use super::frames::split_place;
use super::weight::{is_legend, is_pair, weight};
use super::{WIDTH, places};
use crate::sys::text::cut_end;

/// The lines that each failure gets before the next failure is left out.
const PER_FAILURE: usize = 3;

/// How far apart two lines may stand that give two values.
const REACH: usize = 12;

/// Lines that are shown together or not at all.
struct Unit {
    failure: usize,
    weight: u8,
    lines: Vec<usize>,
}

/// Shortens failures to at most `lines` lines in all and returns how many were left out. Each failure keeps its headline and the lines
/// that say most; the last failures are left out first.
pub fn shorten(failures: &mut Vec<Vec<String>>, lines: usize) -> usize {
    let all = failures.len();
    if failures.iter().map(Vec::len).sum::<usize>() <= lines {
        return 0;
    }
    failures.iter_mut().for_each(fold_place);
    let mut used = 0;
    let fits = |failure: &&Vec<String>| {
        used += failure.len().min(PER_FAILURE);
        used <= lines
    };
    let shown = failures.iter().take_while(fits).count().max(1).min(all);
    failures.truncate(shown);
    choose(failures, lines);
    all - failures.len()
}

/// Moves the place of a failure with a cause into its headline, where it costs no line.
fn fold_place(failure: &mut Vec<String>) {
    if failure.len() < PER_FAILURE {
        return;
    }
    let found = failure.iter().enumerate().skip(1).rev().find_map(|(at, line)| Some((at, places::of(line)?)));
    let Some((at, place)) = found else { return };
    failure.remove(at);
    let mut at = 0;
    failure.retain(|line| {
        at += 1;
        at == 1 || places::of(line).as_deref() != Some(place.as_str())
    });
    if let Some(shorter) = in_headline(&failure[0], &place) {
        failure[0] = shorter;
    } else if !failure[0].contains(&place) {
        let (headline, count) = match failure[0].rsplit_once(" (and ") {
            Some((headline, count)) if count.ends_with(" more like it)") => (headline, format!(" (and {count}")),
            _ => (failure[0].as_str(), String::new()),
        };
        let headline = headline.trim_end_matches(':');
        let room = WIDTH.saturating_sub(place.chars().count() + count.chars().count() + 3);
        failure[0] = format!("{} ({place}){count}", cut_end(headline, room));
    }
}

/// A headline that ends with a place in the same file, with this place instead: where a test stands says less than where it failed.
fn in_headline(headline: &str, place: &str) -> Option<String> {
    let (name, old) = headline.strip_suffix(')')?.rsplit_once(" (")?;
    let path = |place: &str| place.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':').len();
    let (old_path, new_path) = (&old[..path(old)], &place[..path(place)]);
    (places::of(old).is_some() && new_path.ends_with(old_path))
        .then(|| format!("{name} ({old_path}{})", &place[new_path.len()..]))
}

/// Keeps the headlines. Then each failure in turn keeps the heaviest of its other lines, as long as there is room.
fn choose(failures: &mut [Vec<String>], lines: usize) {
    let mut kept: Vec<Vec<bool>> =
        failures.iter().map(|failure| (0..failure.len()).map(|at| at == 0).collect()).collect();
    let mut room = lines.saturating_sub(failures.len());
    let mut waiting: Vec<std::vec::IntoIter<Unit>> =
        failures.iter().enumerate().map(|(at, failure)| units(at, failure).into_iter()).collect();
    // What explains the signs of a diff is of use only beside the diff.
    let mut has_pair = vec![false; failures.len()];
    while room > 0 && waiting.iter().any(|units| units.len() > 0) {
        for units in &mut waiting {
            // A pair that does not fit makes way for the next line.
            let fits = |unit: &Unit| unit.lines.len() <= room && (unit.weight > 0 || has_pair[unit.failure]);
            let Some(unit) = units.by_ref().find(fits) else { continue };
            room -= unit.lines.len();
            has_pair[unit.failure] |= unit.lines.len() > 1;
            for at in unit.lines {
                kept[unit.failure][at] = true;
            }
        }
    }
    for (failure, kept) in failures.iter_mut().zip(kept) {
        let mut at = 0;
        failure.retain(|_| {
            at += 1;
            kept[at - 1]
        });
    }
}

/// The weight of a line; a line of code that prints often says less.
fn weight_among(line: &str, lines: &[String]) -> u8 {
    let place = |line: &str| split_place(line.trim()).map(|(_, rest)| line.trim().len() - rest.len());
    match place(line).filter(|end| *end > 0).map(|end| &line.trim()[..end]) {
        Some(place) if lines.iter().filter(|other| other.trim().starts_with(place)).count() > 2 => weight(line).min(1),
        _ => weight(line),
    }
}

/// The lines of a failure below its headline, the heaviest first.
fn units(failure: usize, lines: &[String]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut at = 1;
    while at < lines.len() {
        let next = (at + 1..lines.len().min(at + REACH)).find(|next| is_pair(&lines[at], &lines[*next]));
        match next {
            // Between two halves only more lines of the first half may stand.
            Some(next) if lines[at..next].iter().all(|line| is_pair(line, &lines[next])) => {
                let first = next - at;
                let second = lines[next..].iter().take_while(|line| is_pair(&lines[at], line)).count();
                let heavy = weight(&lines[at]).max(weight(&lines[next]));
                // As many lines on both sides differ one by one; otherwise those that touch do.
                let (pairs, from) = if first == second { (first, at) } else { (1, next - 1) };
                units.extend((at..from).map(|at| Unit { failure, weight: 2, lines: vec![at] }));
                units.extend((0..pairs).map(|n| Unit { failure, weight: heavy, lines: vec![from + n, next + n] }));
                at = next + pairs;
            }
            _ if is_legend(&lines[at]) && lines.get(at + 1).is_some_and(|next| is_legend(next)) => {
                units.push(Unit { failure, weight: 0, lines: vec![at, at + 1] });
                at += 2;
            }
            _ => {
                units.push(Unit { failure, weight: weight_among(&lines[at], lines), lines: vec![at] });
                at += 1;
            }
        }
    }
    units.sort_by_key(|unit| (std::cmp::Reverse(unit.weight), unit.lines[0]));
    units
}
