//! The time of posts, reads and searches in logs of 1,000 and 100,000 messages, and of what is ready among 10,000 issues.

use crate::Failure;
use crate::bench::{Bench, Line, Row};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The topics of each talk.
const TOPICS: usize = 10;

/// The words of the messages.
const WORDS: [&str; 12] = [
    "parser", "lexer", "build", "commit", "branch", "review", "worker", "module", "error", "state", "journal", "record",
];

/// The rows with budgets.
pub fn rows(bench: &Bench) -> Result<Vec<Row>, Failure> {
    let issues = issues(bench, 10_000)?;
    let (few, many) = (talk(bench, "few", 1_000)?, talk(bench, "many", 100_000)?);
    let line = |dir: &Path, line: &str| Line { line: line.into(), input: Vec::new(), dir: dir.to_path_buf() };
    let empty = || line(&few, "exec \"$EMPTY\"");
    let post = |dir: &Path| line(dir, "exec \"$BIN\"/rg-msg post topic0 -m 'one more message'");
    let search = "\"$BIN\"/rg-msg search common";
    let scan = line(&many, &format!("RG_STATE=/dev/null/state {search}"));
    let anew = format!("rm -rf \"$XDG_STATE_HOME\"/review-gate/*/cache; exec {search}");
    bench.call(&line(&many, search))?;
    Ok(vec![
        Row::new(
            "rg-msg read, 20 of 100,000 / one empty".into(),
            line(&many, "exec \"$BIN\"/rg-msg read topic0"),
            empty(),
            Some(4.0),
        )
        .keeping(25),
        Row::new(
            "rg-msg search, a common word in 100,000 / one empty".into(),
            line(&many, &format!("exec {search}")),
            empty(),
            None,
        )
        .keeping(25)
        .at_most(10.0),
        Row::new("rg-msg search, a new index of 100,000 / no index".into(), line(&many, &anew), scan, None)
            .keeping(1)
            .at_most(1_400.0),
        Row::new(
            "rg-issue ready, 10 of 10,000 issues / one empty".into(),
            line(&issues, "exec \"$BIN\"/rg-issue ready --limit 10"),
            empty(),
            None,
        )
        .keeping(25)
        .at_most(8.0),
        Row::new(
            "rg-issue new, 10,000 issues / one empty".into(),
            line(&issues, "exec \"$BIN\"/rg-issue new 'one more issue' --priority 5"),
            empty(),
            Some(4.0),
        )
        .keeping(25),
        Row::new("rg-msg post, 1,000 messages / one empty".into(), post(&few), empty(), Some(4.0)).keeping(25),
        Row::new("rg-msg post, 100,000 messages / one empty".into(), post(&many), empty(), Some(4.0)).keeping(25),
    ])
}

/// A repository with that many messages of 430 bytes, a third of them with the word `common`.
fn talk(bench: &Bench, name: &str, count: usize) -> Result<PathBuf, Failure> {
    let dir = bench.repo(name, false, 50)?;
    fs::create_dir_all(dir.join(".review-gate"))?;
    let mut logs = vec![String::new(); TOPICS];
    for n in 0..count {
        let topic = n % TOPICS;
        let words = (0..34).map(|at| match at % 4 {
            3 => format!("word{}", (n * 7 + at * 131) % 3_000),
            _ => WORDS[(n + at * at) % WORDS.len()].to_string(),
        });
        let mut body = words.collect::<Vec<_>>().join(" ");
        if n % 3 == 0 {
            body.push_str(" common");
        }
        writeln!(
            logs[topic],
            "{{\"id\":\"01K9{n:06}{n:016}\",\"v\":1,\"kind\":\"message\",\"at\":\"2025-11-24T16:00:00.000Z\",\"topic\":\"topic{topic}\",\
             \"from\":\"agent-{}\",\"model\":\"opus\",\"commit\":\"{n:040x}\",\"branch\":\"main\",\"body\":\"{body}\"}}",
            n % 7
        )?;
    }
    for (topic, log) in logs.iter().enumerate() {
        fs::write(dir.join(format!(".review-gate/topic-topic{topic}.jsonl")), log)?;
    }
    Ok(dir)
}

/// A repository with that many issues with texts of 300 bytes. Half of them have ended, and some of the others are claimed.
fn issues(bench: &Bench, count: usize) -> Result<PathBuf, Failure> {
    let dir = bench.repo("issues", false, 50)?;
    fs::create_dir_all(dir.join(".review-gate"))?;
    let mut log = String::new();
    for n in 0..count {
        let words: Vec<&str> = (0..44).map(|at| WORDS[(n + at * at) % WORDS.len()]).collect();
        let id = |step: usize| format!("01K9{n:06}{:016}", n + step);
        let mut line = |step: usize, set: &str| {
            writeln!(
                log,
                "{{\"id\":\"{}\",\"v\":1,\"kind\":\"change\",\"at\":\"2025-11-{:02}T16:00:0{step}.000Z\",\"issue\":\"{}\",\
                 \"by\":{{\"from\":\"agent-{}\"}},\"set\":{{{set}}}}}",
                id(step),
                n / 400 + 1,
                id(0),
                n % 7
            )
        };
        let body = words.join(" ");
        line(0, &format!("\"title\":\"mend the {} {n}\",\"body\":\"{body}\",\"priority\":{}", words[0], n % 5 + 1))?;
        match n % 20 {
            0..10 => line(1, "\"status\":\"closed\"")?,
            10 => line(1, "\"claim\":\"2125-11-24T16:00:00.000Z\"")?,
            _ => {}
        }
    }
    fs::write(dir.join(".review-gate/issues.jsonl"), log)?;
    Ok(dir)
}
