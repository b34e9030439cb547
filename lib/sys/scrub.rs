//! The environment of programs whose result must not depend on their caller: a fixed list of variables, and a `PATH` without the
//! directories that the caller may have filled.

use crate::sys::env;
use crate::sys::error::{Error, Result};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// Variables that change what shells, loaders, build tools, interpreters and test runners do; `*` stands for any ending.
const OVERRIDES: [&str; 60] = [
    "BASHOPTS",
    "BASH_ENV",
    "BASH_FUNC_*",
    "BUNDLE_*",
    "CARGO_ALIAS_*",
    "CARGO_BUILD_*",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_*_LINKER",
    "CARGO_TARGET_*_RUNNER",
    "CDPATH",
    "CLASSPATH",
    "CORECLR_*",
    "DOTNET_STARTUP_HOOKS",
    "DYLD_*",
    "ENV",
    "ERL_FLAGS",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "GLOBIGNORE",
    "GNUMAKEFLAGS",
    "GOFLAGS",
    "GRADLE_OPTS",
    "GREP_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LD_*",
    "LUA_INIT*",
    "MAKEFILES",
    "MAKEFLAGS",
    "MAKEOVERRIDES",
    "MAVEN_ARGS",
    "MAVEN_OPTS",
    "MFLAGS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NPM_CONFIG_*",
    "PERL5*",
    "PERLLIB",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PIP_*",
    "POSIXLY_CORRECT",
    "PYTEST_*",
    "PYTHON*",
    "RUBYLIB",
    "RUBYOPT",
    "RUSTC",
    "RUSTC_*",
    "RUSTDOC",
    "RUSTDOCFLAGS",
    "RUSTFLAGS",
    "R_PROFILE*",
    "SHELLOPTS",
    "SBT_OPTS",
    "TAR_OPTIONS",
    "TOX_*",
    "UV_*",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
    "npm_config_*",
];

