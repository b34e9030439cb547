//! Options of test runners and linters: which of them check less, which check more, and which are numbers.

use super::command::{Category, Command};
use super::is_in;

/// What the options of a command lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What happened, with the option: `gains`, `loses` and so on.
    pub what: String,
    /// Whether fewer violations are found for certain.
    pub is_certain: bool,
    /// Whether it is about coverage.
    pub is_coverage: bool,
}

/// Options with which violations do not fail, or nothing runs.
const LAX: &str = "\
    --passWithNoTests, --pass-with-no-tests, --if-present, --exit-zero, --exit-0, --no-run, --listTests, \
     --collect-only, --co, --continue-on-error, --continue-on-collection-errors, --suppress-tests-exit-code, \
     --dry-run, --no-fail, --noEmitOnError=false, --updateSnapshot, -u, --update-snapshots, --update-snapshot, \
     --snapshot-update, --no-check, --skip-tests, --skipLibCheck, --no-error-on-unmatched-pattern, \
     --disable-coverage, --no-cov, --coverage=false, --no-coverage, --ignore-errors, --allow-uncaught, \
     --dangerouslyIgnoreUnhandledErrors, --no-fail-on-empty-test-suite, --failOnEmptyTestSuite=false, \
     --check-coverage=false, --no-check-coverage, --list, --allow-errors, --issues-exit-code=0, --exit-code=0, \
     --soft-fail, --only-changed, --onlyChanged, --lastCommit, --list-tests, --fail-level=F, \
     --fail-level=fatal, --fail-level=error, --no-verify, --strict=false, --allow-warnings, -DskipTests, \
     -DskipTests=true, -DskipITs, -DskipITs=true, -Dmaven.test.skip, -Dmaven.test.skip=true, \
     -Dmaven.test.failure.ignore, -Dmaven.test.failure.ignore=true, -Dcheckstyle.skip, -Dcheckstyle.skip=true, \
     -DfailIfNoTests=false, -fae, -fn, --fail-never, --no-strict, --lf, --last-failed, --only-failures, \
     --no-fatal-warnings, --no-warnings-as-errors, --errors-only, -E, --quiet, --help, --version, \
     --cap-lints=allow, -Dpmd.skip, -Dspotbugs.skip, -Dpmd.skip=true, -Dspotbugs.skip=true, -Djacoco.skip=true";

/// Of these it is not certain that fewer violations are found.
const DOUBTFUL: &str = "\
    -fae, --list, -E, --quiet, -u, --no-coverage, --no-cov, --coverage=false, --dry-run, --lf, --skipLibCheck, \
     --no-error-on-unmatched-pattern, --version, --help, --no-verify, --if-present";

/// Options without which fewer violations are found or fail.
const STRICT: &str = "\
    --check-coverage, --strict, --ci, --forbid-only, --forbidOnly, --forbid-pending, --failOnRisky, \
     --fail-on-risky, --fail-on-warning, --fail-on-incomplete, --fail-on-skipped, -Werror, --error-on-warnings, \
     --warnings-as-errors, -warnaserror, --deny-warnings, -race, --strict-markers, --strict-config, \
     --all-targets, --all-features, --workspace, --all, --check, --report-unused-disable-directives, \
     --error-unmatched-pattern, --fail-zero, --doctest-modules, -Dwarnings, --fatal-warnings, --fatal-infos, \
     --frozen-lockfile, --locked, --verify-no-changes, --noEmit, --list-different, --diff-filter";

/// Of these the loss is only a warning: they check more than before, or fail for other reasons than violations.
const NICE: &str = "\
    --ci, --all-features, --workspace, --all, --frozen-lockfile, --locked, -race, --doctest-modules, \
     --all-targets, --strict-config, --noEmit, --list-different, --report-unused-disable-directives";

