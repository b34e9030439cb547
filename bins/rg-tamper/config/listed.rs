//! What build files no longer name although it is there: files of tests, and programs that run tests.

use super::{Around, Edit, Loss, strip_comments, text_now};
use regex::Regex;
use review_gate::event::Rule;
use review_gate::sys::text::count;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A source file in a build file, behind a variable that stands for a directory or not.
static SOURCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:\$\{\w+\}/)?([\w./+-]+\.(?:c|cc|cpp|cxx|c\+\+|m|mm))\b").ok());

/// A test of C or C++: GoogleTest, Catch2, doctest, Boost.Test, Check, or a function named `test_`.
static TEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let macros = r"TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|SCENARIO|TEMPLATE_TEST_CASE|BOOST_\w*_TEST_CASE|START_TEST";
    Regex::new(&format!(r"(?m)^\s*(?:(?:{macros})\s*\(|(?:static\s+)?void\s+test_\w+\s*\()")).ok()
});

/// A command of CMake that gives a program to the runner of tests.
static RUN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let plain = r"(?:gtest|catch|doctest)_discover_tests\s*\(\s*([\w.-]+)";
    Regex::new(&format!(r"{plain}|\badd_test\s*\(\s*(?:NAME\s+)?\S+\s+(?:COMMAND\s+)?(?:\$<TARGET_FILE:)?([\w.-]+)"))
        .ok()
});

/// A command of CMake that builds a program.
static BUILT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"add_executable\s*\(\s*([\w.-]+)").ok());

/// Whether a file says what a build compiles.
pub fn is_build(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "CMakeLists.txt" | "meson.build" | "Makefile.am" | "BUILD.bazel" | "BUILD")
        || name.ends_with(".cmake")
}

/// Finds what the changed build files no longer name although it is there.
pub fn judge(edits: &[Edit], around: &Around<'_>) -> Vec<Loss> {
    let mut found = Vec::new();
    for edit in edits.iter().filter(|edit| is_build(&edit.path)) {
        let (Some(then), Some(now)) = (&edit.then, &edit.now) else { continue };
        let (then, now) = (strip_comments(then, "#"), strip_comments(now, "#"));
        // A pattern may match what was named.
        if !now.contains("GLOB") && !now.contains("glob(") {
            let now = sources(&edit.path, &now);
            let others = edits.iter().filter(|other| other.path != edit.path && is_build(&other.path));
            let elsewhere: BTreeSet<String> = others
                .filter_map(|other| Some(sources(&other.path, &strip_comments(other.now.as_ref()?, "#"))))
                .flatten()
                .collect();
            for path in sources(&edit.path, &then).difference(&now) {
                if elsewhere.contains(path) || !around.paths().contains(path) {
                    continue;
                }
                let tests = text_now(path, edits, around).map_or(0, |text| tests_in(&text));
                if tests > 0 {
                    let is = if tests == 1 { "is" } else { "are" };
                    let text = format!("{} of {path} {is} no longer compiled", count(tests, "test"));
                    found.push(loss(edit, path, text));
                }
            }
        }
        for program in narrowed(&then, &now) {
            found.push(loss(edit, &program, format!("only some tests of {program} are run")));
        }
        let (runs, built) = (programs(&now), built(&now));
        for program in programs(&then).difference(&runs).filter(|program| built.contains(*program)) {
            found.push(loss(edit, program, format!("the tests of {program} are no longer run")));
        }
    }
    found
}

fn loss(edit: &Edit, key: &str, text: String) -> Loss {
    let (path, key) = (edit.path.clone(), format!("listed {key}"));
    Loss { rule: Rule::NoDeletedTests, path, key, text, is_certain: true }
}

/// The source files that a build file names, by their path in the repository.
fn sources(path: &str, text: &str) -> BTreeSet<String> {
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    let Some(regex) = SOURCE.as_ref() else { return BTreeSet::new() };
    regex.captures_iter(text).filter_map(|found| joined(dir, found.get(1)?.as_str())).collect()
}

/// A path relative to a directory; None if it leaves the repository.
fn joined(dir: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.trim_start_matches('/').split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn tests_in(text: &str) -> usize {
    TEST.as_ref().map_or(0, |regex| regex.find_iter(text).count())
}

/// The programs that the runner of tests starts.
fn programs(text: &str) -> BTreeSet<String> {
    let Some(regex) = RUN.as_ref() else { return BTreeSet::new() };
    let names = regex.captures_iter(text).filter_map(|found| found.get(1).or(found.get(2)));
    names.map(|name| name.as_str().to_string()).collect()
}

/// The programs that get words which select tests now: a name or a tag in quotes, `-tc=`, `--run_test`.
fn narrowed(then: &str, now: &str) -> Vec<String> {
    let selecting = |text: &str| -> Vec<String> {
        let calls = text.match_indices("add_test").filter_map(|(at, _)| text[at..].split(')').next());
        let selects = |call: &&str| {
            ["\"[", "\"~[", "-tc=", "-ts=", "--test-case", "--run_test"].iter().any(|word| call.contains(word))
        };
        calls.filter(selects).flat_map(|call| programs(&format!("{call})"))).collect()
    };
    let before = selecting(then);
    let known = programs(then);
    selecting(now).into_iter().filter(|program| known.contains(program) && !before.contains(program)).collect()
}

/// The programs that are built.
fn built(text: &str) -> BTreeSet<String> {
    let all = BUILT.as_ref().into_iter().flat_map(|regex| regex.captures_iter(text));
    all.map(|found| found[1].to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_a_build_file_is_relative_to_it() {
        let named = |path: &str, text: &str| sources(path, text).into_iter().collect::<Vec<_>>();
        let cmake = "add_executable(t a_test.cc ../lib/b.cpp ${CMAKE_CURRENT_SOURCE_DIR}/c.cxx ../../../x.cc)";
        assert_eq!(named("test/CMakeLists.txt", cmake), ["lib/b.cpp", "test/a_test.cc", "test/c.cxx"]);
        assert_eq!(named("BUILD", "srcs = [\"a_test.cc\", \"b.h\"]"), ["a_test.cc"]);
    }

    #[test]
    fn tests_are_known_by_their_macros() {
        assert_eq!(tests_in("TEST(A, b) {\n}\n  TEST_CASE(\"x\") {}\nstatic void test_a(void) {}\n// TEST(no)\n"), 3);
        assert_eq!(tests_in("int main() { return RUN_ALL_TESTS(); }\n"), 0);
        let runs = programs(
            "add_test(NAME unit COMMAND unit_tests --all)\ngtest_discover_tests(a_test)\nadd_test(b b_test)\n",
        );
        assert_eq!(narrowed("add_test(NAME u COMMAND u)", "add_test(NAME u COMMAND u \"[smoke]\")"), ["u"]);
        assert!(narrowed("", "add_test(NAME u COMMAND u \"[smoke]\")").is_empty(), "a new one");
        assert_eq!(runs.into_iter().collect::<Vec<_>>(), ["a_test", "b_test", "unit_tests"]);
    }
}
