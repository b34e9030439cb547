//! `--step`: the user sees a patch at the terminal before it is applied.

use crate::terminal;
use review_gate::sys::error::{Error, Result};
use review_gate::sys::text::{cut_end, plain};

/// The longest reason of a user, in bytes.
const REASON: usize = 4000;

/// Shows a patch and asks whether it may be applied. Returns the reason if not.
pub fn refusal(plan: &str, patch: &str) -> Result<Option<String>> {
    terminal::show(&format!("\n{}\n\n{}\n", plain(plan.trim().as_bytes()), plain(patch.trim_end().as_bytes())));
    loop {
        match terminal::ask("Apply this patch? yes, no or quit: ")?.as_deref() {
            Some("y" | "yes") => return Ok(None),
            Some("n" | "no") => {
                let reason = terminal::ask("What is wrong with it? ")?.unwrap_or_default();
                let reason = cut_end(&reason, REASON);
                return Ok(Some(if reason.is_empty() { "no reason was given".to_string() } else { reason }));
            }
            Some("q" | "quit") | None => {
                terminal::interrupt();
                return Err(Error::refused("the user ended the run"));
            }
            Some(_) => {}
        }
    }
}
