//! `restore`: the files as a copy holds them. First a copy is taken of what it replaces, and only what that holds is replaced.

use crate::TOOL;
use crate::place::{self, New, Top};
use crate::plan::{self, Plan, Put, Scope, Wanted};
use crate::which::Kept;
use review_gate::git::{ObjectId, ObjectName, Piece, Repository, TreeFile};
use review_gate::rescue::{self, Copy, Wish};
use review_gate::snapshot::HiddenThen;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::ids;
use review_gate::sys::lock;
use review_gate::sys::text::{count, one_line};
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

/// How long another restore of the same work tree is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// `--from`, and paths.
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

/// Restores; 111 where something could not be.
pub fn run(args: &mut Args) -> Result<Exit> {
    let (from, paths) = operands(args)?;
    let kept = Kept::here(args)?;
    let copy = kept.one(from.as_deref())?.clone();
    let scope = Scope::of(&kept.store.top, &args.dir()?, &paths)?;
    let guard = kept.state.dir().join("rescue").join(format!("{}.lock", kept.place));
    kept.state.make_parent(&guard)?;
    let _lock = lock::take(&guard, PATIENCE)?;
    let files = kept.files(&copy)?;
    let beside = kept.beside(&copy)?;
    let hidden = HiddenThen::new(ignores(&kept, &copy, &files)?);
    let wanted = Wanted { files: &files, beside: &beside, hidden: &hidden };
    let named = |path: &PathBuf| {
        files
            .iter()
            .map(|file| &file.path)
            .chain(beside.odd.iter().map(|odd| &odd.path))
            .any(|known| known.starts_with(path))
    };
    if let Some(path) = scope.paths().iter().find(|path| !named(path)) {
        return Err(Error::usage(format!("{} is not in the copy {}", path.display(), copy.id)));
    }
    let why = format!("before restore of {}", copy.id);
    let also = plan::touched(&kept.store.top, &wanted, &scope);
    let wish = Wish {
        by: TOOL.name,
        why: &why,
        undo: Some(&copy.id),
        ignored: copy.about.ignored,
        also: &also,
        fresh: true,
        ..Wish::default()
    };
    let undo = rescue::take(&kept.root, &kept.state, &wish)?;
    let mut plan = plan::make(&wanted, &undo.held, &scope);
    let closed = [kept.store.git.git_dir.as_path(), &kept.store.git.common_dir, kept.state.dir()];
    let top = Top::open(&kept.store.top, beside.usual[2], &closed)?;
    for (path, was) in &undo.held.leftovers {
        // One that stays harms nobody: no copy holds it.
        let _ = top.remove(path, *was);
    }
    apply(&kept, &top, &mut plan);
    let indexed = scope.is_whole() && index(&kept, &copy, &mut plan)?;
    let (put, gone) = (plan.put.len(), plan.gone.len());
    let mut out = format!("restored {} of {}", count(put, "file"), copy.id);
    if gone > 0 {
        out.push_str(&format!(", removed {gone}"));
    }
    if indexed {
        out.push_str(", and the index");
    }
    out.push_str(&format!("\nundo it: rg-rescue restore --from {}\n", undo.id));
    if let Some(line) = moved(&kept, &copy).filter(|_| scope.is_whole()) {
        out.push_str(&line);
    }
    for line in &plan.left {
        out.push_str(&format!("left: {}\n", one_line(line)));
    }
    pipes::write(out.as_bytes())?;
    Ok(if plan.left.is_empty() { Exit::Yes } else { Exit::Unjudged })
}

/// The ignore files of a copy, read from it.
fn ignores(kept: &Kept, copy: &Copy, files: &[TreeFile]) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    if copy.about.ignored || kept.store.own {
        return Ok(Vec::new());
    }
    let is_ignore = |file: &&TreeFile| file.path.file_name() == Some(OsStr::new(".gitignore")) && file.is_regular();
    let found: Vec<&TreeFile> = files.iter().filter(is_ignore).collect();
    let ids: Vec<ObjectId> = found.iter().map(|file| file.id).collect();
    let mut all: Vec<(PathBuf, Vec<u8>)> = found.iter().map(|file| (file.path.clone(), Vec::new())).collect();
    kept.store.git.contents(&ids, |at, piece| {
        if let Piece::Bytes(bytes) = piece {
            all[at].1.extend_from_slice(bytes);
        }
    })?;
    Ok(all)
}

