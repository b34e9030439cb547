//! A syntax tree as a flat list: the nodes in the order of the text, each with the index at which its descendants end.
//!
//! A list needs no recursion, has parents, and is smaller than tree-sitter's own tree.

use crate::limits::Deadline;
use std::ops::{ControlFlow, Range};
use tree_sitter::{Language, ParseOptions, Parser};

/// The index of a node.
pub type Id = u32;

/// The kind of a node with broken syntax.
pub const ERROR: u16 = u16::MAX;

/// Why a text was given up.
pub const TOO_LONG: &str = "it takes too long to parse";

/// How often the parser asks before the clock is read.
const ASKED: u32 = 16;

const NAMED: u16 = 1 << 12;
const EXTRA: u16 = 1 << 13;
const MISSING: u16 = 1 << 14;
const FIELD: u16 = NAMED - 1;

/// One node.
#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    end: u32,
    /// The index behind its last descendant.
    next: Id,
    parent: Id,
    kind: u16,
    /// The field that it has in its parent, and flags.
    bits: u16,
}

/// The tree of one text.
pub struct Tree<'a> {
    /// The text.
    pub text: &'a [u8],
    nodes: Vec<Node>,
    lines: Vec<u32>,
    language: Language,
}

impl<'a> Tree<'a> {
    /// Parses a text. `source` is what the parser sees of it, byte by byte. The error says why it could not be parsed.
    pub fn parse(language: &Language, text: &'a [u8], source: &[u8], deadline: Deadline) -> Result<Tree<'a>, String> {
        let mut parser = Parser::new();
        parser.set_language(language).map_err(|error| error.to_string())?;
        // The clock of the thread is a system call, and the parser asks every hundred steps.
        let mut asked = 0u32;
        let mut stop = |_: &_| {
            asked = asked.wrapping_add(1);
            match asked.is_multiple_of(ASKED) && deadline.is_over() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let options = ParseOptions::new().progress_callback(&mut stop);
        let mut chunk = |offset: usize, _| source.get(offset..).unwrap_or_default();
        let parsed = parser.parse_with_options(&mut chunk, None, Some(options)).ok_or(TOO_LONG)?;
        // What the parser keeps for another text is freed before the copy is made.
        drop(parser);
        let lines = [0].into_iter().chain(memchr::memchr_iter(b'\n', text).map(|at| at as u32 + 1)).collect();
        Ok(Tree { text, nodes: flatten(language, &parsed), lines, language: language.clone() })
    }

    /// How many nodes it has.
    pub fn len(&self) -> Id {
        self.nodes.len() as Id
    }

    /// The kind.
    pub fn kind(&self, id: Id) -> u16 {
        self.nodes[id as usize].kind
    }

    /// The name of its kind.
    pub fn kind_name(&self, id: Id) -> &'static str {
        self.language.node_kind_for_id(self.kind(id)).unwrap_or_default()
    }

    /// The name of its field in its parent; empty for none.
    pub fn field_name(&self, id: Id) -> &'static str {
        self.language.field_name_for_id(self.field(id)).unwrap_or_default()
    }

    /// The field in its parent; 0 for none.
    pub fn field(&self, id: Id) -> u16 {
        self.nodes[id as usize].bits & FIELD
    }

    /// Whether it has a name in the grammar. The others are punctuation and keywords.
    pub fn is_named(&self, id: Id) -> bool {
        self.nodes[id as usize].bits & NAMED != 0
    }

    /// Whether it may stand anywhere, like a comment.
    pub fn is_extra(&self, id: Id) -> bool {
        self.nodes[id as usize].bits & EXTRA != 0
    }

    /// Whether the syntax is broken here.
    pub fn is_broken(&self, id: Id) -> bool {
        self.nodes[id as usize].bits & MISSING != 0 || self.kind(id) == ERROR
    }

    /// The index behind its last descendant: its next sibling, if it has one.
    pub fn next(&self, id: Id) -> Id {
        self.nodes[id as usize].next
    }

    /// The node around it; the root is its own.
    pub fn parent(&self, id: Id) -> Id {
        self.nodes[id as usize].parent
    }

    /// Whether it has no children.
    pub fn is_leaf(&self, id: Id) -> bool {
        self.next(id) == id + 1
    }

    /// The first of its descendants that has no children, or itself.
    pub fn first_leaf(&self, id: Id) -> Id {
        let mut leaf = id;
        while !self.is_leaf(leaf) {
            leaf += 1;
        }
        leaf
    }

    /// The bytes that it covers.
    pub fn range(&self, id: Id) -> Range<usize> {
        let node = &self.nodes[id as usize];
        node.start as usize..node.end as usize
    }

    /// The text that it covers.
    pub fn text_of(&self, id: Id) -> &'a [u8] {
        &self.text[self.range(id)]
    }

    /// Its children.
    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let end = self.next(id);
        let first = (id + 1 < end).then_some(id + 1);
        std::iter::successors(first, move |child| Some(self.next(*child)).filter(|next| *next < end))
    }

    /// The line of a byte, from 1.
    pub fn line(&self, byte: usize) -> u64 {
        self.lines.partition_point(|start| *start as usize <= byte) as u64
    }

    /// The bytes of a line, from 1, without its end.
    pub fn bytes_of_line(&self, line: u64) -> Range<usize> {
        let line = line as usize;
        let start = line.checked_sub(1).and_then(|at| self.lines.get(at)).map_or(self.text.len(), |at| *at as usize);
        let end = self.lines.get(line).map_or(self.text.len(), |at| *at as usize);
        start..end - usize::from(end > start && self.text[end - 1] == b'\n')
    }

    /// How many lines it has.
    pub fn line_count(&self) -> u64 {
        self.lines.len() as u64
    }

    /// The first node that begins at or behind a byte.
    pub fn first_from(&self, byte: usize) -> Id {
        self.nodes.partition_point(|node| (node.start as usize) < byte) as Id
    }
}

fn flatten(language: &Language, tree: &tree_sitter::Tree) -> Vec<Node> {
    let root = tree.root_node();
    let is_named: Vec<bool> =
        (0..language.node_kind_count()).map(|kind| language.node_kind_is_named(kind as u16)).collect();
    // In Python the text of a string holds only its escapes as nodes: the whole text is one leaf.
    let text_kind = language.id_for_node_kind("string_content", true);
    let mut nodes = Vec::with_capacity(root.descendant_count());
    let mut cursor = root.walk();
    let mut open: Vec<Id> = Vec::new();
    loop {
        let node = cursor.node();
        let flag = |is_set: bool, bit: u16| if is_set { bit } else { 0 };
        let (start, end, kind) = (node.start_byte() as u32, node.end_byte() as u32, node.kind_id());
        let is_named = is_named.get(usize::from(kind)).copied().unwrap_or_else(|| node.is_named());
        let is_missing = start == end && node.is_missing();
        let bits = flag(is_named, NAMED) | flag(node.is_extra(), EXTRA) | flag(is_missing, MISSING);
        let field = cursor.field_id().map_or(0, |id| id.get()) & FIELD;
        let id = nodes.len() as Id;
        let parent = open.last().copied().unwrap_or(0);
        nodes.push(Node { start, end, next: id + 1, parent, kind, bits: bits | field });
        if kind != text_kind && cursor.goto_first_child() {
            open.push(id);
            continue;
        }
        while !cursor.goto_next_sibling() {
            let Some(closed) = open.pop() else { return nodes };
            nodes[closed as usize].next = nodes.len() as Id;
            cursor.goto_parent();
        }
    }
}
