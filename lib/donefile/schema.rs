//! Reads the keys of DONE.md, with their defaults.

use super::ask::AskSpec;
use super::guards::{GUARDS, Guards};
use super::issues::IssueSpec;
use super::keys::{LATER, all_keys};
use super::land::Land;
use super::looping::LoopSpec;
use super::model::{Commands, Donefile, Gate, OnError, Retention, TraceLevel};
use super::proof::ProofSpec;
use super::reader::Reader;
use super::review::ReviewSpec;
use super::run::RunSpec;
use super::yaml::{Node, Value};
use crate::event::Level;
use crate::sys::clock::parse_duration;
use crate::sys::error::Result;
use std::path::Path;

/// Reads the tree of a DONE.md. Errors: a definition error with its line.
pub fn read(file: &str, tree: Node, root: &Path) -> Result<Donefile> {
    let reader = Reader { file, root };
    let top = match tree.value {
        Value::Map(top) => top,
        Value::Null => return reader.wrong(tree.line, "empty: it needs a list of checks"),
        other => return reader.wrong(tree.line, &format!("it must be a map, not {}", other.name())),
    };
    let mut done = Donefile {
        checks: Vec::new(),
        quarantine: Vec::new(),
        gate: Gate::default(),
        commands: Commands::default(),
        trace: TraceLevel::Events,
        trace_keep: Retention::default(),
        guards: Guards::default(),
        review: ReviewSpec::default(),
        diagnostics: Vec::new(),
        ask: AskSpec::default(),
        land: Land::default(),
        proof: ProofSpec::default(),
        looping: LoopSpec::default(),
        issues: IssueSpec::default(),
        run: RunSpec::default(),
        not_judged: Vec::new(),
    };
    let mut sections = Vec::new();
    for (key, node) in &top {
        match key.as_str() {
            // donegate ignores what is no number.
            "version" => {
                let number = match &node.value {
                    Value::Number(number) => Some(*number),
                    Value::Text(text) => text.trim().parse().ok(),
                    _ => None,
                };
                if number.is_some_and(|number| number != 1.0) {
                    return reader.wrong(node.line, "version must be 1");
                }
            }
            "checks" => done.checks = reader.checks(node)?,
            "quarantine" => done.quarantine = reader.quarantine(node)?,
            "gate" => done.gate = reader.gate(node)?,
            "guards" => reader.guards(node, &mut done.guards)?,
            "paths" => reader.paths(node, &mut done.guards)?,
            "review" => done.review = reader.review(node)?,
            "diagnostics" => done.diagnostics = reader.diagnostics(node)?,
            "ask" => done.ask = reader.ask(node)?,
            "land" => done.land = reader.land(node)?,
            "proof" => done.proof = reader.proof(node)?,
            "issues" => done.issues = reader.issues(node)?,
            "loop" => done.looping = reader.looping(node)?,
            "run" => done.run = reader.running(node)?,
            "commands" => done.commands = reader.commands(node)?,
            "trace" => (done.trace, done.trace_keep) = reader.trace(node)?,
            name if LATER.contains(&name) => match node.value {
                Value::Null => {}
                Value::Text(_) if name == "notify" => sections.push(name.to_string()),
                Value::Map(_) | Value::List(_) => sections.push(name.to_string()),
                _ => return reader.wrong(node.line, &format!("\"{name}\" must be a map")),
            },
            name => return reader.unknown(node.line, name, "key", &all_keys()),
        }
    }
    if !top.iter().any(|(key, _)| key == "checks") {
        return reader.wrong(tree.line, "\"checks\" is missing: a list of {name, run}");
    }
    let is_check = |name: &String| done.checks.iter().any(|check| check.name == *name);
    if let Some(name) = done.quarantine.iter().filter_map(|entry| entry.check.as_ref()).find(|name| !is_check(name)) {
        return reader.wrong(tree.line, &format!("\"quarantine\" names \"{name}\", which is no check"));
    }
    if let Some(name) = done.proof.checks.iter().find(|name| !is_check(name)) {
        return reader.wrong(tree.line, &format!("\"proof\" names \"{name}\", which is no check"));
    }
    done.not_judged = sections;
    Ok(done)
}