/// Options that select or leave out tests, files or rules.
const FILTERS: &str = "\
    -t, --testNamePattern, --test-name-pattern, -k, -g, --grep, --fgrep, -f, -run, --run, --testPathPattern, \
     --testPathPatterns, --testPathIgnorePatterns, --ignore, --ignore-glob, --ignore-pattern, --deselect, \
     --exclude, --extend-exclude, --skip, -skip, --filter, --ignore-path, --test, --spec, --extend-ignore, \
     --disable, --per-file-ignores, -Dtest, --tests, --exclude-task, -x, --rule, --tag, --tags, --exclude-tag, \
     --only, -A, --disable-error-code, --exclude-dir, --skip-dirs, --skip-files, --testsuite, --group, \
     --exclude-group, -E, -m, --lib, --bins, -p, --package, --shard, --project, -tags, --select";

/// Of these filters a change is only a warning.
const SCOPES: &str = "\
    -m, --lib, --bins, -p, --package, --project, --shard, -tags, --ignore-path, --exclude, --tag, --tags, \
     --testsuite, --select, --filter, -E, -f, --rule, --only";

/// Plugins of pytest that decide no test.
const HARMLESS: &str = "\
    no:cacheprovider, no:warnings, no:xdist, no:sugar, no:logging, no:randomly, no:faulthandler";

/// Options with a number, and whether a higher one is stricter.
const NUMBERS: &[(&str, bool)] = &[
    ("--cov-fail-under", true),
    ("--fail-under", true),
    ("--fail_under", true),
    ("--lines", true),
    ("--branches", true),
    ("--functions", true),
    ("--statements", true),
    ("--coverage.thresholds.lines", true),
    ("--coverage.thresholds.branches", true),
    ("--coverage.thresholds.functions", true),
    ("--coverage.thresholds.statements", true),
    ("--fail-under-lines", true),
    ("--fail-under-functions", true),
    ("--fail-under-regions", true),
    ("--minimum-coverage", true),
    ("--min", true),
    ("--min-coverage", true),
    ("--max-warnings", false),
    ("--retries", false),
    ("--retry", false),
    ("--reruns", false),
    ("--max-complexity", false),
    ("--max-line-length", false),
    ("--level", true),
    ("-l", true),
];

/// Numbers that are no coverage.
const NOT_COVERAGE: &str = "\
    --max-warnings, --retries, --retry, --reruns, --max-complexity, --max-line-length, --level, -l";

/// Programs that have options of the same name with another meaning.
fn is_meant(command: &Command, name: &str) -> bool {
    let program = command.name.as_str();
    match name {
        "-u" => matches!(program, "jest" | "vitest" | "ava") || program.starts_with("run "),
        "-x" => program == "gradle",
        "-p" => program.starts_with("cargo") || program == "pytest",
        "-A" | "--lib" | "--bins" | "--package" | "--workspace" | "--all" | "--all-features" | "--all-targets"
        | "--locked" | "-E" => program.starts_with("cargo"),
        "-f" | "-g" | "--fgrep" => matches!(program, "mocha" | "playwright"),
        "-t" => matches!(program, "jest" | "vitest" | "bun test") || program.starts_with("run "),
        "-k" | "-m" | "--lf" | "--co" => program == "pytest",
        "-run" | "-skip" | "-tags" | "-race" => program.starts_with("go "),
        "--quiet" => program == "eslint",
        "--list" => command.category == Some(Category::Test),
        "--check" => command.category == Some(Category::Lint),
        "--noEmit" => false,
        "--strict" => command.category.is_some(),
        "--test" => program.starts_with("cargo"),
        "--tests" => program == "gradle",
        "--level" | "-l" => program == "phpstan",
        "--disable" => matches!(program, "pylint" | "golangci-lint"),
        "--dry-run" | "--version" | "--help" | "--continue-on-error" | "--ignore-errors" => command.category.is_some(),
        "--min" => program == "artisan test" || program == "pest",
        _ => true,
    }
}

fn split(option: &str) -> (&str, &str) {
    // Clippy's and rustc's `-D warnings` is kept as `-D=warnings`.
    option.split_once('=').unwrap_or((option, ""))
}

