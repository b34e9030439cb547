//! Laws of rg-worktree: one worktree per task, and no work lost with it.

use crate::scratch::{Said, Scratch, lines_of};
use serde_json::json;
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn run(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-worktree", args, b"")
}

/// Creates a worktree and returns its path.
fn create(scratch: &Scratch, id: &str) -> PathBuf {
    let said = run(scratch, &["create", "--", id]);
    assert_eq!(said.status, 0, "{id:?}: {said:?}");
    PathBuf::from(said.out.trim_end())
}

/// Runs a shell line in a worktree.
fn within(scratch: &Scratch, tree: &Path, line: &str) -> Said {
    scratch.ok(&format!("cd '{}' && {line}", tree.display()))
}

/// Asserts that a removal is refused and changes nothing.
fn refused(scratch: &Scratch, id: &str, why: &str) {
    let state = "git worktree list --porcelain && git for-each-ref && find .worktrees -type f | sort";
    let before = scratch.ok(state).out;
    let said = run(scratch, &["remove", id]);
    assert_eq!(said.status, 1, "{id}: {said:?}");
    assert!(said.err.contains(why) && said.err.lines().count() == 1, "{id}: {why}: {said:?}");
    assert_eq!(scratch.ok(state).out, before);
    let pruned = run(scratch, &["prune"]);
    assert!(pruned.status == 0 && !pruned.out.contains("removed"), "{pruned:?}");
    assert_eq!(scratch.ok(state).out, before);
}

#[test]
fn a_worktree_is_created_on_its_own_branch_and_found_again() {
    let scratch = Scratch::repo();
    let path = create(&scratch, "fix-login");
    assert_eq!(path, scratch.work().join(".worktrees/fix-login"));
    assert_eq!(within(&scratch, &path, "git symbolic-ref HEAD").out, "refs/heads/rg/fix-login\n");
    assert_eq!(scratch.ok("git rev-parse rg/fix-login").out, scratch.ok("git rev-parse main").out);
    // The same worktree from anywhere in the repository, with and without changes in it.
    within(&scratch, &path, "echo x >new && git add new && git commit -qm x && echo y >>new");
    for dir in [".", ".worktrees/fix-login", ".git"] {
        let said = run(&scratch, &["create", "-C", dir, "fix-login"]);
        assert_eq!((said.status, said.out), (0, format!("{}\n", path.display())));
    }
    assert_eq!(fs::read_to_string(path.join("new")).unwrap(), "x\ny\n");
    assert_eq!(lines_of(&scratch.state().join("worktrees.jsonl")).len(), 1);
    for words in [&["create"] as &[&str], &["create", " "], &["create", "a", "b"], &["remove"], &["burn"], &[]] {
        assert_eq!(run(&scratch, words).status, 100, "{words:?}");
    }
    let bare = Scratch::new();
    assert_eq!(run(&bare, &["create", "x"]).status, 100, "no repository");
}

#[test]
fn no_two_ids_share_a_worktree() {
    let scratch = Scratch::repo();
    let long = ["x".repeat(300), "x".repeat(301)];
    let ids = [
        "Fix", "fix", "FIX", "#1", "1", "a.b", "a*b", "a b", "!!!", "??", "-n", "../up", "a\nb", "ü", &long[0],
        &long[1],
    ];
    let paths: HashSet<String> =
        ids.iter().map(|id| create(&scratch, id).file_name().unwrap().to_string_lossy().to_lowercase()).collect();
    assert_eq!(paths.len(), ids.len(), "not even where capitals are folded: {paths:?}");
    assert!(!scratch.work().join("up").exists() && paths.iter().all(|name| name.len() < 64));
    let branches = scratch.ok("git for-each-ref --format='%(refname)' refs/heads/rg").out;
    assert_eq!(branches.lines().count(), ids.len());
}

