//! Laws of the window of a run: a verdict is about files that did not change while the checks ran, and caches are no such change.

use crate::scratch::{Said, Scratch};
use serde_json::json;
use std::fs;

const DONE: &str = "checks:\n  - {name: tests, run: sh ../check.sh}\n";

/// A session in which src.txt has no fix, with a check outside of the repository: a test between these two commands.
fn session(yaml: &str, before: &str, after: &str) -> Scratch {
    let scratch = Scratch::repo_with(yaml);
    scratch.write("lib/part.txt", "part\n");
    scratch.ok("git add -A && git commit -qm parts");
    script(&scratch, before, after);
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    scratch
}

fn script(scratch: &Scratch, before: &str, after: &str) {
    fs::write(scratch.top().join("check.sh"), format!("{before}\n{after}\n")).unwrap();
}

fn is_silent(said: &Said) -> bool {
    said.out.is_empty()
}

const SWAPS: &[(&str, &str, &str)] = &[
    ("written", "cp src.txt ../red; echo fixed >src.txt; sh test.sh", "cat ../red >src.txt"),
    ("renamed", "mv src.txt ../red; echo fixed >src.txt; sh test.sh", "mv ../red src.txt"),
    ("replaced", "cp src.txt ../red; sed -i s/more/fixed/ src.txt; sh test.sh", "cp ../red new; mv new src.txt"),
    (
        "with its time set back",
        "cp -p src.txt ../red; echo fixed >src.txt; sh test.sh",
        "cat ../red >src.txt; touch -r ../red src.txt",
    ),
    (
        "through a hard link",
        "ln src.txt ../link; cp src.txt ../red; echo fixed >../link; sh test.sh",
        "cat ../red >../link",
    ),
    ("a test", "cp test.sh ../red; echo exit 0 >test.sh; sh test.sh", "cat ../red >test.sh"),
    (
        "a link",
        "cp src.txt ../red; echo fixed >../green; ln -sf ../green src.txt; sh test.sh",
        "rm src.txt; cp ../red src.txt",
    ),
    ("only its mode", "chmod 600 src.txt", "chmod 644 src.txt"),
];

#[test]
fn a_file_that_is_another_one_while_a_check_runs_is_named_and_unverified() {
    for (how, before, after) in SWAPS {
        let scratch = session(DONE, before, after);
        let told = scratch.stop("s").told();
        let file = if *how == "a test" { "test.sh" } else { "src.txt" };
        let want = format!(
            "1 file changed while the checks ran, and back to the old content: {file}. If a check writes there, declare it in DONE.md: `writes: [{file}]`"
        );
        assert!(told.contains(&want), "{how}: {told}");
        assert_eq!(scratch.words(), ["unverified"], "{how}");
    }
}

#[test]
fn a_check_that_fails_and_restores_a_file_has_failed() {
    let scratch = session(DONE, "touch src.txt", "exit 1");
    assert!(scratch.stop("s").reason().contains("tests"));
    assert_eq!(scratch.words(), ["not-done"]);
}

#[test]
fn a_run_that_restored_a_file_is_not_reused() {
    let (_, before, after) = SWAPS[0];
    let scratch = session(DONE, before, after);
    for _ in 0..2 {
        assert!(scratch.stop("s").told().contains("back to the old content: src.txt"));
    }
    assert_eq!(scratch.words(), ["unverified", "unverified"]);
}

#[test]
fn the_user_may_waive_a_change_during_the_checks() {
    for (before, after) in [("touch src.txt", "exit 0"), ("mkdir -p dist", "date +%N >dist/x.js")] {
        let scratch = session(DONE, before, after);
        assert!(scratch.stop("s").told().contains("unverified"));
        let waive = "rg-bounce waive --why output --scope rule:check-wrote";
        if scratch.run("script", &["-qec", waive, "/dev/null"], b"").status != 0 {
            crate::scratch::skipped("no script");
            return;
        }
        scratch.stop("s");
        assert_eq!(scratch.words(), ["unverified", "waived"]);
    }
}

