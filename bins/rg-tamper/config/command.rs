//! What a step runs: the program without its wrappers, what it checks, its options and its operands.

use super::is_in;
use super::shell::Step;

/// What a program checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// It runs tests.
    Test,
    /// It looks for violations of rules.
    Lint,
    /// It checks types, or compiles.
    Types,
}

/// A program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program, with its subcommand.
    pub name: String,
    /// What it checks, if it is known.
    pub category: Option<Category>,
    /// The script, the target or the file that it runs, if it is one of the repository.
    pub target: Option<String>,
    /// Its options, each with its value as `--option=value`.
    pub options: Vec<String>,
    /// Its operands.
    pub operands: Vec<String>,
    /// The assignments before it.
    pub env: Vec<String>,
}

const TESTS: &str = "\
    jest, vitest, mocha, ava, tap, tape, jasmine, karma, cypress, playwright, pytest, py.test, tox, nox, \
     unittest, nose2, nosetests, rspec, minitest, phpunit, pest, ctest, bats, nyc, c8, uvu, lab, wdio, \
     codeception, behat, cucumber, xcodebuild, cargo test, cargo nextest, cargo tarpaulin, cargo llvm-cov, \
     go test, gotestsum, dotnet test, swift test, mix test, bun test, deno test, node --test, rails test, \
     rake test, rake spec, rake, flutter test, dart test, composer test, artisan test, bazel test, ng test, \
     ng e2e, react-scripts test, vue-cli-service test:unit, coverage run, coverage report, trial, ginkgo, \
     doctest, manage.py test, django-admin test, tsd, tstyche, zig test, sbt test, lein test, stack test, cabal test, \
     testem, qunit, borp, web-test-runner, wtr, simplecov, meson test, robot, behave, aegir test, poku";

const LINTS: &str = "\
    eslint, biome, oxlint, tslint, standard, xo, semistandard, prettier, stylelint, ruff, flake8, pylint, \
     black, isort, bandit, golangci-lint, go vet, gofmt, staticcheck, revive, cargo clippy, cargo fmt, \
     cargo deny, cargo audit, rubocop, standardrb, brakeman, phpcs, phpstan, psalm, php-cs-fixer, pint, ktlint, \
     detekt, checkstyle, swiftlint, swiftformat, mix credo, mix format, shellcheck, shfmt, yamllint, \
     markdownlint, markdownlint-cli2, hadolint, actionlint, pre-commit, prek, commitlint, dprint, deno lint, \
     deno fmt, dotnet format, dart analyze, flutter analyze, clang-tidy, cppcheck, clang-format, npm audit, \
     publint, attw, knip, size-limit, codespell, typos, pydocstyle, vulture, govulncheck, errcheck, next lint, \
     ng lint, depcheck, lint-staged, buf";

const TYPES: &str = "\
    tsc, vue-tsc, svelte-check, mypy, pyright, basedpyright, pyre, flow, cargo check, cargo build, go build, \
     mix dialyzer, sorbet, srb, dotnet build, swift build, steep, deno check, ty, astro check, tsgo, mix compile";

/// Programs whose first operand is a subcommand.
const WITH_SUBCOMMAND: &str = "\
    cargo, go, dotnet, swift, mix, bun, deno, rails, rake, flutter, dart, composer, artisan, bazel, ng, \
     react-scripts, vue-cli-service, coverage, manage.py, django-admin, zig, sbt, lein, stack, cabal, docker, \
     docker-compose, git, npm, yarn, pnpm, next, meson, turbo, nx, lerna, astro, uv, poetry, pip";

/// Options whose value is the next word.
const WITH_VALUE: &str = "\
    -t, -k, -g, -m, -p, -n, -c, -f, -o, -R, -E, -run, -tags, -timeout, -count, --grep, --config, \
     --testNamePattern, --testPathPattern, --testPathPatterns, --testPathIgnorePatterns, --coverageThreshold, \
     --max-warnings, --ext, --ignore-pattern, --ignore-path, --ignore, --ignore-glob, --deselect, \
     --cov-fail-under, --cov, --cov-report, --cov-config, --fail-under, --project, --reporter, --reporters, \
     --maxWorkers, --filter, --exclude, --package, --features, --test, --bin, --retries, --retry, --reruns, \
     --timeout, --testTimeout, --require, --import, --loader, --lines, --branches, --functions, --statements, \
     --fgrep, --skip, --select, --tag, --tags, --prefix, --workspace, --dir, --manifest-path, --run, \
     --skip-dirs, --outputFile, --setupFiles, --test-name-pattern, --cache-location, -D, -A, -W, -F, -x, \
     --disable, --enable";

/// The category of a program.
fn category_of(name: &str) -> Option<Category> {
    let has = |list: &str| is_in(list, name) || name.split_once(' ').is_some_and(|(first, _)| is_in(list, first));
    match () {
        () if has(TESTS) => Some(Category::Test),
        () if has(LINTS) => Some(Category::Lint),
        () if has(TYPES) => Some(Category::Types),
        () => None,
    }
}

