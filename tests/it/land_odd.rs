//! Laws of rg-land where a repository is not as usual: picked and reverted commits, sparse and second checkouts, odd settings,
//! refspecs and names, hooks, history that was rewritten, sessions that begin on work that is not on the base.

use crate::land::{land, refused, shared, tip, work};
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
