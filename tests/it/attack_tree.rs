//! Attempts to bypass the gate with the work tree itself: directories too deep to walk, a work tree over files, a directory that is gone, and a
//! run in other surroundings.

use crate::scratch::Scratch;
use std::time::Duration;

/// A session in a repository with one check, which fails after a change.
fn failing(check: &str) -> Scratch {
    let scratch = Scratch::repo_with(&format!("checks:\n  - {check}\n"));
    scratch.prompt("s", "go");
    scratch
}

#[test]
fn a_tree_that_is_too_deep_to_walk_is_judged_up_to_there() {
    let scratch = failing("{name: c, run: 'grep -q fixed src.txt'}");
    // Each shell goes as deep as a path may be long, from where the one before it stopped.
    let deeper = "i=0; while [ $i -lt 450 ]; do mkdir dddddddddd && cd dddddddddd || break; i=$((i + 1)); done";
    scratch.ok(&format!("echo broken >src.txt; {deeper}"));
    let said = scratch.stop("s");
    assert_eq!(said.json()["decision"], "block", "{said:?}");
    assert!(said.reason().contains("Check \"c\" failed"), "{said:?}");
    assert!(said.reason().len() < 4000, "the path is not told as a whole: {said:?}");
    scratch.ok("rm -rf dddddddddd");
}

#[test]
fn a_work_tree_over_files_hides_none_of_them() {
    let scratch = Scratch::repo_with("guards:\n  protect: [tests]\nchecks:\n  - {name: c, run: 'true'}\n");
    scratch.ok("mkdir tests && echo one >tests/a && git add -A && git commit -qm tests");
    scratch.prompt("s", "go");
    scratch.ok(
        "cp -r tests ../t && rm -rf tests && git worktree add -q --no-checkout tests -b side && cp -r ../t/. tests",
    );
    scratch.write("tests/new", "shadows\n");
    let said = scratch.stop("s");
    assert_eq!(said.json()["decision"], "block", "{said:?}");
    assert!(said.reason().contains("tests/new"), "{said:?}");
}

#[test]
fn a_check_whose_directory_is_gone_fails() {
    let scratch = Scratch::repo_with("checks:\n  - {name: c, run: 'grep -q fixed ../src.txt', cwd: build}\n");
    scratch.ok("mkdir build && touch build/keep && git add -A && git commit -qm build");
    scratch.prompt("s", "go");
    scratch.ok("rm -rf build");
    let said = scratch.stop("s");
    assert_eq!(said.json()["decision"], "block", "{said:?}");
    assert!(said.reason().contains("`cwd` is no directory"), "{said:?}");
    scratch.ok("touch build");
    assert_eq!(scratch.stop("s").json()["decision"], "block", "a file");
    scratch.ok("rm build && mkdir build && echo fixed >src.txt && touch build/keep");
    let said = scratch.stop("s");
    assert!(!said.out.contains("block"), "{said:?}");
}

#[test]
fn a_run_below_lower_limits_is_not_reused() {
    let scratch = failing("{name: c, run: '[ \"$(ulimit -n)\" -lt 100 ]'}");
    scratch.append("src.txt", "more\n");
    assert_eq!(scratch.sh("ulimit -n 64; rg-check --now", b"").status, 0);
    assert_eq!(scratch.stop("s").json()["decision"], "block");
    // As many files as clients permit are as good as any number.
    let scratch = failing("{name: c, run: 'date +%s%N >>../ran; true', writes: []}");
    scratch.append("src.txt", "more\n");
    assert_eq!(scratch.sh("ulimit -S -n 2000; rg-check --now", b"").status, 0);
    scratch.stop("s");
    assert_eq!(scratch.ok("wc -l <../ran").out.trim(), "1");
}

#[test]
fn a_run_with_other_mounts_is_not_reused() {
    let scratch = failing("{name: c, run: 'grep -q fixed src.txt'}");
    let mounted = "unshare -rm sh -c 'mount --bind /bin/true /bin/grep && exec \"$@\"' sh";
    if scratch.sh(&format!("{mounted} true"), b"").status != 0 {
        println!("skipped: no unshare");
        return;
    }
    scratch.append("src.txt", "more\n");
    let line = format!("{mounted} rg-check --now");
    assert_eq!(scratch.sh(&line, b"").status, 0);
    assert_eq!(scratch.stop("s").json()["decision"], "block");
}

#[test]
fn a_stopped_run_does_not_keep_the_checks_from_running() {
    let scratch = failing("{name: c, run: 'touch ../begun; sleep 0.5; grep -q fixed src.txt', timeout: 20}");
    scratch.append("src.txt", "more\n");
    // The run is stopped while its check runs, and so holds the lock.
    scratch.ok("rg-check --now >../out 2>&1 & p=$!; echo $p >../pid; until [ -e ../begun ]; do sleep 0.01; done; kill -STOP $p");
    let said = scratch.stop("s");
    scratch.ok("kill -KILL $(cat ../pid)");
    assert_eq!(said.json()["decision"], "block", "{said:?}");
    assert!(said.err.contains("is stopped: the checks run beside it"), "{said:?}");
    assert!(said.took < Duration::from_secs(15), "{said:?}");
}

#[test]
fn a_hollow_file_of_terabytes_takes_no_time() {
    let scratch = failing("{name: c, run: 'grep -q fixed src.txt'}");
    scratch.append("src.txt", "more\n");
    if scratch.sh("truncate -s 8T big.bin", b"").status != 0 {
        println!("skipped: no file system for large files");
        return;
    }
    let said = scratch.stop("s");
    assert_eq!(said.json()["decision"], "block", "{said:?}");
    assert!(said.reason().contains("big.bin: inconclusive: cannot be read"), "{said:?}");
    assert!(said.took < Duration::from_secs(20), "{said:?}");
    scratch.ok("rm big.bin");
}
