//! Laws of rg-ask: the targets and how they are started, their answers, and the proof of a second opinion.

use crate::review_session::{ReviewerStart, Session, approval};
use crate::scratch::{Said, Scratch, lines_of};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

/// Puts a program with this name on PATH, which records its arguments and its input.
/// A program of that name which keeps its input and then runs the script.
pub fn program(scratch: &mut Scratch, name: &str, script: &str) {
    let dir = scratch.top().join("programs");
    fs::create_dir_all(&dir).unwrap();
    let path = dir.join(name);
    let head = "#!/bin/sh\nfor word; do printf '%s\\n' \"$word\"; done >\"$0.args\"\necho x >>\"$0.times\"\ncat >\"$0.input\"\n";
    fs::write(&path, format!("{head}{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    if !scratch.env["PATH"].starts_with(dir.to_str().unwrap()) {
        // A model that is installed on this machine must not answer.
        let system = "/usr/local/bin:/usr/bin:/bin";
        let path = format!("{}:{}:{system}", dir.display(), crate::scratch::bin_dir().display());
        scratch.set("PATH", &path);
    }
}

fn kept(scratch: &Scratch, name: &str) -> String {
    fs::read_to_string(scratch.top().join("programs").join(name)).unwrap_or_default()
}

fn ask(scratch: &Scratch, args: &[&str]) -> Said {
    scratch.run("rg-ask", args, b"Is this good?\n")
}

fn asks(scratch: &Scratch) -> Vec<Value> {
    lines_of(&scratch.state().join("asks.jsonl"))
}

#[test]
fn it_prints_the_answer_and_records_the_question() {
    let mut scratch = Scratch::repo();
    program(&mut scratch, "codex", "echo Yes.");
    let said = ask(&scratch, &[]);
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "Yes.\n", ""), "{said:?}");
    assert_eq!(kept(&scratch, "codex.input"), "Is this good?\n");
    let record = asks(&scratch).remove(0);
    assert_eq!(
        (record["kind"].as_str(), record["to"].as_str(), record["exit"].as_i64()),
        (Some("ask"), Some("codex"), Some(0))
    );
    assert_eq!(record["prompt_sha256"], review_gate::sys::digest::sha256(b"Is this good?\n"));
    assert_eq!(record["answer_sha256"], review_gate::sys::digest::sha256(b"Yes."));
}

#[test]
fn what_each_client_reports_is_recorded_and_its_message_is_the_answer() {
    for (name, printed, tokens, cost) in [
        (
            "claude",
            r#"{"type":"result","result":"Yes.","total_cost_usd":0.5,"usage":{"input_tokens":3}}"#,
            3,
            Some(0.5),
        ),
        ("gemini", r#"{"response":"Yes.","stats":{"models":{"m":{"tokens":{"total":9}}}}}"#, 9, None),
        (
            "codex",
            "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Yes.\"}}\n{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":10,\"output_tokens\":5}}",
            15,
            None,
        ),
    ] {
        let mut scratch = Scratch::repo();
        program(&mut scratch, name, &format!("cat <<'END'\n{printed}\nEND"));
        assert_eq!(ask(&scratch, &[]).out, "Yes.\n", "{name}");
        let record = asks(&scratch).remove(0);
        assert_eq!((record["tokens"].as_u64(), record["cost"].as_f64()), (Some(tokens), cost), "{record}");
        assert_eq!(record["answer_sha256"], review_gate::sys::digest::sha256(b"Yes."));
    }
    // A second attempt is a second call, and one that reports nothing makes the sum unknown.
    let mut scratch = Scratch::repo();
    let report = r#"{"result":"Yes.","usage":{"input_tokens":3}}"#;
    program(
        &mut scratch,
        "claude",
        &format!("echo '{report}'; [ -e \"$0.once\" ] || {{ touch \"$0.once\"; exit 1; }}"),
    );
    assert_eq!(ask(&scratch, &[]).out, "Yes.\n");
    assert_eq!(asks(&scratch)[0]["tokens"], 6);
    let script = format!("[ -e \"$0.again\" ] || {{ touch \"$0.again\"; exit 1; }}; echo '{report}'");
    program(&mut scratch, "claude", &script);
    assert_eq!(ask(&scratch, &[]).out, "Yes.\n");
    assert!(asks(&scratch)[1]["tokens"].is_null(), "{:?}", asks(&scratch));
}

#[test]
fn each_client_is_asked_read_only_and_without_hooks() {
    let mut scratch = Scratch::repo();
    for name in ["codex", "gemini", "claude"] {
        program(&mut scratch, name, &format!("echo {name}"));
    }
    scratch.write("system.txt", "Be brief.");
    let said = ask(&scratch, &["--all", "--system", "system.txt"]);
    let answers: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        answers.iter().map(|a| a["answer"].as_str().unwrap()).collect::<Vec<_>>(),
        ["codex", "gemini", "claude"]
    );
    for (name, words) in [
        (
            "codex",
            vec![
                "exec",
                "--sandbox\nread-only",
                "features.hooks=false",
                "project_doc_max_bytes=0",
                "skills.include_instructions=false",
                "developer_instructions=\"Be brief.\"",
                "\n--json\n",
                "\n-\n",
            ],
        ),
        ("gemini", vec!["--approval-mode\nplan", "--extensions\nnone", "--output-format\njson"]),
        (
            "claude",
            vec![
                "-p",
                "--output-format\njson",
                "--tools\nRead,Grep,Glob",
                "--setting-sources\nuser",
                "\"disableAllHooks\":true",
                "--append-system-prompt\nBe brief.",
            ],
        ),
    ] {
        let args = kept(&scratch, &format!("{name}.args"));
        for word in words {
            assert!(args.contains(word), "{name}: {word:?} in {args}");
        }
    }
    assert!(kept(&scratch, "gemini.input").starts_with("Be brief.\n\n"));
}

