//! Laws of rg-issue: one holder at a time, every change survives a merge, and whatever the file holds can be read.

use crate::scratch::{Said, Scratch};
use serde_json::{Value, json};
use std::fs;

fn issue(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-issue", args, b"")
}

/// Makes an issue and returns its id.
fn new(scratch: &Scratch, args: &[&str]) -> String {
    let said = issue(scratch, &[&["new"], args].concat());
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{said:?}");
    said.out.trim_end().to_string()
}

fn yes(scratch: &Scratch, args: &[&str]) -> Said {
    let said = issue(scratch, args);
    assert_eq!(said.status, 0, "{args:?}: {said:?}");
    said
}

fn no(scratch: &Scratch, args: &[&str], why: &str) {
    let said = issue(scratch, args);
    assert!(said.status == 1 && said.err.contains(why) && said.out.is_empty(), "{args:?}: {said:?}");
}

fn show(scratch: &Scratch, id: &str) -> Value {
    serde_json::from_str(&yes(scratch, &["show", id, "--json"]).out).unwrap()
}

fn ids(scratch: &Scratch, args: &[&str]) -> Vec<String> {
    yes(scratch, &[args, &["--quiet"]].concat()).out.lines().map(str::to_string).collect()
}

fn file(scratch: &Scratch) -> std::path::PathBuf {
    scratch.work().join(".review-gate/issues.jsonl")
}

/// The file of issues as it is after the other clone's changes were merged into it, with the lines of both sides.
fn merged(base: &str, ours: &str, theirs: &str) -> String {
    let added = |text: &str| text.strip_prefix(base).unwrap().to_string();
    format!("{base}{}{}", added(ours), added(theirs))
}

/// Does something in another clone: returns the file as that clone has it, and puts ours back.
fn elsewhere(scratch: &Scratch, act: impl FnOnce(&Scratch)) -> String {
    let before = fs::read_to_string(file(scratch)).unwrap();
    act(scratch);
    let after = fs::read_to_string(file(scratch)).unwrap();
    fs::write(file(scratch), before).unwrap();
    after
}

#[test]
fn of_64_agents_that_claim_one_issue_one_wins() {
    let scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    let line = format!("for n in $(seq 64); do rg-issue claim {id} --as agent$n --quiet & done; wait");
    let said = scratch.sh(&line, b"");
    assert_eq!(said.out, format!("{id}\n"), "{said:?}");
    assert_eq!(said.err.lines().filter(|line| line.contains("is claimed: agent")).count(), 63, "{said:?}");
    assert_eq!(show(&scratch, &id)["claim"]["fence"], json!(1));
}

#[test]
fn agents_that_claim_what_is_ready_get_different_issues() {
    let scratch = Scratch::repo();
    let line = "for n in $(seq 12); do rg-issue new i$n --quiet & done; wait; \
                for n in $(seq 12); do rg-issue claim --as agent$n --quiet & done; wait";
    let said = scratch.sh(line, b"");
    let claimed: std::collections::BTreeSet<&str> = said.out.lines().skip(12).collect();
    assert_eq!((claimed.len(), said.err.as_str()), (12, ""), "{said:?}");
    no(&scratch, &["claim"], "no issue is ready");
}

#[test]
fn all_of_64_writers_to_a_store_that_does_not_exist_are_stored() {
    let scratch = Scratch::repo();
    let said = scratch.ok("for n in $(seq 64); do rg-issue new \"issue $n\" & done; wait");
    assert_eq!((said.out.lines().count(), said.err.as_str()), (64, ""));
    assert_eq!(ids(&scratch, &["list"]).len(), 64);
}

