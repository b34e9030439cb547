//! Whether the files still have a test of a given name.

use review_gate::donefile::Donefile;
use review_gate::evidence::{leaf, without_parameters};
use review_gate::snapshot::Snapshot;
use review_gate::sys::files;
use review_gate::sys::glob;
use review_gate::sys::limits::LINES;
use std::collections::HashSet;
use std::path::Path;

/// The most bytes that are searched.
const TOTAL: usize = 32 << 20;

/// The words before the name of a function that is a test.
const DEFINITIONS: [&str; 7] = ["def ", "fn ", "func ", "fun ", "function ", "void ", "Task "];

/// What declares a test with a title, in lower case: `it('adds')`, `t.Run("adds")`, `@DisplayName("adds")`, ``fun `adds`()``.
const TITLED: [&str; 23] = [
    "case",
    "displayname",
    "example",
    "fact",
    "fit",
    "ftest",
    "fun",
    "it",
    "prop",
    "property",
    "run",
    "scenario",
    "section",
    "should",
    "specify",
    "subtest",
    "test",
    "test_case",
    "testcase",
    "theory",
    "xit",
    "xtest",
    "template_test_case",
];

/// The keys of a title in a row or an attribute, in lower case.
const TITLE_KEYS: [&str; 10] =
    ["case", "desc", "description", "displayname", "it", "label", "name", "scenario", "test", "title"];

/// The shortest part of a name that is searched for, in characters.
const WORD: usize = 4;

/// Names of suites that each project may have.
const COMMON: [&str; 4] = ["test", "tests", "spec", "specs"];

/// How many lines above a function its attributes may be.
const ABOVE: usize = 6;

/// The files that may have tests.
pub struct Sources<'a> {
    /// The top of the files' paths.
    pub top: &'a Path,
    /// The root.
    pub root: &'a Path,
    /// The files.
    pub files: &'a Snapshot,
    /// Which of them are tests.
    pub done: &'a Donefile,
}

impl Sources<'_> {
    /// The names among these that a file still defines.
    pub fn defining<'n>(&self, names: &[&'n str]) -> Vec<&'n str> {
        let mut left: Vec<&'n str> = names.to_vec();
        let mut found = Vec::new();
        self.each(|text, is_rust| {
            let defined = defined(text, is_rust);
            let (here, rest) = left.iter().partition(|name| defined.contains(leaf(name)));
            (found, left) = ([std::mem::take(&mut found), here].concat(), rest);
            !left.is_empty()
        });
        found
    }

    /// Whether no file of tests has any of these names, nor a suite of one, anywhere in its text. False if there is no such file.
    pub fn know_none(&self, names: &[&str]) -> bool {
        let parts: Vec<&str> = names.iter().flat_map(|name| parts(name)).collect();
        let (mut is_any_read, mut is_any_known) = (false, false);
        self.each(|text, _| {
            is_any_read = true;
            is_any_known = parts.iter().any(|part| text.contains(part));
            !is_any_known
        });
        is_any_read && !is_any_known
    }

    /// Calls `see` with the text of each file that may have tests, and whether it is Rust, until it returns false.
    fn each(&self, mut see: impl FnMut(&str, bool) -> bool) {
        let mut total = 0;
        for file in self.files.files.iter() {
            let whole = self.top.join(&file.path);
            let Ok(below) = whole.strip_prefix(self.root) else { continue };
            let is_rust = below.extension().is_some_and(|end| end == "rs");
            let is_test = glob::any(&self.done.guards.test_globs, &below.to_string_lossy());
            if !(is_rust || is_test) {
                continue;
            }
            let Some(bytes) = files::try_read(&whole, LINES) else { continue };
            total += bytes.len();
            if !see(&String::from_utf8_lossy(&bytes), is_rust) || total > TOTAL {
                return;
            }
        }
    }
}

/// What of a name a source may hold: the test and its suite, without parameters. Many runners join the titles of both with a space, so that each
/// end of a title counts.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    let whole = without_parameters(name);
    // The path of a file of tests says nothing: other projects have the same.
    let whole = whole.split_once("::").filter(|(path, _)| path.contains(['/', '.'])).map_or(whole, |(_, test)| test);
    // unittest: `test_adds (tests.test_a.Sums)`
    let whole = whole.split_once(" (").filter(|(_, class)| class.ends_with(')')).map_or(whole, |(test, _)| test);
    let last = whole.rsplit(['>', ':', '.', '/']).map(str::trim).filter(|part| !part.is_empty()).take(2);
    let ends = |part| std::iter::successors(Some(part), |rest: &&str| rest.split_once(' ').map(|(_, rest)| rest));
    let titles = last.flat_map(move |part| ends(part).filter(move |end| end.contains(' ') == part.contains(' ')));
    [leaf(name)].into_iter().chain(titles).filter(|part| part.chars().count() >= WORD && !COMMON.contains(part))
}

