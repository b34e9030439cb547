//! The clients: where each keeps its hooks, under which names, and what it cannot do.

use crate::event::Client;
use crate::sys::env;
use crate::sys::error::Result;
use std::path::{Path, PathBuf};

/// A client that can be wired.
#[derive(Debug)]
pub struct Wired {
    /// The client.
    pub client: Client,
    /// The name that users know.
    pub name: &'static str,
    /// The name of its program.
    pub program: &'static str,
    /// The directory of its settings, in a project and in the user's home.
    dir: &'static str,
    /// The settings file in that directory.
    file: &'static str,
    /// Another directory of the user's settings, if the environment names one.
    user_dir: fn() -> Option<PathBuf>,
    /// The form of its hooks.
    pub form: HookForm,
    /// The oldest version that was tested; None if none was.
    pub oldest: Option<&'static str>,
    /// What the user still has to do in a project.
    pub trust: &'static str,
    /// What the client cannot do.
    pub limits: &'static [&'static str],
}

/// How a client writes hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookForm {
    /// Groups of hooks with timeouts in seconds.
    Claude,
    /// The same for Codex: every hook is a shell line.
    Codex,
    /// Groups of hooks with timeouts in milliseconds.
    Gemini,
    /// A list of hooks for each event, without groups.
    Cursor,
}

const NO_REVIEWER: &str = "it has no reviewer of review-gate: a required review is made by `review.command` in DONE.md, or by a model that rg-ask finds";

/// All clients.
pub const CLIENTS: [Wired; 4] = [
    Wired {
        client: Client::Claude,
        name: "Claude Code",
        program: "claude",
        dir: ".claude",
        file: "settings.json",
        user_dir: env::claude_config_dir,
        form: HookForm::Claude,
        oldest: Some("2.1.197"),
        trust: "Claude Code runs the hooks once you trust this folder; it asks in a terminal.",
        limits: &[],
    },
    Wired {
        client: Client::Codex,
        name: "Codex",
        program: "codex",
        dir: ".codex",
        file: "hooks.json",
        user_dir: env::codex_home,
        form: HookForm::Codex,
        oldest: Some("0.169.0"),
        trust: "Codex skips these hooks without a message until you trust them: run `codex`, then `/hooks`, and approve each one.",
        limits: &[
            "it cannot ask about a tool call: what needs your consent is denied",
            "it has no event for a tool that failed",
            NO_REVIEWER,
        ],
    },
    Wired {
        client: Client::Gemini,
        name: "Gemini CLI",
        program: "gemini",
        dir: ".gemini",
        file: "settings.json",
        user_dir: || env::gemini_home().map(|home| home.join(".gemini")),
        form: HookForm::Gemini,
        oldest: Some("0.61.0"),
        trust: "Gemini CLI runs the hooks once you trust this folder; it asks in a terminal.",
        limits: &[
            "it cannot ask about a tool call: what needs your consent is denied",
            "it has no events of subagents: only the session itself is judged",
            NO_REVIEWER,
        ],
    },
    Wired {
        client: Client::Cursor,
        name: "Cursor",
        program: "cursor",
        dir: ".cursor",
        file: "hooks.json",
        user_dir: || None,
        form: HookForm::Cursor,
        oldest: None,
        trust: "Cursor reads the hooks of a project in a trusted workspace.",
        limits: &[
            "its hooks follow its documentation: no version was tested",
            "it shows no message of a stop: read it with `rg-receipt show`",
            NO_REVIEWER,
        ],
    },
];

impl Wired {
    /// The client's settings file: of a project, or of the user.
    pub fn settings(&self, project: Option<&Path>) -> Result<PathBuf> {
        match project {
            Some(top) => Ok(top.join(self.dir).join(self.file)),
            None => self.of_user().map(|dir| dir.join(self.file)),
        }
    }

    fn of_user(&self) -> Result<PathBuf> {
        match (self.user_dir)() {
            Some(dir) => Ok(dir),
            None => Ok(env::require_home("--global")?.join(self.dir)),
        }
    }

    /// Whether the client is used here: its program is on PATH, or it has a directory in the project or in the user's home.
    pub fn is_found(&self, project: &Path) -> bool {
        let has_dir = project.join(self.dir).is_dir() || self.of_user().is_ok_and(|dir| dir.is_dir());
        has_dir || env::program(self.program).is_some()
    }
}
