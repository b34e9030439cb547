//! Laws of the index of rg-msg: it changes no answer, whatever happens to it and to the logs.

use crate::scratch::{Said, Scratch, bin_dir};
use proptest::prelude::*;
use review_gate::sys::clock::Time;
use review_gate::sys::ids;
use review_gate::talk::index::Index;
use review_gate::talk::lines::Skipped;
use review_gate::talk::message::{Message, Sender};
use review_gate::talk::query::Query;
use review_gate::talk::search;
use std::fs;
use std::path::{Path, PathBuf};

const TEXTS: [&str; 12] = [
    "the parser fails",
    "parser: done, parser done",
    "Caf\u{e9} MENU \u{130}stanbul",
    "see lib/parser.rs:12",
    "",
    "\0 a\u{301}b \u{1f980} c",
    "AND OR NOT NEAR(a b)",
    "\"quoted\" it's 100%",
    "\u{a7}0 \u{a7}s1",
    "one two three",
    "stra\u{df}e \u{fb01}n \u{b2}",
    "two one",
];

const QUERIES: [&str; 22] = [
    "parser",
    "PARSER done",
    "par*",
    "\"parser done\"",
    "\"the pars*\"",
    "caf\u{e9}",
    "istanbul",
    "\u{130}stanbul",
    "lib/parser.rs",
    "12",
    "a b",
    "\"a b\"",
    "near and or",
    "\"it's\"",
    "100%",
    "\u{a7}0",
    "0",
    "stra\u{df}e",
    "two one",
    "\"one two\"",
    "\u{b2}",
    "-*- ( ' \" parser",
];

/// The line of the n-th message. Some have the same id and another text.
fn line(n: usize) -> String {
    let sender = Sender { from: format!("agent-{}", n % 3), ..Sender::default() };
    let day = if n % 17 == 16 { 86_400_000 * 500 } else { 0 };
    let time = Time(1_795_219_200_000 + (n as u64 % 40) / 2 + day);
    let id = ids::ulid_at(time, &[]);
    // The rest of an id is random; here it comes from the number.
    let id = format!("{}{:016}", &id[..10], n % 40);
    let topic = if n.is_multiple_of(11) { "other" } else { "t" };
    let at = Time(time.0 - 1000 * (n as u64 % 5));
    String::from_utf8(Message::new(id, at, topic, None, &sender, TEXTS[n % TEXTS.len()]).to_line()).unwrap()
}

/// What happens to a log between two searches.
#[derive(Clone, Debug)]
enum Change {
    Append(Vec<usize>),
    Tear(usize),
    Insert(usize, usize),
    Edit(usize),
    Truncate(usize),
    Swap(usize, usize),
    Replace(Vec<usize>),
    Remove,
    Junk(usize),
}

fn change() -> impl Strategy<Value = (bool, Change)> {
    let n = 0usize..120;
    let many = || proptest::collection::vec(0usize..120, 1..12);
    let kind = prop_oneof![
        6 => many().prop_map(Change::Append),
        1 => n.clone().prop_map(Change::Tear),
        1 => (n.clone(), n.clone()).prop_map(|(at, n)| Change::Insert(at, n)),
        1 => n.clone().prop_map(Change::Edit),
        1 => n.clone().prop_map(Change::Truncate),
        1 => (n.clone(), n.clone()).prop_map(|(a, b)| Change::Swap(a, b)),
        1 => many().prop_map(Change::Replace),
        1 => Just(Change::Remove),
        1 => n.prop_map(Change::Junk),
    ];
    (any::<bool>(), kind)
}

fn apply(path: &Path, change: &Change) {
    let text = fs::read(path).unwrap_or_default();
    let mut lines: Vec<Vec<u8>> = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let count = lines.len().max(1);
    match change {
        Change::Append(numbers) => lines.extend(numbers.iter().map(|n| line(*n).into_bytes())),
        Change::Tear(n) => lines.push(line(*n).bytes().take(20 + n).collect()),
        Change::Insert(at, n) => lines.insert(at % count, line(*n).into_bytes()),
        Change::Edit(at) => {
            // The length stays.
            for byte in lines.get_mut(at % count).into_iter().flatten().filter(|byte| **byte == b'p') {
                *byte = b'q';
            }
        }
        Change::Truncate(at) => lines.truncate(at % count),
        Change::Swap(a, b) if lines.len() > 1 => lines.swap(a % count, b % count),
        Change::Swap(..) => {}
        Change::Replace(numbers) => {
            fs::remove_file(path).ok();
            lines = numbers.iter().map(|n| line(*n).into_bytes()).collect();
        }
        Change::Remove => {
            fs::remove_file(path).ok();
            return;
        }
        Change::Junk(n) => lines.push(
            [&b"42\n"[..], b"<<<<<<< ours\n", b"\xff\0\n", b"\n", b"{\"v\":2,\"kind\":\"message\"}\n", b"[]"][n % 6]
                .to_vec(),
        ),
    }
    fs::write(path, lines.concat()).unwrap();
}

