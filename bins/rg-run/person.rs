//! A decision that only the user can make, asked at the terminal.

use crate::gate::Case;
use crate::settings::Place;
use crate::{TOOL, terminal};
use review_gate::store::record::{Approval, NewRecord};
use review_gate::store::task::Task;
use review_gate::sys::env;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::ids;
use review_gate::sys::text::plain;
use review_gate::sys::user;

/// What the user decided.
pub enum Decision {
    /// The files are accepted; this is recorded.
    Accepted,
    /// The agent goes on with these words.
    GoOn(String),
    /// Nothing: the run ends.
    Nothing,
}

/// Asks the user about the files of a task. Without a user at a terminal, nothing is decided.
pub fn ask(place: &Place, why: &str, case: &Case) -> Result<Decision> {
    if !terminal::is_there() || env::is_below_agent() {
        return Ok(Decision::Nothing);
    }
    terminal::show(&format!("\n{why}\n{}", plain(case.open.as_bytes())));
    loop {
        match terminal::ask("Accept the files as they are? yes, no or quit: ")?.as_deref() {
            Some("y" | "yes") => {
                let why = reason("Why? ")?;
                if let Some(why) = why {
                    accept(place, case, why)?;
                    return Ok(Decision::Accepted);
                }
            }
            Some("n" | "no") => {
                if let Some(words) = reason("What must the agent do? ")? {
                    return Ok(Decision::GoOn(words));
                }
            }
            Some("q" | "quit") | None => return Ok(Decision::Nothing),
            Some(_) => {}
        }
    }
}

fn reason(question: &str) -> Result<Option<String>> {
    Ok(terminal::ask(question)?.filter(|words| !words.is_empty()))
}

/// Records that the user accepts exactly these files. The outcome is then `waived`.
fn accept(place: &Place, case: &Case, why: String) -> Result<()> {
    let task = Task::load(&place.state, &case.task)?.ok_or_else(|| Error::missing("the task has no records"))?;
    let id = ids::ulid(&["approve", &task.id, &case.snapshot, &task.journal.lines().len().to_string()]);
    let approval = Approval { id: id.clone(), snapshot: case.snapshot.clone(), why, who: user::name() };
    task.append(TOOL.name, NewRecord::new(approval).with_id(&id)).map(drop)
}
