//! What commands print, as far as it can be known without running them.

use super::arguments::flags;
use super::call::Call;
use super::marks::{self, ALL, DECODED, EACH, FETCHED, FILE, PRINTED, SETUP, SOME};
use super::walk::Walker;
use crate::decode;

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

/// Programs that pass on what comes in, or a part of it.
const FILTERS: [&str; 26] = [
    "grep", "egrep", "fgrep", "rg", "head", "tail", "sort", "uniq", "sed", "awk", "gawk", "cut", "tac", "shuf", "nl",
    "fold", "paste", "column", "iconv", "dos2unix", "expand", "envsubst", "jq", "yq", "strings", "pv",
];

/// Programs that print what a shell is meant to run: with these words.
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

/// What `call` prints on standard output.
pub fn of(call: &Call, walker: &Walker<'_>) -> String {
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
                files => {
                    files.iter().map(|arg| if arg.text == "-" { input() } else { held(walker, &arg.text) }).collect()
                }
            }
        }
        // Everything that runs; what is picked out of it is some of it.
        "ps" => ALL.to_string(),
        "pwd" => walker.scope.cwd.clone(),
        "yes" if args.is_empty() => "y\n".to_string(),
        "yes" => join(args.iter().map(|arg| &arg.text)),
        "docker" | "podman" | "nerdctl"
            if args.first().is_some_and(|arg| matches!(arg.text.as_str(), "create" | "run")) =>
        {
            SOME.to_string()
        }
        "jq" if args.iter().any(|arg| arg.text.contains("@base64d")) => DECODED.to_string(),
        "rg" if args.iter().any(|arg| arg.text == "--files") => {
            let selects =
                args.iter().any(|arg| !matches!(arg.text.as_str(), "--files" | "--hidden" | "-0" | "--null" | "-uu"));
            if selects { EACH.to_string() } else { ALL.to_string() }
        }
        "paste" => pasted(call, walker),
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
            last_operand(call).map_or(PRINTED.to_string(), |text| super::place::join(&call.cwd, &text))
        }
        "which" | "command" | "type" | "whence" => {
            last_operand(call).map_or(PRINTED.to_string(), |text| format!("/usr/bin/{text}"))
        }
        "ls" | "dir" | "gls" | "eza" | "exa" => listed(call),
        "find" | "gfind" | "fd" | "fdfind" => found(call),
        "git" => git(call),
        "rev" => marks::written(&input()).map_or(DECODED.to_string(), |text| {
            text.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect()
        }),
        "base64" | "gbase64" | "base32" | "xxd" | "basenc" | "uudecode" | "openssl" | "hexdump" | "gunzip" | "zcat"
        | "gzip" | "bunzip2" | "bzcat" | "xzcat" | "unxz" | "xz" | "zstd" | "zstdcat" | "brotli" | "gpg" | "age" => {
            decoded(call, &input(), walker)
        }
        "tr" => {
            let sets = flags(args, "");
            let (from, to) = (sets.operand(0), sets.operand(1));
            let text = input();
            match marks::written(&text) {
                Some(text) if sets.options.is_empty() && !to.is_empty() => {
                    decode::translate(&text, &marks::plain(from), &marks::plain(to)).unwrap_or(DECODED.to_string())
                }
                Some(text) if sets.has("-d") => text.chars().filter(|c| !marks::plain(from).contains(*c)).collect(),
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
        name if FILTERS.contains(&name) => filtered(call, &input(), walker),
        name => match SETUPS.iter().find(|(known, _)| *known == name) {
            Some((_, words))
                if words.is_empty() || args.iter().any(|arg| words.iter().any(|word| arg.text.starts_with(word))) =>
            {
                SETUP.to_string()
            }
            _ if args.iter().any(|arg| {
                matches!(arg.text.as_str(), "completion" | "completions" | "shellenv" | "shell-init" | "hook-env")
            }) =>
            {
                SETUP.to_string()
            }
            // What went in may well come out.
            _ if input().contains(FETCHED) => FETCHED.to_string(),
            _ => PRINTED.to_string(),
        },
    }
}

fn join<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    texts.map(|text| marks::plain_names(text)).collect::<Vec<_>>().join(" ") + "\n"
}

