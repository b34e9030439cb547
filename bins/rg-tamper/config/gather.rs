//! Reads both sides of the changed configuration files, and turns what they lost into findings.

use super::{Around, Edit, Loss, is_compared, losses};
use crate::guards::Inspection;
use crate::places;
use review_gate::event::{Level, Rule};
use review_gate::git::Repository;
use review_gate::outline::language;
use review_gate::snapshot::baseline::display_path;
use review_gate::snapshot::changes::{Change, Comparison};
use review_gate::snapshot::old_bytes::{self, OldBytes};
use review_gate::snapshot::workspace::Workspace;
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::glob;
use review_gate::sys::limits::DEFINITION;
use std::collections::HashSet;
use std::path::Path;

/// The guards of this part.
const RULES: [Rule; 5] =
    [Rule::NoLoweredCoverage, Rule::NoConfigLoosening, Rule::NoScriptGutting, Rule::NoCiGutting, Rule::NoRunnerHooks];

/// How many changed files are compared.
const FILES: usize = 2000;

/// Adds the findings about changed configuration, scripts and CI. Reads nothing if none of these files changed.
/// What went with its package is in `gone`.
pub fn find(
    inspection: &mut Inspection<'_>,
    workspace: &Workspace,
    compared: &Comparison,
    gone: &HashSet<&Path>,
) -> Result<()> {
    if RULES.iter().all(|rule| inspection.guards.level(*rule).is_none()) {
        return Ok(());
    }
    let root = inspection.event.root.clone();
    let show = |path: &Path| display_path(&inspection.top, &root, path);
    let is_wanted = |change: &&Change| {
        let shown = show(&change.path);
        let was_file = change.then.as_ref().is_none_or(|then| then.what.is_file());
        is_compared(&shown)
            && was_file
            && !gone.contains(change.path.as_path())
            && !change.is_mode_only()
            && !places::is_apart(&shown)
            && !glob::any(&inspection.guards.exclude, &shown)
    };
    let changes: Vec<Change> = compared.changes.iter().filter(is_wanted).take(FILES).cloned().collect();
    if changes.is_empty() {
        return Ok(());
    }
    let mut edits: Vec<Edit> = Vec::new();
    let mut too_large: Vec<String> = Vec::new();
    for change in &changes {
        let file = change.now.as_ref().filter(|file| file.entry.what.is_file());
        let bytes = file.and_then(|file| files::try_read(&inspection.top.join(&file.path), DEFINITION));
        if file.is_some() && bytes.is_none() {
            too_large.push(show(&change.path));
        }
        let now = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        edits.push(Edit { path: show(&change.path), then: None, now });
    }
    let mut open: Vec<u8> = Vec::new();
    let mut lost: HashSet<usize> = HashSet::new();
    old_bytes::read(&inspection.top, &workspace.state, &changes, |at, piece| match piece {
        OldBytes::Begin => open.clear(),
        OldBytes::Bytes(bytes) if (open.len() + bytes.len()) as u64 <= DEFINITION => open.extend_from_slice(bytes),
        OldBytes::Bytes(_) | OldBytes::Lost { .. } => drop(lost.insert(at)),
        OldBytes::End => edits[at].then = Some(String::from_utf8_lossy(&std::mem::take(&mut open)).into_owned()),
    })?;
    let was_read: HashSet<String> =
        edits.iter().filter(|edit| edit.then.is_some()).map(|edit| edit.path.clone()).collect();
    // What cannot be read is not compared with nothing.
    too_large.extend(lost.iter().map(|at| edits[*at].path.clone()));
    edits.retain(|edit| !too_large.contains(&edit.path));
    let top = inspection.top.clone();
    let list = || paths_of_base(&top, &root, compared);
    let read = |path: &str| {
        let bytes = files::try_read(&root.join(path), DEFINITION)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let is_removed_code =
        |change: &Change| change.now.is_none() && change.path.to_str().is_some_and(|path| language::of(path).is_some());
    let has_removed_code = compared.changes.iter().any(is_removed_code);
    let around = Around { has_removed_code, ..Around::new(Box::new(list), Box::new(read)) };
    let found = losses(&edits, &around);
    too_large.sort();
    too_large.dedup();
    for path in too_large {
        let text = "was not compared: it is larger than 1 MiB, or cannot be read".to_string();
        if let Some(level) = inspection.guards.level(Rule::NoConfigLoosening) {
            // One that could be read before became so.
            let level = if was_read.contains(&path) { level } else { level.min(Level::Warning) };
            inspection.find_at(level, Rule::NoConfigLoosening, &path, None, "size", text);
        }
    }
    for Loss { rule, path, key, text, is_certain } in found {
        if let Some(level) = inspection.guards.level(rule) {
            let level = if is_certain { level } else { level.min(Level::Warning) };
            let lost = text.clone();
            inspection.find_lost(level, rule, (&path, None), (&key, &lost), text);
        }
    }
    Ok(())
}

/// The files that existed at the base and still do, as git's index and the changes tell, by their path as shown.
fn paths_of_base(top: &Path, root: &Path, compared: &Comparison) -> Vec<String> {
    let is_new_or_gone = |change: &&Change| change.then.is_none() || change.now.is_none();
    let others: HashSet<&Path> =
        compared.changes.iter().filter(is_new_or_gone).map(|change| change.path.as_path()).collect();
    let index = Repository::at(top).and_then(|repository| repository.tracked().ok()).unwrap_or_default();
    let kept = index.iter().map(|tracked| tracked.path).filter(|path| !others.contains(path));
    kept.map(|path| display_path(top, root, path)).collect()
}
