//! Builtins of the shell: commands that change what later commands mean.

use super::scope::{MAX_ALTERNATIVES, Values};
use super::simple_command::expanding_again;
use super::walker::{Io, Walker};
use crate::command::marks::{self, PRINTED, SOME, UNSET, is_unknown};
use crate::command::{Call, JUDGE_PID};

impl Walker<'_> {
    /// Runs a builtin; None where the command is not one.
    pub fn run_builtin(&mut self, call: &Call, io: &Io) -> Option<String> {
        let operands = || call.args.iter().filter(|arg| !arg.text.starts_with('-') || arg.text == "-");
        self.run_subscripts(call);
        match call.name.as_str() {
            "cd" | "pushd" => {
                self.spend(4 * self.scope.cwd.len());
                let home = self.scope.home.clone();
                let target = operands().next().map(|arg| self.cd_target(call, marks::literal(&arg.text)));
                if call.name == "pushd" {
                    self.scope.dir_stack.push(self.scope.cwd.clone());
                }
                match target.as_deref() {
                    // `cd $UNSET` goes home.
                    None if call.name == "cd" => self.scope.change_dir(&home),
                    None => {}
                    Some("-") => {
                        let before = self.scope.old_cwd.clone();
                        self.scope.change_dir(&before);
                    }
                    Some("") => {}
                    Some(dir) if dir.starts_with(is_unknown) => {
                        let dir = dir.to_string();
                        self.scope.old_cwd = std::mem::replace(&mut self.scope.cwd, dir);
                    }
                    Some(dir) => self.scope.change_dir(dir),
                }
            }
            "popd" => {
                if let Some(dir) = self.scope.dir_stack.pop() {
                    self.scope.old_cwd = std::mem::replace(&mut self.scope.cwd, dir);
                }
            }
            "unset" => operands().for_each(|arg| self.scope.unset(&arg.text)),
            "alias" => {
                for (name, value) in call.args.iter().filter_map(|arg| arg.text.split_once('=')) {
                    self.scope.aliases.insert(name.to_string(), marks::literal(value));
                }
            }
            "unalias" => operands().for_each(|arg| {
                self.scope.aliases.remove(&arg.text);
            }),
            "set" => {
                let all: Vec<String> = call.args.iter().map(|arg| arg.text.clone()).collect();
                let start = all.iter().position(|text| text == "--").map(|at| at + 1);
                let start = start.or_else(|| all.iter().position(|text| !text.starts_with(['-', '+'])));
                if let Some(start) = start {
                    self.scope.arguments = Some(all[start..].to_vec());
                }
            }
            "shift" => {
                if let Some(all) = self.scope.arguments.as_mut().filter(|all| !all.is_empty()) {
                    all.remove(0);
                }
            }
            "read" | "mapfile" | "readarray" => self.read_input(call, io),
            "printf" if call.args.first().is_some_and(|arg| arg.text == "-v") => {
                let name = call.args.get(1).map(|arg| arg.text.clone()).unwrap_or_default();
                let rest = Call { args: call.args.iter().skip(2).cloned().collect(), ..call.clone() };
                let text = crate::programs::output::printed_by(&rest, &self.scope);
                self.scope.set(&name, Values::one(text));
            }
            "getopts" => {
                if let Some(name) = call.args.get(1) {
                    self.scope.set(&name.text.clone(), Values::one(SOME));
                }
            }
            "jobs" if self.scope.has_judge => return Some(JUDGE_PID.to_string()),
            ":" | "true" | "false" | "wait" | "exit" | "return" | "break" | "continue" | "umask" | "ulimit" | "let"
            | "test" | "[" | "shopt" | "setopt" | "hash" | "jobs" | "bg" | "fg" | "disown" | "times" => {}
            _ => return None,
        }
        Some(String::new())
    }

    /// `test -v 'a[$(command)]'`: a subscript is expanded a second time.
    fn run_subscripts(&mut self, call: &Call) {
        if !matches!(call.name.as_str(), "test" | "[" | "unset" | "read" | "printf" | "let" | "mapfile" | "readarray") {
            return;
        }
        for arg in call.args.iter().filter(|arg| arg.text.contains("[$(") || arg.text.contains("[`")) {
            let text = expanding_again(&arg.text);
            self.run_by(call, |walker| {
                walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
            });
        }
    }

    /// The target of `cd`: a relative name is looked up in the first directory of `CDPATH`, where that is set.
    fn cd_target(&self, call: &Call, dir: String) -> String {
        let own = call.assigns.iter().find(|(name, _)| name == "CDPATH").map(|(_, value)| value.clone());
        let set = || self.scope.is_set("CDPATH").then(|| self.scope.value("CDPATH").all.concat());
        let first = own.or_else(set).and_then(|path| path.split(':').next().map(str::to_string)).unwrap_or_default();
        let is_bare = !dir.is_empty() && !dir.starts_with(['/', '.', '-']) && !dir.starts_with(is_unknown);
        if is_bare && !first.is_empty() { format!("{first}/{dir}") } else { dir }
    }

    /// `read name`, `mapfile name`: the lines of the input become values.
    fn read_input(&mut self, call: &Call, io: &Io) {
        let is_list = call.name != "read";
        let valued = if is_list { "-d -n -O -s -u -c -C" } else { "-p -d -n -N -t -u -i -a" };
        let names = crate::command::flags(&call.args, valued);
        // `mapfile -C` runs a command for every line.
        if let Some(text) = names.value("-C").filter(|_| is_list) {
            self.run_by(call, |walker| {
                walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
            });
        }
        let array = names.value("-a");
        let text = io.input.as_deref().unwrap_or("");
        let mut all: Vec<String> = text.lines().take(MAX_ALTERNATIVES).map(|line| line.trim().to_string()).collect();
        if io.input.is_none() || all.is_empty() {
            all = vec![UNSET.to_string()];
        } else if text.lines().count() > MAX_ALTERNATIVES {
            all.push(PRINTED.to_string());
        }
        let mut names: Vec<String> = names.operands.iter().map(|arg| arg.text.clone()).chain(array).collect();
        if names.is_empty() {
            names.push(if is_list { "MAPFILE" } else { "REPLY" }.to_string());
        }
        for (number, name) in names.iter().enumerate() {
            let last = number + 1 == names.len();
            let part = |line: &String| {
                let mut words = line.split_whitespace().skip(number);
                if last && number == 0 {
                    line.clone()
                } else if last {
                    words.collect::<Vec<_>>().join(" ")
                } else {
                    words.next().unwrap_or("").to_string()
                }
            };
            self.scope.set(name, Values { all: all.iter().map(part).collect(), is_list });
        }
    }
}
