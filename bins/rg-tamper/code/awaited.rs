//! Waiting: a test waited for a callback, and now for what the call gives: `let size = await load()`, `load().get(2, SECONDS)`.

use super::Judgement;
use super::extent;
use super::removed_words::line_at;
use super::weight::Lost;
use super::words::Texts;
use regex::Regex;
use review_gate::outline::Assert;
use review_gate::outline::compare::{Pair, Side};
use std::sync::LazyLock;

/// What only waits until something was called, as a call.
static WAITS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)waitForExpectations|\bfulfillment\(|\bwait\(\s*for:|latch\w*\.await|\w*latch\b|\bWaitOne\(|semaphore\w*\.wait|\bwg\.Wait\(|\bdone\.await\(|countDown|\bexpectation\(").ok()
});

/// What waits for the result of a call.
static AWAITS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\bawait\b|\.get\(|\.join\(\)|\brunTest\b|\brunBlocking\b|\bcoroutineScope\b|StepVerifier|\.block\(\)|<-\w+",
    )
    .ok()
});

/// Drops the losses of a test that waited for a callback, where nothing is called back now and the test waits for the result.
pub fn drop_awaited(judgement: &Judgement<'_>, texts: &Texts, found: &mut Vec<(&Pair, Lost)>) {
    let is = |regex: &Option<Regex>, line: &str| regex.as_ref().is_some_and(|regex| regex.is_match(line));
    found.retain_mut(|(pair, lost)| {
        let Lost::Some { losses, .. } = lost else { return true };
        // A failure that was given to the callback is thrown now.
        let fails = |a: &Assert| matches!(a.how.as_str(), "XCTFail" | "Issue.record");
        let waits = |a: &Assert| fails(a) || is(&WAITS, &format!("{}({})", a.how, a.subject));
        if !losses.iter().any(|loss| waits(&loss.before)) {
            return true;
        }
        let new = judgement.test(Side::Now, pair.now).zip(texts.lines(pair.now.file));
        let Some((new, (_, now))) = new else { return true };
        let body = &now[extent::of(now, line_at(new.line))];
        let awaits = body.iter().any(|line| is(&AWAITS, line));
        let called_back = body.iter().any(|line| is(&WAITS, line));
        // Another way to wait for the same callback: `wait(for: [done])`, `await fulfillment(of: [done])`.
        let still = body.iter().any(|line| {
            ["wait(for:", "fulfillment(of:", "waitForExpectations("].iter().any(|call| line.contains(call))
        });
        let throws =
            body.iter().any(|line| line.contains("try await ")) && !body.iter().any(|line| line.contains("catch"));
        let was_called_back =
            judgement.test(Side::Then, pair.then).zip(texts.lines(pair.then.file)).is_some_and(|(old, (then, _))| {
                then[extent::of(then, line_at(old.line))].iter().any(|line| is(&WAITS, line))
            });
        if awaits && !called_back || still {
            losses.retain(|loss| !waits(&loss.before) || fails(&loss.before) && !(throws && was_called_back));
        }
        !losses.is_empty()
    });
}
