//! What rg-init proposes: checks, and what was found and left out.

use crate::part::Part;
use review_gate::donefile::CheckKind;
use review_gate::sys::text::one_line;

/// The most checks that are proposed.
const MOST: usize = 40;

/// A check that may become part of DONE.md.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The name of its build tool.
    pub stack: &'static str,
    /// The name of the check.
    pub name: String,
    /// The command, for the shell.
    pub run: String,
    /// What it does.
    pub kind: CheckKind,
    /// Whether its output reported tests when it was tried.
    pub has_evidence: bool,
    /// The directory that it runs in, below the root; empty for the root.
    pub below: String,
    /// The file that it was found in.
    pub found_in: String,
    /// What happened when it was tried.
    pub trial: Trial,
}

/// What happened when a check was tried.
#[derive(Clone, Debug, PartialEq)]
pub enum Trial {
    /// Nothing yet.
    Untried,
    /// It passed after so many seconds.
    Passed(f64),
    /// It did not pass, or could not run: why.
    LeftOut(String),
}

impl Proposal {
    /// Whether it passed.
    pub fn has_passed(&self) -> bool {
        matches!(self.trial, Trial::Passed(_))
    }
}

/// All proposals, in order, with remarks about what was left out.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The checks.
    pub checks: Vec<Proposal>,
    /// What was found and left out, and why.
    pub notes: Vec<String>,
    /// What a build file lacks; told only if nothing else is a check.
    pub lacking: Vec<String>,
    /// What became of each key of the configuration that they come from.
    pub rows: Vec<String>,
    /// Lines of YAML for other keys of DONE.md.
    pub settings: Vec<String>,
}

impl Plan {
    /// Proposes a check of a part.
    pub fn check(&mut self, part: &Part, stack: &'static str, found_in: &str, what: (&str, CheckKind), run: &str) {
        if self.checks.len() == MOST {
            self.note(&format!("{}: more than {MOST} checks, this one is left out: {run}", part.shown(found_in)));
            return;
        }
        self.checks.push(Proposal {
            stack,
            name: what.0.to_string(),
            run: run.to_string(),
            kind: what.1,
            has_evidence: false,
            below: part.below.clone(),
            found_in: part.shown(found_in),
            trial: Trial::Untried,
        });
    }

    /// Notes what was found and left out.
    pub fn note(&mut self, text: &str) {
        self.notes.push(one_line(text));
    }

    /// Whether a check of that kind is proposed for the part.
    pub fn has_kind(&self, part: &Part, kind: CheckKind) -> bool {
        self.checks.iter().any(|check| check.kind == kind && check.below == part.below)
    }

    /// Gives each check a name of its own: with its directory, with its build tool if two tools name a check alike, with a number
    /// otherwise.
    pub fn make_names_unique(&mut self) {
        let bases: Vec<(String, String)> =
            self.checks.iter().map(|check| (check.name.clone(), check.below.clone())).collect();
        let mut taken: Vec<String> = Vec::new();
        for (at, check) in self.checks.iter_mut().enumerate() {
            let is_shared = bases.iter().enumerate().any(|(other, base)| other != at && *base == bases[at]);
            let base = if is_shared { format!("{} {}", check.stack, check.name) } else { check.name.clone() };
            let place = if check.below.is_empty() { String::new() } else { format!(" in {}", check.below) };
            // `--only` separates names by commas.
            let whole = one_line(&format!("{base}{place}")).replace(',', " ");
            let mut name = whole.clone();
            let mut number = 2;
            while taken.contains(&name) {
                name = format!("{whole} {number}");
                number += 1;
            }
            taken.push(name.clone());
            check.name = name;
        }
    }
}
