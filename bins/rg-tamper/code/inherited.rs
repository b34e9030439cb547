//! Inherited tests: those that a class has from the one that it extends, and those that a function declares for each file that calls it.

use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::words::Texts;
use super::{Judgement, imports, successors};
use review_gate::outline::compare::{Place, Side};
use review_gate::outline::{Helper, Test};

/// How a line says that it begins a function: one of these is in it.
const FUNCTIONS: [&str; 6] = ["function", "=>", "def ", "fn ", "func ", "fun "];

/// Whether the file of an older test still runs one of its name, which a class or a function elsewhere declares and which demands as much.
pub fn run(judgement: &Judgement<'_>, texts: &Texts, place: Place) -> bool {
    let (Some(old), Some((_, now))) = (judgement.test(Side::Then, place), texts.lines(place.file)) else {
        return false;
    };
    let class = old.suite.last().map(String::as_str);
    (0..judgement.code.files.len()).any(|file| {
        let tests = judgement.outline(Side::Now, file).map_or(&[][..], |outline| &outline.tests);
        let same = tests.iter().filter(|test| test.name == old.name && test.skip.is_none() && test.tokens > 0);
        is_mixed_in(judgement, texts, file, (old, now))
            || same.filter(|test| successors::demands_as_much(old, test)).any(|test| {
                let Some((_, lines)) = texts.lines(file) else { return false };
                let base = test.suite.last().map(String::as_str);
                let is_extended =
                    || base != class && base.is_some_and(|base| extends(now, class, base) || is_used(lines, now, base));
                let is_called = || {
                    declaring(lines, line_at(test.line)).any(|head| {
                        let name = extent::defined(head).or_else(|| imports::name_of(now, judgement.shown(file)));
                        name.is_some_and(|name| calls(now, name))
                    })
                };
                is_extended() || is_called()
            })
    })
}

/// Whether a class of this file that no runner looks into, so that its functions are no tests, has the test for the classes that extend it.
fn is_mixed_in(judgement: &Judgement<'_>, texts: &Texts, file: usize, (old, now): (&Test, &[String])) -> bool {
    let outline = judgement.outline(Side::Now, file).zip(texts.lines(file));
    let Some((outline, (_, lines))) = outline else { return false };
    let class = old.suite.last().map(String::as_str);
    let is_it = |helper: &&Helper| helper.name == old.name && helper.skip.is_none();
    let is_around =
        |line: u64| classes_around(lines, line_at(line)).any(|base| Some(base) != class && extends(now, class, base));
    // A test that asserts nothing only has to pass.
    let is_bare = || {
        let mut same = outline.functions.iter().filter(|one| one.name == old.name && one.skip.is_none());
        old.asserts.is_empty() && same.any(|function| is_around(function.line))
    };
    outline.helpers.iter().filter(is_it).any(|helper| {
        let test = Test { asserts: helper.asserts.clone(), ..Test::default() };
        successors::demands_as_much(old, &test) && is_around(helper.line)
    }) || is_bare()
}

/// Whether a module of Elixir puts its tests into each module that uses it, and a file does.
fn is_used(lines: &[String], now: &[String], module: &str) -> bool {
    let is_template =
        lines.iter().any(|line| line.contains("ExUnit.CaseTemplate") || line.contains("defmacro __using__"));
    let uses = |line: &String| {
        let rest = line.trim().strip_prefix("use ").and_then(|rest| rest.trim_start().strip_prefix(module));
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.')))
    };
    is_template && now.iter().any(uses)
}

/// Whether a class of a file, or the one of this name, extends another one.
fn extends(lines: &[String], class: Option<&str>, base: &str) -> bool {
    let is_head = |line: &&String| {
        let mut words = all_words(line).filter(|word| !word.is_empty());
        let name = words.find(|word| *word == "class").and_then(|_| words.next());
        name.is_some_and(|name| name != base && class.is_none_or(|class| class == name))
            && words.any(|word| word == base)
    };
    lines.iter().any(|line| is_head(&line))
}

/// The names of the classes above a line that are less indented.
fn classes_around(lines: &[String], at: usize) -> impl Iterator<Item = &str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let depth = lines.get(at).map_or(0, |line| indent(line));
    let above = lines[..at.min(lines.len())].iter().rev().filter(move |line| indent(line) < depth);
    above.filter_map(|line| {
        let mut words = all_words(line).filter(|word| !word.is_empty());
        words.find(|word| matches!(*word, "class" | "module" | "trait")).and_then(|_| words.next())
    })
}

/// The first lines of the functions around a line.
fn declaring(lines: &[String], at: usize) -> impl Iterator<Item = &str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut depth = lines.get(at).map_or(0, |line| indent(line));
    let above = lines[..at.min(lines.len())].iter().rev().filter(|line| !line.trim().is_empty());
    let heads = above.filter(move |line| {
        let is_around = indent(line) < depth;
        depth = depth.min(indent(line));
        is_around
    });
    heads.map(|line| line.trim()).filter(|line| FUNCTIONS.iter().any(|word| line.contains(word)))
}

/// Whether a line calls a function, and does not define it.
fn calls(lines: &[String], name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    lines.iter().filter(|line| extent::defined(line) != Some(name) || !line.contains("function")).any(|line| {
        line.match_indices(name)
            .any(|(at, _)| !line[..at].ends_with(is_part) && line[at + name.len()..].trim_start().starts_with('('))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn a_class_extends_another_one() {
        for text in [
            "final class FileStoreTest extends StoreTestCase",
            "class FileStoreTest < StoreTestCase",
            "class FileStoreTest(StoreTestCase, TestCase):",
            "public sealed class FileStoreTest : StoreTestCase, IDisposable",
            "class FileStoreTest : StoreTestCase() {",
        ] {
            assert!(extends(&lines(text), Some("FileStoreTest"), "StoreTestCase"), "{text}");
        }
        assert!(!extends(&lines("class FileStoreTest extends TestCase"), Some("FileStoreTest"), "StoreTestCase"));
        assert!(!extends(&lines("class OtherTest extends StoreTestCase"), Some("FileStoreTest"), "StoreTestCase"));
    }

    #[test]
    fn a_module_of_elixir_uses_a_template() {
        let template = lines("defmodule Contract do\n  use ExUnit.CaseTemplate\n  using opts do");
        let uses = |text: &str| is_used(&template, &lines(text), "Contract");
        assert!(uses("  use Contract, adapter: Ets") && uses("use Contract"));
        assert!(!uses("  use Contracts") && !uses("  alias Contract"));
        assert!(!is_used(&lines("defmodule Contract do"), &lines("use Contract"), "Contract"), "no template");
    }

    #[test]
    fn a_function_declares_what_is_indented_below_it() {
        let text =
            lines("function a() {\n}\nmodule.exports = function b(x) {\n  describe('c', () => {\n    it('d', f);");
        let heads: Vec<&str> = declaring(&text, 4).collect();
        assert_eq!(heads, ["describe('c', () => {", "module.exports = function b(x) {"]);
        assert!(calls(&lines("  b(() => 1);"), "b") && !calls(&lines("const b = require('./b');"), "b"));
        assert!(!calls(&lines("function b(x) {"), "b"));
    }
}
