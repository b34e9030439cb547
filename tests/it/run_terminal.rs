//! Tests of rg-run at a terminal, which script(1) makes: patches that the user sees first, decisions, and lines for people.

use crate::run::{prompt, steps, with_agent};
use crate::scratch::{Said, Scratch, skipped};
use serde_json::json;
use std::fs;

/// Runs a shell line at a terminal where the user answers each question with the next of these lines; None if script(1) is absent.
fn at_terminal(scratch: &Scratch, line: &str, typed: &str) -> Option<Said> {
    if scratch.sh("script --version", b"").status != 0 {
        skipped("no script");
        return None;
    }
    fs::write(scratch.top().join("line.sh"), format!("{line}; echo \"status $?\"; touch ../ended\n")).unwrap();
    // What is typed before a question is no answer, so the input waits until each question was printed. It looks for the
    // questions themselves, because a piece of any other line may end as a question does, and for the size first: the
    // answer's echo may come between the two.
    let feed = format!(
        "size=0; rm -f ../ended; : >../seen\n\
        asked() {{ [ $(wc -c <../seen) -gt $size ] && case $(tail -c 12 ../seen) in *quit:\\ |*'with it? '|*'Why? '|*'agent do? ') ;; *) false ;; esac; }}\n\
        waits() {{ [ ! -e ../ended ] && ! asked; }}\n\
        for word in {typed}; do while waits; do sleep 0.1; done; size=$(wc -c <../seen); printf '%s\\n' \"$word\"; done\n\
        until [ -e ../ended ]; do sleep 0.1; done"
    );
    fs::write(scratch.top().join("feed.sh"), feed).unwrap();
    Some(scratch.sh("sh ../feed.sh | script -qefc 'sh ../line.sh' ../seen", b""))
}

fn reply(from: &str, to: &str) -> String {
    let patch = format!("--- a/src.txt\n+++ b/src.txt\n@@ -1 +1 @@\n-{from}\n+{to}\n");
    json!({"plan": "src.txt: say fixed", "patch": patch}).to_string()
}

#[test]
fn a_user_sees_each_patch_before_it_is_applied() {
    let scratch = with_agent("cat ../answer.$n; cat src.txt >../seen.$n");
    for (n, answer) in [reply("broken", "\u{1b}[2Jworse"), reply("broken", "fixed")].iter().enumerate() {
        fs::write(scratch.top().join(format!("answer.{}", n + 1)), answer).unwrap();
    }
    let line = "rg-run --patch --step 'fix it' -- sh ../agent.sh";
    let Some(said) = at_terminal(&scratch, line, "what no 'not like that' yes") else { return };
    assert!(said.out.contains("status 0"), "{said:?}");
    assert!(said.out.contains("+fixed") && !said.out.contains("\u{1b}[2J"), "{said:?}");
    assert!(
        prompt(&scratch, 2).contains("The user refused your patch, and nothing was changed:\nnot like that"),
        "{said:?}"
    );
    assert_eq!(fs::read_to_string(scratch.top().join("seen.2")).unwrap(), "broken\n");
    assert_eq!(scratch.ok("cat src.txt").out, "fixed\n");
    // At a terminal there are lines for people.
    assert!(said.out.contains("round 2: done: ") && !said.out.contains("{\"state\""), "{said:?}");
}

#[test]
fn a_user_may_end_the_run_before_a_patch_and_go_on_later() {
    let scratch = with_agent("cat ../answer");
    fs::write(scratch.top().join("answer"), reply("broken", "fixed")).unwrap();
    let Some(said) = at_terminal(&scratch, "rg-run --patch --step 'fix it' -- sh ../agent.sh", "quit") else { return };
    assert!(said.out.contains("To go on, run `rg-run --resume run-"), "{said:?}");
    assert_eq!((scratch.ok("cat src.txt").out, steps(&scratch, "end").len()), ("broken\n".to_string(), 0), "{said:?}");
    let said = at_terminal(&scratch, "rg-run --resume last", "yes").unwrap();
    assert!(said.out.contains("status 0"), "{said:?}");
    assert_eq!(scratch.ok("cat src.txt").out, "fixed\n");
}

