//! Programs in the Nix store: hooks must name a path that the next garbage collection leaves alone.

use super::tools;
use crate::sys::env;
use crate::sys::error::{Error, Result};
use crate::sys::process::{self, Command};
use crate::sys::text::{cut_end, one_line, plain};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long nix-store may take. It waits while the store is collected.
const PATIENCE: Duration = Duration::from_secs(60);

/// How much of its output is kept, in bytes.
const OUTPUT: usize = 64 << 10;

/// The directory of the programs for a hook: that of the user's or the system's profile if it has just these programs, because a profile
/// follows updates; else their own.
pub fn lasting(bin: PathBuf) -> PathBuf {
    match package_of(&bin) {
        Some(_) => env::nix_profiles().into_iter().map(|dir| dir.join("bin")).find(|dir| has(dir, &bin)).unwrap_or(bin),
        None => bin,
    }
}

/// The package in the store that has the programs; None if a profile has them, or if they are elsewhere.
pub fn unkept(bin: PathBuf) -> Option<PathBuf> {
    package_of(&lasting(bin))
}

/// Makes a garbage-collector root for a package in the directory `roots`, and returns it. Errors: none could be made, so that hooks would
/// lose their programs.
pub fn keep(package: &Path, roots: &Path) -> Result<PathBuf> {
    let name = package.file_name().unwrap_or_default();
    fs::create_dir_all(roots).map_err(|e| Error::io("make", roots, &e))?;
    let root = roots.join(name);
    let mut command = Command::new("nix-store");
    command.arg("--realise").arg(package).arg("--add-root").arg(&root).arg("--indirect");
    let refused = |why: &str| {
        let what = format!("the programs are in the Nix store, and nothing keeps them there: {why}");
        Error::missing(format!("{what}. Install them into a profile first: `nix profile install <flake>#review-gate`"))
    };
    let output = process::output_with_input(command, Vec::new(), PATIENCE, OUTPUT);
    let output = output.map_err(|error| refused(&error.to_string()))?;
    if !output.success() {
        let text = plain(&output.stderr);
        let last = text.lines().map(one_line).rfind(|line| !line.is_empty());
        return Err(refused(&cut_end(&last.unwrap_or_else(|| output.how_it_ended()), 300)));
    }
    match fs::read_link(&root) {
        Ok(target) if target == package => Ok(root),
        _ => Err(refused(&format!("nix-store made no root {}", root.display()))),
    }
}

/// The package in the store that holds a directory.
fn package_of(dir: &Path) -> Option<PathBuf> {
    let store = env::nix_store();
    let name = dir.strip_prefix(&store).ok()?.components().next()?;
    Some(store.join(name))
}

/// Whether a directory has all programs of the hooks, and they are those in `bin`.
fn has(dir: &Path, bin: &Path) -> bool {
    let real = |path: PathBuf| fs::canonicalize(path).ok();
    tools().into_iter().all(|tool| real(dir.join(tool)).is_some_and(|found| Some(found) == real(bin.join(tool))))
}
