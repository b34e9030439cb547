//! The failure policy: each stage missing, killed, failing halfway or hanging; failed writes; SIGKILL at every write. A stop may then
//! end, but never as `done`, and always with a message.

use crate::scratch::{STOP, Scratch, bin_dir, feed, stop_stages};
use crate::sleeper;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The stages of the Stop line up to rg-receipt; a failure after it does not change the sealed outcome.
fn stages() -> Vec<String> {
    let all = stop_stages();
    let sealed = all.iter().position(|stage| stage == "rg-receipt").unwrap();
    all[..=sealed].to_vec()
}

fn red() -> Scratch {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    scratch
}

fn green() -> Scratch {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "fixed\n");
    scratch
}

/// The Stop line of hooks.json with one stage replaced.
fn stop_with(scratch: &Scratch, stage: &str, instead: &str) -> crate::scratch::Said {
    let is_it = |part: &String| part == stage || part.split(' ').next() == Some(stage);
    let all = stop_stages();
    assert_eq!(all.iter().filter(|part| is_it(part)).count(), 1, "{stage}");
    let line: Vec<String> = all.into_iter().map(|part| if is_it(&part) { instead.to_string() } else { part }).collect();
    scratch.sh(&line.join(" | "), &scratch.stop_payload("s", json!({})))
}

fn never_done(scratch: &Scratch, said: &crate::scratch::Said, what: &str) {
    assert!(!scratch.words().contains(&"done".to_string()), "{what}: {said:?}");
    if !said.out.is_empty() {
        assert!(said.told().contains("unverified"), "{what}: {said:?}");
    }
}

#[test]
fn each_missing_or_failing_stage_is_unverified_and_reported() {
    for stage in &stages() {
        for (what, instead) in [
            ("missing", "rg-no-such-tool"),
            ("dead before its line", "sh -c 'cat >/dev/null; kill -9 $$'"),
            ("dead after half of it", "sh -c 'head -c 40; kill -9 $$'"),
            ("failing", "sh -c 'cat >/dev/null; exit 111'"),
            ("talking nonsense", "sh -c 'cat >/dev/null; echo nonsense'"),
            ("saying yes twice", "sh -c 'cat >/dev/null; echo {}; echo {}'"),
        ] {
            let scratch = green();
            let said = stop_with(&scratch, stage, instead);
            never_done(&scratch, &said, &format!("{stage} {what}"));
            assert!(said.told().contains("review-gate: unverified"), "{stage} {what}: {said:?}");
            assert_eq!(said.status, 0);
        }
    }
}

#[test]
fn without_its_last_stage_a_stop_stays_open_and_is_reported() {
    let scratch = red();
    let said = stop_with(&scratch, "rg-answer", "rg-no-such-tool");
    assert_eq!(said.out, "");
    let scratch = red();
    stop_with(&scratch, "rg-receipt", "rg-no-such-tool");
    let start = scratch.payload("s", json!({"hook_event_name": "SessionStart", "source": "resume"}));
    let said = scratch.sh("rg-event --client claude | rg-answer --client claude --kind session-start", &start);
    assert!(said.told().contains("of this task never ended"), "{said:?}");
}

