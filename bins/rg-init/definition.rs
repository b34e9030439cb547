//! The text of a DONE.md.

use crate::proposal::{Plan, Proposal, Trial};
use review_gate::donefile::CheckKind;
use review_gate::sys::text::one_line;

/// The time that a check gets if it passed quickly: the default of DONE.md, in seconds.
const DEFAULT_TIMEOUT: f64 = 600.0;

/// The longest `timeout` of a check, in seconds.
const LONGEST_TIMEOUT: f64 = 3600.0;

/// How many times longer than its trial a check may take.
const SLACK: f64 = 6.0;

/// The definition of done for one trial.
pub fn of_trial(check: &Proposal, limit: f64) -> String {
    format!("```yaml\nchecks:\n{}    timeout: {limit}\n```\n", item(check, "  "))
}

/// The definition of done with the checks that passed; the others are comments with their reasons.
pub fn text(plan: &Plan) -> String {
    let mut out = String::from(
        "# Definition of done\n\nrg-init wrote this file and ran each check once: those that are not comments passed. DONE.md(5) lists \
         all keys.\n\n```yaml\nchecks:\n",
    );
    for check in &plan.checks {
        match &check.trial {
            Trial::Passed(seconds) => {
                out.push_str(&format!("  # From {}.\n{}", one_line(&check.found_in), item(check, "  ")));
                let timeout = (seconds * SLACK / 60.0).ceil() * 60.0;
                if timeout > DEFAULT_TIMEOUT {
                    out.push_str(&format!("    timeout: {}\n", timeout.min(LONGEST_TIMEOUT)));
                }
            }
            Trial::LeftOut(why) => {
                out.push_str(&format!("  # From {}, left out: {}\n", one_line(&check.found_in), one_line(why)));
                out.push_str(&item(check, "  # "));
            }
            Trial::Untried => out.push_str(&item(check, "  # ")),
        }
    }
    plan.settings.iter().for_each(|line| out.push_str(&format!("{line}\n")));
    if !plan.rows.is_empty() {
        out.push_str("# What became of each key:\n");
        plan.rows.iter().for_each(|row| out.push_str(&format!("# - {}\n", one_line(row))));
    }
    if !plan.notes.is_empty() {
        out.push_str("# Found and left out:\n");
        plan.notes.iter().for_each(|note| out.push_str(&format!("# - {note}\n")));
    }
    out.push_str("```\n");
    out
}

/// The lines of a check.
fn item(check: &Proposal, margin: &str) -> String {
    let mut out = format!("{margin}- name: {}\n", scalar(&check.name));
    out.push_str(&format!("{margin}  run: {}\n", scalar(&check.run)));
    // Tests must report what ran, so a check that reports nothing is not declared as tests.
    if check.kind != CheckKind::Test || check.has_evidence {
        out.push_str(&format!("{margin}  kind: {}\n", check.kind));
    }
    if !check.below.is_empty() {
        out.push_str(&format!("{margin}  cwd: {}\n", scalar(&check.below)));
    }
    out
}

/// A text as a YAML scalar on one line.
pub fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " ./_=+@%-".contains(c);
    let begins_plainly = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.');
    let is_word =
        !matches!(text.to_ascii_lowercase().as_str(), "true" | "false" | "null" | "yes" | "no" | "on" | "off");
    let is_number = text.parse::<f64>().is_ok();
    if begins_plainly && is_word && !is_number && !text.ends_with(' ') && text.chars().all(is_plain) {
        return text.to_string();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use review_gate::donefile;

    #[test]
    fn every_text_is_read_as_it_was_written() {
        let texts = [
            "npm test",
            "a: b",
            "a #b",
            "- x",
            "true",
            "1e3",
            "inf",
            ".5",
            "nan",
            "~",
            "'x' \"y\" \\z",
            "a\nb",
            "a\u{7f}b\u{1b}[0m",
            "é\u{2028}",
            "```",
            "{a}",
            "[a]",
            "*x",
            "&x",
            "!x",
            "%x",
            "@x",
            "a ",
            " a",
            "no",
            "0x1f",
            "a\tb",
            "# x",
            "a:",
        ];
        for text in texts {
            let check = Proposal {
                stack: "x",
                name: format!("n {text}"),
                run: text.to_string(),
                kind: CheckKind::Test,
                has_evidence: false,
                below: String::new(),
                found_in: "a\nb".into(),
                trial: Trial::Passed(0.0),
            };
            let left_out = Proposal { trial: Trial::LeftOut("x\ny".into()), name: "other".into(), ..check.clone() };
            let plan = Plan { checks: vec![check, left_out], notes: vec!["x".into()], ..Plan::default() };
            let done = donefile::parse("DONE.md", super::text(&plan).as_bytes(), &std::env::temp_dir());
            let done = done.unwrap_or_else(|why| panic!("{text:?}: {why}"));
            assert_eq!((done.checks.len(), done.checks[0].run.as_str()), (1, text.trim()));
        }
    }

    #[test]
    fn a_slow_check_gets_more_time() {
        let check = |seconds| Proposal {
            stack: "x",
            name: "a".into(),
            run: "x".into(),
            kind: CheckKind::Build,
            has_evidence: false,
            below: "b".into(),
            found_in: "c".into(),
            trial: Trial::Passed(seconds),
        };
        let of = |seconds| text(&Plan { checks: vec![check(seconds)], ..Plan::default() });
        assert!(!of(99.0).contains("timeout"));
        assert!(of(101.0).contains("    timeout: 660\n"));
        assert!(of(3000.0).contains("    timeout: 3600\n"));
    }
}
