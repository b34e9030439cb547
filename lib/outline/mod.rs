//! What a source file holds for a judge: its tests and what they assert, the marks that skip them, suppressed lint, debugging aids.
//! rg-outline writes outlines; rg-tamper compares two of them.
//! man: rg-outline(5)

pub mod compare;
pub mod language;

use serde::{Deserialize, Serialize};

/// What one file holds. If `unread` is set, nothing else was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// The path, as it was given.
    pub path: String,
    /// The language, by its name in rg-outline(5); none if the file is in no known language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Why the file could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
    /// The lines at which the syntax is broken, from 1; at most twenty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<u64>,
    /// A comment at its start says that a program wrote it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub generated: bool,
    /// The tests, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<Test>,
    /// The functions, fixtures and hooks outside tests that assert something, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub helpers: Vec<Helper>,
    /// The functions, fixtures and hooks outside tests that assert nothing, in the order of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<Function>,
    /// The names of the functions, methods, types and constants that it defines; sorted, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The suppressed lint and type checks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suppressions: Vec<Suppression>,
    /// The debugging aids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub debug: Vec<Note>,
    /// The marks of unfinished work (`TODO`, `FIXME`, `HACK`, `XXX`) in comments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub todos: Vec<Note>,
}

/// A digest of tokens, written as 16 hexadecimal digits. It is stable between releases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest(pub u64);

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        format!("{:016x}", digest.0)
    }
}

impl TryFrom<String> for Digest {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Digest, Self::Error> {
        u64::from_str_radix(&text, 16).map(Digest)
    }
}

/// A test: a call with a title, a function, or a method that a test runner runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Test {
    /// Its title or its name. The text of an expression if the title is no constant.
    pub name: String,
    /// The titles of the suites, classes and modules around it, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suite: Vec<String>,
    /// The line at which its declaration begins, from 1, without decorators and comments.
    pub line: u64,
    /// The rows of its table, each as a digest of its tokens; none if it has no table. A table that is not listed in
    /// the file has one row, whose digest is 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Digest>>,
    /// The mark that keeps it from running: its own, or one of a suite or of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<Mark>,
    /// The mark that keeps other tests from running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<Mark>,
    /// The digest of the tokens of its body, without comments and without what formatters change.
    pub body: Digest,
    /// How many tokens its body has; 0 for an empty body.
    pub tokens: u64,
    /// What it asserts, in order. Assertions that cannot be reached are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asserts: Vec<Assert>,
    /// The names of what it calls or constructs; sorted, each once. For `a.b.c()` it is `c`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
}

/// What the name of an example in the documentation of Rust begins with.
pub const EXAMPLE: &str = "example of ";

/// Whether a test is an example in the documentation of Rust.
pub fn is_example(path: &str, test: &Test) -> bool {
    path.ends_with(".rs") && test.name.starts_with(EXAMPLE)
}

/// A function, a fixture or a hook outside tests that asserts something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Helper {
    /// Its name; for a hook the name of the call (`beforeEach`).
    pub name: String,
    /// The line at which it begins, from 1.
    pub line: u64,
    /// The digest of the tokens of its body.
    pub body: Digest,
    /// What it asserts, in order.
    pub asserts: Vec<Assert>,
    /// The mark in it that skips the test that runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<Mark>,
    /// The names of what it calls; sorted, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
}

/// A function, fixture or hook that asserts nothing. An assertion that was in it is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name; for a hook the name of the call (`beforeEach`).
    pub name: String,
    /// The line at which it begins, from 1.
    pub line: u64,
    /// The mark in it that skips the test that runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<Mark>,
    /// The names of what it calls; sorted, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
}

/// A mark that keeps tests from running.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The mark as it is written: `it.skip`, `@pytest.mark.skip`, `#[ignore]`, `t.Skip`.
    pub text: String,
    /// The line, from 1.
    pub line: u64,
    /// The condition as it is written; none if the mark always applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// What bears the mark.
    #[serde(default)]
    pub of: Bearer,
    /// What it does to the test.
    #[serde(default)]
    pub kind: SkipKind,
}

/// What bears a mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bearer {
    /// The test itself.
    #[default]
    Test,
    /// A suite, a class or a module around it.
    Suite,
    /// The whole file.
    File,
}

/// What a mark does to its test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SkipKind {
    /// The test does not run.
    #[default]
    Skip,
    /// The test is announced and has no body (`it.todo`).
    Todo,
    /// The test runs and may, or must, fail.
    Fails,
}

/// One assertion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assert {
    /// How it asserts, as it is written: `toBe`, `assertEqual`, `assert_eq!`, `==`.
    pub how: String,
    /// What it is about: the tokens of the subject, joined by single blanks where they need one; at most 200 bytes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
    /// What is expected, written like the subject; empty if nothing is given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub expected: String,
    /// How much it demands.
    pub strength: Strength,
    /// The line, from 1.
    pub line: u64,
}

/// How much an assertion demands. The order is that of the demands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Hash)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// Nothing: it holds for every subject, compares constants, or its failure is swallowed.
    Nothing,
    /// That there is something: defined, true, not null, no error, a type.
    Something,
    /// A part: contains, matches, a length, greater than, close to, some error.
    Part,
    /// One value: equal, the same, a named error.
    #[default]
    Exact,
}

/// A comment or an attribute that turns off lint, a type check or coverage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suppression {
    /// The linter: `eslint`, `typescript`, `ruff`, `mypy`, `clippy`.
    pub linter: String,
    /// The rules that it turns off; sorted, each once; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<String>,
    /// How far it reaches.
    pub reach: Reach,
    /// The line, from 1.
    pub line: u64,
    /// The digest of the tokens of the line, or of the definition, that it is about; 0 for a block and a file.
    pub target: Digest,
    /// The line as it is written, at most 200 bytes.
    pub text: String,
}

/// How far a suppression reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// One line or one statement.
    #[default]
    Line,
    /// One definition: a function, a class, a field.
    Definition,
    /// Everything up to a mark that ends it.
    Block,
    /// The whole file.
    File,
}

/// A debugging aid, or a mark of unfinished work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What it is: `console.log`, `debugger`, `dbg!`, `TODO`.
    pub what: String,
    /// The line, from 1.
    pub line: u64,
    /// The line as it is written, at most 200 bytes.
    pub text: String,
}
