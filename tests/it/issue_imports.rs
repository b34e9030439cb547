//! rg-issue import: the issues of tissue, beads and GitHub arrive whole, and only once.

use crate::scratch::Scratch;
use serde_json::{Value, json};

const TISSUE: &str = r#"{"type":"issue","id":"app-1","rev":"01KD0000000000000000000001","title":"first","body":"b","status":"open","priority":1,"tags":["x","y"],"created_at":1767225600000,"updated_at":1767225600000}
{"type":"issue","id":"app-2","rev":"01KD0000000000000000000002","title":"second","body":"","status":"open","priority":2,"tags":[],"created_at":1767225601000,"updated_at":1767225601000}
{"type":"issue","id":"app-1","rev":"01KD0000000000000000000004","title":"first, again","body":"b","status":"closed","priority":1,"tags":["y","z"],"created_at":1767225600000,"updated_at":1767225700000}
{"type":"issue","id":"app-1","rev":"01KD0000000000000000000003","title":"first, again","body":"b","status":"in_progress","priority":1,"tags":["y"],"created_at":1767225600000,"updated_at":1767225650000}
{"type":"comment","id":"01KD0000000000000000000005","issue_id":"app-1","body":"said","created_at":1767225660000}
{"type":"dep","src_id":"app-1","dst_id":"app-2","kind":"blocks","state":"active","created_at":1767225661000,"rev":"01KD0000000000000000000006"}
{"type":"dep","src_id":"app-2","dst_id":"app-1","kind":"relates","state":"active","created_at":1767225662000,"rev":"01KD0000000000000000000007"}
{"type":"dep","src_id":"app-2","dst_id":"app-1","kind":"relates","state":"removed","created_at":1767225662000,"rev":"01KD0000000000000000000008"}
{"type":"comment","id":"01KD0000000000000000000009","issue_id":"app-9","body":"lost","created_at":1767225660000}
42
"#;

const BEADS: &str = r#"{"id":"bd-1","title":"epic","description":"all of it","status":"open","priority":0,"issue_type":"epic","labels":["core"],"created_at":"2025-10-14T12:43:30.123456-07:00","updated_at":"2025-10-15T09:00:00Z"}
{"id":"bd-1.1","title":"part","notes":"note","design":"plan","status":"blocked","priority":2,"issue_type":"task","created_at":"2025-10-14T20:00:00Z","updated_at":"2025-10-14T20:00:00Z","dependencies":[{"issue_id":"bd-1.1","depends_on_id":"bd-1","type":"parent-child","created_at":"2025-10-14T20:00:01Z"},{"issue_id":"bd-1.1","depends_on_id":"bd-2","type":"blocks"},{"issue_id":"bd-1.1","depends_on_id":"bd-77","type":"blocks"}],"comments":[{"id":1,"issue_id":"bd-1.1","author":"ada","text":"a word","created_at":"2025-10-14T21:00:00Z"}]}
{"id":"bd-2","title":"first","status":"closed","close_reason":"done in c0ffee","priority":4,"issue_type":"bug","created_at":"2025-10-13T20:00:00Z","updated_at":"2025-10-16T20:00:00Z","closed_at":"2025-10-16T20:00:00Z"}
{"id":"bd-3","title":"gone","status":"tombstone","priority":2,"created_at":"2025-10-13T20:00:00Z","updated_at":"2025-10-16T20:00:00Z"}
{"id":"bd-4","title":"no time","created_at":"yesterday"}
"#;

const GITHUB: &str = r#"[{"number":7,"title":"crash","body":"it \"crashes\"\r\n","state":"OPEN","labels":[{"id":"L","name":"bug"}],"createdAt":"2026-01-02T03:04:05Z","updatedAt":"2026-01-03T03:04:05Z","url":"https://example.org/o/r/issues/7","author":{"login":"ada"},"comments":[{"id":"IC_1","author":{"login":"bob"},"body":"same here","createdAt":"2026-01-02T04:04:05Z"}]},
{"number":8,"title":"twice","state":"CLOSED","stateReason":"DUPLICATE","createdAt":"2026-01-02T05:04:05Z"}, {"title":"no number"}]"#;

