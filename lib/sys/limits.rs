//! How much is read or kept at most, in bytes: what two places must agree on. A limit of one place stands there.

/// An event line, a hook call, a prompt for other models: it is held whole.
pub const LINE: usize = 16 << 20;

/// A text within an event - a message, a prompt, a tool's input and output: head and tail of a longer one are kept.
pub const TEXT: usize = 64 << 10;

/// A message that is read as Markdown. The reader keeps up to fifty bytes for each of them; no model writes so much.
pub const MARKDOWN: usize = 4 << 20;

/// YAML that is scanned again after lines were mended, for one file: a second of work.
pub const YAML_MENDED: usize = 32 << 20;

/// A file that people write to steer a tool: DONE.md, .gitignore, a reviewer's prompt, a file that rg-ask is given.
pub const DEFINITION: u64 = 1 << 20;

/// A file that is compared or shown line by line: what is longer, nobody reviews.
pub const LINES: u64 = 1 << 20;

/// A client's settings, and DONE.md where only its digest matters: one that grew past `DEFINITION` is edited, not gone.
pub const SETTINGS: u64 = 4 << 20;

/// A client's log of one session: it is held whole.
pub const TRANSCRIPT: u64 = 32 << 20;

/// A journal of ours: it is held whole.
pub const JOURNAL: u64 = 64 << 20;

/// A receipt: what it holds came in an event line.
pub const RECEIPT: u64 = LINE as u64;

/// A blob of ours: the manifest of a large tree, or a file that git does not hold.
pub const BLOB: u64 = 256 << 20;
