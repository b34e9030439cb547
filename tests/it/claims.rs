//! Laws of rg-check about what an agent's last message claims: a claim without a record is told, and an honest message gives nothing.

use crate::scratch::Scratch;
use serde_json::{Value, json};

/// Twelve tests, named.
const TAP: &str = "echo 1..12; for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo \"ok $n - test_adds_$n\"; done\n";

const CARGO: &str = "running 40 tests\n\ntest result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";

fn session(check: &str) -> Scratch {
    let scratch = Scratch::repo_with("checks:\n  - {name: tests, run: sh t.sh, kind: test, report: tap}\n");
    scratch.write("t.sh", check);
    scratch.ok("git add -A && git commit -qm tests");
    scratch.prompt("s", "work");
    scratch.append("src.txt", "more\n");
    scratch
}

/// The agent called these commands, and edited a file.
fn called(scratch: &Scratch, calls: &[(&str, &str)]) {
    for (command, output) in calls {
        let call = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "tool_response": {"stdout": output}});
        scratch.sh("rg-trace --hook --client claude", &scratch.payload("s", call));
    }
    let edit = json!({"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": "src.txt", "new_string": "more"}, "tool_response": {}});
    scratch.sh("rg-trace --hook --client claude", &scratch.payload("s", edit));
}

/// The event after a stop with this message.
fn stop(scratch: &Scratch, message: &str) -> Value {
    let payload = scratch.stop_payload("s", json!({"last_assistant_message": message}));
    let said = scratch.sh("rg-event --client claude | rg-check", &payload);
    serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}{}", said.out, said.err))
}

