//! Laws of rg-worktree with repositories in unusual places, and after interrupted runs.

use crate::scratch::{Said, Scratch};
use std::path::{Path, PathBuf};

fn run(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-worktree", args, b"")
}

/// Creates a worktree from a directory and returns its path.
fn create(scratch: &Scratch, dir: &str, id: &str) -> PathBuf {
    let said = run(scratch, &["create", "-C", dir, id]);
    assert_eq!(said.status, 0, "{id:?}: {said:?}");
    PathBuf::from(said.out.trim_end())
}

/// Asserts that a removal is refused, even with --force, and that prune keeps the worktree.
fn refused(scratch: &Scratch, id: &str, why: &str) {
    let state = "git worktree list --porcelain && git for-each-ref && find .worktrees -type f | sort";
    let before = scratch.ok(state).out;
    for words in [&["remove", id] as &[&str], &["remove", "--force", id]] {
        let said = run(scratch, words);
        assert_eq!(said.status, 1, "{id}: {said:?}");
        assert!(said.err.contains(why) && said.err.lines().count() == 1, "{id}: {why}: {said:?}");
    }
    let listed = run(scratch, &["list"]);
    assert!(listed.status == 0 && listed.out.contains(why), "{why}: {listed:?}");
    let pruned = run(scratch, &["prune"]);
    assert!(pruned.status == 0 && !pruned.out.contains("removed"), "{pruned:?}");
    assert_eq!(scratch.ok(state).out, before);
}

/// Runs a shell line in a directory.
fn within(scratch: &Scratch, dir: &Path, line: &str) -> Said {
    scratch.ok(&format!("cd '{}' && {line}", dir.display()))
}

#[test]
fn a_bare_repository_inside_a_worktree_has_its_own_worktrees() {
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
    // From inside its git directory, and from a directory with only its worktree.
    assert_eq!(create(&scratch, "inner.git/refs", "a"), path);
    assert_eq!(create(&scratch, path.to_str().unwrap(), "a"), path);
    // Its own branch lands; the outer repository is not changed.
    let before = scratch.ok("git for-each-ref").out;
    within(&scratch, &path, "echo fixed >src.txt && git commit -qam inner");
    let said = scratch.run("rg-land", &["-C", "inner.git", "rg/a"], b"");
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(scratch.ok("git -C inner.git log -1 --format=%s main").out, "inner\n");
    let said = scratch.run("rg-land", &["-C", "inner.git", "rg/x"], b"");
    assert_eq!(scratch.ok("git for-each-ref").out, before, "{said:?}");
    // A directory that git does not accept as a repository is ignored.
    scratch.ok("mkdir -p odd/.git && cp .git/HEAD odd/.git/ && cp .git/HEAD odd/");
    assert_eq!(create(&scratch, "odd", "b"), scratch.work().join(".worktrees/b"));
    assert_eq!(create(&scratch, ".git/refs", "b"), scratch.work().join(".worktrees/b"));
}