/// Variables that a scrubbed environment keeps: the user, the locale, the terminal, proxies, certificates, git's identity.
const KEPT: [&str; 32] = [
    "ALL_PROXY",
    "CURL_CA_BUNDLE",
    "GIT_AUTHOR_*",
    "GIT_COMMITTER_*",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LOGNAME",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "NO_COLOR",
    "NO_PROXY",
    "REQUESTS_CA_BUNDLE",
    "SHELL",
    "SSH_AUTH_SOCK",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "TZDIR",
    "USER",
    "XDG_*",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Variables that name the directory of a toolchain. They are kept if the user cannot write to that directory.
const TOOLCHAIN_HOMES: [&str; 16] = [
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ASDF_DIR",
    "CARGO_HOME",
    "CONDA_PREFIX",
    "DOTNET_ROOT",
    "GOPATH",
    "GOROOT",
    "JAVA_HOME",
    "MISE_DATA_DIR",
    "NVM_DIR",
    "PNPM_HOME",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "VOLTA_HOME",
];

/// The directories, below the home directory, into which toolchain managers put programs. They are kept, after those of the system.
const TOOLCHAINS: [&str; 17] = [
    ".cargo/bin",
    "go/bin",
    ".local/share/mise/shims",
    ".asdf/shims",
    ".asdf/bin",
    ".volta/bin",
    ".bun/bin",
    ".deno/bin",
    ".pyenv/shims",
    ".pyenv/bin",
    ".rbenv/shims",
    ".rbenv/bin",
    ".local/share/pnpm",
    ".ghcup/bin",
    ".cabal/bin",
    ".dotnet",
    ".dotnet/tools",
];

/// The same, for toolchains that all users share.
const SHARED_TOOLCHAINS: [&str; 7] = [
    "/opt/homebrew/bin",
    "/opt/homebrew/sbin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/local/cargo/bin",
    "/usr/local/go/bin",
];

/// The directories of the system that belong to every `PATH`.
const SYSTEM: [&str; 4] = ["/run/current-system/sw/bin", "/usr/local/bin", "/usr/bin", "/bin"];

/// The stores whose paths nobody can change.
const STORES: [&str; 2] = ["/nix/store/", "/gnu/store/"];

/// Whether a variable names the directory of a toolchain.
pub fn is_toolchain_home(name: &str) -> bool {
    TOOLCHAIN_HOMES.contains(&name)
}

/// Variables that `OVERRIDES` would match and that change no result: images and CI set them.
const HARMLESS: [&str; 8] = [
    "PIP_CERT",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_DISABLE_PIP_VERSION_CHECK",
    "PIP_NO_CACHE_DIR",
    "PIP_NO_INPUT",
    "PIP_ROOT_USER_ACTION",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
];

/// Whether a variable changes what programs do, so that no check of a landing may get it.
pub fn is_override(name: &str) -> bool {
    is_listed(&OVERRIDES, name) && !HARMLESS.contains(&name)
}

/// The names of the variables that this process would pass to a check and that change what programs do.
pub fn overrides() -> Vec<String> {
    let removed = env::variables_to_remove();
    let passed = env::all().into_iter().map(|(name, _)| name).filter(|name| !removed.contains(name));
    let names: BTreeSet<String> = passed.map(|name| name.to_string_lossy().into_owned()).collect();
    names.into_iter().filter(|name| is_override(name)).collect()
}

fn is_listed(list: &[&str], name: &str) -> bool {
    list.iter().any(|known| match known.split_once('*') {
        Some((start, end)) => name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
        None => *known == name,
    })
}

/// A scrubbed environment, and what it leaves out.
pub struct Scrubbed {
    /// Every variable of it.
    pub variables: Vec<(OsString, OsString)>,
    /// Its `PATH`.
    pub path: OsString,
    /// The names of variables that were left out and that DONE.md may name.
    pub dropped: Vec<String>,
    left_out: Vec<PathBuf>,
    home: Option<PathBuf>,
}

impl Scrubbed {
    /// The scrubbed environment of this process. `path` and `variables` are what the definition of done adds.
    pub fn of(path: &[String], variables: &[String]) -> Scrubbed {
        let home = env::home();
        let entries = entries();
        let Parts { system, toolchains, others } = Parts::of(&entries, home.as_deref());
        let declared: Vec<PathBuf> = path.iter().flat_map(|one| expanded(one, &entries, home.as_deref())).collect();
        let left_out = others.into_iter().filter(|entry| !declared.contains(entry)).collect();
        let path = joined(declared.into_iter().chain(system).chain(toolchains));
        let mut dropped = Vec::new();
        let mut kept: Vec<(OsString, OsString)> = Vec::new();
        for (name, value) in env::all() {
            let text = name.to_string_lossy();
            let is_home = is_toolchain_home(&text);
            let is_declared = variables.iter().any(|declared| *declared == text) && !is_override(&text);
            if is_listed(&KEPT, &text)
                || is_declared
                || is_home && system_dir(Path::new(&value), home.as_deref()).is_some()
            {
                kept.push((name, value));
            } else if !is_override(&text) && text != "PATH" {
                dropped.push(text.into_owned());
            }
        }
        dropped.sort();
        kept.push(("PATH".into(), path.clone()));
        Scrubbed { variables: kept, path, dropped, left_out, home }
    }

    /// The entry that was left out of `PATH` and has a program of this name, as DONE.md would name it.
    pub fn supplier(&self, program: &str) -> Option<String> {
        if program.is_empty() || program.contains('/') {
            return None;
        }
        let is_program =
            |path: &Path| path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
        let dir = self.left_out.iter().find(|dir| is_program(&dir.join(program)))?;
        let below = self.home.as_ref().and_then(|home| dir.strip_prefix(home).ok());
        let shown =
            below.map_or_else(|| dir.to_string_lossy().into_owned(), |path| format!("~/{}", path.to_string_lossy()));
        // The directory of nvm has the version in its name, which differs from machine to machine.
        let parts: Vec<&str> = shown.split('/').collect();
        let of_node = |at: usize| at > 1 && parts[at - 2..at] == ["versions", "node"];
        let generic = parts.iter().enumerate().map(|(at, part)| if of_node(at) { "*" } else { part });
        Some(generic.collect::<Vec<_>>().join("/"))
    }
}

/// Starts this program again without variables that change what programs do, and with the directories of the system first in
/// `PATH`. Returns if the environment already is like that.
pub fn run_again() -> Result<()> {
    let home = env::home();
    let now = entries();
    let Parts { system, toolchains, others } = Parts::of(&now, home.as_deref());
    let path = joined(system.into_iter().chain(toolchains).chain(others));
    let before = env::all();
    let is_plain = before.iter().all(|(name, _)| !is_override(&name.to_string_lossy()));
    if is_plain && path == joined(now.into_iter()) {
        return Ok(());
    }
    let this = std::env::current_exe().map_err(|e| Error::stream("find this program", e))?;
    let kept = before.into_iter().filter(|(name, _)| name != "PATH" && !is_override(&name.to_string_lossy()));
    let mut command = Command::new(&this);
    command.args(std::env::args_os().skip(1)).env_clear().envs(kept).env("PATH", path);
    let error = command.exec();
    Err(Error::io("start", &this, &error))
}

/// The entries of `PATH`, each once.
fn entries() -> Vec<PathBuf> {
    let path = env::all().into_iter().find(|(name, _)| name == "PATH").map(|(_, value)| value).unwrap_or_default();
    once(std::env::split_paths(&path))
}

fn once(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !path.as_os_str().is_empty() && !all.contains(&path) {
            all.push(path);
        }
    }
    all
}

