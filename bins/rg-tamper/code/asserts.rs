//! Assertions: tests and helpers that assert nothing now, or less than before.

use super::calls::{is_asserting, is_converting, is_printing, is_read_of, names};
use super::weight::{Lost, Rarer, Weight};
use super::{
    Judgement, awaited, blunt, branches, callbacks, callers, destructured, elsewhere, exits, extent, gained, handed,
    inlined, looped, matchers, narrowed, reasons, recorded, removed_words, renamed, restated, retried, setup, show,
    staged, swallowed, typing, unawaited, wrappers,
};
use crate::guards::Inspection;
use crate::places;
use crate::sides::Source;
use review_gate::event::{Level, Rule};
use review_gate::outline::compare::{HelperPair, Helpers, Loss, LossKind, Pair, Place, Side, losses, without_rows};
use review_gate::outline::{Assert, Helper, SkipKind, Strength, Test};
use std::collections::BTreeSet;

impl Inspection<'_> {
    /// Finds emptied tests and weakened assertions.
    pub fn find_lost_asserts(&mut self, judgement: &mut Judgement<'_>, source: &Source<'_>) {
        if !self.is_on(Rule::NoEmptiedTests) && !self.is_on(Rule::NoWeakenedAsserts) {
            return;
        }
        let files = &judgement.code.files;
        let of = |side| {
            // What stands among tests is for them, whatever its name.
            let is_for_all = |file, helper: &Helper| {
                places::is_among_tests(judgement.shown(file))
                    || asserts_for_tests(judgement, source, (side, file), helper)
            };
            Helpers::of(files, side, is_for_all)
        };
        let helpers = (of(Side::Then), of(Side::Now));
        let is_open =
            |pair: &&Pair| !judgement.reported.contains(&pair.then) && !judgement.broken.contains(&pair.now.file);
        let pairs = judgement.compared.pairs.iter().filter(is_open);
        let mut found: Vec<(&Pair, Lost)> =
            pairs.filter_map(|pair| Some((pair, lost(judgement, pair, &helpers)?))).collect();
        drop_wrapped(judgement, source, &mut found);
        if !found.is_empty() {
            let texts = judgement.texts(source);
            renamed::drop_renamed(judgement, texts, &mut found);
            inlined::drop_inlined(judgement, texts, &mut found);
            awaited::drop_awaited(judgement, texts, &mut found);
            setup::drop_setup(judgement, texts, &mut found);
            typing::drop_typing(judgement, texts, &mut found);
            looped::drop_looped(judgement, texts, &mut found);
            callbacks::drop_given(judgement, texts, &mut found);
            matchers::drop_extended(judgement, texts, &mut found);
            recorded::drop_recorded(judgement, texts, &mut found);
            handed::drop_handed(judgement, texts, &mut found);
            branches::drop_other_branches(judgement, texts, &mut found);
            elsewhere::drop_split(judgement, &mut found);
            destructured::drop_whole(judgement, texts, &mut found);
            elsewhere::drop_helped(judgement, source, &mut found);
            elsewhere::drop_repeated(judgement, texts, &mut found);
            if texts.has_other_source(judgement) {
                restated::drop_restated(judgement, &mut found);
            }
        }
        reasons::lower_obsolete(judgement, source, &self.guards.test_globs, &mut found);
        reasons::lower_gone_with_code(judgement, source, &self.guards.test_globs, &mut found);
        branches::lower_gone_variants(judgement, source, &self.guards.test_globs, &mut found);
        reasons::lower_reworded(judgement, source, &mut found);
        reasons::lower_allowed(judgement, source, &mut found);
        drop_retried(judgement, source, &mut found);
        let pairs = judgement.compared.pairs.iter().filter(is_open);
        let known: Vec<Place> = found.iter().map(|(pair, _)| pair.now).collect();
        let open = pairs.filter(|pair| !known.contains(&pair.now) && swallowed::calls_more(judgement, pair));
        let open: Vec<&Pair> = open.collect();
        if !open.is_empty() {
            for (pair, name) in swallowed::hidden(judgement, source, judgement.texts(source), &open) {
                found.push((pair, Lost::Hidden(name)));
            }
        }
        let known: BTreeSet<Place> = found.iter().map(|(pair, _)| pair.now).collect();
        let mut mocking = staged::Mocking::default();
        for pair in judgement.compared.pairs.iter().filter(is_open).filter(|pair| !known.contains(&pair.now)) {
            let is_mocking = mocking.holds(judgement, source, pair);
            let rarer = exits::rarer(judgement, source, pair)
                .or_else(|| unawaited::of(judgement, source, pair))
                .or_else(|| staged::of(judgement, source, pair, is_mocking))
                .or_else(|| narrowed::of(judgement, source, pair));
            if let Some(rarer) = rarer {
                found.push((pair, Lost::Rarer(rarer)));
            }
        }
        for (pair, lost) in &found {
            let Some(new) = judgement.test(Side::Now, pair.now) else { continue };
            self.find_weaker(judgement, pair, new, lost);
        }
        self.find_weak_helpers(judgement, source);
    }

    fn find_weaker(&mut self, judgement: &Judgement<'_>, pair: &Pair, new: &Test, lost: &Lost) {
        let file = pair.now.file;
        let whole = |how: &str| format!("test {} {how}", show::name(new));
        let (rule, lost, text, how) = match lost {
            Lost::All(how) => (Rule::NoEmptiedTests, how.to_string(), whole(how), Weight::Certain),
            Lost::Outcome(how) => (Rule::NoWeakenedAsserts, how.to_string(), whole(how), Weight::Certain),
            Lost::Hidden(name) => {
                let text = whole(&format!("asserts inside `{}` now, which hides failures", show::code(name)));
                (Rule::NoWeakenedAsserts, name.to_string(), text, Weight::Certain)
            }
            Lost::Rarer(Rarer { line, how, weight }) => {
                (Rule::NoWeakenedAsserts, line.clone(), whole(&format!("{how} now: `{}`", show::code(line))), *weight)
            }
            Lost::Some { losses, how } => {
                let text = format!("test {} asserts less: {}", show::name(new), sentence(losses));
                (Rule::NoWeakenedAsserts, each(losses), text, *how)
            }
        };
        let Some(level) = self.guards.level(rule) else { return };
        let level = judgement.level_of_example((Side::Now, pair.now), how.level(level));
        let key = format!("{}\u{1f}{}", new.suite.join("\u{1f}"), new.name);
        let place = (judgement.shown(file), Some(new.line));
        self.find_lost(judgement.level(file, level), rule, place, (&key, &lost), text);
    }

    /// Finds helpers, fixtures and hooks that assert less, once for all tests that call them.
    fn find_weak_helpers(&mut self, judgement: &Judgement<'_>, source: &Source<'_>) {
        let Some(level) = self.guards.level(Rule::NoWeakenedAsserts) else { return };
        let files = &judgement.code.files;
        let helpers = Helpers::of(files, Side::Now, |_, _| true);
        for pair in HelperPair::all(files) {
            let Some(old) = judgement.outline(Side::Then, pair.then.file).and_then(|o| o.helpers.get(pair.then.at))
            else {
                continue;
            };
            let Some(now) = pair.now else {
                if asserts_for_tests(judgement, source, (Side::Then, pair.then.file), old) {
                    self.find_emptied_helper(judgement, &helpers, pair.then.file, old, (level, source));
                }
                continue;
            };
            if judgement.broken.contains(&now.file) {
                continue;
            }
            let new = judgement.outline(Side::Now, now.file).and_then(|outline| outline.helpers.get(now.at));
            let is_of_tests = || asserts_for_tests(judgement, source, (Side::Then, pair.then.file), old);
            let Some(new) = new.filter(|_| is_of_tests()) else { continue };
            let mut found = real(losses(&old.asserts, &new.asserts), judgement);
            if !found.is_empty()
                && let Some((_, lines)) = judgement.texts(source).lines(now.file)
            {
                if pair.then.file == now.file {
                    branches::drop_gone_entries(judgement.texts(source), now.file, &old.asserts, &mut found);
                }
                let lines = &lines[extent::of(lines, removed_words::line_at(new.line))];
                found = retried::without_late(lines, &new.asserts, found);
                found.retain(|loss| !typing::is_demanded(loss, lines));
            }
            let is_demanding = |asserts: &[Assert]| asserts.iter().any(|assert| assert.strength > Strength::Nothing);
            let is_read = |call: &str| new.asserts.iter().any(|assert| assert.how.split('.').any(|how| how == call));
            let is_new = |call: &&String| !old.calls.contains(call) && !is_read(call);
            let is_moved = new.calls.iter().filter(is_new).any(|call| is_asserting(call));
            if found.is_empty() || is_moved {
                continue;
            }
            let is_empty = is_demanding(&old.asserts) && !is_demanding(&new.asserts);
            let level = if is_empty { level } else { level.min(Level::Warning) };
            let text =
                format!("\"{}\", which asserts for tests, asserts less: {}", show::code(&new.name), sentence(&found));
            let (level, place) = (judgement.level(now.file, level), (judgement.shown(now.file), Some(new.line)));
            self.find_lost(level, Rule::NoWeakenedAsserts, place, (&new.name, &each(&found)), text);
        }
    }

    /// Finds a helper that is still there and asserts nothing now. If it calls something new that may assert, nothing is known.
    fn find_emptied_helper(
        &mut self,
        judgement: &Judgement<'_>,
        helpers: &Helpers<'_>,
        file: usize,
        old: &Helper,
        (level, source): (Level, &Source<'_>),
    ) {
        let Some(outline) = judgement.outline(Side::Now, file).filter(|_| !judgement.broken.contains(&file)) else {
            return;
        };
        let mut namesakes = outline.functions.iter().filter(|function| function.name == old.name);
        let (Some(new), None) = (namesakes.next(), namesakes.next()) else { return };
        let mut found = real(losses(&old.asserts, &[]), judgement);
        if let Some((_, now)) = judgement.texts(source).lines(file) {
            let body = &now[extent::of(now, removed_words::line_at(new.line))];
            found.retain(|loss| !typing::is_demanded(loss, body));
        }
        let is_demand = |assert: &Assert| assert.strength > Strength::Nothing;
        let may_assert = |call: &String| {
            let is_runner = old.name == "TestMain" && matches!(call.as_str(), "Run" | "Exit");
            is_asserting(call) || !helpers.is_defined(call) && !is_printing(call) && !is_converting(call) && !is_runner
        };
        if lets_pass(judgement.texts(source).lines(file), old, new.line) {
            return;
        }
        let is_moved = new.calls.iter().any(|call| !old.calls.contains(call) && may_assert(call))
            || helpers.asserts(file, &new.calls, &BTreeSet::new()).iter().any(is_demand);
        // A helper that asserts by its name, and calls nothing new that does.
        let calls_one = new.calls.iter().any(|call| !old.calls.contains(call) && is_asserting(call));
        let is_bare = is_asserting(&old.name) && !calls_one;
        if is_moved && !is_bare || found.is_empty() || !old.asserts.iter().any(is_demand) {
            return;
        }
        let is_of_types = found.iter().all(|loss| typing::asks_presence(&loss.before));
        let level = if is_moved || is_of_types { level.min(Level::Warning) } else { level };
        let name = show::code(&new.name);
        let text = format!("\"{name}\", which asserted for tests, asserts nothing now: {}", sentence(&found));
        let (level, path) = (judgement.level(file, level), judgement.shown(file));
        self.find_at(level, Rule::NoWeakenedAsserts, path, Some(new.line), &new.name, text);
    }
}

