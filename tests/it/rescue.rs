//! Laws of rg-rescue: a backup holds everything, changes nothing, and is restored byte for byte.

use crate::scratch::{Said, Scratch};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Everything below a directory but `.git`: permissions, and the bytes, a link's target, or nothing for a directory.
pub type Picture = BTreeMap<PathBuf, (u32, Option<Vec<u8>>)>;

pub fn picture(top: &Path) -> Picture {
    let mut all = Picture::new();
    let walk = walkdir::WalkDir::new(top).min_depth(1).into_iter().filter_entry(|entry| entry.file_name() != ".git");
    for entry in walk.flatten() {
        let meta = fs::symlink_metadata(entry.path()).unwrap();
        let bytes = if meta.is_symlink() {
            Some(fs::read_link(entry.path()).unwrap().into_os_string().into_vec())
        } else if meta.is_file() {
            Some(fs::read(entry.path()).unwrap())
        } else {
            None
        };
        all.insert(entry.path().strip_prefix(top).unwrap().to_path_buf(), (meta.mode(), bytes));
    }
    all
}

/// The same without ignored files, and without directories that hold only ignored files in either picture.
fn seen(all: &Picture, other: &Picture) -> Picture {
    let is_hidden = |path: &&PathBuf| path.extension().is_some_and(|end| end == "log");
    let hidden: Vec<&PathBuf> = all.keys().chain(other.keys()).filter(is_hidden).collect();
    let is_in = |path: &&PathBuf| !hidden.iter().any(|other| other.starts_with(path));
    all.keys().filter(is_in).map(|path| (path.clone(), all[path].clone())).collect()
}

pub fn save(scratch: &Scratch) -> String {
    id_of(&scratch.ok("rg-rescue save").out)
}

/// The first id in an output.
pub fn id_of(out: &str) -> String {
    out.split_whitespace().find(|word| word.len() >= 26).unwrap().trim_end_matches(':').to_string()
}

/// The id of the backup that undoes a restore.
pub fn undo_of(out: &str) -> String {
    out.lines()
        .find(|line| line.starts_with("Undo it"))
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap()
        .trim_end_matches('`')
        .to_string()
}

pub fn refs(scratch: &Scratch) -> Vec<String> {
    scratch.ok("git for-each-ref --format='%(refname)' refs/review-gate").out.lines().map(str::to_string).collect()
}

fn index(scratch: &Scratch) -> Option<Vec<u8>> {
    fs::read(scratch.work().join(".git/index")).ok()
}

/// A change of a file.
#[derive(Clone, Debug)]
enum Act {
    Write(usize, Vec<u8>, u32),
    Link(usize, usize),
    Dir(usize, u32),
    Remove(usize),
    Git(usize),
}

const NAMES: [&[u8]; 18] = [
    b"a",
    b"a/b",
    b"a/b/c",
    b"dir/a",
    b"dir/b/c",
    b"dir.x",
    b"dir-x",
    b"-x",
    b"n\nl",
    b"\xff\xfe",
    b"..a",
    b"...",
    b" sp ",
    b"q\"\\",
    b":(glob)*",
    b"gone.log",
    b"logs/x.log",
    b"caf\xc3\xa9/\x01",
];

const LINES: [&str; 9] = [
    "git add -A",
    "git add -A && git commit -qm more --allow-empty",
    "git reset -q --hard",
    "git clean -fdqx",
    "git rm -rqf --cached . || true",
    "git stash push -qu || true",
    "git gc -q --prune=now",
    "git add -N . || true",
    "git checkout -q --detach; git reset -q --hard HEAD~1 || true",
];

fn act() -> impl Strategy<Value = Act> {
    let name = 0..NAMES.len();
    let bytes = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        Just(b"a\r\nb\n".to_vec()),
        Just(b"$Id$\n".to_vec()),
        (0u8..4).prop_map(|n| vec![n; 70_000]),
    ];
    let mode = prop_oneof![Just(0o644), Just(0o755), Just(0o600), Just(0o444), Just(0o700), Just(0o640)];
    prop_oneof![
        5 => (name.clone(), bytes, mode).prop_map(|(name, bytes, mode)| Act::Write(name, bytes, mode)),
        1 => (name.clone(), 0..NAMES.len()).prop_map(|(name, to)| Act::Link(name, to)),
        1 => (name.clone(), prop_oneof![Just(0o755), Just(0o700)]).prop_map(|(name, mode)| Act::Dir(name, mode)),
        2 => name.prop_map(Act::Remove),
        2 => (0..LINES.len()).prop_map(Act::Git),
    ]
}

fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_dir_all(path);
}

/// Makes room at a path for a new file.
fn place(top: &Path, name: usize) -> PathBuf {
    let path = top.join(OsStr::from_bytes(NAMES[name]));
    let below: Vec<PathBuf> = path.ancestors().skip(1).take_while(|dir| *dir != top).map(Path::to_path_buf).collect();
    for dir in below.into_iter().rev() {
        if !fs::symlink_metadata(&dir).is_ok_and(|meta| meta.is_dir()) {
            remove(&dir);
            fs::create_dir(&dir).unwrap();
        }
    }
    remove(&path);
    path
}

fn play(scratch: &Scratch, acts: &[Act], git: bool) {
    let top = scratch.work();
    for act in acts {
        match act {
            Act::Write(name, bytes, mode) => {
                let path = place(&top, *name);
                fs::write(&path, bytes).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
            }
            Act::Link(name, to) => symlink(OsStr::from_bytes(NAMES[*to]), place(&top, *name)).unwrap(),
            Act::Dir(name, mode) => {
                let path = place(&top, *name);
                fs::create_dir(&path).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(*mode)).unwrap();
            }
            Act::Remove(name) => remove(&top.join(OsStr::from_bytes(NAMES[*name]))),
            Act::Git(line) if git => drop(scratch.sh(LINES[*line], b"")),
            Act::Git(_) => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, ..ProptestConfig::default() })]

    /// Saves, changes files, restores, and undoes the restore, byte for byte.
    #[test]
    fn restore_and_its_undo_are_byte_identical(
        before in proptest::collection::vec(act(), 0..12),
        since in proptest::collection::vec(act(), 0..12),
        git in proptest::bool::weighted(0.8),
    ) {
        let mut scratch = Scratch::new();
        if git {
            scratch.write(".gitignore", "*.log\n");
            scratch.ok("git init -q && git add -A && git commit -qm start");
        }
        play(&scratch, &before, git);
        let (then, staged) = (picture(&scratch.work()), index(&scratch));
        // Git may leave an index that names the empty tree without storing it.
        let complaints = |scratch: &Scratch| scratch.sh("git fsck --no-dangling 2>&1 | grep -v 4b825dc642cb", b"").out;
        let sound = complaints(&scratch);
        save(&scratch);
        let id = save(&scratch);
        prop_assert_eq!(&picture(&scratch.work()), &then);
        prop_assert_eq!(&index(&scratch), &staged);
        play(&scratch, &since, git);
        let changed = picture(&scratch.work());
        scratch.later(1.0);
        let said = scratch.ok(&format!("rg-rescue restore --from {id}"));
        let now = picture(&scratch.work());
        let held = |all: &Picture, other: &Picture| if git { seen(all, other) } else { all.clone() };
        prop_assert_eq!(held(&now, &then), held(&then, &now), "{}", said.out);
        prop_assert_eq!(&index(&scratch), &staged);
        scratch.later(1.0);
        let said = scratch.ok(&format!("rg-rescue restore --from {}", undo_of(&said.out)));
        prop_assert_eq!(picture(&scratch.work()), changed, "{}", said.out);
        if git {
            prop_assert_eq!(complaints(&scratch), sound);
        }
    }
}

#[test]
fn saving_changes_nothing_of_the_user() {
    let scratch = Scratch::repo();
    scratch.append("src.txt", "more\n");
    scratch.write("new", "x\n");
    scratch.ok("git stash push -qu && git stash apply -q && git add src.txt");
    let all = || {
        let logs = scratch.ok("find .git/logs -type f | sort | xargs cat").out;
        let refs = scratch.ok("git for-each-ref | grep -v review-gate; cat .git/HEAD; git stash list").out;
        (picture(&scratch.work()), index(&scratch), logs, refs)
    };
    let before = all();
    let id = save(&scratch);
    assert!(before == all(), "something changed");
    assert_eq!(refs(&scratch), [format!("refs/review-gate/rescue/{id}")]);
    assert_eq!(scratch.ok("git fsck --no-dangling").out, "");
    // Git can read it.
    assert_eq!(scratch.ok(&format!("git show refs/review-gate/rescue/{id}:new")).out, "x\n");
}

