//! The languages: a row each. A language that is compiled out has a row without a grammar.

mod matchers;

use crate::language::{Matchers, Row};

/// The language with this name.
pub fn named(name: &str) -> Option<&'static Row> {
    LANGUAGES.iter().find(|row| row.name == name)
}

/// The language of a file, by the end of its name, otherwise by its `#!` line.
pub fn of(path: &str, text: &[u8]) -> Option<&'static Row> {
    let name = path.rsplit('/').next().unwrap_or(path);
    // A build script of Gradle is configuration in Kotlin.
    if name.ends_with(".gradle.kts") {
        return None;
    }
    let is_name = |ending: &str| ending.starts_with(char::is_uppercase) && name == ending;
    let ends = |ending: &&str| is_name(ending) || name.strip_suffix(*ending).is_some_and(|stem| stem.ends_with('.'));
    let by_name = LANGUAGES.iter().filter_map(|row| row.endings.iter().find(|e| ends(e)).map(|e| (e.len(), row)));
    by_name.max_by_key(|(length, _)| *length).map(|(_, row)| row).or_else(|| {
        let line = text.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
        let line = std::str::from_utf8(line.get(..200).unwrap_or(line)).ok()?;
        let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
        let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        LANGUAGES.iter().find(|row| row.interpreters.contains(&program) || row.interpreters.contains(&plain))
    })
}

/// Whether a later definition of a name replaces an earlier one, so that a test with that name does not run.
pub fn redefines(language: &str) -> bool {
    language == "python"
}

/// The macros whose arguments are expressions: a call of one is parsed like a call of a function.
pub fn macros(language: &str) -> &'static str {
    match language {
        "rust" => {
            "assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne prop_assert prop_assert_eq prop_assert_ne \
             assert_that expect_that verify_that expect_eq expect_ne expect_true expect_false expect_pred expect_lt expect_le \
             expect_gt expect_ge expect_near verify_eq verify_ne verify_true verify_false assert_ok assert_err assert_some \
             assert_none assert_ok_eq assert_some_eq assert_err_eq assert_ready assert_pending assert_approx_eq \
             assert_relative_eq assert_relative_ne assert_ulps_eq assert_abs_diff_eq assert_str_eq assert_equal \
             assert_not_equal assert_lt assert_le assert_gt assert_ge assert_contains assert_starts_with assert_in_delta \
             assert_true assert_eq_text assert_eq_dbg"
        }
        _ => "",
    }
}

macro_rules! grammar {
    ($feature:literal, $language:path) => {
        || {
            #[cfg(feature = $feature)]
            return Some(tree_sitter::Language::new($language));
            #[cfg(not(feature = $feature))]
            return None;
        }
    };
}

const SCRIPT_LINTERS: &[&str] =
    &["eslint", "oxlint", "tslint", "jshint", "typescript", "flow", "biome", "deno", "coverage", "semgrep", "sonar"];

/// Matchers of jest, vitest, playwright, chai, node:assert, ava and tape.
const SCRIPT: Matchers = Matchers {
    something: "\
        toBeDefined toBeTruthy toBeFalsy toBeUndefined toBeInstanceOf toBeTypeOf toHaveBeenCalled toBeCalled \
        toHaveReturned toReturn toBeVisible toBeAttached toBeInTheDocument toBeOK expect.hasAssertions ok exist \
        exists isOk isNotOk isDefined isUndefined isNotNull isTrue isFalse a an instanceof instanceOf \
        isObject isArray isString isNumber isFunction isBoolean typeOf called truthy falsy assert pass \
        ifError doesNotThrow doesNotReject notThrows notEqual notStrictEqual notDeepEqual notDeepStrictEqual \
        rejected fulfilled toBeNumber toBeString toBeBoolean toBeObject toBeArray toBeFunction toBeAny toBeUnknown toBeSymbol",
    part: "\
        toThrow toThrowError toContain toContainEqual toContainText toMatch toMatchObject toHaveLength \
        toHaveProperty toBeGreaterThan toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual toBeCloseTo \
        toHaveBeenCalledTimes toBeCalledTimes toHaveReturnedTimes toReturnTimes toSatisfy toBeOneOf expect.assertions include includes contain contains match \
        regex property keys members lengthOf length above below least most within isAbove isBelow isAtLeast \
        isAtMost closeTo approximately approx throw throws throwsAsync rejects rejectedWith satisfy \
        partialDeepStrictEqual like calledOnce callCount deep",
    exact: "\
        toBeNull toBe equal eql true false null undefined empty",
};

