//! Covered assertions: calls that fail where no error was thrown, and what was asked of an error that was caught, where one call expects it now.

use super::features::plain;
use super::forms;
use crate::outline::{Assert, Strength};

/// Assertions of one value whose further argument is a message.
pub const PRESENCE: [&str; 5] = ["assertNotNull", "assertNull", "XCTAssertNotNil", "XCTAssertNil", "assertNotEmpty"];

/// Whether a call that fails where no error was thrown, or where no pattern matched, or what was asked of the error, is a part of what is asserted
/// now. `is_taken` says that values are taken out of their optionals.
pub fn is_covered(a: &Assert, then: &[Assert], now: &[Assert], is_taken: bool) -> bool {
    let is_failing = a.how.eq_ignore_ascii_case("fail") || a.how == "flunk";
    let is_fail = is_failing && now.iter().any(forms::expects_error);
    let is_arm = a.how == "panic" && then.len() > 1 && now.iter().any(|b| b.strength == Strength::Exact);
    let is_guard = matches!(a.how.as_str(), "XCTFail" | "Issue.record") && then.len() > 1 && is_taken;
    // One call of Pest names the error and its message, two of PHPUnit.
    let is_named = |b: &Assert| {
        forms::expects_error(b)
            && b.strength >= a.strength
            && b.expected.trim_start_matches('\\').starts_with(&format!("{},", a.expected.trim_start_matches('\\')))
    };
    // The message of what was caught: `assertThatIllegalArgumentException().isThrownBy(f).withMessage("x")`.
    let is_message = |b: &Assert| {
        let names = ["withMessage", "hasMessage"].iter().any(|word| b.how.ends_with(word));
        names && !a.expected.is_empty() && b.expected.ends_with(&a.expected)
    };
    let of_message = a.subject.ends_with("getMessage()") || a.subject.ends_with(".message");
    if of_message && now.iter().any(is_message) {
        return true;
    }
    // A field of what was caught: `expect(f()).rejects.toHaveProperty("status", 404)`.
    let is_field = |b: &Assert| {
        let (root, field) = a.subject.split_once('.').unwrap_or_default();
        let is_caught =
            !field.is_empty() && forms::is_about_error(&Assert { subject: root.into(), ..Assert::default() });
        let is_rejected =
            ["rejects.", "throws.", "toThrow"].iter().any(|word| b.how.contains(word)) && !b.how.contains("not.");
        let holds = |text: &str| b.expected.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == text);
        is_caught && is_rejected && holds(field) && plain(&b.expected).contains(&plain(&a.expected))
    };
    if !a.expected.is_empty() && now.iter().any(is_field) {
        return true;
    }
    // That something was caught is said where a call has to fail.
    let is_caught = a.strength == Strength::Something && forms::is_about_error(a) && !a.subject.contains(['.', '(']);
    let is_presence = a.how == "!=" && a.expected.trim() == "nil" || PRESENCE.contains(&a.how.as_str());
    if is_caught && is_presence && now.iter().any(|b| forms::expects_error(b) && b.strength >= Strength::Part) {
        return true;
    }
    let is_error = a.how == "expectException" && !a.expected.is_empty() && now.iter().any(is_named);
    // What a task that was waited for threw was wrapped.
    let is_awaited = |b: &Assert| forms::expects_error(b) && b.how.contains("Async");
    let is_wrapped = a.expected.contains("AggregateException") && now.iter().any(is_awaited);
    is_fail || is_arm || is_guard || is_error || is_wrapped
}