#[test]
fn the_target_is_the_option_then_done_md_then_what_is_on_path() {
    let mut scratch = Scratch::repo_with(
        "checks:\n  - name: a\n    run: 'true'\nask:\n  to: local\n  targets:\n    local: 'cat >/dev/null; echo mine'\n    other: [echo, other]\n",
    );
    program(&mut scratch, "gemini", "echo gemini");
    assert_eq!(ask(&scratch, &[]).out, "mine\n");
    assert_eq!(ask(&scratch, &["--to", "other"]).out, "other\n");
    assert_eq!(ask(&scratch, &["--to", "gemini"]).out, "gemini\n");
    let said = ask(&scratch, &["--to", "nobody"]);
    assert!(
        said.status == 100
            && said.err.contains("unknown model: \"nobody\". Use one of codex, gemini, claude, local, other"),
        "{said:?}"
    );
    let mut bare = Scratch::repo();
    program(&mut bare, "harmless", "true");
    let said = ask(&bare, &[]);
    assert!(said.status == 111 && said.err.contains("no model to ask"), "{said:?}");
    assert_eq!(ask(&bare, &["--to", "codex"]).status, 111, "named, and not there: unavailable");
    assert!(asks(&bare)[0]["unavailable"].as_str().unwrap().contains("is not on PATH"), "{:?}", asks(&bare));
}

#[test]
fn a_missing_answer_is_recorded_as_unavailable() {
    for (what, script, why) in [
        ("dies", "exit 3", "failed with status 3"),
        ("is silent", "true", "empty answer"),
        ("hangs", "sleep 600", "did not end within 1 s"),
        ("leaves a child", "setsid sleep 601 & sleep 601", "did not end within 1 s"),
    ] {
        let mut scratch = Scratch::repo();
        program(&mut scratch, "codex", script);
        let said = ask(&scratch, &["--within", "1"]);
        assert!(said.status == 111 && said.out.is_empty() && said.err.contains(why), "{what}: {said:?}");
        assert!(said.took < Duration::from_secs(8), "{what}: {:?}", said.took);
        assert!(asks(&scratch)[0]["unavailable"].as_str().unwrap().contains(why), "{what}");
    }
    let alive = std::process::Command::new("pgrep").args(["-f", "sleep 601"]).output();
    assert!(alive.map_or(true, |out| out.stdout.is_empty()), "no orphan lives on");
}

