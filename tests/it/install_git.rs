//! Laws of `rg-install git`: the hooks of git judge, stand beside those of others, and are removed byte for byte.

use crate::scratch::{Said, Scratch, bin_dir, skipped};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const NAMES: [&str; 3] = ["pre-commit", "pre-push", "post-commit"];

/// A repository whose hooks are in that directory.
fn repo(hooks: Option<&str>) -> Scratch {
    let mut scratch = Scratch::repo();
    // The environment of the tests turns hooks off.
    let config = scratch.top().join("home/.gitconfig");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("[core]\n\thooksPath = /dev/null\n", "")).unwrap();
    if let Some(hooks) = hooks {
        scratch.ok(&format!("git config core.hooksPath '{hooks}'"));
    }
    scratch.env.remove("GIT_CONFIG_NOSYSTEM");
    scratch
}

fn install(scratch: &Scratch, args: &[&str]) -> Said {
    let mut all = vec!["git"];
    all.extend(args);
    scratch.run("rg-install", &all, b"")
}

/// The files of a directory with their bytes and modes.
fn files(dir: &Path) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let read =
        |path: PathBuf| (path.clone(), (fs::read(&path).unwrap(), path.metadata().unwrap().permissions().mode()));
    entries.filter(|path| path.is_file()).map(read).collect()
}

