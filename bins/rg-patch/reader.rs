//! Reads a patch into one section for each file. Nothing that belongs to a patch is skipped silently.

use crate::binary::{self, BinaryPatch};
use crate::hunks::{self, Hunk};
use crate::input::{self, Line};
use crate::names;
use review_gate::sys::error::{Error, Result};

/// A file's part of a patch.
#[derive(Clone, Debug, Default)]
pub struct Section<'a> {
    /// The line of its first header in the input.
    pub number: usize,
    /// The name of the file before; None if it is created.
    pub old: Option<Vec<u8>>,
    /// The name of the file afterwards; None if it is removed.
    pub new: Option<Vec<u8>>,
    /// Whether the file before stays.
    pub is_copy: bool,
    /// The mode before and afterwards, where the patch names it.
    pub modes: [Option<u32>; 2],
    /// The hunks of a text.
    pub hunks: Vec<Hunk<'a>>,
    /// The content of a binary file.
    pub binary: Option<BinaryPatch>,
    /// The ids of both contents, where the patch names them.
    pub ids: Option<[String; 2]>,
}

impl Section<'_> {
    /// Exchanges the versions.
    pub fn reverse(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        self.modes.swap(0, 1);
        self.hunks.iter_mut().for_each(Hunk::reverse);
        self.ids.iter_mut().for_each(|ids| ids.swap(0, 1));
        self.binary.iter_mut().for_each(BinaryPatch::reverse);
    }
}

/// Reads all sections. Errors (100): the patch is malformed, or there is none.
pub fn sections<'a>(lines: &[Line<'a>]) -> Result<Vec<Section<'a>>> {
    let (mut found, mut at, mut room) = (Vec::new(), 0, binary::TOTAL);
    while at < lines.len() {
        let rest = &lines[at..];
        let (section, used) = if let Some(text) = rest[0].after("diff --git ") {
            git_section(rest, text, &mut room)?
        } else if input::is_pair(rest) && rest.get(2).is_some_and(hunks::is_header) {
            plain_section(rest)?
        } else {
            refuse_stray(rest)?;
            at += 1;
            continue;
        };
        found.push(section);
        at += used;
    }
    match found.is_empty() {
        false => Ok(found),
        true => Err(Error::usage("no patch on standard input: send a unified diff, such as `git diff` prints")),
    }
}

/// Errors for lines of a patch that stand outside of a section.
fn refuse_stray(rest: &[Line<'_>]) -> Result<()> {
    let line = &rest[0];
    let why = match line.trimmed() {
        _ if hunks::is_header(line) => "a hunk without `--- a/<path>` and `+++ b/<path>` before it",
        _ if input::is_pair(rest) => "`---` and `+++` without a hunk after them",
        text if text.starts_with(b"diff --cc ") || text.starts_with(b"diff --combined ") => {
            "the diff of a merge cannot be applied. Make it with `git diff <commit>`"
        }
        b"*** Begin Patch" => "this form of a patch is not known: send a unified diff, such as `git diff` prints",
        b"GIT binary patch" => "a binary patch without `diff --git` before it",
        _ => return Ok(()),
    };
    Err(at(line, why))
}

/// Refuses a header that the end of the input may have cut.
fn refuse_cut(lines: &[Line<'_>]) -> Result<()> {
    match lines.iter().find(|line| !line.text.ends_with(b"\n")) {
        None => Ok(()),
        Some(line) => Err(at(line, "the patch ends within a line. Send it again, with its last newline")),
    }
}

fn at(line: &Line<'_>, why: &str) -> Error {
    Error::usage(format!("line {}: {why}", line.number))
}

/// A section without git's header.
fn plain_section<'a>(lines: &[Line<'a>]) -> Result<(Section<'a>, usize)> {
    let (old, new) = pair(lines)?;
    let mut section = Section { number: lines[0].number, ..Section::default() };
    name_by_pair(&mut section, old, new, None, &lines[0])?;
    let used = 2 + read_hunks(&mut section, &lines[2..])?;
    Ok((section, used))
}

