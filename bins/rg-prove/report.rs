//! What the experiments found out, and the report of it for people and as JSON.

use crate::plan::Plan;
use crate::runs::NoResult;
use review_gate::event::{Finding, Level, Rule, RuleName, Stage};
use review_gate::sys::exit::Exit;
use review_gate::sys::text::{count, cut_end, one_line};
use serde::Serialize;
use serde_json::json;

/// The longest line of output that is shown.
const WIDTH: usize = 200;

/// How many names or lines of a finding are shown in its text.
const SHOWN: usize = 3;

/// What the experiments found out.
#[derive(Default, Serialize)]
pub struct Report {
    /// The checks that took part.
    pub checks: Vec<String>,
    /// What could not be compared, each with the reason.
    pub not_comparable: Vec<String>,
    /// What the tests do not prove.
    pub findings: Vec<Gap>,
    /// What they prove.
    pub proved: Vec<String>,
    /// What was left out by a limit.
    pub left_out: Vec<String>,
}

/// Something that the tests do not prove.
#[derive(Serialize)]
pub struct Gap {
    /// Which experiment showed it.
    pub rule: RuleName,
    /// What it counts.
    pub level: Level,
    /// One sentence.
    pub text: String,
    /// The file, if it is about one.
    pub path: Option<String>,
    /// Its line, from 1.
    pub line: Option<u64>,
    /// The names of tests, or lines of output.
    pub details: Vec<String>,
    /// What identifies it in later runs.
    #[serde(skip)]
    pub what: String,
}

impl Report {
    /// No: something is not proved. Unjudged: nothing could be compared.
    pub fn exit(&self) -> Exit {
        match (self.findings.is_empty(), self.is_without_result()) {
            (false, _) => Exit::No,
            (true, true) => Exit::Unjudged,
            (true, false) => Exit::Yes,
        }
    }

    /// Whether nothing could be compared.
    pub fn is_without_result(&self) -> bool {
        self.findings.is_empty() && self.proved.is_empty() && !self.not_comparable.is_empty()
    }

    /// Adds a finding, unless DONE.md switches its experiment off.
    pub fn find(&mut self, plan: &Plan, rule: Rule, what: &str, text: String, details: Vec<String>) {
        if let Some(level) = plan.spec.level(rule) {
            let what = what.to_string();
            self.findings.push(Gap { rule: rule.into(), level, text, path: None, line: None, details, what });
        }
    }

    /// Notes why there is no result.
    pub fn without_result(&mut self, what: &str, why: &NoResult) {
        self.not_comparable.push(match why {
            NoResult::Time => format!("{what}: no time left. --minutes gives more"),
            NoResult::Unknown(why) => format!("{what}: {why}"),
        });
    }

    /// The report for people.
    pub fn text(&self, plan: &Plan) -> String {
        let base = &plan.base[..plan.base.len().min(12)];
        if plan.is_empty() {
            return format!("nothing changed since {base}\n");
        }
        let (tests, sources) = (plan.tests().count(), plan.sources().count());
        let mut out =
            format!("since {base}: code changed in {}, tests in {}\n", count(sources, "file"), count(tests, "file"));
        for line in &self.proved {
            out.push_str(&format!("proved: {}\n", shown(line)));
        }
        for gap in &self.findings {
            out.push_str(&format!("not proved: {}\n", shown(&gap.text)));
            for line in &gap.details {
                out.push_str(&format!("    {}\n", shown(line)));
            }
        }
        for line in &self.not_comparable {
            out.push_str(&format!("not comparable: {}\n", shown(line)));
        }
        for line in &self.left_out {
            out.push_str(&format!("not tried: {}\n", shown(line)));
        }
        out
    }

    /// The report as one JSON object in a line.
    pub fn json(&self, plan: &Plan) -> String {
        let mut value = json!(self);
        value["base"] = json!(plan.base);
        value["sources"] = json!(plan.sources().count());
        value["tests"] = json!(plan.tests().count());
        value["status"] = json!(self.exit() as u8);
        format!("{value}\n")
    }

    /// The findings, for the event line.
    pub fn event_findings(&self) -> impl Iterator<Item = Finding> {
        self.findings.iter().map(|gap| {
            let details: Vec<String> = gap.details.iter().take(SHOWN).map(|line| shown(line)).collect();
            let details = if details.is_empty() { String::new() } else { format!(": {}", details.join("; ")) };
            let text = format!("{}{details}", shown(&gap.text));
            let found = Finding::new(Stage::Prove, gap.rule.clone(), gap.level, gap.path.as_deref(), &gap.what, text);
            Finding { line: gap.line, ..found }
        })
    }
}

/// Names of files and tests come from the repository.
fn shown(text: &str) -> String {
    cut_end(&one_line(text), WIDTH)
}
