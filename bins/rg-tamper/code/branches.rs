//! Branches: an assertion of one branch goes with the condition if that of the other branch is always made now, or with the variant that the
//! branch was for.

use super::removed_words::line_at;
use super::weight::{Lost, Weight};
use super::words::{self, Texts};
use super::{Judgement, extent};
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::Assert;
use review_gate::outline::compare::{Loss, LossKind, Pair, Side};
use std::sync::LazyLock;

/// The first line of a condition, and a line between two of its branches.
static IF: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(?:if|unless)\b").ok());
static BRANCH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:\}?\s*(?:else\s+if|elif|elsif)\b|(?:if|unless|case|when)\b|.*=>\s*\{?$)").ok());
/// The first line of a function in a table, with its key.
static ENTRY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^["']([\w.:-]+)["']\s*(?::|=>)\s*(?:async\b|func\b|function\b|fn\b|lambda\b|\|.*\||\(?[\w, ]*\)?\s*=>).*[{(|:]$"#).ok()
});
static ELSE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\}?\s*(?:else|elif|elsif)\b").ok());

/// Drops what tests asserted only in one branch of a condition that is gone, if they always assert now what the other branch asserted.
pub fn drop_other_branches(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let lines = texts.lines(pair.then.file).zip(texts.lines(pair.now.file));
        let (Some((old, new)), Some(((then, _), (_, now)))) = (tests, lines) else { return true };
        let today = &now[extent::of(now, line_at(new.line))];
        let is_freed = |other: &Assert, depth: usize| {
            let code = then.get(line_at(other.line)).map_or("", |line| line.trim());
            !code.is_empty() && today.iter().any(|line| line.trim() == code && indent(line) <= depth)
        };
        losses.retain(|loss| {
            let Some((own, others, depth)) = branches(then, line_at(loss.before.line)) else { return true };
            let is_other = |other: &&Assert| {
                let at = line_at(other.line);
                others.contains(&at) && !own.contains(&at) && other.how == loss.before.how
            };
            !old.asserts.iter().filter(is_other).any(|other| is_freed(other, depth))
        });
        !losses.is_empty()
    });
}

/// Lowers to notes what tests asserted only in the branch of a variant that is gone: the first line of the branch is gone from the test,
/// and names a word or a literal that no code holds any more.
pub fn lower_gone_variants(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    test_globs: &[String],
    found: &mut [(&Pair, Lost)],
) {
    let is_open = |lost: &Lost| matches!(lost, Lost::Some { how, .. } if *how != Weight::Minor);
    if !found.iter().any(|(_, lost)| is_open(lost)) {
        return;
    }
    let texts = judgement.texts(source);
    for (pair, lost) in found.iter_mut().filter(|(_, lost)| is_open(lost)) {
        let lines = texts.lines(pair.then.file).zip(texts.lines(pair.now.file));
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let (Some(((then, _), (_, now))), Some((old, new))) = (lines, tests) else { continue };
        let today = &now[extent::of(now, line_at(new.line))];
        let Lost::Some { losses, how } = lost else { continue };
        let variant = |loss: &Loss| {
            let heads = heads(then, line_at(old.line), line_at(loss.before.line));
            heads.into_iter().find(|head| !today.iter().any(|line| line.trim() == *head))
        };
        let heads: Vec<Option<&str>> = losses.iter().map(variant).collect();
        let known: Vec<&str> = heads.iter().flatten().copied().collect();
        if known.is_empty() || heads.contains(&None) {
            continue;
        }
        let mut vanished = texts.vanished(judgement, source, &known);
        vanished.extend(texts.lost_literals(judgement, source, test_globs, &known));
        if known.iter().all(|head| words::uses(head, &vanished)) {
            *how = Weight::Minor;
        }
    }
}

