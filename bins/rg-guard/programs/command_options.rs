//! Programs that take a command as the value of an option: `su -c`, `script -c`, `npx -c`, `nix run`.

use crate::command::marks::{self};
use crate::command::{Arg, Call, flags};
use crate::walk::{Io, Walker};

impl Walker<'_> {
    /// Runs the value of a command option; None where there is none.
    pub fn run_option_value(&mut self, call: &Call, io: &Io) -> Option<String> {
        let valued = match call.name.as_str() {
            "script" => "-c --command -E -T -O -I -B -m -o",
            "flock" => "-c --command -w -E",
            "npx" | "pnpx" | "npm" | "pnpm" | "yarn" | "bunx" => "-c --call -p --package --prefix -w",
            _ => "-c --command --session-command --run -p -s --shell -g -G -w -u --user -A -I",
        };
        // Options behind the program of a package are that program's.
        let is_npx = matches!(call.name.as_str(), "npx" | "pnpx" | "bunx");
        let options = flags(if is_npx { super::package_runners::own_args(call) } else { &call.args }, valued);
        let executes = matches!(options.operand(0), "exec" | "x");
        for name in ["-c", "--command", "--run", "--call", "--session-command"] {
            let other = matches!(call.name.as_str(), "npm" | "yarn" | "pnpm") && !executes || call.name == "nix";
            let joined = options.value(name).filter(|_| !(name == "-c" && other));
            if let Some(text) = joined {
                let text = marks::literal(&text);
                return Some(self.in_subshell(|walker| walker.run_script(call, &text, &[], io)));
            }
        }
        if call.name == "nix" {
            if let Some(at) = call.args.iter().position(|arg| matches!(arg.text.as_str(), "-c" | "--command")) {
                return Some(self.run_operands(call, at + 1, io));
            }
            // `nix run nixpkgs#git -- reset --hard`
            let package = options.operand(1).rsplit(['#', '.']).next().unwrap_or("").to_string();
            let dashes = call.args.iter().position(|arg| arg.text == "--").filter(|_| options.operand(0) == "run")?;
            let mut args = call.args[dashes + 1..].to_vec();
            args.insert(0, Arg::new(package, call.span));
            return Some(self.run_operands(&Call { args, ..call.clone() }, 0, io));
        }
        if super::package_runners::is_runner(&call.name) {
            return self.run_package(call, io);
        }
        if call.name == "su" {
            if let Some(text) = &io.input {
                return Some(self.run_script(call, &text.clone(), &[], &Io::default()));
            }
            return Some(String::new());
        }
        if call.name == "script" {
            // BSD: `script file command ...`.
            let at = call.args.iter().position(|arg| !arg.text.starts_with('-')).map_or(usize::MAX, |at| at + 1);
            return (at < call.args.len()).then(|| self.run_operands(call, at, io));
        }
        None
    }
}
