//! `rg-outline diff`: what changed between two versions of a file, for people.

use crate::show;
use review_gate::outline::compare::{self, BothSides, How, Loss, LossKind, Pair, Side};
use review_gate::outline::{Assert, Mark, Outline, Test};
use review_gate::sys::text::one_line;
use std::collections::BTreeSet;

/// A line for each test that was added, removed, moved, renamed or changed; empty if there is none.
pub fn text(then: Outline, now: Outline) -> String {
    let files: [BothSides; 1] = [(Some(then), Some(now))];
    let found = compare::compare(&files);
    let test = |side, place| compare::test(&files, side, place);
    let mut lines: Vec<(u64, String)> = Vec::new();
    for test in found.gone.iter().filter_map(|place| test(Side::Then, *place)) {
        lines.push((test.line, format!("removed: {} (line {} before)", name(test), test.line)));
    }
    for merged in &found.merged {
        if let (Some(old), Some(new)) = (test(Side::Then, merged.then), test(Side::Now, merged.now)) {
            lines.push((new.line, format!("merged: {} into {} (line {})", name(old), name(new), new.line)));
        }
    }
    for test in found.new.iter().filter_map(|place| test(Side::Now, *place)) {
        lines.push((test.line, format!("new: {}", show::line_of(test))));
    }
    for pair in &found.pairs {
        if let (Some(old), Some(new)) = (test(Side::Then, pair.then), test(Side::Now, pair.now)) {
            let changes = changes(pair, old, new);
            if !changes.is_empty() {
                let text = format!("{} (line {}): {}", name(new), new.line, changes.join("; "));
                lines.push((new.line, text));
            }
        }
    }
    if let (Some(then), Some(now)) = (&files[0].0, &files[0].1) {
        lines.extend(suppressions(then, now));
    }
    lines.sort();
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

/// The suites and the name of a test.
fn name(test: &Test) -> String {
    let all = test.suite.iter().chain([&test.name]).map(|part| one_line(part));
    all.collect::<Vec<_>>().join(" > ")
}

fn changes(pair: &Pair, old: &Test, new: &Test) -> Vec<String> {
    let mut changes = Vec::new();
    match pair.how {
        How::Kept => {}
        How::Moved => changes.push(format!("moved from {}", name(old))),
        How::Renamed => changes.push(format!("renamed from {}", one_line(&old.name))),
    }
    for (then, now, what) in [(&old.skip, &new.skip, "skipped"), (&old.focus, &new.focus, "focused")] {
        let same = |one: &Mark, other: &Mark| {
            (&one.text, &one.condition, one.kind) == (&other.text, &other.condition, other.kind)
        };
        match (then, now) {
            (None, Some(mark)) => changes.push(format!("now {what} by {}", show::shown(mark))),
            (Some(_), None) => changes.push(format!("no longer {what}")),
            (Some(then), Some(now)) if !same(then, now) => {
                changes.push(format!("{what} by {} instead of {}", show::shown(now), show::shown(then)));
            }
            _ => {}
        }
    }
    if pair.lost_rows > 0 {
        changes.push(format!("rows removed: {}", pair.lost_rows));
    }
    let losses = compare::losses(&old.asserts, &new.asserts);
    for loss in &losses {
        changes.push(describe(loss));
    }
    if new.tokens == 0 && old.tokens > 0 {
        changes.push("its body is empty".into());
    } else if losses.is_empty() && old.body != new.body {
        changes.push("its body changed".into());
    }
    changes
}

fn describe(loss: &Loss) -> String {
    let before = assertion(&loss.before);
    let after = loss.after.as_ref().map(assertion).unwrap_or_default();
    match loss.kind {
        LossKind::Gone => format!("no longer asserted: {before}"),
        LossKind::Weaker => format!("weaker: {before} -> {after}"),
        LossKind::Wider => format!("wider: {before} -> {after}"),
        LossKind::Replaced => format!("replaced: {before} -> {after}"),
    }
}

/// `toBe(slug("a"), "b")`
fn assertion(assert: &Assert) -> String {
    let comma = if assert.expected.is_empty() { "" } else { ", " };
    one_line(&format!("{}({}{comma}{})", assert.how, assert.subject, assert.expected))
}

fn suppressions(then: &Outline, now: &Outline) -> Vec<(u64, String)> {
    let known: BTreeSet<_> = then.suppressions.iter().map(|one| (&one.linter, &one.rules, one.target)).collect();
    let new = now.suppressions.iter().filter(|one| !known.contains(&(&one.linter, &one.rules, one.target)));
    new.map(|one| (one.line, format!("new suppression (line {}): {}", one.line, one_line(&one.text)))).collect()
}