fn hook(scratch: &Scratch, path: &str, text: &str, mode: u32) {
    scratch.write(path, text);
    fs::set_permissions(scratch.work().join(path), fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn hooks_are_written_where_git_looks_and_removed_byte_for_byte() {
    for (set, dir) in [(None, ".git/hooks"), (Some(".githooks"), ".githooks"), (Some(".husky/_"), ".husky")] {
        let scratch = repo(set);
        scratch.ok(&format!("mkdir -p {dir}"));
        hook(&scratch, &format!("{dir}/pre-commit"), "#!/usr/bin/env python3\nprint('mine')\n", 0o751);
        hook(&scratch, &format!("{dir}/pre-push"), "echo not executable\n", 0o644);
        let before = files(&scratch.work().join(dir));
        let dry = install(&scratch, &["--dry-run"]);
        assert!(dry.status == 0 && dry.out.contains("+# Written by `rg-install git`"), "{dry:?}");
        assert_eq!(files(&scratch.work().join(dir)), before);
        let said = install(&scratch, &[]);
        assert_eq!((said.status, said.out.matches("wrote ").count()), (0, 3), "{said:?}");
        let wired = files(&scratch.work().join(dir));
        for name in NAMES {
            let (bytes, mode) = &wired[&scratch.work().join(dir).join(name)];
            assert!(String::from_utf8_lossy(bytes).contains(bin_dir().to_str().unwrap()) && mode & 0o777 == 0o755);
        }
        let again = install(&scratch, &[]);
        assert!(again.out.matches("already there: ").count() == 3 && files(&scratch.work().join(dir)) == wired);
        assert_eq!(install(&scratch, &["--uninstall"]).out.matches("removed ").count(), 3);
        assert_eq!(files(&scratch.work().join(dir)), before, "{dir}");
        assert_eq!(install(&scratch, &["--uninstall"]).out.matches("no hook of review-gate").count(), 3);
    }
}

#[test]
fn a_commit_that_lowers_the_bar_is_refused_and_an_honest_one_is_not() {
    let scratch = repo(None);
    assert_eq!(install(&scratch, &[]).status, 0);
    scratch.write("a.test.js", "it('adds', () => { expect(1 + 1).toBe(2) })\n");
    let honest = scratch.sh("git add -A && git commit -qm tests", b"");
    assert_eq!(honest.status, 0, "{honest:?}");
    assert!(honest.err.contains("review-gate: no receipt covers its files"), "{honest:?}");
    scratch.write("a.test.js", "it.skip('adds', () => { expect(1 + 1).toBe(2) })\n");
    let tampered = scratch.sh("git add -A && git commit -qm skip", b"");
    assert!(tampered.status == 1 && tampered.err.contains("the commit is refused"), "{tampered:?}");
    assert!(tampered.err.contains("a.test.js"), "{tampered:?}");
    assert_eq!(scratch.ok("git log --oneline").out.lines().count(), 2);
}

#[test]
fn a_push_of_failing_work_is_refused() {
    let scratch = repo(None);
    scratch.ok("git init -q --bare ../there && git remote add origin ../there && git push -q -u origin HEAD");
    assert_eq!(install(&scratch, &[]).status, 0);
    scratch.append("src.txt", "more\n");
    scratch.ok("git commit -qam more");
    let refused = scratch.sh("git push -q", b"");
    assert!(refused.status != 0 && refused.err.contains("src.txt:1: not fixed"), "{refused:?}");
    assert!(refused.err.contains("the push is refused"), "{refused:?}");
    scratch.write("src.txt", "fixed\n");
    scratch.ok("git commit -qam fixed");
    let pushed = scratch.sh("git push -q", b"");
    assert_eq!(pushed.status, 0, "{pushed:?}");
}

#[test]
fn the_earlier_hook_runs_first_with_its_arguments_and_input_and_can_refuse() {
    let scratch = repo(None);
    scratch.ok("git init -q --bare ../there && git remote add origin ../there && git push -q -u origin HEAD");
    hook(&scratch, ".git/hooks/pre-push", "#!/bin/sh\nprintf '%s\\n' \"$1\" >../said; cat >>../said\n", 0o755);
    hook(&scratch, ".git/hooks/pre-commit", "#!/bin/sh\ntest ! -e refuse\n", 0o755);
    install(&scratch, &[]);
    scratch.write("src.txt", "fixed\n");
    scratch.ok("git commit -qam fixed && git push -q");
    let said = fs::read_to_string(scratch.top().join("said")).unwrap();
    assert!(said.starts_with("origin\nrefs/heads/main "), "{said}");
    scratch.write("refuse", "");
    let refused = scratch.sh("git add -A && git commit -qm refused", b"");
    assert!(refused.status == 1 && !refused.err.contains("review-gate"), "{refused:?}");
}

#[test]
fn what_cannot_be_judged_is_said_and_refuses_nothing() {
    let scratch = repo(None);
    install(&scratch, &[]);
    scratch.ok("git rm -q DONE.md && git commit -q --no-verify -m gone");
    scratch.append("src.txt", "more\n");
    let said = scratch.sh("git commit -qam more", b"");
    assert!(said.status == 0 && said.err.contains("the commit was not judged"), "{said:?}");
    // The programs are gone.
    for name in NAMES {
        let path = scratch.work().join(".git/hooks").join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(bin_dir().to_str().unwrap(), "/nowhere")).unwrap();
    }
    scratch.append("src.txt", "more\n");
    let gone = scratch.sh("git commit -qam more", b"");
    assert!(gone.status == 0 && gone.err.contains("no program in /nowhere: not judged"), "{gone:?}");
}

#[test]
fn nothing_of_others_is_lost() {
    // The directory of all repositories of the user.
    for outside in ["../hooks", "none/../../hooks", "~/hooks", "/dev/null"] {
        let shared = repo(Some(outside));
        let said = install(&shared, &[]);
        assert!(said.status == 100 && said.err.contains("outside of this repository"), "{outside}: {said:?}");
        assert!(!shared.top().join("hooks").exists() && !shared.top().join("home/hooks").exists());
    }
    // A hook of this program that somebody changed.
    let changed = repo(None);
    install(&changed, &[]);
    changed.append(".git/hooks/pre-commit", "echo mine\n");
    let before = files(&changed.work().join(".git/hooks"));
    for args in [&[][..], &["--uninstall"]] {
        let said = install(&changed, args);
        assert!(said.status == 100 && said.err.contains("was changed since"), "{said:?}");
        assert_eq!(files(&changed.work().join(".git/hooks")), before, "not even the other hooks");
    }
    // Another program took the name, and the earlier hook waits.
    let taken = repo(None);
    hook(&taken, ".git/hooks/pre-commit", "#!/bin/sh\n:\n", 0o755);
    install(&taken, &[]);
    hook(&taken, ".git/hooks/pre-commit", "#!/bin/sh\necho another\n", 0o755);
    let before = files(&taken.work().join(".git/hooks"));
    let said = install(&taken, &[]);
    assert!(said.status == 100 && said.err.contains("is there already"), "{said:?}");
    assert_eq!(files(&taken.work().join(".git/hooks")), before);
    let outside = Scratch::new();
    assert_eq!(outside.run("rg-install", &["git"], b"").status, 100);
    assert_eq!(install(&taken, &["--global"]).status, 100);
}

#[test]
fn the_hooks_pass_shellcheck() {
    let scratch = repo(None);
    install(&scratch, &[]);
    if std::process::Command::new("shellcheck").arg("--version").output().is_err() {
        return skipped("no shellcheck");
    }
    let paths = NAMES.map(|name| format!(".git/hooks/{name}")).join(" ");
    let said = scratch.sh(&format!("shellcheck -e SC2016 {paths}"), b"");
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{said:?}");
}
