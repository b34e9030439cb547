//! Dropped dependencies: names in the manifests of packages that the change removed, so that tests about them go, too.

use super::Judgement;
use super::extent::all_words;
use crate::packages;
use crate::sides::Source;
use std::collections::BTreeSet;

/// How many bytes of manifests are read.
const IN_ALL: usize = 4 << 20;

/// Words at the beginning of a line that imports something.
const IMPORTS: [&str; 8] = ["import ", "from ", "use ", "using ", "require", "const ", "let ", "var "];

/// The words of the lines that changed manifests lost, without those that one of them still holds.
pub fn dropped(judgement: &Judgement<'_>, source: &Source<'_>) -> BTreeSet<String> {
    let changes = judgement.all.iter().map(|one| &one.change);
    let changes: Vec<_> = changes.filter(|change| packages::is_manifest(&change.path)).cloned().collect();
    if changes.is_empty() {
        return BTreeSet::new();
    }
    let texts = source.both_texts(&changes, IN_ALL).unwrap_or_default();
    let of = |text: &[u8]| -> BTreeSet<String> {
        String::from_utf8_lossy(text).lines().flat_map(all_words).map(str::to_string).collect()
    };
    let today: BTreeSet<String> = texts.iter().flat_map(|(_, now)| of(now)).collect();
    texts.iter().flat_map(|(then, _)| of(then)).filter(|word| !today.contains(word)).collect()
}

/// Those of the dropped names whose import in a file binds one of these words.
pub fn used<'a>(lines: &'a [String], dropped: &BTreeSet<String>, words: &BTreeSet<&str>) -> Vec<&'a str> {
    let is_import = |line: &&String| {
        let text = line.trim_start();
        IMPORTS.iter().any(|begin| text.starts_with(begin))
            && ["import", "use", "using", "require", "from"].iter().any(|word| text.contains(word))
    };
    let binds = |line: &&String| all_words(line).any(|word| words.contains(word) && !dropped.contains(word));
    let imports = lines.iter().filter(is_import).filter(binds);
    imports.flat_map(|line| all_words(line)).filter(|word| dropped.contains(*word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_tells_which_names_come_from_a_dependency() {
        let lines: Vec<String> =
            ["import {Cancel} from 'p-cancelable';", "const x = 1;", "log(Cancel)"].map(str::to_string).into();
        let dropped = BTreeSet::from(["p-cancelable".to_string()]);
        assert_eq!(used(&lines, &dropped, &["Cancel"].into()), ["p-cancelable"]);
        assert!(used(&lines, &dropped, &["x", "log"].into()).is_empty());
    }
}
