//! The command line of every tool: what its description says is what its parser takes; verbs, messages and completions alike.

use crate::scratch::{Scratch, bin_dir, skipped};
use crate::tidy::tools;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// One way to call a tool, as its usage line shows it.
struct Form {
    verb: String,
    /// Each option with whether it takes a value.
    options: Vec<(String, bool)>,
    operands: bool,
}

fn help(tool: &str) -> String {
    let said = Scratch::new().run(tool, &["--help"], b"");
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{tool}");
    said.out
}

/// The forms of a tool; one that is wrapped is put together again.
fn forms(tool: &str) -> Vec<Form> {
    let text = help(tool);
    let usage = text.split("\n\n").next().unwrap().strip_prefix("usage: ").unwrap();
    let usage = usage.split_whitespace().collect::<Vec<_>>().join(" ");
    let start = format!("{tool} ");
    let lines = usage.split(&start).skip(1);
    lines
        .map(|line| {
            let (mut verb, mut options, mut operands) = (String::new(), Vec::new(), false);
            let words: Vec<String> = line.split(' ').map(|word| word.replace(['[', ']'], "")).collect();
            let mut words = words.iter().map(String::as_str).peekable();
            let mut is_first = true;
            while let Some(word) = words.next() {
                if word == "|" || word == "..." {
                    continue;
                }
                match word.strip_prefix("--") {
                    _ if word == "-C" => drop(words.next()),
                    Some(name) => {
                        // A value follows within the same brackets; an option that is needed stands before -C.
                        let at = line.find(word).unwrap() + word.len();
                        let takes_value = line[at..].starts_with(' ')
                            && !line[at..].starts_with(" [")
                            && !line[at..].starts_with(" |");
                        if takes_value {
                            words.next();
                        }
                        options.push((name.to_string(), takes_value));
                    }
                    None if is_first && is_verb(tool, word) => verb = word.to_string(),
                    None => operands = true,
                }
                is_first = false;
            }
            Form { verb, options, operands }
        })
        .collect()
}

/// The names in one list of `--help`.
fn listed(tool: &str, title: &str) -> Vec<String> {
    let text = help(tool);
    let Some(part) = text.split(&format!("\n{title}:\n")).nth(1) else { return Vec::new() };
    let lines = part.split("\n\n").next().unwrap().lines();
    lines.map(|line| line.split_whitespace().next().unwrap().to_string()).collect()
}

fn is_verb(tool: &str, word: &str) -> bool {
    listed(tool, "Verbs").iter().any(|verb| verb == word)
}

#[test]
fn help_has_one_line_for_each_verb_and_option() {
    for tool in tools() {
        let text = help(&tool);
        assert!(text.ends_with(&format!("\nManual: {tool}(1).\n")), "{text}");
        let options = listed(&tool, "Options");
        for form in forms(&tool) {
            for (name, _) in form.options {
                assert_eq!(options.iter().filter(|known| **known == format!("--{name}")).count(), 1, "{tool} {name}");
            }
        }
        for common in ["-C", "--completion", "--help", "--version"] {
            assert_eq!(options.iter().filter(|known| *known == common).count(), 1, "{tool} {common}: {text}");
        }
        for line in text.lines().filter(|line| line.starts_with("  ") && !line.starts_with("       ")) {
            assert!(line.len() <= 120 && line.ends_with('.'), "{tool}: {line:?}");
        }
    }
}

/// Each option that the description gives to a form is one that the parser takes there, with a value where it says so.
#[test]
fn every_described_option_and_verb_is_taken() {
    let scratch = Scratch::repo();
    for tool in tools() {
        for form in forms(&tool) {
            let verb: Vec<&str> = Some(form.verb.as_str()).filter(|verb| !verb.is_empty()).into_iter().collect();
            for (name, takes_value) in &form.options {
                let option = format!("--{name}");
                let call =
                    [&verb[..], &[option.as_str()], if *takes_value { &[] } else { &["--no-such-option"] }].concat();
                let said = scratch.run(&tool, &call, b"");
                let wanted = if *takes_value {
                    format!("missing argument for option '{option}'")
                } else {
                    "unknown option --no-such-option".into()
                };
                assert!(said.status == 100 && said.err.contains(&wanted), "{tool} {call:?}: {said:?}");
            }
            let said = scratch.run(&tool, &[&verb[..], &["--no-such-option"]].concat(), b"");
            assert!(
                said.status == 100 && said.err.contains("unknown option --no-such-option. Options"),
                "{tool}: {said:?}"
            );
        }
    }
}

