//! Where the demo speaks: paragraphs and colours for a person who watches.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// Prints one line.
pub fn say(line: &str) {
    // A person who closed the pipe has seen enough.
    let _ = writeln!(io::stdout(), "{line}");
}

/// Prints one line to standard error.
pub fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Whether a terminal shows it in colour.
fn in_color() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// `text` in a colour, where colours show.
pub fn paint(code: &str, text: &str) -> String {
    if in_color() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
}

/// Who speaks, and what: a name in its colour, every line beside it.
pub fn line(who: &str, text: &str) {
    let code = match who {
        "agent" => "36",
        "gate" => "35",
        "person" => "33",
        _ => "2",
    };
    for (at, line) in text.lines().enumerate() {
        let name = if at == 0 { who } else { "" };
        say(&format!("  {} {line}", paint(code, &format!("{name:>7}"))));
    }
    pause(120);
}

/// A scene begins.
pub fn title(text: &str) {
    say("");
    say(&paint("1", text));
}

/// A short rest for the eye, on a terminal only.
pub fn pause(millis: u64) {
    if io::stdout().is_terminal() {
        std::thread::sleep(Duration::from_millis(millis));
    }
}
