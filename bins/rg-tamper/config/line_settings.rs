//! Settings in files that are programs and are read line by line: Gradle, SimpleCov, RSpec, CMake and compiler flags of Makefiles.

use super::{Edit, Loss, makefile, strip_comments};
use review_gate::event::Rule;
use review_gate::sys::text::{cut_end, one_line};

/// What a word in a line says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// A number of which a higher one is stricter: coverage.
    Coverage,
    /// A number of which a lower one is stricter.
    Ceiling,
    /// With `true` violations do not fail.
    Lax,
    /// With `true` violations fail.
    Strict,
    /// With `false` a task does not run.
    Enabled,
    /// Tests or files that are left out.
    Excluded,
    /// A word whose presence is stricter.
    Present,
}

use Meaning::*;

const GRADLE: [(&str, Meaning); 17] = [
    ("ignoreFailures", Lax),
    ("isIgnoreFailures", Lax),
    ("ignoreExitValue", Lax),
    ("abortOnError", Strict),
    ("warningsAsErrors", Strict),
    ("allWarningsAsErrors", Strict),
    ("failOnViolation", Strict),
    ("failOnNoDiscoveredTests", Strict),
    ("minimum", Coverage),
    ("maxAllowedViolations", Ceiling),
    ("maxWarnings", Ceiling),
    ("enabled", Enabled),
    ("isEnabled", Enabled),
    ("excludeTestsMatching", Excluded),
    ("excludeTags", Excluded),
    ("includeTestsMatching", Excluded),
    ("-Werror", Present),
];

const SIMPLECOV: [(&str, Meaning); 9] = [
    ("minimum_coverage", Coverage),
    ("minimum_coverage_by_file", Coverage),
    ("maximum_coverage_drop", Ceiling),
    ("refuse_coverage_drop", Present),
    ("add_filter", Excluded),
    ("filter_run_excluding", Excluded),
    ("filter_run_including", Excluded),
    ("exclusion_filter", Excluded),
    ("fail_if_no_examples", Strict),
];

const FLAGS: [(&str, Meaning); 1] = [("-Werror", Present)];

/// Settings of dotnet's test runs that select tests.
const RUN_SETTINGS: [(&str, Meaning); 3] =
    [("<Where", Excluded), ("<TestCaseFilter", Excluded), ("<VSTestTestCaseFilter", Excluded)];

/// CMake, with the properties of its tests.
const CMAKE: [(&str, Meaning); 5] = [
    ("-Werror", Present),
    ("DISABLED", Lax),
    ("WILL_FAIL", Lax),
    ("TEST_FILTER", Excluded),
    ("gtest_filter", Excluded),
];

/// The words of a file; none if it is not read by lines.
fn words_of(path: &str) -> &'static [(&'static str, Meaning)] {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name {
        ".simplecov" | "spec_helper.rb" | "test_helper.rb" | "rails_helper.rb" => &SIMPLECOV,
        _ if name.ends_with(".gradle") || name.ends_with(".gradle.kts") => &GRADLE,
        _ if [".runsettings", ".csproj", ".fsproj"].iter().any(|end| name.ends_with(end)) => &RUN_SETTINGS,
        _ if name == "CMakeLists.txt" || name.ends_with(".cmake") => &CMAKE,
        "meson.build" | "configure.ac" | ".bazelrc" | "BUILD.bazel" | "binding.gyp" => &FLAGS,
        _ if makefile::is_makefile(name) => &FLAGS,
        _ => &[],
    }
}

/// Whether a file is read line by line.
pub fn is_read(path: &str) -> bool {
    !words_of(path).is_empty()
}

/// One line that says something.
struct Said {
    word: &'static str,
    line: String,
    number: Option<f64>,
    truth: Option<bool>,
}

fn said(path: &str, text: &str) -> Vec<Said> {
    let comment = if path.ends_with(".gradle") || path.ends_with(".kts") { "//" } else { "#" };
    let mut found = Vec::new();
    for line in strip_comments(text, comment).lines().map(str::trim).filter(|line| !line.is_empty() && line.len() < 500)
    {
        for (word, meaning) in words_of(path) {
            let Some(at) = line.find(word) else { continue };
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let is_before = line[..at].chars().next_back().is_some_and(is_part);
            let rest = &line[at + word.len()..];
            if is_before || rest.starts_with(is_part) && *meaning != Present {
                continue;
            }
            let digits = rest.find(|c: char| c.is_ascii_digit()).map(|at| &rest[at..]).unwrap_or("");
            let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
            let lower = rest.to_ascii_lowercase();
            let first = lower.trim_start().split(|c: char| !c.is_alphanumeric()).next();
            let truth = if lower.contains("true") || first == Some("on") {
                Some(true)
            } else if lower.contains("false") || first == Some("off") {
                Some(false)
            } else {
                None
            };
            let number = digits[..end].trim_end_matches('.').parse().ok();
            found.push(Said { word, line: line.to_string(), number, truth });
        }
    }
    found
}

