//! Conditions under which a test fails, as the demands that they make: `if got != 3 { t.Errorf(…) }` demands that `got` is 3.

use super::tokens;
use crate::tree::{Id, Tree};
use review_gate::outline::{Assert, Strength};

/// Functions of two values that are equal, and those of a value and a part of it.
const EQUAL: [&str; 6] = ["DeepEqual", "Equal", "EqualFold", "Is", "As", "EqualFunc"];
const HOLDING: [&str; 6] = ["Contains", "HasPrefix", "HasSuffix", "Match", "MatchString", "Has"];

/// What has to hold of a value so that a test does not fail.
pub struct Demand {
    /// The node of the condition that says it.
    pub node: Id,
    /// What is asserted; without a line.
    pub assert: Assert,
}

/// The demands of a condition under which a test fails. Each of several alternatives is one.
pub fn demands(tree: &Tree, condition: Id) -> Vec<Demand> {
    let named = |id: Id| tree.children(id).filter(|id| tree.is_named(*id) && !tree.is_extra(*id)).collect::<Vec<_>>();
    let make = |how: &str, subject: String, expected: String, strength| {
        let assert = Assert { how: how.to_string(), subject, expected, strength, line: 0 };
        vec![Demand { node: condition, assert }]
    };
    let shown = |id: Id| tokens::shown(tree, id);
    match (tree.kind_name(condition), named(condition).as_slice()) {
        ("parenthesized_expression", [inner]) => demands(tree, *inner),
        ("binary_expression", [left, right]) => {
            let sign = tree.children(condition).find(|id| !tree.is_named(*id)).map(|id| tree.text_of(id));
            if sign == Some(b"||") {
                let mut all = demands(tree, *left);
                all.extend(demands(tree, *right));
                return all;
            }
            let Some(how) = sign.and_then(opposite) else {
                return make("assert", format!("!({})", shown(condition)), String::new(), Strength::Part);
            };
            let strength = match how {
                _ if tree.text_of(*right) == b"nil" => Strength::Something,
                "==" if !shown(*left).starts_with("len(") => Strength::Exact,
                _ => Strength::Part,
            };
            make(how, shown(*left), shown(*right), strength)
        }
        ("unary_expression", [operand]) if tree.text_of(condition).starts_with(b"!") => asked(tree, *operand)
            .map_or_else(
                || make("assert", shown(*operand), String::new(), Strength::Something),
                |(how, subject, expected, strength)| make(&how, subject, expected, strength),
            ),
        _ => make("not", shown(condition), String::new(), Strength::Something),
    }
}

/// What a call asks that compares two values: `reflect.DeepEqual(got, want)`, `got.Equal(want)`, `strings.Contains(text, "a")`.
fn asked(tree: &Tree, call: Id) -> Option<(String, String, String, Strength)> {
    let mut parts = tree.children(call).filter(|id| tree.is_named(*id));
    let (function, arguments) = (parts.next()?, parts.last()?);
    if tree.kind_name(call) != "call_expression" {
        return None;
    }
    let arguments: Vec<String> =
        tree.children(arguments).filter(|id| tree.is_named(*id)).map(|id| tokens::shown(tree, id)).collect();
    let of = tree.children(function).filter(|id| tree.is_named(*id)).collect::<Vec<_>>();
    let name = tokens::shown(tree, *of.last()?);
    let strength = match name.as_str() {
        known if EQUAL.contains(&known) => Strength::Exact,
        known if HOLDING.iter().any(|begin| known.starts_with(begin)) => Strength::Part,
        _ => return None,
    };
    match (arguments.as_slice(), of.first()) {
        ([subject, expected, ..], _) => Some((name, subject.clone(), expected.clone(), strength)),
        ([expected], Some(receiver)) if strength == Strength::Exact => {
            Some((name, tokens::shown(tree, *receiver), expected.clone(), strength))
        }
        _ => None,
    }
}

/// The comparison that holds where one does not.
pub fn opposite(sign: &[u8]) -> Option<&'static str> {
    Some(match sign {
        b"!=" | b"!==" => "==",
        b"==" | b"===" => "!=",
        b"in" => "not in",
        b"=~" => "!~",
        b"<" => ">=",
        b">" => "<=",
        b"<=" => ">",
        b">=" => "<",
        _ => return None,
    })
}
