//! Inlined values: a test asserts the same about an expression that had a name, `hits = index.search("a")`, or that has one now.

use super::Judgement;
use super::extent;
use super::removed_words::line_at;
use super::renamed::binding;
use super::weight::Lost;
use super::words::Texts;
use review_gate::outline::Assert;
use review_gate::outline::compare::{Pair, Side, losses};
use std::collections::BTreeMap;

/// Drops what tests assert about the same expressions with or without a name.
pub fn drop_inlined(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses: lost, .. } = lost else { return true };
        let tests = judgement.test(Side::Then, pair.then).zip(judgement.test(Side::Now, pair.now));
        let lines = texts.lines(pair.then.file).zip(texts.lines(pair.now.file));
        let (Some((old, new)), Some(((then, _), (_, now)))) = (tests, lines) else { return true };
        let before = bound(&then[extent::of(then, line_at(old.line))]);
        let today = bound(&now[extent::of(now, line_at(new.line))]);
        let only = |some: &BTreeMap<String, String>, others: &BTreeMap<String, String>| -> BTreeMap<String, String> {
            let is_only = |(value, name): &(&String, &String)| {
                !others.contains_key(*value) && !others.values().any(|other| other == *name)
            };
            some.iter().filter(is_only).map(|(value, name)| (value.clone(), name.clone())).collect()
        };
        let (of_old, of_new) = (only(&before, &today), only(&today, &before));
        if of_old.is_empty() && of_new.is_empty() {
            return true;
        }
        // What a call of today is given may have a name, too.
        let own = given(&now[extent::of(now, line_at(new.line))]);
        // The lines of the whole file are only read where something is spread.
        let is_spread = new.asserts.iter().any(|assert| assert.expected.contains("..."));
        let outer = if is_spread { given(now) } else { BTreeMap::new() };
        let given = expanded(&compared(&spread(&new.asserts, &outer), &own), &own);
        let left = losses(&named(&old.asserts, &of_new), &named(&given, &of_old));
        let is_left = |a: &Assert| left.iter().any(|loss| loss.before.line == a.line && loss.before.how == a.how);
        let is_own = |a: &Assert| old.asserts.iter().any(|own| own.line == a.line);
        lost.retain(|loss| !is_own(&loss.before) || is_left(&loss.before));
        !lost.is_empty()
    });
}

/// The names that lines give to a value once, also to one that is no call, by these values: `line = "a b"`.
pub fn given(lines: &[String]) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (target, value) in lines.iter().filter_map(|line| line.split_once('=')) {
        let name = target.trim_end_matches([':', ' ']).split_whitespace().last().unwrap_or_default();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
        let value = bare(value.trim().trim_end_matches(';'));
        if is_name && !value.is_empty() && !value.starts_with(['=', '>', '~']) {
            names.entry(name.to_string()).or_default().push(value);
        }
    }
    names.into_iter().filter(|(_, values)| values.len() == 1).map(|(name, values)| (values[0].clone(), name)).collect()
}

/// The assertions in whose expected records those that are spread stand written out: `{ ...base, ssh: true }`.
fn spread(asserts: &[Assert], names: &BTreeMap<String, String>) -> Vec<Assert> {
    let one = |assert: &Assert| {
        if !assert.expected.contains("...") {
            return assert.clone();
        }
        let inner = |value: &str| value.strip_prefix('{')?.strip_suffix('}').map(str::to_string);
        let spread = names.iter().filter_map(|(value, name)| Some((format!("...{name}"), inner(value)?)));
        let expected = spread.fold(assert.expected.clone(), |expected, (form, inner)| {
            let is_whole =
                expected.split_once(&form).is_some_and(|(_, rest)| rest.trim_start().starts_with([',', '}']));
            if is_whole { expected.replacen(&form, &inner, 1) } else { expected }
        });
        Assert { expected, ..assert.clone() }
    };
    asserts.iter().map(one).collect()
}

/// The assertions in which the difference of two values is none, as ones about these: `diff := cmp.Diff(want, got)` and `diff == ""`.
fn compared(asserts: &[Assert], names: &BTreeMap<String, String>) -> Vec<Assert> {
    let value_of = |name: &str| names.iter().find(|(_, other)| *other == name).map(|(value, _)| value.as_str());
    let one = |assert: &Assert| {
        let difference =
            value_of(&assert.subject).and_then(|value| value.split_once("cmp.Diff(")).map(|(_, rest)| rest);
        let parts = difference.filter(|_| assert.how == "==" && assert.expected.trim() == "\"\"").and_then(|rest| {
            let (want, got) = rest.split_once(',')?;
            let got = got.split(')').next()?;
            let is_name =
                |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
            (is_name(want) && is_name(got)).then_some((want, got))
        });
        let Some((want, got)) = parts else { return assert.clone() };
        let written = |name: &str| value_of(name).map(str::to_string);
        // Which of the two is expected is not said: it is the one that is written out.
        let (subject, expected) = match written(want) {
            Some(value) => (got, value),
            None => (want, written(got).unwrap_or_else(|| got.to_string())),
        };
        Assert { how: "Equal".into(), subject: subject.into(), expected, ..assert.clone() }
    };
    asserts.iter().map(one).collect()
}

/// The assertions about calls with the values of the names that these are given: `parse(line)` for `parse("a b")`, if `line` is that text.
fn expanded(asserts: &[Assert], names: &BTreeMap<String, String>) -> Vec<Assert> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let one = |assert: &Assert| {
        let Some((head, rest)) = assert.subject.split_once('(') else { return assert.clone() };
        let mut rest = bare(rest);
        for (value, name) in names {
            let at = rest.match_indices(name.as_str()).map(|(at, _)| at).find(|at| {
                !rest[..*at].ends_with(|c| is_part(c) || c == '.') && !rest[at + name.len()..].starts_with(is_part)
            });
            if let Some(at) = at {
                rest.replace_range(at..at + name.len(), value);
            }
        }
        Assert { subject: format!("{head}({rest}"), ..assert.clone() }
    };
    asserts.iter().map(one).collect()
}

