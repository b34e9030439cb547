//! Compares the definition of done with the one from the task's begin: a valid one that is now missing, broken, shadowed or a link
//! was tampered with. rg-tamper reports edits; the bytes from the begin judge in any case.

use review_gate::donefile;
use review_gate::event::{Event, Finding, Level, Rule, Stage};
use review_gate::snapshot::workspace::Workspace;

/// Findings about the definition since the task's begin; none for a manual event, or if the task began without a valid one.
pub fn compare_with_begin(event: &Event, workspace: &Workspace) -> Vec<Finding> {
    let Some(begin) = workspace.task.as_ref().map(|task| &task.begin) else { return Vec::new() };
    let Some(begun) = begin.donefile.as_ref().filter(|begun| begun.valid) else { return Vec::new() };
    let name = begun.path.to_string_lossy();
    let tampered =
        |rule: Rule, text: String| vec![Finding::new(Stage::Check, rule, Level::Tampered, Some(&name), "", text)];
    let found = match donefile::find(&event.root) {
        Ok(Some(found)) if found.root == event.root => found,
        Ok(_) => {
            return tampered(Rule::DonefileMissing, "was removed after the task began. Restore it".to_string());
        }
        Err(error) => return tampered(Rule::DonefileUnreadable, error.to_string()),
    };
    if found.name != name {
        return tampered(
            Rule::DonefileShadowed,
            format!("{0} takes precedence over {name}, which judged when the task began. Remove {0}", found.name),
        );
    }
    if found.is_link && !begun.is_link {
        return tampered(Rule::DonefileLink, "became a symbolic link after the task began".to_string());
    }
    if let Err(error) = donefile::parse(found.name, &found.bytes, &event.root) {
        return tampered(Rule::DonefileBrokenSince, format!("{error}. It was valid when the task began"));
    }
    match donefile::find(&event.cwd) {
        Ok(Some(nearer)) if nearer.root != event.root && nearer.root.starts_with(&event.root) => {
            let nearer = nearer.root.strip_prefix(&event.root).unwrap_or(&nearer.root).join(nearer.name);
            vec![nested(&nearer.to_string_lossy())]
        }
        _ => Vec::new(),
    }
}

/// The finding about a nearer definition, which does not judge.
fn nested(path: &str) -> Finding {
    let text = "does not judge: the task began with a definition of done above it";
    Finding::new(Stage::Check, Rule::DonefileNested, Level::Warning, Some(path), "", text)
}
