//! The walker: follows the syntax tree in the order in which a shell would run it.

use super::scope::{MAX_ALTERNATIVES, Scope, Values};
use crate::command::Call;
use crate::command::guarded_programs::is_gate_program;
use crate::command::marks::{self, PRINTED, SOME};
use crate::command::mounts::Mount;
use crate::shell::{Compound, DEPTH, Direction, Node, PIECES, Shape, Simple, Span, read};
use std::rc::Rc;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkEnd {
    /// The walk saw everything, or the judge ended it.
    Complete,
    /// Commands are nested deeper than the limit.
    TooDeep,
    /// The walk used up its fuel.
    TooMuch,
    /// The text has a syntax error.
    SyntaxError,
}

/// The input of a list of commands, and whether its output is needed.
#[derive(Clone, Default)]
pub struct Io {
    pub input: Option<Rc<str>>,
    pub capture: bool,
}

/// The fuel of a walk, and its fuel for each byte of the text.
const FUEL: usize = 2 << 20;
const FUEL_PER_BYTE: usize = 32;

/// The deepest nesting of command lists over all nested texts. The stack has room for several times as many.
const NESTING: usize = 2 * DEPTH;

/// The most iterations of a loop that are walked one by one.
const ROUNDS: usize = 32;

/// A walk over one text.
pub struct Walker<'a> {
    pub scope: Scope,
    /// Called with each simple command; true ends the walk.
    visit: &'a mut dyn FnMut(&Call) -> bool,
    fuel: usize,
    pub depth: usize,
    /// The current nesting of command lists.
    nesting: usize,
    is_stopped: bool,
    is_too_deep: bool,
    has_syntax_error: bool,
    loops: usize,
    pub is_remote: bool,
    pub is_throwaway: bool,
    pub mounts: Rc<[Mount]>,
    pub links: Rc<[Mount]>,
    pub reader: Option<String>,
    pub trail: Vec<String>,
    /// The functions that are being walked.
    pub running_functions: Vec<String>,
    processes: usize,
    /// Whether a program of the gate was shown.
    shows_judge: bool,
    /// How many words and parts the current text and those around it have.
    pieces: usize,
}

impl<'a> Walker<'a> {
    /// A walk over a text of `length` bytes.
    pub fn new(scope: Scope, length: usize, visit: &'a mut dyn FnMut(&Call) -> bool) -> Walker<'a> {
        Walker {
            scope,
            visit,
            fuel: FUEL + FUEL_PER_BYTE * length,
            depth: 0,
            nesting: 0,
            is_stopped: false,
            is_too_deep: false,
            has_syntax_error: false,
            loops: 0,
            is_remote: false,
            is_throwaway: false,
            mounts: Rc::default(),
            links: Rc::default(),
            reader: None,
            trail: Vec::new(),
            running_functions: Vec::new(),
            processes: 0,
            shows_judge: false,
            pieces: 0,
        }
    }

    /// Walks over a whole text.
    pub fn walk(&mut self, text: &str) -> WalkEnd {
        self.run_text(text, None, &Io::default());
        match () {
            _ if self.is_stopped => WalkEnd::Complete,
            _ if self.is_too_deep => WalkEnd::TooDeep,
            _ if self.is_exhausted() => WalkEnd::TooMuch,
            _ if self.has_syntax_error => WalkEnd::SyntaxError,
            _ => WalkEnd::Complete,
        }
    }

    /// Uses up fuel.
    pub fn spend(&mut self, amount: usize) {
        self.fuel = self.fuel.saturating_sub(amount);
    }

    /// Whether the fuel is used up.
    pub fn is_exhausted(&self) -> bool {
        self.fuel == 0
    }

    fn is_over(&self) -> bool {
        self.is_stopped || self.is_exhausted()
    }

    /// Shows a simple command to the judge.
    pub fn show(&mut self, call: &Call) {
        self.spend(400 + 24 * call.args.len());
        self.shows_judge |= is_gate_program(&call.name);
        if !self.is_over() && (self.visit)(call) {
            self.is_stopped = true;
        }
    }

    /// Parses a text that a shell would run, walks over it, and returns its output where that is needed.
    pub fn run_text(&mut self, text: &str, place: Option<Span>, io: &Io) -> String {
        if self.depth >= DEPTH {
            self.is_too_deep = true;
            return String::new();
        }
        self.spend(text.len() * 4);
        if self.is_over() {
            return String::new();
        }
        let tree = read(text, place);
        self.is_too_deep |= tree.too_deep;
        self.has_syntax_error |= tree.error.is_some();
        self.depth += 1;
        self.pieces += tree.pieces;
        if self.pieces > PIECES {
            self.fuel = 0;
        }
        let printed = self.run_nodes(&tree.nodes, io);
        self.pieces -= tree.pieces;
        self.depth -= 1;
        printed
    }

    /// The output of a command substitution.
    pub fn substitution_output(&mut self, body: &[Node]) -> String {
        // `$(<file)`
        if let [Node::Simple(Simple { words, assigns, redirects, .. })] = body
            && words.is_empty()
            && assigns.is_empty()
            && redirects.iter().any(|r| r.direction == Direction::Read)
        {
            let target = self.expand_unsplit(&redirects[0].target).all.concat();
            return self
                .scope
                .file_contents(&target)
                .map_or_else(|| marks::FILE.to_string(), |contents| contents.to_string());
        }
        let reader = self.reader.take();
        let printed = self.in_subshell(|walker| walker.run_nodes(body, &Io { input: None, capture: true }));
        self.reader = reader;
        printed
    }

    /// The path of a process substitution: `<(...)`, `>(...)`.
    pub fn process_substitution(&mut self, body: &[Node], reads: bool) -> String {
        let printed = if reads {
            self.substitution_output(body)
        } else {
            let io = Io { input: Some(PRINTED.to_string().into()), capture: false };
            self.in_subshell(|walker| walker.run_nodes(body, &io));
            String::new()
        };
        self.processes += 1;
        let path = format!("/dev/fd/{}", 60 + self.processes);
        self.scope.files.insert(path.clone(), printed.into());
        path
    }

    /// Does `work` as in a subshell: its changes of the state are undone.
    pub fn in_subshell<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.scope.checkpoint();
        let (cwd, before, stack) = (self.scope.cwd.clone(), self.scope.old_cwd.clone(), self.scope.dir_stack.clone());
        let done = work(self);
        self.scope.undo_since(mark);
        (self.scope.cwd, self.scope.old_cwd, self.scope.dir_stack) = (cwd, before, stack);
        done
    }

