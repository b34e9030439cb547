//! `restore`: restores the files of a backup. First it saves a backup of the current files, and it replaces only what that backup holds.

use crate::TOOL;
use crate::backups::Backups;
use crate::plan::{self, Contents, FileWrite, Plan, Scope};
use crate::worktree::{self, TemporaryFile, Top};
use review_gate::git::{ObjectId, ObjectName, Piece, Repository, TreeFile};
use review_gate::rescue::{self, Backup, BackupOptions};
use review_gate::snapshot::RecordedIgnores;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::ids;
use review_gate::sys::lock;
use review_gate::sys::text::{count, one_line};
use review_gate::talk::directory::TalkDir;
use review_gate::talk::lines::append_missing;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

/// How long to wait for another restore of the same worktree.
const PATIENCE: Duration = Duration::from_secs(10);

/// Parses `--from` and the paths.
pub fn operands(args: &mut Args) -> Result<(Option<String>, Vec<PathBuf>)> {
    let (mut from, mut paths) = (None, Vec::new());
    while let Some(word) = args.flag_or_path()? {
        match word {
            Ok(Flag::Long(name)) if name == "from" => from = Some(args.value()?),
            Ok(flag) => return Err(args.unknown(&flag)),
            Err(path) => paths.push(path),
        }
    }
    Ok((from, paths))
}

/// Restores; status 111 if something was not restored.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (from, paths) = operands(args)?;
    let backups = Backups::here(args)?;
    let copy = backups.one(from.as_deref())?.clone();
    let scope = Scope::of(&backups.store.top, &args.dir()?, &paths)?;
    let guard = backups.state.dir().join("rescue").join(format!("{}.lock", backups.place));
    backups.state.make_parent(&guard)?;
    let _lock = lock::take(&guard, PATIENCE)?;
    let files = backups.files(&copy)?;
    let beside = backups.beside(&copy)?;
    let hidden = RecordedIgnores::new(ignores(&backups, &copy, &files)?);
    let contents = Contents { files: &files, beside: &beside, hidden: &hidden };
    let named = |path: &PathBuf| {
        files
            .iter()
            .map(|file| &file.path)
            .chain(beside.entries.iter().map(|odd| &odd.path))
            .any(|known| known.starts_with(path))
    };
    if let Some(path) = scope.paths().iter().find(|path| !named(path)) {
        return Err(Error::usage(format!("not in backup {}: {}", copy.id, path.display())));
    }
    let why = format!("before restoring {}", copy.id);
    let also = plan::touched(&backups.store.top, &contents, &scope);
    let wish = BackupOptions {
        by: TOOL.name,
        why: &why,
        undo: Some(&copy.id),
        ignored: copy.info.ignored,
        also: &also,
        fresh: true,
        ..BackupOptions::default()
    };
    let undo = rescue::take(&backups.root, &backups.state, &wish)?;
    let mut plan = plan::make(&contents, &undo.files, &scope);
    let closed = [backups.store.git.git_dir.as_path(), &backups.store.git.common_dir, backups.state.dir()];
    let top = Top::open(&backups.store.top, beside.usual[2], &closed)?;
    for (path, was) in &undo.files.leftovers {
        // A leftover temporary file that cannot be removed does no harm.
        let _ = top.remove(path, *was);
    }
    apply(&backups, &top, &mut plan);
    let indexed = scope.is_whole() && index(&backups, &copy, &mut plan)?;
    let (put, gone) = (plan.writes.len() + logs(&backups, &mut plan), plan.removals.len());
    let mut out = format!("restored {} from backup {}", count(put, "file"), copy.id);
    if gone > 0 {
        out.push_str(&format!(", removed {}", count(gone, "file")));
    }
    if indexed {
        out.push_str(", and the index");
    }
    out.push_str(&format!("\nUndo it with `rg-rescue restore --from {}`\n", undo.id));
    if let Some(line) = moved(&backups, &copy).filter(|_| scope.is_whole()) {
        out.push_str(&line);
    }
    for line in &plan.skipped {
        out.push_str(&format!("not restored: {}\n", one_line(line)));
    }
    pipes::write(out.as_bytes())?;
    Ok(if plan.skipped.is_empty() { Exit::Yes } else { Exit::Unjudged })
}

