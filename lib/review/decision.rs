//! Parses a reviewer's decision: one JSON object in its message, outside quotations. Spellings may vary; missing fields are listed and
//! never guessed. Schema: schema/decision.json.

use crate::event::Confidence;
pub use crate::store::record::{Decision, Issue, Severity, Word};
use crate::sys::markdown;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::fmt;

/// The result of parsing a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// No decision on that review request, and the reason.
    None(&'static str),
    /// Two decisions that disagree.
    Contradiction,
    /// The last decision.
    Decision(Box<Decision>),
}

/// Parses the decision on the review request `request` from a message.
pub fn read(message: &str, request: &str) -> Reading {
    let objects = objects(message);
    let decisions: Vec<&Fields> = objects.iter().filter(|object| object.has(&["decision", "verdict"])).collect();
    let ours: Vec<&&Fields> = decisions.iter().filter(|object| object.text("request") == request).collect();
    let words: Vec<Option<Word>> = ours.iter().map(|object| word(object).ok().flatten()).collect();
    let Some(last) = ours.last() else {
        return Reading::None(match (objects.is_empty(), decisions.is_empty()) {
            (true, _) => "the message has no JSON object outside quotations",
            (_, true) => "no JSON object has the key decision",
            _ => "no decision names this review request",
        });
    };
    if ours.iter().any(|object| word(object).is_err())
        || words.iter().flatten().any(|one| Some(*one) != words[words.len() - 1])
    {
        return Reading::Contradiction;
    }
    match words.last().copied().flatten() {
        Some(word) => Reading::Decision(Box::new(decision(last, word))),
        None => Reading::None("its decision is not one of approve, issues, unsure, human"),
    }
}

/// The decision of an object. An error if it gives two different ones.
fn word(object: &Fields) -> Result<Option<Word>, ()> {
    let reason = object.text("block_reason").to_ascii_lowercase();
    let has_issues = !list(object.get("issues")).is_empty();
    let read = |text: &str| match text.trim().to_ascii_lowercase().replace([' ', '-'], "_").as_str() {
        "approve" | "approved" | "complete" | "lgtm" => Some(Word::Approve),
        "issues" | "changes_requested" | "request_changes" => Some(Word::Issues),
        "unsure" => Some(Word::Unsure),
        "human" => Some(Word::Human),
        "block" => match reason.as_str() {
            "definite_bug" => Some(Word::Issues),
            "uncertainty" => Some(Word::Unsure),
            "needs_human" => Some(Word::Human),
            _ => has_issues.then_some(Word::Issues),
        },
        _ => None,
    };
    let words: Vec<Option<Word>> =
        object.all(&["decision", "verdict"]).map(|value| value.as_str().and_then(read)).collect();
    match words.iter().any(|one| *one != words[0]) {
        true => Err(()),
        false => Ok(words.first().copied().flatten()),
    }
}

fn decision(object: &Fields, word: Word) -> Decision {
    let either =
        |a: &str, b: &str| Some(object.text(a)).filter(|text| !text.is_empty()).unwrap_or_else(|| object.text(b));
    let issues: Vec<Issue> = list(object.get("issues")).into_iter().map(issue).collect();
    let mut missing = Vec::new();
    let summary = either("summary", "stopping").to_string();
    if summary.trim().is_empty() {
        missing.push("summary".to_string());
    }
    if word == Word::Issues && issues.is_empty() {
        missing.push("issues".to_string());
    }
    for (at, issue) in issues.iter().enumerate() {
        let is_severe = issue.severity.is_some_and(|severity| severity >= Severity::Major);
        let fields = [
            (issue.description.trim().is_empty(), "description"),
            (is_severe && issue.how_to_verify.trim().is_empty(), "how_to_verify"),
        ];
        missing.extend(
            fields.iter().filter(|(is_missing, _)| *is_missing).map(|(_, name)| format!("issues[{at}].{name}")),
        );
    }
    Decision {
        word,
        nonce: object.text("nonce").trim().to_string(),
        summary,
        reasoning: object.text("reasoning").to_string(),
        message_to_agent: object.text("message_to_agent").to_string(),
        issues,
        reviewed: texts(object.get("reviewed")),
        second_opinions: texts(object.get("second_opinions")),
        diagnostics: [texts(object.get("diagnostics")), texts(object.get("diagnostics_needed"))].concat(),
        suggested_patch: object.text("suggested_patch").to_string(),
        extra_tests: texts(object.get("extra_tests")),
        missing,
    }
}