/// Drops what a helper asserted in an entry of a table of functions, if its file does not name the entry any more.
pub fn drop_gone_entries(texts: &Texts, file: usize, old: &[Assert], found: &mut Vec<Loss>) {
    let Some((then, now)) = texts.lines(file) else { return };
    let is_gone_at = |at: usize| {
        let inner = then.get(at).map_or(0, |line| indent(line));
        let above =
            then[..at.min(then.len())].iter().rev().filter(|line| !line.trim().is_empty() && indent(line) < inner);
        let entry = above.map(|line| line.trim()).find_map(|line| ENTRY.as_ref()?.captures(line)?.get(1));
        let is_named = |name: &str| {
            now.iter().any(|line| line.contains(&format!("\"{name}\"")) || line.contains(&format!("'{name}'")))
        };
        entry.is_some_and(|name| !is_named(name.as_str()))
    };
    // Of assertions that are the same, it is not told which one is gone.
    let is_same = |a: &Assert, b: &Assert| a.how == b.how && a.subject == b.subject && a.expected == b.expected;
    let is_gone = |loss: &Loss| old.iter().any(|a| is_same(a, &loss.before) && is_gone_at(line_at(a.line)));
    found.retain(|loss| loss.kind != LossKind::Gone || !is_gone(loss));
}

/// The first lines of the branches around a line of a test, the inner one first.
fn heads(lines: &[String], first: usize, at: usize) -> Vec<&str> {
    let mut heads = Vec::new();
    let Some(mut depth) = lines.get(at).map(|line| indent(line)) else { return heads };
    for line in lines[first.min(at)..at].iter().skip(1).rev().filter(|line| !line.trim().is_empty()) {
        if indent(line) < depth {
            depth = indent(line);
            let is_head = BRANCH.as_ref().is_some_and(|regex| regex.is_match(line.trim_start()));
            heads.extend(is_head.then(|| line.trim()));
        }
    }
    heads
}

/// The lines of the branch that holds a line, those of the whole condition, and the indentation of the condition.
fn branches(lines: &[String], at: usize) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>, usize)> {
    let is = |regex: &Option<Regex>, line: &str| regex.as_ref().is_some_and(|regex| regex.is_match(line.trim_start()));
    let inner = indent(lines.get(at)?);
    let opens = |line: usize| !lines[line].trim().is_empty() && indent(&lines[line]) < inner;
    let head = (0..at).rev().find(|line| opens(*line))?;
    let depth = indent(&lines[head]);
    let is_beside = |line: usize| !lines[line].trim().is_empty() && indent(&lines[line]) <= depth;
    let end = (at..lines.len()).find(|line| is_beside(*line))?;
    let own = head..end;
    let mut first = head;
    while is(&ELSE, &lines[first]) {
        first = (0..first).rev().find(|line| is_beside(*line) && indent(&lines[*line]) == depth)?;
    }
    let mut last = end;
    while last < lines.len() && is(&ELSE, &lines[last]) {
        last = (last + 1..lines.len()).find(|line| is_beside(*line))?;
    }
    (is(&IF, &lines[first]) && (first < head || last > end)).then_some((own, first..last, depth))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heads_of_the_branches_around_a_line_are_told() {
        let lines: Vec<String> =
            "test()\n  if a\n    x\n    case b\n      y\n  z".lines().map(str::to_string).collect();
        assert_eq!(heads(&lines, 0, 4), ["case b", "if a"]);
        assert!(heads(&lines, 0, 5).is_empty() && heads(&lines, 0, 9).is_empty());
    }

    #[test]
    fn the_branches_of_a_condition_are_told() {
        let lines: Vec<String> =
            "a\nif x\n  b\n  c\nelse\n  d\nend\nif y\n  e\nend".lines().map(str::to_string).collect();
        assert_eq!(branches(&lines, 5), Some((4..6, 1..6, 0)));
        assert_eq!(branches(&lines, 3), Some((1..4, 1..6, 0)));
        assert_eq!(branches(&lines, 8), None, "one branch");
        assert_eq!(branches(&lines, 0), None);
        let braces: Vec<String> =
            "  if (x) {\n    b();\n  } else {\n    c();\n  }".lines().map(str::to_string).collect();
        assert_eq!(branches(&braces, 3), Some((2..4, 0..4, 2)));
    }
}
