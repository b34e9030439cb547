//! Tests of the manuals: mandoc's lint reports nothing, they match `--help`, and every example runs.

use crate::scratch::Scratch;
use crate::tidy::tools;
use review_gate::event::Rule;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("man").join(name)
}

fn has_mandoc() -> bool {
    let there = Command::new("mandoc").arg("-V").output().is_ok();
    if !there {
        crate::scratch::skipped("no mandoc");
    }
    there
}

/// A section of a rendered page, with single spaces.
fn section(tool: &str, name: &str) -> String {
    let out =
        Command::new("mandoc").args(["-Tascii", "-O", "width=250"]).arg(page(&format!("{tool}.1"))).output().unwrap();
    let mut text = String::new();
    let bytes = out.stdout;
    // Bold and underlined characters are overstruck.
    let mut at = 0;
    while at < bytes.len() {
        if bytes.get(at + 1) == Some(&8) {
            at += 2
        } else {
            text.push(bytes[at] as char);
            at += 1
        }
    }
    let part = text.split(&format!("\n{name}\n")).nth(1).unwrap_or_else(|| panic!("{tool}: no {name}"));
    let end = part.lines().take_while(|line| line.is_empty() || line.starts_with(' '));
    end.collect::<Vec<_>>().join("\n").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn pages_are_silent_under_lint() {
    if !has_mandoc() {
        return;
    }
    let pages = fs::read_dir(page("")).unwrap().map(|entry| entry.unwrap().file_name());
    let pages: Vec<_> = pages.filter(|name| name.to_string_lossy().ends_with(['1', '5', '7'])).collect();
    let out = Command::new("mandoc").current_dir(page("")).args(["-Tlint", "-Wstyle"]).args(&pages).output().unwrap();
    assert!(out.stdout.is_empty(), "{}", String::from_utf8_lossy(&out.stdout));
    assert!(pages.len() >= tools().len() + 5);
}

#[test]
fn the_synopsis_equals_the_usage_line() {
    if !has_mandoc() {
        return;
    }
    for tool in tools() {
        let help = Scratch::new().run(&tool, &["--help"], b"");
        let usage = help.out.split("\n\n").next().unwrap().strip_prefix("usage: ").unwrap();
        let usage = usage.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(section(&tool, "SYNOPSIS"), usage, "{tool}");
        let about = help.out.split("\n\n").nth(1).unwrap();
        assert!(
            section(&tool, "NAME").ends_with(about.split(": ").nth(1).unwrap().trim_end_matches('.')),
            "{tool}: {about}"
        );
    }
}

/// Every option in the synopsis is described, and the program accepts it.
#[test]
fn options_are_described_and_known() {
    for tool in tools() {
        let text = fs::read_to_string(page(&format!("{tool}.1"))).unwrap();
        let synopsis = text.split(".Sh DESCRIPTION").next().unwrap();
        let flags = synopsis.split("Fl -").skip(1).map(|rest| rest.split_whitespace().next().unwrap());
        for flag in flags {
            assert!(
                text.contains(&format!(".It Fl -{flag}")) || text.contains(&format!(".Fl -{flag}")),
                "{tool} --{flag}"
            );
        }
        for bad in ["--no-such-option", "-x", "--now", "--hook"] {
            if synopsis.contains(&format!("Fl -{}", &bad[2.min(bad.len())..])) {
                continue;
            }
            let said = Scratch::new().run(&tool, &[bad], b"");
            assert_eq!((said.status, said.err.lines().count()), (100, 1), "{tool} {bad}: {said:?}");
        }
    }
}

/// The glossary defines each term once, and every value of the enums that readers meet.
#[test]
fn the_glossary_defines_each_term_once() {
    let page = fs::read_to_string(page("review-gate.7")).unwrap();
    let glossary = page.split(".Sh GLOSSARY\n").nth(1).unwrap().split("\n.Sh ").next().unwrap();
    let (mut terms, mut depth) = (Vec::new(), 0);
    for line in glossary.lines() {
        match line.get(..3) {
            Some(".Bl") => depth += 1,
            Some(".El") => depth -= 1,
            // A list inside an entry holds the values of its term: an outcome, a level.
            Some(".It") if depth == 1 => terms.push(&line[4..]),
            _ => {}
        }
    }
    for (at, term) in terms.iter().enumerate() {
        assert!(!terms[..at].contains(term), "{term} is defined twice");
    }
    let wanted = "outcome, verdict, finding, open finding, level, key, tampering, bounce, budget, budget owner, progress, task, \
        event, event line, source, filter, sink, judge, baseline, merge base, fork point, base, reference commit, snapshot, \
        backup, review request, decision, trust, hook origin, notice, deferred, receipt, seal, journal, record, waiver, \
        loop frame, worktree, session, subagent, DONE.md, gate, guard, rule, user, manual event";
    for term in wanted.split(", ") {
        assert!(terms.contains(&term), "{term} is not defined");
    }
    let words: Vec<&str> = glossary.split(|c: char| !c.is_ascii_alphabetic() && c != '-').collect();
    let values = "done not-done unverified abandoned waived pass fail tampered inconclusive not-required error warning note \
        approve issues unsure human client gate external main agent manual";
    for value in values.split(' ') {
        assert!(words.contains(&value), "{value} is not in the glossary");
    }
}

/// Every table of exit statuses names only statuses that exist.
#[test]
fn documented_statuses_exist() {
    for tool in tools() {
        let text = fs::read_to_string(page(&format!("{tool}.1"))).unwrap();
        let part = text.split(".Sh EXIT STATUS").nth(1).unwrap().split(".Sh").next().unwrap();
        for status in part.lines().filter_map(|line| line.strip_prefix(".It ")) {
            assert!(["0", "1", "3", "100", "111"].contains(&status), "{tool}: {status}");
        }
    }
}

/// Whether a page has an entry for that word, in a list or in the first column of a table.
fn has_entry(text: &str, word: &str) -> bool {
    text.lines().any(|line| {
        let item = line.strip_prefix(".It ").unwrap_or("");
        item == format!("Li {word}") || ["", "Li "].iter().any(|mark| item.starts_with(&format!("{mark}{word} Ta ")))
    })
}

/// The programs that write a rule, by the name of its variant in their sources.
fn writers_of(rule: Rule) -> Vec<String> {
    let name = format!("Rule::{rule:?}");
    let names_it = |text: &str| text.split(|c: char| c != ':' && !c.is_alphanumeric()).any(|word| word == name);
    let mut writers = tools();
    writers.retain(|tool| crate::tidy::sources_of(&format!("bins/{tool}")).iter().any(|text| names_it(text)));
    // The library judges reviews; rg-review only repeats the judgement of rg-review-state.
    if crate::tidy::sources_of("lib/review").iter().any(|text| names_it(text)) {
        writers.retain(|tool| tool != "rg-review");
        writers.push("rg-review-state".to_string());
    }
    writers
}

/// Every rule has an entry in the manual of each program that writes it. A guard without a program has one in DONE.md(5).
#[test]
fn every_rule_has_an_entry_in_the_manual_of_its_program() {
    for rule in Rule::ALL {
        let pages: Vec<String> = match writers_of(*rule) {
            writers if !writers.is_empty() => writers.iter().map(|tool| format!("{tool}.1")).collect(),
            _ if rule.word().starts_with("no_") => vec!["DONE.md.5".to_string()],
            _ => panic!("no program writes {}", rule.word()),
        };
        for name in pages {
            let text = fs::read_to_string(page(&name)).unwrap();
            assert!(has_entry(&text, rule.word()), "{name} has no entry for {}", rule.word());
        }
    }
}

/// A manual lists no rule that does not exist, and none that its program does not write.
#[test]
fn every_finding_of_a_manual_is_a_rule_of_its_program() {
    for tool in tools() {
        let text = fs::read_to_string(page(&format!("{tool}.1"))).unwrap();
        for list in text.split(".Sh FINDINGS\n").skip(1).chain(text.split(".Ss Findings\n").skip(1)) {
            let list = list.split("\n.Sh ").next().unwrap().split("\n.Ss ").next().unwrap();
            for word in list.lines().filter_map(|line| line.strip_prefix(".It Li ")) {
                let rule = Rule::ALL.iter().find(|rule| rule.word() == word);
                let rule = rule.unwrap_or_else(|| panic!("{tool}.1: {word} is no rule"));
                assert!(writers_of(*rule).contains(&tool), "{tool} does not write {word}");
            }
        }
    }
}

/// A model that answers, and approves every review request.
pub const MODEL: &str = "#!/bin/sh\nin=$(cat)\n\
    p=$(printf '%s\\n' \"$in\" | sed -n 's/^# Review request //p' | head -n 1)\n\
    n=$(printf '%s\\n' \"$in\" | sed -n 's/.*\"nonce\": \"\\([0-9A-Z]*\\)\".*/\\1/p' | head -n 1)\n\
    printf '{\"decision\": \"approve\", \"request\": \"%s\", \"nonce\": \"%s\", \"summary\": \"fine\", \"reviewed\": [\"src.txt\", \"stop.json\"]}\\n' \"$p\" \"$n\"\n";

#[test]
fn every_example_runs() {
    for name in
        tools().iter().map(|tool| format!("{tool}.1")).chain(["rg-event.5".to_string(), "review-gate.7".to_string()])
    {
        let text = fs::read_to_string(page(&name)).unwrap();
        let part = text
            .split(".Sh EXAMPLES")
            .nth(1)
            .unwrap_or_else(|| panic!("{name}: no EXAMPLES"))
            .split(".Sh")
            .next()
            .unwrap();
        let lines: Vec<&str> = part.lines().filter_map(|line| line.strip_prefix(".Dl ")).collect();
        assert!(!lines.is_empty(), "{name}");
        for line in lines {
            let mut scratch = Scratch::repo();
            scratch.prompt("s", "go");
            scratch.append("src.txt", "x\n");
            scratch.stop("s");
            // A model that can be asked, and approves.
            let model = scratch.top().join("codex");
            fs::write(&model, MODEL).unwrap();
            fs::set_permissions(&model, fs::Permissions::from_mode(0o755)).unwrap();
            let path = format!("{}:{}", scratch.top().display(), scratch.env["PATH"]);
            scratch.set("PATH", &path);
            fs::write(scratch.work().join("stop.json"), scratch.stop_payload("s", serde_json::json!({}))).unwrap();
            scratch.run(
                "rg-trace",
                &["--hook"],
                &scratch.payload("s", serde_json::json!({"hook_event_name": "SessionEnd"})),
            );
            scratch.ok("git init -q --bare ../remote.git && git remote add origin ../remote.git");
            let at_a_terminal = [" waive ", " bless ", " approve ", " accept"].iter().any(|verb| line.contains(verb));
            if at_a_terminal && Command::new("script").arg("--version").output().is_err() {
                crate::scratch::skipped("no script");
                continue;
            }
            let said = if at_a_terminal {
                scratch.run("script", &["-qec", line, "/dev/null"], b"")
            } else {
                scratch.sh(line, b"")
            };
            assert!(matches!(said.status, 0 | 1), "{name}: {line}: {said:?}");
            assert!(!said.err.contains("not found"), "{name}: {line}: {said:?}");
        }
    }
}
