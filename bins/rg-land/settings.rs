//! Git's settings for the scratch worktree: no hooks, no filters, no conversion, no sparse checkout.

use review_gate::git::{self, Repository};
use review_gate::sys::error::Result;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

/// Settings that let a checkout write what the commit stores.
const ALWAYS: [&str; 8] = [
    "core.hooksPath=/dev/null",
    "core.symlinks=true",
    "core.fileMode=true",
    "core.autocrlf=false",
    "core.eol=lf",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.sparseCheckout=false",
];

/// Options of git that precede the command.
#[derive(Clone)]
pub struct Settings(Vec<OsString>);

impl Settings {
    /// The settings for a repository. Each filter that its configuration defines is switched off by its name.
    pub fn of(repository: &Repository) -> Result<Settings> {
        let configured = git::Settings::of(repository)?;
        let filters: BTreeSet<&str> =
            configured.names().filter_map(|name| Some(name.strip_prefix("filter.")?.rsplit_once('.')?.0)).collect();
        let off =
            |name: &&str| ["smudge=", "clean=", "process=", "required=false"].map(|end| format!("filter.{name}.{end}"));
        let all = ALWAYS.map(str::to_string).into_iter().chain(filters.iter().flat_map(off));
        Ok(Settings(all.flat_map(|setting| [OsString::from("-c"), setting.into()]).collect()))
    }

    /// The words of a git call with these settings.
    pub fn with<S: Into<OsString>>(&self, words: impl IntoIterator<Item = S>) -> Vec<OsString> {
        self.0.iter().cloned().chain(words.into_iter().map(Into::into)).collect()
    }

    /// The paths of the submodules that .gitmodules lists, without those that it does not check out.
    pub fn submodules(repository: &Repository) -> Result<BTreeSet<PathBuf>> {
        let words = ["config", "--no-includes", "-z", "--file", ".gitmodules", "--list"];
        let out = repository.try_run(&words)?.stdout;
        let text = String::from_utf8_lossy(&out).into_owned();
        let rows: Vec<(&str, &str)> = text.split('\0').filter_map(|row| row.split_once('\n')).collect();
        let is_off = |section: &str| rows.contains(&(format!("{section}.update").as_str(), "none"));
        let paths = rows.iter().filter_map(|(key, value)| Some((key.strip_suffix(".path")?, value)));
        Ok(paths.filter(|(section, _)| !is_off(section)).map(|(_, value)| PathBuf::from(value)).collect())
    }
}
