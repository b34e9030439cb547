//! Laws of rg-land: exactly the verified commit lands, no commit is lost, and a killed run can be run again.

use crate::scratch::{Said, Scratch, lines_of};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The check of everything that lands: `sh test.sh`.
const TEST: &str = "test ! -e broken && ! grep -q bad *.txt\n";

/// A repository with a bare remote, both at the same commit.
pub fn shared() -> Scratch {
    shared_with("")
}

pub fn shared_with(yaml: &str) -> Scratch {
    let scratch = Scratch::repo_with(&format!("checks:\n  - {{name: tests, run: sh test.sh}}\n{yaml}"));
    scratch.write("test.sh", TEST);
    scratch.ok("git commit -qam test && git clone -q --bare . ../remote.git && git remote add origin ../remote.git");
    scratch.ok("git fetch -q && git branch -q -u origin/main && git remote set-head origin main");
    scratch
}

/// A task's worktree with one commit that adds a file.
pub fn work(scratch: &Scratch, id: &str, file: &str, text: &str) -> PathBuf {
    let made = scratch.run("rg-worktree", &["create", id], b"");
    assert_eq!(made.status, 0, "{made:?}");
    let path = PathBuf::from(made.out.trim_end());
    commit(scratch, &path, file, text);
    path
}

pub fn commit(scratch: &Scratch, tree: &Path, file: &str, text: &str) {
    fs::write(tree.join(file), text).unwrap();
    scratch.ok(&format!("cd '{}' && git add -A && git commit -qm 'add {file}'", tree.display()));
}

pub fn within(scratch: &Scratch, tree: &Path, line: &str) {
    scratch.ok(&format!("cd '{}' && {line}", tree.display()));
}

pub fn land(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-land", args, b"")
}

pub fn tip(scratch: &Scratch, of: &str) -> String {
    scratch.ok(&format!("git {of}")).out.trim().to_string()
}

pub fn remote(scratch: &Scratch) -> String {
    tip(scratch, "-C ../remote.git rev-parse main")
}

pub fn records(scratch: &Scratch, kind: &str) -> Vec<Value> {
    let all = lines_of(&scratch.state().join("land.jsonl"));
    all.into_iter().filter(|record| record["kind"] == kind).collect()
}

/// Everything that a refused landing must leave as it was.
pub fn picture(scratch: &Scratch) -> String {
    scratch
        .ok("git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/stash; git status --porcelain; \
             git worktree list; git -C ../remote.git for-each-ref; git stash list; ls -A .worktrees 2>/dev/null | cat")
        .out
}

/// Asserts that a landing is refused with this status and changes nothing.
pub fn refused(scratch: &Scratch, args: &[&str], status: i32, why: &str) {
    let before = picture(scratch);
    let said = land(scratch, args);
    assert!(said.status == status && said.err.contains(why) && said.out.is_empty(), "{why}: {said:?}");
    assert_eq!(picture(scratch), before, "{why}");
    assert!(!scratch.state().join("land/tree").exists(), "the scratch worktree is gone");
}

#[test]
fn a_landing_tells_each_step_that_it_took() {
    let scratch = shared();
    let trees = [("a", "a.txt"), ("b", "b.txt")].map(|(name, file)| work(&scratch, name, file, name));
    let steps = |said: &Said| said.out.lines().skip(1).map(str::to_string).collect::<Vec<_>>();
    let main = scratch.work().display().to_string();
    let removed = |name: &str, tree: &Path| format!("  removed rg/{name} and its worktree {}", tree.display());
    let moved = format!("  moved the local main and its files in {main}");
    let first = land(&scratch, &["rg/a"]);
    assert_eq!(steps(&first), ["  pushed main to origin", &moved, &removed("a", &trees[0])], "{first:?}");
    let (base, original) = (tip(&scratch, "rev-parse main"), tip(&scratch, "rev-parse rg/b"));
    let second = land(&scratch, &["rg/b"]);
    let rebased = format!("  rebased rg/b on {}", &base[..12]);
    let kept = format!("  kept the original commits as refs/review-gate/landed/{original}");
    let want = [&rebased, "  pushed main to origin", &moved, &kept, &removed("b", &trees[1])];
    assert_eq!(steps(&second), want, "{second:?}");
    work(&scratch, "c", "c.txt", "c");
    let third = land(&scratch, &["--squash", "--keep", "--no-push", "rg/c"]);
    assert_eq!(steps(&third), [moved], "{third:?}");
    let again = land(&scratch, &["rg/a"]);
    assert_eq!(steps(&again), [""; 0], "{again:?}");
}