    /// Does `work` as something that may not happen: its changes are alternatives.
    fn conditionally(&mut self, work: impl FnOnce(&mut Self) -> String) -> String {
        let mark = self.scope.checkpoint();
        let printed = work(self);
        self.scope.merge_since(mark);
        printed
    }

    /// Runs a list of commands, and returns its output.
    pub fn run_nodes(&mut self, nodes: &[Node], io: &Io) -> String {
        let mut printed = String::new();
        // Each nested text may be as deep as the parser allows, so their sum has its own limit.
        if self.nesting >= NESTING {
            self.is_too_deep = true;
            return printed;
        }
        self.nesting += 1;
        for node in nodes {
            if self.is_over() {
                break;
            }
            printed.push_str(&self.run_node(node, io));
        }
        self.nesting -= 1;
        self.spend(printed.len());
        printed
    }

    fn run_node(&mut self, node: &Node, io: &Io) -> String {
        self.spend(16);
        match node {
            Node::Simple(simple) => self.run_simple(simple, io),
            Node::Pipeline(stages) => self.run_pipeline(stages, io),
            Node::AndOr(nodes) => {
                let mut printed = String::new();
                for (number, node) in nodes.iter().enumerate() {
                    printed.push_str(&match number {
                        0 => self.run_node(node, io),
                        _ => self.conditionally(|walker| walker.run_node(node, io)),
                    });
                }
                printed
            }
            Node::Background(node) => {
                let before = std::mem::take(&mut self.shows_judge);
                let printed = self.in_subshell(|walker| walker.run_node(node, io));
                self.scope.set_background(self.shows_judge);
                self.shows_judge |= before;
                printed
            }
            Node::Compound(compound) => self.run_compound(compound, io),
        }
    }

    fn run_pipeline(&mut self, stages: &[Node], io: &Io) -> String {
        let mut input = io.input.clone();
        let outer = self.reader.clone();
        let last = stages.len() - 1;
        let mut printed = String::new();
        for (number, stage) in stages.iter().enumerate() {
            self.reader = match stages.last() {
                Some(Node::Simple(simple)) if number < last => Some(simple.program()),
                _ if number < last => Some(String::new()),
                _ => outer.clone(),
            };
            let capture = number < last || io.capture;
            printed = self.in_subshell(|walker| walker.run_node(stage, &Io { input: input.take(), capture }));
            self.spend(printed.len());
            if number < last {
                input = Some(std::mem::take(&mut printed).into());
            }
        }
        self.reader = outer;
        printed
    }

