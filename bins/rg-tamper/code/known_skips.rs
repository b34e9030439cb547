//! Known skips: a mark that is new to a test, and says what another mark, a condition around the test, or its code said before.

use super::handed::calls_of;
use super::removed_words::line_at;
use super::skip_conditions::{REASON, is_implied, opposite, plain, says_where};
use super::words::Texts;
use super::{Judgement, aliases, exits, extent};
use crate::sides::Source;
use regex::Regex;
use review_gate::outline::compare::Place;
use review_gate::outline::{Bearer, Mark, SkipKind, Test};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Within how many lines the reason of a mark stands.
const WITHIN: usize = 5;

/// Whether a mark keeps a test of today from running only where the older one did not run, or was about rows that are new.
pub fn is_known(
    judgement: &Judgement<'_>,
    source: &Source<'_>,
    (old, then): (&Test, usize),
    (mark, now): (&Mark, Place),
) -> bool {
    let texts = judgement.texts(source);
    let conditions = old.skip.as_ref().and_then(|old| old.condition.as_deref()).zip(mark.condition.as_deref());
    was_around(old, mark, then, texts)
        || was_of_file(mark, then, texts)
        || was_beside(old, mark, then, texts)
        || asks_same_variable(old, mark)
        || is_about_new_row(mark, now.file, texts)
        || is_renamed((old, then), (mark, now.file), texts)
        || old.skip.as_ref().is_some_and(|old| says_where(old) == says_where(mark))
            && conditions.is_some_and(|(a, b)| aliases::is_same(judgement, source, a, b))
}

/// What puts a file of Rust under a condition.
const WHOLE: &str = "#![cfg";

/// Whether the whole file stood under a condition before, so that the test runs wherever it ran: `#![cfg(not(windows))]`.
fn was_of_file(mark: &Mark, file: usize, texts: &Texts) -> bool {
    let (Some(condition), Some((then, _))) = (mark.condition.as_deref(), texts.lines(file)) else { return false };
    let Some(first) = then.iter().position(|line| line.contains(WHOLE)) else { return false };
    let whole = Mark { text: format!("{WHOLE}("), of: Bearer::File, ..Mark::default() };
    let without_blanks = |text: &str| text.split_whitespace().collect::<String>();
    let (now, text) = (without_blanks(condition), then[first..].join("\n"));
    calls_of(&text, WHOLE).any(|before| is_implied(&whole, &format!("({})", without_blanks(before)), mark, &now))
}

/// Whether a test lost a condition of its own, so that one around it shows that the file held before.
fn was_around(old: &Test, mark: &Mark, file: usize, texts: &Texts) -> bool {
    if ended_silently(old, mark, file, texts) {
        return true;
    }
    let is_own = |mark: &Mark| mark.of == Bearer::Test && mark.condition.is_some();
    let Some(condition) = mark.condition.as_deref().filter(|_| mark.of != Bearer::Test) else { return false };
    let then = texts.lines(file).map(|(then, _)| plain(&then.join(" "))).unwrap_or_default();
    // In the other sense it is the opposite.
    let is_same_sense = |old: &Mark| says_where(old) == says_where(mark);
    old.skip.as_ref().is_some_and(|old| is_own(old) && is_same_sense(old)) && then.contains(&plain(condition))
}

/// Whether a test had two marks of which the first one went: `if a { t.Skip() }` and `if b { t.Skip() }`.
fn was_beside(old: &Test, mark: &Mark, file: usize, texts: &Texts) -> bool {
    let (Some(condition), Some((then, _))) = (mark.condition.as_deref(), texts.lines(file)) else { return false };
    if mark.of != Bearer::Test || old.skip.is_none() || condition.trim().is_empty() {
        return false;
    }
    let body = &then[extent::of(then, line_at(old.line))];
    let is_head = |line: &String| plain(line).contains(&plain(condition));
    let skips = |at: usize| body[at..].iter().any(|line| line.contains(mark.text.as_str()));
    body.iter().enumerate().any(|(at, line)| is_head(line) && skips(at))
}

