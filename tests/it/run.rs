//! Tests of rg-run: rounds, limits, agents that fail, runs that are killed, and what each of them records.

use crate::scratch::{Said, Scratch, bin_dir, lines_of};
use crate::sleeper;
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A repository, and an agent that runs `line` in each round `$n` with the prompt in `../prompt.$n`.
pub fn with_agent(line: &str) -> Scratch {
    let scratch = Scratch::repo();
    let agent = "n=$(cat ../n 2>/dev/null || echo 0); n=$((n + 1)); echo $n >../n; cat >../prompt.$n\n";
    fs::write(scratch.top().join("agent.sh"), format!("{agent}{line}\n")).unwrap();
    scratch
}

pub fn run(scratch: &Scratch, options: &[&str]) -> Said {
    let words = [options, &["fix src.txt", "--", "sh", "../agent.sh"]].concat();
    scratch.run("rg-run", &words, b"")
}

pub fn prompt(scratch: &Scratch, round: u32) -> String {
    fs::read_to_string(scratch.top().join(format!("prompt.{round}"))).unwrap_or_default()
}

/// The steps that runs.jsonl holds in that state.
pub fn steps(scratch: &Scratch, state: &str) -> Vec<Value> {
    let all = lines_of(&scratch.state().join("runs.jsonl"));
    all.into_iter().filter(|step| step["kind"] == "step" && step["state"] == state).collect()
}

/// The run ended once, with this outcome and a sealed receipt of the same outcome.
fn assert_end(scratch: &Scratch, said: &Said, status: i32, outcome: &str) -> Value {
    let ends = steps(scratch, "end");
    assert_eq!((said.status, ends.len()), (status, 1), "{said:?}");
    let end = ends[0].clone();
    assert_eq!((end["outcome"].as_str(), end["status"].as_i64()), (Some(outcome), Some(status.into())), "{end}");
    let receipt = scratch.receipt();
    assert_eq!((&receipt["id"], &receipt["outcome"]), (&end["receipt"], &end["outcome"]), "{end}");
    assert_eq!(receipt["run"]["id"], end["run"]);
    assert_eq!(scratch.run("rg-receipt", &["verify", end["receipt"].as_str().unwrap()], b"").status, 0);
    let last = said.out.lines().last().unwrap_or_default();
    assert_eq!(serde_json::from_str::<Value>(last).unwrap()["state"], "end", "{said:?}");
    end
}

