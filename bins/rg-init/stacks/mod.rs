//! The build tools that rg-init knows, and what each one proposes for a part of the repository.

mod interpreters;
mod jvm;
pub mod node;
mod python;
mod recipes;
mod toolchains;

use crate::part::{self, Part};
use crate::proposal::Plan;
use std::path::Path;

/// A build tool.
struct Stack {
    /// Whether a part uses it.
    is_used: fn(&Part) -> bool,
    /// Whether its checks in this part cover the parts below.
    covers_below: fn(&Part) -> bool,
    /// Proposes its checks for a part.
    propose: fn(&Part, &mut Plan),
}

/// All build tools. Those that only start others come last, because they propose only what is still missing.
const STACKS: [Stack; 15] = [
    Stack { is_used: toolchains::is_cargo, covers_below: toolchains::is_cargo_workspace, propose: toolchains::cargo },
    Stack { is_used: node::is_used, covers_below: node::is_workspace, propose: node::propose },
    Stack { is_used: node::is_deno, covers_below: |_| true, propose: node::deno },
    Stack { is_used: python::is_used, covers_below: |_| true, propose: python::propose },
    Stack { is_used: toolchains::is_go, covers_below: |_| false, propose: toolchains::go },
    Stack { is_used: jvm::is_maven, covers_below: |_| true, propose: jvm::maven },
    Stack { is_used: jvm::is_gradle, covers_below: |_| true, propose: jvm::gradle },
    Stack { is_used: interpreters::is_ruby, covers_below: |_| false, propose: interpreters::ruby },
    Stack { is_used: interpreters::is_php, covers_below: |_| false, propose: interpreters::php },
    Stack { is_used: toolchains::is_dotnet, covers_below: |_| true, propose: toolchains::dotnet },
    Stack { is_used: toolchains::is_swift, covers_below: |_| false, propose: toolchains::swift },
    Stack { is_used: interpreters::is_elixir, covers_below: |_| true, propose: interpreters::elixir },
    Stack { is_used: recipes::is_make, covers_below: |_| true, propose: recipes::make },
    Stack { is_used: recipes::is_just, covers_below: |_| true, propose: recipes::just },
    Stack { is_used: recipes::is_nix, covers_below: |_| true, propose: recipes::nix },
];

/// The checks of all build tools, of the root first.
pub fn find(root: &Path) -> Plan {
    let mut plan = Plan::default();
    // The parts whose checks cover what is below them, by build tool.
    let mut covering: [Vec<String>; STACKS.len()] = Default::default();
    for part in part::parts(root) {
        for (stack, covering) in STACKS.iter().zip(&mut covering) {
            let is_covered = covering.iter().any(|above| is_below(&part.below, above));
            if !is_covered && (stack.is_used)(&part) {
                (stack.propose)(&part, &mut plan);
                if (stack.covers_below)(&part) {
                    covering.push(part.below.clone());
                }
            }
        }
    }
    plan
}

/// Whether a path is below another one; both are relative to the root.
fn is_below(path: &str, above: &str) -> bool {
    above.is_empty() || path.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}