#[test]
fn the_same_files_are_saved_once() {
    let mut scratch = Scratch::repo();
    scratch.write("new", "x\n");
    let id = save(&scratch);
    scratch.later(5.0);
    assert!(scratch.ok("rg-rescue save").out.starts_with(&format!("nothing changed since backup {id}")));
    scratch.ok("git add new");
    let other = save(&scratch);
    assert_ne!(id, other, "what is staged counts");
    scratch.later(5.0);
    assert_ne!(other, id_of(&scratch.ok("rg-rescue save --why 'before the great rename'").out), "a reason is new");
    assert!(scratch.ok("rg-rescue list").out.contains("before the great rename"));
}

#[test]
fn an_index_with_conflicts_and_intents_is_restored() {
    let mut scratch = Scratch::repo();
    scratch.ok("git checkout -qb side && echo side >src.txt && git commit -qam side && git checkout -q main");
    scratch.ok("echo main >src.txt && git commit -qam main; git merge -q side || true");
    scratch.write("intended", "to be\n");
    scratch.write("staged-only", "once\n");
    scratch.ok(
        "git add -N intended && git add staged-only && rm staged-only && git update-index --assume-unchanged test.sh",
    );
    scratch.append("src.txt", "half resolved\n");
    let staged = scratch.ok("git ls-files -s -v").out;
    assert!(staged.matches("src.txt").count() == 3 && staged.contains("h 100644"), "{staged}");
    let (then, bytes) = (picture(&scratch.work()), index(&scratch));
    let id = save(&scratch);
    let shown = scratch.ok("rg-rescue show").out;
    assert!(shown.contains("under way a merge") && shown.contains("branch refs/heads/main"), "{shown}");
    scratch.ok("git merge --abort; git reset -q --hard; git clean -fdqx; git reflog expire --expire=now --all");
    scratch.ok("git gc -q --prune=now && git fsck --no-dangling");
    scratch.later(1.0);
    let said = scratch.ok(&format!("rg-rescue restore --from {id}"));
    assert!(said.out.contains("a merge was under way in the backup and was not restored"), "{said:?}");
    assert_eq!(picture(&scratch.work()), then);
    assert_eq!(index(&scratch), bytes);
    assert_eq!(scratch.ok("git ls-files -s -v").out, staged);
    assert_eq!(scratch.ok("git cat-file blob :staged-only").out, "once\n");
    assert_eq!(scratch.ok("git cat-file blob :2:src.txt").out, "main\n");
}

#[test]
fn a_backup_keeps_removed_commits() {
    let scratch = Scratch::repo();
    scratch.ok("echo lost >lost.txt && git add lost.txt && git commit -qm lost");
    let head = scratch.ok("git rev-parse HEAD").out.trim().to_string();
    let id = save(&scratch);
    scratch.ok("git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git gc -q --prune=now");
    let said = scratch.ok(&format!("rg-rescue restore --from {id}"));
    assert!(said.out.contains(&head[..12]), "{said:?}");
    assert_eq!(scratch.ok(&format!("cat lost.txt; git log -1 --format=%s {head}")).out, "lost\nlost\n");
    assert_ne!(scratch.ok("git rev-parse HEAD").out.trim(), head, "no branch is moved");
}

