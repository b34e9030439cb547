//! Laws of rg-msg: no message is lost, and whatever a log holds can be read.

use crate::scratch::{Said, Scratch};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn post(scratch: &Scratch, topic: &str, body: &str) -> String {
    let said = scratch.run("rg-msg", &["post", topic, "-m", body], b"");
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{said:?}");
    said.out.trim_end().to_string()
}

fn read(scratch: &Scratch, topic: &str) -> Said {
    let said = scratch.run("rg-msg", &["read", topic, "--all", "--json"], b"");
    assert_eq!(said.status, 0, "{said:?}");
    said
}

fn bodies(said: &Said) -> Vec<String> {
    let values = said.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    values.map(|value| value["body"].as_str().unwrap().to_string()).collect()
}

fn log(scratch: &Scratch, topic: &str) -> PathBuf {
    scratch.work().join(format!(".review-gate/topic-{topic}.jsonl"))
}

#[test]
fn all_of_64_writers_to_a_store_that_does_not_exist_are_stored() {
    let scratch = Scratch::repo();
    let line = "for n in $(seq 64); do rg-msg post t -m \"m $n\" & done; wait";
    let said = scratch.ok(line);
    assert_eq!((said.out.lines().count(), said.err.as_str()), (64, ""));
    let found = read(&scratch, "t");
    assert_eq!(found.err, "");
    let mut found = bodies(&found);
    found.sort();
    let mut wanted: Vec<String> = (1..=64).map(|n| format!("m {n}")).collect();
    wanted.sort();
    assert_eq!(found, wanted);
}

#[test]
fn a_killed_writer_loses_only_its_own_message() {
    let mut scratch = Scratch::repo();
    post(&scratch, "t", "first");
    scratch.set("RG_CRASH", "1");
    let said = scratch.run("rg-msg", &["post", "t", "-m", "killed"], b"");
    assert!(said.status != 0 && said.out.is_empty(), "{said:?}");
    scratch.env.remove("RG_CRASH");
    assert_eq!(bodies(&read(&scratch, "t")), ["first"]);
    post(&scratch, "t", "last");
    let found = read(&scratch, "t");
    assert_eq!(bodies(&found), ["first", "last"]);
    assert_eq!(found.err, "rg-msg: warning: skipped 1 line that cannot be read\n");
}

#[test]
fn lines_that_are_no_messages_are_skipped_and_counted_once() {
    let scratch = Scratch::repo();
    post(&scratch, "t", "one");
    let path = log(&scratch, "t");
    let one = fs::read(&path).unwrap();
    let mut bytes = b"42\n<<<<<<< HEAD\n\0\0\n\xff\xfe\n{\"id\":\"01\n\n[]\n".to_vec();
    bytes.extend_from_slice(&one);
    bytes.extend_from_slice(b"=======\r\n{\"v\":2,\"kind\":\"message\",\"id\":7}\n");
    bytes.extend_from_slice(&one);
    fs::write(&path, &bytes).unwrap();
    for verb in [&["read", "t"][..], &["read", "t", "--all"], &["search", "one"], &["list"]] {
        let said = scratch.run("rg-msg", verb, b"");
        let wanted = "rg-msg: warning: skipped 7 lines that cannot be read; skipped 1 record of a later release\n";
        assert_eq!((said.status, said.err.as_str()), (0, wanted), "{verb:?}: {said:?}");
        let count =
            if verb[0] == "list" { said.out.contains(" 1 message ") } else { said.out.matches("    one").count() == 1 };
        assert!(count, "{verb:?}: {said:?}");
        let quiet = scratch.run("rg-msg", &[verb, &["--quiet"]].concat(), b"");
        assert_eq!((quiet.err.as_str(), quiet.out.lines().count()), ("", 1), "{quiet:?}");
    }
}

#[test]
fn a_full_disk_leaves_the_log_unchanged() {
    let scratch = Scratch::repo();
    post(&scratch, "t", "one");
    let before = fs::read(log(&scratch, "t")).unwrap();
    let body = "x".repeat(100_000);
    let said = scratch.sh("ulimit -f 16; rg-msg post t", body.as_bytes());
    assert_eq!((said.status, said.out.as_str()), (111, ""), "{said:?}");
    assert!(said.err.contains("unable to write") && said.err.lines().count() == 1, "{said:?}");
    assert_eq!(fs::read(log(&scratch, "t")).unwrap(), before);
    post(&scratch, "t", "two");
    assert_eq!(bodies(&read(&scratch, "t")), ["one", "two"]);
}

