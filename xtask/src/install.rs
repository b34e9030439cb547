//! Installs programs, manuals, completions and the plugin's files below a prefix, or removes them again.
//!
//! Each file is written under a temporary name and renamed, so that a hook that runs at the same time finds its program.

mod compiler;
pub mod dist;
mod sizes;

use crate::plugin::{self, checkout};
use crate::{Failure, stage};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// Where the plugin's programs are, below the prefix.
const PLUGIN_PROGRAMS: &str = "share/review-gate/plugin/bin";

/// The parsed command line.
#[derive(Default)]
struct Options {
    prefix: PathBuf,
    bin: Option<PathBuf>,
    dry_run: bool,
    uninstall: bool,
}

/// Where a file's content comes from.
enum Content {
    /// A built program, by its name.
    Program(String),
    /// A file of the checkout.
    File(PathBuf),
    /// A program's completion script for a shell.
    Completion(String, &'static str),
    /// The program of that name again, as a hard link. A client that copies the plugin leaves out a link that leads out of it.
    Twin(String),
}

/// One file to install: its place below the prefix, and its content.
struct Item {
    place: PathBuf,
    content: Content,
}

/// The directory of the built programs.
struct Built {
    dir: PathBuf,
    how: &'static str,
}

/// `xtask install [--prefix DIR] [--bin DIR] [--dry-run] [--uninstall]`
pub fn run(args: &mut lexopt::Parser) -> Result<(), Failure> {
    let mut options = Options::default();
    let mut prefix = None;
    while let Some(arg) = args.next()? {
        match arg {
            lexopt::Arg::Long("prefix") => prefix = Some(PathBuf::from(args.value()?)),
            lexopt::Arg::Long("bin") => options.bin = Some(PathBuf::from(args.value()?)),
            lexopt::Arg::Long("dry-run") => options.dry_run = true,
            lexopt::Arg::Long("uninstall") => options.uninstall = true,
            other => return Err(other.unexpected().into()),
        }
    }
    let prefix = prefix.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local")));
    options.prefix = std::path::absolute(prefix.ok_or("HOME is not set. Pass --prefix DIR")?)?;
    for line in install(&options)? {
        stage::say(&line);
    }
    Ok(())
}

/// Installs or uninstalls, and returns the lines to print.
fn install(options: &Options) -> Result<Vec<String>, Failure> {
    let items = items()?;
    if options.dry_run {
        let verb = if options.uninstall { "would remove" } else { "would write" };
        return Ok(items.iter().map(|item| format!("{verb} {}", options.prefix.join(&item.place).display())).collect());
    }
    if options.uninstall {
        return uninstall(&options.prefix, &items);
    }
    let built = match &options.bin {
        Some(dir) => Built { dir: fs::canonicalize(dir)?, how: "" },
        None => build()?,
    };
    // Every source is read before the first file is replaced, so that a missing one changes nothing.
    let ready: Vec<(&Item, Ready)> =
        items.iter().map(|item| Ok((item, ready(item, &built.dir, &built.dir)?))).collect::<Result<_, Failure>>()?;
    let programs_of_plugin = options.prefix.join(PLUGIN_PROGRAMS);
    if programs_of_plugin.is_symlink() {
        fs::remove_file(programs_of_plugin)?;
    }
    for (item, ready) in &ready {
        put(&options.prefix, &item.place, ready)?;
    }
    let programs = items.iter().filter(|item| matches!(item.content, Content::Program(_))).count();
    let prefix = options.prefix.display();
    let mut report = vec![
        format!("{programs} programs{} in {prefix}/bin", built.how),
        format!("manuals in {prefix}/share/man; completions for bash, zsh and fish in {prefix}/share"),
        format!("the plugin's files and the schemas in {prefix}/share/review-gate"),
    ];
    let bin = options.prefix.join("bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|dir| dir == bin) {
        report.push(format!("not in PATH. Add to your shell's profile: export PATH=\"{}:$PATH\"", bin.display()));
    }
    Ok(report)
}

/// The programs, as Cargo.toml lists them.
fn programs() -> Result<Vec<String>, Failure> {
    let manifest = fs::read_to_string(checkout().join("Cargo.toml"))?;
    let names = manifest.split("[[bin]]").skip(1).filter_map(|part| part.split('"').nth(1));
    Ok(names.map(str::to_string).collect())
}

/// The files of a folder of the checkout, sorted.
fn files_of(folder: &str) -> Result<Vec<PathBuf>, Failure> {
    let paths = fs::read_dir(checkout().join(folder))?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>()?;
    paths.retain(|path| path.is_file());
    paths.sort();
    Ok(paths)
}

/// All files to install. The programs come after the files that they need, and the plugin's after those that they are links to.
fn items() -> Result<Vec<Item>, Failure> {
    let mut items = Vec::new();
    let mut add = |place: String, content| items.push(Item { place: PathBuf::from(place), content });
    for path in files_of("man")? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(section) = name.rsplit('.').next().filter(|section| ["1", "5", "7"].contains(section)) {
            add(format!("share/man/man{section}/{name}"), Content::File(path));
        }
    }
    for name in programs()? {
        let completion = |shell| Content::Completion(name.clone(), shell);
        add(format!("share/bash-completion/completions/{name}"), completion("bash"));
        add(format!("share/zsh/site-functions/_{name}"), completion("zsh"));
        add(format!("share/fish/vendor_completions.d/{name}.fish"), completion("fish"));
    }
    for path in files_of("schema")? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        add(format!("share/review-gate/schema/{name}"), Content::File(path));
    }
    for (place, path) in plugin::files()? {
        add(format!("share/review-gate/plugin/{place}"), Content::File(path));
    }
    for name in programs()? {
        add(format!("bin/{name}"), Content::Program(name));
    }
    for name in programs()? {
        add(format!("{PLUGIN_PROGRAMS}/{name}"), Content::Twin(name));
    }
    Ok(items)
}

