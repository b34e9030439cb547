//! Relations: the words of matchers and methods of all libraries for what is said about two values.

/// Matchers that ask whether a condition holds, and those that ask whether it does not, in lower case without `_` and `!`.
pub const TRUE: [&str; 29] = [
    "that",
    "asserttruef",
    "requiretrue",
    "checktrue",
    "boosttest",
    "boostcheck",
    "boostrequire",
    "assert",
    "ok",
    "isok",
    "asserttrue",
    "true",
    "istrue",
    "truthy",
    "tobetruthy",
    "tobetrue",
    "betrue",
    "betruthy",
    "xctassert",
    "xctasserttrue",
    "expecttrue",
    "expect",
    "require",
    "check",
    "shouldbetrue",
    "mustbetrue",
    "assertthat",
    "assertistrue",
    "equaltrue",
];
pub const FALSE: [&str; 18] = [
    "requirefalse",
    "checkfalse",
    "refute",
    "checkunaryfalse",
    "not",
    "notok",
    "isnotok",
    "assertfalse",
    "false",
    "isfalse",
    "falsy",
    "tobefalsy",
    "tobefalse",
    "befalse",
    "befalsey",
    "xctassertfalse",
    "expectfalse",
    "shouldbefalse",
];

/// Names of relations in matchers and methods, in lower case without `_` and without the words around them.
pub const RELATIONS: [(&str, &[&str]); 14] = [
    ("==", &EQUAL),
    (
        "holds",
        &[
            "contain",
            "contains",
            "include",
            "includes",
            "containsubstring",
            "containssubstring",
            "substring",
            "hassubstr",
            "substr",
        ],
    ),
    (">=", &["greaterthanorequal", "greaterorequal", "greaterequal", "atleast", "least", "gte", "ge"]),
    ("<=", &["lessthanorequal", "lessorequal", "lessequal", "atmost", "most", "lte", "le"]),
    (">", &["greaterthan", "greater", "above", "gt"]),
    ("<", &["lessthan", "less", "below", "lt"]),
    (
        "isa",
        &[
            "instanceof",
            "instance",
            "instanceoftype",
            "typeof",
            "oftype",
            "exactlyinstanceof",
            "assignableto",
            "kindof",
            "akindof",
            "aninstanceof",
            "a",
            "an",
        ],
    ),
    ("begins", &["startswith", "startwith", "beginwith", "prefix", "stringstartswith"]),
    ("ends", &["endswith", "endwith", "suffix", "stringendswith"]),
    ("matches", &["match", "matches", "regex", "regexpmatches", "matchesregularexpression", "matchregex"]),
    ("has", &["property", "ownproperty", "own", "key", "arrayhaskey"]),
    ("positive", &["positive"]),
    ("negative", &["negative"]),
    ("several", &["oneof", "anyof", "inrange", "between", "strictlybetween", "either", "isin", "in", "withinrange"]),
];

/// Names of matchers of one value.
pub const EQUAL: [&str; 26] = [
    "equals",
    "equal",
    "eq",
    "equalto",
    "same",
    "sameas",
    "sameinstance",
    "identical",
    "areequal",
    "aresame",
    "equalvalues",
    "exactly",
    "deepequal",
    "deepequals",
    "strictequal",
    "streq",
    "strequal",
    "arrayequals",
    "iterableequals",
    "contentequals",
    "erroris",
    "matcherror",
    "errorequal",
    "equalerror",
    "be",
    "is",
];

/// Packages and classes with functions of two values.
pub const PACKAGES: [&str; 14] = [
    "errors",
    "strings",
    "slices",
    "bytes",
    "reflect",
    "cmp",
    "String",
    "Enum",
    "Objects",
    "Arrays",
    "Enumerable",
    "maps",
    "Map",
    "Kernel",
];

/// Links of chains that say nothing about the relation.
pub const FILLERS: [&str; 12] =
    ["to", "be", "is", "that", "should", "does", "has", "as", "describedas", "because", "withfailmessage", "qt"];

/// Words before and behind the name of a relation.
pub const BEFORE: [&str; 14] =
    ["xct", "expect", "assert", "require", "check", "boost", "should", "must", "to", "be", "is", "have", "has", "are"];

/// The relation that a matcher or a method names.
pub fn relation(name: &str) -> String {
    let bare: String = name.to_ascii_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let rest = BEFORE
        .iter()
        .fold(bare.as_str(), |rest, word| rest.strip_prefix(word).filter(|rest| !rest.is_empty()).unwrap_or(rest));
    if bare == "assertis" || bare == "assertisnot" {
        return "isa".to_string();
    }
    let positive = rest.strip_prefix("not").filter(|rest| !rest.is_empty());
    let known = |rest: &str| RELATIONS.iter().find(|(_, words)| words.contains(&rest)).map(|(relation, _)| *relation);
    let found =
        known(rest).or_else(|| known(rest.strip_suffix("to")?)).or_else(|| known(&bare)).or_else(|| known(positive?));
    found.unwrap_or(rest).to_string()
}
