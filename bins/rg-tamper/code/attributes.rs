//! Files that .gitattributes calls generated or vendored, as linguist reads it.

use crate::sides::Sides;
use review_gate::sys::files;
use review_gate::sys::gitignore::Patterns;
use review_gate::sys::limits;
use std::path::Path;

/// The patterns of the file at the top. If the change edits the file, it says nothing.
pub struct Attributes {
    foreign: Patterns,
}

impl Attributes {
    pub fn of(top: &Path, all: &[Sides]) -> Attributes {
        let name = Path::new(".gitattributes");
        let is_edited = all.iter().any(|one| one.change.path == name);
        let bytes = if is_edited { None } else { files::try_read(&top.join(name), limits::SETTINGS) };
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        let is_foreign = |word: &str| {
            matches!(word, "linguist-generated" | "linguist-vendored")
                || matches!(word.split_once('='), Some(("linguist-generated" | "linguist-vendored", "true")))
        };
        let pattern = |line: &str| {
            let mut words = line.split_whitespace();
            let pattern = words.next().filter(|pattern| !pattern.starts_with('#'))?;
            words.any(is_foreign).then(|| pattern.to_string())
        };
        let patterns: Vec<String> = text.lines().filter_map(pattern).collect();
        Attributes { foreign: Patterns::of(&patterns) }
    }

    /// Whether a path below the top is generated or vendored.
    pub fn is_foreign(&self, path: &Path) -> bool {
        self.foreign.matches(path)
    }
}
