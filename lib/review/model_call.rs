//! A model that a judge of a run asks. It is recorded before and after, so that what it spends counts in the budgets of the run.
//!
//! A command that DONE.md declares is the user's own: it reports nothing, and is no part of the budgets.

use crate::review::ask::{self, AskResult, Question, Target};
use crate::store::record::{AnsweredModel, AskedModel, ModelCall};
use crate::store::state::State;
use crate::sys::env;
use crate::sys::error::Result;
use crate::sys::ids;
use std::fs;
use std::path::Path;

/// Asks a model. Errors: the call cannot be recorded. A failure of the model is part of the result.
pub fn ask(
    (state, by_tool): (&State, &str),
    role: &str,
    target: &Target,
    question: &Question<'_>,
    root: &Path,
) -> Result<AskResult> {
    let (Some(run), Some(to)) = (env::budget_run(), target.program_name()) else {
        return Ok(ask::ask(target, question, root));
    };
    let journal = state.runs();
    let length = fs::metadata(&journal).map_or(0, |found| found.len());
    let call = ids::ulid(&["call", &run, role, to, &length.to_string()]);
    let asked = AskedModel { call: call.clone(), run: run.clone(), role: role.to_string(), to: to.to_string() };
    state.append(&journal, by_tool, ModelCall::Asked(asked))?;
    let answer = ask::ask(target, question, root);
    let (tokens, cost) = (answer.ask.tokens, answer.ask.cost);
    state.append(&journal, by_tool, ModelCall::Answered(AnsweredModel { call, run, tokens, cost }))?;
    Ok(answer)
}
