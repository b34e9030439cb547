//! Exits: a test that makes an assertion only under a new condition, because it ends before it or has it in a branch.

use super::Judgement;
use super::condition::is_of_given;
use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::weight::{Rarer, Weight};
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::compare::{Pair, Side};
use review_gate::outline::{Assert, Strength, Test};
use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What begins a branch.
static HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:\}\s*)?(?:if|unless|guard|else|elif|elsif|elseif|catch|rescue|except|when)\b|\belse\s*\{$|\bmatch\b.*\{$",
    )
    .ok()
});

/// A branch in one line that ends the test: `if (!x) return;`, `return if x.nil?`, `let Ok(x) = f() else { return };`.
static SHORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let forms = [
        r"^(?:if|unless|guard)\b.*[\s){:;]return\b[^;{}]*;?\s*(?:\}|end)?;?$",
        r"^(?:return|next)\b.*\s(?:if|unless)\s",
        r"\belse\s*\{\s*return\b[^{}]*\};?$",
        r"\?:\s*return\b|\|\|\s*return\b",
    ];
    Regex::new(&forms.join("|")).ok()
});

/// What takes the first elements of a list, in a line without blanks, and what goes through all of them.
static CUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\.(?:take|first|limit|head|skip|drop)\(\d+\)|\.slice\(\d+\)|\[\d+(?::|\.\.)\]|\[0?(?::|\.\.)\d+\]|\.slice\(0,\d+\)|(?:array_slice|itertools\.islice|islice)\(|,0,\d+\)|,\d+\)$")
        .ok()
});
static EACH: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^for\b|^foreach\b|\.each\b|\.forEach\(|\.map\(|^return\b|parametrize|->with\(").ok());

/// What ends a test in a branch.
static EXIT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^(?:return|next)\b|=>\s*\{?\s*return\b").ok());

/// What fails or skips, so that the branch is not silent.
static LOUD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)assert|expect|should|verify|\brequire|ensure|\bmust|\bcheck|raise|throw|reject|fail|flunk|fatal|panic|unreachable",
        r"|\bskip|omit|pending|ignore|t\.error|errorf|\bexit\b|abort"
    ))
    .ok()
});

fn is(regex: &Option<Regex>, line: &str) -> bool {
    regex.as_ref().is_some_and(|regex| regex.is_match(line.trim()))
}

/// A line without what stands in its texts.
fn without_texts(line: &str) -> String {
    let mut kept = String::new();
    let mut quote = None;
    for (at, c) in line.char_indices() {
        // An apostrophe, and a lifetime of Rust, begin no text.
        let begins = || line[..at].ends_with(['(', '[', '{', ',', '=', ' ', ':']) && line[at + 1..].contains("')");
        match quote {
            Some(open) if open == c => quote = None,
            Some(_) => {}
            None if c == '"' || c == '`' || c == '\'' && begins() => quote = Some(c),
            None => kept.push(c),
        }
    }
    kept
}

fn is_loud(line: &str) -> bool {
    is(&LOUD, &without_texts(line))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The lines below the declaration of a test, and their least indentation.
fn body(lines: &[String], test: &Test) -> (std::ops::Range<usize>, usize) {
    let first = line_at(test.line);
    let range = (first + 1).min(lines.len())..extent::of(lines, first).end.max(first + 1).min(lines.len());
    let outer = lines.get(first).map_or(0, |line| indent(line));
    let inner = lines[range.clone()].iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line));
    let base = inner.filter(|indent| *indent > outer).min().unwrap_or(outer);
    (range, base)
}

