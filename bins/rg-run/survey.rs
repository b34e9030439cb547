//! What the repository is like: languages, tools, allowed paths, checks, files and uncommitted changes, each in a few lines.

use crate::settings::Place;
use review_gate::git::Repository;
use review_gate::sys::text::{cut_end, one_line};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The most languages, checks and patterns that are named.
const NAMED: usize = 8;

/// The most files and changes that are listed.
const LISTED: usize = 60;

/// Files that show which tool a repository uses.
const TOOLS: [(&str, &str); 12] = [
    ("Cargo.toml", "cargo"),
    ("package.json", "npm"),
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("pyproject.toml", "python"),
    ("go.mod", "go"),
    ("pom.xml", "maven"),
    ("build.gradle", "gradle"),
    ("Gemfile", "bundler"),
    ("mix.exs", "mix"),
    ("CMakeLists.txt", "cmake"),
    ("Makefile", "make"),
];

/// The languages of file endings.
const LANGUAGES: [(&str, &str); 22] = [
    ("rs", "Rust"),
    ("ts", "TypeScript"),
    ("tsx", "TypeScript"),
    ("js", "JavaScript"),
    ("mjs", "JavaScript"),
    ("jsx", "JavaScript"),
    ("py", "Python"),
    ("go", "Go"),
    ("java", "Java"),
    ("kt", "Kotlin"),
    ("rb", "Ruby"),
    ("php", "PHP"),
    ("c", "C"),
    ("h", "C"),
    ("cpp", "C++"),
    ("cc", "C++"),
    ("cs", "C#"),
    ("swift", "Swift"),
    ("ex", "Elixir"),
    ("exs", "Elixir"),
    ("sh", "shell"),
    ("zig", "Zig"),
];

/// What an agent may and must do.
pub fn constraints(place: &Place, files: &[PathBuf]) -> String {
    let mut text = String::new();
    let mut line = |name: &str, words: Vec<String>| {
        if !words.is_empty() {
            let more = words.len().saturating_sub(NAMED);
            let shown: Vec<String> = words.into_iter().take(NAMED).collect();
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = writeln!(text, "{name}: {}{rest}", cut_end(&shown.join(", "), 300));
        }
    };
    line("Languages", languages(files));
    let has = |name: &str| place.root.join(name).is_file();
    line("Tools", TOOLS.iter().filter(|(file, _)| has(file)).map(|(_, tool)| tool.to_string()).collect());
    if let Some(done) = &place.done {
        line("Only these paths may change", done.guards.allow.clone());
        line("These paths must not change", done.guards.deny.clone());
        let check = |check: &review_gate::donefile::CheckSpec| {
            format!("{} (`{}`)", one_line(&check.name), cut_end(&one_line(&check.run), 80))
        };
        line("Checks", done.checks.iter().map(check).collect());
    }
    line("Dependencies", vec!["add none that the goal does not name".to_string()]);
    text
}

/// The languages of the files, the most used first.
fn languages(files: &[PathBuf]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for ending in files.iter().filter_map(|path| path.extension()?.to_str()) {
        if let Some((_, language)) = LANGUAGES.iter().find(|(known, _)| *known == ending) {
            *counts.entry(language).or_default() += 1;
        }
    }
    let mut all: Vec<(&str, usize)> = counts.into_iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    all.into_iter().map(|(language, _)| language.to_string()).collect()
}

/// Whether a file is source code.
pub fn is_source(path: &str) -> bool {
    let end = Path::new(path).extension().and_then(|end| end.to_str());
    end.is_some_and(|end| LANGUAGES.iter().any(|(known, _)| *known == end))
}

/// The tracked files; none outside a repository.
pub fn files(root: &Path) -> Vec<PathBuf> {
    let Some(repository) = Repository::find(root) else { return Vec::new() };
    let index = repository.tracked();
    index.map(|index| index.iter().map(|entry| entry.path.to_path_buf()).collect()).unwrap_or_default()
}

/// The files as a list that shows how many are left out.
pub fn tree(files: &[PathBuf]) -> String {
    listed(files.iter().map(|path| one_line(&path.to_string_lossy())).collect())
}

/// The uncommitted changes. Empty outside a repository.
pub fn changes(root: &Path) -> String {
    let status = Repository::find(root).and_then(|repository| repository.status().ok()).unwrap_or_default();
    let name = |what: &'static str| move |path: &PathBuf| format!("{what} {}", one_line(&path.to_string_lossy()));
    let staged = status.staged.iter().map(name("staged"));
    let all = staged.chain(status.unstaged.iter().map(name("changed")));
    listed(all.chain(status.untracked.iter().map(name("new"))).collect())
}

fn listed(lines: Vec<String>) -> String {
    let more = lines.len().saturating_sub(LISTED);
    let mut text: String = lines.iter().take(LISTED).map(|line| format!("{}\n", cut_end(line, 120))).collect();
    if more > 0 {
        let _ = writeln!(text, "and {more} more");
    }
    text
}
