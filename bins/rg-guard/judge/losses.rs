//! What a command may lose of a work tree: which trees, and which paths in them.
//!
//! Only commands that can lose files are examined; for any other call this costs a comparison of names.

use crate::command::{Call, Flags, flags, marks, path, search_at, valued_options};
use crate::rules::{self, Context, files, writes};
use review_gate::git::{Index, Repository};
use review_gate::snapshot::CurrentIgnores;
use review_gate::sys::files::try_read_following;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest file that is compared with the index, in bytes. A larger one counts as changed.
const MAX_COMPARED: u64 = 1 << 20;

/// Programs that replace a file by another one. Editing a file (`>`, `sed -i`) is an agent's work and needs no backup.
const REPLACERS: [&str; 11] =
    ["ln", "gln", "cp", "gcp", "mv", "gmv", "install", "rsync", "truncate", "gtruncate", "dd"];

/// What one work tree may lose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The top of the work tree.
    pub top: PathBuf,
    /// The absolute paths that may be lost; empty where it may be anything that is not committed.
    pub paths: Vec<PathBuf>,
}

impl Loss {
    fn anything(top: PathBuf) -> Loss {
        Loss { top, paths: Vec::new() }
    }
}

/// What happens to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Change {
    Emptied,
    Removed,
    Replaced,
}

/// The changes that were examined already, each with its absolute path: loops repeat them.
#[derive(Debug, Default)]
pub struct Questions(HashSet<(Change, String)>);

/// What a command may lose, where that was not examined before.
pub fn find(call: &Call, context: &Context, questions: &mut Questions) -> Vec<Loss> {
    let mut finder = Finder { call, context, questions };
    match call.name.as_str() {
        "git" if !call.is_remote => finder.by_git(),
        "find" | "gfind" | "bfs" if !call.is_remote => finder.by_find(),
        "patch" if flags(&call.args, "-p -i -d -o -F -g -D").any(&["-R", "--reverse"]) => finder.of_work_tree(),
        name if REPLACERS.contains(&name) => {
            let mut losses = finder.by_moving_away();
            let empties = matches!(name, "truncate" | "gtruncate") || writes::reads_nothing(call);
            for (path, _) in writes::written_paths(call).iter().filter(|(_, append)| !append) {
                // An unknown name is any file below the known beginning of the path.
                losses.extend(match empties && path.contains(marks::is_mark) {
                    true => finder.by_removing(path, Change::Emptied),
                    false => finder.by_replacing(path),
                });
            }
            losses
        }
        _ => match files::removed_paths(call) {
            Some((paths, _)) => paths.iter().flat_map(|path| finder.by_removing(path, Change::Removed)).collect(),
            None => Vec::new(),
        },
    }
}

/// Finds what one call may lose.
struct Finder<'a> {
    call: &'a Call,
    context: &'a Context,
    questions: &'a mut Questions,
}

