//! Paths: the class of what a word names, without access to the disk.

use super::marks::{
    ALL, BRACKET, EACH, QUESTION, STAR, TOP, UNSET, is_mark, is_unknown, is_wildcard, matches_name, may_have_mark,
};

/// The class of a path: how bad it would be to destroy what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `/`, or everything in it.
    Root,
    /// A system directory, or something in one.
    System,
    /// A home directory, or everything in it.
    Home,
    /// Something in a home directory, outside of the project.
    InHome,
    /// A cache in a home directory.
    Cache,
    /// A directory above the project.
    Above,
    /// The project itself, or everything in it.
    Project,
    /// A repository's git directory, or something in it.
    Git,
    /// Something in the project.
    Inside,
    /// A temporary directory itself, or everything in it.
    TempRoot,
    /// Something in a temporary directory.
    Temp,
    /// It begins with a variable that may be empty: `$X/` is then `/`.
    MaybeRoot,
    /// Anywhere else.
    Outside,
    /// The path is not known.
    Unknown,
}

/// Names of system directories, below the root.
const SYSTEM: [&str; 30] = [
    "etc",
    "usr",
    "bin",
    "sbin",
    "boot",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "var",
    "root",
    "dev",
    "proc",
    "sys",
    "run",
    "home",
    "Users",
    "System",
    "Library",
    "Applications",
    "Volumes",
    "private",
    "cores",
    "nix",
    "snap",
    "opt",
    "srv",
    "mnt",
    "media",
    "c:",
];

/// System directories whose contents are not the system's.
const SHARED: [&str; 6] = ["opt", "srv", "mnt", "media", "Volumes", "snap"];

/// Caches, below a home directory.
const CACHES: [&str; 14] = [
    ".cache",
    ".npm",
    ".pnpm-store",
    ".yarn",
    ".cargo/registry",
    ".cargo/git",
    ".gradle/caches",
    ".m2/repository",
    ".local/share/Trash",
    "Library/Caches",
    ".ccache",
    ".nuget/packages",
    ".ivy2/cache",
    ".bun/install/cache",
];

/// Temporary directories.
const TEMPORARY: [&str; 6] = ["/tmp", "/var/tmp", "/private/tmp", "/dev/shm", "/private/var/tmp", "/var/folders"];

/// Whether a name right below the root is that of a system directory.
pub fn is_system_name(name: &str) -> bool {
    SYSTEM.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a path has no empty component and none that begins with a dot: joining it changes nothing in it.
fn is_plain(path: &str) -> bool {
    let mut begins = true;
    for byte in path.bytes() {
        if begins && matches!(byte, b'/' | b'.') {
            return false;
        }
        begins = byte == b'/';
    }
    !begins
}

/// Joins a path to a directory, and removes `.`, `..` and double slashes.
pub fn join(dir: &str, path: &str) -> String {
    // Most directories and paths are plain.
    let whole = if path.starts_with('/') { path } else { dir };
    if let Some(below) = whole.strip_prefix('/').filter(|below| is_plain(below)) {
        if path.starts_with('/') {
            return path.to_string();
        }
        if is_plain(path) && !path.starts_with(TOP) {
            let mut out = String::with_capacity(dir.len() + 1 + path.len());
            out.push('/');
            out.push_str(below);
            out.push('/');
            out.push_str(path);
            return out;
        }
    }
    let is_whole = path.starts_with(['/', TOP]);
    let before = if is_whole { "" } else { dir };
    let starts_at_root = if is_whole || dir.is_empty() { !path.starts_with(TOP) } else { dir.starts_with('/') };
    let mut out = String::with_capacity(before.len() + path.len() + 2);
    for part in before.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                let last = out.rfind('/').unwrap_or(0);
                // The parent of an unknown path is unknown.
                let is_unknown = out[last..].contains(is_unknown) || out.ends_with("/..");
                if is_unknown { out.push_str("/..") } else { out.truncate(last) }
            }
            part => {
                if !out.is_empty() || starts_at_root || !part.starts_with(is_unknown) {
                    out.push('/');
                }
                out.push_str(part);
            }
        }
    }
    if out.is_empty() {
        out.push('/');
    }
    out
}

/// Whether a path is that directory or lies in it. Both are results of `join`.
pub fn is_in(path: &str, dir: &str) -> bool {
    path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || dir == "/")
}

