//! What a command is once it is read: commands, words and their parts, each with its place in the text.

use std::cell::OnceCell;
use std::rc::Rc;

/// A place in the text that was read, as byte offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// A whole text, read.
#[derive(Debug, Default)]
pub struct Tree {
    pub nodes: Vec<Node>,
    /// What made no sense, and where. Everything that did make sense was read all the same.
    pub error: Option<(usize, &'static str)>,
    /// It was nested deeper than anybody reads.
    pub too_deep: bool,
    /// How many words, and pieces of words, it has; past the bound it is not whole.
    pub pieces: usize,
}

/// A command.
#[derive(Debug)]
pub enum Node {
    Simple(Simple),
    /// Stages with a pipe between them.
    Pipeline(Vec<Node>),
    /// The first runs; each further one depends on the one before.
    AndOr(Vec<Node>),
    Background(Box<Node>),
    Compound(Box<Compound>),
}

/// Words with what stands before and beside them.
#[derive(Debug, Default)]
pub struct Simple {
    pub assigns: Vec<Assign>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
    pub span: Span,
}

impl Simple {
    /// The program's name without its directory; empty where it is not written out.
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

/// A command with commands inside.
#[derive(Debug)]
pub struct Compound {
    pub shape: Shape,
    pub redirects: Vec<Redirect>,
    pub span: Span,
}

/// How commands stand in a compound command.
#[derive(Debug)]
pub enum Shape {
    Group(Vec<Node>),
    Subshell(Vec<Node>),
    /// Conditions and bodies in their order; the last list is the `else`, or empty.
    If(Vec<(Vec<Node>, Vec<Node>)>, Vec<Node>),
    /// `while` and `until`.
    While(Vec<Node>, Vec<Node>),
    /// `for` and `select`; without words it goes over the arguments.
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
    /// What stands between the brackets behind the name.
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

/// What a redirection does.
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
    /// The descriptor that was named.
    pub fd: Option<u32>,
    pub direction: Direction,
    pub target: Word,
    /// The body of a here-document: one part where the delimiter was quoted.
    pub body: Option<Body>,
}

/// The body of a here-document, which is read after the line that asks for it.
pub type Body = Rc<OnceCell<Vec<Part>>>;

/// One word.
#[derive(Clone, Debug, Default)]
pub struct Word {
    pub parts: Vec<Part>,
    pub span: Span,
}

/// A piece of a word.
#[derive(Clone, Debug)]
pub enum Part {
    /// Characters; when they are not quoted, wildcards, braces and a tilde in them are at work.
    Text { text: String, quoted: bool },
    /// `$name`, `${name...}`
    Variable { name: String, op: Op, quoted: bool },
    /// `$(...)` and backticks.
    Output { body: Rc<Vec<Node>>, quoted: bool },
    /// `<(...)`, `>(...)`
    Process { body: Rc<Vec<Node>>, reads: bool },
    /// `$((...))`
    Arithmetic { parts: Vec<Part> },
}

/// What `${name...}` does with the value.
#[derive(Clone, Debug)]
pub enum Op {
    Plain,
    /// `:-`, `-`, `:=`, `=`
    Default(Vec<Part>),
    /// `:=`, `=`
    Assign(Vec<Part>),
    /// `:+`, `+`
    Alternate(Vec<Part>),
    /// `:?`, `?`
    Required(Vec<Part>),
    /// `[@]`, `[*]`: each element by itself.
    All,
    /// `[n]`: one element, which one is not looked into, but what its subscript runs is.
    Element(Vec<Part>),
    /// `${!name}`: the value of the variable that is named by the value.
    Indirect,
    /// `${#name}`
    Length,
    /// Anything else that makes another text of it, with its sign; the parts may hold commands.
    Changed(Vec<Part>),
}
