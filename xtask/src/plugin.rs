//! The plugin folder: copies of the hooks, the manifest, the reviewer, the commands and the skills, and links to the programs in bin/.

use crate::{Failure, stage};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// The top of the checkout.
pub fn checkout() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// `xtask plugin DIR [--bin DIR]`
pub fn run(args: &mut lexopt::Parser) -> Result<(), Failure> {
    let (mut to, mut bin) = (None, None);
    while let Some(arg) = args.next()? {
        match arg {
            lexopt::Arg::Value(dir) if to.is_none() => to = Some(PathBuf::from(dir)),
            lexopt::Arg::Long("bin") => bin = Some(PathBuf::from(args.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    let to = to.ok_or("no folder given. Usage: `cargo xtask plugin DIR`")?;
    let bin = bin.map_or_else(build, Ok)?;
    lay_out(&to, &bin)?;
    stage::say(&format!("{}", to.display()));
    Ok(())
}

/// Builds the programs. Returns their directory.
pub fn build() -> Result<PathBuf, Failure> {
    let shell = Shell::new()?;
    shell.change_dir(checkout());
    cmd!(shell, "cargo build --quiet --locked --package review-gate --bins").quiet().run()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from);
    Ok(target.join("debug"))
}

/// The files of the plugin, by their place in its folder.
pub fn files() -> Result<Vec<(String, PathBuf)>, Failure> {
    let mut found = Vec::new();
    let mut open = ["agents", "commands", "hooks", "skills"].map(PathBuf::from).to_vec();
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(checkout().join(&dir))? {
            let entry = entry?;
            let place = dir.join(entry.file_name());
            match entry.file_type()?.is_dir() {
                true => open.push(place),
                false => found.push(place),
            }
        }
    }
    found.extend(["hooks.json", ".claude-plugin/marketplace.json", ".claude-plugin/plugin.json"].map(PathBuf::from));
    found.sort();
    Ok(found.iter().map(|place| (place.to_string_lossy().into_owned(), checkout().join(place))).collect())
}

/// Creates the folder, with links to the programs in `bin`.
pub fn lay_out(to: &Path, bin: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to.join("bin"))?;
    for (place, from) in files()? {
        let place = to.join(place);
        fs::create_dir_all(place.parent().unwrap_or(to))?;
        fs::copy(from, place)?;
    }
    for entry in fs::read_dir(fs::canonicalize(bin)?)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("rg-") && !name.contains('.') {
            let link = to.join("bin").join(&name);
            // A link from an earlier run is replaced.
            let _ = fs::remove_file(&link);
            symlink(&path, link)?;
        }
    }
    Ok(())
}
