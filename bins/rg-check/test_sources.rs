//! Whether the files still have a test of a given name.

use review_gate::donefile::Donefile;
use review_gate::evidence::{leaf, without_parameters};
use review_gate::snapshot::Snapshot;
use review_gate::sys::files;
use review_gate::sys::glob;
use review_gate::sys::limits::LINES;
use std::path::Path;

/// The most bytes that are searched.
const TOTAL: usize = 32 << 20;

/// The words before the name of a function that is a test.
const DEFINITIONS: [&str; 7] = ["def ", "fn ", "func ", "fun ", "function ", "void ", "Task "];

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
            let (here, rest) = left.iter().partition(|name| defines(text, leaf(name), is_rust));
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

/// Whether a text defines the test: as a function of that name, or by its title in quotes.
fn defines(text: &str, name: &str, is_rust: bool) -> bool {
    if name.is_empty() || !text.contains(name) {
        return false;
    }
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().enumerate().any(|(at, line)| {
        let is_function = line.match_indices(name).any(|(from, _)| {
            let (before, after) = (&line[..from], &line[from + name.len()..]);
            DEFINITIONS.iter().any(|word| before.ends_with(word)) && after.starts_with(['(', '<', ' '])
        });
        let is_title = !is_rust && ['"', '\'', '`'].iter().any(|quote| line.contains(&format!("{quote}{name}{quote}")));
        let has_attribute = || lines[at.saturating_sub(ABOVE)..at].iter().any(|above| above.contains("test"));
        is_title || is_function && (!is_rust || has_attribute())
    })
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
        ] {
            assert!(defines(text, name, is_rust), "{text}");
        }
        for (text, name, is_rust) in [
            ("def test_ab():\n", "test_a", false),
            ("fn adds() {}\n", "adds", true),
            ("adds(1)\n", "adds", false),
            ("// 'adds two numbers'\n", "adds two", false),
        ] {
            assert!(!defines(text, name, is_rust), "{text}");
        }
    }
}
