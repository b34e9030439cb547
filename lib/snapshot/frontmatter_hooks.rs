//! The hooks in the frontmatter of a client's skills, agents and commands. Such a hook runs beside the ones in settings, and may end a
//! turn that was bounced.

use crate::sys::digest::sha256;
use crate::sys::files;
use crate::sys::limits;
use std::fs;
use std::path::{Path, PathBuf};

/// The directories of a client's directory that hold Markdown files with frontmatter.
const DIRS: [&str; 3] = ["agents", "commands", "skills"];

/// How deep these directories are searched.
const DEPTH: usize = 8;

/// How many names are looked at in all. Links to a parent directory would multiply them.
const NAMES: usize = 5_000;

/// The digests of the hooks in the frontmatter of files below a client's directory, each with the file's path below that directory. If
/// there are too many names, one entry says so.
pub fn digests(client_dir: &Path) -> Vec<(PathBuf, String)> {
    let mut search = Search::default();
    for name in DIRS {
        search.add_files(&client_dir.join(name), DEPTH);
    }
    let digest = |path: PathBuf| {
        let digest = match files::try_read_following(&path, limits::SETTINGS) {
            Some(bytes) => sha256(hooks(&bytes)?.as_bytes()),
            // The client may be able to read a file that we cannot.
            None => sha256(format!("unreadable: {} bytes", fs::metadata(&path).ok()?.len()).as_bytes()),
        };
        Some((path.strip_prefix(client_dir).ok()?.to_path_buf(), digest))
    };
    let rest = (search.names >= NAMES).then(|| (PathBuf::from(DIRS.join(", ")), sha256(b"not all were read")));
    search.paths.into_iter().filter_map(digest).chain(rest).collect()
}

/// Whether a path in a project is that of such a file.
pub fn is_place(path: &str) -> bool {
    let below = path.strip_prefix(".claude/").and_then(|path| path.split_once('/'));
    below.is_some_and(|(dir, name)| DIRS.contains(&dir) && name.to_ascii_lowercase().ends_with(".md"))
}

/// A search for Markdown files.
#[derive(Default)]
struct Search {
    paths: Vec<PathBuf>,
    names: usize,
}

impl Search {
    fn add_files(&mut self, dir: &Path, depth: usize) {
        let left = NAMES - self.names;
        let entries = fs::read_dir(dir).into_iter().flatten().flatten().take(left);
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        self.names += entries.len();
        entries.sort();
        for path in entries {
            if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md")) {
                self.paths.push(path);
            } else if depth > 1 && self.names < NAMES {
                self.add_files(&path, depth - 1);
            }
        }
    }
}

/// The hooks in the frontmatter of a Markdown file: the key `hooks` with its value. If the frontmatter may name the key in another way,
/// or if the value refers to another part of it, the whole frontmatter.
pub fn hooks(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    // Parsers of YAML end a line at each of these.
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{85}', '\u{2028}', '\u{2029}'], "\n");
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let mut lines = text.lines();
    lines.next().filter(|line| line.trim_end() == "---")?;
    let lines: Vec<&str> = lines.take_while(|line| line.trim_end() != "---").collect();
    let whole = || lines.join("\n");
    let Some(start) = lines.iter().position(|line| is_key_of_hooks(line)) else {
        let is_odd = lines.iter().any(|line| !is_inner(line) && !has_plain_key(line));
        return (is_odd && may_name_hooks(&lines)).then(whole);
    };
    let length = lines[start + 1..].iter().take_while(|line| is_inner(line)).count();
    let (value, rest) = lines[start..].split_at(length + 1);
    let is_repeated = rest.iter().any(|line| is_key_of_hooks(line));
    let mut others = lines[..start].iter().chain(rest);
    let may_refer = value.iter().any(|line| line.contains('*')) && others.any(|line| line.contains('&'));
    Some(if is_repeated || may_refer { whole() } else { value.join("\n").trim_end().to_string() })
}

/// Whether a line belongs to the value of the key above it.
fn is_inner(line: &str) -> bool {
    line.starts_with([' ', '\t', '#', '-']) || line.trim().is_empty()
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
        assert_eq!(of(&text.replace('\n', "\r\n")), of(text));
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
            "---\nname: a\rhooks: {Stop: []}\r---\n",
            "---\nname: a\u{2028}hooks: {Stop: []}\n---\n",
        ] {
            assert!(of(odd).is_some(), "{odd}");
        }
        let alias = "---\nx: &x [a]\nhooks: *x\n---\n";
        assert_ne!(of(alias), of(&alias.replace("[a]", "[b]")));
    }

    #[test]
    fn links_in_a_circle_end() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..20 {
            let skill = dir.path().join(format!("skills/{n}"));
            fs::create_dir_all(&skill).unwrap();
            fs::write(skill.join("SKILL.md"), "---\nhooks: {}\n---\n").unwrap();
            std::os::unix::fs::symlink("..", skill.join("up")).unwrap();
        }
        let found = digests(dir.path());
        assert_eq!(found.first().map(|(path, _)| path.to_str().unwrap()), Some("skills/0/SKILL.md"));
        assert_eq!(found.last().map(|(path, _)| path.to_str().unwrap()), Some("agents, commands, skills"));
        assert!(found.len() <= NAMES + 1);
    }
}
