//! Laws of the window of a run: a verdict is about files that did not change while the checks ran, and caches are no such change.

use crate::scratch::{Said, Scratch};
use serde_json::json;
use std::fs;

pub const DONE: &str = "checks:\n  - {name: tests, run: sh ../check.sh}\n";

/// A session in which src.txt has no fix, with a check outside of the repository: a test between these two commands.
pub fn session(yaml: &str, before: &str, after: &str) -> Scratch {
    let scratch = Scratch::repo_with(yaml);
    scratch.write("lib/part.txt", "part\n");
    scratch.ok("git add -A && git commit -qm parts");
    script(&scratch, before, after);
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    scratch
}

pub fn script(scratch: &Scratch, before: &str, after: &str) {
    fs::write(scratch.top().join("check.sh"), format!("{before}\n{after}\n")).unwrap();
}

pub fn is_silent(said: &Said) -> bool {
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
    // A directory above the root: meanwhile another tree can stand at its path.
    let above = "d=$(cd .. && pwd); mv \"$d\" \"$d.away\"; mv \"$d.away\" \"$d\"";
    let scratch = session(DONE, above, "exit 0");
    let told = scratch.stop("s").told();
    assert!(told.contains(&format!("1 directory moved while the checks ran: {}/.", scratch.top().display())), "{told}");
    let scratch =
        session(DONE, "mv src.txt lib/part.txt ..; rmdir lib; mkdir lib", "mv ../part.txt lib; mv ../src.txt .");
    assert!(scratch.stop("s").told().contains("back to the old content: lib/part.txt, src.txt."));
}

#[test]
fn a_mount_over_a_judged_file_while_a_check_runs_is_named_and_unverified() {
    let mount = "echo fixed >../green; mount --bind ../green src.txt || exit 9; sh test.sh";
    let scratch = session(DONE, mount, "e=$?; sleep .1; umount src.txt; exit $e");
    if scratch.sh("unshare -rm mount -t tmpfs none ..", b"").status != 0 {
        return crate::scratch::skipped("no user namespaces");
    }
    let said = scratch.sh("unshare -rm rg-check --now", b"");
    let want =
        format!("1 path mounted or unmounted while the checks ran: {}.", scratch.work().join("src.txt").display());
    assert!(said.out.contains(&want) && said.status != 0, "{said:?}");
    // A mount that covers no judged file.
    let scratch = session(DONE, "mkdir ../other; mount -t tmpfs none ../other", "umount ../other; exit 0");
    let said = scratch.sh("unshare -rm rg-check --now", b"");
    assert!(said.status == 0, "{said:?}");
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
fn an_unreadable_file_that_is_readable_while_a_check_runs_is_not_done() {
    let (_, before, after) = SWAPS[0];
    let scratch = session(DONE, &format!("chmod 644 src.txt; {before}"), &format!("{after}; chmod 000 src.txt"));
    scratch.ok("chmod 000 src.txt");
    scratch.stop_with("s", json!({"last_assistant_message": "done"}));
    assert!(!scratch.words().contains(&"done".to_string()), "{:?}", scratch.words());
}