/// The silent exits of a body at its least indentation: the line, and the one that ends the branch.
fn exits(lines: &[String], range: std::ops::Range<usize>, base: usize) -> Vec<(usize, usize)> {
    let is_beside = |at: &usize| !lines[*at].trim().is_empty() && indent(&lines[*at]) <= base;
    let exit = |at: usize| {
        if is(&SHORT, &lines[at]) {
            return (!is_loud(&lines[at])).then_some((at, at));
        }
        let end = (at + 1..range.end).find(is_beside).unwrap_or(range.end);
        let branch = &lines[at + 1..end];
        // Of several branches the one that ends the test is silent.
        let is_exit = branch.iter().any(|line| is(&EXIT, line))
            && !branch.iter().any(|line| is_loud(line) && !line.contains("=>"));
        (is(&HEAD, &lines[at]) && is_exit).then_some((at, end))
    };
    range.clone().filter(|at| indent(&lines[*at]) == base && is_beside(at)).filter_map(exit).collect()
}

/// The first lines of the branches that end a test without a word.
pub fn silent<'a>(lines: &'a [String], test: &Test) -> impl Iterator<Item = &'a str> {
    let (range, base) = body(lines, test);
    exits(lines, range, base).into_iter().map(|(at, _)| lines[at].trim())
}

/// Why a test makes an assertion more rarely than before.
pub fn rarer(judgement: &Judgement<'_>, source: &Source<'_>, pair: &Pair) -> Option<Rarer> {
    let (old, new) = (judgement.test(Side::Then, pair.then)?, judgement.test(Side::Now, pair.now)?);
    let is_other_table = old.rows.is_some() != new.rows.is_some();
    if old.body == new.body && old.rows == new.rows || old.asserts.is_empty() || new.skip.is_some() {
        return None;
    }
    let texts = judgement.texts(source);
    let ((then, _), (_, now)) = (texts.lines(pair.then.file)?, texts.lines(pair.now.file)?);
    if let Some(line) = cut(then, now, if old.rows == new.rows { body(now, new).0 } else { 0..now.len() }) {
        return Some(Rarer { line, how: "runs only some of its cases", weight: Weight::Certain });
    }
    if old.body == new.body || is_other_table {
        return None;
    }
    let names = judgement.names.new_ones();
    let is_given = |line: &str| is_of_given(line, names);
    let (old, new) = ((old, then), (new, now));
    let left = left_out(old, new)
        .map(|line| Rarer { line, how: "leaves out some of its cases", weight: Weight::Probable })
        .filter(|rarer| !is_given(&rarer.line));
    if left.is_some() {
        return left;
    }
    let exit = new_exit(old, new).map(|line| Rarer { line, how: SILENT, weight: Weight::Certain });
    let branch =
        || Some(Rarer { line: new_branch(old, new)?, how: "asserts only under a condition", weight: Weight::Probable });
    let found = exit.or_else(branch)?;
    if !is_given(&found.line) {
        return Some(found);
    }
    // A test that ends silently by its environment did not end there before.
    (found.how == SILENT).then_some(Rarer { weight: Weight::Probable, ..found })
}

/// How a test ends that asserts nothing then.
const SILENT: &str = "may end before it asserts";

/// A line that takes only the first cases of a table, and took all of them before.
fn cut(then: &[String], now: &[String], range: std::ops::Range<usize>) -> Option<String> {
    let bare = |line: &str| {
        let text = line.split_whitespace().collect::<String>();
        [".iter()", ".into_iter()", "&"].iter().fold(text, |text, form| text.replace(form, ""))
    };
    let known: BTreeSet<String> = then.iter().map(|line| bare(line)).collect();
    let is_cut = |line: &&String| {
        let text = bare(line);
        let whole = CUT.as_ref().map(|regex| regex.replace_all(&text, "").into_owned()).unwrap_or_default();
        is(&EACH, line) && whole != text && !known.contains(&text) && known.contains(&whole)
    };
    let body = now.get(range)?;
    // A new link of a chain that makes a test of each case: `.filter(…)` before `.map(c -> dynamicTest(…))`.
    let is_link =
        |line: &str| [".filter(", ".select", ".reject", ".Where("].iter().any(|link| line.trim().starts_with(link));
    let makes_tests =
        |line: &String| ["dynamicTest(", "DynamicTest", "dynamicContainer("].iter().any(|word| line.contains(word));
    let filtered = body.windows(2).find(|two| {
        is_link(&two[0]) && !known.contains(&bare(&two[0])) && known.contains(&bare(&two[1])) && makes_tests(&two[1])
    });
    if let Some([line, _]) = filtered {
        return Some(line.trim().to_string());
    }
    let found = body.iter().find(|line| is_cut(line) && !is_value(line, body));
    found.map(|line| line.trim().trim_end_matches(['{', ' ', ':']).to_string())
}

