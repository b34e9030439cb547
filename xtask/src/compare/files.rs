//! The files that the programs wrote below the state directory: journals, receipts, blobs.

use super::Part;
use super::meaning;
use super::tokens::{Pairs, shape};
use crate::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// Every file of the state directories below `top`, journals first, because they name the others. Caches and locks are left out.
pub fn read(top: &Path) -> Result<Vec<Part>, Failure> {
    let mut parts = Vec::new();
    let mut open: Vec<PathBuf> = vec![top.join("state"), top.join("home/.local/state")];
    while let Some(path) = open.pop() {
        let Ok(kind) = fs::symlink_metadata(&path).map(|found| found.file_type()) else { continue };
        let name = path.strip_prefix(top)?.to_string_lossy().into_owned();
        let leaf = path.file_name().unwrap_or_default().to_string_lossy();
        if leaf == "cache" || leaf == "lock" || leaf.ends_with(".lock") {
            continue;
        }
        if kind.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
        } else if kind.is_file() {
            let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
            parts.push(Part { name, text, is_line: false });
        } else {
            parts.push(Part { name, text: format!("{kind:?}"), is_line: false });
        }
    }
    parts.sort_by_key(|part| (!part.name.ends_with(".jsonl"), part.name.clone()));
    Ok(parts)
}

/// Renames the old files to the new files that they correspond to, by known ids, otherwise by content.
pub fn pair(pairs: &mut Pairs, old: Vec<Part>, new: Vec<Part>) -> (Vec<Part>, Vec<Part>) {
    let mut taken = vec![false; new.len()];
    let mut renamed = Vec::new();
    for mut part in old {
        let known = pairs.shown(&part.name);
        let free = |at: &usize| !taken[*at] && shape(&new[*at].name) == shape(&part.name);
        let candidates: Vec<usize> = (0..new.len()).filter(free).collect();
        let holds_the_same = |at: &usize| {
            let (mine, theirs) = meaning::compare(&mut pairs.clone(), &part.text, &new[*at].text);
            mine == theirs
        };
        let by_name = candidates.iter().find(|at| new[**at].name == known);
        let found = by_name.or_else(|| candidates.iter().find(|at| holds_the_same(at))).or_else(|| candidates.first());
        match found {
            Some(at) => {
                taken[*at] = true;
                // This binds the ids for the next files; the report compares the contents again.
                meaning::compare(pairs, &part.text, &new[*at].text);
                pairs.agree(&part.name, &new[*at].name);
                part.name = new[*at].name.clone();
            }
            None => part.name = known,
        }
        renamed.push(part);
    }
    (renamed, new)
}
