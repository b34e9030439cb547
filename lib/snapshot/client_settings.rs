//! The settings of clients that decide which hooks run, and the hooks of skills, agents and commands.

use super::{codex_config, frontmatter_hooks, top_of};
use crate::sys::digest::sha256;
use crate::sys::env;
use crate::sys::files;
use crate::sys::limits;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The clients' settings in a project, relative to the root and to the top of the working tree.
const SETTINGS: [&str; 6] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    CODEX,
    ".codex/hooks.json",
    ".cursor/hooks.json",
    ".gemini/settings.json",
];

/// The clients' settings in the user's home directory.
const HOME: [&str; 5] =
    [".claude/settings.json", CODEX, ".codex/hooks.json", ".cursor/hooks.json", ".gemini/settings.json"];

/// The settings of Codex in a project.
const CODEX: &str = ".codex/config.toml";

/// The files of the plugin that name its hooks.
const PLUGIN: [&str; 3] = ["hooks.json", "hooks/hooks.json", ".claude-plugin/plugin.json"];

/// Precedes the name of a file of the plugin, whose directory may change with an update.
const OF_PLUGIN: &str = "plugin: ";

/// The keys that decide which hooks run. A client writes the other ones itself (permissions, a model).
const DECIDING: [&str; 8] = [
    "hooks",
    "hooksConfig",
    "disableAllHooks",
    "allowManagedHooksOnly",
    "enabledPlugins",
    "extraKnownMarketplaces",
    "env",
    "version",
];

/// The files that may decide which hooks run: each as shown, and its path. They need not exist.
pub fn places(root: &Path) -> Vec<(String, PathBuf)> {
    let top = top_of(root);
    let mut places: Vec<(String, PathBuf)> = SETTINGS.iter().map(|name| (name.to_string(), root.join(name))).collect();
    if top != root {
        places.extend(SETTINGS.iter().map(|name| (top.join(name).display().to_string(), top.join(name))));
    }
    if let Some(home) = env::home() {
        places.extend(HOME.iter().map(|name| (format!("~/{name}"), home.join(name))));
    }
    // Environment variables move the user's settings.
    let dirs =
        [(env::claude_config_dir(), &["settings.json"][..]), (env::codex_home(), &["config.toml", "hooks.json"])];
    let gemini = (env::gemini_home(), &[".gemini/settings.json"][..]);
    let moved = dirs.into_iter().chain([gemini]).filter_map(|(dir, names)| Some((dir?, names)));
    let paths = moved.flat_map(|(dir, names)| names.iter().map(move |name| dir.join(name)));
    places.extend(paths.map(|path| (path.display().to_string(), path)));
    let plugin = env::plugin_root();
    places
        .extend(plugin.iter().flat_map(|dir| PLUGIN.iter().map(|name| (format!("{OF_PLUGIN}{name}"), dir.join(name)))));
    places
}

/// The digests of the deciding parts of settings, and of the hooks in frontmatter, by path as shown.
pub fn digests(root: &Path) -> BTreeMap<String, String> {
    let (of_root, of_top) = (root.join(CODEX), top_of(root).join(CODEX));
    let digest = |(name, path): (String, PathBuf)| {
        // Codex writes into the file of the user, not into the one of a project.
        let is_codex_own = path.ends_with("config.toml") && path != of_root && path != of_top;
        Some((name, sha256(&deciding_part_of(&path, is_codex_own)?)))
    };
    let settings = places(root).into_iter().filter_map(digest);
    let of_dir = |(name, dir): (String, PathBuf)| {
        let shown = move |(path, digest): (PathBuf, String)| (format!("{name}/{}", path.display()), digest);
        frontmatter_hooks::digests(&dir).into_iter().map(shown)
    };
    settings.chain(client_dirs(root).into_iter().flat_map(of_dir)).collect()
}

/// The directories in which a client looks for skills, agents and commands: each as shown, and its path. They need not exist.
fn client_dirs(root: &Path) -> Vec<(String, PathBuf)> {
    const DIR: &str = ".claude";
    let top = top_of(root);
    let mut dirs = vec![(DIR.to_string(), root.join(DIR))];
    if top != root {
        dirs.push((top.join(DIR).display().to_string(), top.join(DIR)));
    }
    dirs.extend(env::home().map(|home| (format!("~/{DIR}"), home.join(DIR))));
    dirs.extend(env::claude_config_dir().map(|dir| (dir.display().to_string(), dir)));
    dirs
}

