//! The files of the scratch worktree: byte by byte those that the commit stores, whatever filters, attributes and hooks the repository
//! configures.

use crate::plan::Plan;
use crate::settings::Settings;
use review_gate::git::{ObjectId, Piece, Repository, TreeFile};
use review_gate::snapshot::commit::{Part, of_commit, parts};
use review_gate::snapshot::{self, Rules, Snapshot, Use};
use review_gate::store::state::State;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::files;
use review_gate::sys::text::{count, cut_end, one_line};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Makes the files of the scratch worktree those of the commit, removes everything else, and proves it: no file is left to git's
/// filters and ignore rules. Returns the snapshot.
pub fn make_exact(plan: &Plan, scratch: &Repository, commit: &str) -> Result<Snapshot> {
    let expected = of_commit(scratch, commit)?;
    let all = parts(scratch, commit)?;
    remove_others(scratch, &all)?;
    let now = snapshot::take(&scratch.top, &Rules::None, &plan.state, Use::Fresh)?;
    let wrong: BTreeSet<PathBuf> = expected.changed_since(&now).into_iter().collect();
    for part in &all {
        write_part(&scratch.top, part, &wrong)?;
    }
    let now = snapshot::take(&scratch.top, &Rules::None, &plan.state, Use::Fresh)?;
    let mut differing = now.changed_since(&expected);
    differing.extend(others(scratch, &all));
    if let Some(first) = differing.first() {
        let first = cut_end(&one_line(&first.to_string_lossy()), 80);
        let files = count(differing.len(), "file");
        let text = format!(
            "not landed: the scratch worktree differs from the commit in {files} ({first}). Another process writes there"
        );
        return Err(Error::changed(text));
    }
    require_submodules(&all)?;
    require_index(scratch, commit)?;
    Ok(expected)
}

/// The files that are not as the commit stores them after the checks ran. Files that an ignore rule of the commit hides may have
/// been added.
pub fn differing(state: &State, scratch: &Repository, expected: &Snapshot) -> Result<Vec<PathBuf>> {
    let now = snapshot::take(&scratch.top, &Rules::Today, state, Use::Fresh)?;
    Ok(now.changed_since(expected))
}

/// An error unless the index and HEAD are those of the commit, and git checks every file for changes.
pub fn require_index(scratch: &Repository, commit: &str) -> Result<()> {
    let tree = scratch.tree(commit)?;
    let index = scratch.tracked()?;
    if scratch.is_sparse() || index.iter().any(|entry| entry.is_skip_worktree || entry.is_unchecked) {
        return Err(Error::changed("not landed: the index of the scratch worktree hides changed files from git"));
    }
    let is_same = index.iter().count() == tree.len()
        && index.iter().zip(tree.iter()).all(|(entry, file)| entry.path == file.path && entry.id == file.id);
    match is_same && scratch.head().as_deref() == Some(commit) {
        true => Ok(()),
        false => Err(Error::changed(
            "not landed: another process moved the scratch worktree to another commit. Run rg-land again",
        )),
    }
}

/// The submodules that a clean checkout has must be here, because a check may pass without them.
fn require_submodules(all: &[Part]) -> Result<()> {
    let here: BTreeSet<&Path> = all.iter().map(|part| part.below.as_path()).collect();
    for Part { below, repository, tree } in all {
        let missing: Vec<&TreeFile> = tree
            .iter()
            .filter(|file| file.is_submodule() && !here.contains(below.join(&file.path).as_path()))
            .collect();
        if missing.is_empty() {
            continue;
        }
        let named = Settings::submodules(repository)?;
        if let Some(file) = missing.iter().find(|file| named.contains(&file.path)) {
            let name = cut_end(&one_line(&below.join(&file.path).to_string_lossy()), 80);
            return Err(Error::refused(format!(
                "not landed: the submodule {name} was not checked out. Remove its settings `submodule.<name>.update` and `active` from git's configuration"
            )));
        }
    }
    Ok(())
}

/// The paths of a commit with its submodules, and the directories above them.
struct Known {
    files: BTreeSet<PathBuf>,
    dirs: BTreeSet<PathBuf>,
}

impl Known {
    fn of(all: &[Part]) -> Known {
        let mut known = Known { files: BTreeSet::new(), dirs: BTreeSet::new() };
        for Part { below, tree, .. } in all {
            for file in tree.iter() {
                let path = below.join(&file.path);
                known.dirs.extend(path.ancestors().skip(1).map(Path::to_path_buf));
                match file.is_submodule() {
                    true => known.dirs.insert(path),
                    false => known.files.insert(path),
                };
            }
            // The link to the repository.
            known.files.insert(below.join(".git"));
        }
        known
    }

    fn has(&self, path: &Path, is_dir: bool) -> bool {
        if is_dir { self.dirs.contains(path) } else { self.files.contains(path) }
    }
}

