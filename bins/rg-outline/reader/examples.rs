//! Examples in documentation that a runner runs as tests.

use super::{DEPTH, in_order, part};
use crate::language::Loaded;
use crate::limits::Deadline;
use crate::query::matcher::Match;
use crate::rustdoc;
use crate::tree::Tree;
use review_gate::outline::{Assert, EXAMPLE, Mark, Outline, Strength};

/// Adds the examples of a file as tests. Each is read as the body of a function.
pub fn read(loaded: &Loaded, tree: &Tree, matches: &[Match], deadline: Deadline, depth: usize, outline: &mut Outline) {
    let has_fence = |text: &[u8]| text.windows(3).any(|part| part == b"```" || part == b"~~~");
    if loaded.row.name != "rust" || depth < DEPTH || !has_fence(tree.text) {
        return;
    }
    let comments = in_order(matches, loaded.captures.comment);
    let lines = comments.into_iter().map(|id| tree.line(tree.range(id).start)).collect();
    for example in rustdoc::examples(tree.text, &lines) {
        let text = format!("#[test]\nfn example() {{\n{}\n}}\n", example.code);
        let mut read = Outline::default();
        if part(loaded, text.as_bytes(), deadline, 0, &mut read).is_err() {
            continue;
        }
        let Some(mut test) = read.tests.into_iter().next() else { continue };
        test.name = format!("{EXAMPLE}{}", example.item);
        test.line = example.line;
        // The code begins on the third line of the text, and on the line below the fence.
        test.asserts.iter_mut().for_each(|assert| assert.line = (assert.line + example.line).saturating_sub(2));
        test.skip = None;
        for word in &example.words {
            let is_kept = word.starts_with("ignore") || word == "no_run";
            if is_kept {
                let condition = Some("cargo test --doc".to_string());
                test.skip = Some(Mark { text: word.clone(), line: example.line, condition, ..Mark::default() });
            } else if word == "should_panic" || word == "compile_fail" {
                let strength = Strength::Something;
                test.asserts.push(Assert { how: word.clone(), strength, line: example.line, ..Assert::default() });
            }
        }
        outline.tests.push(test);
    }
    outline.tests.sort_by_key(|test| test.line);
}
