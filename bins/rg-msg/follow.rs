//! `follow`: messages as they come.

use crate::options::{Options, place};
use crate::print;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::watch::DirSignal;
use review_gate::talk::directory::TalkDir;
use review_gate::talk::lines::Skipped;
use review_gate::talk::log::Messages;
use review_gate::talk::tail::LogTail;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long it waits at most before it looks again. Not every file system reports changes, and a reader may be gone.
const LOOK: Duration = Duration::from_secs(1);

/// The logs that are followed, and what was printed.
struct Followed<'a> {
    talk: TalkDir,
    /// The only topic.
    topic: Option<&'a str>,
    from: Option<&'a str>,
    logs: Vec<LogTail>,
    seen: HashSet<String>,
    skipped: Skipped,
}

/// Prints new messages until the time is up, a signal arrives or the output is closed.
pub fn follow(args: &Args, options: &Options) -> Result<Exit> {
    let topic = match options.operands.is_empty() {
        true => None,
        false => Some(options.operand(args, "topic")?),
    };
    let end = options.timeout.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
    let (talk, _) = place(args)?;
    let from = options.from.as_deref();
    let mut followed =
        Followed { talk, topic, from, logs: Vec::new(), seen: HashSet::new(), skipped: Skipped::default() };
    // The watch begins before the logs are read, so that nothing falls between.
    let mut signal = DirSignal::of(followed.talk.path());
    followed.read()?;
    followed.skipped = Skipped::default();
    loop {
        let left = end.map_or(LOOK, |end| end.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            print::warn(args, options, &followed.skipped);
            return Ok(Exit::Yes);
        }
        signal.wait(left.min(LOOK));
        if pipes::is_output_closed() {
            return Ok(Exit::Yes);
        }
        // A talk directory that was replaced needs a watch of its own.
        signal.renew(followed.talk.path());
        let messages = followed.read()?.into_sorted();
        print::write(&messages, options)?;
    }
}

impl Followed<'_> {
    /// What is new in all logs.
    fn read(&mut self) -> Result<Messages> {
        let paths: Vec<PathBuf> = match self.topic {
            Some(topic) => vec![self.talk.file(topic)?],
            None => self.talk.files()?,
        };
        for path in paths {
            if self.logs.iter().all(|log| log.path() != path) {
                self.logs.push(LogTail::new(&path));
            }
        }
        let mut messages = Messages::default();
        for log in &mut self.logs {
            log.read(&mut self.seen, &mut messages, |message| {
                self.topic.is_none_or(|topic| message.topic == topic)
                    && self.from.is_none_or(|from| message.sender.from == from)
            })?;
        }
        self.skipped.damaged += messages.skipped.damaged;
        self.skipped.newer += messages.skipped.newer;
        self.skipped.ahead += messages.skipped.ahead;
        Ok(messages)
    }
}
