//! A client's tool calls: read from its hook or from the event line, judged, answered, recorded.

mod authorship;
mod call;
mod decision;
mod definition;
mod file_names;
pub mod filter;
pub mod hook;
mod json_text;
mod mcp_tools;
mod records;
mod reviewer;
mod tool_call;

/// The program's name, in records and backups.
const NAME: &str = "rg-guard";