#[test]
fn it_is_reused_only_if_path_branch_and_repository_match() {
    let scratch = Scratch::repo();
    let path = create(&scratch, "a");
    within(&scratch, &path, "git switch -qc other");
    let said = run(&scratch, &["create", "a"]);
    assert!(said.status == 1 && said.err.contains("has refs/heads/other checked out, not refs/heads/rg/a"), "{said:?}");
    within(&scratch, &path, "git switch -q --detach");
    assert_eq!(run(&scratch, &["create", "a"]).status, 1);
    scratch.ok("git worktree add -q ../elsewhere -b rg/b");
    let said = run(&scratch, &["create", "b"]);
    assert!(said.status == 1 && said.err.contains("checked out elsewhere"), "{said:?}");
    // Another repository, a file and a non-empty directory are refused.
    scratch.ok("git init -q .worktrees/c && echo mine >.worktrees/c/file && mkdir .worktrees/d && echo mine >.worktrees/d/x && echo mine >.worktrees/e");
    for id in ["c", "d", "e"] {
        let said = run(&scratch, &["create", id]);
        assert!(said.status == 1 && said.err.contains("not a worktree of this repository"), "{said:?}");
    }
    // The directory of worktrees is a link that leads out.
    let linked = Scratch::repo();
    linked.ok("mkdir ../out && ln -s ../out .worktrees");
    assert_eq!(run(&linked, &["create", "a"]).status, 1);
    assert_eq!(fs::read_dir(linked.top().join("out")).unwrap().count(), 0);
    // An existing branch of the id is checked out and not moved.
    scratch.ok("git branch rg/kept main && git commit -q --allow-empty -m more");
    let path = create(&scratch, "kept");
    assert_ne!(within(&scratch, &path, "git rev-parse HEAD").out, scratch.ok("git rev-parse main").out);
}

#[test]
fn the_base_is_named_configured_or_the_trunk() {
    let scratch = Scratch::repo();
    scratch.ok("git branch dev && git checkout -q dev && git commit -q --allow-empty -m dev && git checkout -q main");
    let tip = |name: &str| scratch.ok(&format!("git rev-parse {name}")).out;
    create(&scratch, "a");
    assert_eq!(tip("rg/a"), tip("main"));
    assert_eq!(run(&scratch, &["create", "--base", "dev", "b"]).status, 0);
    assert_eq!(tip("rg/b"), tip("dev"));
    scratch.ok("git config review-gate.base dev");
    create(&scratch, "c");
    assert_eq!(tip("rg/c"), tip("dev"));
    scratch.ok("git config --unset review-gate.base && git update-ref refs/remotes/origin/trunk dev && git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/trunk");
    create(&scratch, "d");
    assert_eq!(tip("rg/d"), tip("dev"));
    for base in ["nothing", "--help", ""] {
        let said = run(&scratch, &["create", &format!("--base={base}"), "e"]);
        assert_eq!(said.status, 100, "{said:?}");
    }
    let unborn = Scratch::new();
    unborn.ok("git init -q");
    assert_eq!(run(&unborn, &["create", "a"]).status, 100);
}

#[test]
fn the_main_worktree_is_not_changed() {
    let scratch = Scratch::repo();
    scratch.write(".gitignore", "*.log\n");
    scratch.ok("git add -A && git commit -qm ignore && echo half >>src.txt && git checkout -q --detach");
    fs::write(scratch.work().join(".git/info/exclude"), "mine").unwrap();
    let before = scratch.ok("git status --porcelain && cat .gitignore && git rev-parse HEAD").out;
    create(&scratch, "a");
    create(&scratch, "b");
    assert_eq!(scratch.ok("git status --porcelain && cat .gitignore && git rev-parse HEAD").out, before);
    assert_eq!(fs::read_to_string(scratch.work().join(".git/info/exclude")).unwrap(), "mine\n/.worktrees/\n");
    // Nothing is written if a tracked file ignores the directory already.
    let known = Scratch::repo();
    known.write(".gitignore", "/.worktrees\n");
    known.ok("git add -A && git commit -qm ignore");
    let before = fs::read(known.work().join(".git/info/exclude")).unwrap_or_default();
    create(&known, "a");
    assert_eq!(fs::read(known.work().join(".git/info/exclude")).unwrap_or_default(), before);
}