fn logs(dir: &Path) -> Vec<PathBuf> {
    let all = ["topic-t.jsonl", "topic-u.jsonl"].map(|name| dir.join(name));
    all.into_iter().filter(|path| path.exists()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn an_index_gives_the_answer_of_a_scan_after_any_change_of_the_logs(
        changes in proptest::collection::vec((change(), 0usize..22, 0usize..4, 1usize..6), 1..14),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let index = Index::at(&dir.path().join("index.talk"));
        for ((second, change), query, filter, count) in changes {
            apply(&dir.path().join(if second { "topic-u.jsonl" } else { "topic-t.jsonl" }), &change);
            let all = logs(dir.path());
            let mut query = Query::parse(QUERIES[query]);
            let mut wanted = all.clone();
            match filter {
                1 => query.from = Some("agent-1".into()),
                2 => query.since = Some(Time(1_795_219_200_000)),
                3 => {
                    query.topic = Some("t".into());
                    wanted = vec![dir.path().join("topic-t.jsonl")];
                }
                _ => {}
            }
            let last = |found: review_gate::talk::log::Messages| -> (Skipped, Vec<Message>) {
                let skipped = found.skipped;
                let all = found.into_sorted();
                (skipped, all[all.len().saturating_sub(count)..].to_vec())
            };
            let found = index.search(&all, &wanted, &query, count);
            prop_assert!(found.is_some(), "the index was not used");
            prop_assert_eq!(last(found.unwrap()), last(search::scan(&wanted, &query).unwrap()));
        }
    }
}

/// A talk that is large enough for an index.
fn talk() -> Scratch {
    let scratch = Scratch::repo();
    for topic in ["a", "b"] {
        scratch.ok(&format!("rg-msg post {topic} -m 'the first needle'"));
        let path = log(&scratch, topic);
        let text = fs::read_to_string(&path).unwrap();
        let id = &text[7..33];
        let lines = (0..1500).map(|n| {
            let body = if n % 100 == 7 { "a needle of {topic}" } else { "hay, and more hay: \\u00e9 and so on" };
            text.replace(id, &format!("{}{n:05}{topic}", &id[..20]).to_uppercase()).replace("the first needle", body)
        });
        let lines: String = lines.collect();
        fs::write(&path, text.clone() + &lines).unwrap();
    }
    scratch
}

fn log(scratch: &Scratch, topic: &str) -> PathBuf {
    scratch.work().join(format!(".review-gate/topic-{topic}.jsonl"))
}

fn files(scratch: &Scratch, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(scratch.state().join("cache")).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|found| found == end)).collect()
}

fn database(scratch: &Scratch) -> PathBuf {
    let found = files(scratch, "talk");
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

/// The answers to some searches, all without a warning.
fn answers(scratch: &Scratch) -> String {
    let mut out = String::new();
    for args in [&["needle"][..], &["hay", "--topic", "b"], &["need*", "--all"], &["--from", "tester", "more hay"]] {
        let said = scratch.run("rg-msg", &[&["search", "--json"], args].concat(), b"");
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{args:?}");
        assert!(!said.out.is_empty(), "{args:?}");
        out.push_str(&said.out);
    }
    out
}

/// The answers without an index: there is no place for it.
fn scanned(scratch: &mut Scratch) -> String {
    let state = scratch.env["RG_STATE"].clone();
    scratch.set("RG_STATE", "/dev/null/state");
    let found = answers(scratch);
    scratch.set("RG_STATE", &state);
    found
}

/// Waits until a write changes the times of a file.
fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(30));
}

#[test]
fn a_deleted_damaged_or_foreign_index_is_made_anew_in_silence() {
    let mut scratch = talk();
    let wanted = scanned(&mut scratch);
    assert_eq!(answers(&scratch), wanted);
    let database = database(&scratch);
    let good = fs::read(&database).unwrap();
    assert!(good.starts_with(b"SQLite format 3\0"));
    let mut zeros = good.clone();
    zeros[8192..40_000].fill(0);
    let mut newer = good.clone();
    newer[60..64].copy_from_slice(&9u32.to_be_bytes());
    for bytes in [b"".to_vec(), b"no database".to_vec(), good[..20_000].to_vec(), zeros, newer] {
        settle();
        fs::write(&database, &bytes).unwrap();
        assert_eq!(answers(&scratch), wanted);
        assert!(fs::read(&database).unwrap().len() > good.len() / 2, "it is not made anew");
    }
    for end in ["talk", "talk-stamp", "talk-lock"] {
        let path = files(&scratch, end).remove(0);
        fs::remove_file(&path).unwrap();
        assert_eq!(answers(&scratch), wanted, "{end}");
        assert!(path.exists(), "{end}");
    }
    fs::remove_dir_all(scratch.state().join("cache")).unwrap();
    assert_eq!(answers(&scratch), wanted);
    // Something else in its place.
    fs::remove_file(&database).unwrap();
    fs::create_dir(&database).unwrap();
    assert_eq!(answers(&scratch), wanted);
}

