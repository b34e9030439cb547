//! Watches directories with inotify(7): which entries come and go in them, and which of them are moved. It also watches the table of
//! mounts. It sees what two snapshots do not. Where inotify is missing or used up, it sees nothing.

#[cfg(target_os = "linux")]
use crate::sys::mounts::MountTable;
use std::collections::BTreeSet;
#[cfg(target_os = "linux")]
use std::io;
use std::io::PipeWriter;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

/// What happened in the watched directories.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DirEvents {
    /// The wanted entries that appeared or disappeared.
    pub changed: BTreeSet<PathBuf>,
    /// The watched directories that were moved.
    pub moved: BTreeSet<PathBuf>,
    /// The mount points, anywhere, that came or went.
    pub mounts: BTreeSet<PathBuf>,
    /// Whether the kernel dropped events.
    pub has_lost_events: bool,
}

/// A running watch.
pub struct DirWatch {
    thread: JoinHandle<DirEvents>,
    /// Closing it ends the thread.
    end: PipeWriter,
}

impl DirWatch {
    /// Starts to watch these directories, for entries whose name is wanted, and whether one of `above` is moved. None if it cannot.
    #[cfg(target_os = "linux")]
    pub fn start<'a>(
        dirs: impl IntoIterator<Item = &'a Path>,
        above: impl IntoIterator<Item = &'a Path>,
        is_wanted: fn(&Path) -> bool,
    ) -> Option<DirWatch> {
        use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
        let queue = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        let moves = WatchFlags::MOVE_SELF | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW;
        let all = moves | WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MOVE;
        let dirs = dirs.into_iter().map(|dir| (dir, all)).chain(above.into_iter().map(|dir| (dir, moves)));
        let watched = dirs.filter_map(|(dir, kinds)| {
            let id = inotify::add_watch(&queue, dir, kinds).ok()?;
            Some((id, dir.to_path_buf()))
        });
        let watched = watched.collect();
        let mounts = MountTable::open();
        let (ended, end) = io::pipe().ok()?;
        let collect = move || linux::collect(&queue, &ended, mounts, &watched, is_wanted);
        let thread = std::thread::Builder::new().spawn(collect).ok()?;
        Some(DirWatch { thread, end })
    }

    /// Starts nothing: only Linux has inotify.
    #[cfg(not(target_os = "linux"))]
    pub fn start<'a>(
        _: impl IntoIterator<Item = &'a Path>,
        _: impl IntoIterator<Item = &'a Path>,
        _: fn(&Path) -> bool,
    ) -> Option<DirWatch> {
        None
    }

    /// Ends the watch and returns what happened.
    pub fn finish(self) -> DirEvents {
        drop(self.end);
        self.thread.join().unwrap_or_default()
    }
}

/// A running watch of files.
pub struct FileWatch {
    #[cfg(target_os = "linux")]
    queue: std::os::fd::OwnedFd,
    #[cfg(target_os = "linux")]
    watched: std::collections::HashMap<i32, Vec<PathBuf>>,
}

impl FileWatch {
    /// Starts to watch these files. None if it cannot.
    #[cfg(target_os = "linux")]
    pub fn start<'a>(files: impl IntoIterator<Item = &'a Path>) -> Option<FileWatch> {
        use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
        let queue = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        let mut watched: std::collections::HashMap<i32, Vec<PathBuf>> = std::collections::HashMap::new();
        for file in files {
            let kinds = WatchFlags::MODIFY | WatchFlags::DELETE_SELF | WatchFlags::DONT_FOLLOW;
            if let Ok(id) = inotify::add_watch(&queue, file, kinds) {
                watched.entry(id).or_default().push(file.to_path_buf());
            }
        }
        Some(FileWatch { queue, watched })
    }

    /// Starts nothing: only Linux has inotify.
    #[cfg(not(target_os = "linux"))]
    pub fn start<'a>(_: impl IntoIterator<Item = &'a Path>) -> Option<FileWatch> {
        None
    }

    /// Ends the watch and returns the files that were written or removed. New times of a file are no write, unless only that of the last
    /// change is set: the kernel reports that as one.
    pub fn finish(self) -> BTreeSet<PathBuf> {
        #[cfg(target_os = "linux")]
        return linux::written(&self.queue, &self.watched);
        #[cfg(not(target_os = "linux"))]
        BTreeSet::new()
    }
}

/// Wakes a reader when something changes in a directory.
pub struct DirSignal {
    #[cfg(target_os = "linux")]
    queue: Option<std::os::fd::OwnedFd>,
    is_watched: bool,
}

impl DirSignal {
    /// How often a reader looks at a directory that cannot be watched.
    const LOOK: Duration = Duration::from_millis(250);

    /// The signal of the directory `dir`, which need not exist.
    pub fn of(dir: &Path) -> DirSignal {
        let mut signal = DirSignal {
            #[cfg(target_os = "linux")]
            queue: {
                use rustix::fs::inotify::{self, CreateFlags};
                inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()
            },
            is_watched: false,
        };
        signal.renew(dir);
        signal
    }

    /// Watches the directory that is at `dir` now.
    #[cfg(target_os = "linux")]
    pub fn renew(&mut self, dir: &Path) {
        use rustix::fs::inotify::{self, WatchFlags};
        let kinds =
            WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::MOVE | WatchFlags::DELETE | WatchFlags::ONLYDIR;
        let watched = self.queue.as_ref().map(|queue| inotify::add_watch(queue, dir, kinds));
        self.is_watched = matches!(watched, Some(Ok(_)));
    }

    /// Watches nothing: only Linux has inotify.
    #[cfg(not(target_os = "linux"))]
    pub fn renew(&mut self, _: &Path) {}