/// An issue: an object, or a text, which is a description without a severity. One without a severity counts as one at the floor.
fn issue(value: &Value) -> Issue {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or("").trim().to_string();
    let severity = match text("severity").to_ascii_lowercase().as_str() {
        "critical" => Some(Severity::Critical),
        "major" => Some(Severity::Major),
        "minor" => Some(Severity::Minor),
        _ => None,
    };
    let key = Some(text("key")).filter(|key| !key.is_empty()).unwrap_or_else(|| text("issue_id"));
    let line = value.get("line").and_then(|line| line.as_u64().or_else(|| line.as_str()?.trim().parse().ok()));
    let description = value.as_str().map_or_else(|| text("description"), |text| text.trim().to_string());
    let confidence = match text("confidence").to_ascii_lowercase().as_str() {
        "low" => Some(Confidence::Low),
        "medium" => Some(Confidence::Medium),
        "high" => Some(Confidence::High),
        // A number from 0 to 1, or a percentage.
        _ => value.get("confidence").and_then(Value::as_f64).map(|number| match number {
            n if n <= 1.0 => of_share(n),
            n => of_share(n / 100.0),
        }),
    };
    Issue { severity, confidence, path: text("path"), line, description, how_to_verify: text("how_to_verify"), key }
}

/// The confidence of a number from 0 to 1.
fn of_share(share: f64) -> Confidence {
    match share {
        n if n >= 2.0 / 3.0 => Confidence::High,
        n if n >= 1.0 / 3.0 => Confidence::Medium,
        _ => Confidence::Low,
    }
}

/// A list. A single value is a list of one.
fn list(value: Option<&Value>) -> Vec<&Value> {
    match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items.iter().collect(),
        Some(Value::String(text)) if text.trim().is_empty() => Vec::new(),
        Some(one) => vec![one],
    }
}

/// A list of texts. A single text is split at newlines and commas. An object stands for its path.
fn texts(value: Option<&Value>) -> Vec<String> {
    let of = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => fields.get("path").and_then(Value::as_str).unwrap_or("").to_string(),
        other => other.to_string(),
    };
    let all = match value {
        Some(Value::String(text)) => text.split(['\n', ',']).map(str::to_string).collect(),
        value => list(value).into_iter().map(of).collect::<Vec<_>>(),
    };
    all.into_iter().map(|text| text.trim().to_string()).filter(|text| !text.is_empty()).collect()
}

/// The last object of a message that names the review request, outside quotations. None if there is none, or if two of them differ: for
/// the answers of models that are no reviewers.
pub fn reply(message: &str, request: &str) -> Option<Fields> {
    let mut ours: Vec<Fields> = objects(message);
    ours.retain(|object| object.text("request") == request);
    let last = ours.pop()?;
    ours.iter().all(|other| *other == last).then_some(last)
}

/// The fields of one object in order, with duplicates, by their names in lower case.
#[derive(Clone, Debug, PartialEq)]
pub struct Fields(Vec<(String, Value)>);

impl Fields {
    fn all<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value)
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().rfind(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn has(&self, names: &[&str]) -> bool {
        self.all(names).next().is_some()
    }

    /// A text; empty if there is none.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Value::as_str).unwrap_or("")
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Fields, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    fields.push((name.to_ascii_lowercase(), value));
                }
                Ok(Fields(fields))
            }
        }
        from.deserialize_map(Each)
    }
}

/// The most opening braces at which an object is parsed, because unclosed nested objects take long to parse.
const MAX_TRIES: usize = 10_000;

