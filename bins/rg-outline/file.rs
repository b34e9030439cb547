//! Reads one source file. It finds the language, rejects input that is not text, and returns the outline.

use crate::language::{Loaded, Row};
use crate::languages::{self, LANGUAGES};
use crate::limits::Deadline;
use crate::reader;
use review_gate::outline::Outline;
use std::collections::HashMap;
use std::time::Duration;

/// The largest file that is read, in bytes.
pub const SIZE: usize = 5 << 20;

/// The longest run of one byte that is read. Scanners of some grammars take quadratic time in it.
const RUN: usize = 64 << 10;

/// How much processor time any file may take. Some grammars need exponential time to recover from broken syntax.
const TIME: Duration = Duration::from_secs(1);

/// How much processor time each MiB of a file may take besides. Ordinary code takes a third of it.
const TIME_PER_MIB: Duration = Duration::from_millis(1000);

/// The languages that were needed so far.
#[derive(Default)]
pub struct Reader {
    loaded: HashMap<&'static str, Result<Option<Loaded>, String>>,
    /// The language of all files, if the user named one.
    pub language: Option<&'static Row>,
}

impl Reader {
    /// The outline of a file. Why it could not be read is in the outline.
    pub fn read(&mut self, path: &str, text: &[u8]) -> Outline {
        let unread = |language: Option<&Row>, why: String| Outline {
            path: path.into(),
            language: language.map(|row| row.name.into()),
            unread: Some(why),
            ..Outline::default()
        };
        let Some(row) = self.language.or_else(|| languages::of(path, text)) else {
            return Outline { path: path.into(), ..Outline::default() };
        };
        if let Some(why) = obstacle(text) {
            return unread(Some(row), why);
        }
        let loaded = match self.loaded.entry(row.name).or_insert_with(|| row.load()) {
            Ok(Some(loaded)) => loaded,
            Ok(None) => return unread(Some(row), format!("this program is built without {}", row.name)),
            Err(why) => return unread(Some(row), why.clone()),
        };
        // What is no UTF-8 is replaced, so that the rest can be read.
        let text = String::from_utf8_lossy(text);
        let deadline = Deadline::after(TIME + TIME_PER_MIB.mul_f64(text.len() as f64 / f64::from(1 << 20)));
        let masked = script(&text, row.script);
        let read = reader::read(loaded, path, masked.as_deref().unwrap_or(&text).as_bytes(), deadline);
        match read {
            Ok(mut outline) => {
                add_conflicts(text.as_bytes(), &mut outline);
                outline
            }
            Err(why) => unread(Some(row), why),
        }
    }
}

/// The names of the languages.
pub fn names() -> String {
    LANGUAGES.iter().map(|row| row.name).collect::<Vec<_>>().join(", ")
}

/// Why a text cannot be read.
fn obstacle(text: &[u8]) -> Option<String> {
    if text.len() > SIZE {
        return Some(format!("it has more than {} MiB", SIZE >> 20));
    }
    if text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff]) {
        return Some("it is UTF-16".into());
    }
    if memchr::memchr(0, text).is_some() {
        return Some("it is binary".into());
    }
    let mut start = 0;
    for at in 1..=text.len() {
        if at == text.len() || text[at] != text[start] {
            if at - start > RUN {
                return Some(format!("it repeats {:?} {} times", char::from(text[start]), at - start));
            }
            start = at;
        }
    }
    None
}