/// Finds settings that are looser than at the base.
pub fn judge(edit: &Edit) -> Vec<Loss> {
    let (Some(then), Some(now)) = (&edit.then, &edit.now) else { return Vec::new() };
    if words_of(&edit.path).is_empty() {
        return Vec::new();
    }
    let (old, new) = (said(&edit.path, then), said(&edit.path, now));
    let show = |line: &str| cut_end(&one_line(line), 80);
    let mut found = Vec::new();
    for (word, meaning) in words_of(&edit.path) {
        let of = |side: &[Said]| {
            side.iter()
                .filter(|said| said.word == *word)
                .map(|said| (said.line.clone(), said.number, said.truth))
                .collect::<Vec<_>>()
        };
        let (before, after) = (of(&old), of(&new));
        let count = |side: &[(String, Option<f64>, Option<bool>)], truth: bool| {
            side.iter().filter(|(_, _, said)| *said == Some(truth)).count()
        };
        let mut add = |what: &str, before: &str, after: &str, is_certain: bool| {
            let rule = if *meaning == Coverage || word.contains("coverage") {
                Rule::NoLoweredCoverage
            } else {
                Rule::NoConfigLoosening
            };
            let text = format!("{word} {what}: {} -> {}", show(before), show(after));
            found.push(Loss { rule, path: edit.path.clone(), key: format!("{word} {what}"), text, is_certain });
        };
        let first = |side: &[(String, Option<f64>, Option<bool>)]| {
            side.first().map_or("none".to_string(), |(line, _, _)| line.clone())
        };
        let new_line =
            || after.iter().find(|one| !before.contains(one)).map_or("none".to_string(), |(line, _, _)| line.clone());
        let old_line =
            || before.iter().find(|one| !after.contains(one)).map_or(first(&before), |(line, _, _)| line.clone());
        match meaning {
            Coverage | Ceiling => {
                let numbers = |side: &[(String, Option<f64>, Option<bool>)]| {
                    side.iter().filter_map(|(_, number, _)| *number).collect::<Vec<f64>>()
                };
                let (old, new) = (numbers(&before), numbers(&after));
                let is_looser = |(old, new): (&f64, &f64)| if *meaning == Coverage { new < old } else { new > old };
                if old.len() == new.len() && old.iter().zip(&new).any(is_looser) {
                    add(
                        if *meaning == Coverage { "was lowered" } else { "was raised" },
                        &old_line(),
                        &new_line(),
                        true,
                    );
                } else if new.len() < old.len() && *meaning == Coverage {
                    add("was removed", &old_line(), "none", new.is_empty());
                }
            }
            Lax if count(&after, true) > count(&before, true) => add("was turned on", &old_line(), &new_line(), true),
            Strict if count(&after, false) > count(&before, false) => {
                add("was turned off", &old_line(), &new_line(), true)
            }
            Strict if count(&after, true) < count(&before, true) => add("was removed", &old_line(), "none", false),
            Enabled if count(&after, false) > count(&before, false) => {
                add(
                    "was turned off",
                    &old_line(),
                    &new_line(),
                    count(&after, true) < count(&before, true) || is_in_check(now, &new_line()),
                );
            }
            Excluded if after.len() > before.len() && are_complements(&after) => {}
            Excluded if after.len() > before.len() => add("was added", "none", &new_line(), *word != "add_filter"),
            Present if after.len() < before.len() => add("was removed", &old_line(), &first(&after), after.is_empty()),
            _ => {}
        }
    }
    found
}

/// Whether each filter of GoogleTest stands beside its opposite: one run leaves out what another one runs.
fn are_complements(lines: &[(String, Option<f64>, Option<bool>)]) -> bool {
    let filter = |line: &String| {
        let rest = line.split_once("gtest_filter=")?.1;
        Some(rest.split([' ', '"', ')', ';']).next()?.to_string())
    };
    let filters: Vec<String> = lines.iter().filter_map(|(line, _, _)| filter(line)).collect();
    let opposite = |one: &String| one.strip_prefix('-').map_or(format!("-{one}"), str::to_string);
    filters.len() == lines.len() && filters.len() > 1 && filters.iter().all(|one| filters.contains(&opposite(one)))
}

/// Whether a line is in a block of tests or of a linter.
fn is_in_check(text: &str, line: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let Some(at) = lines.iter().position(|other| other.trim() == line) else { return false };
    let opened = lines[at.saturating_sub(12)..=at].iter().rev().find(|line| line.contains('{'));
    opened.is_some_and(|line| {
        let lower = line.to_lowercase();
        ["test", "check", "lint", "pmd", "spotbugs", "detekt", "jacoco", "verification"]
            .iter()
            .any(|word| lower.contains(word))
    })
}
