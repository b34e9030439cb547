//! Staged results: a test that sets the value that it asserts, asserts about a mock of the tested code, or compares a result with itself.

use super::Judgement;
use super::extent::{self, all_words};
use super::removed_words::line_at;
use super::weight::{Rarer, Weight};
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::compare::{Pair, Side};
use review_gate::outline::{Assert, Strength, Test};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A call that says what another one gives.
static STUB: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)mock(?:Return|Resolved|Implementation)|and_?returns?\b|\.returns?\(|(?:then|will)Return|\bstubs?\b|\bpatch(?:\.object)?\(",
        r"|\breceive\(|setattr\(|\breturning\b|return_value"
    ))
    .ok()
});

/// A mock of a whole module, with its path.
static MODULE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^(?:vi|jest)\.(?:do)?mock\(\s*["'`]([^"'`]+)["'`]"#).ok());

/// What keeps the code of a mocked module.
const ACTUAL: [&str; 4] = ["importActual", "requireActual", "importOriginal", "spy: true"];

/// A test with its lines, and the lines of its file.
struct Told<'a> {
    test: &'a Test,
    lines: &'a [String],
    /// The index of the first line of the body.
    first: usize,
    body: &'a [String],
}

impl<'a> Told<'a> {
    fn of(test: &'a Test, lines: &'a [String]) -> Told<'a> {
        let range = extent::of(lines, line_at(test.line));
        Told { test, lines, first: range.start, body: &lines[range] }
    }

    /// The value that the test gives to a name, with its letters, digits and `_.[]-` alone: `load1` of `const x = await load(1);`.
    fn value(&self, name: &str) -> Option<String> {
        self.text(name).map(plain)
    }

    /// A call in whose arguments the names of the test have their values.
    fn expanded(&self, code: &str) -> String {
        let Some((head, rest)) = code.split_once('(') else { return code.to_string() };
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let value = |word: &str| self.text(word).filter(|value| value.starts_with(['"', '\'']));
        let mut text = format!("{head}(");
        for part in rest.split_inclusive(|c| !is_part(c)) {
            let word = part.trim_end_matches(|c| !is_part(c));
            text.push_str(value(word).filter(|_| !word.is_empty()).unwrap_or(word));
            text.push_str(&part[word.len()..]);
        }
        text
    }

    /// The value of a name of the test, as it is written.
    fn text(&self, name: &str) -> Option<&str> {
        self.body.iter().find_map(|line| {
            let (target, value) = line.split_once('=').filter(|(_, value)| !value.starts_with(['=', '>', '~']))?;
            let is_it = target.trim_end_matches([':', ' ']).split_whitespace().last() == Some(name);
            is_it.then(|| value.trim())
        })
    }
}

fn plain(code: &str) -> String {
    let code = code.trim().trim_start_matches("await ");
    code.chars().filter(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']' | '-')).collect()
}

/// The last name of what an assertion is about: `total` of `cart.total`.
fn last_name(subject: &str) -> &str {
    let head = subject.split(['(', '[']).next().filter(|head| head.contains(['.', '>', ':'])).unwrap_or(subject);
    let head = if subject.ends_with(')') || head == subject { head } else { subject };
    head.rsplit(|c: char| !c.is_alphanumeric() && c != '_').find(|word| !word.is_empty()).unwrap_or_default()
}

/// Which files mock a module now that they did not mock before.
#[derive(Default)]
pub struct Mocking {
    known: BTreeMap<usize, bool>,
}

impl Mocking {
    /// Whether the file of a test does. It is read once.
    pub fn holds(&mut self, judgement: &Judgement<'_>, source: &Source<'_>, pair: &Pair) -> bool {
        let file = pair.now.file;
        let is_script = |language: &str| matches!(language, "javascript" | "typescript" | "tsx" | "vue");
        if pair.then.file != file || !judgement.sides(file).role.language.is_some_and(is_script) {
            return false;
        }
        *self.known.entry(file).or_insert_with(|| {
            let Some((then, now)) = judgement.texts(source).lines(file) else { return false };
            let is_mock = |line: &&String| MODULE.as_ref().is_some_and(|regex| regex.is_match(line.trim()));
            now.iter().filter(is_mock).any(|line| !then.contains(line))
        })
    }
}

/// Why what a test asserts does not come from the tested code any more.
pub fn of(judgement: &Judgement<'_>, source: &Source<'_>, pair: &Pair, is_mocking: bool) -> Option<Rarer> {
    let (old, new) = (judgement.test(Side::Then, pair.then)?, judgement.test(Side::Now, pair.now)?);
    let is_same = old.body == new.body && !is_mocking;
    if is_same || old.asserts.is_empty() || new.asserts.is_empty() || new.skip.is_some() {
        return None;
    }
    let texts = judgement.texts(source);
    let ((then, _), (_, now)) = (texts.lines(pair.then.file)?, texts.lines(pair.now.file)?);
    let (old, new) = (Told::of(old, then), Told::of(new, now));
    let rarer = |line: String, how| Some(Rarer { line, how, weight: Weight::Probable });
    if let Some(line) = is_mocking.then(|| mocked(&old, &new)).flatten() {
        return rarer(line, "asserts about a mock of the tested code");
    }
    if old.test.body == new.test.body {
        return None;
    }
    if let Some(line) = overwritten(&old, &new) {
        let how = "writes the file with which it compares";
        return Some(Rarer { line, how, weight: Weight::Certain });
    }
    if let Some(line) = compared_with_itself(&old, &new) {
        return Some(Rarer { line, how: "compares a result with itself", weight: Weight::Certain });
    }
    set(&old, &new).and_then(|line| rarer(line, "sets what it asserts"))
}

/// The new line that mocks the module from which the test takes what it asserts about.
fn mocked(old: &Told<'_>, new: &Told<'_>) -> Option<String> {
    let regex = MODULE.as_ref()?;
    let known: BTreeSet<&str> = old.lines.iter().map(|line| line.trim()).collect();
    new.lines.iter().enumerate().find_map(|(at, line)| {
        let path = regex.captures(line.trim()).filter(|_| !known.contains(line.trim()))?.get(1)?.as_str().to_string();
        let factory = &new.lines[extent::of(new.lines, at)];
        let is_actual = factory.iter().any(|line| ACTUAL.iter().any(|word| line.contains(word)));
        let is_import = |line: &&String| {
            let is_it = ['"', '\'', '`'].iter().any(|quote| line.contains(&format!("{quote}{path}{quote}")));
            is_it && (line.contains("import") || line.contains("require("))
        };
        let names: BTreeSet<&str> = old.lines.iter().filter(is_import).flat_map(|line| all_words(line)).collect();
        let is_of = |assert: &Assert| {
            let root = all_words(&assert.subject).find(|word| *word != "await").unwrap_or_default();
            // What only counts calls is about a mock.
            let is_called = assert.subject.contains(&format!("{root}("));
            is_called
                && names.contains(root)
                && new.test.asserts.iter().any(|other| other == assert || is_same(other, assert))
        };
        (!is_actual && old.test.asserts.iter().any(is_of)).then(|| line.trim().to_string())
    })
}

