//! Interpreters: runs the code that they are given, as far as its effects are known.

use super::consoles;
use crate::code::{Code, Effect, Language, tokens};
use crate::command::{Arg, Call, Write, flags, marks};
use crate::walk::{Io, Walker};
use std::collections::HashMap;

/// Interpreters: their name without a version, their language, and the options whose value is code.
const INTERPRETERS: [(&str, Language, &str); 34] = [
    ("python", Language::Python, "-c"),
    ("pypy", Language::Python, "-c"),
    ("ipython", Language::Python, "-c"),
    ("node", Language::Script, "-e -p --eval --print -pe"),
    ("bun", Language::Script, "-e -p --eval --print"),
    ("deno", Language::Script, "eval"),
    ("tsx", Language::Script, "-e --eval"),
    ("ts-node", Language::Script, "-e --eval"),
    ("perl", Language::Perl, "-e -E"),
    ("ruby", Language::Ruby, "-e"),
    ("irb", Language::Ruby, "-e"),
    ("rake", Language::Ruby, "-e -E -p --execute --execute-print --execute-continue"),
    ("crystal", Language::Ruby, "eval"),
    ("zx", Language::Script, "-e --eval"),
    ("php", Language::Php, "-r"),
    ("lua", Language::Lua, "-e"),
    ("luajit", Language::Lua, "-e"),
    ("Rscript", Language::Other, "-e"),
    ("R", Language::Other, "-e"),
    ("julia", Language::Other, "-e"),
    ("elixir", Language::Other, "-e"),
    ("osascript", Language::Other, "-e"),
    ("groovy", Language::Script, "-e"),
    ("rails", Language::Ruby, "runner"),
    ("octave", Language::Other, "--eval"),
    ("guile", Language::Other, "-c"),
    ("ghc", Language::Other, "-e"),
    ("swift", Language::Other, "-e"),
    ("scala", Language::Other, "-e"),
    ("jshell", Language::Other, ""),
    ("clojure", Language::Other, "-e"),
    ("racket", Language::Other, "-e"),
    ("sbcl", Language::Other, "--eval"),
    ("go", Language::Other, ""),
];

/// The interpreter of that name, with or without a version.
fn interpreter(name: &str) -> Option<&'static (&'static str, Language, &'static str)> {
    let bare =
        name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == 'w' && name.starts_with("python"));
    INTERPRETERS.iter().find(|(known, _, _)| *known == bare || *known == "node" && bare == "nodejs")
}

/// Whether a program is an interpreter.
pub fn is_interpreter(name: &str) -> bool {
    interpreter(name).is_some()
}

/// The language of a script's first line; None for a shell.
pub fn language_of_line(line: &str) -> Option<Language> {
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(""));
    let name = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    interpreter(name).map(|(_, language, _)| *language)
}

/// Runs the code of an interpreter's options, files or input.
pub fn run_code_of(walker: &mut Walker<'_>, call: &Call, io: &Io) {
    if let Some((language, text)) = consoles::code(call, io) {
        return run_code(walker, call, language, &text);
    }
    if let Some((name, at)) = consoles::managed(call) {
        let mut args = call.args[at..].to_vec();
        args[0].text = name.to_string();
        walker.run_operands(&Call { args, ..call.clone() }, 0, io);
        return;
    }
    let Some((_, language, options)) = interpreter(&call.name) else { return };
    let mut texts: Vec<String> = Vec::new();
    texts.extend(joined_code(call, *language, options));
    for (number, arg) in call.args.iter().enumerate() {
        let text = arg.text.as_str();
        let is_option = options.split(' ').any(|option| {
            // `-ne`, `-lane`: the letter that takes the code is the last one.
            let bundled = option.len() == 2
                && text.starts_with('-')
                && !text.starts_with("--")
                && text.ends_with(&option[1..])
                && text.len() < 8;
            text == option || bundled
        });
        if is_option {
            texts.extend(
                call.args[number + 1..]
                    .iter()
                    .find(|arg| !arg.text.starts_with('-') || arg.text.len() > 12)
                    .map(|arg| marks::literal(&arg.text)),
            );
        }
        let joined = ["--eval=", "--execute="].iter().find_map(|option| text.strip_prefix(option));
        texts.extend(joined.map(marks::literal));
    }
    // `go run FILE`: the other subcommands of go run nothing.
    let rest = if call.name == "go" {
        let Some(at) = call.args.iter().position(|arg| arg.text == "run") else { return };
        &call.args[at + 1..]
    } else {
        &call.args[..]
    };
    let found = flags(rest, "-c -e -E -r -m -W -X -I -C -S -M");
    if found.value("-m").as_deref() == Some("timeit") {
        texts.extend(found.operands.iter().map(|arg| marks::literal(&arg.text)));
        texts.extend(rest.windows(2).filter(|pair| pair[0].text == "-s").map(|pair| marks::literal(&pair[1].text)));
    } else if texts.is_empty() {
        match found.operands.first().map(|arg| arg.text.as_str()) {
            None | Some("-" | "/dev/stdin") if found.value("-m").is_none() => {
                texts.extend(io.input.as_deref().map(str::to_string))
            }
            Some(path) => texts.extend(walker.scope.file_contents(path).map(|contents| contents.to_string())),
            None => {}
        }
    }
    for text in texts {
        run_code(walker, call, *language, &text);
    }
}

