//! Random agents of rg-run: whatever they do, and wherever the run is killed, it ends once, holds its limits and leaves no process.

use crate::run::steps;
use crate::scratch::Scratch;
use crate::sleeper;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

/// The status of a program that was killed, as a shell gives it.
const KILLED: i32 = 137;

/// What an agent does in one call.
const ACTS: [&str; 19] = [
    "good", "good", "half", "lie", "hang", "flood", "prose", "broken", "schema", "needs", "die", "parent", "daemon",
    "deaf", "twice", "escape", "weaken", "poor", "silent",
];

/// Tokens that a call reports, and what a run may spend.
const TOKENS: u64 = 100;

/// An agent that reports like Claude Code and does what line `$n` of `../acts` says.
const AGENT: &str = r##"#!/bin/sh
n=$(cat ../n 2>/dev/null || echo 0); n=$((n + 1)); echo $n >../n
act=$(sed -n "${n}p" ../acts)
[ "$act" = deaf ] || cat >/dev/null
say() { printf '%s' "$1" >../message; usage='"usage":{"input_tokens":100}'; [ "$act" != poor ] || usage='"x":0'
    printf '{"type":"result","result":%s,%s}\n' "$(cat ../quoted.$1)" "$usage"; exit 0; }
patched() { if [ -e ../is-patch ]; then say "$1"; else "$1"; say lie; fi; }
good() { echo fixed >a.txt; echo fixed >b.txt; }
half() { echo fixed >a.txt; }
case $act in
good | deaf | poor) patched good ;;
half) patched half ;;
lie | needs | broken | schema | prose | twice | escape) say $act ;;
hang) sleep MARK ;;
flood) head -c 30000000 /dev/zero; exit 1 ;;
die) kill -9 $$ ;;
parent) kill -9 $PPID; sleep 5 ;;
daemon) setsid sleep MARK >/dev/null 2>&1 & patched good ;;
weaken) echo '```yaml' >DONE.md; echo 'checks: [{name: t, run: "true"}]' >>DONE.md; echo '```' >>DONE.md; say lie ;;
silent) exit 0 ;;
*) say lie ;;
esac
"##;

fn diff(name: &str, from: &str) -> String {
    format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{from}\n+fixed\n")
}

fn repo(acts: &[&str], is_patch: bool, mark: &str) -> Scratch {
    let mut scratch = Scratch::repo();
    scratch.write("test.sh", "grep -q fixed a.txt && grep -q fixed b.txt || { echo 'a.txt:1: not fixed'; exit 1; }\n");
    scratch.write("a.txt", "old\n");
    scratch.write("b.txt", "old\n");
    scratch.ok("git add -A && git commit -qm files");
    let top = scratch.top();
    let reply = |patch: String| json!({"plan": "a.txt and b.txt", "patch": patch}).to_string();
    let good = reply(diff("a.txt", "old") + &diff("b.txt", "old"));
    for (name, message) in [
        ("good", good.clone()),
        ("half", reply(diff("a.txt", "old") + &diff("b.txt", "another line"))),
        ("lie", "All done, all tests pass.".to_string()),
        ("prose", format!("Sure {{ here }} it is:\n```json\n{good}\n```\nEnjoy }}{{")),
        ("twice", format!("{good}\n{}", reply(diff("a.txt", "old")))),
        ("broken", good[..good.len() / 2].to_string()),
        ("schema", json!({"plan": 7, "patch": ["x"]}).to_string()),
        ("needs", json!({"files_needed": ["a.txt", "../../etc/passwd"]}).to_string()),
        ("escape", reply("--- /dev/null\n+++ b/../outside\n@@ -0,0 +1 @@\n+x\n".to_string() + &diff("a.txt", "old"))),
    ] {
        fs::write(top.join(format!("quoted.{name}")), Value::from(message).to_string()).unwrap();
    }
    if is_patch {
        fs::write(top.join("is-patch"), "").unwrap();
    }
    fs::write(top.join("acts"), acts.join("\n") + "\n").unwrap();
    fs::create_dir_all(top.join("bin")).unwrap();
    fs::write(top.join("bin/claude"), AGENT.replace("MARK", mark)).unwrap();
    scratch.ok("chmod +x ../bin/claude");
    let path = format!("{}:{}", top.join("bin").display(), scratch.env["PATH"]);
    scratch.set("PATH", &path);
    scratch
}

