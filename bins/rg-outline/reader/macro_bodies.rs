//! Macros that a file of Rust defines: what their rules assert, the tests assert that call them; and the tests that they declare, one for
//! each name that they are given.

use super::{DEPTH, part, tokens};
use crate::language::Loaded;
use crate::limits::Deadline;
use crate::tree::{Id, Tree};
use review_gate::outline::{Function, Outline, Test};

/// How many macros of a file are read.
const MACROS: usize = 200;

/// How many tests of a file are listed, so that calls of macros add.
const ROWS: usize = 5_000;

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
        for template in &read.tests {
            declare(tree, id, &name, template, outline);
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
    outline.tests.sort_by_key(|test| test.line);
}

/// Adds the tests that the calls of a macro declare, if the name of its test is one that it is given: `fn $name()`.
fn declare(tree: &Tree, definition: Id, name: &str, template: &Test, outline: &mut Outline) {
    let is_given = |id: &Id| {
        let text = tree.text_of(*id).strip_prefix(b"$").unwrap_or_default();
        let before = &tree.text[..tree.range(*id).start];
        tree.kind_name(*id) == "metavariable"
            && text == template.name.as_bytes()
            && before.trim_ascii_end().ends_with(b"fn")
    };
    let Some(given) = (definition..tree.next(definition)).find(is_given) else { return };
    let is_repeated = std::iter::successors(Some(given), |id| Some(tree.parent(*id)).filter(|id| *id > definition))
        .any(|id| tree.kind_name(id) == "token_repetition");
    let is_call = |id: &Id| {
        tree.kind_name(*id) == "macro_invocation"
            && tree.children(*id).next().is_some_and(|id| tree.text_of(id) == name.as_bytes())
    };
    for call in (0..tree.len()).filter(is_call) {
        let Some(list) = tree.children(call).find(|id| tree.kind_name(*id) == "token_tree") else { continue };
        for row in rows(tree, list, is_repeated) {
            let (Some(first), Some(last)) = (row.first(), row.last()) else { continue };
            if tree.kind_name(*first) != "identifier" || outline.tests.len() >= ROWS {
                continue;
            }
            let (body, tokens) = tokens::digest_between(tree, *first, tree.next(*last));
            let line = tree.line(tree.range(*first).start);
            let mut test = Test { body, tokens, line, ..template.clone() };
            test.name = String::from_utf8_lossy(tree.text_of(*first)).into_owned();
            test.asserts.iter_mut().for_each(|assert| assert.line = line);
            // The call alone may look like a test that is declared elsewhere.
            let is_bare = |other: &Test| other.line == line && other.name == test.name && other.asserts.is_empty();
            outline.tests.retain(|other| test.asserts.is_empty() || !is_bare(other));
            outline.tests.push(test);
        }
    }
}

/// The tokens of each row of a list, parted by commas or semicolons, or all of them as one row.
fn rows(tree: &Tree, list: Id, is_repeated: bool) -> Vec<Vec<Id>> {
    let children: Vec<Id> = tree.children(list).filter(|id| !tree.is_extra(*id)).collect();
    let inner = children.get(1..children.len().saturating_sub(1)).unwrap_or_default();
    match is_repeated {
        true => inner.split(|id| matches!(tree.text_of(*id), b"," | b";")).map(<[Id]>::to_vec).collect(),
        false => vec![inner.to_vec()],
    }
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
