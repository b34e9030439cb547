//! The order of modules: rooms in the library, and no cycles in the library or in any program.

use crate::tidy::is_unit_tests;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The modules of a crate by path (`store::task`; "" for the root), with their text without tests.
fn modules(top: &Path) -> BTreeMap<String, String> {
    let (mut found, mut open) = (BTreeMap::new(), vec![top.to_path_buf()]);
    while let Some(dir) = open.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !is_unit_tests(&path) {
                let text = fs::read_to_string(&path).unwrap();
                found.insert(name(top, &path), text.split("#[cfg(test)]\nmod ").next().unwrap().to_string());
            }
        }
    }
    found
}

fn name(top: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(top).unwrap().with_extension("");
    let parts: Vec<String> = inner.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let parts: Vec<&str> =
        parts.iter().map(String::as_str).filter(|part| !["mod", "lib", "main"].contains(part)).collect();
    parts.join("::")
}

/// The paths that a use tree names.
fn leaves(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let (mut depth, mut start) = (0, 0);
    let ends = tree.char_indices().chain([(tree.len(), ',')]);
    for (at, c) in ends {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = tree[start..at].trim();
                match part.split_once('{') {
                    Some((head, rest)) => leaves(&format!("{prefix}{head}"), rest.trim_end_matches('}'), found),
                    None if part.is_empty() => {}
                    None => found.push(format!("{prefix}{}", part.split(" as ").next().unwrap())),
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// The paths in the text of the module `own`, from the root of its crate.
fn paths_in(own: &str, text: &str) -> Vec<String> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap().to_string() + "\n").collect();
    let mut found = Vec::new();
    for part in code.split("use ").skip(1) {
        leaves("", part.split(';').next().unwrap(), &mut found);
    }
    for start in ["crate::", "super::"] {
        for part in code.split(start).skip(1) {
            let end = part.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(part.len());
            // A brace follows: the use tree names what is inside, not the root.
            if end > 0 {
                found.push(format!("{start}{}", &part[..end]));
            }
        }
    }
    let from_root = |path: &String| {
        let mut base: Vec<&str> = own.split("::").filter(|part| !part.is_empty()).collect();
        let mut parts: Vec<&str> = path.split("::").collect();
        match parts[0] {
            "crate" => base.clear(),
            "super" => {}
            _ => return [base, parts].concat().join("::"),
        }
        while parts.first() == Some(&"super") {
            base.pop();
            parts.remove(0);
        }
        parts.retain(|part| *part != "crate");
        [base, parts].concat().join("::")
    };
    found.iter().map(from_root).collect()
}

/// The modules that each module uses, without its ancestors, whose types every module may use.
fn uses(top: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let modules = modules(top);
    let module_of = |path: &str| {
        let parts: Vec<&str> = path.split("::").collect();
        (1..=parts.len()).rev().map(|end| parts[..end].join("::")).find(|path| modules.contains_key(path))
    };
    let of = |own: &String, text: &String| {
        let all = paths_in(own, text).into_iter().filter_map(|path| module_of(&path));
        all.filter(|used| used != own && !own.starts_with(&format!("{used}::"))).collect()
    };
    modules.iter().map(|(own, text)| (own.clone(), of(own, text))).collect()
}

/// The modules that a module uses directly or indirectly.
fn reachable(uses: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_string()]);
    while let Some(module) = open.pop() {
        open.extend(uses[&module].iter().filter(|used| seen.insert((*used).clone())).cloned());
    }
    seen
}

fn crates() -> Vec<PathBuf> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = vec![checkout.join("lib")];
    all.extend(
        fs::read_dir(checkout.join("bins")).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()),
    );
    all
}

/// The rooms that a crate's root lists, from the bottom. A blank line ends a group of rooms.
fn groups(root: &str) -> Vec<Vec<&str>> {
    fn room(line: &str) -> Option<&str> {
        line.strip_prefix("pub mod ").or(line.strip_prefix("mod "))?.strip_suffix(';')
    }
    let all = root.split("\n\n").map(|group| group.lines().filter_map(room).collect::<Vec<_>>());
    all.filter(|group| !group.is_empty()).collect()
}

/// Each room of a crate uses only those that its root lists above it, or in its own group. Returns who uses whom.
fn assert_rooms(top: &Path, root: &str) -> BTreeMap<String, BTreeSet<String>> {
    let root = fs::read_to_string(top.join(root)).unwrap();
    let groups = groups(&root);
    assert!(groups.len() > 6, "{groups:?}");
    let group = |module: &str| {
        let name = module.split("::").next().unwrap();
        groups.iter().position(|group| group.contains(&name)).unwrap_or_else(|| panic!("{module} is in no room"))
    };
    let uses = uses(top);
    for (module, used) in uses.iter().filter(|(module, _)| !module.is_empty()) {
        for used in used {
            assert!(group(used) <= group(module), "{module} uses {used}, whose room is listed below its own");
        }
    }
    uses
}

/// Each room in lib/lib.rs uses only the rooms listed above it.
#[test]
fn modules_of_the_library_use_only_lower_rooms() {
    let top = &crates()[0];
    let uses = assert_rooms(top, "lib.rs");
    let root = fs::read_to_string(top.join("lib.rs")).unwrap();
    assert!(groups(&root).iter().all(|group| group.len() == 1), "two rooms of the library stand in one group");
    // The parser finds known uses.
    assert!(uses["review::judge"].contains("store::task") && uses["store::task"].contains("store::journal"));
}

/// The rooms of bins/rg-guard/main.rs as well. Only the walk and the programs that it meets use each other.
#[test]
fn the_guard_is_in_rooms() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("bins/rg-guard");
    let uses = assert_rooms(&top, "main.rs");
    let root = fs::read_to_string(top.join("main.rs")).unwrap();
    let groups: Vec<Vec<&str>> = groups(&root).into_iter().filter(|group| group.len() > 1).collect();
    assert_eq!(groups, [["programs", "walk"]], "rooms that may use each other: ARCHITECTURE.md names them");
    assert!(uses["walk::dispatch"].contains("programs::output") && uses["judge::losses"].contains("rules::files"));
}

/// No module uses itself through other modules.
#[test]
fn modules_do_not_form_cycles() {
    for top in crates() {
        let uses = uses(&top);
        let cycle: Vec<&String> = uses.keys().filter(|module| reachable(&uses, module).contains(*module)).collect();
        assert!(cycle.is_empty(), "{}: modules in a cycle: {cycle:?}", top.display());
    }
}
