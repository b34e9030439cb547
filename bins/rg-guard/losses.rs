//! What a command may lose, as far as files of work trees go: which trees, and which paths in them.
//!
//! Only commands that can lose files are looked at twice; for any other call this costs a comparison of names.

use crate::rules::{self, files, writes};
use crate::run::{Call, Flags, flags, marks, place, search_at};
use crate::world::World;
use review_gate::git::{Index, Repository};
use review_gate::snapshot::HiddenToday;
use std::fs;
use std::path::{Path, PathBuf};

/// How large a file may be that is held against the index, in bytes; a larger one is taken to have changed.
const COMPARED: u64 = 1 << 20;

/// Programs that put something in the place of what was there. What edits a file, or writes it anew (`>`, `sed -i`), does what an
/// agent is there for.
const OVERWRITERS: [&str; 9] = ["cp", "gcp", "mv", "gmv", "install", "rsync", "truncate", "gtruncate", "dd"];

/// What one work tree may lose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Its top.
    pub top: PathBuf,
    /// What goes, whole; nothing where it may be anything that is not committed.
    pub paths: Vec<PathBuf>,
}

impl Loss {
    fn anything(top: PathBuf) -> Loss {
        Loss { top, paths: Vec::new() }
    }
}

/// What a command of a call that is being judged may lose.
pub fn of(call: &Call, world: &World) -> Vec<Loss> {
    let place = Place { call, world };
    match call.name.as_str() {
        "git" if !call.away => place.git(),
        "find" | "gfind" | "bfs" if !call.away => place.swept(),
        name if OVERWRITERS.contains(&name) => {
            let written = writes::written(call);
            written.iter().filter(|(_, stays)| !stays).flat_map(|(path, _)| place.replaced(path)).collect()
        }
        _ => match files::removed(call) {
            Some((paths, _)) => paths.iter().flat_map(|path| place.removed(path, false)).collect(),
            None => Vec::new(),
        },
    }
}

/// A call, and what is around it.
struct Place<'a> {
    call: &'a Call,
    world: &'a World,
}

