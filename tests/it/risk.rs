//! Tests of rg-guard with commands that may lose work: it takes a backup first, or denies the command.

use crate::scratch::{Said, Scratch};
use serde_json::{Value, json};
use std::fs;

fn call(scratch: &Scratch, command: &str, more: Value) -> Said {
    let mut fields = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}});
    fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.run("rg-guard", &["--hook", "--client", "claude"], &scratch.payload("s", fields))
}

fn bash(scratch: &Scratch, command: &str) -> Said {
    call(scratch, command, json!({"permission_mode": "default"}))
}

fn refs(scratch: &Scratch) -> Vec<String> {
    scratch
        .ok("git for-each-ref --format='%(refname:lstrip=3)' refs/review-gate/rescue")
        .out
        .lines()
        .map(str::to_string)
        .collect()
}

#[test]
fn nested_work_is_backed_up_or_asked_about_before_removal() {
    let scratch = Scratch::repo_with(
        "checks:\n  - {name: tests, run: \"true\"}\ncommands:\n  allow:\n    - {pattern: \"git worktree\", reason: fine}\n",
    );
    scratch.write(".gitignore", "/.worktrees/\n");
    scratch.ok("git add -A && git commit -qm ignore");
    scratch.ok("git worktree add -q trees/wt -b wt && echo work >trees/wt/work");
    scratch.ok("git worktree add -q .worktrees/hidden -b hidden && echo work >.worktrees/hidden/work");
    let holders = |scratch: &Scratch| {
        let all = refs(scratch);
        let holds =
            |id: &&String| scratch.sh(&format!("git cat-file -e refs/review-gate/rescue/{id}:work"), b"").status == 0;
        all.iter().filter(holds).count()
    };
    for (at, command) in ["rm -rf trees", "rm -rf .worktrees", "git worktree remove --forc wt"].iter().enumerate() {
        scratch.ok(&format!("echo {at} >>trees/wt/work; echo {at} >>.worktrees/hidden/work"));
        bash(&scratch, command);
        assert_eq!(holders(&scratch), at + 1, "{command}");
    }
    // A nested repository is lost with its objects.
    let scratch = Scratch::repo();
    scratch.ok("git clone -q . vend");
    assert_eq!(bash(&scratch, "rm -rf vend").out, "", "its remote has everything");
    scratch.ok("echo mine >vend/new");
    let said = bash(&scratch, "rm -rf vend");
    assert!(said.out.contains("\"ask\"") && said.out.contains("1 file not committed"), "{said:?}");
    let said = bash(&scratch, "find vend -name '*.tmp' -delete; rm -rf vend");
    assert!(said.out.contains("1 file not committed"), "{said:?}");
    scratch.ok("cd vend && git add -A && git commit -qm mine");
    let said = bash(&scratch, "cd vend/.. && rm -rf ve*d");
    assert!(said.out.contains("unpushed commits"), "{said:?}");
    // An unreadable file cannot be backed up.
    let scratch = Scratch::repo();
    scratch.ok("echo x >locked && chmod 000 locked");
    if fs::read(scratch.work().join("locked")).is_err() {
        let said = bash(&scratch, "rm -f locked");
        assert!(said.out.contains("\"deny\"") && said.out.contains("cannot be copied"), "{said:?}");
    }
}

/// A repository whose DONE.md allows `git reset --hard` and `git clean`.
fn lenient() -> Scratch {
    let scratch = Scratch::repo_with(
        "checks:\n  - {name: tests, run: \"true\"}\ncommands:\n  allow:\n    - {pattern: \"git reset\", reason: fine}\n    - {pattern: \"git clean\", reason: fine}\n",
    );
    scratch.append("src.txt", "not committed\n");
    scratch.write("new", "not tracked\n");
    scratch
}

