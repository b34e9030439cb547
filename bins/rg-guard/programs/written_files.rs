//! Files that a command writes and a later one runs: downloads, copies, makefiles, SQL.

use crate::command::marks::FETCHED;
use crate::command::{Arg, Call, flags, mounts, path};
use crate::walk::{Io, Walker};

/// Directories of installed programs.
const PROGRAMS: [&str; 5] = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/"];

/// The most links that are followed.
const LINKS: usize = 32;

impl Walker<'_> {
    /// Runs the recipes of a makefile or a justfile whose contents are known.
    pub fn run_makefile(&mut self, call: &Call, io: &Io) {
        let options = flags(&call.args, "-f -C -j -I -o -W -d --file --makefile --directory --justfile");
        let named = ["-f", "--file", "--makefile", "--justfile"].iter().find_map(|name| options.value(name));
        let names: &[&str] = match call.name.as_str() {
            "just" => &["justfile", "Justfile", ".justfile"],
            _ => &["GNUmakefile", "makefile", "Makefile"],
        };
        // `make --eval='x:; command'`
        for rule in ["--eval", "-E"].iter().filter_map(|name| options.value(name)) {
            let text = rule.split_once(';').map_or(rule.replace(':', "\n"), |(_, recipe)| recipe.to_string());
            self.run_by(call, |walker| {
                walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
            });
        }
        let contents = match named.as_deref() {
            Some("-" | "/dev/stdin") => io.input.clone(),
            Some(path) => self.scope.file_contents(path),
            None => names.iter().find_map(|path| self.scope.file_contents(path)),
        };
        let Some(contents) = contents else { return };
        let recipes =
            contents.lines().filter(|line| line.starts_with('\t') || call.name == "just" && line.starts_with(' '));
        let line = |line: &str| line.trim_start().trim_start_matches(['@', '-', '+']).replace("$$", "$") + "\n";
        let text: String = recipes.map(line).collect();
        self.run_by(call, |walker| {
            walker.in_subshell(|walker| walker.run_text(&text, Some(call.span), &Io::default()))
        });
    }

    /// Shows the SQL of a file whose contents are known.
    pub fn show_sql_files(&mut self, call: &Call) {
        if !matches!(call.name.as_str(), "psql" | "sqlite3" | "mysql" | "mariadb") {
            return;
        }
        let texts = call.args.iter().map(|arg| arg.text.as_str());
        let read = texts.clone().filter_map(|text| {
            ["\\i ", "\\ir ", ".read ", "source ", "\\. "].iter().find_map(|word| text.trim().strip_prefix(word))
        });
        let named = flags(&call.args, "-f --file -c -h -p -U -d -v").value("-f");
        let paths: Vec<String> = read.map(|path| path.trim().to_string()).chain(named).collect();
        for contents in paths.iter().filter_map(|path| self.scope.file_contents(path)).collect::<Vec<_>>() {
            let args = vec![Arg::new(contents.to_string(), call.span)];
            self.show(&Call { name: "sql".into(), args, input: None, ..call.clone() });
        }
    }

    /// Records the files that a call downloads, copies or links.
    pub fn record_files(&mut self, call: &Call) {
        let valued = match call.name.as_str() {
            "curl" => "-o --output -H --header -d --data -u -A -e -x -m --max-time -b -c -F -T -w -X --request --retry",
            "wget" | "aria2c" | "wget2" | "tee" | "sponge" | "cp" | "mv" | "install" | "ln" => {
                "-O --output-document -P --directory-prefix -o --output-file -U --header --post-data -T -t -w"
            }
            _ => return,
        };
        let options = flags(&call.args, valued);
        let name = call.name.as_str();
        let mut holds = Vec::new();
        match name {
            "curl" | "wget" | "aria2c" | "wget2" => {
                let named = options.value(if name == "curl" { "-o" } else { "-O" });
                let long = options.value(if name == "curl" { "--output" } else { "--output-document" });
                let last =
                    |url: &str| url.split(['?', '#']).next().unwrap_or("").rsplit('/').next().unwrap_or("").to_string();
                match named.or(long) {
                    Some(path) => holds.push((path, FETCHED.to_string())),
                    None if name != "curl"
                        || options.any(&["-O", "--remote-name"])
                        || call.args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains('O')) =>
                    {
                        holds.extend(options.operands.iter().map(|arg| (last(&arg.text), FETCHED.to_string())));
                    }
                    None => {}
                }
            }
            "tee" | "sponge" => {
                let text = call.input.as_deref().unwrap_or("").to_string();
                holds.extend(options.operands.iter().map(|arg| (arg.text.clone(), text.clone())));
            }
            "cp" | "mv" | "install" | "ln" => {
                if let ("ln", [target, link]) = (name, options.operands.as_slice())
                    && options.any(&["-s", "--symbolic"])
                    && self.links.len() < LINKS
                    && !self.is_remote
                {
                    let link = self.scope.absolute(&link.text);
                    let above = link.rsplit_once('/').map_or("", |(above, _)| above).to_string();
                    let made = mounts::link(link, path::join(&above, &target.text));
                    self.links = self.links.iter().cloned().chain([made]).collect();
                }
                if let [from, to] = options.operands.as_slice()
                    && let Some(contents) = match from.text.as_str() {
                        "/dev/stdin" | "/dev/fd/0" => call.input.clone(),
                        // A copy of a program is a script that runs the program.
                        path if PROGRAMS.iter().any(|dir| path.starts_with(dir)) => {
                            Some(format!("{path} \"$@\"\n").into())
                        }
                        path => self.scope.file_contents(path),
                    }
                {
                    holds.push((to.text.clone(), contents.to_string()));
                }
            }
            _ => {}
        }
        for (path, contents) in holds {
            self.spend(contents.len());
            let path = self.scope.absolute(&path);
            self.scope.files.insert(path, contents.into());
        }
    }
}