fn joined(paths: impl Iterator<Item = PathBuf>) -> OsString {
    std::env::join_paths(once(paths)).unwrap_or_default()
}

/// The entries of a `PATH`, by who can write to them.
struct Parts {
    system: Vec<PathBuf>,
    toolchains: Vec<PathBuf>,
    others: Vec<PathBuf>,
}

impl Parts {
    fn of(entries: &[PathBuf], home: Option<&Path>) -> Parts {
        let below_home = TOOLCHAINS.iter().filter_map(|name| Some(home?.join(name)));
        let known: Vec<PathBuf> = SHARED_TOOLCHAINS.iter().map(PathBuf::from).chain(below_home).collect();
        let mut parts = Parts { system: Vec::new(), toolchains: Vec::new(), others: Vec::new() };
        for entry in entries {
            match system_dir(entry, home) {
                Some(real) => parts.system.push(real),
                None if known.contains(entry) => {}
                None => parts.others.push(entry.clone()),
            }
        }
        // Every system and every toolchain that exists belongs to it, so that a caller cannot hide a program, either.
        parts.system.extend(SYSTEM.iter().filter_map(|dir| system_dir(Path::new(dir), home)));
        let toolchains = known.into_iter().filter(|dir| dir.is_dir() && system_dir(dir, home).is_none());
        parts.toolchains.extend(toolchains);
        parts
    }
}

/// The real path of a directory if the user cannot write to it, nor to any directory above it. For root: if only root can, outside of
/// the home directory.
fn system_dir(dir: &Path, home: Option<&Path>) -> Option<PathBuf> {
    if env::pinned_path().is_some_and(|pinned| pinned == dir) {
        return Some(dir.to_path_buf());
    }
    if !dir.is_absolute() {
        return None;
    }
    let real = fs::canonicalize(dir).ok().filter(|real| real.is_dir())?;
    if STORES.iter().any(|store| real.starts_with(store)) {
        return Some(real);
    }
    let home = home.and_then(|home| fs::canonicalize(home).ok()).filter(|home| home.parent().is_some());
    let is_private = home.is_some_and(|home| real.starts_with(home));
    (!is_private && !real.ancestors().any(is_writable)).then_some(real)
}

