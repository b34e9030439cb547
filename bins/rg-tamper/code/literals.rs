//! Literals: an argument, a flag, a key or an entry of a list that a test used and that left the source together with its lines. The words
//! of such a literal may be common, so that other code holds each of them.

use super::extent::all_words;
use super::phrases;
use super::removed_words::{Lines, is_source, tests_of};
use super::rewritten::Hunks;
use super::{Judgement, tree};
use crate::places;
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::compare::{Place, Side};
use review_gate::sys::glob;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

/// How many letters a literal has at least, without the signs around it.
const LETTERS: usize = 3;

/// How long a literal is at most, in bytes.
const LONGEST: usize = 60;

/// How much shorter a hunk has to become, so that its literals are removed and not replaced.
const SHRINKS: usize = 2;

/// Signs before and after the name in a literal: `--strict`, `:strict`, `strict=`.
const BEFORE: [char; 8] = ['-', ':', '.', '@', '/', '#', '$', '+'];
const AFTER: [char; 4] = ['=', ':', '?', '!'];

/// A text in quotes, a key of a table or an argument with a name, a symbol of Ruby, and a word with dashes of a shell.
static LITERAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#""((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`$]*)`|(?:^|[{,(\s])([A-Za-z_$][\w-]*)\??:(?:\s|$)|(?:[(,]|^)\s*(\w+)=[^=\s]|(?:^|[\s(,\[])(:[a-z_]\w*)|(?:^|[\s|])([a-z]\w*(?:-\w+)+)(?:\)|\s|$)"#,
    )
    .ok()
});

/// Lines that say something about the code and do nothing: what is imported, and what is logged.
pub static SAYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^\s*(?:import\b|from\b|use\b|using\b|require\b|#|//|\*)|\brequire\(|\b(?:log\w*|print\w*|console|puts|warn\w*|debug\w*|trace|info|echo|Println|Printf|span|metrics)\b\s*[.!(:]",
    )
    .ok()
});

/// The literals that a change removed from its source.
#[derive(Default)]
pub struct Removed<'a> {
    /// Those of lines that nothing replaced.
    pub gone: BTreeSet<&'a str>,
    /// Those of lines that were little more than a check, which failed.
    pub checks: BTreeSet<&'a str>,
    /// Those that stood there without quotes: keys, and arguments with a name.
    pub keys: BTreeSet<&'a str>,
    /// Those that changed source holds today.
    pub kept: BTreeSet<&'a str>,
}

impl<'a> Removed<'a> {
    /// Reads the source among the changed files.
    pub fn of(judgement: &Judgement<'_>, files: &'a BTreeMap<usize, Lines>) -> Removed<'a> {
        let mut removed = Removed::default();
        for (file, lines) in files.iter().filter(|(file, _)| is_source(judgement, **file)) {
            let hidden = [(Side::Then, &lines.then), (Side::Now, &lines.now)]
                .map(|(side, lines)| tests_of(judgement, side, *file, lines));
            removed.add((&lines.then, &hidden[0]), (&lines.now, &hidden[1]));
        }
        let kept = &removed.kept;
        removed.gone.retain(|one| !kept.contains(one));
        removed.checks.retain(|one| !kept.contains(one));
        removed
    }

    /// Adds a file. Lines that belong to tests are hidden.
    fn add(&mut self, (then, hidden): (&'a [String], &[bool]), (now, hidden_now): (&'a [String], &[bool])) {
        let shown_now = |at: &usize| !hidden_now[*at];
        self.kept.extend((0..now.len()).filter(shown_now).flat_map(|at| of(&now[at])));
        for (before, after) in Hunks::of((then, now)).ranges() {
            if !is_cut(&then[before.clone()], &now[after]) {
                continue;
            }
            let is_check = phrases::is_check(&then[before.clone()]);
            let says = |line: &String| SAYS.as_ref().is_none_or(|regex| regex.is_match(line));
            let shown = before.filter(|at| !hidden[*at] && !says(&then[*at]));
            let into = if is_check { &mut self.checks } else { &mut self.gone };
            for line in shown.map(|at| &then[at]) {
                into.extend(of(line));
                self.keys.extend(
                    of(line).filter(|one| line.contains(&format!("{one}:")) || line.contains(&format!("{one}="))),
                );
            }
        }
    }
}

