//! A reviewer only reads: the tools and the commands that it may use.

use crate::command::{Call, flags, marks};
use crate::judge::{Refusal, command_line};

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

/// Subcommands of git that change nothing.
const GIT_VERBS: [&str; 14] = [
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

/// Programs of the gate, with their verbs that only show; none listed means all.
const GATE_PROGRAMS: [(&str, &[&str]); 5] = [
    ("rg-review-state", &["show", "context", "request", "list", "verify"]),
    ("rg-receipt", &["show", "list", "verify"]),
    ("rg-trace", &["list", "show"]),
    ("rg-guard", &["explain", "test"]),
    ("rg-ask", &[]),
];

fn denial(what: &str) -> Refusal {
    let reason = format!("a reviewer may only read, and {what} may do more");
    Refusal::new("reviewer-read-only", reason, "read with `git diff`, `git log`, `grep` or `cat`")
}

/// Denies a tool that does more than read. A shell is allowed: its commands are judged one by one.
pub fn judge_tool(name: &str, is_shell: bool) -> Option<Refusal> {
    if is_shell || TOOLS.contains(&name) { None } else { Some(denial(name)) }
}

/// Denies a command that does more than read.
pub fn judge_command(call: &Call) -> Option<Refusal> {
    let is_stream = |path: &str| matches!(path, "/dev/null" | "/dev/stderr" | "/dev/stdout");
    let sets_nothing = call.writes.iter().all(|write| is_stream(&write.path))
        && call.assigns.iter().all(|(name, value)| value.is_empty() && !name.starts_with("git:"));
    if sets_nothing && (call.name.is_empty() || only_reads(call)) {
        None
    } else {
        Some(denial(&format!("`{}`", command_line(call))))
    }
}

fn only_reads(call: &Call) -> bool {
    let name = call.name.as_str();
    let words: Vec<String> = call.args.iter().map(|arg| marks::literal(&arg.text)).collect();
    let has_none = |bad: &[&str]| {
        !words.iter().any(|word| bad.iter().any(|bad| word == bad || word.starts_with(&format!("{bad}="))))
    };
    // A program with a known name in another directory is another program.
    let is_installed = !call.path.contains('/')
        || ["/bin/", "/usr/bin/", "/usr/local/bin/"].iter().any(|dir| call.path == format!("{dir}{name}"));
    if let Some((_, verbs)) = GATE_PROGRAMS.iter().find(|(known, _)| *known == name) {
        return verbs.is_empty() || words.first().is_some_and(|word| verbs.contains(&word.as_str()));
    }
    is_installed
        && match name {
            "git" => {
                let is_plain = !words.iter().any(|word| {
                    word.starts_with("--outp")
                        || word.starts_with("--ext-d")
                        || word.starts_with("--textc")
                        || word.starts_with("-O")
                        || word.starts_with("--open")
                });
                let verb = words.first().map_or("", String::as_str);
                GIT_VERBS.contains(&verb) && is_plain
                    || verb == "branch"
                        && words.len() < 3
                        && has_none(&["-d", "-D", "-m", "-M", "-f"])
                        && words.iter().skip(1).all(|word| word.starts_with('-'))
            }
            "rg" => has_none(&["--pre", "--pre-glob", "--hostname-bin"]),
            "find" | "gfind" => !words
                .iter()
                .any(|word| ["-exec", "-ok", "-delete", "-fprint", "-fls"].iter().any(|bad| word.starts_with(bad))),
            "sort" => !words
                .iter()
                .any(|word| word.starts_with("-o") || word.starts_with("--out") || word.starts_with("--comp")),
            "sed" => {
                let options = flags(&call.args, "-e --expression -f");
                let scripts =
                    options.values.iter().map(|(_, arg)| arg.text.clone()).chain(
                        options.operands.first().map(|arg| arg.text.clone()).filter(|_| options.values.is_empty()),
                    );
                let silent =
                    options.options.iter().all(|option| matches!(*option, "-n" | "-E" | "-r" | "-ne" | "-nE" | "-e"));
                silent && options.has("-n") && scripts.into_iter().all(|script| prints(&script))
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
    use crate::judge::judge_each;
    use crate::rules::Context;

    #[test]
    fn a_reviewer_looks_and_does_nothing_else() {
        let refused = |command: &str| {
            let mut refusal = None;
            let project = std::path::PathBuf::from("/home/dev/proj");
            let context = Context::with(project.clone(), "/home/dev".into(), project);
            let by_rule = judge_each(command, &context, &Default::default(), &mut |call| {
                refusal = refusal.take().or(judge_command(call))
            });
            refusal.or(by_rule).is_some()
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
