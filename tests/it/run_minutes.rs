//! Tests of the minutes of a run that is interrupted: only the time in which a process of it worked counts.

use crate::run::{steps, with_agent};
use crate::scratch::{Scratch, bin_dir, ignores};
use crate::sleeper;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A run whose agent sleeps unless there is a file `short`.
fn started(time: &str) -> (Scratch, Child) {
    let scratch = with_agent(&format!("[ -e ../short ] || sleep {time}; echo fixed >src.txt"));
    let mut command = scratch.command(bin_dir().join("rg-run"));
    let command = command.args(["go", "--", "sh", "../agent.sh"]).stdin(Stdio::null()).stdout(Stdio::null());
    let child = command.stderr(Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while sleeper::count(time) == 0 {
        assert!(began.elapsed() < Duration::from_secs(30), "the agent did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    (scratch, child)
}

#[test]
fn the_night_between_a_signal_and_the_resume_does_not_count() {
    for signal in ["INT", "TERM", "KILL"] {
        if ignores(signal) {
            continue;
        }
        let time = sleeper::time();
        let (mut scratch, mut child) = started(&time);
        scratch.ok(&format!("kill -{signal} {}", child.id()));
        child.wait().unwrap();
        let told = steps(&scratch, "interrupted").len();
        assert_eq!(told, usize::from(signal != "KILL"), "{signal}");
        if signal == "KILL" {
            // Its agent ends, too.
            scratch.ok(&format!("kill -9 -{}", steps(&scratch, "agent")[0]["group"]));
            let began = Instant::now();
            while sleeper::count(&time) > 0 {
                assert!(began.elapsed() < Duration::from_secs(30), "the agent did not end");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        fs::write(scratch.top().join("short"), "").unwrap();
        scratch.later(10.0 * 3600.0);
        let said = scratch.run("rg-run", &["--resume", "last"], b"");
        assert_eq!(
            (said.status, steps(&scratch, "end")[0]["outcome"].as_str()),
            (0, Some("done")),
            "{signal}: {said:?}"
        );
        for record in crate::scratch::lines_of(&scratch.state().join("runs.jsonl")) {
            crate::schema::assert_fits("record", &record);
        }
    }
}

#[test]
fn an_agent_that_works_on_without_its_run_uses_the_minutes() {
    let time = sleeper::time();
    let (mut scratch, mut child) = started(&time);
    child.kill().unwrap();
    child.wait().unwrap();
    scratch.later(10.0 * 3600.0);
    for _ in 0..2 {
        let said = scratch.run("rg-run", &["--resume", "last"], b"");
        assert!(said.status == 111 && said.out.contains("the run took its 120 minutes"), "{said:?}");
        assert_eq!((sleeper::count(&time), steps(&scratch, "turn").len()), (0, 0));
    }
    assert_eq!(steps(&scratch, "resumed")[0]["seconds"], 36_000.0);
}

#[test]
fn an_agent_that_kills_its_run_each_time_ends_it() {
    let scratch = with_agent("echo try >src.txt; kill -9 $PPID; sleep 0.1");
    scratch.sh("rg-run go -- sh ../agent.sh", b"");
    let mut resumes = 0;
    while steps(&scratch, "end").is_empty() {
        resumes += 1;
        assert!(resumes < 10, "it goes on for ever");
        scratch.run("rg-run", &["--resume", "last"], b"");
    }
    let end = steps(&scratch, "end").remove(0);
    assert!(end["why"].as_str().unwrap().contains("3 turns in a row were lost"), "{end}");
    assert_eq!((end["outcome"].as_str(), end["receipt"].is_string(), resumes), (Some("unverified"), true, 3), "{end}");
}
