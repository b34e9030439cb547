//! The only reader of the environment: one function for each variable, which documents its meaning.

use crate::sys::error::{Error, Result};
use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

fn path(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from)
}

/// A path that must be absolute. Errors: usage, if it is relative: in each directory it would be another one.
fn absolute(name: &str) -> Result<Option<PathBuf>> {
    match path(name) {
        Some(value) if !value.is_absolute() => {
            let shown = value.display();
            Err(Error::usage(format!("{name} is not an absolute path: {shown}. Set it to one that begins with /")))
        }
        value => Ok(value),
    }
}

/// `RG_STATE`: the state directory, instead of one for each repository below the XDG state home.
pub fn state_override() -> Result<Option<PathBuf>> {
    absolute("RG_STATE")
}

/// Whether `RG_STATE` names the state directory.
pub fn has_state_override() -> bool {
    path("RG_STATE").is_some()
}

/// `RG_TALK`: the directory of messages, instead of `.review-gate` in the main worktree.
pub fn talk_override() -> Result<Option<PathBuf>> {
    absolute("RG_TALK")
}

/// `XDG_STATE_HOME`; default `~/.local/state`. None without a home directory.
pub fn state_home() -> Option<PathBuf> {
    path("XDG_STATE_HOME").filter(|p| p.is_absolute()).or_else(|| Some(home()?.join(".local/state")))
}

/// `XDG_CONFIG_HOME`; default `~/.config`. None without a home directory.
pub fn config_home() -> Option<PathBuf> {
    path("XDG_CONFIG_HOME").filter(|p| p.is_absolute()).or_else(|| Some(home()?.join(".config")))
}

/// `HOME`, if it is an absolute path.
pub fn home() -> Option<PathBuf> {
    path("HOME").filter(|p| p.is_absolute())
}

/// `HOME`. Errors: it is not set (111), or not an absolute path (100); `what` needs it.
pub fn require_home(what: &str) -> Result<PathBuf> {
    absolute("HOME")?.ok_or_else(|| Error::missing(format!("{what}: HOME is not set")))
}

/// `TZ`: the user's time zone, for times that people read; default: that of the system.
pub fn time_zone() -> Option<String> {
    env::var("TZ").ok().filter(|name| !name.is_empty())
}

/// `NIX_STORE_DIR`: where Nix keeps packages; default `/nix/store`.
pub fn nix_store() -> PathBuf {
    path("NIX_STORE_DIR").filter(|p| p.is_absolute()).unwrap_or_else(|| PathBuf::from("/nix/store"))
}

/// The profiles of Nix that may be on the user's PATH, the user's own first.
pub fn nix_profiles() -> Vec<PathBuf> {
    let own = [home().map(|home| home.join(".nix-profile")), state_home().map(|state| state.join("nix/profile"))];
    let of_user = env::var_os("USER").map(|user| PathBuf::from("/etc/profiles/per-user").join(user));
    let shared = ["/run/current-system/sw", "/nix/var/nix/profiles/default"].map(|path| Some(PathBuf::from(path)));
    own.into_iter().chain([of_user]).chain(shared).flatten().collect()
}

/// `CLAUDE_PROJECT_DIR`: the directory that the client was started in.
pub fn project_dir() -> Option<PathBuf> {
    path("CLAUDE_PROJECT_DIR").filter(|p| p.is_absolute())
}

/// `CLAUDE_CONFIG_DIR`: the directory of the user's client settings, instead of `~/.claude`.
pub fn claude_config_dir() -> Option<PathBuf> {
    path("CLAUDE_CONFIG_DIR").filter(|p| p.is_absolute())
}

/// `CODEX_HOME`: the directory of Codex's own settings, instead of `~/.codex`.
pub fn codex_home() -> Option<PathBuf> {
    path("CODEX_HOME").filter(|p| p.is_absolute())
}

/// `GEMINI_CLI_HOME`: the directory that holds `.gemini`, instead of the home directory.
pub fn gemini_home() -> Option<PathBuf> {
    path("GEMINI_CLI_HOME").filter(|p| p.is_absolute())
}

/// `CLAUDE_PLUGIN_ROOT`: the directory of the plugin that this hook belongs to.
pub fn plugin_root() -> Option<PathBuf> {
    path("CLAUDE_PLUGIN_ROOT").filter(|p| p.is_absolute())
}

