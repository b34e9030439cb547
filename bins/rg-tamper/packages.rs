//! Removed packages and scripts: a directory that is gone with all of its files, or a script that is gone with the test of its name.

use crate::sides::Sides;
use review_gate::outline::compare::stem;
use review_gate::outline::language;
use review_gate::snapshot::Snapshot;
use std::collections::BTreeSet;
use std::path::Path;

/// Files that describe a package.
const MANIFESTS: [&str; 12] = [
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pyproject.toml",
    "setup.py",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "mix.exs",
    "composer.json",
    "Package.swift",
    "CMakeLists.txt",
];

/// Whether a file describes a package.
pub fn is_manifest(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    MANIFESTS.contains(&name) || name.ends_with(".csproj") || name.ends_with(".gemspec")
}

/// Whether a script without an ending was removed that has the name of a removed test, as `unrotate` and `unrotate.bats`, and did not move.
pub fn is_gone_with_script(path: &Path, all: &[Sides]) -> bool {
    let wanted = path.to_str().map(stem).unwrap_or_default();
    let is_script = |path: &Path| path.extension().is_none() && path.to_str().is_some_and(|path| stem(path) == wanted);
    let is_removed = |one: &Sides| one.change.now.is_none() && !one.role.was_test;
    let mut scripts = all.iter().filter(|one| is_script(&one.change.path));
    wanted.len() > 2 && scripts.clone().any(is_removed) && scripts.all(|one| one.change.now.is_none())
}

/// Whether a removed file was in a directory that is gone today, with the manifest of its package. Directories of tools (`.github`) do not
/// count.
pub fn is_gone_with_manifest(path: &Path, all: &[Sides], now: &Snapshot) -> bool {
    let is_tool = path.to_str().is_none_or(|path| path.starts_with('.') || path.contains("/."));
    let has_manifest = |dir: &Path| {
        let of_dir = |one: &&Sides| one.change.now.is_none() && one.change.path.parent() == Some(dir);
        all.iter().filter(of_dir).any(|one| is_manifest(&one.change.path))
    };
    let mut dirs = path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty());
    !is_tool && dirs.any(has_manifest) && is_gone_with_package(path, all, now)
}

/// Whether a removed file was in a directory that is gone today, with a manifest or with source that was not moved elsewhere.
pub fn is_gone_with_package(path: &Path, all: &[Sides], now: &Snapshot) -> bool {
    let is_dir = |dir: &&Path| !dir.as_os_str().is_empty();
    let is_empty = |dir: &Path| !now.files.iter().any(|file| file.path.starts_with(dir));
    let gone = path.ancestors().skip(1).take_while(is_dir).take_while(|dir| is_empty(dir));
    let arrived: BTreeSet<_> =
        all.iter().filter(|one| one.change.then.is_none()).filter_map(|one| one.change.path.file_name()).collect();
    gone.into_iter().any(|dir| {
        let removed = all.iter().filter(|one| one.change.now.is_none() && one.change.path.starts_with(dir));
        let (mut has_manifest, mut source, mut moved) = (false, 0, 0);
        for one in removed {
            let path = &one.change.path;
            has_manifest |= is_manifest(path);
            if !one.role.was_test && path.to_str().is_some_and(|path| language::of(path).is_some()) {
                source += 1;
                moved += usize::from(path.file_name().is_some_and(|name| arrived.contains(name)));
            }
        }
        let is_moved = moved > 0 && moved * 2 >= source;
        (has_manifest || source > 0) && !is_moved
    })
}
