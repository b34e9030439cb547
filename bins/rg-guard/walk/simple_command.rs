//! One simple command: expands its words, applies its assignments and redirections, and runs it.

use super::scope::Values;
use super::walker::{Io, Walker};
use crate::command::{Arg, Call, Write, marks, path, quote};
use crate::shell::{Assign, Direction, Node, Part, Redirect, Simple, Span, Word, declares};

/// Variables whose value a shell runs or expands by itself.
const SHELL_RUN_VARIABLES: [&str; 5] = ["PS4", "PS0", "PS1", "PROMPT_COMMAND", "PS2"];

impl Walker<'_> {
    /// Stores output in the file that it is redirected to, and returns the output that is not redirected.
    pub fn store_output(&mut self, goes_to: Option<Write>, printed: String) -> String {
        match goes_to {
            Some(file) => {
                let name = path::join(&self.scope.cwd, &file.path);
                let before = if file.append { self.scope.files.get(&name).cloned() } else { None };
                let contents = match before {
                    Some(before) => format!("{before}{printed}"),
                    None => printed,
                };
                self.spend(contents.len());
                self.scope.files.insert(name, contents.into());
                String::new()
            }
            None => printed,
        }
    }

    /// Applies redirections: notes what is read and written, and returns the file that standard output goes to.
    pub fn apply_redirects(&mut self, redirects: &[Redirect], call: &mut Call, io: &mut Io) -> Option<Write> {
        let mut goes_to = None;
        for redirect in redirects {
            if redirect.direction == Direction::Heredoc {
                let body = redirect.body.as_ref().and_then(|body| body.get());
                let text = body.map(|parts| self.expand_text(parts)).unwrap_or_default();
                match redirect.fd.unwrap_or(0) {
                    0 => io.input = Some(text),
                    fd => drop(self.scope.files.insert(format!("/dev/fd/{fd}"), text)),
                }
                continue;
            }
            let span = redirect.target.span;
            let targets = self.expand_unsplit(&redirect.target).all;
            for target in targets {
                match redirect.direction {
                    Direction::Herestring => match redirect.fd.unwrap_or(0) {
                        0 => io.input = Some(format!("{target}\n").into()),
                        fd => drop(self.scope.files.insert(format!("/dev/fd/{fd}"), target.into())),
                    },
                    Direction::Read => {
                        let contents =
                            self.scope.file_contents(&target).unwrap_or_else(|| marks::FILE.to_string().into());
                        match redirect.fd.unwrap_or(0) {
                            // Where the file is not known, what came through the pipe is judged as well.
                            0 if *contents == *marks::FILE.to_string() && io.input.is_some() => {
                                let piped = io.input.take().unwrap_or_default();
                                io.input = Some(format!("{piped}\n{contents}").into());
                            }
                            0 => io.input = Some(contents),
                            fd => drop(self.scope.files.insert(format!("/dev/fd/{fd}"), contents)),
                        }
                        call.reads.push(target);
                    }
                    Direction::Copy if matches!(redirect.fd, None | Some(0)) && self.is_descriptor(&target) => {
                        io.input = self.scope.file_contents(&format!("/dev/fd/{target}"));
                    }
                    Direction::Copy if target == "-" || target.bytes().all(|c| c.is_ascii_digit() || c == b'-') => {}
                    direction => {
                        let append = direction == Direction::Append;
                        let write = Write { path: target, append, span };
                        if matches!(redirect.fd, None | Some(1)) {
                            goes_to = Some(write.clone());
                        }
                        call.writes.push(write);
                    }
                }
            }
        }
        goes_to
    }

    /// Whether a file descriptor has a known input.
    fn is_descriptor(&self, target: &str) -> bool {
        target.parse::<u32>().is_ok_and(|number| self.scope.files.contains_key(&format!("/dev/fd/{number}")))
    }

    /// Runs a simple command of the syntax tree, and returns its output where that is needed.
    pub fn run_simple(&mut self, simple: &Simple, io: &Io) -> String {
        let sets_variables = exports_output(simple);
        if sets_variables {
            self.trail.push("export".into());
        }
        let mut args = self.expand_all(&simple.words);
        if sets_variables {
            self.trail.pop();
        }
        let span = simple.span;
        let mut io = io.clone();
        let mut call = Call { cwd: self.scope.cwd.clone(), span, ..Call::default() };
        let goes_to = self.apply_redirects(&simple.redirects, &mut call, &mut io);
        let declares = args.first().is_some_and(|arg| declares(&arg.text));
        for assign in &simple.assigns {
            let values = self.assigned_values(assign);
            self.run_special_variable(assign, &values, if declares { &args } else { &[] }, span);
            if args.is_empty() || declares {
                self.scope.set(&assign.name, values);
            } else {
                call.assigns.push((assign.name.clone(), values.joined()));
            }
        }
        let capture = io.capture;
        io.capture |= goes_to.is_some();
        call.input = io.input.clone();
        if args.is_empty() || declares {
            if !call.writes.is_empty() || !simple.assigns.is_empty() {
                call.assigns = simple.assigns.iter().map(|assign| (assign.name.clone(), String::new())).collect();
                self.show(&call);
            }
            return self.store_output(goes_to, String::new());
        }
        if let Some(alias) = self.alias_of(simple) {
            let rest: Vec<String> = args.iter().skip(1).map(|arg| quote(&marks::literal(&arg.text))).collect();
            let text = format!("{alias} {}", rest.join(" "));
            let name = args[0].text.clone();
            let contents = self.scope.aliases.remove(&name);
            let printed = self.run_text(&text, Some(span), &io);
            self.scope.aliases.extend(contents.map(|contents| (name.clone(), contents)));
            // Scripts expand no aliases by default, so the program is run as well.
            if !self.is_program(&name) {
                return self.store_output(goes_to, printed);
            }
        }
        let reader = self.reader.clone();
        if goes_to.is_some() {
            self.reader = None;
        }
        let program = args.remove(0);
        call.args = args;
        let printed = self.run_command(program, call, &io);
        self.reader = reader;
        let printed = self.store_output(goes_to, printed);
        if capture { printed } else { String::new() }
    }

    /// Variables that the shell runs, refers through, or takes as an alias.
    fn run_special_variable(&mut self, assign: &Assign, values: &Values, declared: &[Arg], span: Span) {
        if SHELL_RUN_VARIABLES.contains(&assign.name.as_str()) {
            let is_command = assign.name == "PROMPT_COMMAND";
            let text = |value: &String| if is_command { marks::literal(value) } else { expanding_again(value) };
            for text in values.all.iter().map(text).collect::<Vec<_>>() {
                self.in_subshell(|walker| walker.run_text(&text, Some(span), &Io::default()));
            }
        }
        let is_reference = declared.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains('n'));
        if let Some(target) = values.all.first().filter(|_| is_reference) {
            self.scope.references.insert(assign.name.clone(), target.clone());
        }
        if let (Some(name), "BASH_ALIASES", Some(value)) = (&assign.subscript, assign.name.as_str(), values.all.first())
        {
            self.scope.aliases.insert(name.clone(), marks::literal(value));
        }
    }

    /// The alias of a command, where its name is unquoted.
    pub fn alias_of(&self, simple: &Simple) -> Option<String> {
        match simple.words.first()?.parts.as_slice() {
            [Part::Text { text, quoted: false }] => self.scope.aliases.get(&**text).cloned(),
            _ => None,
        }
    }
}