/// The names of `---` and `+++`; None for `/dev/null`.
type Pair = (Option<Vec<u8>>, Option<Vec<u8>>);

fn pair(lines: &[Line<'_>]) -> Result<Pair> {
    let name = |line: &Line<'_>, prefix: &str| -> Result<Option<Vec<u8>>> {
        let text = line.after(prefix).unwrap_or_default();
        let name = names::read(text).ok_or_else(|| at(line, "the quotation of the name is invalid"))?;
        Ok(Some(name).filter(|name| name != b"/dev/null"))
    };
    Ok((name(&lines[0], "--- ")?, name(&lines[1], "+++ ")?))
}

/// Names a section by its `---` and `+++` lines; `known` is the path of the `diff --git` line.
fn name_by_pair(
    section: &mut Section<'_>,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    known: Option<&[u8]>,
    line: &Line<'_>,
) -> Result<()> {
    let differs =
        || at(line, "the header lines name different files. To rename a file write `rename from` and `rename to`");
    let check = |path: Vec<u8>| match known {
        Some(known) if known != path => Err(differs()),
        _ => Ok(path),
    };
    let alone = |name: &[u8], prefix: &[u8]| match known {
        Some(known) if names::means(name, known) => Ok(known.to_vec()),
        Some(_) => Err(differs()),
        None => Ok(names::alone(name, prefix)),
    };
    (section.old, section.new) = match (old, new) {
        (Some(old), Some(new)) => {
            let path = check(names::same(&old, &new).ok_or_else(differs)?)?;
            (Some(path.clone()), Some(path))
        }
        (None, Some(new)) => (None, Some(alone(&new, b"b/")?)),
        (Some(old), None) => (Some(alone(&old, b"a/")?), None),
        (None, None) => return Err(at(line, "both names are /dev/null")),
    };
    Ok(())
}

/// The header lines of git after `diff --git`.
#[derive(Default)]
struct Extended {
    modes: [Option<u32>; 2],
    is_new: bool,
    is_deleted: bool,
    is_copy: bool,
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
    ids: Option<[String; 2]>,
}

impl Extended {
    /// Takes one header line. False if it is none. Errors: it is malformed or stands twice.
    fn take(&mut self, line: &Line<'_>) -> Result<bool> {
        let twice = || at(line, "the header line stands twice, or contradicts another one");
        let mode = |text: &[u8]| {
            let text = std::str::from_utf8(text)
                .ok()
                .filter(|text| text.len() == 6 && text.bytes().all(|b| b.is_ascii_digit()));
            let mode = text.and_then(|text| u32::from_str_radix(text, 8).ok());
            mode.ok_or_else(|| at(line, "not a mode of six octal digits"))
        };
        let set = |slot: &mut Option<u32>, text: &[u8]| match slot.replace(mode(text)?) {
            None => Ok(true),
            Some(_) => Err(twice()),
        };
        let name = |slot: &mut Option<Vec<u8>>, text: &[u8]| {
            let name = names::read_whole(text).ok_or_else(|| at(line, "the quotation of the name is invalid"))?;
            slot.replace(name).map_or(Ok(true), |_| Err(twice()))
        };
        if let Some(text) = line.after("old mode ") {
            set(&mut self.modes[0], text)
        } else if let Some(text) = line.after("new mode ") {
            set(&mut self.modes[1], text)
        } else if let Some(text) = line.after("deleted file mode ") {
            self.is_deleted = true;
            set(&mut self.modes[0], text)
        } else if let Some(text) = line.after("new file mode ") {
            self.is_new = true;
            set(&mut self.modes[1], text)
        } else if let Some(text) = line.after("rename from ").or(line.after("rename old ")) {
            name(&mut self.from, text)
        } else if let Some(text) = line.after("rename to ").or(line.after("rename new ")) {
            name(&mut self.to, text)
        } else if let Some(text) = line.after("copy from ") {
            self.is_copy = true;
            name(&mut self.from, text)
        } else if let Some(text) = line.after("copy to ") {
            self.is_copy = true;
            name(&mut self.to, text)
        } else if let Some(text) = line.after("index ") {
            let text = String::from_utf8_lossy(text).into_owned();
            let (ids, kept) = text.split_once(' ').map_or((text.as_str(), None), |(ids, mode)| (ids, Some(mode)));
            let ids = ids.split_once("..").ok_or_else(|| at(line, "not `index <id>..<id>`"))?;
            if let Some(kept) = kept {
                let kept = mode(kept.as_bytes())?;
                self.modes.iter_mut().for_each(|mode| *mode = mode.or(Some(kept)));
            }
            self.ids.replace([ids.0.to_string(), ids.1.to_string()]).map_or(Ok(true), |_| Err(twice()))
        } else {
            Ok(line.after("similarity index ").or(line.after("dissimilarity index ")).is_some())
        }
    }

