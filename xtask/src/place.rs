//! A scratch place for one set of programs: a repository, a home, a state directory, a clock that is pinned in debug builds.

use crate::Failure;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The pinned time, which only debug builds accept.
const NOW: &str = "2026-11-21T12:00:00.000Z";
/// Seconds after which a hanging run is ended with status 124.
const LIMIT: &str = "120";

/// The programs of one side, and the checkout with their transcripts and hooks.json.
pub struct Set {
    pub bin: PathBuf,
    pub tree: PathBuf,
}

/// The place in which one set runs one job.
pub struct Place<'a> {
    pub set: &'a Set,
    pub top: PathBuf,
    env: Vec<(String, String)>,
}

/// The result of a command: its status and both streams.
pub struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl<'a> Place<'a> {
    /// An empty place at `top`; both sets use the same path, one after the other.
    pub fn new(set: &'a Set, top: &Path) -> Result<Place<'a>, Failure> {
        for dir in ["repo", "home", "plugin/agents"] {
            fs::create_dir_all(top.join(dir))?;
        }
        symlink(&set.bin, top.join("bin"))?;
        symlink(&set.bin, top.join("plugin/bin"))?;
        fs::copy(set.tree.join("agents/reviewer.md"), top.join("plugin/agents/reviewer.md"))?;
        let config = "[user]\n\tname = Tester\n\temail = tester@example.invalid\n[init]\n\tdefaultBranch = main\n\
                      [protocol \"file\"]\n\tallow = always\n[core]\n\thooksPath = /dev/null\n";
        fs::write(top.join("home/.gitconfig"), config)?;
        let at = |path: &str| top.join(path).display().to_string();
        let path = format!("{}:{}", at("bin"), std::env::var("PATH").unwrap_or_default());
        let env = [
            ("PATH", path),
            ("T", at("")),
            ("LIB", set.tree.join("tests/pipe/lib").display().to_string()),
            ("HOME", at("home")),
            ("XDG_STATE_HOME", at("home/.local/state")),
            ("RG_STATE", at("state")),
            ("RG_NOW", NOW.into()),
            ("TMPDIR", at("home")),
            ("LC_ALL", "C".into()),
            ("TZ", "UTC".into()),
            ("USER", "tester".into()),
            ("TERM", "dumb".into()),
            ("CLAUDE_PID", "4242".into()),
            ("CLAUDE_PLUGIN_ROOT", at("plugin")),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CONFIG_GLOBAL", at("home/.gitconfig")),
            ("GIT_AUTHOR_DATE", "2026-11-20T12:00:00Z".into()),
            ("GIT_COMMITTER_DATE", "2026-11-20T12:00:00Z".into()),
        ];
        let env = env.map(|(name, value)| (name.to_string(), value.trim_end_matches('/').to_string()));
        Ok(Place { set, top: top.to_path_buf(), env: env.into() })
    }

    /// An empty place at `top` with the real clock and without a client.
    pub fn without_client(set: &'a Set, top: &Path) -> Result<Place<'a>, Failure> {
        let mut place = Place::new(set, top)?;
        place.env.retain(|(name, _)| name != "RG_NOW" && !name.starts_with("CLAUDE_"));
        Ok(place)
    }

    /// The repository that programs run in.
    pub fn repo(&self) -> PathBuf {
        self.top.join("repo")
    }

    /// Writes a file of the repository and creates its directories.
    pub fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        let path = self.repo().join(path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(fs::write(path, text)?)
    }

    /// Runs a program with that input.
    pub fn run(&self, program: &str, args: &[String], stdin: &str) -> Result<Said, Failure> {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", LIMIT, program]).args(args).current_dir(self.repo());
        command.env_clear().envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (input, bytes) = (child.stdin.take(), stdin.as_bytes().to_vec());
        let writer = std::thread::spawn(move || {
            // A program need not read all of its input.
            let _ = input.map(|mut input| input.write_all(&bytes));
        });
        let output = child.wait_with_output()?;
        let _ = writer.join();
        let text = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            text.replace(&*self.set.bin.to_string_lossy(), "$BIN")
        };
        Ok(Said { status: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) })
    }

    /// Runs a shell line with that input.
    pub fn sh(&self, line: &str, stdin: &str) -> Result<Said, Failure> {
        self.run("sh", &["-c".into(), line.into()], stdin)
    }

    /// Runs a shell line that prepares a run. It must succeed.
    pub fn ok(&self, line: &str) -> Result<(), Failure> {
        let said = self.sh(line, "")?;
        if said.status == 0 { Ok(()) } else { Err(format!("{line}: status {}: {}", said.status, said.err).into()) }
    }
}

#[cfg(test)]
pub mod tests {
    use super::Set;
    use crate::plugin;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    /// A fake rg-event, and a fake rg-tamper that reports each file of the working tree that contains "skip".
    pub fn fake_programs(dir: &Path) -> Set {
        let bin = dir.join("programs");
        fs::create_dir_all(&bin).unwrap();
        let finding = r#"{"by":"rg-tamper","level":"tampered","rule":"no_new_skips","path":"'$f'"}"#;
        let tamper = format!(
            "#!/bin/sh\ncat >/dev/null\ntest -f DONE.md || exit 1\n\
             found=$(grep -l skip *.js | while read f; do echo '{finding}'; done | paste -sd ,)\n\
             echo '{{\"verdicts\":[{{\"by\":\"rg-tamper\"}}],\"findings\":['\"$found\"']}}'\n"
        );
        for (name, script) in [("rg-event", "#!/bin/sh\necho \"$@\"\n"), ("rg-tamper", &tamper)] {
            fs::write(bin.join(name), script).unwrap();
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        Set { bin, tree: plugin::checkout() }
    }
}