#[test]
fn a_command_that_may_lose_work_is_preceded_by_a_backup() {
    for (command, loses) in [
        ("git reset --hard", true),
        ("cd /tmp; git -C REPO clean -fdx", true),
        ("sh -c 'git reset --hard HEAD'", true),
        ("rm -r new", true),
        ("rm new", true),
        ("find . -name 'n*' -delete", true),
        ("find . -name 'n*' -exec rm {} +", true),
        ("git rebase main", true),
        ("git merge --abort", true),
        ("git rm -f src.txt", true),
        ("git checkout main src.txt", true),
        ("rm \"$FILE\"", true),
        ("cd \"$(git rev-parse --show-toplevel)\" && rm new", true),
        ("cd \"$SOMEWHERE\" && rm new", true),
        ("rm \"$(git rev-parse --show-toplevel)/new\"", true),
        ("git checkout src.txt", true),
        ("git checkout --ours src.txt", true),
        ("git merge --ab", true),
        ("git clean -fd -- . -h", true),
        ("rm -rf build", true),
        ("rm forced.log", true),
        ("rm -rf target/link/new", true),
        ("rm -rf logs", true),
        ("mv -f DONE.md new", true),
        ("cp DONE.md new", true),
        ("truncate -s0 new", true),
        ("find . -name 'n*' -exec truncate -s 0 {} +", true),
        ("find . -name 'n*' -exec cp /dev/null {} \\;", true),
        ("git diff | patch -R -p1", true),
        ("ln -sf /dev/null new", true),
        ("7z a -sdel /tmp/x.7z new", true),
        ("rsync --remove-source-files -a new /tmp/y", true),
        ("ln -s new other", false),
        ("patch -p1 < x.patch", false),
        ("7z a x.7z new", false),
        ("rsync -a new /tmp/y", false),
        ("cp DONE.md elsewhere", false),
        ("cp DONE.md test.sh", false),
        ("rm -f other.log", false),
        ("git status", false),
        ("git reset --soft HEAD", false),
        ("git commit -am 'rm -r new'", false),
        ("git rebase --continue", false),
        ("git checkout main", false),
        ("rm -rf target", false),
        ("rm -f nowhere", false),
        ("rm -rf /tmp/nowhere-at-all", false),
        ("echo x > src.txt", false),
        ("ls -la; cat new", false),
        ("ssh host 'rm -r new'", false),
        ("docker run -v REPO:/w alpine rm -r /w/new", true),
        ("docker run -v REPO:/w alpine rm -r /tmp/new", false),
    ] {
        let scratch = lenient();
        scratch.write(".gitignore", "/target/\nbuild/*\n!build/keep\n*.log\nlogs/[0-9]*\n");
        scratch.write("target/out", "made again\n");
        scratch.write("build/keep", "kept\n");
        scratch.write("logs/notes", "mine\n");
        scratch.write("forced.log", "held\n");
        scratch.write("other.log", "made again\n");
        scratch.ok("ln -s .. target/link; git add -f forced.log");
        let said = bash(&scratch, &command.replace("REPO", scratch.work().to_str().unwrap()));
        assert!(!said.out.contains("\"deny\""), "{command}: {said:?}");
        assert_eq!(refs(&scratch).len(), usize::from(loses), "{command}: {said:?}");
        if loses {
            let listed = scratch.ok("rg-rescue list").out;
            assert!(listed.contains("before: "), "{command}: {listed}");
            scratch.ok("git reset -q --hard; rm -rf new build logs");
            let mut scratch = scratch;
            scratch.later(1.0);
            scratch.ok("rg-rescue restore");
            let back = scratch.ok("tail -n1 src.txt; cat new build/keep logs/notes forced.log").out;
            assert_eq!(back, "not committed\nnot tracked\nkept\nmine\nheld\n", "{command}");
        }
    }
}

#[test]
fn an_allowed_command_is_silent_and_a_denied_one_takes_no_backup() {
    let scratch = Scratch::repo();
    scratch.write("new", "x\n");
    for command in ["git reset --hard", "rm -rf .", "git clean -fdx && rm new"] {
        let said = bash(&scratch, command);
        assert!(said.out.contains("\"deny\"") && refs(&scratch).is_empty(), "{command}: {said:?}");
    }
    let said = bash(&scratch, "rm new");
    assert!(said.out.is_empty() && said.err.is_empty() && said.status == 0, "{said:?}");
    assert_eq!(refs(&scratch).len(), 1);
    // A backup is taken before a question to the user. A question that no user sees is a denial.
    let scratch = Scratch::repo();
    let asked = |mode: &str| call(&scratch, "git checkout main src.txt", json!({"permission_mode": mode}));
    assert!(asked("bypassPermissions").out.contains("\"deny\"") && refs(&scratch).is_empty());
    assert!(asked("default").out.contains("\"ask\"") && refs(&scratch).len() == 1);
}