#[test]
fn a_submodule_has_its_own_worktrees() {
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
fn a_separate_git_directory_gets_no_worktrees_inside() {
    let scratch = Scratch::repo();
    scratch.ok("git init -q --separate-git-dir ../apart && git worktree add -q -b by-hand ../by-hand");
    let path = create(&scratch, ".", "a");
    assert_eq!(path, scratch.work().join(".worktrees/a"));
    assert_eq!(create(&scratch, path.to_str().unwrap(), "a"), path);
    assert_eq!(run(&scratch, &["remove", "a"]).status, 0);
    // Nothing there names the main worktree.
    for dir in ["../by-hand", "../apart"] {
        let said = run(&scratch, &["create", "-C", dir, "b"]);
        assert!(said.status == 100 && said.err.contains("unable to find the main worktree"), "{said:?}");
    }
    assert!(!scratch.top().join("apart/.worktrees").exists());
    // A bare repository beside its worktrees, with a .git file that names it.
    scratch.ok("mkdir ../beside && git clone -q --bare . ../beside/.bare && echo 'gitdir: ./.bare' >../beside/.git");
    let path = create(&scratch, "../beside", "c");
    assert_eq!(path, scratch.top().join("beside/.bare/.worktrees/c"));
    assert_eq!(create(&scratch, path.to_str().unwrap(), "c"), path);
}

#[test]
fn a_worktree_with_repositories_inside_is_not_removed() {
    let scratch = Scratch::repo();
    scratch.write(".gitignore", "vendor/\n");
    scratch.ok("git add -A && git commit -qm ignore && git clone -q --bare . ../remote.git");
    let path = create(&scratch, ".", "a");
    within(&scratch, &path, "git worktree add -q .worktrees/y -b feat && echo precious >.worktrees/y/untracked");
    refused(&scratch, "a", "/a/.worktrees/y");
    // A landing keeps it, too.
    within(&scratch, &path, "echo fixed >src.txt && git commit -qam work");
    let said = scratch.run("rg-land", &["rg/a"], b"");
    assert!(said.status == 0 && path.join(".worktrees/y/untracked").exists(), "{said:?}");
    scratch.ok("git worktree remove --force .worktrees/a/.worktrees/y");
    // A repository in an ignored directory: with commits, with files, nested, without files.
    within(&scratch, &path, "git init -q vendor/lib && cd vendor/lib && git commit -q --allow-empty -m own");
    refused(&scratch, "a", "vendor/lib/ is another repository: 1 commit that no remote has");
    within(&scratch, &path, "rm -rf vendor && git clone -q ../../../remote.git vendor/lib && echo new >vendor/lib/new");
    refused(&scratch, "a", "vendor/lib/ is another repository: 1 uncommitted file");
    within(&scratch, &path, "cd vendor/lib && rm new && git init -q vendor/in && echo new >vendor/in/new");
    refused(&scratch, "a", "vendor/in/ is another repository: 1 uncommitted file");
    within(&scratch, &path, "rm -rf vendor/lib/vendor && git clone -q --bare . vendor/bare.git");
    refused(&scratch, "a", "vendor/bare.git/ is another repository");
    within(&scratch, &path, "rm -rf vendor/bare.git && git -C vendor/lib worktree add -q --detach ../wt");
    within(&scratch, &path, "echo new >vendor/wt/new");
    refused(&scratch, "a", "vendor/wt/ is another repository: 1 uncommitted file");
    within(
        &scratch,
        &path,
        "rm -rf vendor/wt && git -C ../../../remote.git worktree add -q --detach \"$PWD/vendor/wt\"",
    );
    refused(&scratch, "a", "vendor/wt/ is another repository: a worktree of");
    within(&scratch, &path, "git -C ../../../remote.git worktree remove \"$PWD/vendor/wt\"");
    // Not ignored, and in a directory with tracked files.
    within(&scratch, &path, "git init -q own");
    refused(&scratch, "a", "own/ is another repository");
    within(&scratch, &path, "rm -rf own && mkdir own && echo x >own/x && git add own && git commit -qm own");
    within(&scratch, &path, "git init -q own && cd own && git commit -q --allow-empty -m hidden");
    scratch.ok("git branch hold rg/a");
    refused(&scratch, "a", "own/ is another repository: ");
    within(
        &scratch,
        &path,
        "rm -rf own/.git vendor/none && git clone -q --mirror ../../../remote.git vendor/mirror.git",
    );
    // An ignored repository whose commits are on its remote is removed; tracked files are no repository.
    within(
        &scratch,
        &path,
        "git clone -q --bare . fixture.git && rm -r fixture.git/hooks && touch fixture.git/refs/tags/keep",
    );
    within(&scratch, &path, "git add -A && git commit -qm fixture && git branch -f hold");
    let said = run(&scratch, &["remove", "a"]);
    assert_eq!((said.status, path.exists()), (0, false), "{said:?}");
}

#[test]
fn deinitialised_submodules_are_checked() {
    let scratch = Scratch::repo();
    scratch.ok("git init -q ../lib && git -C ../lib commit -q --allow-empty -m lib && git submodule --quiet add \"$PWD/../lib\" dir/lib");
    scratch.ok("git commit -qm lib");
    let work = "cd dir/lib && git switch -qc work && git commit -q --allow-empty -m precious";
    for (id, gone) in [("a", "git submodule deinit -q -f dir/lib"), ("b", "rm -rf dir/lib && mkdir dir/lib")] {
        let path = create(&scratch, ".", id);
        within(&scratch, &path, work);
        within(&scratch, &path, gone);
        refused(&scratch, id, "submodule dir/lib: 1 commit that no remote has");
    }
    // On a branch without commits.
    let path = create(&scratch, ".", "c");
    within(&scratch, &path, work);
    within(&scratch, &path, "cd dir/lib && git switch -q --orphan empty");
    refused(&scratch, "c", "submodule dir/lib: 1 commit that no remote has");
    within(&scratch, &path, "cd dir/lib && git branch -q -D work && git switch -q --detach origin/HEAD");
    let said = run(&scratch, &["remove", "c"]);
    assert_eq!((said.status, path.exists()), (0, false), "{said:?}");
    // Removed from the branch: git needs --force, and nothing is lost.
    let path = create(&scratch, ".", "d");
    within(&scratch, &path, "git rm -q dir/lib && git commit -qm out");
    scratch.ok("git branch hold rg/d");
    let said = run(&scratch, &["remove", "d"]);
    assert_eq!((said.status, path.exists()), (0, false), "{said:?}");
}

/// A repository whose checkout is slow or dies, controlled by the files `go` and `die`.
fn slow() -> Scratch {
    let scratch = Scratch::repo();
    let top = scratch.top().display().to_string();
    let filter = "[ ! -e TOP/die ] || kill -9 0; touch TOP/begun; while [ ! -e TOP/go ]; do sleep 0.02; done; cat";
    std::fs::write(scratch.top().join("filter"), filter.replace("TOP", &top)).unwrap();
    scratch.write(".gitattributes", "*.slow filter=slow\n");
    for name in ["b.slow", "c.slow", "z.txt"] {
        scratch.write(name, "whole\n");
    }
    scratch.ok("git add -A && git commit -qm slow && git config filter.slow.smudge 'sh ../../../filter'");
    scratch
}

#[test]
fn a_worktree_whose_checkout_was_killed_is_created_again() {
    let scratch = slow();
    scratch.ok("touch ../die");
    let said = run(&scratch, &["create", "a"]);
    assert!(said.status == 111 && !scratch.work().join(".worktrees/a/z.txt").exists(), "{said:?}");
    let said = run(&scratch, &["create", "a"]);
    assert_eq!(said.status, 111, "and again: {said:?}");
    scratch.ok("rm ../die && touch ../go");
    let path = create(&scratch, ".", "a");
    assert_eq!(
        within(&scratch, &path, "cat b.slow c.slow z.txt && git status --porcelain").out,
        "whole\nwhole\nwhole\n"
    );
    assert!(!scratch.ok("git worktree list --porcelain").out.contains("locked"));
    assert_eq!(run(&scratch, &["list"]).out.lines().filter(|line| line.ends_with("nothing to lose")).count(), 1);
    assert_eq!(run(&scratch, &["remove", "a"]).status, 0);
    // Files that were added in the meantime are saved.
    scratch.ok("touch ../die");
    assert_eq!(run(&scratch, &["create", "a"]).status, 111);
    scratch.ok("rm ../die && echo mine >.worktrees/a/mine && echo mine >.worktrees/a/DONE.md");
    let said = run(&scratch, &["create", "a"]);
    let kept = said.err.trim_end().rsplit(' ').next().unwrap();
    assert!(said.status == 0 && said.err.contains("Its files are saved in refs/review-gate/rescue/"), "{said:?}");
    assert_eq!(scratch.ok(&format!("git show {kept}:mine {kept}:DONE.md")).out, "mine\nmine\n");
    assert_eq!(within(&scratch, &path, "git status --porcelain").out, "");
    // With only the lock, and without HEAD.
    for (id, line) in [
        ("b", "rm -r .worktrees/b"),
        ("c", "find .worktrees/c -mindepth 1 ! -name .git -delete && rm .git/worktrees/c/HEAD"),
    ] {
        scratch.ok("touch ../die");
        assert_eq!(run(&scratch, &["create", id]).status, 111);
        scratch.ok(&format!("rm ../die && {line}"));
        let path = create(&scratch, ".", id);
        assert_eq!(within(&scratch, &path, "cat z.txt && git status --porcelain").out, "whole\n", "{id}");
    }
}

#[test]
fn a_lock_of_the_user_is_kept() {
    let scratch = Scratch::repo();
    let path = create(&scratch, ".", "a");
    // The creation failed after the checkout, and work continued there.
    scratch.ok("mkdir -p ../state/making && touch ../state/making/a && git worktree lock --reason mine .worktrees/a");
    within(&scratch, &path, "echo staged >staged && git add staged");
    assert_eq!(create(&scratch, ".", "a"), path);
    assert_eq!(within(&scratch, &path, "git status --porcelain").out, "A  staged\n");
    assert!(scratch.ok("git worktree list --porcelain").out.contains("locked mine"));
    // On a disk that is not mounted.
    scratch.ok("touch ../state/making/a && mv .worktrees/a ../away");
    let said = run(&scratch, &["create", "a"]);
    assert!(said.status != 0 && !path.exists(), "{said:?}");
    scratch.ok("mv ../away .worktrees/a");
    assert_eq!(within(&scratch, &path, "git status --porcelain").out, "A  staged\n");
}

#[test]
fn a_checkout_of_a_killed_run_is_waited_for() {
    let scratch = slow();
    let killed =
        "rg-worktree create a >/dev/null & p=$!; while [ ! -e ../begun ]; do sleep 0.02; done; kill -9 $p; wait";
    scratch.sh(killed, b"");
    let line = "rg-worktree create a >../out & p=$!; sleep 0.5; cat ../out; touch ../go; wait $p && cat \"$(cat ../out)/c.slow\"";
    let said = scratch.ok(line);
    assert_eq!(said.out, "whole\n", "not called ready before it is: {said:?}");
    let path = scratch.work().join(".worktrees/a");
    assert_eq!(
        within(&scratch, &path, "cat b.slow c.slow z.txt && git status --porcelain").out,
        "whole\nwhole\nwhole\n"
    );
    assert!(!scratch.state().join("making/a").exists());
}

#[test]
fn a_worktree_with_a_missing_git_file_is_repaired() {
    let scratch = Scratch::repo();
    let path = create(&scratch, ".", "a");
    within(&scratch, &path, "echo mine >mine && rm .git");
    let listed = run(&scratch, &["list"]).out;
    assert!(listed.contains("its .git is missing"), "{listed}");
    let pruned = run(&scratch, &["prune"]);
    assert!(pruned.status == 0 && pruned.out.starts_with("kept "), "{pruned:?}");
    assert_eq!(create(&scratch, ".", "a"), path);
    assert_eq!(within(&scratch, &path, "git status --porcelain").out, "?? mine\n");
    within(&scratch, &path, "rm .git");
    let said = run(&scratch, &["remove", "a"]);
    assert!(said.status == 1 && said.err.contains("1 untracked file (mine)"), "{said:?}");
    within(&scratch, &path, "rm .git");
    let said = run(&scratch, &["remove", "--force", "a"]);
    let kept = said.out.trim_end().trim_end_matches('`').rsplit(' ').next().unwrap();
    assert_eq!(scratch.ok(&format!("git show {kept}:mine")).out, "mine\n");
    assert!(!path.exists() && run(&scratch, &["list"]).out.is_empty());
    // An empty directory in its place.
    for verb in ["remove", "create"] {
        let path = create(&scratch, ".", "b");
        scratch.ok("rm -r .worktrees/b && mkdir .worktrees/b");
        assert_eq!(run(&scratch, &[verb, "b"]).status, 0);
        assert_eq!(path.join("DONE.md").exists(), verb == "create");
    }
}

#[test]
fn staged_files_of_a_moved_worktree_are_not_lost() {
    let scratch = Scratch::repo();
    let path = create(&scratch, ".", "a");
    within(&scratch, &path, "echo staged >staged && git add staged && mv ../a ../../../away");
    let listed = run(&scratch, &["list"]).out;
    assert!(listed.ends_with("its directory is gone; 1 staged file (staged)\n"), "{listed}");
    let said = run(&scratch, &["remove", "a"]);
    assert!(said.status == 1 && said.err.contains("1 staged file (staged)"), "{said:?}");
    assert!(run(&scratch, &["prune"]).out.starts_with("kept "));
    let said = run(&scratch, &["remove", "--force", "a"]);
    let kept = said.out.trim_end().trim_end_matches('`').rsplit(' ').next().unwrap();
    assert_eq!(
        scratch.ok(&format!("git show {kept}:staged && git rev-parse {kept}^")).out,
        format!("staged\n{}", scratch.ok("git rev-parse main").out)
    );
    // Commits of its submodules, too, which no backup holds.
    scratch.ok("git init -q ../lib && git -C ../lib commit -q --allow-empty -m lib && git submodule --quiet add \"$PWD/../lib\" lib");
    scratch.ok("git commit -qm lib");
    let path = create(&scratch, ".", "b");
    within(
        &scratch,
        &path,
        "cd lib && git switch -qc work && git commit -q --allow-empty -m own && mv ../../b ../../../../b",
    );
    let said = run(&scratch, &["remove", "--force", "b"]);
    assert!(said.status == 1 && said.err.contains("submodule lib: 1 commit that no remote has"), "{said:?}");
}

#[test]
fn the_base_is_recorded_as_long_as_the_branch_exists() {
    let scratch = Scratch::repo();
    scratch.ok("git branch develop");
    let begin = |id: &str| {
        let said = run(&scratch, &["create", "--base", "develop", id]);
        let path = PathBuf::from(said.out.trim_end());
        within(
            &scratch,
            &path,
            &format!("echo fixed >src.txt && echo {id} >new-{id} && git add -A && git commit -qm {id}"),
        );
        path
    };
    let lands = |id: &str| {
        let said = scratch.run("rg-land", &[&format!("rg/{id}")], b"");
        assert_eq!(said.status, 0, "{said:?}");
        assert_eq!(
            scratch.ok("git log -1 --format=%s develop; git log -1 --format=%s main").out,
            format!("{id}\nstart\n")
        );
    };
    // The worktree was removed and the branch kept.
    begin("a");
    assert_eq!(run(&scratch, &["remove", "--keep-branch", "a"]).status, 0);
    lands("a");
    // Git failed to remove the branch.
    begin("b");
    scratch.ok("git branch hold rg/b && mkdir ../bin && printf '#!/bin/sh\ncase \"$*\" in *\"worktree remove\"*) exit 1;; esac\nexec %s \"$@\"\n' \"$(command -v git)\" >../bin/git && chmod +x ../bin/git");
    assert_eq!(scratch.sh("PATH=$PWD/../bin:$PATH rg-worktree remove b", b"").status, 111);
    scratch.ok("git branch -D hold");
    lands("b");
    // It is forgotten with the branch.
    begin("c");
    assert_eq!(run(&scratch, &["remove", "--force", "c"]).status, 0);
    scratch.ok(
        "git branch rg/c main && git worktree add -q ../c rg/c && cd ../c && echo fixed >src.txt && git commit -qam c",
    );
    assert_eq!(scratch.run("rg-land", &["rg/c"], b"").status, 0);
    assert_eq!(scratch.ok("git log -1 --format=%s main").out, "c\n");
}

#[test]
fn a_declared_file_is_copied_completely_or_not_at_all() {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: \"true\"}\nland: {copy: [\".env\"]}\n");
    scratch.write(".gitignore", ".env\n");
    scratch.ok("git add -A && git commit -qm ignore");
    let text = "A=1\n".repeat(100_000);
    scratch.write(".env", &text);
    let said = scratch.sh("ulimit -f 64; rg-worktree create a", b"");
    assert_ne!(said.status, 0, "killed amid the copy: {said:?}");
    let path = create(&scratch, ".", "a");
    assert!(std::fs::read_to_string(path.join(".env")).unwrap() == text);
    assert_eq!(within(&scratch, &path, "git status --porcelain").out, "");
}

