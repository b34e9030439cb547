//! Hidden files: an unchanged configuration that a tool no longer reads, because a new file of the same directory takes its place.

use super::files::{self, Tool};
use super::side::Side;
use super::value::Value;
use super::{Around, Edit};

/// The files in which a tool looks for its settings in one directory, the first one that it finds counts. A name that ends with `*` stands for
/// all that begin so. A new file of the first `own` names counts even if it says nothing.
fn order(tool: Tool) -> Option<(&'static [&'static str], usize)> {
    Some(match tool {
        Tool::CoveragePy => (&[".coveragerc", "setup.cfg", "tox.ini", "pyproject.toml"], 1),
        Tool::Eslint => (&["eslint.config.*", ".eslintrc*", "package.json"], 1),
        Tool::Mypy => (&["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"], 2),
        Tool::Pylint => (&["pylintrc", ".pylintrc", "pyproject.toml", "setup.cfg"], 2),
        Tool::Pyright => (&["pyrightconfig.json", "pyproject.toml"], 1),
        Tool::Pytest => (&["pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"], 2),
        Tool::Ruff => (&[".ruff.toml", "ruff.toml", "pyproject.toml"], 2),
        Tool::Vitest => (&["vitest.config.*", "vite.config.*"], 1),
        _ => return None,
    })
}

/// Where a name stands in an order.
fn rank(names: &[&str], path: &str) -> Option<usize> {
    let name = path.rsplit('/').next().unwrap_or(path);
    names.iter().position(|known| known.strip_suffix('*').map_or(*known == name, |start| name.starts_with(start)))
}

/// The directory of a file.
fn dir_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// What hides the settings of a tool.
pub struct Hiding {
    /// The file whose settings no longer count.
    pub hidden: String,
    /// Its settings, as if they had stood in the new file.
    pub then: Vec<Side>,
    /// Those of the new file.
    pub now: Vec<Side>,
}

/// The settings that a new file of a directory hides; None if it hides none.
pub fn settings(tool: Tool, dir: &str, now: &[Side], edits: &[Edit], around: &Around<'_>) -> Option<Hiding> {
    let (names, own) = order(tool)?;
    let is_new = |edit: &&Edit| edit.then.is_none() && edit.now.is_some() && dir_of(&edit.path) == dir;
    let first = edits.iter().filter(is_new).filter_map(|edit| Some((rank(&names[..own], &edit.path)?, &edit.path)));
    let (at, path) = first.min()?;
    let is_kept = |other: &&String| dir_of(other) == dir && !edits.iter().any(|edit| edit.path == **other);
    let mut others: Vec<(usize, &String)> =
        around.paths().iter().filter(is_kept).filter_map(|other| Some((rank(names, other)?, other))).collect();
    others.sort();
    let (before, hidden, then) = others.into_iter().find_map(|(before, other)| {
        let then = sides(tool, other, &around.read(other)?);
        (!then.is_empty()).then_some((before, other, then))
    })?;
    let as_new = |side: Side| Side { path: path.clone(), ..side };
    let mut now: Vec<Side> = now.iter().filter(|side| side.path == *path).cloned().collect();
    if now.is_empty() {
        now.push(Side { path: path.clone(), place: String::new(), value: Value::map(Vec::new()) });
    }
    (at < before).then(|| Hiding { hidden: hidden.clone(), then: then.into_iter().map(as_new).collect(), now })
}

/// The settings of a tool in a file.
fn sides(tool: Tool, path: &str, text: &str) -> Vec<Side> {
    let Some((format, tools)) = files::of(path) else { return Vec::new() };
    let Some(value) = files::read(format, text) else { return Vec::new() };
    let places = tools.iter().filter(|(other, _)| *other == tool);
    let found = places.filter_map(|(_, place)| Some((place, files::settings(&value, place)?)));
    found.map(|(place, value)| Side { path: path.to_string(), place: (*place).to_string(), value }).collect()
}

/// How make looks for its file.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// A new Makefile with the text of the one that it hides, or whose place it takes; None if it is no such file.
pub fn with_hidden(edit: &Edit, edits: &[Edit], around: &Around<'_>) -> Option<Edit> {
    let at = rank(&MAKEFILES, &edit.path).filter(|_| edit.then.is_none())?;
    let dir = dir_of(&edit.path);
    let beside = |name: &&str| {
        let path = if dir.is_empty() { (*name).to_string() } else { format!("{dir}/{name}") };
        let is_kept = around.paths().contains(&path) && !edits.iter().any(|edit| edit.path == path);
        is_kept.then(|| around.read(&path)).flatten()
    };
    let is_former = |other: &&Edit| dir_of(&other.path) == dir && is_renamed(other, edits);
    let former = || edits.iter().find(is_former).and_then(|other| other.then.clone());
    let then = MAKEFILES[at + 1..].iter().find_map(beside).or_else(former)?;
    Some(Edit { then: Some(then), ..edit.clone() })
}

/// Whether a Makefile is gone, and its directory has a new one of another name.
pub fn is_renamed(edit: &Edit, edits: &[Edit]) -> bool {
    let is_new = |other: &Edit| {
        let is_there = other.then.is_none() && other.now.is_some() && dir_of(&other.path) == dir_of(&edit.path);
        is_there && rank(&MAKEFILES, &other.path).is_some()
    };
    edit.now.is_none() && rank(&MAKEFILES, &edit.path).is_some() && edits.iter().any(is_new)
}