/// Words in names of scripts, targets and jobs.
const OF_TESTS: &str = "\
    test, tests, spec, specs, e2e, unit, integration, coverage, cov, pytest, jest, vitest, tested, testing, \
     unittest, pretest, posttest, smoke";
const OF_LINTS: &str = "\
    lint, linter, lints, eslint, check, checks, ci, verify, validate, format, fmt, style, audit, clippy, ruff, \
     vet, quality, prepublish, prepublishonly, precommit, rubocop, standard, analyze, analyse, linting, \
     prettier, static";
const OF_TYPES: &str = "\
    types, typecheck, typing, tsc, mypy, typings, pyright, type";

/// What a script, a target or a job of this name checks.
pub fn category_of_name(name: &str) -> Option<Category> {
    let parts: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .map(|part| part.to_ascii_lowercase())
        .filter(|part| !part.is_empty())
        .collect();
    let has = |words: &str| parts.iter().any(|part| is_in(words, part));
    match () {
        () if has(OF_TESTS) => Some(Category::Test),
        () if has(OF_LINTS) => Some(Category::Lint),
        () if has(OF_TYPES) => Some(Category::Types),
        () => None,
    }
}

/// The commands of a step. A program that runs several scripts is several commands.
pub fn commands(step: &Step) -> Vec<Command> {
    let mut env = step.env.clone();
    let words = unwrap(&step.words, &mut env);
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    let program = program_of(first);
    let many = |targets: Vec<String>| {
        let one = |target: String| Command { env: env.clone(), ..script(target) };
        targets.into_iter().map(one).collect::<Vec<_>>()
    };
    match program.as_str() {
        "npm-run-all" | "run-s" | "run-p" => {
            let is_name = |word: &&String| !word.starts_with('-') && !word.starts_with('{');
            return many(rest.iter().filter(is_name).cloned().collect());
        }
        "concurrently" => {
            let is_name = |word: &&String| !word.starts_with('-');
            let inner = rest.iter().filter(is_name).flat_map(|word| match word.strip_prefix("npm:") {
                Some(name) => vec![script(name.to_string())],
                None => {
                    super::shell::steps(word, super::shell::OnFailure::Stop).iter().take(4).flat_map(simple).collect()
                }
            });
            return inner.collect();
        }
        "make" | "gmake" | "just" | "task" => {
            let is_target = |word: &&String| !word.starts_with('-') && !word.contains('=');
            let targets: Vec<String> = rest.iter().filter(is_target).cloned().collect();
            if targets.len() > 1 {
                return targets.into_iter().map(|target| made(&program, Some(target))).collect();
            }
            return vec![made(&program, targets.into_iter().next())];
        }
        _ => {}
    }
    let mut one = simple(&Step { words, ..step.clone() });
    one.iter_mut().for_each(|command| command.env = env.clone());
    one
}

/// The name of a program without its directory and its ending.
fn program_of(word: &str) -> String {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.strip_suffix(".js").or_else(|| name.strip_suffix(".mjs")).unwrap_or(name);
    match name {
        "gradlew" => "gradle".into(),
        "mvnw" => "mvn".into(),
        "tsc.js" => "tsc".into(),
        name => name.to_string(),
    }
}

/// The words without programs that only run another one.
fn unwrap(words: &[String], env: &mut Vec<String>) -> Vec<String> {
    let mut words = words.to_vec();
    for _ in 0..8 {
        let text: Vec<&str> = words.iter().map(String::as_str).collect();
        let from = match text[..] {
            ["env" | "cross-env" | "cross-env-shell", ..] => {
                let count = text[1..].iter().take_while(|word| word.contains('=') || **word == "-S").count();
                env.extend(text[1..=count].iter().map(|word| word.to_string()));
                1 + count
            }
            ["npx" | "bunx" | "pnpx", ..] => 1 + text[1..].iter().take_while(|word| word.starts_with('-')).count(),
            ["pnpm" | "npm" | "yarn" | "bun", "exec" | "dlx" | "x", ..] => {
                2 + text[2..].iter().take_while(|word| word.starts_with('-')).count()
            }
            ["poetry" | "uv" | "pipenv" | "hatch" | "pdm" | "rye" | "conda", "run", ..] => {
                2 + text[2..].iter().take_while(|word| word.starts_with('-')).count()
            }
            ["bundle", "exec", ..] => 2,
            ["python" | "python3" | "python2" | "py", "-m", ..] => 2,
            ["python" | "python3" | "php", file, ..] if file.ends_with("manage.py") || file == "artisan" => 1,
            ["node", ..] => match text.iter().position(|word| word.contains("node_modules/")) {
                Some(at) if text[1..at].iter().all(|word| word.starts_with('-')) => at,
                _ => return words,
            },
            ["time" | "nice" | "sudo" | "exec" | "command" | "xvfb-run" | "dotenv" | "@command", ..] => {
                1 + text[1..].iter().take_while(|word| word.starts_with('-')).count()
            }
            ["timeout", _, _, ..] => 2 + text[1..].iter().take_while(|word| word.starts_with('-')).count(),
            ["coverage", "run", "-m", ..] => 3,
            _ => return words,
        };
        if from >= words.len() {
            return words;
        }
        words.drain(..from);
    }
    words
}

