//! Finds CI that checks less than at the base: steps, jobs and triggers that are gone, failures that no longer count.

use super::command::{Category, Command, category_of_name};
use super::pipeline::{self, CiStep, Pipeline};
use super::scripts;
use super::shell::OnFailure;
use super::strength::{self, Effective, Text};
use super::{Around, Edit, Loss, text_now};
use review_gate::event::Rule;

/// How many other workflows are read.
const OTHERS: usize = 40;

/// Compares all changed files of CI systems at once, because jobs move between files.
pub fn judge(edits: &[Edit], around: &Around<'_>) -> Vec<Loss> {
    let changed: Vec<&Edit> = edits.iter().filter(|edit| pipeline::is_pipeline(&edit.path)).collect();
    if changed.iter().all(|edit| edit.then.is_none()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut all: Vec<(&Edit, Pipeline, Pipeline)> = Vec::new();
    for edit in changed {
        let side = |text: &Option<String>| text.as_ref().map(|text| pipeline::read(&edit.path, text));
        match (side(&edit.then), side(&edit.now)) {
            (Some(Some(_)), Some(None)) => found.push(super::unreadable(edit, Rule::NoCiGutting)),
            (then, now) => all.push((edit, then.flatten().unwrap_or_default(), now.flatten().unwrap_or_default())),
        }
    }
    let finders = (Finder { edits, around, is_then: true }, Finder { edits, around, is_then: false });
    let others = || -> Vec<Effective> {
        let is_other = |path: &&String| pipeline::is_pipeline(path) && !edits.iter().any(|edit| edit.path == **path);
        let read = |path: &String| pipeline::read(path, &around.read(path)?);
        let paths = around.paths().iter().filter(is_other).take(OTHERS);
        paths.filter_map(read).flat_map(|pipeline| commands(&pipeline.steps, &finders.1)).map(|(_, one)| one).collect()
    };
    let new: Vec<(CiStep, Effective)> = all.iter().flat_map(|(_, _, now)| commands(&now.steps, &finders.1)).collect();
    let new_effective: Vec<Effective> = new.iter().map(|(_, one)| one.clone()).collect();
    for (edit, then, now) in &all {
        let old = commands(&then.steps, &finders.0);
        let own = commands(&now.steps, &finders.1);
        let of = |list: &[(CiStep, Effective)]| list.iter().map(|(_, one)| one.clone()).collect::<Vec<_>>();
        let (old_own, now_own) = (of(&old), of(&own));
        // First within the file; what is lost there may be in another one.
        let mut losses = strength::lost_between(&old_own, &now_own, None);
        if !losses.is_empty() && all.len() > 1 {
            let elsewhere = strength::lost_between(&old_own, &new_effective, None);
            losses.retain(|lost| {
                elsewhere.iter().any(|other| other.what.split('`').nth(1) == lost.what.split('`').nth(1))
            });
        }
        let spare = if losses.is_empty() { Vec::new() } else { others() };
        for lost in losses.into_iter().take(5) {
            let command = lost.what.split('`').nth(1).unwrap_or_default().to_string();
            let is_elsewhere = spare.iter().any(|one| !one.is_masked && command.starts_with(&one.command.name));
            // An action may be replaced by commands.
            let is_action = command.contains('/') && !command.contains("lint");
            let step = old.iter().find(|(_, one)| command.starts_with(&one.command.name)).map(|(step, _)| step);
            let job = step.map_or(String::new(), |step| step.job.clone());
            let what = match (edit.now.is_some(), lost.what.as_str()) {
                (false, _) => {
                    format!("was removed, and {}", if lost.what.starts_with("was") { "ran checks" } else { &lost.what })
                }
                (true, "was replaced") => "no longer runs any check".to_string(),
                (true, what) => what.to_string(),
            };
            let text = if job.is_empty() { what.clone() } else { format!("job {job} {what}") };
            let rule = if lost.is_coverage { Rule::NoLoweredCoverage } else { Rule::NoCiGutting };
            let is_certain = lost.is_certain && !is_elsewhere && !is_action;
            found.push(Loss { rule, path: edit.path.clone(), key: what, text, is_certain });
        }
        found.extend(around_steps(edit, then, now, &old, &own));
    }
    found
}

/// What changed around the steps: triggers, conditions, needs and matrices.
fn around_steps(
    edit: &Edit,
    then: &Pipeline,
    now: &Pipeline,
    old: &[(CiStep, Effective)],
    new: &[(CiStep, Effective)],
) -> Vec<Loss> {
    let loss = |text: String, is_certain: bool| Loss {
        rule: Rule::NoCiGutting,
        path: edit.path.clone(),
        key: text.clone(),
        text,
        is_certain,
    };
    let mut found = Vec::new();
    if edit.now.is_none() || !old.iter().any(|(_, one)| one.command.category.is_some()) {
        return found;
    }
    let trigger = |pipeline: &Pipeline, name: &str| pipeline.triggers.iter().find(|(known, _)| known == name).cloned();
    let has_other = ["workflow_call", "pull_request_target", "merge_group"]
        .iter()
        .any(|name| trigger(now, name).is_some() && trigger(then, name).is_none());
    let is_left = |name: &str| trigger(now, name).is_some();
    for (name, before) in
        then.triggers.iter().filter(|(name, _)| matches!(name.as_str(), "pull_request" | "push" | "merge_group"))
    {
        match trigger(now, name) {
            None => {
                let is_certain = !has_other && (name != "push" || !is_left("pull_request"));
                found.push(loss(format!("on.{name} was removed"), is_certain));
            }
            Some((_, after)) if after != *before => {
                let gained = ["paths", "paths-ignore", "branches", "branches-ignore", "types"];
                let is_narrower =
                    gained.iter().any(|key| after.contains(&format!("{key}:")) && !before.contains(&format!("{key}:")));
                if is_narrower {
                    found.push(loss(format!("on.{name} was narrowed: {before} -> {after}"), false));
                }
            }
            Some(_) => {}
        }
    }
    for (step, one) in old.iter().filter(|(_, one)| one.command.category.is_some() && !one.is_masked) {
        let is_same =
            |other: &CiStep, new: &Effective| new.command == one.command && !new.is_masked && other.job == step.job;
        let mut all = new.iter().filter(|(other, new)| is_same(other, new));
        // A job may run a command under several conditions.
        let same = all.clone().find(|(other, _)| other.condition == step.condition).or_else(|| all.next());
        let differs = |other: &CiStep| {
            other.condition != step.condition
                && !other.condition.is_empty()
                && !follows_matrix(&step.condition, &other.condition, now)
        };
        if let Some((other, _)) = same.filter(|(other, _)| differs(other)) {
            let (before, after) =
                (step.condition.trim().replace('\n', " and "), other.condition.trim().replace('\n', " and "));
            let before = if before.is_empty() { "none".to_string() } else { before };
            found.push(loss(format!("the condition of job {} changed: {before} -> {after}", step.job), false));
        }
    }
    let is_delivery = |job: &str| {
        ["deploy", "release", "publish", "land", "ship", "docker", "push", "upload"]
            .iter()
            .any(|word| job.to_lowercase().contains(word))
    };
    for (job, needs) in then.needs.iter().filter(|(job, _)| is_delivery(job)) {
        let after = now.needs.iter().find(|(name, _)| name == job).map(|(_, needs)| needs.clone()).unwrap_or_default();
        let is_there = now.steps.iter().any(|step| step.job == *job) || now.needs.iter().any(|(name, _)| name == job);
        let lost: Vec<&String> = needs.iter().filter(|need| !after.contains(need)).collect();
        if is_there && !lost.is_empty() && after.len() < needs.len() {
            found.push(loss(format!("job {job} no longer needs {}", lost[0]), false));
        }
    }
    // What is left out of a matrix is no value of it.
    for (axis, before) in then.matrix.iter().filter(|(axis, _)| !axis.ends_with(".exclude")) {
        let Some((_, after)) = now.matrix.iter().find(|(name, _)| name == axis) else { continue };
        let times = |pipeline: &Pipeline, value: &String| pipeline.values.get(value).copied().unwrap_or_default();
        // A value that stands as often as before is in another job, or in a variable.
        let is_fewer = |value: &String| times(now, value) < times(then, value).max(1);
        // An item with several values is elsewhere if another matrix has it, or if each of its values is.
        let has_moved = |value: &String| {
            let of = |pipeline: &Pipeline| pipeline.matrix.iter().filter(|(_, all)| all.contains(value)).count();
            let parts = then.cells.get(value);
            parts.is_some_and(|parts| of(now) >= of(then) || !parts.iter().any(is_fewer))
        };
        let is_lost = |value: &&String| !after.contains(*value) && is_fewer(value) && !has_moved(value);
        let lost = before.iter().filter(is_lost).count();
        let fewer = before.len().saturating_sub(after.len()).min(lost);
        if fewer > 0 {
            let (count, after) = (before.len(), after.len());
            found.push(loss(format!("the matrix of {axis} has fewer values: {count} -> {after}"), false));
        }
    }
    found.dedup_by(|a, b| a.key == b.key);
    found.truncate(6);
    found
}

/// Whether two conditions differ in one value of a matrix only: the old value is in no matrix any more, and the new one is.
fn follows_matrix(before: &str, after: &str, now: &Pipeline) -> bool {
    let pieces = |text: &str| -> Vec<String> { text.trim().split('\'').map(str::to_string).collect() };
    let (old, new) = (pieces(before), pieces(after));
    let differing: Vec<usize> = (0..old.len().min(new.len())).filter(|at| old[*at] != new[*at]).collect();
    let (true, [at]) = (old.len() == new.len(), differing.as_slice()) else { return false };
    // The values of a condition stand between quotes.
    let Some(axis) = (at % 2 == 1).then(|| old[at - 1].trim_end().strip_suffix("==")).flatten() else { return false };
    let axis = axis.trim_end().rsplit("matrix.").next().filter(|_| axis.contains("matrix.")).unwrap_or_default();
    let is_of = |(name, _): &&(String, Vec<String>)| name.rsplit('.').next() == Some(axis);
    let bare = |value: &String| value.trim_matches(['"', '\'']).to_string();
    let values: Vec<String> = now.matrix.iter().filter(is_of).flat_map(|(_, values)| values.iter().map(bare)).collect();
    values.contains(&new[*at]) && !values.contains(&old[*at])
}

/// Finds the scripts that steps call.
struct Finder<'a> {
    edits: &'a [Edit],
    around: &'a Around<'a>,
    is_then: bool,
}

