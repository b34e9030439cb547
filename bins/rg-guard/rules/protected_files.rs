//! The files that the gate and its clients rely on: records, hooks, settings, agent definitions.

use super::context::Context;
use crate::command::path::{is_in, join};
use crate::command::{Call, marks};
use review_gate::sys::env;
use std::borrow::Cow;
use std::path::Path;

/// The state directories of the gate, in lower case.
fn state_dirs(context: &Context) -> &[String] {
    context.state_dirs.get_or_init(|| {
        let named = env::state_override().ok().flatten().into_iter();
        let usual = env::state_home().map(|home| home.join("review-gate")).into_iter();
        let own = Path::new(&context.home).join(".local/state/review-gate");
        let all = named.chain(usual).chain([own]);
        let mut all: Vec<String> = all.map(|dir| join("", &dir.to_string_lossy().to_lowercase())).collect();
        all.dedup();
        all
    })
}

/// The path in lower case: some file systems ignore case.
fn folded(path: &str) -> Cow<'_, str> {
    let is_small = |c: char| c.is_ascii() && !c.is_ascii_uppercase() || marks::is_mark(c);
    match path.bytes().position(|c| !c.is_ascii() || c.is_ascii_uppercase()) {
        Some(at) if !path[at..].chars().all(is_small) => Cow::Owned(path.to_lowercase()),
        _ => Cow::Borrowed(path),
    }
}

/// Whether a path with wildcards may lie in a directory, or be the directory.
fn may_be_in(path: &str, dir: &str) -> bool {
    if is_in(path, dir) {
        return true;
    }
    marks::may_have_mark(path) && path.contains(marks::is_wildcard) && {
        let (mut names, mut wanted) = (path.split('/'), dir.split('/'));
        wanted.all(|wanted| names.next().is_some_and(|name| name == wanted || marks::matches_name(name, wanted)))
    }
}

/// Whether an absolute path lies in a state directory of the gate.
pub fn is_state(context: &Context, whole: &str) -> bool {
    let folded = folded(whole);
    state_dirs(context).iter().any(|dir| may_be_in(&folded, dir))
}

/// Whether an absolute path is a state directory of the gate, or a directory above one.
pub fn holds_state(context: &Context, whole: &str) -> bool {
    let folded = folded(whole);
    state_dirs(context).iter().any(|dir| is_in(dir, &folded) || may_be_in(&folded, dir))
}

/// Files and directories that configure a client's hooks and agents.
const WIRING: [&str; 15] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude.json",
    ".claude/agents",
    ".claude/hooks",
    ".claude/plugins",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".codex/agents",
    ".gemini/settings.json",
    ".gemini/agents",
    ".cursor/hooks.json",
    ".cursor/hooks",
    ".cursor/agents",
    "claude-code/managed-settings.json",
];

/// The directories that hold such files.
const WIRING_DIRS: [&str; 4] = [".claude", ".codex", ".gemini", ".cursor"];

