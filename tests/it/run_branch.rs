//! Tests of `rg-run --branch` and `--land`: the work is committed on a branch of its own, and lands if it is done.

use crate::run::{prompt, steps};
use crate::scratch::{Said, Scratch};
use serde_json::Value;
use std::fs;

/// A repository, and an agent whose script can be started from any directory.
pub fn with_agent(line: &str) -> Scratch {
    let scratch = Scratch::repo();
    let top = scratch.top();
    let head = format!(
        "top={}\nn=$(cat $top/n 2>/dev/null || echo 0); n=$((n + 1)); echo $n >$top/n; cat >$top/prompt.$n\n",
        top.display()
    );
    fs::write(top.join("agent.sh"), format!("{head}{line}\n")).unwrap();
    scratch
}

pub fn run(scratch: &Scratch, options: &[&str]) -> Said {
    let agent = scratch.top().join("agent.sh");
    scratch.run("rg-run", &[options, &["fix src.txt", "--", "sh", agent.to_str().unwrap()]].concat(), b"")
}

/// The one end of the only run.
pub fn end(scratch: &Scratch) -> Value {
    let ends = steps(scratch, "end");
    assert_eq!(ends.len(), 1, "{ends:?}");
    assert!(ends[0]["receipt"].is_string(), "{ends:?}");
    ends[0].clone()
}

