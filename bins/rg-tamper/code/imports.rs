//! Imports: names that a test takes from one source file. If that file lost such a name, and no other file gained it, the test went with
//! it, although other code has a name like it.

use super::Judgement;
use super::extent::all_words;
use super::removed_words::{Lines, Removed, is_source, is_specific};
use review_gate::outline::compare::{Place, Side};
use std::collections::{BTreeMap, BTreeSet};

/// Words at the begin of a statement that imports.
const IMPORTING: [&str; 9] = ["import ", "import{", "from ", "use ", "using ", "export ", "const ", "let ", "var "];

/// Names of files that stand for their directory.
const INDEXES: [&str; 6] = ["index", "mod", "lib", "main", "__init__", "init"];

/// Words of paths that stand for the package itself.
const ROOTS: [&str; 5] = ["crate", "self", "super", "src", "lib"];

/// Languages in which a file names what other files define without importing a name.
const NAMING_TYPES: [&str; 4] = ["java", "kotlin", "csharp", "swift"];

/// How many lines a statement has at most.
const STATEMENT: usize = 60;

/// A name that a source file lost for good.
struct Loss<'a> {
    file: usize,
    /// Whether the file defined it.
    is_definition: bool,
    word: &'a str,
}

/// For each removed test the names that it took from a source file which no longer holds them.
pub fn lost<'a>(
    judgement: &Judgement<'_>,
    files: &'a BTreeMap<usize, Lines>,
    used: &BTreeMap<Place, BTreeSet<&'a str>>,
) -> BTreeMap<Place, Vec<String>> {
    let losses = losses(judgement, files);
    let mut found: BTreeMap<Place, Vec<String>> = BTreeMap::new();
    if losses.is_empty() {
        return found;
    }
    let mut imports: BTreeMap<usize, [Vec<String>; 2]> = BTreeMap::new();
    for (place, words) in used {
        let Some(lines) = files.get(&place.file) else { continue };
        let both = imports.entry(place.file).or_insert_with(|| [statements(&lines.then), statements(&lines.now)]);
        let takes = |loss: &&Loss<'_>| {
            let names = |side: &[String]| {
                let path = &judgement.sides(loss.file).role.shown;
                side.iter()
                    .filter(|statement| names_file(statement, path))
                    .any(|one| all_words(one).any(|w| w == loss.word))
            };
            // `import * as slug from …`, and `slug.drop` in the test.
            let is_member = |side: &[String], lines: &[String]| {
                let path = &judgement.sides(loss.file).role.shown;
                let bound = side.iter().filter(|statement| names_file(statement, path)).filter_map(|one| alias(one));
                bound
                    .map(|name| format!("{name}.{}", loss.word))
                    .any(|member| lines.iter().any(|line| line.contains(&member)))
            };
            let was_member = is_member(&both[0], &lines.then) && !is_member(&both[1], &lines.now);
            let is_imported = names(&both[0]) || was_member;
            let is_in_scope = loss.is_definition && is_in_scope(judgement, place.file, loss.file, &lines.then);
            words.contains(loss.word) && (is_imported || is_in_scope) && !names(&both[1])
        };
        let names: BTreeSet<String> = losses.iter().filter(takes).map(|loss| loss.word.to_string()).collect();
        if !names.is_empty() {
            found.insert(*place, names.into_iter().collect());
        }
    }
    found
}

/// Whether a test file with these lines takes something from a source file, or sees its definitions.
pub fn takes_from(judgement: &Judgement<'_>, test: usize, source: usize, lines: &[String]) -> bool {
    let path = &judgement.sides(source).role.shown;
    statements(lines).iter().any(|statement| names_file(statement, path)) || is_in_scope(judgement, test, source, lines)
}

