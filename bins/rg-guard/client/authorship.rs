//! Whether a session can have written files: marks the first tool call of a session, and the first one that can write.

use super::NAME;
use super::call::ToolCall;
use super::tool_call;
use crate::judge::read_only;
use review_gate::store::call_marks::CallMarks;
use review_gate::store::record::{Calling, Guarded};

/// Tools of a client that change no file and start no program. Every other tool can, an agent and a server of tools included.
const READ_ONLY: [&str; 17] = [
    "Read",
    "read_file",
    "read_many_files",
    "list_directory",
    "glob",
    "search_file_content",
    "google_web_search",
    "web_fetch",
    "NotebookRead",
    "Grep",
    "Glob",
    "LS",
    "WebFetch",
    "WebSearch",
    "AskUserQuestion",
    "BashOutput",
    "TodoWrite",
];

/// Notes a call before it runs. In a session that may have written this costs one look-up of a file name. A mark that cannot be
/// written only means that the session is judged.
pub fn note(session: &str, call: &ToolCall<'_>) {
    let Ok(marks) = CallMarks::of(call.client, session) else { return };
    if !marks.may_be_unwritten() {
        return;
    }
    if can_write(call) {
        marks.end();
    } else {
        let _ = marks.guard(NAME, |session| Guarded { session, process: Calling::now(call.client) });
    }
}

fn can_write(call: &ToolCall<'_>) -> bool {
    match tool_call::command_of(call) {
        Some(command) => !read_only::is_read_only(&command),
        None => !READ_ONLY.contains(&call.tool),
    }
}