impl Reader<'_> {
    fn gate(&self, node: &Node) -> Result<Gate> {
        let mut gate = Gate::default();
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, &format!("\"gate\" must be a map, not {}", node.value.name()));
        };
        for (key, node) in entries {
            match key.as_str() {
                "max_bounces" => match node.value {
                    Value::Number(n) if (1.0..=20.0).contains(&n) => gate.max_bounces = n.floor() as u32,
                    _ => {
                        let why = "\"max_bounces\" must be a number from 1 to 20; a client may allow fewer: Claude Code allows 8";
                        return self.wrong(node.line, why);
                    }
                },
                "max_minutes" => gate.max_minutes = self.positive(node, "max_minutes")?,
                "on_error" => gate.on_error = self.word(node, key, &[OnError::Allow, OnError::Block])?,
                name => {
                    return self.unknown(node.line, name, "key of gate", &["max_bounces", "max_minutes", "on_error"]);
                }
            }
        }
        Ok(gate)
    }

    fn guards(&self, node: &Node, guards: &mut Guards) -> Result<()> {
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, "\"guards\" must be a map");
        };
        // The preset is applied first, so that guards that are set by name override it.
        if let Some((_, node)) = entries.iter().find(|(key, _)| key == "preset") {
            self.one_of(node, "preset", &["donegate", "default"])?;
            if node.value == Value::Text("donegate".into()) {
                guards.keep_donegates();
            }
        }
        for (key, node) in entries {
            match key.as_str() {
                "preset" => {}
                "test_globs" => guards.test_globs = self.patterns(node, key)?,
                "exclude" => guards.exclude = self.patterns(node, key)?,
                "protect" => guards.protect = self.patterns(node, key)?,
                name if !GUARDS.iter().any(|guard| guard.rule.word() == name) => {
                    let mut known: Vec<&str> = GUARDS.iter().map(|guard| guard.rule.word()).collect();
                    known.extend(["test_globs", "exclude", "protect", "preset"]);
                    return self.unknown(node.line, name, "guard", &known);
                }
                name => {
                    let level = self.level(node, name)?;
                    guards.set(name, level);
                }
            }
        }
        Ok(())
    }

    fn paths(&self, node: &Node, guards: &mut Guards) -> Result<()> {
        let Value::Map(entries) = &node.value else {
            return self.wrong(node.line, "\"paths\" must be a map of allow and deny");
        };
        for (key, node) in entries {
            match key.as_str() {
                "allow" => guards.allow = self.ignore_patterns(node, key)?,
                "deny" => guards.deny = self.ignore_patterns(node, key)?,
                name => return self.unknown(node.line, name, "key of paths", &["allow", "deny"]),
            }
        }
        Ok(())
    }

    fn level(&self, node: &Node, name: &str) -> Result<Option<Level>> {
        match &node.value {
            Value::Bool(true) => Ok(Some(Level::Tampered)),
            Value::Bool(false) => Ok(None),
            Value::Text(word) => match word.as_str() {
                "fail" => Ok(Some(Level::Tampered)),
                "warn" => Ok(Some(Level::Warning)),
                "off" => Ok(None),
                _ => self.wrong(node.line, &format!("\"{name}\" must be true, fail, warn, false or off")),
            },
            _ => self.wrong(node.line, &format!("\"{name}\" must be true, fail, warn, false or off")),
        }
    }

    /// `off`, `events`, `full`, or a map of `level` and `keep`.
    fn trace(&self, node: &Node) -> Result<(TraceLevel, Retention)> {
        let Value::Map(entries) = &node.value else { return Ok((self.trace_level(node)?, Retention::default())) };
        let (mut level, mut keep) = (TraceLevel::Events, Retention::default());
        for (key, node) in entries {
            match key.as_str() {
                "level" => level = self.trace_level(node)?,
                "keep" => keep = self.trace_keep(node)?,
                name => return self.unknown(node.line, name, "key of trace", &["level", "keep"]),
            }
        }
        Ok((level, keep))
    }

    fn trace_level(&self, node: &Node) -> Result<TraceLevel> {
        match &node.value {
            Value::Bool(false) => Ok(TraceLevel::Off),
            Value::Text(text) if text == "off" => Ok(TraceLevel::Off),
            Value::Text(text) if text == "events" => Ok(TraceLevel::Events),
            Value::Text(text) if text == "full" => Ok(TraceLevel::Full),
            _ => self.wrong(node.line, "\"trace\" must be off, events or full"),
        }
    }

    fn trace_keep(&self, node: &Node) -> Result<Retention> {
        match &node.value {
            Value::Number(n) if *n >= 1.0 => Ok(Retention::Sessions(*n as usize)),
            Value::Text(text) => match parse_duration(text) {
                Some(seconds) => Ok(Retention::Seconds(seconds)),
                None => self.wrong(node.line, "\"keep\" must be a duration (30d) or a number of sessions"),
            },
            _ => self.wrong(node.line, "\"keep\" must be a duration (30d) or a number of sessions"),
        }
    }
}
