//! `rg-trace follow`: a session as it happens.

use crate::denials::{self, Denial, tasks_of};
use crate::lines::lines;
use crate::show;
use review_gate::event::Kind;
use review_gate::snapshot::workspace;
use review_gate::store::record::{Body, Entry, TracedEvent};
use review_gate::store::state::{State, files_by_age};
use review_gate::sys::digest::sha256;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::tail::FileTail;
use review_gate::sys::text::one_line;
use review_gate::sys::watch::DirSignal;
use review_gate::tool::cli::{self, Args, Flag};
use review_gate::tool::pipes;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long it waits at most before it looks again. Not every file system reports changes, and denied calls are in other journals.
const LOOK: Duration = Duration::from_secs(1);

/// Prints the session with this id or unique beginning of an id, and what is added to it, until it ends. It may not have begun yet.
/// Default: the session written last, if it has not ended, else the next one.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut session = None;
    while let Some(flag) = args.flag()? {
        match flag {
            Flag::Operand(word) if session.is_none() => session = Some(word),
            flag => return Err(args.unknown(&flag)),
        }
    }
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let dir = state.dir().join("trace");
    // The watch begins before the trace is read, so that nothing falls between.
    let mut signal = DirSignal::of(&dir);
    let mut followed: Option<Followed> = None;
    let mut is_waiting = false;
    loop {
        if followed.is_none() {
            followed = begun(&state, session.as_deref())?.map(|path| Followed::new(&path));
        }
        if let Some(followed) = &mut followed {
            pipes::write(followed.read(&state)?.as_bytes())?;
            if followed.has_ended {
                return Ok(Exit::Yes);
            }
        } else if !is_waiting {
            is_waiting = true;
            let text = match &session {
                Some(session) => format!("no session {} yet; waiting for it", one_line(session)),
                None => "no session under way; waiting for one".to_string(),
            };
            cli::print_error(args.tool, &text);
        }
        signal.wait(LOOK);
        if pipes::is_output_closed() {
            return Ok(Exit::Yes);
        }
        // A directory that was replaced, or that did not exist, needs a watch of its own.
        signal.renew(&dir);
    }
}

/// The trace to follow, if it is there. A session that ended is only followed if it is named.
fn begun(state: &State, session: Option<&str>) -> Result<Option<PathBuf>> {
    if let Some(session) = session {
        return show::find(state, session);
    }
    let last = files_by_age(&state.dir().join("trace")).pop().map(|(_, path)| path);
    let Some(path) = last else { return Ok(None) };
    let mut followed = Followed::new(&path);
    followed.events()?;
    Ok((!followed.has_ended).then_some(path))
}

/// A trace, and what was printed of it.
struct Followed {
    trace: FileTail,
    /// The digests of the lines of events and the ids of the denied calls that were printed.
    seen: HashSet<String>,
    tasks: BTreeSet<String>,
    /// The sizes of the tasks' journals when their denied calls were read.
    sizes: Vec<u64>,
    has_ended: bool,
}

impl Followed {
    fn new(path: &Path) -> Followed {
        let (seen, tasks) = (HashSet::new(), BTreeSet::new());
        Followed { trace: FileTail::new(path), seen, tasks, sizes: Vec::new(), has_ended: false }
    }

    /// The lines of what is new.
    fn read(&mut self, state: &State) -> Result<String> {
        let events = self.events()?;
        self.tasks.extend(tasks_of(events.iter()));
        let denials = self.denials(state);
        Ok(lines(&events.iter().collect::<Vec<_>>(), &denials))
    }

    /// The new events. An event is new once, even if its file was replaced or rotated.
    fn events(&mut self) -> Result<Vec<TracedEvent>> {
        let mut events = Vec::new();
        let seen = &mut self.seen;
        self.trace.read(|line, _| {
            if let Entry::Record(record) = Entry::read(line)
                && let Body::Event(traced) = record.body
                && seen.insert(sha256(line))
            {
                events.push(traced);
            }
        })?;
        if let Some(last) = events.last() {
            self.has_ended = last.event == Kind::SessionEnd;
        }
        Ok(events)
    }

    /// The new denied calls. The journals are read only if one of them changed.
    fn denials(&mut self, state: &State) -> Vec<Denial> {
        let size = |task: &String| std::fs::metadata(state.task(task)).map_or(0, |meta| meta.len());
        let sizes: Vec<u64> = self.tasks.iter().map(size).collect();
        if sizes == self.sizes {
            return Vec::new();
        }
        self.sizes = sizes;
        let mut denials = denials::of_tasks(state, self.trace.path(), &self.tasks);
        denials.retain(|denial| self.seen.insert(denial.id.clone()));
        denials
    }
}
