//! Reads the keys `checks` and `quarantine` of DONE.md.

use super::model::{CheckKind, CheckSpec, Quarantine, ReportSpec};
use super::reader::Reader;
use super::yaml::{Node, Value};
use crate::sys::clock::Time;
use crate::sys::error::Result;
use std::collections::BTreeMap;

/// The default shell of a check: it exists everywhere, and exits at the first command that fails.
const SHELL: [&str; 3] = ["sh", "-e", "-c"];

/// The longest `timeout` of a check, in seconds.
const LONGEST_CHECK: f64 = 3600.0;

/// The most `retries` of a check.
const RETRIES: u32 = 5;

/// The runners whose output can be named as a report.
const RUNNERS: [&str; 15] = [
    "tap", "cargo", "nextest", "pytest", "unittest", "go", "jest", "vitest", "mocha", "node", "rspec", "minitest",
    "phpunit", "maven", "dotnet",
];

/// The formats of report files, beside the runners.
const FORMATS: [&str; 2] = ["junit", "trx"];

impl Reader<'_> {
    pub(super) fn checks(&self, node: &Node) -> Result<Vec<CheckSpec>> {
        let Value::List(items) = &node.value else {
            return self.wrong(node.line, &format!("\"checks\" must be a list, not {}", node.value.name()));
        };
        if items.is_empty() {
            return self.wrong(node.line, "\"checks\" is empty: name at least one");
        }
        let mut checks: Vec<CheckSpec> = Vec::new();
        for item in items {
            let check = self.check(item)?;
            if checks.iter().any(|known| known.name == check.name) {
                return self.wrong(item.line, &format!("duplicate check name \"{}\"", check.name));
            }
            checks.push(check);
        }
        Ok(checks)
    }

    fn check(&self, item: &Node) -> Result<CheckSpec> {
        let Value::Map(entries) = &item.value else {
            return self.wrong(item.line, &format!("a check must be a map, not {}", item.value.name()));
        };
        let mut check = CheckSpec {
            name: String::new(),
            run: String::new(),
            timeout: 600.0,
            cwd: None,
            env: BTreeMap::new(),
            shell: SHELL.map(str::to_string).to_vec(),
            writes: Vec::new(),
            kind: None,
            report: None,
            retries: 0,
            is_parallel: false,
            is_timeout_cut: false,
        };
        for (key, node) in entries {
            match key.as_str() {
                "name" => check.name = self.text(node, "name")?.trim().to_string(),
                "run" => check.run = self.run(node)?,
                // donegate takes more than an hour as an hour.
                "timeout" => {
                    let seconds = self.seconds(node, "timeout")?;
                    check.timeout = seconds.min(LONGEST_CHECK);
                    check.is_timeout_cut = seconds > LONGEST_CHECK;
                }
                "cwd" => check.cwd = Some(self.inside(node, "cwd")?),
                "env" => check.env = self.env(node)?,
                "shell" => check.shell = self.texts(node, "shell")?,
                "writes" => check.writes = self.ignore_patterns(node, "writes")?,
                "kind" => {
                    check.kind = Some(self.word(node, key, &[CheckKind::Test, CheckKind::Lint, CheckKind::Build])?)
                }
                "report" => check.report = Some(self.report(node)?),
                "retries" => check.retries = self.retries(node)?,
                "parallel" => {
                    check.is_parallel = match node.value {
                        Value::Bool(is_parallel) => is_parallel,
                        _ => return self.wrong(node.line, "\"parallel\" must be true or false"),
                    }
                }
                name => {
                    let known = [
                        "name", "run", "timeout", "cwd", "env", "shell", "writes", "kind", "report", "retries",
                        "parallel",
                    ];
                    return self.unknown(node.line, name, "key of a check", &known);
                }
            }
        }
        if check.name.is_empty() {
            return self.wrong(item.line, "a check needs a name");
        }
        if check.run.is_empty() {
            return self.wrong(item.line, &format!("check \"{}\" needs a run", check.name));
        }
        if check.shell.is_empty() {
            return self.wrong(item.line, &format!("check \"{}\": \"shell\" is empty", check.name));
        }
        Ok(check)
    }

    fn run(&self, node: &Node) -> Result<String> {
        match &node.value {
            Value::Text(text) if text.contains('\0') => self.wrong(node.line, "\"run\" contains a NUL"),
            Value::Text(text) => Ok(text.trim().to_string()),
            Value::Bool(word) => self.wrong(node.line, &format!("\"run\" must be a text: quote it: \"{word}\"")),
            other => self.wrong(node.line, &format!("\"run\" must be a text, not {}", other.name())),
        }
    }

    /// A format of the output, `FORMAT:PATH`, or a path or glob below the root.
    fn report(&self, node: &Node) -> Result<ReportSpec> {
        let text = self.text(node, "report")?;
        if RUNNERS.contains(&text.as_str()) {
            return Ok(ReportSpec::Runner(text));
        }
        let files = match text.split_once(':') {
            Some((format, path)) if RUNNERS.contains(&format) || FORMATS.contains(&format) => path.to_string(),
            _ => text.clone(),
        };
        let is_path = files.contains(['/', '.', '*']) && !files.contains(':');
        if !is_path {
            let why = format!("\"report\" must be a path, a glob, or one of: {}", RUNNERS.join(", "));
            return self.wrong(node.line, &why);
        }
        // rg-check looks at links when it reads the file, because an agent may put one there.
        if files.split('/').any(|part| part == "..") || files.starts_with('/') {
            return self.wrong(node.line, &format!("{files:?} leaves the root"));
        }
        Ok(ReportSpec::Files(files))
    }

    /// From 0 to 5.
    fn retries(&self, node: &Node) -> Result<u32> {
        match node.value {
            Value::Number(n) if n.fract() == 0.0 && (0.0..=f64::from(RETRIES)).contains(&n) => Ok(n as u32),
            _ => self.wrong(node.line, &format!("\"retries\" must be a number from 0 to {RETRIES}")),
        }
    }

    /// Tests and checks that may fail until a date.
    pub(super) fn quarantine(&self, node: &Node) -> Result<Vec<Quarantine>> {
        let Value::List(items) = &node.value else {
            return self.wrong(node.line, &format!("\"quarantine\" must be a list, not {}", node.value.name()));
        };
        items.iter().map(|item| self.quarantine_entry(item)).collect()
    }

    fn quarantine_entry(&self, item: &Node) -> Result<Quarantine> {
        let Value::Map(entries) = &item.value else {
            return self.wrong(item.line, &format!("an entry of quarantine must be a map, not {}", item.value.name()));
        };
        let (mut test, mut check, mut until, mut why) = (None, None, None, None);
        for (key, node) in entries {
            match key.as_str() {
                "test" => test = Some(self.text(node, key)?),
                "check" => check = Some(self.text(node, key)?),
                "why" => why = Some(self.text(node, key)?),
                "until" => {
                    let text = self.text(node, key)?;
                    until = Time::parse(&text).or_else(|| Time::parse(&format!("{text}T00:00:00Z")));
                    if until.is_none() {
                        return self.wrong(
                            node.line,
                            "\"until\" must be a date (2027-01-31) or a time (2027-01-31T12:00:00Z)",
                        );
                    }
                }
                name => {
                    let known = ["test", "check", "until", "why"];
                    return self.unknown(node.line, name, "key of quarantine", &known);
                }
            }
        }
        if test.is_none() && check.is_none() {
            return self.wrong(item.line, "an entry of quarantine needs a test or a check");
        }
        match (until, why) {
            (Some(until), Some(why)) => Ok(Quarantine { test, check, until, why }),
            (None, _) => self.wrong(item.line, "an entry of quarantine needs an end: until"),
            (_, None) => self.wrong(item.line, "an entry of quarantine needs a reason: why"),
        }
    }

    fn env(&self, node: &Node) -> Result<BTreeMap<String, String>> {
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, &format!("\"env\" must be a map, not {}", node.value.name()));
        };
        let mut env = BTreeMap::new();
        for (name, node) in entries {
            if name.is_empty() || name.contains(['=', '\0']) {
                return self.wrong(node.line, &format!("not a variable name: {name:?}"));
            }
            env.insert(name.clone(), self.text(node, name)?);
        }
        Ok(env)
    }
}
