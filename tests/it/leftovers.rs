//! Laws of the files that tools leave while the checks run: a cache is no change, code and configuration are.

use crate::scratch::Scratch;
use crate::window::{DONE, is_silent, script, session};

/// Tools with the committed file that their output belongs to, the files that they leave, and the lines that ignore those.
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
            "coverage.lcov",
            "htmlcov/index.html",
            "htmlcov/coverage_html_cb_6fb7b396.js",
            "htmlcov/style_cb_8e611ae1.css",
            "htmlcov/favicon_32_cb_58284776.png",
            "htmlcov/status.json",
            "htmlcov/.gitignore",
        ],
        "*.lcov .coverage .coverage.* coverage.xml htmlcov/",
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
fn a_manual_check_names_the_caches_in_a_note() {
    let scratch = session(DONE, "date +%N >server.log", "exit 0");
    let said = scratch.run("rg-check", &["--now"], b"");
    assert!(said.status == 0 && said.out.contains("note: tools left caches or logs"), "{said:?}");
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
fn a_lock_file_that_a_check_writes_is_to_be_committed() {
    let scratch = session(DONE, "[ -e Cargo.lock ] || echo x >Cargo.lock", "exit 0");
    let told = scratch.stop("s").told();
    assert!(told.contains("1 lock file changed while the checks ran: Cargo.lock. Commit it"), "{told}");
    scratch.ok("git add -A && git commit -qm lock");
    script(&scratch, "touch Cargo.lock", "exit 0");
    assert!(is_silent(&scratch.stop("s")), "npm install writes the same bytes again");
    assert_eq!(scratch.words(), ["unverified", "done"]);
}
