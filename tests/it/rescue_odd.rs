//! Laws of rg-rescue in unusual cases: git directories in unusual places, files that cannot be stored or written, forged backups.

use crate::rescue::{id_of, picture, refs, save, undo_of};
use crate::scratch::{Said, Scratch, skipped};
use review_gate::rescue::{BackupOptions, take};
use review_gate::store::state::State;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

/// Runs a shell line to which file permissions apply, even as root; None if that is impossible.
fn bound(scratch: &Scratch, line: &str) -> Option<Said> {
    let is_root = scratch.ok("id -u").out.trim() == "0";
    if !is_root {
        return Some(scratch.sh(line, b""));
    }
    let all = ["--bounding-set=-all", "--inh-caps=-all", "sh", "-c"];
    match std::process::Command::new("setpriv").args(all).arg("true").status() {
        Ok(status) if status.success() => Some(scratch.run("setpriv", &[&all[..], &[line]].concat(), b"")),
        _ => {
            skipped("no setpriv");
            None
        }
    }
}

/// Puts a script named git before the real git, which it finds in `$GIT`.
fn before_git(scratch: &mut Scratch, script: &str) {
    let git = scratch.ok("command -v git").out.trim().to_string();
    let dir = scratch.top().join("shim");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("git"), format!("#!/bin/sh\nGIT='{git}'\n{script}\n")).unwrap();
    fs::set_permissions(dir.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", dir.display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
}

/// Writes the backup again with another message.
fn plant(scratch: &Scratch, id: &str, sed: &str) {
    let name = format!("refs/review-gate/rescue/{id}");
    scratch.ok(&format!(
        "git cat-file commit {name} | sed '{sed}' | git hash-object -w -t commit --stdin | xargs git update-ref {name}"
    ));
}

#[test]
fn a_git_directory_with_another_name_is_not_changed() {
    let bare = "git init -q ../seed && echo x >../seed/f && git -C ../seed add f && git -C ../seed commit -qm x &&
        git clone -q --bare ../seed .bare && echo 'gitdir: ./.bare' >.git && git worktree add -q main main";
    let apart =
        "git init -q --separate-git-dir=store.git main && mv main/.git . && rmdir main && git add -A .gitignore &&
        git commit -qm x && git worktree add -q main -b other";
    let linked = "git init -q && git add -A && git commit -qm x && mv .git odd && ln -s odd .git && git worktree add -q main -b other";
    for layout in [bare, apart, linked] {
        let mut scratch = Scratch::new();
        scratch.write(".gitignore", "*.log\n");
        scratch.ok(layout);
        scratch.write("notes.txt", "precious\n");
        let id = save(&scratch);
        let held = scratch.ok(&format!("git ls-tree -r --name-only refs/review-gate/rescue/{id}")).out;
        assert!(held.contains("notes.txt") && !held.contains("HEAD"), "{layout}: {held}");
        scratch.ok("cd main && echo work >w && git add w && git commit -qm work");
        scratch.ok("rm notes.txt");
        scratch.later(1.0);
        let said = scratch.sh("rg-rescue restore", b"");
        assert_eq!((said.status, scratch.ok("cat notes.txt").out), (0, "precious\n".into()), "{layout}: {said:?}");
        assert_eq!(scratch.ok("git -C main log -1 --format=%s").out, "work\n", "{layout}");
        assert_eq!(scratch.ok("git fsck --no-dangling").out, "", "{layout}");
        assert!(refs(&scratch).len() == 2, "{layout}: the copies are still there");
    }
}

