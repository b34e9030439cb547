//! Which files of the base the patterns of a list match, whatever language the patterns are in.

use crate::places;
use regex::{Regex, RegexBuilder};
use review_gate::sys::gitignore::Patterns;
use std::path::Path;

/// How many files and patterns are compared.
const FILES: usize = 50_000;
const PATTERNS: usize = 200;

/// Directories and files that a build writes.
const BUILT: [&str; 31] = [
    "node_modules",
    "dist",
    "build",
    "out",
    "output",
    "coverage",
    "target",
    "bin",
    "obj",
    "lib",
    "esm",
    "cjs",
    "vendor",
    "tmp",
    "temp",
    "storage",
    "public",
    "generated",
    "gen",
    "__generated__",
    "__pycache__",
    "venv",
    "env",
    "cache",
    "site-packages",
    "htmlcov",
    "min.js",
    "d.ts",
    "migrations",
    "docs",
    "egg-info",
];

/// Extensions of files that a check looks at.
const CODE: [&str; 34] = [
    "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "py", "pyi", "rb", "go", "rs", "java", "kt",
    "kts", "scala", "cs", "fs", "php", "swift", "ex", "exs", "c", "cc", "cpp", "h", "hpp", "sh", "dart", "css", "scss",
];

/// A glob with its braces expanded, at most 32 of them.
fn expanded(pattern: &str) -> Vec<String> {
    let mut open = vec![pattern.to_string()];
    for _ in 0..5 {
        let is_done = open.iter().all(|pattern| !pattern.contains('{'));
        if is_done || open.len() > 32 {
            break;
        }
        let next = open.iter().flat_map(|pattern| {
            let parts = pattern.split_once('{').and_then(|(start, rest)| Some((start, rest.split_once('}')?)));
            match parts {
                Some((start, (inner, end))) => {
                    inner.split(',').take(32).map(|item| format!("{start}{item}{end}")).collect::<Vec<_>>()
                }
                None => vec![pattern.replace('{', "")],
            }
        });
        open = next.collect();
    }
    open
}

enum Matcher {
    Ignore(Box<Patterns>),
    Regex(Regex),
}

impl Matcher {
    fn of(pattern: &str, is_expression: bool) -> Option<Matcher> {
        let plain = pattern.trim().trim_start_matches("<rootDir>").trim_start_matches("./");
        let has_escape = plain.contains(['\\', '^', '$', '(', '|', '+']) || plain.contains(".*");
        if has_escape || is_expression {
            let regex = RegexBuilder::new(plain).size_limit(1 << 20).build().ok()?;
            return Some(Matcher::Regex(regex));
        }
        // Jest's `/dir/` is a part of a path, not its start.
        let is_part = plain.len() > 1 && plain.starts_with('/') && plain.ends_with('/');
        let plain = if is_part { plain.trim_matches('/') } else { plain };
        // A glob of a tool begins at its directory; a name alone may be anywhere.
        let rooted = |plain: &String| {
            let plain = plain.trim_end_matches("/**");
            if plain.contains('/') && !plain.starts_with(['/', '*']) { format!("/{plain}") } else { plain.to_string() }
        };
        Some(Matcher::Ignore(Box::new(Patterns::of(&expanded(plain).iter().map(rooted).collect::<Vec<_>>()))))
    }

    fn matches(&self, path: &str) -> bool {
        match self {
            Matcher::Ignore(patterns) => patterns.matches(Path::new(path)),
            Matcher::Regex(regex) => regex.is_match(path) || regex.is_match(&format!("/{path}")),
        }
    }
}

/// Whether a pattern names what a build writes.
fn is_built(pattern: &str) -> bool {
    let plain = pattern.replace("\\.", ".");
    let mut parts =
        plain.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).filter(|part| !part.is_empty());
    parts.any(|part| {
        let part = part.trim_start_matches('.');
        BUILT.iter().any(|name| part == *name || name.contains('.') && part.ends_with(name))
    })
}

/// Whether the name of a file says that it is a test.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_apart = ["node_modules/", "vendor/", "site-packages/", "dist/", "build/", "target/"];
    let is_named =
        [".test", ".spec", "_test", "_spec"].iter().any(|end| stem.ends_with(end)) || stem.starts_with("test_");
    is_named && !is_apart.iter().any(|dir| path.contains(dir))
}