#[test]
fn a_branch_leaves_the_working_tree_untouched_and_holds_a_commit() {
    let scratch = with_agent("echo fixed >src.txt; echo new >new.txt");
    scratch.write("draft", "mine\n");
    let before = scratch.ok("git rev-parse main HEAD && git status --porcelain && cat src.txt").out;
    let said = run(&scratch, &["--branch", "tidy"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(scratch.ok("git rev-parse main HEAD && git status --porcelain && cat src.txt").out, before);
    let end = end(&scratch);
    assert_eq!(end["commit"].as_str().unwrap(), scratch.ok("git rev-parse rg/tidy").out.trim());
    assert_eq!(scratch.ok("git show rg/tidy:src.txt rg/tidy:new.txt").out, "fixed\nnew\n");
    let message = scratch.ok("git log -1 --format=%B rg/tidy").out;
    assert!(message.starts_with("fix src.txt\n\nRun: run-") && message.contains("\nReceipt: "), "{message}");
    assert_eq!(scratch.ok("git -C .worktrees/tidy status --porcelain").out, "");
    // A second run of that name goes on there.
    fs::write(scratch.top().join("agent.sh"), "cat >/dev/null; echo more >more.txt").unwrap();
    assert_eq!(run(&scratch, &["--branch", "tidy"]).status, 0);
    assert_eq!(scratch.ok("git rev-list --count main..rg/tidy").out, "2\n");
}

#[test]
fn work_that_is_not_done_is_not_committed_and_stays_where_it_is() {
    let scratch = with_agent("echo try >src.txt");
    let said = run(&scratch, &["--branch", "tidy", "--rounds", "1", "--land"]);
    assert_eq!((said.status, end(&scratch)["outcome"].as_str()), (1, Some("abandoned")), "{said:?}");
    assert_eq!(scratch.ok("git rev-list --count main..rg/tidy").out, "0\n");
    assert_eq!(scratch.ok("cat .worktrees/tidy/src.txt src.txt").out, "try\nbroken\n");
}

#[test]
fn what_is_done_lands_and_what_cannot_land_is_said_and_kept() {
    let scratch = with_agent("[ $n = 2 ] && echo fixed >src.txt || echo try >src.txt");
    let said = run(&scratch, &["--land"]);
    assert_eq!((said.status, end(&scratch)["landed"].as_bool()), (0, Some(true)), "{said:?}");
    assert_eq!(
        scratch.ok("cat src.txt && git log -1 --format=%s && git branch --list 'rg/*'").out,
        "fixed\nfix src.txt\n"
    );
    assert!(prompt(&scratch, 2).contains("NOT DONE"));
    // The base has moved, and both changed the same line.
    let scratch = with_agent(
        "echo fixed >src.txt; echo 'fixed otherwise' >$top/repo/src.txt; git -C $top/repo commit -qam other",
    );
    let said = run(&scratch, &["--land", "--branch", "tidy"]);
    let end = end(&scratch);
    assert_eq!(
        (said.status, end["outcome"].as_str(), end["landed"].as_bool()),
        (1, Some("done"), Some(false)),
        "{said:?}"
    );
    assert!(end["why"].as_str().unwrap().contains("not landed: "), "{end}");
    assert_eq!(scratch.ok("git show rg/tidy:src.txt && cat src.txt").out, "fixed\nfixed otherwise\n");
}

#[test]
fn a_landing_run_that_was_killed_at_any_step_ends_once_when_it_is_resumed() {
    let mut killed = 0;
    for at in 1..=30 {
        let scratch = with_agent("echo fixed >src.txt");
        let agent = scratch.top().join("agent.sh");
        let said = scratch.sh(&format!("RG_CRASH={at} rg-run --land 'fix it' -- sh {}", agent.display()), b"");
        if said.status == 0 {
            break;
        }
        killed += 1;
        let said = scratch.run("rg-run", &["--resume", "last"], b"");
        if steps(&scratch, "begin").is_empty() {
            assert_eq!(said.status, 100, "{at}: {said:?}");
            continue;
        }
        let end = end(&scratch);
        assert_eq!((said.status, end["landed"].as_bool()), (0, Some(true)), "{at}: {said:?} {end}");
        assert_eq!(scratch.ok("cat src.txt && git rev-list --count HEAD").out, "fixed\n2\n", "{at}");
        // No turn starts after the last verdict.
        let judged = steps(&scratch, "judged").iter().filter(|step| step["outcome"] == "done").count();
        assert_eq!(judged, 1, "{at}");
    }
    assert!((6..30).contains(&killed), "{killed}");
}

#[test]
fn a_definition_in_a_subdirectory_is_judged_there() {
    let scratch = Scratch::new();
    scratch.write("part/DONE.md", "```yaml\nchecks: [{name: t, run: \"grep -q fixed src.txt\"}]\n```\n");
    scratch.write("part/src.txt", "broken\n");
    scratch.ok("git init -q && git add -A && git commit -qm start");
    let said =
        scratch.sh("cd part && rg-run --branch tidy 'fix it' -- sh -c 'cat >/dev/null; echo fixed >src.txt'", b"");
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(scratch.ok("git show rg/tidy:part/src.txt && cat part/src.txt").out, "fixed\nbroken\n");
}

#[test]
fn a_definition_that_is_not_committed_is_said_before_an_agent_starts() {
    let scratch = Scratch::repo();
    scratch.ok("git rm -q --cached DONE.md && git commit -qm none");
    for options in [&["--branch", "tidy"][..], &["--land"]] {
        let words =
            [options, &["fix", "--", "sh", "-c", "cat >/dev/null; touch ../../../started; echo fixed >src.txt"]]
                .concat();
        let said = scratch.run("rg-run", &words, b"");
        assert!(said.status == 100 && said.err.contains("Commit yours"), "{said:?}");
        assert!(!scratch.top().join("started").exists());
        assert_eq!(scratch.ok("git worktree list | wc -l").out.trim(), "1");
    }
    scratch.ok("git add DONE.md && git commit -qm definition");
    let said = scratch.run(
        "rg-run",
        &["--branch", "tidy", "fix", "--", "sh", "-c", "cat >/dev/null; echo fixed >src.txt"],
        b"",
    );
    assert_eq!(said.status, 0, "{said:?}");
}

/// What an agent may do to git in its worktree. Nothing of it lands, and nothing runs.
#[test]
fn an_agent_that_changes_gits_state_lands_nothing() {
    for (what, line, why) in [
        ("git file", "echo fixed >src.txt; rm .git", "no longer a working tree"),
        (
            "another repository",
            "echo fixed >src.txt; rm .git; git init -q; git add -A; git commit -qm x",
            "no longer a working tree",
        ),
        ("link", "echo fixed >src.txt; rm .git; ln -s $top/repo/.git .git", "no longer a working tree"),
        ("detached", "echo fixed >src.txt; git checkout -q --detach", "left no branch checked out"),
        ("other branch", "echo fixed >src.txt; git checkout -q -b mine", "left mine checked out instead of rg/tidy"),
        (
            "rebase",
            "echo fixed >src.txt; git add -A; git commit -qm a; echo fixed2 >src.txt; git commit -qam b; GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -q -i HEAD~2",
            "",
        ),
        ("gone", "cd /; rm -rf $top/repo/.worktrees/tidy", "no longer a working tree"),
    ] {
        let scratch = with_agent(line);
        let before = scratch.ok("git rev-parse main").out;
        let said = run(&scratch, &["--land", "--branch", "tidy", "--rounds", "2"]);
        let end = end(&scratch);
        assert_ne!(said.status, 0, "{what}: {said:?}");
        assert_eq!(end["landed"], false, "{what}: {end}");
        assert!(end["why"].as_str().unwrap().contains(why), "{what}: {end}");
        assert_eq!(scratch.ok("git rev-parse main && cat src.txt").out, format!("{before}broken\n"), "{what}");
    }
}

#[test]
fn a_commit_on_the_base_is_not_the_work_of_the_branch() {
    // The agent commits to the base behind the back of its worktree.
    let scratch = with_agent("echo try >src.txt; cd $top/repo; echo fixed >src.txt; git commit -qam sneaked");
    let said = run(&scratch, &["--land", "--branch", "tidy", "--rounds", "1"]);
    assert_eq!((said.status, end(&scratch)["outcome"].as_str()), (1, Some("abandoned")), "{said:?}");
    assert_eq!(scratch.ok("git rev-list --count main..rg/tidy").out, "0\n");
}

#[test]
fn hooks_that_an_agent_writes_do_not_run_at_the_commit() {
    let line = "echo fixed >src.txt; common=$(git rev-parse --git-common-dir); git config core.hooksPath $common/hooks; \
        mkdir -p $common/hooks; for h in pre-commit commit-msg post-commit; do printf '#!/bin/sh\\ntouch %s/pwned\\n' $top >$common/hooks/$h; chmod +x $common/hooks/$h; done";
    let scratch = with_agent(line);
    run(&scratch, &["--branch", "tidy"]);
    assert!(!scratch.top().join("pwned").exists());
}

#[test]
fn a_commit_with_other_files_than_were_judged_is_named_and_does_not_land() {
    for line in [
        "git config filter.other.clean 'echo other'; echo '*.txt filter=other' >>$(git rev-parse --git-common-dir)/info/attributes",
        "git config core.excludesFile $PWD/../ignored; echo src.txt >../ignored; git rm -q --cached src.txt",
    ] {
        let scratch = with_agent(&format!("echo fixed >src.txt; {line}"));
        let said = run(&scratch, &["--branch", "tidy", "--land"]);
        let end = end(&scratch);
        assert_eq!((said.status, &end["landed"]), (1, &Value::Bool(false)), "{line}: {said:?}");
        assert!(end["why"].as_str().unwrap().contains("not those that were judged"), "{line}: {end}");
        assert_eq!(scratch.ok("cat src.txt").out, "broken\n", "{line}");
    }
}

#[test]
fn a_worktree_that_was_there_is_not_removed() {
    let scratch = Scratch::repo();
    scratch.ok("git rm -q --cached DONE.md && git commit -qm none && rg-worktree create tidy");
    fs::write(scratch.work().join(".worktrees/tidy/mine"), "the only copy\n").unwrap();
    let said = run(&scratch, &["--branch", "tidy"]);
    assert!(said.status != 0 && said.err.contains("no valid definition of done"), "{said:?}");
    assert_eq!(
        scratch.ok("cat .worktrees/tidy/mine && git rev-parse --verify -q rg/tidy >/dev/null").out,
        "the only copy\n"
    );
}

#[test]
fn an_agent_of_a_run_is_not_the_user() {
    let mut scratch = Scratch::repo();
    scratch.set("RG_RUN", "run-01M7YZMHG06CR62E9M6GV32CHJ");
    for line in ["rg-bounce waive --why x", "rg-review-state approve --why x", "rg-tamper bless --why x"] {
        let said = scratch.sh(line, b"");
        assert!(said.status != 0 && said.err.contains("only for the user"), "{line}: {said:?}");
        assert!(said.err.contains("agent's shell"), "{line}: {said:?}");
    }
}

#[test]
fn an_unknown_committer_is_said_before_an_agent_starts() {
    let scratch = with_agent("touch $top/started; echo fixed >src.txt");
    scratch.ok(
        "git config user.useConfigOnly true && git config --global --unset-all user.email || git config user.email ''",
    );
    let said = run(&scratch, &["--branch", "tidy"]);
    assert!(said.status == 100 && said.err.contains("git does not know who commits"), "{said:?}");
    assert!(!scratch.top().join("started").exists());
}

#[test]
fn a_worktree_is_made_while_another_process_makes_one() {
    use std::os::unix::fs::PermissionsExt;
    let mut scratch = with_agent("echo fixed >src.txt");
    let bin = scratch.top().join("racing");
    fs::create_dir(&bin).unwrap();
    let git = scratch.ok("command -v git").out;
    let text = format!(
        "#!/bin/sh\ncase \"$*\" in *'worktree add'*) if mkdir '{}' 2>/dev/null; then echo 'fatal: failed to read .git/worktrees/tree/commondir: Success' >&2; exit 128; fi ;; esac\nexec {} \"$@\"\n",
        bin.join("once").display(),
        git.trim()
    );
    fs::write(bin.join("git"), text).unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    scratch.set("RG_PATH", bin.to_str().unwrap());
    let path = format!("{}:{}", bin.display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
    let said = run(&scratch, &["--branch", "tidy"]);
    assert!(said.status == 0 && bin.join("once").exists(), "{said:?}");
}
