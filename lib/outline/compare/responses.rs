//! Responses of servers: matchers that compare the status of a response, too.

use super::features::plain;
use crate::outline::Assert;

/// Ends of subjects that are the status of a response, as `plain` writes them.
const STATUS: [&str; 6] = ["status_code", "statusCode", "getStatusCode", "StatusCode", ".status", "->status"];

/// Matchers of a response, in lower case without `_`, and the status that they compare unless another one is given.
const MATCHERS: [(&str, &str); 8] = [
    ("assertcontains", "200"),
    ("assertnotcontains", "200"),
    ("assertredirects", "302"),
    ("assertredirect", "302"),
    ("assertredirectedto", "302"),
    ("assertresponseredirects", "302"),
    ("assertresponsestatuscodesame", ""),
    ("redirectto", "302"),
];

/// Parts of responses that the matchers compare with a text.
const TEXTS: [&str; 7] = ["content", "body", "text", "getContent", "Location", "location", "headers"];

/// Whether the status or the text of a response is a part of what another assertion compares: `response.status_code == 200` and
/// `"Tea" in response.content`, and `assertContains(response, "Tea")`.
pub fn is_of_response(a: &Assert, b: &Assert) -> bool {
    if b.how == "expect" && b.expected.starts_with('(') {
        return is_of_request(a, b);
    }
    let how: String = b.how.rsplit('.').next().unwrap_or_default().chars().filter(|c| *c != '_').collect();
    let how = how.to_ascii_lowercase();
    let Some((_, default)) = MATCHERS.iter().find(|(name, _)| *name == how) else { return false };
    let code = format!("{} {}", b.subject, b.expected);
    holds_status(a, &code, default) || !how.contains("not") && holds_text(a, &code)
}

/// What supertest expects of a response: `.expect(200, body)`, `.expect("content-type", /json/)`.
fn is_of_request(a: &Assert, b: &Assert) -> bool {
    let (subject, wanted, given) = (plain(&a.subject), plain(&a.expected), plain(&b.expected));
    let is_body = [".body", ".text"].iter().any(|end| subject.ends_with(end));
    let is_header = || {
        let name = a.subject.rsplit_once('[').map(|(_, name)| plain(name.trim_end_matches(']')));
        a.subject.contains("headers[")
            && name.is_some_and(|name| given.to_lowercase().starts_with(&name.to_lowercase()))
    };
    let is_negated = a.how.to_ascii_lowercase().contains("not");
    holds_status(a, &b.expected, "")
        || !wanted.is_empty() && !is_negated && given.ends_with(&wanted) && (is_body || is_header())
}

fn holds_status(a: &Assert, code: &str, default: &str) -> bool {
    let (subject, wanted) = (plain(&a.subject), plain(&a.expected));
    let is_number = |word: &str| word.len() == 3 && word.chars().all(|c| c.is_ascii_digit());
    let given = code.split(|c: char| !c.is_alphanumeric()).find(|word| is_number(word));
    STATUS.iter().any(|end| subject.ends_with(end)) && is_number(&wanted) && given.unwrap_or(default) == wanted
}

fn holds_text(a: &Assert, code: &str) -> bool {
    let bare = |text: &str| {
        let text = text.trim();
        let inner = text.trim_matches(['"', '\'']);
        (inner.len() + 2 == text.len() && !inner.is_empty()).then(|| inner.to_string())
    };
    let (text, of) = match (bare(&a.subject), bare(&a.expected)) {
        (Some(text), None) => (text, &a.expected),
        (None, Some(text)) => (text, &a.subject),
        _ => return false,
    };
    let is_of_response = of.split(|c: char| !c.is_alphanumeric()).any(|word| TEXTS.contains(&word));
    let quoted = ['"', '\''].iter().any(|quote| code.contains(&format!("{quote}{text}{quote}")));
    is_of_response && quoted && !a.how.to_ascii_lowercase().contains("not")
}

#[cfg(test)]
mod tests {
    use super::super::forms;
    use super::*;
    use crate::outline::Strength::{Exact, Part};

    #[test]
    fn a_matcher_of_a_response_compares_its_status() {
        let assert = |how: &str, subject: &str, expected: &str, strength| Assert {
            how: how.into(),
            subject: subject.into(),
            expected: expected.into(),
            strength,
            line: 1,
        };
        let status = |code: &str| assert("assertEqual", "response.status_code", code, Exact);
        let contains = |rest: &str| assert("assertContains", "response", rest, Part);
        assert!(forms::is_part_of(&status("200"), &contains("\"Tea\"")));
        assert!(forms::is_part_of(&status("404"), &contains("\"Tea\", status_code=404")));
        assert!(!forms::is_part_of(&status("200"), &contains("\"Tea\", status_code=404")));
        assert!(!forms::is_part_of(&status("201"), &contains("\"Tea\"")));
        let to = assert("assertResponseRedirects", "'/thanks'", "302", Exact);
        let status = assert("assertEquals", "$client->getResponse()->getStatusCode()", "302", Exact);
        assert!(forms::is_part_of(&status, &to));
        assert!(!forms::is_part_of(&assert("assertEquals", "$order->total()", "302", Exact), &to), "no status");
        assert!(!forms::is_part_of(&status, &assert("assertSame", "'/thanks'", "302", Exact)), "no response");
        let held = |text: &str| assert("assertIn", text, "response.content.decode()", Part);
        assert!(forms::is_part_of(&held("\"Tea\""), &contains("\"Tea\"")));
        assert!(!forms::is_part_of(&held("\"Tea\""), &contains("\"Coffee\"")));
        assert!(!forms::is_part_of(&assert("assertIn", "\"Tea\"", "drinks", Part), &contains("\"Tea\"")));
    }
}
