//! `rg-init --from`: definitions of donegate and configurations of Checkmate.

use crate::scratch::{Said, Scratch};
use serde_json::{Value, json};
use std::fs;

fn init(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-init", args, b"")
}

const ALL: &str = r#"{
    "builder_provider": "openai", "builder_model": "gpt", "reviewer_provider": "anthropic", "reviewer_model": "1",
    "test_command": "grep -q 'a: \"b' src.txt", "allow_paths": ["src/*.ts", "./lib", "**/x"], "max_iterations": 50,
    "review_mode": "final_only", "review_on_test_pass": false, "enable_moderator": true, "moderator_provider": "openai",
    "moderator_model": "gpt", "context_summary_threshold": 10, "review_strictness": "strict"
}"#;

#[test]
fn each_key_of_checkmate_has_a_row_and_the_result_runs() {
    let scratch = Scratch::new();
    scratch.write(".dualagent.json", ALL);
    scratch.write("src.txt", "a: \"b\n");
    let said = init(&scratch, &["--from", ".dualagent.json"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{said:?}");
    let text = fs::read_to_string(scratch.work().join("DONE.md")).unwrap();
    let keys: Value = serde_json::from_str(ALL).unwrap();
    for key in keys.as_object().unwrap().keys() {
        assert!(said.out.lines().any(|line| line.starts_with(&format!("{key} ("))), "{key}: {}", said.out);
        assert!(text.contains(&format!("# - {key} (")), "{key}: {text}");
    }
    let read = scratch.run("rg-check", &["--validate", "--json"], b"").json();
    assert_eq!(read["checks"][0]["run"], "grep -q 'a: \"b' src.txt", "{read}");
    assert_eq!(read["gate"]["max_bounces"], 20);
    let review = &read["review"];
    assert_eq!((&review["when"], &review["by"]), (&json!("always"), &json!("command")));
    assert_eq!((&review["floor"], &review["rounds"]), (&json!("strict"), &json!(20)));
    for line in [
        "allow: [\"/src/*.ts\", \"/lib\", \"**/x\"]\n",
        "model: \"1\"\n",
        "second_opinion: asked\n",
        "ask: [claude, codex]\n",
        "run:\n  builder: codex\n  model: gpt\n  context_summary_threshold: 1500\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert_eq!(scratch.run("rg-check", &["--now"], b"").status, 0);
}

#[test]
fn keys_of_checkmate_that_are_not_set_have_a_row_with_their_default() {
    let scratch = Scratch::new();
    scratch.write("c.json", r#"{"test_command": "true", "allow_paths": ["."]}"#);
    let said = init(&scratch, &["--from", "c.json", "--dry-run"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.contains("# - max_iterations (not set, default 3) becomes gate.max_bounces, review.rounds: "));
    assert!(said.out.contains("gate:\n  max_bounces: 3\n") && !said.out.contains("paths:\n"), "{}", said.out);
    assert!(!scratch.work().join("DONE.md").exists());
}

#[test]
fn unknown_keys_and_values_of_checkmate_are_errors() {
    let scratch = Scratch::new();
    for (text, why) in [
        (r#"{"test_command": "true", "test_comand": 1}"#, "unknown key \"test_comand\""),
        (r#"{"test_command": 3}"#, "\"test_command\" must be a text"),
        (r#"{"test_command": " "}"#, "\"test_command\" is missing"),
        (r#"{"test_command": "a\u0000b"}"#, "\"test_command\" must be a text"),
        (r#"{"test_command": "true", "allow_paths": ["../x"]}"#, "leaves the root"),
        (r#"{"test_command": "true", "allow_paths": "src"}"#, "must be a list of texts"),
        (r#"{"test_command": "true", "review_mode": "never"}"#, "must be one of: always, selective, final_only"),
        (r#"{"test_command": "true", "max_iterations": -1}"#, "must be a number from 0"),
        (r#"{"test_command": "true", "enable_moderator": "yes"}"#, "must be true or false"),
        ("[]", "it must be an object"),
        ("{", "not valid JSON"),
    ] {
        scratch.write("c.json", text);
        let said = init(&scratch, &["--from", "c.json"]);
        assert_eq!((said.status, said.err.lines().count()), (100, 1), "{text}: {said:?}");
        assert!(said.err.contains(why), "{text}: {said:?}");
    }
    for from in ["gone.json", "checkmate", ""] {
        let said = init(&scratch, &["--from", from]);
        assert_eq!((said.status, said.err.lines().count()), (100, 1), "{from}: {said:?}");
    }
    assert!(!scratch.work().join("DONE.md").exists());
}

const DONEGATE: &str = "# ours\nversion: 1\nchecks:\n  - name: tests\n    run: 'true'\n    timeout: 900\n  - name: red\n    run: exit 3\n\
    guards:\n  no_new_todos: off\n  protect: ['ci/**']\ngate:\n  max_bounces: 5\n";

#[test]
fn a_definition_of_donegate_is_taken_over_unchanged() {
    for name in ["done.yml", "done.yaml", ".donegate/done.yml"] {
        let scratch = Scratch::new();
        scratch.write(name, DONEGATE);
        let said = init(&scratch, &["--from", "donegate", "--dry-run"]);
        assert!(said.status == 0 && said.out.contains(DONEGATE), "{said:?}");
        let said = init(&scratch, &["--from", "donegate"]);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{said:?}");
        assert!(said.out.contains("tests: true: passed\n"), "{said:?}");
        assert!(said.out.contains("red: exit 3: does not pass here, and stays in DONE.md\n"), "{said:?}");
        assert!(
            said.out.contains(&format!("wrote DONE.md from {name}. It takes precedence: remove {name}\n")),
            "{said:?}"
        );
        assert!(fs::read_to_string(scratch.work().join("DONE.md")).unwrap().contains(DONEGATE));
        assert_eq!(fs::read_to_string(scratch.work().join(name)).unwrap(), DONEGATE);
        let said = init(&scratch, &["--from", "donegate"]);
        assert!(said.status == 0 && said.out.contains("DONE.md is valid for review-gate as it is"), "{said:?}");
    }
}

#[test]
fn a_definition_that_cannot_be_taken_over_changes_nothing() {
    let scratch = Scratch::new();
    assert_eq!(init(&scratch, &["--from", "donegate"]).status, 100);
    for (text, status, why) in [
        ("checks:\n  - {name: a, run: x}\ngaurds: {}\n", 100, "done.yml:3: unknown key \"gaurds\""),
        ("checks:\n  - name: a\n    run: |\n      cat <<X\n      ```\n      X\n", 1, "three backquotes"),
    ] {
        scratch.write("done.yml", text);
        let said = init(&scratch, &["--from", "donegate"]);
        assert_eq!((said.status, said.err.lines().count()), (status, 1), "{said:?}");
        assert!(said.err.contains(why), "{said:?}");
    }
    scratch.write("done.yml", DONEGATE);
    scratch.ok("ln -s gone DONE.md");
    let said = init(&scratch, &["--from", "donegate"]);
    assert!(said.status == 1 && said.err.contains("DONE.md exists and is not replaced"), "{said:?}");
    assert!(!scratch.work().join("gone").exists());
}