/// Whether a helper only failed where an error was caught, and lets the error pass now.
fn lets_pass(lines: Option<(&[String], &[String])>, old: &Helper, line: u64) -> bool {
    let Some((then, now)) = lines else { return false };
    let catches = |line: &String| ["catch", "rescue", "except"].iter().any(|word| line.contains(word));
    let is_of_error = |assert: &Assert| {
        let at = removed_words::line_at(assert.line);
        assert.how == "fail" && at < then.len() && then[at.saturating_sub(2)..=at].iter().any(catches)
    };
    let body = &now[extent::of(now, removed_words::line_at(line))];
    old.asserts.iter().all(is_of_error) && !body.iter().any(catches)
}

/// Drops the tests that a macro of the project declares now with the same lines: nothing in them was read.
fn drop_wrapped(judgement: &Judgement<'_>, source: &Source<'_>, found: &mut Vec<(&Pair, Lost)>) {
    let emptied = found.iter().filter(|(_, lost)| matches!(lost, Lost::All(_))).map(|(pair, _)| pair.then);
    let emptied: BTreeSet<Place> = emptied.collect();
    if !emptied.is_empty() {
        let wrapped = wrappers::declared(judgement, source, judgement.texts(source), &emptied);
        found.retain(|(pair, _)| !wrapped.contains_key(&pair.then));
    }
}