#[test]
fn nothing_is_written_into_a_git_directory_with_another_name() {
    let scratch = Scratch::new();
    scratch.ok("git init -q --separate-git-dir=store.git sub && mv sub/.git . && rmdir sub && echo x >f && git add f && git commit -qm x");
    let config = fs::read(scratch.work().join("store.git/config")).unwrap();
    scratch.ok("blob=$(echo planted | git hash-object -w --stdin)
        sub=$(printf '100644 blob %s\\tconfig\\n100644 blob %s\\tnew\\n' $blob $blob | git mktree)
        tree=$(printf '040000 tree %s\\tstore.git\\n100644 blob %s\\tfine\\n' $sub $blob | git mktree)
        git update-ref refs/review-gate/rescue/01AAAAAAAAAAAAAAAAAAAAAAAA $(git commit-tree $tree -m planted)");
    let said = scratch.sh("rg-rescue restore --from 01AAAA", b"");
    assert!(said.status == 111 && said.out.matches("not restored: ").count() == 2, "{said:?}");
    assert_eq!(fs::read(scratch.work().join("store.git/config")).unwrap(), config);
    assert!(scratch.work().join("fine").exists() && !scratch.work().join("store.git/new").exists());
}

#[test]
fn inside_a_git_directory_nothing_is_saved_or_restored() {
    let scratch = Scratch::repo();
    scratch.ok("git clone -q --bare . ../origin.git");
    for verb in ["save", "restore", "save -C refs/heads"] {
        let said = scratch.sh(&format!("cd ../origin.git && rg-rescue {verb}"), b"");
        assert!(
            said.status == 100 && said.err.contains("a git directory has no working tree to back up: "),
            "{verb}: {said:?}"
        );
    }
    assert!(!scratch.state().join("rescue/store.git").exists());
}

#[test]
fn a_link_that_cannot_be_stored_fails_the_backup() {
    let scratch = Scratch::repo();
    symlink("some/target", scratch.work().join("link")).unwrap();
    let id = scratch.ok("printf some/target | git hash-object --stdin").out;
    let dir = scratch.work().join(".git/objects").join(&id[..2]);
    fs::write(&dir, "").unwrap();
    let said = scratch.sh("rg-rescue save", b"");
    assert!(said.status == 111 && said.err.starts_with("rg-rescue: unable to write"), "{said:?}");
    assert!(refs(&scratch).is_empty());
    fs::remove_file(&dir).unwrap();
    save(&scratch);
    scratch.ok("git gc -q --prune=now");
    assert_eq!(scratch.ok("git fsck --no-dangling").out, "");
}

#[test]
fn the_message_of_a_backup_is_never_an_option() {
    for head in ["--output=PWN", "a\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}", "", "HEAD"] {
        let mut scratch = Scratch::repo();
        scratch.write("new", "x\n");
        let id = save(&scratch);
        let forged =
            format!("s/\"head\":\"[0-9a-f]*\"/\"head\":\"{head}\"/; s/\"by\":\"[^\"]*\"/\"by\":\"\\\\u001b[2J\"/");
        plant(&scratch, &id, &forged);
        let shown = scratch.ok("rg-rescue show").out;
        assert!(!scratch.work().join("PWN").exists() && !shown.contains('\u{1b}'), "{head}: {shown:?}");
        assert!(shown.contains("new") && !shown.contains("\nhead "), "{head}: {shown}");
        scratch.ok("rm new");
        scratch.later(1.0);
        let said = scratch.sh("rg-rescue restore", b"");
        assert!(said.status == 0 && said.out.contains("Undo it"), "{head}: {said:?}");
        assert!(scratch.work().join("new").exists());
    }
}

#[test]
fn files_in_the_place_of_a_repository_are_saved() {
    let mut scratch = Scratch::repo();
    scratch.ok("git init -q ../lib && git -C ../lib commit -qm x --allow-empty && git submodule --quiet add ../lib sub && git commit -qm sub");
    scratch.ok("git submodule --quiet deinit -f sub && echo precious >sub/x");
    let back = |scratch: &mut Scratch, lose: &str, path: &str| {
        let said = scratch.ok("rg-rescue save");
        assert!(!said.out.contains("not included: sub"), "{said:?}");
        scratch.ok(lose);
        scratch.later(1.0);
        let restored = scratch.sh(&format!("rg-rescue restore --from {}", id_of(&said.out)), b"");
        assert_eq!(scratch.sh(&format!("cat {path}"), b"").out, "precious\n", "{restored:?}");
        scratch.later(1.0);
        said.out
    };
    back(&mut scratch, "rm -r sub", "sub/x");
    scratch.ok("rm -r sub && echo precious >sub");
    back(&mut scratch, "rm sub", "sub");
    // Git enters a directory with tracked files in any case.
    scratch.ok(
        "mkdir src && echo x >src/a && git add src && git commit -qm src && git init -q src && echo precious >src/a",
    );
    let said = back(&mut scratch, "git checkout -q -- src/a", "src/a");
    assert!(said.contains("not included: src/.git: another repository\n"), "{said}");
    assert!(!said.contains("src/.git/") && scratch.work().join("src/.git/HEAD").exists(), "{said}");
    // A directory that only has a repository's name is none.
    scratch.ok("mkdir -p d/.git && : >d/.git/HEAD && echo precious >d/x");
    back(&mut scratch, "rm d/x", "d/x");
    assert_eq!(scratch.ok("git fsck --no-dangling").out, "");
}

#[test]
fn a_split_index_is_joined_in_a_private_file() {
    let mut scratch = Scratch::repo();
    scratch.ok("git update-index --split-index && echo y >new && git add new && : >.git/review-gate-rescue.index.lock");
    let victim = scratch.top().join("victim");
    fs::write(&victim, "theirs\n").unwrap();
    symlink(&victim, scratch.work().join(".git/review-gate-rescue.index")).unwrap();
    save(&scratch);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "theirs\n");
    scratch.ok("rm .git/review-gate-rescue*");
    scratch.later(1.0);
    let said = scratch.ok("for n in 1 2 3 4 5 6; do env -u RG_NOW rg-rescue save --why $n & done; wait");
    assert_eq!((said.err.as_str(), refs(&scratch).len()), ("", 7));
    assert_eq!(scratch.ok("find .git -name 'tmp_obj*' -o -name '*.lock' -o -name 'review-gate-*'").out, "");
}