/// The user's own directories that the environment moves, in lower case, each with its usual name.
fn moved_dirs(context: &Context) -> &[(String, &'static str)] {
    context.moved_dirs.get_or_init(|| {
        let dirs = [(env::claude_config_dir(), ".claude"), (env::codex_home(), ".codex")];
        let named = dirs.into_iter().filter_map(|(dir, name)| Some((dir?, name)));
        named.map(|(dir, name)| (join("", &dir.to_string_lossy().to_lowercase()), name)).collect()
    })
}

/// Whether an absolute path is one of them, or lies in one.
pub fn is_wiring(context: &Context, whole: &str) -> bool {
    let folded = folded(whole);
    let in_moved = |(dir, name): &(String, &'static str)| {
        let rest = folded.strip_prefix(dir.as_str()).filter(|rest| rest.starts_with('/'));
        rest.is_some_and(|rest| is_usual_wiring(context, &format!("/{name}{rest}")))
    };
    is_usual_wiring(context, &folded) || moved_dirs(context).iter().any(in_moved)
}

/// The same for a path in lower case under the usual names.
fn is_usual_wiring(context: &Context, folded: &str) -> bool {
    let plugin =
        context.plugin.get_or_init(|| env::plugin_root().map(|root| join("", &root.to_string_lossy().to_lowercase())));
    // A path below a configured directory is part of it.
    let is_named = |below: &str| {
        let ends = |rest: &str| rest.is_empty() || rest.starts_with('/');
        WIRING.iter().any(|name| below.strip_prefix(name).is_some_and(ends))
    };
    // All of them begin with one of two letters.
    let pairs = folded.as_bytes().windows(2).enumerate();
    let starts = pairs.filter(|(_, pair)| pair[0] == b'/' && matches!(pair[1], b'.' | b'c')).map(|(at, _)| at + 1);
    let named = starts.into_iter().any(|at| is_named(&folded[at..]));
    let may_be = || marks::may_have_mark(folded) && folded.contains(marks::is_mark) && may_be_wiring(folded);
    named || may_be() || plugin.as_ref().is_some_and(|root| is_in(folded, root))
}

/// Whether a path with marks may be such a file: `.c*/settings.json`, an unknown name in `.claude`, `settings.local.json` in an
/// unknown directory.
fn may_be_wiring(whole: &str) -> bool {
    // What follows needs one of these.
    let has_part = |part| whole.contains(part);
    if !(whole.starts_with('.') || has_part("/.") || has_part("settings.") || whole.contains(marks::is_wildcard)) {
        return false;
    }
    let names: Vec<&str> = whole.split('/').collect();
    let is_dir = |name: &str| WIRING_DIRS.iter().any(|dir| is_named(name, dir));
    names.windows(2).any(|pair| match pair {
        [dir, name] if name.contains(marks::is_mark) && is_dir(dir) => WIRING
            .iter()
            .filter_map(|path| path.split_once('/'))
            .any(|(_, known)| is_any(name) || is_named(name, known)),
        [dir, name] if dir.contains(marks::is_wildcard) => WIRING
            .iter()
            .filter_map(|path| path.split_once('/'))
            .any(|(known_dir, known)| dir.starts_with('.') && is_named(dir, known_dir) && is_named(name, known)),
        [dir, name] => is_any(dir) && matches!(*name, "settings.local.json" | "managed-settings.json"),
        _ => false,
    })
}

/// Whether a name, which may have wildcards, may be that one.
fn is_named(name: &str, wanted: &str) -> bool {
    name == wanted || name.contains(marks::is_wildcard) && marks::matches_name(name, wanted)
}

/// Whether a name is not known at all.
fn is_any(name: &str) -> bool {
    name.contains(marks::is_unknown) && name.chars().all(marks::is_mark)
}

/// Whether a path is a directory that holds such files.
pub fn holds_wiring(whole: &str) -> bool {
    let folded = folded(whole);
    let (above, name) = folded.trim_end_matches('/').rsplit_once('/').unwrap_or(("", ""));
    let is_whole = name.starts_with('.') && WIRING_DIRS.iter().any(|dir| is_named(name, dir));
    // Everything in such a directory: `.claude/*`.
    let is_all = || name.chars().all(marks::is_mark) && !name.is_empty() && holds_wiring(above);
    is_whole || is_all()
}

/// Whether a text has the name of such a directory, or the beginning of one, right after a sign.
pub fn may_make_wiring(text: &str) -> bool {
    let text = folded(text);
    [".c", ".g", ".\\"].iter().any(|start| text.contains(start)) || text.contains(marks::is_unknown)
}

/// A path of a call as absolute paths: under its own name, and below the link that it leads through.
pub fn names_of(call: &Call, context: &Context, path: &str) -> impl Iterator<Item = String> {
    [Some(context.whole(call, path)), call.link_target(path)].into_iter().flatten()
}