/// The complete objects of a message outside quotations. Quotations are Markdown quotations and code (except fences without a language
/// or with JSON), lines that begin like a quoted or a diff line, and text after a quotation mark.
fn objects(message: &str) -> Vec<Fields> {
    let is_json = |words: &String| words.is_empty() || words.to_ascii_lowercase().starts_with("json");
    let mut quotations = markdown::quotations(message);
    quotations.retain(|quotation| !quotation.fence.as_ref().is_some_and(is_json));
    let mut quotations = quotations.into_iter().map(|quotation| quotation.range).peekable();
    let mut found = Vec::new();
    let begins_quoted = |line: &str| line.trim_start().starts_with(['>', '+', '-', '|']);
    // The end of the last object, the position up to which lines were checked, and whether the current line is quoted.
    let (mut done, mut checked, mut is_line_quoted) = (0, 0, begins_quoted(message));
    let mut tries = MAX_TRIES;
    for (at, _) in message.match_indices('{') {
        if let Some(end) = message[checked..at].rfind('\n') {
            is_line_quoted = begins_quoted(&message[checked + end + 1..]);
        }
        checked = at;
        while quotations.next_if(|range| range.end <= at).is_some() {}
        let is_quoted = is_line_quoted
            || quotations.peek().is_some_and(|range| range.start <= at)
            || message[..at].ends_with(['`', '"', '\'']);
        if at < done || is_quoted || tries == 0 || !message[at + 1..].trim_start().starts_with(['"', '}']) {
            continue;
        }
        tries -= 1;
        let mut stream = serde_json::Deserializer::from_str(&message[at..]).into_iter::<Fields>();
        if let Some(Ok(fields)) = stream.next() {
            found.push(fields);
            done = at + stream.byte_offset();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The parse result in one line.
    fn summary(message: &str) -> String {
        match read(message, "P1") {
            Reading::None(_) => "none".to_string(),
            Reading::Contradiction => "contradiction".to_string(),
            Reading::Decision(decision) if decision.missing.is_empty() => decision.word.word().to_string(),
            Reading::Decision(decision) => format!("{} without {}", decision.word, decision.missing.join(", ")),
        }
    }

    #[test]
    fn decisions_of_every_form_are_parsed() {
        let cases = include_str!("../../tests/cases/decisions.jsonl");
        let mut count = 0;
        for line in cases.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| case[name].as_str().unwrap_or_else(|| panic!("{line}")).to_string();
            let message = text("message").replace("MEBIBYTE", &"lorem ipsum { dolor ".repeat(52_429));
            assert_eq!(summary(&message), text("want"), "{}", text("shape"));
            count += 1;
        }
        assert!(count >= 40, "{count}");
    }

    #[test]
    fn a_hostile_message_is_parsed_in_linear_time() {
        let began = crate::sys::procfs::processor_time();
        for hostile in
            ["{", "{} ", "{\"a\":", "{\"a\":[", "```\n", "{\"decision\":\"approve\",\"request\":\"P1\"", "{\"{"]
        {
            read(&hostile.repeat((1 << 20) / hostile.len()), "P1");
        }
        let deep = format!("{}\"{}", "{\"a\":".repeat(100), "x".repeat(1 << 20));
        read(&deep, "P1");
        let took = crate::sys::procfs::processor_time().saturating_sub(began);
        assert!(took.as_secs() < 20, "{took:?}");
    }

    proptest! {
        #[test]
        fn any_message_can_be_parsed(message in "[\\PC\\n`~>{}\":,\\[\\]]{0,300}") {
            prop_assert!(!matches!(read(&message, "P1"), Reading::Decision(_)));
        }

        #[test]
        fn prose_around_a_decision_changes_nothing(before in "[a-z .,\\n]{0,80}", after in "[a-z .,\\n]{0,80}") {
            let message = format!("{before}\n{{\"decision\":\"approve\",\"request\":\"P1\",\"summary\":\"s\"}}\n{after}");
            prop_assert_eq!(summary(&message), "approve");
        }
    }
}
