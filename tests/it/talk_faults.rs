//! Laws of the talk where machines and people get in its way: disks, clocks, kills, merges by hand, forges, restored backups.

use crate::scratch::{Said, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// A remote and two clones of it, `a` and `b`, with an issue in both.
fn two_clones() -> (Scratch, String) {
    let scratch = Scratch::repo();
    scratch.ok("git init -q --bare ../remote.git && git remote add origin ../remote.git && git push -q origin HEAD:refs/heads/main");
    scratch.ok("for n in a b; do git clone -q ../remote.git ../$n; done");
    let id = ok(&scratch, "a", "rg-issue new one && rg-issue sync --quiet").lines().next().unwrap().to_string();
    ok(&scratch, "b", "rg-issue sync");
    (scratch, id)
}

fn at(scratch: &Scratch, clone: &str, line: &str) -> Said {
    scratch.sh(&format!("cd ../{clone} && {line}"), b"")
}

fn ok(scratch: &Scratch, clone: &str, line: &str) -> String {
    let said = at(scratch, clone, line);
    assert_eq!(said.status, 0, "{clone}: {line}: {said:?}");
    said.out
}

fn shown(scratch: &Scratch, clone: &str, id: &str) -> Value {
    serde_json::from_str(&ok(scratch, clone, &format!("rg-issue show {id} --json"))).unwrap()
}

fn file(scratch: &Scratch, name: &str) -> PathBuf {
    scratch.work().join(".review-gate").join(name)
}

/// The bodies of all messages.
fn bodies(scratch: &Scratch) -> Vec<String> {
    let said = scratch.run("rg-msg", &["read", "t", "--all", "--json"], b"");
    let body = |line: &str| serde_json::from_str::<Value>(line).unwrap()["body"].as_str().unwrap().to_string();
    said.out.lines().map(body).collect()
}

/// Two agents claim one issue, each in a clone, and one of them dies between any two steps of the claim and of the exchange.
#[test]
fn all_clones_name_one_winner_wherever_an_agent_dies_between_its_claim_and_the_exchange() {
    let mut died = 0;
    for point in 1..=10 {
        let (mut scratch, id) = two_clones();
        scratch.later(1.0);
        ok(&scratch, "a", &format!("rg-issue claim {id} --as ada"));
        scratch.later(1.0);
        scratch.set("RG_CRASH", &point.to_string());
        // The claim is one write; the exchange has several steps.
        let line = if point == 1 { format!("rg-issue claim {id} --as bob") } else { "rg-issue sync".to_string() };
        if point > 1 {
            scratch.env.remove("RG_CRASH");
            ok(&scratch, "b", &format!("rg-issue claim {id} --as bob"));
            scratch.set("RG_CRASH", &(point - 1).to_string());
        }
        died += usize::from(at(&scratch, "b", &line).status != 0);
        scratch.env.remove("RG_CRASH");
        // The other one exchanges first, and the dead one comes back.
        ["a", "b", "a"].iter().for_each(|clone| drop(ok(&scratch, clone, "rg-issue sync")));
        for clone in ["a", "b"] {
            assert_eq!(
                shown(&scratch, clone, &id)["claim"]["by"]["from"],
                json!("ada"),
                "killed at {point}, in {clone}"
            );
            let said = at(&scratch, clone, &format!("rg-issue status {id} closed --as bob"));
            assert!(said.status == 1 && said.err.contains("is claimed: ada"), "{said:?}");
        }
        ok(&scratch, "a", &format!("rg-issue status {id} closed --as ada && rg-issue sync"));
        ok(&scratch, "b", "rg-issue sync");
        assert_eq!(shown(&scratch, "b", &id)["status"], json!("closed"));
    }
    assert!(died >= 4, "{died} steps were reached");
}

/// The claim of an agent that still works runs out, and another one takes the issue in another clone.
#[test]
fn an_agent_whose_claim_ran_out_and_was_taken_cannot_close_in_any_clone() {
    let (mut scratch, id) = two_clones();
    ok(&scratch, "a", &format!("rg-issue claim {id} --as ada --for 10m && rg-issue sync"));
    scratch.later(601.0);
    ok(&scratch, "b", &format!("rg-issue sync && rg-issue claim {id} --as bob"));
    // Ada has not exchanged since, and claims again, which in her clone succeeds.
    scratch.later(1.0);
    ok(&scratch, "a", &format!("rg-issue claim {id} --as ada && rg-issue status {id} closed --as ada"));
    for clone in ["b", "a", "b"] {
        ok(&scratch, clone, "rg-issue sync");
    }
    for clone in ["a", "b"] {
        let found = shown(&scratch, clone, &id);
        assert_eq!(
            (&found["status"], &found["claim"]["by"]["from"]),
            (&json!("in_progress"), &json!("bob")),
            "{found}"
        );
        assert_eq!(found["void"], json!(2), "what she did is counted: {found}");
    }
    ok(&scratch, "b", &format!("rg-issue status {id} closed --as bob"));
}

/// The clocks of two machines differ by hours: all clones agree, and no close is lost or doubled.
#[test]
fn clones_with_different_clocks_name_the_same_holder() {
    for skew in [-3.0 * 3600.0, -90.0, 90.0, 3.0 * 3600.0, 3.0 * 86_400.0] {
        let (mut scratch, id) = two_clones();
        scratch.later(4.0 * 86_400.0);
        let right = scratch.env["RG_NOW"].clone();
        ok(&scratch, "a", &format!("rg-issue claim {id} --as ada && rg-msg post t -m 'from a'"));
        scratch.later(skew);
        at(&scratch, "b", &format!("rg-issue claim {id} --as bob; rg-msg post t -m 'from b'"));
        ok(&scratch, "b", "rg-issue sync");
        scratch.set("RG_NOW", &right);
        ["a", "b", "a"].iter().for_each(|clone| drop(ok(&scratch, clone, "rg-issue sync")));
        let (one, two) = (shown(&scratch, "a", &id), shown(&scratch, "b", &id));
        assert!(one == two && one["claim"]["by"]["from"].is_string(), "{skew}: {one} {two}");
        let read = |clone: &str| ok(&scratch, clone, "rg-msg read t --all --quiet");
        assert!(read("a") == read("b") && read("a").lines().count() == 2, "{skew}");
        // Exactly one of them can close it.
        let closes = |name: &str| at(&scratch, "a", &format!("rg-issue status {id} closed --as {name}")).status == 0;
        let holder = one["claim"]["by"]["from"].as_str().unwrap();
        let other = if holder == "ada" { "bob" } else { "ada" };
        assert!(!closes(other) && closes(holder), "{skew}: {holder}");
    }
}

#[test]
fn a_remote_that_refuses_the_reference_is_named_and_nothing_is_lost() {
    let (scratch, id) = two_clones();
    ok(&scratch, "a", &format!("rg-issue comment {id} -m kept"));
    let hook = scratch.top().join("remote.git/hooks/update");
    fs::write(&hook, "#!/bin/sh\ncase $1 in refs/heads/*) ;; *) echo 'only branches here' >&2; exit 1;; esac\n")
        .unwrap();
    scratch.ok("chmod +x ../remote.git/hooks/update && git -C ../remote.git config core.hooksPath hooks");
    let said = at(&scratch, "a", "rg-issue sync");
    assert!(said.status == 111 && said.err.contains("only branches here") && said.err.lines().count() <= 4, "{said:?}");
    assert!(said.out.is_empty());
    assert_eq!(shown(&scratch, "a", &id)["comments"][0]["text"], json!("kept"));
    fs::remove_file(hook).unwrap();
    ok(&scratch, "a", "rg-issue sync");
    ok(&scratch, "b", "rg-issue sync");
    assert_eq!(shown(&scratch, "b", &id)["comments"][0]["text"], json!("kept"));
}

/// The talk is committed, merged with conflict markers that nobody removes, and squashed as forges do.
#[test]
fn merges_by_hand_and_squashed_ones_lose_no_line() {
    let scratch = Scratch::repo();
    let post = |text: &str| scratch.ok(&format!("rg-msg post t -m '{text}' && rg-issue new '{text}'"));
    post("base");
    scratch.ok("git add -A && git commit -qm talk && git branch other");
    post("ours");
    scratch.ok("git commit -qam ours && git switch -q other");
    post("theirs");
    scratch.ok("git commit -qam theirs && git switch -q main");
    // Without the merge settings of `init` git leaves conflict markers. They are committed as they are.
    let said = scratch.sh("git merge -q other; git add -A && git commit -qm merged", b"");
    assert!(fs::read_to_string(file(&scratch, "topic-t.jsonl")).unwrap().contains("<<<<<<<"), "{said:?}");
    let all = |scratch: &Scratch| {
        let mut found = bodies(scratch);
        found.sort();
        (found, scratch.ok("rg-issue list --quiet").out.lines().count())
    };
    assert_eq!(all(&scratch), (["base", "ours", "theirs"].map(String::from).to_vec(), 3));
    let said = scratch.run("rg-issue", &["list"], b"");
    assert_eq!(said.err, "rg-issue: warning: skipped 3 lines that cannot be read\n");
    // The next changes of both files are whole lines.
    post("after");
    assert_eq!(all(&scratch).1, 4);
    // A forge squashes a branch whose base it has merged meanwhile, and this clone merges the result.
    scratch.ok("rg-msg init && git add -A && git commit -qm init && git switch -qc work");
    post("on a branch");
    scratch.ok("git commit -qam one");
    post("twice");
    scratch.ok("git commit -qam two && git switch -q main && git merge -q --squash work && git commit -qm squashed");
    post("on main");
    scratch.ok("git commit -qam more && git switch -q work && git merge -q --no-edit main");
    let (found, issues) = all(&scratch);
    assert_eq!((found.len(), issues), (7, 7), "{found:?}");
    assert!(!fs::read_to_string(file(&scratch, "topic-t.jsonl")).unwrap().contains("<<<<<<< HEAD\n{\"id\":\"on main"));
}

/// What rg-guard advises before `git clean` keeps the messages, and an older backup takes no newer message away.
#[test]
fn a_backup_holds_the_talk_and_a_restore_adds_only_what_is_missing() {
    let scratch = Scratch::repo();
    scratch.ok("rg-msg post t -m first && rg-issue new one");
    scratch.ok("rg-rescue save && git clean -fdxq");
    assert!(!file(&scratch, "topic-t.jsonl").exists());
    let said = scratch.run("rg-rescue", &["restore"], b"");
    assert!(said.status == 0 && said.out.contains("restored 2 files"), "{said:?}");
    assert_eq!(bodies(&scratch), ["first"]);
    // Others went on writing after the backup.
    scratch.ok("rg-msg post t -m second && rg-msg post new -m x && rg-issue new two");
    scratch.write("src.txt", "spoilt\n");
    let said = scratch.run("rg-rescue", &["restore"], b"");
    assert!(said.status == 0 && fs::read_to_string(scratch.work().join("src.txt")).unwrap() == "broken\n", "{said:?}");
    assert_eq!(bodies(&scratch), ["first", "second"]);
    assert_eq!(scratch.ok("rg-issue list --quiet; rg-msg list --quiet").out.lines().count(), 4);
    // Also if the file is named, committed, or something else is in its place.
    scratch.ok("git add -A && git commit -qm talk && rg-rescue save && rg-msg post t -m third");
    let said = scratch.run("rg-rescue", &["restore", ".review-gate/topic-t.jsonl"], b"");
    assert_eq!((said.status, bodies(&scratch).len()), (0, 3), "{said:?}");
    scratch.ok("rm .review-gate/topic-t.jsonl && mkdir .review-gate/topic-t.jsonl");
    let said = scratch.run("rg-rescue", &["restore"], b"");
    assert!(said.status == 111 && said.out.contains("not restored: .review-gate/topic-t.jsonl"), "{said:?}");
}

/// Runs a shell line in a mount of its own: `$DISK` is the talk directory's place, with this mount option.
fn on_a_disk(scratch: &Scratch, mount: &str, line: &str) -> Option<Said> {
    let probe = scratch.sh("unshare -rm sh -c 'mount -t tmpfs none /mnt'", b"");
    if probe.status != 0 {
        crate::scratch::skipped("unshare with mounts");
        return None;
    }
    let line = format!("unshare -rm sh -c '{mount} && {line}'");
    Some(scratch.sh(&line, b""))
}

#[test]
fn a_full_disk_refuses_a_message_and_an_issue_and_keeps_the_rest() {
    let scratch = Scratch::repo();
    scratch.write("long", &"word ".repeat(40_000));
    let mount = "mkdir .review-gate && mount -t tmpfs -o size=128k none .review-gate";
    let line = "id=$(rg-issue new one) && rg-msg post t -m one --quiet >/dev/null || exit 9; \
                rg-msg post t --file long; echo \"status $?\"; rg-issue comment $id --file long; echo \"status $?\"; \
                rg-issue new two --file long; echo \"status $?\"; rg-msg post t -m two --quiet >/dev/null && rg-msg read t --all | grep -c \"^ \"; \
                rg-issue list | wc -l; rg-issue show $id --json | grep -c \"comments.:\\[\\]\"";
    let Some(said) = on_a_disk(&scratch, mount, line) else { return };
    assert_eq!(said.out, "status 111\nstatus 111\nstatus 111\n2\n1\n1\n", "{said:?}");
    assert_eq!(said.err.lines().filter(|line| line.contains("space left")).count(), 3, "{said:?}");
    assert_eq!(said.err.lines().count(), 3, "{said:?}");
}

#[test]
fn a_read_only_disk_is_read_and_refuses_changes() {
    let scratch = Scratch::repo();
    let id = scratch.ok("rg-msg post t -m one >/dev/null && rg-issue new one").out.trim_end().to_string();
    let mount = "mount --bind .review-gate .review-gate && mount -o remount,bind,ro .review-gate";
    let line = format!(
        "rg-msg read t --quiet | wc -l; rg-msg search one --quiet | wc -l; rg-issue ready --quiet | wc -l; \
         for c in \"msg post t -m x\" \"msg post new -m x\" \"msg init\" \"issue new x\" \"issue claim {id}\" \"issue status {id} closed\" \"issue clean --older-than 1d\"; do \
           rg-$c >out 2>err; echo \"$? $(wc -l <out) $(wc -l <err)\"; done"
    );
    let Some(said) = on_a_disk(&scratch, mount, &line) else { return };
    let wanted = format!("1\n1\n1\n{}0 1 0\n", "111 0 1\n".repeat(6));
    assert_eq!(said.out, wanted, "nothing is old, so clean has nothing to do: {said:?}");
}

/// Every write of every verb that changes something, killed half-way: what was there is there, and the verb succeeds when run again.
#[test]
fn a_kill_at_any_write_of_any_verb_loses_nothing() {
    let mut kills = 0;
    let beads = r#"{"id":"bd-1","title":"imported","status":"open","created_at":"2026-01-01T00:00:00Z"}"#;
    let jwz = r#"{"type":"topic","id":"01KE6P4YM060S3JC1HCGW66D1N","name":"old","description":"","created_at":1767225600000}
{"type":"message","id":"01KE6P4YM060S3JC1HCGW66D2N","topic_id":"01KE6P4YM060S3JC1HCGW66D1N","parent_id":null,"body":"imported","created_at":1767225600000,"sender":null,"git":null}"#;
    for (line, wanted) in [
        ("rg-issue import beads.jsonl", "rg-issue search imported --quiet"),
        ("rg-msg import messages.jsonl", "rg-msg search imported --quiet"),
        ("rg-issue clean --older-than 1s", "rg-issue search old --quiet"),
        ("rg-issue status $OLD open", "rg-issue search old --quiet"),
        ("rg-msg init", "rg-msg list --quiet"),
        ("rg-msg post fresh -m x", "rg-msg read fresh --quiet"),
    ] {
        for point in 1..=4 {
            let mut scratch = Scratch::repo();
            scratch.write("beads.jsonl", beads);
            scratch.write("messages.jsonl", jwz);
            let old = scratch.ok("rg-issue new 'an old one' -m text").out.trim_end().to_string();
            scratch.ok(&format!("rg-issue comment {old} -m said && rg-issue status {old} closed && rg-issue new young && rg-msg post t -m kept"));
            scratch.later(86_400.0);
            if line.contains("$OLD") {
                scratch.ok("rg-issue clean --older-than 1s");
            }
            scratch.set("OLD", &old);
            scratch.set("RG_CRASH", &point.to_string());
            let said = scratch.sh(line, b"");
            scratch.env.remove("RG_CRASH");
            if said.status == 0 {
                continue;
            }
            kills += 1;
            let check = |when: &str| {
                let found = scratch.run("rg-issue", &["show", &old, "--json"], b"");
                assert!(found.status == 0 && found.out.contains("said"), "{line}, {when} write {point}: {found:?}");
                assert_eq!(bodies(&scratch), ["kept"], "{line}, {when} write {point}");
                assert_eq!(scratch.ok("rg-issue list --all --quiet").out.matches(&old).count(), 1);
            };
            check("after a kill at");
            scratch.ok(line);
            check("again after");
            assert_eq!(scratch.ok(wanted).out.lines().count(), 1, "{line} at {point}");
        }
    }
    assert!(kills >= 6, "{kills}");
}
