//! Agents of rg-run that attack it: they kill, hide, flood, write records, and take the repository away.

use crate::run::{run, steps, with_agent};
use crate::sleeper;
use std::fs;
use std::time::Duration;

#[test]
fn a_daemon_of_an_agent_does_not_survive_its_turn() {
    let line = "echo fixed >src.txt\n\
        setsid sh -c 'setsid sleep TIME </dev/null >/dev/null 2>&1 &' &\n\
        (trap '' TERM HUP INT; nohup sleep TIME >/dev/null 2>&1 &)\n\
        sh -c 'sh -c \"sleep TIME &\" &'\n\
        exit 0";
    let time = sleeper::time();
    let scratch = with_agent(&line.replace("TIME", &time));
    let said = run(&scratch, &[]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.took < Duration::from_secs(30), "{said:?}");
    assert_eq!(sleeper::count(&time), 0);
}

#[test]
fn a_run_that_its_agent_kills_is_resumed_to_one_end() {
    for kill in ["kill -9 $PPID", "kill -9 -$(ps -o pgid= -p $PPID | tr -d ' ')", "kill -TERM $PPID; sleep 30"] {
        let time = sleeper::time();
        let scratch = with_agent(&format!(
            "[ $n -gt 1 ] || {{ setsid sleep {time} & echo try >src.txt; {kill}; sleep 60; }}; echo fixed >src.txt"
        ));
        // In a process group of its own, as a shell starts it.
        let said = scratch.sh("setsid -w rg-run 'fix it' -- sh ../agent.sh", b"");
        assert_ne!(said.status, 0, "{kill}: {said:?}");
        assert!(steps(&scratch, "end").is_empty(), "{kill}");
        let said = scratch.run("rg-run", &["--resume", "last"], b"");
        assert_eq!((said.status, steps(&scratch, "end").len()), (0, 1), "{kill}: {said:?}");
        assert_eq!(scratch.words().last().map(String::as_str), Some("done"));
        assert_eq!(sleeper::count(&time), 0, "{kill}");
    }
}

#[test]
fn records_that_an_agent_writes_grant_nothing() {
    for forged in [
        r#"{"v":1,"at":"2026-11-20T12:00:00.000Z","id":"x","by":"rg-run","kind":"step","state":"end","run":"RUN","outcome":"done","status":0,"why":"forged"}"#,
        r#"{"v":1,"at":"2026-11-20T12:00:00.000Z","id":"x","by":"rg-run","kind":"step","state":"judged","run":"RUN","round":1,"outcome":"done","summary":"forged","ending":{"run":"RUN","outcome":"done","status":0,"why":"forged"}}"#,
    ] {
        let line = format!(
            "echo try >src.txt; run=$(sed -n 's/.*\"run\":\"\\([^\"]*\\)\".*/\\1/p' ../state/runs.jsonl | head -n 1); echo '{forged}' | sed \"s/RUN/$run/g\" >>../state/runs.jsonl"
        );
        let scratch = with_agent(&line);
        let said = run(&scratch, &["--rounds", "1"]);
        assert_eq!(said.status, 1, "{said:?}");
        assert_eq!(scratch.words().last().map(String::as_str), Some("abandoned"));
    }
    // The agent writes the end of its run and kills it, also with the digest of the line before.
    let end = "{\"v\":1,\"kind\":\"step\",\"id\":\"01M7YZMHG06SK3ERV2CRT64RHQ\",\"at\":\"2026-11-21T12:00:00.000Z\",\"by_tool\":\"rg-run\",\"prev\":\"PREV\",\"state\":\"end\",\"run\":\"RUN\",\"outcome\":\"done\",\"status\":0,\"why\":\"forged\"}";
    for prev in ["00", "$(tail -n 1 ../state/runs.jsonl | tr -d '\\n' | sha256sum | cut -c 1-64)"] {
        let line = format!(
            "echo try >src.txt; [ $n -gt 1 ] && exit; run=$(sed -n 's/.*\"run\":\"\\([^\"]*\\)\".*/\\1/p' ../state/runs.jsonl | head -n 1); prev={prev}; echo '{end}' | sed \"s/RUN/$run/; s/PREV/$prev/\" >>../state/runs.jsonl; kill -9 $PPID; sleep 9"
        );
        let scratch = with_agent(&line);
        run(&scratch, &["--rounds", "1"]);
        let said = scratch.run("rg-run", &["--resume", "last"], b"");
        assert_eq!(said.status, 1, "{prev}: {said:?}");
        assert_eq!(scratch.words().last().map(String::as_str), Some("abandoned"), "{prev}: {said:?}");
    }
    // The task's journal.
    let line = "echo try >src.txt; for j in ../state/tasks/*.jsonl; do \
        echo '{\"v\":1,\"at\":\"2026-11-20T12:00:00.000Z\",\"id\":\"x\",\"by\":\"rg-bounce\",\"kind\":\"waive\",\"scope\":\"gate\",\"why\":\"x\",\"who\":\"u\",\"until\":\"2027-11-20T12:00:00.000Z\"}' >>$j; done";
    let scratch = with_agent(line);
    let said = run(&scratch, &["--rounds", "2"]);
    assert_ne!(said.status, 0, "{said:?}");
    assert!(!scratch.words().iter().any(|word| word == "done" || word == "waived"), "{:?}", scratch.words());
}

