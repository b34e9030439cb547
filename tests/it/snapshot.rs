//! Laws of snapshots: which files they contain, and that the digest of the same files never changes (review-gate-snapshot(5)).

use crate::scratch::Scratch;
use proptest::prelude::*;
use review_gate::snapshot::{Rules, Snapshot, Use, take};
use review_gate::store::state::State;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn look_at(dir: &Path) -> Snapshot {
    take(dir, &Rules::Today, &nowhere(), Use::Fresh).unwrap()
}

fn nowhere() -> State {
    State::at("/nowhere".into())
}

fn look(scratch: &Scratch) -> Snapshot {
    look_at(&scratch.work())
}

fn names(snapshot: &Snapshot) -> Vec<String> {
    snapshot.files.iter().map(|file| file.path.to_string_lossy().into_owned()).collect()
}

/// Two small trees whose digests must never change.
#[test]
fn golden_digests() {
    let scratch = Scratch::new();
    scratch.write("a.txt", "hello\n");
    scratch.write("b/c.txt", "world\n");
    let plain = look(&scratch);
    assert_eq!(
        String::from_utf8(plain.manifest()).unwrap(),
        "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  a.txt\n\
         e258d248fda94c63753607f7c4494ee0fcbe92f1a76bfdac795c9d84101eb317  b/c.txt\n"
    );
    assert_eq!(plain.digest(), "3a29d12219085ed1dc9af7f2126cdcc2a10c575353752a84885966e7d8a60999");
    let tool = scratch.sh("sha256sum a.txt b/c.txt | sha256sum", b"").out;
    assert_eq!(&tool[..64], plain.digest(), "it is what sha256sum(1) says of its own output");

    scratch.ok("git init -q");
    scratch.write("run.sh", "exit\n");
    fs::set_permissions(scratch.work().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("../a.txt", scratch.work().join("b/link")).unwrap();
    scratch.write("new\nline\\x", "");
    let odd = look(&scratch);
    assert_eq!(
        String::from_utf8(odd.manifest()).unwrap(),
        "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03  a.txt\n\
         e258d248fda94c63753607f7c4494ee0fcbe92f1a76bfdac795c9d84101eb317  b/c.txt\n\
         LINK @b/link\n\
         \\e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  new\\nline\\\\x\n\
         EXIT *run.sh\n"
            .replace("LINK", &review_gate::sys::digest::sha256(b"../a.txt"))
            .replace("EXIT", &review_gate::sys::digest::sha256(b"exit\n"))
    );
    assert_eq!(odd.digest(), "94c2f0303b9349fe988bf4d18b4c0b832a12ab4a3e7184a6a074c599bdf1fa63");
}

#[test]
fn tracked_files_are_included_and_ignored_ones_are_not() {
    let scratch = Scratch::new();
    scratch.ok("git init -q");
    scratch.write(".gitignore", "*.log\n/build/\n!keep.log\n");
    scratch.write("sub/.gitignore", "secret\n!*.log\n");
    for path in ["a", "a.log", "keep.log", "build/x", "build/tracked", "sub/secret", "sub/b.log", "other/build/x"] {
        scratch.write(path, "x");
    }
    scratch.ok("git add -f build/tracked && git commit -qm x");
    let snapshot = look(&scratch);
    let want = [".gitignore", "a", "build/tracked", "keep.log", "other/build/x", "sub/.gitignore", "sub/b.log"];
    assert_eq!(names(&snapshot), want);
    assert_eq!(snapshot.forced, [Path::new("build/tracked")]);
}

#[test]
fn new_rules_and_untracking_hide_no_file() {
    let scratch = Scratch::repo();
    scratch.write(".gitignore", "/dist/\n");
    scratch.write("dist/kept", "x");
    scratch.ok("git add -f dist/kept .gitignore && git commit -qm x");
    let begun = look(&scratch);
    let rules = Rules::Fixed { ignores: begun.ignores.clone(), forced: begun.forced.clone() };
    let later = || take(&scratch.work(), &rules, &nowhere(), Use::Fresh).unwrap();
    assert_eq!(later().digest(), begun.digest());
    // After a new rule, an entry in the repository's exclude file, or untracking, the files are still included.
    scratch.write("evil.txt", "x");
    scratch.append(".gitignore", "evil.txt\nsrc.txt\n");
    fs::write(scratch.work().join(".git/info/exclude"), "*\n").unwrap();
    scratch.ok("git rm -q --cached dist/kept src.txt");
    let seen = names(&later());
    for name in ["evil.txt", "src.txt", "dist/kept"] {
        assert!(seen.contains(&name.to_string()), "{name}: {seen:?}");
    }
    scratch.write("dist/kept", "y");
    assert_ne!(later().get(Path::new("dist/kept")), begun.get(Path::new("dist/kept")));
}

#[test]
fn index_flags_and_replaced_objects_hide_nothing() {
    let scratch = Scratch::repo();
    let before = look(&scratch).digest();
    scratch.ok("git update-index --assume-unchanged src.txt && git update-index --skip-worktree test.sh");
    assert_eq!(look(&scratch).digest(), before);
    scratch.append("src.txt", "x");
    let middle = look(&scratch).digest();
    scratch.append("test.sh", "x");
    assert!(before != middle && middle != look(&scratch).digest());
}

#[test]
fn git_logs_and_other_worktrees_are_not_included() {
    let scratch = Scratch::repo();
    let before = look(&scratch).digest();
    scratch.write(".review-gate/issues.jsonl", "{}");
    scratch.ok("git worktree add -q .worktrees/one -b one && touch .worktrees/one/x");
    assert_eq!(look(&scratch).digest(), before, "{:?}", names(&look(&scratch)));
    scratch.ok("git init -q nested");
    scratch.write("nested/x", "");
    assert!(names(&look(&scratch)).contains(&"nested/x".to_string()), "another repository's files cannot hide here");
    assert!(!names(&look(&scratch)).iter().any(|name| name.starts_with(".git/")));
}

#[test]
fn a_clone_and_a_worktree_with_the_same_bytes_have_the_same_digest() {
    let scratch = Scratch::repo();
    scratch.write("deep/er/x.txt", "x\n");
    scratch.ok("chmod +x test.sh && git add -A && git commit -qm more && git clone -q . ../clone && git worktree add -q ../tree");
    let digest = look(&scratch).digest();
    for other in ["clone", "tree"] {
        assert_eq!(look_at(&scratch.top().join(other)).digest(), digest, "{other}");
    }
    assert_eq!(look_at(&scratch.work().join("deep/er")).digest(), digest, "from below its top, too");
}

#[test]
fn a_submodule_contributes_its_commit_and_its_files() {
    let scratch = Scratch::repo();
    scratch.ok(
        "git init -q ../lib && cd ../lib && echo x >f && echo '*.o' >.gitignore && git add -A && git commit -qm lib",
    );
    scratch.ok("git submodule --quiet add ../lib lib && git commit -qm sub");
    let before = look(&scratch);
    assert!(names(&before).contains(&"lib".to_string()) && names(&before).contains(&"lib/f".to_string()));
    scratch.write("lib/untracked", "");
    assert_ne!(look(&scratch).digest(), before.digest(), "its untracked files are in, too");
    std::fs::remove_file(scratch.work().join("lib/untracked")).unwrap();
    scratch.write("lib/x.o", "");
    assert_eq!(look(&scratch).digest(), before.digest(), "unless its own rules hide them");
    scratch.write("lib/f", "dirty");
    assert_ne!(look(&scratch).digest(), before.digest());
    scratch.ok("cd lib && git checkout -q f && git commit -q --allow-empty -m next");
    assert_ne!(look(&scratch).digest(), before.digest(), "another commit with the same files");
}

#[test]
fn links_are_not_followed_and_special_files_are_skipped() {
    let scratch = Scratch::repo();
    symlink(".", scratch.work().join("loop")).unwrap();
    symlink("/etc/passwd", scratch.work().join("out")).unwrap();
    scratch.ok("mkfifo pipe && mkdir empty");
    fs::write(scratch.work().join(OsStr::from_bytes(b"bad\xff\nname")), "x").unwrap();
    let snapshot = look(&scratch);
    assert_eq!(snapshot.files.len(), 3 + 2 + 1, "{:?}", names(&snapshot));
    fs::remove_file(scratch.work().join("out")).unwrap();
    symlink("/etc/hosts", scratch.work().join("out")).unwrap();
    assert_ne!(look(&scratch).digest(), snapshot.digest(), "where a link leads is content");
    // A tracked directory is replaced by a link: files behind the link are not read.
    scratch.write("dir/f", "x");
    scratch.ok("git add dir && git commit -qm dir && mv dir ../elsewhere && ln -s ../elsewhere dir");
    let seen = names(&look(&scratch));
    assert!(seen.contains(&"dir".to_string()) && !seen.contains(&"dir/f".to_string()), "{seen:?}");
}

#[test]
fn every_form_of_index_gives_the_same_paths() {
    let scratch = Scratch::repo();
    scratch.write(&format!("deep/{}/name", "x".repeat(200)), "x");
    scratch.write(&format!("very/{}", "long/".repeat(60) + "name"), "x");
    scratch.ok("git add -A");
    let hidden = |scratch: &Scratch| {
        // The rules hide every file, so only the index includes them.
        let rules = Rules::Fixed { ignores: vec![(".gitignore".into(), b"*\n".to_vec())], forced: vec![] };
        take(&scratch.work(), &rules, &nowhere(), Use::Fresh).unwrap()
    };
    let want = hidden(&scratch);
    assert_eq!(want.files.len(), 5);
    for line in [
        "git update-index --index-version 2",
        "git update-index --index-version 3",
        "git update-index --index-version 4",
        "git update-index --split-index",
        "git update-index --no-split-index --untracked-cache",
        "git add -N .; git update-index --force-write-index",
    ] {
        scratch.ok(line);
        assert_eq!(hidden(&scratch).digest(), want.digest(), "{line}");
    }
    let sha256 = Scratch::new();
    if sha256.sh("git init -q --object-format=sha256 . && touch a && git add a", b"").status == 0 {
        assert_eq!(hidden(&sha256).files.len(), 1);
    }
}

#[test]
fn a_sparse_checkout_contains_the_files_on_disk() {
    let scratch = Scratch::repo();
    scratch.write("a/x", "1");
    scratch.write("b/x", "2");
    scratch.ok("git add -A && git commit -qm x && git sparse-checkout set --cone a");
    assert!(!names(&look(&scratch)).contains(&"b/x".to_string()));
    assert!(names(&look(&scratch)).contains(&"a/x".to_string()));
}

#[test]
fn a_snapshot_works_without_a_commit_and_without_a_repository() {
    let scratch = Scratch::new();
    scratch.write("a", "x");
    scratch.write(".gitignore", "a\n");
    assert_eq!(names(&look(&scratch)), [".gitignore", "a"], "without a repository every file is in");
    scratch.ok("git init -q");
    assert_eq!(names(&look(&scratch)), [".gitignore"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Any change of a byte, a name or a mode changes the digest, and undoing it restores it.
    #[test]
    fn the_digest_depends_on_every_byte_name_and_mode(files in proptest::collection::btree_map("[a-z]{1,3}(/[a-z]{1,3})?", "[a-z\n]{0,8}", 1..8), extra in "[A-Z]{1,4}") {
        let scratch = Scratch::new();
        let mut written: BTreeMap<String, String> = BTreeMap::new();
        for (path, text) in &files {
            let clashes = written.keys().any(|known| known.starts_with(&format!("{path}/")) || path.starts_with(&format!("{known}/")));
            if !clashes {
                scratch.write(path, text);
                written.insert(path.clone(), text.clone());
            }
        }
        let before = look(&scratch).digest();
        let (path, text) = written.iter().next().unwrap();
        scratch.write(path, &format!("{text}{extra}"));
        prop_assert_ne!(look(&scratch).digest(), before.clone());
        scratch.write(path, text);
        prop_assert_eq!(look(&scratch).digest(), before.clone());
        let whole = scratch.work().join(path);
        fs::set_permissions(&whole, fs::Permissions::from_mode(0o755)).unwrap();
        prop_assert_ne!(look(&scratch).digest(), before.clone());
        fs::set_permissions(&whole, fs::Permissions::from_mode(0o644)).unwrap();
        scratch.write(&extra, "");
        prop_assert_ne!(look(&scratch).digest(), before);
    }
}
