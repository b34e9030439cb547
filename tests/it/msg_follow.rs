//! Laws of `rg-msg follow` and `rg-msg import`.

use crate::scratch::{Said, Scratch, bin_dir};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A running `rg-msg follow`, and the lines that it prints.
struct Follower {
    child: Child,
    lines: Receiver<String>,
}

impl Follower {
    fn of(scratch: &Scratch, args: &[&str]) -> Follower {
        let mut command = scratch.command(bin_dir().join("rg-msg"));
        let mut child = command.arg("follow").args(args).stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        // It has read what is there once it sleeps.
        let stat = format!("/proc/{}/stat", child.id());
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(100));
            let text = fs::read_to_string(&stat).unwrap_or_default();
            if text.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('S')) {
                break;
            }
        }
        std::thread::sleep(Duration::from_millis(200));
        Follower { child, lines }
    }

    fn next(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(20)).expect("nothing was printed")
    }

    fn body(&self) -> String {
        serde_json::from_str::<Value>(&self.next()).unwrap()["body"].as_str().unwrap().to_string()
    }

    /// Ends it, and returns the lines that nobody asked for.
    fn end(mut self) -> Vec<String> {
        std::thread::sleep(Duration::from_millis(300));
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        let status = self.child.wait().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(15), "{status:?}");
        self.lines.iter().collect()
    }
}

fn post(scratch: &Scratch, topic: &str, body: &str) -> String {
    scratch.ok(&format!("rg-msg post {topic} -m '{body}'")).out.trim_end().to_string()
}

#[test]
fn new_messages_are_printed_once_also_of_new_topics_and_after_a_merge() {
    let scratch = Scratch::repo();
    let follower = Follower::of(&scratch, &["--json"]);
    // Not even the talk directory was there.
    post(&scratch, "a", "one");
    assert_eq!(follower.body(), "one");
    post(&scratch, "b", "two");
    assert_eq!(follower.body(), "two");
    // A checkout replaces the file by one with the lines of both sides, in any order.
    let log = scratch.work().join(".review-gate/topic-a.jsonl");
    let ours = fs::read_to_string(&log).unwrap();
    let theirs = ours.replace("one", "theirs").replacen(&ours[7..33], "01M7YZMHG0CRW68E1M6NH3GE1Q", 1);
    let merged = scratch.work().join("merged");
    fs::write(&merged, format!("<<<<<<< ours\n{theirs}=======\n{ours}>>>>>>> theirs\n")).unwrap();
    fs::rename(&merged, &log).unwrap();
    assert_eq!(follower.body(), "theirs");
    // An edit in place, before what was read.
    let inserted = ours.replace("one", "inserted").replacen(&ours[7..33], "01M7YZMHG0CRW68E1M6NH3GE1R", 1);
    let before = fs::read_to_string(&log).unwrap();
    fs::write(&log, format!("{inserted}{before}")).unwrap();
    assert_eq!(follower.body(), "inserted");
    // A half line is waited for; an emptied file is read from its start.
    let half = ours.replace("one", "half").replacen(&ours[7..33], "01M7YZMHG0CRW68E1M6NH3GE1S", 1);
    let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
    file.write_all(&half.as_bytes()[..60]).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    file.write_all(&half.as_bytes()[60..]).unwrap();
    assert_eq!(follower.body(), "half");
    fs::write(&log, "").unwrap();
    post(&scratch, "a", "last");
    assert_eq!(follower.body(), "last");
    // The directory itself may be replaced.
    fs::rename(scratch.work().join(".review-gate"), scratch.work().join("away")).unwrap();
    post(&scratch, "c", "elsewhere");
    assert_eq!(follower.body(), "elsewhere");
    assert_eq!(follower.end(), Vec::<String>::new());
}

#[test]
fn only_the_wanted_messages_are_printed_until_the_time_is_up() {
    let scratch = Scratch::repo();
    post(&scratch, "t", "before");
    let follower = Follower::of(&scratch, &["t", "--from", "bob", "--json"]);
    scratch.ok("rg-msg post t -m no && rg-msg post u --as bob -m no && rg-msg post t --as bob -m yes");
    assert_eq!(follower.body(), "yes");
    assert_eq!(follower.end(), Vec::<String>::new());
    let said = scratch.run("rg-msg", &["follow", "--timeout", "1s"], b"");
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "", ""));
    assert!(said.took >= Duration::from_secs(1), "{said:?}");
    for value in ["0", "-1s", "soon", "9999d", "inf"] {
        let said = scratch.run("rg-msg", &["follow", "--timeout", value], b"");
        assert_eq!(said.status, 100, "{said:?}");
    }
}

