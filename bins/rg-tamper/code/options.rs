//! Options of comparisons that leave parts of values out: `cmpopts.IgnoreFields(…)`, `ignoringFields("a")`.

use super::Judgement;
use super::weight::{Rarer, Weight};
use review_gate::outline::Test;
use review_gate::outline::compare::{Pair, Side};

/// Calls that make options of comparisons which leave parts of values out.
const LEAVING: [&str; 9] = [
    "IgnoreFields",
    "IgnoreMapEntries",
    "IgnoreSliceElements",
    "IgnoreTypes",
    "ignoringFields",
    "ignoringFieldsMatchingRegexes",
    "ignoringFieldsOfTypes",
    "Excluding",
    "shouldBeEqualToIgnoringFields",
];

/// Whether comparisons of a test leave parts of values out that they did not leave out before.
pub fn left_out(judgement: &Judgement<'_>, pair: &Pair) -> Option<Rarer> {
    let (old, new) = (judgement.test(Side::Then, pair.then)?, judgement.test(Side::Now, pair.now)?);
    let leaves = |test: &Test| test.calls.iter().find(|call| LEAVING.contains(&call.as_str())).cloned();
    let line = leaves(new).filter(|_| leaves(old).is_none() && !old.asserts.is_empty() && old.body != new.body)?;
    Some(Rarer { line, how: "leaves parts out of what it compares", weight: Weight::Probable })
}
