//! A reviewer only looks: the tools and the commands that it may use.

use crate::run::{Call, flags, marks};
use crate::verdict::{self, Finding};

/// Tools that change nothing.
const TOOLS: [&str; 14] = [
    "Read",
    "Grep",
    "Glob",
    "LS",
    "NotebookRead",
    "TodoRead",
    "TodoWrite",
    "BashOutput",
    "TaskOutput",
    "ToolSearch",
    "StructuredOutput",
    "read_file",
    "list_directory",
    "update_plan",
];

/// Programs that change nothing, whatever their arguments.
const PROGRAMS: [&str; 42] = [
    "cat",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "ls",
    "wc",
    "pwd",
    "cd",
    "echo",
    "printf",
    "true",
    "false",
    "test",
    "[",
    ":",
    "stat",
    "file",
    "diff",
    "cmp",
    "comm",
    "cut",
    "tr",
    "uniq",
    "nl",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "tree",
    "du",
    "column",
    "jq",
    "strings",
    "od",
    "sha256sum",
    "md5sum",
    "which",
    "type",
    "date",
    "tac",
];

/// Verbs of git that change nothing.
const VERBS: [&str; 14] = [
    "diff",
    "log",
    "show",
    "status",
    "blame",
    "ls-files",
    "grep",
    "rev-parse",
    "rev-list",
    "ls-tree",
    "cat-file",
    "describe",
    "merge-base",
    "shortlog",
];

/// Our own programs, with the verbs that only show.
const OURS: [(&str, &[&str]); 5] = [
    ("rg-review-state", &["show", "context", "packet", "list", "verify"]),
    ("rg-receipt", &["show", "list", "verify"]),
    ("rg-trace", &["list", "show"]),
    ("rg-guard", &["explain", "test"]),
    ("rg-ask", &[]),
];

fn denied(what: &str) -> Finding {
    let reason = format!("a reviewer only looks, and {what} may do more");
    Finding::of_text("reviewer-read-only", reason, "`git diff`, `git log`, `grep` and `cat` show what there is")
}

/// Whether a reviewer may use a tool at all.
pub fn tool(name: &str, runs: bool) -> Option<Finding> {
    if runs || TOOLS.contains(&name) { None } else { Some(denied(name)) }
}

/// Whether a reviewer may run a command.
pub fn call(call: &Call) -> Option<Finding> {
    let harmless = |path: &str| matches!(path, "/dev/null" | "/dev/stderr" | "/dev/stdout");
    let quiet = call.writes.iter().all(|write| harmless(&write.path))
        && call.assigns.iter().all(|(name, value)| value.is_empty() && !name.starts_with("git:"));
    if quiet && (call.name.is_empty() || only_looks(call)) {
        None
    } else {
        Some(denied(&format!("`{}`", verdict::shown(call))))
    }
}

fn only_looks(call: &Call) -> bool {
    let name = call.name.as_str();
    let words: Vec<String> = call.args.iter().map(|arg| marks::plain(&arg.text)).collect();
    let none = |bad: &[&str]| {
        !words.iter().any(|word| bad.iter().any(|bad| word == bad || word.starts_with(&format!("{bad}="))))
    };
    // A program of that name elsewhere is another one.
    let usual = !call.path.contains('/')
        || ["/bin/", "/usr/bin/", "/usr/local/bin/"].iter().any(|dir| call.path == format!("{dir}{name}"));
    if let Some((_, verbs)) = OURS.iter().find(|(known, _)| *known == name) {
        return verbs.is_empty() || words.first().is_some_and(|word| verbs.contains(&word.as_str()));
    }
    usual
        && match name {
            "git" => {
                let options = !words.iter().any(|word| {
                    word.starts_with("--outp")
                        || word.starts_with("--ext-d")
                        || word.starts_with("--textc")
                        || word.starts_with("-O")
                        || word.starts_with("--open")
                });
                let verb = words.first().map_or("", String::as_str);
                VERBS.contains(&verb) && options
                    || verb == "branch"
                        && words.len() < 3
                        && none(&["-d", "-D", "-m", "-M", "-f"])
                        && words.iter().skip(1).all(|word| word.starts_with('-'))
            }
            "rg" => none(&["--pre", "--pre-glob", "--hostname-bin"]),
            "find" | "gfind" => !words
                .iter()
                .any(|word| ["-exec", "-ok", "-delete", "-fprint", "-fls"].iter().any(|bad| word.starts_with(bad))),
            "sort" => !words
                .iter()
                .any(|word| word.starts_with("-o") || word.starts_with("--out") || word.starts_with("--comp")),
            "sed" => {
                let found = flags(&call.args, "-e --expression -f");
                let scripts = found
                    .values
                    .iter()
                    .map(|(_, arg)| arg.text.clone())
                    .chain(found.operands.first().map(|arg| arg.text.clone()).filter(|_| found.values.is_empty()));
                let silent =
                    found.options.iter().all(|option| matches!(*option, "-n" | "-E" | "-r" | "-ne" | "-nE" | "-e"));
                silent && found.has("-n") && scripts.into_iter().all(|script| prints(&script))
            }
            name => PROGRAMS.contains(&name),
        }
}

/// A sed script that only prints: `1,20p`, `/word/p`, `$p`.
fn prints(script: &str) -> bool {
    let mut rest = script.trim();
    if let Some(after) = rest.strip_prefix('/') {
        let Some((_, tail)) = after.split_once('/') else { return false };
        rest = tail;
    }
    rest.ends_with(['p', '=', 'q'])
        && rest.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '$' | 'p' | '=' | 'q' | ';' | ' ' | '+' | '~'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;
    use crate::world::World;

    #[test]
    fn a_reviewer_looks_and_does_nothing_else() {
        let refused = |command: &str| {
            let mut found = None;
            let project = std::path::PathBuf::from("/home/dev/proj");
            let world = World::with(project.clone(), "/home/dev".into(), project);
            let ruled = verdict::judge_showing(command, &world, &Policy::default(), &mut |one| {
                found = found.take().or(call(one))
            });
            found.or(ruled).is_some()
        };
        for command in [
            "git diff HEAD~1 -- src",
            "git log -p | head -50",
            "cd src && grep -rn x . 2>/dev/null",
            "find . -name '*.rs' | wc -l",
            "sed -n '1,20p' a.rs",
            "rg-review-state show",
            "git show HEAD:src/a.rs",
            "cat a b",
            "sort a | uniq -c",
            "sed -n /x/p a",
        ] {
            assert!(!refused(command), "{command}");
        }
        for command in [
            "echo x > a",
            "touch a",
            "find . -delete",
            "find . -exec cat {} +",
            "sed -i s/a/b/ a",
            "sed -n 'w x' a",
            "sed s/a/b/w a",
            "git commit -am x",
            "git diff --output=x",
            "git -c core.pager=x log",
            "sort -o a a",
            "sh -c 'cat a'",
            "xargs cat",
            "env cat a",
            "python3 -c 1",
            "rg --pre sh x",
            "tee a",
            "GIT_PAGER=x git log",
            "rg-review-state approve",
            "git branch -D x",
            "./cat a",
            "make",
            "awk 1 a",
            "cat a >> b",
        ] {
            assert!(refused(command), "{command}");
        }
    }
}
