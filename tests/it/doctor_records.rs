//! Laws of `rg-doctor --prune` and `--reset`: what has expired is removed, the rest stays; a reset deletes nothing.

use crate::person::at_a_terminal;
use crate::scratch::Scratch;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const DAY: u64 = 86_400;

/// Writes a file that is so many days old.
fn old(path: &Path, days: u64, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    let now = SystemTime::now();
    fs::File::options().write(true).open(path).unwrap().set_modified(now - Duration::from_secs(days * DAY)).unwrap();
}

/// All files below a directory, with their bytes.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = walkdir(dir);
    all.into_iter().map(|path| (path.strip_prefix(dir).unwrap().to_path_buf(), fs::read(&path).unwrap())).collect()
}

fn walkdir(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(walkdir(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).into_iter().flatten().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn prune_removes_what_has_expired_and_says_what_it_kept() {
    let mut scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\ntrace: {keep: 10d}\n");
    scratch.set("RG_NOW", "2026-11-21T12:00:00.000Z");
    let state = scratch.state();
    for (name, days) in [("new", 9), ("old", 11)] {
        old(&state.join(format!("trace/{name}.jsonl")), days, b"{}\n");
    }
    // 203 receipts, of which the first two are old enough, and 150 tasks, all of them old.
    for number in 0..203 {
        let days = if number < 2 { 91 } else { 89 };
        old(&state.join(format!("receipts/{number:04}.json")), days, b"{}");
    }
    for number in 0..150 {
        old(&state.join(format!("tasks/{number:04}.jsonl")), 400, b"{}\n");
    }
    for number in 0..102 {
        old(&state.join(format!("checks/repo-1.logs/{number:04}.log")), 0, b"x");
    }
    old(&state.join("checks/repo-1.jsonl"), 400, b"{}\n");
    old(&state.join("blobs/aa"), 400, b"x");
    old(&state.join("rescue/store.git/HEAD"), 4000, b"x");
    old(&state.join("notices.jsonl"), 4000, b"");
    let said = scratch.run("rg-doctor", &["--prune"], b"");
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(names(&state.join("trace")), ["new.jsonl"]);
    let receipts = names(&state.join("receipts"));
    assert_eq!((receipts.len(), receipts[0].as_str()), (201, "0002.json"));
    assert_eq!(names(&state.join("tasks")).len(), 150, "the newest 200 stay, however old");
    assert_eq!(names(&state.join("checks/repo-1.logs")).len(), 100);
    for kept in ["checks/repo-1.jsonl", "blobs/aa", "rescue/store.git/HEAD", "notices.jsonl"] {
        assert!(state.join(kept).exists(), "{kept}");
    }
    for line in [
        "removed 1 trace (0.0 MB), kept 1 trace (0.0 MB)\n",
        "removed 2 receipts (0.0 MB), kept 201 receipts (0.0 MB)\n",
        "removed 0 tasks (0.0 MB), kept 150 tasks (0.0 MB)\n",
        "removed 2 check logs (0.0 MB), kept 100 check logs (0.0 MB)\n",
    ] {
        assert!(said.out.contains(line), "{line}: {said:?}");
    }
    let before = files(&state);
    scratch.ok("rg-doctor --prune");
    assert_eq!(files(&state), before, "nothing more has expired");
}

#[test]
fn a_backup_is_never_pruned() {
    let scratch = Scratch::repo();
    scratch.append("src.txt", "work\n");
    scratch.ok("rg-rescue save --why test");
    let before = scratch.ok("rg-rescue list; git for-each-ref").out;
    assert!(before.contains("test"), "{before}");
    scratch.ok("find \"$RG_STATE\" -exec touch -d 2000-01-01 {} +; rg-doctor --prune");
    assert_eq!(scratch.ok("rg-rescue list; git for-each-ref").out, before);
    if at_a_terminal(&scratch, "rg-doctor --reset").is_some() {
        assert_eq!(scratch.ok("rg-rescue list; git for-each-ref").out, before);
    }
}

#[test]
fn a_reset_is_only_for_the_user_and_keeps_every_byte() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    scratch.append("src.txt", "x\n");
    scratch.stop("s");
    let state = scratch.state();
    let before = files(&state);
    let refused = scratch.run("rg-doctor", &["--reset"], b"");
    assert!(refused.status == 100 && refused.err.contains("only for the user at a terminal"), "{refused:?}");
    assert_eq!(files(&state), before);
    let Some(of_agent) = at_a_terminal(&scratch, "CLAUDECODE=1 rg-doctor --reset") else { return };
    assert_eq!((of_agent.status, files(&state) == before), (100, true));
    let said = at_a_terminal(&scratch, "rg-doctor --reset").unwrap();
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(names(&state), ["lock"]);
    let archives: Vec<String> = names(&scratch.top()).into_iter().filter(|name| name.contains(".archive-")).collect();
    assert_eq!(archives, ["state.archive-20261121T120000"]);
    let archive = scratch.top().join(&archives[0]);
    let mut without_lock = before.clone();
    without_lock.remove(Path::new("lock"));
    assert_eq!(files(&archive), without_lock);
    // The next session is judged as the first one was.
    scratch.prompt("t", "go");
    scratch.append("src.txt", "y\n");
    assert!(scratch.stop("t").reason().contains("src.txt:1: not fixed"));
    assert_eq!(scratch.words(), ["not-done"]);
    // A second one does not touch the first archive.
    at_a_terminal(&scratch, "rg-doctor --reset").unwrap();
    assert_eq!(files(&archive), without_lock);
    assert!(scratch.top().join("state.archive-20261121T120000-1/tasks").is_dir());
    // Again without records, and the line that puts them back.
    let empty = at_a_terminal(&scratch, "rg-doctor --reset").unwrap();
    assert!(empty.out.contains("there are no records"), "{empty:?}");
    let line = said.out.split('`').nth(1).unwrap();
    scratch.ok(line);
    assert_eq!(files(&state), before);
}

#[test]
fn the_options_stand_alone() {
    let scratch = Scratch::repo();
    for args in [["--prune", "--reset"], ["--prune", "--json"], ["--reset", "--live"], ["--prune", "--brief"]] {
        assert_eq!(scratch.run("rg-doctor", &args, b"").status, 100, "{args:?}");
    }
    assert_eq!(scratch.run("rg-doctor", &["--prune"], b"").out, "there are no records\n");
}
