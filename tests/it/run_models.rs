//! Tests of the models that the judges of a run ask: what they spend counts in the budgets of the run, of its batch and of the day.

use crate::run::steps;
use crate::scratch::{Said, Scratch, bin_dir, lines_of};
use crate::sleeper;
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A program that works as the builder, and rejects as the reviewer until there is a file `good`. Each call reports what is given.
const MODEL: &str = r##"#!/bin/sh
cat >"$0.in.$$"; in="$0.in.$$"
if grep -q '^# Goal' "$in"; then
    echo b >>TOP/builds; AGENT
    echo "fixed $(wc -l <TOP/builds)" >src.txt
    echo '{"type":"result","result":"ok","total_cost_usd":0.25,"usage":{"input_tokens":600,"output_tokens":0}}'
    exit
fi
echo r >>TOP/reviews; REVIEWER
request=$(sed -n 's/^# \(Review r\|R\)equest //p' "$in" | head -n 1)
nonce=$(sed -n 's/.*"nonce": "\([0-9A-Z]*\)".*/\1/p' "$in" | head -n 1)
known=$(sed -n 's/^| \([0-9a-z]*\) major .*/, "\1"/p' "$in" | head -n 1)
issues=', "issues": [{"severity": "major", "path": "src.txt", "description": "no", "how_to_verify": "read it"}]'; word=issues
[ ! -e TOP/good ] || { issues=; word=approve; }
printf '{"decision": "%s", "request": "%s", "nonce": "%s", "summary": "seen", "reviewed": ["src.txt"%s]%s}' "$word" "$request" "$nonce" "$known" "$issues" >"$0.out"
ANSWER
"##;

/// The reviewer answers in Claude Code's form, with $5 and 5000 tokens.
const REPORTS: &str = r#"printf '{"type":"result","total_cost_usd":5,"usage":{"input_tokens":5000},"result":"%s"}\n' "$(sed 's/"/\\"/g' "$0.out")""#;

/// The reviewer answers in plain text.
const IS_SILENT: &str = "cat \"$0.out\"";

