//! Queries in tree-sitter's syntax, read and matched without tree-sitter's own query engine, whose start takes up to 1.5 s.
//! man: rg-outline(5)

pub mod matcher;
mod names;
mod parser;
mod text;

use regex::bytes::Regex;
use std::cell::OnceCell;
use tree_sitter::Language;

/// The queries of one language.
#[derive(Debug)]
pub struct Query {
    patterns: Vec<Pattern>,
    /// The names of the captures, without `@`.
    pub captures: Vec<String>,
    /// The patterns that may begin at a node of each kind, by the number of the kind; the last list is that of broken syntax.
    by_kind: Vec<Vec<u16>>,
    /// The expressions of `#match?`, each compiled at its first use.
    expressions: Vec<(String, OnceCell<Option<Regex>>)>,
    /// The patterns that may begin at every node.
    anywhere: Vec<u16>,
}

impl Query {
    /// Reads a query file. The error names the file and the line.
    pub fn load(language: &Language, file: &str, text: &str) -> Result<Query, String> {
        parser::parse(&names::Names::of(language), text).map_err(|(line, why)| format!("{file}:{line}: {why}"))
    }

    /// The value that `#set!` gives a key in a pattern.
    pub fn property(&self, pattern: u16, key: &str) -> Option<&str> {
        let known = self.patterns[pattern as usize].properties.iter().find(|(name, _)| name == key);
        known.map(|(_, value)| value.as_str())
    }

    /// The number of a capture; none if no pattern has it.
    pub fn capture(&self, name: &str) -> Option<u16> {
        self.captures.iter().position(|known| known == name).map(|at| at as u16)
    }

    /// An expression that is not valid.
    #[cfg(test)]
    pub fn check(&self) -> Result<(), String> {
        match self.expressions.iter().find(|(text, _)| matcher::compile(text).is_none()) {
            Some((text, _)) => Err(format!("{text:?} is no expression")),
            None => Ok(()),
        }
    }

    /// Whether a pattern has a capture.
    pub fn has(&self, pattern: u16, capture: u16) -> bool {
        self.patterns[pattern as usize].captures.contains(&capture)
    }
}

/// One pattern: what has to follow each other below one parent, mostly a single node.
#[derive(Debug)]
struct Pattern {
    items: Vec<Item>,
    tests: Vec<Test>,
    properties: Vec<(String, String)>,
    captures: Vec<u16>,
}

/// One element of a list of siblings.
#[derive(Clone, Debug)]
struct Item {
    /// The field that the node must have; 0 for any.
    field: u16,
    count: Count,
    /// Whether nothing but comments may stand before it.
    is_anchored: bool,
    what: What,
    captures: Vec<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    One,
    Optional,
    Any,
    Some,
}

#[derive(Clone, Debug)]
enum What {
    Node(Node),
    /// One of these.
    Choice(Vec<Item>),
    /// These, one after the other.
    Group(Vec<Item>),
}

#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    children: Vec<Item>,
    /// Whether the last child must be the node's last.
    is_closed: bool,
    /// The fields that it must not have.
    absent: Vec<u16>,
}

#[derive(Clone, Debug)]
enum Kind {
    /// `_`
    Any,
    /// `(_)`
    Named,
    /// A node of one of these kinds.
    Of(Vec<u16>),
    /// Punctuation or a keyword.
    Token(Vec<u16>),
}

/// A condition on the text of captured nodes.
#[derive(Clone, Debug)]
struct Test {
    capture: u16,
    is_negated: bool,
    /// Whether it can be decided as soon as the node is captured.
    is_early: bool,
    what: TestKind,
}

#[derive(Clone, Debug)]
enum TestKind {
    Capture(u16),
    Words(Vec<String>),
    /// The number of an expression.
    Pattern(usize),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages;
    use crate::tree::Tree;
    use matcher::{Aliases, matches};
    use proptest::prelude::*;

    fn javascript() -> Language {
        (languages::named("javascript").unwrap().grammar)().unwrap()
    }

    fn load(text: &str) -> Result<Query, String> {
        Query::load(&javascript(), "x.scm", text)
    }

    fn soon() -> crate::limits::Deadline {
        crate::limits::Deadline::after(20)
    }

