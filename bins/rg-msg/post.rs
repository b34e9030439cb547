//! `init`, `post` and `reply`: what writes.

use crate::options::{Options, place};
use crate::print;
use review_gate::git::Repository;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::user;
use review_gate::talk::directory::TalkDir;
use review_gate::talk::log::{self, Draft};
use review_gate::talk::message::Sender;
use review_gate::tool::body;
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
    let body = body::read(args, options.message.as_deref(), options.file.as_deref())?;
    let sender = sender(args, options, repository)?;
    talk.make()?;
    let message = log::append(&talk.file(topic)?, &Draft { topic, reply_to, sender: &sender, body: &body })?;
    match options.json {
        true => print::write(&[message], options)?,
        false => pipes::write(format!("{}\n", message.id).as_bytes())?,
    }
    Ok(Exit::Yes)
}

fn sender(args: &Args, options: &Options, repository: Option<Repository>) -> Result<Sender> {
    let mut sender = Sender {
        from: options.name.clone().unwrap_or_else(user::sender),
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
