//! The plugin as Claude Code installs it: the real client adds a checkout as a marketplace, without a network.

use crate::clients::{VERSIONS, client};
use crate::scratch::Scratch;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The files of a checkout that the client reads.
const PARTS: [&str; 7] = [".claude-plugin", "agents", "commands", "hooks", "hooks.json", "skills", "README.md"];

/// Copies a file or a directory.
fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// A copy of the checkout without its builds, and a configuration of the client of its own.
fn checkout() -> (Scratch, PathBuf) {
    let mut scratch = Scratch::new();
    let top = scratch.top().join("checkout");
    fs::create_dir_all(&top).unwrap();
    for part in PARTS {
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(part), &top.join(part));
    }
    // The folder that xtask makes has the programs beside hooks.json.
    fs::create_dir(top.join("bin")).unwrap();
    fs::write(top.join("bin/rg-event"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(top.join("bin/rg-event"), fs::Permissions::from_mode(0o755)).unwrap();
    let settings = scratch.top().join("home/.claude").display().to_string();
    for (name, value) in [
        ("CLAUDE_CONFIG_DIR", settings.as_str()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("http_proxy", "http://127.0.0.1:9"),
        ("https_proxy", "http://127.0.0.1:9"),
    ] {
        scratch.set(name, value);
    }
    (scratch, top)
}

#[test]
fn the_real_client_installs_the_plugin_from_a_checkout() {
    for program in VERSIONS.iter().filter_map(|version| client(version)) {
        let (scratch, top) = checkout();
        let claude = |words: &str| {
            let said = scratch.sh(&format!("'{}' plugin {words}", program.display()), b"");
            assert_eq!(said.status, 0, "{} plugin {words}: {said:?}", program.display());
            said.out
        };
        let checked = claude(&format!("validate '{}'", top.display()));
        assert!(checked.contains("Validation passed"), "{checked}");
        claude(&format!("marketplace add '{}'", top.display()));
        assert!(claude("marketplace list").contains("review-gate"));
        claude("install review-gate@review-gate");
        let listed = claude("list");
        let version = env!("CARGO_PKG_VERSION");
        assert!(listed.contains("review-gate@review-gate") && listed.contains(version), "{listed}");
        assert!(listed.contains("enabled"), "{listed}");
        // The client copies the plugin, and its programs with it.
        let copies = scratch.ok("find \"$CLAUDE_CONFIG_DIR\" -path '*/bin/rg-event' -perm -u+x").out;
        assert_eq!(copies.lines().count(), 1, "{}: {copies}", program.display());
    }
}
