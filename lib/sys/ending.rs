//! The end of this process by a signal: first its children end, and nothing else happens meanwhile.

use crate::sys::procfs;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A signal ends this process now.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Calls `before` when this process gets SIGINT, SIGTERM or SIGHUP. Then the signal has its default effect. A signal that the parent
/// process ignores (nohup) stays ignored.
pub fn on_signal(before: fn()) {
    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !procfs::is_ignored(*signal));
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heeded) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            IS_ENDING.store(true, Ordering::SeqCst);
            before();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

/// Waits for the end if a signal ends this process. Else the caller could act on a child that failed only because it was killed.
pub fn wait() {
    let begin = Instant::now();
    while IS_ENDING.load(Ordering::SeqCst) && begin.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(5));
    }
}
