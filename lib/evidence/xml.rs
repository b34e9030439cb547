//! Reads reports in XML: JUnit and TRX. No entity is expanded and nothing is fetched.

use super::{Ending, Tally};

/// The deepest element that is read.
const DEPTH: usize = 64;

/// An element that is open: its name, and the test that it is.
struct Open<'a> {
    name: &'a str,
    test: Option<(String, Ending)>,
}

/// The tests of a report, and its format. Errors: why it cannot be used.
pub(super) fn read(text: &str) -> Result<(&'static str, Tally), String> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut tally = Tally::default();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut format = None;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let skipped = [("<![CDATA[", "]]>"), ("<!--", "-->"), ("<?", "?>")];
        if let Some((mark, end)) = skipped.iter().find(|(mark, _)| rest.starts_with(mark)) {
            let at = rest[mark.len()..].find(end).ok_or("it ends too early")?;
            rest = &rest[mark.len() + at + end.len()..];
        } else if rest.starts_with("<!") {
            return Err("it declares a document type, which may define entities".into());
        } else if let Some(body) = rest.strip_prefix("</") {
            let end = body.find('>').ok_or("it ends too early")?;
            let closed = open.pop().filter(|open| open.name == body[..end].trim()).ok_or("its tags do not match")?;
            if let Some((name, ending)) = closed.test {
                tally.count(ending, &name);
            }
            rest = &body[end + 1..];
        } else {
            let end = end_of_tag(rest).ok_or("it ends too early")?;
            let tag = &rest[1..end];
            rest = &rest[end + 1..];
            let is_empty = tag.ends_with('/');
            let tag = tag.strip_suffix('/').unwrap_or(tag);
            let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
            if open.is_empty() {
                let root = match name {
                    "testsuites" | "testsuite" => "junit",
                    "TestRun" => "trx",
                    _ => return Err(format!("its root is <{}>, which is no test report", short(name))),
                };
                if format.replace(root).is_some() {
                    return Err("it has two roots".into());
                }
            }
            if let Some(test) = open.last_mut().and_then(|parent| parent.test.as_mut()) {
                match name {
                    "failure" | "error" => test.1 = Ending::Failed,
                    "skipped" if test.1 == Ending::Passed => test.1 = Ending::Skipped,
                    _ => {}
                }
            }
            let test = match (format, name) {
                (Some("junit"), "testcase") => Some(junit_test(attributes)),
                (Some("trx"), "UnitTestResult") => Some(trx_test(attributes)),
                _ => None,
            };
            match (is_empty, test) {
                (true, Some((name, ending))) => tally.count(ending, &name),
                (true, None) => {}
                (false, test) => open.push(Open { name, test }),
            }
            if open.len() > DEPTH {
                return Err("its elements are nested too deeply".into());
            }
        }
    }
    match format {
        Some(format) if open.is_empty() => Ok((format, Tally { closed: 1, opened: 1, ..tally })),
        Some(_) => Err("it ends too early".into()),
        None => Err("it has no element".into()),
    }
}

fn short(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_:".contains(*c)).take(40).collect()
}

/// The end of a tag: the first `>` outside of quotes.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, b) in text.bytes().enumerate() {
        match quote {
            Some(mark) if b == mark => quote = None,
            Some(_) => {}
            None if b == b'"' || b == b'\'' => quote = Some(b),
            None if b == b'>' => return Some(at),
            None => {}
        }
    }
    None
}

/// The value of an attribute.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes.trim_start();
    while let Some((key, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let mark = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, next) = after[1..].split_once(mark)?;
        if key.trim() == name {
            return Some(plain(value));
        }
        rest = next.trim_start();
    }
    None
}

/// A value with the five predefined entities replaced.
fn plain(value: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.iter().fold(value.to_string(), |text, (entity, sign)| text.replace(entity, sign))
}

fn junit_test(attributes: &str) -> (String, Ending) {
    let name = attribute(attributes, "name").unwrap_or_default();
    let whole = match attribute(attributes, "classname").filter(|class| !class.is_empty()) {
        Some(class) => format!("{class}::{name}"),
        None => name,
    };
    // Googletest writes tests that did not run.
    let is_run = !matches!(attribute(attributes, "status").as_deref(), Some("notrun" | "disabled"));
    (whole, if is_run { Ending::Passed } else { Ending::Skipped })
}

fn trx_test(attributes: &str) -> (String, Ending) {
    let ending = match attribute(attributes, "outcome").as_deref() {
        Some("Passed" | "PassedButRunAborted" | "Warning") => Ending::Passed,
        Some("NotExecuted" | "NotRunnable" | "Inconclusive" | "Pending") => Ending::Skipped,
        _ => Ending::Failed,
    };
    (attribute(attributes, "testName").unwrap_or_default(), ending)
}