impl Place<'_> {
    fn git(&self) -> Vec<Loss> {
        let Some(verb) = self.call.args.first().map(|arg| arg.text.as_str()) else { return Vec::new() };
        let found = flags(&self.call.args[1..], crate::pattern::valued_git(verb));
        if found.any(&["--help", "-h"]) {
            return Vec::new();
        }
        let here = || self.here().map(|repository| repository.top);
        match verb {
            "worktree" => self.removed_trees(&found),
            "submodule" if found.operand(0) == "update" && found.any(&["-f", "--force"]) => self.submodules(),
            "rm" if !found.any(&["--cached", "-n", "--dry-run"]) => {
                let named = found.operands.iter().flat_map(|arg| self.removed(&arg.text, false));
                here().map(Loss::anything).into_iter().chain(named).collect()
            }
            "mv" if found.any(&["-f", "--force"]) => {
                found.operands.last().map(|arg| self.replaced(&arg.text)).unwrap_or_default()
            }
            _ if self.discards(verb, &found) => here().map(Loss::anything).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a command of git may lose what is not committed.
    fn discards(&self, verb: &str, found: &Flags<'_>) -> bool {
        let ruled = |ids: &[&str]| {
            ids.iter().any(|id| rules::named(id).is_some_and(|rule| rule.applies(self.call, self.world)))
        };
        match verb {
            "reset" => ruled(&["git-reset-hard"]) || found.any(&["--keep"]),
            "checkout" => {
                let exists = |text: &str| fs::symlink_metadata(place::join(&self.call.cwd, text)).is_ok();
                let creates = found.any(&["-b", "-B", "--orphan"]);
                ruled(&["git-checkout-discard", "git-checkout-file"])
                    || found.any(&["--ours", "--theirs", "-m", "--merge"])
                    || !creates && found.operands.iter().any(|arg| exists(&marks::plain(&arg.text)))
            }
            "restore" => ruled(&["git-restore-discard"]),
            "switch" => ruled(&["git-switch-discard"]) || found.any(&["-m", "--merge"]),
            "clean" => ruled(&["git-clean"]),
            "checkout-index" | "read-tree" => ruled(&["git-overwrite"]),
            "rebase" => !found.any(&["--continue", "--edit-todo", "--show-current-patch"]),
            "merge" | "cherry-pick" | "revert" | "am" => found.any(&["--abort", "--quit", "--skip"]),
            "pull" => found.any(&["--rebase", "-r", "--autostash"]),
            "filter-branch" | "filter-repo" => true,
            _ => false,
        }
    }

    /// The repository that the call is made in; the session's where that is not known.
    fn here(&self) -> Option<Repository> {
        match self.call.cwd.contains(marks::is_mark) {
            true => Repository::find(&self.world.cwd),
            false => Repository::find(Path::new(&self.call.cwd)),
        }
    }

    /// The work trees that `git worktree remove --force` takes away; git knows each by its path and by any ending of it.
    fn removed_trees(&self, found: &Flags<'_>) -> Vec<Loss> {
        if found.operand(0) != "remove" || !found.any(&["-f", "--force"]) {
            return Vec::new();
        }
        let all = self.here().map(|repository| linked(&repository)).unwrap_or_default();
        let is_named = |top: &&PathBuf| {
            found.operands.iter().skip(1).any(|arg| {
                top.ends_with(&arg.text) || Path::new(&place::join(&self.call.cwd, &arg.text)) == top.as_path()
            })
        };
        all.iter().filter(is_named).cloned().map(Loss::anything).collect()
    }

    fn submodules(&self) -> Vec<Loss> {
        let Some(here) = self.here() else { return Vec::new() };
        let index = here.tracked().unwrap_or_default();
        let tops = index.iter().filter(|row| row.submodule).map(|row| here.top.join(row.path));
        tops.filter(|top| Repository::at(top).is_some()).map(Loss::anything).collect()
    }

    /// What a search takes away.
    fn swept(&self) -> Vec<Loss> {
        let Some(at) = self.call.args.iter().position(|arg| arg.text == "-delete") else { return Vec::new() };
        search_at(self.call, at).places.iter().flat_map(|path| self.removed(path, true)).collect()
    }

    /// A path as it is known: whole, links above it followed, up to the first thing in it that is not known; and whether all of it
    /// is. None where nothing of it is.
    fn known(&self, path: &str) -> Option<(PathBuf, bool)> {
        let whole = self.world.whole(self.call, &marks::plain(path));
        let whole = match whole.strip_prefix(marks::TOP) {
            Some(below) => PathBuf::from(format!("{}{below}", self.world.root())),
            None => PathBuf::from(whole),
        };
        let is_plain = |text: &str| !text.contains(|c: char| marks::is_mark(c) || "*?[".contains(c));
        let known: PathBuf =
            whole.components().take_while(|part| is_plain(&part.as_os_str().to_string_lossy())).collect();
        let above = fs::canonicalize(known.parent()?).ok();
        let is_whole = known == whole;
        Some((above.zip(known.file_name()).map_or(known.clone(), |(above, name)| above.join(name)), is_whole))
    }

    /// What goes with a path that is removed, or, where that itself stays, with what is in it. Nothing where nothing is there, or only
    /// what is ignored and made again.
    fn removed(&self, path: &str, stays: bool) -> Vec<Loss> {
        if self.is_away(path) || !self.is_new(if stays { "emptied" } else { "removed" }, path) {
            return Vec::new();
        }
        let Some((known, is_known)) = self.known(path) else {
            // Nobody knows where: it may well be here.
            return self.here().map(|here| Loss::anything(here.top)).into_iter().collect();
        };
        // Where nothing is, nothing is lost.
        if fs::symlink_metadata(&known).is_err() {
            return Vec::new();
        }
        let around = if is_known && !stays { known.parent() } else { Some(known.as_path()) };
        let Some(repository) = around.and_then(Repository::find) else { return Vec::new() };
        // A linked work tree goes with its directory; its repository stays, and keeps the copy.
        let mut losses: Vec<Loss> =
            linked(&repository).into_iter().filter(|top| top.starts_with(&known)).map(Loss::anything).collect();
        let is_tree = losses.iter().any(|loss| loss.top == known);
        if !is_tree && !is_made_again(&repository, &known) {
            losses.push(Loss { top: repository.top, paths: vec![known] });
        }
        losses
    }

    /// Whether a path is a container's own, or another machine's.
    fn is_away(&self, path: &str) -> bool {
        self.call.here(path).is_none()
    }

    /// Whether nobody asked yet what may happen to that path: loops say the same again.
    fn is_new(&self, happens: &'static str, path: &str) -> bool {
        self.world.asked.borrow_mut().insert((happens, self.world.whole(self.call, path)))
    }

    /// What lies at a path that something else takes the place of, where no commit and no index has it.
    fn replaced(&self, path: &str) -> Vec<Loss> {
        if self.is_away(path) || !self.is_new("replaced", path) {
            return Vec::new();
        }
        let Some((known, true)) = self.known(path) else { return Vec::new() };
        if !fs::symlink_metadata(&known).is_ok_and(|meta| meta.is_file() && meta.len() > 0) {
            return Vec::new();
        }
        let Some(repository) = known.parent().and_then(Repository::find) else { return Vec::new() };
        let index = repository.tracked().unwrap_or_default();
        let held =
            known.strip_prefix(&repository.top).ok().and_then(|below| index.iter().find(|row| row.path == below));
        let is_held = held.is_some_and(|row| {
            review_gate::sys::files::try_read_following(&known, COMPARED)
                .is_some_and(|bytes| row.id.names("blob", &bytes))
        });
        match is_held || is_made_again(&repository, &known) {
            true => Vec::new(),
            false => vec![Loss { top: repository.top, paths: vec![known] }],
        }
    }
}

/// The tops of a repository's linked work trees, as far as they are there.
fn linked(repository: &Repository) -> Vec<PathBuf> {
    repository.linked().into_iter().filter_map(|(_, top)| fs::canonicalize(top).ok()).collect()
}

/// Whether all that lies at a path is hidden by rules and no file of it is git's: it is made again.
fn is_made_again(repository: &Repository, known: &Path) -> bool {
    let Some(below) = known.strip_prefix(&repository.top).ok().filter(|below| !below.as_os_str().is_empty()) else {
        return false;
    };
    let mut rules = HiddenToday::new(&repository.top);
    let is_hidden = if known.is_dir() { rules.hide_dir(below) } else { rules.hide(below) };
    is_hidden && !holds(&repository.tracked().unwrap_or_default(), below)
}

fn holds(index: &Index, below: &Path) -> bool {
    index.iter().any(|row| row.path.starts_with(below))
}