/// Conflict markers count as broken syntax, even where the grammar accepts them.
fn add_conflicts(text: &[u8], outline: &mut Outline) {
    if memchr::memmem::find(text, b"<<<<<<< ").is_none() {
        return;
    }
    let lines = (1..).zip(text.split(|byte| *byte == b'\n'));
    let marks = lines.filter(|(_, line)| line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> "));
    let marks: Vec<u64> = marks.map(|(line, _)| line).collect();
    if marks.len() > 1 {
        outline.errors.extend(marks);
        outline.errors.sort_unstable();
        outline.errors.dedup();
        outline.errors.truncate(20);
    }
}

/// A text in which everything outside the elements with this tag is blank, so that lines stay as they are.
fn script(text: &str, tag: &str) -> Option<String> {
    if tag.is_empty() {
        return None;
    }
    let mut kept = vec![false; text.len()];
    let (open, close) = (format!("<{tag}"), format!("</{tag}"));
    let mut at = 0;
    while let Some(found) = text[at..].find(&open) {
        let Some(start) = text[at + found..].find('>').map(|end| at + found + end + 1) else { break };
        let end = text[start..].find(&close).map_or(text.len(), |end| start + end);
        kept[start..end].fill(true);
        at = end;
    }
    // Astro keeps its code between two lines of dashes.
    if let Some(end) = text.strip_prefix("---\n").and_then(|rest| rest.find("\n---")) {
        kept[4..4 + end].fill(true);
    }
    let bytes = text.bytes().zip(kept).map(|(byte, keep)| if keep || byte == b'\n' { byte } else { b' ' });
    String::from_utf8(bytes.collect()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TOO_LONG;
    use proptest::prelude::*;
    use std::cell::RefCell;
    use std::path::Path;

    fn bytes(path: &Path) -> Vec<u8> {
        review_gate::sys::files::read(path, SIZE as u64).unwrap().unwrap()
    }

    /// The files of all languages below tests/outline, and their bytes.
    fn files() -> Vec<(String, Vec<u8>)> {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outline");
        let files = walkdir::WalkDir::new(top).into_iter().flatten().filter(|entry| entry.file_type().is_file());
        let mut all: Vec<(String, Vec<u8>)> = files
            .map(|entry| (entry.path().display().to_string(), bytes(entry.path())))
            .filter(|(path, text)| languages::of(path, text).is_some())
            .collect();
        all.sort();
        all
    }

    thread_local! {
        static FILES: Vec<(String, Vec<u8>)> = files();
        static READER: RefCell<Reader> = RefCell::default();
    }

    fn read(path: &str, text: &[u8]) -> Outline {
        READER.with_borrow_mut(|reader| reader.read(path, text))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        /// A file that is cut, changed or repeated anywhere is read without a crash, and its lines are those of the file.
        #[test]
        fn a_mutated_file_is_read(
            which in any::<proptest::sample::Index>(),
            cut in any::<(proptest::sample::Index, proptest::sample::Index)>(),
            put in "[-(){}\\[\\]\"'`#/*:;,.=@<>\n\té]{0,8}",
        ) {
            let (path, text) = FILES.with(|files| files[which.index(files.len())].clone());
            let (one, other) = (cut.0.index(text.len()), cut.1.index(text.len()));
            let mutated = [&text[..one], put.as_bytes(), &text[other..]].concat();
            let outline = read(&path, &mutated);
            let lines = mutated.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
            // A grammar may give up on broken syntax, and that is said.
            prop_assert!(outline.unread.is_none() || outline.unread.as_deref() == Some(TOO_LONG), "{:?}", outline.unread);
            prop_assert!(outline.tests.iter().all(|test| (1..=lines).contains(&test.line)));
        }

        #[test]
        fn random_bytes_are_read_or_refused(which in 0..LANGUAGES.len(), bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let row = &LANGUAGES[which];
            let outline = read(&format!("a.{}", row.endings[0]), &bytes);
            prop_assert_eq!(outline.language.as_deref(), Some(row.name));
        }
    }

    #[test]
    fn a_small_file_that_its_grammar_cannot_recover_from_is_given_up_within_seconds() {
        let whole =
            FILES.with(|files| files.iter().find(|(path, _)| path.ends_with("kotlin/CalculatorSpec.kt")).cloned());
        let (path, text) = whole.unwrap();
        let broken = [&text[..923], b"]", &text[..]].concat();
        let late = Deadline::after(Duration::from_secs(3));
        assert_eq!(read(&path, &broken).unread.as_deref(), Some(TOO_LONG));
        assert!(!late.is_over());
    }

    #[test]
    fn only_the_scripts_of_a_component_are_read() {
        let text = "<p>it('no')</p>\n<script>\nit('a', () => {})\n</script>\n<script lang=\"ts\">it('b', () => {})";
        let outline = read("a.vue", text.as_bytes());
        let tests: Vec<(&str, u64)> = outline.tests.iter().map(|test| (test.name.as_str(), test.line)).collect();
        assert_eq!(tests, [("a", 3), ("b", 5)]);
        assert!(read("a.svelte", b"<script").tests.is_empty());
        assert_eq!(read("a.astro", b"---\nit('a', () => {})\n---\n<p>").tests.len(), 1);
    }
}
