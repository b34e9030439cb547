//! Tests of the comparison: which differences it reports and which it ignores.

use super::tokens::Pairs;
use super::{Found, Job, Options, Part, cases, compare, files, meaning};
use crate::place::Set;
use crate::plugin;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use xshell::Shell;

const ID_A: &str = "01M81GQ9SK763EFF0RMDC5P13R";
const ID_B: &str = "01M81GQB39HY6W9RJAT07SAW4Y";
const ID_C: &str = "01M81GQCQ9HSGW190166GHW36D";

/// A fake rg-guard that prints and records `decision` with `id` and the current time.
fn guard(bin: &Path, decision: &str, id: &str) -> Set {
    fs::create_dir_all(bin).unwrap();
    let script = format!(
        "#!/bin/sh\n\
         mkdir -p \"$RG_STATE/receipts\"\n\
         echo '{{\"id\":\"{id}\",\"decision\":\"{decision}\"}}' >\"$RG_STATE/receipts/{id}.json\"\n\
         echo '{{\"got\":\"{decision}\",\"at\":\"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'\",\"id\":\"{id}\"}}'\n\
         test {decision} = allow\n"
    );
    fs::write(bin.join("rg-guard"), script).unwrap();
    fs::set_permissions(bin.join("rg-guard"), fs::Permissions::from_mode(0o755)).unwrap();
    Set { bin: bin.to_path_buf(), tree: plugin::checkout() }
}

/// Compares two such programs over a single command.
fn compare_guards(old: (&str, &str), new: (&str, &str), state: bool) -> Found {
    let dir = Shell::new().unwrap().create_temp_dir().unwrap();
    let old = guard(&dir.path().join("old"), old.0, old.1);
    let new = guard(&dir.path().join("new"), new.0, new.1);
    let mut jobs: Vec<Job> = Vec::new();
    cases::jobs(&mut jobs, "one", "{\"cmd\": \"git reset --hard\", \"family\": \"git\"}\n").unwrap();
    compare(&Options { old, new, captures: Vec::new(), cases: Vec::new(), only: String::new(), state }, &jobs).unwrap()
}

/// Whether both texts have the same meaning.
fn same(old: &str, new: &str) -> bool {
    let (old, new) = meaning::compare(&mut Pairs::default(), old, new);
    old == new
}

#[test]
fn each_file_of_labelled_cases_is_of_a_known_kind() {
    let mut jobs: Vec<Job> = Vec::new();
    for entry in fs::read_dir(plugin::checkout().join("tests/cases")).unwrap() {
        let path = entry.unwrap().path();
        cases::jobs(&mut jobs, &path.display().to_string(), &fs::read_to_string(&path).unwrap()).unwrap();
    }
    assert!(jobs.iter().any(|job| job.name.contains("config.jsonl lint is removed and CI calls it")));
}

#[test]
fn a_program_that_decides_otherwise_is_reported() {
    let found = compare_guards(("deny", ID_A), ("allow", ID_B), true);
    let reports = found.differences.join("\n");
    assert!(reports.contains("git reset --hard"), "{reports}");
    assert!(reports.contains("-  \"got\": \"deny\"") && reports.contains("+  \"got\": \"allow\""), "{reports}");
    assert!(reports.contains("--- status (old, new)"), "{reports}");
    assert!(reports.contains(&format!("--- state/receipts/{ID_B}.json (old, new)")), "{reports}");
    let without = compare_guards(("deny", ID_A), ("allow", ID_B), false);
    assert!(!without.differences.is_empty() && !without.differences.join("\n").contains("receipts"));
    assert_eq!(found.runs, without.runs + 2, "the state directory of each place is a run");
}

#[test]
fn a_program_that_differs_in_ids_and_times_is_the_same() {
    let found = compare_guards(("deny", ID_A), ("deny", ID_B), true);
    assert!(found.differences.is_empty(), "{}", found.differences.join("\n"));
    // The runs are the command and the file of `test`, the call of the hook, and two state directories.
    assert_eq!(found.runs, 5);
}

#[test]
fn an_id_stands_for_one_id() {
    assert!(same(&format!("{ID_A} {ID_A}"), &format!("{ID_B} {ID_B}")));
    assert!(!same(&format!("{ID_A} {ID_A}"), &format!("{ID_B} {ID_C}")));
    assert!(!same(&format!("{ID_A} {ID_B}"), &format!("{ID_C} {ID_C}")));
    assert!(same("since 13e0ec052989", "since 0052989ec13e"));
    assert!(!same("since 13e0ec052989", "since 13e0ec0"));
}