#[test]
fn no_object_is_written_through_a_link() {
    let scratch = Scratch::repo();
    scratch.write("new", "x\n");
    let id = scratch.ok("git hash-object new").out;
    let outside = scratch.top().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, scratch.work().join(".git/objects").join(&id[..2])).unwrap();
    let said = scratch.sh("rg-rescue save", b"");
    assert_eq!((said.status, picture(&outside).len()), (111, 0), "{said:?}");
}

#[test]
fn read_only_directories_are_restored() {
    let mut scratch = Scratch::new();
    scratch.write("m/a/f", "one\n");
    scratch.write("m/b/c/f", "two\n");
    scratch.write("m/a/x", "x\n");
    scratch.ok("mkdir -p m/empty/inner open && chmod 444 m/a/f && chmod -R a-w m && chmod 500 m/b");
    let then = picture(&scratch.work());
    let Some(said) = bound(&scratch, "rg-rescue save") else { return };
    let id = id_of(&said.out);
    let lines = [
        "chmod -R u+w m && rm -r m",
        "chmod u+w m/a && rm m/a/f && chmod u-w m/a",
        "chmod -R u+w m && rm -r m/empty && chmod -R a-w m && chmod 500 m/b",
        "chmod u+w m/a && echo new >m/a/new && chmod u-w m/a",
        "chmod -R u+w m && rm -r m && echo x >m",
    ];
    for line in lines {
        scratch.ok(line);
        let changed = picture(&scratch.work());
        scratch.later(1.0);
        let said = bound(&scratch, &format!("rg-rescue restore --from {id}")).unwrap();
        assert_eq!((said.status, picture(&scratch.work()) == then), (0, true), "{line}: {said:?}");
        scratch.later(1.0);
        let said = bound(&scratch, &format!("rg-rescue restore --from {}", undo_of(&said.out))).unwrap();
        assert_eq!((said.status, picture(&scratch.work()) == changed), (0, true), "undo {line}: {said:?}");
        scratch.later(1.0);
        bound(&scratch, &format!("rg-rescue restore --from {id}")).unwrap();
    }
    scratch.ok("chmod -R u+w .");
}

#[test]
fn if_git_ends_early_no_partial_file_stays_and_the_rest_is_named() {
    let mut scratch = Scratch::repo();
    for name in ["a", "b", "c"] {
        scratch.write(name, &name.repeat(300_000));
    }
    let id = save(&scratch);
    scratch.ok("rm a b c");
    before_git(
        &mut scratch,
        "case \"$*\" in *--batch) \"$GIT\" \"$@\" | stdbuf -o0 head -c 450000; exit 1;; esac; exec \"$GIT\" \"$@\"",
    );
    scratch.later(1.0);
    let said = scratch.sh(&format!("rg-rescue restore --from {id}"), b"");
    assert!(said.status == 111 && said.out.starts_with("restored 1 file"), "{said:?}");
    assert!(
        said.out.contains("not restored: b: ")
            && said.out.contains("not restored: c: ")
            && !said.out.contains("not restored: a"),
        "{said:?}"
    );
    assert_eq!(scratch.ok("ls -A").out, ".git\nDONE.md\na\nsrc.txt\ntest.sh\n");
}

#[test]
fn every_difference_in_the_index_is_a_change() {
    let mut scratch = Scratch::repo();
    scratch.ok("git config core.fileMode false && : >empty && : >other && git add other");
    let mut ids = vec![save(&scratch)];
    let lines = [
        "git update-index --chmod=+x src.txt",
        "git add empty",
        "git rm -q --cached empty && git add -N empty",
        "id=$(git rev-parse :src.txt); printf '0 0000 0\\tsrc.txt\\n100644 %s 1\\tsrc.txt\\n' $id | sed 's/^0 0000/0 0000000000000000000000000000000000000000/' | git update-index --index-info",
        "id=$(git rev-parse :1:src.txt); printf '0 0000 0\\tsrc.txt\\n100644 %s 2\\tsrc.txt\\n' $id | sed 's/^0 0000/0 0000000000000000000000000000000000000000/' | git update-index --index-info",
    ];
    for line in lines {
        scratch.ok(line);
        scratch.later(1.0);
        let said = scratch.ok("rg-rescue save");
        assert!(said.out.starts_with("saved backup "), "{line}: {said:?}");
        ids.push(id_of(&said.out));
        scratch.later(1.0);
        assert!(scratch.ok("rg-rescue save").out.starts_with("nothing changed"), "{line}");
    }
}

