//! The only module that reads the clock. `RG_NOW` pins it in debug builds, so that transcripts are stable.

use crate::sys::{env, zone};
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The form of a time without its fraction: a digit for each zero.
const PLAIN: &str = "0000-00-00T00:00:00";

/// A day, in seconds.
pub const DAY: f64 = 86_400.0;

/// A point in time: milliseconds since 1970-01-01 UTC. Written as RFC 3339 with milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub u64);

/// The current time, or the pinned one.
pub fn now() -> Time {
    if let Some(pinned) = env::pinned_now().and_then(|text| Time::parse(&text)) {
        return pinned;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(since.as_millis() as u64)
}

/// The text of the pinned time, if there is one. Ids are then derived from it instead of drawn at random.
pub fn pinned() -> Option<String> {
    env::pinned_now().filter(|text| Time::parse(text).is_some())
}

/// The current time of the clock that file times come from; never pinned.
pub fn file_now() -> SystemTime {
    SystemTime::now()
}

/// [`file_now`] in nanoseconds since 1970-01-01 UTC.
pub fn file_nanos() -> i64 {
    file_now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as i64
}

/// The age of a file's time by the real clock; zero if the time is in the future.
pub fn age(at: SystemTime) -> Duration {
    SystemTime::now().duration_since(at).unwrap_or_default()
}

impl Time {
    /// This time plus `seconds`, which may have a fraction and may be negative.
    pub fn plus(self, seconds: f64) -> Time {
        Time((self.0 as f64 + seconds * 1000.0).max(0.0) as u64)
    }

    /// The time from now until this one; zero if it has passed.
    pub fn remaining(self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(now().0))
    }

    /// Seconds from `earlier` to this time; zero if this time is before `earlier`.
    pub fn since(self, earlier: Time) -> f64 {
        self.0.saturating_sub(earlier.0) as f64 / 1000.0
    }

    /// Reads RFC 3339 in UTC (`2026-11-21T12:00:00Z`, with at most nine digits of a fraction, cut to milliseconds). None for
    /// anything else: another form, a day that no month has, a leap second, a year before 1970.
    pub fn parse(text: &str) -> Option<Time> {
        // jiff also reads other forms, and reads a leap second as the second before it.
        let (whole, rest) = text.split_at_checked(PLAIN.len())?;
        let is_digit_where =
            |(found, form): (u8, u8)| if form == b'0' { found.is_ascii_digit() } else { found == form };
        let is_plain = whole.bytes().zip(PLAIN.bytes()).all(is_digit_where) && !whole.ends_with(":60");
        if !is_plain || !rest.trim_start_matches('.').bytes().all(|b| b.is_ascii_digit() || b == b'Z') {
            return None;
        }
        Time::parse_with_offset(text)
    }

    /// Reads RFC 3339 with any offset, as other programs write it. None for anything else, and for a year before 1970.
    pub fn parse_with_offset(text: &str) -> Option<Time> {
        let read: Timestamp = text.parse().ok()?;
        u64::try_from(read.as_millisecond()).ok().map(Time)
    }
}

impl Time {
    /// The time for people: in the user's time zone (`TZ`, else that of the system), with the offset, or with `Z` in UTC. Records and JSON
    /// have [`Time`]'s own form.
    pub fn local(self) -> String {
        let zoned = self.zoned();
        match zoned.offset().seconds() {
            0 => self.to_string(),
            _ => zoned.strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string(),
        }
    }

    /// The same to the minute, without the offset: `2026-11-21 13:00`.
    pub fn local_minute(self) -> String {
        self.zoned().strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// The same with the offset: `2026-11-21 13:00+01:00`, or `2026-11-21 12:00Z`.
    pub fn local_minute_and_zone(self) -> String {
        let zoned = self.zoned();
        let zone = if zoned.offset().seconds() == 0 { "Z".to_string() } else { zoned.strftime("%:z").to_string() };
        self.local_minute() + &zone
    }

    /// The time of the day: `13:00:01`.
    pub fn local_clock(self) -> String {
        self.zoned().strftime("%H:%M:%S").to_string()
    }

    fn zoned(self) -> Zoned {
        self.timestamp().to_zoned(zone::zone())
    }

    /// A time past the calendar's range becomes the last millisecond of the range.
    fn timestamp(self) -> Timestamp {
        let millis = i64::try_from(self.0).unwrap_or(i64::MAX).min(Timestamp::MAX.as_millisecond());
        Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.timestamp())
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Time, D::Error> {
        let text = String::deserialize(from)?;
        Time::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("not an RFC 3339 time in UTC: {text:?}")))
    }
}

