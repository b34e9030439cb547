//! Shell escapes: commands in the arguments and the input of programs that are not shells.
//!
//! Examples: `sed e`, `awk system()`, `vim -c '!...'`.

use super::text_scripts::{awk, awk_writes, editor_write, sed};
use crate::command::{Call, flags, marks};
use std::cell::LazyCell;

/// The commands that a call would run by shell escapes.
pub fn commands_in(call: &Call) -> Vec<String> {
    // Computed on demand: most programs have no shell escapes.
    let texts: LazyCell<Vec<String>, _> =
        LazyCell::new(|| call.args.iter().map(|arg| marks::literal(&arg.text)).collect());
    let after = |names: &[&str]| -> Vec<String> {
        let pairs = texts.windows(2).filter(|pair| names.contains(&pair[0].as_str())).map(|pair| pair[1].clone());
        let joined = texts.iter().filter_map(|text| {
            names.iter().find_map(|name| {
                let rest = text.strip_prefix(name)?;
                // `-c'command'`
                let is_joined = name.len() == 2 && !rest.is_empty();
                rest.strip_prefix('=').or(is_joined.then_some(rest)).map(str::to_string)
            })
        });
        pairs.chain(joined).collect()
    };
    let input = || call.input.as_deref().unwrap_or("").lines().map(str::to_string).collect::<Vec<_>>();
    match call.name.as_str() {
        "sed" | "gsed" => texts.iter().filter_map(|text| sed_script(text)).flat_map(sed).collect(),
        "awk" | "gawk" | "mawk" | "nawk" => {
            let fed = |text: &String| text.contains("print |") || text.contains("print|");
            let lines = if texts.iter().any(fed) { input() } else { Vec::new() };
            let all = call.input.as_deref().is_some_and(|text| text.contains(marks::ALL));
            let what = |text: String| if all { text.replace(marks::EACH, &marks::ALL.to_string()) } else { text };
            let written = texts.iter().flat_map(|text| awk_writes(text, &texts));
            texts.iter().flat_map(|text| awk(text)).map(what).chain(lines).chain(written).collect()
        }
        "vim" | "vi" | "nvim" | "ex" | "ed" | "less" => {
            let given = texts.iter().filter_map(|text| text.strip_prefix('+')).map(str::to_string);
            let all = given.chain(after(&["-c", "--cmd", "-sc", "-esc"])).chain(input());
            let run = |text: String| {
                let text =
                    text.trim_start_matches([':', ' ']).trim_start_matches("silent ").trim_start_matches("execute ");
                let called = text.split_once("system(").map(|(_, rest)| rest.trim_start_matches(['"', '\'']));
                let called = called.map(|rest| rest.split(['"', '\'']).next().unwrap_or("").to_string());
                // `call delete("path", "rf")`
                let deleted = text.split_once("delete(").and_then(|(_, rest)| rest.split(['"', '\'']).nth(1));
                let deleted = deleted.map(|path| format!("rm -rf -- {path}"));
                text.strip_prefix('!').map(str::to_string).or(called).or(deleted).or_else(|| editor_write(text))
            };
            all.filter_map(run).collect()
        }
        // Languages without a lexer here: only calls that run or remove something are found.
        "emacs" | "racket" | "guile" | "sbcl" | "clojure" | "clj" | "erl" | "swipl" | "janet" | "clisp" | "csi" => {
            let shell = |text: String| {
                let of = |function: &str, program: &str| {
                    let given = text.split(function).skip(1).map(|rest| {
                        // Up to the bracket that ends the call: `(sh "rm" "-rf" "x")`.
                        let rest = rest.split(')').next().unwrap_or("");
                        let rest = if rest.contains('"') { rest.to_string() } else { rest.replace('\'', "\"") };
                        rest.split('"').skip(1).step_by(2).map(str::to_string).collect::<Vec<_>>().join(" ")
                    });
                    given.map(|given| format!("{program}{given}")).collect::<Vec<_>>()
                };
                let functions = [
                    ("shell-command", ""),
                    ("(delete-directory ", "rm -rf -- "),
                    ("(delete-directory/files ", "rm -rf -- "),
                    ("(delete-file ", "rm -f -- "),
                    ("(delete-directory-tree ", "rm -rf -- "),
                    ("run-program ", ""),
                    ("run-shell-command ", ""),
                    ("(system ", ""),
                    ("(system* ", ""),
                    ("/sh ", ""),
                    ("(sh ", ""),
                    ("(os/shell ", ""),
                    ("os:cmd(", ""),
                    ("shell(", ""),
                ];
                functions.iter().flat_map(|(function, program)| of(function, program)).collect::<Vec<_>>()
            };
            texts.iter().cloned().chain(input()).flat_map(shell).collect()
        }
        // A pager is a command.
        "man" | "bat" | "batcat" | "delta" | "gh" | "systemctl" | "journalctl" => {
            let short = texts.iter().filter(|_| call.name == "man").filter_map(|text| text.strip_prefix("-P"));
            after(&["-P", "--pager", "-H"])
                .into_iter()
                .chain(short.filter(|text| !text.is_empty()).map(str::to_string))
                .collect()
        }
        "fzf" | "sk" => after(&["--preview", "--bind"])
            .into_iter()
            .map(|text| match text.split_once("execute") {
                Some((_, command)) => command.trim_start_matches("-silent").trim_matches(['(', ')', ':']).to_string(),
                None => text,
            })
            .collect(),
        "rg" => after(&["--pre", "--hostname-bin"]),
        "sort" | "gsort" => after(&["--compress-program"]),
        "split" | "gsplit" => after(&["--filter"]),
        "go" => after(&["-exec", "-toolexec"]),
        "tmux" => tmux(call),
        "screen" => {
            let typed = texts.iter().position(|text| text == "stuff").and_then(|at| texts.get(at + 1));
            let detached = texts.iter().any(|text| text.starts_with("-d") || text == "-m");
            let words = from_first_operand(call, "-S -t -c -e -h -p -r -s -T");
            match typed {
                Some(text) => vec![crate::shell::decode::unescape(text)],
                None if detached => vec![words.join(" ")],
                None => Vec::new(),
            }
        }
        "expect" | "tclsh" | "wish" => {
            let lines = after(&["-c"]).into_iter().chain(input());
            let pieces = lines
                .flat_map(|text| text.split([';', '\n']).map(|piece| piece.trim().to_string()).collect::<Vec<_>>());
            let run = |text: String| {
                let rest = ["spawn ", "exec ", "system "].iter().find_map(|word| text.strip_prefix(word));
                let deleted = text.strip_prefix("file delete ").map(|rest| {
                    let paths = rest.split_whitespace().filter(|word| !word.starts_with('-'));
                    format!("rm -rf -- {}", paths.collect::<Vec<_>>().join(" "))
                });
                rest.map(str::to_string).or(deleted)
            };
            pieces.filter_map(run).collect()
        }
        "tar" | "gtar" => {
            let actions = after(&["--checkpoint-action"])
                .into_iter()
                .filter_map(|text| text.strip_prefix("exec=").map(str::to_string));
            actions
                .chain(after(&["--to-command", "--use-compress-program", "-I", "--rsh-command", "--info-script"]))
                .collect()
        }
        "rsync" => after(&["-e", "--rsh", "--rsync-path"]),
        "scp" | "sftp" | "ftp" | "lftp" => {
            let proxies = after(&["-o"]);
            let proxies = proxies.iter().filter_map(|text| text.strip_prefix("ProxyCommand="));
            let lines = after(&["-e", "-c"])
                .into_iter()
                .flat_map(|text| text.split(';').map(str::to_string).collect::<Vec<_>>());
            let escaped = lines.chain(input()).filter_map(|line| line.trim().strip_prefix('!').map(str::to_string));
            proxies.map(|text| text.to_string()).chain(escaped).collect()
        }
        // `-z` runs a command with the file that was written.
        "tcpdump" => after(&["-z"]),
        // `-o APT::Update::Pre-Invoke::='command'`
        "apt" | "apt-get" | "aptitude" => {
            let hooks = after(&["-o", "--option"]).into_iter().filter(|text| text.contains("Invoke"));
            hooks.filter_map(|text| text.split_once('=').map(|(_, command)| command.to_string())).collect()
        }
        "mvn" | "mvnw" => {
            let property = |name: &str| texts.iter().find_map(|text| text.strip_prefix(name)).map(str::to_string);
            let program = property("-Dexec.executable=");
            let words = property("-Dexec.args=").unwrap_or_default();
            program.map(|program| format!("{program} {words}")).into_iter().collect()
        }
        "zip" => after(&["-TT", "--unzip-command"]),
        "mysql" | "mariadb" => {
            let lines = texts.iter().cloned().chain(input());
            let run = |text: String| {
                let text = text.trim();
                Some(text.strip_prefix("\\!").or_else(|| text.strip_prefix("system "))?.to_string())
            };
            lines.filter_map(run).collect()
        }
        "gdb" | "lldb" => {
            let lines = after(&["-ex", "-eval-command", "-iex", "-o", "-O", "--one-line"]).into_iter().chain(input());
            let run = |text: String| {
                let text = text.trim().trim_start_matches("platform ");
                Some(text.strip_prefix("shell ").or_else(|| text.strip_prefix('!'))?.to_string())
            };
            lines.filter_map(run).collect()
        }
        "ipython" => {
            let lines = after(&["-c"]).into_iter().chain(input());
            lines
                .flat_map(|text| text.lines().map(str::to_string).collect::<Vec<_>>())
                .filter_map(|line| line.trim().strip_prefix('!').map(|rest| rest.trim_start_matches('!').to_string()))
                .collect()
        }
        // `aws ssm send-command --parameters commands="..."`
        "aws" if texts.iter().any(|text| text == "send-command") => {
            let run = |text: String| match serde_json::from_str::<serde_json::Value>(&text) {
                Ok(value) => value["commands"]
                    .as_array()
                    .map(|all| all.iter().filter_map(|one| one.as_str()).collect::<Vec<_>>().join("\n")),
                Err(_) => Some(text.strip_prefix("commands=")?.trim_matches(['[', ']', '"', '\'']).to_string()),
            };
            texts.iter().cloned().filter_map(run).collect()
        }
        "psql" => texts.iter().cloned().chain(input()).flat_map(|text| psql(&text)).collect(),
        "sqlite3" => {
            let lines = texts.iter().cloned().chain(input());
            let run = |text: String| {
                [".shell ", ".system ", ".!"].iter().find_map(|word| Some(text.trim().strip_prefix(word)?.to_string()))
            };
            lines.filter_map(run).collect()
        }
        "socat" => {
            let run = |text: &String| {
                let (kind, rest) = text.split_once(':')?;
                let runs = matches!(kind.to_ascii_lowercase().as_str(), "exec" | "system" | "shell");
                runs.then(|| rest.split(',').next().unwrap_or("").to_string())
            };
            texts.iter().filter_map(run).collect()
        }
        _ => Vec::new(),
    }
}

