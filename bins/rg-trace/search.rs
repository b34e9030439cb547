//! `rg-trace search`: the events of all sessions that have all words.

use crate::lines::line;
use review_gate::snapshot::workspace;
use review_gate::store::journal::Journal;
use review_gate::store::record::TracedEvent;
use review_gate::store::state::{State, files_by_age};
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::text::one_line;
use review_gate::talk::query::Query;
use review_gate::tool::cli::{self, Args, Flag};
use review_gate::tool::pipes;

/// Prints each event whose texts have all words, after the id of its session. Without a word it is every event.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut words = Vec::new();
    while let Some(flag) = args.flag()? {
        match flag {
            Flag::Operand(word) => words.push(word),
            flag => return Err(args.unknown(&flag)),
        }
    }
    let query = Query::parse(&words.join(" "));
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let mut found = false;
    let is_wanted = words.is_empty() || query.has_terms();
    for (_, path) in files_by_age(&state.dir().join("trace")).iter().filter(|_| is_wanted) {
        let session = path.file_stem().map_or_else(String::new, |name| one_line(&name.to_string_lossy()));
        let journal = match Journal::open(path) {
            Ok(journal) => journal,
            Err(error) => {
                cli::print_error(args.tool, &error.to_string());
                continue;
            }
        };
        for traced in journal.of::<TracedEvent>().filter(|traced| query.fits(&texts(traced))) {
            found = true;
            pipes::write(format!("{session} {}\n", line(traced)).as_bytes())?;
        }
    }
    if !found {
        cli::print_error(args.tool, "no event fits");
    }
    Ok(Exit::Yes)
}

/// All texts of an event.
fn texts(traced: &TracedEvent) -> String {
    let tool = traced.tool.iter();
    let tool = tool.flat_map(|tool| [Some(&tool.name), tool.input.as_ref(), tool.output.as_ref(), tool.error.as_ref()]);
    let own = [traced.source.as_ref(), traced.prompt.as_ref(), traced.message.as_ref(), traced.receipt.as_ref()];
    let said = traced.reply.iter().map(|reply| &reply.reason).chain(&traced.tell);
    let found = traced.findings.iter().map(|finding| &finding.text);
    let all: Vec<&str> = own.into_iter().chain(tool).flatten().chain(said).chain(found).map(String::as_str).collect();
    let outcome = traced.outcome.map_or("", |outcome| outcome.word());
    format!("{} {outcome}\n{}", traced.event.name(), all.join("\n"))
}
