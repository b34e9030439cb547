//! Directories that a command fills with files whose names it does not show.

use crate::command::{Call, flags};

/// The directories that a call fills: it copies, links, clones, unpacks or downloads into them.
pub fn filled_dirs(call: &Call) -> Vec<String> {
    let value = |valued: &str, names: &[&str]| {
        let found = flags(&call.args, valued);
        names.iter().find_map(|name| found.value(name)).into_iter().collect::<Vec<String>>()
    };
    match call.name.as_str() {
        "cp" | "gcp" | "mv" | "gmv" | "ln" | "gln" | "rsync" | "scp" | "ditto" => copied_dirs(call),
        "tar" | "gtar" | "bsdtar" => {
            let bundle = call.args.first().map_or("", |arg| arg.text.trim_start_matches('-'));
            let found = flags(&call.args, "-f -C --directory --file");
            let unpacks = bundle.contains('x') && !bundle.starts_with('-') || found.any(&["-x", "--extract", "--get"]);
            let dirs = value("-f -C --directory --file", &["-C", "--directory"]);
            if unpacks { dirs } else { Vec::new() }
        }
        "unzip" => value("-d -x -P", &["-d"]),
        "7z" | "7za" | "7zr" | "7zz" | "unar" => value("-o -output-directory", &["-o"]),
        "cpio" => value("-D --directory -F -I -O", &["-D", "--directory"]),
        "wget" | "wget2" => value("-P --directory-prefix -O -o", &["-P", "--directory-prefix"])
            .into_iter()
            .filter(|_| flags(&call.args, "").any(&["-r", "--recursive", "-m", "--mirror", "--content-disposition"]))
            .collect(),
        "curl" => value("--output-dir -o -H -d -X -u", &["--output-dir"])
            .into_iter()
            .filter(|_| flags(&call.args, "").any(&["-J", "--remote-header-name"]))
            .collect(),
        "git" => git_dirs(call),
        "gh" | "glab" | "hg" | "svn" | "degit" | "tiged" | "docker" | "podman" | "kubectl" => {
            let found = flags(&call.args, "-b --branch --depth -r -u -n -c --namespace");
            let verb = |name: &str| found.operands.iter().take(2).any(|arg| arg.text == name);
            let makes = ["clone", "checkout", "co", "export", "cp"].iter().any(|name| verb(name));
            let last = found.operands.last().map(|arg| arg.text.clone()).filter(|_| found.operands.len() > 1);
            last.filter(|_| makes || call.name.ends_with("git") || call.name == "tiged").into_iter().collect()
        }
        "mount" | "umount" | "bindfs" | "sshfs" => {
            flags(&call.args, "-t -o -L -U").operands.iter().map(|arg| arg.text.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// The directories that become a copy of a directory, or a link.
fn copied_dirs(call: &Call) -> Vec<String> {
    let found = flags(
        &call.args,
        "-t -S -m -o -g -e -f -i -F --target-directory --suffix --mode --rsh --exclude --include --filter",
    );
    let is_deep = match call.name.as_str() {
        "ln" | "gln" => found.any(&["-s", "--symbolic"]),
        "mv" | "gmv" | "ditto" => true,
        "scp" => found.has("-r"),
        _ => found.any(&["-r", "-R", "-a", "--recursive", "--archive", "-d"]),
    };
    if !is_deep || call.name == "rsync" && found.is_set(&["-n", "--dry-run"]) {
        return Vec::new();
    }
    let target = found.value("-t").or_else(|| found.value("--target-directory"));
    let mut sources: Vec<&str> = found.operands.iter().map(|arg| arg.text.as_str()).collect();
    let target = match target {
        Some(target) => target,
        None if sources.len() > 1 => sources.pop().unwrap_or("").to_string(),
        // `ln -s X/.claude` makes `.claude` here.
        None if call.name.ends_with("ln") => ".".to_string(),
        None => return Vec::new(),
    };
    let mut dirs = Vec::new();
    for source in &sources {
        let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        let is_contents = name == "." || call.name == "rsync" && source.ends_with('/');
        if !is_contents {
            dirs.push(format!("{}/{name}", target.trim_end_matches('/')));
        }
    }
    dirs.push(target);
    dirs
}

/// The directories that git makes or fills.
fn git_dirs(call: &Call) -> Vec<String> {
    let text = |at: usize| call.args.get(at).map_or("", |arg| arg.text.as_str());
    let valued = "-b -B -o --branch --origin --depth -c --config --reference --template --filter -j --jobs --name --reason -P --prefix";
    let found = flags(&call.args, valued);
    let operand = |at: usize| found.operands.get(at).map(|arg| arg.text.clone());
    let prefix = found.value("--prefix").or_else(|| found.value("-P"));
    match (text(0), text(1)) {
        ("clone", _) => operand(2)
            .or_else(|| {
                let url = operand(1)?;
                let name = url.trim_end_matches('/').rsplit(['/', ':']).next()?;
                Some(name.strip_suffix(".git").unwrap_or(name).to_string())
            })
            .into_iter()
            .collect(),
        ("worktree", "add") => operand(2).into_iter().collect(),
        ("worktree", "move") | ("submodule", "add") => operand(3).into_iter().collect(),
        ("subtree" | "checkout-index" | "read-tree", _) => prefix.into_iter().collect(),
        ("mv", _) => found.operands.iter().skip(1).map(|arg| arg.text.clone()).collect(),
        _ => Vec::new(),
    }
}
