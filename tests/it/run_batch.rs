//! Tests of `rg-run --each`: a run for each line or issue, several at a time, interrupted and continued.

use crate::run::steps;
use crate::scratch::{Said, Scratch, bin_dir};
use crate::sleeper;
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A repository whose check wants `fixed` in each `*.out` file, and an agent whose work the goal's first word names.
fn repo(agent: &str) -> Scratch {
    let scratch = Scratch::repo_with("checks:\n  - name: tests\n    run: sh test.sh\n");
    scratch.write("test.sh", "for f in *.out; do grep -q fixed $f || { echo \"$f:1: not fixed\"; exit 1; }; done\n");
    scratch.write("first.out", "fixed\n");
    scratch.ok("git add -A && git commit -qm base");
    let head = "goal=$(sed -n '/^# Goal/{n;n;p;}' | head -n 1); word=${goal%% *}\n";
    fs::write(scratch.top().join("agent.sh"), format!("{head}{agent}\n")).unwrap();
    scratch
}

/// Work that is done, but for goals that begin with `bad`.
const WORK: &str = "case $word in bad*) echo no >$word.out ;; *) echo fixed >$word.out ;; esac; echo \"did $word\"";

fn agent(scratch: &Scratch) -> String {
    scratch.top().join("agent.sh").to_string_lossy().into_owned()
}

fn run(scratch: &Scratch, options: &[&str], lines: &str) -> Said {
    let agent = agent(scratch);
    scratch.run("rg-run", &[options, &["--", "sh", &agent]].concat(), lines.as_bytes())
}

/// Each item ended once, its run ended once, and the batch once.
fn assert_ends(scratch: &Scratch, items: usize) -> Vec<Value> {
    let (ended, ends) = (steps(scratch, "item"), steps(scratch, "end"));
    assert_eq!((ended.len(), steps(scratch, "summary").len()), (items, 1), "{ended:?}");
    for item in &ended {
        let of = ends.iter().filter(|end| end["run"] == item["of"]).count();
        assert_eq!(of, usize::from(item["of"].is_string()), "{item}: {ends:?}");
        assert_eq!(ended.iter().filter(|other| other["item"] == item["item"]).count(), 1, "{ended:?}");
    }
    assert!(ends.iter().all(|end| end["receipt"].is_string()), "{ends:?}");
    ended
}

#[test]
fn each_line_is_worked_on_in_a_worktree_of_its_own_and_lands_if_it_is_done() {
    let scratch = repo(WORK);
    scratch.write("draft", "mine\n");
    let said = run(
        &scratch,
        &["--each", "line", "--parallel", "2", "--land", "--rounds", "1"],
        "one\n\nbad two\n one more\nthree\n",
    );
    assert_eq!(said.status, 1, "{said:?}");
    let mut items = assert_ends(&scratch, 4);
    items.sort_by_key(|item| item["item"].as_str().unwrap().to_string());
    let told: Vec<(&str, &str, bool)> = items
        .iter()
        .map(|item| (item["title"].as_str().unwrap(), item["outcome"].as_str().unwrap(), item["landed"] == true))
        .collect();
    let wanted =
        [("one", "done", true), ("bad two", "abandoned", false), ("one more", "done", false), ("three", "done", true)];
    // The second `one` changes nothing beyond the first, if that landed before.
    assert_eq!([told[0], told[1], told[3]], [wanted[0], wanted[1], wanted[3]], "{told:?}");
    assert_eq!(scratch.ok("cat one.out three.out").out, "fixed\nfixed\n");
    assert!(!scratch.work().join("bad.out").exists() && scratch.work().join("draft").exists());
    let place = scratch.ok("git worktree list --porcelain | sed -n 's/^worktree //p' | grep bad-two").out;
    assert!(fs::read_to_string(format!("{}/bad.out", place.trim())).unwrap().contains("no"));
    // Standard output holds the steps of all runs, each with its run.
    for line in said.out.lines() {
        let step: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(step["run"].as_str().unwrap().starts_with("run-"), "{line}");
        crate::schema::assert_fits("run", &step);
    }
    assert_eq!(said.out.lines().filter(|line| line.contains("\"state\":\"item\"")).count(), 4, "{said:?}");
}

