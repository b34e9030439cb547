//! A changed file: its contents, which of its changed lines are tests, and the file with only some changes.

use imara_diff::{Algorithm, Diff, InternedInput};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

/// The largest file that is divided, in bytes.
const FILE: usize = 1 << 20;

/// The ends of files that no test can notice: texts, translations, configuration of tools, pictures.
const NO_CODE: [&str; 19] = [
    "md", "txt", "rst", "adoc", "org", "yml", "yaml", "toml", "ini", "cfg", "lock", "svg", "png", "jpg", "gif", "pyi",
    "map", "po", "pot",
];

/// The names of such files.
const NO_CODE_NAMES: [&str; 8] = [
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "composer.json",
    "tsconfig.json",
    "go.mod",
    "go.sum",
    "LICENSE",
];

/// A file at the base, or now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether its owner may execute it.
    pub is_executable: bool,
}

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Tests, or what tests need.
    Test,
    /// Anything else.
    Source,
}

use Role::{Source, Test};

/// Lines that differ, of one role. A side without lines has an empty range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What they are for.
    pub role: Role,
    /// The lines of the old file, from 0.
    pub before: Range<usize>,
    /// The lines of the new file, from 0.
    pub after: Range<usize>,
}

/// A changed file.
pub struct Changed {
    /// Relative to the top of the work tree.
    pub path: PathBuf,
    /// Relative to the root, for people and patterns.
    pub shown: String,
    /// At the base; None if it did not exist.
    pub old: Option<Content>,
    /// Now; None if it does not exist.
    pub new: Option<Content>,
    /// What the whole file is for.
    pub role: Role,
    /// Its changed lines, if the file can be divided.
    pub pieces: Option<Vec<Piece>>,
    /// The names of its tests that were added, or that assert more now; None if that is not known.
    pub changed_tests: Option<BTreeSet<String>>,
}

impl Changed {
    /// A file of that role.
    pub fn new(path: PathBuf, shown: String, old: Option<Content>, new: Option<Content>, role: Role) -> Changed {
        let mut changed = Changed { path, shown, old, new, role, pieces: None, changed_tests: None };
        changed.divide(&[], &[]);
        changed
    }

    /// Finds the changed lines. The lines in these ranges of the old and the new file are tests, if the file as a whole is none.
    pub fn divide(&mut self, then: &[Range<usize>], now: &[Range<usize>]) {
        let is_divisible = |content: &&Content| content.bytes.len() <= FILE && !content.bytes.contains(&0);
        let empty = Content { bytes: Vec::new(), is_executable: false };
        // A new file is only divided if it holds tests beside other code.
        let (old, new) = match (&self.old, &self.new) {
            (None, Some(new)) if !now.is_empty() => (&empty, new),
            (Some(old), None) if !then.is_empty() => (old, &empty),
            (Some(old), Some(new)) => (old, new),
            _ => return,
        };
        if let (Some(old), Some(new)) = (Some(old).filter(is_divisible), Some(new).filter(is_divisible)) {
            self.pieces = Some(pieces(&old.bytes, &new.bytes, self.role, then, now));
        }
    }

    /// Whether it is code, as far as its name says. A hidden file or one in a hidden directory is none.
    pub fn is_code(&self) -> bool {
        let is_hidden = self.shown.split('/').any(|part| part.starts_with('.') && part.len() > 2);
        let has = |end: &str| NO_CODE.contains(&end);
        let name = self.shown.rsplit('/').next().unwrap_or_default();
        !is_hidden && !NO_CODE_NAMES.contains(&name) && !name.rsplit_once('.').is_some_and(|(_, end)| has(end))
    }

    /// Whether it holds changed tests.
    pub fn has_tests(&self) -> bool {
        self.holds(Test)
    }

    /// Whether it holds changed code.
    pub fn has_source(&self) -> bool {
        self.holds(Source)
    }

    fn holds(&self, role: Role) -> bool {
        match &self.pieces {
            Some(pieces) if !pieces.is_empty() => pieces.iter().any(|piece| piece.role == role),
            _ => self.role == role,
        }
    }

    /// Whether it held tests at the base that differ now.
    pub fn had_tests(&self) -> bool {
        match &self.pieces {
            Some(pieces) if self.is_mixed() => {
                pieces.iter().any(|piece| piece.role == Test && !piece.before.is_empty())
            }
            _ => self.role == Test && self.old.is_some(),
        }
    }

    /// Whether tests and code changed in it.
    fn is_mixed(&self) -> bool {
        self.pieces.as_ref().is_some_and(|pieces| pieces.iter().any(|piece| piece.role != self.role))
    }

    /// The file with the tests of the base and the new code.
    pub fn with_old_tests(&self) -> Option<Content> {
        self.with(Source)
    }

    /// The file with the new tests and the code of the base.
    pub fn with_old_code(&self) -> Option<Content> {
        self.with(Test)
    }

    /// The file with only the changes of one role.
    fn with(&self, role: Role) -> Option<Content> {
        if self.is_mixed() {
            return self.undo(|piece| piece.role != role);
        }
        if self.role == role { self.new.clone() } else { self.old.clone() }
    }

