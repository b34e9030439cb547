//! The skills of the plugin: each one is short, names its demand and the tool that checks it, and every command line in it runs.

use crate::man::MODEL;
use crate::scratch::Scratch;
use crate::tidy::tools;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The skills, by name, with their text.
fn skills() -> Vec<(String, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills");
    let mut found: Vec<(String, String)> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_string();
            (name, fs::read_to_string(path.join("SKILL.md")).unwrap())
        })
        .collect();
    found.sort();
    found
}

/// The command lines of a skill: indented blocks, also those below a step.
fn commands(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_after_blank = false;
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        if depth >= 4 && is_after_blank {
            found.push(line.trim());
        }
        is_after_blank = line.is_empty();
    }
    found
}

#[test]
fn a_skill_is_a_page_with_one_demand_and_the_tool_that_checks_it() {
    let skills = skills();
    assert!(!skills.is_empty());
    for (name, text) in skills {
        assert!(text.starts_with(&format!("---\nname: {name}\ndescription: ")), "{name}: {text}");
        assert!(text.lines().count() <= 60, "{name} is longer than a page");
        let demands = text.lines().filter(|line| line.starts_with("> ")).count();
        assert_eq!(demands, 1, "{name}");
        let after = text.split("\n> ").nth(1).unwrap().split("\n\n").nth(1).unwrap();
        assert!(
            tools().iter().any(|tool| after.starts_with(&format!("{tool} "))),
            "{name}: no tool checks it: {after}"
        );
    }
}

#[test]
fn every_command_line_of_a_skill_runs() {
    let mut count = 0;
    for (name, text) in skills() {
        for line in commands(&text) {
            let mut scratch = Scratch::repo();
            scratch.prompt("s", "#review go");
            scratch.append("src.txt", "fixed\n");
            scratch.stop("s");
            let path = format!("{}:{}", scratch.top().display(), scratch.env["PATH"]);
            scratch.set("PATH", &path);
            for model in ["codex", "gemini"] {
                let program = scratch.top().join(model);
                // It repeats the word of --check, and answers everything else.
                fs::write(&program, MODEL.replace("p=$(", "printf '%s\\n' \"$in\"\np=$(")).unwrap();
                fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
            }
            let said = scratch.sh(line, b"");
            assert!(matches!(said.status, 0 | 1), "{name}: {line}: {said:?}");
            assert!(said.err.is_empty(), "{name}: {line}: {said:?}");
            count += 1;
        }
    }
    assert!(count >= 15, "{count}");
}