/// The .gitignore files of a backup.
fn ignores(backups: &Backups, copy: &Backup, files: &[TreeFile]) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    if copy.info.ignored || backups.store.is_own {
        return Ok(Vec::new());
    }
    let is_ignore = |file: &&TreeFile| file.path.file_name() == Some(OsStr::new(".gitignore")) && file.is_regular();
    let found: Vec<&TreeFile> = files.iter().filter(is_ignore).collect();
    let ids: Vec<ObjectId> = found.iter().map(|file| file.id).collect();
    let mut all: Vec<(PathBuf, Vec<u8>)> = found.iter().map(|file| (file.path.clone(), Vec::new())).collect();
    backups.store.git.contents(&ids, |at, piece| {
        if let Piece::Bytes(bytes) = piece {
            all[at].1.extend_from_slice(bytes);
        }
    })?;
    Ok(all)
}

/// Carries out the plan. Adds what could not be done to `plan.skipped`.
fn apply(backups: &Backups, top: &Top, plan: &mut Plan) {
    let mut left = Vec::new();
    plan.removals.retain(|(path, was)| top.remove(path, *was).map_err(|why| left.push(why)).is_ok());
    for dir in &plan.empty_dirs {
        left.extend(top.remove_dir(dir).err());
    }
    let mut puts = std::mem::take(&mut plan.writes);
    let ids: Vec<ObjectId> = puts.iter().map(|put| put.id).collect();
    let states = vec![FileState::Pending; puts.len()];
    let mut writing = Writing { top, puts: &puts, open: None, states, left: Vec::new() };
    let read = backups.store.git.contents_with_idle_timeout(&ids, |at, piece| writing.take(at, piece));
    let Writing { states, left: unwritten, open, .. } = writing;
    if let Some(open) = open {
        open.new.discard();
    }
    left.extend(unwritten);
    if let Err(error) = read {
        left.push(error.to_string());
        let not = puts.iter().zip(&states).filter(|(_, states)| **states == FileState::Pending);
        left.extend(not.map(|(put, _)| format!("{}: git did not return its content", put.path.display())));
    }
    let mut states = states.into_iter();
    puts.retain(|_| states.next() == Some(FileState::Done));
    plan.writes = puts;
    for (dir, mode) in &plan.dirs {
        left.extend(top.dir(dir, *mode).err());
    }
    left.extend(top.settle());
    plan.skipped.extend(left);
}

/// Adds the lines of the backup to logs that lack them. Returns how many logs have got some.
fn logs(backups: &Backups, plan: &mut Plan) -> usize {
    let ids: Vec<ObjectId> = plan.logs.iter().map(|(_, id)| *id).collect();
    let mut texts = vec![Vec::new(); ids.len()];
    let read = backups.store.git.contents(&ids, |at, piece| {
        if let Piece::Bytes(bytes) = piece {
            texts[at].extend_from_slice(bytes);
        }
    });
    plan.skipped.extend(read.err().map(|error| error.to_string()));
    let mut changed = 0;
    for ((path, _), text) in plan.logs.iter().zip(&texts) {
        // A writer may have been in the middle of the last line.
        let whole = text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let lines = whole.map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        match TalkDir::at(&backups.store.top)
            .make()
            .and_then(|()| append_missing(&backups.store.top.join(path), &[path; 0], lines))
        {
            Ok(added) => changed += usize::from(added > 0),
            Err(error) => plan.skipped.push(format!("{}: {error}", path.display())),
        }
    }
    changed
}