#[test]
fn large_files_are_read_once() {
    let scratch = Scratch::repo();
    let state = State::at(scratch.state());
    let cache = state.stat_cache(&scratch.work());
    save(&scratch);
    assert!(!cache.exists(), "so little is read again");
    scratch.write("large", &"x".repeat(3 << 20));
    save(&scratch);
    assert!(cache.exists());
}

#[test]
fn the_limit_applies_before_reading() {
    let scratch = Scratch::repo();
    let state = State::at(scratch.state());
    // Reading it would take minutes.
    fs::File::create(scratch.work().join("sparse")).unwrap().set_len(128 << 30).unwrap();
    let wish = BackupOptions { by: "test", most: Some(1 << 20), ..BackupOptions::default() };
    let began = std::time::Instant::now();
    let refused = take(&scratch.work(), &state, &wish).err().expect("a copy").to_string();
    assert!(refused.contains("131072 MiB, and an automatic backup may have 1 MiB"), "{refused}");
    assert!(began.elapsed() < Duration::from_secs(20));
    // Files that git has already do not count.
    fs::write(scratch.work().join("sparse"), "y".repeat(3 << 20)).unwrap();
    scratch.ok("git add sparse");
    assert!(take(&scratch.work(), &state, &wish).is_ok());
}

#[test]
fn an_object_emptied_by_a_power_cut_is_stored_again() {
    let scratch = Scratch::repo();
    scratch.write("new", "x\n");
    let id = scratch.ok("git hash-object -w new").out.trim().to_string();
    let object = scratch.work().join(".git/objects").join(&id[..2]).join(&id[2..]);
    fs::set_permissions(&object, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&object, "").unwrap();
    save(&scratch);
    assert_eq!(scratch.ok(&format!("git cat-file blob {id}; git fsck --no-dangling")).out, "x\n");
}

#[test]
fn git_reads_files_with_ambiguous_times_after_a_restore() {
    let mut scratch = Scratch::repo();
    // The same length and the same time, as far as the index can tell.
    scratch.ok("printf 'aaa\\n' >f && touch -d '2026-11-01 12:00:00' f && git add f && printf 'bbb\\n' >f && touch -d '2026-11-01 12:00:00' f");
    scratch.ok("git update-index --refresh -q; git update-index --add --cacheinfo 100644,$(printf 'aaa\\n' | git hash-object -w --stdin),f; git config core.trustctime false");
    scratch.ok("printf 'aaa\\n' >f && touch -d '2026-11-01 12:00:00' f && git update-index --refresh; printf 'bbb\\n' >f && touch -d '2026-11-01 12:00:00' f .git/index");
    let status = "git --no-optional-locks status --porcelain f";
    assert_eq!(scratch.ok(status).out, "AM f\n");
    let id = save(&scratch);
    scratch.ok("git rm -qf --cached f");
    scratch.later(1.0);
    scratch.ok(&format!("rg-rescue restore --from {id}"));
    assert_eq!(scratch.ok(status).out, "AM f\n");
}

#[test]
fn special_files_are_named() {
    let mut scratch = Scratch::repo();
    scratch.write("new", "x\n");
    let id = save(&scratch);
    scratch.ok("rm new && mkfifo new");
    scratch.later(1.0);
    let said = scratch.sh(&format!("rg-rescue restore --from {id}"), b"");
    assert!(
        said.status == 111 && said.out.contains("not restored: new: it is now neither a file nor a link"),
        "{said:?}"
    );
}

/// An object that is pruned during the backup makes the backup start again.
#[test]
fn a_backup_that_lost_an_object_is_taken_again() {
    let mut scratch = Scratch::new();
    if scratch.sh("git init -q --ref-format=reftable", b"").status != 0 {
        return skipped("no reftable");
    }
    scratch.ok("echo x >f && git add f && git commit -qm x && git gc -q && echo y >new");
    let once = "case \"$*\" in *update-ref*) \"$GIT\" \"$@\" || exit; test -e ../once || { : >../once; rm -rf .git/objects/??; };;
        *) exec \"$GIT\" \"$@\";; esac";
    before_git(&mut scratch, once);
    let id = save(&scratch);
    assert_eq!(scratch.ok(&format!("git show refs/review-gate/rescue/{id}:new; git fsck --no-dangling")).out, "y\n");
    assert_eq!(refs(&scratch).len(), 1);
}
