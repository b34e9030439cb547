//! Laws of rg-land in unusual repositories: picked and reverted commits, sparse and second checkouts, unusual settings,
//! refspecs and names, hooks, rewritten history, sessions that began on commits that are not on the base.

use crate::land::{commit, land, picture, records, refused, remote, shared, shared_with, tip, within, work};
use crate::scratch::Scratch;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A session that runs this line in a worktree and ends as done.
fn session(scratch: &Scratch, id: &str, tree: &Path, line: &str) {
    let start = json!({"hook_event_name": "SessionStart", "source": "startup", "cwd": tree});
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go", "cwd": tree});
    for event in [start, prompt] {
        let said = scratch.sh("rg-event --client claude | rg-tamper | rg-answer", &scratch.payload(id, event));
        assert_eq!(said.status, 0, "{said:?}");
    }
    within(scratch, tree, line);
    let said = scratch.sh(crate::scratch::STOP, &scratch.stop_payload(id, json!({"cwd": tree})));
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{said:?}");
    assert_eq!(scratch.receipt()["outcome"], "done");
}

/// A git hook of the user.
fn hook(scratch: &Scratch, name: &str, script: &str) {
    let path = scratch.work().join(".git/hooks").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    scratch.ok("git config core.hooksPath \"$PWD/.git/hooks\"");
}

/// Runs a line in a second clone of the remote and pushes.
fn elsewhere(scratch: &Scratch, line: &str) {
    scratch.ok(&format!(
        "[ -e ../other ] || git clone -q ../remote.git ../other; cd ../other && git pull -q --ff-only && {line} && git push -q"
    ));
}

fn log(scratch: &Scratch) -> Vec<String> {
    tip(scratch, "-C ../remote.git log --format=%s main").lines().map(str::to_string).collect()
}

#[test]
fn a_commit_with_an_equivalent_on_the_base_is_applied() {
    // Picked to the base and reverted there: the branch's commit is applied.
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    elsewhere(
        &scratch,
        "echo first >first.txt && git add -A && git commit -qm first && git fetch -q ../repo rg/a && git cherry-pick FETCH_HEAD >/dev/null && git revert --no-edit HEAD >/dev/null",
    );
    let said = land(&scratch, &["rg/a"]);
    assert!(said.status == 0 && said.out.starts_with("landed "), "{said:?}");
    assert_eq!(tip(&scratch, "-C ../remote.git show main:a.txt"), "a");
    assert!(!path.exists());
    // Picked and still there: nothing to land.
    work(&scratch, "b", "b.txt", "b");
    elsewhere(
        &scratch,
        "git fetch -q ../repo rg/b && echo o >o.txt && git add -A && git commit -qm o && git cherry-pick FETCH_HEAD >/dev/null",
    );
    let said = land(&scratch, &["rg/b"]);
    assert!(said.status == 0 && said.out.contains("contains all changes of"), "{said:?}");
    // A change that differs only in white space is a conflict.
    let path = work(&scratch, "c", "m.py", "if a:\n    b()\n    c()\n");
    elsewhere(&scratch, "printf 'if a:\\n    b()\\nc()\\n' >m.py && git add -A && git commit -qm m");
    refused(&scratch, &["rg/c"], 1, "1 conflict when rg/c is rebased on main, at ");
    assert!(path.exists());
}

