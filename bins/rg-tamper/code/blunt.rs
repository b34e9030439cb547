//! Blunt assertions: those that ask next to nothing of a value that was compared exactly, and tolerances that fit almost everything.

use review_gate::outline::Strength;
use review_gate::outline::compare::{Loss, growth};

/// By how many times a tolerance grows for certain too much.
const TOO_WIDE: f64 = 50.0;

/// Values that tell nothing of what is compared with them.
const PLAIN: [&str; 7] = ["true", "false", "null", "nil", "None", "none", "undefined"];

/// Whether a value that was compared with one that tells is only asked to be there or positive now, or to be within many times the tolerance.
pub fn is_blunt(Loss { before, after, .. }: &Loss) -> bool {
    let Some(after) = after else { return false };
    let is_telling = |text: &str| {
        let plain: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        plain.len() > 1 && !PLAIN.contains(&plain.as_str())
    };
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let is_about = before.subject.len() > 1 && bare(&after.subject).contains(&bare(&before.subject));
    let was_exact = before.strength == Strength::Exact && is_telling(&before.expected);
    let orders = ["Greater", "Less", "above", "greater"];
    let is_order = after.how.contains(['<', '>']) || orders.iter().any(|word| after.how.contains(word));
    let is_positive = is_order && matches!(after.expected.trim(), "0" | "0.0" | "-1" | "1");
    let is_presence = after.strength <= Strength::Something && !after.how.contains('=');
    was_exact && is_about && (is_presence || is_positive)
        || growth(before, after).is_some_and(|growth| growth >= TOO_WIDE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use review_gate::outline::Assert;
    use review_gate::outline::compare::LossKind;

    fn is(before: (&str, &str, &str, Strength), after: (&str, &str, &str, Strength)) -> bool {
        let assert = |(how, subject, expected, strength): (&str, &str, &str, Strength)| Assert {
            how: how.into(),
            subject: subject.into(),
            expected: expected.into(),
            strength,
            line: 1,
        };
        is_blunt(&Loss { kind: LossKind::Weaker, before: assert(before), after: Some(assert(after)) })
    }

    #[test]
    fn a_value_that_is_only_there_or_positive_is_told_from_another_comparison() {
        use Strength::{Exact, Part, Something};
        let list = ("==", "names(x)", "[\"a\", \"b\"]", Exact);
        assert!(is(list, ("is_list", "is_list(names(x))", "", Something)));
        assert!(is(("toBe", "area(x)", "16", Exact), ("toBeGreaterThan", "area(x)", "0", Part)));
        assert!(!is(("toBe", "area(x)", "16", Exact), ("toBeGreaterThan", "area(x)", "15", Part)), "near");
        assert!(!is(("==", "x", "nil", Exact), ("not", "x", "", Something)), "another spelling");
        assert!(!is(list, ("is_list", "is_list(y)", "", Something)), "another value");
    }

    #[test]
    fn a_tolerance_that_fits_almost_everything_is_told_from_a_wider_one() {
        use Strength::Part;
        let near = |tolerance: &'static str| ("assert_in_delta", "x", tolerance, Part);
        assert!(is(near("2.0, 0.001"), near("2.0, 0.5")));
        assert!(!is(near("2.0, 0.001"), near("2.0, 0.002")));
    }
}
