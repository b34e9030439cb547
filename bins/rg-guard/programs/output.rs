//! Output: what a program prints, as far as that is known without running it.

use super::output_filters::{self, decoded, filtered, narrowed, pasted, substituted};
use crate::command::guarded_programs::{Match, mentions, selects};
use crate::command::marks::ENVIRONMENT;
use crate::command::marks::{self, ALL, DECODED, EACH, FETCHED, PRINTED, SETUP, SOME};
use crate::command::{CLIENT_PID, Call, flags};
use crate::shell::decode;
use crate::walk::Scope;

/// Programs that download.
const FETCHERS: [&str; 16] = [
    "curl",
    "wget",
    "fetch",
    "http",
    "https",
    "xh",
    "aria2c",
    "lynx",
    "w3m",
    "httpie",
    "curlie",
    "wget2",
    "iwr",
    "irm",
    "Invoke-WebRequest",
    "Invoke-RestMethod",
];

/// Programs that print shell code for `eval`, with these arguments.
const SETUPS: [(&str, &[&str]); 40] = [
    ("ssh-agent", &[]),
    ("direnv", &["hook", "export"]),
    ("brew", &["shellenv"]),
    ("pyenv", &["init", "virtualenv-init"]),
    ("rbenv", &["init"]),
    ("nodenv", &["init"]),
    ("goenv", &["init"]),
    ("jenv", &["init"]),
    ("plenv", &["init"]),
    ("conda", &["shell.bash", "shell.zsh", "shell.posix"]),
    ("mamba", &["shell"]),
    ("starship", &["init"]),
    ("zoxide", &["init"]),
    ("atuin", &["init"]),
    ("mise", &["activate", "env", "hook-env"]),
    ("rtx", &["activate"]),
    ("fnm", &["env"]),
    ("volta", &["completions"]),
    ("dircolors", &[]),
    ("docker-machine", &["env"]),
    ("minikube", &["docker-env", "completion"]),
    ("opam", &["env"]),
    ("keychain", &[]),
    ("luarocks", &["path"]),
    ("register-python-argcomplete", &[]),
    ("thefuck", &[]),
    ("gh", &["completion"]),
    ("kubectl", &["completion"]),
    ("helm", &["completion"]),
    ("rustup", &["completions"]),
    ("pip", &["completion"]),
    ("npm", &["completion"]),
    ("fzf", &["--bash", "--zsh"]),
    ("hub", &["alias"]),
    ("resize", &[]),
    ("lesspipe", &[]),
    ("perl", &["-Mlocal::lib", "-I"]),
    ("gpg-agent", &[]),
    ("devbox", &["shellenv", "global"]),
    ("stack", &["--bash-completion-script"]),
];

/// Whether a program downloads.
pub fn fetches(name: &str) -> bool {
    FETCHERS.contains(&name)
}