#[test]
fn it_works_from_a_bare_repository_and_its_worktrees() {
    let scratch = Scratch::repo();
    scratch.ok("git clone -q --bare . ../bare.git");
    let path = scratch.run("rg-worktree", &["create", "-C", "../bare.git", "a"], b"");
    assert_eq!(path.status, 0, "{path:?}");
    let path = PathBuf::from(path.out.trim_end());
    assert!(path.starts_with(scratch.top().join("bare.git/.worktrees")) && path.join("DONE.md").exists());
    let other = run(&scratch, &["create", "-C", path.to_str().unwrap(), "b"]).out;
    assert!(other.trim_end().ends_with("bare.git/.worktrees/b"), "{other}");
    fs::write(path.join("new"), "").unwrap();
    let said = run(&scratch, &["remove", "-C", "../bare.git", "a"]);
    assert!(said.status == 1 && said.err.contains("untracked"), "{said:?}");
    assert_eq!(run(&scratch, &["remove", "-C", "../bare.git", "b"]).status, 0);
}

#[test]
fn submodules_are_checked_out_and_declared_files_copied() {
    let yaml = "checks:\n  - {name: t, run: \"true\"}\nland: {copy: [\".env\", \"/local/\", \"/out/key\"]}\n";
    let scratch = Scratch::repo_with(yaml);
    scratch.ok(
        "git init -q ../lib && git -C ../lib commit -q --allow-empty -m lib && git submodule --quiet add ../lib lib",
    );
    scratch.write(".gitignore", ".env\nlocal/\nout\nbuild/\n");
    scratch.ok("mkdir ../target && ln -s ../target out && git add -f out && git add -A && git commit -qm more");
    scratch.ok("rm out && mkdir out && echo secret >out/key");
    scratch.write(".env", "A=1\n");
    scratch.write("local/run", "#!/bin/sh\n");
    scratch.write("build/big", "x");
    scratch.ok("chmod 700 local/run");
    let said = run(&scratch, &["create", "a"]);
    assert!(said.status == 0 && said.err.contains("not copied: out/key: its directory is a link"), "{said:?}");
    let path = PathBuf::from(said.out.trim_end());
    assert_eq!(fs::read_to_string(path.join(".env")).unwrap(), "A=1\n");
    assert_eq!(fs::metadata(path.join("local/run")).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(path.join("lib/.git").exists() && !path.join("build").exists());
    assert!(!scratch.top().join("target/key").exists(), "nothing is written through a link");
    // An unchanged copy may be removed; a changed one is work.
    fs::write(path.join(".env"), "A=2\n").unwrap();
    refused(&scratch, "a", "1 declared ignored file not as in the main worktree (.env)");
    fs::write(path.join(".env"), "A=1\n").unwrap();
    fs::write(path.join("lib/work"), "x").unwrap();
    refused(&scratch, "a", "submodule lib: 1 uncommitted file");
    within(&scratch, &path, "cd lib && git add work && git commit -qm work");
    refused(&scratch, "a", "submodule lib: 1 commit that no remote has");
    assert_eq!(run(&scratch, &["remove", "--force", "a"]).status, 1, "no copy of ours could hold that");
    within(&scratch, &path, "cd lib && git reset -q --hard HEAD^ && git reflog expire --expire=all --all");
    let said = run(&scratch, &["remove", "a"]);
    assert_eq!(said.status, 0, "{said:?}");
}

#[test]
fn guards_compare_with_the_fork_point() {
    let scratch = Scratch::repo();
    scratch.ok("git checkout -q --orphan dev && git commit -qm dev && git checkout -q main");
    run(&scratch, &["create", "--base", "dev", "a"]);
    let path = scratch.work().join(".worktrees/a");
    let record = lines_of(&scratch.state().join("worktrees.jsonl")).remove(0);
    assert_eq!((&record["kind"], &record["name"], &record["base"]), (&json!("made"), &json!("a"), &json!("dev")));
    assert_eq!(record["fork"], scratch.ok("git rev-parse dev").out.trim());
    // A session's commits there are found without its baseline.
    within(&scratch, &path, "printf \"it.only('x', () => {})\\n\" >x.test.js && git add -A && git commit -qm x");
    let said = scratch.run("rg-tamper", &["--now", "-C", path.to_str().unwrap()], b"");
    assert!(said.status == 3 && said.out.contains("x.test.js:1: tampered"), "{said:?}");
    // A moved base does not hide them.
    scratch.ok("git branch -f dev rg/a");
    let said = scratch.run("rg-tamper", &["--now", "-C", path.to_str().unwrap()], b"");
    assert!(said.status == 3, "{said:?}");
}

#[test]
fn a_worktree_with_unsaved_work_is_not_removed() {
    let scratch = Scratch::repo();
    let path = create(&scratch, "a");
    within(&scratch, &path, "echo x >>src.txt");
    refused(&scratch, "a", "1 changed file (src.txt)");
    within(&scratch, &path, "git add src.txt");
    refused(&scratch, "a", "1 staged file");
    within(&scratch, &path, "git reset -q --hard && echo x >'new\nfile'");
    refused(&scratch, "a", "1 untracked file (new file)");
    within(&scratch, &path, "rm new* && git update-index --assume-unchanged src.txt && echo x >>src.txt");
    refused(&scratch, "a", "1 change hidden by assume-unchanged or skip-worktree (src.txt)");
    within(&scratch, &path, "git update-index --no-assume-unchanged src.txt && git reset -q --hard");
    // A file system monitor is not asked.
    fs::write(scratch.top().join("lies"), "#!/bin/sh\nprintf 'token\\0'\n").unwrap();
    fs::set_permissions(scratch.top().join("lies"), fs::Permissions::from_mode(0o755)).unwrap();
    let monitor = format!(
        "git config core.fsmonitor '{}' && git config core.fsmonitorHookVersion 2 && git status -s",
        scratch.top().join("lies").display()
    );
    within(&scratch, &path, &monitor);
    within(&scratch, &path, "git status -s && echo more >>src.txt");
    refused(&scratch, "a", "1 changed file (src.txt)");
    scratch.ok("git config --unset core.fsmonitor");
    within(
        &scratch,
        &path,
        "git reset -q --hard && git update-index --really-refresh && git config status.showUntrackedFiles no",
    );
    within(&scratch, &path, "git commit -q --allow-empty -m own");
    refused(&scratch, "a", "1 commit only on branch rg/a");
    within(&scratch, &path, "git checkout -q --detach && git commit -q --allow-empty -m lost");
    refused(&scratch, "a", "1 commit only on a detached HEAD (");
    within(&scratch, &path, "git checkout -q rg/a && git reset -q --hard HEAD^ && git bisect start -q");
    refused(&scratch, "a", "a bisection under way");
    within(&scratch, &path, "git bisect reset 2>/dev/null; git init -q nested && echo x >nested/file");
    refused(&scratch, "a", "nested/ is another repository");
    assert_eq!(run(&scratch, &["remove", "--force", "a"]).status, 1);
    within(&scratch, &path, "rm -rf nested");
    scratch.ok("git worktree lock --reason 'on a stick' .worktrees/a");
    refused(&scratch, "a", "locked (on a stick)");
    assert_eq!(run(&scratch, &["remove", "--force", "a"]).status, 1, "whoever locked it unlocks it");
    scratch.ok("git worktree unlock .worktrees/a");
    let said = run(&scratch, &["remove", "-C", ".worktrees/a", "a"]);
    assert!(said.status == 1 && said.err.contains("you are in it"), "{said:?}");
    let main = run(&scratch, &["remove", "."]);
    assert!(main.status == 100 && main.err.contains("main worktree"), "{main:?}");
    let said = run(&scratch, &["remove", "a"]);
    assert_eq!((said.status, path.exists()), (0, false), "{said:?}");
    assert_eq!(scratch.ok("git branch --list 'rg/*'").out, "", "nothing was on it");
}

#[test]
fn a_worktree_in_use_by_a_live_task_stays() {
    let mut scratch = Scratch::repo();
    let path = create(&scratch, "a");
    let own = std::process::id().to_string();
    scratch.set("CLAUDE_PID", &own);
    let fields = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go", "cwd": path});
    let said = scratch.sh("rg-event --client claude | rg-answer", &scratch.payload("s", fields));
    assert_eq!(said.status, 0);
    refused(&scratch, "a", "in use by task 01");
    scratch.later(2.0 * 86_400.0);
    let said = run(&scratch, &["remove", "a"]);
    assert_eq!(said.status, 0, "nobody touched it for two days: {said:?}");
}

#[test]
fn force_saves_a_backup_first() {
    let yaml = "checks:\n  - {name: t, run: \"true\"}\nland: {copy: [\".env\"]}\n";
    let scratch = Scratch::repo_with(yaml);
    scratch.write(".gitattributes", "*.txt text eol=lf\n");
    scratch.write(".gitignore", ".env\nforced\n");
    scratch.ok("git add -A && git commit -qm attributes");
    let path = create(&scratch, "a");
    within(&scratch, &path, "git commit -q --allow-empty -m own && echo staged >src.txt && git add src.txt");
    fs::write(path.join("src.txt"), "one\r\ntwo\n").unwrap();
    fs::write(path.join("new.txt"), "a\r\n").unwrap();
    fs::write(path.join(".env"), "mine").unwrap();
    fs::write(path.join("odd \n name"), "odd").unwrap();
    fs::write(path.join("forced"), "f").unwrap();
    within(
        &scratch,
        &path,
        "git add -f forced && git update-index --assume-unchanged test.sh && echo hidden >>test.sh && ln -s /nowhere link",
    );
    let head = within(&scratch, &path, "git rev-parse HEAD").out;
    let said = run(&scratch, &["remove", "--force", "a"]);
    assert_eq!((said.status, path.exists()), (0, false), "{said:?}");
    assert_eq!(scratch.ok("git branch --list 'rg/*'").out, "");
    let kept = said.out.trim_end().trim_end_matches('`').rsplit(' ').next().unwrap();
    let show = |what: &str| scratch.ok(&format!("git show '{kept}{what}'")).out;
    assert_eq!(show(":src.txt"), "one\r\ntwo\n", "to the byte");
    assert_eq!((show(":new.txt"), show(":.env"), show(":odd \n name")), ("a\r\n".into(), "mine".into(), "odd".into()));
    assert_eq!((show(":forced"), show(":link")), ("f".into(), "/nowhere".into()));
    assert!(show(":test.sh").ends_with("hidden\n"));
    assert_eq!(scratch.ok(&format!("git rev-parse {kept}^1")).out, head);
    // The printed command checks the backup out.
    scratch.ok(&format!("git worktree add -q --detach ../again {kept} && cat ../again/.env"));
    let id = kept.rsplit('/').next().unwrap();
    assert!(scratch.ok("rg-rescue list").out.contains(id));
    let removed = lines_of(&scratch.state().join("worktrees.jsonl")).pop().unwrap();
    // Created again, the worktree gets everything back, staged files, too.
    let path = create(&scratch, "a");
    within(&scratch, &path, &format!("rg-rescue restore --from {id}"));
    assert_eq!(within(&scratch, &path, "git show :src.txt").out, "staged\n");
    assert_eq!(within(&scratch, &path, "cat src.txt forced .env").out, "one\r\ntwo\nfmine");
    assert_eq!((&removed["kind"], &removed["kept"]), (&json!("removed"), &json!(kept)));
    // A file that cannot be backed up is not lost.
    let path = create(&scratch, "b");
    fs::write(path.join("locked"), "x").unwrap();
    fs::set_permissions(path.join("locked"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(path.join("locked")).is_err() {
        let said = run(&scratch, &["remove", "--force", "b"]);
        assert!(said.status == 1 && said.err.contains("a backup cannot hold 1 file (locked)"), "{said:?}");
        assert!(path.exists());
    }
}

#[test]
fn prune_removes_merged_worktrees_and_says_why_others_are_kept() {
    let mut scratch = Scratch::repo();
    for id in ["merged", "open", "fresh", "gone", "gone-open"] {
        let path = create(&scratch, id);
        if !["fresh"].contains(&id) {
            within(&scratch, &path, &format!("git commit -q --allow-empty -m {id}"));
        }
    }
    scratch.ok("git merge -q --no-edit rg/merged && git merge -q --no-edit rg/gone && rm -r .worktrees/gone .worktrees/gone-open");
    scratch.ok("git worktree add -q ../by-hand -b by-hand");
    let dry = run(&scratch, &["prune", "--dry-run"]).out;
    assert!(dry.contains("would remove") && scratch.work().join(".worktrees/merged").exists(), "{dry}");
    let said = run(&scratch, &["prune"]);
    for part in [
        "removed ",
        "/merged\n",
        "kept ",
        "open: 1 commit only on branch rg/open",
        "/fresh: created less than a day ago",
    ] {
        assert!(said.out.contains(part), "{part}: {said:?}");
    }
    let left = scratch
        .ok("git worktree list --porcelain | grep -c ^worktree; git branch --list 'rg/*' --format='%(refname:short)'")
        .out;
    assert_eq!(left, "5\nrg/fresh\nrg/gone-open\nrg/open\n", "main, by-hand, open, fresh, gone-open");
    assert!(scratch.top().join("by-hand").exists(), "what was not made here is not pruned");
    scratch.later(2.0 * 86_400.0);
    assert!(run(&scratch, &["prune"]).out.contains("removed"));
    assert!(!scratch.work().join(".worktrees/fresh").exists());
    let listed = run(&scratch, &["list"]).out;
    assert!(listed.contains("rg/open  ") && listed.contains("1 commit only on branch rg/open"), "{listed}");
    assert!(listed.contains("by-hand  ") && listed.contains("its directory is gone"), "{listed}");
    assert_eq!(run(&scratch, &["remove", "gone-open"]).status, 1);
    let said = run(&scratch, &["remove", "--force", "gone-open"]);
    let kept = said.out.trim_end().trim_end_matches('`').rsplit(' ').next().unwrap().to_string();
    assert_eq!(scratch.ok(&format!("git log -1 --format=%s {kept}")).out, "gone-open\n");
    assert_eq!(run(&scratch, &["remove", "--keep-branch", "open"]).status, 0);
    assert_eq!(scratch.ok("git log -1 --format=%s rg/open").out, "open\n");
}

#[test]
fn simultaneous_and_killed_runs_end_with_a_complete_worktree() {
    let mut scratch = Scratch::repo();
    let line = "for n in 1 2 3 4; do rg-worktree create same & rg-worktree create other-$n & done; wait";
    let said = scratch.ok(line);
    assert_eq!(said.out.lines().count(), 8, "{said:?}");
    assert_eq!(said.out.lines().collect::<HashSet<_>>().len(), 5);
    scratch.set("RG_CRASH", "1");
    assert_ne!(run(&scratch, &["create", "late"]).status, 0);
    scratch.env.remove("RG_CRASH");
    let path = create(&scratch, "late");
    assert!(path.join("DONE.md").exists());
    let made = lines_of(&scratch.state().join("worktrees.jsonl"));
    assert_eq!(made.iter().filter(|record| record["name"] == "late").count(), 1, "its record was written after all");
    scratch.set("PATH", "/nowhere");
    assert_eq!(run(&scratch, &["create", "x"]).status, 111, "no git");
}