impl Finder<'_> {
    /// What `rsync --remove-source-files` removes.
    fn by_moving_away(&mut self) -> Vec<Loss> {
        let removed = files::removed_paths(self.call).map(|(paths, _)| paths).unwrap_or_default();
        removed.iter().flat_map(|path| self.by_removing(path, Change::Emptied)).collect()
    }

    fn by_git(&mut self) -> Vec<Loss> {
        let call = self.call;
        let Some(verb) = call.args.first().map(|arg| arg.text.as_str()) else { return Vec::new() };
        let options = flags(&call.args[1..], valued_options::of_git(verb));
        if options.any(&["--help", "-h"]) {
            return Vec::new();
        }
        match verb {
            "worktree" => self.by_worktree_remove(&options),
            "submodule" if options.operand(0) == "update" && options.any(&["-f", "--force"]) => self.of_submodules(),
            "rm" if !options.any(&["--cached", "-n", "--dry-run"]) => {
                let mut losses = self.of_work_tree();
                losses.extend(options.operands.iter().flat_map(|arg| self.by_removing(&arg.text, Change::Removed)));
                losses
            }
            "mv" if options.any(&["-f", "--force"]) => {
                options.operands.last().map(|arg| self.by_replacing(&arg.text)).unwrap_or_default()
            }
            _ if self.discards(verb, &options) => self.of_work_tree(),
            _ => Vec::new(),
        }
    }

    /// Whether a command of git may discard what is not committed.
    fn discards(&self, verb: &str, options: &Flags<'_>) -> bool {
        let applies = |ids: &[&str]| {
            ids.iter().any(|id| rules::named(id).is_some_and(|rule| rule.applies(self.call, self.context)))
        };
        match verb {
            "reset" => applies(&["git-reset-hard"]) || options.any(&["--keep"]),
            "checkout" => {
                let exists = |text: &str| fs::symlink_metadata(path::join(&self.call.cwd, text)).is_ok();
                let creates = options.any(&["-b", "-B", "--orphan"]);
                applies(&["git-checkout-discard", "git-checkout-file"])
                    || options.any(&["--ours", "--theirs", "-m", "--merge"])
                    || !creates && options.operands.iter().any(|arg| exists(&marks::literal(&arg.text)))
            }
            "restore" => applies(&["git-restore-discard"]),
            "switch" => applies(&["git-switch-discard"]) || options.any(&["-m", "--merge"]),
            "clean" => applies(&["git-clean"]),
            "checkout-index" | "read-tree" => applies(&["git-overwrite"]),
            "rebase" => !options.any(&["--continue", "--edit-todo", "--show-current-patch"]),
            "merge" | "cherry-pick" | "revert" | "am" => options.any(&["--abort", "--quit", "--skip"]),
            "pull" => options.any(&["--rebase", "-r", "--autostash"]),
            "filter-branch" | "filter-repo" => true,
            _ => false,
        }
    }

    /// The repository of the call's directory; the session's where that directory is not known.
    fn repository(&self) -> Option<Repository> {
        match self.call.cwd.contains(marks::is_mark) {
            true => Repository::find(&self.context.cwd),
            false => Repository::find(Path::new(&self.call.cwd)),
        }
    }

    /// Anything in the call's work tree.
    fn of_work_tree(&self) -> Vec<Loss> {
        self.repository().map(|repository| Loss::anything(repository.top)).into_iter().collect()
    }

    /// The work trees that `git worktree remove --force` removes. git accepts a path, or any ending of it.
    fn by_worktree_remove(&self, options: &Flags<'_>) -> Vec<Loss> {
        if options.operand(0) != "remove" || !options.any(&["-f", "--force"]) {
            return Vec::new();
        }
        let all = self.repository().map(|repository| linked_trees(&repository)).unwrap_or_default();
        let is_named = |top: &&PathBuf| {
            options.operands.iter().skip(1).any(|arg| {
                top.ends_with(&arg.text) || Path::new(&path::join(&self.call.cwd, &arg.text)) == top.as_path()
            })
        };
        all.iter().filter(is_named).cloned().map(Loss::anything).collect()
    }

    fn of_submodules(&self) -> Vec<Loss> {
        let Some(repository) = self.repository() else { return Vec::new() };
        let index = repository.tracked().unwrap_or_default();
        let tops = index.iter().filter(|row| row.is_submodule).map(|row| repository.top.join(row.path));
        tops.filter(|top| Repository::at(top).is_some()).map(Loss::anything).collect()
    }

    /// What `find -delete` removes.
    fn by_find(&mut self) -> Vec<Loss> {
        let Some(at) = self.call.args.iter().position(|arg| arg.text == "-delete") else { return Vec::new() };
        search_at(self.call, at).places.iter().flat_map(|path| self.by_removing(path, Change::Emptied)).collect()
    }

    /// The known beginning of a path: absolute, with the links above it resolved, up to the first component with a mark or a
    /// wildcard; and whether that is the whole path. None where the first component is unknown already.
    fn known_path(&self, path: &str) -> Option<(PathBuf, bool)> {
        let whole = self.context.whole(self.call, &marks::literal(path));
        let whole = match whole.strip_prefix(marks::TOP) {
            Some(below) => PathBuf::from(format!("{}{below}", self.context.root())),
            None => PathBuf::from(whole),
        };
        let is_plain = |text: &str| !text.contains(|c: char| marks::is_mark(c) || "*?[".contains(c));
        let known: PathBuf =
            whole.components().take_while(|part| is_plain(&part.as_os_str().to_string_lossy())).collect();
        let above = fs::canonicalize(known.parent()?).ok();
        let is_whole = known == whole;
        Some((above.zip(known.file_name()).map_or(known.clone(), |(above, name)| above.join(name)), is_whole))
    }

    /// What is lost when a path is removed or emptied. Nothing where the path does not exist, or holds only ignored files, which
    /// are built again.
    fn by_removing(&mut self, path: &str, change: Change) -> Vec<Loss> {
        if self.is_remote(path) || !self.is_new(change, path) {
            return Vec::new();
        }
        let Some((known, is_known)) = self.known_path(path) else {
            // An unknown path may lie in the work tree.
            return self.of_work_tree();
        };
        if fs::symlink_metadata(&known).is_err() {
            return Vec::new();
        }
        let is_removed = is_known && change == Change::Removed;
        let dir = if is_removed { known.parent() } else { Some(known.as_path()) };
        let Some(repository) = dir.and_then(Repository::find) else { return Vec::new() };
        // A linked work tree is lost with its directory. Its repository lies elsewhere, and keeps the backup.
        let mut losses: Vec<Loss> =
            linked_trees(&repository).into_iter().filter(|top| top.starts_with(&known)).map(Loss::anything).collect();
        let is_tree = losses.iter().any(|loss| loss.top == known);
        if !is_tree && !is_ignored(&repository, &known) {
            losses.push(Loss { top: repository.top, paths: vec![known] });
        }
        losses
    }

    /// Whether a path belongs to a container or to another machine.
    fn is_remote(&self, path: &str) -> bool {
        self.call.is_remote && self.call.local_path(path).is_none()
    }

    /// Whether this change of a path is examined for the first time.
    fn is_new(&mut self, change: Change, path: &str) -> bool {
        self.questions.0.insert((change, self.context.whole(self.call, path)))
    }

    /// The file that another one replaces, where the index does not have its bytes.
    fn by_replacing(&mut self, path: &str) -> Vec<Loss> {
        if self.is_remote(path) || !self.is_new(Change::Replaced, path) {
            return Vec::new();
        }
        let Some((known, true)) = self.known_path(path) else { return Vec::new() };
        if !fs::symlink_metadata(&known).is_ok_and(|meta| meta.is_file() && meta.len() > 0) {
            return Vec::new();
        }
        let Some(repository) = known.parent().and_then(Repository::find) else { return Vec::new() };
        let index = repository.tracked().unwrap_or_default();
        let row = known.strip_prefix(&repository.top).ok().and_then(|below| index.iter().find(|row| row.path == below));
        let is_staged = row.is_some_and(|row| {
            try_read_following(&known, MAX_COMPARED).is_some_and(|bytes| row.id.names("blob", &bytes))
        });
        match is_staged || is_ignored(&repository, &known) {
            true => Vec::new(),
            false => vec![Loss { top: repository.top, paths: vec![known] }],
        }
    }
}

/// The tops of a repository's linked work trees that exist.
fn linked_trees(repository: &Repository) -> Vec<PathBuf> {
    repository.linked_worktrees().into_iter().filter_map(|(_, top)| fs::canonicalize(top).ok()).collect()
}

/// Whether ignore rules match a path and git tracks no file in it.
fn is_ignored(repository: &Repository, known: &Path) -> bool {
    let Some(below) = known.strip_prefix(&repository.top).ok().filter(|below| !below.as_os_str().is_empty()) else {
        return false;
    };
    let mut rules = CurrentIgnores::new(&repository.top);
    let is_hidden = if known.is_dir() { rules.hide_dir(below) } else { rules.hide(below) };
    is_hidden && !has_file_in(&repository.tracked().unwrap_or_default(), below)
}

fn has_file_in(index: &Index, below: &Path) -> bool {
    index.iter().any(|row| row.path.starts_with(below))
}
