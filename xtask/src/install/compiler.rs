//! The C compiler and the linker for a target of a release: a gcc for that target, or zig.

use super::static_target;
use crate::Failure;
use crate::plugin::checkout;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// The ways to start zig: its own program, and the package of Python.
const ZIG: [&[&str]; 2] = [&["zig"], &["python3", "-m", "ziglang"]];

/// What builds the C code of a target.
#[derive(Debug, PartialEq)]
pub enum Compiler {
    /// A gcc for the target, which links, too.
    Gcc(&'static str),
    /// zig for the C code. Rust's own lld links, because zig would add a second start file.
    Zig(&'static [&'static str]),
}

/// What cargo has to know for a target.
pub struct Settings {
    /// Options of its command line.
    pub options: Vec<String>,
    /// Variables of its environment.
    pub variables: Vec<(String, String)>,
}

/// The first compiler for a target that is installed.
pub fn compiler(shell: &Shell, target: &str, gcc: &'static str) -> Option<Compiler> {
    let runs = |words: &[&str], version: &str| {
        let (program, args) = words.split_first()?;
        let said = cmd!(shell, "{program}").args(args).arg(version).quiet().ignore_stdout().ignore_stderr().run();
        said.is_ok().then_some(())
    };
    let by_gcc = runs(&[gcc], "--version").map(|()| Compiler::Gcc(gcc));
    // zig's headers are newer than those of the host, so only another processor needs it.
    let by_zig = || ZIG.into_iter().find(|words| runs(words, "version").is_some()).map(Compiler::Zig);
    by_gcc.or_else(|| by_zig().filter(|_| target != static_target()))
}

impl Compiler {
    /// Its name for people.
    pub fn name(&self) -> String {
        match self {
            Compiler::Gcc(gcc) => (*gcc).to_string(),
            Compiler::Zig(words) => words.join(" "),
        }
    }

    /// What cargo has to know. The programs that start zig are written to `scripts`.
    pub fn settings(&self, target: &str, scripts: &Path) -> Result<Settings, Failure> {
        let (snake, upper) = (target.replace('-', "_"), target.replace('-', "_").to_uppercase());
        match self {
            // These flags are added to those of .cargo/config.toml.
            Compiler::Gcc(gcc) => {
                let linker = (format!("CARGO_TARGET_{upper}_LINKER"), (*gcc).to_string());
                let linker = (target != static_target()).then_some(linker).into_iter().collect();
                let options = vec!["--config".into(), format!("target.{target}.rustflags={:?}", remaps())];
                Ok(Settings { options, variables: linker })
            }
            // These replace them, because their arguments of the linker are those of a gcc.
            Compiler::Zig(words) => {
                let mut flags =
                    ["-Crelocation-model=static", "-Clink-arg=-znoseparate-code", "-Clink-self-contained=yes"]
                        .map(str::to_string)
                        .to_vec();
                flags.extend(["-Clinker=rust-lld", "-Clinker-flavor=ld.lld"].map(str::to_string));
                flags.extend(remaps());
                let mut variables = vec![("CARGO_ENCODED_RUSTFLAGS".into(), flags.join("\x1f"))];
                for (name, verb) in [("CC", "cc"), ("AR", "ar")] {
                    let script = script(scripts, words, verb, target)?;
                    variables.push((format!("{name}_{snake}"), script.to_string_lossy().into_owned()));
                }
                Ok(Settings { options: Vec::new(), variables })
            }
        }
    }
}

/// The flags that keep paths of the machine that builds out of the programs.
fn remaps() -> [String; 2] {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo"))).unwrap_or_default();
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    [remap(&checkout(), "."), remap(&home, "cargo")]
}

/// A program that starts zig for the target. Build scripts add Rust's name of the target, which zig does not know.
fn script(dir: &Path, words: &[&str], verb: &str, target: &str) -> Result<PathBuf, Failure> {
    let zig = words.join(" ");
    let text = match verb {
        "cc" => {
            let name = target.replace("-unknown", "");
            format!(
                "#!/bin/sh\nfor word; do\n    shift\n    case $word in --target=*) ;; *) set -- \"$@\" \"$word\" ;; esac\ndone\n\
                 exec {zig} cc -target {name} \"$@\"\n"
            )
        }
        verb => format!("#!/bin/sh\nexec {zig} {verb} \"$@\"\n"),
    };
    fs::create_dir_all(dir)?;
    let path = dir.join(verb);
    fs::write(&path, text)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Dir;
    use super::*;
    use std::process::Command;

    #[test]
    fn zig_gets_its_own_name_of_the_target_and_each_other_word_as_it_is() {
        let dir = Dir::new("zig");
        let script = script(&dir.0, &["echo"], "cc", "aarch64-unknown-linux-musl").unwrap();
        let said =
            Command::new(script).args(["-O3", "--target=aarch64-unknown-linux-musl", "a b", "-c"]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&said.stdout), "cc -target aarch64-linux-musl -O3 a b -c\n");
    }

    #[test]
    fn each_linker_gets_the_arguments_that_it_knows() {
        let (target, dir) = ("aarch64-unknown-linux-musl", Dir::new("scripts"));
        let config = fs::read_to_string(checkout().join(".cargo/config.toml")).unwrap();
        let Settings { options, variables } = Compiler::Gcc("some-gcc").settings(target, &dir.0).unwrap();
        assert!(
            options[1].starts_with("target.aarch64-unknown-linux-musl.rustflags=[\"--remap-path-prefix="),
            "{options:?}"
        );
        assert_eq!(variables, [("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER".into(), "some-gcc".into())]);
        // What .cargo/config.toml says to a gcc is said to lld in its words.
        assert_eq!(
            config.matches("relocation-model=static\", \"-C\", \"link-arg=-Wl,-z,noseparate-code\"]").count(),
            2
        );
        let Settings { options, variables } = Compiler::Zig(&["zig"]).settings(target, &dir.0).unwrap();
        assert!(
            options.is_empty() && variables[0].1.contains("-Crelocation-model=static\x1f-Clink-arg=-znoseparate-code")
        );
        assert!(variables[1].0 == "CC_aarch64_unknown_linux_musl" && variables[1].1.ends_with("/cc"), "{variables:?}");
    }
}
