//! Whether the files still have a test of a given name.

use review_gate::donefile::Donefile;
use review_gate::snapshot::Snapshot;
use review_gate::sys::files;
use review_gate::sys::glob;
use review_gate::sys::limits::LINES;
use std::path::Path;

/// The most bytes that are searched.
const TOTAL: usize = 32 << 20;

/// The words before the name of a function that is a test.
const DEFINITIONS: [&str; 7] = ["def ", "fn ", "func ", "fun ", "function ", "void ", "Task "];

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

/// The last part of a name, without parameters: what the test is called in its file.
pub fn leaf(name: &str) -> &str {
    let name = name.split_once(" (").filter(|(_, rest)| rest.ends_with(')')).map_or(name, |(name, _)| name);
    let name = if name.ends_with(']') { name.split('[').next().unwrap_or(name) } else { name };
    let name = name.rsplit(" > ").next().unwrap_or(name);
    let name = name.rsplit("::").next().unwrap_or(name);
    // go: `package TestA/sub`
    let is_go = name.split(' ').count() <= 2 && name.rsplit(' ').next().is_some_and(|word| word.starts_with("Test"));
    match is_go {
        true => name.rsplit(' ').next().unwrap_or(name).split('/').next().unwrap_or(name),
        false => name,
    }
}

impl Sources<'_> {
    /// The names among these that a file still defines.
    pub fn defining<'n>(&self, names: &[&'n str]) -> Vec<&'n str> {
        let mut left: Vec<&'n str> = names.to_vec();
        let mut found = Vec::new();
        let mut total = 0;
        for file in self.files.files.iter() {
            if left.is_empty() || total > TOTAL {
                break;
            }
            let whole = self.top.join(&file.path);
            let Ok(below) = whole.strip_prefix(self.root) else { continue };
            let is_rust = below.extension().is_some_and(|end| end == "rs");
            let is_test = glob::any(&self.done.guards.test_globs, &below.to_string_lossy());
            if !(is_rust || is_test) {
                continue;
            }
            let Some(bytes) = files::try_read(&whole, LINES) else { continue };
            total += bytes.len();
            let text = String::from_utf8_lossy(&bytes);
            let (here, rest) = left.iter().partition(|name| defines(&text, leaf(name), is_rust));
            (found, left) = ([found, here].concat(), rest);
        }
        found
    }
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

    #[test]
    fn the_last_part_of_a_name_is_found() {
        for (name, want) in [
            ("tests/a.py::Sum::test_adds[1-2]", "test_adds"),
            ("tests::adds", "adds"),
            ("sum tests::adds", "adds"),
            ("sum.test.mjs > sum > adds two", "adds two"),
            ("shop TestTax/zero", "TestTax"),
            ("TestTax", "TestTax"),
            ("test_adds (tests.test_unit.Sum.test_adds)", "test_adds"),
            ("adds", "adds"),
            ("", ""),
        ] {
            assert_eq!(leaf(name), want, "{name}");
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