/// The words that source files lost which a test file imports from: no line of theirs holds them any more.
pub fn lost_words<'a>(judgement: &Judgement<'_>, files: &'a BTreeMap<usize, Lines>, test: usize) -> BTreeSet<&'a str> {
    let Some(lines) = files.get(&test) else { return BTreeSet::new() };
    let imports = statements(&lines.then);
    let is_imported = |file: usize| {
        let path = &judgement.sides(file).role.shown;
        is_source(judgement, file) && imports.iter().any(|statement| names_file(statement, path))
    };
    let mut lost = BTreeSet::new();
    for (file, lines) in files.iter().filter(|(file, _)| is_imported(**file)) {
        let now: BTreeSet<&str> = lines.now.iter().flat_map(|line| all_words(line)).collect();
        let removed = Removed::of_file(judgement, *file, lines);
        lost.extend(removed.changed.iter().filter(|word| !now.contains(*word)));
    }
    lost
}

/// The names that single source files lost: lines with them were removed, and nothing as long took their place.
fn losses<'a>(judgement: &Judgement<'_>, files: &'a BTreeMap<usize, Lines>) -> Vec<Loss<'a>> {
    let sources: Vec<usize> = files.keys().copied().filter(|file| is_source(judgement, *file)).collect();
    let count = |lines: &'a [String]| {
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        lines.iter().flat_map(|line| all_words(line)).for_each(|word| *count.entry(word).or_default() += 1);
        count
    };
    let counts: BTreeMap<usize, [BTreeMap<&str, usize>; 2]> =
        sources.iter().map(|file| (*file, [count(&files[file].then), count(&files[file].now)])).collect();
    let gains = |word: &str, of: usize| {
        counts.iter().any(|(file, [then, now])| {
            *file != of && now.get(word).copied().unwrap_or(0) > then.get(word).copied().unwrap_or(0)
        })
    };
    let mut losses = Vec::new();
    for file in &sources {
        let defined = judgement.outline(Side::Then, *file).map_or(&[][..], |outline| &outline.names);
        let removed = Removed::of_file(judgement, *file, &files[file]);
        let is_lost = |word: &&&str| is_specific(word) && !counts[file][1].contains_key(**word) && !gains(word, *file);
        losses.extend(removed.shrunk.iter().filter(is_lost).map(|word| {
            let is_definition = defined.iter().any(|name| name == word);
            Loss { file: *file, is_definition, word }
        }));
    }
    losses
}

/// The statements of a file that import, each in one line.
pub fn statements(lines: &[String]) -> Vec<String> {
    let is_first = |line: &str| {
        let text = line.trim_start();
        let is_end = text.starts_with(['}', ')']);
        IMPORTING.iter().any(|begin| text.starts_with(begin)) || !is_end && text.contains("require")
    };
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_first(line)) {
        let mut depth = 0_i64;
        let mut statement = Vec::new();
        for line in lines[at..].iter().take(STATEMENT) {
            let step = |c| i64::from(matches!(c, '(' | '{' | '[')) - i64::from(matches!(c, ')' | '}' | ']'));
            depth += line.chars().map(step).sum::<i64>();
            statement.push(line.trim());
            if depth <= 0 {
                break;
            }
        }
        let statement = statement.join(" ");
        let imports = ["import", "from", "use ", "using", "require"].iter().any(|word| statement.contains(word));
        if imports && (depth <= 0 || line.trim_start().starts_with("import")) {
            found.push(statement);
        }
    }
    found
}

/// The one name that lines bind to a whole file.
pub fn name_of<'a>(lines: &'a [String], path: &str) -> Option<&'a str> {
    let bound = statements(lines).into_iter().filter(|statement| names_file(statement, path));
    let names: Vec<String> = bound.filter_map(|statement| alias(&statement).map(str::to_string)).collect();
    lines.iter().flat_map(|line| all_words(line)).find(|word| names.iter().any(|name| name == word))
}

