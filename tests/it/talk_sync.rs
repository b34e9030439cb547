//! Laws of `sync`: clones exchange messages and issues through a remote, and nothing is lost.

use crate::scratch::{Said, Scratch};
use serde_json::{Value, json};
use std::fs;

/// A remote and three clones of it, `a`, `b` and `c`.
fn clones() -> Scratch {
    let scratch = Scratch::repo();
    scratch.ok("git init -q --bare ../remote.git && git remote add origin ../remote.git && git push -q origin HEAD:refs/heads/main");
    scratch.ok("for n in a b c; do git clone -q ../remote.git ../$n; done");
    scratch
}

fn at(scratch: &Scratch, clone: &str, line: &str) -> Said {
    scratch.sh(&format!("cd ../{clone} && {line}"), b"")
}

fn ok(scratch: &Scratch, clone: &str, line: &str) -> String {
    let said = at(scratch, clone, line);
    assert_eq!(said.status, 0, "{clone}: {line}: {said:?}");
    said.out
}

fn sync(scratch: &Scratch, clone: &str) -> Value {
    serde_json::from_str(&ok(scratch, clone, "rg-msg sync --json")).unwrap()
}

/// All that a clone has, as its readers see it.
fn seen(scratch: &Scratch, clone: &str) -> String {
    ok(scratch, clone, "rg-msg read t --all --json; rg-msg list; rg-issue list --all --json")
}

#[test]
fn two_clones_have_the_messages_and_issues_of_both() {
    let scratch = clones();
    ok(&scratch, "a", "rg-msg post t -m 'from a'; rg-issue new 'issue of a'");
    ok(&scratch, "b", "rg-msg post t -m 'from b'; rg-msg post 'Other Topic' -m x");
    assert_eq!(sync(&scratch, "a"), json!({"received": 0, "sent": 2}));
    assert_eq!(sync(&scratch, "b"), json!({"received": 2, "sent": 2}));
    assert_eq!(sync(&scratch, "a"), json!({"received": 2, "sent": 0}));
    assert_eq!(sync(&scratch, "a"), json!({"received": 0, "sent": 0}), "nothing is new");
    let (a, b) = (seen(&scratch, "a"), seen(&scratch, "b"));
    assert!(a == b && a.contains("from a") && a.contains("from b") && a.contains("Other Topic"), "{a}\n{b}");
    // No branch, no tag, and no file of the work was touched.
    let there = ok(&scratch, "a", "git ls-remote origin");
    let names: Vec<&str> = there.lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
    assert_eq!(names, ["HEAD", "refs/heads/main", "refs/review-gate/talk"]);
    assert_eq!(ok(&scratch, "b", "git branch -a --list '*talk*'; git status --porcelain -- ':!.review-gate'"), "");
}

#[test]
fn eight_writers_in_three_clones_that_exchange_at_once_lose_nothing() {
    let scratch = clones();
    let line = "for n in 1 2 3 4 5 6 7 8; do \
                  for clone in a b c; do \
                    ( cd ../$clone && rg-msg post t -m \"$clone $n\" --quiet && rg-issue new \"$clone $n\" --quiet && rg-msg sync --quiet ) & \
                  done; \
                done; wait";
    let said = scratch.sh(line, b"");
    assert_eq!(said.err, "", "{said:?}");
    for _ in 0..2 {
        ["a", "b", "c"].iter().for_each(|clone| drop(sync(&scratch, clone)));
    }
    let all = ["a", "b", "c"].map(|clone| seen(&scratch, clone));
    assert!(all[0] == all[1] && all[1] == all[2]);
    assert_eq!(all[0].lines().filter(|line| line.contains("\"kind\":\"message\"")).count(), 24);
    assert_eq!(all[0].lines().filter(|line| line.contains("\"title\"")).count(), 24);
}

#[test]
fn an_exchange_that_is_killed_anywhere_loses_nothing_and_the_next_one_goes_on() {
    let mut reached = 0;
    for point in 1..=12 {
        let mut scratch = clones();
        ok(&scratch, "a", "rg-msg post t -m 'from a'; rg-issue new 'issue of a'");
        sync(&scratch, "a");
        ok(&scratch, "b", "rg-msg post t -m 'from b'; rg-issue new 'issue of b'");
        let before = seen(&scratch, "a");
        scratch.set("RG_CRASH", &point.to_string());
        let said = at(&scratch, "b", "rg-msg sync");
        scratch.env.remove("RG_CRASH");
        reached += usize::from(said.status != 0);
        assert_eq!(seen(&scratch, "a"), before);
        ["b", "a", "b"].iter().for_each(|clone| drop(sync(&scratch, clone)));
        let (a, b) = (seen(&scratch, "a"), seen(&scratch, "b"));
        assert_eq!(a, b, "killed at {point}");
        assert_eq!(a.matches("\"body\":\"from ").count(), 2, "{a}");
        if said.status == 0 {
            break;
        }
    }
    assert!(reached >= 3, "{reached}");
}

