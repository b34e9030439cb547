//! Says how a child ended: its exit status, or the signal that killed it.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// `signal 9 (KILL)`; only the number of a signal without a name.
pub fn signal_name(signal: i32) -> String {
    match signal_hook::low_level::signal_name(signal) {
        Some(name) => format!("signal {signal} ({})", name.trim_start_matches("SIG")),
        None => format!("signal {signal}"),
    }
}

/// `exit 1`, or `killed by signal 9 (KILL)`.
pub fn how_it_ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("killed by {}", signal_name(signal)),
        (None, None) => "killed by a signal".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_named_with_its_number() {
        assert_eq!(how_it_ended(ExitStatus::from_raw(9)), "killed by signal 9 (KILL)");
        assert_eq!(how_it_ended(ExitStatus::from_raw(15)), "killed by signal 15 (TERM)");
        assert_eq!(how_it_ended(ExitStatus::from_raw(3 << 8)), "exit 3");
        assert_eq!(signal_name(99), "signal 99");
    }
}
