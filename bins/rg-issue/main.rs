//! rg-issue: issues that agents and people share: what is to be done, what blocks what, and who works on which.
//!
//! Appends changes to one file of JSON lines in `.review-gate`; the issues are what the changes add up to.
//! man: rg-issue(1)

mod clean;
mod edit;
mod export;
mod filter;
mod import;
mod lease;
mod options;
mod print;
mod read;
mod sync;

use filter::RgIssue;
use review_gate::tool::cli::{self, Form, Opt, Tool};
use review_gate::tool::filter as frame;
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-issue",
    about: "share issues, what blocks them, and who works on them",
    hint: "rg-issue ready",
    forms: &[
        Form::BARE,
        Form { needs: &["hook"], takes: &["client"], ..Form::BARE },
        Form { verb: "brief", about: "Print an issue as the prompt for an agent.", operands: "id", ..Form::BARE },
        Form {
            verb: "claim",
            about: "Claim an issue, by default the first one that is ready.",
            takes: &["as", "for", "json", "quiet", "tag"],
            operands: "[id]",
            ..Form::BARE
        },
        Form {
            verb: "clean",
            about: "Set aside issues that ended long ago.",
            takes: &["dry-run", "older-than", "quiet"],
            ..Form::BARE
        },
        Form {
            verb: "comment",
            about: "Add a comment.",
            takes: &["as", "file | message", "json", "quiet"],
            operands: "id",
            ..Form::BARE
        },
        Form {
            verb: "dep",
            about: "Say what an issue is to another one: blocks, relates, parent.",
            takes: &["as", "json", "quiet", "remove"],
            operands: "id relation id",
            ..Form::BARE
        },
        Form {
            verb: "deps",
            about: "Print what an issue depends on and what depends on it.",
            takes: &["json", "quiet"],
            operands: "id",
            ..Form::BARE
        },
        Form {
            verb: "edit",
            about: "Change the title, the text or the priority.",
            takes: &["as", "file | message", "json", "priority", "quiet", "title"],
            operands: "id",
            ..Form::BARE
        },
        Form {
            verb: "export",
            about: "Print all issues as Markdown, or as JSON.",
            takes: &["json", "quiet"],
            ..Form::BARE
        },
        Form {
            verb: "import",
            about: "Add the issues of tissue, beads or GitHub.",
            takes: &["json", "quiet"],
            operands: "path",
            ..Form::BARE
        },
        Form { verb: "init", about: "Create the talk directory, with merge settings for git.", ..Form::BARE },
        Form {
            verb: "list",
            about: "Print the issues that have not ended.",
            takes: &["all", "json", "limit", "quiet", "status", "tag"],
            ..Form::BARE
        },
        Form {
            verb: "new",
            about: "Make an issue; print its id.",
            takes: &["as", "file | message", "json", "priority", "quiet", "tag"],
            operands: "title",
            ..Form::BARE
        },
        Form {
            verb: "ready",
            about: "Print what can be worked on now, the most urgent first.",
            takes: &["json", "limit", "quiet", "tag"],
            ..Form::BARE
        },
        Form {
            verb: "release",
            about: "End a claim.",
            takes: &["as", "force", "json", "quiet"],
            operands: "id",
            ..Form::BARE
        },
        Form {
            verb: "search",
            about: "Print the issues that have all these words.",
            takes: &["json", "limit", "quiet", "status", "tag"],
            operands: "[word ...]",
            ..Form::BARE
        },
        Form { verb: "show", about: "Print an issue.", takes: &["json", "quiet"], operands: "id", ..Form::BARE },
        Form {
            verb: "status",
            about: "Set the status: open, in_progress, paused, duplicate, closed.",
            takes: &["as", "commit", "fence", "force", "json", "quiet"],
            operands: "id status",
            ..Form::BARE
        },
        Form {
            verb: "sync",
            about: "Exchange messages and issues with a git remote.",
            takes: &["json", "quiet"],
            operands: "[remote]",
            ..Form::BARE
        },
        Form {
            verb: "tag",
            about: "Add tags, or remove them.",
            takes: &["as", "json", "quiet", "remove"],
            operands: "id name ...",
            ..Form::BARE
        },
    ],
    options: &[
        Opt::flag("all", "Also the issues that have ended."),
        Opt::with("as", "name", "The sender's name."),
        Opt::with("client", "name", "The client that calls: claude, codex, gemini or cursor."),
        Opt::with("commit", "id", "The commit that closes the issue."),
        Opt::flag("dry-run", "Only say what would be done."),
        Opt::with("fence", "number", "Only if the claim with that number still holds."),
        Opt::with("file", "path", "Read the text from a file; - is standard input."),
        Opt::with("for", "duration", "How long the claim holds; default 1h."),
        Opt::flag("force", "Even if another one has claimed the issue."),
        Opt::flag("hook", "Read a hook call on standard input; work without a pipeline."),
        Opt::flag("json", "Print JSON, one object a line."),
        Opt::with("limit", "number", "How many issues to print."),
        Opt::with("message", "text", "The text; -m is the short form."),
        Opt::with("older-than", "duration", "How long ago they must have ended; default 30d."),
        Opt::with("priority", "number", "The priority, 1 (urgent) to 5; default 2."),
        Opt::flag("quiet", "Print only ids, and no warnings."),
        Opt::flag("remove", "Remove instead of adding."),
        Opt::with("status", "word", "Only issues of that status."),
        Opt::with("tag", "name", "A tag; may be repeated."),
        Opt::with("title", "text", "The new title."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| {
        let verb = args.verb()?;
        if verb.is_empty() {
            return frame::run(args, RgIssue);
        }
        let options = options::Options::parse(args)?;
        match verb {
            "brief" => read::brief(args, &options),
            "claim" => lease::claim(args, &options),
            "clean" => clean::clean(args, &options),
            "comment" => edit::comment(args, &options),
            "dep" => edit::dep(args, &options),
            "deps" => read::deps(args, &options),
            "edit" => edit::edit(args, &options),
            "export" => export::export(args, &options),
            "import" => import::import(args, &options),
            "init" => clean::init(args, &options),
            "list" => read::list(args, &options),
            "new" => edit::new(args, &options),
            "ready" => read::ready(args, &options),
            "release" => lease::release(args, &options),
            "search" => read::search(args, &options),
            "show" => read::show(args, &options),
            "status" => edit::status(args, &options),
            "sync" => sync::sync(args, &options),
            "tag" => edit::tag(args, &options),
            verb => Err(args.unknown_verb(verb)),
        }
    })
}