#[test]
fn no_filter_changes_the_bytes() {
    let scratch = Scratch::new();
    scratch.write(
        ".gitattributes",
        "*.txt text eol=crlf\n*.id ident\n*.f filter=upper\n*.u working-tree-encoding=UTF-16\n",
    );
    scratch.ok("git init -q && git config core.autocrlf true && git config core.safecrlf false");
    scratch.ok("git config filter.upper.clean 'touch ran; tr a-z A-Z' && git config filter.upper.smudge 'touch ran; tr A-Z a-z'");
    let all: [(&str, &[u8]); 5] = [
        ("a.txt", b"one\ntwo\r\n"),
        ("b.id", b"$Id: kept $\n"),
        ("c.f", b"MiXeD\n"),
        ("d", b"x\r\ny\n"),
        ("e.u", b"\xff\xfeh\0i\0"),
    ];
    for (name, bytes) in all {
        fs::write(scratch.work().join(name), bytes).unwrap();
    }
    scratch.ok("git add -A && git commit -qm all; rm -f ran; git add -A; git status --porcelain >/dev/null; rm -f ran");
    let then = picture(&scratch.work());
    let id = save(&scratch);
    assert!(!scratch.work().join("ran").exists());
    scratch.ok("rm -rf *; git checkout -q -- .; rm -f ran");
    let said = scratch.ok(&format!("rg-rescue restore --from {id}"));
    assert_eq!(picture(&scratch.work()), then, "{said:?}");
    assert_eq!(scratch.ok(&format!("rg-rescue diff --from {id}")).out, "");
}

#[test]
fn ignored_files_are_not_saved_and_not_removed() {
    let mut scratch = Scratch::repo();
    scratch.write(".gitignore", ".env\n/build/\n");
    scratch.write(".env", "secret\n");
    scratch.write("build/out", "x\n");
    scratch.write("notes", "first\n");
    let id = save(&scratch);
    // The rules change: files that were ignored then stay unsaved, others stay saved.
    scratch.write(".gitignore", "notes\n");
    scratch.write("notes", "second\n");
    scratch.write("since", "x\n");
    let changed = picture(&scratch.work());
    scratch.later(1.0);
    let said = scratch.ok(&format!("rg-rescue restore --from {id}"));
    let read = |name: &str| fs::read_to_string(scratch.work().join(name)).unwrap_or_default();
    assert_eq!([read(".env"), read("build/out"), read("notes"), read("since")], ["secret\n", "x\n", "first\n", ""]);
    let undo = undo_of(&said.out);
    scratch.later(1.0);
    scratch.ok(&format!("rg-rescue restore --from {undo}"));
    assert_eq!(picture(&scratch.work()), changed);
    // With --ignored they are saved.
    scratch.ok(&format!("rg-rescue restore --from {id}"));
    scratch.later(1.0);
    let then = picture(&scratch.work());
    let id = id_of(&scratch.ok("rg-rescue save --ignored").out);
    scratch.ok("rm -rf build .env");
    scratch.later(1.0);
    scratch.ok(&format!("rg-rescue restore --from {id}"));
    assert_eq!(picture(&scratch.work()), then);
}

#[test]
fn with_paths_only_these_are_restored() {
    let mut scratch = Scratch::repo();
    scratch.write("d/one", "1\n");
    scratch.write("d/two", "2\n");
    scratch.write("other", "o\n");
    let id = save(&scratch);
    scratch.ok("echo x >d/one; rm d/two; echo x >d/new; echo x >other; git add -A");
    let staged = index(&scratch);
    scratch.later(1.0);
    let said = scratch.ok(&format!("cd d && rg-rescue restore --from {id} -- one"));
    assert!(said.out.starts_with("restored 1 file from backup"), "{said:?}");
    assert_eq!(scratch.ok("cat d/one other; ls d").out, "1\nx\nnew\none\n");
    assert_eq!(index(&scratch), staged, "the index is not asked for");
    scratch.ok(&format!("rg-rescue restore --from {id} d"));
    assert_eq!(scratch.ok("cat d/one d/two other; ls d").out, "1\n2\nx\none\ntwo\n");
    for (path, what) in [("nowhere", "not in backup"), ("../x", "outside"), (".git/config", "belongs to git")] {
        let said = scratch.sh(&format!("rg-rescue restore --from {id} {path}"), b"");
        assert!(said.status == 100 && said.err.contains(what), "{path}: {said:?}");
    }
    let odd = OsStr::from_bytes(b"-\xff\n");
    fs::write(scratch.work().join(odd), "odd\n").unwrap();
    scratch.later(1.0);
    let id = save(&scratch);
    fs::remove_file(scratch.work().join(odd)).unwrap();
    let said = scratch.command("rg-rescue").args(["restore", "--from", &id, "--"]).arg(odd).output().unwrap();
    assert!(said.status.success() && scratch.work().join(odd).exists(), "{said:?}");
}

