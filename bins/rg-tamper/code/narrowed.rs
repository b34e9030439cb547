//! Narrowed comparisons: a test that asserts about fewer values than before, or leaves fields out of what it compares.

use super::Judgement;
use super::condition;
use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::weight::{Rarer, Weight};
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::Assert;
use review_gate::outline::compare::{Pair, Side};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What leaves fields, rules or the order out of a comparison.
static LEAVES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:cmpopts|protocmp)\.Ignore\w+\(|[iI]gnoring\w*(?:Fields|Order|Types?|Paths?)\w*\(|\bExcluding\w*\(|\bcomparingOnlyFields\(|\bdisableRules\(|\bomit\(|\bexclude_(?:paths|fields)=|\bcheck_\w+=False\b|\bcheck_like=True\b|\bignore_\w+=True\b")
        .ok()
});

/// What takes some of the values of a list.
static SOME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\.(?:filter|select|reject|where|grep|Where|take|first|slice|find|find_all|partition)\b|\bfor\b.*\bin\b.*\bif\b|Enum\.(?:filter|reject|take)")
        .ok()
});

/// Why a test compares less than before.
pub fn of(judgement: &Judgement<'_>, source: &Source<'_>, pair: &Pair) -> Option<Rarer> {
    let (old, new) = (judgement.test(Side::Then, pair.then)?, judgement.test(Side::Now, pair.now)?);
    if old.body == new.body || old.asserts.is_empty() || new.skip.is_some() {
        return None;
    }
    let texts = judgement.texts(source);
    let ((then, _), (_, now)) = (texts.lines(pair.then.file)?, texts.lines(pair.now.file)?);
    let before = &then[extent::of(then, line_at(old.line))];
    let after = &now[extent::of(now, line_at(new.line))];
    let known: BTreeSet<&str> = before.iter().map(|line| line.trim()).collect();
    let added: Vec<&String> = after.iter().filter(|line| !known.contains(line.trim())).collect();
    leaves_out(before, &added)
        .or_else(|| is_of_some(&old.asserts, &new.asserts, &added))
        .or_else(|| is_built_only(whole(then, line_at(old.line)), whole(now, line_at(new.line))))
}

/// The lines of a definition, with those of the preprocessor, which have no indentation.
fn whole(lines: &[String], first: usize) -> &[String] {
    let indent = |line: &String| line.len() - line.trim_start().len();
    let base = lines.get(first).map_or(0, indent);
    let is_inner = |line: &&String| {
        let text = line.trim();
        text.is_empty() || text.starts_with(['#', '{', '}', ')']) || indent(line) > base
    };
    let rest = lines.get(first + 1..).unwrap_or_default();
    lines.get(first..first + 1 + rest.iter().take_while(is_inner).count()).unwrap_or_default()
}

/// A new condition of the preprocessor in a test: what stands behind it is built only if something defines the symbol.
fn is_built_only(before: &[String], after: &[String]) -> Option<Rarer> {
    let is_condition =
        |line: &&String| ["#if ", "#ifdef ", "#ifndef "].iter().any(|word| line.trim().starts_with(word));
    let count = |lines: &[String]| lines.iter().filter(|line| is_condition(line)).count();
    let line = after.iter().find(|line| is_condition(line) && !before.contains(line))?;
    let asserts = |line: &String| {
        let line = line.to_lowercase();
        ["assert", "expect", "check", "require", "should", "verify"].iter().any(|word| line.contains(word))
    };
    let at = after.iter().position(|other| other == line)?;
    let end = after[at..].iter().position(|line| line.trim().starts_with("#e")).map_or(after.len(), |len| at + len);
    let holds = count(after) > count(before) && after[at..end].iter().any(asserts);
    let weight =
        if condition::is_of_environment(line, line, &BTreeSet::new()) { Weight::Probable } else { Weight::Certain };
    holds.then(|| Rarer { line: line.trim().to_string(), how: "asserts only under a condition of the build", weight })
}

/// A new line that leaves something out which no line of the test left out before. It is certain if the test named what is left out.
fn leaves_out(before: &[String], added: &[&String]) -> Option<Rarer> {
    let regex = LEAVES.as_ref()?;
    let line = added.iter().find(|line| regex.is_match(line))?;
    if before.iter().any(|line| regex.is_match(line)) {
        return None;
    }
    let held: BTreeSet<&str> = before.iter().flat_map(|line| all_words(line)).filter(|word| word.len() > 1).collect();
    let rest = regex.find(line).map_or("", |found| &line[found.end()..]);
    let quoted = rest.split(['"', '\'', '`']).skip(1).step_by(2);
    let named = quoted.flat_map(|text| text.rsplit('.').next()).any(|word| held.contains(word));
    let weight = if named { Weight::Certain } else { Weight::Probable };
    Some(Rarer { line: line.trim().to_string(), how: "leaves out a part of what it compares", weight })
}

/// A new line that takes some of the values about which the test asserts the same as about all of them before.
fn is_of_some(old: &[Assert], new: &[Assert], added: &[&String]) -> Option<Rarer> {
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    new.iter().filter(|b| b.subject.chars().all(|c| c.is_alphanumeric() || c == '_')).find_map(|b| {
        let is_it = |a: &&Assert| a.how == b.how && a.expected == b.expected && a.subject != b.subject;
        let a = old.iter().filter(is_it).find(|a| !new.iter().any(|other| other.subject == a.subject))?;
        let line = added.iter().find(|line| {
            let Some((target, value)) = line.split_once('=') else { return false };
            let is_bound = all_words(target).any(|word| word == b.subject);
            is_bound
                && bare(value).contains(&bare(&a.subject))
                && SOME.as_ref().is_some_and(|regex| regex.is_match(value))
        })?;
        let how = "asserts about some of the values only";
        Some(Rarer { line: line.trim().to_string(), how, weight: Weight::Probable })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn what_is_left_out_is_told() {
        let before = lines("want := Order{Total: 900}\nif diff := cmp.Diff(want, got); diff != \"\" {");
        let weight = |line: &str| {
            let line = line.to_string();
            leaves_out(&before, &[&line]).map(|rarer| matches!(rarer.weight, Weight::Certain))
        };
        assert_eq!(weight("cmp.Diff(want, got, cmpopts.IgnoreFields(Order{}, \"Total\"))"), Some(true));
        assert_eq!(weight("cmp.Diff(want, got, cmpopts.IgnoreFields(Order{}, \"ID\"))"), Some(false));
        assert_eq!(weight("cmp.Diff(want, got, cmpopts.EquateEmpty())"), None);
        assert!(leaves_out(&lines("x.ignoringFields(\"a\")"), &[&"x.ignoringFields(\"b\")".to_string()]).is_none());
    }

    #[test]
    fn a_condition_of_the_build_around_assertions_is_told() {
        let test = |body: &str| lines(&format!("    void Renders()\n    {{\n{body}    }}\n    void Other()"));
        let plain = test("        Assert.True(x);\n");
        let of = |body: &str| {
            is_built_only(whole(&plain, 0), whole(&test(body), 0)).map(|rarer| matches!(rarer.weight, Weight::Certain))
        };
        assert_eq!(of("#if MAILER_STRICT\n        Assert.True(x);\n#endif\n"), Some(true));
        assert_eq!(of("#if WINDOWS\n        Assert.True(x);\n#endif\n"), Some(false));
        assert_eq!(of("#if MAILER_STRICT\n        Trace(x);\n#endif\n        Assert.True(x);\n"), None);
        assert_eq!(of("        Assert.True(x);\n"), None);
    }

    #[test]
    fn some_of_the_values_are_told_from_all() {
        let assert = |subject: &str| Assert {
            how: "toEqual".into(),
            subject: subject.into(),
            expected: "[]".into(),
            ..Assert::default()
        };
        let of = |line: &str| is_of_some(&[assert("results.violations")], &[assert("critical")], &[&line.to_string()]);
        assert!(of("const critical = results.violations.filter((v) => v.impact === 'critical');").is_some());
        assert!(of("const critical = results.violations;").is_none(), "all of them");
        assert!(of("const critical = other.filter(Boolean);").is_none(), "other values");
    }
}
