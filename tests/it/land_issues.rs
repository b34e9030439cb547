//! Laws of rg-land about issues: it closes the one that landed, and files what stopped it.

use crate::land::{commit, land, remote, shared, shared_with, work};
use crate::scratch::Scratch;
use serde_json::{Value, json};

fn list(scratch: &Scratch) -> Vec<Value> {
    let said = scratch.run("rg-issue", &["list", "--all", "--json"], b"");
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_landing_closes_the_issue_of_its_branch_whoever_has_it() {
    let scratch = shared();
    let make = |title: &str| scratch.run("rg-issue", &["new", title], b"").out.trim_end().to_string();
    let (id, other) = (make("one"), make("other"));
    scratch.run("rg-issue", &["claim", &id, "--as", "ada"], b"");
    work(&scratch, &id, "one.txt", "one\n");
    let branch = scratch.ok("git for-each-ref --format='%(refname:short)' refs/heads/rg").out;
    let said = land(&scratch, &[branch.trim()]);
    assert!(said.status == 0 && said.out.contains("\n  closed 1 issue\n") && said.err.is_empty(), "{said:?}");
    let all = list(&scratch);
    let of = |id: &str| all.iter().find(|issue| issue["id"] == id).unwrap();
    assert_eq!((&of(&id)["status"], &of(&id)["commit"]), (&json!("closed"), &json!(remote(&scratch))));
    assert_eq!(of(&other)["status"], "open");
    // A branch that belongs to no issue closes none.
    work(&scratch, "free", "free.txt", "free\n");
    let said = land(&scratch, &["rg/free"]);
    assert!(said.status == 0 && !said.out.contains("issue"), "{said:?}");
}

#[test]
fn what_stopped_a_landing_becomes_an_issue_until_it_lands() {
    let scratch = shared_with("issues: {from: [land]}\n");
    let tree = work(&scratch, "x", "x.txt", "bad\n");
    for _ in 0..2 {
        let said = land(&scratch, &["rg/x"]);
        assert_eq!(said.status, 1, "{said:?}");
        let all = list(&scratch);
        assert_eq!((all.len(), &all[0]["status"]), (1, &json!("open")), "{all:?}");
        assert_eq!(
            (&all[0]["tags"], all[0]["title"].as_str().unwrap().contains("tests")),
            (&json!(["branch:rg/x", "land"]), true)
        );
    }
    commit(&scratch, &tree, "x.txt", "good\n");
    let said = land(&scratch, &["rg/x"]);
    assert!(said.status == 0 && said.out.contains("closed 1 issue"), "{said:?}");
    assert_eq!(list(&scratch)[0]["status"], "closed");
    // Without the key nothing is filed.
    let scratch = shared();
    work(&scratch, "x", "x.txt", "bad\n");
    assert_eq!(land(&scratch, &["rg/x"]).status, 1);
    assert!(list(&scratch).is_empty());
}