/// Whether lines went and little took their place: a hunk has half of its lines at most, or only lost words.
pub fn is_cut(then: &[String], now: &[String]) -> bool {
    let count = |lines: &[String]| lines.iter().filter(|line| !line.trim().is_empty()).count();
    let (old, new) = (count(then), count(now));
    let words = |lines: &[String]| -> BTreeSet<String> {
        lines.iter().flat_map(|line| all_words(line)).map(str::to_string).collect()
    };
    old > 0 && (new * SHRINKS <= old || words(now).is_subset(&words(then)))
}

/// The literals of a line: texts in quotes, keys, arguments with a name, symbols.
pub fn of(line: &str) -> impl Iterator<Item = &str> {
    let all = LITERAL.as_ref().map(|regex| regex.captures_iter(line)).into_iter().flatten();
    all.flat_map(|found| found.iter().skip(1).flatten().map(|one| one.as_str()).collect::<Vec<_>>())
        .filter(|text| is_telling(text))
}

/// The literals that a line of a test uses: also the flags within a text.
pub fn used(line: &str) -> impl Iterator<Item = &str> {
    let flags = line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=' | ',' | ']' | ')'));
    of(line).chain(flags.filter(|word| word.starts_with('-') && is_telling(word))).chain(keys(line))
}

/// The keys within a text that a line holds: `"listen_port=80"`. One word alone is no name.
fn keys(line: &str) -> impl Iterator<Item = &str> {
    let texts = TEXT.as_ref().map(|regex| regex.find_iter(line)).into_iter().flatten();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let all = texts.flat_map(move |text| text.as_str().split(move |c| !is_part(c)));
    all.filter(|word| word.trim_matches(['_', '-']).contains(['_', '-']) && !word.starts_with('-') && is_telling(word))
}

/// A text in quotes.
static TEXT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#""[^"]{3,200}"|'[^']{3,200}'"#).ok());

/// The name in a literal, without the signs around it.
fn core(text: &str) -> &str {
    text.trim_start_matches(BEFORE).trim_end_matches(AFTER)
}

/// Whether a literal names something: it has letters, and no blanks.
fn is_telling(text: &str) -> bool {
    let letters = core(text).chars().filter(|c| c.is_alphabetic()).count();
    letters >= LETTERS && text.len() <= LONGEST && !text.contains(char::is_whitespace)
}

/// For each of these removed tests the literals that left the source, and that no code but tests holds any more: those of lines
/// that are gone, and those of checks that are gone.
pub fn lost(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    files: &BTreeMap<usize, Lines>,
    used_lines: &BTreeMap<Place, Vec<usize>>,
    test_globs: &[String],
) -> [BTreeMap<Place, Vec<String>>; 2] {
    let mut found = [BTreeMap::new(), BTreeMap::new()];
    if used_lines.is_empty() {
        return found;
    }
    let removed = Removed::of(judgement, files);
    let mut mine: Vec<(Place, BTreeSet<&str>)> = Vec::new();
    for (place, at) in used_lines {
        let Some(lines) = files.get(&place.file) else { continue };
        // What other tests of the file still use is still there.
        let today: BTreeSet<&str> = lines.now.iter().flat_map(|line| used(line)).collect();
        let all = at.iter().filter_map(|at| lines.then.get(*at)).flat_map(|line| used(line));
        let is_gone = |one: &&str| removed.gone.contains(one) || removed.checks.contains(one);
        let literals: BTreeSet<&str> = all.filter(|one| is_gone(one) && !today.contains(one)).collect();
        if !literals.is_empty() {
            mine.push((*place, literals));
        }
    }
    let wanted: BTreeSet<&str> = mine.iter().flat_map(|(_, literals)| literals).copied().collect();
    let absent = absent(judgement, source, files, (&wanted, &removed.keys), test_globs);
    for (place, mut literals) in mine {
        literals.retain(|one| absent.contains(one));
        let is_whole = is_about(judgement, files, &removed, used_lines, place, &literals);
        let is_check = |one: &&&str| !removed.gone.contains(**one);
        let of = usize::from(!is_whole || literals.iter().all(|one| is_check(&one)));
        if !literals.is_empty() {
            found[of].insert(place, literals.into_iter().map(str::to_string).collect());
        }
    }
    found
}

