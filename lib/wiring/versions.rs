//! The version of a client's program, from its files: no program is started for it.

use super::clients::Wired;
use crate::event::Client;
use crate::sys::env;
use crate::sys::files;
use crate::sys::limits;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// How many directories above the program may hold the package that it belongs to.
const ABOVE: usize = 4;

/// The first version of Claude Code that passes on a prompt which begins with `#`. Earlier ones write it to their memory.
const PASSES_MARKS: [u64; 3] = [2, 0, 76];

/// What is wrong with a client that is older than the oldest version that was tested. None if it is not, or if that is not known.
pub fn too_old(client: &Wired) -> Option<String> {
    let (oldest, program) = (client.oldest?, env::program(client.program)?);
    let version = version_of(&program)?;
    if numbers(&version) >= numbers(oldest) {
        return None;
    }
    let mut text = format!(
        "{} {version} ({}) is older than {oldest}, the oldest version that was tested: it may not know all events",
        client.name,
        program.display()
    );
    if client.client == Client::Claude && numbers(&version) < Some(PASSES_MARKS) {
        text.push_str(", and it writes a prompt that begins with # to its memory. Begin such a prompt with `review:`, not `#review`");
    }
    Some(text)
}

/// The version of a program: the name of its file or of a directory above it, or that of its package. None if neither tells.
fn version_of(program: &Path) -> Option<String> {
    let real = fs::canonicalize(program).ok()?;
    for dir in real.ancestors().take(ABOVE) {
        let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or("");
        if numbers(name).is_some() {
            return Some(name.to_string());
        }
        let package = files::try_read_following(&dir.join("package.json"), limits::SETTINGS);
        let package: Option<Value> = package.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let version = package.as_ref().and_then(|package| package["version"].as_str());
        if let Some(version) = version.filter(|version| numbers(version).is_some()) {
            return Some(version.to_string());
        }
    }
    None
}

/// The three numbers of a version. None if the text is no version; what follows `-` or `+` is left out.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let plain = version.split(['-', '+']).next().unwrap_or(version);
    let parts: Vec<u64> = plain.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    parts.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert!(numbers("2.1.99") < numbers("2.1.197") && numbers("2.1.197") < numbers("10.0.0"));
        assert_eq!(numbers("0.61.0-nightly.1"), Some([0, 61, 0]));
        for text in ["", "2.1", "latest", "2.x.1", "1.2.3.4", "99999999999999999999999.0.0"] {
            assert_eq!(numbers(text), None, "{text}");
        }
    }

    #[test]
    fn a_version_is_in_the_name_of_the_file_or_in_the_package() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        assert_eq!(version_of(&at("claude/versions/2.0.5", "")).as_deref(), Some("2.0.5"));
        at("node_modules/@x/gemini/package.json", "{\"version\": \"0.60.1\"}");
        assert_eq!(version_of(&at("node_modules/@x/gemini/dist/index.js", "")).as_deref(), Some("0.60.1"));
        at("broken/package.json", "{");
        assert_eq!(version_of(&at("broken/tool", "")), None);
        assert_eq!(version_of(Path::new("/nowhere/tool")), None);
    }
}