/// Reads a duration (`30m`, `24h`, `7d`; `90` means seconds), in seconds.
pub fn parse_duration(text: &str) -> Option<f64> {
    let digits = text.strip_suffix(['s', 'm', 'h', 'd'])?;
    let unit = text.as_bytes()[text.len() - 1];
    let factor = match unit {
        b'm' => 60.0,
        b'h' => 3600.0,
        b'd' => DAY,
        _ => 1.0,
    };
    let number: f64 = digits.parse().ok()?;
    (number > 0.0 && number.is_finite()).then_some(number * factor)
}

/// Writes seconds as `0.3 s`, `12 s`, `4 min`, `3 h` or `2 days`.
pub fn human(seconds: f64) -> String {
    match seconds {
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 2.0 * DAY => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_times_are_read_and_written() {
        for (text, millis) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("2000-02-29T12:00:00.500Z", 951_825_600_500),
            ("2026-11-21T00:00:00.000Z", 1_795_219_200_000),
        ] {
            assert_eq!(Time::parse(text), Some(Time(millis)), "{text}");
            assert_eq!(Time(millis).to_string(), text);
        }
        assert_eq!(Time::parse("2026-11-21T00:00:00Z"), Time::parse("2026-11-21T00:00:00.0Z"));
        assert_eq!(Time::parse("1970-01-01T00:00:00.001999999Z"), Some(Time(1)));
        for bad in [
            "",
            "now",
            "2026-13-01T00:00:00Z",
            "2026-11-21 00:00:00Z",
            "2026-11-21t00:00:00z",
            "2026-11-21T00:00:00",
            "2026-11-21T00:00:00+01:00",
            "2026-11-21T00:00:00Z[UTC]",
            "2026-11-21T00:00:00.Z",
            "2026-11-21T00:00:00..1Z",
            "2026-11-21T00:00:00,5Z",
            "2026-11-21T00:00:00ZZ",
            "2026-11-21T00:00:00.x",
            "2026-11-21T00:00:00.0000000001Z",
            "2026-1-1T00:00:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T00:60:00Z",
            "2026-11-21T00:00:0\u{660}Z",
        ] {
            assert_eq!(Time::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_day_that_no_month_has_is_refused() {
        for (day, is_one) in [
            ("2026-02-28", true),
            ("2026-02-29", false),
            ("2028-02-29", true),
            ("2100-02-29", false),
            ("2026-02-31", false),
            ("2026-04-31", false),
            ("2026-01-00", false),
            ("2026-00-01", false),
        ] {
            assert_eq!(Time::parse(&format!("{day}T00:00:00Z")).is_some(), is_one, "{day}");
        }
    }

    #[test]
    fn a_leap_second_is_refused() {
        assert_eq!(Time::parse("2016-12-31T23:59:60Z"), None);
        assert_eq!(Time::parse("2016-12-31T23:59:60.5Z"), None);
        assert!(Time::parse("2016-12-31T23:59:59.999Z").is_some());
    }

    #[test]
    fn a_year_out_of_range_is_refused_and_never_written() {
        for bad in ["1969-12-31T23:59:59.999Z", "0000-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "10000-01-01T00:00:00Z"]
        {
            assert_eq!(Time::parse(bad), None, "{bad}");
        }
        let last = "9999-12-30T22:00:00.999Z";
        for far in [Time(253_402_207_200_999), Time(253_402_207_201_000), Time(i64::MAX as u64 + 1), Time(u64::MAX)] {
            assert_eq!(far.to_string(), last);
        }
        for seconds in [f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            assert!(Time::parse(&now().plus(seconds).to_string()).is_some(), "{seconds}");
        }
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(parse_duration("90s"), Some(90.0));
        assert_eq!(parse_duration("2h"), Some(7200.0));
        assert_eq!(parse_duration("7d"), Some(604_800.0));
        for bad in ["", "h", "90", "-1h", "0", "1w", "inf"] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_written_time_is_read_back(millis in 0u64..=253_402_207_200_999) {
            prop_assert_eq!(Time::parse(&Time(millis).to_string()), Some(Time(millis)));
        }

        #[test]
        fn a_time_that_is_read_is_written_alike(text in "[0-9]{3,4}-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{0,10})?[Zz]?") {
            if let Some(at) = Time::parse(&text) {
                prop_assert_eq!(&at.to_string()[..19], &text[..19]);
            }
        }
    }
}
