//! The syntax tree: commands, words and their parts, each with its place in the text.

use std::cell::OnceCell;
use std::rc::Rc;

/// A place in the text, in byte offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// The syntax tree of a whole text.
#[derive(Debug, Default)]
pub struct Tree {
    pub nodes: Vec<Node>,
    /// The first syntax error: its offset, and what is wrong. The rest of the text is in the tree.
    pub error: Option<(usize, &'static str)>,
    /// Whether the text is nested deeper than the limit.
    pub too_deep: bool,
    /// How many words and parts were read; past the limit the tree is incomplete.
    pub pieces: usize,
}

/// A command.
#[derive(Debug)]
pub enum Node {
    Simple(Simple),
    /// Commands with pipes between them.
    Pipeline(Vec<Node>),
    /// The first command runs; each further one depends on the one before.
    AndOr(Vec<Node>),
    Background(Box<Node>),
    Compound(Box<Compound>),
}

/// A simple command: its assignments, words and redirections.
#[derive(Debug, Default)]
pub struct Simple {
    pub assigns: Vec<Assign>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
    pub span: Span,
}

impl Simple {
    /// The program's name without its directory; empty where it is not literal.
    pub fn program(&self) -> String {
        match self.words.first().map(|word| word.parts.as_slice()) {
            Some([Part::Text { text, .. }]) => text.rsplit('/').next().unwrap_or("").to_string(),
            _ => String::new(),
        }
    }
}

/// Whether the operands of a command are assignments.
pub fn declares(name: &str) -> bool {
    matches!(name, "export" | "declare" | "local" | "readonly" | "typeset")
}

/// A compound command.
#[derive(Debug)]
pub struct Compound {
    pub shape: Shape,
    pub redirects: Vec<Redirect>,
    pub span: Span,
}

/// The shape of a compound command.
#[derive(Debug)]
pub enum Shape {
    Group(Vec<Node>),
    Subshell(Vec<Node>),
    /// Conditions with their bodies, then the body of `else`, which may be empty.
    If(Vec<(Vec<Node>, Vec<Node>)>, Vec<Node>),
    /// `while` and `until`.
    While(Vec<Node>, Vec<Node>),
    /// `for` and `select`; without words it iterates over the arguments.
    For(String, Option<Vec<Word>>, Vec<Node>),
    /// `for ((...))`.
    Count(Vec<Part>, Vec<Node>),
    Case(Word, Vec<(Vec<Word>, Vec<Node>)>),
    Function(String, Rc<Vec<Node>>),
    /// `[[ ... ]]`: words that are compared, not run.
    Test(Vec<Word>),
    /// `((...))`.
    Arithmetic(Vec<Part>),
}

/// `name=value`, `name+=value`, `name=(a b)`.
#[derive(Debug)]
pub struct Assign {
    pub name: String,
    /// The subscript in brackets after the name.
    pub subscript: Option<String>,
    pub append: bool,
    pub value: Assigned,
}

/// The right side of an assignment.
#[derive(Debug)]
pub enum Assigned {
    One(Word),
    Many(Vec<Word>),
}

/// The kind of a redirection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    Both,
    /// `>&`, `<&`: a copy of another descriptor, or a file.
    Copy,
    /// `<<`, `<<-`
    Heredoc,
    /// `<<<`
    Herestring,
}

/// One redirection.
#[derive(Debug)]
pub struct Redirect {
    /// The file descriptor, where one is given.
    pub fd: Option<u32>,
    pub direction: Direction,
    pub target: Word,
    /// The body of a here-document: one part where the delimiter is quoted.
    pub body: Option<Body>,
}

/// The body of a here-document. It is read after the line with the redirection.
pub type Body = Rc<OnceCell<Vec<Part>>>;

/// One word.
#[derive(Clone, Debug, Default)]
pub struct Word {
    pub parts: Vec<Part>,
    pub span: Span,
}

/// A part of a word.
#[derive(Clone, Debug)]
pub enum Part {
    /// Characters. Unquoted, their wildcards, braces and tildes are active.
    Text { text: Rc<str>, quoted: bool },
    /// `$name`, `${name...}`
    Variable { name: String, op: Op, quoted: bool },
    /// `$(...)` and backquotes.
    Output { body: Rc<Vec<Node>>, quoted: bool },
    /// `<(...)`, `>(...)`
    Process { body: Rc<Vec<Node>>, reads: bool },
    /// `$((...))`
    Arithmetic { parts: Vec<Part> },
}

/// The operator of `${name...}`.
#[derive(Clone, Debug)]
pub enum Op {
    Plain,
    /// `:-`, `-`
    Default(Vec<Part>),
    /// `:=`, `=`
    Assign(Vec<Part>),
    /// `:+`, `+`
    Alternate(Vec<Part>),
    /// `:?`, `?`
    Required(Vec<Part>),
    /// `[@]`, `[*]`: each element.
    All,
    /// `[n]`: one element. Its subscript may run commands.
    Element(Vec<Part>),
    /// `${!name}`: the value of the variable that the value names.
    Indirect,
    /// `${#name}`
    Length,
    /// Any other operator, with its sign. The parts may run commands.
    Changed(Vec<Part>),
}
