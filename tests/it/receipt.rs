//! Laws of rg-receipt: receipts are sealed, chained, without secrets, verifiable, and about one snapshot.

use crate::scratch::{NOW, STOP, Scratch};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn done() -> Scratch {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    scratch
}

#[test]
fn a_receipt_holds_the_evidence_of_its_decision() {
    let scratch = done();
    let receipt = scratch.receipt();
    for name in [
        "v",
        "id",
        "at",
        "by_tool",
        "outcome",
        "row",
        "reply",
        "event",
        "session",
        "budget_owner",
        "task",
        "root",
        "head",
        "snapshot",
        "donefile",
        "required",
        "base",
        "verdicts",
        "checks",
        "partial",
        "policy",
        "via",
    ] {
        assert!(!receipt[name].is_null(), "{name}: {receipt}");
    }
    let check = &receipt["checks"][0];
    assert_eq!((&check["name"], &check["run"], &check["exit"]), (&json!("tests"), &json!("sh test.sh"), &json!(0)));
    assert!(check["seconds"].is_number() && check["sha256"].is_string());
    assert_eq!(receipt["base"]["kind"], "task");
    assert_eq!(receipt["via"].as_array().unwrap().len(), 4);
}

#[test]
fn the_state_directory_is_private() {
    let scratch = done();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&scratch.state()), 0o700);
    let mut files = 0;
    for entry in walkdir(&scratch.state()) {
        let want = if entry.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&entry), want, "{}", entry.display());
        files += 1;
    }
    assert!(files > 8);
}

fn walkdir(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(walkdir(&path));
        }
        all.push(path);
    }
    all
}

#[test]
fn secrets_do_not_reach_the_evidence() {
    let scratch = Scratch::repo_with("checks:\n  - {name: c, run: cat ../secret; exit 1}\n");
    fs::write(
        scratch.top().join("secret"),
        "export API_TOKEN=abcdefghijkl\nghp_012345678901234567890123456789abcdef\n",
    )
    .unwrap();
    scratch.prompt("s", "my password: hunter2hunter2");
    scratch.append("src.txt", "x\n");
    assert!(scratch.stop("s").reason().contains("API_TOKEN=[redacted]"));
    for path in
        walkdir(&scratch.state()).iter().filter(|path| path.is_file() && path.extension().is_some_and(|e| e != "log"))
    {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        for secret in ["hunter2", "abcdefghijkl", "ghp_0123"] {
            assert!(!text.contains(secret), "{secret} in {}", path.display());
        }
    }
}

#[test]
fn an_edited_receipt_and_an_edited_journal_are_reported() {
    let scratch = done();
    assert_eq!(scratch.run("rg-receipt", &["verify"], b"").status, 0);
    let file = scratch.state().join(scratch.records("receipt")[0]["file"].as_str().unwrap());
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"done\"", "\"waived\"")).unwrap();
    let said = scratch.run("rg-receipt", &["verify"], b"");
    assert!(said.status == 1 && said.out.contains("NO  digest     differs from what was sealed"), "{said:?}");
    fs::write(&file, text).unwrap();
    let journal = walkdir(&scratch.state().join("tasks")).remove(0);
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replace("\"by\":\"user\"", "\"by\":\"client\"")).unwrap();
    let said = scratch.run("rg-receipt", &["verify"], b"");
    assert!(said.status == 1 && said.out.contains("NO  chain      broken at line 3"), "{said:?}");
}

#[test]
fn a_record_outside_of_the_chain_does_not_verify() {
    let scratch = done();
    let journal = walkdir(&scratch.state().join("tasks")).remove(0);
    let record = json!({"v": 1, "kind": "gate-on", "id": "x", "at": NOW, "by_tool": "rg-event", "prev": null, "unlocked": true, "who": "u"});
    let text = fs::read_to_string(&journal).unwrap() + &format!("{record}\n");
    let lines = text.lines().count();
    fs::write(&journal, text).unwrap();
    let said = scratch.run("rg-receipt", &["verify"], b"");
    let want = format!("NO  chain      line {lines} of {lines} is outside of the chain");
    assert!(said.status == 1 && said.out.contains(&want), "{said:?}");
}

