//! `rg-bounce waive`: a person at a terminal lets something pass, with a reason, a scope and an end.

use crate::TOOL;
use review_gate::event::{Rule, Scope};
use review_gate::snapshot::definition;
use review_gate::store::record::Waive;
use review_gate::store::state::State;
use review_gate::store::task;
use review_gate::sys::clock;
use review_gate::sys::env;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// How long a waiver holds unless it says otherwise, in seconds.
const DEFAULT: f64 = 3600.0;

/// The longest it may hold.
const LONGEST: f64 = 30.0 * 86_400.0;

/// Writes a waiver into the task that was worked at last in this repository, or the one that is named.
pub fn run(args: &mut Args) -> Result<Exit> {
    let mut why = String::new();
    let mut scope = "gate".to_string();
    let mut seconds = DEFAULT;
    let mut task = None;
    while let Some(flag) = args.flag()? {
        let Flag::Long(name) = &flag else { return Err(args.unknown(&flag)) };
        match name.as_str() {
            "why" => why = args.value()?.trim().to_string(),
            "scope" => scope = args.value()?,
            "for" => {
                let word = args.value()?;
                let parsed = clock::parse_duration(&word).filter(|seconds| *seconds <= LONGEST);
                seconds = parsed.ok_or_else(|| args.wrong(&format!("--for: not a duration up to 30d: {word:?}")))?;
            }
            "task" => task = Some(args.value()?),
            _ => return Err(args.unknown(&flag)),
        }
    }
    if why.is_empty() {
        return Err(args.wrong("waive wants --why: it stands in every later receipt"));
    }
    let known =
        scope == "gate" || ["rule:", "key:"].iter().any(|kind| scope.len() > kind.len() && scope.starts_with(kind));
    if !known {
        return Err(args.wrong(&format!("--scope: gate, rule:NAME or key:KEY, not {scope:?}")));
    }
    if let Some(rule) = scope.strip_prefix("rule:").filter(|rule| Rule::named(rule).is_none()) {
        return Err(args.wrong(&format!("--scope: there is no rule {rule:?}: rg-bounce(1) says where they are listed")));
    }
    args.by_a_person("waive")?;
    let state = State::of(&definition::root_of(&args.dir()?)?.0)?;
    let task = task::named_or_open(&state, task)?;
    let until = clock::now().plus(seconds);
    task.append(TOOL.name, Waive { scope: Scope::parse(&scope), why, who: env::user(), until })?;
    pipes::write(format!("waived: {scope} in task {}, until {until}\n", task.id).as_bytes())?;
    Ok(Exit::Yes)
}
