//! Laws of the stat cache: it saves reads and never changes a snapshot.

use crate::scratch::Scratch;
use crate::tamper::{SESSION, against, found, repo, session, want};
use proptest::prelude::*;
use review_gate::snapshot::{Rules, Snapshot, Use, recall, take};
use review_gate::store::state::State;
use review_gate::sys::digest;
use serde_json::json;
use std::fs::{self, FileTimes};
use std::path::PathBuf;
use std::time::Duration;

fn state(scratch: &Scratch) -> State {
    State::at(scratch.state())
}

fn look(scratch: &Scratch, cached: Use) -> Snapshot {
    take(&scratch.work(), &Rules::Today, &state(scratch), cached).unwrap()
}

fn file(scratch: &Scratch) -> PathBuf {
    state(scratch).stat_cache(&scratch.work())
}

/// A repository whose cache was written long enough after the last change to be used.
fn warm() -> Scratch {
    let scratch = Scratch::repo();
    scratch.ok("git worktree add -q below");
    std::thread::sleep(Duration::from_millis(30));
    look(&scratch, Use::Cache);
    assert!(file(&scratch).exists());
    scratch
}

/// Changes the cache's bytes and updates its own digest.
fn forge(scratch: &Scratch, edit: impl Fn(&mut Vec<u8>)) {
    let mut bytes = fs::read(file(scratch)).unwrap();
    bytes.truncate(bytes.len() - 32);
    edit(&mut bytes);
    let own = digest::raw(&bytes);
    bytes.extend(own);
    fs::write(file(scratch), bytes).unwrap();
}

/// Replaces the digest of `src.txt` with that of other bytes.
fn poison(bytes: &mut [u8]) {
    let (right, wrong) = (digest::raw(b"broken\n"), digest::raw(b"fixed\n"));
    let at = bytes.windows(32).position(|window| window == right).unwrap();
    bytes[at..at + 32].copy_from_slice(&wrong);
}

#[test]
fn a_cached_snapshot_equals_a_fresh_one() {
    let scratch = warm();
    let same = |why: &str| {
        assert_eq!(look(&scratch, Use::Cache).digest(), look(&scratch, Use::Fresh).digest(), "{why}");
        assert_eq!(look(&scratch, Use::Cache).files, look(&scratch, Use::Fresh).files, "{why}");
    };
    same("nothing changed");
    // Length and mtime are unchanged: only the ctime differs.
    let path = scratch.work().join("src.txt");
    let mtime = fs::metadata(&path).unwrap().modified().unwrap();
    scratch.write("src.txt", "brokem\n");
    fs::File::options().append(true).open(&path).unwrap().set_times(FileTimes::new().set_modified(mtime)).unwrap();
    same("an edit that hides");
    for line in [
        "chmod +x test.sh",
        "mv src.txt other",
        "rm other",
        "ln -s test.sh other",
        "echo x >new",
        "mkdir d",
        "touch d/x",
    ] {
        scratch.ok(line);
        same(line);
    }
}

#[test]
fn an_edit_during_a_snapshot_is_seen_by_the_next_one() {
    let scratch = Scratch::repo();
    let path = scratch.work().join("src.txt");
    let mtime = fs::metadata(&path).unwrap().modified().unwrap();
    for n in 0..100 {
        scratch.write("src.txt", if n % 2 == 0 { "aaaa" } else { "bbbb" });
        fs::File::options().append(true).open(&path).unwrap().set_times(FileTimes::new().set_modified(mtime)).unwrap();
        assert_eq!(look(&scratch, Use::Cache).digest(), look(&scratch, Use::Fresh).digest(), "{n}");
    }
}

#[test]
fn a_truncated_changed_or_foreign_cache_is_not_used() {
    let right = look(&warm(), Use::Fresh).digest();
    let with = |damage: &dyn Fn(&Scratch)| {
        let scratch = warm();
        forge(&scratch, |bytes| poison(bytes));
        damage(&scratch);
        look(&scratch, Use::Cache).digest()
    };
    let flip = |at: usize| move |scratch: &Scratch| forge(scratch, |bytes| bytes[at] ^= 1);
    assert_eq!(with(&flip(0)), right, "another version");
    assert_eq!(with(&flip(8)), right, "another machine or tree");
    assert_eq!(with(&flip(47)), right, "written in a time to come");
    let raw = |edit: &'static dyn Fn(&mut Vec<u8>)| {
        move |scratch: &Scratch| {
            let mut bytes = fs::read(file(scratch)).unwrap();
            edit(&mut bytes);
            fs::write(file(scratch), bytes).unwrap();
        }
    };
    assert_eq!(with(&raw(&|bytes| bytes[200] ^= 1)), right, "a bit flipped");
    assert_eq!(with(&raw(&|bytes| bytes.truncate(300))), right, "cut");
    assert_eq!(with(&raw(&|bytes| bytes.clear())), right, "empty");
    assert_eq!(with(&|scratch| drop(scratch.ok("rm -r ../state/cache && mkfifo ../state/cache"))), right);
    let other = Scratch::repo();
    let stolen = |scratch: &Scratch| {
        look(&other, Use::Cache);
        fs::copy(file(&other), file(scratch)).unwrap();
    };
    assert_eq!(with(&stolen), right, "another tree's");
}