#[test]
fn a_failed_target_is_asked_only_once_more() {
    let mut scratch = Scratch::repo();
    program(&mut scratch, "codex", "[ $(wc -l <\"$0.times\") -ge 2 ] || exit 1; echo at last");
    assert_eq!(ask(&scratch, &[]).out, "at last\n");
    program(&mut scratch, "codex", "exit 1");
    fs::remove_file(scratch.top().join("programs/codex.times")).unwrap();
    assert_eq!(ask(&scratch, &[]).status, 111);
    assert_eq!(kept(&scratch, "codex.times").lines().count(), 2);
}

#[test]
fn agreement_is_counted_among_the_answers() {
    let mut scratch = Scratch::repo();
    program(&mut scratch, "codex", "echo Yes");
    program(&mut scratch, "gemini", "echo yes");
    program(&mut scratch, "claude", "echo no");
    assert_eq!(ask(&scratch, &["--agree", "2"]).status, 0);
    assert_eq!(ask(&scratch, &["--agree", "3"]).status, 1);
    program(&mut scratch, "claude", "exit 1");
    assert_eq!(ask(&scratch, &["--agree", "3"]).status, 111, "unavailable is never agreement");
}

#[test]
fn check_tests_each_target() {
    let mut scratch = Scratch::repo();
    program(&mut scratch, "codex", "sed 's/.*: //' \"$0.input\"");
    let said = scratch.run("rg-ask", &["--check"], b"");
    assert_eq!((said.status, said.out.as_str()), (0, "codex: ok, 0 s\n"), "{said:?}");
    program(&mut scratch, "codex", "echo I am well.");
    assert_eq!(scratch.run("rg-ask", &["--check"], b"").status, 111);
    assert!(asks(&scratch).is_empty(), "a proof is no opinion");
}

#[test]
fn hooks_do_nothing_inside_an_asked_model() {
    let mut scratch = Scratch::repo();
    let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": "inner", "cwd": scratch.work(), "prompt": "#review x"});
    let line =
        "rg-event --client claude --within 20 | rg-tamper | rg-review-state | rg-answer --client claude --kind prompt";
    let script = format!("echo '{event}' | (cd '{}' && {line}); echo answered", scratch.work().display());
    program(&mut scratch, "codex", &script);
    assert_eq!(ask(&scratch, &[]).out, "answered\n");
    assert!(scratch.records("begin").is_empty());
    // After the question its id has no effect.
    scratch.set("RG_ASK", "01AAAAAAAAAAAAAAAAAAAAAAAA");
    scratch.sh(line, event.to_string().as_bytes());
    assert_eq!(scratch.records("begin").len(), 1);
}

/// A scripted model's decision on a review request.
pub const DECIDE: &str = "p=$(sed -n 's/^# Review request //p' \"$0.input\" | head -n 1)\n\
    n=$(sed -n 's/.*\"nonce\": \"\\([0-9A-Z]*\\)\".*/\\1/p' \"$0.input\" | head -n 1)\n\
    printf '{\"decision\": \"%s\", \"request\": \"%s\", \"nonce\": \"%s\", \"summary\": \"x\"}\\n' WORD \"$p\" \"$n\"";

fn wanted(how: &str) -> Session {
    let mut session = Session::with(&format!("review:\n  second_opinion: {how}\npaths:\n  deny: [private/]\n"));
    session.prompt("#review go");
    session.scratch.append("src.txt", "more\n");
    session.scratch.write(".env", "TOKEN=sesame-open\n");
    session.scratch.write("private/plan.txt", "the plan\n");
    session
}

const FILES: [&str; 3] = ["src.txt", ".env", "private/"];

fn line_of(given: &ReviewerStart) -> String {
    format!("rg-ask --request {}", given.request)
}

#[test]
fn a_second_opinion_needs_proof_and_the_reviewer_gets_the_command() {
    let mut session = wanted("asked");
    program(&mut session.scratch, "codex", &DECIDE.replace("WORD", "issues"));
    session.scratch.ok("git checkout -q HEAD -- . && printf 'fixed\\nmore\\n' >src.txt");
    let given = session.review("a1");
    assert!(given.prompt.contains(&line_of(&given)), "{}", given.prompt);
    let mut message = approval(&given, &FILES);
    message.insert_str(0, "## Second Opinion\nCodex agrees.\n");
    let reason = session.says("a1", &message).reason();
    assert!(reason.contains(&format!("    {}", line_of(&given))), "{reason}");
    assert_eq!(session.scratch.ok(&line_of(&given)).status, 0);
    let input = kept(&session.scratch, "codex.input");
    assert!(input.contains("| +more") && !input.contains("sesame-open") && !input.contains("the plan"), "{input}");
    assert_eq!(session.says("a1", &approval(&given, &FILES)).out, "");
    assert_eq!(session.last()["second_opinion"], "codex: issues");
    assert_eq!(session.last()["standing"], "approved");
}

