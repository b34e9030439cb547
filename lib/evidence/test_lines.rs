//! The lines of runners about single tests, and the runners whose counts are such lines.

use super::{Ending, Tally, TestList};

/// `test tests::adds ... ok`
pub(super) fn cargo(line: &str, tally: &mut Tally) {
    if let Some(rest) = line.strip_prefix("running ") {
        let number = rest.strip_suffix(" tests").or_else(|| rest.strip_suffix(" test"));
        tally.open(u64::from(number.is_some_and(|number| number.parse::<u64>().is_ok())));
        return;
    }
    let Some((name, result)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) else { return };
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    match result.split(',').next() {
        Some("ok") => tally.tests.add(Ending::Passed, name),
        Some("FAILED") => tally.tests.add(Ending::Failed, name),
        Some("ignored") => tally.tests.add(Ending::Skipped, name),
        _ => {}
    }
}

/// `PASS [   0.012s] (1/2) sum tests::adds`
pub(super) fn nextest(line: &str, tally: &mut Tally) {
    if line.starts_with("Starting ") && line.contains(" across ") && line.contains(" binar") {
        tally.open(1);
        return;
    }
    let Some((word, rest)) = line.split_once(" [") else { return };
    let Some((time, name)) = rest.split_once("] ") else { return };
    let ending = match word.trim() {
        "PASS" | "LEAK" => Ending::Passed,
        "FAIL" | "TIMEOUT" | "ABORT" => Ending::Failed,
        "SKIP" => Ending::Skipped,
        word if word.starts_with("FLAKY ") => Ending::Passed,
        _ => return,
    };
    let is_time = time.trim().ends_with('s') || time.trim().is_empty();
    // Failures are printed again below the closing line.
    if !is_time || tally.closed > 0 {
        return;
    }
    let name = name.trim_start();
    let name = name.strip_prefix('(').and_then(|rest| rest.split_once(") ")).map_or(name, |(_, name)| name);
    tally.tests.add(ending, &name.split_whitespace().collect::<Vec<_>>().join(" "));
}

/// `test_sum.py::test_adds PASSED [ 25%]`, and `PASSED test_sum.py::test_adds`
pub(super) fn pytest(line: &str, tally: &mut Tally) {
    if line.starts_with('=') && line.contains(" test session starts ") {
        tally.open(1);
        return;
    }
    // The short summary repeats tests, unless their lines had no names.
    if line.contains(" short test summary info ") {
        tally.has_names = !tally.tests.0.is_empty();
        return;
    }
    if !line.contains("::") {
        return;
    }
    let ending_of = |word: &str| match word {
        "PASSED" | "XFAIL" | "XPASS" => Some(Ending::Passed),
        "FAILED" | "ERROR" => Some(Ending::Failed),
        "SKIPPED" => Some(Ending::Skipped),
        _ => None,
    };
    let line = line.strip_prefix("[gw").and_then(|rest| rest.rsplit_once("%] ")).map_or(line, |(_, rest)| rest);
    let percent =
        |text: &str| text.rsplit_once(" [").filter(|(_, end)| end.ends_with("%]")).map(|p| p.0.trim_end().len());
    let text = percent(line).map_or(line, |end| &line[..end]);
    if let Some((first, name)) = text.split_once(' ')
        && let Some(ending) = ending_of(first)
    {
        if !tally.has_names {
            tally.tests.add(ending, name.split(" - ").next().unwrap_or(name));
        }
        return;
    }
    for word in ["PASSED", "XFAIL", "XPASS", "FAILED", "ERROR", "SKIPPED"] {
        let mark = format!(" {word}");
        let found = text.find(&mark).filter(|at| {
            let rest = &text[at + mark.len()..];
            rest.is_empty() || rest.starts_with(" (")
        });
        if let (Some(at), Some(ending)) = (found, ending_of(word)) {
            return tally.tests.add(ending, &text[..at]);
        }
    }
}

