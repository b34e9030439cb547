//! Unlisted modules: a file of Rust whose tests no build compiles any more, because no file declares its module.

use super::Judgement;
use crate::guards::Inspection;
use crate::sides::Source;
use regex::Regex;
use review_gate::event::Rule;
use review_gate::sys::files;
use review_gate::sys::text::count;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The largest file that is searched for tests, in bytes.
const LARGEST: u64 = 1 << 20;

/// A line that declares a module in a file of its own.
static MODULE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:pub(?:\([a-z ]+\))?\s+)?mod\s+([A-Za-z_]\w*)\s*;").ok());

/// An attribute that makes a test of a function.
static TEST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^\s*#\[(?:\w+::)*test\b").ok());

impl Inspection<'_> {
    /// Finds modules that a changed file no longer declares although their files still hold tests.
    pub fn find_unlisted(&mut self, judgement: &Judgement<'_>, source: &Source<'_>) {
        let Some(level) = self.guards.level(Rule::NoDeletedTests) else { return };
        let is_rust = |file: &usize| judgement.sides(*file).role.language == Some("rust");
        for file in (0..judgement.code.files.len()).filter(is_rust) {
            let change = &judgement.sides(file).change;
            let Some((then, now)) = judgement.texts(source).lines(file) else { continue };
            if change.now.is_none() || judgement.broken.contains(&file) {
                continue;
            }
            let today = modules(now);
            for name in modules(then).difference(&today) {
                let tests = homes(&change.path, name).find_map(|home| {
                    let is_there = source.now.files.iter().any(|other| other.path == home);
                    let is_declared = || declared_elsewhere(judgement, source, file, name);
                    let text =
                        files::try_read(&source.top.join(&home), LARGEST).filter(|_| is_there && !is_declared())?;
                    let text = String::from_utf8_lossy(&text).into_owned();
                    TEST.as_ref().map(|regex| regex.find_iter(&text).count()).filter(|tests| *tests > 0)
                });
                let Some(tests) = tests else { continue };
                let text = format!("{} no longer compiled: `mod {name};` is gone", was(tests));
                self.find_at(level, Rule::NoDeletedTests, judgement.shown(file), None, name, text);
            }
        }
    }
}

fn was(tests: usize) -> String {
    format!("{} {}", count(tests, "test"), if tests == 1 { "is" } else { "are" })
}

/// Whether another changed file declares the module now, at another place of the tree.
fn declared_elsewhere(judgement: &Judgement<'_>, source: &Source<'_>, file: usize, name: &str) -> bool {
    (0..judgement.code.files.len()).filter(|other| *other != file).any(|other| {
        judgement
            .texts(source)
            .lines(other)
            .is_some_and(|(then, now)| modules(now).contains(name) && !modules(then).contains(name))
    })
}

/// The modules that lines declare.
fn modules(lines: &[String]) -> BTreeSet<&str> {
    let found = lines.iter().filter_map(|line| MODULE.as_ref()?.captures(line.trim())?.get(1));
    found.map(|name| name.as_str()).collect()
}

/// Where the file of a module may be that a file declares.
fn homes(declaring: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    let dir = declaring.parent().unwrap_or(Path::new("")).to_path_buf();
    let stem = declaring.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let own = if matches!(stem, "mod" | "lib" | "main") { None } else { Some(dir.join(stem)) };
    // A file of integration tests is a crate: its modules lie beside it.
    let dirs = own.into_iter().chain([dir]);
    let name = name.to_string();
    dirs.flat_map(move |dir| [dir.join(format!("{name}.rs")), dir.join(&name).join("mod.rs")])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_has_a_file_beside_or_below_the_one_that_declares_it() {
        let of = |path: &str| homes(Path::new(path), "a").map(|path| path.display().to_string()).collect::<Vec<_>>();
        assert_eq!(of("tests/it/main.rs"), ["tests/it/a.rs", "tests/it/a/mod.rs"]);
        assert_eq!(of("src/b.rs"), ["src/b/a.rs", "src/b/a/mod.rs", "src/a.rs", "src/a/mod.rs"]);
        let lines: Vec<String> = "mod a;\npub(crate) mod b;\nmod c {\n// mod d;".lines().map(str::to_string).collect();
        assert_eq!(modules(&lines).into_iter().collect::<Vec<_>>(), ["a", "b"]);
    }
}