#[test]
fn a_receipt_is_about_one_snapshot() {
    let scratch = done();
    scratch.append("src.txt", "one byte more\n");
    let said = scratch.run("rg-receipt", &["verify"], b"");
    assert!(said.status == 1 && said.out.contains("NO  snapshot"), "{said:?}");
}

#[test]
fn an_unsealed_receipt_does_not_verify() {
    let scratch = done();
    let receipt = scratch.receipt();
    let copy = receipt.to_string().replace(receipt["id"].as_str().unwrap(), "01ZZZZZZZZZZZZZZZZZZZZZZZZ");
    fs::write(scratch.state().join("receipts/01ZZZZZZZZZZZZZZZZZZZZZZZZ.json"), copy).unwrap();
    let said = scratch.run("rg-receipt", &["verify", "01ZZ"], b"");
    assert!(said.status == 1 && said.out.contains("NO  digest     not sealed in task"), "{said:?}");
}

#[test]
fn receipts_are_named_by_any_unique_beginning() {
    let scratch = done();
    let id = scratch.receipt()["id"].as_str().unwrap().to_string();
    for args in [vec!["show"], vec!["show", "last"], vec!["show", &id], vec!["show", &id[..20]]] {
        assert!(scratch.run("rg-receipt", &args, b"").out.contains("since the task began; 1 check passed"), "{args:?}");
    }
    assert_eq!(scratch.run("rg-receipt", &["show", "nope"], b"").status, 100);
    let shown: Value = scratch.run("rg-receipt", &["show", "--json"], b"").json();
    assert_eq!(shown["id"], id.as_str());
    assert!(scratch.run("rg-receipt", &["show", "--md"], b"").out.starts_with("**review-gate: done**"));
    assert_eq!(scratch.run("rg-receipt", &["list", "--task", "other"], b"").out, "");
}

#[test]
fn show_prints_what_was_answered() {
    let mut scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "x\n");
    scratch.stop("s");
    let shown = scratch.run("rg-receipt", &["show"], b"");
    assert!(
        shown.status == 0
            && shown.out.contains("not-done, bounce 1 of 3")
            && shown.out.contains("| src.txt:1: not fixed"),
        "{shown:?}"
    );
    for _ in 0..3 {
        scratch.later(60.0);
        scratch.stop("s");
    }
    assert!(scratch.run("rg-receipt", &["show"], b"").out.contains("abandoned: bounced 3 times"));
}

#[test]
fn a_manual_receipt_needs_no_task() {
    let scratch = Scratch::repo();
    let said = scratch.sh("rg-event stop | rg-tamper | rg-check | rg-receipt | rg-answer", b"");
    assert_eq!(said.status, 1, "{said:?}");
    assert!(!scratch.state().join("tasks").exists());
    let said = scratch.run("rg-receipt", &["verify"], b"");
    assert!(said.status == 111 && said.out.contains("--  digest     manual receipt: not sealed"), "{said:?}");
}

/// If files change between the last snapshot and the seal, the outcome is not done.
#[test]
fn a_verdict_about_other_files_is_unverified() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "fixed\n");
    let forge = "rg-event --client claude | rg-tamper | rg-check | sed 's/\"verdict\":\"pass\",\"why\":\"1 check passed\",\"snapshot\":\"..../&0000/' | rg-bounce | rg-receipt | rg-answer --client claude --kind stop";
    let said = scratch.sh(forge, &scratch.stop_payload("s", json!({})));
    assert!(said.told().contains("files changed during the checks"), "{said:?}");
    assert_eq!(scratch.words(), ["unverified"]);
}

#[test]
fn a_deleted_state_directory_is_made_again() {
    let scratch = done();
    fs::remove_dir_all(scratch.state()).unwrap();
    scratch.prompt("s", "again");
    scratch.append("src.txt", "x\n");
    assert_eq!(scratch.sh(STOP, &scratch.stop_payload("s", json!({}))).out, "");
    assert_eq!(scratch.words(), ["done"]);
}