fn repo(yaml: &str, (agent, reviewer, answer): (&str, &str, &str)) -> Scratch {
    let mut scratch = Scratch::repo_with(&format!("checks: [{{name: t, run: grep -q fixed src.txt}}]\n{yaml}"));
    let (top, bin) = (scratch.top(), scratch.top().join("bin"));
    fs::create_dir_all(&bin).unwrap();
    let script = MODEL.replace("AGENT", agent).replace("REVIEWER", reviewer).replace("ANSWER", answer);
    fs::write(bin.join("claude"), script.replace("TOP", top.to_str().unwrap())).unwrap();
    scratch.ok("chmod +x ../bin/claude");
    let path = format!("{}:{}", bin.display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
    scratch
}

fn run(scratch: &Scratch, options: &[&str]) -> Said {
    scratch.run("rg-run", &[&["--builder", "claude", "--reviewer", "claude"], options, &["go"]].concat(), b"")
}

fn count(scratch: &Scratch, name: &str) -> usize {
    fs::read_to_string(scratch.top().join(name)).unwrap_or_default().lines().count()
}

fn why(scratch: &Scratch) -> String {
    steps(scratch, "end").pop().unwrap()["why"].as_str().unwrap().to_string()
}

/// The records of models that were asked.
fn calls(scratch: &Scratch, state: &str) -> Vec<Value> {
    let all = lines_of(&scratch.state().join("runs.jsonl"));
    all.into_iter().filter(|line| line["kind"] == "call" && line["state"] == state).collect()
}

#[test]
fn what_a_reviewer_spends_counts_for_the_run_the_batch_and_the_day() {
    for (budget, who) in [("1usd", "the run spent $5.25 of $1.00"), ("2k", "the run spent 5600 of 2000 tokens")] {
        let scratch = repo("", ("", "", REPORTS));
        let said = run(&scratch, &["--budget", budget]);
        assert_eq!((said.status, count(&scratch, "builds"), count(&scratch, "reviews")), (111, 1, 1), "{said:?}");
        assert!(why(&scratch).contains(who), "{}", why(&scratch));
        let judged = &steps(&scratch, "judged")[0];
        assert_eq!(judged["models"], serde_json::json!({"calls": 1, "tokens": 5000, "cost": 5.0}), "{judged}");
        // A later run of the day.
        let said = run(&scratch, &["--budget", "5usd/day"]);
        assert!(said.status == 111 && why(&scratch).contains("the runs of today spent $5.25 of $5.00"), "{said:?}");
        assert_eq!((count(&scratch, "builds"), calls(&scratch, "answered").len()), (1, 1));
        for line in said.out.lines() {
            crate::schema::assert_fits("run", &serde_json::from_str(line).unwrap());
        }
        for record in lines_of(&scratch.state().join("runs.jsonl")) {
            crate::schema::assert_fits("record", &record);
        }
    }
    let scratch = repo("", ("", "", REPORTS));
    fs::write(scratch.top().join("good"), "").unwrap();
    let words = ["--each", "line", "--builder", "claude", "--reviewer", "claude", "--budget", "5usd"];
    let said = scratch.run("rg-run", &words, b"a\nb\nc\n");
    assert_eq!((said.status, count(&scratch, "builds"), count(&scratch, "reviews")), (111, 1, 1), "{said:?}");
    assert!(said.out.contains("the batch spent $5.25 of $5.00"), "{said:?}");
}

#[test]
fn a_reviewer_that_reports_nothing_makes_the_sum_unknown() {
    let scratch = repo("", ("", "", IS_SILENT));
    let said = run(&scratch, &["--budget", "1M"]);
    assert_eq!((said.status, count(&scratch, "builds")), (111, 1), "{said:?}");
    assert!(why(&scratch).contains("the budget cannot be held"), "{}", why(&scratch));
    // Without a budget nobody asks what was spent.
    let scratch = repo("", ("", "", IS_SILENT));
    fs::write(scratch.top().join("good"), "").unwrap();
    assert_eq!(run(&scratch, &["--budget", "1M"]).status, 0, "approved in the first round");
    assert!(steps(&scratch, "judged")[0]["models"]["tokens"].is_null());
}

#[test]
fn a_command_that_done_md_declares_is_no_part_of_the_budget() {
    let scratch = repo(
        "review: {when: always, command: claude}\n",
        ("", "[ $(wc -l <TOP/reviews) = 1 ] || touch TOP/good", IS_SILENT),
    );
    let said = scratch.run("rg-run", &["--builder", "claude", "--budget", "2k", "go"], b"");
    assert_eq!((said.status, count(&scratch, "builds"), count(&scratch, "reviews")), (0, 2, 2), "{said:?}");
    assert!(calls(&scratch, "asked").is_empty() && steps(&scratch, "judged")[0]["models"].is_null());
}

#[test]
fn every_call_of_a_round_counts_also_that_for_a_second_opinion() {
    let scratch = repo("review: {second_opinion: asked}\n", ("", "", REPORTS));
    fs::write(scratch.top().join("good"), "").unwrap();
    let codex = "#!/bin/sh\ncat >/dev/null\n\
        echo '{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"I see.\"}}'\n\
        echo '{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":10,\"output_tokens\":5}}'\n";
    fs::write(scratch.top().join("bin/codex"), codex).unwrap();
    scratch.ok("chmod +x ../bin/codex");
    let said = run(&scratch, &[]);
    assert_eq!((said.status, count(&scratch, "reviews")), (0, 2), "{said:?}");
    let roles: Vec<String> =
        calls(&scratch, "asked").iter().map(|call| call["role"].as_str().unwrap().to_string()).collect();
    assert_eq!(roles, ["reviewer", "second-opinion", "reviewer"]);
    // Codex reports no cost.
    let models = &steps(&scratch, "judged")[0]["models"];
    assert_eq!(*models, serde_json::json!({"calls": 3, "tokens": 10_015}), "{models}");
}

#[test]
fn a_model_that_the_agent_asks_counts_too() {
    let asks = "echo hi | RG_STATE=TOP/state rg-ask --to claude >/dev/null";
    let scratch = repo("", (asks, "", REPORTS));
    let said = scratch.run("rg-run", &["--builder", "claude", "--rounds", "1", "go"], b"");
    assert_eq!(said.status, 0, "{said:?}");
    let asked = calls(&scratch, "asked");
    assert_eq!((asked.len(), asked[0]["role"].as_str()), (1, Some("question")), "{asked:?}");
    assert_eq!(scratch.receipt()["run"]["tokens"], 5600, "{}", scratch.receipt());
}

#[test]
fn a_call_whose_end_nobody_saw_is_unknown() {
    let time = sleeper::time();
    let waits = format!("[ $(wc -l <TOP/reviews) -gt 1 ] || sleep {time}");
    let scratch = repo("", ("", &waits, REPORTS));
    let mut command = scratch.command(bin_dir().join("rg-run"));
    command.args(["--builder", "claude", "--reviewer", "claude", "--budget", "90usd", "go"]);
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while count(&scratch, "reviews") == 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "the reviewer did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // For another run of the day, and for the run itself.
    let words = ["--builder", "claude", "--branch", "b", "--budget", "90usd/day", "b"];
    let said = scratch.run("rg-run", &words, b"");
    assert!(said.status == 111 && said.out.contains("the budget cannot be held"), "{said:?}");
    let first = steps(&scratch, "begin")[0]["run"].as_str().unwrap().to_string();
    let said = scratch.run("rg-run", &["--resume", &first], b"");
    assert_eq!((said.status, count(&scratch, "builds")), (1, 1), "{said:?}");
    // The judges of the killed run have ended with their model.
    assert_eq!(sleeper::count(&time), 0);
    assert!(why(&scratch).contains("the budget cannot be held"), "{}", why(&scratch));
}