/// The names that lines bind once, by their values without blanks.
pub fn bound(lines: &[String]) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in lines.iter().filter_map(|line| binding(line)) {
        names.entry(name.to_string()).or_default().push(bare(value));
    }
    names.into_iter().filter(|(_, values)| values.len() == 1).map(|(name, values)| (values[0].clone(), name)).collect()
}

/// Code with its pipes as calls: `a |> f(1) |> g()` is `g(f(a, 1))`.
fn unpiped(code: &str) -> String {
    let mut parts = code.split("|>").map(str::trim);
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |inner, part| match part.split_once('(') {
        Some((name, rest)) if rest.trim() == ")" => format!("{name}({inner})"),
        Some((name, rest)) => format!("{name}({inner}, {rest}"),
        None => format!("{part}({inner})"),
    })
}

/// A value without blanks and without what only waits for it, its texts in one kind of quotes.
pub fn bare(value: &str) -> String {
    let value = value
        .trim_start_matches("() =>")
        .trim_start()
        .trim_start_matches("try ")
        .trim_start_matches("await ")
        .trim_start_matches("try await ");
    let bare: String = value.chars().filter(|c| !c.is_whitespace()).map(|c| if c == '\'' { '"' } else { c }).collect();
    // The same values in a list.
    let lists = [".ToList()", ".ToArray()", ".toList()", ".collect()", ".to_a"];
    lists.iter().find_map(|end| bare.strip_suffix(end)).map_or(bare.clone(), str::to_string)
}

/// The assertions with the names of the values that they are about.
pub fn named(asserts: &[Assert], names: &BTreeMap<String, String>) -> Vec<Assert> {
    let one = |assert: &Assert| {
        let subject = bare(&unpiped(&assert.subject));
        // `f() == Ok(1)` says what is in the result.
        let whole =
            ["Ok(", "Some("].iter().find_map(|begin| assert.expected.trim().strip_prefix(begin)?.strip_suffix(')'));
        let taken = whole.and_then(|inner| {
            let (_, name) = names.iter().find(|(value, _)| {
                let called = value.strip_suffix("()").and_then(|value| value.strip_suffix(".unwrap"));
                called.or_else(|| value.strip_suffix('?')) == Some(subject.as_str())
            })?;
            Some(Assert { subject: name.clone(), expected: inner.to_string(), ..assert.clone() })
        });
        if let Some(taken) = taken {
            return taken;
        }
        let found = names.iter().find_map(|(value, name)| {
            let (before, rest) = subject.split_once(value.as_str())?;
            // In what only sorts it, too.
            let is_begin = before.is_empty() || matches!(before, "Enum.sort(" | "sorted(" | "slices.Sorted(");
            let goes_on = rest.is_empty() || rest.starts_with(['.', '[', '!', '?', ')']);
            (is_begin && goes_on).then(|| format!("{before}{name}{rest}"))
        });
        Assert { subject: found.unwrap_or_else(|| assert.subject.clone()), ..assert.clone() }
    };
    asserts.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_has_the_name_that_is_bound_to_it() {
        let lines = ["        var hits = index.search(\"a b\");".to_string(), "        hits.sort();".to_string()];
        let names = bound(&lines);
        let of = |subject: &str| {
            let assert = Assert { subject: subject.into(), ..Assert::default() };
            named(&[assert], &names)[0].subject.clone()
        };
        assert_eq!(of("index.search(\"c\")"), "index.search(\"c\")", "another text");
        assert_eq!(
            (of("index.search(\"a b\")"), of("index.search(\"a b\").size")),
            ("hits".into(), "hits.size".into())
        );
        assert_eq!(unpiped("index |> Index.query(\"a\") |> Enum.sort()"), "Enum.sort(Index.query(index, \"a\"))");
        let called = |subject: &str, expected: &str| Assert {
            subject: subject.into(),
            expected: expected.into(),
            ..Assert::default()
        };
        let base = super::given(&["  const base = { host: 'a', owner: 'b' };".to_string()]);
        assert_eq!(
            spread(&[called("x", "{...base,ssh:true}")], &base)[0].expected,
            "{host:\"a\",owner:\"b\",ssh:true}"
        );
        assert_eq!(spread(&[called("x", "{...basement}")], &base)[0].expected, "{...basement}");
        let lines = ["want := MX{TTL: 1}", "if diff := cmp.Diff(want, got); diff != \"\" {"].map(str::to_string);
        let equal = Assert { how: "==".into(), ..called("diff", "\"\"") };
        let same = &compared(&[equal], &super::given(&lines))[0];
        assert_eq!((same.subject.as_str(), same.expected.as_str()), ("got", "MX{TTL:1}"));
        let given = expanded(&[called("parse(line)", "")], &super::given(&["line = 'a b'".to_string()]));
        assert_eq!(given[0].subject, "parse(\"ab\")");
        let unwrapped = bound(&["let rgb = parse_hex(\"#ff\").unwrap();".to_string()]);
        let taken = &named(&[called("parse_hex(\"#ff\")", "Ok([255])")], &unwrapped)[0];
        assert_eq!((taken.subject.as_str(), taken.expected.as_str()), ("rgb", "[255]"));
        let twice = [lines[0].clone(), lines[0].replace("a b", "c")];
        assert!(bound(&twice).is_empty(), "the name has two values");
    }
}
