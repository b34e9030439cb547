//! Queries in tree-sitter's syntax, read and matched without tree-sitter's own query engine, whose start takes up to 1.5 s.
//! man: rg-outline(5)

mod match_list;
pub mod matcher;
mod names;
mod parser;
mod text;

use crate::tree::ERROR;
use regex::bytes::Regex;
use std::cell::OnceCell;
use tree_sitter::Language;

/// The queries of one language.
#[derive(Debug)]
pub struct Query {
    patterns: Vec<Pattern>,
    /// The names of the captures, without `@`.
    pub captures: Vec<String>,
    /// How many kinds of nodes the grammar has.
    kind_count: usize,
    /// The expressions of `#match?`, each compiled at its first use.
    expressions: Vec<(String, OnceCell<Option<Regex>>)>,
}

/// Some patterns of a query, by the node at which they may begin.
#[derive(Debug)]
pub struct Selection {
    /// The patterns of all kinds of nodes, one kind after the other.
    of_kinds: Vec<u16>,
    /// Where the patterns of each kind begin, by the number of the kind; the last kind is that of broken syntax.
    starts: Vec<u32>,
    /// The patterns that may begin at every node.
    anywhere: Vec<u16>,
}

impl Selection {
    /// Whether no pattern is selected.
    fn is_empty(&self) -> bool {
        self.anywhere.is_empty() && self.of_kinds.is_empty()
    }

    /// The patterns that may begin at a node of a kind, besides those that may begin anywhere.
    fn of(&self, kind: u16) -> &[u16] {
        let at = usize::from(kind).min(self.starts.len() - 2);
        &self.of_kinds[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
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

    /// The patterns that have a capture, or those that do not.
    pub fn selection(&self, capture: Option<u16>, has_it: bool) -> Selection {
        let last = self.kind_count;
        let (mut by_kind, mut anywhere) = (vec![Vec::new(); last + 1], Vec::new());
        for (number, pattern) in (0..).zip(&self.patterns) {
            if capture.is_some_and(|capture| pattern.captures.contains(&capture)) != has_it {
                continue;
            }
            match first_kinds(&pattern.items) {
                Some(kinds) => kinds.iter().for_each(|kind| by_kind[usize::from(*kind).min(last)].push(number)),
                None => anywhere.push(number),
            }
        }
        let mut starts = vec![0];
        let mut of_kinds: Vec<u16> = Vec::new();
        for patterns in by_kind {
            of_kinds.extend(patterns);
            starts.push(of_kinds.len() as u32);
        }
        Selection { of_kinds, starts, anywhere }
    }
}

/// The kinds of nodes at which a list may begin; none for all.
fn first_kinds(items: &[Item]) -> Option<Vec<u16>> {
    match &items.first()?.what {
        What::Node(Node { kind: Kind::Of(kinds) | Kind::Token(kinds), .. }) => Some(kinds.all.clone()),
        What::Node(_) => None,
        What::Group(items) => first_kinds(items),
        What::Choice(choices) => {
            let mut all = Vec::new();
            for choice in choices {
                all.extend(first_kinds(std::slice::from_ref(choice))?);
            }
            all.sort_unstable();
            all.dedup();
            Some(all)
        }
    }
}

/// One pattern: what has to follow each other below one parent, mostly a single node.
#[derive(Debug)]
struct Pattern {
    items: Vec<Item>,
    tests: Vec<Test>,
    properties: Vec<(String, String)>,
    captures: Vec<u16>,
    /// What the first node must have: a test that is quicker than the match.
    needs: Vec<Need>,
}

/// A child that a node must have for a pattern to match.
#[derive(Debug)]
struct Need {
    field: u16,
    /// Its kinds; none if it may be of any.
    kinds: Option<Kinds>,
    /// The tests of the pattern that the child must pass, by their index.
    tests: Vec<usize>,
    /// What the child must have.
    needs: Vec<Need>,
}

/// What a node must have for these items to match its children.
fn needs(children: &[Item], tests: &[Test]) -> Vec<Need> {
    let required = children.iter().filter(|item| item.field != 0 && matches!(item.count, Count::One | Count::Some));
    let need = |item: &Item| {
        let is_of = |test: &Test| test.is_early && item.captures.contains(&test.capture);
        let kinds = first_kinds(std::slice::from_ref(item)).map(Kinds::of);
        let inner = if let What::Node(node) = &item.what { needs(&node.children, tests) } else { Vec::new() };
        let tests: Vec<usize> = (0..tests.len()).filter(|at| is_of(&tests[*at])).collect();
        let says_something = kinds.is_some() || !tests.is_empty() || !inner.is_empty();
        says_something.then_some(Need { field: item.field, kinds, tests, needs: inner })
    };
    required.filter_map(need).collect()
}

impl Pattern {
    fn of(items: Vec<Item>, tests: Vec<Test>, properties: Vec<(String, String)>, captures: Vec<u16>) -> Pattern {
        let children = match items.first().map(|item| &item.what) {
            Some(What::Node(node)) => node.children.as_slice(),
            _ => &[],
        };
        let needs = needs(children, &tests);
        Pattern { items, tests, properties, captures, needs }
    }
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
    Of(Kinds),
    /// Punctuation or a keyword.
    Token(Kinds),
}

/// A set of kinds.
#[derive(Clone, Debug)]
struct Kinds {
    all: Vec<u16>,
    /// A bit for each kind up to the largest of the grammar's.
    bits: Vec<u64>,
}

impl Kinds {
    fn of(all: Vec<u16>) -> Kinds {
        let known = || all.iter().filter(|kind| **kind != ERROR).map(|kind| usize::from(*kind));
        let mut bits = vec![0; known().max().map_or(0, |largest| largest / 64 + 1)];
        known().for_each(|kind| bits[kind / 64] |= 1 << (kind % 64));
        Kinds { all, bits }
    }

    fn has(&self, kind: u16) -> bool {
        match self.bits.get(usize::from(kind) / 64) {
            Some(bits) => bits >> (kind % 64) & 1 == 1,
            None => kind == ERROR && self.all.contains(&kind),
        }
    }
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
        crate::limits::Deadline::after(std::time::Duration::from_secs(20))
    }

    /// What the captures of each match hold, as text.
    fn found(query: &str, text: &str) -> Vec<String> {
        let query = load(query).unwrap();
        let tree = Tree::parse(&javascript(), text.as_bytes(), text.as_bytes(), soon()).unwrap();
        let all = matches(&query, &query.selection(None, false), &tree, &Aliases::new(), soon()).unwrap();
        let all = all.list();
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
                let _ = matches(&query, &query.selection(None, false), &tree, &Aliases::new(), soon());
            }
        }
    }
}