    /// What the captures of each match hold, as text.
    fn found(query: &str, text: &str) -> Vec<String> {
        let query = load(query).unwrap();
        let tree = Tree::parse(&javascript(), text.as_bytes(), text.as_bytes(), soon()).unwrap();
        let all = matches(&query, &tree, &Aliases::new(), soon(), |_| true).unwrap();
        let shown = |(capture, id): &(u16, u32)| {
            format!("{}={}", query.captures[*capture as usize], String::from_utf8_lossy(tree.text_of(*id)))
        };
        all.iter().map(|found| found.captures.iter().map(shown).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn a_node_matches_with_its_fields_and_its_children() {
        assert_eq!(found("(call_expression function: (identifier) @f)", "f(g.h(1))"), ["f=f"]);
        assert_eq!(found("(arguments (number) @n)", "f(1, a, 2)"), ["n=1", "n=2"]);
        assert_eq!(found("(arguments . (_) @n)", "f(/* x */ a, b)"), ["n=a"]);
        assert_eq!(found("(arguments (_) @n .)", "f(a, b, /* x */)"), ["n=b"]);
        assert_eq!(found("(arguments (_) @a . (number) @b)", "f(1, 2, x, 3)"), ["a=1 b=2", "a=x b=3"]);
        assert_eq!(found("(arguments \",\" @c)", "f(1, 2)"), ["c=,"]);
    }

    #[test]
    fn quantifiers_take_as_much_as_possible() {
        assert_eq!(found("(arguments (number)* @n)", "f(1, 2)"), ["n=1", "n=2"].map(str::to_string).to_vec());
        assert_eq!(found("(array . (number)? @n . (string) @s)", "[1, 'a']; ['b']"), ["n=1 s='a'", "s='b'"]);
        assert_eq!(found("((comment)+ @c . (function_declaration) @f)", "// a\n// b\nfunction f() {}").len(), 2);
    }

    #[test]
    fn choices_and_predicates_restrict() {
        assert_eq!(found("(arguments [(number) (string)] @x)", "f(1, a, 'b')"), ["x=1", "x='b'"]);
        assert_eq!(found("((identifier) @x (#eq? @x \"b\"))", "a; b; c"), ["x=b"]);
        assert_eq!(found("((identifier) @x (#not-eq? @x \"b\"))", "a; b; c"), ["x=a", "x=c"]);
        assert_eq!(found("((identifier) @x (#any-of? @x \"c\" \"a\"))", "a; b; c"), ["x=a", "x=c"]);
        assert_eq!(found("((identifier) @x (#match? @x \"^[ab]$\"))", "a; b; c"), ["x=a", "x=b"]);
        assert_eq!(found("(binary_expression left: (_) @x right: (_) @y (#eq? @x @y))", "a + a; a + b"), ["x=a y=a"]);
        assert_eq!(found("(pair !value)", "({a: 1})").len(), 0);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, why) in [
            ("(identifier) @a\n(nonsense)", "x.scm:2: no node is called \"nonsense\""),
            ("(call_expression nonsense: (_))", "x.scm:1: no field is called \"nonsense\""),
            ("(identifier) @a\n\n\"+++\"", "x.scm:3: no node is called \"+++\""),
            ("(identifier", "x.scm:1: the file ends inside a pattern"),
            ("((identifier) @a (#eq? @b \"c\"))", "x.scm:1: the pattern has no @b"),
            ("((identifier) @a (#is? @a \"c\"))", "x.scm:1: #is? is not known, or has other operands"),
            ("(identifier)*", "x.scm:1: the pattern may match nothing"),
            ("\"a", "x.scm:1: a text without its closing quote"),
        ] {
            assert_eq!(load(text).unwrap_err(), why, "{text}");
        }
        assert!(load(&"(".repeat(100_000)).is_err());
        assert!(load(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        /// Whatever stands in a query file, it is read or refused.
        #[test]
        fn any_query_is_read_or_refused(text in "[\\[\\]()\"@#.!?*+_: \na-z]{0,60}") {
            let _ = load(&text);
        }

        /// A query of valid parts matches any text without a crash.
        #[test]
        fn any_valid_query_matches_any_text(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "(_)", "_", "(identifier)", "(number) @n", "(arguments)", "(_ (_)+ .)", "[(number) (string)] @c",
                    "(_)*", "(_)?", "(string)+ @s", ".", "((identifier) . (_))", "\",\"",
                ]), 1..5),
            text in "[a-z0-9(){}\\[\\];,.'= \n]{0,60}",
        ) {
            if let Ok(query) = load(&format!("(_ {}) @x", parts.join(" "))) {
                let tree = Tree::parse(&javascript(), text.as_bytes(), text.as_bytes(), soon()).unwrap();
                let _ = matches(&query, &tree, &Aliases::new(), soon(), |_| true);
            }
        }
    }
}