/// One run of an agent, killed at that step (0: never), and resumed until it has ended.
fn check(acts: &[&str], is_patch: bool, rounds: u32, budget: u64, crash: u32) -> Result<(), TestCaseError> {
    let began = Instant::now();
    let mark = sleeper::time();
    let scratch = repo(acts, is_patch, &mark);
    let minutes = if acts.contains(&"hang") { "0.04" } else { "5" };
    let form = if is_patch { "--patch" } else { "" };
    let tokens = budget * TOKENS;
    let crash = if crash > 0 { format!("RG_CRASH={crash}") } else { String::new() };
    let line = format!(
        "{crash} rg-run {form} --builder claude --rounds {rounds} --minutes {minutes} --budget {tokens} 'fix it'"
    );
    let mut said = scratch.sh(&line, b"");
    for _ in 0..8 {
        if !steps(&scratch, "end").is_empty() || steps(&scratch, "begin").is_empty() {
            break;
        }
        said = scratch.run("rg-run", &["--resume", "last"], b"");
    }
    let what = format!("{acts:?} {is_patch} {rounds} {budget} {crash}: {said:?}");
    if steps(&scratch, "begin").is_empty() {
        return Ok(());
    }
    let ends = steps(&scratch, "end");
    prop_assert_eq!(ends.len(), 1, "{}", &what);
    prop_assert!(ends[0]["receipt"].is_string(), "{}", &what);
    let status = ends[0]["status"].as_i64().unwrap();
    // A program that was killed after its last record has ended with the status of the kill.
    prop_assert!(i64::from(said.status) == status || said.status == KILLED && !crash.is_empty(), "{}", &what);
    let outcome = ends[0]["outcome"].as_str().unwrap();
    prop_assert_eq!(status == 0, outcome == "done", "{}", &what);
    prop_assert!(outcome != "done" || scratch.sh("sh test.sh", b"").status == 0, "{}", &what);
    let read = |name: &str| fs::read_to_string(scratch.work().join(name)).unwrap();
    // An agent in the edit form may leave its own work half done; a patch is never applied in part.
    prop_assert!(!is_patch || read("a.txt") == read("b.txt"), "{} {}", read("a.txt"), &what);
    prop_assert!(!scratch.top().join("outside").exists(), "{}", &what);
    // No turn began over a limit.
    let turns = steps(&scratch, "turn");
    prop_assert!(turns.len() <= rounds as usize, "{}", &what);
    let mut spent = Some(0);
    for turn in &turns {
        prop_assert!(spent.is_some_and(|spent| spent < tokens), "{:?} {}", turns, &what);
        spent = spent.zip(turn["tokens"].as_u64()).map(|(sum, tokens)| sum + tokens);
    }
    prop_assert_eq!(sleeper::count(&mark), 0, "{}", &what);
    prop_assert!(began.elapsed() < Duration::from_secs(120), "{}", &what);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, max_shrink_iters: 0, ..ProptestConfig::default() })]

    #[test]
    fn any_agent_ends_with_one_outcome_and_leaves_nothing(
        acts in proptest::collection::vec(proptest::sample::select(ACTS.to_vec()), 1..6),
        is_patch in any::<bool>(),
        (rounds, budget) in (1u32..4, 1u64..4),
        crash in prop_oneof![Just(0u32), 1u32..24],
    ) {
        check(&acts, is_patch, rounds, budget, crash)?;
    }
}

/// Each act once, in both forms, and killed early.
#[test]
fn every_agent_ends_with_one_outcome_and_leaves_nothing() {
    for (at, act) in ACTS.iter().enumerate().skip(1) {
        check(&[act, "good"], at % 2 == 0, 2, 3, if at % 3 == 0 { 4 } else { 0 }).unwrap();
    }
}
