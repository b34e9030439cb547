//! Matchers that are calls around other matchers, `is(not(closeTo(2.5, 0.1)))`, and constraints that are chains,
//! `Is.Not.EqualTo(3).Within(1)`: the names from the outside in, and what the last one gets.

use super::tokens;
use crate::tree::{Id, Tree};

/// Matchers that demand what the matcher in them demands.
const AROUND: [&str; 6] = ["is", "equalTo", "describedAs", "WithTransform", "be", "have"];
/// Matchers that negate, that ask for all or for some of several, and those that ask about elements.
const NEGATING: [&str; 3] = ["not", "Not", "isNot"];
const ALL: [&str; 5] = ["allOf", "AllOf", "And", "SatisfyAll", "satisfyAllOf"];
const OF_PARTS: [&str; 12] = [
    "everyItem",
    "hasItem",
    "hasItems",
    "hasSize",
    "Each",
    "Contains",
    "SizeIs",
    "HaveEach",
    "ContainElement",
    "HaveLen",
    "allPass",
    "Pointee",
];

/// What one matcher demands.
#[derive(Default)]
pub struct Matcher {
    /// Its names, from the outside in.
    pub names: Vec<String>,
    /// What the last one gets.
    pub expected: Vec<String>,
}

/// The name of a call and its arguments; None if a node is no call.
fn call(tree: &Tree, id: Id) -> Option<(String, Vec<Id>)> {
    let named = |id: Id| tree.children(id).filter(|id| tree.is_named(*id) && !tree.is_extra(*id)).collect::<Vec<_>>();
    let parts = named(id);
    let last = *parts.last()?;
    let list = match tree.kind_name(last) {
        "call_suffix" => *named(last).first()?,
        kind if kind.ends_with("arguments") || kind == "argument_list" => last,
        _ => return None,
    };
    let function = *parts.get(parts.len().checked_sub(2)?)?;
    let shown = tokens::shown(tree, function);
    let name = shown.split('<').next().unwrap_or_default().rsplit(['.', ':']).next().unwrap_or_default();
    let bare = |id: Id| match (tree.kind_name(id), named(id).as_slice()) {
        ("value_argument" | "argument", [one]) => *one,
        _ => id,
    };
    Some((name.trim_matches('`').to_string(), named(list).into_iter().map(bare).collect()))
}

/// The matchers that a matcher is made of: those of `allOf(…)` are several.
pub fn nested(tree: &Tree, id: Id) -> Vec<Matcher> {
    let shown = |ids: &[Id]| ids.iter().map(|id| tokens::shown(tree, *id)).collect::<Vec<_>>();
    let Some((name, arguments)) = call(tree, id) else {
        return vec![Matcher { names: Vec::new(), expected: shown(&[id]) }];
    };
    let known = name.as_str();
    let inner = arguments.last().filter(|id| call(tree, **id).is_some_and(|(name, _)| is_matcher(&name)));
    let plain = || vec![Matcher { names: vec![name.clone()], expected: shown(&arguments) }];
    match inner {
        Some(_) if ALL.contains(&known) => arguments.iter().flat_map(|id| nested(tree, *id)).collect(),
        Some(inner) if AROUND.contains(&known) && arguments.len() == 1 => nested(tree, *inner),
        Some(inner) if (NEGATING.contains(&known) || OF_PARTS.contains(&known)) && arguments.len() == 1 => {
            let name = if NEGATING.contains(&known) { "not".to_string() } else { name.clone() };
            let around = |mut matcher: Matcher| {
                matcher.names.insert(0, name.clone());
                matcher
            };
            nested(tree, *inner).into_iter().map(around).collect()
        }
        _ if NEGATING.contains(&known) => {
            vec![Matcher { names: vec!["not".into(), "equalTo".into()], expected: shown(&arguments) }]
        }
        _ => plain(),
    }
}

/// Whether a call makes a matcher by its name, and no value.
fn is_matcher(name: &str) -> bool {
    const BEGINS: [&str; 38] = [
        "starts", "Starts", "ends", "Ends", "is", "not", "Not", "contain", "has", "have", "Have", "Contain", "Be",
        "be", "equal", "Equal", "greater", "less", "start", "Start", "end", "End", "any", "every", "null", "notNull",
        "empty", "Empty", "close", "same", "match", "Match", "instance", "all", "All", "Size", "either", "both",
    ];
    const NAMES: [&str; 26] = [
        "Any",
        "AnyOf",
        "Each",
        "Eq",
        "Ne",
        "Gt",
        "Ge",
        "Lt",
        "Le",
        "StrEq",
        "HasSubstr",
        "IsNull",
        "NotNull",
        "A",
        "An",
        "DoubleNear",
        "FloatNear",
        "ElementsAre",
        "Pointee",
        "Or",
        "And",
        "Succeed",
        "IsTrue",
        "IsFalse",
        "IsEmpty",
        "isA",
    ];
    let begins = |begin: &str| {
        let rest = name.strip_prefix(begin);
        rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase) || begin.len() > 4)
    };
    NAMES.contains(&name) || BEGINS.iter().any(|begin| begins(begin))
}

/// The links of a constraint: `Is.Not.EqualTo(3).Within(1)`. What stands behind `And` is a constraint of its own.
pub fn constraints(tree: &Tree, id: Id) -> Vec<Matcher> {
    let mut all = vec![Matcher::default()];
    links(tree, id, &mut all);
    let is_filler = |name: &String| matches!(name.as_str(), "Is" | "Has" | "Does" | "With");
    all.iter_mut().for_each(|matcher| matcher.names.retain(|name| !is_filler(name)));
    all
}

fn links(tree: &Tree, id: Id, all: &mut Vec<Matcher>) {
    let parts: Vec<Id> = tree.children(id).filter(|id| tree.is_named(*id) && !tree.is_extra(*id)).collect();
    match (tree.kind_name(id), parts.as_slice()) {
        ("invocation_expression", [function, arguments]) => {
            links(tree, *function, all);
            let named = tree.children(*arguments).filter(|id| tree.is_named(*id) && !tree.is_extra(*id));
            let shown: Vec<String> = named.map(|id| tokens::shown(tree, id)).collect();
            all.last_mut().into_iter().for_each(|matcher| matcher.expected.extend(shown.iter().cloned()));
        }
        ("member_access_expression", [of, name]) => {
            links(tree, *of, all);
            links(tree, *name, all);
        }
        ("generic_name", [name, arguments]) => {
            links(tree, *name, all);
            let shown = tokens::shown(tree, *arguments).trim_matches(['<', '>']).to_string();
            all.last_mut().into_iter().for_each(|matcher| matcher.expected.push(shown.clone()));
        }
        _ => {
            let name = tokens::shown(tree, id);
            let name = if matches!(name.as_str(), "Not" | "No" | "None") { "not".to_string() } else { name };
            let is_thrown = all.iter().any(|matcher| matcher.names.iter().any(|name| name == "Throws"));
            match name.as_str() {
                "And" if !is_thrown => all.push(Matcher::default()),
                _ => all.last_mut().into_iter().for_each(|matcher| matcher.names.push(name.clone())),
            }
        }
    }
}
