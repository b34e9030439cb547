//! rg-outline: lists the tests of source files, what they assert, and what keeps them from running.
//!
//! It is the only program with grammars in it. It limits its own processor time and memory.
//! man: rg-outline(1)

// tree-sitter is C. musl's allocator takes a quarter of the time of parsing.
#[cfg(target_env = "musl")]
use libmimalloc_sys as _;

mod bats;
mod diff;
mod file;
mod frames;
mod language;
mod languages;
mod limits;
mod linters;
mod macros;
mod query;
mod reader;
mod rustdoc;
mod show;
mod statements;
mod tree;

use file::Reader;
use review_gate::outline::Outline;
use review_gate::sys::error::Result;
use review_gate::sys::exit::Exit;
use review_gate::sys::files;
use review_gate::tool::cli::{self, Args, Flag, Form, Opt, Tool};
use review_gate::tool::pipes;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const TOOL: Tool = Tool {
    name: "rg-outline",
    about: "list the tests of source files and what they assert",
    hint: "rg-outline test.js",
    forms: &[
        Form { takes: &["json", "lang"], operands: "file ...", ..Form::BARE },
        Form {
            verb: "diff",
            about: "Print what changed between two versions of a file.",
            takes: &["lang"],
            operands: "old new",
            ..Form::BARE
        },
    ],
    options: &[
        Opt::flag("json", "Print JSON, one object a line."),
        Opt::with("lang", "name", "Read all files as this language."),
    ],
};

fn main() -> ExitCode {
    cli::main(&TOOL, |args| match args.verb()? {
        "diff" => compare(args),
        _ => list(args),
    })
}

/// What the command line asks for.
#[derive(Default)]
struct Wish {
    json: bool,
    reader: Reader,
    paths: Vec<PathBuf>,
}

fn wish(args: &mut Args) -> Result<Wish> {
    let mut wish = Wish::default();
    while let Some(word) = args.flag_or_path()? {
        match word {
            Ok(Flag::Long(name)) if name == "json" => wish.json = true,
            Ok(Flag::Long(name)) if name == "lang" => {
                let name = args.value()?;
                let known = languages::named(&name);
                let row =
                    known.ok_or_else(|| args.wrong(&format!("unknown language {name:?}. Use {}", file::names())))?;
                wish.reader.language = Some(row);
            }
            Ok(flag) => return Err(args.unknown(&flag)),
            Err(path) => wish.paths.push(path),
        }
    }
    limits::limit_memory();
    Ok(wish)
}

fn list(args: &mut Args) -> Result<Exit> {
    let Wish { json, mut reader, paths } = wish(args)?;
    if paths == [PathBuf::from("-")] {
        args.refuse_terminal("files")?;
        frames::run(&mut reader)?;
        return Ok(Exit::Yes);
    }
    if paths.is_empty() {
        args.refuse_terminal("files")?;
        return Err(args.wrong("no file"));
    }
    let (dir, mut exit) = (args.dir()?, Exit::Yes);
    for path in paths {
        let outline = outline(&mut reader, &dir, &path);
        if outline.unread.is_some() {
            exit = Exit::Unjudged;
        }
        let text = if json { show::json(&outline)? } else { show::tree(&outline) };
        pipes::write(text.as_bytes())?;
    }
    // The process ends here, and its memory is freed as a whole.
    std::mem::forget(reader);
    Ok(exit)
}

fn compare(args: &mut Args) -> Result<Exit> {
    let Wish { mut reader, paths, .. } = wish(args)?;
    let dir = args.dir()?;
    let [then, now] = paths.as_slice() else { return Err(args.wrong("diff takes two files")) };
    let (then, now) = (outline(&mut reader, &dir, then), outline(&mut reader, &dir, now));
    if let Some(unread) = [&then, &now].into_iter().find(|outline| outline.unread.is_some()) {
        pipes::write(show::tree(unread).as_bytes())?;
        return Ok(Exit::Unjudged);
    }
    // Two versions of one file: only the content counts.
    let text = diff::text(Outline { path: String::new(), ..then }, Outline { path: String::new(), ..now });
    pipes::write(text.as_bytes())?;
    Ok(if text.is_empty() { Exit::Yes } else { Exit::No })
}

fn outline(reader: &mut Reader, dir: &Path, path: &Path) -> Outline {
    limits::limit_time();
    let shown = path.to_string_lossy();
    let unread = |why: String| Outline { path: shown.to_string(), unread: Some(why), ..Outline::default() };
    match files::read_following(&dir.join(path), file::SIZE as u64) {
        Ok(Some(text)) => reader.read(&shown, &text),
        Ok(None) => unread("it does not exist".into()),
        Err(error) => unread(error.to_string()),
    }
}