/// Does what is planned; what could not be done is left, and said.
fn apply(kept: &Kept, top: &Top, plan: &mut Plan) {
    let mut left = Vec::new();
    plan.gone.retain(|(path, was)| top.remove(path, *was).map_err(|why| left.push(why)).is_ok());
    for dir in &plan.emptied {
        left.extend(top.remove_dir(dir).err());
    }
    let mut puts = std::mem::take(&mut plan.put);
    let ids: Vec<ObjectId> = puts.iter().map(|put| put.id).collect();
    let came = vec![Came::Not; puts.len()];
    let mut writing = Writing { top, puts: &puts, open: None, came, left: Vec::new() };
    let read = kept.store.git.contents_patiently(&ids, |at, piece| writing.take(at, piece));
    let Writing { came, left: unwritten, open, .. } = writing;
    if let Some(open) = open {
        open.new.drop();
    }
    left.extend(unwritten);
    if let Err(error) = read {
        left.push(error.to_string());
        let not = puts.iter().zip(&came).filter(|(_, came)| **came == Came::Not);
        left.extend(not.map(|(put, _)| format!("{}: git did not hand out its bytes", put.path.display())));
    }
    let mut came = came.into_iter();
    puts.retain(|_| came.next() == Some(Came::Whole));
    plan.put = puts;
    for (dir, mode) in &plan.dirs {
        left.extend(top.dir(dir, *mode).err());
    }
    left.extend(top.settle());
    plan.left.extend(left);
}

/// Files as their bytes come, one after the other.
struct Writing<'a> {
    top: &'a Top,
    puts: &'a [Put],
    open: Option<Open>,
    came: Vec<Came>,
    left: Vec<String>,
}

/// How far one came.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    Not,
    /// It is in its place.
    Whole,
    /// It is left, and said why.
    Left,
}

/// The one whose bytes are coming.
struct Open {
    new: New,
    name: ObjectName,
    /// A link's target.
    target: Vec<u8>,
}

impl Writing<'_> {
    fn take(&mut self, at: usize, piece: Piece<'_>) {
        if let Err(why) = self.step(at, piece) {
            if let Some(open) = self.open.take() {
                open.new.drop();
            }
            self.came[at] = Came::Left;
            self.left.push(why);
        }
    }

    fn step(&mut self, at: usize, piece: Piece<'_>) -> place::Step<()> {
        let put = &self.puts[at];
        match piece {
            Piece::Missing => Err(format!("{}: git has lost its bytes", put.path.display())),
            Piece::Begin(length) => {
                let new = self.top.begin(&put.path, &ids::ulid(&["put", &at.to_string()]))?;
                self.open =
                    Some(Open { new, name: ObjectName::checked(put.id.format(), "blob", length), target: Vec::new() });
                Ok(())
            }
            Piece::Bytes(bytes) => {
                let Some(open) = &mut self.open else { return Ok(()) };
                open.name.update(bytes);
                if put.link {
                    open.target.extend_from_slice(bytes);
                    return Ok(());
                }
                let written = open.new.file.write_all(bytes);
                written.map_err(|e| Error::io("write", &put.path, &e).to_string())
            }
            Piece::End => {
                let Some(Open { new, name, target }) = self.open.take() else { return Ok(()) };
                if name.finish() != put.id {
                    new.drop();
                    return Err(format!("{}: git holds something else under the name {}", put.path.display(), put.id));
                }
                match put.link {
                    true => self.top.link(&new, &put.path, OsStr::from_bytes(&target), put.over)?,
                    false => self.top.finish(&new, &put.path, put.mode, put.over)?,
                }
                self.came[at] = Came::Whole;
                Ok(())
            }
        }
    }
}

/// The index as it was, where it is of this work tree.
fn index(kept: &Kept, copy: &Copy, plan: &mut Plan) -> Result<bool> {
    let (Some(second), Some(tree)) = (&copy.second, Repository::find(&kept.root)) else { return Ok(false) };
    let has =
        kept.store.git.git(&["ls-tree", "--name-only", second])?.split(|b| *b == b'\n').any(|name| name == b"index");
    if !has || !kept.is_here(copy) {
        return Ok(false);
    }
    let bytes = kept.store.git.git(&["cat-file", "blob", &format!("{second}:index")])?;
    match place::index(&tree.git_dir, &bytes, copy.about.index_at) {
        Ok(()) => Ok(true),
        Err(why) => {
            plan.left.push(why);
            Ok(false)
        }
    }
}

/// What a restore does not move back.
fn moved(kept: &Kept, copy: &Copy) -> Option<String> {
    let then = copy.about.head.as_deref()?;
    let now = Repository::find(&kept.root)?.head();
    let under_way = copy.about.under_way.as_deref();
    let mut text = String::new();
    if now.as_deref() != Some(then) {
        let branch = copy.about.branch.as_deref().map_or("no branch", |name| name.trim_start_matches("refs/heads/"));
        text = format!(
            "the commit that was checked out then is {} ({}); it stays where it is\n",
            then.get(..12).unwrap_or(then),
            one_line(branch)
        );
    }
    if let Some(what) = under_way {
        text.push_str(&format!("{what} was under way then; that is not taken up again\n"));
    }
    Some(text)
}
