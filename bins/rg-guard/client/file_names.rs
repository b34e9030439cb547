//! The files that a tool call names, under each of their names: as given, and with links resolved.

use crate::command::marks;
use crate::rules::writes;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Fields that name a file.
const FIELDS: [&str; 9] =
    ["file_path", "notebook_path", "path", "absolute_path", "target_file", "filename", "file", "filePath", "paths"];

/// How many links in a row are followed.
const MAX_LINKS: usize = 8;

/// The files that the fields of an input name.
pub fn in_fields(input: &Value) -> Vec<String> {
    let texts = |value: &Value| -> Vec<String> {
        match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(all) => all.iter().filter_map(|one| one.as_str().map(str::to_string)).collect(),
            _ => Vec::new(),
        }
    };
    FIELDS.iter().filter_map(|name| input.get(name)).flat_map(texts).filter(|text| !text.is_empty()).collect()
}

/// The files that a patch in an input names.
pub fn in_patch(input: &Value) -> Vec<String> {
    let fields = ["input", "patch", "diff", "command"].iter().filter_map(|name| input.get(name));
    let texts = fields.flat_map(|value| match value {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>(),
        value => value.as_str().into_iter().collect(),
    });
    texts.flat_map(str::lines).filter_map(writes::patched_file).map(str::to_string).collect()
}

/// The names of one file: absolute as given, then resolved where that differs.
pub fn names_of(cwd: &Path, path: &str) -> Vec<PathBuf> {
    let whole = cwd.join(marks::literal(path));
    both(lexical(&whole), real(&whole))
}

/// The names of one of many files. `dirs` caches where each directory leads.
pub fn names_of_each(cwd: &Path, path: &str, dirs: &mut HashMap<PathBuf, PathBuf>) -> Vec<PathBuf> {
    let whole = cwd.join(marks::literal(path));
    let resolved = match (whole.parent(), whole.file_name()) {
        (Some(parent), Some(name)) if fs::read_link(&whole).is_err() => {
            dirs.entry(parent.to_path_buf()).or_insert_with(|| real(parent)).join(name)
        }
        _ => real(&whole),
    };
    both(lexical(&whole), resolved)
}

fn both(given: PathBuf, resolved: PathBuf) -> Vec<PathBuf> {
    if given == resolved { vec![given] } else { vec![given, resolved] }
}

/// A path without `.` and `..`, by its components alone.
fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for step in path.components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            step => out.push(step),
        }
    }
    out
}

/// Where a path leads: the part that exists by the file system, the rest by its components. Dangling links are followed as well.
fn real(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        if let Ok(target) = fs::read_link(&path) {
            path = path.parent().unwrap_or(Path::new("/")).join(target);
        } else {
            break;
        }
    }
    let steps: Vec<Component<'_>> = path.components().collect();
    for count in (1..=steps.len()).rev() {
        let existing: PathBuf = steps[..count].iter().collect();
        if let Ok(real) = fs::canonicalize(&existing) {
            return lexical(&steps[count..].iter().fold(real, |path, step| path.join(step)));
        }
    }
    lexical(&path)
}