fn import(scratch: &Scratch, text: &str) -> Value {
    let said = scratch.run("rg-issue", &["import", "-", "--json"], text.as_bytes());
    assert_eq!(said.status, 0, "{said:?}");
    said.json()
}

fn by_title(scratch: &Scratch) -> std::collections::BTreeMap<String, Value> {
    let said = scratch.run("rg-issue", &["list", "--all", "--json"], b"");
    let values = said.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    values.map(|value| (value["title"].as_str().unwrap().to_string(), value)).collect()
}

#[test]
fn all_revisions_of_tissue_are_read_and_the_last_one_counts() {
    let scratch = Scratch::repo();
    assert_eq!(import(&scratch, TISSUE), json!({"issues": 2, "added": 8, "known": 0, "skipped": 2}));
    let found = by_title(&scratch);
    let (one, two) = (&found["first, again"], &found["second"]);
    assert_eq!((&one["status"], &one["tags"], &one["priority"]), (&json!("closed"), &json!(["y", "z"]), &json!(1)));
    assert_eq!((&one["created"], &one["key"]), (&json!("2026-01-01T00:00:00.000Z"), &json!("tissue:app-1")));
    assert_eq!(one["comments"][0]["text"], json!("said"));
    assert_eq!(one["deps"], json!([{"relation": "blocks", "id": two["id"]}]));
    assert_eq!(
        (&two["deps"], &two["blocked_by"]),
        (&json!([]), &json!([])),
        "a relation that was removed; a closed blocker"
    );
}

#[test]
fn beads_arrive_with_their_relations_and_comments() {
    let scratch = Scratch::repo();
    scratch.write(".beads/issues.jsonl", BEADS);
    let said = scratch.run("rg-issue", &["import", "."], b"");
    assert_eq!((said.status, said.out.as_str()), (0, "3 issues: 9 changes added, 0 known\n"), "{said:?}");
    for words in [
        "skipped 1 entry",
        "left out: deleted issues (1)",
        "left out: relations to issues that are not in the file (1)",
    ] {
        assert!(said.err.contains(words), "{said:?}");
    }
    let found = by_title(&scratch);
    let (epic, part, first) = (&found["epic"], &found["part"], &found["first"]);
    assert_eq!((&epic["priority"], &epic["tags"]), (&json!(1), &json!(["core", "epic"])));
    assert_eq!(epic["created"], json!("2025-10-14T19:43:30.123Z"));
    assert_eq!(epic["deps"], json!([{"relation": "parent", "id": part["id"]}]));
    assert_eq!(first["deps"], json!([{"relation": "blocks", "id": part["id"]}]));
    assert_eq!((&part["status"], &part["body"]), (&json!("open"), &json!("## Design\n\nplan\n\n## Notes\n\nnote")));
    assert_eq!((&part["comments"][0]["by"], &first["priority"]), (&json!({"from": "ada"}), &json!(5)));
    assert!(first["status"] == "closed" && first["body"].as_str().unwrap().contains("c0ffee"));
}

#[test]
fn the_list_of_github_arrives_with_labels_and_comments() {
    let scratch = Scratch::repo();
    assert_eq!(import(&scratch, GITHUB), json!({"issues": 2, "added": 5, "known": 0, "skipped": 1}));
    let found = by_title(&scratch);
    let (crash, twice) = (&found["crash"], &found["twice"]);
    assert_eq!(
        (&crash["body"], &crash["tags"], &crash["by"]),
        (&json!("it \"crashes\"\r\n"), &json!(["bug"]), &json!({"from": "ada"}))
    );
    assert_eq!((&crash["comments"][0]["text"], &twice["status"]), (&json!("same here"), &json!("duplicate")));
}