/// What `now` lost against `then`, option by option.
pub fn differences(then: &Command, now: &Command) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut add =
        |what: String, is_certain: bool, is_coverage: bool| found.push(Difference { what, is_certain, is_coverage });
    for option in now.options.iter().filter(|option| !then.options.contains(option)) {
        let (name, value) = split(option);
        if !is_meant(now, name) {
            continue;
        }
        let old = then.options.iter().find(|old| split(old).0 == name);
        if let Some((_, is_floor)) = NUMBERS.iter().find(|(known, _)| *known == name) {
            let is_coverage = !is_in(NOT_COVERAGE, name);
            let number = |text: &str| text.trim_end_matches('%').parse::<f64>().ok();
            match (old.and_then(|old| number(split(old).1)), number(value)) {
                (Some(old), Some(new)) if (new < old) == *is_floor && new != old => {
                    let verb = if *is_floor { "lowers" } else { "raises" };
                    add(format!("{verb} `{name}`: {old} -> {new}"), true, is_coverage);
                }
                (None, Some(new)) if !is_floor && new > 0.0 && name.starts_with("--re") => {
                    add(format!("gains `{option}`"), false, false);
                }
                (Some(old), None) => add(format!("changes `{name}`: {old} -> {value}"), false, is_coverage),
                _ => {}
            }
        } else if is_in(LAX, option) && (name != "-E" || now.name.starts_with("pylint")) {
            add(format!("gains `{option}`"), !is_in(DOUBTFUL, name), option.contains("cov"));
        } else if name == "-p" && now.name == "pytest" {
            if value.starts_with("no:") && !is_in(HARMLESS, value) {
                add(format!("gains `-p {value}`"), true, false);
            }
        } else if is_in(FILTERS, name) {
            let is_certain = old.is_none() && !is_in(SCOPES, name);
            let is_more = matches!(
                name,
                "--ignore" | "--ignore-glob" | "--deselect" | "--ignore-pattern" | "--exclude" | "--skip" | "-x" | "-A"
            );
            match old.filter(|_| !is_more) {
                Some(old) => add(format!("changes `{}` to `{}`", show(old), show(option)), false, false),
                None => add(format!("gains `{}`", show(option)), is_certain || is_more && !is_in(SCOPES, name), false),
            }
        }
    }
    for option in then.options.iter().filter(|option| !now.options.contains(option)) {
        let (name, value) = split(option);
        if !is_meant(then, name) {
            continue;
        }
        let is_kept = now.options.iter().any(|new| split(new).0 == name);
        let number = NUMBERS.iter().find(|(known, _)| *known == name);
        if number.is_some() && !is_kept {
            let is_coverage = !is_in(NOT_COVERAGE, name);
            let is_limit = !name.starts_with("--re");
            if is_limit {
                add(format!("loses `{}`", show(option)), true, is_coverage);
            }
        } else if is_in(STRICT, option) && !is_kept {
            add(format!("loses `{option}`"), !is_in(NICE, name), name == "--check-coverage");
        } else if name == "-D" && !now.options.iter().any(|new| new == option) {
            add(format!("loses `-D {value}`"), true, false);
        } else if matches!(name, "--cov" | "--coverage") && value.is_empty() && !is_kept {
            add(format!("loses `{option}`"), false, true);
        }
    }
    found.extend(narrowed(then, now));
    found.extend(environment(then, now));
    found
}

/// An option as it is typed.
fn show(option: &str) -> String {
    let (name, value) = split(option);
    let is_short = !name.starts_with("--") && !name.starts_with("-D");
    if is_short && !value.is_empty() { format!("{name} {value}") } else { option.to_string() }
}

