//! How much is read, kept or waited for at most, with the reason for each.

/// Bytes of a message that is read as Markdown. The reader keeps up to fifty bytes for each of them; no model writes so much.
pub const MARKDOWN: usize = 4 << 20;

/// Bytes of YAML that are scanned again after lines were mended, for one file: a second of work.
pub const YAML_MENDED: usize = 32 << 20;