/// Whether settings that decide which hooks run may have been written since `time`, by the times of the files and of the directories
/// that hold them. It reads no file.
pub fn may_be_newer(root: &Path, time: SystemTime) -> bool {
    let places = places(root);
    let dirs = client_dirs(root).into_iter().map(|(_, dir)| dir);
    let parents: BTreeSet<PathBuf> =
        places.iter().filter_map(|(_, path)| path.parent().map(Path::to_path_buf)).collect();
    let paths = dirs.flat_map(|dir| ["agents", "commands", "skills"].map(|name| dir.join(name)));
    let is_newer = |path: &Path| {
        let Ok(meta) = fs::symlink_metadata(path) else { return false };
        let is_target_newer = || fs::metadata(path).is_ok_and(|meta| changed_at(&meta) >= time);
        changed_at(&meta) >= time || meta.is_symlink() && is_target_newer()
    };
    // The root and the home directory change all the time.
    let parents = parents.into_iter().filter(|dir| dir.as_path() != root && Some(dir) != env::home().as_ref());
    places.into_iter().map(|(_, path)| path).chain(parents).chain(paths).any(|path| is_newer(&path))
}

/// When the status of a file changed last.
fn changed_at(meta: &fs::Metadata) -> SystemTime {
    let seconds = Duration::from_secs(meta.ctime().max(0) as u64);
    UNIX_EPOCH + seconds + Duration::from_nanos(meta.ctime_nsec().max(0) as u64)
}

/// The settings that differ. What is known of the plugin depends on the caller, because only the client names the plugin's directory: a
/// part counts only if the baseline holds it and the directory is named now.
pub fn changed(then: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<(String, &'static str)> {
    let mut found = differences(then, now);
    let is_named = env::plugin_root().is_some();
    found.retain(|(path, what)| !path.starts_with(OF_PLUGIN) || is_named && *what != "added");
    found
}

/// Whether a path is a client's settings file in a project, or a file whose frontmatter may hold hooks.
pub fn is_settings(path: &str) -> bool {
    SETTINGS.contains(&path) || frontmatter_hooks::is_place(path)
}

/// The part of such a file that decides which hooks run; None if no part does.
pub fn deciding_part_in(path: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    match frontmatter_hooks::is_place(path) {
        true => frontmatter_hooks::hooks(bytes).map(String::into_bytes),
        false => deciding_part(bytes),
    }
}

/// The deciding part of a file. `is_codex_own` is whether it is the config.toml that Codex writes itself.
fn deciding_part_of(path: &Path, is_codex_own: bool) -> Option<Vec<u8>> {
    let meta = fs::metadata(path).ok()?;
    match files::try_read_following(path, limits::SETTINGS) {
        Some(bytes) if is_codex_own => codex_config::deciding_part(&String::from_utf8_lossy(&bytes)),
        Some(bytes) => deciding_part(&bytes),
        // The client may be able to read a file that we cannot.
        None => Some(format!("unreadable: {} bytes", meta.len()).into_bytes()),
    }
}

/// The part of a settings file that decides which hooks run; None if no part does. A file that is not a JSON object counts whole.
fn deciding_part(bytes: &[u8]) -> Option<Vec<u8>> {
    let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(bytes) else {
        return (!bytes.trim_ascii().is_empty()).then(|| bytes.to_vec());
    };
    let deciding: BTreeMap<String, Value> =
        fields.into_iter().filter(|(key, _)| DECIDING.contains(&key.as_str())).collect();
    if deciding.keys().all(|key| key == "version") {
        return None;
    }
    serde_json::to_vec(&deciding).ok()
}

/// The paths that differ, each with `removed`, `changed` or `added`. These words are part of findings' keys.
pub fn differences(then: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    for (path, digest) in then {
        match now.get(path) {
            None => found.push((path.clone(), "removed")),
            Some(same) if same == digest => {}
            Some(_) => found.push((path.clone(), "changed")),
        }
    }
    found.extend(now.keys().filter(|path| !then.contains_key(*path)).map(|path| (path.clone(), "added")));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_a_client_writes_itself_decide_nothing() {
        let part = |text: &str| deciding_part(text.as_bytes());
        assert_eq!(part(r#"{"permissions":{"allow":["Bash(ls)"]}}"#), None);
        assert_eq!(part("{}"), None);
        assert_eq!(part(" \n"), None);
        assert_eq!(part(r#"{"hooks":{"Stop":[]},"model":"x"}"#), part(r#"{"model":"y", "hooks": {"Stop": []}}"#));
        assert_ne!(part(r#"{"hooks":{"Stop":[]}}"#), part(r#"{"hooks":{"Stop":[1]}}"#));
        assert_ne!(part(r#"{"disableAllHooks":true}"#), None);
        assert_eq!(part("[features]\nhooks = false\n"), Some(b"[features]\nhooks = false\n".to_vec()));
    }
}
