//! What is pinned beside the files: the settings that switch hooks on and off, in the project and in the user's own directory; files
//! that DONE.md protects although no snapshot holds them; what git was told not to look at; objects that stand in for others.

use review_gate::donefile::Guards;
use review_gate::event::Event;
use review_gate::git::Repository;
use review_gate::snapshot::{self, Snapshot};
use review_gate::store::record::Pinned;
use review_gate::sys::digest::sha256;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::glob;
use review_gate::sys::limits;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The clients' settings in a project, below the root and below the top of the work tree.
const SETTINGS: [&str; 6] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".cursor/hooks.json",
    ".gemini/settings.json",
];

/// The same in the user's home.
const HOME: [&str; 4] = [".claude/settings.json", ".codex/hooks.json", ".cursor/hooks.json", ".gemini/settings.json"];

/// The keys of such a file that decide which hooks run; the others (permissions, a model) the client writes itself.
const DECIDES: [&str; 8] = [
    "hooks",
    "hooksConfig",
    "disableAllHooks",
    "allowManagedHooksOnly",
    "enabledPlugins",
    "extraKnownMarketplaces",
    "env",
    "version",
];

/// As it stands now.
pub fn now(event: &Event, guards: &Guards, files: &Snapshot) -> Result<Pinned> {
    let repository = Repository::find(&event.root);
    let index = repository.as_ref().map(Repository::tracked).transpose()?.unwrap_or_default();
    Ok(Pinned {
        settings: settings(event),
        protected: protected(event, guards, files),
        unlooked: index.iter().filter(|tracked| tracked.unlooked).map(|tracked| tracked.path.to_path_buf()).collect(),
        replaced: repository.map(|repository| repository.replaced()).unwrap_or_default(),
    })
}

/// The settings that are pinned, by the path as it is shown.
fn settings(event: &Event) -> BTreeMap<String, String> {
    let top = snapshot::top_of(&event.root);
    let mut places: Vec<(String, PathBuf)> =
        SETTINGS.iter().map(|name| (name.to_string(), event.root.join(name))).collect();
    if top != event.root {
        places.extend(SETTINGS.iter().map(|name| (top.join(name).display().to_string(), top.join(name))));
    }
    if let Some(home) = env::home() {
        places.extend(HOME.iter().map(|name| (format!("~/{name}"), home.join(name))));
    }
    if let Some(dir) = env::claude_config_dir() {
        let path = dir.join("settings.json");
        places.push((path.display().to_string(), path));
    }
    let digest = |(name, path): (String, PathBuf)| Some((name, sha256(&what_decides(&path)?)));
    places.into_iter().filter_map(digest).collect()
}

/// Whether a path is one of these.
pub fn is_settings(path: &str) -> bool {
    SETTINGS.contains(&path)
}

fn what_decides(path: &Path) -> Option<Vec<u8>> {
    let meta = fs::metadata(path).ok()?;
    match files::try_read_following(path, limits::SETTINGS) {
        Some(bytes) => deciding_part(&bytes),
        // What cannot be read here may still be read by the client.
        None => Some(format!("unreadable: {} bytes", meta.len()).into_bytes()),
    }
}

/// The part of such a file that decides which hooks run; None where nothing in it does. One that is no JSON object counts whole.
pub fn deciding_part(bytes: &[u8]) -> Option<Vec<u8>> {
    let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(bytes) else {
        return (!bytes.trim_ascii().is_empty()).then(|| bytes.to_vec());
    };
    let decides: BTreeMap<String, Value> =
        fields.into_iter().filter(|(key, _)| DECIDES.contains(&key.as_str())).collect();
    if decides.keys().all(|key| key == "version") {
        return None;
    }
    serde_json::to_vec(&decides).ok()
}

/// Files that DONE.md protects by their very name and that git ignores.
fn protected(event: &Event, guards: &Guards, files: &Snapshot) -> BTreeMap<String, String> {
    let top = snapshot::top_of(&event.root);
    let literal = guards.protect.iter().filter(|pattern| glob::is_literal(pattern));
    let digest = |pattern: &String| {
        let whole = event.root.join(pattern);
        let is_in = whole.strip_prefix(&top).is_ok_and(|path| files.get(path).is_some());
        let bytes = files::try_read_following(&whole, 64 << 20).filter(|_| !is_in)?;
        Some((pattern.clone(), sha256(&bytes)))
    };
    literal.filter_map(digest).collect()
}

/// What is not as it was: each path with what happened to it.
pub fn changed(then: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<(String, &'static str)> {
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
    fn what_the_client_writes_itself_decides_nothing() {
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