#[test]
fn a_lock_that_another_process_keeps_delays_a_post_and_does_not_refuse_it() {
    let scratch = Scratch::repo();
    post(&scratch, "t", "one");
    let held = fs::OpenOptions::new().append(true).open(log(&scratch, "t")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    post(&scratch, "t", "two");
    drop(held);
    assert_eq!(bodies(&read(&scratch, "t")), ["one", "two"]);
}

#[test]
fn a_link_or_a_file_in_the_place_of_the_store_is_an_error() {
    let scratch = Scratch::repo();
    let outside = scratch.top().join("outside");
    fs::create_dir(&outside).unwrap();
    let dir = scratch.work().join(".review-gate");
    std::os::unix::fs::symlink(&outside, &dir).unwrap();
    let refused = || {
        let said = scratch.run("rg-msg", &["post", "t", "-m", "x"], b"");
        assert!(said.status == 111 && said.err.contains("is not a directory"), "{said:?}");
    };
    refused();
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    fs::remove_file(&dir).unwrap();
    fs::write(&dir, "").unwrap();
    refused();
    fs::remove_file(&dir).unwrap();
    fs::create_dir(&dir).unwrap();
    std::os::unix::fs::symlink(outside.join("f"), log(&scratch, "t")).unwrap();
    let said = scratch.run("rg-msg", &["post", "t", "-m", "x"], b"");
    assert!(said.status == 111 && said.err.contains("a symbolic link"), "{said:?}");
}

#[test]
fn an_id_is_accepted_by_any_beginning_that_is_unique() {
    let scratch = Scratch::repo();
    let (one, two) = (post(&scratch, "a", "one"), post(&scratch, "b", "two"));
    assert!(one != two && one.len() == 26);
    for id in [one.as_str(), &one.to_lowercase(), &one[..20]] {
        let said = scratch.run("rg-msg", &["show", id], b"");
        assert!(said.status == 0 && said.out.contains("    one\n"), "{said:?}");
    }
    for verb in ["show", "thread", "reply"] {
        let said = scratch.run("rg-msg", &[verb, "0"], b"x");
        let wanted = format!("rg-msg: 2 ids begin with \"0\": {}, {}\n", (&one).min(&two), (&one).max(&two));
        assert_eq!((said.status, said.err), (100, wanted), "{verb}");
        let said = scratch.run("rg-msg", &[verb, "ZZ"], b"x");
        assert!(said.status == 100 && said.err.contains("no message has an id"), "{said:?}");
    }
}

#[test]
fn a_message_from_far_ahead_is_shown_and_changes_no_later_id() {
    let mut scratch = Scratch::repo();
    scratch.set("RG_NOW", "2036-11-21T12:00:00.000Z");
    post(&scratch, "t", "wrong clock");
    scratch.set("RG_NOW", crate::scratch::NOW);
    let (one, two) = (post(&scratch, "t", "one"), post(&scratch, "t", "two"));
    assert!(one.starts_with("01M") && one < two, "{one} {two}");
    let found = read(&scratch, "t");
    assert_eq!(bodies(&found), ["one", "two", "wrong clock"]);
    assert_eq!(found.err, "rg-msg: warning: 1 message dated more than a day ahead\n");
    // A clock that goes back an hour keeps the order of the log.
    scratch.set("RG_NOW", "2026-11-21T11:00:00.000Z");
    assert!(post(&scratch, "t", "three") > two);
}

#[test]
fn a_text_is_stored_as_it_came() {
    let scratch = Scratch::repo();
    for body in ["x", "  two\r\nlines\n\n", "\u{0}\u{1b}[2J", "\u{1f980} \\n \"", "--as", &"long ".repeat(300_000)] {
        scratch.write("body", body);
        for (args, stdin) in [(vec!["post", "t"], body), (vec!["post", "t", "--file", "body"], "")] {
            let id = scratch.run("rg-msg", &args, stdin.as_bytes()).out;
            let said = scratch.run("rg-msg", &["show", "--json", id.trim_end()], b"");
            assert!(bodies(&said) == [body], "{:?}", &body[..1]);
        }
    }
    let said = scratch.run("rg-msg", &["post", "t"], b"\xff");
    assert!(said.status == 100 && said.err.contains("not UTF-8"), "{said:?}");
    let said = scratch.run("rg-msg", &["post", "t"], &vec![b'x'; (16 << 20) + 1]);
    assert!(said.status == 100 && said.err.contains("exceeds 16 MiB"), "{said:?}");
    let said = scratch.run("rg-msg", &["post", "t"], b"");
    assert!(said.status == 100 && said.err.contains("empty"), "{said:?}");
    // A terminal's control sequences are not printed.
    let said = scratch.run("rg-msg", &["read", "t", "--all"], b"");
    assert!(!said.out.contains(['\u{0}', '\u{1b}']));
}

#[test]
fn topics_of_any_name_stay_in_the_store() {
    let scratch = Scratch::repo();
    let long = "n".repeat(4096);
    let topics = ["../../escape", "/etc/passwd", "a\nb", "..", "\u{1f980}", "A", "a", &long];
    for topic in topics {
        post(&scratch, topic, topic);
        assert_eq!(bodies(&read(&scratch, topic)), [topic]);
    }
    let said = scratch.run("rg-msg", &["list"], b"");
    assert_eq!(said.out.lines().count(), topics.len(), "{said:?}");
    assert_eq!(fs::read_dir(scratch.work().join(".review-gate")).unwrap().count(), topics.len());
    assert_eq!(fs::read_dir(scratch.top()).unwrap().count(), 2, "repo and home only");
    for topic in ["", &"n".repeat(4097)] {
        assert_eq!(scratch.run("rg-msg", &["post", topic, "-m", "x"], b"").status, 100);
    }
}

#[test]
fn all_worktrees_share_one_store_and_a_message_is_no_change_of_the_work() {
    let mut scratch = Scratch::repo();
    let path = scratch.ok("rg-worktree create a").out;
    scratch.prompt("s", "go");
    let said = scratch.run("rg-msg", &["-C", path.trim_end(), "post", "t", "-m", "from a worktree"], b"");
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(bodies(&read(&scratch, "t")), ["from a worktree"]);
    let message = scratch.run("rg-msg", &["read", "t", "--json"], b"").json();
    assert_eq!((&message["branch"], &message["from"]), (&"rg/a".into(), &"tester".into()), "{message}");
    // The check is red, and nothing changed: the stop is not judged.
    assert!(!scratch.stop("s").out.contains("block"));
    scratch.ok("rg-msg init && rg-msg init");
    assert_eq!(
        scratch.ok("git check-attr merge .review-gate/topic-t.jsonl").out,
        ".review-gate/topic-t.jsonl: merge: union\n"
    );
    scratch.set("RG_TALK", scratch.top().join("talk").to_str().unwrap());
    post(&scratch, "t", "elsewhere");
    assert_eq!(bodies(&read(&scratch, "t")), ["elsewhere"]);
}

#[test]
fn a_thread_is_printed_from_its_first_message_even_if_its_answers_form_a_circle() {
    let scratch = Scratch::repo();
    let root = post(&scratch, "t", "root");
    post(&scratch, "t", "another thread");
    let answer = scratch.run("rg-msg", &["reply", &root, "-m", "answer"], b"").out;
    scratch.run("rg-msg", &["reply", answer.trim_end(), "-m", "second"], b"");
    let said = scratch.run("rg-msg", &["thread", answer.trim_end(), "--json"], b"");
    assert_eq!(bodies(&said), ["root", "answer", "second"]);
    let text = fs::read_to_string(log(&scratch, "t")).unwrap();
    let first = text.lines().next().unwrap();
    let circle = first.replace("\"topic\"", &format!("\"reply_to\":\"{}\",\"topic\"", answer.trim_end()));
    fs::write(log(&scratch, "t"), text.replace(first, &circle)).unwrap();
    let mut found = bodies(&scratch.run("rg-msg", &["thread", &root, "--json"], b""));
    found.sort();
    assert_eq!(found, ["answer", "root", "second"]);
}

#[test]
fn a_search_selects_by_words_topic_sender_and_time() {
    let mut scratch = Scratch::repo();
    post(&scratch, "a", "The parser fails");
    scratch.set("RG_NOW", "2026-11-21T15:00:00.000Z");
    scratch.ok("rg-msg post b --as bob -m 'the parser works'");
    let found = |args: &[&str]| bodies(&scratch.run("rg-msg", &[&["search", "--json"], args].concat(), b""));
    assert_eq!(found(&["PARSER"]), ["The parser fails", "the parser works"]);
    assert_eq!(found(&["--limit", "1", "parser"]), ["the parser works"]);
    for args in
        [&["parser", "wor*"][..], &["\"parser works\""], &["--from", "bob"], &["--topic", "b"], &["--since", "1h"]]
    {
        assert_eq!(found(args), ["the parser works"], "{args:?}");
    }
    assert!(found(&[]).len() == 2 && found(&["--limit", "1"]).len() == 1, "without a word every message fits");
    for args in [&["--", "--"][..], &["***"], &["\"works parser\""], &[""], &["(", ")"], &["--topic", "c"]] {
        let said = scratch.run("rg-msg", &[&["search"], args].concat(), b"");
        assert_eq!(
            (said.status, said.out.as_str(), said.err.as_str()),
            (0, "", "rg-msg: no message fits\n"),
            "{args:?}"
        );
    }
}

#[test]
fn messages_fit_their_schema_and_the_manual_names_each_field() {
    let mut scratch = Scratch::repo();
    scratch.set("CLAUDE_CODE_SESSION_ID", "s1");
    fs::create_dir(scratch.work().join("sub")).unwrap();
    let first = post(&scratch, "t", "one");
    scratch.ok(&format!("cd sub && rg-msg reply {first} --role r --model m -m two"));
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(checkout.join("schema/message.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut last = Value::Null;
    for line in fs::read_to_string(log(&scratch, "t")).unwrap().lines() {
        last = serde_json::from_str(line).unwrap();
        assert!(validator.is_valid(&last), "{last}");
    }
    let manual = fs::read_to_string(checkout.join("man/rg-msg.1")).unwrap();
    let fields: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(fields, last.as_object().unwrap().keys().collect::<Vec<_>>());
    for field in fields {
        assert!(manual.contains(&format!(".It Li {field}\n")), "{field}");
    }
    assert_eq!((&last["prefix"], &last["from"], &last["session"]), (&"sub".into(), &"agent".into(), &"s1".into()));
}

#[test]
fn the_end_of_a_long_log_is_read_like_the_whole() {
    let scratch = Scratch::repo();
    post(&scratch, "t", &"first ".repeat(40));
    let line = fs::read_to_string(log(&scratch, "t")).unwrap();
    let text: String =
        (0..20_000).map(|n| line.replace("first first", &format!("n{n}")).replacen("M", "K", 1)).collect();
    // Each line needs its own id.
    let text: String =
        text.lines().enumerate().map(|(n, line)| format!("{}{:05}{}\n", &line[..28], n, &line[33..])).collect();
    assert!(text.len() > 5 << 20);
    fs::write(log(&scratch, "t"), text).unwrap();
    let all = read(&scratch, "t");
    assert_eq!((all.out.lines().count(), all.err.as_str()), (20_000, ""));
    let last = scratch.run("rg-msg", &["read", "t", "--json"], b"");
    let wanted: Vec<&str> = all.out.lines().skip(20_000 - 20).collect();
    assert_eq!(last.out.lines().collect::<Vec<_>>(), wanted);
    let many = scratch.run("rg-msg", &["read", "t", "--json", "--limit", "19000"], b"");
    assert_eq!(many.out.lines().count(), 19_000);
}

#[test]
fn an_export_holds_every_message_as_json_and_as_markdown() {
    let scratch = Scratch::repo();
    post(&scratch, "b", "one\n# no heading\n\n```\n> not a quotation of ours");
    scratch.ok("rg-msg post a --as 'x`y' --role r -m two");
    let all = scratch.run("rg-msg", &["export", "--json"], b"");
    assert_eq!(all.out, read(&scratch, "a").out + &read(&scratch, "b").out);
    assert_eq!(scratch.run("rg-msg", &["export", "--json", "b"], b"").out, read(&scratch, "b").out);
    let text = scratch.run("rg-msg", &["export"], b"").out;
    let id = |topic: &str| scratch.run("rg-msg", &["read", topic, "--quiet"], b"").out.trim_end().to_string();
    let (one, two, at) = (id("b"), id("a"), crate::scratch::NOW);
    let wanted = format!(
        "# `a`\n\n## {at} ``x`y`` (`r`)\n\n`{two}`\n\n> two\n\n# `b`\n\n## {at} `tester`\n\n`{one}`\n\n> one\n> # no heading\n>\n> ```\n> > not a quotation of ours\n\n"
    );
    assert_eq!(text, wanted);
    // A warning does not get into the output.
    fs::write(log(&scratch, "c"), "42\n").unwrap();
    let said = scratch.run("rg-msg", &["export"], b"");
    assert_eq!((said.out, said.err.as_str()), (wanted, "rg-msg: warning: skipped 1 line that cannot be read\n"));
}

#[test]
fn a_list_shows_the_users_own_time() {
    let mut scratch = Scratch::repo();
    post(&scratch, "a", "x");
    scratch.set("TZ", "CET-1");
    let said = scratch.run("rg-msg", &["list"], b"");
    assert!(said.out.contains("T13:00:00") && said.out.ends_with("+01:00\n"), "{said:?}");
    let said = scratch.ok("id=$(rg-issue new title) && rg-issue show $id");
    assert!(said.out.contains("made 2026-11-21T13:00:00") && said.out.matches("+01:00").count() == 2, "{said:?}");
}