#[test]
fn work_lands_and_its_worktree_and_branch_are_removed() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    let head = tip(&scratch, "rev-parse rg/a");
    let said = land(&scratch, &["rg/a"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{said:?}");
    assert!(
        said.out.starts_with(&format!("landed {} on main (judged now: `rg-receipt show ", &head[..12])),
        "{said:?}"
    );
    assert_eq!((remote(&scratch), tip(&scratch, "rev-parse main")), (head.clone(), head.clone()));
    assert!(scratch.work().join("a.txt").exists() && scratch.ok("git status --porcelain").out.is_empty());
    assert!(!path.exists() && scratch.ok("git branch --list 'rg/*'").out.is_empty());
    let landing = records(&scratch, "landing").pop().unwrap();
    assert_eq!((&landing["new"], &landing["tip"], &landing["remote"]), (&json!(head), &json!(head), &json!("origin")));
    let receipt = scratch.run("rg-receipt", &["show", "--json", landing["receipt"].as_str().unwrap()], b"").json();
    assert_eq!((&receipt["outcome"], &receipt["snapshot"]), (&json!("done"), &landing["snapshot"]));
    assert_eq!(records(&scratch, "landed").len(), 1);
    // A second run finds it landed.
    let again = land(&scratch, &["rg/a"]);
    assert!(again.status == 0 && again.out.contains("landed earlier"), "{again:?}");
    for args in [
        &["no-such"] as &[&str],
        &["main"],
        &["--base", "no-such", "main"],
        &["--base", "-x", "main"],
        &["a", "b"],
        &["--bogus"],
    ] {
        assert_eq!(land(&scratch, args).status, 100, "{args:?}");
    }
}

#[test]
fn work_with_a_done_receipt_lands_without_another_run() {
    let scratch = shared_with("  - {name: count, run: 'echo x >>../../count'}\nland: {require: [count]}\n");
    let path = work(&scratch, "a", "first.txt", "a");
    let count = || fs::read_to_string(scratch.work().join("count")).unwrap_or_default().lines().count();
    let client = |fields: Value, line: &str| {
        let mut all = json!({"cwd": path});
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let said = scratch.sh(line, &scratch.payload("s", all));
        assert_eq!((said.status, said.out.as_str()), (0, ""), "{said:?}");
    };
    let line = "rg-event --client claude | rg-tamper | rg-answer --client claude";
    client(json!({"hook_event_name": "SessionStart", "source": "startup"}), line);
    client(json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"}), line);
    commit(&scratch, &path, "a.txt", "a");
    client(
        json!({"hook_event_name": "Stop", "last_assistant_message": "Done.", "background_tasks": []}),
        crate::scratch::STOP,
    );
    assert_eq!((scratch.words(), count()), (vec!["done".to_string()], 1));
    scratch.ok("rm count");
    let said = land(&scratch, &["rg/a"]);
    assert!(said.status == 0 && said.out.contains("judged earlier"), "{said:?}");
    let receipt = scratch.receipt()["id"].as_str().unwrap().to_string();
    assert_eq!((count(), records(&scratch, "landing")[0]["receipt"].as_str()), (0, Some(receipt.as_str())));
    // A receipt that no journal contains, or that is about other files, covers nothing: the checks run.
    let path = work(&scratch, "b", "b.txt", "b");
    let file = scratch.state().join(scratch.records("receipt")[0]["file"].as_str().unwrap());
    let digest = {
        let said = scratch.run("rg-event", &["stop", "-C", path.to_str().unwrap()], b"").out;
        let line = scratch.run("rg-tamper", &[], said.as_bytes()).out;
        serde_json::from_str::<Value>(&line).unwrap()["snapshot"].as_str().unwrap().to_string()
    };
    let mut forged: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    forged["snapshot"] = json!(digest);
    fs::write(scratch.state().join("receipts/01ZZZZZZZZZZZZZZZZZZZZZZZZ.json"), forged.to_string()).unwrap();
    let said = land(&scratch, &["--dry-run", "rg/b"]);
    assert!(said.status == 0 && said.out.contains("judged now"), "{said:?}");
}

#[test]
fn failed_and_tampered_work_does_not_land() {
    let scratch = shared_with("land: {require: [tests]}\n");
    let path = work(&scratch, "a", "a.txt", "bad");
    refused(&scratch, &["rg/a"], 1, "not landed: rg/a on main is not-done");
    commit(&scratch, &path, "a.txt", "good");
    commit(&scratch, &path, "x.test.js", "it.only('x', () => {})\n");
    refused(&scratch, &["rg/a"], 3, "not landed");
    // The branch's own definition of done does not apply.
    scratch.ok("cd .worktrees/a && git rm -q x.test.js && printf '```yaml\\nchecks:\\n  - {name: tests, run: \"true\"}\\n```\\n' >DONE.md && git commit -qam weaker");
    refused(&scratch, &["rg/a"], 3, "not landed");
    let bare = shared_with("land: {require: [nothing]}\n");
    work(&bare, "a", "a.txt", "a");
    refused(&bare, &["rg/a"], 100, "land.require: no such check in the base's DONE.md: \"nothing\"");
    let none = Scratch::new();
    none.ok("git init -q && git commit -q --allow-empty -m start");
    work(&none, "a", "a.txt", "a");
    refused(&none, &["rg/a"], 1, "no DONE.md on main");
}

#[test]
fn branches_that_pass_alone_and_fail_together_do_not_land() {
    let scratch = shared();
    scratch.write("test.sh", "test ! -e a.txt || test ! -e b.txt\n");
    scratch.ok("git commit -qam either && git push -q");
    work(&scratch, "a", "a.txt", "a");
    work(&scratch, "b", "b.txt", "b");
    assert_eq!(land(&scratch, &["rg/a"]).status, 0);
    refused(&scratch, &["rg/b"], 1, "rg/b on main is not-done");
}

#[test]
fn uncommitted_changes_are_refused() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    fs::write(path.join("draft\n1"), "x").unwrap();
    refused(&scratch, &["rg/a"], 1, "1 uncommitted file in");
    scratch.ok("cd .worktrees/a && rm draft* && echo more >>a.txt");
    refused(&scratch, &["rg/a"], 1, "(a.txt). Commit or remove them, then run rg-land again");
    // The same for an operation under way.
    scratch.ok("cd .worktrees/a && git add -A && git commit -qm more && git checkout -q HEAD~1 && echo 2 >>a.txt && git commit -qam two");
    scratch.sh("cd .worktrees/a && git checkout -q rg/a && git cherry-pick HEAD@{1}", b"");
    refused(&scratch, &["rg/a"], 1, "a cherry-pick is under way in");
    scratch.ok("cd .worktrees/a && git checkout -q --ours a.txt && git add a.txt");
    refused(&scratch, &["rg/a"], 1, "a cherry-pick is under way in");
}

#[test]
fn a_branch_is_rebased_on_a_moved_base_and_its_original_kept() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    commit(&scratch, &path, "a2.txt", "a2");
    let original = tip(&scratch, "rev-parse rg/a");
    scratch.ok("git clone -q ../remote.git ../other && cd ../other && echo o >o.txt && git add -A && git commit -qm other && git push -q");
    scratch.ok("echo half >>src.txt");
    let said = land(&scratch, &["rg/a"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(
        tip(&scratch, "log --format=%s origin/main -n 3").lines().collect::<Vec<_>>(),
        ["add a2.txt", "add a.txt", "other"]
    );
    assert_eq!(remote(&scratch), tip(&scratch, "rev-parse main"), "a change that it does not touch hinders nothing");
    assert_eq!(fs::read_to_string(scratch.work().join("src.txt")).unwrap(), "broken\nhalf\n");
    assert_eq!(tip(&scratch, &format!("rev-parse refs/review-gate/landed/{original}")), original);
    assert!(!path.exists());
    // Everything as one commit, with its author.
    scratch.ok("git checkout -q src.txt");
    let path = work(&scratch, "b", "b.txt", "b");
    commit(&scratch, &path, "b2.txt", "b2");
    scratch.ok("cd .worktrees/b && git commit -q --amend --no-edit --author 'Ada <ada@example.invalid>'");
    assert_eq!(land(&scratch, &["--squash", "rg/b"]).status, 0);
    assert_eq!(tip(&scratch, "log -1 --format=%an:%B main"), "Ada:add b.txt\n\n* add b.txt\n* add b2.txt");
    assert_eq!(tip(&scratch, "log --format=%s -n 2 main").lines().nth(1), Some("add a2.txt"));
}

#[test]
fn a_conflict_is_refused_and_located() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "mine");
    commit(&scratch, &path, "b.txt", "b");
    scratch.ok("git clone -q ../remote.git ../other && cd ../other && echo theirs >a.txt && git add -A && git commit -qm theirs && git push -q");
    refused(&scratch, &["rg/a"], 1, "1 conflict when rg/a is rebased on main, at ");
    let said = land(&scratch, &["rg/a"]);
    assert!(said.err.contains("add a.txt: a.txt. Rebase rg/a yourself"), "{said:?}");
}

