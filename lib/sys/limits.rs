//! Limits in bytes that two or more modules share. A limit of one module is declared there.

/// An event line, a hook call or a prompt for another model; kept whole in memory.
pub const LINE: usize = 16 << 20;

/// A text within an event: a message, a prompt, a tool's input or output. Of a longer text the head and the tail are kept.
pub const TEXT: usize = 64 << 10;

/// A message that is read as Markdown. The reader needs up to fifty bytes of memory for each byte; no model writes so much.
pub const MARKDOWN: usize = 4 << 20;

/// The total of YAML that is scanned again after lines were quoted, for one file: a second of work.
pub const YAML_MENDED: usize = 32 << 20;

/// A file that configures a tool: DONE.md, .gitignore, a reviewer's prompt, a file that is passed to rg-ask.
pub const DEFINITION: u64 = 1 << 20;

/// A file that is compared or shown line by line; nobody reviews a longer one.
pub const LINES: u64 = 1 << 20;

/// A client's settings, and DONE.md where only its digest matters, so that one larger than `DEFINITION` counts as edited, not as missing.
pub const SETTINGS: u64 = 4 << 20;

/// A client's log of one session; kept whole in memory.
pub const TRANSCRIPT: u64 = 32 << 20;

/// A journal; kept whole in memory.
pub const JOURNAL: u64 = 64 << 20;

/// A receipt; its content comes from an event line.
pub const RECEIPT: u64 = LINE as u64;

/// A blob in the state directory: the manifest of a large tree, or a file that git does not have.
pub const BLOB: u64 = 256 << 20;
