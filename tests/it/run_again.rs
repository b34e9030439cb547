//! Tests of rg-run against a second attack: what is written between two turns, what a commit hides, and what a batch may not take.

use crate::run::steps;
use crate::run_branch::{end, run, with_agent};
use crate::scratch::{Scratch, lines_of};
use crate::sleeper;
use std::fs;

/// Appends a copy of the last record to the journal of the task, with a correct chain.
const FORGE: &str = "f=$(echo ../state/tasks/*.jsonl); last=$(tail -n 1 $f); d=$(printf %s \"$last\" | sha256sum | cut -c1-64); \
    printf '%s\\n' \"$last\" | sed \"s/\\\"prev\\\":\\\"[0-9a-f]*\\\"/\\\"prev\\\":\\\"$d\\\"/\" >>$f";

#[test]
fn what_is_written_between_a_verdict_and_the_next_turn_ends_the_run() {
    let mut tried = 0;
    for at in 1..30 {
        let scratch = with_agent("[ $n = 1 ] && echo try >src.txt || echo fixed >src.txt");
        let agent = scratch.top().join("agent.sh");
        scratch.sh(&format!("RG_CRASH={at} rg-run 'fix it' -- sh {}", agent.display()), b"");
        let last = lines_of(&scratch.state().join("runs.jsonl")).pop().unwrap_or_default();
        if last["state"] != "agent" || last["round"] != 2 {
            continue;
        }
        tried += 1;
        // As if it had been killed before that turn.
        scratch.ok("sed -i '$d' ../state/runs.jsonl");
        let count = fs::read_to_string(scratch.top().join("n"));
        scratch.ok(FORGE);
        let said = scratch.run("rg-run", &["--resume", "last"], b"");
        assert_eq!((said.status, end(&scratch)["outcome"].as_str()), (111, Some("unverified")), "{at}: {said:?}");
        assert!(end(&scratch)["why"].as_str().unwrap().contains("new record"), "{at}: {said:?}");
        assert_eq!(fs::read_to_string(scratch.top().join("n")).ok(), count.ok(), "{at}");
    }
    assert!(tried > 0);
}

#[test]
fn a_commit_hides_nothing_that_was_not_judged() {
    let swap = "id=$(git hash-object -w src.txt); echo EVIL >x; o=$(git hash-object -w x); rm x; \
        d=$(git rev-parse --git-common-dir)/objects; p() { echo $d/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }; \
        rm -f $(p $id); cp $(p $o) $(p $id)";
    let link = "mkdir part; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),part; git commit -qm link";
    for (line, what) in [
        (swap, "damaged"),
        (link, "the submodule part was not judged"),
        ("git config core.autocrlf input; printf 'fixed\\r\\n' >src.txt", "not those that were judged: src.txt"),
        ("echo hidden.txt >>$(git rev-parse --git-common-dir)/info/exclude; echo x >hidden.txt", "judged: hidden.txt"),
    ] {
        let scratch = with_agent(&format!("echo fixed >src.txt; {line}"));
        let said = run(&scratch, &["--branch", "tidy"]);
        let end = end(&scratch);
        assert_eq!((said.status, end["outcome"].as_str()), (1, Some("done")), "{line}: {said:?}");
        assert!(end["why"].as_str().unwrap().contains(what), "{line}: {end}");
    }
}

#[test]
fn files_that_git_ignores_are_named_and_not_committed() {
    let scratch =
        with_agent("echo fixed >src.txt; mkdir .cache; echo '*' >.cache/.gitignore; echo x >.cache/x; echo x >a.swp");
    fs::write(scratch.top().join("home/ignore"), "*.swp\n").unwrap();
    scratch.ok("git config --global core.excludesFile $HOME/ignore");
    let said = run(&scratch, &["--branch", "tidy"]);
    let end = end(&scratch);
    assert_eq!(said.status, 0, "{said:?}");
    let told = "not committed, because git ignores it: .cache/.gitignore, .cache/x, a.swp";
    assert!(end["why"].as_str().unwrap().contains(told), "{end}");
    assert_eq!(scratch.ok("git show --name-only --format= rg/tidy").out, "src.txt\n");
    // The next run of that branch goes on.
    fs::write(scratch.top().join("agent.sh"), "cat >/dev/null; echo more >more.txt").unwrap();
    assert_eq!(run(&scratch, &["--branch", "tidy"]).status, 0);
}

#[test]
fn a_run_that_is_resumed_while_it_works_ends_once() {
    let scratch = with_agent("sleep 1; echo fixed >src.txt");
    let agent = scratch.top().join("agent.sh");
    let line = "rg-run 'fix it' -- sh AGENT >../first & sleep 0.5; rg-run --lock --resume last; echo $?; wait";
    let said = scratch.ok(&line.replace("AGENT", agent.to_str().unwrap()));
    assert_eq!((steps(&scratch, "end").len(), end(&scratch)["outcome"].as_str()), (1, Some("done")), "{said:?}");
    assert_eq!(said.out.lines().last(), Some("0"), "{said:?}");
    assert_eq!(steps(&scratch, "turn").len(), 1);
}