#[test]
fn a_change_made_by_a_merge_commit_is_not_dropped() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    scratch.ok("git clone -q ../remote.git ../other");
    let push = |n: &str| {
        scratch.ok(&format!("cd ../other && echo {n} >{n} && git add -A && git commit -qm {n} && git push -q"))
    };
    push("o1");
    within(&scratch, &path, "git -C ../.. fetch -q && git merge -q --no-edit origin/main");
    push("o2");
    let said = land(&scratch, &["--dry-run", "rg/a"]);
    assert!(said.status == 0, "a plain merge carries nothing of its own: {said:?}");
    within(
        &scratch,
        &path,
        "git -C ../.. fetch -q && git merge -q --no-commit origin/main && echo evil >evil.txt && git add -A && git commit -qm merged",
    );
    push("o3");
    refused(&scratch, &["rg/a"], 1, "has merge commits with changes that a rebase would drop");
}

#[test]
fn a_forged_ancestry_drops_no_commit() {
    let scratch = shared();
    work(&scratch, "a", "a.txt", "a");
    scratch.ok("git clone -q ../remote.git ../other && cd ../other && echo o >o.txt && git add -A && git commit -qm other && git push -q");
    scratch.ok("git fetch -q");
    let (own, theirs, fork) = (tip(&scratch, "rev-parse rg/a"), remote(&scratch), tip(&scratch, "rev-parse main"));
    fs::write(scratch.work().join(".git/info/grafts"), format!("{own} {theirs} {fork}\n")).unwrap();
    scratch.ok(&format!("git replace --graft {own} {theirs} 2>/dev/null"));
    assert_eq!(land(&scratch, &["rg/a"]).status, 0);
    let log = tip(&scratch, "-C ../remote.git log --format=%s main");
    assert_eq!(log.lines().take(2).collect::<Vec<_>>(), ["add a.txt", "other"]);
}

