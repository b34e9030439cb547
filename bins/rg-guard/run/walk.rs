//! Walks over what was read, in the order in which a shell would run it.

use super::call::Call;
use super::marks::{self, PRINTED, SOME};
use super::mounts::Mount;
use super::scope::{ALTERNATIVES, Scope, Values};
use super::simple::first_word;
use crate::shell::{Compound, DEPTH, Direction, Node, PIECES, Shape, Simple, Span, read};
use std::rc::Rc;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was seen.
    Whole,
    /// It goes deeper than anybody follows.
    TooDeep,
    /// It is more than anybody follows.
    TooMuch,
    /// It could not be read as a shell would read it.
    Broken(usize, &'static str),
}

/// What a list of commands reads, and whether anybody wants to know what it prints.
#[derive(Clone, Default)]
pub struct Io {
    pub input: Option<Rc<str>>,
    pub capture: bool,
}

/// The work that is done for any command, and for each byte of it on top.
const FUEL: usize = 2 << 20;
const FUEL_PER_BYTE: usize = 32;

/// How many lists of commands may stand inside each other, in all texts together: what the stack holds several times over.
const NESTING: usize = 2 * DEPTH;

/// The most rounds of a loop that are gone through one by one.
const ROUNDS: usize = 32;

/// A walk.
pub struct Walker<'a> {
    pub scope: Scope,
    /// Called with each command; true ends the walk.
    visit: &'a mut dyn FnMut(&Call) -> bool,
    fuel: usize,
    pub depth: usize,
    /// How many lists of commands are being walked over, one inside of the other.
    nesting: usize,
    stopped: bool,
    too_deep: bool,
    broken: Option<(usize, &'static str)>,
    loops: usize,
    pub away: bool,
    pub fresh: bool,
    pub mounts: Rc<[Mount]>,
    pub links: Rc<[Mount]>,
    pub reader: Option<String>,
    pub trail: Vec<String>,
    /// Functions that are running.
    pub running: Vec<String>,
    processes: usize,
    /// How many pieces of text are being walked over, one text inside of the other.
    pieces: usize,
}

