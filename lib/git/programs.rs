//! What git runs in a repository: its hooks, and the settings that name programs, remotes and other files.

use super::{REMOTE_TRUNK, Repository, Settings, to_path};
use crate::sys::digest;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::files;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The most that is read of a hook, in bytes.
const HOOK: u64 = 1 << 20;

/// Sections of which each setting counts: they name programs, or lead git elsewhere.
const SECTIONS: [&str; 13] = [
    "alias.",
    "credential.",
    "diff.",
    "filter.",
    "gpg.",
    "http.",
    "include.",
    "includeif.",
    "merge.",
    "push.",
    "remote.",
    "submodule.",
    "url.",
];

/// Settings beside these.
const NAMES: [&str; 14] = [
    "attr.tree",
    "core.askpass",
    "core.attributesfile",
    "core.autocrlf",
    "core.editor",
    "core.eol",
    "core.excludesfile",
    "core.fsmonitor",
    "core.gitproxy",
    "core.hookspath",
    "core.pager",
    "core.sshcommand",
    "core.worktree",
    "sequence.editor",
];

impl Repository {
    /// Each hook and each such setting, with a digest of its content.
    pub fn programs(&self) -> Result<BTreeMap<String, String>> {
        let mut all = BTreeMap::new();
        let settings = Settings::of(self)?;
        let counts = |name: &str| NAMES.contains(&name) || SECTIONS.iter().any(|section| name.starts_with(section));
        for name in settings.names().filter(|name| counts(name)) {
            all.insert(name.to_string(), digest::sha256(settings.all(name).join("\0").as_bytes()));
        }
        let dir = self.hooks()?;
        for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.ends_with(".sample") {
                all.insert(format!("hooks/{name}"), content(&entry.path()));
            }
        }
        for name in ["info/attributes", "info/exclude", REMOTE_TRUNK] {
            all.insert(name.to_string(), content(&self.common_dir.join(name)));
        }
        for (key, usual) in [("core.attributesfile", "attributes"), ("core.excludesfile", "ignore")] {
            let path = match settings.last(key) {
                Some(value) => match value.strip_prefix("~/") {
                    Some(rest) => env::home().map(|home| home.join(rest)),
                    None => Some(self.top.join(value)),
                },
                None => env::config_home().map(|dir| dir.join("git").join(usual)),
            };
            all.insert(format!("{key}: its content"), path.map_or(String::new(), |path| content(&path)));
        }
        Ok(all)
    }

    /// The directory of the hooks.
    fn hooks(&self) -> Result<PathBuf> {
        let out = self.git(&["rev-parse", "--git-path", "hooks"])?;
        Ok(self.top.join(to_path(out.strip_suffix(b"\n").unwrap_or(&out))))
    }
}

/// A digest of a file; empty if there is none. One that is too large, or cannot be read, is told from another one by its stat.
fn content(path: &Path) -> String {
    let stat = || {
        let meta = fs::metadata(path).ok()?;
        Some(format!("{} {} {}.{}", meta.ino(), meta.size(), meta.ctime(), meta.ctime_nsec()))
    };
    let bytes = files::try_read_following(path, HOOK);
    bytes.map(|bytes| digest::sha256(&bytes)).or_else(stat).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_that_was_replaced_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hook");
        assert_eq!(content(&path), "");
        fs::write(&path, vec![b'a'; HOOK as usize + 1]).unwrap();
        let before = content(&path);
        fs::write(dir.path().join("new"), vec![b'b'; HOOK as usize + 1]).unwrap();
        fs::rename(dir.path().join("new"), &path).unwrap();
        assert!(!before.is_empty() && content(&path) != before);
    }
}
