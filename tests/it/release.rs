//! Release builds: what only tests may do has no effect in a program that users run.

use crate::scratch::{Said, Scratch, bin_dir, skipped};
use std::fs;
use std::path::PathBuf;

/// The moment at which a seam would pin the clock.
const THEN: &str = "2001-02-03T04:05:06.000Z";

/// Release builds of rg-event below the directory that this build is in, static ones too.
fn release_builds() -> Vec<PathBuf> {
    let target = bin_dir().parent().unwrap().to_path_buf();
    let below = fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().path().join("release"));
    let programs = below.chain([target.join("release")]).map(|dir| dir.join("rg-event"));
    programs.filter(|program| program.is_file()).collect()
}

/// An event made with every seam set: what rg-event says of it, and the records of the task that it began.
fn with_seams(program: &str) -> (Said, usize) {
    let mut scratch = Scratch::repo();
    scratch.set("RG_NOW", THEN);
    scratch.set("RG_CRASH", "1");
    let payload = scratch.payload("s", serde_json::json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"}));
    let said = scratch.run(program, &["--client", "claude"], &payload);
    (said, scratch.records("begin").len())
}

#[test]
fn release_builds_ignore_the_seams_of_tests() {
    // A debug build obeys them, so the question is one.
    let (said, begun) = with_seams("rg-event");
    assert!(said.status != 0 && begun == 0, "{said:?}");
    let builds = release_builds();
    if builds.is_empty() {
        skipped("no release build of rg-event");
    }
    for program in builds {
        let (said, begun) = with_seams(&program.to_string_lossy());
        assert_eq!((said.status, begun), (0, 1), "{}: {said:?}", program.display());
        assert!(!said.json()["at"].as_str().unwrap().starts_with("2001"), "{}: {said:?}", program.display());
    }
}

/// A variable of ours that no manual names is a seam, and is read in debug builds only.
#[test]
fn every_seam_is_read_in_debug_builds_only() {
    let pages = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/man")).unwrap();
    let manuals: String = pages.map(|page| fs::read_to_string(page.unwrap().path()).unwrap()).collect();
    let source = crate::tidy::sources_of("lib").join("\n");
    let mut seams = Vec::new();
    let reads = ["var(\"RG_", "var_os(\"RG_", "path(\"RG_"];
    for line in source.lines().filter(|line| reads.iter().any(|read| line.contains(read))) {
        let name = format!("RG_{}", line.split("\"RG_").nth(1).unwrap().split('"').next().unwrap());
        if !manuals.contains(&format!(".It Ev {name}")) {
            assert!(line.contains("if cfg!(debug_assertions) { env::var"), "{name} is read in release builds: {line}");
            seams.push(name);
        }
    }
    assert_eq!(seams, ["RG_PATH", "RG_NOW", "RG_PROC", "RG_CRASH"]);
}