fn is_writable(dir: &Path) -> bool {
    let Ok(meta) = fs::metadata(dir) else { return true };
    let user = rustix::process::getuid().as_raw();
    match user {
        0 => meta.uid() != 0 || meta.mode() & 0o002 != 0,
        _ => meta.uid() == user || rustix::fs::access(dir, rustix::fs::Access::WRITE_OK).is_ok(),
    }
}

/// The directories that a declared one stands for: itself, or with `*` the entries of `PATH` that match it.
fn expanded(declared: &str, entries: &[PathBuf], home: Option<&Path>) -> Vec<PathBuf> {
    let whole = match (declared.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below),
        (Some(_), None) => return Vec::new(),
        (None, _) => PathBuf::from(declared),
    };
    if !declared.contains('*') {
        return vec![whole];
    }
    let matches = |entry: &&PathBuf| {
        let same = |(pattern, part): (Component<'_>, Component<'_>)| {
            pattern == part || pattern.as_os_str() == OsStr::new("*") && matches!(part, Component::Normal(_))
        };
        entry.components().count() == whole.components().count() && whole.components().zip(entry.components()).all(same)
    };
    entries.iter().filter(matches).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_change_programs_are_known_and_none_of_them_is_kept() {
        for name in [
            "MAKEFLAGS",
            "BASH_ENV",
            "ENV",
            "BASH_FUNC_grep%%",
            "LD_PRELOAD",
            "DYLD_INSERT_LIBRARIES",
            "npm_config_script_shell",
            "NODE_OPTIONS",
            "PYTHONPATH",
            "PERL5OPT",
            "RUBYOPT",
            "JAVA_TOOL_OPTIONS",
            "RUSTC_WRAPPER",
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
        ] {
            assert!(is_override(name) && !is_listed(&KEPT, name), "{name}");
        }
        for name in ["HOME", "LC_ALL", "XDG_STATE_HOME", "GIT_AUTHOR_DATE", "https_proxy"] {
            assert!(is_listed(&KEPT, name) && !is_override(name), "{name}");
        }
        for name in HARMLESS {
            assert!(is_listed(&OVERRIDES, name) && !is_override(name), "{name}");
        }
        for name in ["GIT_DIR", "GIT_CONFIG_GLOBAL", "GIT_SSH_COMMAND", "CARGO_TARGET_DIR", "CI", "PATH", "MAKE"] {
            assert!(!is_listed(&KEPT, name) && !is_override(name), "{name}");
        }
        assert!(KEPT.iter().all(|name| !is_override(name)));
    }

    #[test]
    fn a_directory_that_anybody_may_fill_is_not_the_systems() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        for name in ["home/.cargo/bin", "home/.nvm/versions/node/v20.1.0/bin", "open"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        assert_eq!(system_dir(&dir.path().join("open"), Some(&home)), None);
        assert_eq!(system_dir(&home, Some(&home)), None);
        assert_eq!(system_dir(Path::new("usr/bin"), Some(&home)), None);
        assert!(system_dir(Path::new("/usr/bin"), Some(&home)).is_some());
        let node = home.join(".nvm/versions/node/v20.1.0/bin");
        let entries =
            vec![dir.path().join("open"), home.join(".cargo/bin"), node.clone(), "/usr/bin".into(), ".".into()];
        let parts = Parts::of(&entries, Some(&home));
        assert_eq!(parts.system.first(), fs::canonicalize("/usr/bin").ok().as_ref());
        assert!(parts.toolchains.contains(&home.join(".cargo/bin")));
        assert_eq!(parts.others, [dir.path().join("open"), node.clone(), ".".into()]);
        assert_eq!(expanded("~/.nvm/versions/node/*/bin", &entries, Some(&home)), [node]);
        assert!(expanded("~/.nvm/*/node", &entries, Some(&home)).is_empty());
        assert_eq!(expanded("/opt/x", &entries, None), [PathBuf::from("/opt/x")]);
    }
}