    fn run_compound(&mut self, compound: &Compound, io: &Io) -> String {
        let mut call = Call { cwd: self.scope.cwd.clone(), span: compound.span, ..Call::default() };
        let mut io = io.clone();
        let goes_to = self.apply_redirects(&compound.redirects, &mut call, &mut io);
        if !call.writes.is_empty() {
            self.show(&call);
        }
        io.capture |= goes_to.is_some();
        let printed = self.run_shape(&compound.shape, compound.span, &io);
        self.store_output(goes_to, printed)
    }

    fn run_shape(&mut self, shape: &Shape, span: Span, io: &Io) -> String {
        match shape {
            Shape::Group(body) => self.run_nodes(body, io),
            Shape::Subshell(body) => self.in_subshell(|walker| walker.run_nodes(body, io)),
            Shape::If(arms, otherwise) => {
                let mut printed = String::new();
                for (condition, body) in arms {
                    self.run_nodes(condition, io);
                    printed.push_str(&self.conditionally(|walker| walker.run_nodes(body, io)));
                }
                printed.push_str(&self.conditionally(|walker| walker.run_nodes(otherwise, io)));
                printed
            }
            Shape::While(condition, body) => {
                let mark = self.scope.checkpoint();
                let mut printed = self.conditionally(|walker| walker.run_round(condition, body, io));
                // The second iteration sees what the first one sets.
                if self.scope.checkpoint() > mark && self.loops < 2 {
                    printed.push_str(&self.conditionally(|walker| walker.run_round(condition, body, io)));
                }
                printed
            }
            Shape::For(name, words, body) => {
                let values = match words {
                    Some(words) => self.expand_all(words).into_iter().map(|arg| arg.text).collect(),
                    None => self.scope.value("@").all,
                };
                self.run_rounds(name, values, body, io)
            }
            Shape::Count(parts, body) => {
                self.expand_text(parts);
                self.conditionally(|walker| walker.run_nodes(body, io))
            }
            Shape::Case(subject, arms) => {
                self.expand_unsplit(subject);
                let mut printed = String::new();
                for (patterns, body) in arms {
                    for pattern in patterns {
                        self.expand_unsplit(pattern);
                    }
                    printed.push_str(&self.conditionally(|walker| walker.run_nodes(body, io)));
                }
                printed
            }
            Shape::Function(name, body) => {
                if calls_itself_twice(name, body) {
                    let call = Call { name: "fork-bomb".into(), path: name.clone(), span, ..Call::default() };
                    self.show(&call);
                }
                self.scope.functions.insert(name.clone(), body.clone());
                String::new()
            }
            Shape::Test(words) => {
                for word in words {
                    self.expand_unsplit(word);
                }
                String::new()
            }
            Shape::Arithmetic(parts) => {
                self.expand_text(parts);
                String::new()
            }
        }
    }

    fn run_round(&mut self, condition: &[Node], body: &[Node], io: &Io) -> String {
        self.loops += 1;
        self.run_nodes(condition, io);
        let printed = self.run_nodes(body, io);
        self.loops -= 1;
        printed
    }

    fn run_rounds(&mut self, name: &str, values: Vec<String>, body: &[Node], io: &Io) -> String {
        let mut printed = String::new();
        if values.len() > ROUNDS || self.loops > 1 {
            let mut all: Vec<String> = values.into_iter().take(MAX_ALTERNATIVES - 1).collect();
            all.push(SOME.to_string());
            self.scope.set(name, Values { all, is_list: false });
            return self.conditionally(|walker| walker.run_nodes(body, io));
        }
        self.loops += 1;
        for value in values {
            self.scope.set(name, Values::one(marks::expand_wildcards(&value)));
            printed.push_str(&self.conditionally(|walker| walker.run_nodes(body, io)));
        }
        self.loops -= 1;
        printed
    }
}

/// Whether a function starts itself in the background or in a pipeline: a fork bomb.
fn calls_itself_twice(name: &str, body: &[Node]) -> bool {
    fn calls(name: &str, node: &Node, twice: bool) -> bool {
        let any = |nodes: &[Node], twice: bool| nodes.iter().any(|node| calls(name, node, twice));
        match node {
            Node::Simple(simple) => twice && simple.program() == name,
            Node::Pipeline(stages) => any(stages, true),
            Node::Background(node) => calls(name, node, true),
            Node::AndOr(nodes) => any(nodes, twice),
            Node::Compound(compound) => match &compound.shape {
                Shape::Group(body) | Shape::Subshell(body) => any(body, twice),
                Shape::While(_, body) | Shape::For(_, _, body) | Shape::Count(_, body) => any(body, twice),
                Shape::If(arms, otherwise) => arms.iter().any(|(_, body)| any(body, twice)) || any(otherwise, twice),
                _ => false,
            },
        }
    }
    body.iter().any(|node| calls(name, node, false))
}