impl<'a> Walker<'a> {
    pub fn new(scope: Scope, length: usize, visit: &'a mut dyn FnMut(&Call) -> bool) -> Walker<'a> {
        Walker {
            scope,
            visit,
            fuel: FUEL + FUEL_PER_BYTE * length,
            depth: 0,
            nesting: 0,
            stopped: false,
            too_deep: false,
            broken: None,
            loops: 0,
            away: false,
            fresh: false,
            mounts: Rc::default(),
            links: Rc::default(),
            reader: None,
            trail: Vec::new(),
            running: Vec::new(),
            processes: 0,
            pieces: 0,
        }
    }

    /// Walks over a whole text.
    pub fn walk(&mut self, text: &str) -> Outcome {
        self.text(text, None, &Io::default());
        match self.broken {
            _ if self.stopped => Outcome::Whole,
            _ if self.too_deep => Outcome::TooDeep,
            _ if self.exhausted() => Outcome::TooMuch,
            Some((at, why)) => Outcome::Broken(at, why),
            None => Outcome::Whole,
        }
    }

    pub fn spend(&mut self, amount: usize) {
        self.fuel = self.fuel.saturating_sub(amount);
    }

    pub fn exhausted(&self) -> bool {
        self.fuel == 0
    }

    fn over(&self) -> bool {
        self.stopped || self.exhausted()
    }

    /// Shows a command to whoever judges.
    pub fn show(&mut self, call: &Call) {
        self.spend(400 + 24 * call.args.len());
        if !self.over() && (self.visit)(call) {
            self.stopped = true;
        }
    }

    /// Reads a text that a shell would run, and walks over it. Returns what it prints, when that is wanted.
    pub fn text(&mut self, text: &str, place: Option<Span>, io: &Io) -> String {
        if self.depth >= DEPTH {
            self.too_deep = true;
            return String::new();
        }
        self.spend(text.len() * 4);
        if self.over() {
            return String::new();
        }
        let tree = read(text, place);
        self.too_deep |= tree.too_deep;
        if self.broken.is_none() {
            self.broken = tree.broken.map(|(at, why)| (place.map_or(at, |place| place.start), why));
        }
        self.depth += 1;
        self.pieces += tree.pieces;
        if self.pieces > PIECES {
            self.fuel = 0;
        }
        let printed = self.nodes(&tree.nodes, io);
        self.pieces -= tree.pieces;
        self.depth -= 1;
        printed
    }

    /// What a substitution prints.
    pub fn output_of(&mut self, body: &[Node]) -> String {
        // `$(<file)`
        if let [Node::Simple(Simple { words, assigns, redirects, .. })] = body
            && words.is_empty()
            && assigns.is_empty()
            && redirects.iter().any(|r| r.direction == Direction::Read)
        {
            let target = self.expand_one(&redirects[0].target).all.concat();
            return self.scope.file(&target).map_or_else(|| marks::FILE.to_string(), |held| held.to_string());
        }
        let reader = self.reader.take();
        let printed = self.apart(|walker| walker.nodes(body, &Io { input: None, capture: true }));
        self.reader = reader;
        printed
    }

    /// A name for what `<(...)` prints.
    pub fn process(&mut self, body: &[Node], reads: bool) -> String {
        let printed = if reads {
            self.output_of(body)
        } else {
            let io = Io { input: Some(PRINTED.to_string().into()), capture: false };
            self.apart(|walker| walker.nodes(body, &io));
            String::new()
        };
        self.processes += 1;
        let path = format!("/dev/fd/{}", 60 + self.processes);
        self.scope.files.insert(path.clone(), printed.into());
        path
    }

    /// Does something whose changes end with it, as a subshell does.
    pub fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.scope.mark();
        let (cwd, before, stack) = (self.scope.cwd.clone(), self.scope.before.clone(), self.scope.stack.clone());
        let done = work(self);
        self.scope.take_back(mark);
        (self.scope.cwd, self.scope.before, self.scope.stack) = (cwd, before, stack);
        done
    }

    /// Does something that may as well not happen.
    fn perhaps(&mut self, work: impl FnOnce(&mut Self) -> String) -> String {
        let mark = self.scope.mark();
        let printed = work(self);
        self.scope.may_have(mark);
        printed
    }

    pub fn nodes(&mut self, nodes: &[Node], io: &Io) -> String {
        let mut printed = String::new();
        // Texts inside of each other may each be as deep as one may be.
        if self.nesting >= NESTING {
            self.too_deep = true;
            return printed;
        }
        self.nesting += 1;
        for node in nodes {
            if self.over() {
                break;
            }
            printed.push_str(&self.node(node, io));
        }
        self.nesting -= 1;
        self.spend(printed.len());
        printed
    }

    fn node(&mut self, node: &Node, io: &Io) -> String {
        self.spend(16);
        match node {
            Node::Simple(simple) => self.simple(simple, io),
            Node::Pipeline(stages) => self.pipeline(stages, io),
            Node::AndOr(nodes) => {
                let mut printed = String::new();
                for (number, node) in nodes.iter().enumerate() {
                    printed.push_str(&match number {
                        0 => self.node(node, io),
                        _ => self.perhaps(|walker| walker.node(node, io)),
                    });
                }
                printed
            }
            Node::Background(node) => self.apart(|walker| walker.node(node, io)),
            Node::Compound(compound) => self.compound(compound, io),
        }
    }

    fn pipeline(&mut self, stages: &[Node], io: &Io) -> String {
        let mut input = io.input.clone();
        let outer = self.reader.clone();
        let last = stages.len() - 1;
        let mut printed = String::new();
        for (number, stage) in stages.iter().enumerate() {
            self.reader = match stages.last() {
                Some(Node::Simple(simple)) if number < last => Some(first_word(simple)),
                _ if number < last => Some(String::new()),
                _ => outer.clone(),
            };
            let capture = number < last || io.capture;
            printed = self.apart(|walker| walker.node(stage, &Io { input: input.take(), capture }));
            self.spend(printed.len());
            if number < last {
                input = Some(std::mem::take(&mut printed).into());
            }
        }
        self.reader = outer;
        printed
    }