#[test]
fn across_two_clones_all_name_the_same_winner_and_the_other_cannot_close() {
    let mut scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    let base = fs::read_to_string(file(&scratch)).unwrap();
    scratch.later(10.0);
    let theirs = {
        scratch.later(10.0);
        elsewhere(&scratch, |clone| {
            yes(clone, &["claim", &id, "--as", "bob"]);
            yes(clone, &["comment", &id, "--as", "bob", "-m", "mine"]);
            yes(clone, &["status", &id, "closed", "--as", "bob"]);
        })
    };
    scratch.set("RG_NOW", "2026-11-21T12:00:05Z");
    let ours = elsewhere(&scratch, |clone| drop(yes(clone, &["claim", &id, "--as", "ada"])));
    scratch.set("RG_NOW", "2026-11-21T12:01:00Z");
    let mut seen = Vec::new();
    for text in [merged(&base, &ours, &theirs), merged(&base, &theirs, &ours)] {
        fs::write(file(&scratch), text).unwrap();
        let found = show(&scratch, &id);
        assert_eq!(found["claim"]["by"]["from"], json!("ada"), "{found}");
        assert_eq!((&found["status"], &found["void"]), (&json!("in_progress"), &json!(2)));
        assert_eq!(found["comments"][0]["text"], json!("mine"), "nothing of the loser is lost");
        no(&scratch, &["status", &id, "closed", "--as", "bob"], "is claimed: ada");
        seen.push(found);
    }
    assert_eq!(seen[0], seen[1]);
    yes(&scratch, &["status", &id, "closed", "--as", "ada", "--commit", "c0ffee"]);
    assert_eq!(show(&scratch, &id)["commit"], json!("c0ffee"));
}

#[test]
fn a_lease_that_ran_out_cannot_close() {
    let mut scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    yes(&scratch, &["claim", &id, "--as", "ada", "--for", "10m"]);
    assert!(ids(&scratch, &["ready"]).is_empty());
    scratch.later(601.0);
    assert_eq!(ids(&scratch, &["ready"]), [id.as_str()], "the work is there again");
    no(&scratch, &["status", &id, "closed", "--as", "ada"], "your claim of");
    no(&scratch, &["status", &id, "closed", "--as", "ada", "--fence", "1"], "does not hold any more");
    yes(&scratch, &["claim", &id, "--as", "bob"]);
    no(&scratch, &["status", &id, "closed", "--as", "ada"], "is claimed: bob");
    no(&scratch, &["status", &id, "closed", "--as", "bob", "--fence", "1"], "claim 1 of");
    yes(&scratch, &["status", &id, "closed", "--as", "bob", "--fence", "2"]);
}

#[test]
fn a_close_under_a_lease_that_ran_out_has_no_effect_in_any_clone() {
    let scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    yes(&scratch, &["claim", &id, "--as", "ada", "--for", "10m"]);
    let text = fs::read_to_string(file(&scratch)).unwrap();
    let claim: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    // Another clone, or an edited client, wrote it without asking.
    let late = json!({"id": "01M7Z00000000000000000000Z", "v": 1, "kind": "change", "at": "2026-11-21T12:30:00.000Z",
        "issue": id, "by": {"from": "ada"}, "set": {"status": "closed", "under": claim["id"]}});
    fs::write(file(&scratch), format!("{text}{late}\n")).unwrap();
    let found = show(&scratch, &id);
    assert_eq!((&found["status"], &found["void"]), (&json!("in_progress"), &json!(1)), "{found}");
}

#[test]
fn a_holder_extends_a_claim_and_only_the_holder_ends_it() {
    let mut scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    yes(&scratch, &["claim", &id, "--as", "ada", "--for", "10m"]);
    scratch.later(500.0);
    yes(&scratch, &["claim", &id, "--as", "ada", "--for", "10m"]);
    scratch.later(500.0);
    let found = show(&scratch, &id);
    assert_eq!((&found["claim"]["holds"], &found["claim"]["fence"]), (&json!(true), &json!(1)), "{found}");
    no(&scratch, &["release", &id, "--as", "bob"], "is claimed: ada");
    yes(&scratch, &["release", &id, "--as", "ada"]);
    no(&scratch, &["release", &id, "--as", "ada"], "is not claimed");
    assert_eq!(show(&scratch, &id)["status"], json!("open"));
    yes(&scratch, &["claim", &id, "--as", "ada"]);
    yes(&scratch, &["release", &id, "--as", "bob", "--force"]);
    assert_eq!(show(&scratch, &id)["claim"], json!(null));
}

#[test]
fn changes_of_different_fields_in_two_clones_both_survive() {
    let mut scratch = Scratch::repo();
    let id = new(&scratch, &["one", "--tag", "old"]);
    let base = fs::read_to_string(file(&scratch)).unwrap();
    scratch.later(1.0);
    let ours = elsewhere(&scratch, |clone| {
        yes(clone, &["edit", &id, "--title", "renamed"]);
        yes(clone, &["tag", &id, "ours"]);
    });
    scratch.later(1.0);
    let theirs = elsewhere(&scratch, |clone| {
        yes(clone, &["edit", &id, "--priority", "5"]);
        yes(clone, &["tag", &id, "theirs"]);
        yes(clone, &["tag", &id, "--remove", "old"]);
    });
    fs::write(file(&scratch), merged(&base, &theirs, &ours)).unwrap();
    let found = show(&scratch, &id);
    assert_eq!(
        (&found["title"], &found["priority"], &found["tags"]),
        (&json!("renamed"), &json!(5), &json!(["ours", "theirs"]))
    );
}