    fn contradicts(&self) -> bool {
        let is_moved = self.from.is_some() || self.to.is_some();
        self.is_new && self.is_deleted
            || is_moved && (self.is_new || self.is_deleted)
            || self.from.is_some() != self.to.is_some()
            || self.from.is_some() && self.from == self.to
    }
}

/// A section with git's header.
fn git_section<'a>(lines: &[Line<'a>], names: &[u8], room: &mut usize) -> Result<(Section<'a>, usize)> {
    let head = &lines[0];
    let mut section = Section { number: head.number, ..Section::default() };
    let (mut extended, mut used) = (Extended::default(), 1);
    while let Some(line) = lines.get(used) {
        if !extended.take(line)? {
            break;
        }
        used += 1;
    }
    refuse_cut(&lines[..used])?;
    if extended.contradicts() {
        return Err(at(head, "the header lines after it contradict each other"));
    }
    section.modes = extended.modes;
    section.is_copy = extended.is_copy;
    section.ids = extended.ids;
    let rest = &lines[used..];
    let named = if input::is_pair(rest) { Some(pair(rest)?) } else { None };
    let known = names::of_git_line(names);
    let differs = || at(head, "the header lines after it name different files");
    match (named, extended.from, extended.to) {
        (Some((Some(old), Some(new))), Some(from), Some(to)) => {
            if !names::means(&old, &from) || !names::means(&new, &to) {
                return Err(differs());
            }
            (section.old, section.new) = (Some(from), Some(to));
        }
        (None, Some(from), Some(to)) => (section.old, section.new) = (Some(from), Some(to)),
        (Some(_), Some(_), _) | (_, None, Some(_)) | (_, Some(_), None) => return Err(differs()),
        (Some((old, new)), None, None) => {
            if extended.is_new && old.is_some() || extended.is_deleted && new.is_some() {
                return Err(differs());
            }
            name_by_pair(&mut section, old, new, known.as_deref(), head)?;
        }
        (None, None, None) => {
            let path = known.ok_or_else(|| at(head, "the two names are not those of one file"))?;
            section.old = (!extended.is_new).then(|| path.clone());
            section.new = (!extended.is_deleted).then_some(path);
        }
    }
    if input::is_pair(rest) {
        used += 2;
        if !lines.get(used).is_some_and(hunks::is_header) {
            return Err(at(&rest[0], "`---` and `+++` without a hunk after them"));
        }
        used += read_hunks(&mut section, &lines[used..])?;
    } else if rest.first().is_some_and(|line| line.trimmed() == b"GIT binary patch") {
        let (binary, lines) = binary::read(rest, room)?;
        section.binary = Some(binary);
        used += lines;
    } else if let Some(line) = rest.first().filter(|line| line.after("Binary files ").is_some()) {
        return Err(at(line, "the content of the binary file is missing. Make the patch with `git diff --binary`"));
    } else if section.old == section.new && section.modes[0] == section.modes[1] {
        return Err(at(head, "no change follows"));
    }
    Ok((section, used))
}

fn read_hunks<'a>(section: &mut Section<'a>, lines: &[Line<'a>]) -> Result<usize> {
    let mut used = 0;
    while lines.get(used).is_some_and(hunks::is_header) {
        let (hunk, count) = hunks::read(&lines[used..])?;
        section.hunks.push(hunk);
        used += count;
    }
    Ok(used)
}
