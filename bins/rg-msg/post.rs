//! `init`, `post` and `reply`: what writes.

use crate::options::{Options, place};
use crate::print;
use review_gate::git::Repository;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::exit::Exit;
use review_gate::sys::files;
use review_gate::sys::limits;
use review_gate::sys::user;
use review_gate::talk::directory::TalkDir;
use review_gate::talk::log::{self, Draft};
use review_gate::talk::message::Sender;
use review_gate::tool::cli::Args;
use review_gate::tool::pipes;

/// Creates the talk directory.
pub fn init(args: &Args, options: &Options) -> Result<Exit> {
    options.no_operand(args)?;
    let (talk, _) = place(args)?;
    talk.init()?;
    Ok(Exit::Yes)
}

/// Posts a message to a topic.
pub fn post(args: &Args, options: &Options) -> Result<Exit> {
    let topic = options.operand(args, "topic")?;
    let (talk, repository) = place(args)?;
    // The name is checked before standard input is read.
    talk.file(topic)?;
    write(args, options, &talk, repository, topic, None)
}

/// Answers a message.
pub fn reply(args: &Args, options: &Options) -> Result<Exit> {
    let prefix = options.operand(args, "id")?;
    let (talk, repository) = place(args)?;
    let message = log::find(&talk.files()?, prefix)?;
    write(args, options, &talk, repository, &message.topic, Some(&message.id))
}

fn write(
    args: &Args,
    options: &Options,
    talk: &TalkDir,
    repository: Option<Repository>,
    topic: &str,
    reply_to: Option<&str>,
) -> Result<Exit> {
    let body = body(args, options)?;
    let sender = sender(args, options, repository)?;
    talk.make()?;
    let message = log::append(&talk.file(topic)?, &Draft { topic, reply_to, sender: &sender, body: &body })?;
    match options.json {
        true => print::write(&[message], options)?,
        false => pipes::write(format!("{}\n", message.id).as_bytes())?,
    }
    Ok(Exit::Yes)
}

/// The text of a message, as it came.
fn body(args: &Args, options: &Options) -> Result<String> {
    let body = match (&options.message, &options.file) {
        (Some(text), _) => text.clone(),
        (None, Some(path)) => {
            let bytes = files::read_following(path, limits::LINE as u64)?;
            let bytes = bytes.ok_or_else(|| Error::usage(format!("no such file: {}", path.display())))?;
            String::from_utf8(bytes).map_err(|_| Error::usage(format!("{} is not UTF-8", path.display())))?
        }
        (None, None) => {
            args.refuse_terminal("a message")?;
            pipes::read_text(limits::LINE, None)?
        }
    };
    match body.is_empty() {
        true => Err(Error::usage("the message is empty")),
        false => Ok(body),
    }
}

fn sender(args: &Args, options: &Options, repository: Option<Repository>) -> Result<Sender> {
    let by_default = || if env::is_below_agent() { "agent".to_string() } else { user::name() };
    let mut sender = Sender {
        from: options.name.clone().unwrap_or_else(by_default),
        role: options.role.clone(),
        model: options.model.clone(),
        session: env::client_session(),
        ..Sender::default()
    };
    if let Some(repository) = repository {
        sender.commit = repository.head();
        sender.branch = repository.branch().map(|name| name.trim_start_matches("refs/heads/").to_string());
        let dir = args.dir()?;
        let prefix = dir.strip_prefix(&repository.top).map(|prefix| prefix.to_string_lossy().into_owned());
        sender.prefix = prefix.ok().filter(|prefix| !prefix.is_empty());
    }
    Ok(sender)
}