#[test]
fn an_index_of_another_form_is_made_anew() {
    let mut scratch = talk();
    let wanted = scanned(&mut scratch);
    answers(&scratch);
    let database = database(&scratch);
    let form = |path: &Path| u32::from_be_bytes(fs::read(path).unwrap()[60..64].try_into().unwrap());
    let ours = form(&database);
    let mut bytes = fs::read(&database).unwrap();
    bytes[60..64].copy_from_slice(&(ours + 1).to_be_bytes());
    settle();
    fs::write(&database, bytes).unwrap();
    // Even if it has a stamp: a later release wrote it.
    let meta = fs::metadata(&database).unwrap();
    fs::write(files(&scratch, "talk-stamp").remove(0), review_gate::talk::index_log::version(&meta)).unwrap();
    assert_eq!(answers(&scratch), wanted);
    assert_eq!(form(&database), ours);
}

#[test]
fn a_search_without_a_place_for_the_index_reads_the_logs() {
    let mut scratch = talk();
    let wanted = scanned(&mut scratch);
    answers(&scratch);
    // Another process holds the index.
    let lock = fs::OpenOptions::new().append(true).open(files(&scratch, "talk-lock").remove(0)).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert_eq!(answers(&scratch), wanted);
    drop(lock);
    fs::remove_dir_all(scratch.state().join("cache")).unwrap();
    // With the signal ignored, a write past the limit fails as one to a full disk does.
    let full = scratch
        .sh("trap '' XFSZ; ulimit -f 16; rg-msg search --json needle; exec rg-msg search --json --all 'need*'", b"");
    assert_eq!((full.status, full.err.as_str()), (0, ""));
    assert_eq!(full.out.lines().count(), 20 + 32);
    assert!(files(&scratch, "talk").is_empty() && files(&scratch, "talk-new").is_empty());
    assert_eq!(answers(&scratch), wanted);
}

#[test]
fn a_killed_search_harms_no_later_one() {
    let mut scratch = talk();
    let wanted = scanned(&mut scratch);
    let run = |delay: &str| scratch.sh(&format!("timeout -s KILL {delay} rg-msg search needle >/dev/null"), b"");
    for delay in ["0.002", "0.005", "0.01", "0.02", "0.05"] {
        run(delay);
        assert_eq!(answers(&scratch), wanted, "{delay}");
        let text = fs::read_to_string(log(&scratch, "a")).unwrap();
        fs::write(log(&scratch, "a"), text).unwrap();
    }
}

fn search_all(scratch: &Scratch, word: &str) -> Said {
    let said = scratch.run("rg-msg", &["search", "--all", "--quiet", word], b"");
    assert_eq!(said.status, 0, "{said:?}");
    said
}

#[test]
fn what_is_written_between_two_searches_is_found() {
    let scratch = talk();
    assert_eq!(search_all(&scratch, "needle").out.lines().count(), 32);
    let database = database(&scratch);
    let before = fs::read(&database).unwrap();
    settle();
    // A post leaves the index alone.
    let id = scratch.ok("rg-msg post a -m 'one more needle'").out;
    scratch.ok("rg-msg post c -m 'a needle in a new topic'");
    assert_eq!(fs::read(&database).unwrap(), before);
    let found = search_all(&scratch, "needle").out;
    assert!(found.lines().count() == 34 && found.contains(&id), "{found}");
    // An edit of the same length, and with the same time of change.
    settle();
    search_all(&scratch, "needle");
    let path = log(&scratch, "b");
    let text = fs::read_to_string(&path).unwrap();
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, text.replacen("needle", "noodle", 1)).unwrap();
    fs::OpenOptions::new().append(true).open(&path).unwrap().set_modified(time).unwrap();
    assert_eq!(search_all(&scratch, "needle").out.lines().count(), 33);
    assert_eq!(search_all(&scratch, "noodle").out.lines().count(), 1);
}

#[test]
fn a_small_talk_has_no_index() {
    let scratch = Scratch::repo();
    scratch.ok("rg-msg post t -m x && rg-msg search x");
    assert!(!scratch.state().join("cache").exists());
}

#[test]
fn only_programs_that_search_carry_sqlite() {
    let has = |tool: &str| {
        let bytes = fs::read(bin_dir().join(tool)).unwrap();
        memchr::memmem::find(&bytes, b"CREATE VIRTUAL TABLE").is_some()
            && memchr::memmem::find(&bytes, b"SQLite format 3").is_some()
    };
    let carrying: Vec<String> = crate::tidy::tools().into_iter().filter(|tool| has(tool)).collect();
    assert!(carrying.iter().all(|tool| ["rg-msg", "rg-issue"].contains(&tool.as_str())), "{carrying:?}");
    assert!(carrying.contains(&"rg-msg".to_string()));
}
