//! Release archives: static programs, manuals, completions, schemas and the plugin, a checksum for each archive, and install.sh.
//!
//! The same programs give the same archive, byte for byte: its names are sorted, and it holds no time and no owner.

use super::compiler::compiler;
use super::{Ready, has_library, items, put, ready, sizes, static_target, target_dir};
use crate::plugin::checkout;
use crate::{Failure, stage};
use review_gate::sys::digest;
use std::fs;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// The targets of a release, each with the gcc that builds its C code.
const TARGETS: [(&str, &str); 2] =
    [("x86_64-unknown-linux-musl", "musl-gcc"), ("aarch64-unknown-linux-musl", "aarch64-linux-musl-gcc")];

/// Files of the checkout that an archive holds at its top.
const TEXTS: [&str; 4] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// `xtask dist [--out DIR] [--bin DIR]`
pub fn run(args: &mut lexopt::Parser) -> Result<(), Failure> {
    let (mut out, mut bin) = (None, None);
    while let Some(arg) = args.next()? {
        match arg {
            lexopt::Arg::Long("out") => out = Some(PathBuf::from(args.value()?)),
            lexopt::Arg::Long("bin") => bin = Some(PathBuf::from(args.value()?)),
            other => return Err(other.unexpected().into()),
        }
    }
    let out = out.unwrap_or_else(|| target_dir().join("dist"));
    let built = release(&out, bin)?;
    for (target, bin) in &built {
        sizes::check(target, bin)?;
    }
    Ok(())
}

/// Writes the archives, install.sh and their checksums. Returns the targets with the directories of their programs.
fn release(out: &Path, bin: Option<PathBuf>) -> Result<Vec<(String, PathBuf)>, Failure> {
    fs::create_dir_all(out)?;
    let host = static_target();
    let built = match bin {
        Some(bin) => vec![(host.clone(), bin)],
        None => build()?,
    };
    // Completions come from programs that run here; the text is the same for every target.
    let runs = built.iter().find(|(target, _)| target == &host).or(built.first());
    let runs = runs.map(|(_, bin)| bin.clone()).ok_or("no target can be built here")?;
    let mut names = Vec::new();
    for (target, bin) in &built {
        names.push(archive(out, target, bin, &runs)?);
    }
    fs::copy(checkout().join("install.sh"), out.join("install.sh"))?;
    names.push("install.sh".to_string());
    let mut sums = String::new();
    for name in &names {
        sums.push_str(&format!("{}  {name}\n", digest::sha256(&fs::read(out.join(name))?)));
    }
    fs::write(out.join("SHA256SUMS"), sums)?;
    for name in names.iter().map(String::as_str).chain(["SHA256SUMS"]) {
        stage::say(&out.join(name).display().to_string());
    }
    Ok(built)
}

/// Builds the programs of each target that can be built here. Returns their directories.
fn build() -> Result<Vec<(String, PathBuf)>, Failure> {
    let shell = Shell::new()?;
    shell.change_dir(checkout());
    let mut built = Vec::new();
    for (target, gcc) in TARGETS {
        if !has_library(&shell, target) {
            stage::say(&format!("skipped {target}: Rust's library is missing. `rustup target add {target}`"));
            continue;
        }
        let Some(compiler) = compiler(&shell, target, gcc) else {
            let zig = "zig is not installed. `pip install ziglang`";
            stage::say(&format!("skipped {target}: no C compiler. {gcc} is not on PATH, and {zig}"));
            continue;
        };
        stage::say(&format!("building {target} with {}", compiler.name()));
        let cargo =
            cmd!(shell, "cargo build --quiet --release --locked --package review-gate --bins --target {target}");
        let settings = compiler.settings(target, &target_dir().join("zig"))?;
        cargo.args(settings.options).envs(settings.variables).quiet().run()?;
        built.push((target.to_string(), target_dir().join(target).join("release")));
    }
    Ok(built)
}

/// Writes the archive of one target and returns its name.
fn archive(out: &Path, target: &str, bin: &Path, host: &Path) -> Result<String, Failure> {
    let top = format!("review-gate-{}-{target}", env!("CARGO_PKG_VERSION"));
    let staged = Staged(out.join(format!(".staged.{}", std::process::id())));
    for item in items()? {
        put(&staged.0.join(&top), &item.place, &ready(&item, bin, host)?)?;
    }
    for name in TEXTS {
        put(&staged.0.join(&top), Path::new(name), &Ready::File(fs::read(checkout().join(name))?, 0o644))?;
    }
    let (name, dir) = (format!("{top}.tar.gz"), &staged.0);
    let (tar, zipped) = (dir.join("tar"), out.join(&name));
    let shell = Shell::new()?;
    cmd!(
        shell,
        "tar --create --file {tar} --directory {dir} --format=ustar --sort=name --mtime=@0 --owner=0 --group=0"
    )
    .args(["--numeric-owner", "--mode=u=rwX,go=rX", &top])
    .quiet()
    .run()?;
    let bytes = cmd!(shell, "gzip --best --no-name --stdout {tar}").quiet().output()?.stdout;
    fs::write(zipped, bytes)?;
    Ok(name)
}

/// A directory that is removed at the end.
struct Staged(PathBuf);

