//! Commands that certainly change no file and leave no process: literal calls of a few programs, joined by pipes, `&&`, `||` and `;`.
//!
//! The rules deny what is known to be harmful. This is the opposite: what is not known to be harmless counts as a write.

use crate::shell::{self, Direction, Node, PIECES, Part, Redirect, Simple, Word};

/// The longest command that is read, in bytes.
const LIMIT: usize = 4096;

/// Programs that only read, whatever their arguments are.
const READERS: [&str; 31] = [
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "grep",
    "egrep",
    "fgrep",
    "pwd",
    "cd",
    "echo",
    "true",
    "false",
    "stat",
    "du",
    "df",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "cut",
    "tr",
    "nl",
    "tac",
    "rev",
    "cmp",
    "diff",
    "sha256sum",
    "whoami",
    "uname",
    "which",
];

/// Whether a command certainly changes no file and leaves no process.
pub fn is_read_only(text: &str) -> bool {
    if text.len() > LIMIT || text.bytes().any(|byte| byte.is_ascii_control() && !matches!(byte, b'\n' | b'\t')) {
        return false;
    }
    let tree = shell::read(text, None);
    !tree.nodes.is_empty()
        && tree.error.is_none()
        && !tree.too_deep
        && tree.pieces < PIECES
        && tree.nodes.iter().all(is_node_read_only)
}

fn is_node_read_only(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => is_call_read_only(simple),
        Node::Pipeline(nodes) | Node::AndOr(nodes) => nodes.iter().all(is_node_read_only),
        Node::Background(_) | Node::Compound(_) => false,
    }
}

fn is_call_read_only(simple: &Simple) -> bool {
    let words: Option<Vec<Argument>> = simple.words.iter().map(Argument::of).collect();
    let Some((program, args)) = words.as_deref().and_then(<[Argument]>::split_first) else { return false };
    simple.assigns.is_empty() && simple.redirects.iter().all(is_redirect_read_only) && reads(program, args)
}

/// A word without expansions.
struct Argument {
    text: String,
    /// It may become other words: a wildcard, a brace or a tilde in it is not quoted.
    is_pattern: bool,
}

impl Argument {
    /// The argument; None if the shell computes it.
    fn of(word: &Word) -> Option<Argument> {
        let mut argument = Argument { text: String::new(), is_pattern: false };
        for part in &word.parts {
            let Part::Text { text, quoted } = part else { return None };
            // In zsh a pattern with parentheses may run code.
            if !quoted && text.contains(['(', ')']) {
                return None;
            }
            argument.text.push_str(text);
            argument.is_pattern |= !quoted && text.contains(['*', '?', '[', '{', '~']);
        }
        Some(argument)
    }

    fn is_option(&self) -> bool {
        self.text.starts_with('-')
    }
}

/// A file that is only read, a copy of a descriptor, or output that is dropped.
fn is_redirect_read_only(redirect: &Redirect) -> bool {
    let Some(target) = Argument::of(&redirect.target).filter(|target| !target.is_pattern) else { return false };
    match redirect.direction {
        Direction::Read => !target.text.starts_with("/dev/") || target.text == "/dev/null",
        Direction::Write | Direction::Append => target.text == "/dev/null",
        Direction::Copy => matches!(target.text.as_str(), "0" | "1" | "2"),
        Direction::Both | Direction::Heredoc | Direction::Herestring => false,
    }
}

/// Whether a program only reads with these arguments. A file name that a wildcard finds may look like an option.
fn reads(program: &Argument, args: &[Argument]) -> bool {
    if program.is_pattern {
        return false;
    }
    let is_literal = || args.iter().all(|arg| !arg.is_pattern);
    let has = |prefixes: &[&str]| args.iter().any(|arg| prefixes.iter().any(|prefix| arg.text.starts_with(prefix)));
    let has_only =
        |letters: &str| args.iter().all(|arg| arg.is_option() && arg.text[1..].chars().all(|c| letters.contains(c)));
    match program.text.as_str() {
        "find" => is_literal() && !has(&["-exec", "-ok", "-delete", "-fprint", "-fls", "-files0"]),
        "rg" => {
            let short = |arg: &Argument| arg.is_option() && !arg.text.starts_with("--") && arg.text.contains('z');
            is_literal() && !has(&["--pre", "--hostname-bin", "--search-zip"]) && !args.iter().any(short)
        }
        // With operands or other options they may write a file.
        "sort" => is_literal() && has_only("bdfghinruMV-k,.0123456789"),
        "uniq" => is_literal() && has_only("cdiu"),
        "sed" => is_literal() && prints_lines(args),
        name => READERS.contains(&name),
    }
}

/// Whether the arguments of sed only print lines: `-n`, then `N`, `N,M` or `N,$` with `p`, then files.
fn prints_lines(args: &[Argument]) -> bool {
    let [quiet, script, files @ ..] = args else { return false };
    let is_line = |text: &str| !text.is_empty() && (text == "$" || text.bytes().all(|byte| byte.is_ascii_digit()));
    let lines = script.text.strip_suffix('p').filter(|lines| lines.split(',').count() <= 2);
    quiet.text == "-n"
        && lines.is_some_and(|lines| lines.split(',').all(is_line))
        && !files.iter().any(Argument::is_option)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_only_only_if_every_part_of_it_certainly_is() {
        for command in [
            "ls -la",
            "cat src/*.rs | head -20",
            "cd /work && grep -rn 'fn main' . 2>/dev/null | sort -u | uniq -c | sort -rn -k1,2",
            "find . -name '*.rs' -newer x; wc -l < a.txt",
            "sed -n '10,20p' a b; sed -n 5,\\$p a",
            "rg -n pattern src 2>&1",
            "\"ls\"",
        ] {
            assert!(is_read_only(command), "{command}");
        }
        for command in [
            "",
            "> a",
            "ls > a",
            "ls >> a",
            "cat <> a",
            "cat >&a",
            "cat < /dev/tcp/localhost/1",
            "X=1 ls",
            "/tmp/ls",
            "./cat a",
            "ls &",
            "ls $(rm a)",
            "ls `rm a`",
            "cat <(rm a)",
            "cat \"$X\"",
            "$X a",
            "l? a",
            "(ls)",
            "{ ls; }",
            "ls() { rm a; }; ls",
            "alias ls=rm; ls",
            "if true; then ls; fi",
            "eval ls",
            "sort -o a b",
            "sort a",
            "uniq a b",
            "sort -bo",
            "find . -delete",
            "find . -exec rm {} +",
            "find . -fprintf a x",
            "find *",
            "rg *",
            "rg --pre=./x y",
            "rg -zl y",
            "sed -i s/a/b/ a",
            "sed -n 'w a' b",
            "sed -n '1,2w a' b",
            "sed -n 1p a -i",
            "sed -n 1p *",
            "tee a",
            "git log",
            "git status",
            "python3 -c 1",
            "xargs ls",
            "env ls",
            "command ls",
            "ls *(e:rm:)",
            "ls !(a)",
            "ls; make",
            "ls\u{1}",
            "cat <<E\n$(rm a)\nE",
            "ls 'open",
        ] {
            assert!(!is_read_only(command), "{command}");
        }
        assert!(!is_read_only(&format!("ls {}", "x".repeat(LIMIT))));
    }
}
