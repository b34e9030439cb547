//! Tests of rg-run with an agent that answers with a patch, and with a reviewer.

use crate::run::{prompt, steps, with_agent};
use crate::scratch::{Said, Scratch};
use serde_json::json;
use std::fs;

/// A patch of src.txt from one word to another.
fn patch(from: &str, to: &str) -> String {
    format!("--- a/src.txt\n+++ b/src.txt\n@@ -1 +1 @@\n-{from}\n+{to}\n")
}

/// A repository whose agent gives these answers, one in each call, and the last one for ever.
fn answering(answers: &[String]) -> Scratch {
    let scratch = with_agent("f=../answer.$n; [ -f $f ] || f=../answer.last; cat $f");
    for (n, answer) in answers.iter().enumerate() {
        fs::write(scratch.top().join(format!("answer.{}", n + 1)), answer).unwrap();
        fs::write(scratch.top().join("answer.last"), answer).unwrap();
    }
    scratch
}

fn reply(patch: &str) -> String {
    json!({"plan": "src.txt: say fixed", "patch": patch, "run": ["touch pwned"], "risks": []}).to_string()
}

fn run(scratch: &Scratch, options: &[&str]) -> Said {
    scratch.run("rg-run", &[&["--patch"], options, &["fix src.txt", "--", "sh", "../agent.sh"]].concat(), b"")
}

#[test]
fn a_patch_is_applied_and_what_it_proposes_to_run_is_not_run() {
    let scratch = answering(&[format!("Here:\n```json\n{}\n```\n", reply(&patch("broken", "fixed")))]);
    let said = run(&scratch, &[]);
    assert_eq!((said.status, scratch.words()), (0, vec!["done".to_string()]), "{said:?}");
    assert!(!scratch.work().join("pwned").exists());
    assert!(prompt(&scratch, 1).contains("\"files_needed\""));
}

#[test]
fn an_answer_that_cannot_be_used_costs_a_round_and_is_explained() {
    let scratch = answering(&[
        "I am done.".into(),
        reply(&patch("missing", "fixed")),
        reply("not a diff"),
        reply(&patch("broken", "fixed")),
    ]);
    let said = run(&scratch, &[]);
    assert_eq!((said.status, scratch.words()), (0, vec!["done".to_string()]), "{said:?}");
    for (round, part) in
        [(2, "no complete JSON object"), (3, "hunk 1 (line 3) does not fit"), (4, "Your patch was refused")]
    {
        assert!(prompt(&scratch, round).contains(part), "{round}: {}", prompt(&scratch, round));
    }
}

#[test]
fn useless_answers_end_the_run() {
    let scratch = answering(&["{}".into()]);
    let said = run(&scratch, &[]);
    let ends = steps(&scratch, "end");
    assert_eq!((said.status, ends.len(), steps(&scratch, "turn").len()), (111, 1, 4), "{said:?}");
    assert_eq!((ends[0]["outcome"].as_str(), ends[0]["receipt"].is_string()), (Some("unverified"), true), "{ends:?}");
    // Work that is red stays red, whatever the agent answers then.
    let scratch = answering(&[reply(&patch("broken", "worse")), "{}".into()]);
    let said = run(&scratch, &["--rounds", "3"]);
    assert_eq!((said.status, steps(&scratch, "end")[0]["outcome"].as_str()), (1, Some("abandoned")), "{said:?}");
}