/// Whether a check of the project looks at a file.
fn is_checked(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    CODE.contains(&end)
        && !name.starts_with('.')
        && !name.contains(".config.")
        && !name.ends_with("rc.js")
        && !places::is_apart(path)
        && !places::is_snapshot(path)
}

/// Matchers for the first patterns.
fn matchers<'a>(patterns: impl Iterator<Item = &'a str>, are_expressions: bool) -> Vec<Matcher> {
    patterns.take(PATTERNS).filter_map(|pattern| Matcher::of(pattern, are_expressions)).collect()
}

/// The patterns of a list that add files.
fn positive(list: &[String]) -> impl Iterator<Item = &str> {
    list.iter().map(String::as_str).filter(|pattern| !pattern.starts_with('!'))
}

/// The patterns of a list that take files out again, without their sign.
fn negative(list: &[String]) -> impl Iterator<Item = &str> {
    list.iter().filter_map(|pattern| pattern.strip_prefix('!'))
}

fn any(matchers: &[Matcher], path: &str) -> bool {
    matchers.iter().any(|matcher| matcher.matches(path))
}

/// The files of `paths` below `dir`, by their names there, that a check looks at and that `wanted` selects.
fn select(paths: &[String], dir: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let relative = paths.iter().take(FILES).filter_map(|path| path.strip_prefix(dir));
    relative.filter(|path| is_checked(path) && wanted(path)).map(str::to_string).collect()
}

/// How many patterns one pattern with braces may stand for.
const ALTERNATIVES: usize = 64;

/// The patterns that a pattern with braces stands for: `a.{b,c}` is `a.b` and `a.c`.
fn alternatives(pattern: &str) -> Vec<String> {
    let (mut open, mut done) = (vec![pattern.to_string()], Vec::new());
    while let Some(next) = open.pop() {
        let group = next.rfind('{').and_then(|at| Some((at, at + next[at..].find('}')?)));
        match group {
            Some((start, end)) if open.len() + done.len() < ALTERNATIVES => {
                let parts = next[start + 1..end].split(',');
                open.extend(parts.map(|part| format!("{}{part}{}", &next[..start], &next[end + 1..])));
            }
            _ => done.push(next),
        }
    }
    done
}

/// Whether the patterns of `now` stand for all of those of `then`, and take no further files out.
pub fn cover(now: &[String], then: &[String]) -> bool {
    let all = |list: &[String]| -> Vec<String> { positive(list).flat_map(alternatives).collect() };
    let (new, old) = (all(now), all(then));
    let is_out = |pattern: &str| !then.iter().any(|known| known.strip_prefix('!') == Some(pattern));
    // `test/**/*.js` stands for `test/*.js`.
    let holds = |pattern: &String| new.iter().any(|known| known == pattern || known.replace("**/", "") == *pattern);
    !old.is_empty() && old.iter().all(holds) && !negative(now).any(is_out)
}

/// The files of `paths` below `dir` that the patterns of `now` match and those of `then` do not.
pub fn newly_matched(
    then: &[String],
    now: &[String],
    paths: &[String],
    dir: &str,
    are_expressions: bool,
) -> Vec<String> {
    let has = |list: &[String], pattern: &str| list.iter().any(|known| known == pattern);
    let added = || positive(now).filter(|pattern| !has(then, pattern));
    let new = matchers(added().filter(|pattern| !is_built(pattern)), are_expressions);
    // A directory with such a name may hold tests all the same.
    let built = matchers(added().filter(|pattern| is_built(pattern)), are_expressions);
    // A negation that is gone matches what it kept.
    let freed = matchers(negative(then).filter(|pattern| !has(now, &format!("!{pattern}"))), are_expressions);
    if new.is_empty() && freed.is_empty() && built.is_empty() {
        return Vec::new();
    }
    let old = matchers(positive(then), are_expressions);
    select(paths, dir, |path| {
        if any(&old, path) { any(&freed, path) } else { any(&new, path) || is_test(path) && any(&built, path) }
    })
}

/// The files that the patterns of `then` match and those of `now` do not: what a list of included files lost.
pub fn no_longer_matched(
    then: &[String],
    now: &[String],
    paths: &[String],
    dir: &str,
    are_expressions: bool,
) -> Vec<String> {
    let both = |list| (matchers(positive(list), are_expressions), matchers(negative(list), are_expressions));
    let ((old, old_not), (new, new_not)) = (both(then), both(now));
    select(paths, dir, |path| any(&old, path) && !any(&old_not, path) && (!any(&new, path) || any(&new_not, path)))
}