/// `CLAUDE_PID`: the client's process. Claude Code sets it after version 2.1.197.
pub fn client_pid() -> Option<i32> {
    env::var("CLAUDE_PID").ok()?.parse().ok()
}

/// `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`: how many stops in a row the client lets a hook block; 0 for any number.
pub fn claude_block_cap() -> Option<u32> {
    env::var("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").ok()?.parse().ok()
}

/// `RG_REVIEW`: whether a review is required regardless of DONE.md and the prompt.
pub fn is_review_forced() -> bool {
    env::var_os("RG_REVIEW").is_some_and(|value| !matches!(value.to_str(), Some("" | "0")))
}

/// `RG_REVIEWER`: the model that rg-review starts, instead of the first one that is found.
pub fn reviewer() -> Option<String> {
    env::var("RG_REVIEWER").ok().filter(|name| !name.is_empty())
}

/// `RG_BUILDER`: the program of the agent that rg-run starts, if it is a known one.
pub fn builder() -> Option<String> {
    env::var("RG_BUILDER").ok().filter(|name| !name.is_empty())
}

/// `RG_REVIEWER_MODEL`: the model that the reviewer is to use, instead of the one in DONE.md.
pub fn reviewer_model() -> Option<String> {
    env::var("RG_REVIEWER_MODEL").ok().filter(|name| !name.is_empty())
}

/// `RG_REVIEWER_EFFORT`: the effort that the reviewer is to make, instead of the one in DONE.md.
pub fn reviewer_effort() -> Option<String> {
    env::var("RG_REVIEWER_EFFORT").ok().filter(|name| !name.is_empty())
}

/// The variable by which the processes of a run are known: rg-run sets it to the run's id for its agent.
pub const RUN: &str = "RG_RUN";

/// The run in whose budget the models count that its judges ask.
pub const RUN_BUDGET: &str = "RG_RUN_BUDGET";

/// The run in whose budget a model counts: the one that is judged, else the one whose agent's shell runs this process.
pub fn budget_run() -> Option<String> {
    [RUN_BUDGET, RUN].into_iter().find_map(|name| env::var(name).ok().filter(|id| !id.is_empty()))
}

/// `RG_ASK`: the id of the rg-ask call whose model this process runs below.
pub fn ask_id() -> Option<String> {
    env::var("RG_ASK").ok().filter(|id| !id.is_empty())
}

/// `CLAUDE_CODE_SESSION_ID`: the session whose agent's shell runs this process, if the client sets it.
pub fn client_session() -> Option<String> {
    env::var("CLAUDE_CODE_SESSION_ID").ok().filter(|id| !id.is_empty())
}

/// `CLAUDE_CODE_SESSION_ATTENDED`: whether a user is at the client. Claude Code sets it after version 2.1.197.
pub fn is_attended() -> Option<bool> {
    match env::var("CLAUDE_CODE_SESSION_ATTENDED").ok()?.as_str() {
        "0" | "false" => Some(false),
        _ => Some(true),
    }
}

/// `SHELL`: the user's shell.
pub fn shell() -> Option<PathBuf> {
    path("SHELL").filter(|p| p.is_absolute())
}

/// The path of the program of that name, found through `PATH`.
pub fn program(name: &str) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let is_program =
        |path: &PathBuf| path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
    env::split_paths(&env::var_os("PATH")?).map(|dir| dir.join(name)).find(is_program)
}

/// The `RG_*` variables, for a review-gate tool that another one starts.
pub fn own_variables() -> Vec<(OsString, OsString)> {
    let all = env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("RG_"));
    all.filter(|(name, _)| name != "RG_ASK" && name != "RG_CRASH").collect()
}

/// The client's credentials and provider settings. A model that rg-ask starts gets them; other children do not.
pub fn model_credentials() -> Vec<(OsString, OsString)> {
    let is_kept = |name: &str| {
        ["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_", "CLAUDE_CODE_API_"]
            .iter()
            .any(|kept| name.starts_with(kept))
    };
    env::vars_os().filter(|(name, _)| is_kept(&name.to_string_lossy())).collect()
}