/// `ok 1 - adds`, at any depth. A suite is told by the line `type: 'suite'` below it.
pub(super) fn nested_tap(line: &str, tests: &mut TestList) {
    if line == "type: 'suite'" {
        tests.0.pop();
        return;
    }
    let (is_ok, rest) = match (line.strip_prefix("ok "), line.strip_prefix("not ok ")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return,
    };
    let Some((number, name)) = rest.split_once(" - ") else { return };
    if number.parse::<u64>().is_err() {
        return;
    }
    let (name, directive) = name.rsplit_once(" # ").unwrap_or((name, ""));
    let ending = match (directive.split(' ').next(), is_ok) {
        (Some("SKIP" | "TODO"), _) => Ending::Skipped,
        (_, true) => Ending::Passed,
        (_, false) => Ending::Failed,
    };
    tests.add(ending, name);
}

/// `SumTest#test_adds = 0.00 s = .`
pub(super) fn minitest(line: &str, tally: &mut Tally) {
    let mut parts = line.rsplitn(3, " = ");
    let (Some(mark), Some(time), Some(name)) = (parts.next(), parts.next(), parts.next()) else { return };
    let is_time = time.strip_suffix(" s").is_some_and(|time| time.parse::<f64>().is_ok());
    let ending = match mark {
        "." => Ending::Passed,
        "F" | "E" => Ending::Failed,
        "S" => Ending::Skipped,
        _ => return,
    };
    if is_time && name.contains('#') {
        tally.tests.add(ending, name);
    }
}

/// `test_adds (tests.test_unit.Sum.test_adds) ... ok`
pub(super) fn unittest(line: &str, tally: &mut Tally, ran: &mut Option<u64>) {
    let number = |text: &str| text.split(' ').next().and_then(|number| number.parse::<u64>().ok());
    if let Some(run) =
        line.strip_prefix("Ran ").filter(|rest| rest.contains(" test") && rest.ends_with('s')).and_then(number)
    {
        tally.open(1);
        *ran = Some(run);
        return;
    }
    if let Some(run) = *ran
        && !line.is_empty()
    {
        *ran = None;
        let list = line.split_once(" (").and_then(|(_, list)| list.strip_suffix(')')).unwrap_or("");
        let value = |name: &str| -> u64 {
            let values = list.split(", ").filter_map(|item| item.split_once('='));
            values
                .filter(|value| value.0 == name)
                .filter_map(|value| value.1.parse::<u64>().ok())
                .fold(0, u64::saturating_add)
        };
        let is_closing = ["OK", "FAILED", "NO TESTS RAN"].iter().any(|word| line.split(" (").next() == Some(word));
        if is_closing {
            let skipped = value("skipped");
            let failed = [value("failures"), value("errors"), value("unexpected successes")]
                .into_iter()
                .fold(0, u64::saturating_add);
            tally.close(run.saturating_sub(skipped), failed, skipped);
        }
        return;
    }
    let Some((name, result)) = line.split_once(" ... ") else { return };
    if !(name.ends_with(')') && name.contains(" (")) {
        return;
    }
    match result {
        "ok" | "expected failure" => tally.tests.add(Ending::Passed, name),
        "FAIL" | "ERROR" | "unexpected success" => tally.tests.add(Ending::Failed, name),
        _ if result.starts_with("skipped ") => tally.tests.add(Ending::Skipped, name),
        _ => {}
    }
}

/// `--- PASS: TestAdds (0.00s)` of `go test -v`; each `=== RUN` needs its result.
pub(super) fn go(line: &str, tally: &mut Tally) {
    if line.starts_with("=== RUN ") {
        tally.open(1);
        return;
    }
    // What a test prints without a newline stands before its result.
    let Some((_, result)) = line.rsplit_once("--- ") else { return };
    let Some((word, rest)) = result.split_once(": ") else { return };
    let ending = match word {
        "PASS" => Ending::Passed,
        "FAIL" => Ending::Failed,
        "SKIP" => Ending::Skipped,
        _ => return,
    };
    let Some((name, time)) = rest.rsplit_once(" (") else { return };
    if time.strip_suffix("s)").is_some_and(|seconds| seconds.parse::<f64>().is_ok()) {
        tally.end(1);
        tally.count(ending, name);
    }
}