fn last_operand(call: &Call) -> Option<String> {
    call.args.last().map(|arg| arg.text.clone())
}

fn held(walker: &Walker<'_>, path: &str) -> String {
    walker.scope.file(path).map_or_else(|| FILE.to_string(), |held| held.to_string())
}

fn echo(call: &Call) -> String {
    let is_option =
        |text: &str| text.len() > 1 && text.starts_with('-') && text[1..].chars().all(|c| "neE".contains(c));
    let options: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).take_while(|text| is_option(text)).collect();
    // Wildcards in what is echoed are names of files; as text they stay what they are.
    let text = join(call.args.iter().skip(options.len()).map(|arg| &arg.text));
    // Some shells unescape without being asked to.
    if text.contains('\\')
        && (options.iter().any(|option| option.contains('e')) || text.contains("\\x") || text.contains("\\0"))
    {
        decode::unescape(&text)
    } else {
        text
    }
}

fn printf(call: &Call) -> String {
    let mut args = call.args.iter().map(|arg| marks::plain_names(&arg.text)).filter(|text| text != "--");
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
        // The format is used again while there are arguments.
        if rest.is_empty() || rest.len() == before || out.len() > 1 << 16 {
            return out;
        }
    }
}

/// Names that `ls` prints: everything that is here, or what is named or matched.
fn listed(call: &Call) -> String {
    let operands = flags(&call.args, "-I -w -T --ignore --width").operands;
    if operands.is_empty() {
        return ALL.to_string();
    }
    let name = |text: &str| match text {
        "." | "./" => ALL.to_string(),
        text if text.contains(marks::is_wildcard) => marks::plain_names(text),
        _ => EACH.to_string(),
    };
    operands.iter().map(|arg| name(&arg.text) + "\n").collect()
}

/// A format whose names end with NUL, with lines instead: these are as good.
fn lines_of_names(format: &str) -> String {
    ["%s", "%b", "%p", "%P", "%f"]
        .iter()
        .fold(format.to_string(), |format, sign| format.replace(&format!("{sign}\\0"), &format!("{sign}\\n")))
}

/// `paste -s`: the lines of what comes in, or of files, as one.
fn pasted(call: &Call, walker: &Walker<'_>) -> String {
    let options = flags(&call.args, "-d --delimiters");
    let files: Vec<&str> = options.operands.iter().map(|arg| arg.text.as_str()).filter(|text| *text != "-").collect();
    let text: String = match files.as_slice() {
        [] => call.input.as_deref().unwrap_or("").to_string(),
        files => files.iter().map(|path| held(walker, path)).collect(),
    };
    if !options.any(&["-s", "--serial"]) {
        return text;
    }
    let between = options.value("-d").or_else(|| options.value("--delimiters")).unwrap_or_else(|| "\t".to_string());
    text.lines().collect::<Vec<_>>().join(&decode::unescape(&between)) + "\n"
}