fn script(name: String) -> Command {
    Command {
        category: category_of_name(&name),
        name: format!("run {name}"),
        target: Some(name),
        options: Vec::new(),
        operands: Vec::new(),
        env: Vec::new(),
    }
}

fn made(program: &str, target: Option<String>) -> Command {
    let name = target.as_deref().unwrap_or("");
    Command { name: format!("{program} {name}").trim().to_string(), ..script(name.to_string()) }
}

/// The command of a step without wrappers.
fn simple(step: &Step) -> Vec<Command> {
    let Some((first, rest)) = step.words.split_first() else { return Vec::new() };
    let program = program_of(first);
    let mut rest: Vec<String> = rest.to_vec();
    // Redirections say nothing about what is checked.
    let mut at = 0;
    while at < rest.len() {
        let word = rest[at].trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
        match word {
            ">" | ">>" | "<" => drop(rest.drain(at..(at + 2).min(rest.len()))),
            word if word.starts_with(['>', '<']) => drop(rest.remove(at)),
            _ => at += 1,
        }
    }
    let mut name = program.clone();
    if is_in(WITH_SUBCOMMAND, &program) {
        let place = rest.iter().position(|word| !word.starts_with('-') && !word.starts_with('+'));
        let place = place.filter(|at| *at == 0 || program != "cargo" && program != "go");
        let place = place.or_else(|| rest.iter().position(|word| !word.starts_with(['-', '+'])));
        if let Some(at) = place {
            name = format!("{program} {}", rest.remove(at));
        }
    } else if program == "node" && rest.iter().any(|word| word == "--test") {
        name = "node --test".into();
        // A path behind it is no value of it.
        rest.retain(|word| word != "--test");
    }
    let mut target = None;
    if let Some((manager @ ("npm" | "yarn" | "pnpm" | "bun"), verb)) = name.split_once(' ') {
        let verb = if matches!(verb, "run" | "run-script") {
            let place = rest.iter().position(|word| !word.starts_with('-'));
            place.map(|at| rest.remove(at))
        } else {
            let is_script = manager != "npm" || matches!(verb, "test" | "t" | "tst" | "start");
            let is_own = [
                "install",
                "ci",
                "add",
                "remove",
                "i",
                "publish",
                "audit",
                "pack",
                "version",
                "config",
                "cache",
                "set",
                "up",
                "update",
                "link",
                "dedupe",
                "create",
                "init",
                "login",
                "global",
                "workspace",
                "workspaces",
                "why",
                "list",
                "ls",
            ];
            let is_bun_test = manager == "bun" && verb == "test";
            let name = if matches!(verb, "t" | "tst") { "test" } else { verb };
            (is_script && !is_own.contains(&verb) && !is_bun_test).then(|| name.to_string())
        };
        match verb {
            // The package manager runs a program of a dependency.
            Some(verb) if category_of(&verb).is_some() => name = verb,
            Some(verb) => {
                name = format!("run {verb}");
                target = Some(verb);
            }
            None => {}
        }
    }
    if matches!(program.as_str(), "bash" | "sh" | "zsh") || first.starts_with("./") || first.starts_with("scripts/") {
        let file = match program.as_str() {
            "bash" | "sh" | "zsh" => rest.iter().find(|word| !word.starts_with('-')).cloned(),
            _ => Some(first.clone()),
        };
        target = file.map(|file| file.trim_start_matches("./").to_string());
    }
    let (options, operands) = arguments(&rest);
    let mut category = category_of(&name);
    let goals = |words: &[&str]| {
        operands.iter().any(|word| {
            let goal = word.rsplit(':').next().unwrap_or(word);
            words.contains(&goal)
        })
    };
    match program.as_str() {
        "mvn" | "gradle" | "ant" | "sbt"
            if goals(&["test", "verify", "install", "check", "build", "package", "integrationTest"]) =>
        {
            category = Some(Category::Test);
        }
        "mvn" | "gradle" if !operands.is_empty() => category = Some(Category::Lint),
        _ => {}
    }
    category = category.or_else(|| target.as_deref().and_then(category_of_name));
    vec![Command { name, category, target, options, operands, env: Vec::new() }]
}

/// Options, each with its value, and operands.
fn arguments(words: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut options, mut operands) = (Vec::new(), Vec::new());
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let is_option = word.starts_with('-') && word.len() > 1;
        match word.as_str() {
            // What follows is for a program that this one runs.
            "--" => {}
            _ if is_option && !word.contains('=') && is_in(WITH_VALUE, word) => {
                let value = words.next_if(|next| !next.starts_with('-') || next.parse::<f64>().is_ok());
                options.push(value.map_or(word.clone(), |value| format!("{word}={value}")));
            }
            _ if is_option => options.push(word.clone()),
            _ => operands.push(word.clone()),
        }
    }
    (options, operands)
}