/// `ok  sum  0.002s`, with tabs between the fields: without `-v`, go prints only packages.
pub(super) fn go_package(line: &str, tally: &mut Tally) {
    let mut fields = line.split('\t');
    let (Some(word), Some(name), Some(result)) = (fields.next(), fields.next(), fields.next()) else { return };
    let is_empty = result.contains("[no test");
    match word.trim_end() {
        "ok" | "?" if is_empty => tally.close(0, 0, 0),
        "ok" => {
            tally.end(1);
            tally.count(Ending::Passed, name);
        }
        "FAIL" => {
            tally.end(1);
            tally.count(Ending::Failed, name);
        }
        _ => {}
    }
}

/// `ok 1 - adds`, of the Test Anything Protocol
pub(super) fn tap(line: &str, tally: &mut Tally) {
    let plan = line.strip_prefix("1..").map(|rest| rest.split(' ').next().unwrap_or(rest));
    if let Some(planned) = plan.and_then(|number| number.parse::<u64>().ok()) {
        // A plan of no tests is kept, too.
        tally.open(planned.max(1));
        tally.end(u64::from(planned == 0));
        return;
    }
    let (is_ok, rest) = match (line.strip_prefix("ok "), line.strip_prefix("not ok ")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return,
    };
    let (number, name) = rest.split_once(' ').unwrap_or((rest, ""));
    if number.parse::<u64>().is_err() {
        return;
    }
    let name = name.strip_prefix("- ").unwrap_or(name);
    let (name, directive) = name.rsplit_once(" # ").unwrap_or((name, ""));
    let directive = directive.to_ascii_lowercase();
    tally.end(1);
    match () {
        _ if directive.starts_with("skip") => tally.count(Ending::Skipped, name),
        _ if is_ok || directive.starts_with("todo") => tally.count(Ending::Passed, name),
        _ => tally.count(Ending::Failed, name),
    }
}

/// The name after the mark that jest, vitest, mocha and node print for a test: `✓ adds (6 ms)`.
pub(super) fn marked(line: &str) -> Option<(Ending, &str)> {
    let mut chars = line.chars();
    let ending = match chars.next()? {
        '\u{2713}' | '\u{2714}' | '\u{221a}' => Ending::Passed,
        '\u{2715}' | '\u{2716}' | '\u{d7}' => Ending::Failed,
        '\u{25cb}' | '\u{2193}' | '\u{fe63}' | '\u{270e}' => Ending::Skipped,
        _ => return None,
    };
    let name = chars.as_str().strip_prefix(' ')?.trim();
    let name = ["skipped ", "todo "].iter().find_map(|word| name.strip_prefix(word)).unwrap_or(name);
    let name = name.strip_suffix(" # SKIP").unwrap_or(name);
    // The time: `(6 ms)`, `(0.5ms)`, or `2ms` after the name of vitest.
    let is_time = |text: &str| {
        let number = text.trim_end_matches(['m', 's', ')']).trim_start_matches('(').trim();
        text.len() > number.len() && number.parse::<f64>().is_ok()
    };
    let name = match name.rsplit_once(" (") {
        Some((before, time)) if is_time(time) => before,
        _ => match name.rsplit_once(' ') {
            Some((before, time)) if !time.starts_with('(') && time.ends_with("ms") && is_time(time) => {
                before.trim_end()
            }
            _ => name,
        },
    };
    // Vitest also prints a line for each file: `sum.test.mjs (3 tests | 1 skipped)`.
    let is_file = name.rsplit_once(" (").is_some_and(|(_, rest)| rest.contains(" test") && rest.ends_with(')'));
    (!is_file && !name.is_empty()).then_some((ending, name))
}
