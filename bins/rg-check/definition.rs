//! The definition of done held against the task's begin: one that was valid and is now missing, broken, shadowed or a link
//! was tampered with. That its bytes changed is rg-tamper's to judge; those at the begin count either way.

use review_gate::donefile;
use review_gate::event::{Event, Finding, Level, Rule, Stage};
use review_gate::snapshot::definition::Basis;

/// What happened to it, as findings; none by hand, or where there was none at the begin.
pub fn against_begin(event: &Event, basis: &Basis) -> Vec<Finding> {
    let Some(begin) = basis.task.as_ref().map(|task| &task.begin) else { return Vec::new() };
    let Some(begun) = begin.donefile.as_ref().filter(|begun| begun.valid) else { return Vec::new() };
    let name = begun.path.to_string_lossy();
    let tampered =
        |rule: Rule, text: String| vec![Finding::new(Stage::Check, rule, Level::Tampered, Some(&name), "", text)];
    let found = match donefile::find(&event.root) {
        Ok(Some(found)) if found.root == event.root => found,
        Ok(_) => {
            return tampered(
                Rule::DonefileMissing,
                format!("{name} is gone; it was there when the task began: restore it"),
            );
        }
        Err(error) => return tampered(Rule::DonefileUnreadable, error.to_string()),
    };
    if found.name != name {
        return tampered(
            Rule::DonefileShadowed,
            format!("{} stands before {name}, which judged when the task began", found.name),
        );
    }
    if found.is_link && !begun.is_link {
        return tampered(Rule::DonefileLink, format!("{name} has become a symbolic link"));
    }
    if let Err(error) = donefile::parse(found.name, &found.bytes, &event.root) {
        return tampered(Rule::DonefileBrokenSince, format!("{error}; it could be read when the task began"));
    }
    match donefile::find(&event.cwd) {
        Ok(Some(nearer)) if nearer.root != event.root && nearer.root.starts_with(&event.root) => {
            let nearer = nearer.root.strip_prefix(&event.root).unwrap_or(&nearer.root).join(nearer.name);
            vec![nested(&nearer.to_string_lossy())]
        }
        _ => Vec::new(),
    }
}

/// A nearer one does not judge; that it is there is for the record.
fn nested(path: &str) -> Finding {
    let text = format!("{path} does not judge: the task began with the one above it");
    Finding::new(Stage::Check, Rule::DonefileNested, Level::Warning, Some(path), "", text)
}