/// The other way round: what a parser compares an option with is in the tool's description; the rest never reaches it.
#[test]
fn every_option_that_a_parser_knows_is_described() {
    let bins = Path::new(env!("CARGO_MANIFEST_DIR")).join("bins");
    let mut seen = 0;
    for tool in tools() {
        let mut files = vec![bins.join(&tool), bins.join(format!("{tool}.rs"))];
        let described = listed(&tool, "Options");
        while let Some(path) = files.pop() {
            if path.is_dir() {
                files.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let Ok(text) = fs::read_to_string(&path) else { continue };
            for line in text.lines().filter(|line| line.contains("Flag::Long(name")) {
                for name in line.split("name == \"").skip(1) {
                    let name = name.split('"').next().unwrap();
                    assert!(described.contains(&format!("--{name}")), "{}: --{name}", path.display());
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn an_unknown_verb_names_the_verbs() {
    let scratch = Scratch::repo();
    for tool in tools() {
        let verbs = listed(&tool, "Verbs");
        if verbs.is_empty() || forms(&tool).iter().any(|form| form.verb.is_empty() && form.operands) {
            continue;
        }
        let said = scratch.run(&tool, &["strat"], b"");
        let wanted = format!("{tool}: unknown verb \"strat\". Verbs: {}\n", verbs.join(", "));
        assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (100, "", wanted.as_str()));
    }
    assert_eq!(
        scratch.run("rg-loop", &["strat"], b"").err,
        "rg-loop: unknown verb \"strat\". Verbs: mark, next, off, on, show, start, stop\n"
    );
    // A newline in a verb stays in its line.
    assert_eq!(scratch.run("rg-loop", &["a\nb"], b"").err.lines().count(), 1);
}

#[test]
fn a_missing_verb_names_the_verbs() {
    let scratch = Scratch::repo();
    for tool in ["rg-loop", "rg-rescue", "rg-worktree"] {
        let wanted = format!("{tool}: no verb. Verbs: {}\n", listed(tool, "Verbs").join(", "));
        for call in [&[][..], &["-C", "."]] {
            let said = scratch.run(tool, call, b"");
            assert_eq!((said.status, said.err.as_str()), (100, wanted.as_str()), "{tool} {call:?}");
        }
    }
    let said = scratch.run("rg-loop", &["--max", "3", "start", "x"], b"");
    assert!(said.status == 100 && said.err.contains("no verb before --max. Verbs: mark"), "{said:?}");
}

#[test]
fn the_directory_may_stand_before_the_verb() {
    let scratch = Scratch::repo();
    scratch.ok("rg-worktree create a >&2");
    let listed = scratch.run("rg-worktree", &["list"], b"").out;
    assert!(listed.contains("rg/a"), "{listed}");
    assert_eq!(scratch.sh("cd / && rg-worktree -C \"$OLDPWD\" list", b"").out, listed);
    assert_eq!(scratch.sh("cd / && rg-worktree list -C \"$OLDPWD\"", b"").out, listed);
}

/// Old spellings are gone, not kept beside the new ones.
#[test]
fn show_is_one_thing_and_list_is_many() {
    let scratch = Scratch::repo();
    for (tool, old, new) in [("rg-loop", "status", "show"), ("rg-review-state", "history", "list")] {
        let said = scratch.run(tool, &[old], b"");
        assert!(said.status == 100 && said.err.contains("unknown verb"), "{said:?}");
        assert!(is_verb(tool, new), "{tool}");
    }
    for tool in ["rg-receipt", "rg-rescue", "rg-review-state", "rg-trace", "rg-worktree"] {
        assert!(is_verb(tool, "list"), "{tool}");
    }
}

#[test]
fn a_bare_call_at_a_terminal_names_a_command() {
    if Command::new("script").arg("--version").output().is_err() {
        skipped("no script");
        return;
    }
    let scratch = Scratch::repo();
    let loops = ["rg-loop mark", "rg-loop next"].map(String::from);
    let reads_prompt = [
        "review-gate",
        "rg-ask",
        "rg-doctor",
        "rg-init",
        "rg-install",
        "rg-issue",
        "rg-land",
        "rg-loop",
        "rg-msg",
        "rg-prove",
        "rg-rescue",
        "rg-worktree",
    ];
    let tools = tools().into_iter().filter(|tool| !reads_prompt.contains(&tool.as_str()));
    let mut seen = 0;
    for call in tools.chain(loops) {
        let said = scratch.run("script", &["-qec", &format!("timeout 20 {call}"), "/dev/null"], b"");
        assert_eq!(said.status, 100, "{call}: {said:?}");
        assert!(said.out.contains(" on standard input; did you mean `rg-"), "{call}: {said:?}");
        seen += 1;
    }
    assert!(seen >= 12, "{seen}");
    let said = scratch.run("script", &["-qec", "timeout 20 rg-check", "/dev/null"], b"");
    let wanted = "rg-check: reads an event line on standard input; did you mean `rg-check --now`?";
    assert_eq!(said.out.trim_end(), wanted);
}

/// One line, one object.
fn object(out: &str) -> Value {
    assert_eq!(out.lines().count(), 1, "{out:?}");
    let value: Value = serde_json::from_str(out).unwrap_or_else(|e| panic!("{e}: {out:?}"));
    assert!(value.is_object(), "{out}");
    value
}

#[test]
fn now_with_json_is_one_object_with_the_verdict() {
    let scratch = Scratch::repo();
    let red = scratch.run("rg-check", &["--now", "--json"], b"");
    let said = object(&red.out);
    assert_eq!((red.status, &said["judge"], &said["verdict"]), (1, &json!("rg-check"), &json!("fail")), "{said}");
    assert_eq!((&said["outcome"], &said["status"]), (&json!("not-done"), &json!(1)));
    assert_eq!((&said["checks"][0]["name"], &said["findings"][0]["rule"]), (&json!("tests"), &json!("check-failed")));
    scratch.append("src.txt", "fixed\n");
    let green = scratch.run("rg-check", &["--now", "--json"], b"");
    assert_eq!((green.status, object(&green.out)["verdict"].clone()), (0, json!("pass")));
    for tool in ["rg-tamper", "rg-review", "rg-review-state"] {
        let words = scratch.run(tool, &["--now", "--against", "HEAD"], b"");
        let said = scratch.run(tool, &["--now", "--against", "HEAD", "--json"], b"");
        let value = object(&said.out);
        assert_eq!((said.status, value["status"].clone()), (words.status, json!(words.status)), "{tool}: {value}");
        assert!(value["why"].as_str().is_some_and(|why| !why.is_empty()), "{tool}: {value}");
    }
    let said = scratch.run("rg-check", &["--json"], b"{}\n");
    assert!(said.status == 100 && said.err.contains("--json needs --now"), "{said:?}");
    // Nothing to judge is said as an object, too.
    let bare = Scratch::new();
    let said = bare.run("rg-check", &["--now", "--json"], b"");
    let value = object(&said.out);
    assert_eq!((said.status, &value["verdict"]), (100, &Value::Null), "{value}");
    assert!(value["why"].as_str().unwrap().contains("no DONE.md"), "{value}");
}

#[test]
fn every_listing_gives_json_lines() {
    let scratch = Scratch::repo();
    for (tool, verb) in [("rg-receipt", "list"), ("rg-rescue", "list"), ("rg-trace", "list"), ("rg-worktree", "list")] {
        assert_eq!(scratch.run(tool, &[verb, "--json"], b"").out, "", "{tool}: there is nothing to list");
    }
    scratch.prompt("s", "go\non");
    scratch.append("src.txt", "x\n");
    scratch.stop("s");
    scratch.run(
        "rg-trace",
        &["--hook"],
        &scratch.payload("s", json!({"hook_event_name": "UserPromptSubmit", "prompt": "go\non"})),
    );
    scratch.ok("rg-rescue save --why 'a\"b' >&2");
    scratch.ok("rg-worktree create a >&2");
    for tool in ["rg-receipt", "rg-rescue", "rg-trace", "rg-worktree"] {
        let said = scratch.run(tool, &["list", "--json"], b"");
        let value = object(&said.out);
        assert_eq!(said.status, 0, "{tool}");
        let lines = scratch.run(tool, &["list"], b"");
        assert_eq!((lines.status, lines.out.lines().count()), (0, 1), "{tool}: {lines:?}");
        match tool {
            "rg-worktree" => assert_eq!(value["branch"], "refs/heads/rg/a", "{value}"),
            "rg-trace" => assert_eq!((&value["session"], &value["prompt"]), (&json!("s"), &json!("go\non")), "{value}"),
            _ => assert!(value["id"].is_string(), "{value}"),
        }
    }
    let said = scratch.run("rg-review-state", &["list", "--json"], b"");
    assert_eq!((said.status, said.out.as_str()), (0, ""), "no reviewer spoke");
}

/// A trace that cannot be read is listed as such, and nothing waits for it.
#[test]
fn a_trace_that_cannot_be_read_is_listed_as_such() {
    let scratch = Scratch::repo();
    scratch.prompt("s", "go");
    let dir = scratch.state().join("trace");
    fs::create_dir_all(&dir).unwrap();
    scratch.ok(&format!("mkfifo '{}'", dir.join("pipe.jsonl").display()));
    fs::write(dir.join("torn.jsonl"), "{\"v\":1,\"kind\":\"trace\"").unwrap();
    let said = scratch.run("rg-trace", &["list", "--json"], b"");
    assert_eq!(said.status, 0, "{said:?}");
    let sessions: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let pipe = sessions.iter().find(|value| value["session"] == "pipe").unwrap();
    assert!(pipe["error"].is_string(), "{pipe}");
    assert!(sessions.iter().any(|value| value["session"] == "torn"), "{sessions:?}");
    assert!(scratch.run("rg-trace", &["list"], b"").out.contains("pipe "), "{said:?}");
}

fn completion(tool: &str, shell: &str) -> String {
    let said = Scratch::new().run(tool, &["--completion", shell], b"");
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{tool} {shell}");
    said.out
}

#[test]
fn bash_completes_verbs_and_options_from_the_description() {
    let dir = tempfile::tempdir().unwrap();
    let ask = |tool: &str, words: &str| {
        let path = dir.path().join(tool);
        fs::write(&path, completion(tool, "bash")).unwrap();
        let function = format!("_{}", tool.replace('-', "_"));
        let script = format!(
            "set -eu; source '{}'; complete -p {tool} >&2; COMP_WORDS=({tool} {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             {function}; printf '%s\\n' ${{COMPREPLY[@]+\"${{COMPREPLY[@]}}\"}}",
            path.display()
        );
        let out = Command::new("bash").args(["--norc", "-c", &script]).output().unwrap();
        assert!(out.status.success(), "{tool} {words}: {}", String::from_utf8_lossy(&out.stderr));
        assert!(String::from_utf8_lossy(&out.stderr).contains(&function), "complete -p says nothing");
        String::from_utf8(out.stdout).unwrap().split_whitespace().map(str::to_string).collect::<Vec<_>>()
    };
    for tool in tools() {
        let proposed = ask(&tool, "''");
        for verb in listed(&tool, "Verbs") {
            assert!(proposed.contains(&verb), "{tool}: {verb} not in {proposed:?}");
        }
        assert!(proposed.contains(&"--help".to_string()), "{tool}");
    }
    assert_eq!(ask("rg-loop", "st"), ["start", "stop"]);
    assert_eq!(ask("rg-loop", "start --"), ["--max", "--task", "--completion", "--help", "--version"]);
    assert_eq!(ask("rg-loop", "-C . start --m"), ["--max"]);
    // A value is none of ours to propose.
    assert_eq!(ask("rg-loop", "start --max s"), [""; 0]);
    assert_eq!(ask("rg-check", "--n"), ["--now"]);
}

#[test]
fn zsh_and_fish_read_their_completions() {
    let dir = tempfile::tempdir().unwrap();
    for (shell, check) in [("zsh", "-n"), ("fish", "--no-execute")] {
        let is_there = Command::new(shell).arg("--version").output().is_ok();
        for tool in tools() {
            let text = completion(&tool, shell);
            for verb in listed(&tool, "Verbs") {
                assert!(text.contains(&verb), "{shell} {tool}: {verb}");
            }
            let path = dir.path().join(format!("{tool}.{shell}"));
            fs::write(&path, text).unwrap();
            // The words of zsh that are used are those of bash; fish quotes its own way.
            let reader = if is_there { Some((shell, check)) } else { (shell == "zsh").then_some(("bash", "-n")) };
            if let Some((shell, check)) = reader {
                let out = Command::new(shell).arg(check).arg(&path).output().unwrap();
                assert!(out.status.success() && out.stderr.is_empty(), "{shell} {tool}: {out:?}");
            }
        }
        if !is_there {
            skipped(&format!("no {shell}"));
        }
    }
    let said = Scratch::new().run("rg-check", &["--completion", "ksh"], b"");
    assert!(said.status == 100 && said.err.contains("unknown shell \"ksh\": use bash, zsh or fish"), "{said:?}");
    assert!(bin_dir().join("rg-check").is_file());
}