/// Writes files as git returns their contents, one after the other.
struct Writing<'a> {
    top: &'a Top,
    puts: &'a [FileWrite],
    open: Option<Open>,
    states: Vec<FileState>,
    left: Vec<String>,
}

/// The state of one file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileState {
    Pending,
    /// It is written.
    Done,
    /// It was not restored; the reason is recorded.
    Skipped,
}

/// The file that is being written.
struct Open {
    new: TemporaryFile,
    name: ObjectName,
    /// A link's target.
    target: Vec<u8>,
}

impl Writing<'_> {
    fn take(&mut self, at: usize, piece: Piece<'_>) {
        if let Err(why) = self.step(at, piece) {
            if let Some(open) = self.open.take() {
                open.new.discard();
            }
            self.states[at] = FileState::Skipped;
            self.left.push(why);
        }
    }

    fn step(&mut self, at: usize, piece: Piece<'_>) -> worktree::Step<()> {
        let put = &self.puts[at];
        match piece {
            Piece::Missing => Err(format!("{}: its content is missing in git", put.path.display())),
            Piece::Begin(length) => {
                let new = self.top.begin(&put.path, &ids::ulid(&["put", &at.to_string()]))?;
                self.open =
                    Some(Open { new, name: ObjectName::checked(put.id.format(), "blob", length), target: Vec::new() });
                Ok(())
            }
            Piece::Bytes(bytes) => {
                let Some(open) = &mut self.open else { return Ok(()) };
                open.name.update(bytes);
                if put.is_link {
                    open.target.extend_from_slice(bytes);
                    return Ok(());
                }
                let written = open.new.file.write_all(bytes);
                written.map_err(|e| Error::io("write", &put.path, &e).to_string())
            }
            Piece::End => {
                let Some(Open { new, name, target }) = self.open.take() else { return Ok(()) };
                if name.finish() != put.id {
                    new.discard();
                    return Err(format!("{}: its content in git does not match its id {}", put.path.display(), put.id));
                }
                match put.is_link {
                    true => self.top.link(&new, &put.path, OsStr::from_bytes(&target), put.over)?,
                    false => self.top.finish(&new, &put.path, put.mode, put.over)?,
                }
                self.states[at] = FileState::Done;
                Ok(())
            }
        }
    }
}

/// Restores the index if the backup is of this worktree.
fn index(backups: &Backups, copy: &Backup, plan: &mut Plan) -> Result<bool> {
    let (Some(second), Some(tree)) = (&copy.second, Repository::find(&backups.root)) else { return Ok(false) };
    let has =
        backups.store.git.git(&["ls-tree", "--name-only", second])?.split(|b| *b == b'\n').any(|name| name == b"index");
    if !has || !backups.is_here(copy) {
        return Ok(false);
    }
    let bytes = backups.store.git.git(&["cat-file", "blob", &format!("{second}:index")])?;
    match worktree::index(&tree.git_dir, &bytes, copy.info.index_at) {
        Ok(()) => Ok(true),
        Err(why) => {
            plan.skipped.push(why);
            Ok(false)
        }
    }
}

/// What a restore leaves as it is: HEAD, and an operation that was under way.
fn moved(backups: &Backups, copy: &Backup) -> Option<String> {
    let then = copy.info.head.as_deref()?;
    let now = Repository::find(&backups.root)?.head();
    let under_way = copy.info.under_way.as_deref();
    let mut text = String::new();
    if now.as_deref() != Some(then) {
        let branch = copy.info.branch.as_deref().map_or("no branch", |name| name.trim_start_matches("refs/heads/"));
        text = format!(
            "HEAD was not restored: the backup had {} checked out ({})\n",
            then.get(..12).unwrap_or(then),
            one_line(branch)
        );
    }
    if let Some(what) = under_way {
        text.push_str(&format!("{what} was under way in the backup and was not restored\n"));
    }
    Some(text)
}