/// The name with each wide character class, which matches nearly every character, as one `?`.
fn without_classes(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name;
    while let Some(at) = rest.find(BRACKET) {
        let after = &rest[at + BRACKET.len_utf8()..];
        let Some(end) = after.char_indices().skip(1).find(|(_, c)| *c == ']').map(|(end, _)| end) else { break };
        let inside = &after[..end];
        let is_wide = inside.starts_with(['!', '^']) || inside.contains("a-z") || inside.contains("A-Z");
        out.push_str(&rest[..at]);
        if is_wide {
            out.push(QUESTION);
        } else {
            out.push_str(&rest[at..at + BRACKET.len_utf8() + end + 1]);
        }
        rest = &after[end + 1..];
    }
    out + rest
}

/// Whether a name matches everything: `*`, `.*`, `?*`, every name of a list.
fn is_everything(name: &str) -> bool {
    // `!(keep)` matches all names but one; `[!.]*` and `[a-z]*` match nearly all.
    if name.starts_with("!(") && name.ends_with(')') {
        return true;
    }
    // `^keep` does the same with zsh's extended globs.
    if name.starts_with('^') {
        return true;
    }
    if !may_have_mark(name) || !name.contains([STAR, ALL]) {
        return false;
    }
    let name = &without_classes(name);
    let wild = name.chars().any(|c| c == STAR || c == ALL);
    // `*.o` selects by suffix, `.*` selects nothing.
    wild && name.chars().all(|c| is_wildcard(c) || c == ALL || c == '.') && !name.ends_with('.')
}

/// The class of `path` as seen from `cwd`, where `home` is the user's home and `root` the project.
pub fn class(path: &str, cwd: &str, home: &str, root: &str) -> Class {
    if path.is_empty() {
        return Class::Inside;
    }
    let first = path.split('/').next().unwrap_or("");
    if first.starts_with([UNSET, super::marks::PRINTED]) && path.len() > first.len() && is_all_unknown(first) {
        return Class::MaybeRoot;
    }
    if first.starts_with(is_unknown) && !first.starts_with([ALL, EACH]) {
        return Class::Unknown;
    }
    let mut whole = join(cwd, path);
    if let Some(below) = whole.strip_prefix('/').and_then(|rest| rest.strip_prefix(TOP)) {
        whole = join(root, &format!("./{below}"));
    }
    while let Some((above, _)) = whole.rsplit_once('/').filter(|(_, name)| is_everything(name)) {
        whole = if above.is_empty() { "/".to_string() } else { above.to_string() };
        if whole == "/" {
            break;
        }
    }
    if path.ends_with(is_unknown) && !path.contains([ALL, EACH]) {
        // `/$X` may be `/`.
        let above = whole.rsplit_once('/').map_or("", |(above, _)| above);
        let last = whole.rsplit('/').next().unwrap_or("");
        if last.starts_with([UNSET, super::marks::PRINTED]) && is_all_unknown(last) && !above.contains(is_mark) {
            let at_worst = class_of(if above.is_empty() { "/" } else { above }, home, root);
            if matches!(at_worst, Class::Root | Class::System | Class::Home) {
                return at_worst;
            }
            if matches!(at_worst, Class::Project | Class::Above) {
                return Class::Unknown;
            }
        }
    }
    if whole.starts_with(is_unknown) {
        return Class::Unknown;
    }
    class_of(&whole, home, root)
}

/// Whether a pattern matches `.git`: `.[g]it`, `.g*`.
fn is_pattern_of_git(name: &str) -> bool {
    name.starts_with('.') && name.contains(is_wildcard) && matches_name(name, ".git")
}

fn is_all_unknown(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_unknown)
}

