//! Programs that run a command on another machine: `ssh`, `pdsh`.

use crate::command::marks::{self};
use crate::command::{Call, flags};
use crate::walk::{Io, Walker};

impl Walker<'_> {
    /// Runs a command on another machine: the operands after the host as a shell line; without operands, the input.
    pub fn run_on_host(&mut self, call: &Call, valued: &str, skip: usize, io: &Io) -> String {
        let mut at = 0;
        let mut left = skip;
        while let Some(arg) = call.args.get(at) {
            let text = arg.text.as_str();
            if text.starts_with('-') && text.len() > 1 && text != "--" {
                let pair = &call.args[at..call.args.len().min(at + 2)];
                let values = flags(pair, valued);
                if let Some(command) =
                    values.value("-o").as_deref().and_then(|option| option.split_once("ProxyCommand="))
                {
                    let text = command.1.to_string();
                    self.run_by(call, |walker| walker.run_text(&text, Some(call.span), &Io::default()));
                }
                at += if values.values.is_empty() { 1 } else { 2 };
            } else if left > 0 && text != "--" {
                left -= 1;
                at += 1;
            } else if text == "--" {
                at += 1;
            } else {
                break;
            }
        }
        let words: Vec<String> =
            call.args.get(at..).unwrap_or_default().iter().map(|arg| marks::literal(&arg.text)).collect();
        let (text, io) = match (words.is_empty(), &io.input) {
            (false, _) => (words.join(" "), io.clone()),
            (true, Some(input)) => (input.to_string(), Io { input: None, capture: io.capture }),
            (true, None) => return String::new(),
        };
        // A file of another machine counts as downloaded.
        let printed = self.run_remotely(call, |walker| walker.run_script(call, &text, &[], &io));
        printed.replace(marks::FILE, &marks::FETCHED.to_string())
    }
}
