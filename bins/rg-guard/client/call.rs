//! A tool call: which tool is called with which input.

use review_gate::event::Client;

/// A tool call.
pub struct ToolCall<'a> {
    /// The client that makes the call.
    pub client: Client,
    pub tool: &'a str,
    /// The input as the client sent it, as JSON.
    pub input: &'a str,
    /// Whether a reviewer makes the call.
    pub by_reviewer: bool,
    pub session: Option<&'a str>,
}
