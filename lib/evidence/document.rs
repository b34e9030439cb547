//! Reads JSON: the documents of jest, vitest, mocha and rspec, and the lines of `go test -json`.

use super::{Ending, Evidence, Tally};
use serde_json::Value;

/// The most places in an output at which a document may begin.
const PLACES: usize = 3;

/// A line of `go test -json`.
pub(super) fn go_line(line: &str, tally: &mut Tally) {
    if !line.contains("\"Action\"") || line.contains("\"Action\":\"output\"") {
        return;
    }
    let Ok(value) = serde_json::from_str::<Value>(line) else { return };
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let Some(action) = text("Action") else { return };
    let Some(test) = text("Test") else {
        // A package without tests is closed, too.
        let is_end = matches!(action, "pass" | "fail" | "skip") && text("Package").is_some();
        tally.open(u64::from(is_end));
        return tally.end(u64::from(is_end));
    };
    let name = format!("{} {test}", text("Package").unwrap_or(""));
    let ending = match action {
        "run" => return tally.open(1),
        "pass" => Ending::Passed,
        "fail" => Ending::Failed,
        "skip" => Ending::Skipped,
        _ => return,
    };
    tally.end(1);
    tally.count(ending, &name);
}

/// The first report in an output that begins at a line.
pub(super) fn json_in(output: &[u8]) -> Option<Evidence> {
    let mut at = 0;
    let mut places = 0;
    while at < output.len() && places < PLACES {
        if matches!(output[at], b'{' | b'[') {
            places += 1;
            let value = serde_json::Deserializer::from_slice(&output[at..]).into_iter::<Value>().next();
            if let Some(found) = value.and_then(Result::ok).and_then(|value| read(&value).ok()) {
                return Evidence::of(vec![found]);
            }
        }
        at += memchr::memchr(b'\n', &output[at..])? + 1;
    }
    None
}

/// The tests of a document, and its format. Errors: why it cannot be used.
pub(super) fn read(value: &Value) -> Result<(&'static str, Tally), String> {
    let mut tally = Tally { opened: 1, closed: 1, ..Tally::default() };
    let list = |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or("").to_string();
    if value.get("numTotalTests").is_some_and(Value::is_u64) {
        for test in list(value, "testResults").iter().flat_map(|file| list(file, "assertionResults")) {
            let name = text(&test, "fullName");
            match text(&test, "status").as_str() {
                "passed" => tally.count(Ending::Passed, &name),
                "failed" => tally.count(Ending::Failed, &name),
                _ => tally.count(Ending::Skipped, &name),
            }
        }
        return Ok(("jest", tally));
    }
    if value.get("examples").is_some_and(Value::is_array) && value.get("summary").is_some() {
        for test in list(value, "examples") {
            let name = text(&test, "full_description");
            match text(&test, "status").as_str() {
                "passed" => tally.count(Ending::Passed, &name),
                "failed" => tally.count(Ending::Failed, &name),
                _ => tally.count(Ending::Skipped, &name),
            }
        }
        return Ok(("rspec", tally));
    }
    if value.get("stats").is_some() && value.get("passes").is_some_and(Value::is_array) {
        for (name, ending) in [("passes", Ending::Passed), ("failures", Ending::Failed), ("pending", Ending::Skipped)] {
            list(value, name).iter().for_each(|test| tally.count(ending, &text(test, "fullTitle")));
        }
        return Ok(("mocha", tally));
    }
    Err("it is JSON of a form that is not known".into())
}