/// The script that an argument of sed may be: an operand, or joined to its option (`-e'1p'`, `-ne'1p'`, `--expression=1p`).
fn sed_script(text: &str) -> Option<&str> {
    match text.strip_prefix('-') {
        None => Some(text),
        Some(long) if long.starts_with('-') => long.split_once('=').map(|(_, script)| script),
        Some(bundle) => {
            let (flags, script) = bundle.split_once('e')?;
            // After `i` and `l` the rest is their value.
            (!flags.contains(['i', 'l'])).then_some(script)
        }
    }
}

/// `\! command` of psql.
fn psql(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.split_once("\\!").map(|(_, command)| command.to_string())).collect()
}

/// The arguments from the first operand on, quoted.
fn from_first_operand(call: &Call, valued: &str) -> Vec<String> {
    let first = flags(&call.args, valued).operands.first().copied();
    let at = first.and_then(|first| call.args.iter().position(|arg| std::ptr::eq(arg, first)));
    let rest = at.and_then(|at| call.args.get(at..)).unwrap_or_default();
    rest.iter().map(|arg| crate::command::quote(&marks::literal(&arg.text))).collect()
}

fn tmux(call: &Call) -> Vec<String> {
    let options = flags(&call.args, "-t -s -n -c -e -F -x -y -l -p -L -f -S -T");
    let Some(verb) = options.operands.first().map(|arg| arg.text.as_str()) else { return Vec::new() };
    let words: Vec<String> = options.operands.iter().skip(1).map(|arg| marks::literal(&arg.text)).collect();
    match verb {
        "new" | "new-session" | "neww" | "new-window" | "splitw" | "split-window" | "respawn-pane"
        | "respawn-window" | "popup" | "display-popup" | "run" | "run-shell" | "if-shell" | "pipe-pane" => {
            vec![if words.len() == 1 {
                words.concat()
            } else {
                words.iter().map(|word| crate::command::quote(word)).collect::<Vec<_>>().join(" ")
            }]
        }
        "send" | "send-keys" => {
            let keys = |word: &&String| !matches!(word.as_str(), "Enter" | "C-m" | "KPEnter" | "C-c");
            vec![words.iter().filter(keys).map(String::as_str).collect::<Vec<_>>().join(" ")]
        }
        _ => Vec::new(),
    }
}