#[test]
fn a_hanging_stage_is_unverified_at_the_deadline() {
    let mut scratch = green();
    scratch.env.remove("RG_NOW");
    let line = STOP
        .replace("rg-check", "sh -c 'cat >/dev/null; exec sleep 5'")
        .replace("--kind stop", "--kind stop --within 1");
    let began = Instant::now();
    let mut child =
        scratch.command("sh").args(["-c", &line]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    use std::io::{Read, Write};
    child.stdin.take().unwrap().write_all(&scratch.stop_payload("s", json!({}))).unwrap();
    let mut first = vec![0; 4096];
    let n = child.stdout.as_mut().unwrap().read(&mut first).unwrap();
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert!(String::from_utf8_lossy(&first[..n]).contains("no time left"), "{}", String::from_utf8_lossy(&first[..n]));
    child.wait().unwrap();
}

/// A stage whose output is closed prints no event and kills its children.
#[test]
fn a_stage_with_closed_output_kills_its_children() {
    let time = sleeper::time();
    let scratch = Scratch::repo_with(&format!("checks:\n  - {{name: c, run: \"sleep {time}\"}}\n"));
    let event = scratch.run("rg-event", &["stop"], b"").out;
    let mut child = scratch
        .command(bin_dir().join("rg-check"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write;
    child.stdin.take().unwrap().write_all(event.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    drop(child.stdout.take());
    let began = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(111));
    assert!(began.elapsed() < Duration::from_secs(3));
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(sleeper::count(&time), 0);
}

#[test]
fn a_full_output_device_is_a_failure() {
    let scratch = Scratch::repo();
    for line in ["rg-event stop >/dev/full", "rg-check --now >/dev/full", "rg-receipt --help >/dev/full"] {
        assert_eq!(scratch.sh(line, b"").status, 111, "{line}");
    }
}

#[test]
fn a_read_only_state_directory_is_unverified_and_reported() {
    // Even root cannot write to the directory, because a file has its name.
    let scratch = green();
    fs::remove_dir_all(scratch.state()).unwrap();
    fs::write(scratch.state(), "a file").unwrap();
    let said = scratch.stop("s");
    assert!(said.told().contains("unverified"), "{said:?}");
    let said = scratch.prompt("s", "go on");
    assert!(said.told().contains("review-gate: prompt:"), "{said:?}");
}

#[test]
fn a_held_lock_is_unverified_after_a_second() {
    let scratch = green();
    let lock = review_gate::sys::lock::take(&scratch.state().join("lock"), Duration::from_secs(1)).unwrap();
    let said = scratch.stop("s");
    assert!(said.told().contains("unverified"), "{said:?}");
    assert!(said.took < Duration::from_secs(12), "{:?}", said.took);
    drop(lock);
    assert_eq!(scratch.stop("s").out, "");
}

#[test]
fn a_damaged_journal_loses_only_its_damaged_lines() {
    let scratch = red();
    scratch.stop("s");
    let journal = fs::read_dir(scratch.state().join("tasks")).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    for (at, line) in lines.iter().enumerate().skip(1) {
        for damage in ["42", "<<<<<<< HEAD", "\u{0}\u{0}", &line[..line.len() / 2], "{\"v\":9,\"kind\":\"gate-off\"}"] {
            let mut damaged: Vec<&str> = lines.clone();
            damaged[at] = damage;
            fs::write(&journal, damaged.join("\n")).unwrap();
            let said = scratch.stop("s");
            assert_eq!(said.json()["decision"], "block", "line {at} {damage:?}: {said:?}");
        }
    }
    // Without the record of its start the task is lost: the stop is judged without a baseline and the loss is reported.
    fs::write(&journal, lines[1..].join("\n")).unwrap();
    let said = scratch.stop("s");
    assert!(said.reason().contains("records of this session were removed"), "{said:?}");
}

/// Kills each stage at its n-th write, halfway: no acknowledged record is lost, and no outcome is done.
#[test]
fn a_stop_survives_a_kill_at_every_write() {
    let stages = stages();
    let mut killed = std::collections::BTreeMap::new();
    for stage in &stages {
        for n in 1..=9 {
            let scratch = green();
            let said = stop_with(&scratch, stage, &format!("env RG_CRASH={n} {stage}"));
            if scratch.words().contains(&"done".to_string()) {
                // The stage has fewer writes and was not killed.
                assert!(said.out.is_empty(), "{stage} {n}: {said:?}");
                break;
            }
            *killed.entry(stage.split(' ').next().unwrap()).or_insert(0) += 1;
            assert!(said.told().contains("unverified"), "{stage} {n}: {said:?}");
            assert_eq!(scratch.records("begin").len(), 1);
            // The next stop ends the torn line and is judged as usual.
            assert_eq!(scratch.stop("s").out, "", "{stage} {n}");
            assert_eq!(scratch.words().last().unwrap(), "done");
        }
    }
    // The writes: the open stop, the start and the end of a run, the receipt, its record, and the stat cache.
    for (stage, least) in [("rg-event", 1), ("rg-check", 2), ("rg-receipt", 2)] {
        assert!(killed.get(stage).is_some_and(|times| *times >= least), "{killed:?}");
    }
}

/// The same for the records of a new task: its start, the stored definition, the prompt, the baseline.
#[test]
fn a_prompt_survives_a_kill_at_every_write() {
    let line = "rg-event --client claude | rg-tamper | rg-answer --client claude --kind prompt";
    for stage in ["rg-event", "rg-tamper"] {
        let mut killed = 0;
        for n in 1..=20 {
            let scratch = Scratch::repo();
            let payload = scratch.payload("s", json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"}));
            let said = scratch.sh(&line.replace(stage, &format!("env RG_CRASH={n} {stage}")), &payload);
            let was_killed = said.err.contains("Killed") || said.told().contains("ended without");
            killed += usize::from(was_killed);
            scratch.append("src.txt", "x\n");
            let stopped = scratch.stop("s");
            assert!(stopped.out.contains("block") || stopped.told().contains("unverified"), "{stage} {n}: {stopped:?}");
            if !was_killed {
                break;
            }
        }
        assert!(killed >= 2, "{stage}: {killed}");
    }
}

/// A library that replaces write(2) in the built programs: ENOSPC, EIO or a short write from the n-th write to the state directory on.
fn shim(scratch: &Scratch) -> Option<PathBuf> {
    let source = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int count;
ssize_t write(int fd, const void *buf, size_t n) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    const char *dir = getenv("SHIM_DIR"), *how = getenv("SHIM_HOW"), *from = getenv("SHIM_FROM");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t got = readlink(link, path, sizeof path - 1);
    if (dir && how && from && got > 0) {
        path[got] = 0;
        if (!strncmp(path, dir, strlen(dir)) && ++count >= atoi(from)) {
            if (!strcmp(how, "short")) return real(fd, buf, n / 2);
            errno = strcmp(how, "eio") ? ENOSPC : EIO;
            return -1;
        }
    }
    return real(fd, buf, n);
}
"#;
    let (c, so) = (scratch.top().join("shim.c"), scratch.top().join("shim.so"));
    fs::write(&c, source).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&so).arg(&c).arg("-ldl").output();
    if !built.is_ok_and(|output| output.status.success()) {
        crate::scratch::skipped("no cc");
        return None;
    }
    Some(so)
}

#[test]
fn failed_and_short_writes_lose_no_acknowledged_record() {
    for how in ["enospc", "eio", "short"] {
        for from in 1..=4 {
            for stage in &stages() {
                let scratch = green();
                let Some(so) = shim(&scratch) else { return };
                let before = scratch.records("begin").len();
                let state = scratch.state();
                let instead = format!(
                    "env LD_PRELOAD={} SHIM_DIR={} SHIM_HOW={how} SHIM_FROM={from} {stage}",
                    so.display(),
                    state.display()
                );
                let said = stop_with(&scratch, stage, &instead);
                let done = scratch.words().contains(&"done".to_string());
                assert_eq!(said.out.is_empty(), done, "{how} {from} {stage}: {said:?}");
                if !done {
                    assert!(said.told().contains("unverified"), "{how} {from} {stage}: {said:?}");
                }
                assert_eq!(scratch.records("begin").len(), before);
                assert_eq!(scratch.stop("s").out, "", "{how} {from} {stage}: afterwards it is judged as ever");
            }
        }
    }
}

#[test]
fn a_missing_or_hanging_git_is_unverified_in_a_manual_stop() {
    let mut scratch = Scratch::repo();
    let bin = scratch.top().join("bin");
    fs::create_dir(&bin).unwrap();
    let path = format!("{}:{}:/usr/bin:/bin", bin.display(), bin_dir().display());
    fs::write(bin.join("git"), "#!/bin/sh\nexit 127\n").unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    scratch.set("PATH", &path);
    let said = scratch.run("rg-check", &["--now"], b"");
    assert!(said.status == 111 && said.out.contains("git cat-file ended before it answered"), "{said:?}");
    // An event of a client needs no git: the rules and the index are read without it.
    scratch.prompt("s", "go");
    scratch.append("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn a_hanging_git_is_killed_at_the_deadline() {
    let mut scratch = Scratch::repo();
    let bin = scratch.top().join("bin");
    fs::create_dir(&bin).unwrap();
    let time = sleeper::time();
    fs::write(bin.join("git"), format!("#!/bin/sh\nexec sleep {time}\n")).unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    scratch.set("PATH", &format!("{}:{}:/usr/bin:/bin", bin.display(), bin_dir().display()));
    scratch.env.remove("RG_NOW");
    let said = scratch.sh("rg-event stop --within 4 | rg-tamper | rg-check | rg-answer", b"");
    assert!(said.status == 111 && said.out.contains("no time left"), "{said:?}");
    assert!(said.took < Duration::from_secs(8), "{:?}", said.took);
    assert_eq!(sleeper::count(&time), 0);
}

#[test]
fn an_open_stdin_after_the_event_is_not_waited_for() {
    let scratch = green();
    let line = format!("{{ cat payload; exec sleep 20; }} | {{ {STOP}; echo answered >&2; }}");
    fs::write(scratch.work().join("../payload"), scratch.stop_payload("s", json!({}))).unwrap();
    let line = line.replace("cat payload", "cat ../payload");
    let began = Instant::now();
    let mut child =
        scratch.command("sh").args(["-c", &line]).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    use std::io::Read;
    let mut said = [0; 16];
    let n = child.stderr.as_mut().unwrap().read(&mut said).unwrap();
    assert!(said[..n].starts_with(b"answered") && began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn a_killed_shell_leaves_no_done() {
    let scratch = Scratch::repo_with("checks:\n  - {name: c, run: sleep 2}\n");
    scratch.prompt("s", "go");
    scratch.append("src.txt", "x\n");
    let mut child = scratch
        .command("sh")
        .args(["-c", &format!("{STOP}; :")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write;
    child.stdin.take().unwrap().write_all(&scratch.stop_payload("s", json!({}))).unwrap();
    std::thread::sleep(Duration::from_millis(600));
    let _ = child.kill();
    drop(child.stdout.take());
    let _ = child.wait();
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(scratch.words(), Vec::<String>::new(), "standard output is closed: nothing is sealed");
    assert_eq!(scratch.records("open").len(), 1, "it stays open, and is told");
}

#[test]
fn two_stops_at_once_lose_no_record() {
    let scratch = red();
    let payload = scratch.stop_payload("s", json!({}));
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| feed(scratch.command("sh").args(["-c", STOP]), &payload));
        }
    });
    let opened = scratch.records("open").len();
    assert_eq!(opened, 6);
    let journal = fs::read_dir(scratch.state().join("tasks")).unwrap().next().unwrap().unwrap().path();
    let journal = review_gate::store::journal::Journal::open(&journal).unwrap();
    assert_eq!((journal.chain().skipped, journal.chain().broken.len()), (0, 0));
}

#[test]
fn a_missing_home_is_reported_and_never_done() {
    let mut scratch = Scratch::repo();
    for name in ["RG_STATE", "XDG_STATE_HOME", "HOME"] {
        scratch.env.remove(name);
    }
    let said = scratch.stop("s");
    assert!(said.told().contains("unverified") && said.err.contains("HOME are not set"), "{said:?}");
}

#[test]
fn every_stop_that_could_not_be_judged_leaves_a_notice() {
    let scratch = green();
    stop_with(&scratch, "rg-bounce", "rg-no-such-tool");
    let notices: Vec<Value> = crate::scratch::lines_of(&scratch.state().join("notices.jsonl"));
    assert!(notices.len() == 1 && notices[0]["text"].as_str().unwrap().contains("unverified"), "{notices:?}");
}
