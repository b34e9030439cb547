//! Processes that `pkill` and `killall` would signal, as they are now.

use super::context::Context;
use crate::command::guarded_programs::CLIENTS;
use crate::command::path::is_in;
use crate::command::{Call, Flags, flags};
use regex::bytes::RegexBuilder;
use review_gate::sys::{env, procfs};

/// The most processes that are compared. On a machine with more of them the user is asked.
const MOST: usize = 20_000;

/// The longest pattern that is compiled, in bytes.
const LONGEST_PATTERN: usize = 512;

/// The largest compiled pattern, in bytes.
const LARGEST_PATTERN: usize = 1 << 20;

/// The most characters of a name that the kernel keeps of a program.
const KERNEL_NAME: usize = 15;

/// Short options that select processes in ways that are not compared here: by user, group, parent, session, terminal, file.
const OTHER_SELECTIONS: [char; 9] = ['u', 'U', 'g', 'G', 'P', 's', 't', 'F', 'v'];

/// Long options that are understood.
const LONG: [&str; 7] = ["--full", "--exact", "--ignore-case", "--echo", "--signal", "--newest", "--oldest"];

/// Whether a call signals only processes of the project: each one that matches now works in the project, or was started by the
/// client. Nothing is compared where the context is one of words alone.
pub fn signals_own(call: &Call, context: &Context) -> bool {
    if !context.looks || call.is_remote || !matches!(call.name.as_str(), "pkill" | "killall") {
        return false;
    }
    let found = flags(&call.args, "--signal");
    let Some(test) = matcher(call, &found) else { return false };
    let Some(pids) = procfs::all() else { return false };
    if pids.len() > MOST {
        return false;
    }
    let own_line = procfs::line_of_descent(procfs::own_pid()).unwrap_or_default();
    let client = env::client_pid();
    pids.into_iter().filter(|pid| *pid != procfs::own_pid() && test(*pid)).all(|pid| {
        let Some(name) = procfs::name_of(pid) else { return true };
        let is_client = own_line.contains(&pid) || Some(pid) == client || CLIENTS.contains(&name.as_str());
        !is_client && is_of_project(pid, client, context)
    })
}

/// Whether a process works in the project, or descends from the client.
fn is_of_project(pid: i32, client: Option<i32>, context: &Context) -> bool {
    let dir = procfs::working_dir(pid);
    let in_project = dir.is_some_and(|dir| is_in(&dir.to_string_lossy(), context.root()) && context.root() != "/");
    in_project || client.is_some_and(|client| procfs::line_of_descent(pid).is_some_and(|line| line.contains(&client)))
}

/// The test that a call selects processes by; None where it selects in another way, or its pattern is not known.
fn matcher(call: &Call, found: &Flags<'_>) -> Option<Box<dyn Fn(i32) -> bool>> {
    // A signal looks like an option: `-SIGINT`, `-9`.
    let is_signal = |text: &str| text[1..].starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit());
    let options: Vec<&str> = found.options.iter().copied().filter(|text| !is_signal(text)).collect();
    let selects = |option: &str| match option.strip_prefix("--") {
        Some(_) => !LONG.contains(&option.split('=').next().unwrap_or("")),
        None => call.name == "pkill" && option.contains(OTHER_SELECTIONS),
    };
    let [operand] = found.operands.as_slice() else { return None };
    if options.iter().any(|option| selects(option)) || operand.text.len() > LONGEST_PATTERN {
        return None;
    }
    let pattern = operand.known_text()?;
    let has = |letter: char| options.iter().any(|option| !option.starts_with("--") && option.contains(letter));
    if call.name == "killall" {
        let is_plain =
            !options.iter().any(|option| !matches!(*option, "-q" | "-w" | "-e" | "--quiet" | "--wait" | "--exact"));
        let same = move |name: String| name == pattern || name.len() == KERNEL_NAME && pattern.starts_with(&name);
        return is_plain
            .then(|| -> Box<dyn Fn(i32) -> bool> { Box::new(move |pid| procfs::name_of(pid).is_some_and(&same)) });
    }
    let exact = has('x') || options.contains(&"--exact");
    let full = has('f') || options.contains(&"--full");
    let text = if exact { format!("^(?:{pattern})$") } else { pattern };
    let regex = RegexBuilder::new(&text)
        .case_insensitive(has('i') || options.contains(&"--ignore-case"))
        .unicode(false)
        .size_limit(LARGEST_PATTERN)
        .build()
        .ok()?;
    Some(Box::new(move |pid| {
        let text = match full {
            true => procfs::command_line(pid).join(" ").trim_end().to_string(),
            false => procfs::name_of(pid).unwrap_or_default(),
        };
        !text.is_empty() && regex.is_match(text.as_bytes())
    }))
}
