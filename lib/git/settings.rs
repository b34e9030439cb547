//! Git's settings (git-config(1)): one file without starting git, or all settings through git.

use super::{Repository, read_small};
use crate::sys::error::Result;
use std::path::Path;

/// Settings in git's order; the last value of a name counts. Names have the form of `git config --list`: `section.key` or
/// `section.Sub.section.key`, with section and key in lower case.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settings(Vec<(String, String)>);

impl Settings {
    /// All settings that git reads here: of the system, the user and the repository, and the files they include.
    pub fn of(repository: &Repository) -> Result<Settings> {
        // All are listed, because git also fails if a filtered list is empty.
        let out = repository.git(&["config", "-z", "--list"])?;
        let text = String::from_utf8_lossy(&out).into_owned();
        let pair = |entry: &str| {
            let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
            (key.to_string(), value.to_string())
        };
        Ok(Settings(text.split('\0').filter(|entry| !entry.is_empty()).map(pair).collect()))
    }

    /// The settings of one file, without included files; None if it is malformed.
    fn of_file(path: &Path) -> Option<Settings> {
        parse(&read_small(path).unwrap_or_default()).map(Settings)
    }

    /// The last value of a name.
    pub fn last(&self, key: &str) -> Option<&str> {
        self.0.iter().rfind(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Every value of a name.
    pub fn all(&self, key: &str) -> Vec<String> {
        self.0.iter().filter(|(name, _)| name == key).map(|(_, value)| value.clone()).collect()
    }

    /// The names of all settings.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Whether a name is set to a value that git reads as true.
    fn is_true(&self, key: &str) -> bool {
        let value = self.last(key).unwrap_or("").to_ascii_lowercase();
        matches!(value.as_str(), "true" | "yes" | "on") || value.parse::<i64>().is_ok_and(|number| number != 0)
    }
}

impl Repository {
    /// The settings of the repository's format. Git reads them only from this file and follows no include.
    fn own_settings(&self) -> Settings {
        Settings::of_file(&self.common_dir.join("config")).unwrap_or_default()
    }

    /// The settings of the repository and of its work tree. Git reads them if they include other files or are malformed.
    fn settings(&self) -> Settings {
        let own = Settings::of_file(&self.common_dir.join("config")).and_then(|mut own| {
            if own.is_true("extensions.worktreeconfig") {
                own.0.extend(Settings::of_file(&self.git_dir.join("config.worktree"))?.0);
            }
            Some(own)
        });
        let includes =
            |own: &Settings| own.names().any(|name| name.starts_with("include.") || name.starts_with("includeif."));
        match own {
            Some(own) if !includes(&own) => own,
            _ => Settings::of(self).unwrap_or_default(),
        }
    }

    /// Whether it is a sparse checkout.
    pub fn is_sparse(&self) -> bool {
        self.git_dir.join("info/sparse-checkout").exists() && self.settings().is_true("core.sparsecheckout")
    }

    /// Whether it is a partial clone.
    pub fn is_partial(&self) -> bool {
        let settings = self.settings();
        let of_remote = |name: &str| {
            name.starts_with("remote.")
                && (name.ends_with(".promisor") && settings.is_true(name) || name.ends_with(".partialclonefilter"))
        };
        settings.last("extensions.partialclone").is_some() || settings.names().any(of_remote)
    }

    /// Whether its object format is SHA-256.
    pub(super) fn is_sha256(&self) -> bool {
        self.own_settings().last("extensions.objectformat").is_some_and(|format| format.eq_ignore_ascii_case("sha256"))
    }

    /// Whether its references are stored in reftables, which only git reads.
    pub(super) fn uses_reftable(&self) -> bool {
        self.common_dir.join("reftable").is_dir()
    }
}

/// Parses settings; None for what git calls a bad config line.
fn parse(text: &str) -> Option<Vec<(String, String)>> {
    let mut all = Vec::new();
    let mut section = String::new();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    loop {
        rest = rest.trim_start();
        match rest.chars().next() {
            None => return Some(all),
            Some('#' | ';') => rest = rest.split_once('\n').map_or("", |(_, after)| after),
            Some('[') => (section, rest) = header(&rest[1..])?,
            Some(first) if first.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
                let dot = if section.is_empty() { "" } else { "." };
                let name = format!("{section}{dot}{}", rest[..end].to_ascii_lowercase());
                rest = rest[end..].trim_start_matches([' ', '\t', '\r']);
                let value;
                (value, rest) = match rest.strip_prefix('=') {
                    Some(after) => read_value(after)?,
                    None if rest.is_empty() || rest.starts_with(['\n', '#', ';']) => ("true".to_string(), rest),
                    None => return None,
                };
                all.push((name, value));
            }
            Some(_) => return None,
        }
    }
}

/// Parses the text after a `[`: the section's name as git lists it, and the text after the `]`.
fn header(text: &str) -> Option<(String, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.').filter(|end| *end > 0)?;
    let mut name = text[..end].to_ascii_lowercase();
    let rest = text[end..].trim_start_matches([' ', '\t']);
    let Some(quoted) = rest.strip_prefix('"') else { return Some((name, rest.strip_prefix(']')?)) };
    name.push('.');
    let mut chars = quoted.char_indices();
    loop {
        match chars.next()? {
            (at, '"') => return Some((name, quoted[at + 1..].strip_prefix(']')?)),
            (_, '\n') => return None,
            (_, '\\') => name.push(chars.next()?.1),
            (_, c) => name.push(c),
        }
    }
}

/// Parses the text after a `=`: the value, and the text after it.
fn read_value(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start_matches([' ', '\t']);
    // Trailing white space does not count unless it is quoted.
    let (mut value, mut kept, mut is_quoted) = (String::new(), 0, false);
    let mut chars = text.char_indices();
    let after = loop {
        match chars.next() {
            None => break text.len(),
            Some((at, '\n')) => break at,
            Some((_, '"')) => is_quoted = !is_quoted,
            Some((at, '#' | ';')) if !is_quoted => break at,
            Some((_, '\\')) => match chars.next()?.1 {
                '\n' => continue,
                '\r' => {
                    chars.next().filter(|(_, c)| *c == '\n')?;
                    continue;
                }
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'b' => value.push('\u{8}'),
                c @ ('"' | '\\') => value.push(c),
                _ => return None,
            },
            Some((_, c)) => {
                value.push(c);
                if c.is_ascii_whitespace() && !is_quoted {
                    continue;
                }
            }
        }
        kept = value.len();
    };
    value.truncate(kept);
    let rest = &text[after..];
    let rest = if rest.starts_with(['#', ';']) { rest.split_once('\n').map_or("", |(_, after)| after) } else { rest };
    (!is_quoted).then_some((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The settings that git reads from a text; None if it refuses the text.
    fn by_git(text: &str) -> Option<Vec<(String, String)>> {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f"), text).unwrap();
        let file = dir.path().join("f");
        let out = std::process::Command::new("git")
            .args(["config", "--no-includes", "-z", "--list", "--file"])
            .arg(file)
            .output()
            .unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        let pair = |entry: &str| {
            let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
            (key.to_string(), value.to_string())
        };
        out.status.success().then(|| text.split('\0').filter(|entry| !entry.is_empty()).map(pair).collect())
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        for text in [
            "",
            "[core]\n\tbare = false\n\tsparseCheckout = true # yes\n",
            "[other]\n\tsparseCheckout = true\n[core]\n",
            "[core] bare = true\n",
            "[remote \"Origin\"]\n\turl = a b  \n\tpromisor\n[remote \"x\\\"y\"] fetch = +refs/*:refs/*\n",
            "[Extensions]\n\tobjectFormat = sha256\n; [core]\n",
            "[a]\nb = \"x ; y\" z;c\nc = one\\\ntwo\\tthree \\\"four\\\"\n",
            "[a]\nb = \" kept \"  \nc=\nd =   \n",
            "[include]\n\tpath = other\n[includeIf \"gitdir:/x/\"]\n\tpath = y\n",
            "[a.B]\nc = 1\n",
            "[a]\r\nb = 1\r\nc\r\n",
            "[a\nb = 1\n",
            "b = 1\n",
            "[a]\nb = \"open\n",
            "[a]\nb = \\q\n",
            "[a]\n1b = 2\n",
            "\u{feff}[a]\nb = 1\n",
        ] {
            assert_eq!(parse(text), by_git(text), "{text:?}");
        }
    }

    #[test]
    fn a_setting_counts_in_its_own_section_and_in_included_files() {
        let dir = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| {
            let done = std::process::Command::new("git").current_dir(dir.path()).args(args).output().unwrap();
            assert!(done.status.success(), "{args:?}");
        };
        git(&["init", "-q"]);
        let repository = Repository::at(dir.path()).unwrap();
        fs::write(dir.path().join(".git/info/sparse-checkout"), "/*\n").unwrap();
        git(&["config", "other.sparseCheckout", "true"]);
        assert!(!repository.is_sparse());
        fs::write(dir.path().join(".git/more"), "[core]\n\tsparseCheckout = on\n").unwrap();
        git(&["config", "include.path", "more"]);
        assert!(repository.is_sparse());
        fs::write(dir.path().join(".git/more"), "[core]\n\tsparseCheckout = 0\n").unwrap();
        assert!(!repository.is_sparse());
        git(&["config", "branch.promisor.remote", "x"]);
        assert!(!repository.is_partial() && !repository.is_sha256());
        git(&["config", "remote.origin.promisor", "true"]);
        assert!(repository.is_partial());
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[\\[\\]\"\\\\a-c.= #;\n\t\r]{0,60}") {
            let _ = parse(&text);
        }
    }
}
