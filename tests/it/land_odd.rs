//! Laws of rg-land where a repository is not as usual: picked and reverted commits, sparse and second checkouts, odd settings,
//! refspecs and names, hooks, history that was rewritten, sessions that begin on work that is not on the base.

use crate::land::{commit, land, refused, shared, tip, work};
use crate::scratch::Scratch;

/// A second clone of the remote, in which that is run, and pushed.
fn elsewhere(scratch: &Scratch, line: &str) {
    scratch.ok(&format!(
        "[ -e ../other ] || git clone -q ../remote.git ../other; cd ../other && git pull -q --ff-only && {line} && git push -q"
    ));
}

#[test]
fn no_commit_is_dropped_because_its_like_is_on_the_base() {
    // Picked on the base, and reverted there: the branch still wants it.
    let scratch = shared();
    let path = work(&scratch, "a", "a.txt", "a");
    elsewhere(
        &scratch,
        "echo first >first.txt && git add -A && git commit -qm first && git fetch -q ../repo rg/a && git cherry-pick FETCH_HEAD >/dev/null && git revert --no-edit HEAD >/dev/null",
    );
    let said = land(&scratch, &["rg/a"]);
    assert!(said.status == 0 && said.out.starts_with("landed "), "{said:?}");
    assert_eq!(tip(&scratch, "-C ../remote.git show main:a.txt"), "a");
    assert!(!path.exists());
    // Picked and still there: nothing is left, and nothing is landed twice.
    work(&scratch, "b", "b.txt", "b");
    elsewhere(
        &scratch,
        "git fetch -q ../repo rg/b && echo o >o.txt && git add -A && git commit -qm o && git cherry-pick FETCH_HEAD >/dev/null",
    );
    let said = land(&scratch, &["rg/b"]);
    assert!(said.status == 0 && said.out.starts_with("nothing is left to land"), "{said:?}");
    // The same but for white space is another change: a conflict, and it is explained.
    let path = work(&scratch, "c", "m.py", "if a:\n    b()\n    c()\n");
    elsewhere(&scratch, "printf 'if a:\\n    b()\\nc()\\n' >m.py && git add -A && git commit -qm m");
    refused(&scratch, &["rg/c"], 1, "1 conflict in rg/c (m.py)");
    assert!(path.exists());
}

#[test]
fn a_sparse_main_worktree_hides_nothing_from_the_checks() {
    let scratch = shared();
    scratch.write("test.sh", "! grep -rq BROKEN docs\n");
    scratch.write("src/s", "s");
    scratch.write("docs/d", "d");
    scratch.ok("git add -A && git commit -qm docs && git push -q && git sparse-checkout set src");
    scratch.ok("git worktree add -q -b rg/a ../w && cd ../w && git sparse-checkout disable");
    let tree = scratch.top().join("w");
    commit(&scratch, &tree, "docs/d", "BROKEN");
    let before = scratch.ok("git config --list --show-scope | grep -v global").out;
    refused(&scratch, &["rg/a"], 1, "rg/a on main is not-done");
    // The same where the branch has to be rebased first.
    elsewhere(&scratch, "echo o >o.txt && git add -A && git commit -qm o");
    refused(&scratch, &["rg/a"], 1, "rg/a on main is not-done");
    commit(&scratch, &tree, "docs/d", "fine");
    let said = land(&scratch, &["rg/a"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(tip(&scratch, "-C ../remote.git show main:docs/d"), "fine");
    assert!(!scratch.work().join("docs").exists() && scratch.ok("git status --porcelain").out.is_empty());
    assert_eq!(scratch.ok("git config --list --show-scope | grep -v global").out, before, "no setting was changed");
}

#[test]
fn a_scratch_worktree_that_is_half_gone_stops_nobody() {
    let scratch = shared();
    let place = scratch.state().join("land/tree");
    for (n, ruin) in
        ["rm {}/.git", ": >.git/worktrees/tree/HEAD", "rm -r .git/worktrees/tree", "rm -r {}"].iter().enumerate()
    {
        let name = format!("w{n}");
        work(&scratch, &name, &format!("{name}.txt"), "x");
        scratch.ok(&format!("git worktree add -q --detach {} rg/{name}", place.display()));
        scratch.ok(&ruin.replace("{}", place.to_str().unwrap()));
        let said = land(&scratch, &[&format!("rg/{name}")]);
        assert_eq!(said.status, 0, "{ruin}: {said:?}");
        assert!(!place.exists() && scratch.ok("git worktree list").out.lines().count() == 1, "{ruin}");
    }
}