#[test]
fn after_the_exchange_all_clones_name_the_same_winner_and_the_other_cannot_close() {
    let mut scratch = clones();
    let id = ok(&scratch, "a", "rg-issue new shared").trim().to_string();
    ["a", "b", "c"].iter().for_each(|clone| drop(sync(&scratch, clone)));
    scratch.later(1.0);
    ok(&scratch, "b", &format!("rg-issue claim {id} --as bob"));
    scratch.later(1.0);
    ok(&scratch, "c", &format!("rg-issue claim {id} --as cy && rg-issue status {id} closed --as cy"));
    ["c", "b", "a", "c"].iter().for_each(|clone| drop(sync(&scratch, clone)));
    for clone in ["a", "b", "c"] {
        let issue: Value = serde_json::from_str(&ok(&scratch, clone, &format!("rg-issue show {id} --json"))).unwrap();
        assert_eq!(
            (&issue["claim"]["by"]["from"], &issue["status"]),
            (&json!("bob"), &json!("in_progress")),
            "{clone}"
        );
    }
    let said = at(&scratch, "c", &format!("rg-issue status {id} closed --as cy"));
    assert!(said.status == 1 && said.err.contains("is claimed: bob"), "{said:?}");
    ok(&scratch, "b", &format!("rg-issue status {id} closed --as bob"));
}

#[test]
fn a_remote_that_holds_something_else_changes_only_files_of_the_talk() {
    let scratch = clones();
    ok(&scratch, "a", "rg-msg post t -m mine");
    // Another program wrote the reference: a link, a directory, a name that leads elsewhere, lines that are no records.
    ok(
        &scratch,
        "b",
        "mkdir -p sub && echo evil >sub/x && ln -s /etc/passwd topic-link.jsonl && printf '42\\n<<<<<<<\\n{\"id\":\"01\\n' >topic-t.jsonl && \
         echo x >'..evil' && echo '*' >.gitattributes && git add -A -f && git -c user.name=x -c user.email=x commit -qm x && \
         git push -q origin HEAD:refs/review-gate/talk",
    );
    assert_eq!(sync(&scratch, "a"), json!({"received": 0, "sent": 1}));
    let names = ok(&scratch, "a", "ls -A .review-gate");
    assert_eq!(names, "topic-t.jsonl\n");
    let listed = ok(&scratch, "b", "git fetch -q origin refs/review-gate/talk && git ls-tree --name-only FETCH_HEAD");
    assert_eq!(listed, "topic-t.jsonl\n", "the next commit has only the talk");
}

#[test]
fn what_was_set_aside_here_does_not_come_back() {
    let mut scratch = clones();
    let id = ok(&scratch, "a", "rg-issue new old").trim().to_string();
    ok(&scratch, "a", &format!("rg-issue status {id} closed"));
    sync(&scratch, "a");
    sync(&scratch, "b");
    scratch.later(40.0 * 86_400.0);
    ok(&scratch, "a", "rg-issue clean");
    for clone in ["a", "b", "a"] {
        sync(&scratch, clone);
    }
    let file = scratch.top().join("a/.review-gate/issues.jsonl");
    assert!(!fs::read_to_string(file).unwrap().contains(&id));
    assert!(ok(&scratch, "b", "rg-issue list --all").contains(&id));
}

#[test]
fn a_remote_that_is_not_there_is_named_and_nothing_changes() {
    let scratch = clones();
    ok(&scratch, "a", "rg-msg post t -m mine");
    let before = seen(&scratch, "a");
    for (remote, status) in [("nowhere", 111), ("../missing.git", 111), ("''", 100), ("-- --upload-pack=x", 100)] {
        let said = at(&scratch, "a", &format!("rg-msg sync {remote}"));
        assert!(said.status == status && said.err.lines().count() == 1, "{remote}: {said:?}");
    }
    assert_eq!(seen(&scratch, "a"), before);
    let outside = scratch.sh("cd .. && rg-issue sync", b"");
    assert_eq!(outside.status, 100, "{outside:?}");
}

#[test]
fn a_reference_that_is_no_commit_is_named_with_its_mend() {
    let scratch = clones();
    ok(&scratch, "a", "rg-msg post t -m mine");
    ok(&scratch, "b", "git -c user.name=x -c user.email=x tag -a -m x v1 HEAD");
    for (object, kind) in [("HEAD:", "tree"), ("v1", "tag"), ("HEAD:DONE.md", "blob")] {
        ok(&scratch, "b", &format!("git push -qf origin $(git rev-parse {object}):refs/review-gate/talk"));
        let said = at(&scratch, "a", "rg-msg sync");
        let wanted = format!("refs/review-gate/talk of origin is a {kind}");
        assert!(said.status == 111 && said.err.contains(&wanted), "{said:?}");
        ok(&scratch, "a", "git push -q origin --delete refs/review-gate/talk");
        assert_eq!(sync(&scratch, "a")["sent"], 1, "{kind}");
        ok(&scratch, "a", "git push -q origin --delete refs/review-gate/talk");
    }
}

#[test]
fn a_remote_that_does_not_exist_is_named_with_what_helps() {
    let scratch = Scratch::repo();
    for program in ["rg-msg", "rg-issue"] {
        for (args, name) in [(&["sync"][..], "origin"), (&["sync", "other"], "other")] {
            let said = scratch.run(program, args, b"");
            let told = format!(
                "{program}: no remote \"{name}\". Add it: `git remote add {name} URL`, or name another remote after `sync`\n"
            );
            assert_eq!((said.status, said.err.as_str()), (111, told.as_str()));
        }
        let said = scratch.run(program, &["sync", "/nonexistent"], b"");
        assert!(said.status == 111 && said.err.contains("unable to reach /nonexistent"), "{said:?}");
    }
}
