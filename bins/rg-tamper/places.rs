//! Places: what the path of a file says about it.

use regex::bytes::Regex;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Directories of code of others.
const VENDORED: [&str; 4] = ["vendor", "third_party", "third-party", "node_modules"];

/// Directories of data for tests.
const FIXTURES: [&str; 6] = ["fixtures", "fixture", "__fixtures__", "testdata", "test-data", "test_data"];

/// Directories of what tests use, in which runners look for no tests.
const HELPERS: [&str; 4] = ["helpers", "__helpers__", "_helpers", "support"];

/// The names of programming languages' files whose tests the patterns know.
const KNOWN: [&str; 16] =
    ["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "py", "go", "rs", "java", "kt", "rb", "exs", "php"];

fn is_below(shown: &str, names: &[&str]) -> bool {
    shown.rsplit_once('/').is_some_and(|(dirs, _)| dirs.split('/').any(|dir| names.contains(&dir)))
}

/// Whether a file is code of others.
pub fn is_vendored(shown: &str) -> bool {
    is_below(shown, &VENDORED)
}

/// Directories and ends of names of what tools write.
const BUILT: [&str; 2] = ["generated", "__generated__"];
const BUILT_ENDS: [&str; 6] = [".min.js", ".bundle.js", ".map", ".pb.go", "_pb2.py", ".g.dart"];

/// Whether a tool writes a file, by its path.
pub fn is_built(shown: &str) -> bool {
    is_below(shown, &BUILT) || BUILT_ENDS.iter().any(|end| shown.ends_with(end))
}

/// Whether a file is a program for the command line, an example or a logger, which prints to its user.
pub fn is_script(shown: &str) -> bool {
    let measures =
        |dir: &str| ["perf-", "perf_", "bench-", "bench_", "benchmark-"].iter().any(|begin| dir.starts_with(begin));
    let dirs = shown.rsplit_once('/').map_or("", |(dirs, _)| dirs);
    let name = shown.rsplit('/').next().unwrap_or(shown).to_ascii_lowercase();
    let logs = ["logger", "console", "reporter", "printer"].iter().any(|word| name.contains(word));
    logs || is_fixture(shown)
        || dirs.split('/').any(measures)
        || is_below(
            shown,
            &[
                "bin",
                "script",
                "scripts",
                "tools",
                "example",
                "examples",
                "bench",
                "benches",
                "benchmark",
                "benchmarks",
                "demo",
                "docs",
                "cli",
                "e2e",
                "playground",
                "playgrounds",
                "sandbox",
            ],
        )
}

/// Whether a file is data for tests.
pub fn is_fixture(shown: &str) -> bool {
    is_below(shown, &FIXTURES)
}

/// Whether a file may be input of tests: it is data for tests, or is below `data` in a directory of tests.
pub fn is_input(shown: &str) -> bool {
    let dirs = shown.rsplit_once('/').map_or("", |(dirs, _)| dirs);
    let mut below = dirs.split('/').skip_while(|dir| !["test", "tests", "spec"].contains(dir));
    is_fixture(shown) || below.any(|dir| dir == "data")
}

/// Whether a file is for the use of tests.
pub fn is_for_tests(shown: &str) -> bool {
    is_below(shown, &HELPERS)
}

/// Whether a runner may not look for tests there.
pub fn is_apart(shown: &str) -> bool {
    is_vendored(shown) || is_fixture(shown)
}

/// Whether a file holds the output that a test framework recorded.
pub fn is_snapshot(shown: &str) -> bool {
    is_below(shown, &["__snapshots__"]) || shown.ends_with(".snap") || shown.ends_with(".ambr")
}

/// The test file of a snapshot below `__snapshots__`.
pub fn test_of_snapshot(path: &Path) -> Option<PathBuf> {
    let dir = path.parent().filter(|dir| dir.ends_with("__snapshots__"))?;
    let is_of_python = path.extension()? == "ambr";
    let name = dir.with_file_name(path.file_stem()?);
    Some(if is_of_python { name.with_extension("py") } else { name })
}

/// What runs as a test without a declaration: an assertion, or a program of its own. None if the language's tests are not known.
pub fn undeclared_test(shown: &str) -> Option<&'static Regex> {
    static PROGRAM: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?-u)__main__|\bfunc\s+(?:main|init)\b").ok());
    static ASSERTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let calls = r"\.(?:test|it|equal|deepEqual|ok|is|same|throws)\s*\(|\bfn\s+main\b";
        Regex::new(&format!(r"(?i-u)\b(?:assert|expect|should|verify)|{calls}")).ok()
    });
    // `expect` of Rust unwraps a value. A macro at the top may declare tests.
    static MACRO: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?m-u)\bassert\w*!|\bfn\s+main\b|^\w+!\s*[({]|#\[\s*(?:\w+::)*test\b").ok());
    let end = shown.rsplit_once('.').map(|(_, end)| end).filter(|end| KNOWN.contains(end))?;
    match end {
        "py" | "go" => PROGRAM.as_ref(),
        "rs" => MACRO.as_ref(),
        _ => ASSERTION.as_ref(),
    }
}

/// Ends of names of tests by the convention of their runners, beside donegate's globs: cypress, Nest, Deno, Ember, Jasmine, Jest, RSpec, Django,
/// bats, Codeception.
const CONVENTIONS: [&str; 38] = [
    ".cy.js",
    ".cy.ts",
    ".cy.jsx",
    ".cy.tsx",
    ".e2e.js",
    ".e2e.ts",
    ".e2e-spec.ts",
    "_test.js",
    "_test.ts",
    "_test.jsx",
    "_test.tsx",
    "_test.mjs",
    "-test.js",
    "-test.ts",
    "-test.jsx",
    "-test.tsx",
    "-test.mjs",
    "_spec.js",
    "_spec.ts",
    "-spec.js",
    "-spec.ts",
    "Spec.js",
    "Spec.ts",
    "/test.js",
    "/test.ts",
    "/test.jsx",
    "/test.tsx",
    "/test.mjs",
    "/spec.js",
    "/spec.ts",
    "/spec.jsx",
    "/spec.tsx",
    "/spec.mjs",
    "_spec.rb",
    "/tests.py",
    ".test-d.ts",
    ".bats",
    "Cest.php",
];

/// Whether a directory above a file is one of tests, or of what helps them: `src/test/java`, `internal/testutil`.
pub fn is_among_tests(shown: &str) -> bool {
    let dirs = shown.rsplit_once('/').map_or("", |(dirs, _)| dirs);
    dirs.split('/').any(|dir| ["test", "spec", "e2e"].iter().any(|word| dir.to_ascii_lowercase().contains(word)))
}

/// Whether a file is a test by the convention of a runner.
pub fn is_test_by_convention(shown: &str) -> bool {
    CONVENTIONS.iter().any(|end| shown.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_vendored_code_fixtures_and_snapshots() {
        assert!(is_vendored("a/vendor/x.js") && !is_vendored("vendor.js") && !is_vendored("vendors/x.js"));
        assert!(is_for_tests("test/helpers/a.yml") && !is_for_tests("test/helpers.js"));
        assert!(
            is_script("src/logger-plugin.ts")
                && is_script("bin/a.js")
                && is_script("e2e/cases/a/src/index.js")
                && !is_script("src/login.ts")
        );
        assert!(is_fixture("test/fixtures/a/b.json") && !is_fixture("test/fixtures.js"));
        assert!(is_among_tests("src/test/java/A.java") && is_among_tests("internal/apitest/get.go"));
        assert!(!is_among_tests("src/test.rs") && !is_among_tests("include/json.hpp"));
        assert!(is_input("tests/data/cases/a.py") && is_input("test/fixtures/a.js"));
        assert!(!is_input("src/data/a.py") && !is_input("test/cases/a.js"));
        assert!(is_snapshot("a/__snapshots__/x.js") && is_snapshot("tests/snapshots/a.snap"));
        let owner = |path: &str| test_of_snapshot(Path::new(path));
        assert_eq!(owner("t/__snapshots__/a.test.js.snap"), Some("t/a.test.js".into()));
        assert_eq!(owner("t/__snapshots__/test_a.ambr"), Some("t/test_a.py".into()));
        assert_eq!(owner("t/a.snap"), None);
    }

    #[test]
    fn an_assertion_or_a_program_is_an_undeclared_test() {
        let runs = |path: &str, text: &str| undeclared_test(path).map(|regex| regex.is_match(text.as_bytes()));
        assert_eq!(runs("test/helper.js", "exports.h = 1"), Some(false));
        assert_eq!(runs("test/plain.js", "require('assert').equal(1, 1)"), Some(true));
        assert_eq!(runs("tests/util.py", "assert x"), Some(false));
        assert_eq!(runs("tests/run.py", "if __name__ == '__main__':"), Some(true));
        assert_eq!(runs("test/run.sh", "exit 1"), None);
        assert_eq!(runs("tests/common.rs", "pub fn a() { b().expect(\"c\"); }"), Some(false));
        assert_eq!(runs("tests/common.rs", "rgtest!(a, |d| { b(); });"), Some(true));
        assert_eq!(runs("tests/common.rs", "fn a() { assert_eq!(b(), 1); }"), Some(true));
    }
}