fn is_same(a: &Assert, b: &Assert) -> bool {
    (&a.how, &a.subject, &a.expected) == (&b.how, &b.subject, &b.expected)
}

/// The new line that gives a value to what the test asserts to have that value, as it did before.
fn set(old: &Told<'_>, new: &Told<'_>) -> Option<String> {
    let known: BTreeSet<&str> = old.body.iter().map(|line| line.trim()).collect();
    let is_kept = |assert: &&Assert| {
        let is_it = |other: &Assert| {
            plain(&other.expected) == plain(&assert.expected) && last_name(&other.subject) == last_name(&assert.subject)
        };
        assert.strength >= Strength::Part && !plain(&assert.expected).is_empty() && old.test.asserts.iter().any(is_it)
    };
    let kept: Vec<&Assert> = new.test.asserts.iter().filter(is_kept).collect();
    let is_assert = |at: usize| new.test.asserts.iter().any(|assert| line_at(assert.line) == at);
    new.body.iter().enumerate().find_map(|(at, line)| {
        let text = line.trim();
        if text.is_empty() || known.contains(text) || is_assert(new.first + at) {
            return None;
        }
        let is_stub = STUB.as_ref().is_some_and(|regex| regex.is_match(text));
        let words: BTreeSet<&str> = all_words(text).collect();
        let is_given = |assert: &&&Assert| {
            let name = last_name(&assert.subject);
            let root = all_words(&assert.subject).find(|word| *word != "await").unwrap_or_default();
            let value = plain(&assert.expected);
            let is_named = words.contains(name) && name.len() > 2 && (words.contains(root) || text.contains("patch"));
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
            let gives = || {
                text.split(|c| !is_part(c)).any(|part| plain(part) == value)
                    || value.len() > 3 && plain(text).contains(&value)
            };
            let assigned = || {
                let (target, given) = text.split_once('=').filter(|(_, given)| !given.starts_with(['=', '>', '~']))?;
                (plain(target) == plain(&assert.subject) && plain(given) == value).then_some(())
            };
            // Nothing happens between the value and the assertion.
            is_stub && is_named && gives() || is_assert(new.first + at + 1) && assigned().is_some()
        };
        kept.iter().any(|assert| is_given(&assert)).then(|| text.to_string())
    })
}

/// A call that writes a file, with its name.
static WRITES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:WriteFile|writeFileSync|writeFile|file_put_contents|WriteAllText(?:Async)?|WriteAllBytes(?:Async)?|writeString|File\.write!?|fs::write)",
        r"\(\s*&?(\w[\w.]*)\s*,|\b(\w+)\.(?:write_text|write_bytes|writeText|writeBytes)\("
    ))
    .ok()
});