#[test]
fn old_receipts_are_removed_when_there_are_many() {
    let scratch = done();
    let dir = scratch.state().join("receipts");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(91 * 86_400);
    for n in 0..205 {
        let path = dir.join(format!("00000000000000000000000{n:03}.json"));
        fs::write(&path, "{}").unwrap();
        if n < 203 {
            fs::File::open(&path).unwrap().set_modified(old).unwrap();
        }
    }
    scratch.prompt("s", "go on");
    scratch.append("src.txt", "x\n");
    scratch.stop("s");
    // Of 207 receipts the seven oldest are removed.
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 200);
    assert!(
        !dir.join("00000000000000000000000006.json").exists() && dir.join("00000000000000000000000007.json").exists()
    );
}

#[test]
fn a_receipt_covers_a_commit_whose_clean_checkout_has_its_files() {
    let mut scratch = Scratch::repo();
    scratch.write("dir/odd\nname", "x\n");
    scratch.write(".gitignore", "*.log\n");
    scratch.write("kept.log", "x\n");
    scratch.ok(
        "chmod +x test.sh && ln -s src.txt link && : >empty && git add -A && git add -f kept.log && git commit -qm odd",
    );
    let verify = |scratch: &Scratch, rev: &str| scratch.run("rg-receipt", &["verify", "--commit", rev], b"");
    scratch.prompt("s", "go");
    scratch.write("src.txt", "still broken\n");
    assert!(scratch.stop("s").out.contains("block"));
    scratch.ok("git commit -qam red");
    let said = verify(&scratch, "HEAD");
    assert!(said.status == 1 && said.out.contains("\nNO  outcome    not-done: "), "{said:?}");
    scratch.later(60.0);
    scratch.append("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    let receipt = scratch.receipt()["id"].as_str().unwrap().to_string();
    scratch.ok("git commit -qam green && echo later >>src.txt && touch new.txt other.log");
    let said = verify(&scratch, "HEAD");
    let short = &scratch.ok("git rev-parse HEAD").out[..12];
    let head = format!(
        "receipt {receipt}\nok  commit     {short}: its clean checkout has the judged files\nok  outcome    done: "
    );
    assert!(said.status == 0 && said.out.starts_with(&head) && said.out.contains("\nok  chain "), "{said:?}");
    // Another checkout of the same commit has the same files, whatever git would write there.
    scratch.ok("git config core.autocrlf true && git config core.symlinks false");
    assert_eq!(verify(&scratch, "main").status, 0);
    let said = verify(&scratch, "HEAD~2");
    assert!(
        said.status == 1 && said.out.contains("NO  commit ") && said.out.contains("no receipt covers its files"),
        "{said:?}"
    );
    for args in [
        &["verify", "--commit", "nope"] as &[&str],
        &["verify", "--commit", "HEAD", &receipt],
        &["list", "--commit", "HEAD"],
    ] {
        assert_eq!(scratch.run("rg-receipt", args, b"").status, 100, "{args:?}");
    }
    // A manual receipt is not sealed, and an edited one does not verify.
    scratch.ok("rm new.txt && git commit -qam later");
    scratch.sh("rg-event stop --against HEAD~1 | rg-tamper | rg-check | rg-receipt | rg-answer", b"");
    let said = verify(&scratch, "HEAD");
    assert!(said.status == 111 && said.out.contains("manual receipt"), "{said:?}");
    let file = scratch.state().join("receipts").join(format!("{receipt}.json"));
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("1 check passed", "2 checks passed")).unwrap();
    let said = verify(&scratch, "HEAD~1");
    assert!(said.status == 1 && said.out.contains("\nNO  digest "), "{said:?}");
}

#[test]
fn a_task_that_does_not_exist_is_an_error() {
    let scratch = done();
    for verb in ["list", "show", "verify"] {
        let said = scratch.run("rg-receipt", &[verb, "--task", "nope"], b"");
        assert_eq!((said.status, said.err.as_str()), (100, "rg-receipt: no such task: nope\n"), "{verb}: {said:?}");
    }
}
