//! Which files are in a language of rg-outline, by the ends of their names.

/// How well rg-outline reads a language, as labelled changes show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// At least 14 of 15 changes of each kind are judged as labelled.
    Measured,
    /// Fewer are, or there are too few changes. Its findings are warnings.
    Experimental,
}

use State::{Experimental, Measured};

/// A language of rg-outline.
pub struct Language {
    /// Its name in outlines.
    pub name: &'static str,
    /// Its name in messages.
    pub title: &'static str,
    /// What `tests/cases/languages.jsonl` says about it.
    pub state: State,
    /// The ends of its files' names. One that begins with a capital letter is a whole name.
    pub endings: &'static [&'static str],
}

const fn language(name: &'static str, title: &'static str, state: State, endings: &'static [&'static str]) -> Language {
    Language { name, title, state, endings }
}

/// All languages.
pub const LANGUAGES: [Language; 17] = [
    language("javascript", "JavaScript", Measured, &["js", "mjs", "cjs", "jsx"]),
    language("typescript", "TypeScript", Measured, &["ts", "mts", "cts"]),
    language("tsx", "TSX", Measured, &["tsx"]),
    language("vue", "Vue", Measured, &["vue", "svelte", "astro"]),
    language("python", "Python", Measured, &["py", "pyi"]),
    language("rust", "Rust", Measured, &["rs"]),
    language("go", "Go", Measured, &["go"]),
    language("java", "Java", Measured, &["java"]),
    language("ruby", "Ruby", Measured, &["rb", "rake", "gemspec", "Rakefile", "Gemfile"]),
    language("kotlin", "Kotlin", Measured, &["kt", "kts"]),
    language("csharp", "C#", Measured, &["cs", "csx"]),
    language("php", "PHP", Measured, &["php", "phpt"]),
    language("swift", "Swift", Measured, &["swift"]),
    language("elixir", "Elixir", Measured, &["ex", "exs"]),
    language("c", "C", Experimental, &["c", "h"]),
    language("cpp", "C++", Measured, &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "cu"]),
    language("bash", "Bash", Measured, &["sh", "bash", "bats"]),
];

/// The language of a file by its name; None if it is in no language of rg-outline.
pub fn of(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (is_end, end) = name.rsplit_once('.').map_or((false, name), |(_, end)| (true, end));
    let is_of = |known: &&str| *known == end && (is_end || known.starts_with(char::is_uppercase));
    LANGUAGES.iter().find(|language| language.endings.iter().any(is_of)).map(|language| language.name)
}

/// The title of a language that is experimental; None if it is measured.
pub fn experimental(name: &str) -> Option<&'static str> {
    LANGUAGES.iter().find(|language| language.name == name && language.state == Experimental).map(|one| one.title)
}

/// Whether the tests of a language are marked in the code, so that they count in every file.
pub fn marks_its_tests(language: &str) -> bool {
    matches!(language, "rust" | "java" | "kotlin" | "csharp" | "swift" | "c" | "cpp")
}

/// Whether each test of a language is declared by an annotation or by its name, whatever library runs it.
pub fn declares_tests(language: &str) -> bool {
    matches!(language, "go" | "java" | "kotlin" | "csharp" | "swift")
}

/// Whether a language writes its comments of one line with `#`.
pub fn has_hash_comments(language: &str) -> bool {
    matches!(language, "python" | "ruby" | "elixir" | "bash")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_language() {
        assert_eq!(of("a/b.test.ts"), Some("typescript"));
        assert_eq!(of("Gemfile"), Some("ruby"));
        assert_eq!(of("a.js.bak"), None);
        assert_eq!(of("js"), None);
    }
}
