//! Laws of rg-install: where something is missing nothing is changed, and the user reads what keeps the hooks from running.

use crate::scratch::{Said, Scratch};
use std::fs;

fn install(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-install", args, b"")
}

#[test]
fn without_a_place_for_the_record_nothing_is_changed() {
    let mut scratch = Scratch::repo();
    fs::write(scratch.top().join("file"), "").unwrap();
    let elsewhere = scratch.top().join("file/state");
    let good = scratch.env["XDG_STATE_HOME"].clone();
    scratch.set("XDG_STATE_HOME", elsewhere.to_str().unwrap());
    let said = install(&scratch, &["claude"]);
    assert!(said.status == 111 && said.err.contains("Nothing was changed in "), "{said:?}");
    assert!(!scratch.work().join(".claude").exists(), "not even a directory");
    // The same where hooks are there, with and without a file that was there before.
    for theirs in [None, Some("{\"model\": \"opus\"}\n")] {
        let path = scratch.work().join(".claude/settings.json");
        if let Some(text) = theirs {
            scratch.write(".claude/settings.json", text);
        }
        scratch.set("XDG_STATE_HOME", &good);
        assert_eq!(install(&scratch, &["claude"]).status, 0);
        let wired = fs::read_to_string(&path).unwrap();
        scratch.set("XDG_STATE_HOME", elsewhere.to_str().unwrap());
        let said = install(&scratch, &["claude", "--uninstall"]);
        assert!(said.status == 111 && said.err.contains("Nothing was changed in "), "{said:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), wired);
        scratch.set("XDG_STATE_HOME", &good);
        assert_eq!(install(&scratch, &["claude", "--uninstall"]).status, 0);
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), theirs);
    }
}

/// A limit on the size of files stands for a disk without space: each write of a byte fails.
#[test]
fn a_full_disk_leaves_nothing() {
    let scratch = Scratch::repo();
    let full = "trap '' XFSZ; ulimit -f 0; rg-install claude";
    let said = scratch.sh(full, b"");
    assert!(said.status == 111 && said.err.contains("Nothing was changed in "), "{said:?}");
    assert!(!scratch.work().join(".claude").exists());
    scratch.write(".claude/settings.json", "{}\n");
    assert_eq!(scratch.sh(full, b"").status, 111);
    let left: Vec<_> = fs::read_dir(scratch.work().join(".claude")).unwrap().flatten().collect();
    assert_eq!((left.len(), fs::read_to_string(left[0].path()).unwrap()), (1, "{}\n".to_string()));
}

#[test]
fn hooks_that_are_switched_off_are_told_at_install() {
    let scratch = Scratch::repo();
    for (file, args) in [
        (".claude/settings.json", &["claude"][..]),
        (".claude/settings.local.json", &["claude"]),
        ("../home/.claude/settings.json", &["claude"]),
        (".claude/settings.json", &["claude", "--local"]),
    ] {
        fs::create_dir_all(scratch.top().join("home/.claude")).unwrap();
        scratch.write(file, "{\"disableAllHooks\": true}\n");
        for said in [install(&scratch, args), install(&scratch, args)] {
            let told = "Claude Code runs no hook: remove `disableAllHooks` from ";
            assert!(said.status == 0 && said.out.contains(told), "{file}: {said:?}");
        }
        scratch.ok("rm -r .claude ../home/.claude");
        assert!(!install(&scratch, args).out.contains("disableAllHooks"), "{file}");
    }
}

#[test]
fn in_the_home_directory_the_settings_are_those_of_all_projects() {
    let mut scratch = Scratch::repo();
    let told = "these are your own settings: the hooks run in all projects\n";
    assert!(!install(&scratch, &["claude"]).out.contains(told));
    let home = scratch.work().to_str().unwrap().to_string();
    install(&scratch, &["claude", "--uninstall"]);
    scratch.set("HOME", &home);
    let said = install(&scratch, &["claude"]);
    assert!(said.status == 0 && said.out.contains(told), "{said:?}");
}

#[test]
fn a_dry_run_of_what_is_wired_says_so_and_writes_nothing() {
    let scratch = Scratch::repo();
    install(&scratch, &["claude"]);
    let before = scratch.ok("find . \"$HOME\" -type f | sort | xargs cksum").out;
    let said = install(&scratch, &["claude", "--dry-run"]);
    assert!(said.status == 0 && said.out.starts_with("already wired: "), "{said:?}");
    assert_eq!(scratch.ok("find . \"$HOME\" -type f | sort | xargs cksum").out, before);
}

#[test]
fn a_workflow_needs_a_repository() {
    let scratch = Scratch::new();
    for args in [&["ci"][..], &["ci", "--dry-run"], &["git", "--dry-run"]] {
        let said = install(&scratch, args);
        assert!(said.status == 100 && said.err.contains("no git repository in "), "{args:?}: {said:?}");
    }
    assert!(!scratch.work().join(".github").exists());
}
