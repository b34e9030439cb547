//! Calls for many items at a time, each with a scratch directory of its own.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Calls a function for every item, with one thread for each processor and a directory of its own. The results keep the order.
pub fn for_each<T: Sync, R: Send>(items: &[T], top: &Path, call: impl Fn(&T, &Path) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            let dir = top.join(at.to_string());
            let result = call(item, &dir);
            // A directory that cannot be removed now is removed with the one above it.
            let _ = fs::remove_dir_all(&dir);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        (0..threads).for_each(|_| {
            scope.spawn(work);
        });
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
