//! The environment of the judges, and what to do if a check lacks something that was left out of it.

use crate::plan::Plan;
use review_gate::donefile::Land;
use review_gate::event::Check;
use review_gate::sys::env;
use review_gate::sys::process::Command;
use review_gate::sys::scrub::{Scrubbed, is_toolchain_home};
use review_gate::sys::text::{cut_end, one_line};

/// The environment of the judges of one landing.
pub struct Environment(Scrubbed);

impl Environment {
    /// The environment with what the base's definition of done adds.
    pub fn of(land: &Land) -> Environment {
        Environment(Scrubbed::of(&land.path, &land.env))
    }

    /// Sets it for one judge. A reviewer also gets the caller's variables, which may hold its credentials.
    pub fn set(&self, command: &mut Command, stage: &str) {
        match stage {
            "rg-review" => command.env("PATH", &self.0.path).envs(env::model_credentials()),
            _ => command.env_clear().envs(self.0.variables.iter().map(|(name, value)| (name, value))),
        };
        command.envs(env::own_variables());
    }

    /// What failed checks may lack, each with the line of DONE.md that brings it back.
    pub fn hints(&self, plan: &Plan, checks: &[Check]) -> Vec<String> {
        let failed: Vec<&Check> = checks.iter().filter(|check| !check.is_green()).collect();
        let mut hints: Vec<String> = Vec::new();
        for program in failed.iter().flat_map(|check| missing_programs(check)) {
            if let Some(dir) = self.0.supplier(program) {
                let program = cut_end(&one_line(program), 80);
                let dir = cut_end(&one_line(&dir), 200);
                hints.push(format!(
                    "{program} was not found: rg-land leaves {dir} out of PATH, because programs there can be replaced. To use it, add `land: {{path: [{dir}]}}` to DONE.md on {}",
                    plan.base
                ));
            }
        }
        let is_lacking = |name: &&String| {
            is_toolchain_home(name)
                || failed.iter().any(|check| mentions(&check.tail, name) || mentions(&check.run, name))
        };
        let lacking: Vec<&str> = self.0.dropped.iter().filter(is_lacking).map(String::as_str).take(8).collect();
        if !lacking.is_empty() && !failed.is_empty() {
            let names = cut_end(&one_line(&lacking.join(", ")), 200);
            hints.push(format!(
                "the checks ran without {names}. To pass on what they need, add `land: {{env: [{names}]}}` to DONE.md on {}",
                plan.base
            ));
        }
        hints.dedup();
        hints
    }
}

/// Whether a text has this name of a variable as a word.
fn mentions(text: &str, name: &str) -> bool {
    name.len() > 3 && text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| word == name)
}

/// How shells, make and env(1) report a program that they do not find, after its name.
const COMPLAINTS: [&str; 4] =
    [": not found", ": command not found", ": No such file or directory", ": inaccessible or not found"];

/// The programs that the end of a check's output reports as not found.
fn missing_programs(check: &Check) -> impl Iterator<Item = &str> {
    check.tail.lines().rev().take(20).filter_map(missing_program)
}

fn missing_program(line: &str) -> Option<&str> {
    let named = COMPLAINTS.iter().find_map(|end| line.trim_end().strip_suffix(end));
    // Zsh prints the name at the end.
    let named = named.or_else(|| line.split_once("command not found: ").map(|(_, name)| name))?;
    named.rsplit([' ', ':', '\'', '"', '`', '\u{2018}', '\u{2019}']).find(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_program_is_read_from_the_words_of_shells_and_make() {
        for (line, program) in [
            ("sh: 1: cargo: not found", Some("cargo")),
            ("bash: line 1: cargo: command not found", Some("cargo")),
            ("make: cargo: No such file or directory", Some("cargo")),
            ("env: 'node': No such file or directory", Some("node")),
            ("zsh:1: command not found: npm", Some("npm")),
            ("cargo not found", None),
            (": not found", None),
            ("", None),
        ] {
            assert_eq!(missing_program(line), program, "{line}");
        }
    }
}
