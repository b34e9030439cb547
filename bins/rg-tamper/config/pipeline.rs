//! Reads the files of CI systems into jobs with steps: GitHub Actions, GitLab, CircleCI, Azure, Bitbucket and others alike, and a
//! Jenkinsfile by its lines.

use super::files::Format;
use super::value::Value;
use super::{files, strip_comments};
use std::collections::{BTreeMap, BTreeSet};

/// One step of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct CiStep {
    /// The job.
    pub job: String,
    /// The name of the step, if it has one.
    pub name: String,
    /// Its commands.
    pub run: Option<String>,
    /// The action that it uses, without a version.
    pub uses: Option<String>,
    /// Its failure is ignored, or it never runs.
    pub is_masked: bool,
    /// The conditions of the step and of its job.
    pub condition: String,
}

/// One file of a CI system.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// What starts it, each with its filters.
    pub triggers: Vec<(String, String)>,
    /// The steps.
    pub steps: Vec<CiStep>,
    /// What each job waits for.
    pub needs: Vec<(String, Vec<String>)>,
    /// The values of each axis of each matrix, with those that its `include` adds.
    pub matrix: Vec<(String, Vec<String>)>,
    /// How often each plain value stands anywhere in the jobs.
    pub values: BTreeMap<String, usize>,
    /// The plain values of each item of a matrix that has several.
    pub cells: BTreeMap<String, Vec<String>>,
}

/// Whether a file belongs to a CI system.
pub fn is_pipeline(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_yaml = name.ends_with(".yml") || name.ends_with(".yaml");
    let is_below = |dir: &str| path.starts_with(dir) && is_yaml;
    // Workflows in directories below it do not run.
    let is_in = |dir: &str| is_below(dir) && !path[dir.len()..].contains('/');
    is_in(".github/workflows/")
        || is_below(".github/actions/")
        || is_below(".circleci/")
        || is_below(".gitlab/")
        || is_below(".buildkite/")
        || is_below(".woodpecker/")
        || is_below(".azure-pipelines/")
        || is_in(".forgejo/workflows/")
        || is_in(".gitea/workflows/")
        || matches!(
            path,
            ".gitlab-ci.yml"
                | "azure-pipelines.yml"
                | "azure-pipelines.yaml"
                | "bitbucket-pipelines.yml"
                | ".travis.yml"
                | "appveyor.yml"
                | ".appveyor.yml"
                | ".cirrus.yml"
                | ".drone.yml"
                | ".woodpecker.yml"
                | "cloudbuild.yaml"
                | "action.yml"
        )
        || name.starts_with("Jenkinsfile")
}

/// Reads a file; None if it cannot be read.
pub fn read(path: &str, text: &str) -> Option<Pipeline> {
    if path.rsplit('/').next().is_some_and(|name| name.starts_with("Jenkinsfile")) {
        return Some(jenkins(text));
    }
    let value = files::read(Format::Yaml, text)?;
    let mut pipeline = Pipeline { triggers: triggers(&value), ..Pipeline::default() };
    count(&value, &mut pipeline.values);
    let has_jobs = ["jobs", "stages", "steps", "pipelines", "runs"].iter().any(|key| value.get(key).is_some());
    let inherited = Inherited { shell: default_shell(&value).unwrap_or_default(), ..Inherited::default() };
    match path.starts_with(".circleci/") {
        true => circle(&value, &inherited, &mut pipeline),
        false if has_jobs && value.get("jobs").is_some_and(|jobs| !jobs.entries().is_empty()) => {
            let jobs = value.get("jobs").map(Value::entries).unwrap_or_default();
            jobs.iter().for_each(|(name, job)| walk(job, &inherited.job(name), &mut pipeline));
        }
        false => {
            for (name, job) in value.entries().iter().filter(|(name, _)| !name.starts_with('.')) {
                let own =
                    if matches!(name.as_str(), "jobs" | "stages" | "steps" | "pipelines" | "runs") { "" } else { name };
                let is_list = matches!(job, Value::Map(_));
                match is_list || !own.is_empty() && !COMMANDS.contains(&own) {
                    true => walk(job, &inherited.job(own), &mut pipeline),
                    false => walk(&Value::Map(vec![(name.clone(), job.clone())]), &inherited, &mut pipeline),
                }
            }
        }
    }
    Some(pipeline)
}

/// Counts the plain values of a tree.
fn count(value: &Value, values: &mut BTreeMap<String, usize>) {
    match value {
        Value::Map(entries) => entries.iter().for_each(|(_, inner)| count(inner, values)),
        Value::List(items) => items.iter().for_each(|inner| count(inner, values)),
        plain => *values.entry(plain.shown()).or_default() += 1,
    }
}

/// Keys whose value is commands.
const COMMANDS: [&str; 11] = [
    "run",
    "script",
    "bash",
    "command",
    "commands",
    "sh",
    "pwsh",
    "powershell",
    "test_script",
    "before_script",
    "test_commands",
];

