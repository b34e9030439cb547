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

#[test]
fn a_reviewer_of_a_landing_is_told_the_issue_of_the_branch() {
    let scratch = shared_with("review: {when: always, by: command, command: 'sh \"$HOME/reviewer\"'}\n");
    std::fs::write(scratch.top().join("home/reviewer"), "cat > \"$HOME/asked\"; exit 1\n").unwrap();
    let line = "rg-issue new 'greet Ada' -m 'hello.txt names her.'";
    let id = scratch.ok(line).out.trim_end().to_string();
    work(&scratch, &id, "hello.txt", "hello\n");
    let branch = scratch.ok("git for-each-ref --format='%(refname:short)' refs/heads/rg").out;
    assert_eq!(land(&scratch, &[branch.trim()]).status, 111);
    let asked = std::fs::read_to_string(scratch.top().join("home/asked")).unwrap();
    let title = format!("| Issue {id}: greet Ada\n");
    for text in [title.as_str(), "| hello.txt names her.\n", "which an agent may have written"] {
        assert!(asked.contains(text), "{asked}");
    }
}

#[test]
fn landings_of_one_repository_wait_for_each_other() {
    let scratch = shared();
    let names = ["a", "b", "c", "d"];
    names.iter().for_each(|name| drop(work(&scratch, name, &format!("{name}.txt"), "text\n")));
    let said = scratch.ok("for name in a b c d; do rg-land rg/$name >$name.out 2>&1 || echo \"$name: $(cat $name.out)\" & done; wait; cat ?.out");
    assert_eq!(said.out.matches("\nlanded ").count() + usize::from(said.out.starts_with("landed ")), 4, "{said:?}");
    let log = scratch.ok("git -C ../remote.git log --format=%s%P main").out;
    let wanted: Vec<String> = names.iter().map(|name| format!("add {name}.txt")).collect();
    assert!(wanted.iter().all(|line| log.matches(line.as_str()).count() == 1), "{log}");
    assert!(log.lines().all(|line| line.matches(' ').count() <= 2), "no merge commit: {log}");
}
