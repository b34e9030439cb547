//! Pins: what a baseline holds besides the snapshot. Client settings that decide which hooks run, ignored files that DONE.md protects,
//! files whose changes git is told to ignore, and replaced git objects.

use review_gate::donefile::Guards;
use review_gate::event::Event;
use review_gate::git::Repository;
use review_gate::snapshot::{self, Snapshot, client_settings};
use review_gate::store::record::PinnedState;
use review_gate::sys::digest::sha256;
use review_gate::sys::error::Result;
use review_gate::sys::files;
use review_gate::sys::glob;
use std::collections::BTreeMap;

/// The current pins.
pub fn now(event: &Event, guards: &Guards, files: &Snapshot) -> Result<PinnedState> {
    let repository = Repository::find(&event.root);
    let index = repository.as_ref().map(Repository::tracked).transpose()?.unwrap_or_default();
    Ok(PinnedState {
        settings: client_settings::digests(&event.root),
        protected: protected(event, guards, files),
        unlooked: index
            .iter()
            .filter(|tracked| tracked.is_unchecked)
            .map(|tracked| tracked.path.to_path_buf())
            .collect(),
        replaced: repository.map(|repository| repository.replace_refs()).unwrap_or_default(),
    })
}

/// The digests of files that DONE.md protects by their literal path and that no snapshot holds.
fn protected(event: &Event, guards: &Guards, files: &Snapshot) -> BTreeMap<String, String> {
    let top = snapshot::top_of(&event.root);
    let literal = guards.protect.iter().filter(|pattern| glob::is_literal(pattern));
    let digest = |pattern: &String| {
        let whole = event.root.join(pattern);
        let is_in = whole.strip_prefix(&top).is_ok_and(|path| files.get(path).is_some());
        let bytes = files::try_read_following(&whole, 64 << 20).filter(|_| !is_in)?;
        Some((pattern.clone(), sha256(&bytes)))
    };
    literal.filter_map(digest).collect()
}