#[test]
fn a_patch_changes_only_allowed_files() {
    let scratch =
        answering(&[reply("--- /dev/null\n+++ b/DONE.md.new\n@@ -0,0 +1 @@\n+x\n"), reply(&patch("broken", "fixed"))]);
    let yaml = "checks: [{name: t, run: sh test.sh}]\npaths: {allow: [/src.txt]}\n";
    scratch.write("DONE.md", &format!("```yaml\n{yaml}```\n"));
    scratch.ok("git commit -qam paths");
    let said = run(&scratch, &[]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(prompt(&scratch, 2).contains("refused DONE.md.new"), "{}", prompt(&scratch, 2));
    assert!(!scratch.work().join("DONE.md.new").exists());
}

#[test]
fn files_are_handed_over_at_no_rounds_cost_three_times_at_most() {
    let needs = |paths: &[&str]| json!({"files_needed": paths}).to_string();
    let scratch = answering(&[
        needs(&["src.txt", "keys.pem", ".git/config", "../n", "link", "none", "big"]),
        needs(&["test.sh"]),
        reply(&patch("broken", "fixed")),
    ]);
    scratch.write("keys.pem", "-----BEGIN PRIVATE KEY-----\n");
    scratch.write(".env", "TOKEN=x\n");
    scratch.write("big", &"line of a long file\n".repeat(20_000));
    scratch.ok("ln -s .env link && git add -A && git commit -qm more");
    let said = run(&scratch, &["--rounds", "1"]);
    assert_eq!((said.status, steps(&scratch, "turn").len(), steps(&scratch, "agent").len()), (0, 1, 3), "{said:?}");
    let second = prompt(&scratch, 2);
    assert!(second.contains("## src.txt\n\n| broken\n"), "{second}");
    for refused in [
        "keys.pem: not shown",
        ".git/config: not shown",
        "../n: not shown",
        "link: not shown",
        "none: not shown",
        "big: not shown",
    ] {
        assert!(second.contains(refused), "{refused}: {second}");
    }
    assert!(!second.contains("PRIVATE KEY") && !second.contains("TOKEN=x"));
    assert!(prompt(&scratch, 3).contains("## src.txt") && prompt(&scratch, 3).contains("## test.sh"));
    // For ever: three times, then it costs a round.
    let scratch = answering(&[needs(&["src.txt"])]);
    let said = run(&scratch, &["--rounds", "1"]);
    assert_eq!((said.status, steps(&scratch, "agent").len()), (111, 4), "{said:?}");
}

/// A program `codex` that reviews, and refuses the first time.
fn with_codex() -> Scratch {
    let mut scratch = with_agent("echo \"fixed $n\" >src.txt");
    let bin = scratch.top().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let script = "#!/bin/sh\nin=$(cat)\n\
        k=$(printf '%s\\n' \"$in\" | sed -n 's/^| \\([0-9a-z]*\\) major .*/, \"\\1\"/p' | head -n 1)\n\
        p=$(printf '%s\\n' \"$in\" | sed -n 's/^# Review request //p' | head -n 1)\n\
        n=$(printf '%s\\n' \"$in\" | sed -n 's/.*\"nonce\": \"\\([0-9A-Z]*\\)\".*/\\1/p' | head -n 1)\n\
        if [ -f \"$HOME/reviewed\" ]; then d='\"approve\"'; i=''; else touch \"$HOME/reviewed\"; d='\"issues\"'; \
        i=', \"issues\": [{\"severity\": \"major\", \"path\": \"src.txt\", \"line\": 1, \"description\": \"say it better\", \"how_to_verify\": \"read it\"}]'; fi\n\
        printf '{\"decision\": %s, \"request\": \"%s\", \"nonce\": \"%s\", \"summary\": \"read\", \"reviewed\": [\"src.txt\"%s]%s}\\n' \"$d\" \"$p\" \"$n\" \"$k\" \"$i\"\n";
    fs::write(bin.join("codex"), script).unwrap();
    scratch.ok("chmod +x ../bin/codex");
    let path = format!("{}:{}", bin.display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
    scratch
}

#[test]
fn a_reviewer_sends_the_agent_back_and_then_approves() {
    let scratch = with_codex();
    let said = crate::run::run(&scratch, &["--reviewer", "codex"]);
    assert_eq!((said.status, scratch.words()), (0, vec!["not-done".to_string(), "done".to_string()]), "{said:?}");
    assert!(prompt(&scratch, 2).contains("say it better"), "{}", prompt(&scratch, 2));
    assert_eq!(scratch.receipt()["review"]["state"], "approved", "{}", scratch.receipt());
    let said = crate::run::run(&Scratch::repo(), &["--reviewer", "nobody"]);
    assert!(said.status == 100 && said.err.contains("unknown model"), "{said:?}");
}

#[test]
fn the_reviewer_gets_its_model_and_its_effort() {
    let scratch = with_codex();
    scratch.ok("touch ../home/reviewed && sed -i '2i echo \"$@\" >../argv' ../bin/codex");
    let said =
        crate::run::run(&scratch, &["--reviewer", "codex", "--reviewer-model", "m9", "--reviewer-effort", "low"]);
    assert_eq!(said.status, 0, "{said:?}");
    let words = fs::read_to_string(scratch.top().join("argv")).unwrap();
    assert!(words.contains("-c model_reasoning_effort=\"low\" ") && words.contains("--model m9"), "{words}");
    // DONE.md names them, too.
    let scratch = with_codex();
    scratch.ok("touch ../home/reviewed && sed -i '2i echo \"$@\" >../argv' ../bin/codex");
    let yaml = "checks: [{name: t, run: sh test.sh}]\nreview: {model: m8, effort: high}\n";
    scratch.write("DONE.md", &format!("```yaml\n{yaml}```\n"));
    scratch.ok("git commit -qam definition");
    assert_eq!(crate::run::run(&scratch, &["--reviewer", "codex"]).status, 0);
    let words = fs::read_to_string(scratch.top().join("argv")).unwrap();
    assert!(words.contains("model_reasoning_effort=\"high\"") && words.contains("--model m8"), "{words}");
}

/// An answer that changes the source, a test or not, and a manifest.
fn change(plan: &str, risks: &str, has_test: bool) -> String {
    let mut patch = "--- a/lib.py\n+++ b/lib.py\n@@ -1 +1,2 @@\n import sys\n+import requests\n".to_string()
        + "--- a/requirements.txt\n+++ b/requirements.txt\n@@ -1 +1,2 @@\n rich==1\n+requests==2\n"
        + "--- a/src.txt\n+++ b/src.txt\n@@ -1 +1 @@\n-broken\n+fixed\n";
    if has_test {
        patch += "--- /dev/null\n+++ b/tests/test_lib.py\n@@ -0,0 +1,2 @@\n+def test_lib():\n+    assert True\n";
    }
    json!({"plan": plan, "patch": patch, "risks": [risks]}).to_string()
}

#[test]
fn what_a_change_lacks_is_a_warning_or_an_error() {
    let poor = change("lib.py: use it. src.txt too", "none", false);
    let good = change("lib.py, src.txt, requirements.txt, tests/test_lib.py", "requests is new", true);
    let repo = |answers: &[String], floor: &str| {
        let scratch = answering(answers);
        scratch.write("lib.py", "import sys\n");
        scratch.write("requirements.txt", "rich==1\n");
        let yaml = format!("checks: [{{name: t, run: sh test.sh}}]\nreview: {{floor: {floor}}}\n");
        scratch.write("DONE.md", &format!("```yaml\n{yaml}```\n"));
        scratch.ok("git add -A && git commit -qm more");
        scratch
    };
    let rules = |scratch: &Scratch| -> Vec<(String, String)> {
        let found = scratch.receipt()["findings"].as_array().cloned().unwrap_or_default();
        let of = |finding: &serde_json::Value, name: &str| finding[name].as_str().unwrap_or_default().to_string();
        found.iter().filter(|one| one["by"] == "rg-event").map(|one| (of(one, "rule"), of(one, "level"))).collect()
    };
    let all = |level: &str| -> Vec<(String, String)> {
        ["untested-change", "unplanned-change", "unnamed-dependency"]
            .map(|rule| (rule.to_string(), level.to_string()))
            .to_vec()
    };
    let scratch = repo(std::slice::from_ref(&poor), "balanced");
    let said = run(&scratch, &[]);
    assert_eq!((said.status, rules(&scratch)), (0, all("warning")), "{said:?}");
    let scratch = repo(std::slice::from_ref(&good), "strict");
    let said = run(&scratch, &[]);
    assert_eq!((said.status, rules(&scratch)), (0, Vec::new()), "{said:?} {}", scratch.receipt());
    let scratch = repo(&[poor], "strict");
    let said = run(&scratch, &["--rounds", "1"]);
    assert_eq!((said.status, rules(&scratch)), (1, all("error")), "{said:?}");
    // It is a reason of the next round.
    let scratch = repo(&[change("lib.py: use it. src.txt too", "none", false), "{}".into()], "strict");
    run(&scratch, &["--rounds", "2"]);
    let second = prompt(&scratch, 2);
    assert!(second.contains("no test changed") && second.contains("the plan does not name this file"), "{second}");
}

#[test]
fn uncommitted_work_from_before_the_run_is_no_change_of_the_run() {
    let lacking = |line: &str| {
        let scratch = Scratch::repo();
        scratch.write("lib.py", "import sys\n");
        scratch.write("old.py", "import os\n");
        scratch.ok("git add -A && git commit -qm more");
        scratch.append("lib.py", "# mine\n");
        scratch.write("new.py", "# mine, too\n");
        scratch.ok("rm old.py");
        let said = scratch.run("rg-run", &["--rounds", "1", "fix src.txt", "--", "sh", "-c", line], b"");
        assert_eq!(said.status, 0, "{said:?}");
        let found = scratch.receipt()["findings"].as_array().cloned().unwrap_or_default();
        let own = found.into_iter().filter(|one| one["rule"] == "untested-change");
        own.map(|one| one["path"].as_str().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(lacking("cat >/dev/null; echo fixed >src.txt"), [""; 0]);
    assert_eq!(lacking("cat >/dev/null; echo fixed >src.txt; echo '# more' >>new.py"), ["new.py"]);
    assert_eq!(
        lacking("cat >/dev/null; echo fixed >src.txt; git checkout -q lib.py old.py; echo 1 >>lib.py"),
        ["lib.py"]
    );
}