#[derive(Clone, Default)]
struct Inherited {
    job: String,
    is_masked: bool,
    condition: String,
    /// The shell of `defaults`.
    shell: String,
}

impl Inherited {
    fn job(&self, name: &str) -> Inherited {
        Inherited { job: if self.job.is_empty() { name.to_string() } else { self.job.clone() }, ..self.clone() }
    }
}

/// The jobs of CircleCI that a workflow uses.
fn circle(value: &Value, inherited: &Inherited, pipeline: &mut Pipeline) {
    let mut used: Vec<String> = Vec::new();
    for (_, workflow) in value.get("workflows").map(Value::entries).unwrap_or_default() {
        for job in workflow.get("jobs").map(Value::items).unwrap_or_default() {
            used.extend(job.text().or_else(|| job.entries().first().map(|(name, _)| name.clone())));
            for (name, settings) in job.entries() {
                let needs = settings.get("requires").map(Value::texts).unwrap_or_default();
                pipeline.needs.push((name.clone(), needs));
            }
        }
    }
    for (name, job) in value.get("jobs").map(Value::entries).unwrap_or_default() {
        let is_used = value.get("workflows").is_none() || used.contains(name) || name == "build" && used.is_empty();
        walk(job, &Inherited { is_masked: !is_used, ..inherited.job(name) }, pipeline);
    }
}

/// Adds the steps of a value, whatever the system calls its parts.
fn walk(value: &Value, inherited: &Inherited, pipeline: &mut Pipeline) {
    if let Value::List(items) = value {
        items.iter().for_each(|item| walk(item, inherited, pipeline));
        return;
    }
    if value.entries().is_empty() {
        return;
    }
    let name = ["name", "displayName", "label"].iter().find_map(|key| value.get(key)?.text()).unwrap_or_default();
    let condition = ["if", "condition", "when"].iter().find_map(|key| value.get(key)?.text());
    let is_off = condition.as_deref().is_some_and(is_never)
        || value.get("enabled").and_then(Value::truth) == Some(false)
        || value
            .get("rules")
            .is_some_and(|rules| matches!(rules, Value::List(_)) && rules.items().iter().all(is_never_rule));
    let allows = ["continue-on-error", "continueOnError", "allow_failure", "ignore_failure", "soft_fail"];
    let is_true = |value: &Value| {
        let asked = value.text().unwrap_or_default();
        let bare = asked.trim().strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}"));
        value.truth() == Some(true) || bare.is_some_and(|bare| bare.trim() == "true")
    };
    let is_soft = allows.iter().any(|key| value.get(key).is_some_and(is_true));
    let is_manual = value.get("when").and_then(Value::text).as_deref() == Some("manual");
    let inner = Inherited {
        job: if inherited.job.is_empty() { name.clone() } else { inherited.job.clone() },
        is_masked: inherited.is_masked || is_off || is_soft || is_manual,
        condition: match condition {
            Some(condition) => format!("{}{condition}\n", inherited.condition),
            None => inherited.condition.clone(),
        },
        shell: default_shell(value).unwrap_or_else(|| inherited.shell.clone()),
    };
    if let Some(needs) = value.get("needs").or(value.get("dependsOn")).filter(|needs| !needs.texts().is_empty()) {
        pipeline.needs.push((inner.job.clone(), needs.texts()));
    }
    let matrix = value.at("strategy/matrix").or(value.at("parallel/matrix"));
    for (axis, values) in matrix.map(Value::entries).unwrap_or_default() {
        if let Value::List(items) = values {
            let included = matrix.and_then(|matrix| matrix.get("include")).map(Value::items).unwrap_or_default();
            let more = included.iter().filter_map(|item| item.get(axis)).map(Value::shown);
            let mut all: Vec<String> = items.iter().map(Value::shown).collect();
            all.extend(more);
            for item in items.iter().filter(|item| matches!(item, Value::Map(_))) {
                let mut parts = BTreeMap::new();
                count(item, &mut parts);
                pipeline.cells.insert(item.shown(), parts.into_keys().collect());
            }
            // An `include` may extend a cell of the matrix.
            let mut seen = BTreeSet::new();
            all.retain(|value| axis == "include" || seen.insert(value.clone()));
            pipeline.matrix.push((format!("{}.{axis}", inner.job), all));
        }
    }
    let uses = value.get("uses").and_then(Value::text).map(|uses| uses.split('@').next().unwrap_or(&uses).to_string());
    let step = |run: Option<String>, uses: Option<String>| CiStep {
        job: inner.job.clone(),
        name: name.clone(),
        run,
        uses,
        is_masked: inner.is_masked,
        condition: inner.condition.clone(),
    };
    if uses.is_some() {
        pipeline.steps.push(step(None, uses));
    }
    let shell = value.get("shell").and_then(Value::text).unwrap_or_else(|| inner.shell.clone());
    for (key, child) in value.entries() {
        let is_commands = COMMANDS.contains(&key.as_str());
        match child {
            Value::Text(text) if is_commands && goes_on(&shell) => {
                pipeline.steps.push(step(Some(format!("set +e\n{text}")), None));
            }
            Value::Text(text) if is_commands => pipeline.steps.push(step(Some(text.clone()), None)),
            Value::List(items) if is_commands && items.iter().all(|item| item.text().is_some()) => {
                let lines: Vec<String> = items.iter().filter_map(Value::text).collect();
                pipeline.steps.push(step(Some(lines.join("\n")), None));
            }
            // CircleCI: `run: {name, command}`. The step has its own conditions.
            Value::Map(_) if key == "run" => walk(child, &inner, pipeline),
            Value::Map(_) | Value::List(_)
                if !matches!(
                    key.as_str(),
                    "on" | "env"
                        | "with"
                        | "strategy"
                        | "outputs"
                        | "rules"
                        | "only"
                        | "except"
                        | "variables"
                        | "services"
                        | "defaults"
                        | "needs"
                ) =>
            {
                walk(child, &inner, pipeline);
            }
            _ => {}
        }
    }
}