#[test]
fn a_check_may_restore_what_it_declares() {
    let yaml = "checks:\n  - {name: tests, run: sh ../check.sh, writes: [src.txt]}\n";
    let scratch = session(yaml, "cp src.txt ../same", "cat ../same >src.txt");
    assert!(is_silent(&scratch.stop("s")));
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn reading_listing_and_writing_elsewhere_changes_no_file() {
    let quiet = "cat src.txt test.sh lib/part.txt; git status; git stash list; git update-index --refresh; \
                 find . -type f; touch ../elsewhere; mkdir -p lib/tmp; echo x >lib/tmp/x; rm -r lib/tmp; touch lib";
    let scratch = session(DONE, quiet, "exit 0");
    let said = scratch.stop("s");
    assert!(is_silent(&said), "{said:?}");
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn an_ignore_rule_of_this_task_permits_no_change() {
    let scratch = session(DONE, "grep -q good feature.sh", "echo evil >feature.sh");
    scratch.write(".gitignore", "feature.sh\nout/\n");
    scratch.write("feature.sh", "# good\n");
    let told = scratch.stop("s").told();
    assert!(told.contains("1 file changed while the checks ran: feature.sh."), "{told}");
    // Neither does it for a new file, nor a rule that the check writes.
    script(
        &scratch,
        "mkdir -p out lib/own; echo '*' >lib/own/.gitignore",
        "echo x >out/run.py; echo x >lib/own/run.py",
    );
    let told = scratch.stop("s").told();
    assert!(
        told.contains("3 files changed while the checks ran: lib/own/.gitignore, lib/own/run.py, out/run.py."),
        "{told}"
    );
    assert_eq!(scratch.words(), ["unverified", "unverified"]);
}

#[test]
fn an_ignore_rule_of_the_baseline_permits_changes() {
    let scratch = Scratch::repo_with(DONE);
    scratch.write(".gitignore", "out/\n");
    scratch.ok("git add -A && git commit -qm ignore");
    script(&scratch, "mkdir -p out", "date +%N >out/run.py");
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    assert!(is_silent(&scratch.stop("s")));
    assert_eq!(scratch.words(), ["done"]);
}

/// The layouts were taken from real runs of the tools.
const CACHES: &[(&str, &str, &[&str], &str)] = &[
    (
        "pytest",
        "",
        &[
            "__pycache__/test_a.cpython-312-pytest-8.2.2.pyc",
            ".pytest_cache/.gitignore",
            ".pytest_cache/CACHEDIR.TAG",
            ".pytest_cache/README.md",
            ".pytest_cache/v/cache/nodeids",
            ".pytest_cache/v/cache/lastfailed",
            ".pytest_cache/v/cache/stepwise",
        ],
        ".pytest_cache/ __pycache__/",
    ),
    (
        "mypy",
        "",
        &[
            ".mypy_cache/.gitignore",
            ".mypy_cache/CACHEDIR.TAG",
            ".mypy_cache/3.12/builtins.data.json",
            ".mypy_cache/3.12/builtins.meta.json",
            ".mypy_cache/missing_stubs",
        ],
        ".mypy_cache/",
    ),
    (
        "ruff",
        "",
        &[".ruff_cache/.gitignore", ".ruff_cache/CACHEDIR.TAG", ".ruff_cache/0.6.9/15242133468721987372"],
        ".ruff_cache/",
    ),
    (
        "coverage.py",
        "",
        &[
            ".coverage",
            ".coverage.host.4242.XhTqzFfx",
            "coverage.xml",
            "htmlcov/index.html",
            "htmlcov/coverage_html_cb_6fb7b396.js",
            "htmlcov/style_cb_8e611ae1.css",
            "htmlcov/favicon_32_cb_58284776.png",
            "htmlcov/status.json",
            "htmlcov/.gitignore",
        ],
        ".coverage .coverage.* coverage.xml htmlcov/",
    ),
    (
        "jest",
        "",
        &[
            "coverage/clover.xml",
            "coverage/coverage-final.json",
            "coverage/lcov.info",
            "coverage/lcov-report/index.html",
            "coverage/lcov-report/prettify.js",
            "coverage/lcov-report/sorter.js",
        ],
        "coverage/ lcov.info",
    ),
    (
        "vite and vitest",
        "",
        &[
            "node_modules/.vite/deps/_metadata.json",
            "node_modules/.vite/deps/react.js",
            "node_modules/.vite/vitest/results.json",
            "node_modules/.vite-temp/vite.config.ts.timestamp-1-2.mjs",
        ],
        "node_modules/",
    ),
    (
        "eslint and babel",
        "",
        &[".eslintcache", "node_modules/.cache/babel-loader/c2f4.json", "node_modules/.cache/prettier/.prettier-cache"],
        ".eslintcache node_modules/",
    ),
    ("tsc", "", &["tsconfig.tsbuildinfo", "packages/a/tsconfig.tsbuildinfo"], "*.tsbuildinfo"),
    (
        "cargo",
        "Cargo.toml",
        &[
            "target/CACHEDIR.TAG",
            "target/.rustc_info.json",
            "target/debug/.cargo-lock",
            "target/debug/deps/app-1b2c.d",
            "target/debug/.fingerprint/app-1b2c/invoked.timestamp",
        ],
        "target/",
    ),
    (
        "gradle",
        "app/build.gradle.kts",
        &[
            ".gradle/8.10/checksums/checksums.lock",
            ".gradle/buildOutputCleanup/cache.properties",
            ".gradle/vcs-1/gc.properties",
            "app/build/classes/java/main/App.class",
            "app/build/test-results/test/TEST-AppTest.xml",
            "app/build/tmp/compileJava/previous-compilation-data.bin",
        ],
        ".gradle/ build/",
    ),
    (
        "maven",
        "pom.xml",
        &["target/classes/App.class", "target/surefire-reports/TEST-AppTest.xml", "target/maven-status/x.lst"],
        "target/",
    ),
    (
        "a server's log, an editor",
        "",
        &["server.log", "logs/app.log.1", "nohup.out", "src/.main.rs.swp", ".DS_Store"],
        "*.log *.log.[0-9]* .*.sw[a-p] .DS_Store nohup.out",
    ),
];

#[test]
fn caches_and_logs_of_tools_are_no_change_and_are_named_once() {
    for (tool, build_file, files, rules) in CACHES {
        let scratch = Scratch::repo_with(DONE);
        if !build_file.is_empty() {
            scratch.write(build_file, "x\n");
            scratch.ok("git add -A && git commit -qm build");
        }
        let write = |file: &&str| format!("mkdir -p \"$(dirname '{file}')\"; date +%N >'{file}'");
        let leave = files.iter().map(write).collect::<Vec<_>>().join("\n");
        script(&scratch, &leave, "exit 0");
        scratch.prompt("s", "go");
        scratch.append("src.txt", "more\n");
        let told = scratch.stop("s").told();
        assert!(told.contains(&format!("Add to .gitignore: {rules}")), "{tool}: {told}");
        // The next run removes one, changes one and writes the others as they are.
        let others = files[1..].iter().map(|file| format!("touch '{file}'")).collect::<Vec<_>>().join("\n");
        script(&scratch, &format!("{others}\nrm '{}'; date +%N >'{}'", files[0], files[files.len() - 1]), "exit 0");
        scratch.prompt("s", "go on");
        scratch.append("src.txt", "more\n");
        let said = scratch.stop("s");
        assert!(is_silent(&said), "{tool}: {said:?}");
        assert_eq!(scratch.words(), ["done", "done"], "{tool}");
    }
}

#[test]
fn a_cache_that_is_committed_is_judged() {
    let scratch = session(DONE, "date +%N >kept.log", "exit 0");
    scratch.write("kept.log", "x\n");
    scratch.ok("git add -f kept.log");
    assert!(scratch.stop("s").told().contains("changed while the checks ran: kept.log."));
}

#[test]
fn a_build_directory_needs_its_committed_build_file() {
    for (build_file, path) in [("Cargo.toml", "target/x.py"), ("package.json", "build/x.js")] {
        let scratch = session(DONE, &format!("mkdir -p target build; echo x >{path}"), "exit 0");
        scratch.write(build_file, "x\n");
        assert!(scratch.stop("s").told().contains(&format!("changed while the checks ran: {path}.")));
    }
}

#[test]
fn code_and_configuration_dropped_between_two_checks_is_unverified() {
    let dropped = [
        "conftest.py",
        "sitecustomize.py",
        "GNUmakefile",
        ".npmrc",
        "node_modules/x.js",
        "lib/__init__.py",
        "coverage/__init__.py",
        "__pycache__/x.py",
        ".cargo/config.toml",
        "app.log/x.py",
    ];
    for file in dropped {
        let yaml = format!(
            "checks:\n  - {{name: a, run: 'mkdir -p \"$(dirname {file})\"; echo x >{file}'}}\n  - {{name: b, run: test -e {file}}}\n"
        );
        let scratch = session(&yaml, "", "");
        let told = scratch.stop("s").told();
        assert!(told.contains(&format!("1 file changed while the checks ran: {file}.")), "{file}: {told}");
        assert_eq!(scratch.words(), ["unverified"], "{file}");
    }
}

#[test]
fn code_and_configuration_that_exist_only_while_the_checks_run_are_unverified() {
    for (file, drop) in [
        ("conftest.py", "echo x >conftest.py; rm conftest.py"),
        ("lib/GNUmakefile", "echo x >lib/GNUmakefile; rm lib/GNUmakefile"),
        (".npmrc", "echo x >../npmrc; mv ../npmrc .npmrc; mv .npmrc ../npmrc"),
    ] {
        let scratch = session(DONE, drop, "exit 0");
        let told = scratch.stop("s").told();
        assert!(told.contains(&format!("1 file existed only while the checks ran: {file}.")), "{file}: {told}");
        assert_eq!(scratch.words(), ["unverified"], "{file}");
    }
}

#[test]
fn a_directory_that_is_another_one_while_a_check_runs_is_unverified() {
    let scratch = session(DONE, "mv lib ../kept; cp -r ../kept lib", "rm -r lib; mv ../kept lib");
    let told = scratch.stop("s").told();
    assert!(told.contains("1 directory moved while the checks ran: lib/."), "{told}");
    let scratch =
        session(DONE, "mv src.txt lib/part.txt ..; rmdir lib; mkdir lib", "mv ../part.txt lib; mv ../src.txt .");
    assert!(scratch.stop("s").told().contains("back to the old content: lib/part.txt, src.txt."));
}

#[test]
fn temporary_data_of_a_test_is_no_change() {
    let tests = "for i in 1 2 3; do echo x >lib/test.db-journal; rm lib/test.db-journal; done; echo x >conftest.c; rm conftest.c; \
                 mkdir lib/tmp; echo x >lib/tmp/a.py; rm -r lib/tmp; echo x >vite.config.ts.timestamp-1-2.mjs; rm vite.config.ts.*";
    let scratch = session(DONE, tests, "exit 0");
    assert!(is_silent(&scratch.stop("s")));
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn a_lock_file_that_a_check_writes_is_to_be_committed() {
    let scratch = session(DONE, "[ -e Cargo.lock ] || echo x >Cargo.lock", "exit 0");
    let told = scratch.stop("s").told();
    assert!(told.contains("1 lock file changed while the checks ran: Cargo.lock. Commit it"), "{told}");
    scratch.ok("git add -A && git commit -qm lock");
    assert!(is_silent(&scratch.stop("s")));
    assert_eq!(scratch.words(), ["unverified", "done"]);
}

#[test]
fn many_changed_files_are_named_by_their_directories() {
    let scratch = session(DONE, "mkdir -p dist/a; for i in 1 2 3 4 5 6 7; do echo $i >dist/a/$i.js; done", "exit 0");
    let told = scratch.stop("s").told();
    let want = "7 files changed while the checks ran: dist/a/1.js, dist/a/2.js, dist/a/3.js, dist/a/4.js, dist/a/5.js and 2 more. If a check writes there, declare it in DONE.md: `writes: [dist/]`";
    assert!(told.contains(want), "{told}");
    let scratch = session(DONE, "echo x >'odd, name'", "exit 0");
    assert!(
        scratch
            .stop("s")
            .told()
            .contains("odd, name. If a check writes there, declare it in DONE.md: `writes: [PATTERN]`")
    );
}

#[test]
fn files_that_a_started_check_finds_unreadable_are_seen_when_they_change() {
    let (_, before, after) = SWAPS[0];
    let scratch = session(DONE, &format!("chmod 644 src.txt; {before}"), &format!("{after}; chmod 000 src.txt"));
    scratch.ok("chmod 000 src.txt");
    scratch.stop_with("s", json!({"last_assistant_message": "done"}));
    assert!(!scratch.words().contains(&"done".to_string()), "{:?}", scratch.words());
}