#[test]
fn times_may_differ_and_counts_may_not() {
    assert!(same("passed (0.2 s); cached, 12 s ago", "passed (1.3 s); cached, 2 s ago"));
    assert!(same("until 2026-11-21T12:00:00.000Z", "until 2027-01-02T03:04:05Z"));
    for (old, new) in
        [("round 1 of 3", "round 2 of 3"), ("within 60 s", "within 90 s"), ("exit 1", "exit 2"), ("a", "")]
    {
        assert!(!same(old, new), "{old} | {new}");
    }
}

#[test]
fn renamed_terms_are_the_same_in_their_field_and_nowhere_else() {
    let same_json = |old: &str, new: &str| same(&format!("{{{old}}}"), &format!("{{{new}}}"));
    assert!(same_json(
        r#""judged":[{"verdict":"gamed","why":"x"}]"#,
        r#""verdicts":[{"why":"x","verdict":"tampered"}]"#
    ));
    assert!(same_json(r#""level":"fail""#, r#""level":"error""#));
    assert!(!same_json(r#""verdict":"fail""#, r#""verdict":"error""#));
    assert!(!same_json(r#""outcome":"unverified""#, r#""outcome":"inconclusive""#));
    assert!(!same_json(r#""level":"error""#, r#""level":"fail""#), "not the other way round");
    assert!(!same_json(r#""judged":[{"verdict":"pass"}]"#, r#""verdicts":[]"#));
    assert!(!same_json(r#""owed":["rg-check"]"#, r#""required":["rg-check","rg-tamper"]"#));
    assert!(same("a.js: gamed: skipped (by hand)", "a.js: tampered: skipped (manual)"));
    assert!(!same("endgamed", "endtampered"));
}

#[test]
fn keys_of_findings_and_snapshots_must_agree_to_the_letter() {
    let with = |field: &str, digest: &str| format!("{{\"{field}\":\"{digest}\"}}");
    let (one, other) = ("13e0ec052989".repeat(5), "99e0ec052989".repeat(5));
    assert!(same(&with("prev", &one), &with("prev", &other)));
    for field in ["key", "keys", "snapshot"] {
        assert!(!same(&with(field, &one), &with(field, &other)), "{field}");
    }
}

#[test]
fn a_line_that_is_added_or_lost_is_reported() {
    assert!(!same("one\ntwo\n", "one\n"));
    assert!(!same("one\n", "one\ntwo\n"));
    let (old, new) = meaning::compare(&mut Pairs::default(), "a 1\nb 2\n", "a 1\nmore\nb 2\n");
    assert_eq!((old.as_str(), new.as_str()), ("a 1\nb 2\n", "a 1\nmore\nb 2\n"), "the rest stays paired");
}

#[test]
fn decisions_are_found_wherever_the_line_holds_them() {
    let flat = r#"{"judged":[{"by":"a","verdict":"pass"}],"outcome":"done","cwd":"/x"}"#;
    let sections = r#"{"stages":{"a":{"verdicts":[{"by":"a","verdict":"pass"}]}},"decision":{"outcome":"done"}}"#;
    let decided = |new: &str| {
        let (old, new) = meaning::compare_decisions(&mut Pairs::default(), flat, new);
        old == new
    };
    assert!(decided(sections) && !same(flat, sections));
    assert!(!decided(&sections.replace("pass", "fail")));
    assert!(!decided(&sections.replace("done", "unverified")));
}

#[test]
fn files_with_ids_for_names_are_paired_by_what_they_hold() {
    let part =
        |id: &str, text: &str| Part { name: format!("state/receipts/{id}.json"), text: text.into(), is_line: false };
    let old = vec![part(ID_A, "{\"outcome\":\"done\"}"), part(ID_B, "{\"outcome\":\"waived\"}")];
    let new = vec![part(ID_B, "{\"outcome\":\"waived\"}"), part(ID_C, "{\"outcome\":\"done\"}")];
    let (old, new) = files::pair(&mut Pairs::default(), old, new);
    assert_eq!(old.iter().map(|part| &part.name).collect::<Vec<_>>(), [&new[1].name, &new[0].name]);
}
