//! Issues as findings of the event: those that block, those that do not, and those that somebody accepted.

use super::record::{Approval, CheckedDecision, RaisedIssue, Ruled, Settled};
use super::subject::Subject;
use crate::donefile::{Moderator, ReviewSpec};
use crate::event::{Finding, Level, Review, ReviewFields, Rule, Scope, Section, Stage, Waiver};
use crate::sys::clock::{self, DAY, Time};
use crate::sys::text::{cut_end, one_line};

/// The section of rg-review-state, which rg-review writes, too.
pub type Output = Section<ReviewFields>;

/// Reports the open issues as findings, with the test that confirms one, or with the line that contests it.
pub fn report_issues(output: &mut Output, subject: &Subject, open: &[RaisedIssue]) {
    let is_upheld = subject.moderated(open).is_some_and(|settled| settled.ruled == Ruled::AcceptReviewer);
    for issue in open {
        let how = Some(&issue.how_to_verify).filter(|how| !how.is_empty());
        let how = how.map_or(String::new(), |how| format!(" (to verify: {})", one_line(how)));
        let short = issue.key.get(..8).unwrap_or(&issue.key);
        let more = match subject.ruling_here(&issue.key) {
            Some(settled) if settled.ruled == Ruled::Confirmed => {
                let tests: Vec<&str> = settled.files.keys().map(String::as_str).collect();
                format!(". A test confirms it and fails: {}", one_line(&tests.join(", ")))
            }
            Some(settled) => format!(". The arbiter gave no valid test: {}", one_line(&settled.why)),
            None if is_upheld => ". The moderator upholds it".to_string(),
            None if subject.spec.arbiter.is_some() => {
                format!(". If it is wrong, write the line CONTEST {short}: <reason>")
            }
            None => String::new(),
        };
        let text = format!("{}: {}{how}", issue.severity, one_line(&issue.description));
        report(output, issue, Level::Error, cut_end(&text, 600) + &more);
    }
}

/// Reports issues that do not block, because of `why`.
pub fn warn(output: &mut Output, issues: &[RaisedIssue], why: &str) {
    for issue in issues.iter().take(20) {
        let text = format!("{}: {} ({why})", issue.severity, one_line(&issue.description));
        report(output, issue, Level::Warning, cut_end(&text, 400));
    }
}

/// Reports the issues of a decision that do not block as warnings.
pub fn warn_below_floor(output: &mut Output, given: &CheckedDecision) {
    for issue in given.issues.iter().filter(|issue| !issue.blocks).take(20) {
        warn(output, std::slice::from_ref(issue), &issue.why_not);
    }
}

fn report(output: &mut Output, issue: &RaisedIssue, level: Level, text: String) {
    let path = Some(issue.path.as_str()).filter(|path| !path.is_empty());
    let mut finding = Finding::new(Stage::ReviewState, Rule::ReviewIssue, level, path, "", text);
    finding.key = issue.key.clone();
    finding.line = issue.line;
    output.find(finding);
}

/// Reports the missing approval as a finding, and waives it by the user's approval. Returns the review with who approved.
pub fn accept_as_user(output: &mut Output, review: Review, approval: &Approval) -> Review {
    let accepted = Accepted {
        text: "no reviewer approved these files; the user did".to_string(),
        id: &approval.id,
        why: approval.why.clone(),
        who: approval.who.clone(),
        at: None,
    };
    accepted.waive(output);
    Review { by: Some(approval.who.clone()), snapshot: Some(approval.snapshot.clone()), ..review }
}

/// The same by the moderator's decision, which DONE.md of the baseline allows.
pub fn accept_as_moderator(output: &mut Output, review: Review, settled: &Settled) -> Review {
    let who = format!("the moderator {}", settled.by);
    let accepted = Accepted {
        text: format!("the reviewer rejected these files; {who} accepted them"),
        id: &settled.snapshot,
        why: settled.why.clone(),
        who: who.clone(),
        at: Some(settled.at),
    };
    accepted.waive(output);
    Review { by: Some(who), snapshot: Some(settled.snapshot.clone()), ..review }
}

struct Accepted<'a> {
    text: String,
    id: &'a str,
    why: String,
    who: String,
    at: Option<Time>,
}

impl Accepted<'_> {
    fn waive(self, output: &mut Output) {
        let finding = Finding::new(Stage::ReviewState, Rule::ReviewOwed, Level::Error, None, "", self.text);
        output.own.approval = Some(Waiver {
            id: self.id.to_string(),
            scope: Scope::Key(finding.key.clone()),
            why: self.why,
            who: self.who,
            at: self.at,
            origin: None,
            until: clock::now().plus(DAY),
        });
        output.find(finding);
    }
}

/// The beginning of the reason of a review that only the user can decide.
pub const PERSON_MUST_DECIDE: &str = "a person must decide";

/// Why a person must decide, and how.
pub fn why_human(spec: &ReviewSpec, settled: &Settled) -> String {
    let who = match (&spec.moderator, settled.ruled) {
        (Some(Moderator::Human), _) => "the agent and the reviewer do not agree".to_string(),
        (_, Ruled::AcceptBuilder) => {
            format!("the moderator {} accepts the work, and `moderator_waives` is not set", settled.by)
        }
        _ => format!(
            "the moderator {} accepts nobody: {}",
            settled.by,
            cut_end(one_line(&settled.why).trim_end_matches('.'), 200)
        ),
    };
    format!("{PERSON_MUST_DECIDE}: {who}. To accept the files, run `rg-review-state approve --why TEXT`")
}