/// Those of the literals in these pieces of code that left the source, and that no code but tests holds any more.
pub fn gone_in(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    files: &BTreeMap<usize, Lines>,
    code: &[&str],
    test_globs: &[String],
) -> BTreeSet<String> {
    let removed = Removed::of(judgement, files);
    let wanted = code.iter().flat_map(|code| used(code)).filter(|one| removed.gone.contains(one)).collect();
    let absent = absent(judgement, source, files, (&wanted, &removed.keys), test_globs);
    absent.into_iter().map(str::to_string).collect()
}

/// Whether a test is about literals that are gone: its name has one of them, or it does not use more others that source still knows.
fn is_about(
    judgement: &Judgement<'_>,
    files: &BTreeMap<usize, Lines>,
    removed: &Removed<'_>,
    used_lines: &BTreeMap<Place, Vec<usize>>,
    place: Place,
    literals: &BTreeSet<&str>,
) -> bool {
    let Some(test) = judgement.test(Side::Then, place) else { return false };
    let plain =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let name = plain(&test.name);
    let lines = files.get(&place.file).zip(used_lines.get(&place));
    let all = lines.iter().flat_map(|(lines, at)| at.iter().filter_map(|at| lines.then.get(*at)));
    let kept: BTreeSet<&str> = all.flat_map(|line| used(line)).filter(|one| removed.kept.contains(one)).collect();
    literals.iter().any(|one| name.contains(&plain(core(one)))) || kept.len() <= literals.len()
}

/// Those of these literals that no code but tests holds.
fn absent<'a>(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    files: &BTreeMap<usize, Lines>,
    (wanted, keys): (&BTreeSet<&'a str>, &BTreeSet<&str>),
    test_globs: &[String],
) -> BTreeSet<&'a str> {
    let of = |literal: &&'a str| Some((*literal, held(literal, keys.contains(*literal))?));
    if wanted.is_empty() {
        return BTreeSet::new();
    }
    let mut wanted: Vec<(&str, Regex)> = wanted.iter().take(WANTED).filter_map(of).collect();
    for (file, lines) in files {
        let role = &judgement.sides(*file).role;
        if role.is_test || is_of_tests(&role.shown, test_globs) {
            continue;
        }
        let hidden = tests_of(judgement, Side::Now, *file, &lines.now);
        let shown: Vec<&String> = lines.now.iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(l, _)| l).collect();
        wanted.retain(|(_, regex)| !shown.iter().any(|line| regex.is_match(line)));
    }
    if wanted.is_empty() {
        return BTreeSet::new();
    }
    let read: BTreeSet<&Path> = judgement.code.of.iter().map(|at| judgement.all[*at].change.path.as_path()).collect();
    let is_whole = tree::each_with_data(source.top, source.now, &read, |path, bytes| {
        if !path.to_str().is_some_and(|path| is_of_tests(path, test_globs)) {
            let text = String::from_utf8_lossy(bytes);
            wanted.retain(|(_, regex)| !regex.is_match(&text));
        }
        !wanted.is_empty()
    });
    if is_whole { wanted.into_iter().map(|(literal, _)| literal).collect() } else { BTreeSet::new() }
}

/// How many literals are looked for.
const WANTED: usize = 64;

/// Whether a file is a test, or is there for tests.
fn is_of_tests(shown: &str, test_globs: &[String]) -> bool {
    glob::any(test_globs, shown) || places::is_fixture(shown) || places::is_snapshot(shown)
}

/// What code looks like that holds a literal: the literal itself, its name in quotes, as a key, a member or a symbol, or a constant
/// of that name. A name of several words is looked for in each spelling, and a key as a word: a parameter may have its name.
fn held(literal: &str, is_key: bool) -> Option<Regex> {
    let core = core(literal);
    let parts = parts(core);
    let name = regex::escape(core);
    let title = |part: &String| {
        let mut letters = part.chars();
        letters.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default() + letters.as_str()
    };
    let joined = |sign: &str| regex::escape(&parts.join(sign));
    let pascal: String = parts.iter().map(title).collect();
    let camel = parts.first().cloned().unwrap_or_default() + &parts.iter().skip(1).map(title).collect::<String>();
    let upper = joined("_").to_uppercase();
    let (pascal, camel) = (regex::escape(&pascal), regex::escape(&camel));
    let expression = match parts.len() > 1 || core.chars().any(|c| !c.is_alphanumeric()) {
        true => {
            let all = [name, joined("_"), joined("-"), camel, pascal, upper];
            format!(r"(?:^|[^\w]){}(?:[^\w]|$)", format_args!("(?:{})", all.join("|")))
        }
        false if is_key => format!(r"\b{name}\b"),
        false => format!(
            r#"["'`][-:.@/\#$+]*{name}[=:?!]*["'`]|\b{name}\??\s*:(?:[^:]|$)|[\s(,\[]:{name}\b|\.{name}(?:[^\w(]|$)|[(,]\s*{name}\s*=[^=]|-{name}\b|\b{name}-|\b(?:{pascal}|{upper})\b"#
        ),
    };
    Regex::new(&format!("(?m){expression}")).ok()
}

