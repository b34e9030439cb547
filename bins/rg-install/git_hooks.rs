//! The hooks of git: each is written beside the one that is there, which runs first, and is removed byte for byte.

use crate::{Request, preview};
use review_gate::git::{Repository, Settings};
use review_gate::sys::digest::sha256;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::tool::pipes;
use review_gate::wiring::{self, shell_quoted};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// The hooks and their scripts. `BIN` stands for the directory of the programs.
const HOOKS: [(&str, &str); 3] = [
    ("pre-commit", include_str!("git_hooks/pre-commit.sh")),
    ("pre-push", include_str!("git_hooks/pre-push.sh")),
    ("post-commit", include_str!("git_hooks/post-commit.sh")),
];

/// What every script begins with: the earlier hook runs first.
const HEAD: &str = include_str!("git_hooks/head.sh");

/// How the second line of a hook begins. The digest of the rest follows.
const MARK: &str =
    "#!/bin/sh\n# Written by `rg-install git`. Remove it with `rg-install git --uninstall`. sha256 of the rest: ";

/// The ending of the hook that was there before.
const EARLIER: &str = ".before-review-gate";

/// The largest hook that is read, in bytes.
const LIMIT: u64 = 16 << 20;

/// A hook as it is and as it has to be.
struct Hook {
    name: &'static str,
    path: PathBuf,
    earlier: PathBuf,
    before: Option<Vec<u8>>,
    is_own: bool,
    wanted: String,
}

/// Writes the hooks, or removes them.
pub fn edit(top: &Path, request: &Request) -> Result<()> {
    let Some(repository) = Repository::find(top) else {
        return Err(Error::usage(format!("no git repository in {}", top.display())));
    };
    let dir = directory(&repository, top)?;
    let bin = wiring::nix_store::lasting(wiring::bin_dir()?);
    let bin = bin.to_str().ok_or_else(|| Error::missing(format!("{} is not UTF-8", bin.display())))?;
    let mut hooks = Vec::new();
    for (name, script) in HOOKS {
        hooks.push(Hook::read(&dir, name, text(script, bin))?);
    }
    for hook in &hooks {
        hook.require_possible(request.removes)?;
    }
    let mut said = String::new();
    for hook in &hooks {
        said.push_str(&match (request.is_dry, request.removes) {
            (true, removes) => hook.preview(removes),
            (false, true) => hook.remove()?,
            (false, false) => hook.write()?,
        });
    }
    pipes::write(said.as_bytes())
}

/// The directory in which git looks for hooks. The hooks of husky are in the directory above the one that it generates.
fn directory(repository: &Repository, top: &Path) -> Result<PathBuf> {
    let set = Settings::of(repository)?.last("core.hookspath").map(str::to_string);
    let dir = match set.as_deref().filter(|set| !set.is_empty()) {
        None => return Ok(repository.common_dir.join("hooks")),
        Some(set) => match (set.strip_prefix("~/"), env::home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => top.join(set),
        },
    };
    let dir = if dir.ends_with(".husky/_") { dir.with_file_name("").to_path_buf() } else { dir };
    let real = real_path(&dir);
    let is_own = [top, &repository.common_dir]
        .iter()
        .any(|place| fs::canonicalize(place).is_ok_and(|place| real.starts_with(place)));
    if !is_own {
        let why = "other repositories may share it";
        return Err(Error::usage(format!(
            "core.hooksPath names {}, outside of this repository: {why}. Set another one: `git config core.hooksPath .githooks`",
            dir.display()
        )));
    }
    Ok(dir)
}

/// The path without links and `..`. The last part may not exist; one with `..` has no real path, so it is the root.
fn real_path(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (fs::canonicalize(ancestor), path.strip_prefix(ancestor)) {
            let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
            return if is_plain { real.join(rest) } else { PathBuf::from("/") };
        }
    }
    PathBuf::from("/")
}

/// The text of a hook.
fn text(script: &str, bin: &str) -> String {
    let rest = format!("{HEAD}{script}").replace("BIN", &shell_quoted(bin));
    format!("{MARK}{}\n{rest}", sha256(rest.as_bytes()))
}

/// Whether a file is as a version of this program wrote it.
fn is_unchanged(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let parts = text.strip_prefix(MARK).and_then(|rest| rest.split_once('\n'));
    parts.is_some_and(|(digest, rest)| sha256(rest.as_bytes()) == digest)
}

impl Hook {
    fn read(dir: &Path, name: &'static str, wanted: String) -> Result<Hook> {
        let path = dir.join(name);
        let before = files::read_following(&path, LIMIT)?;
        let is_own = before.as_deref().is_some_and(is_unchanged);
        Ok(Hook { name, earlier: dir.join(format!("{name}{EARLIER}")), path, before, is_own, wanted })
    }

    /// An error if the hook cannot be written or removed without a loss.
    fn require_possible(&self, removes: bool) -> Result<()> {
        let has_earlier = fs::symlink_metadata(&self.earlier).is_ok();
        let marked = self.before.as_deref().is_some_and(|bytes| bytes.starts_with(MARK.as_bytes()));
        if marked && !self.is_own {
            return Err(Error::usage(format!(
                "unable to replace {}: it was changed since this program wrote it. Move your lines to {}, and remove the file",
                self.path.display(),
                self.earlier.display()
            )));
        }
        if has_earlier && !self.is_own && !removes {
            return Err(Error::usage(format!(
                "unable to keep {}: {} is there already. Move one of them away",
                self.path.display(),
                self.earlier.display()
            )));
        }
        Ok(())
    }

    fn preview(&self, removes: bool) -> String {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let earlier = || files::read_following(&self.earlier, LIMIT).ok().flatten().map(|bytes| lossy(&bytes));
        let before = self.before.as_deref().map(lossy);
        let after = match (removes, self.is_own) {
            (false, _) => Some(self.wanted.clone()),
            (true, true) => earlier(),
            (true, false) => before.clone(),
        };
        preview::difference(&self.path.display().to_string(), before.as_deref(), after.as_deref())
    }

    fn write(&self) -> Result<String> {
        let shown = self.path.display();
        if self.is_own && self.before.as_deref() == Some(self.wanted.as_bytes()) {
            return Ok(format!("already there: {shown}\n"));
        }
        let parent = self.path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(parent).map_err(|e| Error::io("make", parent, &e))?;
        let has_other = self.before.is_some() && !self.is_own;
        if has_other {
            fs::rename(&self.path, &self.earlier).map_err(|e| Error::io("rename", &self.path, &e))?;
        }
        files::write_whole(&self.path, self.wanted.as_bytes(), true)?;
        fs::set_permissions(&self.path, fs::Permissions::from_mode(0o755))
            .map_err(|e| Error::io("set the mode of", &self.path, &e))?;
        let other = if has_other {
            format!("; the hook that was there runs first, as {}{EARLIER}", self.name)
        } else {
            String::new()
        };
        Ok(format!("wrote {shown}{other}\n"))
    }

    fn remove(&self) -> Result<String> {
        let shown = self.path.display();
        if !self.is_own {
            return Ok(format!("no hook of review-gate: {shown}\n"));
        }
        match fs::symlink_metadata(&self.earlier).is_ok() {
            // This replaces the hook and keeps the bytes, the mode and the inode of the earlier one.
            true => fs::rename(&self.earlier, &self.path).map_err(|e| Error::io("rename", &self.earlier, &e))?,
            false => fs::remove_file(&self.path).map_err(|e| Error::io("remove", &self.path, &e))?,
        }
        Ok(format!("removed {shown}\n"))
    }
}