#[test]
fn ready_is_open_unclaimed_and_unblocked_by_priority_and_age() {
    let mut scratch = Scratch::repo();
    let mut make = |title: &str, priority: &str| {
        scratch.later(1.0);
        new(&scratch, &[title, "--priority", priority])
    };
    let (late, old, young, blocked) = (make("late", "3"), make("old", "1"), make("young", "1"), make("blocked", "1"));
    let paused = make("paused", "1");
    yes(&scratch, &["status", &paused, "paused"]);
    yes(&scratch, &["dep", &late, "blocks", &blocked]);
    assert_eq!(ids(&scratch, &["ready"]), [old.as_str(), &young, &late]);
    assert_eq!(ids(&scratch, &["ready", "--limit", "1"]), [old.as_str()]);
    no(&scratch, &["claim", &blocked], &format!("is blocked by {late}"));
    yes(&scratch, &["status", &late, "closed"]);
    assert_eq!(ids(&scratch, &["ready"]), [old.as_str(), &young, &blocked]);
    yes(&scratch, &["dep", &old, "blocks", &blocked]);
    yes(&scratch, &["dep", &old, "blocks", &blocked, "--remove"]);
    assert_eq!(ids(&scratch, &["ready"]).len(), 3);
}

#[test]
fn a_circle_is_refused_and_named() {
    let scratch = Scratch::repo();
    let made: Vec<String> = ["a", "b", "c"].iter().map(|title| new(&scratch, &[title])).collect();
    let [a, b, c] = &made[..] else { panic!() };
    for relation in ["blocks", "parent"] {
        yes(&scratch, &["dep", a, relation, b]);
        yes(&scratch, &["dep", b, relation, c]);
        no(&scratch, &["dep", c, relation, a], &format!("a circle: {c} -> {a} -> {b} -> {c}"));
    }
    no(&scratch, &["dep", a, "blocks", a], "no relation to itself");
    // It has no direction.
    yes(&scratch, &["dep", a, "relates", b]);
    yes(&scratch, &["dep", b, "relates", a]);
    let said = issue(&scratch, &["dep", a, "eats", b]);
    assert!(said.status == 100 && said.err.contains("blocks, relates, parent"), "{said:?}");
}

#[test]
fn a_circle_that_a_merge_makes_blocks_both_and_hangs_nobody() {
    let scratch = Scratch::repo();
    let (a, b) = (new(&scratch, &["a"]), new(&scratch, &["b"]));
    let base = fs::read_to_string(file(&scratch)).unwrap();
    let ours = elsewhere(&scratch, |clone| drop(yes(clone, &["dep", &a, "blocks", &b])));
    let theirs = elsewhere(&scratch, |clone| drop(yes(clone, &["dep", &b, "blocks", &a])));
    fs::write(file(&scratch), merged(&base, &ours, &theirs)).unwrap();
    assert!(ids(&scratch, &["ready"]).is_empty());
    assert!(yes(&scratch, &["show", &a]).out.contains("is blocked by"));
    yes(&scratch, &["dep", &b, "blocks", &a, "--remove"]);
    assert_eq!(ids(&scratch, &["ready"]), [a]);
}

#[test]
fn a_killed_writer_loses_only_its_own_change() {
    let mut scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    for args in [&["new", "killed"][..], &["claim", &id], &["comment", &id, "-m", "killed"]] {
        scratch.set("RG_CRASH", "1");
        let said = issue(&scratch, args);
        assert!(said.status != 0 && said.out.is_empty(), "{said:?}");
        scratch.env.remove("RG_CRASH");
        let found = show(&scratch, &id);
        assert_eq!((&found["claim"], found["comments"].as_array().unwrap().len()), (&json!(null), 0));
        assert_eq!(ids(&scratch, &["list"]), [id.as_str()]);
    }
    yes(&scratch, &["claim", &id]);
}

#[test]
fn a_full_disk_leaves_the_file_unchanged() {
    let scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    let before = fs::read(file(&scratch)).unwrap();
    let said = scratch.sh(&format!("ulimit -f 16; rg-issue comment {id}"), "x".repeat(100_000).as_bytes());
    assert!(said.status == 111 && said.err.contains("unable to write"), "{said:?}");
    assert_eq!(fs::read(file(&scratch)).unwrap(), before);
}

