//! Programs that run a command in a container, in a virtual machine or in a cluster.

use crate::command::marks::{self, PRINTED};
use crate::command::mounts::{self, Mount};
use crate::command::{Arg, Call, flags, path};
use crate::walk::{Io, Walker};
use std::rc::Rc;

impl Walker<'_> {
    /// Does `work` as on another machine: the directories and files are others.
    pub fn run_remotely(&mut self, call: &Call, work: impl FnOnce(&mut Self) -> String) -> String {
        self.in_container(call, Rc::default(), |walker| {
            walker.is_throwaway = false;
            work(walker)
        })
    }

    /// Does `work` as in a container with these mounts.
    fn in_container(&mut self, call: &Call, mounts: Rc<[Mount]>, work: impl FnOnce(&mut Self) -> String) -> String {
        let before = (
            std::mem::replace(&mut self.is_remote, true),
            std::mem::replace(&mut self.mounts, mounts),
            self.is_throwaway,
        );
        let printed = self.in_subshell(|walker| {
            walker.scope.cwd = "/away/from/here".to_string();
            walker.run_by(call, work)
        });
        (self.is_remote, self.mounts, self.is_throwaway) = before;
        printed
    }

    /// Runs the command of `docker run`, `kubectl exec` and the like; None where there is none.
    pub fn run_container(&mut self, call: &Call, io: &Io) -> Option<String> {
        let valued = "-n --namespace --context --kubeconfig -f --file -p --project-name --host -H -e --env -u --user -w --workdir -c --container --env-file --index --name -v --volume --network --entrypoint -l --label --mount --project --zone -a --app -C --profile --cluster --platform --cpus -m --memory --add-host --hostname --ip --pid --restart --gpus --tmpfs --device --cap-add --cap-drop --command --service";
        let options = flags(&call.args, valued);
        let words: Vec<&str> = options.operands.iter().map(|arg| arg.text.as_str()).collect();
        if call.name == "minikube" && words.first() == Some(&"kubectl") {
            let at = call.args.iter().position(|arg| !matches!(arg.text.as_str(), "kubectl" | "--"))?;
            let inner =
                Call { args: call.args[at..].to_vec(), name: "kubectl".into(), path: "kubectl".into(), ..call.clone() };
            self.show(&inner);
            return self.run_container(&inner, io);
        }
        // A container that is removed afterwards loses nothing of value, except in its mounts.
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
            return Some(self.run_remotely(call, |walker| walker.run_script(call, &text, &[], &Io::default())));
        }
        // All arguments after the container's name belong to the command.
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
        // The mounts of a container inside of a container are not known.
        let mounts = if self.is_remote { Rc::default() } else { mounts::mounts(&options, &self.scope.cwd) };
        // `compose` has its mounts in a file, which is not read.
        let is_fresh = matches!(words.as_slice(), ["run", ..] | ["container", "run", ..])
            && matches!(call.name.as_str(), "docker" | "podman" | "nerdctl")
            && !options.any(&["--privileged", "--volumes-from", "--rootfs"]);
        let dir = options.value("-w").or_else(|| options.value("--workdir"));
        let dir = dir.filter(|dir| dir == "/" || mounts::local_path(&mounts, &path::join("/", dir)).is_some());
        match after.filter(|at| *at < call.args.len()) {
            Some(at) => {
                let mut args = call.args[at..].to_vec();
                // An image with an entrypoint takes the arguments of that program.
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
                if let Some(text) = line.map(|first| marks::literal(&first.text)) {
                    return Some(self.run_remotely(call, |walker| walker.run_script(call, &text, &[], &Io::default())));
                }
                let inner = Call { args, ..call.clone() };
                self.in_container(call, mounts, |walker| {
                    walker.is_throwaway = is_fresh;
                    if let Some(dir) = dir {
                        walker.scope.cwd = dir;
                    }
                    walker.trail.pop();
                    let printed = walker.run_operands(&inner, 0, io);
                    walker.trail.push(String::new());
                    printed
                });
                Some(PRINTED.to_string())
            }
            None => None,
        }
    }
}

/// The entrypoint of a well-known image: `alpine/git`, `hashicorp/terraform`.
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