/// All languages.
pub const LANGUAGES: &[Row] = &[
    Row {
        name: "javascript",
        endings: &["js", "mjs", "cjs", "jsx"],
        interpreters: &["node", "nodejs", "bun", "deno"],
        grammar: grammar!("lang-javascript", tree_sitter_javascript::LANGUAGE),
        query: concat!(include_str!("javascript.scm"), include_str!("jsx.scm")),
        linters: SCRIPT_LINTERS,
        matchers: SCRIPT,
        script: "",
    },
    Row {
        name: "typescript",
        endings: &["ts", "mts", "cts"],
        interpreters: &["ts-node", "tsx"],
        grammar: grammar!("lang-typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
        query: concat!(include_str!("javascript.scm"), include_str!("typescript.scm")),
        linters: SCRIPT_LINTERS,
        matchers: SCRIPT,
        script: "",
    },
    Row {
        name: "tsx",
        endings: &["tsx"],
        interpreters: &[],
        grammar: grammar!("lang-typescript", tree_sitter_typescript::LANGUAGE_TSX),
        query: concat!(include_str!("javascript.scm"), include_str!("typescript.scm"), include_str!("jsx.scm")),
        linters: SCRIPT_LINTERS,
        matchers: SCRIPT,
        script: "",
    },
    Row {
        name: "vue",
        endings: &["vue", "svelte", "astro"],
        interpreters: &[],
        grammar: grammar!("lang-typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
        query: concat!(include_str!("javascript.scm"), include_str!("typescript.scm")),
        linters: SCRIPT_LINTERS,
        matchers: SCRIPT,
        script: "script",
    },
    Row {
        name: "python",
        endings: &["py", "pyi"],
        interpreters: &["python", "python3", "pytest"],
        grammar: grammar!("lang-python", tree_sitter_python::LANGUAGE),
        query: include_str!("python.scm"),
        linters: &[
            "ruff",
            "flake8",
            "mypy",
            "pyright",
            "pylint",
            "bandit",
            "pyre",
            "ty",
            "pyrefly",
            "pytype",
            "coverage",
            "inspection",
            "semgrep",
            "sonar",
        ],
        matchers: matchers::PYTHON,
        script: "",
    },
    Row {
        name: "rust",
        endings: &["rs"],
        interpreters: &[],
        grammar: grammar!("lang-rust", tree_sitter_rust::LANGUAGE),
        query: include_str!("rust.scm"),
        linters: &["semgrep", "coverage"],
        matchers: matchers::RUST,
        script: "",
    },
    Row {
        name: "go",
        endings: &["go"],
        interpreters: &[],
        grammar: grammar!("lang-go", tree_sitter_go::LANGUAGE),
        query: include_str!("go.scm"),
        linters: &[
            "golangci-lint",
            "staticcheck",
            "gosec",
            "revive",
            "exhaustive",
            "exhaustruct",
            "coverage",
            "semgrep",
            "sonar",
        ],
        matchers: matchers::GO,
        script: "",
    },
    Row {
        name: "java",
        endings: &["java"],
        interpreters: &[],
        grammar: grammar!("lang-java", tree_sitter_java::LANGUAGE),
        query: include_str!("java.scm"),
        linters: &["checkstyle", "pmd", "sonar", "inspection", "semgrep"],
        matchers: matchers::JAVA,
        script: "",
    },
    Row {
        name: "ruby",
        endings: &["rb", "rake", "gemspec", "Rakefile", "Gemfile"],
        interpreters: &["ruby"],
        grammar: grammar!("lang-ruby", tree_sitter_ruby::LANGUAGE),
        query: include_str!("ruby.scm"),
        linters: &["rubocop", "coverage", "sorbet", "reek", "semgrep"],
        matchers: matchers::RUBY,
        script: "",
    },
    Row {
        name: "kotlin",
        endings: &["kt", "kts"],
        interpreters: &[],
        grammar: grammar!("lang-kotlin", tree_sitter_kotlin_ng::LANGUAGE),
        query: include_str!("kotlin.scm"),
        linters: &["ktlint", "inspection", "sonar", "semgrep"],
        matchers: matchers::KOTLIN,
        script: "",
    },
    Row {
        name: "csharp",
        endings: &["cs", "csx"],
        interpreters: &[],
        grammar: grammar!("lang-csharp", tree_sitter_c_sharp::LANGUAGE),
        query: include_str!("csharp.scm"),
        linters: &["resharper", "sonar", "semgrep"],
        matchers: matchers::CSHARP,
        script: "",
    },
    Row {
        name: "php",
        endings: &["php", "phpt"],
        interpreters: &["php"],
        grammar: grammar!("lang-php", tree_sitter_php::LANGUAGE_PHP),
        query: include_str!("php.scm"),
        linters: &[
            "phpcs",
            "phpstan",
            "psalm",
            "phpmd",
            "phan",
            "infection",
            "coverage",
            "inspection",
            "semgrep",
            "sonar",
        ],
        matchers: matchers::PHP,
        script: "",
    },
    Row {
        name: "swift",
        endings: &["swift"],
        interpreters: &["swift"],
        grammar: grammar!("lang-swift", tree_sitter_swift::LANGUAGE),
        query: include_str!("swift.scm"),
        linters: &["swiftlint", "swift-format", "periphery", "semgrep"],
        matchers: matchers::SWIFT,
        script: "",
    },
    Row {
        name: "elixir",
        endings: &["ex", "exs"],
        interpreters: &["elixir"],
        grammar: grammar!("lang-elixir", tree_sitter_elixir::LANGUAGE),
        query: include_str!("elixir.scm"),
        linters: &["credo", "sobelow", "coverage"],
        matchers: matchers::ELIXIR,
        script: "",
    },
    Row {
        name: "c",
        endings: &["c", "h"],
        interpreters: &[],
        grammar: grammar!("lang-c", tree_sitter_c::LANGUAGE),
        query: include_str!("c.scm"),
        linters: &["clang-tidy", "cppcheck", "coverage", "sonar", "semgrep"],
        matchers: matchers::CPP,
        script: "",
    },
    Row {
        name: "cpp",
        endings: &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "cu"],
        interpreters: &[],
        grammar: grammar!("lang-cpp", tree_sitter_cpp::LANGUAGE),
        query: concat!(include_str!("cpp.scm"), include_str!("c.scm")),
        linters: &["clang-tidy", "cppcheck", "coverage", "sonar", "semgrep"],
        matchers: matchers::CPP,
        script: "",
    },
    Row {
        name: "bash",
        endings: &["sh", "bash", "bats"],
        interpreters: &["sh", "bash", "bats", "dash", "ksh", "zsh"],
        grammar: grammar!("lang-bash", tree_sitter_bash::LANGUAGE),
        query: include_str!("bash.scm"),
        linters: &["shellcheck", "semgrep"],
        matchers: matchers::BASH,
        script: "",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// tree-sitter's own engine accepts each query file, and finds no pattern that can never match.
    #[test]
    fn each_query_file_is_valid_for_both_engines() {
        for row in LANGUAGES {
            let Some(loaded) = row.load().unwrap() else { continue };
            if let Err(error) = tree_sitter::Query::new(&loaded.grammar, row.query) {
                panic!("languages/{}.scm: {error}", row.name);
            }
            loaded.query.check().unwrap_or_else(|why| panic!("languages/{}.scm: {why}", row.name));
        }
    }

    #[test]
    fn a_language_is_found_by_its_ending_or_its_interpreter() {
        let name = |path: &str, text: &str| of(path, text.as_bytes()).map(|row| row.name);
        assert_eq!(name("src/a.test.tsx", ""), Some("tsx"));
        assert_eq!(name("a.mjs", ""), Some("javascript"));
        assert_eq!(name("run", "#!/usr/bin/env -S node --test\n"), Some("javascript"));
        assert_eq!(name("run", "#!/usr/bin/python3.12\n"), Some("python"));
        assert_eq!(name("js", ""), None);
        assert_eq!(name("a.txt", "#!\n"), None);
        assert_eq!(name("build.gradle.kts", ""), None);
        assert_eq!(name("run", "#!/usr/bin/env A=1\n"), None);
    }

    #[test]
    fn no_ending_belongs_to_two_languages() {
        let all: Vec<&str> = LANGUAGES.iter().flat_map(|row| row.endings.iter().copied()).collect();
        let different: std::collections::HashSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), different.len());
    }

    #[test]
    fn each_linter_of_a_row_is_known() {
        for row in LANGUAGES {
            for linter in row.linters {
                assert!(crate::linters::FORMS.iter().any(|form| form.linter == *linter), "{}: {linter}", row.name);
            }
        }
    }
}
