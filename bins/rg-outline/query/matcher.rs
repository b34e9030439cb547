//! Matches patterns against a tree. It recurses over the pattern, never over the tree.

pub use super::match_list::{Match, Matches};
use super::{Count, Item, Kind, Need, Node, Pattern, Query, Selection, Test, TestKind, What};
use crate::limits::Deadline;
use crate::tree::{Id, Tree};
use regex::bytes::{Regex, RegexBuilder};
use std::collections::HashMap;

/// The longest run of repetitions: each of them takes some of the stack.
const RUN: u32 = 256;

/// After how many steps it looks at the clock.
const STEPS: u32 = 1 << 16;

/// The texts that a name may stand for, as the file defines it.
pub type Aliases<'a> = HashMap<&'a [u8], Vec<&'a [u8]>>;

/// The matches of the selected patterns, in the order of the text. None after the deadline.
pub fn matches(
    query: &Query,
    selection: &Selection,
    tree: &Tree,
    aliases: &Aliases,
    deadline: Deadline,
) -> Option<Matches> {
    if selection.is_empty() {
        return Some(Matches::default());
    }
    let mut run = Run {
        open: 0,
        query,
        current: None,
        memo: vec![(Id::MAX, false); query.expressions.len()],
        tree,
        aliases,
        captures: Vec::new(),
        fields: Vec::new(),
        found: Matches::default(),
        steps: 0,
        deadline,
        is_late: false,
    };
    for id in 0..tree.len() {
        let first = selection.of(tree.kind(id));
        if !first.is_empty() {
            run.fields.clear();
            let children = tree.children(id).map(|child| (tree.field(child), child));
            run.fields.extend(children.filter(|(field, _)| *field != 0));
        }
        for number in first {
            if run.has_needed(*number) {
                run.pattern(*number, id);
            }
        }
        for number in &selection.anywhere {
            run.pattern(*number, id);
        }
        if run.step() {
            return None;
        }
    }
    Some(run.found)
}

struct Run<'a> {
    /// How many repetitions are open.
    open: u32,
    query: &'a Query,
    /// The pattern that is being matched.
    current: Option<&'a Pattern>,
    /// The last node that each expression was applied to, and whether it matched.
    memo: Vec<(Id, bool)>,
    tree: &'a Tree<'a>,
    aliases: &'a Aliases<'a>,
    captures: Vec<(u16, Id)>,
    /// The fields of the children of the node at which patterns begin, and these children.
    fields: Vec<(u16, Id)>,
    found: Matches,
    steps: u32,
    deadline: Deadline,
    is_late: bool,
}

/// What has to match after an element did; it gets the next sibling.
type Rest<'r, 'a> = &'r mut dyn FnMut(&mut Run<'a>, Id) -> bool;

impl<'a> Run<'a> {
    /// Counts a step. True after the deadline.
    fn step(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(STEPS) && self.deadline.is_over() {
            self.is_late = true;
        }
        self.is_late
    }

    /// Whether the node has the children that a pattern needs.
    fn has_needed(&mut self, number: u16) -> bool {
        let query = self.query;
        let pattern = &query.patterns[number as usize];
        pattern.needs.iter().all(|need| {
            (0..self.fields.len()).any(|at| {
                let (field, child) = self.fields[at];
                field == need.field && self.meets(pattern, need, child)
            })
        })
    }

    /// Whether a node may be the child that a pattern needs.
    fn meets(&mut self, pattern: &Pattern, need: &Need, id: Id) -> bool {
        let tree = self.tree;
        need.kinds.as_ref().is_none_or(|kinds| kinds.has(tree.kind(id)))
            && need.tests.iter().all(|at| self.holds_for(&pattern.tests[*at], id))
            && need.needs.iter().all(|inner| {
                tree.children(id).any(|child| tree.field(child) == inner.field && self.meets(pattern, inner, child))
            })
    }