/// Whether a function asserts for tests. In code that is shipped an assertion is a check of arguments, unless the function is named like an
/// assertion or takes a test.
fn asserts_for_tests(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    (side, file): (Side, usize),
    helper: &Helper,
) -> bool {
    let role = &judgement.sides(file).role;
    let is_of_tests = if side == Side::Then { role.was_test } else { role.is_test };
    is_of_tests || is_asserting(&helper.name) || callers::takes_test(judgement.texts(source), file, side, helper.line)
}

/// Drops what tests demand again and again now, instead of once.
fn drop_retried(judgement: &Judgement<'_>, source: &Source<'_>, found: &mut Vec<(&Pair, Lost)>) {
    if !found.iter().any(|(_, lost)| matches!(lost, Lost::Some { how, .. } if *how != Weight::Minor)) {
        return;
    }
    let texts = judgement.texts(source);
    for (pair, lost) in found.iter_mut() {
        if let Lost::Some { losses, .. } = lost {
            *losses = retried::without(judgement, source, texts, pair, std::mem::take(losses));
        }
    }
    found.retain(|(_, lost)| !matches!(lost, Lost::Some { losses, .. } if losses.is_empty()));
}

/// What a test lost; None if nothing.
fn lost(judgement: &Judgement<'_>, pair: &Pair, (then, now): &(Helpers<'_>, Helpers<'_>)) -> Option<Lost> {
    let (old, new) = (judgement.test(Side::Then, pair.then)?, judgement.test(Side::Now, pair.now)?);
    let expects_panic = |test: &Test| test.asserts.iter().any(|assert| assert.how == "should_panic");
    if old.body == new.body && expects_panic(new) && !expects_panic(old) {
        return Some(Lost::Outcome("is expected to panic now"));
    }
    // An attribute or a mark of a chain may assert, too: `#[should_panic(expected = "…")]`, `->throws(…)`.
    let is_same = |(a, b): (&Assert, &Assert)| (&a.how, &a.expected, a.strength) == (&b.how, &b.expected, b.strength);
    let is_unchanged = old.asserts.len() <= new.asserts.len() && old.asserts.iter().zip(&new.asserts).all(is_same);
    if old.body == new.body && is_unchanged || is_off(old) || is_off(new) {
        // A helper that both call is judged by itself.
        return None;
    }
    // What the tests inside of it assert, it asserts.
    let path: Vec<&String> = new.suite.iter().chain([&new.name]).collect();
    let is_inner = |test: &&Test| test.suite.len() >= path.len() && test.suite.iter().zip(&path).all(|(a, b)| a == *b);
    let inner =
        judgement.outline(Side::Now, pair.now.file).into_iter().flat_map(|outline| &outline.tests).filter(is_inner);
    let parts: Vec<&Test> =
        pair.parts.iter().filter_map(|place| judgement.test(Side::Now, *place)).chain(inner).collect();
    let parts = parts.iter().copied();
    // A new call of a function that is not in the changed files may assert.
    // An assertion that was read is known.
    let is_read = |call: &String| is_read_of(new, call);
    // A helper that its file no longer defines and that is still called comes from elsewhere now.
    let is_new = |call: &&String| !old.calls.contains(call) || then.is_defined(call);
    let is_unknown = |call: &&String| is_new(call) && !now.is_defined(call) && !is_read(call) && !is_printing(call);
    let unknown: Vec<&String> = new.calls.iter().filter(is_unknown).collect();
    let asserts_elsewhere = unknown.iter().any(|call| is_asserting(call));
    // `test("title", macro, false)` runs a function that stands elsewhere.
    let runs_function = !new.calls.is_empty() && new.calls.iter().all(|call| old.calls.contains(call));
    let is_given = runs_function || now.demands(pair.now.file, new);
    if new.tokens == 0 && old.tokens > 0 && pair.parts.is_empty() && !is_given {
        return Some(Lost::All("is empty now"));
    }
    let had = then.demands(pair.then.file, old);
    let hooked = gained::hooked(judgement, pair, old);
    let has = !hooked.is_empty()
        || now.demands(pair.now.file, new)
        || parts.clone().any(|part| now.demands(pair.now.file, part));
    if had && !has && !asserts_elsewhere {
        return Some(match new.asserts.is_empty() {
            true if unknown.is_empty() => Lost::All("asserts nothing now"),
            true => Lost::Some { losses: real(losses(&old.asserts, &[]), judgement), how: Weight::Probable },
            false => Lost::All("asserts nothing now that can fail"),
        })
        .filter(|lost| !matches!(lost, Lost::Some { losses, .. } if losses.is_empty()));
    }
    // A test that had to fail demanded nothing of what it asserted.
    let had_to_fail = old.skip.as_ref().is_some_and(|mark| mark.kind == SkipKind::Fails && mark.condition.is_none());
    if had_to_fail && new.skip.is_none() && has {
        return None;
    }
    // Helpers that both sides call are judged by themselves.
    let is_called = |call: &&String| new.calls.contains(call) || parts.clone().any(|part| part.calls.contains(call));
    let common: BTreeSet<&str> = old.calls.iter().filter(is_called).map(String::as_str).collect();
    // A helper of the changed files is known by what it asserts, and not by its name.
    let own = |test: &Test, helpers: &Helpers<'_>| -> Vec<Assert> {
        let is_call = |assert: &Assert| {
            helpers.is_helper(&assert.how) && !common.contains(assert.how.as_str()) && test.calls.contains(&assert.how)
        };
        test.asserts.iter().filter(|assert| !is_call(assert)).cloned().collect()
    };
    let mut before = own(old, then);
    before.extend(then.asserts(pair.then.file, &old.calls, &common));
    let mut after = own(new, now);
    after.extend(now.asserts(pair.now.file, &new.calls, &common));
    // A subtest may be a function: `t.Run("title", testTitle)`.
    let given = parts.clone().filter(|part| part.asserts.is_empty());
    after.extend(given.flat_map(|part| now.asserts(pair.now.file, &part.calls, &common)));
    after.extend(parts.flat_map(|part| part.asserts.iter().cloned()));
    after.extend(hooked);
    // An assertion that moved into a helper keeps its form.
    let is_moved = |b: &Assert| before.iter().any(|a| a.how == b.how && a.expected == b.expected);
    after
        .extend(gained::by_helpers((then, pair.then.file), (now, pair.now.file), &common).into_iter().filter(is_moved));
    let mut found = without_rows(real(losses(&before, &after), judgement), old, new);
    // The same steps without the mark of an expected error have to pass: they demand the opposite, not less.
    found.retain(|loss| old.body != new.body || loss.kind != LossKind::Gone);
    // A call that fails unless there is an error stands for the arm that failed without one.
    let takes_error = new.calls.iter().any(|call| matches!(call.as_str(), "unwrap_err" | "expect_err"));
    found.retain(|loss| !(takes_error && loss.before.how == "panic" && has));
    // The number of calls of `expect` is not asked for if the test asserts with another library now.
    let is_other_library = has && new.calls.binary_search_by(|call| call.as_str().cmp("expect")).is_err();
    found.retain(|loss| !(is_other_library && loss.before.how.starts_with("expect.")));
    if found.is_empty() || asserts_elsewhere {
        return None;
    }
    let is_rest_equal = after.iter().all(|assert| before.iter().any(|b| b.subject == assert.subject));
    let is_smaller = new.calls.iter().all(|call| old.calls.contains(call)) && is_rest_equal;
    // Only assertions differ: the test was edited, not rewritten.
    let is_of_assert = |call: &str, test: &Test| is_read_of(test, call) || found.iter().any(|loss| names(loss, call));
    let is_edited = old.calls.iter().all(|call| new.calls.contains(call) || is_of_assert(call, old))
        && new.calls.iter().all(|call| old.calls.contains(call) || is_of_assert(call, new) || is_printing(call));
    let is_certain = |loss: &Loss| match loss.kind {
        _ if blunt::is_blunt(loss) => true,
        LossKind::Gone => is_smaller && found.len() * 2 >= before.len(),
        // An operator may be another spelling of the same: `a == []`, `not a`.
        LossKind::Weaker => loss.after.as_ref().is_some_and(|after| {
            let is_named = |assert: &Assert| assert.how.starts_with(char::is_alphabetic) && assert.how != "not";
            after.strength == Strength::Nothing
                || after.strength == Strength::Something && is_named(after) && is_named(&loss.before)
        }),
        LossKind::Wider | LossKind::Replaced => false,
    };
    let demands = before.iter().filter(|assert| assert.strength > Strength::Nothing).count();
    let how = match () {
        () if found.iter().any(is_certain) => Weight::Certain,
        () if is_smaller || is_edited || found.len() * 2 >= demands => Weight::Probable,
        () => Weight::Minor,
    };
    Some(Lost::Some { losses: found, how })
}