#[test]
fn runs_of_a_batch_work_at_the_same_time_and_no_more_than_were_asked_for() {
    // Each agent waits until two have started, and counts those that work.
    let meet = "touch ../../../began.$word ../../../here.$word; n=0\n\
        while [ $(ls ../../../ | grep -c '^began') -lt 2 ] && [ $n -lt 200 ]; do sleep 0.1; n=$((n + 1)); done\n\
        echo $n >../../../waited.$word; ls ../../../ | grep -c '^here' >../../../most.$word; echo fixed >$word.out; rm ../../../here.$word";
    let scratch = repo(meet);
    let said = run(&scratch, &["--each", "line", "--parallel", "2"], "a\nb\nc\n");
    assert_eq!(said.status, 0, "{said:?}");
    let read = |name: &str| fs::read_to_string(scratch.top().join(name)).unwrap().trim().parse::<u32>().unwrap();
    for word in ["a", "b", "c"] {
        assert_ne!(read(&format!("waited.{word}")), 200, "{said:?}");
        assert!(read(&format!("most.{word}")) <= 2, "{said:?}");
    }
    assert_ends(&scratch, 3);
}

#[test]
fn each_ready_issue_is_claimed_landed_and_closed_and_others_are_set_aside() {
    let scratch = repo(WORK);
    let new =
        |title: &str| scratch.ok(&format!("rg-issue new '{title}'")).out.split_whitespace().next().unwrap().to_string();
    let (good, bad) = (new("good work"), new("bad work"));
    let later = new("later work");
    scratch.ok(&format!("rg-issue dep {good} blocks {later}"));
    let said = run(&scratch, &["--each", "issue", "--parallel", "2", "--land", "--rounds", "1"], "");
    assert_eq!(said.status, 1, "{said:?}");
    let items = assert_ends(&scratch, 3);
    let landed: Vec<&str> =
        items.iter().filter(|item| item["landed"] == true).map(|item| item["item"].as_str().unwrap()).collect();
    assert_eq!(landed.len(), 2, "{items:?}");
    assert!(landed.contains(&good.as_str()) && landed.contains(&later.as_str()), "{items:?}");
    let status = |id: &str| scratch.ok(&format!("rg-issue show {id} --json")).out;
    assert!(status(&good).contains("\"closed\"") && status(&later).contains("\"closed\""), "{}", status(&good));
    let aside = status(&bad);
    assert!(aside.contains("\"paused\"") && aside.contains("The work is in "), "{aside}");
    assert_eq!(scratch.ok("cat good.out later.out").out, "fixed\nfixed\n");
    // Nothing is ready any more.
    let said = run(&scratch, &["--each", "issue"], "");
    assert_eq!((said.status, said.out.lines().count()), (0, 2), "{said:?}");
    assert!(said.out.contains("\"items\":0"), "{said:?}");
}

#[test]
fn a_batch_that_was_killed_at_any_step_is_continued_to_one_end_for_each_item() {
    let mut killed = 0;
    for at in 1..=30 {
        let scratch = repo(WORK);
        let agent = agent(&scratch);
        let line = format!("printf 'one\\nbad two\\n' | RG_CRASH={at} rg-run --each line --rounds 1 -- sh '{agent}'");
        let said = scratch.sh(&line, b"");
        if said.status == 1 && !steps(&scratch, "summary").is_empty() {
            break;
        }
        killed += 1;
        let said = scratch.run("rg-run", &["--resume", "last"], b"");
        if steps(&scratch, "batch").is_empty() {
            assert_eq!(said.status, 100, "{at}: {said:?}");
            continue;
        }
        assert_eq!(said.status, 1, "{at}: {said:?}");
        assert_ends(&scratch, 2);
        let again = scratch.run("rg-run", &["--resume", "last"], b"");
        assert_eq!((again.status, steps(&scratch, "summary").len()), (1, 1), "{at}: {again:?}");
    }
    assert!((8..30).contains(&killed), "{killed}");
}

#[test]
fn an_issue_of_a_killed_batch_is_not_lost() {
    let mut killed = 0;
    for at in 1..=9 {
        let scratch = repo(WORK);
        scratch.ok("rg-issue new 'good work'");
        let agent = agent(&scratch);
        scratch.sh(&format!("RG_CRASH={at} rg-run --each issue --land -- sh '{agent}' </dev/null"), b"");
        if steps(&scratch, "batch").is_empty() || !steps(&scratch, "summary").is_empty() {
            continue;
        }
        killed += 1;
        let said = scratch.run("rg-run", &["--resume", "last"], b"");
        assert_eq!(said.status, 0, "{at}: {said:?}");
        let items = assert_ends(&scratch, 1);
        assert_eq!(items[0]["landed"], true, "{at}: {items:?}");
        assert!(scratch.ok("rg-issue list --all --json").out.contains("\"closed\""));
    }
    assert!(killed >= 4, "{killed}");
}