    fn compound(&mut self, compound: &Compound, io: &Io) -> String {
        let mut call = Call { cwd: self.scope.cwd.clone(), span: compound.span, ..Call::default() };
        let mut io = io.clone();
        let goes_to = self.redirects(&compound.redirects, &mut call, &mut io);
        if !call.writes.is_empty() {
            self.show(&call);
        }
        io.capture |= goes_to.is_some();
        let printed = self.shape(&compound.shape, compound.span, &io);
        self.keep(goes_to, printed)
    }

    fn shape(&mut self, shape: &Shape, span: Span, io: &Io) -> String {
        match shape {
            Shape::Group(body) => self.nodes(body, io),
            Shape::Subshell(body) => self.apart(|walker| walker.nodes(body, io)),
            Shape::If(arms, otherwise) => {
                let mut printed = String::new();
                for (condition, body) in arms {
                    self.nodes(condition, io);
                    printed.push_str(&self.perhaps(|walker| walker.nodes(body, io)));
                }
                printed.push_str(&self.perhaps(|walker| walker.nodes(otherwise, io)));
                printed
            }
            Shape::While(condition, body) => {
                let mark = self.scope.mark();
                let mut printed = self.perhaps(|walker| walker.round(condition, body, io));
                // What the first round sets is there in the next.
                if self.scope.mark() > mark && self.loops < 2 {
                    printed.push_str(&self.perhaps(|walker| walker.round(condition, body, io)));
                }
                printed
            }
            Shape::For(name, words, body) => {
                let values = match words {
                    Some(words) => self.expand_all(words).into_iter().map(|arg| arg.text).collect(),
                    None => self.scope.value("@").all,
                };
                self.rounds(name, values, body, io)
            }
            Shape::Count(parts, body) => {
                self.text_of(parts);
                self.perhaps(|walker| walker.nodes(body, io))
            }
            Shape::Case(subject, arms) => {
                self.expand_one(subject);
                let mut printed = String::new();
                for (patterns, body) in arms {
                    for pattern in patterns {
                        self.expand_one(pattern);
                    }
                    printed.push_str(&self.perhaps(|walker| walker.nodes(body, io)));
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
                    self.expand_one(word);
                }
                String::new()
            }
            Shape::Arithmetic(parts) => {
                self.text_of(parts);
                String::new()
            }
        }
    }

    fn round(&mut self, condition: &[Node], body: &[Node], io: &Io) -> String {
        self.loops += 1;
        self.nodes(condition, io);
        let printed = self.nodes(body, io);
        self.loops -= 1;
        printed
    }

    fn rounds(&mut self, name: &str, values: Vec<String>, body: &[Node], io: &Io) -> String {
        let mut printed = String::new();
        if values.len() > ROUNDS || self.loops > 1 {
            let mut all: Vec<String> = values.into_iter().take(ALTERNATIVES - 1).collect();
            all.push(SOME.to_string());
            self.scope.set(name, Values { all, list: false });
            return self.perhaps(|walker| walker.nodes(body, io));
        }
        self.loops += 1;
        for value in values {
            self.scope.set(name, Values::one(marks::plain_names(&value)));
            printed.push_str(&self.perhaps(|walker| walker.nodes(body, io)));
        }
        self.loops -= 1;
        printed
    }
}

/// Whether a function starts itself in the background or in a pipeline: it never ends.
fn calls_itself_twice(name: &str, body: &[Node]) -> bool {
    fn calls(name: &str, node: &Node, twice: bool) -> bool {
        let any = |nodes: &[Node], twice: bool| nodes.iter().any(|node| calls(name, node, twice));
        match node {
            Node::Simple(simple) => twice && first_word(simple) == name,
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
