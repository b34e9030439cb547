//! Run modes: a change opens a test file to a further mode of the runner, and skips there what cannot pass yet. Where the tests ran before, they
//! still run.

use super::Judgement;
use crate::sides::Source;
use imara_diff::{Algorithm, Diff, InternedInput};
use std::collections::BTreeSet;

/// How many bytes of changed configuration are read.
const IN_ALL: usize = 4 << 20;

/// How many lines above an entry say what list it is in.
const ABOVE: usize = 12;

/// How long a word of a flag, or a part of a path, is at least.
const TELLING: usize = 4;

/// Words of lists of what does not run.
const EXCLUDING: [&str; 7] = ["exclud", "ignor", "skip", "deny", "except", "disabled", "todo"];

/// Words of lists of what runs.
const INCLUDING: [&str; 5] = ["includ", "allow", "only", "test", "spec"];

/// A changed file of configuration: its path, and the lines that it lost and gained, each with the lines above.
struct Edited {
    path: String,
    text: String,
    lost: Vec<(String, String)>,
    gained: Vec<(String, String)>,
}

/// The changed configuration.
pub struct Modes {
    edited: Vec<Edited>,
}

impl Modes {
    /// Reads the changed files that hold no code in which tests are read.
    pub fn of(judgement: &Judgement<'_>, source: &Source<'_>) -> Modes {
        let is_config = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let ends = [".json", ".yml", ".yaml", ".toml", ".ini", ".cfg", ".xml", ".properties", "Makefile"];
            ends.iter().any(|end| name.ends_with(end)) || name.contains("config")
        };
        let all = judgement.all.iter().filter(|one| !one.role.is_test && is_config(&one.role.shown));
        let (shown, changes): (Vec<_>, Vec<_>) = all.map(|one| (one.role.shown.clone(), one.change.clone())).unzip();
        let texts = source.both_texts(&changes, IN_ALL).unwrap_or_default();
        let edited = shown.into_iter().zip(texts).map(|(path, (then, now))| Edited::of(path, &then, &now));
        Modes { edited: edited.collect() }
    }

    /// Whether a skip under a flag that was there before is only about a mode that the change opens a test file to.
    pub fn opens(&self, path: &str, mark: &str, condition: &str) -> bool {
        let bare = condition.trim().trim_matches(['(', ')', ' ']);
        let runs_if = mark.to_lowercase().contains("runif") || mark.contains("Enabled");
        let name = match bare.strip_prefix('!') {
            Some(name) if runs_if => name,
            None if !runs_if => bare,
            _ => return false,
        };
        let is_flag = name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.len() >= TELLING;
        let words = words_of(name);
        let opens = |edited: &&Edited| {
            let of_mode = words_of(&edited.path).into_iter().chain(words_of(&edited.text)).collect::<BTreeSet<_>>();
            words.iter().any(|word| of_mode.contains(word)) && edited.opens(path)
        };
        is_flag && self.edited.iter().any(|edited| opens(&edited))
    }
}

impl Edited {
    fn of(path: String, then: &[u8], now: &[u8]) -> Edited {
        let (then, text) = (String::from_utf8_lossy(then), String::from_utf8_lossy(now).into_owned());
        let (old, new): (Vec<&str>, Vec<&str>) = (then.lines().collect(), text.lines().collect());
        let mut input = InternedInput::default();
        input.update_before(old.iter().copied());
        input.update_after(new.iter().copied());
        let at = |lines: &[&str], at: u32| {
            let at = at as usize;
            let above = lines[at.saturating_sub(ABOVE)..at].join("\n");
            (lines.get(at).copied().unwrap_or_default().to_string(), above.to_lowercase())
        };
        let (mut lost, mut gained) = (Vec::new(), Vec::new());
        for hunk in Diff::compute(Algorithm::Histogram, &input).hunks() {
            lost.extend(hunk.before.clone().map(|line| at(&old, line)));
            gained.extend(hunk.after.clone().map(|line| at(&new, line)));
        }
        Edited { path, lost, gained, text }
    }

    /// Whether a list of what does not run lost the path of a test, or a list of what runs gained it.
    fn opens(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').filter(|part| part.len() >= TELLING && !COMMON.contains(part)).collect();
        let names = |line: &str| {
            let words: BTreeSet<&str> = line.split(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).collect();
            parts.iter().any(|part| words.contains(part) || words.contains(part.split('.').next().unwrap_or(part)))
        };
        let says = |above: &str, list: &[&str]| list.iter().any(|word| above.contains(word));
        let nearest = |above: &str| {
            above.lines().rev().find(|line| says(line, &EXCLUDING) || says(line, &INCLUDING)).map(str::to_string)
        };
        let is_excluding = |above: &str| nearest(above).is_some_and(|line| says(&line, &EXCLUDING));
        let is_including = |above: &str| nearest(above).is_some_and(|line| !says(&line, &EXCLUDING));
        self.lost.iter().any(|(line, above)| names(line) && is_excluding(above))
            || self.gained.iter().any(|(line, above)| names(line) && is_including(above))
    }
}

/// Parts of paths that tell no test from another.
const COMMON: [&str; 8] = ["tests", "test", "spec", "specs", "__tests__", "packages", "unit", "integration"];

/// The words of a name or a text, in lower case: `isBundled` has `bundled`.
fn words_of(text: &str) -> BTreeSet<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.into_iter().filter(|word| word.len() >= TELLING && !INCLUDING.contains(&word.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opens(then: &str, now: &str, mark: &str, condition: &str) -> bool {
        let edited = Edited::of("vitest.config.bundled.ts".into(), then.as_bytes(), now.as_bytes());
        Modes { edited: vec![edited] }.opens("playground/assets/__tests__/assets.spec.ts", mark, condition)
    }

    #[test]
    fn a_list_opens_a_test_file_to_a_mode() {
        let list = |name: &str, entry: &str| {
            format!("export default {{\n  {name}: [\n    './playground/hmr/**',\n{entry}  ],\n}}\n")
        };
        let (with, without) = ("    './playground/assets/**',\n", "");
        let included =
            |mark: &str, condition: &str| opens(&list("include", without), &list("include", with), mark, condition);
        assert!(included("test.skipIf(isBundled)", "isBundled"));
        assert!(included("describe.runIf(!isBundled)", "!isBundled"));
        assert!(opens(&list("exclude", with), &list("exclude", without), "skipIf", "isBundled"));
        assert!(!included("test.skipIf(!isBundled)", "!isBundled"), "the other modes");
        assert!(!included("test.skipIf(isServe)", "isServe"), "another mode");
        assert!(!included("test.skipIf(true)", "true"), "no flag");
        assert!(!opens(&list("include", with), &list("include", without), "skipIf", "isBundled"), "it is closed");
        assert!(!opens(&list("exclude", without), &list("exclude", with), "skipIf", "isBundled"), "it is closed");
        assert!(!opens("a\n", "b\n", "skipIf", "isBundled"), "nothing is opened");
    }
}
