//! Tests of what rg-run's agent does outside of its files: the records of the run, the user's working tree, what git runs, the worktree's
//! former files, the terminal, the issues of the batch.

use crate::run::steps;
use crate::run_branch::{end, run, with_agent};
use crate::scratch::{Scratch, skipped};
use std::fs;

/// Appends a copy of the last record to a journal, with a correct chain.
const APPEND: &str = "append() { last=$(tail -n 1 $1); d=$(printf %s \"$last\" | sha256sum | cut -c1-64); \
    printf '%s\\n' \"$last\" | sed \"s/\\\"prev\\\":\\\"[0-9a-f]*\\\"/\\\"prev\\\":\\\"$d\\\"/\" >>$1; }\n";

/// An agent whose script may use `append` and `$state`.
fn forger(scratch: Scratch, line: &str) -> Scratch {
    let path = scratch.top().join("agent.sh");
    let head = fs::read_to_string(&path).unwrap();
    let state = scratch.state();
    fs::write(&path, format!("{head}{APPEND}state={}\n{line}\n", state.display())).unwrap();
    scratch
}

#[test]
fn records_that_change_while_the_agent_works_end_the_run() {
    for (line, what) in [
        ("append $state/tasks/*.jsonl", "1 new record: `"),
        ("append $state/sessions/*.jsonl", "1 new record: `"),
        ("sed -i '$d' $state/tasks/*.jsonl", "records are gone or were edited"),
        ("rm -r $state/sessions", "records are gone or were edited"),
    ] {
        let scratch = forger(with_agent("echo fixed >src.txt"), line);
        let said = run(&scratch, &["--rounds", "3"]);
        let end = end(&scratch);
        assert_eq!((said.status, end["outcome"].as_str()), (111, Some("unverified")), "{line}: {said:?}");
        assert!(end["why"].as_str().unwrap().contains(what), "{line}: {end}");
        assert_eq!(steps(&scratch, "turn").len(), 1, "{line}");
    }
}

#[test]
fn records_that_changed_before_the_run_was_killed_end_it_when_it_is_resumed() {
    let scratch = forger(with_agent(""), "append $state/tasks/*.jsonl; kill -9 $PPID");
    assert_eq!(run(&scratch, &[]).status, -1);
    let said = scratch.run("rg-run", &["--resume", "last"], b"");
    assert_eq!((said.status, end(&scratch)["outcome"].as_str()), (111, Some("unverified")), "{said:?}");
    assert!(end(&scratch)["why"].as_str().unwrap().contains("new record"), "{said:?}");
}

#[test]
fn uncommitted_files_of_the_user_do_not_become_the_agents_work() {
    let scratch = with_agent("echo fixed >src.txt");
    scratch.ok("rg-worktree create tidy && echo mine >.worktrees/tidy/idea.txt");
    let said = run(&scratch, &["--branch", "tidy"]);
    assert!(said.status == 100 && said.err.contains("uncommitted files: idea.txt. Commit them there"), "{said:?}");
    assert!(steps(&scratch, "begin").is_empty() && !scratch.top().join("n").exists());
    assert_eq!(scratch.ok("cat .worktrees/tidy/idea.txt").out, "mine\n");
    scratch.ok("cd .worktrees/tidy && git add -A && git commit -qm idea");
    assert_eq!(run(&scratch, &["--branch", "tidy"]).status, 0);
}