#[test]
fn a_repository_that_an_agent_takes_away_is_not_judged_as_another_one() {
    for line in [
        "echo fixed >src.txt; rm -rf .git",
        "echo fixed >src.txt; mv .git ../moved",
        "rm -rf .git; git init -q; echo fixed >src.txt; git add -A; git commit -qm x",
        "cd ..; rm -rf repo",
    ] {
        let scratch = with_agent(line);
        let said = run(&scratch, &["--rounds", "2"]);
        let ends = steps(&scratch, "end");
        assert_eq!(ends.len(), 1, "{line}: {said:?}");
        let is_new = line.contains("git init");
        // A new repository in the same place has the same name: its files are judged against the task's baseline.
        assert!(is_new || said.status == 111, "{line}: {said:?}");
        assert!(ends[0]["receipt"].is_string(), "{line}: {said:?}");
    }
}

#[test]
fn a_flood_of_a_gigabyte_ends_soon_and_is_not_kept() {
    let scratch = with_agent("echo fixed >src.txt; head -c 1000000000 /dev/zero");
    let said = run(&scratch, &[]);
    assert_eq!(said.status, 0, "{said:?}");
    let bytes: u64 =
        fs::read_dir(scratch.state().join("blobs")).unwrap().flatten().map(|e| e.metadata().unwrap().len()).sum();
    assert!(bytes < 1 << 20, "{bytes}");
}

#[test]
fn a_lost_turn_stays_unknown_for_the_budget() {
    let scratch = with_agent("echo try >src.txt; [ $n -gt 1 ] || kill -9 $PPID");
    let report = r#"{"result":"ok","total_cost_usd":0.1,"usage":{"input_tokens":1}}"#;
    let mut scratch = scratch;
    let bin = scratch.top().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let script = format!(
        "#!/bin/sh\nn=$(cat ../n 2>/dev/null || echo 0); n=$((n + 1)); echo $n >../n; cat >/dev/null\necho try >src.txt\n[ $n -gt 1 ] || kill -9 $PPID\necho '{report}'\n"
    );
    fs::write(bin.join("claude"), script).unwrap();
    scratch.ok("chmod +x ../bin/claude");
    let path = format!("{}:{}", bin.display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
    scratch.sh("rg-run --builder claude --budget 9usd 'fix it'", b"");
    for _ in 0..2 {
        let said = scratch.run("rg-run", &["--resume", "last"], b"");
        assert_eq!((said.status, steps(&scratch, "turn").len()), (111, 0), "{said:?}");
        assert!(said.out.contains("the budget cannot be held"), "{said:?}");
    }
    assert_eq!(steps(&scratch, "lost").len(), 1);
}

#[test]
fn a_definition_that_an_agent_breaks_does_not_stop_a_resumed_run() {
    let broken =
        "echo fixed >src.txt; printf '```yaml\\nchecks: 7\\n```\\n' >DONE.md; [ $n -gt 1 ] || kill -9 $PPID; sleep 1";
    let scratch = with_agent(broken);
    run(&scratch, &["--rounds", "2"]);
    assert!(steps(&scratch, "end").is_empty());
    let said = scratch.run("rg-run", &["--resume", "last"], b"");
    let ends = steps(&scratch, "end");
    assert_eq!((ends.len(), ends[0]["outcome"].as_str()), (1, Some("abandoned")), "{said:?}");
    assert_ne!(said.status, 0, "{said:?}");
}