/// A repository with issues, and an agent that counts its turns.
fn with_issues(titles: &[&str], line: &str) -> (Scratch, Vec<String>) {
    let scratch = with_agent(line);
    scratch.ok("rg-issue init");
    let new = |title: &&str| {
        scratch.ok(&format!("rg-issue new '{title}'")).out.split_whitespace().next().unwrap().to_string()
    };
    let ids = titles.iter().map(new).collect();
    (scratch, ids)
}

fn each_issue(scratch: &Scratch, options: &[&str]) -> crate::scratch::Said {
    let agent = scratch.top().join("agent.sh");
    let words = [&["--each", "issue", "--rounds", "1"], options, &["--", "sh", agent.to_str().unwrap()]].concat();
    scratch.run("rg-run", &words, b"")
}

#[test]
fn a_batch_without_a_budget_leaves_the_other_issues_ready() {
    let (scratch, ids) = with_issues(&["one", "two", "three"], "echo fixed >src.txt");
    let said = each_issue(&scratch, &["--budget", "100"]);
    assert_eq!(said.status, 111, "{said:?}");
    assert!(said.err.contains("unknown number of tokens"), "{said:?}");
    let ready = scratch.ok("rg-issue ready --json").out;
    assert_eq!(ids.iter().filter(|id| ready.contains(id.as_str())).count(), 2, "{ready}");
    assert_eq!(steps(&scratch, "item").len(), 1);
}

#[test]
fn an_issue_is_worked_on_once_in_a_batch() {
    let line = "echo bad >src.txt; for id in $(env -u RG_RUN rg-issue -C $top/repo list --all --json | grep -o '\"id\":\"[^\"]*\"' | cut -d'\"' -f4); do \
        rg-issue -C $top/repo status $id open >/dev/null 2>&1; done";
    let (scratch, _) = with_issues(&["one", "two"], line);
    let said = each_issue(&scratch, &[]);
    assert_eq!((said.status, steps(&scratch, "turn").len()), (1, 2), "{said:?}");
}

#[test]
fn an_agent_ends_no_issue_at_all() {
    let line = "for id in $(rg-issue -C $top/repo list --json | grep -o '\"id\":\"[^\"]*\"' | cut -d'\"' -f4); do \
        rg-issue -C $top/repo status $id closed 2>>$top/refused; done; echo fixed >src.txt";
    let (scratch, _) = with_issues(&["one", "two"], line);
    each_issue(&scratch, &[]);
    assert_eq!(steps(&scratch, "item").len(), 2);
    assert!(fs::read_to_string(scratch.top().join("refused")).unwrap().contains("decides how issues end"));
}

#[test]
fn a_branch_that_another_items_agent_made_is_not_taken_over() {
    let line = "own=$PWD; for id in $(cat $top/ids); do case $own in *$(echo $id | tr A-Z a-z)*) ;; *) other=$id ;; esac; done\n\
        [ $n = 1 ] && ( cd $top/repo && cd $(rg-worktree create $other) && echo evil >evil.sh && git add -A && git commit -qm evil ); true";
    let (scratch, ids) = with_issues(&["one", "two"], line);
    fs::write(scratch.top().join("ids"), ids.join("\n")).unwrap();
    each_issue(&scratch, &[]);
    let items = steps(&scratch, "item");
    let refused = items.iter().filter(|item| {
        let why = item["why"].as_str().unwrap();
        why.starts_with("not begun: rg/") && why.contains("has commits that are not from this batch")
    });
    assert_eq!((items.len(), refused.count(), steps(&scratch, "turn").len()), (2, 1, 1), "{items:?}");
}

#[test]
fn branches_that_the_agent_moves_and_single_untracked_files_are_told() {
    let line = "echo fixed >src.txt; cd $top/repo && echo more >>notes/a && git branch other && git commit -q --allow-empty -m x";
    let scratch = with_agent(line);
    scratch.write("notes/a", "mine\n");
    let said = run(&scratch, &["--branch", "tidy"]);
    let why = end(&scratch)["why"].as_str().unwrap().to_string();
    assert!(why.ends_with("notes/a, refs/heads/main, refs/heads/other"), "{why} {said:?}");
}

#[test]
fn a_judge_of_a_killed_run_is_named_and_ended_by_its_resume() {
    let scratch = with_agent("echo fixed >src.txt; [ $n = 1 ] && kill -9 $PPID");
    assert_eq!(run(&scratch, &[]).status, -1);
    let id = steps(&scratch, "begin")[0]["run"].as_str().unwrap().to_string();
    // As if rg-review had been killed, too, and its model had gone on.
    let time = sleeper::time();
    let mut left = scratch.command("sleep").arg(&time).env("RG_RUN_BUDGET", &id).spawn().unwrap();
    assert_eq!(sleeper::count(&time), 1);
    let said = scratch.run("rg-run", &["--resume", "last"], b"");
    let count = sleeper::count(&time);
    left.kill().and_then(|()| left.wait()).unwrap();
    assert_eq!(count, 0, "{said:?}");
    assert!(said.status == 0 && said.err.contains(&format!("(sleep {time})")), "{said:?}");
}
