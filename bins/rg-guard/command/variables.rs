//! Environment variables whose value the guard knows without a shell: where records and settings are, and the client's process.

use review_gate::sys::env;

/// The text that stands for the client's process id. A shell that reads it again gets the same value.
pub const CLIENT_PID: &str = "$PPID";

/// The text that stands for the process id of a program of the gate that runs in the background.
pub const JUDGE_PID: &str = "$!";

/// The text that stands for the process id of the shell. The path of a file may have it in it.
pub const SHELL_PID: &str = "$$";

/// The value of a well-known variable; None for any other.
pub fn known_variable(name: &str, home: &str) -> Option<String> {
    let text = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
    match name {
        "HOME" => Some(home.to_string()),
        "XDG_STATE_HOME" => Some(state_home(home)),
        "RG_STATE" => env::state_override().ok().flatten().map(text),
        "CLAUDE_CONFIG_DIR" => Some(env::claude_config_dir().map_or_else(|| format!("{home}/.claude"), text)),
        "CODEX_HOME" => Some(env::codex_home().map_or_else(|| format!("{home}/.codex"), text)),
        "GEMINI_CLI_HOME" => Some(env::gemini_home().map_or_else(|| home.to_string(), text)),
        "CLAUDE_PLUGIN_ROOT" => env::plugin_root().map(text),
        "CLAUDE_CODE_SESSION_ID" => Some("claude_code_session_id".into()),
        "CLAUDE_CODE_EXECPATH" => Some("claude".into()),
        "$" | "BASHPID" => Some(SHELL_PID.into()),
        "PPID" | "CLAUDE_PID" => Some(CLIENT_PID.into()),
        "TMUX_PANE" | "KITTY_WINDOW_ID" | "WEZTERM_PANE" | "STY" => Some(format!("${name}")),
        _ => None,
    }
}

/// The state home: the environment's, else the usual one below `home`. A variable that is not set is taken as the usual one, so
/// that a path of the gate's records is known in every environment.
fn state_home(home: &str) -> String {
    env::state_home().map_or_else(|| format!("{home}/.local/state"), |dir| dir.to_string_lossy().into_owned())
}