#[test]
fn worktree_references_prevent_removal_and_line_endings_do_not() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::repo();
    let path = create(&scratch, ".", "a");
    within(
        &scratch,
        &path,
        "git commit -q --allow-empty -m own && git update-ref refs/worktree/mine HEAD && git reset -q --hard HEAD^",
    );
    refused(&scratch, "a", "1 commit only under refs/worktree");
    within(&scratch, &path, "git update-ref -d refs/worktree/mine");
    // Unchanged and changed, after git's filters.
    scratch.ok("git config core.autocrlf true");
    within(&scratch, &path, "rm src.txt && git checkout -q src.txt && git update-index --assume-unchanged src.txt");
    assert_eq!(std::fs::read(path.join("src.txt")).unwrap(), b"broken\r\n");
    assert!(run(&scratch, &["list"]).out.ends_with("nothing to lose\n"));
    within(&scratch, &path, "printf 'other\\r\\n' >src.txt");
    assert!(run(&scratch, &["list"]).out.ends_with("1 change hidden by assume-unchanged or skip-worktree (src.txt)\n"));
    // A name with any bytes, if the file system allows it.
    if !cfg!(target_os = "linux") {
        return;
    }
    scratch.ok("git config --unset core.autocrlf");
    let odd = scratch.top().join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    let status = scratch.command("git").args(["worktree", "add", "-q", "-b", "rg/odd"]).arg(&odd).status().unwrap();
    assert!(status.success());
    let said = scratch.command("rg-worktree").arg("remove").arg(&odd).output().unwrap();
    assert_eq!((said.status.code(), odd.exists()), (Some(0), false), "{said:?}");
    assert_eq!(scratch.ok("git branch --list rg/odd").out, "");
}
