//! Files that could not be read, or whose syntax became broken: what was in them is unverified, not tampered with.

use super::Judgement;
use crate::guards::Inspection;
use crate::outlines::Code;
use crate::places;
use crate::sides::{Sides, Source};
use review_gate::event::{Level, Rule};
use review_gate::outline::compare::Side;
use review_gate::outline::language;
use review_gate::sys::text::count;

impl Inspection<'_> {
    /// Finds files that could not be read.
    pub fn find_unread_code(&mut self, all: &[Sides], code: &Code) {
        if code.missing > 0 {
            let text = format!(
                "rg-outline could not be started: {} not judged. Install it beside rg-tamper",
                match code.missing {
                    1 => "1 source file was".to_string(),
                    more => format!("{more} source files were"),
                }
            );
            self.find_at(Level::Inconclusive, Rule::Unreadable, "", None, "rg-outline", text);
        }
        for (at, why) in &code.unread {
            let text = format!("its tests and marks could not be read: {why}");
            self.find_at(Level::Inconclusive, Rule::Unreadable, &all[*at].role.shown, None, "outline", text);
        }
    }

    /// Finds files whose syntax became broken.
    pub fn find_broken(&mut self, judgement: &Judgement<'_>, source: &Source<'_>) {
        self.find_new_broken(judgement, source);
        for file in &judgement.broken {
            let Some(line) = judgement.outline(Side::Now, *file).and_then(|outline| outline.errors.first()) else {
                continue;
            };
            let gone = judgement.compared.gone.iter().filter(|place| place.file == *file).count();
            let (level, lost) = match gone {
                // A grammar does not know all valid code. Code that a person left unfinished has an open bracket or quote.
                0 if is_experimental(judgement, *file) || is_balanced(judgement, source, *file) => {
                    (Level::Note, String::new())
                }
                0 => (Level::Warning, String::new()),
                gone => (Level::Inconclusive, format!(": {} can no longer be read", count(gone, "test"))),
            };
            let text = format!("the syntax is broken{lost}");
            self.find_at(level, Rule::SyntaxError, judgement.shown(*file), Some(*line), "syntax", text);
        }
    }

    /// Finds new test files that do not parse: a runner may not load them either. Nobody can tell what they test.
    fn find_new_broken(&mut self, judgement: &Judgement<'_>, source: &Source<'_>) {
        for file in 0..judgement.code.files.len() {
            let role = &judgement.sides(file).role;
            let is_new = judgement.sides(file).change.then.is_none();
            if !is_new || !role.is_named || places::is_fixture(&role.shown) || judgement.is_foreign(file) {
                continue;
            }
            let Some(outline) = judgement.outline(Side::Now, file) else { continue };
            let Some(line) = outline.errors.first() else { continue };
            let level = match (is_experimental(judgement, file), outline.tests.is_empty()) {
                (true, false) => Level::Note,
                (false, false) if is_balanced(judgement, source, file) => Level::Note,
                (true, true) | (false, false) => Level::Warning,
                (false, true) => Level::Inconclusive,
            };
            let text = "the syntax of this new test file is broken".to_string();
            self.find_at(level, Rule::SyntaxError, judgement.shown(file), Some(*line), "syntax", text);
        }
    }
}

/// Whether each bracket and each quote of a file is closed, and closed again by nothing else.
fn is_balanced(judgement: &Judgement<'_>, source: &Source<'_>, file: usize) -> bool {
    judgement.texts(source).lines(file).is_some_and(|(_, now)| closes_all(now))
}

/// Whether these lines close what they open. Quotes end with their line.
fn closes_all(lines: &[String]) -> bool {
    let mut open: Vec<char> = Vec::new();
    for line in lines {
        let mut quote: Option<char> = None;
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match (quote, c) {
                (_, '\\') => drop(chars.next()),
                (Some(known), c) if c == known => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, '(') => open.push(')'),
                (None, '[') => open.push(']'),
                (None, '{') => open.push('}'),
                (None, ')' | ']' | '}') if open.pop() != Some(c) => return false,
                _ => {}
            }
        }
        if quote.is_some() {
            return false;
        }
    }
    open.is_empty()
}

/// Whether the language of a file is read experimentally.
fn is_experimental(judgement: &Judgement<'_>, file: usize) -> bool {
    judgement.sides(file).role.language.and_then(language::experimental).is_some()
}

#[cfg(test)]
mod tests {
    use super::closes_all;

    #[test]
    fn code_that_is_left_unfinished_has_an_open_bracket() {
        let is = |text: &str| closes_all(&text.lines().map(str::to_string).collect::<Vec<_>>());
        assert!(is("a<typeof import('x')>({\n  b: '(',\n  c: \"it's\",\n});"));
        assert!(!is("test('a', () => {\n  expect(1).toBe(1);\n") && !is("f(1]") && !is("f('a)") && !is("f(1))"));
    }
}