#[test]
fn a_follower_whose_reader_is_gone_ends() {
    let scratch = Scratch::repo();
    let began = Instant::now();
    let said = scratch.sh("rg-msg follow --timeout 50s | true; echo ended", b"");
    assert_eq!((said.status, said.out.as_str()), (0, "ended\n"));
    assert!(began.elapsed() < Duration::from_secs(20));
}

/// The processor time of a follower does not grow with the time that it waits.
#[test]
#[cfg(target_os = "linux")]
fn a_follower_does_not_use_the_processor_while_it_waits() {
    let scratch = Scratch::repo();
    post(&scratch, "t", "x");
    let follower = Follower::of(&scratch, &[]);
    let ticks = || -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/stat", follower.child.id())).unwrap();
        let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    };
    let before = ticks();
    std::thread::sleep(Duration::from_secs(3));
    // A tick is 10 ms.
    assert!(ticks() - before <= 3, "{} ticks", ticks() - before);
    follower.end();
}

/// A jwz store with that log.
fn store(scratch: &Scratch, lines: &[Value]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    scratch.write(".jwz/messages.jsonl", &text);
}

const TOPIC: &str = "01ARZ3NDEKTSV4RRFFQ69G5FA0";
const ROOT: &str = "01ARZ3NDEKTSV4RRFFQ69G5FA1";
const REPLY: &str = "01ARZ3NDEKTSV4RRFFQ69G5FA2";

fn lines() -> Vec<Value> {
    let at = 1_764_000_000_000u64;
    vec![
        json!({"type": "topic", "id": TOPIC, "name": "design", "description": "what we build", "created_at": at}),
        json!({"type": "topic", "id": "01ARZ3NDEKTSV4RRFFQ69G5FA9", "name": "design", "description": "", "created_at": at}),
        json!({"type": "topic", "id": "01ARZ3NDEKTSV4RRFFQ69G5FA8", "name": "empty", "description": null, "created_at": at}),
        json!({"type": "message", "id": REPLY, "topic_id": "01ARZ3NDEKTSV4RRFFQ69G5FA9", "parent_id": ROOT, "body": "I do\n\u{1f980}",
            "created_at": at + 2000, "sender": null, "git": null}),
        json!({"type": "message", "id": ROOT, "topic_id": TOPIC, "parent_id": null, "body": "who takes it?", "created_at": at + 1000,
            "sender": {"id": "x1", "name": "Bright Fox", "model": "opus", "role": "worker"},
            "git": {"oid": "0123", "head": "main", "dirty": true, "prefix": "sub/"}}),
        json!({"type": "message", "id": "not a ulid", "topic_id": "lost", "parent_id": ROOT, "body": "of a lost topic",
            "created_at": at + 3000, "sender": null, "git": {"oid": "(initial)", "head": "(detached)", "dirty": false, "prefix": ""}}),
    ]
}

fn import(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-msg", &[&["import"], args].concat(), b"")
}