#[test]
fn what_a_run_left_uncommitted_is_continued_unless_somebody_changed_it() {
    let scratch = with_agent("[ $n = 1 ] && echo try >src.txt || echo fixed >src.txt; echo x >new.$n");
    assert_eq!(run(&scratch, &["--branch", "tidy", "--rounds", "1"]).status, 1);
    scratch.write(".worktrees/tidy/mine", "of the user\n");
    let said = run(&scratch, &["--branch", "tidy"]);
    assert!(said.status == 100 && said.err.contains("mine, new.1, src.txt"), "{said:?}");
    fs::remove_file(scratch.work().join(".worktrees/tidy/mine")).unwrap();
    let said = run(&scratch, &["--branch", "tidy"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(scratch.ok("git show --name-only --format= rg/tidy").out, "new.1\nnew.2\nsrc.txt\n");
    // An interrupted run has not judged what it left.
    let scratch = with_agent("echo try >src.txt; kill -9 $PPID");
    assert_eq!(run(&scratch, &["--branch", "tidy"]).status, -1);
    let said = run(&scratch, &["--branch", "tidy"]);
    assert!(said.status == 100 && said.err.contains("`rg-run --resume run-"), "{said:?}");
}

#[test]
fn files_that_change_in_the_users_working_tree_are_told() {
    let scratch = with_agent("echo fixed >src.txt; echo theirs >>$top/repo/mine; echo x >$top/repo/src.txt");
    scratch.write("mine", "draft\n");
    scratch.write("other", "draft\n");
    let said = run(&scratch, &["--branch", "tidy"]);
    let end = end(&scratch);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(end["why"].as_str().unwrap().ends_with("while the agent worked: mine, src.txt"), "{end}");
    let scratch = with_agent("echo fixed >src.txt");
    scratch.write("mine", "draft\n");
    run(&scratch, &["--branch", "tidy"]);
    assert!(!self::end(&scratch)["why"].as_str().unwrap().contains("not judged"));
}

#[test]
fn hooks_and_programs_of_git_that_the_agent_sets_do_not_run_at_the_landing() {
    let hook = "d=$(git rev-parse --git-common-dir)/hooks; mkdir -p $d; \
        printf '#!/bin/sh\\ntouch %s/hooked\\n' $top >$d/reference-transaction; chmod +x $d/*; rm -f $top/hooked";
    for (line, name) in [
        (hook, "hooks/reference-transaction"),
        ("git config core.sshCommand 'sh -c true'", "core.sshcommand"),
        ("git config remote.origin.url elsewhere", "remote.origin.url"),
        ("git symbolic-ref refs/remotes/origin/HEAD refs/remotes/fork/main", "refs/remotes/origin/HEAD"),
    ] {
        let scratch = with_agent(&format!("echo fixed >src.txt; {line}"));
        scratch.ok("git config --global --unset core.hooksPath");
        let said = run(&scratch, &["--land", "--branch", "tidy"]);
        let end = end(&scratch);
        let told = (said.status, end["outcome"].as_str(), end["landed"].as_bool());
        assert_eq!(told, (1, Some("done"), Some(false)), "{line}: {said:?}");
        assert!(end["why"].as_str().unwrap().contains(&format!("while the agent worked: {name}")), "{end}");
        assert!(!scratch.top().join("hooked").exists(), "{line}");
        assert_eq!(scratch.ok("git show main:src.txt rg/tidy:src.txt").out, "broken\nfixed\n", "{line}");
    }
    // The user's own hooks run as ever.
    let scratch = with_agent("echo fixed >src.txt");
    scratch.ok("git config --global --unset core.hooksPath");
    let hooked = scratch.top().join("hooked");
    scratch.write(".git/hooks/reference-transaction", &format!("#!/bin/sh\ntouch {}\n", hooked.display()));
    scratch.ok("chmod +x .git/hooks/reference-transaction");
    assert_eq!(run(&scratch, &["--land"]).status, 0);
    assert!(hooked.exists());
}

#[test]
fn the_users_own_conversions_make_no_other_commit_than_was_judged() {
    let scratch = with_agent("echo fixed >src.txt; echo big >more.bin");
    scratch.ok("git config filter.store.clean 'tr a-z A-Z' && git config filter.store.smudge 'tr A-Z a-z'");
    scratch.write(".gitattributes", "*.bin filter=store\n");
    scratch.write("old.bin", "old\n");
    scratch.ok("git add -A && git commit -qm stored");
    let said = run(&scratch, &["--branch", "tidy"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(
        scratch.ok("git show rg/tidy:more.bin rg/tidy:old.bin && cat .worktrees/tidy/more.bin").out,
        "BIG\nOLD\nbig\n"
    );
    // An agent that adds a file to those that are converted changes what is committed.
    let scratch = with_agent("echo fixed >src.txt; echo 'src.txt filter=store' >.gitattributes");
    scratch.ok("git config filter.store.clean 'tr a-z A-Z'");
    let said = run(&scratch, &["--branch", "tidy"]);
    assert!(
        said.status == 1 && end(&scratch)["why"].as_str().unwrap().contains("not those that were judged"),
        "{said:?}"
    );
}

#[test]
fn a_lock_that_a_killed_git_left_prevents_no_commit() {
    let scratch = with_agent("echo fixed >src.txt; touch -d '-1 hour' $(git rev-parse --git-dir)/index.lock");
    let said = run(&scratch, &["--branch", "tidy"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(scratch.ok("git show rg/tidy:src.txt").out, "fixed\n");
}

#[test]
fn a_landing_that_nothing_can_judge_is_said_before_an_agent_starts() {
    let scratch = Scratch::new();
    scratch.write("part/DONE.md", "```yaml\nchecks: [{name: t, run: \"true\"}]\n```\n");
    scratch.ok("git init -q && git add -A && git commit -qm start");
    let said = scratch.sh("cd part && rg-run --land 'fix it' -- touch ../../started", b"");
    assert!(said.status == 100 && said.err.contains("leave out --land"), "{said:?}");
    assert!(!scratch.top().join("started").exists());
}

#[test]
fn a_program_is_found_from_the_directory_of_the_user() {
    let scratch = with_agent("true");
    scratch.write("part/agent.sh", "#!/bin/sh\ncat >/dev/null; echo fixed >src.txt\n");
    scratch.ok("chmod +x part/agent.sh && git add -A && git commit -qm agent");
    let said = scratch.sh("cd part && rg-run 'fix it' -- ./agent.sh", b"");
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(scratch.ok("cat src.txt").out, "fixed\n");
}

#[test]
fn a_run_whose_reader_leaves_is_judged_all_the_same() {
    let scratch = with_agent("sleep 0.3; echo fixed >src.txt");
    let line = "{ rg-run 'fix it' -- sh ../agent.sh 2>../err; echo $? >../status; } | head -n 1";
    scratch.sh(line, b"");
    assert_eq!(fs::read_to_string(scratch.top().join("status")).unwrap(), "0\n");
    assert_eq!(end(&scratch)["outcome"], "done");
    let words = fs::read_to_string(scratch.top().join("err")).unwrap();
    assert_eq!(words.matches("The run goes on").count(), 1, "{words}");
}

#[test]
fn a_prompt_that_is_too_long_for_an_argument_is_cut() {
    let patch = "--- a/src.txt\n+++ b/src.txt\n@@ -1 +1 @@\n-broken\n+fixed\n";
    let answer = serde_json::json!({"plan": "say fixed", "patch": patch});
    let line = "for word; do prompt=$word; done; printf %s \"$prompt\" >../argument\n\
        if [ $n = 1 ]; then echo '{\"plan\": \"read\", \"files_needed\": [\"long.txt\"]}'; else cat ../answer; fi";
    let scratch = crate::run::with_agent(line);
    fs::write(scratch.top().join("answer"), answer.to_string()).unwrap();
    scratch.write("long.txt", &"a line of a long file\n".repeat(8000));
    scratch.ok("git add -A && git commit -qm long");
    let said = scratch.sh("rg-run --patch --feedback argument 'fix it' -- sh ../agent.sh", b"");
    assert_eq!(said.status, 0, "{said:?}");
    let argument = fs::read_to_string(scratch.top().join("argument")).unwrap();
    let length = argument.len();
    assert!((100_000..128 << 10).contains(&length) && argument.contains("bytes left out"), "{length}");
}

/// Runs a line at a terminal where the user types after a time; the output. None if script(1) is absent.
fn at_terminal(scratch: &Scratch, line: &str, feed: &str) -> Option<String> {
    if scratch.sh("script --version", b"").status != 0 {
        skipped("no script");
        return None;
    }
    fs::write(scratch.top().join("line.sh"), format!("{line}; echo \"status $?\"\n")).unwrap();
    Some(scratch.sh(&format!("{{ {feed}; }} | script -qec 'sh ../line.sh' /dev/null"), b"").out)
}

#[test]
fn an_agent_that_asks_at_the_terminal_gets_no_answer_and_does_not_hang() {
    let scratch = with_agent("read word </dev/tty; echo \"got '$word'\" >../got 2>/dev/null; echo fixed >src.txt");
    let line = "rg-run --minutes 0.5 'fix it' -- sh ../agent.sh";
    let Some(out) = at_terminal(&scratch, line, "sleep 4") else { return };
    assert!(out.contains("status 0"), "{out}");
    assert_eq!(steps(&scratch, "turn")[0]["how"], "exit 0", "{out}");
    assert_eq!(fs::read_to_string(scratch.top().join("got")).unwrap(), "got ''\n");
}
