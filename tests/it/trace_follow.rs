//! Laws of `rg-trace follow`: a session as it happens.

use crate::scratch::{Scratch, bin_dir};
use serde_json::json;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A running `rg-trace follow`, and the lines that it prints.
struct Follower {
    child: Child,
    lines: Receiver<String>,
}

impl Follower {
    fn of(scratch: &Scratch, args: &[&str]) -> Follower {
        let mut command = scratch.command(bin_dir().join("rg-trace"));
        let mut child = command.arg("follow").args(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        Follower { child, lines }
    }

    fn next(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(20)).expect("nothing was printed")
    }

    /// Waits until it ends by itself, and returns its status and the lines that nobody asked for.
    fn end(mut self) -> (Option<i32>, Vec<String>) {
        let began = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(20), "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
        (self.child.wait().unwrap().code(), self.lines.iter().collect())
    }

    fn kill(mut self) -> Vec<String> {
        std::thread::sleep(Duration::from_millis(300));
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.lines.iter().collect()
    }
}

fn call(scratch: &Scratch, session: &str, command: &str) {
    let fields = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {}});
    assert_eq!(scratch.run("rg-trace", &["--hook", "--client", "claude"], &scratch.payload(session, fields)).status, 0);
}

fn end(scratch: &Scratch, session: &str) {
    let fields = json!({"hook_event_name": "SessionEnd", "reason": "other"});
    scratch.run("rg-trace", &["--hook", "--client", "claude"], &scratch.payload(session, fields));
}

#[test]
fn a_session_is_followed_from_its_begin_to_its_end() {
    let scratch = Scratch::repo();
    // Not even the state directory is there.
    let follower = Follower::of(&scratch, &[]);
    std::thread::sleep(Duration::from_millis(300));
    scratch.prompt("s", "go");
    call(&scratch, "s", "one");
    assert_eq!(follower.next(), "12:00:00 tool-after    Bash {\"command\":\"one\"}");
    let push = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push -f origin main"}});
    scratch.run("rg-guard", &["--hook", "--client", "claude"], &scratch.payload("s", push));
    let denied = follower.next();
    assert!(denied.starts_with("12:00:00 denied        Bash") && denied.contains("git push -f"), "{denied}");
    call(&scratch, "other", "of another session");
    call(&scratch, "s", "two");
    assert!(follower.next().contains("two"));
    end(&scratch, "s");
    assert!(follower.next().contains("session-end"));
    assert_eq!(follower.end(), (Some(0), Vec::new()));
}

#[test]
fn a_trace_that_is_replaced_or_half_written_is_followed_without_repetition() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    call(&scratch, "s", "one");
    let trace = scratch.state().join("trace/s.jsonl");
    let follower = Follower::of(&scratch, &["s"]);
    assert!(follower.next().contains("one"));
    // The same records and one more in another file, in the place of the first.
    call(&scratch, "s", "two");
    assert!(follower.next().contains("two"));
    let all = fs::read_to_string(&trace).unwrap();
    fs::remove_file(&trace).unwrap();
    call(&scratch, "s", "three");
    assert!(follower.next().contains("three"));
    let three = fs::read_to_string(&trace).unwrap();
    let replaced = scratch.state().join("replaced");
    fs::write(&replaced, format!("{all}{three}")).unwrap();
    fs::rename(&replaced, &trace).unwrap();
    // A half line is waited for; a torn one that the next writer closed off is none.
    let torn = three.replace("three", "four");
    let mut file = fs::OpenOptions::new().append(true).open(&trace).unwrap();
    file.write_all(&torn.as_bytes()[..40]).unwrap();
    std::thread::sleep(Duration::from_millis(1300));
    file.write_all(&torn.as_bytes()[40..]).unwrap();
    assert!(follower.next().contains("four"));
    file.write_all(&torn.as_bytes()[..60]).unwrap();
    file.write_all(b"\nno record\n").unwrap();
    call(&scratch, "s", "five");
    assert!(follower.next().contains("five"));
    assert_eq!(follower.kill(), Vec::<String>::new());
}

#[test]
fn a_session_that_has_ended_is_not_waited_for() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    call(&scratch, "s", "one");
    end(&scratch, "s");
    let said = scratch.run("rg-trace", &["follow", "s"], b"");
    assert_eq!((said.status, said.out.lines().count()), (0, 2), "{said:?}");
    // Without a name, the next session is waited for, and a resumed one is followed again.
    let follower = Follower::of(&scratch, &[]);
    std::thread::sleep(Duration::from_millis(300));
    call(&scratch, "s", "resumed");
    let lines = [follower.next(), follower.next(), follower.next()];
    assert!(lines[2].contains("resumed"), "{lines:?}");
    assert_eq!(follower.kill(), Vec::<String>::new());
    call(&scratch, "sa", "x");
    call(&scratch, "sb", "x");
    fs::remove_file(scratch.state().join("trace/s.jsonl")).unwrap();
    assert_eq!(scratch.run("rg-trace", &["follow", "s"], b"").status, 100, "an ambiguous name");
}

#[test]
fn a_follower_whose_reader_is_gone_ends() {
    let scratch = Scratch::repo();
    let said = scratch.sh("rg-trace follow 2>err | true; cat err", b"");
    assert!(said.took < Duration::from_secs(20) && said.out.contains("waiting for one"), "{said:?}");
    let said = scratch.sh("rg-trace follow nope 2>err | true; cat err", b"");
    assert!(said.out.contains("no session nope yet; waiting for it"), "{said:?}");
}