#[test]
fn a_jwz_store_is_imported_whole_and_only_once() {
    let scratch = Scratch::repo();
    store(&scratch, &lines());
    scratch.append(".jwz/messages.jsonl", "42\n<<<<<<< HEAD\n{\"type\":\"message\"}\n\n");
    scratch.write(".jwz/messages.db", "");
    let said = import(&scratch, &["."]);
    assert_eq!((said.status, said.out.as_str()), (0, "imported 4 messages of 2 topics\n"), "{said:?}");
    let blobs = format!("the blobs in {}/.jwz/messages.db, if there are any", scratch.work().display());
    let left_out = "rg-msg: left out 3 lines that cannot be read; 1 topic without a message: empty; ";
    assert_eq!(said.err, format!("{left_out}{blobs}\n"));
    // Two topics of one name are one; a reply stays below its message.
    let thread = scratch.run("rg-msg", &["thread", REPLY, "--json"], b"");
    let messages: Vec<Value> = thread.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(messages.len(), 2);
    assert_eq!((&messages[0]["id"], &messages[1]["reply_to"]), (&ROOT.into(), &ROOT.into()));
    assert_eq!((&messages[1]["body"], &messages[1]["from"]), (&"I do\n\u{1f980}".into(), &"jwz".into()));
    for (field, value) in [
        ("from", "Bright Fox"),
        ("role", "worker"),
        ("model", "opus"),
        ("commit", "0123"),
        ("branch", "main"),
        ("prefix", "sub/"),
        ("at", "2025-11-24T16:00:01.000Z"),
    ] {
        assert_eq!(messages[0][field], value, "{field}");
    }
    let all = scratch.run("rg-msg", &["read", "design", "--json"], b"");
    assert!(all.out.lines().next().unwrap().contains("what we build"), "{all:?}");
    let lost = scratch.run("rg-msg", &["read", "lost", "--json"], b"").json();
    assert_eq!(
        (&lost["body"], &lost["commit"], &lost["branch"]),
        (&"of a lost topic".into(), &Value::Null, &Value::Null)
    );
    // Again, and from its directory: nothing is doubled.
    let before = fs::read(scratch.work().join(".review-gate/topic-design.jsonl")).unwrap();
    for path in [".", ".jwz", ".jwz/messages.jsonl"] {
        assert_eq!(import(&scratch, &[path]).out, "imported 0 messages of 2 topics; 4 known\n");
    }
    assert_eq!(fs::read(scratch.work().join(".review-gate/topic-design.jsonl")).unwrap(), before);
    // Another clone that imports the same store has the same lines.
    fs::rename(scratch.work().join(".review-gate"), scratch.work().join("first")).unwrap();
    let said = import(&scratch, &[".", "--json"]).json();
    assert_eq!((&said["messages"], &said["known"], &said["left_out"]["lines"]), (&4.into(), &0.into(), &3.into()));
    assert_eq!(fs::read(scratch.work().join(".review-gate/topic-design.jsonl")).unwrap(), before);
}

#[test]
fn an_import_without_a_store_is_a_usage_error_and_a_killed_one_is_repeated() {
    let mut scratch = Scratch::repo();
    for path in ["nowhere", ".", "DONE.md/x"] {
        let said = import(&scratch, &[path]);
        assert!(said.status == 100 && said.err.contains("no jwz store"), "{said:?}");
    }
    assert!(!scratch.work().join(".review-gate").exists());
    store(&scratch, &lines());
    scratch.set("RG_CRASH", "2");
    assert_ne!(import(&scratch, &["."]).status, 0);
    scratch.env.remove("RG_CRASH");
    assert_eq!(import(&scratch, &["."]).status, 0);
    let said = scratch.run("rg-msg", &["read", "design", "--json", "--quiet"], b"");
    assert_eq!(said.out.lines().count(), 3, "{said:?}");
}

/// docs/jwz.md has a row for each verb of jwz, and each command in it works.
#[test]
fn what_jwz_does_has_a_command_that_works() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/jwz.md");
    let text = fs::read_to_string(page).unwrap();
    let scratch = Scratch::repo();
    store(&scratch, &lines());
    let id = post(&scratch, "design", "some text");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
    for verb in
        ["init", "topic new", "topic list", "post", "reply", "read", "show", "thread", "search", "blob", "migrate"]
    {
        assert!(rows.iter().any(|row| row.starts_with(&format!("| `{verb}"))), "no row for {verb}");
    }
    let of_theirs: Vec<&str> = rows.iter().map(|row| row.split(" | ").next().unwrap()).collect();
    for flag in [
        "-d ",
        "-m ",
        "--as ",
        "--model ",
        "--role ",
        "--json",
        "--quiet",
        "--limit ",
        "-s`",
        "--topic ",
        "--mime",
        "--dry-run",
        "--store ",
        "-V",
    ] {
        assert!(of_theirs.iter().any(|theirs| theirs.contains(flag)), "no row for {flag}");
    }
    for row in rows {
        let mut cells = row.split(" | ").skip(1);
        let command = cells.next().unwrap().trim_matches('`');
        if command == "none" {
            assert!(cells.next().unwrap().len() > 20, "no reason: {row}");
            continue;
        }
        assert!(command.contains("rg-msg "), "{row}");
        let said = scratch.sh(&format!("ID={id}; {command}"), b"");
        assert_eq!(said.status, 0, "{row}: {said:?}");
        let prints = !["init", "RG_TALK"].iter().any(|word| command.contains(word));
        assert_eq!(!said.out.is_empty(), prints, "{row}: {said:?}");
    }
}
