//! `rg-bounce waive`: the user lets findings pass, with a reason, a scope and an end.

use crate::TOOL;
use review_gate::event::{Rule, Scope};
use review_gate::snapshot::workspace;
use review_gate::store::open_findings;
use review_gate::store::record::Waive;
use review_gate::store::state::State;
use review_gate::store::task;
use review_gate::sys::clock;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::spelling::nearest;
use review_gate::tool::cli::{Args, Flag};
use review_gate::tool::pipes;

/// How long a waiver holds by default, in seconds.
const DEFAULT: f64 = 3600.0;

/// How long a waiver may hold, in seconds.
const LONGEST: f64 = 30.0 * 86_400.0;

/// Appends a waiver to the named task, by default to the open task of this repository.
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
                let error =
                    || args.wrong(&format!("--for: not a duration such as 90s, 30m, 2h or 7d, up to 30d: {word:?}"));
                seconds = parsed.ok_or_else(error)?;
            }
            "task" => task = Some(args.value()?),
            _ => return Err(args.unknown(&flag)),
        }
    }
    if why.is_empty() {
        return Err(args.wrong("waive requires --why: every later receipt shows the reason"));
    }
    let known =
        scope == "gate" || ["rule:", "key:"].iter().any(|kind| scope.len() > kind.len() && scope.starts_with(kind));
    if !known {
        return Err(args.wrong(&format!("--scope: unknown scope {scope:?}. Use gate, rule:NAME or key:KEY")));
    }
    if let Some(rule) = scope.strip_prefix("rule:").filter(|rule| Rule::named(rule).is_none()) {
        let near = nearest(rule, Rule::ALL.iter().map(|rule| rule.word()));
        let near = near.map_or(String::new(), |near| format!(" (did you mean rule:{near}?)"));
        let advice = "rg-bounce(1) says where the rules are listed";
        return Err(args.wrong(&format!("--scope: unknown rule {rule:?}{near}. {advice}")));
    }
    args.require_user("waive")?;
    let state = State::of(&workspace::root_of(&args.dir()?)?.0)?;
    let task = task::named_or_open(&state, task)?;
    task.require_unedited()?;
    let until = clock::now().plus(seconds);
    // A key may belong to a finding that is expected.
    let is_unused =
        scope.strip_prefix("key:").is_some_and(|key| !open_findings::keys(&task).iter().any(|known| known == key));
    let note = if is_unused { "\nno open finding has this key now: `rg-receipt show` lists them" } else { "" };
    task.append(TOOL.name, Waive { scope: Scope::parse(&scope), why, who: review_gate::sys::user::name(), until })?;
    pipes::write(format!("waived {scope} in task {} until {}{note}\n", task.id, until.local()).as_bytes())?;
    Ok(Exit::Yes)
}