#[test]
fn a_second_import_doubles_nothing_and_brings_what_is_new() {
    let scratch = Scratch::repo();
    for text in [TISSUE, BEADS, GITHUB] {
        let first = import(&scratch, text);
        let again = import(&scratch, text);
        assert_eq!((&again["added"], &again["known"]), (&json!(0), &first["added"]));
    }
    let own = by_title(&scratch)["crash"]["id"].as_str().unwrap().to_string();
    scratch.ok(&format!("rg-issue tag {own} mine"));
    let newer = GITHUB.replace("\"OPEN\"", "\"CLOSED\"").replace("2026-01-03", "2026-12-03");
    assert_eq!(import(&scratch, &newer)["added"], json!(1));
    let crash = &by_title(&scratch)["crash"];
    assert_eq!(
        (&crash["status"], &crash["tags"]),
        (&json!("closed"), &json!(["bug", "mine"])),
        "what was done here stays"
    );
}

#[test]
fn two_clones_that_import_the_same_agree() {
    let (one, two) = (Scratch::repo(), Scratch::repo());
    let read = |scratch: &Scratch| std::fs::read(scratch.work().join(".review-gate/issues.jsonl")).unwrap();
    import(&one, BEADS);
    import(&two, BEADS);
    assert_eq!(read(&one), read(&two));
}

#[test]
fn what_tissue_does_has_a_command_that_works() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tissue.md");
    let text = std::fs::read_to_string(page).unwrap();
    let scratch = Scratch::repo();
    scratch.write(".tissue/issues.jsonl", TISSUE);
    let made = scratch.ok("rg-issue new 'a bug' --tag bug; rg-issue new other");
    let ids: Vec<&str> = made.out.lines().collect();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
    for verb in [
        "init", "new", "list", "search", "show", "edit", "status", "comment", "dep add", "dep rm", "deps", "ready",
        "clean", "migrate",
    ] {
        assert!(rows.iter().any(|row| row.starts_with(&format!("| `{verb}"))), "no row for {verb}");
    }
    let of_theirs: Vec<&str> = rows.iter().map(|row| row.split(" | ").next().unwrap()).collect();
    for flag in [
        "-b ",
        "-t ",
        "-p ",
        "-m ",
        "--prefix ",
        "--json",
        "--quiet",
        "--status ",
        "--tag ",
        "--search ",
        "--limit ",
        "-s`",
        "--title ",
        "--body ",
        "--priority`",
        "--add-tag ",
        "--rm-tag ",
        "--older-than ",
        "--force",
        "--dry-run",
        "--store ",
    ] {
        assert!(of_theirs.iter().any(|theirs| theirs.contains(flag)), "no row for {flag}");
    }
    for row in rows {
        let mut cells = row.split(" | ").skip(1);
        let command = cells.next().unwrap().trim_matches('`');
        if command == "none" {
            assert!(cells.next().unwrap().len() > 20, "no reason: {row}");
            continue;
        }
        assert!(command.contains("rg-issue "), "{row}");
        let said = scratch.sh(&format!("ID={} OTHER={}; {command}", ids[0], ids[1]), b"");
        assert_eq!(said.status, 0, "{row}: {said:?}");
        let prints = !["init", "RG_TALK"].iter().any(|word| command.contains(word));
        assert_eq!(!said.out.is_empty(), prints, "{row}: {said:?}");
    }
}

#[test]
fn what_is_no_list_of_issues_is_refused() {
    let scratch = Scratch::repo();
    for text in ["42\n", "[]", "[1, 2]", "{}", "[", "\0", "prose\nprose\n", "{\"type\":\"issue\"}"] {
        let said = scratch.run("rg-issue", &["import", "-"], text.as_bytes());
        assert!(said.status == 100 && said.err.lines().count() == 1 && said.out.is_empty(), "{text:?}: {said:?}");
    }
    assert!(!scratch.work().join(".review-gate").exists());
}