/// A comparison with one text: `tt.name == "new"`.
static TEXT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^\(*[\w.\[\]$>-]+\s*={2,3}\s*["'`]([^"'`]{2,})["'`]\)*$"#).ok());

/// Whether a mark skips the rows with a text that the file has since this change, beside the mark, too.
fn is_about_new_row(mark: &Mark, file: usize, texts: &Texts) -> bool {
    let (Some(condition), Some((then, now))) = (mark.condition.as_deref(), texts.lines(file)) else { return false };
    let text = TEXT.as_ref().and_then(|regex| regex.captures(condition.trim()));
    let Some(text) = text.as_ref().map(|found| &found[1]) else { return false };
    let holds = |line: &&String| line.contains(text);
    let is_row = |line: &&String| holds(line) && !plain(line).contains(&plain(condition));
    mark.kind == SkipKind::Skip && !then.iter().any(|line| holds(&line)) && now.iter().any(|line| is_row(&line))
}

/// A variable of the environment that a condition asks for.
static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:getenv|Environment\.GetEnvironmentVariable|env::var|env\.fetch|environ\.get)\(\s*["'](\w+)["']|named\s*=\s*"(\w+)"|(?:ENV|environ)\[\s*["'](\w+)["']|process\.env\.(\w+)"#).ok()
});

/// Whether a mark asks the same variable of the environment for the same values as the one before, in another form.
fn asks_same_variable(old: &Test, mark: &Mark) -> bool {
    let Some(before) = old.skip.as_ref() else { return false };
    let whole = |mark: &Mark| format!("{} {}", mark.text, mark.condition.as_deref().unwrap_or_default());
    let variable = |text: &str| -> Option<String> {
        let found = VARIABLE.as_ref()?.captures(text)?;
        found.iter().skip(1).flatten().next().map(|name| name.as_str().to_string())
    };
    let values = |text: &str, name: &str| -> BTreeSet<String> {
        let text = REASON.as_ref().map_or(text.into(), |regex| regex.replace_all(text, ""));
        let quoted = text.split(['"', '\'']).skip(1).step_by(2);
        quoted.filter(|text| *text != name && !text.is_empty()).map(str::to_string).collect()
    };
    let (old, new) = (whole(before), whole(mark));
    let is_where = |mark: &Mark| says_where(mark) || mark.text.contains("Enabled");
    let (Some(a), Some(b)) = (variable(&old), variable(&new)) else { return false };
    a == b && is_where(before) == is_where(mark) && values(&old, &a) == values(&new, &b)
}

/// Whether a condition that is only a name has another name, and the mark gives the same reason as before.
fn is_renamed((old, then): (&Test, usize), (mark, now): (&Mark, usize), texts: &Texts) -> bool {
    let Some(before) = old.skip.as_ref().filter(|before| says_where(before) == says_where(mark)) else { return false };
    let (Some(a), Some(b)) = (before.condition.as_deref(), mark.condition.as_deref()) else { return false };
    let name = |text: &str| {
        let text = text.trim();
        let bare = text.trim_start_matches("not ").trim_start_matches('!').trim();
        let is_name = bare.contains('_') && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        is_name.then_some(text != bare)
    };
    if name(a).is_none() || name(a) != name(b) {
        return false;
    }
    let reasons = |lines: Option<&[String]>, line: u64| -> BTreeSet<String> {
        let lines = lines.unwrap_or_default().iter().skip(line_at(line)).take(WITHIN);
        let quoted = lines.flat_map(|line| line.split(['"', '\'', '`']).skip(1).step_by(2));
        quoted.filter(|text| text.contains(' ')).map(str::to_string).collect()
    };
    let was = reasons(texts.lines(then).map(|(then, _)| then), before.line);
    let is = reasons(texts.lines(now).map(|(_, now)| now), mark.line);
    !was.is_disjoint(&is)
}

/// Whether a test ended under the condition of a mark before, without a word.
fn ended_silently(old: &Test, mark: &Mark, file: usize, texts: &Texts) -> bool {
    let (Some(condition), Some((then, _))) = (mark.condition.as_deref(), texts.lines(file)) else { return false };
    // `if x { return }`, `return if x`, `if x return`
    let of_head = |head: &str| {
        let (before, after) = head.split_once("return").unwrap_or((head, ""));
        let head = if before.trim().is_empty() { plain(after) } else { plain(before) };
        let head = head.trim_end_matches(['{', ':']);
        let unless = head.strip_prefix("unless").map(opposite);
        head.strip_prefix("if").map(str::to_string).or(unless)
    };
    let skips_if = if says_where(mark) { opposite(&plain(condition)) } else { plain(condition) };
    exits::silent(then, old).any(|head| of_head(head).is_some_and(|head| head == skips_if))
}

#[cfg(test)]
mod tests {
    use super::super::skip_conditions::is_no_wider;
    use super::*;

    #[test]
    fn the_same_variable_of_the_environment_is_asked_in_two_forms() {
        let mark = |text: &str, condition: &str| Mark {
            text: text.into(),
            condition: Some(condition.into()),
            ..Mark::default()
        };
        let is = |before: (&str, &str), now: (&str, &str)| {
            asks_same_variable(&Test { skip: Some(mark(before.0, before.1)), ..Test::default() }, &mark(now.0, now.1))
        };
        let before = ("assumeTrue", "\"1\".equals(System.getenv(\"ONLINE_TESTS\"))");
        let now = |condition| ("@EnabledIfEnvironmentVariable", condition);
        assert!(is(before, now("named=\"ONLINE_TESTS\",matches=\"1\"")));
        assert!(!is(before, now("named=\"OFFLINE_TESTS\",matches=\"1\"")), "another variable");
        assert!(!is(before, now("named=\"ONLINE_TESTS\",matches=\"2\"")), "another value");
        assert!(
            !is(before, ("@DisabledIfEnvironmentVariable", "named=\"ONLINE_TESTS\",matches=\"1\"")),
            "the opposite"
        );
        assert!(is_no_wider(
            "named=\"A\",matches=\".+\"",
            "named=\"A\",matches=\".+\",disabledReason=\"needs a server"
        ));
    }
}
