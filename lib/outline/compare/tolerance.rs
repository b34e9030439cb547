//! Tolerances: how far a value may be from the expected one.

use super::{features, lists};
use crate::outline::{Assert, Strength};

/// How far a value may be away, as a part of it, where one value was compared before.
const NEAR: f64 = 0.01;

/// The size of the first number of what is expected.
fn size(expected: &str) -> f64 {
    expected.split(',').next().and_then(number).map_or(1.0, f64::abs)
}

/// The value that an assertion is about, the value that it has to be near to, and how far it may be away, in any spelling:
/// `isCloseTo(2.5, within(0.1))`, `isWithin(0.1).of(2.5)`, `abs(x - 2.5) < 0.1`.
pub fn near(assert: &Assert) -> Option<(String, String, f64)> {
    let how = assert.how.to_ascii_lowercase();
    if how.split('.').any(|link| link == "not") || how.contains("not") {
        return None;
    }
    if matches!(assert.how.as_str(), "<" | "<=") {
        let subject = plain_subject(&assert.subject);
        let (_, inner) = subject.split_once("abs(")?;
        let (left, right) = inner.strip_suffix(')')?.rsplit_once('-')?;
        let value = number(right).map_or_else(|| features::plain(right), |number| number.to_string());
        return Some((features::plain(left), value, number(&assert.expected)?));
    }
    let tolerance = tolerance(assert)?;
    // The value may stand first: `EXPECT_NEAR(2.5, x, 0.1)`.
    if let (Some(value), Some(subject)) = (number(&assert.subject), lists::items(&assert.expected).first())
        && number(subject).is_none()
    {
        return Some((features::plain(subject), value.to_string(), tolerance));
    }
    let is_first = how.ends_with("within.of") || how.contains("be_within");
    let parts = lists::items(&assert.expected);
    let mut values = parts.iter().filter_map(|part| first_number(part));
    let value = if is_first { values.nth(1) } else { values.next() }?;
    Some((features::plain(&assert.subject), value, tolerance))
}

fn plain_subject(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The first number in a text that is not a part of a name.
fn first_number(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | '_');
    let digit = |c: char| c.is_ascii_digit();
    let at = text
        .char_indices()
        .find(|(at, c)| digit(*c) && !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .map(|(at, _)| at)?;
    let begin = if text[..at].ends_with('-') { at - 1 } else { at };
    let end = text[at..].find(|c| !is_part(c)).map_or(text.len(), |end| at + end);
    let found = text[begin..end].trim_end_matches(['.', '-', '+', 'e']);
    number(found).map(|number| number.to_string())
}

/// Whether the second assertion allows more: a larger tolerance, or one where there was none.
pub fn is_wider(before: &Assert, after: &Assert) -> bool {
    match (tolerance(before), tolerance(after)) {
        (Some(before), Some(after)) => after > before,
        // One value was compared, and one that is only near it is enough now.
        (None, Some(after)) => after > NEAR * size(&before.expected).max(1.0) && before.strength >= Strength::Part,
        _ => false,
    }
}

/// How many times the tolerance of an assertion grew that two tests make about one value; None if one of them has none.
pub fn growth(before: &Assert, after: &Assert) -> Option<f64> {
    let (then, now) = (tolerance(before)?, tolerance(after)?);
    (then > 0.0 && before.subject == after.subject).then(|| now / then)
}

/// The number behind a text such as `1_000`, `0.5f` or `500`.
pub fn number(text: &str) -> Option<f64> {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let plain = plain
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | 'f' | 'F' | 'L' | 'd' | 'm' | 'M' | 'D'));
    let whole = plain.parse().ok().filter(|number: &f64| number.is_finite());
    whole.or_else(|| of_sum(plain))
}

/// The largest number in a sum or a product of names and numbers: `expected * 0.05 + 25`.
fn of_sum(text: &str) -> Option<f64> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ' ' | '*' | '+' | '(' | ')');
    if !text.contains('+') || !text.chars().all(is_part) || text.contains('e') && !text.contains(' ') {
        return None;
    }
    let numbers = text.split(['+', '*', '(', ')', ' ']).filter_map(|part| part.trim().parse::<f64>().ok());
    numbers.filter(|number| number.is_finite()).reduce(f64::max)
}

