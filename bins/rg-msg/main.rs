//! rg-msg: leave messages for other agents, reviewers and people, and read theirs.
//!
//! Appends to one file of JSON lines for each topic in `.review-gate`; starts no process and needs no server.
//! man: rg-msg(1)

mod export;
mod follow;
mod import;
mod options;
mod post;
mod print;
mod read;
mod sync;
mod thread;

use review_gate::tool::cli::{self, Form, Opt, Tool};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-msg",
    about: "leave messages for other agents and read theirs",
    hint: "rg-msg read general",
    forms: &[
        Form {
            verb: "export",
            about: "Print all messages as Markdown.",
            takes: &["json", "quiet"],
            operands: "[topic]",
            ..Form::BARE
        },
        Form {
            verb: "follow",
            about: "Print messages as they come.",
            takes: &["from", "json", "quiet", "timeout"],
            operands: "[topic]",
            ..Form::BARE
        },
        Form {
            verb: "import",
            about: "Add the messages of a jwz store.",
            takes: &["json", "quiet"],
            operands: "store",
            ..Form::BARE
        },
        Form { verb: "init", about: "Create the talk directory, with merge settings for git.", ..Form::BARE },
        Form { verb: "list", about: "Print a line for each topic.", takes: &["json", "quiet"], ..Form::BARE },
        Form {
            verb: "post",
            about: "Post a message to a topic; print its id.",
            takes: &["as", "file | message", "json", "model", "quiet", "role"],
            operands: "topic",
            ..Form::BARE
        },
        Form {
            verb: "read",
            about: "Print the last messages of a topic.",
            takes: &["all | limit", "json", "quiet"],
            operands: "topic",
            ..Form::BARE
        },
        Form {
            verb: "reply",
            about: "Answer a message in its topic; print the new id.",
            takes: &["as", "file | message", "json", "model", "quiet", "role"],
            operands: "id",
            ..Form::BARE
        },
        Form {
            verb: "search",
            about: "Print the last messages that have all these words.",
            takes: &["all | limit", "from", "json", "quiet", "since", "topic"],
            operands: "[word ...]",
            ..Form::BARE
        },
        Form { verb: "show", about: "Print one message.", takes: &["json", "quiet"], operands: "id", ..Form::BARE },
        Form {
            verb: "sync",
            about: "Exchange messages and issues with a git remote.",
            takes: &["json", "quiet"],
            operands: "[remote]",
            ..Form::BARE
        },
        Form {
            verb: "thread",
            about: "Print a message's whole thread.",
            takes: &["json", "quiet"],
            operands: "id",
            ..Form::BARE
        },
    ],
    options: &[
        Opt::flag("all", "Print all messages."),
        Opt::with("as", "name", "The sender's name."),
        Opt::with("file", "path", "Read the message from a file."),
        Opt::with("from", "name", "Only messages of that sender."),
        Opt::flag("json", "Print JSON, one object a line."),
        Opt::with("limit", "number", "How many messages to print; default 20."),
        Opt::with("message", "text", "The message; -m is the short form."),
        Opt::with("model", "name", "The sender's model."),
        Opt::flag("quiet", "Print only ids, or names of topics, and no warnings."),
        Opt::with("role", "name", "The sender's role."),
        Opt::with("since", "time", "Only messages from that time on; 2h means the last two hours."),
        Opt::with("timeout", "duration", "Stop after that time, such as 30s."),
        Opt::with("topic", "name", "Only messages of that topic."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| {
        let verb = args.verb()?;
        let options = options::Options::parse(args)?;
        match verb {
            "export" => export::export(args, &options),
            "follow" => follow::follow(args, &options),
            "import" => import::import(args, &options),
            "init" => post::init(args, &options),
            "list" => read::list(args, &options),
            "post" => post::post(args, &options),
            "read" => read::read(args, &options),
            "reply" => post::reply(args, &options),
            "search" => read::search(args, &options),
            "show" => thread::show(args, &options),
            "sync" => sync::sync(args, &options),
            "thread" => thread::thread(args, &options),
            verb => Err(args.unknown_verb(verb)),
        }
    })
}