#[test]
fn nothing_is_written_outside_the_worktree_or_through_a_link() {
    let mut scratch = Scratch::repo();
    scratch.write("d/b", "kept\n");
    let id = save(&scratch);
    let outside = scratch.top().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("b"), "theirs\n").unwrap();
    fs::remove_dir_all(scratch.work().join("d")).unwrap();
    symlink(&outside, scratch.work().join("d")).unwrap();
    for line in ["rg-rescue restore --from ID", "rg-rescue restore --from ID d/b"] {
        scratch.later(1.0);
        let said = scratch.ok(&line.replace("ID", &id));
        assert_eq!(fs::read_to_string(scratch.work().join("d/b")).unwrap(), "kept\n", "{said:?}");
        assert!(!fs::symlink_metadata(scratch.work().join("d")).unwrap().is_symlink());
        scratch.ok(&format!("rg-rescue restore --from {}", undo_of(&said.out)));
        assert!(fs::symlink_metadata(scratch.work().join("d")).unwrap().is_symlink());
    }
    assert_eq!(picture(&outside).len(), 1);
    assert_eq!(fs::read_to_string(outside.join("b")).unwrap(), "theirs\n");
}

#[test]
fn a_backup_with_paths_outside_or_into_git_is_not_restored() {
    let scratch = Scratch::repo();
    scratch.write("planted", "#!/bin/sh\ntouch planted\n");
    let config = fs::read(scratch.work().join(".git/config")).unwrap();
    let script = "
        blob=$(git hash-object -w planted)
        sub=$(printf '100644 blob %s\\tconfig\\n' $blob | git mktree)
        up=$(printf '100644 blob %s\\tup\\n' $blob | git mktree)
        tree=$(printf '040000 tree %s\\t.git\\n040000 tree %s\\t.GIT\\n040000 tree %s\\t..\\n100644 blob %s\\tfine\\n' $sub $sub $up $blob | git mktree)
        commit=$(git commit-tree $tree -m 'a copy of another making')
        git update-ref refs/review-gate/rescue/01AAAAAAAAAAAAAAAAAAAAAAAA $commit";
    scratch.ok(script);
    let said = scratch.sh("rg-rescue restore --from 01AAAA", b"");
    assert!(said.status == 111 && said.out.matches("not restored: ").count() >= 3, "{said:?}");
    assert_eq!(fs::read(scratch.work().join(".git/config")).unwrap(), config);
    assert!(!scratch.top().join("up").exists() && !scratch.work().join(".GIT").exists());
    assert!(scratch.work().join("fine").exists());
    // The metadata of a backup cannot lead outside, either.
    scratch.write("new", "x\n");
    let id = save(&scratch);
    let planted = format!(
        "second=$(git rev-parse refs/review-gate/rescue/{id}^2)
        beside=$(printf 'd 755 ../out\\0d 755 .git/planted\\0d 755 /tmp/rg-planted\\0- 0 ../repo/new\\0d 4777 fine-dir\\0' | git hash-object -w --stdin)
        tree=$(git ls-tree $second | sed \"s/[0-9a-f]*\\tbeside/$beside\\tbeside/\" | git mktree)
        other=$(git commit-tree $tree -m x)
        git cat-file commit refs/review-gate/rescue/{id} | sed \"s/$second/$other/\" | git hash-object -w -t commit --stdin | xargs git update-ref refs/review-gate/rescue/{id}"
    );
    scratch.ok(&planted);
    let said = scratch.sh(&format!("rg-rescue restore --from {id}"), b"");
    assert!(said.out.contains("restored"), "{said:?}");
    assert!(scratch.work().join("fine-dir").is_dir() && scratch.work().join("new").exists(), "{said:?}");
    for outside in ["../out", ".git/planted", "/tmp/rg-planted"] {
        assert!(!scratch.work().join(outside).exists(), "{outside}");
    }
}

#[test]
fn repositories_inside_are_recorded_and_reported() {
    let mut scratch = Scratch::repo();
    scratch.ok("git init -q ../lib && git -C ../lib commit -qm x --allow-empty && git submodule --quiet add ../lib sub && git commit -qm sub");
    scratch.ok("git init -q vendor/own && echo x >vendor/own/f && mkdir fake && echo x >fake/.git && echo y >fake/y");
    scratch.write("sub/work", "mine\n");
    let said = scratch.ok("rg-rescue save");
    for what in [
        "not included: sub: another repository",
        "not included: vendor/own: another repository",
        "not included: fake/.git: cannot be copied",
    ] {
        assert!(said.out.contains(what), "{what}: {said:?}");
    }
    assert!(scratch.ok("rg-rescue show").out.contains("not included sub: another repository"));
    assert_eq!(scratch.ok("git fsck --no-dangling").out, "");
    scratch.write("sub/work", "still mine\n");
    scratch.write("vendor/own/f", "still mine\n");
    fs::remove_file(scratch.work().join("fake/y")).unwrap();
    scratch.later(1.0);
    scratch.ok(&format!("rg-rescue restore --from {}", id_of(&said.out)));
    assert_eq!(scratch.ok("cat sub/work vendor/own/f fake/y").out, "still mine\nstill mine\ny\n");
    assert!(scratch.work().join("vendor/own/.git/HEAD").exists());
}

#[test]
fn without_git_backups_are_in_the_state_directory() {
    let mut scratch = Scratch::new();
    scratch.write("d/a.txt", "one\n");
    fs::create_dir(scratch.work().join("empty")).unwrap();
    let then = picture(&scratch.work());
    let id = save(&scratch);
    assert!(scratch.state().join("rescue/store.git").is_dir() && !scratch.work().join(".git").exists());
    scratch.ok("rm -rf d empty; echo x >d");
    scratch.later(1.0);
    let said = scratch.ok("rg-rescue restore");
    assert_eq!(picture(&scratch.work()), then, "{said:?}");
    assert!(said.out.contains(&id));
    scratch.later(3600.0);
    let listed = scratch.ok("rg-rescue prune --dry-run --keep 0 --older 1s | grep '^would remove'").out;
    assert_eq!(listed.lines().count(), 2, "{listed}");
}

#[test]
fn worktrees_share_backups_and_each_names_its_worktree() {
    let mut scratch = Scratch::repo();
    let main = save(&scratch);
    scratch.ok("git worktree add -q ../wt -b wt && echo w >../wt/only-here");
    scratch.later(1.0);
    let other = id_of(&scratch.ok("rg-rescue save -C ../wt").out);
    let here = scratch.ok("rg-rescue list").out;
    let line = |id: &str| here.lines().find(|line| line.starts_with(id)).unwrap().to_string();
    assert!(line(&other).contains("/wt") && !line(&main).contains(" of "), "{here}");
    // The default is the last backup of this worktree.
    assert!(scratch.ok("rg-rescue show").out.starts_with(&main));
    assert!(scratch.ok("rg-rescue show -C ../wt").out.starts_with(&other));
    scratch.ok("git worktree remove --force ../wt && git worktree add -q ../wt wt");
    scratch.later(1.0);
    scratch.ok(&format!("rg-rescue restore -C ../wt --from {other}"));
    assert_eq!(scratch.ok("cat ../wt/only-here").out, "w\n");
}

#[test]
fn permissions_of_directories_are_restored() {
    let scratch = Scratch::new();
    scratch.write("private/notes", "x");
    scratch.write("other/notes", "x");
    scratch.write("third/notes", "x");
    let mode = |name: &str| fs::metadata(scratch.work().join(name)).unwrap().permissions().mode() & 0o7777;
    scratch.ok("chmod 755 other third && chmod 700 private");
    let id = save(&scratch);
    scratch.ok("chmod 755 private && chmod 700 third && chmod 700 other");
    scratch.ok(&format!("rg-rescue restore --from {id} -- private other"));
    assert_eq!((mode("private"), mode("other"), mode("third")), (0o700, 0o755, 0o700), "with paths only these");
    let said = scratch.ok(&format!("rg-rescue restore --from {id}"));
    assert_eq!(mode("third"), 0o755, "{said:?}");
}

#[test]
fn restoring_twice_gives_the_same_files() {
    let mut scratch = Scratch::repo();
    scratch.append("src.txt", "mine\n");
    let id = save(&scratch);
    scratch.ok("git checkout -q -- .");
    for n in 0..3 {
        scratch.later(1.0);
        let said = scratch.ok("rg-rescue restore");
        assert!(said.out.contains(&format!("from backup {id}")), "{n}: {said:?}");
        assert_eq!(scratch.ok("tail -n1 src.txt").out, "mine\n");
    }
    // A backup that a restore saved is not the default.
    scratch.later(1.0);
    let said = scratch.ok("rg-rescue save");
    let last = scratch.ok("rg-rescue show").out;
    assert!(last.starts_with(&id_of(&said.out)) || said.out.contains(&id), "{said:?}: {last}");
}

/// Kills the program at every point at which a file gets its name.
#[test]
fn killed_at_any_step_no_file_is_partly_written() {
    let work = |scratch: &Scratch| {
        scratch.write("src.txt", &"changed\n".repeat(9000));
        scratch.write("d/new", &"new\n".repeat(9000));
        symlink("d/new", scratch.work().join("link")).unwrap();
    };
    let mut whole = false;
    for n in 1..40 {
        let mut scratch = Scratch::repo();
        work(&scratch);
        let then = picture(&scratch.work());
        let died = scratch.sh(&format!("RG_CRASH={n} rg-rescue save"), b"").status != 0;
        assert_eq!(picture(&scratch.work()), then);
        let kept = refs(&scratch);
        assert!(!died || kept.is_empty(), "{n}: {kept:?}");
        assert_eq!(scratch.ok("git fsck --no-dangling").out, "", "{n}");
        // Another run succeeds, and git removes the rest.
        let id = save(&scratch);
        scratch.ok("git gc -q --prune=now");
        assert_eq!(scratch.ok("find .git -name '*tmp_obj*' -o -name '*.lock'").out, "", "{n}");
        scratch.ok("echo x >src.txt; rm -r d; echo x >d; rm link");
        let changed = picture(&scratch.work());
        scratch.later(1.0);
        let restored = scratch.sh(&format!("RG_CRASH={n} rg-rescue restore --from {id}"), b"").status == 0;
        for (path, (_, bytes)) in picture(&scratch.work()) {
            let is_temporary = path.to_string_lossy().contains(".rg-rescue-");
            let is_known = [&then, &changed].iter().any(|all| all.get(&path).is_some_and(|known| known.1 == bytes));
            assert!(is_temporary || is_known, "{n}: {} is neither", path.display());
        }
        scratch.later(1.0);
        let _ = fs::remove_file(scratch.work().join(".git/index.lock"));
        scratch.ok(&format!("rg-rescue restore --from {id}"));
        assert!(picture(&scratch.work()) == then, "{n}");
        if !died && restored {
            whole = true;
            break;
        }
    }
    assert!(whole, "it never came through");
}

#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let mut scratch = Scratch::repo();
    scratch.write("big", &"x".repeat(300_000));
    let small = "trap '' XFSZ; ulimit -f 100; ";
    let said = scratch.sh(&format!("{small} rg-rescue save"), b"");
    assert!(said.status == 111 && said.err.starts_with("rg-rescue: unable to write"), "{said:?}");
    assert!(refs(&scratch).is_empty() && scratch.ok("find .git -name 'tmp_obj*'").out.is_empty());
    let id = save(&scratch);
    scratch.ok("echo small >big; echo x >src.txt");
    scratch.later(1.0);
    let said = scratch.sh(&format!("{small} rg-rescue restore --from {id}"), b"");
    assert!(said.status == 111 && said.out.contains("not restored: unable to write big"), "{said:?}");
    assert_eq!(scratch.ok("cat big src.txt; find . -name '.rg-rescue*'").out, "small\nbroken\n", "the rest is done");
    // Without its reference there is no backup.
    let scratch = Scratch::repo();
    fs::write(scratch.work().join(".git/refs/review-gate"), "").unwrap();
    let said = scratch.sh("rg-rescue save", b"");
    assert!(said.status == 111 && said.err.lines().count() == 1, "{said:?}");
}