/// A process that can write to the state directory can forge the cache, so verification reads every file.
#[test]
fn a_forged_cache_affects_neither_fresh_snapshots_nor_verify() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "work");
    scratch.append("test.sh", "true\n");
    scratch.write("src.txt", "fixed\n");
    std::thread::sleep(Duration::from_millis(30));
    scratch.stop("s");
    assert_eq!(scratch.run("rg-receipt", &["verify"], b"").status, 0);
    let before = look(&scratch, Use::Fresh).digest();
    // The agent breaks the file again and forges the cache to hide it.
    scratch.write("src.txt", "bruken\n");
    std::thread::sleep(Duration::from_millis(30));
    look(&scratch, Use::Cache);
    forge(&scratch, |bytes| {
        let (now, then) = (digest::raw(b"bruken\n"), digest::raw(b"fixed\n"));
        let at = bytes.windows(32).position(|window| window == now).unwrap();
        bytes[at..at + 32].copy_from_slice(&then);
        bytes[48..80].copy_from_slice(&digest::unhex::<32>(before.as_bytes()).unwrap());
    });
    assert_eq!(look(&scratch, Use::Cache).digest(), before, "this is what it can do");
    let verified = scratch.run("rg-receipt", &["verify"], b"");
    assert!(verified.status == 1 && verified.out.contains("NO  snapshot"), "{verified:?}");
    assert_eq!(scratch.run("rg-check", &["--now", "--fresh"], b"").status, 1);
}

#[test]
fn ci_and_against_read_every_file_despite_a_forged_cache() {
    let (then, row) = ("let a = 1;\n", want(&[("no_disabled_lint", "tampered", "src/f.js:2")]));
    let now = format!("{then}// eslint-disable-line\n");
    let scratch = repo("");
    scratch.write("src/f.js", then);
    scratch.ok("git add -A && git commit -qm file && git branch -f main");
    scratch.prompt("s", "go");
    scratch.write("src/f.js", &now);
    std::thread::sleep(Duration::from_millis(30));
    look(&scratch, Use::Cache);
    forge(&scratch, |bytes| {
        let (now, then) = (digest::raw(now.as_bytes()), digest::raw(then.as_bytes()));
        let at = bytes.windows(32).position(|window| window == now).unwrap();
        bytes[at..at + 32].copy_from_slice(&then);
    });
    assert_eq!(found(&session(&scratch)), want(&[]), "this is what it can do");
    assert_eq!(found(&against(&scratch)), row, "a named base");
    let ci = scratch.sh(&format!("CI=1; export CI; {SESSION}"), &scratch.stop_payload("s", json!({}))).json();
    assert_eq!(found(&ci), row, "CI");
    assert_eq!(found(&session(&scratch)), want(&[]), "the cache lay there all the time");
}

#[test]
fn the_last_snapshot_is_recalled_by_its_digest() {
    let scratch = warm();
    let now = look(&scratch, Use::Fresh);
    let known = recall(&scratch.work(), &now.digest(), &state(&scratch)).unwrap();
    assert_eq!((known.files, known.worktrees), (now.files, now.worktrees));
    assert!(recall(&scratch.work(), &digest::sha256(b"other"), &state(&scratch)).is_none());
}

#[test]
fn a_cache_that_cannot_be_written_is_not_an_error() {
    let scratch = Scratch::repo();
    fs::create_dir_all(scratch.state()).unwrap();
    fs::write(scratch.state().join("cache"), "in the way").unwrap();
    assert_eq!(look(&scratch, Use::Cache).digest(), look(&scratch, Use::Fresh).digest());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A damaged byte neither panics nor changes a snapshot.
    #[test]
    fn a_damaged_cache_is_not_used(at in 0usize..600, bit in 0u8..8) {
        let scratch = warm();
        let mut bytes = fs::read(file(&scratch)).unwrap();
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        fs::write(file(&scratch), &bytes).unwrap();
        prop_assert_eq!(look(&scratch, Use::Cache).digest(), look(&scratch, Use::Fresh).digest());
        // It does not panic with a valid digest either.
        forge(&scratch, |bytes| { let last = bytes.len() - 1; bytes[at.min(last)] ^= 1 << bit });
        look(&scratch, Use::Cache);
    }
}
