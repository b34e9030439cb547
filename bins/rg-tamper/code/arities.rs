//! Groups of tests with the name of a function of Elixir: `describe "get!/1"`. They go with the function.

use super::Judgement;
use super::removed_words::is_source;
use super::words::Texts;
use review_gate::outline::compare::{Place, Side};

/// Whether the group of a removed test has the name of a function that source lost.
pub fn is_gone(judgement: &Judgement<'_>, texts: &Texts, place: Place) -> bool {
    let Some(test) = judgement.test(Side::Then, place) else { return false };
    test.suite.iter().filter_map(|suite| function_of(suite)).any(|name| {
        let files = (0..judgement.code.files.len()).filter(|file| is_source(judgement, *file));
        let sides: Vec<_> = files.filter_map(|file| texts.lines(file)).collect();
        let was = sides.iter().any(|(then, _)| defines(then, name));
        was && !sides.iter().any(|(_, now)| defines(now, name))
    })
}

/// The function that the title of a group names with its arity.
fn function_of(title: &str) -> Option<&str> {
    let (name, arity) = title.rsplit('.').next()?.split_once('/')?;
    (!arity.is_empty() && arity.chars().all(|c| c.is_ascii_digit())).then_some(name)
}

/// Whether lines define a function or a macro of this name.
fn defines(lines: &[String], name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '!' | '?');
    lines.iter().any(|line| {
        let line = line.trim_start();
        let head = line.strip_prefix("def ").or_else(|| line.strip_prefix("defmacro "));
        head.and_then(|head| head.strip_prefix(name)).is_some_and(|rest| !rest.starts_with(is_part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_names_a_function_that_lines_define() {
        assert_eq!((function_of("get!/1"), function_of("Settings.get/2")), (Some("get!"), Some("get")));
        assert_eq!((function_of("and/or"), function_of("get")), (None, None));
        let lines = ["  def get!(key) do".to_string()];
        assert!(defines(&lines, "get!") && !defines(&lines, "get") && !defines(&lines, "fetch!"));
    }
}