#[test]
fn a_run_that_its_agent_kills_is_continued_and_given_up_at_last() {
    // Its parent is the run's process.
    let scratch =
        repo("[ -e ../../../once.$word ] || { touch ../../../once.$word; kill -9 $PPID; }; echo fixed >$word.out");
    let said = run(&scratch, &["--each", "line"], "a\nb\n");
    assert_eq!(said.status, 0, "{said:?}");
    assert_ends(&scratch, 2);
    assert_eq!(steps(&scratch, "lost").len(), 2);
    let scratch = repo("echo fixed >$word.out; kill -9 $PPID; sleep 60");
    let said = run(&scratch, &["--each", "line"], "a\n");
    assert_eq!(said.status, 111, "{said:?}");
    let items = assert_ends(&scratch, 1);
    assert!(items[0]["why"].as_str().unwrap().contains("died 3 times"), "{items:?}");
    assert_eq!(items[0]["outcome"], "unverified");
}

#[test]
fn a_signal_ends_all_runs_of_a_batch_which_goes_on_later() {
    if crate::scratch::ignores("INT") {
        return;
    }
    let time = sleeper::time();
    let scratch = repo(&format!("[ -e ../../../go ] || sleep {time}; echo fixed >$word.out"));
    let agent = agent(&scratch);
    fs::write(scratch.top().join("lines"), "a\nb\nc\n").unwrap();
    let mut command = scratch.command(bin_dir().join("rg-run"));
    command.args(["--each", "line", "--parallel", "2", "--prompt-file", "../lines", "--", "sh", &agent]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while sleeper::count(&time) != 2 {
        assert!(began.elapsed() < Duration::from_secs(60), "the agents did not start");
        std::thread::sleep(Duration::from_millis(50));
    }
    scratch.ok(&format!("kill -INT {}", child.id()));
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    let id = steps(&scratch, "batch")[0]["run"].as_str().unwrap().to_string();
    assert!(words.contains(&format!("`rg-run --resume {id}`")) && words.lines().count() == 1, "{words}");
    assert_eq!(sleeper::count(&time), 0);
    fs::write(scratch.top().join("go"), "").unwrap();
    let said = scratch.run("rg-run", &["--resume", &id], b"");
    assert_eq!(said.status, 0, "{said:?}");
    assert_ends(&scratch, 3);
}

/// A program `claude` that does the work and reports a cost of $0.75 and 600 tokens.
pub fn with_claude() -> Scratch {
    with_claude_that("")
}

/// The same, with a further line of its script.
pub fn with_claude_that(line: &str) -> Scratch {
    let mut scratch = repo(WORK);
    let bin = scratch.top().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let report =
        r#"{"type":"result","result":"done","total_cost_usd":0.75,"usage":{"input_tokens":400,"output_tokens":200}}"#;
    let line = line.replace("STATE", scratch.state().to_str().unwrap()).replace("TOP", scratch.top().to_str().unwrap());
    let script = format!("#!/bin/sh\nsh {} >/dev/null\n{line}\necho '{report}'\n", agent(&scratch));
    fs::write(bin.join("claude"), script).unwrap();
    scratch.ok("chmod +x ../bin/claude");
    let path = format!("{}:{}", bin.display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
    scratch
}

#[test]
fn the_budget_of_a_batch_is_that_of_all_its_runs() {
    for (budget, turns) in [("1.5usd", 2), ("1300", 3), ("100usd", 4)] {
        let scratch = with_claude();
        let words = ["--each", "line", "--builder", "claude", "--budget", budget];
        let said = scratch.run("rg-run", &words, b"a\nb\nc\nd\n");
        assert_eq!(steps(&scratch, "turn").len(), turns, "{budget}: {said:?}");
        let items = assert_ends(&scratch, 4);
        let not_begun = items.iter().filter(|item| item["of"].is_null()).count();
        assert_eq!((not_begun, said.status), (4 - turns, if turns == 4 { 0 } else { 111 }), "{budget}: {items:?}");
        if turns < 4 {
            assert!(items[3]["why"].as_str().unwrap().contains("the batch spent"), "{items:?}");
        }
    }
}

#[test]
fn records_that_an_agent_takes_away_leave_nothing_to_spend() {
    for edit in [": >STATE/runs.jsonl", "rm STATE/runs.jsonl", "sed -i '2d' STATE/runs.jsonl"] {
        let scratch = with_claude_that(&format!("echo call >>TOP/calls; {edit}"));
        let words = ["--each", "line", "--builder", "claude", "--budget", "1.5usd"];
        let said = scratch.run("rg-run", &words, b"a\nb\nc\nd\n");
        let calls = scratch.sh("grep -c . ../calls", b"").out;
        assert!(said.status != 0 && calls.trim().parse::<u32>().unwrap() <= 2, "{edit}: {calls} {said:?}");
    }
}

#[test]
fn a_budget_of_a_day_holds_over_all_runs() {
    let mut scratch = with_claude();
    let run = |scratch: &Scratch, options: &[&str]| {
        scratch.run("rg-run", &[&["--builder", "claude"], options, &["a"]].concat(), b"")
    };
    assert_eq!(run(&scratch, &["--budget", "1usd/day"]).status, 0);
    scratch.ok("rm a.out");
    assert_eq!(run(&scratch, &["--budget", "1usd/day"]).status, 0, "0.75 of 1.00 is spent");
    scratch.ok("rm a.out");
    let said = run(&scratch, &["--budget", "1usd/day"]);
    assert_eq!((said.status, steps(&scratch, "turn").len()), (111, 2), "{said:?}");
    assert!(said.out.contains("the runs of today spent $1.50 of $1.00"), "{said:?}");
    // The user's own configuration, and DONE.md.
    let config = scratch.top().join("home/.config/review-gate");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.yaml"), "daily: {tokens: 1000}\n").unwrap();
    let said = run(&scratch, &[]);
    assert!(said.status == 111 && said.out.contains("all repositories spent 1200 of 1000 tokens"), "{said:?}");
    fs::write(config.join("config.yaml"), "daily: {tokens: 100000}\n").unwrap();
    // Tomorrow is another day.
    scratch.later(86_400.0);
    assert_eq!(run(&scratch, &["--budget", "1usd/day"]).status, 0);
    // What is not reported is unknown for the day, too.
    scratch.ok("rm -f a.out; printf '#!/bin/sh\\nsh ../agent.sh\\n' >../bin/claude");
    assert_eq!(run(&scratch, &[]).status, 0);
    let said = run(&scratch, &["--budget", "9usd/day"]);
    assert!(said.status == 111 && said.out.contains("the budget cannot be held"), "{said:?}");
}

#[test]
fn wrong_options_of_a_batch_are_refused() {
    let scratch = repo(WORK);
    for (words, why) in [
        (vec!["--each", "file", "--", "true"], "--each must be issue or line"),
        (vec!["--parallel", "2", "go", "--", "true"], "--parallel needs --each"),
        (vec!["--parallel", "0", "--each", "issue", "--", "true"], "--parallel needs a number above 0"),
        (vec!["--parallel", "65", "--each", "issue", "--", "true"], "at most 64"),
        (vec!["--each", "issue", "go", "--", "true"], "omit the request"),
        (vec!["--each", "issue", "--branch", "x", "--", "true"], "omit --branch"),
        (vec!["--each", "line", "--", "true"], "the request is empty"),
        (vec!["--step", "go", "--", "true"], "--step needs --patch"),
        (vec!["--step", "--patch", "go", "--", "true"], "only for the user"),
        (vec!["--reviewer-model", "m", "go", "--", "true"], "need --reviewer"),
    ] {
        let said = scratch.run("rg-run", &words, b"");
        assert_eq!(said.status, 100, "{words:?}: {said:?}");
        assert!(said.err.contains(why), "{words:?}: {said:?}");
    }
    let plan =
        scratch.run("rg-run", &["--each", "line", "--parallel", "3", "--dry-run", "--", "true"], b"do a\ndo b\n");
    assert!(plan.out.contains("items: 2, 3 at a time\n  do a\n  do b\n"), "{plan:?}");
    assert!(!scratch.state().join("runs.jsonl").exists());
}

#[test]
fn an_agent_ends_no_issue_of_the_batch_and_makes_it_no_longer() {
    let line = "rg-issue -C $home new more >/dev/null; id=$(rg-issue -C $home list --json | sed -n 's/.*\"id\":\"\\([^\"]*\\)\".*\"title\":\"bad work.*/\\1/p'); \
        rg-issue -C $home status --force $id closed 2>>$home/../refused; $forge rg-issue -C $home status --force $id closed";
    for forge in ["true", "env -u RG_RUN"] {
        let scratch = repo(&format!("{WORK}; sleep 1.1; home={}; forge='{forge}'; {line}", "$(dirname $0)/repo"));
        scratch.ok("rg-issue init && rg-issue new 'bad work'");
        let said = run(&scratch, &["--each", "issue", "--land", "--rounds", "1"], "");
        assert_eq!(said.status, 1, "{said:?}");
        let item = assert_ends(&scratch, 1)[0].clone();
        assert!(fs::read_to_string(scratch.top().join("refused")).unwrap().contains("decides how issues end"));
        let is_told = item["why"].as_str().unwrap().contains("its issue was closed meanwhile, although nothing landed");
        assert_eq!(is_told, forge != "true", "{item}");
        assert_eq!(steps(&scratch, "summary")[0]["later"], 1, "{said:?}");
        // The next batch works on it.
        let next = run(&scratch, &["--each", "issue", "--dry-run"], "");
        assert!(next.out.contains("more"), "{next:?}");
    }
}
