//! Macros that a file of Rust defines: what their rules assert, the tests assert that call them.

use super::{DEPTH, part};
use crate::language::Loaded;
use crate::limits::Deadline;
use crate::tree::{Id, Tree};
use review_gate::outline::{Function, Outline};

/// How many macros of a file are read.
const MACROS: usize = 200;

/// Adds the macros that assert as helpers. All rules of a macro are read as the body of one function.
pub fn read(loaded: &Loaded, tree: &Tree, deadline: Deadline, depth: usize, outline: &mut Outline) {
    if loaded.row.name != "rust" || depth < DEPTH || memchr::memmem::find(tree.text, b"macro_rules!").is_none() {
        return;
    }
    let is_macro = |id: &Id| tree.kind_name(*id) == "macro_definition";
    for id in (0..tree.len()).filter(is_macro).take(MACROS) {
        let Some(name) = tree.children(id).find(|child| tree.field_name(*child) == "name") else { continue };
        let name = String::from_utf8_lossy(tree.text_of(name)).into_owned();
        let text = as_function(tree, id, &name);
        let mut read = Outline::default();
        if part(loaded, &text, deadline, 0, &mut read).is_err() {
            continue;
        }
        let shift = tree.line(tree.range(id).start) - 1;
        for mut helper in read.helpers.into_iter().filter(|helper| helper.name == name) {
            helper.line += shift;
            helper.asserts.iter_mut().for_each(|assert| assert.line += shift);
            helper.skip.iter_mut().for_each(|mark| mark.line += shift);
            outline.helpers.push(helper);
        }
        // A macro that declares tests is none that they call.
        let is_one = |function: &Function| function.name == name && read.tests.is_empty();
        outline.functions.extend(read.functions.into_iter().filter(is_one).map(|mut function| {
            function.line += shift;
            function
        }));
    }
    outline.functions.sort_by_key(|function| function.line);
    outline.helpers.sort_by_key(|helper| helper.line);
}

/// A macro as a function whose body is what its rules expand to. Each line keeps its place.
fn as_function(tree: &Tree, id: Id, name: &str) -> Vec<u8> {
    let range = tree.range(id);
    let blank = |byte: &u8| if *byte == b'\n' { b'\n' } else { b' ' };
    let mut text: Vec<u8> = tree.text_of(id).iter().map(blank).collect();
    let is_body = |id: &Id| tree.field_name(*id) == "right" && tree.kind_name(tree.parent(*id)) == "macro_rule";
    let at = |id: Id| (tree.range(id).start - range.start, tree.range(id).end - range.start);
    for body in (id..tree.next(id)).filter(is_body) {
        let (first, last) = at(body);
        // What is broken may be empty.
        if last < first + 2 {
            continue;
        }
        text[first..last].copy_from_slice(tree.text_of(body));
        (text[first], text[last - 1]) = (b'{', b'}');
        for part in body..tree.next(body) {
            let (start, end) = at(part);
            match tree.kind_name(part) {
                // `$name`
                "metavariable" if start < end => text[start] = b' ',
                // `$( … ),*`
                "token_repetition" if start + 2 < end => {
                    text[start..start + 2].fill(b' ');
                    let close = tree.children(part).filter(|child| tree.text_of(*child) == b")").last();
                    if let Some(close) = close {
                        text[at(close).0..end].iter_mut().for_each(|byte| *byte = blank(byte));
                    }
                }
                _ => {}
            }
        }
    }
    [format!("fn {name}() {{").as_bytes(), &text, b"}"].concat()
}
