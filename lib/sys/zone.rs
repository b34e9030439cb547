//! The user's time zone, for the times that people read.
//!
//! The files are read here, not by a library: `TZ` can name a file that never ends.

use super::{env, files};
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The largest file of a zone that is read, in bytes. The largest one that exists has 4 KiB.
const LIMIT: u64 = 256 << 10;

/// The zone of the system.
const LOCAL: &str = "/etc/localtime";

/// Where the zones are, on most systems and on NixOS.
const ZONES: [&str; 2] = ["/usr/share/zoneinfo", "/etc/zoneinfo"];

/// The zone that `TZ` names, else that of the system. UTC if it cannot be read.
pub fn zone() -> TimeZone {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    ZONE.get_or_init(read).clone()
}

fn read() -> TimeZone {
    let zone = match env::time_zone() {
        Some(name) => named(name.strip_prefix(':').unwrap_or(&name)),
        None => in_file(Path::new(LOCAL)),
    };
    zone.unwrap_or(TimeZone::UTC)
}

/// A zone by its name (`Europe/Berlin`), its rule (`CET-1CEST`), or its file.
fn named(name: &str) -> Option<TimeZone> {
    let is_plain = !name.is_empty() && !name.split('/').any(|part| part.is_empty() || part == "." || part == "..");
    let files: Vec<PathBuf> = match name.starts_with('/') {
        true => vec![name.into()],
        false if is_plain => ZONES.iter().map(|dir| Path::new(dir).join(name)).collect(),
        false => Vec::new(),
    };
    files.iter().find_map(|file| in_file(file)).or_else(|| TimeZone::posix(name).ok())
}

fn in_file(path: &Path) -> Option<TimeZone> {
    let bytes = files::read_following(path, LIMIT).ok()??;
    TimeZone::tzif("local", &bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_a_rule_or_a_file_that_ends() {
        let hours = |name: &str| named(name).map(|zone| zone.to_offset(jiff::Timestamp::UNIX_EPOCH).seconds() / 3600);
        assert_eq!((hours("CET-1"), hours("<-03>3")), (Some(1), Some(-3)));
        let long = "A".repeat(5_000);
        for name in ["", "/", "..", "../../etc/passwd", "/etc/passwd", "/dev/zero", "/dev/stdin", "no such zone", &long]
        {
            assert_eq!(hours(name), None, "{name:.20}");
        }
    }
}