/// All variables of this process.
pub fn all() -> Vec<(OsString, OsString)> {
    env::vars_os().collect()
}

/// `RG_PATH`: a directory that counts as one of the system in `PATH`, in debug builds only (tests that replace git).
pub fn pinned_path() -> Option<PathBuf> {
    if cfg!(debug_assertions) { env::var_os("RG_PATH").map(PathBuf::from) } else { None }
}

/// `RG_NOW`: pins the clock (RFC 3339), in debug builds only.
pub fn pinned_now() -> Option<String> {
    if cfg!(debug_assertions) { env::var("RG_NOW").ok() } else { None }
}

/// Where processes are described. `RG_PROC` names another directory, in debug builds only (tests with invented processes).
pub fn proc_dir() -> PathBuf {
    let invented = if cfg!(debug_assertions) { env::var_os("RG_PROC").map(PathBuf::from) } else { None };
    invented.unwrap_or_else(|| PathBuf::from("/proc"))
}

/// `RG_CRASH`: the process kills itself at its n-th write, in debug builds only (tests of crash safety).
pub fn crash_at() -> Option<u32> {
    if cfg!(debug_assertions) { env::var("RG_CRASH").ok()?.parse().ok() } else { None }
}

/// Kills this process if this is the n-th crash point and `RG_CRASH` is n.
pub fn crash_point() {
    static POINTS: AtomicU32 = AtomicU32::new(0);
    if let Some(at) = crash_at()
        && POINTS.fetch_add(1, Ordering::SeqCst) + 1 == at
    {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// The directory of this program and of the other tools. A link is not resolved: the path of a profile outlives that of a version.
pub fn bin_dir() -> Option<PathBuf> {
    env::current_exe().ok()?.parent().map(PathBuf::from)
}

/// Whether output must not be coloured (`NO_COLOR`, or a dumb terminal).
pub fn is_color_unwanted() -> bool {
    env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()) || env::var_os("TERM").is_some_and(|v| v == "dumb")
}

/// Variables that children must not inherit: git's repository variables, and the variables of review-gate and of the client, which
/// would reveal to code under test that it runs below a hook.
pub fn variables_to_remove() -> Vec<OsString> {
    env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| {
            let name = name.to_string_lossy();
            let git = name.starts_with("GIT_") && !GIT_KEPT.contains(&name.as_ref());
            git || name.starts_with("RG_") || HOOK_MARKS.iter().any(|mark| name.starts_with(mark))
        })
        .collect()
}

/// The variables that children inherit, as bytes: names and values, without those that every shell sets itself.
pub fn inherited_variables() -> Vec<u8> {
    let removed = variables_to_remove();
    let passing = ["_", "SHLVL", "PWD", "OLDPWD"];
    let kept = env::vars_os().filter(|(name, _)| !removed.contains(name) && !passing.iter().any(|p| name == p));
    let mut all: Vec<(OsString, OsString)> = kept.collect();
    all.sort();
    all.iter().flat_map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat()).collect()
}

/// Whether this process runs in continuous integration: `CI` is set.
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !matches!(value.to_str(), Some("" | "0" | "false")))
}

/// The variables that a client sets for the commands of its agent.
pub const AGENT_VARIABLES: [&str; 4] = ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", RUN];

/// Whether this process runs below an agent's shell.
pub fn is_below_agent() -> bool {
    AGENT_VARIABLES.iter().any(|name| env::var_os(name).is_some())
}

/// Whether this process runs below an agent that rg-run started.
pub fn is_in_run() -> bool {
    env::var_os(RUN).is_some()
}

/// Prefixes of the variables that clients set for hooks and for commands of their agents.
const HOOK_MARKS: [&str; 9] = [
    "CLAUDECODE",
    "CLAUDE_CODE_",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_PLUGIN_",
    "CLAUDE_PID",
    "CLAUDE_ENV_FILE",
    "CLAUDE_EFFORT",
    "GEMINI_PROJECT_DIR",
    "AI_AGENT",
];

/// Git variables that do not select a repository, so children keep them.
const GIT_KEPT: [&str; 14] = [
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_ASKPASS",
    "GIT_TERMINAL_PROMPT",
    "GIT_SSL_CAINFO",
];