/// Operands that name less than before.
fn narrowed(then: &Command, now: &Command) -> Option<Difference> {
    now.category?;
    // A build of one program builds what it needs, and Go's dots are everything.
    let is_build = now.category == Some(Category::Types) && now.name.ends_with(" build");
    if is_build || now.operands.iter().any(|word| word == "./...") {
        return None;
    }
    if matches!(now.name.as_str(), "mvn" | "gradle" | "ant" | "sbt") || now.name.starts_with("run ") {
        return None;
    }
    let is_of = |old: &str, new: &str| {
        let (old, new) = (old.trim_end_matches("/..."), new.trim_end_matches("/..."));
        let old = old.trim_end_matches(['/', '*', '.']).trim_start_matches("./");
        let new = new.trim_start_matches("./");
        old.is_empty() && !new.is_empty()
            || new.len() > old.len() && new.starts_with(old) && new[old.len()..].starts_with(['/', ':'])
    };
    let is_kept = |new: &String| then.operands.contains(new);
    let added: Vec<&String> = now.operands.iter().filter(|new| !is_kept(new)).collect();
    // Runners with a subcommand of their own: `vitest run`, `playwright test`, `ruff check`.
    let is_verb = |word: &str| {
        matches!(
            word,
            "run"
                | "test"
                | "check"
                | "ci"
                | "."
                | "lint"
                | "watch"
                | "e2e"
                | "format"
                | "verify"
                | "start"
                | "analyse"
                | "analyze"
                | "report"
        )
    };
    let was_whole = then.operands.iter().all(|old| is_verb(old) || old == "./..." || old.is_empty());
    let lost: Vec<&String> = then.operands.iter().filter(|old| !now.operands.contains(old)).collect();
    let is_path = |word: &str| word.contains(['/', '.', '*', ':']) && word != ".";
    let is_file = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        word.contains("::")
            || !word.contains(['*', '{'])
                && name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && end.len() < 6)
    };
    let new_paths: Vec<&&String> = added.iter().filter(|new| !is_verb(new)).collect();
    let is_below =
        !lost.is_empty() && !new_paths.is_empty() && new_paths.iter().all(|new| lost.iter().any(|old| is_of(old, new)));
    let is_first = was_whole && !new_paths.is_empty() && now.category == Some(Category::Test);
    if !is_below && !is_first {
        let is_less = !lost.is_empty()
            && added.is_empty()
            && lost.iter().any(|old| is_path(old))
            && now.operands.iter().any(|kept| !is_verb(kept));
        let text = lost.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(" ");
        return is_less.then(|| Difference {
            what: format!("no longer runs on `{text}`"),
            is_certain: false,
            is_coverage: false,
        });
    }
    let text = new_paths.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(" ");
    let is_certain = new_paths.iter().all(|new| is_file(new)) && !now.name.contains("pre-commit");
    Some(Difference { what: format!("runs only on `{text}`"), is_certain, is_coverage: false })
}

/// Variables that make a check stricter or looser.
fn environment(then: &Command, now: &Command) -> Vec<Difference> {
    let mut found = Vec::new();
    for old in then.env.iter().filter(|old| !now.env.contains(old)) {
        let (name, value) = old.split_once('=').unwrap_or((old, ""));
        let is_strict = matches!(name, "RUSTFLAGS" | "RUSTDOCFLAGS" | "CFLAGS" | "CXXFLAGS")
            && value.contains("-D") | value.contains("-Werror");
        let is_kept = now
            .env
            .iter()
            .any(|new| new.starts_with(&format!("{name}=")) && (new.contains("-D") || new.contains("-Werror")));
        if is_strict && !is_kept {
            found.push(Difference { what: format!("loses `{old}`"), is_certain: true, is_coverage: false });
        }
    }
    for new in now.env.iter().filter(|new| !then.env.contains(new)) {
        let name = new.split_once('=').map_or("", |(name, _)| name);
        if matches!(
            name,
            "SKIP"
                | "PYTEST_ADDOPTS"
                | "MOCHA_OPTS"
                | "GOFLAGS"
                | "MAVEN_OPTS"
                | "SKIP_TESTS"
                | "TESTOPTS"
                | "SPEC_OPTS"
                | "ESLINT_USE_FLAT_CONFIG"
        ) {
            found.push(Difference {
                what: format!("gains `{new}`"),
                is_certain: name == "SKIP_TESTS",
                is_coverage: false,
            });
        }
    }
    found
}