    /// Waits for a change, at most that long. It may return earlier.
    pub fn wait(&self, patience: Duration) {
        if !self.is_watched {
            std::thread::sleep(patience.min(DirSignal::LOOK));
            return;
        }
        #[cfg(target_os = "linux")]
        if let Some(queue) = &self.queue {
            linux::wait(queue, patience);
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{DirEvents, MountTable};
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{ReadFlags, Reader};
    use std::collections::{BTreeSet, HashMap};
    use std::ffi::OsStr;
    use std::io::PipeReader;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    /// Reads events until the pipe is closed.
    pub fn collect(
        queue: &OwnedFd,
        ended: &PipeReader,
        mut mounts: Option<MountTable>,
        watched: &HashMap<i32, PathBuf>,
        is_wanted: fn(&Path) -> bool,
    ) -> DirEvents {
        let mut events = DirEvents::default();
        loop {
            let mut fds = vec![PollFd::new(queue, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
            fds.extend(mounts.as_ref().map(|table| PollFd::new(table, PollFlags::PRI)));
            let has_failed = poll(&mut fds, None).is_err_and(|error| error != rustix::io::Errno::INTR);
            let is_over = has_failed || !fds[1].revents().is_empty();
            let is_mounted = is_over || fds.get(2).is_some_and(|table| !table.revents().is_empty());
            drain(queue, watched, is_wanted, &mut events);
            if let Some(table) = mounts.as_mut().filter(|_| is_mounted) {
                events.mounts.extend(table.changed());
            }
            if is_over {
                return events;
            }
        }
    }

    /// Waits until there are events, at most that long, and removes them.
    pub fn wait(queue: &OwnedFd, patience: Duration) {
        let patience = Timespec { tv_sec: patience.as_secs() as _, tv_nsec: patience.subsec_nanos() as _ };
        let _ = poll(&mut [PollFd::new(queue, PollFlags::IN)], Some(&patience));
        let mut buffer = [MaybeUninit::uninit(); 4 << 10];
        let mut reader = Reader::new(queue, &mut buffer);
        while reader.next().is_ok() {}
    }

    /// The watched files of the events until now.
    pub fn written(queue: &OwnedFd, watched: &HashMap<i32, Vec<PathBuf>>) -> BTreeSet<PathBuf> {
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(queue, &mut buffer);
        let mut written = BTreeSet::new();
        while let Ok(event) = reader.next() {
            if event.events().intersects(ReadFlags::MODIFY | ReadFlags::DELETE_SELF) {
                written.extend(watched.get(&event.wd()).into_iter().flatten().cloned());
            }
        }
        written
    }

    fn drain(queue: &OwnedFd, watched: &HashMap<i32, PathBuf>, is_wanted: fn(&Path) -> bool, events: &mut DirEvents) {
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut reader = Reader::new(queue, &mut buffer);
        // The queue does not block: the first error is that it is empty.
        while let Ok(event) = reader.next() {
            events.has_lost_events |= event.events().contains(ReadFlags::QUEUE_OVERFLOW);
            let Some(dir) = watched.get(&event.wd()) else { continue };
            if event.events().contains(ReadFlags::MOVE_SELF) {
                events.moved.insert(dir.clone());
            }
            let name = event.file_name().map(|name| Path::new(OsStr::from_bytes(name.to_bytes())));
            if let Some(name) = name.filter(|name| is_wanted(name)) {
                events.changed.insert(dir.join(name));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_that_is_written_or_replaced_is_seen_and_a_new_time_is_no_write() {
        let dir = tempfile::tempdir().unwrap();
        let names = ["written", "emptied", "replaced", "touched", "moved", "quiet"];
        let files: Vec<PathBuf> = names.iter().map(|name| dir.path().join(name)).collect();
        files.iter().for_each(|file| fs::write(file, "same").unwrap());
        let Some(watch) = FileWatch::start(files.iter().map(PathBuf::as_path)) else { return };
        fs::write(&files[0], "same").unwrap();
        fs::File::create(&files[1]).unwrap();
        fs::write(dir.path().join("new"), "same").unwrap();
        fs::rename(dir.path().join("new"), &files[2]).unwrap();
        let touched = fs::File::options().append(true).open(&files[3]).unwrap();
        let now = std::time::SystemTime::now();
        touched.set_times(fs::FileTimes::new().set_accessed(now).set_modified(now)).unwrap();
        fs::rename(&files[4], dir.path().join("away")).unwrap();
        fs::rename(dir.path().join("away"), &files[4]).unwrap();
        let written = watch.finish();
        if cfg!(target_os = "linux") {
            assert_eq!(written, files[..3].iter().cloned().collect());
        }
    }

    #[test]
    fn entries_that_come_and_go_and_moves_are_seen() {
        let dir = tempfile::tempdir().unwrap();
        let (top, part) = (dir.path().to_path_buf(), dir.path().join("part"));
        fs::create_dir(&part).unwrap();
        let is_wanted = |name: &Path| name.extension().is_some_and(|end| end == "py");
        let Some(watch) = DirWatch::start([top.as_path(), part.as_path()], [], is_wanted) else { return };
        for name in ["part/a.py", "b.py", "part/c.txt"] {
            fs::write(top.join(name), "").unwrap();
            fs::remove_file(top.join(name)).unwrap();
        }
        fs::rename(&part, top.join("away")).unwrap();
        fs::rename(top.join("away"), &part).unwrap();
        let events = watch.finish();
        assert_eq!(events.changed, BTreeSet::from([part.join("a.py"), top.join("b.py")]));
        assert_eq!((events.moved, events.has_lost_events), (BTreeSet::from([part]), false));
    }
}
