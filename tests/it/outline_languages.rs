//! Files of every language in which each construct of its test runners occurs, and what rg-outline reads in them.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of `tests/outline/<language>/`, without the outlines beside them.
fn sources() -> Vec<PathBuf> {
    let entries =
        |dir: &Path| -> Vec<PathBuf> { fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect() };
    let dirs = entries(&root().join("tests/outline")).into_iter().filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = dirs.flat_map(|dir| entries(&dir)).collect();
    files.retain(|path| !matches!(path.extension().and_then(|end| end.to_str()), Some("json" | "txt")));
    files.sort();
    files
}

fn outline(path: &Path) -> Value {
    let path = path.strip_prefix(root()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rg-outline"));
    let output = command.current_dir(root()).args(["--json"]).arg(path).output().unwrap();
    assert!(output.stderr.is_empty(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// `BLESS=1 cargo test outline_languages` rewrites the outlines.
#[test]
fn every_construct_of_a_test_runner_is_read_as_the_outline_beside_it_says() {
    let mut wrong = Vec::new();
    for source in sources() {
        let read = format!("{}\n", serde_json::to_string_pretty(&outline(&source)).unwrap());
        let expected = PathBuf::from(format!("{}.json", source.display()));
        if std::env::var_os("BLESS").is_some() {
            fs::write(&expected, read).unwrap();
        } else if fs::read_to_string(&expected).unwrap_or_default() != read {
            wrong.push(source.strip_prefix(root()).unwrap().display().to_string());
        }
    }
    assert!(wrong.is_empty(), "BLESS=1 rewrites the outline of: {}", wrong.join(", "));
}

/// What a test runner listed stands beside a file as `<file>.txt`: a line for each test, its suites and its name joined by `::`.
#[test]
fn the_tests_are_those_that_the_runner_lists() {
    let names = |test: &Value| {
        let suite = test["suite"].as_array().into_iter().flatten().chain([&test["name"]]);
        suite.map(|name| name.as_str().unwrap().to_string()).collect::<Vec<_>>().join("::")
    };
    for source in sources() {
        let Ok(listed) = fs::read_to_string(format!("{}.txt", source.display())) else { continue };
        let mut read: Vec<String> = outline(&source)["tests"].as_array().unwrap().iter().map(names).collect();
        let mut listed: Vec<String> = listed.lines().map(str::to_string).collect();
        read.sort();
        listed.sort();
        assert_eq!(read, listed, "{}", source.display());
    }
}

/// A pattern that repeats takes some of the stack for each repetition.
#[test]
fn a_long_run_of_attributes_is_read() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [("a.rs", "#[a]\n"), ("a.exs", "@a 1\n")] {
        fs::write(dir.path().join(name), text.repeat(5_000)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_rg-outline"));
        let output = command.current_dir(dir.path()).args(["--json", name]).output().unwrap();
        assert!(output.status.code().is_some() && output.stdout.starts_with(b"{"), "{name}: {output:?}");
    }
}
