//! The changes that a reviewer is shown: files with digests and hunks, and their diffs. Each line of a diff is quoted, so that a reviewer
//! cannot mistake it for an instruction. The content of denied files and of files with secrets is withheld.

use crate::snapshot::What;
use crate::snapshot::changes::Change;
use crate::snapshot::old_bytes::{self, OldBytes};
use crate::store::state::State;
use crate::sys::digest::hex;
use crate::sys::error::Result;
use crate::sys::files;
use crate::sys::gitignore::Patterns;
use crate::sys::limits::LINES;
use crate::sys::redact::redact;
use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};
use std::path::Path;

/// One changed file.
#[derive(Clone, Debug)]
pub struct ChangedFile {
    /// Its path relative to the root.
    pub path: String,
    /// `+` new, `-` removed, `~` changed.
    pub mark: char,
    /// SHA-256 of its content in hexadecimal; empty if it was removed.
    pub sha256: String,
    /// The number of hunks; None if its lines were not compared.
    pub hunks: Option<usize>,
    /// Why its content is not shown; empty if it is shown.
    pub withheld: &'static str,
    /// The unified diff.
    pub diff: String,
    /// Changes that no line shows: the type of the file, and the target of a link.
    pub notes: String,
}

/// The files whose content must not leave the machine: those in `paths.deny`, and those whose names suggest secrets.
pub struct DenyList(Patterns);

impl DenyList {
    /// A list with these patterns of `paths.deny`.
    pub fn new(deny: &[String]) -> DenyList {
        DenyList(Patterns::of(deny))
    }

    /// Why a file's content is withheld; empty if it is not.
    pub fn why(&self, path: &str) -> &'static str {
        match self.0.matches(Path::new(path.trim_start_matches("../"))) {
            true => "paths.deny",
            false if is_secret(path) => "it may hold secrets",
            false => "",
        }
    }
}

/// Whether a file's name suggests that it holds secrets.
fn is_secret(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let is_sample = [".example", ".sample", ".template", ".dist"].iter().any(|end| name.ends_with(end));
    let is_env = name == ".env" || name.starts_with(".env.");
    let is_key = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx"].iter().any(|end| name.ends_with(end));
    let is_named =
        matches!(name.as_str(), ".netrc" | ".npmrc" | ".pypirc" | ".pgpass" | "credentials" | "credentials.json")
            || name.starts_with("id_rsa")
            || name.starts_with("id_ed25519")
            || name.starts_with("id_ecdsa");
    let is_public = name.ends_with(".pub");
    (is_env || is_key || is_named) && !is_sample && !is_public
}