/// The words of a name: `useSemicolon`, `use-semicolon` and `use_semicolon` have two.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            parts.push(String::new());
        }
        was_lower = c.is_lowercase();
        if let Some(last) = parts.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_literals_of_a_line_are_texts_keys_and_symbols() {
        let all = |line: &'static str| of(line).collect::<Vec<_>>();
        assert_eq!(all("if (mode === 'strict' || x == \"--no-color\")"), ["strict", "--no-color"]);
        assert_eq!(all("{ cache: true, 'dry-run': 1 }"), ["cache", "dry-run"]);
        assert_eq!(all("run('a', mode=b, c == 'd')"), ["mode"]);
        assert_eq!(all("set :static, true"), [":static"]);
        assert!(all("std::path::x('a', 'two words', \"12\")").is_empty());
        assert!(used("run(\"app --strict build\")").any(|one| one == "--strict"));
    }

    #[test]
    fn code_holds_a_literal_in_each_spelling() {
        let is = |literal: &str, code: &str| held(literal, false).unwrap().is_match(code);
        assert!(held("mode", true).unwrap().is_match("def f(mode):") && !is("mode", "def f(mode):"));
        for (literal, code) in [
            ("strict", "mode == 'strict'"),
            ("--strict", "add('strict')"),
            ("strict", "add('--strict')"),
            ("strict", "const STRICT = 1"),
            ("strict", "Mode::Strict => 1"),
            ("strict", "options.strict;"),
            ("strict", "{ strict: 1 }"),
            (":static", "set :static, true"),
            ("static", "static?: boolean"),
            ("--dry-run", "if args.dry_run {"),
            ("dryRun", "flag('dry-run')"),
            ("dry-run", "this.dryRun()"),
            ("dry_run", "DRY_RUN"),
        ] {
            assert!(is(literal, code), "{literal} {code}");
        }
        for (literal, code) in [
            ("drop", "fn drop(&mut self) {"),
            ("drop", "list.drop(1)"),
            ("drop", "'drops'"),
            ("drop", "report('drop it all')"),
            ("--dry-run", "dry run"),
            ("dry-run", "let laundry_run = 1"),
        ] {
            assert!(!is(literal, code), "{literal} {code}");
        }
    }

    #[test]
    fn only_what_a_hunk_lost_is_removed() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let gone = |then: &str, now: &str| {
            let (then, now) = (lines(then), lines(now));
            let mut removed = Removed::default();
            removed.add((&then, &vec![false; then.len()]), (&now, &vec![false; now.len()]));
            let shown = |set: &BTreeSet<&str>| {
                set.iter().filter(|one| !removed.kept.contains(**one)).map(|one| one.to_string()).collect::<Vec<_>>()
            };
            (shown(&removed.gone).join(" "), shown(&removed.checks).join(" "))
        };
        let is = |gone: &str, checks: &str| (gone.to_string(), checks.to_string());
        assert_eq!(gone("a()\nif x == 'drop':\n  b()\nc()", "a()\nc()"), is("drop", ""));
        assert_eq!(gone("all = ['keep', 'drop']", "all = ['keep']"), is("drop", ""));
        assert_eq!(gone("all = ['keep', 'drop']", "all = ['keep', DROP]"), is("", ""), "replaced");
        assert_eq!(gone("x('drop')\ny('drop')", "x('drop')"), is("", ""), "one of two");
        assert_eq!(gone("if x == 'drop':\n  raise E\nc()", "c()"), is("", "drop"));
        assert_eq!(gone("a()\nlog.info('drop')\nc()", "a()\nc()"), is("", ""), "it only says something");
    }
}