/// A repository whose reviewer never approves, and whose moderator is the user.
fn disputed() -> Scratch {
    let scratch = with_agent("echo \"fixed $n\" >src.txt");
    let yaml = "checks: [{name: t, run: sh test.sh}]\nreview: {when: always, by: command, command: \"sh ../reviewer\", moderator: human}\n";
    scratch.write("DONE.md", &format!("```yaml\n{yaml}```\n"));
    scratch.ok("git commit -qam review");
    let reviewer = "in=$(cat)\n\
        p=$(printf '%s\\n' \"$in\" | sed -n 's/^# Review request //p' | head -n 1)\n\
        n=$(printf '%s\\n' \"$in\" | sed -n 's/.*\"nonce\": \"\\([0-9A-Z]*\\)\".*/\\1/p' | head -n 1)\n\
        printf '{\"decision\": \"issues\", \"request\": \"%s\", \"nonce\": \"%s\", \"summary\": \"no\", \"reviewed\": [\"src.txt\"], \"issues\": [{\"severity\": \"major\", \"path\": \"src.txt\", \"line\": 1, \"description\": \"say it better\", \"how_to_verify\": \"read it\"}]}\\n' \"$p\" \"$n\"\n";
    fs::write(scratch.top().join("reviewer"), reviewer).unwrap();
    scratch
}

#[test]
fn what_only_a_person_can_decide_is_asked_at_the_terminal() {
    let line = "rg-run 'fix it' -- sh ../agent.sh";
    let scratch = disputed();
    let Some(said) = at_terminal(&scratch, line, "'' yes '' yes 'good enough'") else { return };
    assert!(said.out.contains("a person must decide") && said.out.contains("say it better"), "{said:?}");
    assert!(said.out.contains("status 0"), "{said:?}");
    assert_eq!(scratch.words().last().map(String::as_str), Some("waived"), "{said:?}");
    assert_eq!(scratch.records("approve")[0]["why"], "good enough");
    assert_eq!((steps(&scratch, "end").len(), steps(&scratch, "end")[0]["outcome"].as_str()), (1, Some("waived")));
    // The agent goes on with the user's words, and later the user ends the run.
    let scratch = disputed();
    let said = at_terminal(&scratch, line, "no 'use capital letters' quit").unwrap();
    assert!(prompt(&scratch, 3).contains("use capital letters"), "{said:?}");
    assert_eq!(steps(&scratch, "end")[0]["outcome"], "unverified", "{said:?}");
    // Without a terminal the run ends.
    let scratch = disputed();
    let said = scratch.sh(line, b"");
    assert_eq!((said.status, steps(&scratch, "turn").len()), (111, 2), "{said:?}");
}

#[test]
fn what_was_typed_before_a_question_is_no_answer() {
    let scratch = disputed();
    if scratch.sh("script --version", b"").status != 0 {
        return skipped("no script");
    }
    // An agent that writes to the terminal, or a user who types too early.
    let feed = "printf 'yes\\nbecause\\n'; until grep -q 'Accept the files' ../seen; do sleep 0.2; done; sleep 1; echo quit; sleep 1";
    scratch.sh(&format!("{{ {feed}; }} | script -qefc \"rg-run 'fix it' -- sh ../agent.sh\" ../seen >../out"), b"");
    assert!(scratch.records("approve").is_empty());
    assert_eq!(steps(&scratch, "end")[0]["outcome"], "unverified");
}

#[test]
fn a_batch_prints_a_line_for_each_round_and_each_item() {
    let scratch = with_agent("true");
    let agent = "cat >/dev/null; grep -q try src.txt && echo fixed >src.txt || echo try >src.txt";
    fs::write(scratch.top().join("lines"), "one thing\n").unwrap();
    let line = format!("rg-run --each line --prompt-file ../lines --builder '{agent}'");
    let Some(said) = at_terminal(&scratch, &line, "''") else { return };
    let lines: Vec<&str> = said.out.lines().map(str::trim_end).filter(|line| line.starts_with("1")).collect();
    assert_eq!(lines.len(), 4, "{said:?}");
    assert!(lines[0] == "1: one thing" && lines[1].starts_with("1: round 1: not-done: "), "{lines:?}");
    assert!(
        lines[2].starts_with("1: done: ") && lines[2].contains(". Land it with `rg-land rg/one-thing-"),
        "{lines:?}"
    );
    assert!(lines[2].ends_with("(tokens unknown, cost unknown)"), "{lines:?}");
    assert_eq!(lines[3], "1 item: 1 done, 0 landed", "{said:?}");
}