/// Whether a line of Rust collects a value that no loop goes through: it is no table of cases.
fn is_value(line: &str, body: &[String]) -> bool {
    let bound = line.trim().strip_prefix("let ").filter(|rest| rest.ends_with(".collect();"));
    let Some(name) = bound.and_then(|rest| all_words(rest).find(|word| *word != "mut")) else { return false };
    let forms =
        [format!(" in {name}"), format!(" in &{name}"), format!("{name}.iter()"), format!("{name}.into_iter()")];
    !body.iter().any(|line| forms.iter().any(|form| line.contains(form.as_str())))
}

/// The first line of a new condition in a loop that goes on with the next case before an assertion that was there before.
fn left_out((old, then): (&Test, &[String]), (new, now): (&Test, &[String])) -> Option<String> {
    let ((old_range, _), (range, base)) = (body(then, old), body(now, new));
    let known: BTreeSet<&str> = then[old_range].iter().map(|line| line.trim()).collect();
    let is_next = |line: &str| {
        let line = line.trim();
        let is_short = (line.starts_with("if") || line.starts_with("unless")) && line.contains("continue");
        line.starts_with("continue") || is_short || line.starts_with("next if ") || line.starts_with("next unless ")
    };
    range.clone().filter(|at| is_next(&now[*at]) && indent(&now[*at]) > base).find_map(|at| {
        let line = now[at].trim();
        let is_bare = line.starts_with("continue");
        let head =
            if is_bare { (range.start..at).rev().find(|head| indent(&now[*head]) < indent(&now[at]))? } else { at };
        // A branch that fails or skips is not silent.
        if now[head..at].iter().any(|line| is_loud(line)) {
            return None;
        }
        let depth = indent(&now[head]);
        let end = (at + 1..range.end).find(|end| !now[*end].trim().is_empty() && indent(&now[*end]) < depth);
        let is_after = |assert: &Assert| {
            let place = line_at(assert.line);
            let is_old = old.asserts.iter().any(|other| other.how == assert.how && other.subject == assert.subject);
            is_demand(assert) && place > at && place < end.unwrap_or(range.end) && is_old
        };
        let text = now[head].trim();
        let is_new = !known.contains(text) && is(&HEAD, text) | !is_bare;
        (is_new && new.asserts.iter().any(is_after)).then(|| text.trim_end_matches(['{', ' ', ':']).to_string())
    })
}

fn is_demand(assert: &Assert) -> bool {
    assert.strength > Strength::Nothing
}

