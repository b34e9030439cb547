//! The report, for people and as JSON.

use crate::experiments::Report;
use crate::plan::Plan;
use review_gate::sys::text::{count, cut_end, one_line};
use serde_json::json;

/// The longest line of output that is shown.
const WIDTH: usize = 200;

/// The report for people.
pub fn text(plan: &Plan, report: &Report) -> String {
    let short = &plan.base[..plan.base.len().min(12)];
    if plan.is_empty() {
        return format!("nothing changed since {short}\n");
    }
    let (tests, sources) = (plan.tests().count(), plan.sources().count());
    let mut out =
        format!("since {short}: {} and {} changed\n", count(sources, "source file"), count(tests, "test file"));
    for line in &report.proved {
        out.push_str(&format!("proved: {}\n", shown(line)));
    }
    for finding in &report.findings {
        out.push_str(&format!("not proved: {}\n", shown(&finding.text)));
        for line in &finding.details {
            out.push_str(&format!("    {}\n", shown(line)));
        }
    }
    for line in &report.not_comparable {
        out.push_str(&format!("not comparable: {}\n", shown(line)));
    }
    out
}

/// Names of files and tests come from the repository.
fn shown(text: &str) -> String {
    cut_end(&one_line(text), WIDTH)
}

/// The report as one JSON object in a line.
pub fn json(plan: &Plan, report: &Report) -> String {
    let mut value = json!(report);
    value["base"] = json!(plan.base);
    value["sources"] = json!(plan.sources().count());
    value["tests"] = json!(plan.tests().count());
    value["status"] = json!(report.exit() as u8);
    format!("{value}\n")
}