#[test]
fn agree_needs_the_same_decision_from_another_vendor() {
    for (word, standing) in [("approve", "approved"), ("issues", "unusable")] {
        let mut session = wanted("agree");
        program(&mut session.scratch, "codex", &DECIDE.replace("WORD", word));
        let given = session.review("a1");
        session.scratch.ok(&line_of(&given));
        assert_eq!(session.says("a1", &approval(&given, &FILES)).out, "");
        assert_eq!(session.last()["standing"], standing, "{word}");
    }
}

#[test]
fn the_issues_of_a_model_that_disagrees_reach_the_agent() {
    for word in ["issues", "approve"] {
        let mut session = wanted("agree");
        session.scratch.ok("rm -r private .env");
        let issue = r#", "issues": [{"severity": "major", "path": "src.txt", "description": "it loses a line", "how_to_verify": "look"}]}"#;
        let script = DECIDE.replace("WORD", word);
        let at = script.rfind('}').unwrap();
        program(&mut session.scratch, "codex", &format!("{}{issue}{}", &script[..at], &script[at + 1..]));
        let given = session.review("a1");
        session.scratch.ok(&line_of(&given));
        assert_eq!(
            asks(&session.scratch)[0]["decision"],
            "issues",
            "{word}: an approval with a blocking issue is none"
        );
        assert_eq!(session.says("a1", &approval(&given, &["src.txt"])).out, "");
        let reason = session.stop().reason();
        assert!(reason.contains("major: codex: it loses a line"), "{word}: {reason}");
    }
}

#[test]
fn an_unavailable_second_opinion_is_reported() {
    let mut session = wanted("asked");
    program(&mut session.scratch, "codex", "exit 1");
    session.scratch.ok("rm -r private");
    let given = session.review("a1");
    assert_eq!(session.scratch.sh(&line_of(&given), b"").status, 111);
    session.says("a1", &approval(&given, &FILES));
    assert!(session.stop().told().contains("no second opinion available: codex: failed with status 1"));
    assert_eq!(session.scratch.words(), ["unverified"]);
}

#[test]
fn a_heading_is_no_proof_of_a_second_opinion() {
    let mut session = wanted("asked");
    session.scratch.ok("rm -r private");
    let given = session.review("a1");
    session.says("a1", &approval(&given, &FILES));
    assert_eq!(session.says("a1", &approval(&given, &FILES)).out, "");
    assert!(session.stop().told().contains("the reviewer asked for no second opinion"));
}

#[test]
fn a_successful_call_in_the_reviewers_transcript_is_proof() {
    for (error, standing) in [(false, Some("approved")), (true, None)] {
        let mut session = wanted("asked");
        let given = session.review("a1");
        let rows = [
            json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "codex exec - <p"}}]}}),
            json!({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "is_error": error, "content": "fine"}]}}),
        ];
        let mut text = fs::read_to_string(session.log("a1")).unwrap();
        rows.iter().for_each(|row| text.push_str(&format!("{row}\n")));
        fs::write(session.log("a1"), text).unwrap();
        let said = session.says("a1", &approval(&given, &FILES));
        match standing {
            Some(standing) => assert_eq!(session.last()["standing"], standing),
            None => assert!(said.reason().contains("A second opinion is required"), "{said:?}"),
        }
    }
}

#[test]
fn critical_requires_a_second_opinion_only_for_critical_changes() {
    let mut session = wanted("critical");
    let given = session.review("a1");
    assert!(!given.prompt.contains("rg-ask"));
    assert_eq!(session.says("a1", &approval(&given, &FILES)).out, "");
    let mut session = Session::with("review:\n  second_opinion: critical\n  paths: [src.txt]\n");
    session.prompt("go");
    session.scratch.append("src.txt", "more\n");
    assert!(session.stop().reason().contains("no reviewer has reviewed"), "paths arm it");
    assert!(session.review("a1").prompt.contains("rg-ask --request"));
}