/// The shell that a workflow or a job gives to its steps.
fn default_shell(value: &Value) -> Option<String> {
    value.at("defaults/run/shell").and_then(Value::text)
}

/// Whether a shell of a step goes on after a failure. Runners give `-e` to the shells that they know by name; a command line of its own
/// runs as it is written.
fn goes_on(shell: &str) -> bool {
    let mut words = shell.split_whitespace();
    let is_shell =
        words.next().is_some_and(|word| matches!(word.rsplit('/').next(), Some("bash" | "sh" | "dash" | "zsh")));
    let is_errexit =
        |word: &str| word == "errexit" || word.starts_with('-') && !word.starts_with("--") && word.contains('e');
    is_shell && shell.contains("{0}") && !words.any(is_errexit)
}

fn is_never_rule(rule: &Value) -> bool {
    rule.get("when").and_then(Value::text).is_some_and(|when| matches!(when.as_str(), "never" | "manual"))
        || rule.get("if").and_then(Value::text).is_some_and(|condition| is_never(&condition))
}

/// Whether a condition is never true.
pub fn is_never(condition: &str) -> bool {
    let plain = condition.trim().trim_start_matches("${{").trim_end_matches("}}");
    let plain: String = plain.split_whitespace().collect();
    let plain = plain.trim_matches(['(', ')']);
    if matches!(plain, "false" | "never" | "0" | "never()" | "!true") {
        return true;
    }
    plain.split("&&").any(|part| {
        let part = part.trim_matches(['(', ')']);
        let different = |(left, right): (&str, &str)| {
            let is_literal = |text: &str| {
                text.starts_with(['\'', '"']) || text.parse::<f64>().is_ok() || matches!(text, "true" | "false")
            };
            is_literal(left) && is_literal(right) && left.trim_matches(['\'', '"']) != right.trim_matches(['\'', '"'])
        };
        part == "false" || part == "!true" || part.split_once("==").is_some_and(different)
    }) && !plain.contains("||")
}

/// What starts a workflow, with its filters.
fn triggers(value: &Value) -> Vec<(String, String)> {
    let Some(on) = value.get("on").or(value.get("true")) else { return Vec::new() };
    match on {
        Value::Map(entries) => entries.iter().map(|(name, filter)| (name.clone(), filter.shown())).collect(),
        other => other.texts().into_iter().map(|name| (name, String::new())).collect(),
    }
}

/// The commands of a Jenkinsfile: the literal arguments of `sh` and `bat`.
fn jenkins(text: &str) -> Pipeline {
    let mut pipeline = Pipeline::default();
    let text = strip_comments(text, "//");
    let (mut stage, mut is_soft, mut open) = (String::new(), false, 0i32);
    for line in text.lines().take(20_000) {
        let quoted =
            |text: &str| text.split(['"', '\'']).filter(|part| !part.trim().is_empty()).nth(1).map(str::to_string);
        if line.contains("stage(") {
            stage = quoted(line).unwrap_or_default();
            (is_soft, open) = (false, 0);
        }
        if line.contains("catchError")
            || line.contains("expression { false }")
            || line.contains("return false")
            || line.contains("warnError")
        {
            is_soft = true;
            open = 1;
        } else if is_soft {
            open += line.matches('{').count() as i32 - line.matches('}').count() as i32;
            is_soft = open > 0;
        }
        let start = ["sh ", "sh(", "bat ", "bat("].iter().find_map(|word| {
            let at = line.find(word)?;
            line[..at].trim_end().chars().next_back().is_none_or(|c| !c.is_alphanumeric()).then(|| at + word.len())
        });
        if let Some(at) = start {
            let rest = line[at..].trim().trim_start_matches("script:").trim();
            let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
            let run = quote.and_then(|quote| rest[1..].trim_matches(quote).split(quote).next().map(str::to_string));
            pipeline.steps.push(CiStep {
                job: stage.clone(),
                name: String::new(),
                run,
                uses: None,
                is_masked: is_soft || line.contains("returnStatus: true"),
                condition: String::new(),
            });
        }
    }
    pipeline
}