    /// All matches of a pattern that begin at a node.
    fn pattern(&mut self, number: u16, id: Id) {
        let query = self.query;
        let pattern = &query.patterns[number as usize];
        let Some((first, rest)) = pattern.items.split_first() else { return };
        self.current = Some(pattern);
        let end = self.tree.next(self.tree.parent(id));
        let mut report = |run: &mut Run<'a>, _: Id| {
            if pattern.tests.iter().all(|test| test.is_early || run.holds(test)) {
                run.found.push(number, &run.captures);
            }
            true
        };
        self.captures.clear();
        self.here(first, id, &mut |run, next| match first.count {
            Count::Any | Count::Some => {
                run.repeat(first, next, end, &mut |run, next| run.list(rest, next, end, &mut report))
            }
            _ => run.list(rest, next, end, &mut report),
        });
    }

    /// Siblings from `at` on match the items.
    fn list(&mut self, items: &[Item], at: Id, end: Id, rest: Rest<'_, 'a>) -> bool {
        match items.split_first() {
            None => rest(self, at),
            Some((item, others)) => {
                self.item(item, item.is_anchored, at, end, &mut |run, next| run.list(others, next, end, rest))
            }
        }
    }

    fn item(&mut self, item: &Item, is_anchored: bool, at: Id, end: Id, rest: Rest<'_, 'a>) -> bool {
        match item.count {
            Count::One => self.once(item, is_anchored, at, end, rest),
            Count::Optional => self.once(item, is_anchored, at, end, rest) || rest(self, at),
            Count::Some => self.some(item, is_anchored, at, end, rest),
            Count::Any => self.some(item, is_anchored, at, end, rest) || rest(self, at),
        }
    }

    /// One or more, which follow each other. A run is taken whole: no other match begins inside it.
    fn some(&mut self, item: &Item, is_anchored: bool, at: Id, end: Id, rest: Rest<'_, 'a>) -> bool {
        let (mut found, mut at) = (false, at);
        while at < end && !self.step() {
            let mut behind = self.tree.next(at);
            found |= self.here(item, at, &mut |run, next| {
                run.repeat(item, next, end, &mut |run, next| {
                    behind = behind.max(next);
                    rest(run, next)
                })
            });
            if is_anchored && !self.may_skip(item, at) {
                break;
            }
            at = behind;
        }
        found
    }

    /// Zero or more, directly behind those that matched; as many as possible.
    fn repeat(&mut self, item: &Item, at: Id, end: Id, rest: Rest<'_, 'a>) -> bool {
        let mut next = at;
        while next < end && self.tree.is_extra(next) && !self.here(item, next, &mut |_, _| true) {
            next = self.tree.next(next);
        }
        let mut more = false;
        if next < end && self.open < RUN && !self.step() {
            self.open += 1;
            more = self.here(item, next, &mut |run, next| run.repeat(item, next, end, rest));
            self.open -= 1;
        }
        more || rest(self, at)
    }

    /// One sibling from `at` on, each in turn.
    fn once(&mut self, item: &Item, is_anchored: bool, at: Id, end: Id, rest: Rest<'_, 'a>) -> bool {
        match &item.what {
            What::Group(items) => {
                let Some((first, others)) = items.split_first() else { return rest(self, at) };
                return self.item(first, is_anchored || first.is_anchored, at, end, &mut |run, next| {
                    run.list(others, next, end, rest)
                });
            }
            What::Choice(choices) if choices.iter().any(|choice| !matches!(choice.what, What::Node(_))) => {
                let mut found = false;
                for choice in choices {
                    let mark = self.captures.len();
                    found |= self.item(choice, is_anchored, at, end, rest);
                    self.captures.truncate(mark);
                }
                return found;
            }
            _ => {}
        }
        let (mut found, mut at) = (false, at);
        while at < end && !self.step() {
            found |= self.is_candidate(item, at) && self.here(item, at, rest);
            if is_anchored && !self.may_skip(item, at) {
                break;
            }
            at = self.tree.next(at);
        }
        found
    }

    /// Whether an anchored item may stand behind this node: comments never count, punctuation only if the item asks for it.
    fn may_skip(&self, item: &Item, id: Id) -> bool {
        self.tree.is_extra(id) || !self.tree.is_named(id) && wants_named(item)
    }

    /// Whether an item may match a node, by the field and the kind.
    fn is_candidate(&self, item: &Item, id: Id) -> bool {
        let is_kind = match &item.what {
            What::Node(Node { kind: Kind::Of(kinds) | Kind::Token(kinds), .. }) => kinds.has(self.tree.kind(id)),
            _ => true,
        };
        is_kind && (item.field == 0 || item.field == self.tree.field(id))
    }

    /// This very node, and what is in it.
    fn here(&mut self, item: &Item, id: Id, rest: Rest<'_, 'a>) -> bool {
        if self.is_late || item.field != 0 && item.field != self.tree.field(id) {
            return false;
        }
        let mark = self.captures.len();
        let found = match &item.what {
            What::Node(node) => self.node(node, &item.captures, id, rest),
            What::Choice(choices) => {
                let mut found = false;
                let choices = if self.is_possible(&item.captures, id) { choices.as_slice() } else { &[] };
                for choice in choices {
                    let inner = self.captures.len();
                    self.captures.extend(item.captures.iter().map(|capture| (*capture, id)));
                    found |= self.here(choice, id, rest);
                    self.captures.truncate(inner);
                }
                found
            }
            What::Group(items) => {
                let end = self.tree.next(self.tree.parent(id));
                match items.split_first() {
                    Some((first, others)) => self.here(first, id, &mut |run, next| run.list(others, next, end, rest)),
                    None => false,
                }
            }
        };
        self.captures.truncate(mark);
        found
    }

    fn node(&mut self, node: &Node, captures: &[u16], id: Id, rest: Rest<'_, 'a>) -> bool {
        let tree = self.tree;
        let is_kind = match &node.kind {
            // A wildcard stands for no comment.
            Kind::Any => !tree.is_extra(id),
            Kind::Named => tree.is_named(id) && !tree.is_extra(id),
            Kind::Of(kinds) | Kind::Token(kinds) => kinds.has(tree.kind(id)),
        };
        if !is_kind
            || !node.absent.is_empty() && tree.children(id).any(|child| node.absent.contains(&tree.field(child)))
        {
            return false;
        }
        if !self.is_possible(captures, id) {
            return false;
        }
        self.captures.extend(captures.iter().map(|capture| (*capture, id)));
        if node.children.is_empty() {
            return rest(self, tree.next(id));
        }
        let end = tree.next(id);
        self.list(&node.children, id + 1, end, &mut |run, mut at| {
            if node.is_closed {
                while at < end && (tree.is_extra(at) || !tree.is_named(at)) {
                    at = tree.next(at);
                }
                if at < end {
                    return false;
                }
            }
            rest(run, end)
        })
    }

    /// Whether the conditions on these captures that can be decided at once hold for a node.
    fn is_possible(&mut self, captures: &[u16], id: Id) -> bool {
        let Some(pattern) = self.current.filter(|_| !captures.is_empty()) else { return true };
        let mut tests = pattern.tests.iter().filter(|test| test.is_early && captures.contains(&test.capture));
        tests.all(|test| self.holds_for(test, id))
    }

    /// Whether a condition holds for all nodes of its capture.
    fn holds(&mut self, test: &Test) -> bool {
        let all = 0..self.captures.len();
        all.into_iter().all(|at| {
            let (capture, node) = self.captures[at];
            capture != test.capture || self.holds_for(test, node)
        })
    }

    fn holds_for(&mut self, test: &Test, node: Id) -> bool {
        let is_met = self.is_met(&test.what, node);
        // A condition that a name meets by itself needs no look at what else it stands for.
        let is_met = is_met || self.other_texts(node).iter().any(|text| self.is_met_by(&test.what, text));
        is_met != test.is_negated
    }

    fn is_met(&mut self, what: &TestKind, node: Id) -> bool {
        let TestKind::Pattern(number) = what else { return self.is_met_by(what, self.tree.text_of(node)) };
        if self.memo[*number].0 != node {
            self.memo[*number] = (node, self.is_met_by(what, self.tree.text_of(node)));
        }
        self.memo[*number].1
    }

    fn is_met_by(&self, what: &TestKind, text: &[u8]) -> bool {
        match what {
            TestKind::Words(words) => words.iter().any(|word| word.as_bytes() == text),
            TestKind::Capture(other) => {
                let mut others = self.captures.iter().filter(|(capture, _)| capture == other);
                others.all(|(_, node)| self.tree.text_of(*node) == text)
            }
            TestKind::Pattern(number) => {
                let (pattern, compiled) = &self.query.expressions[*number];
                compiled.get_or_init(|| compile(pattern)).as_ref().is_some_and(|regex| regex.is_match(text))
            }
        }
    }

    /// The texts that a node may stand for, if it begins with a name that the file defines as another one.
    fn other_texts(&self, node: Id) -> Vec<Vec<u8>> {
        if self.aliases.is_empty() {
            return Vec::new();
        }
        let leaf = self.tree.first_leaf(node);
        let Some(values) = self.aliases.get(self.tree.text_of(leaf)) else { return Vec::new() };
        let behind = &self.tree.text[self.tree.range(leaf).end..self.tree.range(node).end];
        values.iter().map(|value| [value, behind].concat()).collect()
    }
}

fn wants_named(item: &Item) -> bool {
    match &item.what {
        What::Node(node) => match &node.kind {
            Kind::Any | Kind::Token(_) => false,
            Kind::Named | Kind::Of(_) => true,
        },
        What::Choice(items) => items.iter().all(wants_named),
        What::Group(items) => items.first().is_some_and(wants_named),
    }
}

/// An invalid expression matches nothing; a test compiles those of all languages.
pub fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern).unicode(false).build().ok()
}
