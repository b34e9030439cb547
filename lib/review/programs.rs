//! The reviewer's program as it was when the task began: a program that an agent puts on PATH, or edits, must not judge its work.

use super::ask::{self, Target};
use super::command_files::{self, SCRIPTS};
use crate::donefile::{AskSpec, ReviewSpec};
use crate::store::record::{PinnedProgram, ReviewPins};
use crate::sys::digest::sha256;
use crate::sys::env;
use crate::sys::files;
use crate::sys::shell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The size of the largest file that is identified by its digest, in bytes. A larger one is identified by its inode and its times, which
/// a write changes, because a client of 200 MB takes too long to read at a prompt.
const DIGEST: u64 = 1 << 20;

/// The pins of the programs and files that may review, as they are now.
pub fn now(spec: &ReviewSpec, ask: &AskSpec, root: &Path) -> ReviewPins {
    let mut pins = ReviewPins::default();
    let declared = spec.programs().chain(ask.targets.values());
    for words in declared {
        let named = command_files::of(words, root);
        for name in named.programs {
            pin(&name, root, &mut pins);
        }
        pins.files.extend(named.files.into_iter().map(|path| {
            let id = identity_of(&path, root);
            (path, id)
        }));
    }
    for name in ask::KNOWN {
        pin(name, root, &mut pins);
    }
    pins
}

/// The programs that can review and are found: those that DONE.md names, and the known ones. No interpreter of one.
pub fn found(spec: &ReviewSpec, ask: &AskSpec, root: &Path) -> Vec<String> {
    let declared = spec.programs().chain(ask.targets.values());
    let declared = declared.flat_map(|words| command_files::of(words, root).programs);
    let all: BTreeSet<String> = declared.chain(ask::KNOWN.map(str::to_string)).collect();
    all.into_iter().filter(|name| find(name, root).is_some()).collect()
}

/// Adds a program, and the interpreter that its first line names.
fn pin(name: &str, root: &Path, pins: &mut ReviewPins) {
    if pins.programs.contains_key(name) || pins.absent.contains(name) {
        return;
    }
    let Some(program) = find(name, root) else {
        pins.absent.insert(name.to_string());
        return;
    };
    let interpreter = program.interpreter.clone();
    pins.programs.insert(name.to_string(), program);
    if let Some(interpreter) = interpreter {
        pin(&interpreter, root, pins);
    }
}

/// The program of that name, or at that path.
fn find(name: &str, root: &Path) -> Option<PinnedProgram> {
    let path = if name.contains('/') { root.join(name) } else { root.join(env::program(name)?) };
    let real = fs::canonicalize(&path).ok()?;
    Some(PinnedProgram { id: identity(&real)?, interpreter: interpreter(&real), path, real })
}

/// What identifies the content of a file; None if it cannot be read.
fn identity(path: &Path) -> Option<String> {
    let meta = fs::metadata(path).ok().filter(|meta| meta.is_file())?;
    match meta.len() <= DIGEST {
        true => files::try_read_following(path, DIGEST).map(|bytes| sha256(&bytes)),
        false => Some(format!("{}:{}:{}:{}.{}", meta.dev(), meta.ino(), meta.len(), meta.ctime(), meta.ctime_nsec())),
    }
}

/// What identifies a file that a command names; empty if there is none. Of package.json only its scripts count.
fn identity_of(path: &str, root: &Path) -> String {
    let Some(package) = path.strip_suffix(SCRIPTS) else {
        return identity(&below(path, root)).unwrap_or_default();
    };
    let bytes = files::try_read_following(&root.join(package), DIGEST).unwrap_or_default();
    match serde_json::from_slice::<serde_json::Value>(&bytes) {
        Ok(value) => value.get("scripts").map_or(String::new(), |scripts| sha256(scripts.to_string().as_bytes())),
        Err(_) => sha256(&bytes),
    }
}

fn below(path: &str, root: &Path) -> PathBuf {
    match (path.strip_prefix("~/"), env::home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => root.join(path),
    }
}

