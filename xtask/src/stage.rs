//! Output of xtask: lines, colours and titles.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// Prints one line.
pub fn say(line: &str) {
    // The reader may have closed the pipe; that is not an error.
    let _ = writeln!(io::stdout(), "{line}");
}

/// Prints one line to standard error.
pub fn print_error(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Whether standard output is a terminal that shows colours.
fn in_color() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// `text` in a colour, if colours are shown.
pub fn paint(code: &str, text: &str) -> String {
    if in_color() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
}

/// Prints a speaker's name and what the speaker says or does.
pub fn line(who: &str, text: &str) {
    let code = match who {
        "agent" => "36",
        "gate" => "35",
        "user" => "33",
        _ => "2",
    };
    for (at, line) in text.lines().enumerate() {
        let name = if at == 0 { who } else { "" };
        say(&format!("  {} {line}", paint(code, &format!("{name:>7}"))));
    }
    pause(120);
}

/// Prints the title of a scene.
pub fn title(text: &str) {
    say("");
    say(&paint("1", text));
}

/// Waits a moment, on a terminal only.
pub fn pause(millis: u64) {
    if io::stdout().is_terminal() {
        std::thread::sleep(Duration::from_millis(millis));
    }
}
