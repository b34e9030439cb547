//! `xargs` and `parallel`: run a command for each item of their input.

use crate::command::marks::{self, SOME};
use crate::command::{Arg, Call, flags};
use crate::walk::{Io, Walker};

impl Walker<'_> {
    /// Runs the command of `xargs` with the items of its input.
    pub fn run_xargs(&mut self, call: &Call, io: &Io) -> String {
        let valued = "-I -i -J -n -P -L -l -s -a -d -E -e -R --replace --max-args --max-procs --max-lines --arg-file --delimiter --eof --max-chars";
        // The command begins with the first operand; its options are its own.
        let first = flags(&call.args, valued).operands.first().copied();
        let at = first.and_then(|first| call.args.iter().position(|arg| std::ptr::eq(arg, first)));
        let options = flags(&call.args[..at.unwrap_or(call.args.len())], valued);
        let replace = options.value("-I").or_else(|| options.value("-J")).or_else(|| options.value("--replace"));
        let replace = replace.or_else(|| {
            options.options.iter().any(|o| *o == "-i" || o.starts_with("--replace")).then(|| "{}".to_string())
        });
        let text = match (options.value("-a").or_else(|| options.value("--arg-file")), &io.input) {
            (Some(file), _) => {
                self.scope.file_contents(&file).map_or(SOME.to_string(), |contents| contents.to_string())
            }
            (None, Some(text)) => text.to_string(),
            (None, None) => SOME.to_string(),
        };
        let text = text.replace('\0', "\n");
        let items: Vec<String> = match replace {
            Some(_) => text.lines().map(|line| line.trim().to_string()).take(64).collect(),
            None => text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_string()).take(1024).collect(),
        };
        let Some(at) = at else { return text };
        let words = call.args[at..].to_vec();
        let mut commands: Vec<Vec<Arg>> = Vec::new();
        match &replace {
            Some(sign) if !sign.is_empty() => {
                for item in &items {
                    commands.push(
                        words.iter().map(|arg| Arg::new(arg.text.replace(sign.as_str(), item), arg.span)).collect(),
                    );
                }
            }
            _ => {
                let more = items.iter().map(|item| Arg::new(item.as_str(), call.span));
                commands.push(words.iter().cloned().chain(more).collect());
            }
        }
        let mut printed = String::new();
        for args in commands {
            let inner = Call { args, ..call.clone() };
            let io = Io { input: None, capture: io.capture };
            printed.push_str(&self.in_subshell(|walker| walker.run_operands(&inner, 0, &io)));
        }
        printed
    }

    /// Runs the command of `parallel` for each item.
    pub fn run_parallel(&mut self, call: &Call, io: &Io) -> String {
        let valued = "-j -I -n -N -a -S --jobs --joblog --delay --timeout --colsep --retries --results --workdir --tmpdir --load --memfree -C -d -L";
        let options = flags(&call.args, valued);
        let sources = |text: &str| matches!(text, ":::" | "::::" | ":::+" | "::::+");
        let first = options.operands.first().copied();
        let start = first.and_then(|first| call.args.iter().position(|arg| std::ptr::eq(arg, first)));
        let start = start.unwrap_or(call.args.len());
        let mut sections = call.args[start..].split(|arg| sources(&arg.text));
        let words = sections.next().unwrap_or_default();
        let mut items: Vec<String> = sections.flatten().map(|arg| arg.text.clone()).take(64).collect();
        if items.is_empty() {
            let text = io.input.as_deref().map_or(SOME.to_string(), str::to_string);
            items = text.lines().map(str::to_string).take(64).collect();
        }
        let template = words.iter().map(|arg| marks::literal(&arg.text)).collect::<Vec<_>>().join(" ");
        let mut printed = String::new();
        for item in items {
            // Without a command each item is one.
            let text = match template.as_str() {
                "" => item,
                template if template.contains('{') => ["{}", "{.}", "{/}", "{//}", "{1}", "{2}"]
                    .iter()
                    .fold(template.to_string(), |text, sign| text.replace(sign, &item)),
                template => format!("{template} {item}"),
            };
            let io = Io { input: None, capture: io.capture };
            printed.push_str(
                &self.run_by(call, |walker| walker.in_subshell(|walker| walker.run_script(call, &text, &[], &io))),
            );
        }
        printed
    }
}
