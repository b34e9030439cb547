//! Which files are in a language of rg-outline, by the ends of their names.

/// The languages, each with the ends of its files' names. One that begins with a capital letter is a whole name.
pub const ENDINGS: [(&str, &[&str]); 17] = [
    ("javascript", &["js", "mjs", "cjs", "jsx"]),
    ("typescript", &["ts", "mts", "cts"]),
    ("tsx", &["tsx"]),
    ("vue", &["vue", "svelte", "astro"]),
    ("python", &["py", "pyi"]),
    ("rust", &["rs"]),
    ("go", &["go"]),
    ("java", &["java"]),
    ("ruby", &["rb", "rake", "gemspec", "Rakefile", "Gemfile"]),
    ("kotlin", &["kt", "kts"]),
    ("csharp", &["cs", "csx"]),
    ("php", &["php", "phpt"]),
    ("swift", &["swift"]),
    ("elixir", &["ex", "exs"]),
    ("c", &["c", "h"]),
    ("cpp", &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "cu"]),
    ("bash", &["sh", "bash", "bats"]),
];

/// The language of a file by its name; None if it is in no language of rg-outline.
pub fn of(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (is_end, end) = name.rsplit_once('.').map_or((false, name), |(_, end)| (true, end));
    let is_of = |known: &&str| *known == end && (is_end || known.starts_with(char::is_uppercase));
    ENDINGS.iter().find(|(_, ends)| ends.iter().any(is_of)).map(|(language, _)| *language)
}

/// Whether the tests of a language are marked in the code, so that they count in every file.
pub fn marks_its_tests(language: &str) -> bool {
    matches!(language, "rust" | "java" | "kotlin" | "csharp" | "swift" | "c" | "cpp")
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