/// The one name that a statement binds to a whole file.
fn alias(statement: &str) -> Option<&str> {
    let begin =
        ["import * as ", "const ", "let ", "var ", "import "].iter().find_map(|begin| statement.strip_prefix(begin))?;
    let name = begin.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().filter(|name| !name.is_empty())?;
    let rest = begin[name.len()..].trim_start();
    (rest.starts_with('=') || rest.starts_with("from ") || rest.is_empty()).then_some(name)
}

/// Whether a statement names a file: by the name of the file or, if that stands for a directory, by the name of the directory.
fn names_file(statement: &str, path: &str) -> bool {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let dir = dir.rsplit('/').next().unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let holds = |wanted: &str| !wanted.is_empty() && statement.split(|c| !is_part(c)).any(|word| word == wanted);
    // A name behind another one is a file in that directory: `a.b` is no file in `c`.
    let is_there = || {
        statement.match_indices(stem).any(|(at, _)| {
            let (before, after) = (&statement[..at], &statement[at + stem.len()..]);
            let outer = before.strip_suffix(['.', '/']).or_else(|| before.strip_suffix("::")).unwrap_or_default();
            let outer = outer.rsplit(|c| !is_part(c)).next().unwrap_or_default();
            let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
            is_whole && (outer.is_empty() || outer == dir || ROOTS.contains(&outer))
        })
    };
    let is_parent = ["'..'", "\"..\"", "'../'", "\"../\"", "'./'", "\"./\"", "'.'", "\".\""]
        .iter()
        .any(|path| statement.contains(path));
    match INDEXES.contains(&stem) {
        true => holds(dir) || is_parent || statement.contains(&format!("/{stem}")),
        false => is_there(),
    }
}

/// Whether a file sees the definitions of another one: they are of one package, it is the same file, or it names the type of that file.
fn is_in_scope(judgement: &Judgement<'_>, test: usize, source: usize, lines: &[String]) -> bool {
    let (test_role, source_role) = (&judgement.sides(test).role, &judgement.sides(source).role);
    let dir = |shown: &str| shown.rsplit_once('/').map_or(String::new(), |(dir, _)| dir.to_string());
    let stem = source_role.shown.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    match test_role.language {
        Some("go") => dir(&test_role.shown) == dir(&source_role.shown),
        Some("rust") => test == source,
        Some(language) if NAMING_TYPES.contains(&language) => {
            lines.iter().any(|line| all_words(line).any(|word| word == stem))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_over_several_lines_imports() {
        let of = |text: &str| statements(&text.lines().map(str::to_string).collect::<Vec<_>>());
        assert_eq!(of("from a.slug import (\n    drop,\n    keep,\n)\nx = 1"), ["from a.slug import ( drop, keep, )"]);
        assert_eq!(of("const {\n  drop\n} = require('../lib/slug');"), ["const { drop } = require('../lib/slug');"]);
        assert!(of("const x = f(\n  1,\n);").is_empty());
    }

    #[test]
    fn a_statement_binds_one_name_to_a_file() {
        assert_eq!(alias("import * as slug from '../slug'"), Some("slug"));
        assert_eq!(alias("const slug = require('../slug');"), Some("slug"));
        assert_eq!((alias("import { slug } from '../slug'"), alias("from a import slug")), (None, None));
    }

    #[test]
    fn a_statement_names_a_file() {
        for (statement, path) in [
            ("from a.slug import drop", "src/a/slug.py"),
            ("from a.slug import drop", "src/a/slug/__init__.py"),
            ("const { drop } = require('../lib/slug.js');", "lib/slug.js"),
            ("const c = require('../');", "index.js"),
            ("import { drop } from '../index.js';", "index.js"),
            ("use crate::slug::drop;", "src/slug.rs"),
        ] {
            assert!(names_file(statement, path), "{statement} {path}");
        }
        assert!(!names_file("from a.slugs import drop", "src/a/slug.py"));
        assert!(!names_file("from a.other.slug import drop", "src/a/slug.py"));
        assert!(!names_file("const { drop } = require('../lib/slug');", "index.js"));
    }
}
