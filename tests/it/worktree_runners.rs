//! Test runners that search `.worktrees`: the first `rg-worktree create` names the check, and what is named keeps the runner out.

use crate::scratch::{Scratch, skipped};

fn create(scratch: &Scratch, id: &str) -> String {
    let said = scratch.run("rg-worktree", &["create", id], b"");
    assert_eq!(said.status, 0, "{said:?}");
    said.err
}

fn with_check(run: &str) -> Scratch {
    Scratch::repo_with(&format!("checks:\n  - name: tests\n    run: {run}\n"))
}

#[test]
fn a_runner_that_searches_worktrees_is_named_once() {
    for (run, how) in [
        (
            "node --test",
            "`node --test` also runs the tests in .worktrees. To keep it out, name its directories or files, for example `node --test test/`",
        ),
        (
            "npx jest",
            "`jest` also runs the tests in .worktrees. To keep it out, add \"/.worktrees/\" to `testPathIgnorePatterns`",
        ),
        (
            "npx vitest run",
            "`vitest` also runs the tests in .worktrees. To keep it out, add `--exclude '.worktrees/**'`",
        ),
    ] {
        let scratch = with_check(run);
        assert_eq!(create(&scratch, "a"), format!("rg-worktree: check \"tests\": {how}\n"));
        assert_eq!(create(&scratch, "a"), "", "it is there already");
        assert_eq!(create(&scratch, "b"), "", "told once");
    }
}

#[test]
fn a_runner_that_is_kept_out_or_does_not_search_is_not_named() {
    for run in
        ["node --test test/", "npx vitest run --exclude '.worktrees/**'", "cargo test", "pytest", "cd web && npx jest"]
    {
        assert_eq!(create(&with_check(&format!("\"{run}\"")), "a"), "", "{run}");
    }
    let scratch = with_check("npx jest");
    scratch.write("jest.config.js", "module.exports = {testPathIgnorePatterns: ['/node_modules/', '/.worktrees/']};\n");
    assert_eq!(create(&scratch, "a"), "", "the configuration excludes it");
}

#[test]
fn a_script_of_npm_is_followed_and_the_mend_keeps_the_tests_of_worktrees_out() {
    let scratch = with_check("npm test");
    if scratch.sh("node --version", b"").status != 0 {
        return skipped("no node");
    }
    scratch.write("package.json", "{\"scripts\": {\"test\": \"node --test\"}}\n");
    scratch.write("test/a.test.js", "require('node:test')('adds', () => {});\n");
    scratch.ok("git add -A && git commit -qm tests");
    assert!(create(&scratch, "a").contains("check \"tests\": `node --test` also runs"), "told");
    let tests = |line: &str| {
        let out = scratch.ok(&format!("{line} --test-reporter=tap 2>&1")).out;
        out.lines().find_map(|line| line.strip_prefix("# tests ")).unwrap_or_default().to_string()
    };
    // Newer versions of Node may not search hidden directories.
    let all = tests("node --test");
    assert!(matches!(all.as_str(), "1" | "2"), "{all}");
    assert_eq!(scratch.ok("node --test --test-reporter=tap test/*.js 2>&1 | grep -c '^# tests 1$'").out, "1\n");
}