#[test]
fn lines_that_are_no_changes_are_skipped_and_counted() {
    let scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    let one = fs::read(file(&scratch)).unwrap();
    let mut bytes = b"42\n<<<<<<< HEAD\n\0\0\n\xff\xfe\n{\"id\":\"01\n\n[]\n".to_vec();
    bytes.extend_from_slice(&one);
    bytes.extend_from_slice(b"=======\r\n{\"v\":2,\"kind\":\"change\",\"id\":7}\n");
    bytes.extend_from_slice(&one);
    bytes.extend_from_slice(
        String::from_utf8(one).unwrap().replace("{\"title\":\"one\"}", "{\"priority\":9}").as_bytes(),
    );
    fs::write(file(&scratch), &bytes).unwrap();
    for verb in [&["list"][..], &["ready"], &["show", &id], &["search", "one"], &["deps", &id]] {
        let said = yes(&scratch, verb);
        let wanted = "rg-issue: warning: skipped 8 lines that cannot be read; skipped 1 record of a later release\n";
        assert_eq!(said.err, wanted, "{verb:?}");
        assert_eq!(yes(&scratch, &[verb, &["--quiet"]].concat()).err, "");
    }
    assert_eq!(ids(&scratch, &["list"]), [id]);
}

#[test]
fn an_id_is_accepted_by_its_beginning_or_its_last_characters() {
    let scratch = Scratch::repo();
    let (one, two) = (new(&scratch, &["one"]), new(&scratch, &["two"]));
    for word in [&one[..], &one.to_lowercase(), &one[20..], &one[22..]] {
        assert!(yes(&scratch, &["show", word]).out.contains(" one\n"), "{word}");
    }
    let said = issue(&scratch, &["show", "01"]);
    assert!(said.status == 100 && said.err.contains(&one) && said.err.contains(&two), "{said:?}");
    for word in ["ZZZZ", "", &one[23..], "../..", "\n"] {
        let said = issue(&scratch, &["show", word]);
        assert!(said.status == 100 && said.err.lines().count() == 1, "{word:?}: {said:?}");
    }
}

#[test]
fn a_change_by_a_clock_that_was_ahead_can_be_changed_again() {
    let mut scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    scratch.set("RG_NOW", "2036-11-21T12:00:00.000Z");
    yes(&scratch, &["edit", &id, "--title", "from the future"]);
    scratch.set("RG_NOW", crate::scratch::NOW);
    yes(&scratch, &["edit", &id, "--title", "now"]);
    assert_eq!(show(&scratch, &id)["title"], json!("now"));
    assert!(new(&scratch, &["two"]).starts_with("01M"), "other issues keep their clock");
}

#[test]
fn issues_that_ended_long_ago_are_set_aside_and_lost_nowhere() {
    let mut scratch = Scratch::repo();
    let (one, two) = (new(&scratch, &["one", "-m", "the first"]), new(&scratch, &["two"]));
    yes(&scratch, &["comment", &one, "-m", "said"]);
    yes(&scratch, &["status", &one, "closed"]);
    scratch.later(40.0 * 86_400.0);
    let before = show(&scratch, &one);
    assert!(yes(&scratch, &["clean", "--dry-run"]).out.starts_with("would set aside 1 issue"));
    assert_eq!(ids(&scratch, &["clean"]), [one.as_str()]);
    assert!(!fs::read_to_string(file(&scratch)).unwrap().contains(&one));
    assert_eq!(show(&scratch, &one), before);
    assert_eq!(ids(&scratch, &["list"]), [two.as_str()]);
    assert_eq!(ids(&scratch, &["list", "--all"]).len(), 2);
    assert_eq!(ids(&scratch, &["search", "first"]), [one.as_str()]);
    assert!(ids(&scratch, &["clean"]).is_empty());
    // It comes back whole with its next change.
    yes(&scratch, &["status", &one, "open"]);
    assert_eq!(ids(&scratch, &["list"]).len(), 2);
    assert_eq!(show(&scratch, &one)["comments"], before["comments"]);
}