#[test]
fn checks_find_declared_ignored_files() {
    let yaml = "  - {name: env, run: \"test \\\"$(cat .env)\\\" = A=1\"}\nland: {copy: [.env]}\n";
    let scratch = shared_with(yaml);
    scratch.write(".gitignore", ".env\n");
    scratch.write(".env", "A=1\n");
    scratch.ok("git add -A && git commit -qm ignore && git push -q");
    work(&scratch, "a", "a.txt", "a");
    let said = land(&scratch, &["rg/a"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(!scratch.ok("git ls-tree --name-only origin/main").out.contains(".env"), "and it does not land");
}

#[test]
fn unpushed_and_rewritten_commits_of_the_base_do_not_land() {
    let scratch = shared();
    scratch.ok("git commit -q --allow-empty -m 'not pushed'");
    scratch.run("rg-worktree", &["create", "--base", "main", "a"], b"");
    commit(&scratch, &scratch.work().join(".worktrees/a"), "a.txt", "a");
    refused(&scratch, &["rg/a"], 1, "1 commit of main that its remote does not have");
    // A branch without that commit lands, and the local base is not moved.
    let own = tip(&scratch, "rev-parse main");
    scratch.run("rg-worktree", &["create", "--base", "origin/main", "b"], b"");
    commit(&scratch, &scratch.work().join(".worktrees/b"), "b.txt", "b");
    let said = land(&scratch, &["rg/b"]);
    assert!(
        said.status == 0 && said.err.contains("the local main was not moved: it has 1 commit of its own"),
        "{said:?}"
    );
    assert_eq!(tip(&scratch, "rev-parse main"), own);
    // The remote rewrote the commits that the branch was created from.
    let rewritten = shared();
    rewritten.ok("echo secret >s.txt && git add -A && git commit -qm secret && git push -q");
    work(&rewritten, "a", "a.txt", "a");
    rewritten.ok("git clone -q ../remote.git ../other && cd ../other && git reset -q --hard HEAD^ && git commit -q --allow-empty -m clean && git push -q -f");
    refused(&rewritten, &["rg/a"], 1, "1 commit of main that its remote does not have");
    assert!(!rewritten.ok("git -C ../remote.git log --format=%s main").out.contains("secret"));
}

#[test]
fn a_missing_or_rejecting_remote_changes_nothing() {
    let scratch = shared();
    work(&scratch, "a", "a.txt", "a");
    let hook = scratch.top().join("remote.git/hooks/pre-receive");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho 'not on a Friday' >&2; exit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    scratch.ok("git -C ../remote.git config core.hooksPath hooks");
    refused(&scratch, &["rg/a"], 1, "origin rejected the push");
    assert!(land(&scratch, &["rg/a"]).err.contains("not on a Friday"));
    fs::remove_file(&hook).unwrap();
    // A branch that is deleted during its landing is not created again.
    work(&scratch, "dropped", "dropped.txt", "x");
    fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(land(&scratch, &["rg/dropped"]).status, 1);
    fs::remove_file(&hook).unwrap();
    scratch.ok("git worktree remove .worktrees/dropped && git branch -qD rg/dropped");
    refused(&scratch, &["rg/dropped"], 100, "no such branch: rg/dropped");
    scratch.ok("mv ../remote.git ../away");
    let said = land(&scratch, &["rg/a"]);
    assert!(said.status == 111 && said.err.contains("unable to reach origin, nothing was changed"), "{said:?}");
    scratch.ok("mv ../away ../remote.git && git -C ../remote.git branch -m main trunk");
    let said = land(&scratch, &["rg/a"]);
    assert!(said.status == 1 && said.err.contains("origin has no branch main"), "{said:?}");
}

#[test]
fn dry_run_no_push_and_keep() {
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    let before = picture(&scratch);
    let said = land(&scratch, &["--dry-run", "rg/a"]);
    assert!(said.status == 0 && said.out.starts_with("would land "), "{said:?}");
    assert_eq!(picture(&scratch), before);
    assert!(records(&scratch, "landing").is_empty());
    let (there, head) = (remote(&scratch), tip(&scratch, "rev-parse rg/a"));
    let said = land(&scratch, &["--no-push", "--keep", "rg/a"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!((remote(&scratch), tip(&scratch, "rev-parse main")), (there, head.clone()));
    assert!(path.exists() && scratch.work().join("a.txt").exists());
    // From inside its worktree.
    scratch.ok("git push -q");
    commit(&scratch, &path, "b.txt", "b");
    let said = land(&scratch, &["-C", path.to_str().unwrap()]);
    assert!(said.status == 0 && said.err.contains("the worktree was not removed: you are in it"), "{said:?}");
    assert!(path.exists());
}

#[test]
fn without_a_remote_the_base_moves_only_with_its_files() {
    let scratch = shared();
    scratch.ok("git remote remove origin");
    work(&scratch, "a", "a.txt", "a");
    // A file in the way is not overwritten.
    scratch.write("a.txt", "mine");
    refused(&scratch, &["rg/a"], 1, "not landed: the local main was not moved in");
    fs::remove_file(scratch.work().join("a.txt")).unwrap();
    scratch.ok("echo staged >>src.txt && git add src.txt");
    assert_eq!(land(&scratch, &["rg/a"]).status, 0);
    assert!(scratch.work().join("a.txt").exists());
    assert_eq!(scratch.ok("git status --porcelain").out, "M  src.txt\n", "the index went along");
    // Checked out on a disk that is not mounted: its index exists, so it is not moved.
    scratch.ok("git reset -q --hard && git checkout -q --detach && git worktree add -q ../disk main && mv ../disk ../unplugged");
    work(&scratch, "g", "g.txt", "g");
    refused(&scratch, &["rg/g"], 1, "which does not exist");
    scratch.ok("mv ../unplugged ../disk && git worktree remove ../disk && git checkout -q main");
    // A base that is checked out nowhere moves; one that is being rebased does not.
    scratch.ok("git reset -q --hard && git checkout -q --detach");
    work(&scratch, "b", "b.txt", "b");
    assert_eq!(land(&scratch, &["rg/b"]).status, 0);
    assert_eq!(tip(&scratch, "show main:b.txt"), "b");
    work(&scratch, "c", "c.txt", "c");
    scratch.ok(
        "git checkout -q main && git commit -q --allow-empty -m one && git branch side && git reset -q --hard HEAD^",
    );
    scratch.ok("GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i --root 2>/dev/null || true; git rev-parse --git-path rebase-merge");
    refused(&scratch, &["rg/c"], 1, "is under way in");
}

#[test]
fn a_local_base_that_cannot_move_is_reported() {
    let scratch = shared();
    work(&scratch, "a", "a.txt", "a");
    scratch.write("a.txt", "mine");
    let said = land(&scratch, &["rg/a"]);
    assert!(said.status == 0 && said.err.contains("the local main was not moved in"), "{said:?}");
    assert_eq!(fs::read_to_string(scratch.work().join("a.txt")).unwrap(), "mine");
    assert_ne!(remote(&scratch), tip(&scratch, "rev-parse main"), "it landed there");
    // Later work of the agent is not lost with the branch.
    scratch.ok("rm a.txt && git pull -q");
    let path = work(&scratch, "b", "b.txt", "b");
    let hook = "#!/bin/sh\ncd ../repo/.worktrees/b && unset GIT_DIR GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES && git commit -q --allow-empty -m later\n";
    let at = scratch.top().join("remote.git/hooks/post-receive");
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    fs::write(&at, hook).unwrap();
    fs::set_permissions(&at, fs::Permissions::from_mode(0o755)).unwrap();
    scratch.ok("git -C ../remote.git config core.hooksPath hooks");
    let said = land(&scratch, &["rg/b"]);
    assert!(said.status == 0 && said.err.contains("the worktree was not removed"), "{said:?}");
    assert!(path.exists());
    assert_eq!(tip(&scratch, "log -1 --format=%s rg/b"), "later");
}

/// A git that kills its caller at its n-th call, before or after its own work.
fn deadly_git(scratch: &Scratch) -> PathBuf {
    let dir = scratch.top().join("deadly");
    fs::create_dir_all(&dir).unwrap();
    let real = scratch.ok("command -v git").out;
    let script = format!(
        "#!/bin/sh\nd={}\nif [ -e $d/when ]; then\n  n=$(($(cat $d/n) + 1)); echo $n >$d/n\n  read at how <$d/when\n  \
         if [ $n = $at ]; then rm $d/when; [ $how = after ] && {real} \"$@\" >/dev/null 2>&1 </dev/null; kill -9 $PPID; exit 1; fi\nfi\nexec {real} \"$@\"\n",
        dir.display(),
        real = real.trim()
    );
    fs::write(dir.join("git"), script).unwrap();
    fs::set_permissions(dir.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

/// Kills a landing at its n-th call of git; returns whether there was one.
fn killed_at(scratch: &mut Scratch, deadly: &Path, n: usize, how: &str, branch: &str) -> bool {
    fs::write(deadly.join("n"), "0").unwrap();
    fs::write(deadly.join("when"), format!("{n} {how}\n")).unwrap();
    let path = scratch.env["PATH"].clone();
    scratch.set("PATH", &format!("{}:{path}", deadly.display()));
    scratch.set("RG_PATH", deadly.to_str().unwrap());
    drop(land(scratch, &[branch]));
    scratch.set("PATH", &path);
    scratch.env.remove("RG_PATH");
    fs::remove_file(deadly.join("when")).is_err()
}

#[test]
fn killed_at_any_step_it_completes_on_the_next_run() {
    let mut scratch = shared();
    scratch.ok("git clone -q ../remote.git ../other");
    let deadly = deadly_git(&scratch);
    let (mut n, mut landings) = (1, 0);
    // Every third step, before and after it; RG_LAND_STEPS=1 takes every step.
    let step: usize = std::env::var("RG_LAND_STEPS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    loop {
        let how = if landings % 2 == 0 { "before" } else { "after" };
        let name = format!("w{landings}");
        work(&scratch, &name, &format!("{name}.txt"), "x");
        // The base moves each time, so that every step runs.
        scratch.ok(&format!("cd ../other && git pull -q && echo o >o{landings}.txt && git add -A && git commit -qm o{landings} && git push -q"));
        let branch = format!("rg/{name}");
        let killed = killed_at(&mut scratch, &deadly, n, how, &branch);
        let again = land(&scratch, &[&branch]);
        assert_eq!(again.status, 0, "killed {how} step {n}: {again:?}");
        landings += 1;
        let log = tip(&scratch, "-C ../remote.git log --format=%s main");
        assert_eq!(
            log.lines().filter(|line| *line == format!("add {name}.txt")).count(),
            1,
            "killed {how} step {n}: once"
        );
        assert_eq!(remote(&scratch), tip(&scratch, "rev-parse main"), "killed {how} step {n}");
        assert!(scratch.ok("git status --porcelain").out.is_empty() && !scratch.state().join("land/tree").exists());
        assert!(scratch.ok("git fsck --connectivity-only 2>&1 | grep -v dangling; git -C ../remote.git fsck --connectivity-only").out.is_empty());
        if !killed {
            break;
        }
        n += step;
    }
    assert!(n > 30, "{n} steps");
    assert!(
        scratch.ok("git branch --list 'rg/*'").out.is_empty()
            && scratch.ok("git worktree list").out.lines().count() == 1
    );
    // The same at each write.
    for (at, name) in [("1", "j1"), ("2", "j2")] {
        work(&scratch, name, &format!("{name}.txt"), "x");
        scratch.set("RG_CRASH", at);
        assert_ne!(land(&scratch, &[&format!("rg/{name}")]).status, 0);
        scratch.env.remove("RG_CRASH");
        assert_eq!(land(&scratch, &[&format!("rg/{name}")]).status, 0, "{name}");
        assert_eq!(remote(&scratch), tip(&scratch, "rev-parse main"));
    }
}

/// Two clones race for one remote and are killed: history is serial, nothing is lost, and every landed commit has its
/// receipt. `RG_LAND_ROUNDS=100 RG_LAND_LOG=FILE cargo test two_landers` runs a hundred rounds, and writes down what happened.
#[test]
fn two_landings_race_and_are_killed_and_nothing_is_lost() {
    let rounds: usize = std::env::var("RG_LAND_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(3);
    let mut first = shared_with("land: {retries: 10}\n");
    // Random ids, because a pinned clock would repeat them.
    first.env.remove("RG_NOW");
    first.ok("git clone -q ../remote.git ../second");
    let mut expected = Vec::new();
    let mut story = String::new();
    for round in 0..rounds {
        let mut children = Vec::new();
        for (who, dir) in [("one", first.work()), ("two", first.top().join("second"))] {
            let name = format!("{who}-{round}");
            first.ok(&format!(
                "cd '{}' && export RG_STATE='{}/state-{who}' && rg-worktree create {name} >/dev/null && cd .worktrees/{name} && echo x >{name}.txt && git add -A && git commit -qm 'add {name}.txt'",
                dir.display(), first.top().display()
            ));
            expected.push(format!("add {name}.txt"));
            let line = format!(
                "cd '{}' && export RG_STATE='{}/state-{who}' && rg-land rg/{name} & pid=$!; sleep 0.{}; {}; wait $pid",
                dir.display(),
                first.top().display(),
                (round * 3 + children.len() * 5) % 9 + 1,
                if (round + children.len()) % 3 == 2 { "kill -9 $pid" } else { ":" }
            );
            children.push((who, name, dir, first.command("sh").args(["-c", &line]).spawn().unwrap()));
        }
        for (who, name, dir, mut child) in children {
            let ended = child.wait().unwrap().code().map_or("by a signal".to_string(), |code| format!("status {code}"));
            // A landing that was killed or lost the race too often runs again.
            let again =
                format!("cd '{}' && RG_STATE='{}/state-{who}' rg-land rg/{name}", dir.display(), first.top().display());
            // Children of a killed landing may still run for a moment.
            let mut tries: Vec<Said> = Vec::new();
            while tries.last().is_none_or(|said| said.status != 0) {
                assert!(tries.len() < 5, "{name}: {tries:?}");
                tries.push(first.sh(&again, b""));
            }
            let said =
                tries.iter().map(|said| format!("  {} {}{}", said.status, said.err, said.out)).collect::<String>();
            story.push_str(&format!("round {round}, {who} ({ended}), then run again:\n{said}"));
        }
    }
    if let Some(path) = std::env::var_os("RG_LAND_LOG") {
        let graph = first.ok("git -C ../remote.git log --graph --format='%h %s' main").out;
        let records = |who: &str, kind: &str| {
            let all = lines_of(&first.top().join(format!("state-{who}/land.jsonl")));
            all.iter().filter(|record| record["kind"] == kind).count()
        };
        for who in ["one", "two"] {
            let (begun, landed) = (records(who, "landing"), records(who, "landed"));
            story.push_str(&format!("{who}: {begun} pushes were begun, {landed} landings finished\n"));
        }
        fs::write(path, story + &graph).unwrap();
    }
    let log = first.ok("git -C ../remote.git log --format='%s' main").out;
    let mut landed: Vec<&str> = log.lines().filter(|line| line.starts_with("add ")).collect();
    landed.sort();
    expected.sort();
    assert_eq!(landed, expected, "each once");
    assert!(first.ok("git -C ../remote.git log --merges --format=%h main").out.is_empty(), "serial");
    for who in ["one", "two"] {
        for record in
            lines_of(&first.top().join(format!("state-{who}/land.jsonl"))).iter().filter(|r| r["kind"] == "landed")
        {
            let path = first.top().join(format!("state-{who}/receipts/{}.json", record["receipt"].as_str().unwrap()));
            let receipt: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            assert_eq!((&receipt["outcome"], &receipt["snapshot"]), (&json!("done"), &record["snapshot"]));
            first
                .ok(&format!("git -C ../remote.git merge-base --is-ancestor {} main", record["new"].as_str().unwrap()));
        }
    }
}

#[test]
fn submodules_land_only_with_pushed_commits() {
    let scratch = shared();
    scratch.ok("git init -q ../part && cd ../part && echo one >one && git add -A && git commit -qm one && git checkout -q --detach");
    let tree = work(&scratch, "a", "a.txt", "x");
    let part = scratch.top().join("part");
    within(&scratch, &tree, &format!("git submodule --quiet add '{}' part && git commit -qm part", part.display()));
    let said = land(&scratch, &["rg/a"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(remote(&scratch), tip(&scratch, "rev-parse main"));
    // A submodule's commit that was not pushed: nothing lands.
    scratch.ok("git submodule --quiet update --init");
    let tree = work(&scratch, "b", "b.txt", "x");
    within(
        &scratch,
        &tree,
        "cd part && echo two >two && git add -A && git commit -qm two && cd .. && git commit -qam two",
    );
    let before = picture(&scratch);
    let said = land(&scratch, &["rg/b"]);
    assert!(matches!(said.status, 1 | 111) && said.err.contains("part"), "{said:?}");
    assert_eq!(picture(&scratch), before);
    // Uncommitted changes in it are refused.
    within(&scratch, &tree, "cd part && git push -q origin HEAD:refs/heads/main && echo three >>two");
    refused(&scratch, &["rg/b"], 1, "uncommitted");
    within(&scratch, &tree, "cd part && git checkout -q two");
    let said = land(&scratch, &["rg/b"]);
    assert_eq!(said.status, 0, "{said:?}");
    // Without a branch nothing can land.
    scratch.ok("git checkout -q --detach");
    refused(&scratch, &[], 100, "no branch is checked out");
}

#[test]
fn a_lost_race_is_retried_as_often_as_configured() {
    let scratch = shared_with("land: {retries: 1}\n");
    // Each check run lets another clone push first.
    scratch.ok("git clone -q ../remote.git ../other");
    scratch.write(
        "test.sh",
        &format!(
            "cd '{}' && git pull -q && echo $$ >>faster.txt && git add -A && git commit -qm faster && git push -q\n",
            scratch.top().join("other").display()
        ),
    );
    scratch.ok("git commit -qam racing && git push -q && git -C ../other pull -q");
    work(&scratch, "a", "a.txt", "a");
    let said = land(&scratch, &["rg/a"]);
    assert!(
        said.status == 1 && said.err.contains("not landed: main moved 2 times during the landing. Run rg-land again"),
        "{said:?}"
    );
    assert!(!scratch.ok("git -C ../remote.git log --format=%s main").out.contains("add a.txt"));
}

#[test]
fn a_review_survives_a_rebase_only_with_the_same_change() {
    // A reviewer that approves while a file says so.
    let script = "cat >prompt\nset -- ../../../approves\n[ -e \"$1\" ] || exit 1\n\
        p=$(sed -n 's/^# Review request //p' prompt | head -n 1)\n\
        n=$(sed -n 's/.*\"nonce\": \"\\([0-9A-Z]*\\)\".*/\\1/p' prompt | head -n 1)\nrm prompt\n\
        printf '{\"decision\": \"approve\", \"request\": \"%s\", \"nonce\": \"%s\", \"summary\": \"seen\", \"reviewed\": [\"a.txt\"]}\\n' \"$p\" \"$n\"\n";
    let setting = "review: {when: always, by: command, command: sh ../../../reviewer.sh}\n";
    let lines = |first: &str, fourth: &str| format!("{first}\ntwo\nthree\n{fourth}\nfive\n");
    for (theirs, lands) in [(("o.txt", "o\n".to_string()), true), (("a.txt", lines("one", "FOUR")), false)] {
        let scratch = shared_with(setting);
        fs::write(scratch.top().join("reviewer.sh"), script).unwrap();
        fs::write(scratch.top().join("approves"), "").unwrap();
        scratch.write("a.txt", &lines("one", "four"));
        scratch.ok("git add -A && git commit -qm lines && git push -q");
        let path = PathBuf::from(scratch.run("rg-worktree", &["create", "a"], b"").out.trim_end());
        let start = json!({"hook_event_name": "SessionStart", "source": "startup", "cwd": path});
        scratch.sh("rg-event --client claude | rg-tamper | rg-review-state | rg-answer", &scratch.payload("s", start));
        let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go", "cwd": path});
        scratch.sh("rg-event --client claude | rg-tamper | rg-review-state | rg-answer", &scratch.payload("s", prompt));
        commit(&scratch, &path, "a.txt", &lines("ONE", "four"));
        let stop = crate::scratch::STOP.replace("rg-check |", "rg-check | rg-review-state | rg-review |");
        let said = scratch.sh(&stop, &scratch.stop_payload("s", json!({"cwd": path})));
        assert_eq!((said.out.as_str(), scratch.words()), ("", vec!["done".to_string()]), "{said:?}");
        assert_eq!(scratch.receipt()["review"]["state"], "approved");
        let other = scratch.top().join("other");
        scratch.ok("git clone -q ../remote.git ../other");
        fs::write(other.join(theirs.0), &theirs.1).unwrap();
        scratch.ok("cd ../other && git add -A && git commit -qm theirs && git push -q");
        // No reviewer is available for another review.
        fs::remove_file(scratch.top().join("approves")).unwrap();
        if lands {
            let said = land(&scratch, &["rg/a"]);
            assert!(said.status == 0 && said.out.contains("judged now"), "{said:?}");
        } else {
            refused(&scratch, &["rg/a"], 111, "not landed: rg/a on main is unverified");
        }
    }
    let scratch = shared_with(setting);
    work(&scratch, "a", "a.txt", "a");
    refused(&scratch, &["rg/a"], 111, "not landed: rg/a on main is unverified");
}
