//! Package runners: the program that `npx`, `pnpm dlx`, `yarn`, `bunx`, `uvx` or `pipx run` starts.

use super::interpreters::is_interpreter;
use crate::command::{Arg, Call, flags};
use crate::walk::{Io, Walker};

/// A program that starts a program of a package.
struct Runner {
    names: &'static [&'static str],
    /// Subcommands that stand before the program.
    verbs: &'static [&'static str],
    /// Whether the program may stand without a subcommand.
    is_bare: bool,
    /// Its options that take the next argument.
    valued: &'static str,
}

const RUNNERS: [Runner; 9] = [
    Runner {
        names: &["npx", "pnpx"],
        verbs: &[],
        is_bare: true,
        valued: "-p --package -w --workspace --registry --cache --prefix --userconfig --node-options -n -c --call",
    },
    Runner { names: &["bunx"], verbs: &[], is_bare: true, valued: "-p --package --registry" },
    Runner {
        names: &["uvx"],
        verbs: &[],
        is_bare: true,
        valued: "--from --with --with-requirements --with-editable -p --python -i --index --index-url --env-file --directory",
    },
    Runner {
        names: &["npm"],
        verbs: &["exec", "x"],
        is_bare: false,
        valued: "-p --package -w --workspace --prefix -C --registry -c --call",
    },
    Runner {
        names: &["pnpm"],
        verbs: &["exec", "dlx", "x"],
        is_bare: true,
        valued: "-C --dir --filter -F --package --reporter",
    },
    Runner { names: &["yarn"], verbs: &["exec", "dlx", "x", "run"], is_bare: true, valued: "--cwd -p --package" },
    Runner { names: &["bun"], verbs: &["x", "run"], is_bare: false, valued: "--cwd" },
    Runner { names: &["pipx"], verbs: &["run"], is_bare: false, valued: "--spec --python --index-url -i --pip-args" },
    Runner {
        names: &["deno"],
        verbs: &["run", "serve"],
        is_bare: false,
        valued: "-c --config --import-map --lock --cert --location -L",
    },
];

/// Subcommands of `pnpm` and `yarn` that have the name of a program.
const OWN_VERBS: [&str; 27] = [
    "add",
    "audit",
    "bin",
    "cache",
    "config",
    "create",
    "deploy",
    "env",
    "exec",
    "i",
    "info",
    "init",
    "install",
    "link",
    "list",
    "ln",
    "ls",
    "node",
    "pack",
    "patch",
    "publish",
    "rm",
    "set",
    "store",
    "test",
    "up",
    "workspace",
];

/// Programs that run what their arguments name, and have no rule.
const OTHERS: [&str; 4] = ["concurrently", "run-p", "run-s", "zx"];

fn runner(name: &str) -> Option<&'static Runner> {
    RUNNERS.iter().find(|runner| runner.names.contains(&name))
}

/// Whether a program starts programs of packages.
pub fn is_runner(name: &str) -> bool {
    runner(name).is_some()
}

/// The arguments before the program: the runner's own.
pub fn own_args(call: &Call) -> &[Arg] {
    let at = runner(&call.name).and_then(|runner| runner.program_at(&call.args));
    &call.args[..at.unwrap_or(call.args.len())]
}

/// The program of a package: `prisma` of `prisma@latest`, `npm:prisma@5` and `@scope/prisma`.
fn program_of(package: &str) -> &str {
    let package = package.strip_prefix("npm:").unwrap_or(package);
    let name = package.split("==").next().unwrap_or("");
    let start = name.rfind('/').map_or(0, |at| at + 1);
    let name = name.get(start..).unwrap_or("");
    name.split('@').next().unwrap_or("")
}

impl Runner {
    /// The index of the program among the arguments.
    fn program_at(&self, args: &[Arg]) -> Option<usize> {
        let (mut at, mut has_verb) = (0, false);
        while let Some(arg) = args.get(at) {
            let text = arg.text.as_str();
            if text == "--" {
                at += 1;
            } else if text.starts_with('-') && text.len() > 1 {
                let pair = &args[at..args.len().min(at + 2)];
                at += if flags(pair, self.valued).values.is_empty() { 1 } else { 2 };
            } else if !has_verb && self.verbs.contains(&text) {
                has_verb = true;
                at += 1;
            } else if !has_verb && text == "workspace" {
                at += 2;
            } else {
                let is_own = !has_verb && !self.verbs.is_empty() && OWN_VERBS.contains(&text);
                return ((self.is_bare || has_verb) && !is_own).then_some(at);
            }
        }
        None
    }
}

impl Walker<'_> {
    /// Runs the program that a package runner starts, where something is known of it. Running a fetched tool is the purpose of
    /// these programs.
    pub fn run_package(&mut self, call: &Call, io: &Io) -> Option<String> {
        let at = runner(&call.name)?.program_at(&call.args)?;
        let package = call.args[at].known_text()?;
        let name = program_of(&package);
        let is_file = call.name == "deno" && !package.starts_with("npm:") || package.starts_with('.');
        let is_known = self.is_program(name) || is_interpreter(name) || OTHERS.contains(&name);
        if is_file || !is_known || name.is_empty() {
            return None;
        }
        let mut args = call.args.clone();
        args[at].text = name.to_string();
        Some(self.run_operands(&Call { args, ..call.clone() }, at, io))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_stands_behind_options_verbs_and_versions() {
        for (line, want) in [
            ("npx --yes prisma@latest migrate", Some("prisma")),
            ("npx -p prisma@5 prisma migrate", Some("prisma")),
            ("npm exec --package=prisma -- prisma x", Some("prisma")),
            ("npm install rm", None),
            ("pnpm dlx @scope/cdk@2 destroy", Some("cdk")),
            ("pnpm --filter web prisma migrate", Some("prisma")),
            ("pnpm rm left-pad", None),
            ("yarn workspace web prisma migrate", Some("prisma")),
            ("bun x prisma", Some("prisma")),
            ("uvx --from x alembic@1.13 downgrade", Some("alembic")),
            ("pipx run --spec x==1 alembic==1.13", Some("alembic")),
            ("deno run -A npm:prisma@5 migrate", Some("prisma")),
        ] {
            let mut words = line.split(' ');
            let name = words.next().unwrap();
            let args: Vec<Arg> = words.map(|word| Arg::new(word, Default::default())).collect();
            let at = runner(name).unwrap().program_at(&args);
            assert_eq!(at.map(|at| program_of(&args[at].text)), want, "{line}");
        }
    }
}
