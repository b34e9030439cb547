//! The only place that asks the time. `RG_NOW` pins it in debug builds, so that transcripts are stable.

use crate::env;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment: milliseconds since 1970-01-01 UTC. Written as RFC 3339 with milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub u64);

/// Now, or the pinned moment.
pub fn now() -> Time {
    if let Some(pinned) = env::pinned_now().and_then(|text| Time::parse(&text)) {
        return pinned;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(since.as_millis() as u64)
}

/// The pinned moment's text, when there is one: ids are then derived from it instead of drawn.
pub fn pinned() -> Option<String> {
    env::pinned_now().filter(|text| Time::parse(text).is_some())
}

/// Now by the clock that file times come from; never pinned.
pub fn file_now() -> SystemTime {
    SystemTime::now()
}

/// The same in nanoseconds since 1970-01-01 UTC.
pub fn file_nanos() -> i64 {
    file_now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as i64
}

/// How old a file's time is, by the real clock; zero when it lies ahead.
pub fn age(at: SystemTime) -> Duration {
    SystemTime::now().duration_since(at).unwrap_or_default()
}

impl Time {
    /// This moment and `seconds` more (fractions count, negative ones too).
    pub fn plus(self, seconds: f64) -> Time {
        Time((self.0 as f64 + seconds * 1000.0).max(0.0) as u64)
    }

    /// How long it is from now until this moment; zero when it has passed.
    pub fn remaining(self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(now().0))
    }

    /// Seconds from `earlier` to this moment; zero when it lies before.
    pub fn since(self, earlier: Time) -> f64 {
        self.0.saturating_sub(earlier.0) as f64 / 1000.0
    }

    /// Reads RFC 3339 in UTC (`2026-11-21T12:00:00Z`, with or without fractions). None for anything else.
    pub fn parse(text: &str) -> Option<Time> {
        let text = text.strip_suffix('Z')?;
        let (date, clock) = text.split_once('T')?;
        let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
        let (year, month, day) = (date.next()??, date.next()??, date.next()??);
        let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
        let mut clock = clock.splitn(3, ':').map(|part| part.parse::<i64>().ok());
        let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
        let sane = (1970..9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..=60).contains(&second);
        if !sane || !fraction.bytes().all(|b| b.is_ascii_digit()) || fraction.is_empty() {
            return None;
        }
        let millis: i64 = format!("{fraction:0<3}")[..3].parse().ok()?;
        let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
        u64::try_from(seconds * 1000 + millis).ok().map(Time)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.0 / 1000, self.0 % 1000);
        let (year, month, day) = civil_from_days((seconds / 86_400) as i64);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
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
        Time::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("not a moment: {text:?}")))
    }
}

/// A duration as a person writes it (`30m`, `24h`, `7d`, `90`, which is seconds), in seconds.
pub fn parse_duration(text: &str) -> Option<f64> {
    let (digits, unit) = match text.strip_suffix(['s', 'm', 'h', 'd']) {
        Some(digits) => (digits, text.as_bytes()[text.len() - 1]),
        None => (text, b's'),
    };
    let factor = match unit {
        b'm' => 60.0,
        b'h' => 3600.0,
        b'd' => 86_400.0,
        _ => 1.0,
    };
    let number: f64 = digits.parse().ok()?;
    (number > 0.0 && number.is_finite()).then_some(number * factor)
}

/// Seconds as a person reads them: `0.3 s`, `12 s`, `4 min`, `3 h`, `2 days`.
pub fn human(seconds: f64) -> String {
    match seconds {
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

/// Days since 1970-01-01 of a proleptic Gregorian date (the usual era arithmetic, March first).
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_shifted + 2) / 5 + 1;
    let month = if month_shifted < 10 { month_shifted + 3 } else { month_shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_moments_read_and_write() {
        for (text, millis) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("2000-02-29T12:00:00.500Z", 951_825_600_500),
            ("2026-11-21T00:00:00.000Z", 1_795_219_200_000),
        ] {
            assert_eq!(Time::parse(text), Some(Time(millis)), "{text}");
            assert_eq!(Time(millis).to_string(), text);
        }
        assert_eq!(Time::parse("2026-11-21T00:00:00Z"), Time::parse("2026-11-21T00:00:00.0Z"));
        for bad in
            ["", "now", "2026-13-01T00:00:00Z", "2026-11-21 00:00:00Z", "2026-11-21T00:00:00", "2026-11-21T00:00:00.x"]
        {
            assert_eq!(Time::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(parse_duration("90"), Some(90.0));
        assert_eq!(parse_duration("2h"), Some(7200.0));
        assert_eq!(parse_duration("7d"), Some(604_800.0));
        for bad in ["", "h", "-1h", "0", "1w", "inf"] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn every_moment_survives_its_text(millis in 0u64..253_000_000_000_000) {
            prop_assert_eq!(Time::parse(&Time(millis).to_string()), Some(Time(millis)));
        }
    }
}