fn class_of(path: &str, home: &str, root: &str) -> Class {
    let mut names = path.split('/').filter(|name| !name.is_empty());
    let all_names = names.clone();
    let Some(first) = names.next() else { return Class::Root };
    let second = names.next();
    let below = |dir: &str| dir != "/" && is_in(path, dir);
    if path == home {
        return Class::Home;
    }
    if path == root {
        return Class::Project;
    }
    if below(root) {
        // All of these names begin with a dot.
        let has_hidden = path.as_bytes().windows(2).any(|pair| pair == b"/.");
        let is_git = |name: &str| name.eq_ignore_ascii_case(".git") || is_pattern_of_git(name);
        return if has_hidden && all_names.clone().any(is_git) { Class::Git } else { Class::Inside };
    }
    if TEMPORARY.contains(&path) {
        return Class::TempRoot;
    }
    if is_in(root, path) {
        return if SYSTEM.contains(&first) && second.is_none() { Class::System } else { Class::Above };
    }
    if TEMPORARY.iter().any(|dir| below(dir)) && !below(home) {
        return Class::Temp;
    }
    if all_names.clone().any(|name| name == ".git") {
        return Class::Git;
    }
    let of_somebody = second.filter(|_| matches!(first, "home" | "Users"));
    if of_somebody.is_some() && names.next().is_none() {
        return Class::Home;
    }
    if below(home) || of_somebody.is_some() {
        let home_of = of_somebody.map_or_else(|| home.to_string(), |name| format!("/{first}/{name}"));
        let kept = path.strip_prefix(home_of.as_str()).unwrap_or("").trim_start_matches('/');
        let is_cache = CACHES.iter().any(|cache| is_in(kept, cache) && kept != *cache);
        return if is_cache { Class::Cache } else { Class::InHome };
    }
    // `/e*` matches `/etc`.
    if first.contains(is_wildcard) || first.contains([ALL, EACH]) {
        return Class::System;
    }
    let system = SYSTEM.iter().any(|known| known.eq_ignore_ascii_case(first));
    if system && (second.is_none() || !SHARED.contains(&first)) { Class::System } else { Class::Outside }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::marks::with_wildcards;

    #[test]
    fn above_what_is_unknown_nothing_is_known() {
        for (dir, path, want) in [
            ("/a/b", "../c//./d", "/a/c/d"),
            ("/a", "../../..", "/"),
            ("", "$/../../x", "/$/../../x"),
            ("/a", "$/../../x", "/a/$/../../x"),
            ("$", "x/..", "$"),
        ] {
            let marked = |text: &str| text.replace('$', &UNSET.to_string());
            assert_eq!(join(&marked(dir), &marked(path)), marked(want), "{path} in {dir}");
        }
    }

    proptest::proptest! {
        #[test]
        fn plain_paths_are_joined_as_all_paths(dir in "/[a/.\u{F8E0}]{0,6}", path in "[a/.\u{F8E0}\u{F8EC}é]{0,6}") {
            // `./` makes a path take the way of all paths, and changes nothing.
            let roundabout = if path.starts_with('/') { format!("/.{path}") } else { format!("./{path}") };
            if !path.starts_with(TOP) {
                proptest::prop_assert_eq!(join(&dir, &path), join(&format!("{dir}/."), &roundabout));
            }
        }
    }

    #[test]
    fn places_are_told_apart() {
        let unset = UNSET.to_string();
        for (path, cwd, want) in [
            ("/", "/home/dev/proj", Class::Root),
            ("/*", "/home/dev/proj", Class::Root),
            ("/./tmp/..", "/home/dev/proj", Class::Root),
            ("/etc/x", "/home/dev/proj", Class::System),
            ("/e*", "/home/dev/proj", Class::System),
            ("/home/dev", "/home/dev/proj", Class::Home),
            ("/home/dev/Documents", "/home/dev/proj", Class::InHome),
            ("/home/dev/.cache/pip", "/home/dev/proj", Class::Cache),
            ("..", "/home/dev/proj", Class::Home),
            ("../x", "/home/dev/proj", Class::InHome),
            (".", "/home/dev/proj", Class::Project),
            ("*", "/home/dev/proj", Class::Project),
            (".*", "/home/dev/proj", Class::Project),
            ("*.o", "/home/dev/proj", Class::Inside),
            ("*", "/home/dev/proj/target", Class::Inside),
            ("target", "/home/dev/proj", Class::Inside),
            (".git/index", "/home/dev/proj", Class::Git),
            ("/tmp/x", "/home/dev/proj", Class::Temp),
            ("/tmp/*", "/home/dev/proj", Class::TempRoot),
            ("/opt/app/build", "/home/dev/proj", Class::Outside),
            ("/opt", "/home/dev/proj", Class::System),
            ("$/bin", "/home/dev/proj", Class::MaybeRoot),
            ("/$", "/home/dev/proj", Class::Root),
            ("$", "/home/dev/proj", Class::Unknown),
            ("target/$", "/home/dev/proj", Class::Inside),
        ] {
            let path = with_wildcards(&path.replace('$', &unset)).into_owned();
            assert_eq!(class(&path, cwd, "/home/dev", "/home/dev/proj"), want, "{path:?} from {cwd}");
        }
    }
}