    /// The new file with some changes undone; None if it cannot be divided, or if nothing of a new file is left.
    pub fn undo(&self, is_undone: impl Fn(&Piece) -> bool) -> Option<Content> {
        let (pieces, empty) = (self.pieces.as_ref()?, Vec::new());
        let (old, new) = (self.old.as_ref(), self.new.as_ref());
        let (before, after) =
            (lines(old.map_or(&empty, |content| &content.bytes)), lines(new.map_or(&empty, |content| &content.bytes)));
        let mut bytes: Vec<u8> = Vec::new();
        let mut at = 0;
        for piece in pieces {
            bytes.extend(after[at..piece.after.start].concat());
            bytes.extend(match is_undone(piece) {
                true => before[piece.before.clone()].concat(),
                false => after[piece.after.clone()].concat(),
            });
            at = piece.after.end;
        }
        bytes.extend(after[at..].concat());
        let is_executable = new.or(old).is_some_and(|content| content.is_executable);
        let is_gone = bytes.is_empty() && (old.is_none() || new.is_none());
        (!is_gone).then_some(Content { bytes, is_executable })
    }

    /// What identifies the file at the base.
    pub fn old_bytes(&self) -> Vec<u8> {
        let mut bytes = self.path.as_os_str().as_encoded_bytes().to_vec();
        bytes.push(0);
        if let Some(old) = &self.old {
            bytes.push(if old.is_executable { b'x' } else { b'f' });
            bytes.extend(&old.bytes);
        }
        bytes
    }
}

/// The lines of a text, each with its end.
pub fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn pieces(old: &[u8], new: &[u8], role: Role, then: &[Range<usize>], now: &[Range<usize>]) -> Vec<Piece> {
    let mut input: InternedInput<&[u8]> = InternedInput::default();
    input.update_before(lines(old).into_iter());
    input.update_after(lines(new).into_iter());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let mut all = Vec::new();
    for hunk in diff.hunks() {
        let before = runs(hunk.before.start as usize..hunk.before.end as usize, role, then);
        let after = runs(hunk.after.start as usize..hunk.after.end as usize, role, now);
        let (mut before, mut after) = (before.into_iter().peekable(), after.into_iter().peekable());
        let (mut b, mut a) = (hunk.before.start as usize, hunk.after.start as usize);
        loop {
            let piece = match (before.peek(), after.peek()) {
                (None, None) => break,
                (Some((is, was)), Some((of, now))) if is == of => {
                    Piece { role: *is, before: was.clone(), after: now.clone() }
                }
                (Some((is, was)), _) => Piece { role: *is, before: was.clone(), after: a..a },
                (None, Some((of, now))) => Piece { role: *of, before: b..b, after: now.clone() },
            };
            if !piece.before.is_empty() {
                before.next();
            }
            if !piece.after.is_empty() {
                after.next();
            }
            (b, a) = (piece.before.end, piece.after.end);
            all.push(piece);
        }
    }
    all
}

/// A range of lines in parts of one role.
fn runs(range: Range<usize>, role: Role, tests: &[Range<usize>]) -> Vec<(Role, Range<usize>)> {
    let mut runs: Vec<(Role, Range<usize>)> = Vec::new();
    for line in range {
        let role = if tests.iter().any(|test| test.contains(&line)) { Test } else { role };
        match runs.last_mut() {
            Some((of, run)) if *of == role => run.end = line + 1,
            _ => runs.push((role, line..line + 1)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    // A list of one range is meant.
    #![allow(clippy::single_range_in_vec_init)]
    use super::*;
    use proptest::prelude::*;

    /// A changed file of these texts.
    fn changed(old: &str, new: &str) -> Changed {
        let content = |text: &str| Some(Content { bytes: text.into(), is_executable: false });
        Changed::new("a.py".into(), "a.py".into(), content(old), content(new), Source)
    }

    fn text(content: Option<Content>) -> String {
        String::from_utf8(content.map(|content| content.bytes).unwrap_or_default()).unwrap()
    }

    #[test]
    fn tests_in_a_source_file_change_roles_apart() {
        let mut file =
            changed("code 1\n\n#[t]\nmod {\nold test\n}\n", "code 2\ncode 3\n\n#[t]\nmod {\nnew test\nmore\n}\n");
        file.divide(&[2..6], &[3..8]);
        assert!(file.has_tests() && file.has_source() && file.had_tests());
        assert_eq!(text(file.with_old_tests()), "code 2\ncode 3\n\n#[t]\nmod {\nold test\n}\n");
        assert_eq!(text(file.with_old_code()), "code 1\n\n#[t]\nmod {\nnew test\nmore\n}\n");
        // One hunk adds code and tests.
        let mut file = changed("code 1\n", "code 1\ncode 2\n#[t]\nmod {\ntest\n}\n");
        file.divide(&[], &[2..6]);
        assert_eq!(text(file.with_old_code()), "code 1\n#[t]\nmod {\ntest\n}\n");
        assert_eq!(text(file.with_old_tests()), "code 1\ncode 2\n");
        assert!(!file.had_tests());
    }

    #[test]
    fn a_new_file_with_tests_and_code_is_divided_and_one_without_tests_goes_as_a_whole() {
        let mut file = changed("", "code\n#[t]\ntest\n");
        file.old = None;
        file.divide(&[], &[1..3]);
        assert_eq!(text(file.with_old_code()), "#[t]\ntest\n");
        assert_eq!(text(file.with_old_tests()), "code\n");
        let mut file = changed("", "code\n");
        (file.old, file.pieces) = (None, None);
        file.divide(&[], &[]);
        assert_eq!(file.with_old_code(), None);
        assert_eq!(text(file.with_old_tests()), "code\n");
    }

    proptest! {
        #[test]
        fn all_changes_undone_are_the_old_file_and_none_the_new_one(
            old in "([abc]\n){0,12}", new in "([abc]\n){0,12}", from in 0usize..12, length in 0usize..12,
        ) {
            let mut file = changed(&old, &new);
            let tests = [from..from + length];
            file.divide(&tests, &tests);
            prop_assert_eq!(text(file.undo(|_| true)), old);
            prop_assert_eq!(text(file.undo(|_| false)), new);
        }
    }
}
