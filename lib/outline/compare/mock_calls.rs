//! Calls of mocks: what was called, and how often.

use super::features::plain;
use super::{limits, meaning};
use crate::outline::{Assert, Strength};

/// What was called, if a subject is the number of its calls.
pub fn called(subject: &str) -> Option<String> {
    let subject = plain(subject);
    let ends = [".call_count", ".callCount", ".mock.calls.length", ".mock.callCount", ".called_times"];
    ends.iter().find_map(|end| subject.strip_suffix(end)).map(str::to_string)
}

/// What was called, and how often: `f.call_count == 0`, `f.assert_not_called()`, `f toHaveBeenCalledTimes 0`, `f.called to.be.false`.
pub fn calls_of(assert: &Assert) -> Option<(String, String)> {
    let how: String = assert.how.to_ascii_lowercase().chars().filter(|c| *c != '_').collect();
    let (subject, counted) = (plain(&assert.subject), called(&assert.subject));
    let is_never = |how: &str| {
        let is_negated = how.split('.').any(|link| link == "not");
        is_negated && how.rsplit('.').next().is_some_and(|last| CALLED.contains(&last))
    };
    let of_flag = || subject.strip_suffix(".called").filter(|_| meaning::truth(assert) == Some(false));
    match (how.as_str(), counted) {
        ("assertnotcalled" | "notcalled", _) => Some((subject, "0".into())),
        (how, _) if is_never(how) => Some((subject, "0".into())),
        ("assertcalledonce" | "tohavebeencalledonce" | "calledonce", _) => Some((subject, "1".into())),
        ("calledtwice", _) => Some((subject, "2".into())),
        ("calledthrice", _) => Some((subject, "3".into())),
        (how, _) if how.ends_with("calledtimes") && !how.contains("not") => Some((subject, plain(&assert.expected))),
        (_, Some(of)) if assert.strength >= Strength::Part && !how.contains("not") && !limits::is_limit(assert) => {
            Some((of, plain(&assert.expected)))
        }
        _ => of_flag().map(|of| (of.to_string(), "0".into())),
    }
}

/// Matchers that something was called, in lower case.
const CALLED: [&str; 3] = ["called", "tohavebeencalled", "tobecalled"];
