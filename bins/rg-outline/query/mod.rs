//! Queries in tree-sitter's syntax, read and matched without tree-sitter's own query engine, whose start takes up to 1.5 s.
//! man: rg-outline(5)

pub mod matcher;
mod names;
mod parser;
mod text;

use regex::bytes::Regex;
use std::cell::OnceCell;
use std::collections::HashMap;
use tree_sitter::Language;

/// The queries of one language.
#[derive(Debug)]
pub struct Query {
    patterns: Vec<Pattern>,
    /// The names of the captures, without `@`.
    pub captures: Vec<String>,
    /// The patterns that may begin at a node of each kind.
    by_kind: HashMap<u16, Vec<u16>>,
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
#[derive(Debug)]
struct Test {
    capture: u16,
    is_negated: bool,
    what: TestKind,
}

#[derive(Debug)]
enum TestKind {
    Capture(u16),
    Words(Vec<String>),
    /// An expression, and itself compiled at its first use.
    Pattern(String, OnceCell<Option<Regex>>),
}
