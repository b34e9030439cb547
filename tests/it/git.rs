//! How git is run: each query once, and every call with the protective settings.

use crate::tamper::{repo, verdict};
use std::fs;

#[test]
fn one_judgement_runs_each_git_query_once() {
    let mut scratch = repo("");
    scratch.append("src/a.js", "export const three = () => 3;\n");
    // The base has a new commit, so the reference commit and the merge base differ.
    scratch.ok(
        "git commit -qam change && git checkout -q main && git commit -q --allow-empty -m on && git checkout -q work",
    );
    let log = scratch.top().join("calls");
    let real = scratch.ok("command -v git").out.trim().to_string();
    let wrapper = format!("#!/bin/sh\necho \"$*\" >>{}\nexec {real} \"$@\"\n", log.display());
    scratch.write("../bin/git", &wrapper);
    scratch.ok("chmod +x ../bin/git");
    let path = format!("{}:{}", scratch.top().join("bin").display(), scratch.ok("printf %s \"$PATH\"").out);
    let line = scratch.run("rg-event", &["stop", "--against", "main"], b"").out;
    scratch.set("PATH", &path);
    let event = scratch.run("rg-tamper", &[], line.as_bytes()).json();
    assert_eq!(verdict(&event), "pass", "{event}");
    let calls = fs::read_to_string(&log).unwrap();
    let mut asked: Vec<&str> = calls.lines().collect();
    asked.sort_unstable();
    let all = asked.len();
    asked.dedup();
    assert!(all > 1 && asked.len() == all, "{calls}");
    for hardened in ["--no-replace-objects", "--no-optional-locks", "core.fsmonitor=false", "core.commitGraph=false"] {
        assert!(calls.lines().all(|call| call.contains(hardened)), "{hardened}: {calls}");
    }
}