impl Finder<'_> {
    fn text(&self, path: &str) -> Option<String> {
        match self.edits.iter().find(|edit| edit.path == path) {
            Some(edit) if self.is_then => edit.then.clone(),
            _ => text_now(path, self.edits, self.around),
        }
    }

    fn find(&self, name: &str) -> Option<String> {
        ["package.json", "Makefile", "justfile"].iter().find_map(|path| {
            let all = scripts::scripts(path, &self.text(path)?);
            all.into_iter().find(|script| script.name == name).map(|script| script.text)
        })
    }
}

/// Programs that prepare a job.
fn is_setup(command: &Command) -> bool {
    let words = [
        "install",
        "npm ci",
        "apt",
        "apt-get",
        "pip",
        "brew",
        "curl",
        "wget",
        "mkdir",
        "cp",
        "rm",
        "mv",
        "git ",
        "docker",
        "tar",
        "chmod",
        "cat",
        "sudo",
        "corepack",
        "rustup",
        "choco",
        "cd",
        "gem",
        "bundle",
        "pip3",
        "run install",
    ];
    words.iter().any(|word| command.name.starts_with(word))
        || command.name.ends_with("install")
        || command.name.ends_with(" ci")
}

/// The commands of steps, each with its step.
fn commands(steps: &[CiStep], finder: &Finder<'_>) -> Vec<(CiStep, Effective)> {
    let mut found = Vec::new();
    for step in steps.iter().take(1000) {
        let by_name = category_of_name(&step.name).filter(|_| {
            let lower = step.name.to_lowercase();
            ![
                "install", "setup", "set up", "upload", "report", "cache", "build", "prepare", "publish", "summary",
                "comment", "download", "checkout", "get ", "deploy", "notify",
            ]
            .iter()
            .any(|word| lower.contains(word))
        });
        if let Some(uses) = &step.uses {
            let is_about = [
                "upload", "report", "setup", "cache", "summary", "comment", "checkout", "download", "codecov",
                "artifact", "labeler", "release",
            ];
            let category = category_of_name(uses).filter(|_| !is_about.iter().any(|word| uses.contains(word)));
            let category = category.or_else(|| {
                ["super-linter", "codeql", "sonar"].iter().any(|word| uses.contains(word)).then_some(Category::Lint)
            });
            let command = Command {
                name: uses.clone(),
                category,
                target: None,
                options: Vec::new(),
                operands: Vec::new(),
                env: Vec::new(),
            };
            found.push((step.clone(), Effective { command, is_masked: step.is_masked, is_piped: false }));
        }
        let Some(run) = &step.run else { continue };
        // A runner replaces these before a shell sees them.
        let run = run.replace("${{", "{{");
        let text = Text { text: &run, on_failure: OnFailure::Stop, find: &|name| finder.find(name) };
        for mut one in strength::effective(&text) {
            one.is_masked |= step.is_masked;
            if one.command.category.is_none() && one.command.target.is_some() && !is_setup(&one.command) {
                one.command.category = by_name;
            }
            found.push((step.clone(), one));
        }
    }
    found
}
