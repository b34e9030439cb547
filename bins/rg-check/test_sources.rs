//! Whether the files still have a test of a given name.

use review_gate::donefile::Donefile;
use review_gate::evidence::leaf;
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