#[test]
fn a_sparse_main_worktree_hides_no_file_from_the_checks() {
    let scratch = shared();
    scratch.write("test.sh", "! grep -rq BROKEN docs\n");
    scratch.write("src/s", "s");
    scratch.write("docs/d", "d");
    scratch.ok("git add -A && git commit -qm docs && git push -q && git sparse-checkout set src");
    scratch.ok("git worktree add -q -b rg/a ../w && cd ../w && git sparse-checkout disable");
    let tree = scratch.top().join("w");
    commit(&scratch, &tree, "docs/d", "BROKEN");
    let before = scratch.ok("git config --list --show-scope | grep -v global").out;
    refused(&scratch, &["rg/a"], 1, "rg/a on main is not-done");
    // The same if the branch has to be rebased first.
    elsewhere(&scratch, "echo o >o.txt && git add -A && git commit -qm o");
    refused(&scratch, &["rg/a"], 1, "rg/a on main is not-done");
    commit(&scratch, &tree, "docs/d", "fine");
    let said = land(&scratch, &["rg/a"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(tip(&scratch, "-C ../remote.git show main:docs/d"), "fine");
    assert!(!scratch.work().join("docs").exists() && scratch.ok("git status --porcelain").out.is_empty());
    assert_eq!(scratch.ok("git config --list --show-scope | grep -v global").out, before, "no setting was changed");
}

#[test]
fn a_landing_does_not_overwrite_an_ignored_file() {
    let scratch = shared();
    scratch.write(".gitignore", "local.cfg\n");
    scratch.ok("git add -A && git commit -qm ignore && git push -q");
    scratch.write("local.cfg", "precious");
    let path = work(&scratch, "a", "a.txt", "a");
    within(&scratch, &path, "echo shipped >local.cfg && git add -f local.cfg && git commit -qm config");
    let said = land(&scratch, &["rg/a"]);
    assert!(
        said.status == 0 && said.err.contains("the local main was not moved in") && said.err.contains("local.cfg"),
        "{said:?}"
    );
    assert_eq!(fs::read_to_string(scratch.work().join("local.cfg")).unwrap(), "precious");
    assert_ne!(remote(&scratch), tip(&scratch, "rev-parse main"));
}

#[test]
fn a_dry_run_of_an_earlier_landing_changes_nothing() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    assert_eq!(land(&scratch, &["--keep", "rg/a"]).status, 0);
    scratch.ok("git reset -q --hard HEAD^");
    let before = (picture(&scratch), records(&scratch, "landed").len());
    let said = land(&scratch, &["--dry-run", "rg/a"]);
    assert!(said.status == 0 && said.out.contains("(landed earlier)") && said.err.is_empty(), "{said:?}");
    assert!(path.exists());
    assert_eq!((picture(&scratch), records(&scratch, "landed").len()), before);
}

#[test]
fn a_refspec_over_local_branches_loses_no_commit() {
    // A bare repository whose refspec updates its own branches.
    let scratch = shared();
    scratch.ok("git clone -q --bare ../remote.git ../hub && git -C ../hub config remote.origin.fetch '+refs/heads/*:refs/heads/*'");
    scratch.ok("git -C ../hub worktree add -q ../m main && cd ../m && git commit -q --allow-empty -m own");
    scratch.ok("cd ../hub && git worktree add -q -b rg/a ../x main~1 && cd ../x && echo a >a.txt && git add -A && git commit -qm a");
    let own = tip(&scratch, "-C ../hub rev-parse main");
    let hub = scratch.top().join("hub");
    let at = hub.to_str().unwrap();
    for args in [&["-C", at, "--base", "main", "--dry-run", "rg/a"] as &[&str], &["-C", at, "--base", "main", "rg/a"]] {
        // Checked out, and checked out nowhere.
        let said = land(&scratch, args);
        assert_eq!(said.status, 0, "{said:?}");
        assert_eq!(tip(&scratch, "-C ../hub rev-parse main"), own, "{said:?}");
        scratch.ok("git -C ../m checkout -q --detach");
    }
    assert_eq!(log(&scratch)[0], "a");
    // Without commits of its own it moves, with its files.
    scratch.ok("git -C ../hub branch -q -f main HEAD~1 && git -C ../m checkout -q main");
    scratch.ok("git -C ../hub worktree add -q -b rg/b ../y main && cd ../y && git fetch -q ../../remote.git main 2>/dev/null; git merge -q --ff-only $(git -C ../remote.git rev-parse main) && echo b >b.txt && git add -A && git commit -qm b");
    let said = land(&scratch, &["-C", at, "--base", "main", "rg/b"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(tip(&scratch, "-C ../hub rev-parse main"), remote(&scratch));
    assert!(scratch.ok("git -C ../m status --porcelain").out.is_empty() && scratch.top().join("m/b.txt").exists());
}

#[test]
fn a_conflicting_tracking_reference_does_not_prevent_a_landing() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    // A reference below its name, and one that is locked.
    scratch.ok("git update-ref -d refs/remotes/origin/main && git update-ref refs/remotes/origin/main/x HEAD");
    let said = land(&scratch, &["--base", "main", "rg/a"]);
    assert_eq!(said.status, 0, "{said:?}");
    scratch.ok("git update-ref -d refs/remotes/origin/main/x && git fetch -q");
    work(&scratch, "b", "b.txt", "b");
    fs::write(scratch.work().join(".git/refs/remotes/origin/main.lock"), "").unwrap();
    let said = land(&scratch, &["rg/b"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(!path.exists());
    // The error names the fetch, not the remote.
    scratch.ok("rm .git/refs/remotes/origin/main.lock");
    work(&scratch, "c", "c.txt", "c");
    fs::write(scratch.work().join(".git/refs/review-gate/upstream/origin/main.lock"), "").unwrap();
    elsewhere(&scratch, "echo o >o.txt && git add -A && git commit -qm o");
    let said = land(&scratch, &["rg/c"]);
    assert!(said.status == 111 && !said.err.contains("unable to reach") && said.err.contains("main.lock"), "{said:?}");
}

#[test]
fn a_partly_removed_scratch_worktree_is_replaced() {
    let scratch = shared();
    let place = scratch.state().join("land/tree");
    for (n, ruin) in
        ["rm {}/.git", ": >.git/worktrees/tree/HEAD", "rm -r .git/worktrees/tree", "rm -r {}"].iter().enumerate()
    {
        let name = format!("w{n}");
        work(&scratch, &name, &format!("{name}.txt"), "x");
        scratch.ok(&format!("git worktree add -q --detach {} rg/{name}", place.display()));
        scratch.ok(&ruin.replace("{}", place.to_str().unwrap()));
        let said = land(&scratch, &[&format!("rg/{name}")]);
        assert_eq!(said.status, 0, "{ruin}: {said:?}");
        assert!(!place.exists() && scratch.ok("git worktree list").out.lines().count() == 1, "{ruin}");
    }
}

#[test]
fn a_branch_with_an_operation_under_way_does_not_land() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "mine");
    commit(&scratch, &path, "b.txt", "b");
    let rebase = "GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i HEAD~1";
    within(&scratch, &path, rebase);
    refused(&scratch, &["rg/a"], 1, "a rebase of rg/a is under way in");
    within(&scratch, &path, "git rebase --abort && git bisect start -q && git bisect bad && git checkout -q HEAD~1");
    refused(&scratch, &["rg/a"], 1, "a bisection of rg/a is under way in");
    within(&scratch, &path, "git bisect reset 2>/dev/null");
    // An operation that starts during the landing: the branch is kept.
    let at = scratch.top().join("remote.git/hooks/post-receive");
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(
        &at,
        format!(
            "#!/bin/sh\nunset $(git rev-parse --local-env-vars) GIT_QUARANTINE_PATH\ncd '{}' && {rebase}\n",
            path.display()
        ),
    )
    .unwrap();
    fs::set_permissions(&at, fs::Permissions::from_mode(0o755)).unwrap();
    scratch.ok("git -C ../remote.git config core.hooksPath hooks");
    let said = land(&scratch, &["rg/a"]);
    assert!(said.status == 0 && said.err.contains("rg/a was not removed: a rebase of it is under way in"), "{said:?}");
    assert!(path.exists());
    within(&scratch, &path, "git rebase --continue 2>/dev/null && git rev-parse rg/a");
}

#[test]
fn a_branch_that_is_checked_out_twice_is_kept_and_reported() {
    let scratch = shared();
    scratch.ok("git worktree add -q -f ../second main");
    let path = work(&scratch, "a", "a.txt", "a");
    scratch.ok("git worktree add -q -f ../third rg/a");
    let old = tip(&scratch, "rev-parse main");
    let said = land(&scratch, &["rg/a"]);
    assert!(
        said.status == 0
            && said.err.contains("the local main was not moved: it is checked out in 2 worktrees")
            && said.err.contains("rg/a was not removed: it is checked out in 2 worktrees"),
        "{said:?}"
    );
    assert_eq!((tip(&scratch, "rev-parse main"), tip(&scratch, "rev-parse rg/a")), (old, remote(&scratch)));
    assert!(
        path.exists()
            && scratch.ok("git -C ../second status --porcelain; git -C ../third status --porcelain").out.is_empty()
    );
    // Uncommitted changes in either are refused.
    scratch.ok("git pull -q; git -C ../second reset -q --hard");
    commit(&scratch, &path, "b.txt", "b");
    refused(&scratch, &["rg/a"], 1, "uncommitted file");
    scratch.ok("git worktree remove --force ../third");
    // Without a remote the base cannot move: nothing lands.
    scratch.ok("git remote remove origin");
    refused(&scratch, &["--base", "main", "rg/a"], 1, "it is checked out in 2 worktrees");
}

#[test]
fn only_branches_land_and_a_base_that_is_no_branch_is_refused() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    commit(&scratch, &path, "b.txt", "b");
    for name in ["rg/a~1", "rg/a^", "rg/a@{0}", "rg/a^{/add}", "rg/a:", "HEAD", "rg/../rg/a", "rg/*"] {
        refused(&scratch, &[name], 100, "no such branch");
        refused(&scratch, &["--base", name, "rg/a"], 100, "no such branch");
    }
    scratch.ok("git tag v1 && git commit -q --allow-empty -m two && git push -q");
    for (id, base) in [("c", "main~1"), ("d", "HEAD"), ("e", "v1")] {
        assert_eq!(scratch.run("rg-worktree", &["create", "--base", base, id], b"").status, 0);
        commit(&scratch, &scratch.work().join(".worktrees").join(id), &format!("{id}.txt"), id);
        let branch = format!("rg/{id}");
        refused(
            &scratch,
            &[&branch],
            100,
            &format!("{branch} was created from {base}, which is not a branch. Name its base with `--base`"),
        );
        let said = land(&scratch, &["--base", "main", &branch]);
        assert_eq!(said.status, 0, "{said:?}");
    }
}

#[test]
fn merge_options_do_not_change_how_the_base_moves() {
    for option in ["--squash", "--no-commit --no-ff", "-s ours"] {
        let scratch = shared();
        scratch.ok(&format!("git config branch.main.mergeOptions '{option}'"));
        work(&scratch, "a", "a.txt", "a");
        let said = land(&scratch, &["rg/a"]);
        assert!(said.status == 0 && said.err.is_empty(), "{option}: {said:?}");
        assert_eq!(remote(&scratch), tip(&scratch, "rev-parse main"), "{option}");
        scratch.ok("git remote remove origin");
        work(&scratch, "b", "b.txt", "b");
        let said = land(&scratch, &["rg/b"]);
        assert_eq!(said.status, 0, "{option}: {said:?}");
        assert!(scratch.work().join("b.txt").exists() && scratch.ok("git status --porcelain").out.is_empty());
    }
}

#[test]
fn rewritten_commits_stay_out_after_any_number_of_fetches() {
    let scratch = shared();
    scratch.ok("echo bad >secret && git add -A && git commit -qm secret && echo more >>secret && git commit -qam more && git push -q");
    // A branch from the middle of it without a record.
    scratch.ok("git branch rg/a HEAD~1 && git worktree add -q ../w rg/a");
    commit(&scratch, &scratch.top().join("w"), "a.txt", "a");
    scratch.ok("git clone -q ../remote.git ../other && cd ../other && git reset -q --hard HEAD~2 && git commit -q --allow-empty -m clean && git push -q -f");
    scratch.ok("git fetch -q && cd ../other && git commit -q --allow-empty -m later && git push -q");
    scratch.ok("git fetch -q && git reset -q --hard origin/main");
    refused(&scratch, &["rg/a"], 1, "1 commit of main that its remote does not have");
    assert!(!log(&scratch).contains(&"secret".to_string()));
    // A commit that only rg-land fetched counts, too, and every time.
    let scratch = shared();
    scratch.ok("git clone -q ../remote.git ../other && git remote set-url origin ../remote.git");
    elsewhere(&scratch, "echo bad >secret && git add -A && git commit -qm secret");
    scratch.ok("git branch rg/x && git worktree add -q ../x rg/x");
    commit(&scratch, &scratch.top().join("x"), "x.txt", "x");
    assert_eq!(land(&scratch, &["--dry-run", "rg/x"]).status, 0);
    scratch.ok("git worktree add -q -b rg/b ../w refs/review-gate/upstream/origin/main");
    commit(&scratch, &scratch.top().join("w"), "b.txt", "b");
    scratch.ok("cd ../other && git reset -q --hard HEAD~1 && git commit -q --allow-empty -m clean && git push -q -f");
    for _ in 0..2 {
        refused(&scratch, &["rg/b"], 1, "1 commit of main that its remote does not have");
    }
}

#[test]
fn tampering_before_a_session_began_is_found_at_landing() {
    let all = "echo x >a.txt && git add -A && git commit -qm work";
    // Committed when the session began, and uncommitted.
    for before in ["git add -A && git commit -qm weak", "git reset -q HEAD^", "true"] {
        let scratch = shared_with("  - {name: count, run: 'echo x >>../../count'}\n");
        let path = work(&scratch, "a", "first.txt", "x");
        fs::write(path.join("x.test.js"), "it.only('x', () => {})\n").unwrap();
        within(&scratch, &path, before);
        session(&scratch, "two", &path, all);
        refused(&scratch, &["rg/a"], 3, "not landed");
    }
    // Work without tampering lands by its receipt, though the session began on another commit.
    let scratch = shared_with("  - {name: count, run: 'echo x >>../../count'}\n");
    let path = work(&scratch, "a", "first.txt", "x");
    fs::write(path.join("second.txt"), "x").unwrap();
    session(&scratch, "one", &path, all);
    fs::remove_file(scratch.work().join("count")).unwrap();
    let said = land(&scratch, &["rg/a"]);
    assert!(said.status == 0 && said.out.contains("judged earlier"), "{said:?}");
    assert!(!scratch.work().join("count").exists(), "no check is run again");
    // Without a baseline record the guards run as well.
    let made = scratch.run("rg-worktree", &["create", "b"], b"");
    let path = Path::new(made.out.trim_end());
    session(&scratch, "three", path, "echo x >b.txt && git add -A && git commit -qm b");
    fs::remove_dir_all(scratch.state().join("blobs")).unwrap();
    let said = land(&scratch, &["rg/b"]);
    assert!(said.status == 0 && said.out.contains("judged earlier"), "{said:?}");
}

#[test]
fn a_review_of_a_part_does_not_cover_the_whole_branch() {
    let setting = "review: {when: always, by: command, command: sh ../../../reviewer.sh}\n";
    let scratch = shared_with(setting);
    let script = "cat >prompt\necho x >>../../../asked\n\
        p=$(sed -n 's/^# Review request //p' prompt | head -n 1)\n\
        n=$(sed -n 's/.*\"nonce\": \"\\([0-9A-Z]*\\)\".*/\\1/p' prompt | head -n 1)\nrm prompt\n\
        printf '{\"decision\": \"approve\", \"request\": \"%s\", \"nonce\": \"%s\", \"summary\": \"seen\", \"reviewed\": [\"a.txt\"]}\\n' \"$p\" \"$n\"\n";
    fs::write(scratch.top().join("reviewer.sh"), script).unwrap();
    let path = work(&scratch, "a", "first.txt", "x");
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go", "cwd": path});
    let start = json!({"hook_event_name": "SessionStart", "source": "startup", "cwd": path});
    for event in [start, prompt] {
        scratch.sh("rg-event --client claude | rg-tamper | rg-review-state | rg-answer", &scratch.payload("s", event));
    }
    commit(&scratch, &path, "a.txt", "x");
    let stop = crate::scratch::STOP.replace("rg-check |", "rg-check | rg-review-state | rg-review |");
    let said = scratch.sh(&stop, &scratch.stop_payload("s", json!({"cwd": path})));
    assert_eq!((said.out.as_str(), scratch.receipt()["review"]["state"].as_str()), ("", Some("approved")), "{said:?}");
    let asked = || fs::read_to_string(scratch.top().join("asked")).unwrap().lines().count();
    assert_eq!(asked(), 1);
    // The reviewer saw the session's changes only, not the branch's earlier ones: the review is repeated.
    let said = land(&scratch, &["rg/a"]);
    assert_eq!((said.status, asked()), (111, 3), "{said:?}");
    for words in ["the decision lacks: reviewed: first.txt", "not landed: rg/a on main is unverified"] {
        assert!(said.err.contains(words), "{said:?}");
    }
}

#[test]
fn files_that_hooks_and_checks_write_are_named() {
    let scratch = shared();
    work(&scratch, "a", "a.txt", "a");
    // A failing local hook is not the remote.
    hook(&scratch, "pre-push", "echo 'not on a Friday' >&2; exit 1");
    refused(&scratch, &["rg/a"], 1, "not on a Friday");
    let said = land(&scratch, &["rg/a"]);
    assert!(said.err.contains("unable to push to origin") && !said.err.contains("rejected the push"), "{said:?}");
    // Files that a check writes are not part of the commit, declared or not.
    let scratch = shared_with("  - {name: gen, run: 'echo x >gen.txt', writes: [gen.txt]}\n");
    work(&scratch, "a", "a.txt", "a");
    refused(&scratch, &["rg/a"], 111, "(gen.txt). Ignore or commit the files that checks write");
    scratch.ok("git rev-parse -q --verify rg/a");
    let path = scratch.work().join(".worktrees/a");
    commit(&scratch, &path, "gen.txt", "x\n");
    let said = land(&scratch, &["rg/a"]);
    assert_eq!(said.status, 0, "{said:?}");
}

#[test]
fn a_push_to_another_repository_is_no_landing() {
    let scratch = shared();
    scratch.ok("git clone -q --bare ../remote.git ../fork.git && git remote set-url --push origin ../fork.git");
    let path = work(&scratch, "a", "a.txt", "a");
    let said = land(&scratch, &["rg/a"]);
    assert!(said.status == 111 && said.err.contains("remote.origin.pushurl is another repository"), "{said:?}");
    assert!(path.exists() && records(&scratch, "landed").is_empty());
    // Another URL of the same repository is fine.
    let same = scratch.top().join("remote.git");
    scratch.ok(&format!("git remote set-url --push origin 'file://{}'", same.display()));
    scratch.ok("git update-ref refs/remotes/origin/main main");
    work(&scratch, "b", "b.txt", "b");
    let said = land(&scratch, &["rg/b"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(remote(&scratch), tip(&scratch, "rev-parse main"));
}

#[test]
fn a_squashed_commit_is_signed_if_configured_and_names_co_authors() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    within(
        &scratch,
        &path,
        "git commit -q --amend -m one -m 'Co-authored-by: B <b@example.invalid>' && echo 2 >>a.txt && git commit -qa -m two -m 'Body.' -m 'Signed-off-by: C <c@example.invalid>\nCo-authored-by: B <b@example.invalid>'",
    );
    let log = scratch.top().join("signed");
    fs::write(scratch.top().join("gpg"), format!("#!/bin/sh\necho x >>'{}'\nexit 1\n", log.display())).unwrap();
    fs::set_permissions(scratch.top().join("gpg"), fs::Permissions::from_mode(0o755)).unwrap();
    scratch.ok("git config commit.gpgSign true && git config gpg.program ../../../gpg");
    let said = land(&scratch, &["--squash", "rg/a"]);
    assert!(said.status == 111 && said.err.contains("commit-tree failed") && log.exists(), "{said:?}");
    scratch.ok("git config commit.gpgSign off");
    let said = land(&scratch, &["--squash", "rg/a"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(
        tip(&scratch, "log -1 --format=%B main"),
        "one\n\n* one\n* two\n\nCo-authored-by: B <b@example.invalid>\nSigned-off-by: C <c@example.invalid>"
    );
}

#[test]
fn a_branch_in_the_main_worktree_stays_there() {
    let scratch = shared();
    scratch.ok("git switch -qc rg/a && echo a >a.txt && git add -A && git commit -qm a");
    let said = land(&scratch, &[]);
    assert!(
        said.status == 0 && said.err.contains("rg/a was not removed: it is checked out in the main worktree"),
        "{said:?}"
    );
    assert!(!said.err.contains("rg-worktree remove"), "{said:?}");
}