/// The program in the first line of a script: a path, or the name that env(1) searches.
fn interpreter(path: &Path) -> Option<String> {
    let mut head = vec![0; 256];
    let mut file = files::open_following(path).ok().flatten()?;
    let read = std::io::Read::read(&mut file, &mut head).ok()?;
    let text = String::from_utf8_lossy(&head[..read]).into_owned();
    let mut words = text.strip_prefix("#!")?.lines().next()?.split_whitespace();
    let first = words.next()?;
    match shell::program_name(first) {
        "env" => words.find(|word| !word.starts_with('-') && !word.contains('=')).map(str::to_string),
        _ => Some(first.to_string()),
    }
}

/// The model to start, of those that rg-ask would choose: one that was there when the task began. A newer one is left out. Err: why
/// none may be started.
pub fn choose(targets: Vec<Target>, pins: &ReviewPins, root: &Path) -> Result<Target, String> {
    let mut why = None;
    for target in targets {
        let Some(name) = target.program_name() else {
            // The words of a declared target are checked as those of `review.command` are.
            match target.declared_words().and_then(|words| changed_in(words, pins, root)) {
                None => return Ok(target),
                Some(changed) => why = why.or(Some(changed)),
            }
            continue;
        };
        match pins.programs.get(name) {
            Some(pinned) => match usable(name, pinned, pins, root) {
                Some(path) => return Ok(target.at(path)),
                // One that was uninstalled is left out.
                None if find(name, root).is_none() => why = why.or(Some(name.to_string())),
                None => return Err(name.to_string()),
            },
            None => why = why.or(Some(format!("{name}, which was not installed when it began"))),
        }
    }
    Err(why.unwrap_or_default())
}

/// The path at which the pinned program still is: where it is found now, or, after an update that keeps the old version, the old one.
fn usable(name: &str, pinned: &PinnedProgram, pins: &ReviewPins, root: &Path) -> Option<PathBuf> {
    if is_interpreter_changed(pinned, pins, root) {
        return None;
    }
    let now = find(name, root);
    if let Some(now) = now.filter(|now| is_same(now, pinned)) {
        return Some(now.path);
    }
    (identity(&pinned.real).as_ref() == Some(&pinned.id)).then(|| pinned.real.clone())
}

fn is_same(now: &PinnedProgram, pinned: &PinnedProgram) -> bool {
    let is_equal = now.real == pinned.real && now.id == pinned.id;
    is_equal || is_protected(&now.path) && is_protected(&now.real)
}

fn is_interpreter_changed(pinned: &PinnedProgram, pins: &ReviewPins, root: &Path) -> bool {
    pinned.interpreter.as_ref().is_some_and(|name| is_changed(name, pins, root))
}

/// Whether another program than the pinned one would run under that name.
fn is_changed(name: &str, pins: &ReviewPins, root: &Path) -> bool {
    // A program that is gone cannot run.
    let Some(now) = find(name, root) else { return false };
    match pins.programs.get(name) {
        Some(pinned) => !is_same(&now, pinned) || is_interpreter_changed(pinned, pins, root),
        // One that is neither pinned nor absent is named by a file that changed.
        None => pins.absent.contains(name) && !(is_protected(&now.path) && is_protected(&now.real)),
    }
}

/// Whether this user cannot replace a file: neither it nor a directory above it can be written. A package manager changed it, if
/// anybody did.
fn is_protected(path: &Path) -> bool {
    let can_write = |path: &Path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
    path.is_absolute() && !path.ancestors().any(can_write)
}

/// The first program or file of a command that is not as it was when the task began.
pub fn changed_in(words: &[String], pins: &ReviewPins, root: &Path) -> Option<String> {
    let named = command_files::of(words, root);
    let program = named.programs.iter().find(|name| is_changed(name, pins, root));
    // A file that is gone cannot run. One that is not pinned is named by a file that changed, which is found, too.
    let is_file_changed = |path: &&String| {
        let id = identity_of(path, root);
        !id.is_empty() && pins.files.get(*path).is_some_and(|pinned| *pinned != id)
    };
    named.files.iter().find(is_file_changed).or(program).map(|name| name.trim_end_matches(SCRIPTS).to_string())
}
