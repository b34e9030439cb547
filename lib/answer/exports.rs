//! The reports for other programs: SARIF for code scanners, JUnit's XML for CI.

use super::reason::how_it_ended;
use super::why;
use crate::donefile::NAMES;
use crate::event::outcome::{self, Ruling};
use crate::event::{Check, CheckEnd, Event, Finding, Level, Outcome, Rule};
use crate::excerpt;
use crate::sys::exit::Exit;
use crate::sys::text::one_line;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The schema of SARIF 2.1.0.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The name of the root directory in SARIF.
const ROOT: &str = "SRCROOT";

/// SARIF 2.1.0: one run, a result for each finding, and a suppression for each one that is waived.
pub fn sarif(event: &Event, ruling: Option<Ruling>, status: Exit) -> String {
    let rules: BTreeSet<&str> = event.findings().iter().map(|finding| &*finding.rule).collect();
    let rules: Vec<&str> = rules.into_iter().collect();
    let results: Vec<Value> = event.findings().iter().map(|finding| result(event, finding, &rules)).collect();
    let word = ruling.and_then(|ruling| ruling.outcome);
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "review-gate",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| json!({"id": rule, "name": rule})).collect::<Vec<_>>(),
            }},
            "originalUriBaseIds": {ROOT: {"uri": format!("file://{}/", uri(&event.root.display().to_string()))}},
            "invocations": [{
                "executionSuccessful": word != Some(Outcome::Unverified),
                "exitCode": status as u8,
                "exitCodeDescription": word.map_or("nothing was required", Outcome::word),
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log}\n")
}

fn result(event: &Event, finding: &Finding, rules: &[&str]) -> Value {
    let level = match finding.level {
        Level::Error | Level::Tampered => "error",
        Level::Inconclusive | Level::Warning => "warning",
        Level::Note => "note",
    };
    // What has no place is about the definition of done: a code scanner shows no result without a place.
    let definition = event.donefile.as_ref().map_or(NAMES[0].to_string(), |file| file.path.display().to_string());
    let path = finding.path.clone().filter(|path| !path.is_empty()).unwrap_or(definition);
    let mut place = json!({"artifactLocation": {"uri": uri(&path), "uriBaseId": ROOT}});
    place["region"] = json!({"startLine": finding.line.unwrap_or(1).max(1)});
    let mut result = json!({
        "ruleId": &*finding.rule,
        "ruleIndex": rules.iter().position(|rule| *rule == &*finding.rule),
        "level": level,
        "message": {"text": one_line(&finding.text)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"reviewGateKey/v1": finding.key},
        "properties": {"judge": finding.by, "level": finding.level},
    });
    let waiver = event.waivers().find(|waiver| waiver.scope.covers(&finding.rule, &finding.key));
    if let Some(waiver) = waiver {
        let why = format!("{} ({}, until {})", one_line(&waiver.why), one_line(&waiver.who), waiver.until);
        result["suppressions"] = json!([{"kind": "external", "status": "accepted", "justification": why}]);
    }
    result
}

/// A path as a part of a URI.
fn uri(path: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let encoded = path.bytes().map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    encoded.collect()
}

/// JUnit's XML: a suite of the checks, and one of the findings that make work not done.
pub fn junit(event: &Event, ruling: Option<Ruling>) -> String {
    let checks: Vec<Case> = event.checks().iter().map(|check| of_check(event, check)).collect();
    let counts = |finding: &&Finding| {
        finding.level > Level::Warning && finding.rule != Rule::CheckFailed && finding.rule != Rule::CheckNotRun
    };
    let findings: Vec<Case> =
        event.findings().iter().filter(counts).map(|finding| of_finding(event, finding)).collect();
    let mut other = Vec::new();
    let is_silent = |cases: &[Case]| !cases.iter().any(|case| matches!(case.end, End::Failed(_) | End::Broken(_)));
    let word = ruling.and_then(|ruling| ruling.outcome).filter(|word| !matches!(word, Outcome::Done | Outcome::Waived));
    if let Some(word) = word.filter(|_| is_silent(&checks) && is_silent(&findings)) {
        let end = if word == Outcome::Unverified { End::Broken } else { End::Failed };
        other.push(Case {
            class: "outcome".into(),
            name: word.word().into(),
            seconds: 0.0,
            end: end(why(event, word)),
            output: String::new(),
        });
    }
    let suites: String = [("checks", &checks), ("findings", &findings), ("outcome", &other)]
        .into_iter()
        .map(|(name, cases)| suite(name, cases))
        .collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"review-gate\">\n{suites}</testsuites>\n")
}