/// The changed files, in order, with their diffs if `with_diff`.
pub fn of(
    top: &Path,
    root: &Path,
    state: &State,
    changes: &[Change],
    withheld: &DenyList,
    with_diff: bool,
) -> Result<Vec<ChangedFile>> {
    let mut olds: Vec<Option<Vec<u8>>> = vec![None; changes.len()];
    let mut open: Vec<u8> = Vec::new();
    old_bytes::read(top, state, changes, |at, piece| match piece {
        OldBytes::Begin => open.clear(),
        // One byte more than the limit shows that the limit is exceeded.
        OldBytes::Bytes(bytes) => {
            let room = (LINES as usize + 1).saturating_sub(open.len());
            open.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        OldBytes::End => olds[at] = Some(std::mem::take(&mut open)),
        OldBytes::Lost { .. } => {}
    })?;
    let changed = changes.iter().zip(olds).map(|(change, old)| {
        let path = crate::snapshot::baseline::display_path(top, root, &change.path);
        let why = withheld.why(&path);
        let now = change.now.as_ref();
        let mut changed = ChangedFile {
            mark: match (&change.then, now) {
                (None, _) => '+',
                (_, None) => '-',
                _ => '~',
            },
            sha256: now.map(|file| hex(&file.entry.sha256)).unwrap_or_default(),
            hunks: None,
            withheld: why,
            diff: String::new(),
            notes: String::new(),
            path,
        };
        changed.notes = notes(top, change);
        let is_file = |what: What| what.is_file();
        let new = now.filter(|file| is_file(file.entry.what)).map(|file| files::try_read(&top.join(&file.path), LINES));
        let was_file = change.then.as_ref().is_some_and(|then| is_file(then.what));
        let old = if was_file { old } else { Some(Vec::new()) };
        let new = new.unwrap_or_else(|| Some(Vec::new()));
        match (old, new) {
            (Some(old), Some(new)) if why.is_empty() && is_text(&old) && is_text(&new) => {
                lines(&mut changed, &old, &new, with_diff)
            }
            _ if why.is_empty() => changed.withheld = "it is not text, too large, or unreadable",
            _ => {}
        }
        changed
    });
    Ok(changed.collect())
}

fn notes(top: &Path, change: &Change) -> String {
    let name = |what: What| match what {
        What::File => "a file",
        What::Executable => "an executable file",
        What::Link => "a link",
        What::Submodule => "a submodule",
        What::Unreadable => "unreadable",
    };
    let now = change.now.as_ref().map(|file| file.entry.what);
    let then = change.then.as_ref().map(|then| then.what);
    let mut notes = match (then, now) {
        (Some(then), Some(now)) if then != now => format!("it was {}, and is now {}\n", name(then), name(now)),
        (None, Some(now)) if now != What::File => format!("it is {}\n", name(now)),
        _ => String::new(),
    };
    if now == Some(What::Link)
        && let Ok(target) = std::fs::read_link(top.join(&change.path))
    {
        notes.push_str(&format!("its target is {}\n", crate::sys::text::one_line(&target.to_string_lossy())));
    }
    notes
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.len() as u64 <= LINES && !bytes.iter().take(8000).any(|b| *b == 0)
}

fn lines(changed: &mut ChangedFile, old: &[u8], new: &[u8], with_diff: bool) {
    let (old, new) = (visible(old), visible(new));
    let input = InternedInput::new(old.as_str(), new.as_str());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    changed.hunks = Some(diff.hunks().count());
    if with_diff {
        diff.postprocess_lines(&input);
        let printer = BasicLineDiffPrinter(&input.interner);
        changed.diff = redact(&diff.unified_diff(&printer, UnifiedDiffConfig::default(), &input).to_string());
    }
}

/// Bytes as text with escapes for all invisible characters. A carriage return ends a line, because some interpreters treat it so.
fn visible(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' => out.push_str("\\r\n"),
            c if c.is_control() || is_invisible(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Whether a character changes how a line reads without being visible.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The most characters of a quoted line. A longer line continues on the next one.
const WIDTH: usize = 1_000;

/// Quotes every line of an untrusted text with a mark. Nothing is left out.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.lines() {
        let mut rest = line;
        let mut mark = "| ";
        loop {
            let end = rest.char_indices().nth(WIDTH).map_or(rest.len(), |(at, _)| at);
            out.push_str(mark);
            out.push_str(&rest[..end]);
            out.push('\n');
            rest = &rest[end..];
            if rest.is_empty() {
                break;
            }
            // The mark of a continued line.
            mark = "|+";
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_invisible_characters() {
        let shown = visible("a()\r// tidy\nx \u{1b}]0;y\u{7} \u{202e}z\r\n".as_bytes());
        assert_eq!(shown, "a()\\r\n// tidy\nx \\u{1b}]0;y\\u{7} \\u{202e}z\n");
        let long = format!("{}evil()", "x".repeat(2_500));
        let text = quoted(&long);
        assert!(text.lines().count() == 3 && text.replace("\n|+", "").contains("xevil()"), "{text}");
        assert!(text.lines().all(|line| line.starts_with('|')));
    }

    #[test]
    fn secrets_and_denied_files_are_withheld() {
        let withheld = DenyList::new(&["private/".to_string(), "*.sql".to_string()]);
        for (path, hidden) in [
            (".env", true),
            ("web/.env.local", true),
            (".env.example", false),
            ("deploy/server.pem", true),
            ("home/id_rsa", true),
            ("home/id_rsa.pub", false),
            ("src/key.rs", false),
            ("private/notes.txt", true),
            ("db/dump.sql", true),
            ("src/main.rs", false),
        ] {
            assert_eq!(!withheld.why(path).is_empty(), hidden, "{path}");
        }
    }
}