/// The content of a file that is ready to be written.
enum Ready {
    File(Vec<u8>, u32),
    /// A hard link to this file below the prefix.
    Link(PathBuf),
}

/// Reads the content of a file. Programs of another processor cannot print completions: `host` holds some that run here.
fn ready(item: &Item, bin: &Path, host: &Path) -> Result<Ready, Failure> {
    let read = |path: &Path| fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
    Ok(match &item.content {
        Content::Program(name) => Ready::File(read(&bin.join(name))?, 0o755),
        Content::File(path) => Ready::File(read(path)?, 0o644),
        Content::Twin(name) => Ready::Link(Path::new("bin").join(name)),
        Content::Completion(name, shell) => {
            let sh = Shell::new()?;
            let program = host.join(name);
            let script = cmd!(sh, "{program} --completion {shell}").quiet().read()?;
            Ready::File((script + "\n").into_bytes(), 0o644)
        }
    })
}

/// Replaces a file in one step: a reader finds either the old or the new one.
fn put(prefix: &Path, place: &Path, ready: &Ready) -> Result<(), Failure> {
    let place = &prefix.join(place);
    let dir = place.parent().unwrap_or(place);
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let fresh = dir.join(format!(".{name}.{}", std::process::id()));
    let done = (|| {
        fs::create_dir_all(dir)?;
        match ready {
            // A file system without hard links gets a copy.
            Ready::Link(to) => {
                fs::hard_link(prefix.join(to), &fresh).or_else(|_| fs::copy(prefix.join(to), &fresh).map(drop))?;
            }
            Ready::File(bytes, mode) => {
                fs::write(&fresh, bytes)?;
                fs::set_permissions(&fresh, fs::Permissions::from_mode(*mode))?;
            }
        }
        fs::rename(&fresh, place)
    })();
    done.map_err(|e: std::io::Error| {
        // Removes the temporary file.
        let _ = fs::remove_file(&fresh);
        format!("{}: {e}", place.display()).into()
    })
}

/// Removes the installed files, and our own folders if they are empty.
fn uninstall(prefix: &Path, items: &[Item]) -> Result<Vec<String>, Failure> {
    let mut removed = 0;
    for item in items {
        let place = prefix.join(&item.place);
        match fs::remove_file(&place) {
            Ok(()) => removed += 1,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{}: {error}", place.display()).into()),
        }
    }
    let mut dirs: BTreeSet<&Path> = items.iter().flat_map(|item| item.place.ancestors()).collect();
    dirs.retain(|dir| dir.starts_with("share/review-gate"));
    for dir in dirs.iter().rev() {
        // A folder with other files stays.
        let _ = fs::remove_dir(prefix.join(dir));
    }
    Ok(vec![format!("removed {removed} files below {}", prefix.display())])
}

/// The target for static programs on this processor.
fn static_target() -> String {
    format!("{}-unknown-linux-musl", std::env::consts::ARCH)
}

/// Whether Rust's library for that target is installed.
fn has_library(shell: &Shell, target: &str) -> bool {
    let library = cmd!(shell, "rustc --print target-libdir --target {target}").quiet().ignore_stderr().read();
    library.is_ok_and(|dir| Path::new(&dir).is_dir())
}

/// The directory of all builds.
fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| checkout().join("target"), PathBuf::from)
}

