//! The hooks in the frontmatter of a client's skills, agents and commands. Such a hook runs beside the ones in settings, and may end a
//! turn that was bounced.

use crate::sys::digest::sha256;
use crate::sys::files;
use crate::sys::limits;
use std::fs;
use std::path::{Path, PathBuf};

/// The directories of a client's directory that hold Markdown files with frontmatter.
const DIRS: [&str; 3] = ["agents", "commands", "skills"];

/// How deep these directories are searched. A link to a parent directory ends there.
const DEPTH: usize = 4;

/// How many files are read in all.
const FILES: usize = 2_000;

/// The digests of the hooks in the frontmatter of files below a client's directory, each with the file's path below that directory.
pub fn digests(client_dir: &Path) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    for name in DIRS {
        add_files(&client_dir.join(name), DEPTH, &mut paths);
    }
    let digest = |path: PathBuf| {
        let digest = match files::try_read_following(&path, limits::SETTINGS) {
            Some(bytes) => sha256(hooks(&bytes)?.as_bytes()),
            // The client may be able to read a file that we cannot.
            None => sha256(format!("unreadable: {} bytes", fs::metadata(&path).ok()?.len()).as_bytes()),
        };
        Some((path.strip_prefix(client_dir).ok()?.to_path_buf(), digest))
    };
    paths.into_iter().filter_map(digest).collect()
}

fn add_files(dir: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if paths.len() >= FILES {
            return;
        }
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md")) {
            paths.push(path);
        } else if depth > 1 {
            add_files(&path, depth - 1, paths);
        }
    }
}

/// The hooks in the frontmatter of a Markdown file: the key `hooks` with its value. If the frontmatter may name the key in another way,
/// the whole frontmatter.
fn hooks(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let mut lines = text.lines();
    lines.next().filter(|line| line.trim_end() == "---")?;
    let lines: Vec<&str> = lines.take_while(|line| line.trim_end() != "---").collect();
    let is_plain =
        |line: &&&str| line.starts_with([' ', '\t', '#', '-']) || line.trim().is_empty() || has_plain_key(line);
    let Some(start) = lines.iter().position(|line| is_key_of_hooks(line)) else {
        let is_odd = lines.iter().filter(is_plain).count() < lines.len() && may_name_hooks(&lines);
        return is_odd.then(|| lines.join("\n"));
    };
    let is_value = |line: &&&str| line.starts_with([' ', '\t', '#', '-']) || line.trim().is_empty();
    let value = lines[start + 1..].iter().take_while(is_value);
    let again = lines[start + 1..].iter().filter(|line| is_key_of_hooks(line)).count();
    let block = || std::iter::once(&lines[start]).chain(value).copied().collect::<Vec<_>>().join("\n");
    Some(if again == 0 { block().trim_end().to_string() } else { lines.join("\n") })
}

fn is_key_of_hooks(line: &str) -> bool {
    let key = line.split_once(':').map(|(key, _)| key.trim_end().trim_matches(['"', '\'']));
    key == Some("hooks")
}

/// Whether a line begins with a key of letters, digits, `-` and `_`.
fn has_plain_key(line: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    line.split_once(':').is_some_and(|(key, _)| !key.is_empty() && key.trim_end().chars().all(is_plain))
}

/// Whether YAML may spell the key `hooks` there: plainly, with an escape, or by a merge.
fn may_name_hooks(lines: &[&str]) -> bool {
    lines.iter().any(|line| line.contains("hooks") || line.contains('\\') || line.contains("<<"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        hooks(text.as_bytes())
    }

    #[test]
    fn only_the_hooks_of_a_frontmatter_count() {
        let text = "---\nname: a\nhooks:\n  Stop:\n  - command: x\ndescription: d\n---\nhooks: none\n";
        assert_eq!(of(text).unwrap(), "hooks:\n  Stop:\n  - command: x");
        assert_eq!(of(&text.replace("description: d", "description: e")), of(text));
        assert_ne!(of(&text.replace("command: x", "command: y")), of(text));
        assert_eq!(of(&text.replace('\n', "\r\n")).map(|part| part.replace('\r', "")), of(text));
        for none in [
            "",
            "hooks:\n",
            "---\nname: a\n---\nhooks:\n",
            "---\nname: hooks\ndescription: of hooks\n  hooks: x\n---\n",
            "# --- \n",
        ] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn hooks_in_an_odd_form_count() {
        for odd in [
            "---\n\"hooks\": {Stop: []}\n---\n",
            "---\n'hooks' : {Stop: []}\n---\n",
            "---\n{hooks: {Stop: []}}\n---\n",
            "---\n\"\\x68ooks\": {Stop: []}\n---\n",
            "---\n? hooks\n: {Stop: []}\n---\n",
            "---\nname: a\nhooks:\n",
            "\u{feff}---\nhooks: {}\n---\n",
            "---\nhooks: {}\nname: a\nhooks: {Stop: []}\n---\n",
        ] {
            assert!(of(odd).is_some(), "{odd}");
        }
    }

    #[test]
    fn links_in_a_circle_end() {
        let dir = tempfile::tempdir().unwrap();
        let skill = dir.path().join("skills/a");
        fs::create_dir_all(&skill).unwrap();
        fs::write(skill.join("SKILL.md"), "---\nhooks: {}\n---\n").unwrap();
        std::os::unix::fs::symlink("..", skill.join("up")).unwrap();
        let found = digests(dir.path());
        assert_eq!(found.first().map(|(path, _)| path.to_str().unwrap()), Some("skills/a/SKILL.md"));
        assert!(found.len() <= DEPTH);
    }
}