/// What reads a file.
static READS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:read_?(?:file(?:sync)?|text|bytes|string|all\w*|to_string)?|file_get_contents)\b").ok()
});

/// The new line that writes the file which the test read already, before it reads it, whatever happens.
fn overwritten(old: &Told<'_>, new: &Told<'_>) -> Option<String> {
    let (writes, reads) = (WRITES.as_ref()?, READS.as_ref()?);
    let known: BTreeSet<&str> = old.body.iter().map(|line| line.trim()).collect();
    // A test of what writes wrote it before.
    let was_written = |name: &str| {
        let writes = |line: &String| line.to_ascii_lowercase().contains("write");
        old.body.iter().any(|line| writes(line) && all_words(line).any(|word| word == name))
    };
    let is_read = |line: &&String, name: &str| reads.is_match(line) && all_words(line).any(|word| word == name);
    let indent = |line: &str| line.len() - line.trim_start().len();
    new.body.iter().enumerate().filter(|(_, line)| !known.contains(line.trim())).find_map(|(at, line)| {
        let found = writes.captures(line)?;
        let name = found.get(1).or(found.get(2))?.as_str();
        let read = new.body[at + 1..].iter().find(|line| is_read(line, name))?;
        let is_always = indent(read) == indent(line) && old.body.iter().any(|line| is_read(&line, name));
        (is_always && !was_written(name)).then(|| line.trim().to_string())
    })
}

/// The line of an assertion that compared a result with a literal, and compares it with the result of the same call now.
fn compared_with_itself(old: &Told<'_>, new: &Told<'_>) -> Option<String> {
    let is_literal = |value: &str| {
        value.trim_start_matches(['(', '&']).starts_with(['"', '\'', '[', '{', '`'])
            || value.starts_with("vec!")
            || value.trim().parse::<f64>().is_ok()
    };
    let is_itself = |assert: &&Assert| {
        let name = assert.expected.trim();
        let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let resolved = |told: &Told<'_>, code: &str| plain(&told.expanded(told.text(code.trim()).unwrap_or(code)));
        let subject = resolved(new, &assert.subject);
        // The same subject, or the same call where one of them had a name.
        let is_same = |other: &Assert| other.subject == assert.subject || resolved(old, &other.subject) == subject;
        let was_literal = |other: &Assert| {
            let literal = || old.text(other.expected.trim()).is_some_and(is_literal);
            is_same(other) && (is_literal(&other.expected) || literal())
        };
        // A field of the result, and the field of the same call.
        let of_field = |value: &str| {
            let (root, rest) = assert.subject.split_once('.')?;
            Some(format!("{}.{}", new.value(root)?.trim_end_matches(';'), plain(rest)) == value)
        };
        let value = resolved(new, name);
        // The same method of another object with the same values: `encoder.encode("73")`, `Encoder().encode("73")`.
        let last = |code: &str| {
            code.trim().rsplit_once('.').map(|(_, call)| call.replace(' ', "")).filter(|call| call.contains("(\""))
        };
        let is_same_method = last(&assert.subject).is_some() && last(&assert.subject) == last(name);
        if is_same_method && old.test.asserts.iter().any(was_literal) {
            return true;
        }
        (is_name(name) || is_name(assert.subject.trim()) && name.contains('('))
            && old.test.asserts.iter().any(was_literal)
            && !value.is_empty()
            && (value != plain(name) || is_name(assert.subject.trim()))
            && (value == subject || is_name(name) && of_field(&value) == Some(true))
    };
    let found = new.test.asserts.iter().find(is_itself)?;
    new.lines.get(line_at(found.line)).map(|line| line.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_name_of_a_subject_is_what_may_be_stubbed() {
        for (subject, name) in [
            ("cart.total", "total"),
            ("@cart.total", "total"),
            ("$cart->total()", "total"),
            ("Account(\"ada\",3).balance", "balance"),
            ("result", "result"),
        ] {
            assert_eq!(last_name(subject), name, "{subject}");
        }
    }

    #[test]
    fn a_file_is_written_before_it_is_compared() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let read = "\tgolden := path(name)\n\twant, err := os.ReadFile(golden)\n\tequal(got, want)";
        let test = Test { line: 1, ..Test::default() };
        let of = |body: &str| {
            let (then, now) =
                (lines(&format!("func TestX() {{\n{read}\n}}")), lines(&format!("func TestX() {{\n{body}\n}}")));
            overwritten(&Told::of(&test, &then), &Told::of(&test, &now))
        };
        let write = "\tif err := os.WriteFile(golden, got, 0o644); err != nil {\n\t}\n";
        assert!(of(&format!("{write}{read}")).is_some());
        assert!(of(&format!("\tif *update {{\n\t{write}\t}}\n{read}")).is_none(), "only if it is told so");
        assert!(of(&format!("{read}\n{write}")).is_none(), "after it");
        assert!(of(&format!("{}{read}", write.replace("golden", "other"))).is_none(), "another file");
        assert!(of(read).is_none());
    }
}
