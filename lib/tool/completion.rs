//! Shell completion scripts, generated from a tool's description.

use crate::tool::description::{COMMON, Opt, Tool};

/// The script of `tool` for `shell`: bash, zsh or fish. None for another shell.
pub fn script(tool: &Tool, shell: &str) -> Option<String> {
    match shell {
        "bash" => Some(bash(tool)),
        "zsh" => Some(zsh(tool)),
        "fish" => Some(fish(tool)),
        _ => None,
    }
}

/// The verbs, and the empty text for a command line without a verb. Each has its own options.
fn states(tool: &Tool) -> Vec<&'static str> {
    std::iter::once("").chain(tool.verbs().map(|form| form.verb)).collect()
}

fn options(tool: &Tool, verb: &str) -> Vec<&'static Opt> {
    tool.options_of(verb).chain(COMMON.iter()).collect()
}

/// The options that take a value, as a pattern for `case`: `-C|--why`.
fn with_values(tool: &Tool) -> String {
    let valued = tool.options.iter().chain(&COMMON).filter(|option| !option.value.is_empty());
    valued.map(dashed).collect::<Vec<_>>().join("|")
}

fn dashed(option: &Opt) -> String {
    let dashes = if option.name.len() == 1 { "-" } else { "--" };
    format!("{dashes}{}", option.name)
}

/// The name of the shell function, without dashes, which not all shells accept.
fn function(tool: &Tool) -> String {
    format!("_{}", tool.name.replace('-', "_"))
}

/// Lines that set `verb` to the verb among the words before the cursor, in bash and zsh.
fn find_verb(tool: &Tool, words: &str) -> String {
    let verbs: Vec<&str> = tool.verbs().map(|form| form.verb).collect();
    if verbs.is_empty() {
        return String::new();
    }
    let pattern = verbs.join("|");
    format!("    for each in {words}; do\n        case $each in ({pattern}) verb=$each; break ;; esac\n    done\n")
}

fn bash(tool: &Tool) -> String {
    let name = function(tool);
    let mut text = format!("# Completion of {} for bash.\n{name}() {{\n", tool.name);
    text.push_str("    local each words verb= word=${COMP_WORDS[COMP_CWORD]}\n    COMPREPLY=()\n");
    // With an empty list, bash completes file names.
    text.push_str(&format!("    case ${{COMP_WORDS[COMP_CWORD-1]}} in ({}) return ;; esac\n", with_values(tool)));
    text.push_str(&find_verb(tool, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\""));
    text.push_str("    case $verb in\n");
    for verb in states(tool) {
        let mut words: Vec<String> = options(tool, verb).into_iter().map(dashed).collect();
        if verb.is_empty() {
            words.splice(0..0, tool.verbs().map(|form| form.verb.to_string()));
        }
        text.push_str(&format!("        ('{verb}') words='{}' ;;\n", words.join(" ")));
    }
    text.push_str("    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n");
    text + &format!("complete -o bashdefault -o default -F {name} {}\n", tool.name)
}

fn zsh(tool: &Tool) -> String {
    let name = function(tool);
    let item = |name: &str, about: &str| format!("'{name}:{}'", about.replace(':', "\\:").replace('\'', "'\\''"));
    let mut text = format!("#compdef {}\n{name}() {{\n    local each verb=\n    local -a verbs options\n", tool.name);
    text.push_str(&format!("    case ${{words[CURRENT-1]}} in ({}) _files; return ;; esac\n", with_values(tool)));
    text.push_str(&find_verb(tool, "${words[2,CURRENT-1]}"));
    text.push_str("    case $verb in\n");
    for verb in states(tool) {
        let list = |items: Vec<String>| items.join(" ");
        let verbs = tool.verbs().filter(|_| verb.is_empty()).map(|form| item(form.verb, form.about)).collect();
        let options = options(tool, verb).into_iter().map(|option| item(&dashed(option), option.about)).collect();
        text.push_str(&format!("        ('{verb}') verbs=({}) options=({}) ;;\n", list(verbs), list(options)));
    }
    text.push_str(
        "    esac\n    (( $#verbs )) && _describe verb verbs\n    _describe -o option options\n    _files\n}\n",
    );
    text + &format!("{name} \"$@\"\n")
}

fn fish(tool: &Tool) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    let verbs: Vec<&str> = tool.verbs().map(|form| form.verb).collect();
    let mut text = format!("# Completion of {} for fish.\n", tool.name);
    for form in tool.verbs() {
        let none = quoted(&format!("not __fish_seen_subcommand_from {}", verbs.join(" ")));
        text.push_str(&format!("complete -c {} -n {none} -a {} -d {}\n", tool.name, form.verb, quoted(form.about)));
    }
    let mut line = |option: &Opt, when: &str| {
        let kind = if option.name.len() == 1 { "-s" } else { "-l" };
        let value = if option.value.is_empty() { "" } else { " -r" };
        let about = quoted(option.about);
        text.push_str(&format!("complete -c {}{when} {kind} {}{value} -d {about}\n", tool.name, option.name));
    };
    for verb in states(tool) {
        let when = match (verb, verbs.is_empty()) {
            ("", true) => String::new(),
            ("", false) => format!(" -n {}", quoted(&format!("not __fish_seen_subcommand_from {}", verbs.join(" ")))),
            (verb, _) => format!(" -n {}", quoted(&format!("__fish_seen_subcommand_from {verb}"))),
        };
        tool.options_of(verb).for_each(|option| line(option, &when));
    }
    COMMON.iter().for_each(|option| line(option, ""));
    text
}
