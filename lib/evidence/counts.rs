//! The closing lines of runners that print counts.

use super::Tally;

/// A line, without white space around it, as the closing line of a runner: executed, failed, skipped.
type Closing = fn(&str) -> Option<(u64, u64, u64)>;

/// The runners, and how each one reads its closing line.
pub(super) const CLOSINGS: [(&str, Closing); 9] = [
    ("cargo", cargo),
    ("nextest", nextest),
    ("pytest", pytest),
    ("jest", jest),
    ("vitest", vitest),
    ("rspec", rspec),
    ("minitest", minitest),
    ("phpunit", phpunit),
    ("dotnet", dotnet),
];

/// The numbers of a list such as `3 passed, 1 failed`, each with its word. None if an item is of another form.
fn numbers(list: &str, separator: char) -> Option<Vec<(u64, &str)>> {
    let item = |text: &'_ str| -> Option<(u64, usize)> {
        let (number, _) = text.trim_start().split_once(' ')?;
        Some((number.parse().ok()?, number.len()))
    };
    list.split(separator).map(|text| item(text).map(|(n, digits)| (n, text.trim_start()[digits..].trim()))).collect()
}

fn sum(items: &[(u64, &str)], words: &[&str]) -> u64 {
    items.iter().filter(|item| words.contains(&item.1)).fold(0, |all, item| all.saturating_add(item.0))
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`
fn cargo(line: &str) -> Option<(u64, u64, u64)> {
    let (_, list) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let list = list.split("; finished in").next()?;
    let items = numbers(list, ';')?;
    let failed = sum(&items, &["failed"]);
    let is_whole = ["passed", "failed", "ignored"].iter().all(|word| items.iter().any(|item| item.1 == *word));
    is_whole.then(|| (sum(&items, &["passed", "failed", "measured"]), failed, sum(&items, &["ignored"])))
}

/// `Summary [   0.005s] 3 tests run: 2 passed (1 slow), 1 failed, 1 skipped`
fn nextest(line: &str) -> Option<(u64, u64, u64)> {
    let (_, text) = line.strip_prefix("Summary [")?.split_once("] ")?;
    let (run, list) = text.split_once(" run: ")?;
    let number = run.split([' ', '/']).next()?.parse().ok()?;
    let list: String = without_brackets(list);
    let items = numbers(&list, ',')?;
    Some((number, sum(&items, &["failed", "timed out", "exec failed"]), sum(&items, &["skipped"])))
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0usize;
    let kept = text.chars().filter(|c| {
        depth += usize::from(*c == '(');
        let is_kept = depth == 0;
        depth = depth.saturating_sub(usize::from(*c == ')'));
        is_kept
    });
    kept.collect()
}

/// `==== 3 passed, 1 skipped in 0.02s ====`, and `no tests ran in 0.01s`
fn pytest(line: &str) -> Option<(u64, u64, u64)> {
    let line = line.trim_matches('=').trim();
    let (list, time) = line.rsplit_once(" in ")?;
    let seconds = time.split(" (").next()?.strip_suffix('s')?;
    seconds.parse::<f64>().ok()?;
    if list.starts_with("no tests ") {
        return Some((0, 0, 0));
    }
    const WORDS: [&str; 16] = [
        "passed",
        "failed",
        "error",
        "errors",
        "xfailed",
        "xpassed",
        "skipped",
        "deselected",
        "warning",
        "warnings",
        "rerun",
        "tests collected",
        "test collected",
        "subtests passed",
        "subtests failed",
        "selected",
    ];
    let items = numbers(list, ',')?;
    let is_about_tests = items.iter().any(|item| !item.1.starts_with("warning"));
    if !is_about_tests || !items.iter().all(|item| WORDS.contains(&item.1)) {
        return None;
    }
    let failed = sum(&items, &["failed", "error", "errors"]);
    Some((sum(&items, &["passed", "xfailed", "xpassed"]).saturating_add(failed), failed, sum(&items, &["skipped"])))
}

/// `Tests:       1 failed, 1 skipped, 2 passed, 4 total`
fn jest(line: &str) -> Option<(u64, u64, u64)> {
    if line.starts_with("No tests found, exiting with code") {
        return Some((0, 0, 0));
    }
    let items = numbers(line.strip_prefix("Tests: ")?, ',')?;
    let is_jest = items.last().is_some_and(|item| item.1 == "total");
    let failed = sum(&items, &["failed"]);
    is_jest.then(|| (sum(&items, &["passed"]).saturating_add(failed), failed, sum(&items, &["skipped", "todo"])))
}

/// `Tests  2 passed | 1 skipped (3)`
fn vitest(line: &str) -> Option<(u64, u64, u64)> {
    if line.starts_with("No test files found, exiting with code") {
        return Some((0, 0, 0));
    }
    let (list, total) = line.strip_prefix("Tests  ")?.trim().rsplit_once(" (")?;
    total.strip_suffix(')')?.parse::<u64>().ok()?;
    let items = numbers(list, '|')?;
    let failed = sum(&items, &["failed"]);
    let passed = sum(&items, &["passed", "expected fail"]);
    Some((passed.saturating_add(failed), failed, sum(&items, &["skipped", "todo"])))
}

/// `3 examples, 0 failures, 1 pending`
fn rspec(line: &str) -> Option<(u64, u64, u64)> {
    let items = numbers(line, ',')?;
    let examples = sum(&items[..1], &["example", "examples"]);
    let is_rspec =
        items.len() > 1 && matches!(items[0].1, "example" | "examples") && matches!(items[1].1, "failure" | "failures");
    let pending = sum(&items, &["pending"]);
    is_rspec.then(|| (examples.saturating_sub(pending), sum(&items, &["failure", "failures"]), pending))
}

/// `3 runs, 5 assertions, 0 failures, 0 errors, 1 skips`; test-unit prints `tests`, `pendings` and `omissions`.
fn minitest(line: &str) -> Option<(u64, u64, u64)> {
    let items = numbers(line, ',')?;
    let is_minitest = items.len() >= 5
        && matches!(items[0].1, "runs" | "tests" | "run" | "test")
        && matches!(items[1].1, "assertions" | "assertion");
    let skipped = sum(&items, &["skips", "skip", "pendings", "omissions"]);
    is_minitest.then(|| (items[0].0.saturating_sub(skipped), sum(&items, &["failures", "errors"]), skipped))
}

/// `OK (3 tests, 5 assertions)`, `Tests: 3, Assertions: 5, Skipped: 1.`, `No tests executed!`
fn phpunit(line: &str) -> Option<(u64, u64, u64)> {
    if line == "No tests executed!" {
        return Some((0, 0, 0));
    }
    if let Some(list) = line.strip_prefix("OK (").and_then(|rest| rest.strip_suffix(')')) {
        let items = numbers(list, ',')?;
        let is_phpunit = items.len() == 2 && items[0].1.starts_with("test") && items[1].1.starts_with("assertion");
        return is_phpunit.then(|| (items[0].0, 0, 0));
    }
    let list = line.strip_suffix('.')?;
    let value = |name: &str| labelled(list, name);
    let (tests, _) = (value("Tests")?, value("Assertions")?);
    let failed = value("Failures").unwrap_or(0).saturating_add(value("Errors").unwrap_or(0));
    let skipped = value("Skipped").unwrap_or(0);
    Some((tests.saturating_sub(skipped), failed, skipped))
}

/// The number after a label in `Tests: 3, Failures: 1`.
fn labelled(list: &str, name: &str) -> Option<u64> {
    let item = list.split(',').find_map(|item| item.trim().strip_prefix(name)?.trim_start().strip_prefix(':'));
    item?.trim().parse().ok()
}

/// `Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 5 ms - sum.dll (net8.0)`
fn dotnet(line: &str) -> Option<(u64, u64, u64)> {
    let (word, list) = line.split_once("!  - ")?;
    matches!(word, "Passed" | "Failed" | "Skipped").then_some(())?;
    let (failed, passed, skipped) = (labelled(list, "Failed")?, labelled(list, "Passed")?, labelled(list, "Skipped")?);
    Some((failed.saturating_add(passed), failed, skipped))
}

/// `[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1`: the total of a module, which has no time after it.
pub(super) fn maven(line: &str, tally: &mut Tally) -> bool {
    let Some((level, text)) = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) else { return false };
    if !matches!(level, "INFO" | "WARNING" | "ERROR") {
        return false;
    }
    if text.trim() == "T E S T S" {
        tally.open(1);
        return true;
    }
    // `No tests to run.` closes a module without tests.
    if text == "No tests to run." {
        tally.close(0, 0, 0);
        return true;
    }
    if !text.starts_with("Tests run: ") || text.matches(':').count() != 4 {
        return false;
    }
    let value = |name: &str| labelled(text, name);
    let (Some(run), Some(failures), Some(errors), Some(skipped)) =
        (value("Tests run"), value("Failures"), value("Errors"), value("Skipped"))
    else {
        return false;
    };
    tally.close(run.saturating_sub(skipped), failures.saturating_add(errors), skipped);
    true
}