/// How far the value may be away: what is named `delta`, `rel`, `abs`, `tolerance` or `places`, else the last number of a matcher that
/// compares approximately.
fn tolerance(assert: &Assert) -> Option<f64> {
    let digits = |count: f64| 10f64.powf(-count);
    let named = |name: &str| {
        let text = assert.expected.as_str();
        let is_name = |at: &usize| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let at = text.match_indices(name).map(|(at, _)| at).find(is_name)?;
        let rest = text[at + name.len()..].trim_start().strip_prefix(['=', ':'])?;
        let end = rest.find([',', ')', ']', '}']).unwrap_or(rest.len());
        number(&rest[..end])
    };
    let of_images = ["maxDiffPixelRatio", "maxDiffPixels", "failureThreshold"];
    if let Some(found) = of_images.into_iter().find_map(named) {
        return Some(found);
    }
    let by_name = [
        "margin",
        "rel",
        "abs",
        "delta",
        "rtol",
        "atol",
        "rel_tol",
        "abs_tol",
        "tolerance",
        "epsilon",
        "accuracy",
        "within",
        "absoluteTolerance",
        "max_relative",
        "max_ulps",
        "ulps",
    ];
    if let Some(found) = by_name.into_iter().find_map(named) {
        return Some(found);
    }
    let value =
        || lists::items(&assert.expected).iter().find_map(|part| first_number(part)).and_then(|text| number(&text));
    if let Some(chained) = chained(&assert.expected, value().map_or(1.0, f64::abs)) {
        return Some(chained);
    }
    if let Some((_, rest)) = assert.expected.split_once(" plusOrMinus ") {
        return number(rest.split([',', ')']).next()?);
    }
    // Without a number of its own a value is compared nearly exactly.
    if assert.expected.contains("approx(") {
        return Some(1e-6);
    }
    let how = assert.how.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| how.contains(word));
    if let Some(places) = ["places", "decimal", "significant", "precision"].into_iter().find_map(named) {
        return Some(digits(places));
    }
    let last = assert.expected.rsplit(',').next().filter(|_| assert.expected.contains(','));
    if how.contains("be_within") || how.ends_with("within.of") {
        return assert.expected.split(',').next().and_then(number);
    }
    let percent = assert.expected.split_once("withinPercentage(").map(|(_, rest)| rest.trim_end_matches(')'));
    let percent = percent.or_else(|| last.filter(|_| says(&["percent", "shouldbewithinpercentageof"])));
    if let Some(percent) = percent {
        return Some(number(percent)? / 100.0 * value()?.abs());
    }
    if says(&["withinrel", "epsilon"]) {
        return Some(number(last?)? * value()?.abs());
    }
    if how == "benumerically" {
        return assert.expected.contains('~').then(|| last.and_then(number))?;
    }
    // xUnit's third argument, if it is a whole number, is how many digits are compared.
    if how == "equal" && assert.strength == Strength::Part {
        let places = last.filter(|text| text.trim().parse::<u32>().is_ok());
        return places.map_or_else(|| last.and_then(number), |places| number(places).map(digits));
    }
    if says(&["tobecloseto"]) {
        // Without an argument of its own it compares two digits.
        return Some(digits(last.map_or(Some(2.0), number)?));
    }
    let is_equal = matches!(how.as_str(), "assertequals" | "areequal" | "shouldbe");
    if how == "near"
        || says(&[
            "delta",
            "_near",
            "doublenear",
            "floatnear",
            "within",
            "isclose",
            "approx",
            "accuracy",
            "closeto",
            "floateq",
            "close",
        ])
        || is_equal && assert.strength == Strength::Part
    {
        // `isCloseTo(2.5, within(0.1))`
        let bare = |text: &str| text.rsplit('(').next().unwrap_or(text).trim_end_matches(')').to_string();
        return last.and_then(|text| number(text).or_else(|| number(&bare(text))));
    }
    None
}

/// The tolerance of a value of this size that is built in steps: `Approx(2.0).margin(0.5)`. Of several the widest one counts.
fn chained(expected: &str, size: f64) -> Option<f64> {
    let of = |name: &str| {
        let (_, rest) = expected.split_once(&format!(".{name}("))?;
        Some(number(rest.split(')').next()?)? * if name == "epsilon" { size } else { 1.0 })
    };
    ["epsilon", "margin", "plusOrMinus", "within"].into_iter().filter_map(of).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_wider_than(how: &str, before: &str, after: &str) -> bool {
        let assert = |expected: &str| Assert { how: how.into(), expected: expected.into(), ..Assert::default() };
        is_wider(&assert(before), &assert(after))
    }

    #[test]
    fn a_larger_tolerance_is_wider_and_another_value_is_not() {
        assert!(is_wider_than("assert_in_delta", "60, 0.001", "60, 1000"));
        assert!(is_wider_than("assertAlmostEqual", "0.04, places=6", "0.04, places=0"));
        assert!(is_wider_than("==", "pytest.approx(2.5,rel=1e-6)", "pytest.approx(2.5,rel=10)"));
        assert!(is_wider_than("==", "pytest.approx(2.5, abs=0.1)", "pytest.approx(2.5, abs=1_000)"));
        assert!(is_wider_than("toBeCloseTo", "0.3, 5", "0.3, 1") && is_wider_than("toBeCloseTo", "0.3", "0.3, 0"));
        assert!(is_wider_than("be_within.of", "(0.01), (9.99)", "(10), (9.99)"));
        assert!(is_wider_than("isCloseTo", "2.5, within(0.1)", "2.5, within(10.0)"));
        assert!(is_wider_than("EXPECT_NEAR", "2.0, 0.01", "2.0, 50"));
        assert_eq!(chained("Approx(2.0).margin(0.01).epsilon(0)", 2.0), Some(0.01));
        assert!(!is_wider_than("assert_in_delta", "60, 0.1", "61, 0.1"), "the value");
        assert!(!is_wider_than("assert_in_delta", "60, 0.1", "60, 0.01"), "a smaller one");
        assert!(!is_wider_than("toBeCloseTo", "0.3, 1", "0.3, 5"), "more digits");
        assert!(!is_wider_than("assertEqual", "f(1, 2)", "f(1, 300)"), "no tolerance");
        assert!(!is_wider_than("==", "url(label=1)", "url(label=2)"), "a name that ends alike");
    }

    #[test]
    fn numbers_are_read_as_they_are_written_in_code() {
        assert_eq!((number("10_000"), number("0.5f"), number("(3)")), (Some(10_000.0), Some(0.5), Some(3.0)));
        assert_eq!(
            (number("expected * 0.05 + 25"), number("a + b"), number("1e+5")),
            (Some(25.0), None, Some(100_000.0))
        );
        assert_eq!((number("inf"), number("nan"), number("limit"), number("")), (None, None, None, None));
    }
}