#[test]
fn wrong_words_are_told_and_change_nothing() {
    let scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    let before = fs::read(file(&scratch)).unwrap();
    for (args, why) in [
        (&["new"][..], "no title"),
        (&["new", "  "], "the title is empty"),
        (&["new", "a\nb"], "several lines"),
        (&["new", "a", "--priority", "6"], "from 1 to 5"),
        (&["new", "a", "--tag", ""], "a tag is empty"),
        (&["status", &id, "done"], "use one of open, in_progress"),
        (&["status", &id, "open", "--commit", "x"], "--commit is for an issue that ends"),
        (&["edit", &id], "nothing to change"),
        (&["claim", &id, "--for", "soon"], "is not a duration"),
        (&["tag", &id], "no tag"),
        (&["comment", &id, "-m", ""], "the message is empty"),
        (&["comment", "ZZZZZ", "-m", "x"], "no issue has the id"),
        (&["import", "missing.jsonl"], "no such file"),
        (&["import", "."], "has no issues.jsonl"),
        (&["list", "extra"], "unexpected operand"),
    ] {
        let said = issue(&scratch, args);
        assert!(said.status == 100 && said.err.contains(why), "{args:?}: {said:?}");
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
    }
    assert_eq!(fs::read(file(&scratch)).unwrap(), before);
}

#[test]
fn a_brief_is_bounded_and_says_where_the_rest_is() {
    let scratch = Scratch::repo();
    let id = new(&scratch, &["one", "-m", &"long line \u{1f980}\n".repeat(2000)]);
    (0..9).for_each(|n| drop(yes(&scratch, &["comment", &id, "-m", &format!("comment {n}")])));
    let said = yes(&scratch, &["brief", &id]);
    assert!(
        said.out.len() < 4300 && said.out.ends_with(&format!("The rest: rg-issue show {id}\n")),
        "{}",
        said.out.len()
    );
    yes(&scratch, &["edit", &id, "-m", "short"]);
    let said = yes(&scratch, &["brief", &id]);
    assert!(said.out.contains("4 earlier comments not shown") && !said.out.contains("comment 3"), "{said:?}");
}

