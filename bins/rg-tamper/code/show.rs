//! How findings name tests, assertions and marks.

use review_gate::outline::{Assert, Mark, Test};
use review_gate::sys::text::{count, cut_end, one_line};

/// The longest name or piece of code, in characters.
const LONGEST: usize = 80;

/// How many names are listed.
const NAMED: usize = 3;

/// A piece of code in one line.
pub fn code(text: &str) -> String {
    cut_end(&one_line(text), LONGEST)
}

/// A test's name, in quotation marks.
pub fn name(test: &Test) -> String {
    format!("\"{}\"", code(&test.name))
}

/// The subject of a sentence about some tests: `test "a"`, `3 tests ("a", "b", "c")`.
pub fn tests(names: &[String]) -> String {
    match names {
        [one] => format!("test {one}"),
        all => format!("{} ({})", count(all.len(), "test"), list(all)),
    }
}

/// The first names of a list.
pub fn list(names: &[String]) -> String {
    let more = if names.len() > NAMED { ", ..." } else { "" };
    names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ") + more
}

/// Was or were.
pub fn was(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}

/// What a mark did: `it -> it.skip`, or the mark itself.
pub fn mark(mark: &Mark) -> String {
    let text = code(&mark.text);
    let of_call =
        text.rsplit_once('.').filter(|(call, modifier)| is_word(call) && is_word(modifier)).map(|(call, _)| call);
    let of_prefix = ["xit", "xdescribe", "xtest", "xcontext", "xspecify", "fit", "fdescribe", "fcontext"];
    let of_prefix = of_prefix.contains(&text.as_str()).then(|| &text[1..]);
    let shown = match of_call.or(of_prefix).filter(|call| RUNNERS.contains(call)) {
        Some(call) => format!("{call} -> {text}"),
        None => text.clone(),
    };
    match &mark.condition {
        Some(condition) if !text.contains(condition.as_str()) => format!("{shown} if {}", code(condition)),
        _ => shown,
    }
}

/// The functions that declare tests and suites.
const RUNNERS: [&str; 8] = ["it", "test", "describe", "suite", "context", "specify", "scenario", "test.describe"];

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
}

/// An assertion in short: subject, matcher, expected value.
pub fn assert(assert: &Assert) -> String {
    // A matcher without an argument is what is expected, too.
    let expected = if assert.expected == assert.how { "" } else { &assert.expected };
    let parts = [&assert.subject, &assert.how, expected].map(code);
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    format!("`{}`", parts.join(" ").replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_shows_what_it_replaced() {
        let shown = |text: &str, condition: Option<&str>| {
            mark(&Mark { text: text.into(), condition: condition.map(str::to_string), ..Mark::default() })
        };
        assert_eq!(shown("it.skip", None), "it -> it.skip");
        assert_eq!(shown("xit", None), "it -> xit");
        assert_eq!(shown("test.describe.skip", None), "test.describe -> test.describe.skip");
        assert_eq!(shown("#[ignore]", None), "#[ignore]");
        assert_eq!(shown("t.Skip", Some("testing.Short()")), "t.Skip if testing.Short()");
        assert_eq!(shown("@pytest.mark.skipif(x)", Some("x")), "@pytest.mark.skipif(x)");
    }
}
