//! Laws of rg-land about what the checks of a landing leave: caches that rg-check permits land nothing and hinder nothing.

use crate::land::{land, refused, shared_with, work};

#[test]
fn a_cache_that_a_check_leaves_does_not_hinder_a_landing_and_does_not_land() {
    let run = "mkdir -p .pytest_cache/v && date +%s%N >.pytest_cache/v/lastfailed";
    let scratch = shared_with(&format!("  - {{name: cache, run: '{run}'}}\n"));
    work(&scratch, "a", "a.txt", "fine\n");
    let said = land(&scratch, &["rg/a"]);
    assert_eq!(said.status, 0, "{said:?}");
    let files = scratch.ok("git -C ../remote.git ls-tree -r --name-only main").out;
    assert!(files.contains("a.txt") && !files.contains("pytest"), "{files}");
}

#[test]
fn a_check_that_leaves_code_or_changes_a_file_of_the_commit_lands_nothing() {
    for (run, text) in [
        ("date +%s%N >conftest.py", "not landed: rg/a on main is unverified"),
        ("date +%s%N >a.txt", "not landed: rg/a on main is unverified"),
    ] {
        let scratch = shared_with(&format!("  - {{name: write, run: '{run}'}}\n"));
        work(&scratch, "a", "a.txt", "fine\n");
        refused(&scratch, &["rg/a"], 111, text);
    }
    let scratch = shared_with("  - {name: write, run: 'date +%s%N >a.txt', writes: [a.txt]}\n");
    work(&scratch, "a", "a.txt", "fine\n");
    refused(&scratch, &["rg/a"], 111, "not landed: files changed while they were judged (a.txt)");
}
