//! Programs that run a command elsewhere, or take it as an option's value: `ssh`, containers, `su -c`.

use super::arguments::flags;
use super::call::Call;
use super::expand::Arg;
use super::marks::{self, PRINTED};
use super::mounts::{self, Mount};
use super::place;
use super::walk::{Io, Walker};
use std::rc::Rc;

impl Walker<'_> {
    /// A command that runs on another machine: operands after the host, joined for a shell there; without them its input.
    pub fn far(&mut self, call: &Call, valued: &str, skip: usize, io: &Io) -> String {
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
                    self.below(call, |walker| walker.text(&text, Some(call.span), &Io::default()));
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
            call.args.get(at..).unwrap_or_default().iter().map(|arg| marks::plain(&arg.text)).collect();
        let (text, io) = match (words.is_empty(), &io.input) {
            (false, _) => (words.join(" "), io.clone()),
            (true, Some(input)) => (input.to_string(), Io { input: None, capture: io.capture }),
            (true, None) => return String::new(),
        };
        // What a file there holds is nothing that anybody here has looked at.
        let printed = self.there(call, |walker| walker.script(call, &text, &[], &io));
        printed.replace(marks::FILE, &marks::FETCHED.to_string())
    }

    /// Something that runs elsewhere: other directories, other files.
    pub fn there(&mut self, call: &Call, work: impl FnOnce(&mut Self) -> String) -> String {
        self.in_container(call, Rc::default(), |walker| {
            walker.fresh = false;
            work(walker)
        })
    }

    /// The same where directories of ours are seen.
    fn in_container(&mut self, call: &Call, mounts: Rc<[Mount]>, work: impl FnOnce(&mut Self) -> String) -> String {
        let before = (std::mem::replace(&mut self.away, true), std::mem::replace(&mut self.mounts, mounts), self.fresh);
        let printed = self.apart(|walker| {
            walker.scope.cwd = "/away/from/here".to_string();
            walker.below(call, work)
        });
        (self.away, self.mounts, self.fresh) = before;
        printed
    }

    pub fn container(&mut self, call: &Call, io: &Io) -> Option<String> {
        let valued = "-n --namespace --context --kubeconfig -f --file -p --project-name --host -H -e --env -u --user -w --workdir -c --container --env-file --index --name -v --volume --network --entrypoint -l --label --mount --project --zone -a --app -C --profile --cluster --platform --cpus -m --memory --add-host --hostname --ip --pid --restart --gpus --tmpfs --device --cap-add --cap-drop --command --service";
        let options = flags(&call.args, valued);
        let words: Vec<&str> = options.operands.iter().map(|arg| arg.text.as_str()).collect();
        if call.name == "minikube" && words.first() == Some(&"kubectl") {
            let at = call.args.iter().position(|arg| !matches!(arg.text.as_str(), "kubectl" | "--"))?;
            let inner =
                Call { args: call.args[at..].to_vec(), name: "kubectl".into(), path: "kubectl".into(), ..call.clone() };
            self.show(&inner);
            return self.container(&inner, io);
        }
        // Containers that are thrown away afterwards are nobody's loss, unless a directory of ours is in them.
        let verb = words
            .iter()
            .take(3)
            .position(|word| matches!(*word, "exec" | "run" | "ssh" | "rsh" | "debug" | "shell" | "console"))?;
        let mut skip = verb + 2;
        if matches!((call.name.as_str(), words[0]), ("vagrant" | "multipass" | "fly" | "flyctl" | "minikube", _))
            && words[verb] == "ssh"
            || words[verb] == "console"
            || call.name == "heroku"
        {
            skip = verb + 1;
        }
        if call.name == "multipass" || call.name == "wsl" {
            skip = verb + 2;
        }
        if let Some(text) = options
            .value(if call.name.starts_with("fly") { "-C" } else { "-c" })
            .filter(|_| call.name.starts_with("fly") || matches!(words[verb], "ssh" | "console" | "shell"))
            .or_else(|| options.value("--command").filter(|_| words[verb] == "ssh"))
        {
            return Some(self.there(call, |walker| walker.script(call, &text, &[], &Io::default())));
        }
        // What stands behind the container's name belongs to the command, its options as well.
        let start = if skip >= words.len() {
            None
        } else {
            call.args.iter().position(|arg| std::ptr::eq(arg, options.operands[skip - 1]))
        };
        let cluster = matches!(call.name.as_str(), "kubectl" | "oc" | "k" | "heroku");
        let dashes = call.args.iter().position(|arg| arg.text == "--").filter(|_| cluster);
        let after = start
            .map(|at| at + 1)
            .map(|at| if call.args.get(at).is_some_and(|arg| arg.text == "--") { at + 1 } else { at });
        let after = dashes.map(|at| at + 1).or(after);
        // Of one in a container nothing that happens there is seen here.
        let mounts = if self.away { Rc::default() } else { mounts::mounts(&options, &self.scope.cwd) };
        // What `compose` mounts stands in a file.
        let is_fresh = matches!(words.as_slice(), ["run", ..] | ["container", "run", ..])
            && matches!(call.name.as_str(), "docker" | "podman" | "nerdctl")
            && !options.any(&["--privileged", "--volumes-from", "--rootfs"]);
        let dir = options.value("-w").or_else(|| options.value("--workdir"));
        let dir = dir.filter(|dir| dir == "/" || mounts::outside(&mounts, &place::join("/", dir)).is_some());
        match after.filter(|at| *at < call.args.len()) {
            Some(at) => {
                let mut args = call.args[at..].to_vec();
                // An image that is one program takes its arguments alone.
                if let Some(program) = options.value("--entrypoint").filter(|program| !program.is_empty()) {
                    args.insert(0, Arg::new(program, call.span));
                } else if words[verb] == "run"
                    && !cluster
                    && let Some(program) = entry(words.get(verb + 1).copied().unwrap_or(""))
                    && args.first().is_none_or(|first| first.text != program)
                {
                    args.insert(0, Arg::new(program, call.span));
                }
                // `heroku run "rake db:drop"`
                let line = args.first().filter(|first| call.name == "heroku" && first.text.contains(' '));
                if let Some(text) = line.map(|first| marks::plain(&first.text)) {
                    return Some(self.there(call, |walker| walker.script(call, &text, &[], &Io::default())));
                }
                let inner = Call { args, ..call.clone() };
                self.in_container(call, mounts, |walker| {
                    walker.fresh = is_fresh;
                    if let Some(dir) = dir {
                        walker.scope.cwd = dir;
                    }
                    walker.trail.pop();
                    let printed = walker.operands_run(&inner, 0, io);
                    walker.trail.push(String::new());
                    printed
                });
                Some(PRINTED.to_string())
            }
            None => None,
        }
    }

    /// Programs with the command as an option's value: `su -c`, `script -c`, `npx -c`.
    pub fn by_option(&mut self, call: &Call, io: &Io) -> Option<String> {
        let valued = match call.name.as_str() {
            "script" => "-c --command -E -T -O -I -B -m -o",
            "flock" => "-c --command -w -E",
            "npx" | "npm" | "pnpm" | "yarn" | "bunx" => "-c --call -p --package --prefix -w",
            _ => "-c --command --session-command --run -p -s --shell -g -G -w -u --user -A -I",
        };
        let options = flags(&call.args, valued);
        let executes = matches!(options.operand(0), "exec" | "x");
        for name in ["-c", "--command", "--run", "--call", "--session-command"] {
            let other = matches!(call.name.as_str(), "npm" | "yarn" | "pnpm") && !executes || call.name == "nix";
            let joined = options.value(name).filter(|_| !(name == "-c" && other));
            if let Some(text) = joined {
                let text = marks::plain(&text);
                return Some(self.apart(|walker| walker.script(call, &text, &[], io)));
            }
        }
        if call.name == "nix" {
            if let Some(at) = call.args.iter().position(|arg| matches!(arg.text.as_str(), "-c" | "--command")) {
                return Some(self.operands_run(call, at + 1, io));
            }
            // `nix run nixpkgs#git -- reset --hard`
            let package = options.operand(1).rsplit(['#', '.']).next().unwrap_or("").to_string();
            let dashes = call.args.iter().position(|arg| arg.text == "--").filter(|_| options.operand(0) == "run")?;
            let mut args = call.args[dashes + 1..].to_vec();
            args.insert(0, Arg::new(package, call.span));
            return Some(self.operands_run(&Call { args, ..call.clone() }, 0, io));
        }
        let packages = matches!(call.name.as_str(), "npx" | "npm" | "pnpm" | "yarn" | "bunx" | "nix");
        if packages {
            // `npm exec -- git reset --hard`; `npx tool` runs what it fetches by design.
            let runs = call.name == "npx" || call.name == "bunx" || matches!(options.operand(0), "exec" | "dlx" | "x");
            let at = call
                .args
                .iter()
                .position(|arg| !arg.text.starts_with('-') && !matches!(arg.text.as_str(), "exec" | "dlx" | "x"))?;
            if runs && matches!(call.args[at].text.as_str(), "concurrently" | "run-p" | "run-s") {
                return Some(self.operands_run(call, at, io));
            }
            let known = call.args[at].known().is_some_and(|name| {
                matches!(
                    name.as_str(),
                    "git"
                        | "rm"
                        | "sh"
                        | "bash"
                        | "zx"
                        | "rimraf"
                        | "del-cli"
                        | "sequelize"
                        | "sequelize-cli"
                        | "knex"
                        | "tsx"
                        | "ts-node"
                        | "cdk"
                        | "sls"
                        | "serverless"
                        | "wrangler"
                        | "prisma"
                        | "supabase"
                        | "firebase"
                        | "vercel"
                        | "netlify"
                )
            });
            return (runs && known).then(|| self.operands_run(call, at, io));
        }
        if call.name == "su" {
            if let Some(text) = &io.input {
                return Some(self.script(call, &text.clone(), &[], &Io::default()));
            }
            return Some(String::new());
        }
        if call.name == "script" {
            // `script file command ...` of other systems.
            let at = call.args.iter().position(|arg| !arg.text.starts_with('-')).map_or(usize::MAX, |at| at + 1);
            return (at < call.args.len()).then(|| self.operands_run(call, at, io));
        }
        None
    }
}

/// The one program of an image that is nothing else: `alpine/git`, `hashicorp/terraform`.
fn entry(image: &str) -> Option<&'static str> {
    let name = image.rsplit('/').next()?.split([':', '@']).next()?;
    match name {
        "git" if image.contains('/') => Some("git"),
        "terraform" => Some("terraform"),
        "opentofu" => Some("tofu"),
        "aws-cli" => Some("aws"),
        "kubectl" => Some("kubectl"),
        "helm" | "k8s-helm" => Some("helm"),
        _ => None,
    }
}
