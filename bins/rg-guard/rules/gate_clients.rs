//! Rules about clients: a client that speaks in another session, keys typed into its terminal.

use super::rule::{Rule, When, deny};
use crate::command::{CLIENT_PID, Call, Flags, flags, marks};

/// The lines of a prompt that weaken the gate.
const WEAKENING: [&str; 4] = ["#gate:off", "#review:stop", "#review:off", "#loop:stop"];

/// Programs that install or run packages, and so may start a client by its package's name.
const RUNNERS: [&str; 6] = ["npx", "bunx", "pnpm", "yarn", "npm", "node"];

/// The clients by the name of their program, or a part of their path.
fn client_of(call: &Call) -> Option<&'static str> {
    let known = |name: &str| match name {
        "claude" | "claude-code" => Some("claude"),
        "codex" => Some("codex"),
        "gemini" => Some("gemini"),
        "cursor-agent" => Some("cursor"),
        _ => None,
    };
    if let Some(client) = known(&call.name) {
        return Some(client);
    }
    // `/proc/$PPID/exe` is the client's own program.
    let is_path = |part: &str| call.path.contains(part);
    if is_path("/claude/versions/") || is_path("@anthropic-ai/claude-code") || is_path(CLIENT_PID) {
        return Some("claude");
    }
    if !RUNNERS.contains(&call.name.as_str()) {
        return None;
    }
    call.args.iter().take(4).find_map(|arg| {
        let text = arg.text.as_str();
        match text {
            _ if text.contains("@anthropic-ai/claude-code") => Some("claude"),
            _ if text.contains("@openai/codex") => Some("codex"),
            _ if text.contains("@google/gemini-cli") => Some("gemini"),
            _ if call.name == "node" => None,
            _ => known(text),
        }
    })
}

/// A text without quotes, blanks and key names, in lower case: what it types.
fn typed(text: &str) -> String {
    let kept = |c: &char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '\\');
    text.chars().filter(kept).flat_map(char::to_lowercase).collect()
}

/// Whether texts together have a line that weakens the gate.
fn weakens<'a>(texts: impl Iterator<Item = &'a str>) -> bool {
    let all: String = texts.map(typed).collect();
    WEAKENING.iter().any(|line| all.contains(line))
}

fn impersonates(call: &Call) -> bool {
    let Some(client) = client_of(call) else { return false };
    let texts: Vec<String> = call.args.iter().map(|arg| arg.text.to_lowercase()).collect();
    let has = |word: &str| texts.iter().any(|text| text.contains(word));
    let is = |words: &[&str]| texts.iter().any(|text| words.contains(&text.split('=').next().unwrap_or("")));
    if weakens(texts.iter().map(String::as_str).chain(call.input.as_deref())) {
        return true;
    }
    // The words after `--`, and those of a subcommand, are not the client's own options.
    let is_verb = matches!(texts.first().map(String::as_str), Some("mcp" | "config" | "doctor" | "update" | "install"));
    let own = call.args.iter().take_while(|arg| arg.text != "--" && !is_verb);
    let own: Vec<&str> = own.map(|arg| arg.text.as_str()).collect();
    let short = |letters: &[char]| own.iter().any(|text| is_short(text, letters));
    let names_hooks = ["hooks", "plugins"].iter().any(|key| has(key));
    match client {
        "claude" => {
            has("reviewer") && has("--agent")
                || has("claude_code_session_id")
                || is(&["plugin", "plugins"]) && (has("disable") || has("uninstall") || has("remove"))
                || has("--settings") && has("disableallhooks")
                || is(&["config"]) && is(&["set", "add", "remove", "rm", "unset"]) && names_hooks
                || is(&["--resume", "--continue", "--fork-session", "--session-id", "--from-pr", "--teleport"])
                || short(&['r', 'c'])
        }
        "codex" => {
            has("hooks=false")
                || has("features.hooks=false")
                || has("--dangerously-bypass-hook-trust")
                || texts.iter().take(3).any(|text| matches!(text.as_str(), "resume" | "fork"))
        }
        "gemini" if is(&["hooks", "extensions"]) => has("disable") || has("uninstall"),
        "gemini" => has("hooks=false") || is(&["--resume"]) || short(&['r']),
        _ => texts.first().is_some_and(|text| text == "resume") || is(&["--resume", "--continue"]),
    }
}

/// Whether an argument is one of these options: `-r`, `-r1234`, `-pc`.
fn is_short(text: &str, letters: &[char]) -> bool {
    let Some(bundle) = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else { return false };
    let mut bundle = bundle.chars();
    bundle.next().is_some_and(|first| letters.contains(&first) || first == 'p' && bundle.any(|c| letters.contains(&c)))
}

/// Programs that type into a terminal or a window.
const TYPISTS: &[&str] = &[
    "tmux",
    "screen",
    "xdotool",
    "ydotool",
    "dotool",
    "wtype",
    "xte",
    "xvkbd",
    "kitty",
    "kitten",
    "wezterm",
    "zellij",
    "qdbus",
    "qdbus6",
    "osascript",
    "ttyecho",
    "writevt",
];