#[test]
fn changes_fit_their_schema_and_the_manual_names_each_field() {
    let mut scratch = Scratch::repo();
    scratch.set("CLAUDE_CODE_SESSION_ID", "s1");
    let id = new(&scratch, &["one", "--tag", "t", "--priority", "3", "-m", "text"]);
    let other = new(&scratch, &["two"]);
    yes(&scratch, &["dep", &id, "blocks", &other]);
    yes(&scratch, &["dep", &id, "blocks", &other, "--remove"]);
    yes(&scratch, &["tag", &id, "t", "--remove"]);
    yes(&scratch, &["comment", &id, "-m", "said"]);
    yes(&scratch, &["claim", &id]);
    yes(&scratch, &["release", &id, "--force"]);
    yes(&scratch, &["claim", &id]);
    yes(&scratch, &["status", &id, "closed", "--commit", "c0ffee"]);
    scratch.sh("rg-issue import - ", b"{\"id\":\"bd-1\",\"title\":\"t\",\"created_at\":\"2026-01-01T00:00:00Z\"}");
    let checkout = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_str(&fs::read_to_string(checkout.join("schema/issue.json")).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for line in fs::read_to_string(file(&scratch)).unwrap().lines() {
        let change: Value = serde_json::from_str(line).unwrap();
        assert!(validator.is_valid(&change), "{change}");
        seen.extend(change["set"].as_object().unwrap().keys().cloned());
    }
    let names = |schema: &Value| -> Vec<String> { schema["properties"].as_object().unwrap().keys().cloned().collect() };
    let set = &schema["properties"]["set"];
    assert_eq!(
        seen.iter().collect::<std::collections::BTreeSet<_>>(),
        names(set).iter().collect(),
        "each field was written"
    );
    let manual = fs::read_to_string(checkout.join("man/rg-issue.1")).unwrap();
    let words: Vec<&str> = manual.split_whitespace().collect();
    for field in names(&schema).iter().chain(&names(set)) {
        assert!(words.contains(&field.as_str()), "{field}");
    }
    assert!(!validator.is_valid(&json!({"id": id, "v": 1, "kind": "change", "set": {}})));
}

#[test]
fn a_text_of_any_size_and_kind_is_stored_as_it_came() {
    let scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    for text in ["x", "  two\r\nlines\n\n", "\u{0}\u{1b}[2J", "--as", "<<<<<<< HEAD\n42\n=======", "\u{1f980} \\n \""] {
        scratch.write("text", text);
        let said = scratch.run("rg-issue", &["comment", &id, "--quiet"], text.as_bytes());
        assert_eq!(said.status, 0, "{said:?}");
        yes(&scratch, &["edit", &id, "--file", "text", "--quiet"]);
        let found = show(&scratch, &id);
        let last = found["comments"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap();
        assert!(last == text && found["body"].as_str() == Some(text), "{text:?}");
        let dashed = scratch.run("rg-issue", &["new", "dashed", "--file", "-"], text.as_bytes());
        assert!(show(&scratch, dashed.out.trim_end())["body"].as_str() == Some(text), "{text:?}");
    }
    // The largest one.
    let large = "ab\n\0\"\\cd".repeat((16 << 20) / 8);
    assert_eq!(large.len(), 16 << 20);
    let made = scratch.run("rg-issue", &["new", "large", "--file", "-"], large.as_bytes());
    let said = scratch.run("rg-issue", &["show", made.out.trim_end(), "--json"], b"");
    assert!(said.json()["body"].as_str() == Some(&large));
    yes(&scratch, &["edit", made.out.trim_end(), "-m", "", "--quiet"]);
    for (text, why) in [(&b"\xff"[..], "not UTF-8"), (b"", "empty"), (&vec![b'x'; (16 << 20) + 1], "exceeds 16 MiB")] {
        let said = scratch.run("rg-issue", &["comment", &id], text);
        assert!(said.status == 100 && said.err.contains(why) && said.err.lines().count() == 1, "{said:?}");
    }
    assert!(!yes(&scratch, &["list"]).out.contains(['\0', '\u{1b}']));
}

#[test]
fn no_search_is_an_error() {
    let scratch = Scratch::repo();
    let id = new(&scratch, &["the parser drops \"quotes\"", "-m", "foo-bar AND baz", "--tag", "p/q"]);
    for words in
        [&["\"parser drops\""][..], &["pars*"], &["foo-bar"], &["AND"], &["p/q"], &["PARSER", "baz"], &["\"quotes"]]
    {
        assert_eq!(ids(&scratch, &[&["search"], words].concat()), [id.as_str()], "{words:?}");
    }
    for words in [
        &["--", "--"][..],
        &["***"],
        &["\""],
        &["("],
        &[")", "("],
        &["'"],
        &["NEAR/3"],
        &["\u{0}"],
        &["col:x"],
        &[""],
        &["^"],
    ] {
        if words != ["\u{0}"] {
            assert!(ids(&scratch, &[&["search"], words].concat()).is_empty(), "{words:?}");
        }
    }
}

#[test]
fn an_export_holds_every_issue_as_json_and_as_markdown() {
    let scratch = Scratch::repo();
    let one = new(&scratch, &["one `with` a tick", "-m", "text\n# no heading\n", "--tag", "bug", "--priority", "1"]);
    let two = new(&scratch, &["two"]);
    yes(&scratch, &["dep", &one, "blocks", &two]);
    yes(&scratch, &["comment", &one, "--as", "x`y", "-m", "said\n\n> this"]);
    yes(&scratch, &["status", &one, "closed", "--commit", "c0ffee"]);
    let lines = yes(&scratch, &["export", "--json"]).out;
    let all: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(all, [show(&scratch, &one), show(&scratch, &two)]);
    assert_eq!(ids(&scratch, &["export"]), [one.as_str(), two.as_str()]);
    let at = crate::scratch::NOW;
    let wanted = format!(
        "# ``one `with` a tick``\n\n`{one}` `closed`, priority 1, `bug`\n\nMade {at} by `tester`, changed {at}\n\nClosed with commit `c0ffee`\n\n\
         * blocks `{two}` `two`\n\n> text\n> # no heading\n\n## {at} ``x`y``\n\n> said\n>\n> > this\n\n\
         # `two`\n\n`{two}` `open`, priority 2\n\nMade {at} by `tester`, changed {at}\n\n"
    );
    assert_eq!(yes(&scratch, &["export"]).out, wanted);
}

#[test]
fn a_search_without_a_word_prints_every_issue_and_a_duration_needs_a_unit() {
    let scratch = Scratch::repo();
    let id = new(&scratch, &["one"]);
    assert_eq!(ids(&scratch, &["search"]), [id.as_str()]);
    assert_eq!(ids(&scratch, &["search", "***"]), [""; 0]);
    let said = issue(&scratch, &["claim", &id, "--for", "5"]);
    assert!(said.status == 100 && said.err.contains("--for \"5\" is not a duration such as 30m, 2h or 7d"), "{said:?}");
}