/// Code that is joined to its option: `-e'code'`, `-lne'code'`. The options of a script are its own.
fn joined_code(call: &Call, language: Language, options: &str) -> Vec<String> {
    // Letters whose value is the rest of the option, or the next argument.
    let (valued, optional) = match language {
        Language::Python => ("WXQm", ""),
        Language::Perl => ("ImM", "iFCDdx0lV"),
        Language::Ruby => ("rICE", "iFTWKx0"),
        Language::Php => ("dczftSBR", ""),
        Language::Script => ("rCi", ""),
        _ => ("l", ""),
    };
    let letters: Vec<char> =
        options.split(' ').filter(|option| option.len() == 2).filter_map(|option| option.chars().nth(1)).collect();
    let mut found = Vec::new();
    let mut args = call.args.iter();
    while let Some(text) = args.next().map(|arg| arg.text.as_str()) {
        let Some(bundle) = text.strip_prefix('-').filter(|rest| !rest.is_empty() && *rest != "-") else { break };
        if bundle.starts_with('-') {
            continue;
        }
        for (at, letter) in bundle.char_indices() {
            let rest = &bundle[at + letter.len_utf8()..];
            if letters.contains(&letter) {
                match rest {
                    "" => drop(args.next()),
                    code => found.push(marks::literal(code)),
                }
                break;
            }
            if valued.contains(letter) {
                if rest.is_empty() {
                    args.next();
                }
                break;
            }
            if optional.contains(letter) && rest.starts_with(|c: char| !c.is_ascii_alphabetic()) || !letter.is_ascii() {
                break;
            }
        }
    }
    found
}

/// Shows the effects of code as commands.
pub fn run_code(walker: &mut Walker<'_>, call: &Call, language: Language, text: &str) {
    if let Some(unknown) = super::unknown_programs::unreadable_reason(text) {
        walker.show(&Call { name: unknown.into(), ..call.clone() });
    }
    let forks = matches!(language, Language::Perl | Language::Python | Language::Ruby);
    if forks && text.contains("fork") && text.contains("while") {
        walker.show(&Call { name: "fork-bomb".into(), ..call.clone() });
    }
    let types =
        text.contains("TIOCSTI") || text.contains("ioctl") && ["0x5412", "21522"].iter().any(|n| text.contains(n));
    if types {
        walker.show(&Call { name: "terminal-input".into(), ..call.clone() });
    }
    walker.spend(text.len() * 8);
    if walker.is_exhausted() || walker.trail.len() > crate::shell::DEPTH {
        return;
    }
    let mut code = Code {
        tokens: tokens(text, language),
        variables: HashMap::new(),
        searched_dirs: Vec::new(),
        has_temporary_database: false,
        home: walker.scope.home.clone(),
        language,
        aliases: HashMap::new(),
        depth: Default::default(),
    };
    code.assignments();
    walker.run_by(call, |walker| {
        walker.in_subshell(|walker| {
            for effect in code.effects() {
                perform(walker, call, language, effect);
            }
        });
    });
}

fn perform(walker: &mut Walker<'_>, call: &Call, language: Language, effect: Effect) {
    match effect {
        Effect::Shell(text) => {
            walker.run_script(call, &text, &[], &Io::default());
        }
        Effect::Command(words) => {
            let words = words.into_iter().map(|word| interpolated(language, &walker.scope.home, word));
            let args = words.map(|word| Arg::new(word, call.span)).collect();
            let inner = Call { args, input: None, ..call.clone() };
            walker.run_operands(&inner, 0, &Io::default());
        }
        Effect::Code(text) => run_code(walker, call, language, &text),
        Effect::Write(path) => {
            let write = Write { path, append: false, span: call.span };
            let shown = Call {
                name: String::new(),
                cwd: walker.scope.cwd.clone(),
                args: Vec::new(),
                writes: vec![write],
                input: None,
                trail: walker.trail.clone(),
                ..call.clone()
            };
            walker.show(&shown);
        }
        Effect::ChangeDir(dir) => walker.scope.change_dir(&dir),
        Effect::RemoteShell => {
            let name = "remote-shell".to_string();
            walker.show(&Call { name, trail: walker.trail.clone(), ..call.clone() });
        }
        Effect::Sql(text) => {
            let shown = Call {
                name: "sql".into(),
                args: vec![Arg::new(text, call.span)],
                input: None,
                trail: walker.trail.clone(),
                ..call.clone()
            };
            walker.show(&shown);
        }
    }
}

/// A string of Perl or PHP with a mark for each variable.
fn interpolated(language: Language, home: &str, text: String) -> String {
    if !matches!(language, Language::Perl | Language::Php) || !text.contains('$') {
        return text;
    }
    let text = text.replace("$ENV{HOME}", home);
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        out.push(marks::SOME);
        rest = rest[at + 1..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    }
    out + rest
}