/// What a call prints on standard output.
pub fn printed_by(call: &Call, scope: &Scope) -> String {
    let args = &call.args;
    let input = || call.input.as_deref().unwrap_or("").to_string();
    let name = call.name.as_str();
    match name {
        "echo" => echo(call),
        "printf" => printf(call),
        "print" => join(args.iter().map(|arg| &arg.text).filter(|text| !text.starts_with('-'))),
        "cat" | "gcat" | "bat" | "tee" | "sponge" | "cstream" => {
            let files = flags(args, "");
            match files.operands.as_slice() {
                _ if matches!(name, "tee" | "sponge") => input(),
                [] => input(),
                files => files
                    .iter()
                    .map(|arg| if arg.text == "-" { input() } else { scope.contents_or_mark(&arg.text) })
                    .collect(),
            }
        }
        // `ps -o ppid=` prints the parent, `pgrep claude` the client.
        "ps" if args.iter().any(|arg| arg.text.split([',', '=']).any(|field| field == "ppid")) => {
            CLIENT_PID.to_string()
        }
        "pgrep" | "pidof" | "ps" | "lsof" if names_guarded(call) => CLIENT_PID.to_string(),
        "printenv" | "env" if args.is_empty() && call.input.is_none() => ENVIRONMENT.to_string(),
        // `ps` lists all processes; what a filter leaves is a selection.
        "ps" => format!("{}{ALL}", marks::PROCESSES),
        "pwd" => scope.cwd.clone(),
        "yes" if args.is_empty() => "y\n".to_string(),
        "yes" => join(args.iter().map(|arg| &arg.text)),
        "docker" | "podman" | "nerdctl"
            if args.first().is_some_and(|arg| matches!(arg.text.as_str(), "create" | "run")) =>
        {
            SOME.to_string()
        }
        // A filter by a name selects one's own containers.
        "docker" | "podman" | "nerdctl" if selects_containers(call) => SOME.to_string(),
        "jq" if args.iter().any(|arg| arg.text.contains("@base64d")) => DECODED.to_string(),
        "rg" if args.iter().any(|arg| arg.text == "--files") => {
            let selects =
                args.iter().any(|arg| !matches!(arg.text.as_str(), "--files" | "--hidden" | "-0" | "--null" | "-uu"));
            if selects { EACH.to_string() } else { ALL.to_string() }
        }
        "paste" => pasted(call, scope),
        "mktemp" => {
            let options = flags(args, "-p --tmpdir --suffix -t");
            let dir = options.value("-p").unwrap_or_else(|| "/tmp".to_string());
            match options.operands.first() {
                Some(template) if options.any(&["-t"]) => format!("/tmp/{}{SOME}", template.text),
                Some(template) => template.text.clone(),
                None => format!("{dir}/tmp.{SOME}"),
            }
        }
        "dirname" => {
            last_operand(call).map_or(PRINTED.to_string(), |text| match text.trim_end_matches('/').rsplit_once('/') {
                Some(("", _)) => "/".to_string(),
                Some((dir, _)) => dir.to_string(),
                None => ".".to_string(),
            })
        }
        "basename" => args.first().map_or(PRINTED.to_string(), |arg| {
            arg.text.trim_end_matches('/').rsplit('/').next().unwrap_or("").to_string()
        }),
        "realpath" | "readlink" | "cygpath" => {
            last_operand(call).map_or(PRINTED.to_string(), |text| crate::command::path::join(&call.cwd, &text))
        }
        "which" | "command" | "type" | "whence" => {
            last_operand(call).map_or(PRINTED.to_string(), |text| format!("/usr/bin/{text}"))
        }
        "ls" | "dir" | "gls" | "eza" | "exa" => listed(call),
        "find" | "gfind" | "fd" | "fdfind" => found(call),
        "git" => git(call),
        "rev" => marks::known_text(&input()).map_or(DECODED.to_string(), |text| {
            text.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect()
        }),
        "base64" | "gbase64" | "base32" | "xxd" | "basenc" | "uudecode" | "openssl" | "hexdump" | "gunzip" | "zcat"
        | "gzip" | "bunzip2" | "bzcat" | "xzcat" | "unxz" | "xz" | "zstd" | "zstdcat" | "brotli" | "gpg" | "age" => {
            decoded(call, &input(), scope)
        }
        "tr" => {
            let sets = flags(args, "");
            let (from, to) = (sets.operand(0), sets.operand(1));
            let text = input();
            match marks::known_text(&text) {
                Some(text) if sets.options.is_empty() && !to.is_empty() => {
                    decode::translate(&text, &marks::literal(from), &marks::literal(to)).unwrap_or(DECODED.to_string())
                }
                Some(text) if sets.has("-d") => text.chars().filter(|c| !marks::literal(from).contains(*c)).collect(),
                Some(text) => text,
                None => narrowed(&text),
            }
        }
        "sed"
            if call.input.is_some() && !call.input.as_deref().is_some_and(|text| text.contains(marks::is_unknown)) =>
        {
            substituted(call, &input())
        }
        name if fetches(name) => FETCHED.to_string(),
        name if output_filters::is_filter(name) => filtered(call, &input(), scope),
        name => match SETUPS.iter().find(|(known, _)| *known == name) {
            Some((_, words))
                if words.is_empty() || args.iter().any(|arg| words.iter().any(|word| arg.text.starts_with(word))) =>
            {
                SETUP.to_string()
            }
            _ if args.iter().any(|arg| {
                let word = arg.text.trim_start_matches('-');
                matches!(
                    word,
                    "completion" | "completions" | "shellenv" | "shell-init" | "hook-env" | "generate-shell-completion"
                )
            }) || call
                .assigns
                .iter()
                .any(|(name, value)| name.ends_with("_COMPLETE") && value.ends_with("source")) =>
            {
                SETUP.to_string()
            }
            // Downloaded input may be printed again.
            _ if input().contains(FETCHED) => FETCHED.to_string(),
            _ => PRINTED.to_string(),
        },
    }
}

/// Whether a list of processes is that of a client or of a program of the gate: `pgrep rg-check`, `ps -C claude`.
fn names_guarded(call: &Call) -> bool {
    let found = flags(&call.args, "-d -F -g -G -P -s -t -u -U -C -c -p -o --signal --delimiter");
    match call.name.as_str() {
        "pgrep" => {
            let how = Match::of(found.any(&["-x", "--exact"]), found.any(&["-f", "--full"]));
            found.operands.iter().any(|arg| selects(&marks::literal(&arg.text), how))
        }
        "pidof" => found.operands.iter().any(|arg| mentions(&arg.text)),
        "ps" => found.value("-C").is_some_and(|names| mentions(&names)),
        _ => flags(&call.args, "-c").value("-c").is_some_and(|name| mentions(&name)),
    }
}

/// Whether a list of containers or images is filtered by a name, a label or an image.
fn selects_containers(call: &Call) -> bool {
    let lists = call.args.iter().any(|arg| matches!(arg.text.as_str(), "ps" | "ls" | "images" | "list"));
    let names = ["name=", "label=", "ancestor=", "reference=", "id="];
    let is_filter = |text: &str| {
        let text = text.trim_start_matches("--filter=");
        names.iter().any(|name| text.strip_prefix(name).is_some_and(|value| value.len() > 1 && !value.contains('*')))
    };
    lists && call.args.iter().any(|arg| is_filter(&arg.text))
}