#[test]
fn a_run_is_approved_at_round_two() {
    let scratch = with_agent("[ $n = 2 ] && echo fixed >src.txt || echo try >src.txt; echo \"did $n\"");
    let said = run(&scratch, &[]);
    assert_end(&scratch, &said, 0, "done");
    assert_eq!(scratch.words(), ["not-done", "done"]);
    let states: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let states: Vec<&str> = states.iter().map(|step| step["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["begin", "turn", "judged", "turn", "judged", "end"]);
    let (first, second) = (prompt(&scratch, 1), prompt(&scratch, 2));
    assert!(first.contains("# Goal\n\nfix src.txt\n") && !first.contains("# The last round"), "{first}");
    for part in [
        "# Goal\n\nfix src.txt\n",
        "NOT DONE, bounce 1 of 3",
        "src.txt:1: not fixed",
        "changed src.txt",
        "tests (`sh test.sh`)",
    ] {
        assert!(second.contains(part), "{part}: {second}");
    }
    // The task's records are those of any session.
    assert_eq!(scratch.records("prompt").len(), 1);
    assert_eq!(scratch.records("prompt")[0]["text"], "fix src.txt");
}

#[test]
fn the_stop_line_of_a_run_is_that_of_the_hooks() {
    let scratch = with_agent("echo fixed >src.txt");
    assert_eq!(run(&scratch, &[]).status, 0);
    let via: Vec<String> =
        scratch.receipt()["via"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_string()).collect();
    let stages = crate::scratch::stop_stages();
    let names: Vec<&str> = stages.iter().map(|stage| stage.split(' ').next().unwrap()).collect();
    let sealed = names.iter().position(|name| *name == "rg-receipt").unwrap();
    let passed: Vec<&str> = via.iter().map(|one| one.split('/').next().unwrap()).collect();
    assert_eq!(passed, names[..sealed]);
}

#[test]
fn work_that_stays_red_is_abandoned_by_the_gate_or_after_the_last_round() {
    let scratch = with_agent("echo try >src.txt");
    let said = run(&scratch, &[]);
    let end = assert_end(&scratch, &said, 1, "abandoned");
    assert!(end["why"].as_str().unwrap().contains("bounced 3 times without progress"), "{end}");
    assert_eq!(steps(&scratch, "turn").len(), 4);
    let scratch = with_agent("echo try >src.txt");
    let said = run(&scratch, &["--rounds", "2"]);
    let end = assert_end(&scratch, &said, 1, "abandoned");
    assert!(end["why"].as_str().unwrap().contains("the run used its 2 rounds"), "{end}");
    assert_eq!((steps(&scratch, "turn").len(), scratch.receipt()["ended"]["why"].as_str()), (2, Some("rounds")));
}

#[test]
fn the_agents_own_status_is_in_the_receipt_and_decides_nothing() {
    for (line, exit, how) in [
        ("echo fixed >src.txt; exit 7", Some(7), "exit 7"),
        ("echo fixed >src.txt; kill -9 $$", None, "killed by signal 9 (KILL)"),
        ("echo fixed >src.txt; echo broken pipe >&2; exit 1", Some(1), "exit 1: broken pipe"),
    ] {
        let scratch = with_agent(line);
        assert_end(&scratch, &run(&scratch, &[]), 0, "done");
        let told = scratch.receipt()["run"].clone();
        assert_eq!((told["exit"].as_i64(), told["how"].as_str()), (exit, Some(how)), "{told}");
    }
}

/// Whatever died, there is one outcome and one receipt.
#[test]
fn a_run_that_cannot_be_judged_ends_unverified() {
    for (command, why) in [
        ("true", "no file changed"),
        ("exec no-such-program", "no file changed"),
        ("rm -rf ../state/tasks; echo fixed >src.txt", ""),
    ] {
        let scratch = Scratch::repo();
        let said = scratch.run("rg-run", &["--builder", command, "go"], b"");
        let ends = steps(&scratch, "end");
        assert_eq!((said.status, ends.len()), (111, 1), "{command}: {said:?}");
        assert!(ends[0]["why"].as_str().unwrap().contains(why), "{command}: {ends:?}");
        assert_eq!(
            (ends[0]["outcome"].as_str(), ends[0]["receipt"].is_string()),
            (Some("unverified"), true),
            "{ends:?}"
        );
    }
    let scratch = Scratch::repo();
    let said = scratch.run("rg-run", &["go", "--", "no-such-program"], b"");
    let end = assert_end(&scratch, &said, 111, "unverified");
    assert!(end["why"].as_str().unwrap().contains("no-such-program is not on PATH"), "{end}");
}

#[test]
fn an_agent_that_hangs_ends_at_the_deadline_with_its_children() {
    let time = sleeper::time();
    let agent = "echo try >src.txt; (sleep TIME & setsid sleep TIME & wait) & sleep TIME".replace("TIME", &time);
    let scratch = with_agent(&agent);
    let said = run(&scratch, &["--minutes", "0.02"]);
    let end = assert_end(&scratch, &said, 1, "abandoned");
    assert!(end["why"].as_str().unwrap().contains("0.02 minutes"), "{end}");
    assert_eq!(steps(&scratch, "turn")[0]["how"], "timed out");
    assert!(said.took < Duration::from_secs(30), "{said:?}");
    assert_eq!(sleeper::count(&time), 0);
}

#[test]
fn a_flood_of_output_is_cut() {
    let scratch = with_agent("head -c 100000000 /dev/zero | tr '\\0' x; echo; echo 'CANNOT: too long'");
    let said = run(&scratch, &[]);
    assert_eq!(said.status, 111, "nothing changed: {:?}", said.err);
    let message = steps(&scratch, "turn")[0]["message"].as_str().unwrap().to_string();
    assert!(fs::metadata(scratch.state().join("blobs").join(message)).unwrap().len() < 50_000);
}

#[test]
fn an_agent_may_give_up() {
    let scratch = with_agent("echo try >src.txt; echo 'CANNOT: the source is missing'");
    let end = assert_end(&scratch, &run(&scratch, &[]), 1, "abandoned");
    assert!(end["why"].as_str().unwrap().starts_with("the source is missing"), "{end}");
}

/// A program `claude` that reports this usage.
fn with_claude(report: &str) -> Scratch {
    let mut scratch = Scratch::repo();
    let bin = scratch.top().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let script =
        format!("#!/bin/sh\necho \"$@\" >>../argv; cat >/dev/null; echo try >src.txt\ncat <<'END'\n{report}\nEND\n");
    fs::write(bin.join("claude"), script).unwrap();
    scratch.ok("chmod +x ../bin/claude");
    let path = format!("{}:{}", bin.display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
    scratch
}

#[test]
fn no_turn_starts_over_the_budget() {
    let report =
        r#"{"type":"result","result":"done","total_cost_usd":0.75,"usage":{"input_tokens":400,"output_tokens":200}}"#;
    for (budget, turns, why) in [
        ("1k", 2, "the run spent 1200 of 1000 tokens"),
        ("1200", 2, "the run spent 1200 of 1200 tokens"),
        ("0.75usd", 1, "the run spent $0.75 of $0.75"),
        ("2usd", 3, "the run spent $2.25 of $2.00"),
    ] {
        let scratch = with_claude(report);
        let said = scratch.run("rg-run", &["--builder", "claude", "--budget", budget, "go"], b"");
        let end = assert_end(&scratch, &said, 1, "abandoned");
        assert!(end["why"].as_str().unwrap().contains(why), "{budget}: {end}");
        assert_eq!(steps(&scratch, "turn").len(), turns, "{budget}");
    }
    // What is not reported is unknown, and not nothing.
    for (report, budget) in
        [("{\"result\":\"ok\"}", "1M"), ("plain", "9usd"), (r#"{"result":"x","usage":{"input_tokens":1}}"#, "9usd")]
    {
        let scratch = with_claude(report);
        let said = scratch.run("rg-run", &["--builder", "claude", "--budget", budget, "go"], b"");
        let end = assert_end(&scratch, &said, 1, "abandoned");
        assert!(end["why"].as_str().unwrap().contains("the budget cannot be held"), "{end}");
        assert_eq!(steps(&scratch, "turn").len(), 1);
        assert!(steps(&scratch, "turn")[0]["cost"].is_null());
    }
}

#[test]
fn a_known_program_gets_its_model_and_its_effort() {
    let scratch = with_claude("{\"result\":\"ok\"}");
    scratch.run("rg-run", &["--builder", "claude", "--model", "m1", "--effort", "high", "--rounds", "1", "go"], b"");
    let words = fs::read_to_string(scratch.top().join("argv")).unwrap();
    assert_eq!(words, "-p --output-format json --permission-mode acceptEdits --model m1 --effort high\n");
    // DONE.md names them, too. Options that name another builder leave them out.
    let yaml = "checks: [{name: t, run: \"grep -q fixed src.txt\"}]\nrun: {builder: claude, model: m2, rounds: 1}\n";
    scratch.write("DONE.md", &format!("```yaml\n{yaml}```\n"));
    scratch.ok("git commit -qam definition && rm ../argv");
    scratch.run("rg-run", &["go"], b"");
    let words = fs::read_to_string(scratch.top().join("argv")).unwrap();
    assert_eq!(words, "-p --output-format json --permission-mode acceptEdits --model m2\n");
    assert_eq!(scratch.run("rg-run", &["--builder", "true", "--dry-run", "go"], b"").status, 0);
}

#[test]
fn wrong_options_are_refused_before_anything_starts() {
    let scratch = Scratch::repo();
    for (words, why) in [
        (vec!["--rounds", "0", "go", "--", "true"], "--rounds needs a number above 0"),
        (vec!["--budget", "much", "go", "--", "true"], "--budget needs tokens"),
        (vec!["--feedback", "mail", "go", "--", "true"], "must be stdin or argument"),
        (vec!["--builder", "true", "go", "--", "true"], "omit --builder"),
        (vec!["--builder", "true", "--model", "m", "go"], "--model is only for"),
        (vec!["--builder", "gemini", "--effort", "high", "go"], "--effort is only for"),
        (vec!["--builder", "true", " "], "the request is empty"),
        (vec!["--builder", "true", "--prompt-file", "none"], "no such file"),
        (vec!["--builder", "true", "--prompt-file", "src.txt", "go"], "not both"),
        (vec!["go", "--"], "-- needs a command"),
        (vec!["--resume", "last"], "no such run"),
        (vec!["--resume", "last", "--rounds", "2"], "only --json"),
    ] {
        let said = scratch.run("rg-run", &words, b"");
        assert_eq!(said.status, 100, "{words:?}: {said:?}");
        assert!(said.err.contains(why), "{words:?}: {said:?}");
    }
    assert!(!scratch.state().join("runs.jsonl").exists());
    scratch.ok("git rm -q DONE.md && git commit -qm none");
    let said = scratch.run("rg-run", &["--builder", "true", "go"], b"");
    assert!(said.status == 100 && said.err.contains("rg-init"), "{said:?}");
}

#[test]
fn the_request_may_come_from_a_file_or_from_standard_input_and_go_to_an_argument() {
    let scratch = Scratch::repo();
    scratch.write("request", "from a file\n");
    scratch.ok("git add -A && git commit -qm request");
    let agent =
        ["--feedback", "argument", "--", "sh", "-c", "printf %s \"$1\" >../prompt.1; echo fixed >src.txt", "sh"];
    assert_eq!(scratch.run("rg-run", &[&["--prompt-file", "request"][..], &agent].concat(), b"").status, 0);
    assert!(prompt(&scratch, 1).contains("# Goal\n\nfrom a file\n"));
    scratch.ok("git checkout -q .");
    assert_eq!(scratch.run("rg-run", &agent, b"from a pipe").status, 0);
    assert!(prompt(&scratch, 1).contains("# Goal\n\nfrom a pipe\n"));
}

/// Starts a run in the background whose agent sleeps unless there is a file `short`, and waits for the agent.
fn started(scratch: &Scratch, time: &str) -> std::process::Child {
    let line = format!("echo try >src.txt; [ -e ../short ] || sleep {time}");
    let mut command = scratch.command(bin_dir().join("rg-run"));
    let child =
        command.args(["--builder", &line, "go"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    let began = Instant::now();
    while sleeper::count(time) == 0 {
        assert!(began.elapsed() < Duration::from_secs(30), "the agent did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

#[test]
fn a_signal_ends_the_agent_and_says_how_to_go_on() {
    if crate::scratch::ignores("INT") {
        return;
    }
    let scratch = Scratch::repo();
    let time = sleeper::time();
    let child = started(&scratch, &time);
    let pid = child.id().to_string();
    scratch.ok(&format!("kill -INT {pid}"));
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    let id = steps(&scratch, "begin")[0]["run"].as_str().unwrap().to_string();
    assert!(words.contains(&format!("`rg-run --resume {id}`")), "{words}");
    assert_eq!(sleeper::count(&time), 0);
    assert!(steps(&scratch, "end").is_empty());
}

#[test]
fn one_run_works_in_a_directory_and_a_resumed_one_names_the_orphans() {
    let scratch = Scratch::repo();
    let time = sleeper::time();
    let mut child = started(&scratch, &time);
    let said = scratch.run("rg-run", &["go", "--", "true"], b"");
    assert!(said.status == 111 && said.err.contains("another run works in"), "{said:?}");
    assert!(said.err.contains(&format!("process {}", child.id())), "{said:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    // The agent of the killed run is named and ended, and the round begins again.
    scratch.ok("touch ../short");
    let said = scratch.run("rg-run", &["--resume", "last"], b"");
    assert!(said.err.contains("ended what the interrupted run left: process") && said.err.contains(&time), "{said:?}");
    assert_eq!(sleeper::count(&time), 0);
    assert_eq!((said.status, steps(&scratch, "end").len()), (1, 1), "{said:?}");
}

// Its processes are found in /proc.
#[cfg(target_os = "linux")]
#[test]
fn a_daemon_of_a_killed_run_is_named_and_ended_by_its_resume() {
    let scratch = Scratch::repo();
    let (daemon, child) = (sleeper::time(), sleeper::time());
    let agent = format!("[ -e ../short ] || {{ setsid sleep {daemon} & sleep {child}; }}; echo $RG_RUN >src.txt");
    let mut command = scratch.command(bin_dir().join("rg-run"));
    let command = command.args(["--builder", &agent, "go"]).stdin(Stdio::null()).stdout(Stdio::null());
    let mut run = command.stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while sleeper::count(&daemon) == 0 {
        assert!(began.elapsed() < Duration::from_secs(30), "the daemon did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    scratch.ok("touch ../short");
    let said = scratch.run("rg-run", &["--resume", "last"], b"");
    for time in [daemon, child] {
        assert!(said.err.contains(&format!("(sleep {time})")) && sleeper::count(&time) == 0, "{said:?}");
    }
    let id = steps(&scratch, "begin")[0]["run"].as_str().unwrap().to_string();
    assert_eq!(scratch.sh("cat src.txt", b"").out, id + "\n");
}

/// A run that is killed at any step ends with one outcome when it is resumed.
#[test]
fn a_killed_run_is_resumed_to_one_end() {
    let mut killed = 0;
    for at in 1..=60 {
        let scratch = with_agent("[ $n -ge 2 ] && echo fixed >src.txt || echo try >src.txt");
        let said = scratch.sh(&format!("RG_CRASH={at} rg-run 'fix it' -- sh ../agent.sh"), b"");
        if said.status == 0 {
            break;
        }
        killed += 1;
        let said = scratch.run("rg-run", &["--resume", "last"], b"");
        if steps(&scratch, "begin").is_empty() {
            assert_eq!(said.status, 100, "{at}: {said:?}");
            continue;
        }
        let ends = steps(&scratch, "end");
        assert_eq!((said.status, ends.len(), ends[0]["outcome"].as_str()), (0, 1, Some("done")), "{at}: {said:?}");
        assert_eq!(scratch.receipt()["id"], ends[0]["receipt"], "{at}");
        // Resumed once more, it only reports its end.
        let again = scratch.run("rg-run", &["--resume", "last"], b"");
        assert_eq!((again.status, steps(&scratch, "end").len()), (0, 1), "{at}: {again:?}");
    }
    assert!((8..60).contains(&killed), "{killed}");
}

#[test]
fn a_definition_that_the_agent_weakens_is_still_the_one_that_judges() {
    let scratch =
        with_agent("printf '```yaml\\nchecks: [{name: t, run: \"true\"}]\\nrun: {rounds: 99}\\n```\\n' >DONE.md");
    let said = run(&scratch, &["--rounds", "2"]);
    assert_end(&scratch, &said, 1, "abandoned");
    assert_eq!(steps(&scratch, "turn").len(), 2);
}
