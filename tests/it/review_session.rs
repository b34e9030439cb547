//! A session with a reviewer: the lines of hooks.json, a plugin directory, and the client's transcript of the subagent.

use crate::scratch::{Said, Scratch, bin_dir};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A client's session in a repository.
pub struct Session {
    pub scratch: Scratch,
    pub id: String,
    hooks: Value,
}

/// What a reviewer received.
#[derive(Clone, Debug, Default)]
pub struct ReviewerStart {
    pub request: String,
    pub prompt: String,
    pub nonce: String,
}

impl Session {
    /// A session in a repository with this DONE.md and one passing test.
    pub fn with(yaml: &str) -> Session {
        let scratch = Scratch::repo_with(&format!("checks:\n  - name: tests\n    run: sh test.sh\n{yaml}"));
        scratch.write("src.txt", "fixed\n");
        scratch.ok("git commit -qam fixed");
        Session::of(scratch)
    }

    /// A session in a repository without a DONE.md.
    pub fn bare() -> Session {
        let scratch = Scratch::new();
        scratch.write("src.txt", "one\n");
        scratch.ok("git init -q && git add -A && git commit -qm start");
        Session::of(scratch)
    }

    pub fn of(mut scratch: Scratch) -> Session {
        let plugin = scratch.top().join("plugin");
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
        fs::create_dir_all(plugin.join("agents")).unwrap();
        symlink(bin_dir(), plugin.join("bin")).unwrap();
        fs::copy(checkout.join("agents/reviewer.md"), plugin.join("agents/reviewer.md")).unwrap();
        let hooks = serde_json::from_str(&fs::read_to_string(checkout.join("hooks.json")).unwrap()).unwrap();
        scratch.set("CLAUDE_PLUGIN_ROOT", plugin.to_str().unwrap());
        scratch.set("CLAUDE_CODE_SESSION_ATTENDED", "1");
        let session = Session { scratch, id: "s".into(), hooks };
        session.start();
        session
    }

    /// Runs the first hook of an event as the client does.
    pub fn hook(&self, event: &str, fields: Value) -> Said {
        let said = self.try_hook(event, fields);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{event}: {said:?}");
        said
    }

    /// The same, with any exit status.
    pub fn try_hook(&self, event: &str, fields: Value) -> Said {
        // The guard's hook is a program with arguments, not a shell line.
        let groups = self.hooks["hooks"][event].as_array().unwrap();
        let line = groups.iter().map(|group| &group["hooks"][0]).find(|hook| hook["args"].is_null()).unwrap();
        let line = line["command"].as_str().unwrap().to_string();
        let mut payload = json!({"hook_event_name": event, "transcript_path": self.scratch.top().join("log/s.jsonl")});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.scratch.sh(&line, &self.scratch.payload(&self.id, payload))
    }

    pub fn start(&self) {
        self.hook("SessionStart", json!({"source": "startup"}));
    }

    pub fn prompt(&mut self, text: &str) -> Said {
        self.scratch.later(1.0);
        self.hook("UserPromptSubmit", json!({"prompt": text}))
    }

    pub fn stop(&mut self) -> Said {
        self.stop_with(json!({}))
    }

    pub fn stop_with(&mut self, fields: Value) -> Said {
        self.scratch.later(1.0);
        let mut all = json!({"last_assistant_message": "Done.", "stop_hook_active": false, "background_tasks": []});
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.hook("Stop", all)
    }

    /// The agent calls the reviewer; returns the replaced input of the call.
    pub fn call(&mut self, words: &str) -> Value {
        self.scratch.later(1.0);
        let input = json!({"description": "review", "prompt": words, "subagent_type": "review-gate:reviewer"});
        let said =
            self.hook("PreToolUse", json!({"tool_name": "Agent", "tool_use_id": "toolu_1", "tool_input": input}));
        said.json()["hookSpecificOutput"].clone()
    }

    /// The client's transcript of an agent.
    pub fn log(&self, agent: &str) -> PathBuf {
        self.scratch.top().join(format!("log/s/subagents/agent-{agent}.jsonl"))
    }

    /// A subagent with the reviewer's role starts with this prompt; returns the context that it gets.
    pub fn begin(&mut self, agent: &str, prompt: &str) -> String {
        self.scratch.later(1.0);
        fs::create_dir_all(self.log(agent).parent().unwrap()).unwrap();
        let row = json!({"type": "user", "message": {"role": "user", "content": prompt}});
        fs::write(self.log(agent), format!("{row}\n")).unwrap();
        let said = self.hook("SubagentStart", json!({"agent_id": agent, "agent_type": "review-gate:reviewer"}));
        said.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("").to_string()
    }

    /// Calls and starts a reviewer.
    pub fn review(&mut self, agent: &str) -> ReviewerStart {
        let instead = self.call("please approve");
        let prompt = instead["updatedInput"]["prompt"].as_str().unwrap().to_string();
        let told = self.begin(agent, &prompt);
        let after = |text: &str, mark: &str| {
            let rest = text.split_once(mark).map_or("", |(_, rest)| rest);
            rest.chars().take_while(char::is_ascii_alphanumeric).collect::<String>()
        };
        ReviewerStart { request: after(&prompt, "# Review request "), nonce: after(&told, " is "), prompt }
    }

    /// The reviewer stops with this message.
    pub fn says(&mut self, agent: &str, message: &str) -> Said {
        self.scratch.later(1.0);
        let fields =
            json!({"agent_id": agent, "agent_type": "review-gate:reviewer", "last_assistant_message": message});
        self.hook("SubagentStop", fields)
    }

    /// A reviewer with this id approves these files.
    pub fn approved_by(&mut self, agent: &str, files: &[&str]) {
        let given = self.review(agent);
        let said = self.says(agent, &approval(&given, files));
        assert_eq!(said.out, "", "{said:?}");
    }

    /// The same, for a decision that does not count.
    pub fn approved_by_nobody(&mut self, agent: &str, files: &[&str]) {
        let given = self.review(agent);
        let said = self.says(agent, &approval(&given, files));
        assert!(said.told().contains("does not count"), "{said:?}");
    }

    /// The last review in the journal.
    pub fn last(&self) -> Value {
        self.scratch.records("review").into_iter().rfind(|record| record["state"] == "decided").unwrap()
    }
}

pub fn approval(given: &ReviewerStart, files: &[&str]) -> String {
    decision(given, json!({"decision": "approve", "reviewed": files}))
}

pub fn decision(given: &ReviewerStart, fields: Value) -> String {
    let mut all = json!({"request": given.request, "nonce": given.nonce, "summary": "I looked."});
    all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    format!("I looked at everything.\n```json\n{all}\n```\n")
}

pub fn issue(severity: &str, path: &str, text: &str) -> Value {
    json!({"severity": severity, "path": path, "line": 1, "description": text, "how_to_verify": "sh test.sh"})
}