/// How a case ended.
enum End {
    Passed,
    Skipped(String),
    Failed(String),
    /// It could not be judged.
    Broken(String),
}

struct Case {
    class: String,
    name: String,
    seconds: f64,
    end: End,
    output: String,
}

fn of_check(event: &Event, check: &Check) -> Case {
    let how = how_it_ended(check);
    let end = match check.ended {
        CheckEnd::Passed => End::Passed,
        CheckEnd::NotRun => End::Skipped(how),
        _ if check.is_green() => End::Skipped(how),
        _ => End::Failed(how),
    };
    let (lines, _) = excerpt::lines(check.excerpt.as_ref(), &check.tail, excerpt::LINES, excerpt::WIDTH);
    let output = if matches!(end, End::Failed(_)) { lines.join("\n") } else { String::new() };
    let is_waived = event.findings().iter().any(|finding| {
        finding.rule == Rule::CheckFailed
            && finding.text.contains(&check.name)
            && outcome::is_waived(event, &finding.rule, &finding.key)
    });
    let end = if is_waived { End::Skipped("waived".into()) } else { end };
    Case { class: "check".into(), name: check.name.clone(), seconds: check.seconds, end, output }
}

fn of_finding(event: &Event, finding: &Finding) -> Case {
    let place = match (&finding.path, finding.line) {
        (Some(path), Some(line)) => format!(" {path}:{line}"),
        (Some(path), None) => format!(" {path}"),
        _ => String::new(),
    };
    let end = match finding.level {
        _ if outcome::is_waived(event, &finding.rule, &finding.key) => End::Skipped("waived".into()),
        Level::Inconclusive => End::Broken(finding.text.clone()),
        _ => End::Failed(finding.text.clone()),
    };
    let name = format!("{}{place}", finding.rule);
    Case { class: finding.by.name().into(), name, seconds: 0.0, end, output: String::new() }
}

fn suite(name: &str, cases: &[Case]) -> String {
    let count = |is: fn(&End) -> bool| cases.iter().filter(|case| is(&case.end)).count();
    let failures = count(|end| matches!(end, End::Failed(_)));
    let errors = count(|end| matches!(end, End::Broken(_)));
    let skipped = count(|end| matches!(end, End::Skipped(_)));
    let seconds: f64 = cases.iter().map(|case| case.seconds).sum();
    let mut out = format!(
        "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\">\n",
        cases.len()
    );
    for case in cases {
        let (class, name) = (xml(&case.class), xml(&one_line(&case.name)));
        let inner = match &case.end {
            End::Passed => String::new(),
            End::Skipped(why) => format!("      <skipped message=\"{}\"/>\n", xml(&one_line(why))),
            End::Failed(why) => element("failure", why, &case.output),
            End::Broken(why) => element("error", why, &case.output),
        };
        let head =
            format!("    <testcase classname=\"review-gate.{class}\" name=\"{name}\" time=\"{:.3}\"", case.seconds);
        out.push_str(&match inner.is_empty() {
            true => format!("{head}/>\n"),
            false => format!("{head}>\n{inner}    </testcase>\n"),
        });
    }
    out + "  </testsuite>\n"
}

fn element(name: &str, why: &str, output: &str) -> String {
    format!("      <{name} message=\"{}\">{}</{name}>\n", xml(&one_line(why)), xml(output))
}

/// Escapes a text for XML. Characters that XML cannot hold are replaced.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_uri_or_xml_cannot_hold_is_escaped() {
        assert_eq!(uri("src/a b%é.rs"), "src/a%20b%25%C3%A9.rs");
        assert_eq!(xml("a<b> \"c\" & \u{1b}[0m\n"), "a&lt;b&gt; &quot;c&quot; &amp; \u{fffd}[0m\n");
    }
}