/// The first line of a new silent exit before an assertion that was there before.
fn new_exit((old, then): (&Test, &[String]), (new, now): (&Test, &[String])) -> Option<String> {
    let ((old_range, _), (range, base)) = (body(then, old), body(now, new));
    let known: BTreeSet<&str> = then[old_range].iter().map(|line| line.trim()).collect();
    let is_kept = |assert: &Assert| {
        let is_same = |other: &Assert| {
            other.how == assert.how && (other.subject == assert.subject || other.expected == assert.expected)
        };
        is_demand(assert) && old.asserts.iter().any(is_same)
    };
    let is_after = |end: usize| new.asserts.iter().any(|assert| line_at(assert.line) >= end && is_kept(assert));
    // An assertion that came with the exit, about what it asks for, says when the test may end.
    let is_asserted = |at: usize| {
        let words: BTreeSet<&str> = all_words(&now[at]).filter(|word| word.len() > 2).collect();
        let is_about = |assert: &Assert| {
            all_words(&format!("{} {}", assert.subject, assert.expected)).any(|word| words.contains(word))
        };
        new.asserts.iter().any(|assert| line_at(assert.line) < at && !is_kept(assert) && is_about(assert))
    };
    // A branch that failed before is silent now.
    let silent = LazyCell::new(|| silent(then, old).collect::<BTreeSet<&str>>());
    let is_new = |at: usize| {
        let line = now[at].trim();
        !known.contains(line) || line.ends_with(['{', ':']) && !silent.contains(line)
    };
    let mut all = exits(now, range, base).into_iter();
    let (at, _) = all.find(|(at, end)| is_new(*at) && is_after(*end) && !is_asserted(*at))?;
    Some(now[at].trim().trim_end_matches(['{', ' ', ':']).to_string())
}

/// The first line of a new branch around an assertion that always ran, if nothing is asserted in another branch.
fn new_branch((old, then): (&Test, &[String]), (new, now): (&Test, &[String])) -> Option<String> {
    let ((old_range, old_base), (range, base)) = (body(then, old), body(now, new));
    let known: BTreeSet<&str> = then[old_range.clone()].iter().map(|line| line.trim()).collect();
    let always = |assert: &&Assert| {
        let at = line_at(assert.line);
        is_demand(assert) && old_range.contains(&at) && indent(&then[at]) == old_base && !is_guarded(&then[at])
    };
    old.asserts.iter().filter(always).find_map(|assert| {
        let is_it = |other: &&Assert| {
            let is_same_value = !assert.expected.is_empty() && other.expected == assert.expected;
            other.how == assert.how && (other.subject == assert.subject || is_same_value)
        };
        // A condition that compares is the assertion itself: `if want := 1; got != want`.
        let head_of = |other: &Assert| {
            let head = branch_of(now, line_at(other.line), (range.start, base))?;
            let is_own = [&other.subject, &other.expected].iter().all(|part| !part.is_empty() && head.contains(*part));
            // `if !strings.Contains(err.Error(), "x")`
            let is_call =
                head.starts_with("if ") && !head.contains("expect(") && head.contains(&format!("{}(", other.how));
            (!is_own || other.how.starts_with(char::is_alphabetic) && !is_call).then_some(head)
        };
        let heads: Option<Vec<String>> = new.asserts.iter().filter(is_it).map(head_of).collect();
        heads?.into_iter().next().filter(|head| !known.contains(head.as_str()))
    })
}

/// Whether a condition stands behind a statement.
fn is_guarded(line: &str) -> bool {
    let code = without_texts(line);
    let code = code.trim();
    // `if (x) expect(x).toBe(1)`, `x && expect(x).toBe(1)`, `x?.let { assertEquals(1, it) }`
    let asserts = |code: &str| ["expect", "assert", "should", "XCTAssert"].iter().any(|word| code.starts_with(word));
    let is_short = (code.starts_with("if ") || code.starts_with("if("))
        && code.match_indices(')').any(|(at, _)| asserts(code[at + 1..].trim_start()));
    let is_joined = ["&& ", "and ", "?.let { ", "?.also { ", "?.let {"]
        .iter()
        .any(|sign| code.split_once(sign).is_some_and(|(before, rest)| asserts(rest.trim()) && !asserts(before)));
    is_short || is_joined || (code.contains(" if ") || code.contains(" unless ")) && !code.contains(" else ")
}

/// What begins a branch for what was thrown.
static CATCH: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\}?\s*(?:catch|rescue|except)\b").ok());

/// Whether a test fails if nothing is thrown.
fn fails_without(lines: &[String]) -> bool {
    let words = ["fail", "assertions(", "hasAssertions", "plan(", "unreachable", "panic", "flunk", "throw ", "raise "];
    lines.iter().any(|line| words.iter().any(|word| line.contains(word)))
}