/// Names that `find` prints, or what it makes of them.
fn found(call: &Call) -> String {
    let search = super::search::search(call);
    if let Some(at) = call.args.iter().position(|arg| arg.text == "-printf") {
        let mark = if search.selective { EACH } else { ALL };
        let format = call.args.get(at + 1).map(|arg| lines_of_names(&marks::plain(&arg.text))).unwrap_or_default();
        let format = decode::unescape(&format).replace("%P", "%f").replace("%f", &mark.to_string());
        let line = |place: &String| format.replace("%p", &format!("{}/{mark}", place.trim_end_matches('/')));
        return search.places.iter().map(line).collect();
    }
    // One alternative says nothing of the others, a pattern is no name.
    let is_one = !call.args.iter().any(|arg| matches!(arg.text.as_str(), "-o" | "-or" | ","));
    let name = search.name.as_ref().filter(|name| is_one && search.selective && !name.contains(['*', '?', '[']));
    if let Some(name) = name {
        return search.places.iter().map(|place| format!("{}/{name}\n", place.trim_end_matches('/'))).collect();
    }
    let mark = if search.selective { EACH } else { ALL };
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

fn decoded(call: &Call, input: &str, walker: &Walker<'_>) -> String {
    let options = flags(&call.args, "-w -i --wrap -in -out -c -s -l -k -K -iv -pass");
    let file = options.operands.iter().find(|arg| arg.text != "-").map(|arg| held(walker, &arg.text));
    let text = match call.name.as_str() {
        "openssl" => input.to_string(),
        _ => file.unwrap_or_else(|| input.to_string()),
    };
    let is_openssl = call.args.iter().any(|arg| matches!(arg.text.as_str(), "base64" | "-base64" | "-a"));
    let back = options.any(&["-d", "-D", "--decode", "-r"])
        || matches!(call.name.as_str(), "gunzip" | "zcat" | "uudecode" | "bzcat" | "xzcat");
    if text.contains(FETCHED) {
        return FETCHED.to_string();
    }
    let known = marks::written(&text);
    let plain = match (call.name.as_str(), known) {
        (_, None) => None,
        ("base64" | "gbase64" | "basenc", Some(text)) if back => decode::base64(&text),
        ("base32", Some(text)) if back => decode::base32(&text),
        ("xxd", Some(text)) if back => decode::hexadecimal(&text),
        ("openssl", Some(text)) if is_openssl && back => decode::base64(&text),
        _ => None,
    };
    match plain {
        Some(plain) => plain,
        None if back || call.name == "gpg" || call.name == "openssl" => DECODED.to_string(),
        None => PRINTED.to_string(),
    }
}

/// `sed s/a/b/` over a known text, with plain characters on both sides.
fn substituted(call: &Call, input: &str) -> String {
    let script = flags(&call.args, "-e").operands.first().map(|arg| marks::plain(&arg.text)).unwrap_or_default();
    let mut chars = script.chars();
    if chars.next() == Some('s')
        && let Some(sign) = chars.next()
    {
        let pieces: Vec<&str> = script[1 + sign.len_utf8()..].split(sign).collect();
        if let [from, to, how] = pieces.as_slice()
            && !from.is_empty()
            && !from.contains(['*', '.', '[', '^', '$', '\\'])
        {
            return if how.contains('g') { input.replace(from, to) } else { input.replacen(from, to, 1) };
        }
    }
    if script.is_empty() { input.to_string() } else { DECODED.to_string() }
}

fn filtered(call: &Call, input: &str, walker: &Walker<'_>) -> String {
    let passes = matches!(
        call.name.as_str(),
        "sort" | "uniq" | "tac" | "shuf" | "head" | "tail" | "pv" | "iconv" | "dos2unix" | "nl"
    );
    if call.input.is_none() {
        let file = flags(&call.args, "-n -c -e -f -k -t -F -v").operands.last().map(|arg| arg.text.clone());
        return match file.and_then(|file| walker.scope.file(&file)) {
            Some(held) if held.contains(FETCHED) => FETCHED.to_string(),
            _ => FILE.to_string(),
        };
    }
    match marks::written(input) {
        // Lines of a known text: at worst all of them.
        Some(text)
            if passes
                || matches!(call.name.as_str(), "grep" | "egrep" | "fgrep" | "rg" | "strings" | "fold" | "cut") =>
        {
            text
        }
        Some(_) => DECODED.to_string(),
        None if passes && !matches!(call.name.as_str(), "head" | "tail") || leaves_most(call) => input.to_string(),
        None => narrowed(input),
    }
}

/// Whether a filter leaves most of what comes in: `grep -v`, `tail -n +2`, `cut -d/ -f1`, `awk '{print $9}'`.
fn leaves_most(call: &Call) -> bool {
    let texts = call.args.iter().map(|arg| arg.text.as_str());
    match call.name.as_str() {
        "grep" | "egrep" | "fgrep" | "rg" => flags(&call.args, "-e -f").any(&["-v", "--invert-match"]),
        "tail" => texts.clone().any(|text| text.starts_with('+') || text.starts_with("-n+")),
        "head" => texts.clone().any(|text| text.starts_with("-n-") || text.starts_with("--lines=-")),
        "cut" => true,
        "awk" | "gawk" | "mawk" => texts.clone().any(|text| text.starts_with('{') || text.starts_with("NR>")),
        _ => false,
    }
}

/// A list of which only some is left.
fn narrowed(text: &str) -> String {
    text.replace(ALL, &EACH.to_string())
}