/// Whether a test does not run.
fn is_off(test: &Test) -> bool {
    test.skip.as_ref().is_some_and(|mark| mark.condition.is_none() && mark.kind != SkipKind::Fails)
}

/// The losses that are not about names that source files defined and that are gone from the changed files. A bare argument may be a name of
/// the test.
fn real(losses: Vec<Loss>, judgement: &Judgement<'_>) -> Vec<Loss> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let is_gone = |loss: &Loss| {
        let subject = loss.before.subject.as_str();
        let starts = subject.char_indices().filter(|(at, c)| is_part(*c) && !subject[..*at].ends_with(is_part));
        let mut names = starts.filter_map(|(at, _)| {
            let (name, behind) =
                subject[at..].split_at(subject[at..].find(|c| !is_part(c)).unwrap_or(subject.len() - at));
            let is_used = behind.starts_with(['(', '.', ':', '!', '<']);
            (at == 0 || is_used || name.contains(|c: char| c.is_uppercase() || c == '_')).then_some(name)
        });
        names.any(|name| judgement.names.definers(name).iter().any(|file| judgement.is_source(*file)))
    };
    losses.into_iter().filter(|loss| !is_gone(loss)).collect()
}

/// Each loss on a line.
fn each(losses: &[Loss]) -> String {
    losses.iter().map(|loss| sentence(std::slice::from_ref(loss))).collect::<Vec<_>>().join("\n")
}

/// The worst loss, and how many more there are.
fn sentence(losses: &[Loss]) -> String {
    let Some(first) = losses.first() else { return String::new() };
    let before = show::assert(&first.before);
    let what = match &first.after {
        Some(after) => format!("{before} -> {}", show::assert(after)),
        None => format!("{before} is gone"),
    };
    match losses.len() {
        1 => what,
        all => format!("{what}, and {} more", all - 1),
    }
}