fn join<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    texts.map(|text| marks::expand_wildcards(text)).collect::<Vec<_>>().join(" ") + "\n"
}

fn last_operand(call: &Call) -> Option<String> {
    call.args.last().map(|arg| arg.text.clone())
}

fn echo(call: &Call) -> String {
    let is_option =
        |text: &str| text.len() > 1 && text.starts_with('-') && text[1..].chars().all(|c| "neE".contains(c));
    let options: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).take_while(|text| is_option(text)).collect();
    // A wildcard that is echoed becomes names.
    let text = join(call.args.iter().skip(options.len()).map(|arg| &arg.text));
    // Some shells unescape without `-e`.
    if text.contains('\\')
        && (options.iter().any(|option| option.contains('e')) || text.contains("\\x") || text.contains("\\0"))
    {
        decode::unescape(&text)
    } else {
        text
    }
}

fn printf(call: &Call) -> String {
    let mut args = call.args.iter().map(|arg| marks::expand_wildcards(&arg.text)).filter(|text| text != "--");
    let format = lines_of_names(&args.next().unwrap_or_default());
    let mut rest: std::collections::VecDeque<String> = args.collect();
    let mut out = String::new();
    loop {
        let before = rest.len();
        let mut chars = format.chars().peekable();
        let mut piece = String::new();
        while let Some(c) = chars.next() {
            if c != '%' {
                piece.push(c);
                continue;
            }
            let mut kind = chars.next();
            while kind.is_some_and(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | '+' | ' ' | '#' | '*')) {
                kind = chars.next();
            }
            match kind {
                Some('%') => piece.push('%'),
                Some('b') => piece.push_str(&decode::unescape(&rest.pop_front().unwrap_or_default())),
                Some(_) => piece.push_str(&rest.pop_front().unwrap_or_default().replace('\\', "\\\\")),
                None => {}
            }
        }
        out.push_str(&decode::unescape(&piece));
        // printf repeats its format while arguments are left.
        if rest.is_empty() || rest.len() == before || out.len() > 1 << 16 {
            return out;
        }
    }
}

/// The names that `ls` prints.
fn listed(call: &Call) -> String {
    let operands = flags(&call.args, "-I -w -T --ignore --width").operands;
    if operands.is_empty() {
        return ALL.to_string();
    }
    let name = |text: &str| match text {
        "." | "./" => ALL.to_string(),
        text if text.contains(marks::is_wildcard) => marks::expand_wildcards(text),
        _ => EACH.to_string(),
    };
    operands.iter().map(|arg| name(&arg.text) + "\n").collect()
}

/// A format that ends its names with a line end in place of NUL.
fn lines_of_names(format: &str) -> String {
    ["%s", "%b", "%p", "%P", "%f"]
        .iter()
        .fold(format.to_string(), |format, sign| format.replace(&format!("{sign}\\0"), &format!("{sign}\\n")))
}

/// What `find` prints: names, or the result of `-printf`.
fn found(call: &Call) -> String {
    let search = crate::command::search(call);
    if let Some(at) = call.args.iter().position(|arg| arg.text == "-printf") {
        let mark = if search.is_selective { EACH } else { ALL };
        let format = call.args.get(at + 1).map(|arg| lines_of_names(&marks::literal(&arg.text))).unwrap_or_default();
        let format = decode::unescape(&format).replace("%P", "%f").replace("%f", &mark.to_string());
        let line = |place: &String| format.replace("%p", &format!("{}/{mark}", place.trim_end_matches('/')));
        return search.places.iter().map(line).collect();
    }
    // A name is certain only without alternatives and without a pattern.
    let is_one = !call.args.iter().any(|arg| matches!(arg.text.as_str(), "-o" | "-or" | ","));
    let name = search.name.as_ref().filter(|name| is_one && search.is_selective && !name.contains(['*', '?', '[']));
    if let Some(name) = name {
        return search.places.iter().map(|place| format!("{}/{name}\n", place.trim_end_matches('/'))).collect();
    }
    let mark = if search.is_selective { EACH } else { ALL };
    search.places.iter().map(|place| format!("{}/{mark}\n", place.trim_end_matches('/'))).collect()
}

fn git(call: &Call) -> String {
    let words: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
    match words.as_slice() {
        ["rev-parse", "--show-toplevel", ..] => marks::TOP.to_string(),
        ["rev-parse", "--git-dir" | "--git-common-dir" | "--absolute-git-dir", ..] => ".git".to_string(),
        ["ls-files", rest @ ..] => {
            let selects = rest.iter().any(|word| !word.starts_with('-') || matches!(*word, "-d" | "--deleted"));
            if selects { EACH.to_string() } else { ALL.to_string() }
        }
        _ => PRINTED.to_string(),
    }
}
