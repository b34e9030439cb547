//! `find` and `fd`: the commands that their actions run.

use crate::command::marks::{ALL, EACH};
use crate::command::{Arg, Call, search_at};
use crate::walk::{Io, Walker};

impl Walker<'_> {
    /// Runs the commands of `-exec` and the like.
    pub fn run_find(&mut self, call: &Call, io: &Io) {
        let fd = matches!(call.name.as_str(), "fd" | "fdfind");
        let starts = |text: &str| match fd {
            true => matches!(text, "-x" | "-X" | "--exec" | "--exec-batch"),
            false => matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir"),
        };
        let mut at = 0;
        while at < call.args.len() {
            if !starts(&call.args[at].text) {
                at += 1;
                continue;
            }
            let words: Vec<&Arg> =
                call.args[at + 1..].iter().take_while(|arg| !matches!(arg.text.as_str(), ";" | "+")).collect();
            let search = search_at(call, at);
            let mark = if search.is_selective { EACH } else { ALL };
            at += words.len() + 1;
            for place in &search.places {
                let below = search.name.as_ref().map(|name| format!("/{name}")).unwrap_or_default();
                let name = format!("{}/{mark}{below}", place.trim_end_matches('/'));
                let mut args: Vec<Arg> =
                    words.iter().map(|arg| Arg::new(arg.text.replace("{}", &name), arg.span)).collect();
                if fd && !words.iter().any(|arg| arg.text.contains("{}")) {
                    args.push(Arg::new(name, call.span));
                }
                let inner = Call { args, ..call.clone() };
                self.in_subshell(|walker| walker.run_operands(&inner, 0, &Io { input: None, capture: io.capture }));
            }
        }
    }
}