/// The tests that a text may define: its functions, and the titles in quotes.
fn defined(text: &str, is_rust: bool) -> HashSet<&str> {
    let mut found = HashSet::new();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let has_attribute = || lines[at.saturating_sub(ABOVE)..at].iter().any(|above| above.contains("test"));
        let functions = functions(line);
        if !functions.is_empty() && (!is_rust || has_attribute()) {
            found.extend(functions);
        }
        if !is_rust {
            found.extend(titles(line));
        }
    }
    found
}

/// The names of the functions that a line defines.
fn functions(line: &str) -> Vec<&str> {
    let starts = DEFINITIONS.iter().flat_map(|word| line.match_indices(word).map(move |(at, _)| at + word.len()));
    starts.filter_map(|start| line[start..].find(['(', '<', ' ']).map(|end| &line[start..start + end])).collect()
}

/// The texts in quotes that stand where a title does.
fn titles(line: &str) -> impl Iterator<Item = &str> {
    let quotes = line.char_indices().filter(|(_, c)| ['"', '\'', '`'].contains(c));
    quotes.filter_map(move |(start, quote)| {
        let title = &line[start + 1..];
        let title = &title[..title.find(quote)?];
        is_title(&line[..start], &line[start + 1 + title.len() + 1..]).then_some(title)
    })
}

/// Whether a text in quotes is the title of a test, by what stands before and after it.
fn is_title(before: &str, after: &str) -> bool {
    let before = before.trim();
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let last_word = |text: &str| text.rsplit(|c| !is_word(c)).next().unwrap_or("").to_lowercase();
    // The first argument on a line of its own, or a row of a table.
    if before.is_empty() || before.starts_with(['[', '{', '(', '"', '\'', '`']) {
        return true;
    }
    // `"adds two" {` of kotest
    if after.trim() == "{" {
        return true;
    }
    if let Some(key) = before.strip_suffix("=>").or_else(|| before.strip_suffix([':', '='])) {
        return TITLE_KEYS.contains(&last_word(key.trim_end_matches([' ', '"', '\''])).as_str());
    }
    let call = before.strip_suffix('(').unwrap_or(before).trim_end();
    // `it.each(rows)('adds`
    let is_of_rows = before.ends_with('(') && call.ends_with([')', ']', '`']);
    is_of_rows || last_word(call).split('.').any(|word| TITLED.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_parts_of_a_name_are_its_test_and_its_suite() {
        for (name, want) in [
            ("tests/test_x.py::Sums::test_adds[1-2]", vec!["Sums", "test_adds"]),
            ("shop TestTax/zero", vec!["TestTax", "shop TestTax"]),
            ("tests::adds", vec!["adds"]),
            ("SumTest.adds", vec!["SumTest", "SumTest.adds", "adds"]),
            ("sums > adds two numbers", vec!["adds two numbers", "sums", "two numbers"]),
            ("sums adds two", vec!["adds two", "sums adds two"]),
            ("test_adds (tests.test_x.Sums)", vec!["test_adds"]),
        ] {
            let found: BTreeSet<&str> = parts(name).collect();
            let missing: Vec<&&str> = want.iter().filter(|part| !found.contains(**part)).collect();
            assert!(missing.is_empty(), "{name}: {found:?} without {missing:?}");
            assert!(
                !found.iter().any(|part| ["test", "tests", "py", "test_x", "test_x.py"].contains(part)),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_test_is_its_definition_and_no_other_word() {
        for (text, name, is_rust) in [
            ("def test_a():\n", "test_a", false),
            ("    async def test_a(self):\n", "test_a", false),
            ("#[test]\nfn adds() {}\n", "adds", true),
            ("func TestA(t *testing.T) {}\n", "TestA", false),
            ("test('adds two', () => {})\n", "adds two", false),
            ("public void adds() {}\n", "adds", false),
            ("it.only(\n  \"adds two\",\n", "adds two", false),
            ("it.each(rows)('adds two', () => {})\n", "adds two", false),
            ("  it \"adds two\" do\n", "adds two", false),
            ("t.Run(\"adds two\", func(t *testing.T) {\n", "adds two", false),
            ("    fun `adds two`() {\n", "adds two", false),
            ("    {name: \"adds two\", a: 1},\n", "adds two", false),
            ("    [\"adds two\", 1, 2],\n", "adds two", false),
            ("TEST_CASE(\"adds two\", \"[sum]\") {\n", "adds two", false),
            ("    \"adds two\" {\n", "adds two", false),
            ("@test \"adds two\" {\n", "adds two", false),
            ("@Test(\"adds two\") func adds() {\n", "adds two", false),
        ] {
            assert!(defined(text, is_rust).contains(name), "{text}");
        }
        for (text, name, is_rust) in [
            ("def test_ab():\n", "test_a", false),
            ("fn adds() {}\n", "adds", true),
            ("adds(1)\n", "adds", false),
            ("// 'adds two numbers'\n", "adds two", false),
            ("expect(page.text()).toBe('loading')\n", "loading", false),
            ("  return 'loading';\n", "loading", false),
            ("state = \"loading\"\n", "loading", false),
        ] {
            assert!(!defined(text, is_rust).contains(name), "{text}");
        }
    }
}
