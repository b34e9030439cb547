//! Secrets on command lines and in URLs: they are in no record and in no answer.

use crate::scratch::Scratch;
use serde_json::json;
use std::fs;
use walkdir::WalkDir;

const PASSWORD: &str = "sup3rpw";

/// A command line with the password in each known form.
const TEXT: &str = "git clone https://me:sup3rpw@h/x; psql postgres://u:sup3rpw@h/x; redis-cli -u redis://:sup3rpw@h; \
    curl -u me:sup3rpw x; curl -H 'Authorization: Basic sup3rpw=' x; mysql -uroot -psup3rpw x; x --password sup3rpw; \
    redis-cli -a sup3rpw ping; sshpass -p sup3rpw ls; PGPASSWORD=sup3rpw psql; docker run -e MYSQL_ROOT_PASSWORD=sup3rpw x; \
    docker login -u me -p sup3rpw reg; curl amqp://u:sup3rpw@mq";

/// The files below the state directory that hold the password. The log of a check is the check's own output.
fn places(scratch: &Scratch) -> Vec<String> {
    let files =
        WalkDir::new(scratch.state()).into_iter().filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    let holds = |path: &std::path::Path| {
        fs::read(path).is_ok_and(|bytes| memchr::memmem::find(&bytes, PASSWORD.as_bytes()).is_some())
    };
    let found = files.map(|entry| entry.into_path()).filter(|path| holds(path));
    found
        .filter(|path| path.extension().is_none_or(|ending| ending != "log"))
        .map(|path| path.display().to_string())
        .collect()
}

#[test]
fn no_password_is_in_a_record_a_bounce_a_denial_a_trace_or_a_review_request() {
    let scratch = Scratch::repo_with("checks:\n  - {name: a, run: \"cat ../said.txt; false\"}\nreview:\n  by: agent\n");
    fs::write(scratch.top().join("said.txt"), format!("{TEXT}\n")).unwrap();
    let mut said = vec![("prompt", scratch.prompt("s", &format!("#review\nrun this: {TEXT}")).out)];
    let call = |kind: &str, more: serde_json::Value| {
        let mut fields = json!({
            "hook_event_name": kind,
            "tool_name": "Bash",
            "tool_input": {"command": format!("{TEXT}; git reset --hard; mysql -psup3rpw -e 'drop database x'")}
        });
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        scratch.payload("s", fields)
    };
    let before = call("PreToolUse", json!({}));
    said.push(("denial", scratch.run("rg-guard", &["--hook"], &before).out));
    let line = "rg-event --client claude | rg-guard | rg-answer --client claude --kind tool-before";
    said.push(("denial in a pipeline", scratch.sh(line, &before).out));
    said.push(("denial of one command", scratch.run("rg-guard", &["mysql -psup3rpw -e 'drop database x'"], b"").out));
    let after = call("PostToolUse", json!({"tool_response": {"stdout": TEXT}}));
    said.push(("trace", scratch.run("rg-trace", &["--hook"], &after).out));
    scratch.append("src.txt", "changed\n");
    said.push(("backup", scratch.run("rg-rescue", &["save", "--why", TEXT], b"").out));
    said.push((
        "waiver",
        scratch.run("rg-bounce", &["waive", "--scope", "gate", "--why", TEXT, "--for", "1s"], b"").out,
    ));
    said.push(("bounce", scratch.stop_saying("s", TEXT).out));
    said.push(("review request", scratch.run("rg-review-state", &["show"], b"").out));
    said.push(("list of backups", scratch.run("rg-rescue", &["list"], b"").out));
    said.push(("shown backup", scratch.run("rg-rescue", &["show", "last"], b"").out));
    said.push(("shown trace", scratch.run("rg-trace", &["show"], b"").out));
    said.push(("receipt", scratch.run("rg-receipt", &["show", "last"], b"").out));
    let told: Vec<&(&str, String)> = said.iter().filter(|(_, text)| text.contains(PASSWORD)).collect();
    assert!(told.is_empty(), "{told:?}");
    let denial = &said[1].1;
    assert!(denial.contains("mysql -p[redacted]") || denial.contains("git-reset-hard"), "{denial}");
    assert!(said.iter().any(|(what, text)| *what == "bounce" && text.contains("[redacted]")), "{said:?}");
    assert!(places(&scratch).is_empty(), "{:?}", places(&scratch));
}
