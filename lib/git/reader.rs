//! Reads whole objects through one `git cat-file` that stays for the questions of one program. All bytes are verified against their ids.

use super::contents::{Piece, Reader};
use super::{ObjectId, ObjectName, PATIENCE, Repository, TreeFile, to_path};
use crate::sys::dialog::Dialog;
use crate::sys::error::{Error, Result};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The largest total of objects and paths that are kept in memory at once, in bytes.
const LIMIT: usize = 256 << 20;

/// The mode of a directory in a tree.
const TREE: u32 = 0o40000;

/// The last `git cat-file`, and the repository it reads.
static OPEN: Mutex<Option<(PathBuf, Dialog)>> = Mutex::new(None);

/// Ends the `git cat-file` of this program, if one runs.
pub fn end_reader() {
    drop(OPEN.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// One line of a tree: the name, the mode and the id.
type TreeLine = (Vec<u8>, u32, ObjectId);

impl Repository {
    /// Passes on the objects with these names, in order and in pieces. A name is an id or a revision, without a newline.
    pub(super) fn ask(&self, names: &[String], each: impl FnMut(usize, Piece<'_>)) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        // It is taken out while it answers: a nested question starts another one.
        let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut dialog = match open.filter(|(dir, _)| *dir == self.common_dir) {
            Some((_, dialog)) => dialog,
            None => Dialog::start("git cat-file", self.command(&["cat-file", "--batch"]))?,
        };
        let request: String = names.iter().map(|name| format!("{name}\n")).collect();
        let mut reader = Reader::new(each);
        dialog.ask(request.as_bytes(), PATIENCE, &mut |bytes| {
            reader.take(bytes);
            reader.count() >= names.len()
        })?;
        *OPEN.lock().unwrap_or_else(PoisonError::into_inner) = Some((self.common_dir.clone(), dialog));
        Ok(())
    }

    /// Whole objects of one kind. `room` is the number of bytes that they may have; it is reduced by their sizes.
    pub(super) fn whole(&self, kind: &str, ids: &[ObjectId], room: &mut usize) -> Result<Vec<Vec<u8>>> {
        let names: Vec<String> = ids.iter().map(ObjectId::to_string).collect();
        let mut all: Vec<Option<Vec<u8>>> = vec![None; ids.len()];
        self.ask(&names, |at, piece| match piece {
            Piece::Begin(size) => {
                let left = usize::try_from(size).ok().and_then(|size| room.checked_sub(size));
                all[at] = left.map(|_| Vec::new());
                *room = left.unwrap_or(0);
            }
            Piece::Bytes(bytes) => all[at].iter_mut().for_each(|body| body.extend_from_slice(bytes)),
            Piece::End | Piece::Missing => {}
        })?;
        let verified = all.into_iter().zip(ids).map(|(body, id)| body.filter(|body| id.names(kind, body)).ok_or(id));
        verified.collect::<std::result::Result<_, _>>().map_err(|id| self.damaged(id))
    }

    fn damaged(&self, id: &ObjectId) -> Error {
        let text = format!("git object is missing, too large or damaged: {id}. Check with `git fsck`");
        Error::damaged(&self.common_dir.join("objects"), text)
    }

    /// The commit of a revision; None if there is none.
    pub(super) fn commit_named(&self, name: &str) -> Result<Option<ObjectId>> {
        let (mut body, mut is_complete) = (Vec::new(), false);
        self.ask(&[format!("{name}^{{commit}}")], |_, piece| match piece {
            Piece::Bytes(bytes) => body.extend_from_slice(bytes),
            Piece::End => is_complete = true,
            Piece::Begin(_) | Piece::Missing => {}
        })?;
        let mut id = ObjectName::checked(self.format(), "commit", body.len() as u64);
        id.update(&body);
        Ok(is_complete.then(|| id.finish()).filter(|id| !id.is_none()))
    }

    /// The root tree of a commit.
    fn root_tree(&self, commit: &str) -> Result<ObjectId> {
        let wrong = || Error::child(format!("no such commit: {commit}"));
        let id = ObjectId::parse(commit.as_bytes()).ok_or_else(wrong)?;
        let body = self.whole("commit", &[id], &mut { LIMIT })?.pop().unwrap_or_default();
        let tree = body.strip_prefix(b"tree ").and_then(|rest| ObjectId::parse(rest.split(|b| *b == b'\n').next()?));
        tree.ok_or_else(|| self.damaged(&id))
    }

    /// Every file, link and submodule of a commit, sorted by the bytes of their paths.
    pub(super) fn read_tree(&self, commit: &str) -> Result<Vec<TreeFile>> {
        let mut open = vec![(Vec::new(), self.root_tree(commit)?)];
        let (mut files, mut room) = (Vec::new(), LIMIT);
        while !open.is_empty() {
            let ids: Vec<ObjectId> = open.iter().map(|(_, id)| *id).collect();
            let bodies = self.whole("tree", &ids, &mut room)?;
            let mut below = Vec::new();
            for ((dir, id), body) in open.iter().zip(bodies) {
                for (name, mode, entry) in lines(&body, id).ok_or_else(|| self.damaged(id))? {
                    let path = [dir.as_slice(), &name].concat();
                    // Trees can name each other so often that no memory holds all paths.
                    let size = path.len() + size_of::<TreeFile>();
                    room = room.checked_sub(size).ok_or_else(|| self.damaged(id))?;
                    match mode {
                        TREE => below.push(([path.as_slice(), b"/"].concat(), entry)),
                        _ => files.push(TreeFile { path: to_path(&path), mode, id: entry }),
                    }
                }
            }
            open = below;
        }
        files.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
        Ok(files)
    }

    /// The entries of one directory of a commit; empty if there is no such directory. Only the trees on the way to it are read.
    fn directory_of(&self, commit: &str, dir: &Path) -> Result<Vec<TreeLine>> {
        let mut id = self.root_tree(commit)?;
        let mut parts = dir.components();
        loop {
            let body = self.whole("tree", &[id], &mut { LIMIT })?.pop().unwrap_or_default();
            let all = lines(&body, &id).ok_or_else(|| self.damaged(&id))?;
            let Some(part) = parts.next() else { return Ok(all) };
            let is_part = |line: &&TreeLine| line.1 == TREE && line.0 == part.as_os_str().as_bytes();
            match all.iter().find(is_part) {
                Some((_, _, tree)) => id = *tree,
                None => return Ok(Vec::new()),
            }
        }
    }

    /// The first of `names` that is a file in the directory `dir` of a commit: its index in `names`, and its bytes.
    pub fn first_file_of(
        &self,
        commit: &str,
        dir: &Path,
        names: &[impl AsRef<Path>],
    ) -> Result<Option<(usize, Vec<u8>)>> {
        let is_file = |mode: u32| matches!(mode, 0o100644 | 0o100755 | 0o100664);
        let mut last: Option<(PathBuf, Vec<TreeLine>)> = None;
        for (at, name) in names.iter().enumerate() {
            let path = dir.join(name);
            let (dir, file) = (path.parent().unwrap_or(dir), path.file_name().unwrap_or_default());
            let lines = match last.take().filter(|(known, _)| known == dir) {
                Some((_, lines)) => lines,
                None => self.directory_of(commit, dir)?,
            };
            if let Some((_, _, id)) = lines.iter().find(|(name, mode, _)| name == file.as_bytes() && is_file(*mode)) {
                return Ok(Some((at, self.blob(*id)?)));
            }
            last = Some((dir.to_path_buf(), lines));
        }
        Ok(None)
    }

    /// The bytes of a blob.
    pub fn blob(&self, id: ObjectId) -> Result<Vec<u8>> {
        Ok(self.whole("blob", &[id], &mut { LIMIT })?.pop().unwrap_or_default())
    }
}

/// The lines of a tree, `<mode> SP <name> NUL <id>` each; None for anything else.
fn lines(mut body: &[u8], tree: &ObjectId) -> Option<Vec<TreeLine>> {
    let width = tree.as_bytes().len();
    let mut all = Vec::new();
    while !body.is_empty() {
        let space = body.iter().position(|b| *b == b' ')?;
        let nul = space + body[space..].iter().position(|b| *b == 0)?;
        let mode = u32::from_str_radix(std::str::from_utf8(&body[..space]).ok()?, 8).ok()?;
        let name = &body[space + 1..nul];
        let id = ObjectId::from_bytes(body.get(nul + 1..nul + 1 + width)?)?;
        if name.is_empty() || name.contains(&b'/') {
            return None;
        }
        all.push((name.to_vec(), mode, id));
        body = &body[nul + 1 + width..];
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn git(dir: &Path, args: &[&str], input: &[u8]) -> String {
        let mut command = Command::new("git");
        command.current_dir(dir).args(["-c", "user.name=t", "-c", "user.email=t@example.invalid"]).args(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "{args:?}");
        String::from_utf8(out.stdout).unwrap().trim().to_string()
    }

    #[test]
    fn trees_that_name_each_other_without_end_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        git(top, &["init", "-q"], b"");
        let mut line = format!("100644 blob {}\tf", git(top, &["hash-object", "-w", "--stdin"], b"x"));
        for _ in 0..12 {
            let lines: String = (0..10).map(|n| format!("{}{n}\n", line.trim_end_matches('f'))).collect();
            let tree = git(top, &["mktree"], lines.as_bytes());
            line = format!("040000 tree {tree}\tf");
        }
        let tree = line.split_whitespace().nth(2).unwrap().to_string();
        let commit = git(top, &["commit-tree", "-m", "x", &tree], b"");
        let repository = Repository::at(top).unwrap();
        assert!(repository.read_tree(&commit).is_err());
        assert_eq!(repository.first_file_of(&commit, Path::new("0/1/2"), &["DONE.md"]).unwrap(), None);
    }

    #[test]
    fn the_files_of_a_commit_are_those_that_git_lists() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        git(top, &["init", "-q"], b"");
        for path in ["a.b/c", "a/b", "a-b", "z/y/x/DONE.md", "line\nend"] {
            std::fs::create_dir_all(top.join(path).parent().unwrap()).unwrap();
            std::fs::write(top.join(path), path).unwrap();
        }
        git(top, &["add", "-A"], b"");
        git(top, &["commit", "-qm", "x"], b"");
        let repository = Repository::at(top).unwrap();
        let commit = repository.resolve("HEAD").unwrap();
        assert_eq!(repository.head().as_ref(), Some(&commit));
        let files = repository.read_tree(&commit).unwrap();
        let named: Vec<&str> = files.iter().map(|file| file.path.to_str().unwrap()).collect();
        assert_eq!(named, ["a-b", "a.b/c", "a/b", "line\nend", "z/y/x/DONE.md"]);
        let found = repository.first_file_of(&commit, Path::new("z/y/x"), &["none", "DONE.md"]).unwrap();
        assert_eq!(found, Some((1, b"z/y/x/DONE.md".to_vec())));
        assert_eq!(repository.first_file_of(&commit, Path::new("z/none"), &["DONE.md"]).unwrap(), None);
        assert!(repository.resolve("HEAD^{tree}").is_err() && repository.resolve("a\nHEAD").is_err());
    }

    proptest::proptest! {
        #[test]
        fn damaged_trees_do_not_panic(body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200)) {
            let _ = lines(&body, &ObjectId::default());
        }
    }
}