impl Drop for Staged {
    fn drop(&mut self) {
        // It is a copy; what remains does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Dir, built};
    use super::*;
    use std::process::{Command, Output};

    /// A release of fake programs, and a home to install it in.
    struct Made {
        out: Dir,
        home: Dir,
        archive: PathBuf,
    }

    fn made(name: &str) -> Made {
        let (out, bin) = (Dir::new(&format!("{name}-out")), Dir::new(&format!("{name}-bin")));
        built(&bin.0, "1");
        release(&out.0, Some(bin.0.clone())).unwrap();
        let archive = out.files().into_iter().find(|path| path.extension().is_some_and(|ending| ending == "gz"));
        Made { archive: archive.unwrap(), out, home: Dir::new(&format!("{name} home")) }
    }

    impl Made {
        /// Runs install.sh with that HOME and no way to a network.
        fn script(&self, args: &[&str]) -> Output {
            let mut command = Command::new("sh");
            command.arg(self.out.0.join("install.sh")).args(args).env("HOME", &self.home.0);
            command.env("http_proxy", "http://127.0.0.1:9").env("https_proxy", "http://127.0.0.1:9");
            command.output().unwrap()
        }
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    #[test]
    fn the_same_programs_give_the_same_archive() {
        let (first, second) = (made("same-1"), made("same-2"));
        assert_eq!(first.archive.file_name(), second.archive.file_name());
        assert_eq!(fs::read(&first.archive).unwrap(), fs::read(&second.archive).unwrap());
        let list = text(&Command::new("tar").arg("-tvzf").arg(&first.archive).output().unwrap().stdout);
        // As paths: a directory `hooks` and what is in it come before `hooks.json`.
        let names = list.lines().filter_map(|line| line.split_whitespace().nth(5)).map(Path::new);
        assert!(names.is_sorted(), "{list}");
        assert!(list.lines().all(|line| line.contains(" 0/0 ") && line.contains(" 1970-01-01 ")), "{list}");
    }

    #[test]
    fn install_sh_installs_what_its_checksum_covers_and_removes_it() {
        let made = made("sh");
        let said = made.script(&[]);
        assert!(said.status.success(), "{}", text(&said.stderr));
        let local = made.home.0.join(".local");
        let read = |place: &str| fs::read_to_string(local.join(place)).unwrap();
        assert_eq!(read("share/fish/vendor_completions.d/rg-check.fish").trim(), "# rg-check for fish");
        assert!(read("share/review-gate/plugin/bin/rg-check").contains("echo 1"), "the plugin finds its programs");
        assert!(read("share/man/man1/rg-check.1").starts_with(".Dd "));
        let said = text(&said.stdout);
        assert!(said.contains(&format!("export PATH=\"{}/bin:$PATH\"", local.display())), "{said}");
        let first = made.home.files();
        // A second installation replaces the files, and a file of the user stays.
        fs::write(local.join("bin/rg-check"), "old").unwrap();
        assert!(made.script(&[made.archive.to_str().unwrap()]).status.success());
        assert!(read("bin/rg-check").contains("echo 1"));
        assert_eq!(made.home.files(), first);
        fs::write(local.join("bin/mine"), "").unwrap();
        let said = made.script(&["--uninstall"]);
        assert!(said.status.success(), "{}", text(&said.stderr));
        assert_eq!(made.home.files(), [local.join("bin/mine")]);
        assert!(!local.join("share/review-gate").exists());
        let again = made.script(&["--uninstall"]);
        assert!(text(&again.stderr).contains("no installation in"), "{}", text(&again.stderr));
    }

    #[test]
    fn install_sh_refuses_an_archive_that_its_checksum_does_not_cover() {
        let made = made("refused");
        let sums = made.out.0.join("SHA256SUMS");
        let good = fs::read_to_string(&sums).unwrap();
        let archive = fs::read(&made.archive).unwrap();
        for (sums_text, archive_bytes, want) in [
            (Some(good.clone()), [archive.as_slice(), b"x"].concat(), "wrong checksum of review-gate-"),
            (Some("0000  other.tar.gz\n".to_string()), archive.clone(), "has no checksum of review-gate-"),
            (None, archive, "SHA256SUMS is missing"),
        ] {
            fs::write(&made.archive, archive_bytes).unwrap();
            match sums_text {
                Some(sums_text) => fs::write(&sums, sums_text).unwrap(),
                None => fs::remove_file(&sums).unwrap(),
            }
            let said = made.script(&[]);
            assert_eq!(said.status.code(), Some(1), "{want}");
            assert!(text(&said.stderr).contains(want), "{want}: {}", text(&said.stderr));
            assert_eq!(made.home.files(), [""; 0].map(PathBuf::from), "{want}");
        }
    }

    /// A list of installed files that was edited removes nothing outside of the prefix.
    #[test]
    fn install_sh_removes_nothing_outside_of_its_prefix() {
        let made = made("outside");
        assert!(made.script(&[]).status.success());
        let mine = made.home.0.join("mine");
        fs::write(&mine, "").unwrap();
        let list = made.home.0.join(".local/share/review-gate/files");
        for name in ["../mine", "share/../../mine", "/etc/mine", ".profile"] {
            fs::write(&list, format!("bin/rg-check\n{name}\n")).unwrap();
            let said = made.script(&["--uninstall"]);
            assert_eq!(said.status.code(), Some(1), "{name}: {}", text(&said.stdout));
            assert!(mine.exists() && made.home.0.join(".local/bin/rg-check").exists(), "{name}");
        }
    }
}
