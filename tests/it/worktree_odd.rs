//! Laws of rg-worktree where repositories lie in odd places, and where something ended in the middle.

use crate::scratch::{Said, Scratch};
use std::path::{Path, PathBuf};

fn run(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-worktree", args, b"")
}

/// Makes one, as seen from a directory, and returns where it is.
fn create(scratch: &Scratch, dir: &str, id: &str) -> PathBuf {
    let said = run(scratch, &["create", "-C", dir, id]);
    assert_eq!(said.status, 0, "{id:?}: {said:?}");
    PathBuf::from(said.out.trim_end())
}

/// Runs a shell line in a directory.
fn within(scratch: &Scratch, dir: &Path, line: &str) -> Said {
    scratch.ok(&format!("cd '{}' && {line}", dir.display()))
}

#[test]
fn a_bare_repository_inside_a_work_tree_is_its_own() {
    let mut scratch = Scratch::repo();
    scratch.env.remove("RG_STATE");
    scratch.ok(
        "git branch rg/x && git clone -q --bare . inner.git && git -C inner.git remote remove origin && git switch -qc side && git commit -q --allow-empty -m outer \
         && git branch -f rg/x && git switch -q main",
    );
    let path = create(&scratch, "inner.git", "a");
    assert_eq!(path, scratch.work().join("inner.git/.worktrees/a"));
    assert!(!scratch.work().join(".worktrees").exists());
    let states = scratch.ok("ls $HOME/.local/state/review-gate").out;
    assert!(states.starts_with("innergit-") && states.lines().count() == 1, "{states}");
    // From within its git directory, and from where nothing but its worktree is.
    assert_eq!(create(&scratch, "inner.git/refs", "a"), path);
    assert_eq!(create(&scratch, path.to_str().unwrap(), "a"), path);
    // What lands there is its own branch: nothing of the one around moves.
    let before = scratch.ok("git for-each-ref").out;
    within(&scratch, &path, "echo fixed >src.txt && git commit -qam inner");
    let said = scratch.run("rg-land", &["-C", "inner.git", "rg/a"], b"");
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(scratch.ok("git -C inner.git log -1 --format=%s main").out, "inner\n");
    let said = scratch.run("rg-land", &["-C", "inner.git", "rg/x"], b"");
    assert_eq!(scratch.ok("git for-each-ref").out, before, "{said:?}");
    // What looks like one and is none to git is none to us.
    scratch.ok("mkdir -p odd/.git && cp .git/HEAD odd/.git/ && cp .git/HEAD odd/");
    assert_eq!(create(&scratch, "odd", "b"), scratch.work().join(".worktrees/b"));
    assert_eq!(create(&scratch, ".git/refs", "b"), scratch.work().join(".worktrees/b"));
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let scratch = Scratch::repo();
    scratch.ok("git clone -q --bare . ../lib.git && git submodule --quiet add ../lib.git lib && git commit -qm lib");
    scratch.ok("git switch -qc rg/fix && git commit -q --allow-empty -m outer && git switch -q main");
    let path = create(&scratch, "lib", "fix");
    assert_eq!(path, scratch.work().join("lib/.worktrees/fix"));
    assert_eq!(create(&scratch, path.to_str().unwrap(), "fix"), path, "from the worktree itself");
    assert_eq!(create(&scratch, ".git/modules/lib", "fix"), path, "and from its git directory");
    assert_eq!(scratch.ok("git status --porcelain").out, "", "the one around sees nothing of it");
    within(&scratch, &path, "echo fixed >src.txt && git commit -qam inner");
    let before = scratch.ok("git for-each-ref").out;
    let said = scratch.run("rg-land", &["-C", "lib", "rg/fix"], b"");
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(scratch.ok("git -C ../lib.git log -1 --format=%s main").out, "inner\n");
    assert_eq!(scratch.ok("git -C lib log -1 --format=%s main").out, "inner\n", "the local base moved along");
    assert_eq!((scratch.ok("git for-each-ref").out, path.exists()), (before, false), "{said:?}");
}

#[test]
fn a_git_directory_that_lies_elsewhere_holds_no_worktree() {
    let scratch = Scratch::repo();
    scratch.ok("git init -q --separate-git-dir ../apart && git worktree add -q -b by-hand ../by-hand");
    let path = create(&scratch, ".", "a");
    assert_eq!(path, scratch.work().join(".worktrees/a"));
    assert_eq!(create(&scratch, path.to_str().unwrap(), "a"), path);
    assert_eq!(run(&scratch, &["remove", "a"]).status, 0);
    // Nothing there says where the main one is.
    for dir in ["../by-hand", "../apart"] {
        let said = run(&scratch, &["create", "-C", dir, "b"]);
        assert!(said.status == 100 && said.err.contains("cannot be told from here"), "{said:?}");
    }
    assert!(!scratch.top().join("apart/.worktrees").exists());
    // A bare one beside its worktrees, with a file that leads to it.
    scratch.ok("mkdir ../beside && git clone -q --bare . ../beside/.bare && echo 'gitdir: ./.bare' >../beside/.git");
    let path = create(&scratch, "../beside", "c");
    assert_eq!(path, scratch.top().join("beside/.bare/.worktrees/c"));
    assert_eq!(create(&scratch, path.to_str().unwrap(), "c"), path);
}