#[test]
fn the_backup_is_recorded() {
    let scratch = lenient();
    scratch.prompt("s", "go on");
    let said = bash(&scratch, "git reset --hard && curl -H 'Authorization: Bearer abcdefghijklmnop' x");
    assert!(said.out.is_empty(), "{said:?}");
    let records = scratch.records("rescued");
    assert_eq!(records.len(), 1, "{records:?}");
    let copy = records[0]["backup"].as_str().unwrap();
    assert_eq!(refs(&scratch), [copy]);
    assert_eq!((&records[0]["by_tool"], &records[0]["tool"]), (&"rg-guard".into(), &"Bash".into()));
    assert!(scratch.ok(&format!("rg-rescue show {copy}")).out.contains("why before: git reset --hard"));
    // The same files give the same backup.
    bash(&scratch, "git reset --hard");
    assert_eq!(refs(&scratch), [copy]);
}

#[test]
fn a_command_is_denied_if_the_backup_fails() {
    let scratch = lenient();
    fs::write(scratch.work().join(".git/refs/review-gate"), "").unwrap();
    let said = bash(&scratch, "git reset --hard");
    assert!(said.out.contains("\"deny\"") && said.out.contains("rescue-failed") && said.out.contains("rg-rescue save"));
    assert_eq!(bash(&scratch, "git status").out, "");
    // A backup above the size limit is a question.
    let scratch = lenient();
    fs::File::create(scratch.work().join("large")).unwrap().set_len(600 << 20).unwrap();
    let said = bash(&scratch, "rm new");
    assert!(said.out.contains("\"ask\"") && said.out.contains("the backup is too large: 600 MiB"), "{said:?}");
    assert!(refs(&scratch).is_empty());
}

#[test]
fn no_backup_is_taken_outside_a_repository() {
    let scratch = Scratch::new();
    scratch.write("new", "x\n");
    let said = bash(&scratch, "rm new");
    assert!(said.out.is_empty() && !scratch.state().join("rescue").exists(), "{said:?}");
}

#[test]
fn an_agent_may_save_and_restore_and_may_not_prune() {
    let scratch = Scratch::repo();
    for (command, allowed) in [
        ("rg-rescue save --why 'before the rename'", true),
        ("rg-rescue list && rg-rescue show && rg-rescue diff src.txt", true),
        ("rg-rescue restore --from 01ABC -- src.txt", true),
        ("rg-rescue prune --dry-run", true),
        ("rg-rescue prune", false),
        ("timeout 5 rg-rescue prune --keep 0", false),
        ("git update-ref -d refs/review-gate/rescue/01ABC", false),
    ] {
        let said = bash(&scratch, command);
        assert_eq!(said.out.is_empty(), allowed, "{command}: {said:?}");
    }
}

#[test]
fn a_backup_is_taken_in_a_pipeline_too() {
    let scratch = lenient();
    let fields =
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git reset --hard"}});
    let said = scratch.sh("rg-event --client claude | rg-guard", &scratch.payload("s", fields));
    assert!(said.status == 0 && !said.out.contains("\"reply\""), "{said:?}");
    assert_eq!(refs(&scratch).len(), 1);
}

#[test]
fn another_worktree_is_backed_up_before_its_removal() {
    let scratch = Scratch::repo();
    scratch.ok("git worktree add -q trees/wt -b wt && echo work >trees/wt/work");
    let said = bash(&scratch, "rm -rf trees/wt");
    assert!(said.out.is_empty(), "{said:?}");
    scratch.ok("rm -rf trees/wt");
    let copies = refs(&scratch);
    assert_eq!(copies.len(), 1);
    assert_eq!(scratch.ok(&format!("git show refs/review-gate/rescue/{}:work", copies[0])).out, "work\n");
}