/// Builds the programs, statically if the musl target is installed.
fn build() -> Result<Built, Failure> {
    let shell = Shell::new()?;
    shell.change_dir(checkout());
    let musl = static_target();
    if cfg!(target_os = "linux") && has_library(&shell, &musl) {
        cmd!(shell, "cargo build --quiet --release --locked --package review-gate --bins --target {musl}")
            .quiet()
            .run()?;
        return Ok(Built { dir: target_dir().join(musl).join("release"), how: " (static)" });
    }
    if cfg!(target_os = "linux") {
        let cost = "dynamically linked programs take about four times the processor time at each stop";
        stage::say(&format!("{cost}. For static ones: `rustup target add {musl}`, then install again"));
    }
    cmd!(shell, "cargo build --quiet --release --locked --package review-gate --bins").quiet().run()?;
    Ok(Built { dir: target_dir().join("release"), how: "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    /// Fake programs that print a completion script, or their name.
    pub fn built(dir: &Path, version: &str) {
        fs::create_dir_all(dir).unwrap();
        for name in programs().unwrap() {
            let script =
                format!("#!/bin/sh\n[ \"$1\" = --completion ] && echo \"# {name} for $2\" || echo {version}\n");
            fs::write(dir.join(&name), script).unwrap();
            fs::set_permissions(dir.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// A folder that is removed with the test.
    pub struct Dir(pub PathBuf);

    impl Dir {
        pub fn new(name: &str) -> Dir {
            let dir = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
            fs::create_dir_all(&dir).unwrap();
            Dir(fs::canonicalize(dir).unwrap())
        }

        /// The paths of all files below it, sorted.
        pub fn files(&self) -> Vec<PathBuf> {
            let (mut open, mut found) = (vec![self.0.clone()], Vec::new());
            while let Some(dir) = open.pop() {
                for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
                    if path.is_dir() && !path.is_symlink() { open.push(path) } else { found.push(path) }
                }
            }
            found.sort();
            found
        }
    }

    impl Drop for Dir {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn options(prefix: &Dir, bin: &Dir) -> Options {
        Options { prefix: prefix.0.clone(), bin: Some(bin.0.clone()), ..Options::default() }
    }

    #[test]
    fn a_dry_run_names_every_file_and_writes_none() {
        let (prefix, bin) = (Dir::new("dry"), Dir::new("dry-bin"));
        let said = install(&Options { dry_run: true, ..options(&prefix, &bin) }).unwrap();
        assert_eq!(prefix.files(), [""; 0].map(PathBuf::from));
        for place in ["bin/rg-check", "share/man/man5/DONE.md.5", "share/zsh/site-functions/_rg-loop"] {
            assert!(said.contains(&format!("would write {}/{place}", prefix.0.display())), "{place}: {said:?}");
        }
    }

    #[test]
    fn files_are_where_shells_and_man_look_and_uninstall_removes_them() {
        let (prefix, bin) = (Dir::new("all"), Dir::new("all-bin"));
        built(&bin.0, "1");
        let said = install(&options(&prefix, &bin)).unwrap();
        assert!(said.iter().any(|line| line.contains(&format!("export PATH=\"{}/bin:$PATH\"", prefix.0.display()))));
        let read = |place: &str| fs::read_to_string(prefix.0.join(place)).unwrap();
        assert_eq!(read("share/bash-completion/completions/rg-check").trim(), "# rg-check for bash");
        assert_eq!(read("share/zsh/site-functions/_rg-check").trim(), "# rg-check for zsh");
        assert_eq!(read("share/fish/vendor_completions.d/rg-check.fish").trim(), "# rg-check for fish");
        assert!(read("share/man/man1/rg-check.1").starts_with(".Dd "));
        let twin = fs::symlink_metadata(prefix.0.join("share/review-gate/plugin/bin/rg-check")).unwrap();
        assert!(twin.is_file() && twin.nlink() == 2, "the plugin has its programs, and they take no more space");
        let mode = fs::metadata(prefix.0.join("bin/rg-check")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        // A second installation adds no file and replaces the programs.
        let first = prefix.files();
        built(&bin.0, "2");
        install(&options(&prefix, &bin)).unwrap();
        assert_eq!(prefix.files(), first);
        assert!(read("bin/rg-check").contains("echo 2"));
        // A file of the user stays.
        fs::write(prefix.0.join("bin/mine"), "").unwrap();
        let out = Options { uninstall: true, ..options(&prefix, &bin) };
        assert_eq!(install(&out).unwrap(), [format!("removed {} files below {}", first.len(), prefix.0.display())]);
        assert_eq!(prefix.files(), [prefix.0.join("bin/mine")]);
        assert!(!prefix.0.join("share/review-gate").exists());
        assert_eq!(install(&out).unwrap(), [format!("removed 0 files below {}", prefix.0.display())]);
    }

    /// A program that is open keeps running, because it is replaced and not overwritten.
    #[test]
    fn a_running_program_is_replaced_not_overwritten() {
        let (prefix, bin) = (Dir::new("runs"), Dir::new("runs-bin"));
        built(&bin.0, "1");
        install(&options(&prefix, &bin)).unwrap();
        let open = fs::File::open(prefix.0.join("bin/rg-check")).unwrap();
        built(&bin.0, "2");
        install(&options(&prefix, &bin)).unwrap();
        assert!(std::io::read_to_string(open).unwrap().contains("echo 1"));
    }

    #[test]
    fn a_missing_program_is_named_before_anything_is_written() {
        let (prefix, bin) = (Dir::new("missing"), Dir::new("missing-bin"));
        built(&bin.0, "1");
        fs::remove_file(bin.0.join("rg-receipt")).unwrap();
        assert!(install(&options(&prefix, &bin)).is_err());
        assert_eq!(prefix.files(), [""; 0].map(PathBuf::from));
    }
}