/// Programs that print nothing but a part of what they read.
const SELECTORS: [&str; 8] = ["cat", "grep", "egrep", "sed", "cut", "tr", "sort", "xargs"];

/// Whether a command is `export $(...)` with filters only: their output becomes variables and is not printed.
fn exports_output(simple: &Simple) -> bool {
    let is_output =
        |word: &Word| matches!(word.parts.as_slice(), [Part::Output { body, .. }] if body.iter().all(only_selects));
    simple.words.len() > 1 && simple.program() == "export" && simple.words[1..].iter().all(is_output)
}

fn only_selects(node: &Node) -> bool {
    let is_literal = |word: &Word, check: &dyn Fn(&str) -> bool| {
        word.parts.iter().all(|part| matches!(part, Part::Text { text, .. } if check(text)))
    };
    match node {
        Node::Pipeline(stages) => stages.iter().all(only_selects),
        Node::Simple(simple) => {
            let name = simple.program();
            let is_harmless = |text: &str| match name.as_str() {
                // xargs without a command prints its items.
                "xargs" => text.starts_with('-') || !text.contains(char::is_alphabetic) || text == "\\n",
                "sed" => !text.contains("w ") && !text.contains("/w") && !text.contains("/dev/"),
                _ => true,
            };
            let words = simple.words.get(1..).unwrap_or_default();
            SELECTORS.contains(&name.as_str())
                && simple.redirects.is_empty()
                && words.iter().all(|word| is_literal(word, &is_harmless))
        }
        _ => false,
    }
}

/// A command that only expands a value a second time.
pub fn expanding_again(value: &str) -> String {
    format!(": \"{}\"", marks::literal(value).replace('"', "\\\""))
}