fn types_a_prompt(call: &Call) -> bool {
    let texts: Vec<String> = call.args.iter().map(|arg| marks::literal(&arg.text)).collect();
    if weakens(texts.iter().map(String::as_str).chain(call.input.as_deref())) {
        return true;
    }
    let has = |words: &[&str]| texts.iter().any(|text| words.contains(&text.as_str()));
    let own = |name: &str| texts.iter().any(|text| text.contains(&format!("${name}")));
    let named = |found: &Flags<'_>, names: &[&str]| names.iter().any(|name| found.value(name).is_some());
    match call.name.as_str() {
        "tmux" => {
            let found = flags(&call.args, "-t -s -b -N -L -S -f");
            let types = has(&["send-keys", "send", "paste-buffer", "pasteb", "pipe-pane", "pipep"]);
            types && (!named(&found, &["-t"]) || own("TMUX_PANE") || is_hex_prompt(&texts))
        }
        "screen" => {
            let types = has(&["stuff", "paste", "process", "readreg"]);
            types && (!named(&flags(&call.args, "-S -p -X-"), &["-S"]) || own("STY"))
        }
        "xdotool" | "ydotool" | "dotool" | "wtype" | "xte" | "xvkbd" => {
            let is_virtual = call.trail.iter().any(|name| name == "xvfb-run")
                || call.assigns.iter().any(|(name, _)| matches!(name.as_str(), "DISPLAY" | "WAYLAND_DISPLAY"));
            let types = call.name != "xdotool" && call.name != "ydotool" || has(&["type", "key", "keydown"]);
            types && !is_virtual
        }
        "kitty" | "kitten" => {
            let types = has(&["send-text", "send-key"]);
            let found = flags(&call.args, "--match -m --match-tab -t --to");
            types && (!named(&found, &["--match", "-m", "--match-tab", "-t"]) || own("KITTY_WINDOW_ID"))
        }
        "wezterm" => {
            has(&["send-text"]) && (!named(&flags(&call.args, "--pane-id"), &["--pane-id"]) || own("WEZTERM_PANE"))
        }
        "zellij" => has(&["write", "write-chars"]),
        "qdbus" | "qdbus6" => texts.iter().any(|text| text.contains("sendText") || text.contains("runCommand")),
        "osascript" => {
            let all = texts.join(" ");
            ["keystroke", "key code", "write text"].iter().any(|word| all.contains(word))
        }
        _ => true,
    }
}

/// Whether `send-keys -H` types a line that weakens the gate.
fn is_hex_prompt(texts: &[String]) -> bool {
    let bytes: Vec<u8> = texts.iter().filter_map(|text| u8::from_str_radix(text, 16).ok()).collect();
    weakens([String::from_utf8_lossy(&bytes).as_ref()].into_iter())
}

/// The rules of this family.
pub const RULES: &[Rule] = &[
    Rule {
        core: true,
        when: When::Check(&["*"], |call, _| impersonates(call)),
        denied: &[
            "claude --agent review-gate:reviewer --resume x",
            "claude -p hi --resume $CLAUDE_CODE_SESSION_ID",
            "$CLAUDE_CODE_EXECPATH --agent review-gate:reviewer -p say",
            "claude -p '#gate:off' --continue",
            "claude -c -p 'go on'",
            "claude -r 1234 -p '#review:stop' --fork-session",
            "npx @anthropic-ai/claude-code --continue",
            "~/.local/share/claude/versions/2.1.330 -r 1234",
            "echo '#gate:off' | claude -p",
            "claude plugin disable review-gate",
            "claude config set -g disableAllHooks true",
            "gemini hooks disable review-gate",
            "codex --dangerously-bypass-hook-trust exec x",
            "codex exec resume --last 'go on'",
            "codex resume --last",
            "gemini --resume latest -p '#gate:off'",
            "cursor-agent --resume 1234",
        ],
        allowed: &[
            "claude --version",
            "claude -p 'explain this'",
            "claude -p --model haiku 'resume the text'",
            "claude plugin list",
            "claude config list",
            "claude config set -g theme dark",
            "claude mcp add srv -- sh -c 'node x'",
            "npm install -g @anthropic-ai/claude-code",
            "./claude-code-notes/build.sh -c x",
            "codex exec 'resume the talk'",
            "gemini -p 'explain this'",
            "npx create-react-app x",
        ],
        ..deny(
            "gate-impersonate",
            "it speaks in a session, runs as the reviewer, or switches the gate off",
            "finish the work: the gate requests the review at the stop",
        )
    },
    Rule {
        core: true,
        when: When::Check(TYPISTS, |call, _| types_a_prompt(call)),
        denied: &[
            "tmux send-keys '#gate:off' Enter",
            "tmux send-keys -t 0 '#gate:' off Enter",
            "tmux send-keys -t $TMUX_PANE hello Enter",
            "tmux send-keys -t 0 -H 23 67 61 74 65 3a 6f 66 66",
            "tmux set-buffer '#review:stop'",
            "screen -X stuff '#gate:off^M'",
            "screen -S work -X stuff '#loop:stop^M'",
            "xdotool type hello",
            "wtype hello",
            "kitty @ send-text hello",
            "wezterm cli send-text --no-paste hello",
            "zellij action write-chars hello",
            "osascript -e 'tell application \"System Events\" to keystroke \"x\"'",
        ],
        allowed: &[
            "tmux new-session -d -s test 'npm start'",
            "tmux send-keys -t test 'npm test' Enter",
            "tmux capture-pane -p -t test",
            "screen -S test -X stuff 'ls^M'",
            "xvfb-run xdotool type hello",
            "DISPLAY=:99 xdotool key Return",
            "kitty @ ls",
            "wezterm cli list",
        ],
        ..deny(
            "gate-keystrokes",
            "it may type a prompt into the client's terminal",
            "name a terminal of your own: `tmux send-keys -t test 'npm test' Enter`",
        )
    },
    Rule {
        core: true,
        when: When::Check(&["terminal-input"], |_, _| true),
        denied: &[
            "python3 -c \"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b'x')\"",
            "perl -e 'ioctl(STDIN, 0x5412, \"x\")'",
        ],
        allowed: &["python3 -c 'import termios; print(termios.TIOCGWINSZ)'"],
        ..deny(
            "gate-terminal-input",
            "it puts characters into a terminal's input",
            "run programs with their input: `printf 'x' | cat`",
        )
    },
];