#[test]
fn old_backups_are_pruned_by_age_and_count_and_only_by_a_user() {
    let mut scratch = Scratch::repo();
    let take = |scratch: &Scratch, n: usize| {
        scratch.write("n", &n.to_string());
        save(scratch)
    };
    let mut ids: Vec<String> = Vec::new();
    for n in 0..5 {
        scratch.later(60.0);
        ids.push(take(&scratch, n));
    }
    let dry = |scratch: &Scratch, words: &str| {
        scratch.ok(&format!("rg-rescue prune --dry-run {words} | sed '/^would remove/!d'")).out
    };
    assert_eq!(dry(&scratch, "--keep 2 --older 1m").lines().count(), 3);
    assert_eq!(dry(&scratch, "--keep 2 --older 3m").lines().count(), 1);
    assert_eq!(dry(&scratch, "").lines().count(), 0);
    scratch.set("CLAUDECODE", "1");
    let said = scratch.sh("rg-rescue prune --keep 0 --older 1s", b"");
    assert!(said.status == 100 && said.err.contains("only for the user"), "{said:?}");
    scratch.env.remove("CLAUDECODE");
    if std::process::Command::new("script").arg("--version").output().is_err() {
        return crate::scratch::skipped("no script");
    }
    let said = scratch.run("script", &["-qec", "rg-rescue prune --keep 2 --older 1m", "/dev/null"], b"");
    assert_eq!((said.status, refs(&scratch).len()), (0, 2), "{said:?}");
    assert!(refs(&scratch)[0].ends_with(&ids[3]));
    // Automatically: backups older than a month and not among the last twenty.
    for n in 0..22 {
        scratch.later(60.0);
        take(&scratch, 100 + n);
    }
    scratch.later(30.0 * 86_400.0);
    scratch.ok("rm -f ../state/cache/*.tidied");
    take(&scratch, 7);
    assert_eq!(refs(&scratch).len(), 20);
}