/// The head of the branch that holds a line, if the branch stands alone.
fn branch_of(lines: &[String], at: usize, (first, base): (usize, usize)) -> Option<String> {
    let line = lines.get(at)?.trim();
    if indent(&lines[at]) == base {
        return is_guarded(line).then(|| line.to_string());
    }
    let head =
        (first..at).rev().find(|head| !lines[*head].trim().is_empty() && indent(&lines[*head]) < indent(&lines[at]))?;
    let is_catch = is(&CATCH, &lines[head]) && !fails_without(&lines[first..head]);
    let is_if = is_catch || ["if ", "if(", "unless "].iter().any(|word| lines[head].trim().starts_with(word));
    let end = (at..lines.len()).find(|end| !lines[*end].trim().is_empty() && indent(&lines[*end]) <= base);
    let has_other = end.is_some_and(|end| ["else", "elif", "elsif"].iter().any(|word| lines[end].contains(word)));
    (is_if && indent(&lines[head]) == base && !has_other)
        .then(|| lines[head].trim().trim_end_matches(['{', ' ', ':']).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn a_silent_exit_is_told_from_one_that_asserts() {
        let count = |text: &str| {
            let lines = lines(text);
            exits(&lines, 0..lines.len(), 0).len()
        };
        for text in [
            "if (!x) return;",
            "if x.nil?\n  return\nend",
            "return if x.nil?",
            "next unless ready",
            "let Ok(x) = f() else { return };",
            "let Ok(x) = f().await else {\n  return Ok(());\n};",
            "let x = match f() {\n  Ok(x) => x,\n  Err(_) => return,\n};",
            "if err != nil {\n  t.Log(err)\n  return\n}",
            "if x is None:\n    return",
            "guard let x = f() else { return }",
            "val x = f() ?: return",
            "if (states.size != 2) return@runTest",
            "} catch (e) {\n  return;\n}",
            "if env::var(\"CI\").is_ok() {\n  eprintln!(\"skipping on CI\");\n  return;\n}",
        ] {
            assert_eq!(count(text), 1, "{text}");
        }
        for text in [
            "if err != nil {\n  t.Fatal(err)\n}",
            "if (!x) {\n  expect(y).toBe(1);\n  return;\n}",
            "return skip('no') if x",
            "return x",
            "xs.forEach((x) => {\n  if (!x) return;\n})",
            "if (x) {\n  y = 1;\n}",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
    }

    #[test]
    fn an_assertion_in_a_branch_of_its_own_is_found() {
        let of = |then: &str, now: &str| {
            let (then, now) = (lines(then), lines(now));
            let test = |lines: &[String]| {
                let at = lines.iter().position(|line| line.contains("check")).unwrap();
                let assert = Assert { how: "check".into(), line: at as u64 + 1, ..Assert::default() };
                Test { line: 1, asserts: vec![assert], ..Test::default() }
            };
            new_branch((&test(&then), &then), (&test(&now), &now))
        };
        let then = "it do\n  check x\nend";
        assert_eq!(of(then, "it do\n  if x\n    check x\n  end\nend").as_deref(), Some("if x"));
        assert_eq!(of(then, "it do\n  check x unless x.nil?\nend").as_deref(), Some("check x unless x.nil?"));
        assert_eq!(of(then, "it do\n  if x\n    check x\n  else\n    check y\n  end\nend"), None, "another branch");
        assert_eq!(of(then, "it do\n  all.each do\n    check x\n  end\nend"), None, "a loop");
        assert_eq!(of("it do\n  if x\n    check x\n  end\nend", "it do\n  if y\n    check x\n  end\nend"), None);
        let relaxed = of("it do\n  check x unless y || z\nend", "it do\n  check x unless y\nend");
        assert_eq!(relaxed, None, "a condition that it had");
    }
}
