//! Laws of rg-init: what it proposes for each build tool, what it leaves out, and that it replaces nothing.

use crate::scratch::{Said, Scratch, bin_dir};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn init(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-init", args, b"")
}

/// An executable script.
fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

const PROGRAMS: &str = "cargo npm pnpm yarn bun deno python3 uv poetry go golangci-lint mvn gradle bundle rake rspec composer \
    dotnet swift swiftlint mix make just nix ruff flake8 mypy pyright black";

/// A directory without git, in which every build tool is a script that runs `text`.
fn with_programs(text: &str) -> Scratch {
    let mut scratch = Scratch::new();
    for name in PROGRAMS.split_whitespace() {
        script(&scratch.top().join("tools").join(name), text);
    }
    let path = format!("{}:{}", scratch.top().join("tools").display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
    scratch
}

/// A build tool: its name, its files with their texts, and the commands that are proposed, in order.
type Stack = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

const STACKS: [Stack; 24] = [
    ("cargo", &[("Cargo.toml", "[package]\n")], &["cargo test"]),
    (
        "cargo workspace",
        &[
            ("Cargo.toml", "[workspace]\n[workspace.lints.clippy]\n"),
            ("Cargo.lock", ""),
            ("rustfmt.toml", ""),
            ("a/Cargo.toml", ""),
        ],
        &[
            "cargo test --workspace --locked",
            "cargo clippy --workspace --all-targets --locked -- -D warnings",
            "cargo fmt --all --check",
        ],
    ),
    (
        "npm",
        &[(
            "package.json",
            r#"{"scripts": {"build": "b", "lint": "l", "test": "t", "type-check": "c", "format:check": "f"}}"#,
        )],
        &["npm test", "npm run lint", "npm run type-check", "\"npm run format:check\"", "npm run build"],
    ),
    ("pnpm", &[("package.json", r#"{"scripts": {"test": "t"}}"#), ("pnpm-lock.yaml", "")], &["pnpm test"]),
    ("yarn", &[("package.json", r#"{"scripts": {"lint": "l"}}"#), ("yarn.lock", "")], &["yarn run lint"]),
    (
        "bun",
        &[("package.json", r#"{"scripts": {"test": "t"}, "packageManager": "bun@1.2.0"}"#), ("yarn.lock", "")],
        &["bun run test"],
    ),
    (
        "npm workspace",
        &[("package.json", r#"{"workspaces": ["a"]}"#), ("a/package.json", r#"{"scripts": {"test": "t"}}"#)],
        &["npm test --workspaces --if-present"],
    ),
    (
        "deno",
        &[("deno.jsonc", "{ // x\n \"fmt\": {}, \"lint\": {} }")],
        &["deno test", "deno lint", "deno fmt --check"],
    ),
    (
        "python with pytest",
        &[("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff.lint]\n[tool.mypy]\n[tool.black]\n")],
        &["python3 -m pytest", "ruff check .", "mypy .", "black --check ."],
    ),
    (
        "python with unittest",
        &[("setup.py", ""), ("tests/test_a.py", "import unittest")],
        &["python3 -m unittest discover -s tests"],
    ),
    (
        "uv",
        &[("pyproject.toml", "[project]\ndependencies = ['pytest']\n"), ("uv.lock", "")],
        &["uv run python -m pytest"],
    ),
    (
        "poetry",
        &[("pyproject.toml", "[tool.poetry]\npytest = '*'\n"), (".flake8", "")],
        &["poetry run python -m pytest", "poetry run flake8"],
    ),
    ("go", &[("go.mod", "module a\n"), (".golangci.yml", "")], &["go test ./...", "golangci-lint run"]),
    ("maven", &[("pom.xml", "<project/>")], &["mvn -B -q test"]),
    (
        "gradle",
        &[("build.gradle.kts", "plugins { checkstyle }"), ("app/build.gradle.kts", "")],
        &["gradle --no-daemon --console=plain test", "gradle --no-daemon --console=plain check -x test"],
    ),
    (
        "rspec",
        &[("Gemfile", "gem 'rspec'"), ("spec/a_spec.rb", ""), (".rubocop.yml", "")],
        &["bundle exec rspec", "bundle exec rubocop"],
    ),
    ("rake", &[("Rakefile", "Rake::TestTask.new\n")], &["rake test"]),
    (
        "composer",
        &[("composer.json", r#"{"scripts": {"test": "phpunit", "lint": "x"}}"#)],
        &["composer run-script test", "composer run-script lint"],
    ),
    ("dotnet", &[("a b.sln", ""), ("src/a.csproj", "")], &["dotnet test"]),
    ("swift", &[("Package.swift", ""), (".swiftlint.yml", "")], &["swift test", "swiftlint lint --strict"]),
    (
        "mix",
        &[("mix.exs", ""), (".formatter.exs", ""), (".credo.exs", "")],
        &["mix test", "mix format --check-formatted", "mix credo"],
    ),
    ("make", &[("Makefile", "all: x\ntest: all\nlint:\n\ttrue\n")], &["make test", "make lint"]),
    ("just", &[("justfile", "set shell := ['sh']\ncheck:\n  true\n")], &["just check"]),
    ("nix", &[("flake.nix", "{ outputs = _: { checks = {}; }; }")], &["nix flake check"]),
];

/// The values of a key in the YAML, those in comments too if `mark` is `# `.
fn values<'a>(text: &'a str, mark: &str, key: &str) -> Vec<&'a str> {
    let start = format!("  {mark}  {key}: ");
    text.lines().filter_map(|line| line.strip_prefix(start.as_str())).collect()
}

#[test]
fn each_build_tool_is_found_and_proposes_what_is_configured() {
    for (name, files, wanted) in STACKS {
        let scratch = with_programs("exit 0");
        files.iter().for_each(|(path, text)| scratch.write(path, text));
        let said = init(&scratch, &["--dry-run"]);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{name}: {said:?}");
        assert_eq!(values(&said.out, "", "run"), wanted, "{name}: {}", said.out);
        assert!(!scratch.work().join("DONE.md").exists(), "{name}");
        let said = init(&scratch, &[]);
        assert_eq!(said.status, 0, "{name}: {said:?}");
        let judged = scratch.run("rg-check", &["--now"], b"");
        assert_eq!(judged.status, 0, "{name}: {judged:?}");
    }
}

/// Both kinds of a missing program: without PATH, and below the directory.
#[test]
fn a_check_whose_program_is_missing_is_a_comment_with_the_reason() {
    for (name, files, wanted) in STACKS {
        let mut scratch = Scratch::new();
        let bin = scratch.top().join("few");
        fs::create_dir(&bin).unwrap();
        for program in ["sh", "git", "true"] {
            scratch.ok(&format!("ln -s \"$(command -v {program})\" '{}'", bin.join(program).display()));
        }
        scratch.set("PATH", bin.to_str().unwrap());
        files.iter().for_each(|(path, text)| scratch.write(path, text));
        // One check passes, so that there is a DONE.md.
        scratch.write("zz/composer.json", "{}");
        scratch.write("zz/phpunit.xml", "");
        script(&scratch.work().join("zz/vendor/bin/phpunit"), "exit 0");
        let said = init(&scratch, &["--dry-run"]);
        assert_eq!(said.status, 0, "{name}: {said:?}");
        assert_eq!(values(&said.out, "", "run"), ["vendor/bin/phpunit"], "{name}: {}", said.out);
        assert_eq!(values(&said.out, "# ", "run"), wanted, "{name}: {}", said.out);
        assert_eq!(said.out.matches(" is not on PATH\n").count(), wanted.len(), "{name}: {}", said.out);
    }
    let scratch = Scratch::new();
    scratch.write("phpunit.xml", "");
    let said = init(&scratch, &[]);
    assert!(said.status == 1 && said.out.contains("left out: vendor/bin/phpunit is not there"), "{said:?}");
}

#[test]
fn a_repository_with_several_projects_gets_a_check_for_each_part() {
    let scratch = with_programs("pwd");
    scratch.write("Cargo.toml", "[package]\n");
    scratch.write("package.json", r#"{"scripts": {"test": "t", "deploy": "d"}}"#);
    scratch.write("Makefile", "test:\nbuild:\n");
    scratch.write("a b, c/web/go.mod", "");
    scratch.write("node_modules/x/package.json", r#"{"scripts": {"test": "t"}}"#);
    scratch.write("examples/x/Cargo.toml", "");
    scratch.write("a/b/c/d/go.mod", "");
    scratch.ok("ln -s .. loop");
    let said = init(&scratch, &[]);
    assert_eq!(said.status, 0, "{said:?}");
    let text = fs::read_to_string(scratch.work().join("DONE.md")).unwrap();
    let wanted = ["cargo test", "npm test", "go test ./..."];
    assert_eq!(values(&text, "", "run"), wanted, "{text}");
    assert_eq!(values(&text, "", "cwd"), ["\"a b, c/web\""], "{text}");
    for name in ["- name: cargo tests\n", "- name: npm tests\n", "- name: tests in a b  c/web\n"] {
        assert!(text.contains(name), "{text}");
    }
    for note in [
        "# - Makefile: `make test`, because",
        "# - Makefile: `make build`, because",
        "# - package.json: the script `deploy`\n",
    ] {
        assert!(text.contains(note), "{text}");
    }
    assert_eq!(scratch.run("rg-check", &["--now", "--only", "tests in a b  c/web"], b"").status, 111);
    let said = scratch.run("rg-check", &["--validate"], b"");
    assert!(said.status == 0 && said.out.contains("3 checks"), "{said:?}");
}

#[test]
fn checks_that_fail_or_change_files_are_comments_with_the_reason() {
    let scratch = with_programs("case $1 in lint) echo 'a.c:3: error: bad'; exit 3;; build) date +%N >stamp;; esac");
    scratch.write("Makefile", "test:\nlint:\nbuild:\n");
    let said = init(&scratch, &[]);
    assert_eq!(said.status, 0, "{said:?}");
    let text = fs::read_to_string(scratch.work().join("DONE.md")).unwrap();
    assert_eq!(values(&text, "", "run"), ["make test"], "{text}");
    assert!(text.contains("From Makefile, left out: it fails here: exit status 3: a.c:3: error: bad\n"), "{text}");
    scratch.ok("rm DONE.md stamp; printf 'build:\\n' >Makefile; git init -q");
    let said = init(&scratch, &[]);
    assert!(said.status == 1 && said.out.contains("changed while the checks ran: stamp"), "{said:?}");
    assert!(
        said.out.ends_with("no check passed: DONE.md is not written. Install what is missing, or correct a check, and run `rg-init` again\n"),
        "{said:?}"
    );
    assert!(!scratch.work().join("DONE.md").exists());
}

#[test]
fn a_check_that_never_ends_is_bounded() {
    let scratch = with_programs("[ \"$1\" = lint ] || exec sleep 60");
    scratch.write("Makefile", "test:\nlint:\n");
    let said = init(&scratch, &["--within", "1"]);
    assert!(said.status == 0 && said.took < Duration::from_secs(20), "{said:?}");
    assert!(said.out.contains("tests: make test: left out: it did not end within 1 s\n"), "{said:?}");
    for seconds in ["0", "x", "1e9", "NaN"] {
        assert_eq!(init(&scratch, &["--within", seconds]).status, 100, "{seconds}");
    }
}

#[test]
fn an_interrupt_kills_the_check_and_leaves_no_file() {
    for signal in ["INT", "TERM", "KILL"] {
        let scratch = with_programs("echo $$ >../pid.new; mv ../pid.new ../pid; exec sleep 300");
        scratch.write("Makefile", "test:\n");
        let mut command = scratch.command(bin_dir().join("rg-init"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let end = Instant::now() + Duration::from_secs(30);
        while !scratch.top().join("pid").exists() {
            assert!(Instant::now() < end, "the check did not begin");
            std::thread::sleep(Duration::from_millis(10));
        }
        scratch.ok(&format!("kill -{signal} {}", child.id()));
        assert!(!child.wait().unwrap().success());
        let alive = "p=$(cat ../pid); kill -0 $p 2>/dev/null && ! grep -q '^State:.Z' /proc/$p/status 2>/dev/null";
        while scratch.sh(alive, b"").status == 0 {
            assert!(Instant::now() < end, "{signal}: the check survived");
            std::thread::sleep(Duration::from_millis(20));
        }
        let left: Vec<_> = fs::read_dir(scratch.work()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["Makefile"], "{signal}");
    }
}

#[test]
fn an_existing_definition_is_replaced_only_by_force_and_kept() {
    let scratch = with_programs("exit 0");
    scratch.write("Makefile", "test:\n");
    scratch.write("DONE.md", "mine\n");
    let said = init(&scratch, &[]);
    assert_eq!((said.status, said.err.lines().count()), (1, 1), "{said:?}");
    assert!(
        said.err.contains("DONE.md exists and is not replaced. Print a proposal with `rg-init --dry-run`"),
        "{said:?}"
    );
    assert_eq!(init(&scratch, &["--dry-run"]).status, 0);
    let said = scratch.sh("CLAUDECODE=1 rg-init --force", b"");
    assert!(said.status == 100 && said.err.contains("only for the user"), "{said:?}");
    let read = |name: &str| fs::read_to_string(scratch.work().join(name)).unwrap();
    assert_eq!(read("DONE.md"), "mine\n");
    scratch.write("DONE.md.old", "older\n");
    let said = init(&scratch, &["--force"]);
    assert!(said.status == 0 && said.out.contains("the old one is DONE.md.old.1\n"), "{said:?}");
    assert_eq!((read("DONE.md.old"), read("DONE.md.old.1")), ("older\n".into(), "mine\n".into()));
    assert!(read("DONE.md").contains("run: make test\n"));
    // Without a check that passes the old one stays.
    scratch.write("Makefile", "x:\n");
    let before = read("DONE.md");
    assert_eq!(init(&scratch, &["--force"]).status, 1);
    assert_eq!(read("DONE.md"), before);
}

#[test]
fn links_and_other_names_of_a_definition_are_not_replaced() {
    let scratch = with_programs("exit 0");
    scratch.write("Makefile", "test:\n");
    scratch.ok("ln -s ../outside DONE.md");
    for args in [&[][..], &["--force"]] {
        let said = init(&scratch, args);
        assert!(said.status == 1 && said.err.contains("DONE.md is no regular file here"), "{said:?}");
    }
    assert!(!scratch.top().join("outside").exists());
    scratch.ok("rm DONE.md && mkdir DONE.md");
    assert_eq!(init(&scratch, &["--force"]).status, 1);
    scratch.ok("rmdir DONE.md && ln -s gone done.yml");
    let said = init(&scratch, &[]);
    assert!(said.status == 1 && said.err.contains("done.yml exists"), "{said:?}");
    scratch.ok("rm done.yml && chmod a-w .");
    let said = init(&scratch, &[]);
    match said.status {
        // The superuser may write there.
        0 => crate::scratch::skipped("no user without rights"),
        status => assert!(status == 111 && said.err.lines().count() == 1, "{said:?}"),
    }
    scratch.ok("chmod u+w .");
}

#[test]
fn hostile_build_files_are_reported_and_never_run_as_code() {
    let scratch = with_programs("exit 0");
    scratch.write("package.json", "{not json");
    scratch.write("Makefile", "test:\n");
    let said = init(&scratch, &["--dry-run"]);
    assert!(said.status == 0 && said.out.contains("# - package.json is not valid JSON: key must be"), "{said:?}");
    let scripts = r#"{"scripts": {"test": 3, "test:'; touch x;'": "a", "lint:\n```\n# x: y": "b", "lint:a b": "c", "check:fix": "d",
        "test:watch": "e", "--help": "f", "ci": "g", "test:$(touch x)": "h", "verify\u001b[0m": "i", "lint": []}}"#;
    scratch.write("package.json", scripts);
    for args in [&[][..], &["--from", "package.json"]] {
        scratch.ok("rm -f DONE.md");
        let said = init(&scratch, args);
        assert_eq!(said.status, 0, "{said:?}");
        assert!(!scratch.work().join("x").exists(), "{args:?}");
        assert_eq!(scratch.run("rg-check", &["--now"], b"").status, 0, "{args:?}");
    }
    let text = fs::read_to_string(scratch.work().join("DONE.md")).unwrap();
    assert!(text.contains("run: \"npm run 'lint:a b'\"\n") && text.contains("run: npm run ci\n"), "{text}");
    assert!(text.contains("the script `test:watch`") && !text.contains("run: \"npm run test:watch\""), "{text}");
    for (build_file, status) in [("{}", 1), ("[]", 1), ("{\"scripts\": 3}", 1), ("{", 100), ("", 100)] {
        scratch.ok("rm -f DONE.md");
        scratch.write("package.json", build_file);
        let said = init(&scratch, &["--from", "package.json"]);
        assert_eq!(said.status, status, "{build_file}: {said:?}");
    }
    scratch.ok("rm package.json Makefile; mkfifo package.json; mkdir Makefile; ln -s self go.mod");
    let said = init(&scratch, &[]);
    assert!(said.status == 1 && said.took < Duration::from_secs(10), "{said:?}");
}

#[test]
fn without_a_build_tool_an_example_is_printed() {
    let scratch = Scratch::new();
    let said = init(&scratch, &[]);
    assert_eq!((said.status, said.err.as_str()), (1, ""));
    assert!(said.out.contains("no known build tool in ") && said.out.contains("run: make test"), "{said:?}");
    assert_eq!(fs::read_dir(scratch.work()).unwrap().count(), 0);
    let said = scratch.run("rg-check", &["--now"], b"");
    assert!(said.out.contains("Write one with `rg-init`"), "{said:?}");
}

#[test]
fn a_definition_on_standard_input_judges_and_is_recorded_nowhere_in_the_tree() {
    let scratch = Scratch::repo();
    let green = b"```yaml\nchecks:\n  - {name: other, run: 'true'}\n```\n";
    let said = scratch.run("rg-check", &["--now", "--definition"], green);
    assert!(said.status == 0 && said.out.contains("other"), "{said:?}");
    assert_eq!(scratch.run("rg-check", &["--now"], b"").status, 1, "DONE.md judges without the option");
    assert_eq!(scratch.ok("git status --short").out, "");
    for (args, input) in [
        (&["--now", "--definition"][..], &b"```yaml\nx: 1\n```\n"[..]),
        (&["--now", "--definition"], b""),
        (&["--now", "--definition"], b"\xff"),
        (&["--definition"], green),
        (&["--now", "--definition", "--against", "HEAD"], green),
        (&["--validate", "--definition"], green),
    ] {
        let said = scratch.run("rg-check", args, input);
        assert_eq!(said.status, 100, "{args:?}: {said:?}");
    }
}