/// Every entry of the worktree that the commit does not have, ignored or not; nothing below such a directory.
fn others(scratch: &Repository, all: &[Part]) -> Vec<PathBuf> {
    let known = Known::of(all);
    let mut found = Vec::new();
    let mut walk = WalkDir::new(&scratch.top).min_depth(1).into_iter();
    while let Some(entry) = walk.next() {
        let (path, is_dir) = match &entry {
            Ok(entry) => (entry.path(), entry.file_type().is_dir()),
            Err(error) => (error.path().unwrap_or(&scratch.top), false),
        };
        let below = path.strip_prefix(&scratch.top).unwrap_or(path).to_path_buf();
        // The git directory of a submodule may be in its worktree.
        let is_git = is_dir && below.ends_with(".git") && known.files.contains(&below);
        if entry.is_ok() && (known.has(&below, is_dir) || is_git) {
            if is_git {
                walk.skip_current_dir();
            }
            continue;
        }
        if is_dir {
            walk.skip_current_dir();
        }
        found.push(below);
    }
    found
}

fn remove_others(scratch: &Repository, all: &[Part]) -> Result<()> {
    others(scratch, all).iter().try_for_each(|path| remove(&scratch.top.join(path)))
}

fn remove(path: &Path) -> Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(|e| Error::io("remove", path, &e))
}

/// Writes the files of one repository that are `wrong` as the commit stores them.
fn write_part(top: &Path, part: &Part, wrong: &BTreeSet<PathBuf>) -> Result<()> {
    let is_wrong = |file: &&TreeFile| !file.is_submodule() && wrong.contains(&part.below.join(&file.path));
    let files: Vec<&TreeFile> = part.tree.iter().filter(is_wrong).collect();
    let ids: Vec<ObjectId> = files.iter().map(|file| file.id).collect();
    let mut failed: Option<Error> = None;
    let mut open: Option<BlobWriter> = None;
    part.repository.contents_with_idle_timeout(&ids, |at, piece| {
        let path = top.join(&part.below).join(&files[at].path);
        let done = match (piece, &mut open) {
            (Piece::Begin(_), _) => BlobWriter::begin(&path, files[at].mode).map(|writer| open = Some(writer)),
            (Piece::Bytes(bytes), Some(writer)) => writer.write(bytes),
            (Piece::End, Some(_)) => open.take().map_or(Ok(()), |writer| writer.end(&path)),
            _ => Ok(()),
        };
        if let (Err(e), None) = (done, &failed) {
            failed = Some(Error::io("write", &path, &e));
        }
    })?;
    failed.map_or(Ok(()), Err)
}

/// Writes one blob as a file or a link. The path is replaced; the directories above it are no links any more.
enum BlobWriter {
    File(fs::File),
    Link(Vec<u8>),
}

impl BlobWriter {
    fn begin(path: &Path, mode: u32) -> io::Result<BlobWriter> {
        remove(path).map_err(|e| io::Error::other(e.to_string()))?;
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        if mode == 0o120000 {
            return Ok(BlobWriter::Link(Vec::new()));
        }
        let mode = if mode == 0o100755 { 0o777 } else { 0o666 };
        files::create_new(path, mode).map(BlobWriter::File)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            BlobWriter::File(file) => file.write_all(bytes),
            BlobWriter::Link(target) => {
                target.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    fn end(self, path: &Path) -> io::Result<()> {
        match self {
            // A umask may have taken the owner's permissions.
            BlobWriter::File(file) => {
                let mode = file.metadata()?.permissions().mode();
                let wanted = if mode & 0o111 != 0 { mode | 0o700 } else { mode | 0o600 };
                file.set_permissions(fs::Permissions::from_mode(wanted))
            }
            BlobWriter::Link(target) => symlink(std::ffi::OsStr::from_bytes(&target), path),
        }
    }
}

/// A line for the user about files that a usual checkout of this repository would change: they are judged as the commit stores them.
pub fn conversions(scratch: &Repository) -> Result<Option<String>> {
    let paths: Vec<u8> = scratch
        .tracked()?
        .iter()
        .filter(|entry| !entry.is_submodule)
        .flat_map(|entry| [entry.path.as_os_str().as_bytes(), b"\0"].concat())
        .collect();
    let words = ["check-attr", "-z", "--stdin", "filter", "working-tree-encoding", "ident", "eol"];
    let out = scratch.feed(&words, paths)?;
    let fields: Vec<String> =
        out.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned()).collect();
    let mut by_what: HashMap<String, Vec<&String>> = HashMap::new();
    for row in fields.chunks_exact(3) {
        let what = match (row[1].as_str(), row[2].as_str()) {
            (_, "unspecified" | "unset") | ("filter", "set") | ("eol", "lf") => continue,
            ("ident", _) => "ident".to_string(),
            (name, value) => format!("{name}={value}"),
        };
        by_what.entry(what).or_default().push(&row[0]);
    }
    let mut parts: Vec<String> = by_what
        .iter()
        .map(|(what, paths)| {
            let what = cut_end(&one_line(what), 40);
            format!("{what} ({}: {})", count(paths.len(), "file"), cut_end(&one_line(paths[0]), 80))
        })
        .collect();
    parts.sort();
    let text = || format!("judging the files as the commit stores them, without {}", parts.join(", "));
    Ok((!parts.is_empty()).then(text))
}
