//! Limits: matchers that many numbers meet.

use super::lists::ORDERS;
use crate::outline::Assert;

/// Words of matchers of a limit, in lower case.
const LIMITS: [&str; 6] = ["greater", "less", "atleast", "atmost", "above", "below"];

/// Whether an assertion asks for a limit: `x >= 1`, `isAtLeast`.
pub fn is_limit(assert: &Assert) -> bool {
    let how: String = assert.how.to_ascii_lowercase().chars().filter(|c| !matches!(c, '_' | '.')).collect();
    let is_sign = |text: &str| ORDERS.contains(&text);
    let is_operator = how.ends_with("operator")
        && assert.expected.split([',', ' ']).any(|word| is_sign(word.trim_start_matches(':')));
    is_sign(&assert.how) || is_operator || LIMITS.iter().any(|word| how.contains(word))
}