fn warnings(event: &Value) -> Vec<String> {
    let all = event["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = all.iter().filter(|found| found["rule"] == "claim-without-record");
    own.map(|found| {
        assert_eq!(found["level"], "warning");
        found["text"].as_str().unwrap().to_string()
    })
    .collect()
}

/// What the agent really did.
const CALLS: [(&str, &str); 3] = [
    ("cargo test --locked 2>&1 | tail -5", CARGO),
    ("cd web && npm run lint", ""),
    ("timeout 60 uv run pytest -q tests/a.py", "3 passed in 0.1s\n"),
];

const HONEST: [&str; 40] = [
    "All 12 tests pass.",
    "12 tests pass.",
    "12/12 tests passed.",
    "Tests: 12 passed.",
    "I ran `cargo test --locked` and all 40 tests passed.",
    "40 passed, 0 failed.",
    "Ran `npm run lint`.",
    "I ran `npm run lint -- --fix` and it is clean.",
    "I ran the tests with `cargo test`.",
    "I ran `python -m pytest tests/a.py`; 3 passed.",
    "All tests pass.",
    "The full test suite passes.",
    "`test_adds_1` passes.",
    "`cargo test` passes, and so does `sh t.sh`.",
    "All 52 tests across both suites pass.",
    "You can run `make check` to verify.",
    "If you run `make check`, 300 tests should pass.",
    "Before my change 300 tests passed.",
    "The 3 new tests pass.",
    "I have not run `go test ./...`.",
    "`go test` would need Go, which is not installed.",
    "> I ran `go test` and 999 tests pass",
    "```\n999 passed\n```",
    "The README says 500 tests pass.",
    "CI runs 900 tests.",
    "I renamed `test_old` to `test_new`.",
    "The function `run_tests` passes the flag on.",
    "`make test` passes the flag through to the runner.",
    "Run `cargo bench` next to compare.",
    "Should all 400 tests pass, we can release.",
    "I could not run `mypy`.",
    "Start the server, then run `npm start`.",
    "1,000 requests passed through the proxy.",
    "2900 passed validation.",
    "Of the 3000 rows, 2900 passed.",
    "I executed the plan from `docs/plan.md`.",
    "We ran into a problem with `tox`.",
    "Do all 77 tests pass?",
    "Fixed the bug in `parse()`; `Config::load` succeeds now.",
    "I added `test_divides` and updated the docs; 800 lines changed.",
];

const FALSE: [&str; 32] = [
    "All 250 tests pass.",
    "All 250 tests pass, 0 failures.",
    "250/250 tests pass.",
    "1,250 tests pass.",
    "Done. 250 tests now pass.",
    "Everything works: 64 tests are green.",
    "100 passed.",
    "Tests: 300 passed, 0 failed.",
    "- \u{2705} 500 tests passed",
    "**250 tests pass**",
    "| tests | 640 passed |",
    "Ran 128 tests.",
    "All 99 unit tests pass.",
    "I ran 77 tests.",
    "I ran `make check` and everything is fine.",
    "Ran `go test ./...`.",
    "I executed `make check`.",
    "`mypy` passes.",
    "`npm run build` succeeds.",
    "I've run `cargo clippy`.",
    "I re-ran `cargo bench`.",
    "I also ran `ruff check`.",
    "We ran the full suite with `tox`.",
    "Verified with `npx tsc`.",
    "Tested with `vitest run`.",
    "I then ran `cargo nextest run`.",
    "I ran `./gradlew test`.",
    "We executed `phpunit`.",
    "I ran `dotnet test`, and all is fine.",
    "`test_divides` passes.",
    "`tests::test_overflow` now passes.",
    "`TestDivide` passes.",
];

#[test]
fn honest_messages_give_nothing_and_claims_without_a_record_are_told() {
    let scratch = session(TAP);
    called(&scratch, &CALLS);
    for message in HONEST {
        assert_eq!(warnings(&stop(&scratch, message)), [""; 0], "{message}");
    }
    for message in FALSE {
        // The tests of a runner that names none are not known.
        let event = stop(&scratch, message);
        let is_name = message.starts_with("`test") || message.starts_with("`Test");
        assert_eq!(warnings(&event).len(), usize::from(!is_name), "{message}: {event}");
        if !is_name {
            assert!(event["tell"].to_string().contains("the agent says"), "{message}: {event}");
        }
    }
}

#[test]
fn a_test_that_is_in_no_list_is_told_where_all_tests_are_named() {
    let scratch = session(TAP);
    called(&scratch, &[("ls", "t.sh\n")]);
    for message in FALSE.iter().filter(|message| message.starts_with("`test") || message.starts_with("`Test")) {
        assert_eq!(warnings(&stop(&scratch, message)).len(), 1, "{message}");
    }
    assert_eq!(warnings(&stop(&scratch, "`test_adds_12` passes.")), [""; 0]);
}

#[test]
fn without_a_record_of_tool_calls_no_command_is_doubted() {
    let scratch = session(TAP);
    for message in ["I ran `go test ./...`.", "`mypy` passes."] {
        assert_eq!(warnings(&stop(&scratch, message)), [""; 0], "{message}");
    }
    // What the checks report is on record all the same.
    assert_eq!(warnings(&stop(&scratch, "All 250 tests pass.")).len(), 1);
}

#[test]
fn a_claim_against_a_red_check_stands_in_the_reason() {
    let scratch = session("echo 1..2; echo 'ok 1 - a'; echo 'not ok 2 - b'; exit 1\n");
    called(&scratch, &[]);
    let payload = scratch.stop_payload("s", json!({"last_assistant_message": "All tests pass. I ran `make check`."}));
    let said = scratch.sh(crate::scratch::STOP, &payload);
    let reply = said.json();
    assert_eq!(reply["decision"], "block", "{said:?}");
    let reason = reply["reason"].as_str().unwrap();
    assert!(
        reason.contains("Correct this: the last message says \"All tests pass\", and check \"tests\" failed"),
        "{reason}"
    );
    assert!(reason.contains("Correct this: the last message says that `make check` ran"), "{reason}");
    assert!(reply["systemMessage"].to_string().contains("and 1 claim more"), "{reply}");
}

#[test]
fn a_count_of_all_tests_against_a_red_check_is_told_everywhere() {
    for (check, message) in [
        ("echo 1..3; echo 'ok 1 - a'; echo 'not ok 2 - b'; echo 'not ok 3 - c'; exit 1\n", "Done! All 3 tests pass."),
        ("echo 'duration_ms 12.3'; echo '12 files'; exit 1\n", "Done! All 12 tests pass."),
    ] {
        let scratch = session(check);
        let said = scratch.stop_saying("s", message);
        let reply = said.json();
        let claim = format!("\\\"{}\\\", and check \\\"tests\\\" failed", &message[10..message.len() - 1]);
        let reason = reply["reason"].to_string();
        let at = reason.find(&format!("Correct this: the last message says {claim}"));
        assert!(at > reason.find("not passed").or(reason.find("failed")), "{reason}");
        assert!(reply["systemMessage"].to_string().contains(&format!("the agent says {claim}")), "{reply}");
        assert!(scratch.receipt().to_string().contains(&claim), "{}", scratch.receipt());
        let shown = scratch.run("rg-receipt", &["show"], b"");
        assert!(shown.out.contains("the last message says"), "{shown:?}");
        // An attempt without a change says it, too.
        let again = scratch.stop_saying("s", message).json()["reason"].to_string();
        assert!(again.contains("nothing changed") && again.contains(&claim), "{again}");
    }
}

#[test]
fn a_claim_changes_no_outcome() {
    let scratch = session(TAP);
    called(&scratch, &[]);
    let payload = scratch.stop_payload("s", json!({"last_assistant_message": "All 250 tests pass."}));
    let said = scratch.sh(crate::scratch::STOP, &payload);
    assert_ne!(said.json()["decision"], "block", "{said:?}");
    assert!(said.json()["systemMessage"].to_string().contains("the largest run on record has 12 tests"), "{said:?}");
}