#[test]
fn simultaneous_backups_are_both_saved() {
    let scratch = Scratch::repo();
    scratch.write("new", &"x\n".repeat(50_000));
    scratch.ok("for n in 1 2 3 4; do env -u RG_NOW rg-rescue save --why $n & done; wait");
    assert_eq!(refs(&scratch).len(), 4);
    assert_eq!(scratch.ok("git fsck --no-dangling").out, "");
}

#[test]
fn a_split_index_and_sha256_objects_are_saved() {
    for init in ["git init -q", "git init -q --object-format=sha256", "git init -q --ref-format=reftable"] {
        let mut scratch = Scratch::new();
        if scratch.sh(init, b"").status != 0 {
            crate::scratch::skipped(init);
            continue;
        }
        scratch.write("a", "one\n");
        scratch.ok("git add a && git commit -qm x && git update-index --split-index");
        scratch.write("b", "two\n");
        scratch.ok("git add b");
        scratch.write("c", "three\n");
        let (then, staged) = (picture(&scratch.work()), scratch.ok("git ls-files -s").out);
        let id = save(&scratch);
        scratch.ok("git reset -q --hard; git clean -fdqx; git reflog expire --expire=now --all; git gc -q --prune=now; rm -f .git/sharedindex.* .git/index");
        scratch.later(1.0);
        let said = scratch.ok(&format!("rg-rescue restore --from {id}"));
        assert_eq!(picture(&scratch.work()), then, "{init}: {said:?}");
        assert_eq!(scratch.ok("git ls-files -s").out, staged, "{init}");
        assert_eq!(scratch.ok("git fsck --no-dangling").out, "", "{init}");
    }
}

#[test]
fn diff_prints_what_changed() {
    let scratch = Scratch::repo();
    let said: Said = scratch.sh("rg-rescue diff", b"");
    assert!(said.status == 100 && said.err.contains("no backup of"), "{said:?}");
    save(&scratch);
    assert_eq!(scratch.ok("rg-rescue diff").out, "");
    scratch.write("src.txt", "fixed\n");
    scratch.write("new", "x\n");
    let said = scratch.sh("rg-rescue diff", b"");
    assert!(said.status == 1 && said.out.contains("-broken\n+fixed\n") && said.out.contains("now/new"), "{said:?}");
    let said = scratch.sh("rg-rescue diff src.txt", b"");
    assert!(said.status == 1 && !said.out.contains("now/new"), "{said:?}");
    let listed: serde_json::Value = serde_json::from_str(&scratch.ok("rg-rescue list --json").out).unwrap();
    assert_eq!((&listed["branch"], &listed["files"]), (&"refs/heads/main".into(), &3.into()));
}
