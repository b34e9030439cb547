//! Types of values: questions that tell nothing else of a value.

use super::features::plain;
use super::meaning;
use crate::outline::Assert;

/// Begins of questions for the type of a value, as `plain` writes them.
const ASKS: [&str; 22] = [
    "Array.isArray",
    "Number.isFinite",
    "Number.isInteger",
    "Buffer.isBuffer",
    "isinstance",
    "is_array",
    "is_string",
    "is_int",
    "is_float",
    "is_bool",
    "is_object",
    "is_numeric",
    "is_callable",
    "is_list",
    "is_map",
    "is_binary",
    "is_integer",
    "is_atom",
    "callable",
    "reflect.TypeOf",
    "gettype",
    "get_class",
];

/// Whether an assertion asks only for the type of a value: `Array.isArray(x) toBe true`, `x instanceof List is true`, `type(x) is list`.
pub fn is_asked(assert: &Assert) -> bool {
    let subject = plain(&assert.subject);
    let is_question = ASKS.iter().any(|begin| subject.starts_with(begin)) || assert.subject.contains(" instanceof ");
    let is_told = is_question && (meaning::truth(assert).is_some() || assert.expected.is_empty());
    let is_compared = ["type(", "typeof ", "reflect.TypeOf("].iter().any(|begin| assert.subject.starts_with(begin));
    is_told || is_compared && !assert.how.contains("not")
}

#[cfg(test)]
mod tests {
    use super::super::losses;
    use super::*;
    use crate::outline::Strength::{self, Exact};

    #[test]
    fn a_type_is_less_than_a_value() {
        let assert = |how: &str, subject: &str, expected: &str, strength: Strength| Assert {
            how: how.into(),
            subject: subject.into(),
            expected: expected.into(),
            strength,
            line: 1,
        };
        let value = assert("toEqual", "parse(print(rows))", "rows", Exact);
        let count = |b: &Assert| losses(std::slice::from_ref(&value), std::slice::from_ref(b)).len();
        assert_eq!(count(&assert("toBe", "Array.isArray(parsed)", "true", Exact)), 1);
        assert_eq!(count(&assert("is", "type(decoded)", "type(value)", Exact)), 1);
        assert_eq!(count(&assert("toEqual", "parsed", "rows", Exact)), 0, "another name");
        let asked = assert("toBe", "Array.isArray(x)", "true", Exact);
        assert_eq!(losses(std::slice::from_ref(&asked), std::slice::from_ref(&asked)).len(), 0);
    }
}
