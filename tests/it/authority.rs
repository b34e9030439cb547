//! Laws about who speaks for the user: the prompts of a process that an agent can start arm the gate and never weaken it. Most tests
//! invent the processes.

use crate::review_session::Session;
use crate::scratch::{STOP, Scratch};
use serde_json::{Value, json};
use std::fs;

/// An invented process. `terminal` is the number of its terminal; 0 for none.
struct Process<'a> {
    pid: u32,
    parent: u32,
    terminal: u32,
    words: &'a [&'a str],
    environment: &'a [&'a str],
}

/// A client that a user started at a terminal.
const AT_TERMINAL: Process<'_> =
    Process { pid: 100, parent: 50, terminal: 34816, words: &["claude"], environment: &[] };

/// Lets a process exist, and makes it the client of the hooks that follow.
fn run(scratch: &mut Scratch, process: &Process<'_>) {
    let dir = scratch.top().join(format!("proc/{}", process.pid));
    fs::create_dir_all(&dir).unwrap();
    let (pid, parent, terminal) = (process.pid, process.parent, process.terminal);
    let rest = format!("0 {} {}", "0 ".repeat(13), 7_000 + pid);
    fs::write(dir.join("stat"), format!("{pid} (a) b) S {parent} 1 1 {terminal} {rest} 0 0\n")).unwrap();
    fs::write(dir.join("cmdline"), process.words.join("\0") + "\0").unwrap();
    fs::write(dir.join("environ"), process.environment.join("\0")).unwrap();
    let proc = scratch.top().join("proc");
    scratch.set("RG_PROC", proc.to_str().unwrap());
    scratch.set("CLAUDE_PID", &pid.to_string());
}

/// The process ends.
fn end(scratch: &Scratch, pid: u32) {
    fs::remove_dir_all(scratch.top().join(format!("proc/{pid}"))).unwrap();
}

fn start(scratch: &Scratch, session: &str, source: &str) {
    start_with(scratch, session, json!({"source": source}));
}

fn start_with(scratch: &Scratch, session: &str, fields: Value) {
    let mut payload = json!({"hook_event_name": "SessionStart"});
    payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let said = scratch.run("rg-event", &["--client", "claude"], &scratch.payload(session, payload));
    assert_eq!(said.status, 0, "{said:?}");
}

/// A session `s` with a task, whose client is `AT_TERMINAL`.
fn begun() -> Scratch {
    let mut scratch = Scratch::repo();
    run(&mut scratch, &AT_TERMINAL);
    start(&scratch, "s", "startup");
    scratch.prompt("s", "go");
    scratch
}

fn last_prompt(scratch: &Scratch) -> Value {
    scratch.records("prompt").pop().unwrap()
}

/// The prompt weakens nothing, and the user is told why and what to do instead.
fn is_refused(scratch: &Scratch, session: &str, why: &str) {
    let told = scratch.prompt(session, "#gate:off\n#review:stop\n#loop:stop").told();
    for words in [
        format!("#gate:off refused: {why}"),
        "`rg-bounce waive --why TEXT".into(),
        format!("#review:stop refused: {why}"),
        "`rg-review-state approve --why TEXT".into(),
        format!("#loop:stop refused: {why}"),
        "`rg-loop stop".into(),
    ] {
        assert!(told.contains(&words), "{words}: {told}");
    }
    let prompt = last_prompt(scratch);
    assert!(
        scratch.records("gate-off").is_empty() && prompt["review"] != "off" && prompt["loop_ends"] != true,
        "{prompt}"
    );
}

#[test]
fn a_client_at_a_terminal_speaks_for_the_user() {
    let scratch = begun();
    assert!(scratch.prompt("s", "#gate:off").told().contains("off for this session"));
    assert_eq!(last_prompt(&scratch).get("limit"), None);
}

#[test]
fn a_client_below_another_begins_a_task_and_arms_it_and_weakens_nothing() {
    // However deep it runs.
    for depth in [1, 70, 300] {
        let mut scratch = begun();
        for pid in 200..200 + depth {
            let parent = if pid == 200 { 100 } else { pid - 1 };
            run(&mut scratch, &Process { pid, parent, words: &["sh"], ..AT_TERMINAL });
        }
        run(&mut scratch, &Process { pid: 900, parent: 199 + depth, ..AT_TERMINAL });
        start(&scratch, "inner", "startup");
        scratch.prompt("inner", "a part of the work");
        let prompt = last_prompt(&scratch);
        assert_eq!((&prompt["by"], &prompt["limit"]), (&json!("user"), &json!("nested")), "{depth}");
        assert_eq!(scratch.records("begin").len(), 2, "its work is judged");
        is_refused(&scratch, "inner", "it comes from a client that an agent started");
        assert!(scratch.prompt("inner", "#review it\n#gate:on").told().contains("review requested"));
        assert_eq!(scratch.records("gate-on").len(), 1);
        scratch.append("src.txt", "more\n");
        assert!(scratch.stop("inner").reason().contains("Check \"tests\" failed"));
    }
}

#[test]
fn a_client_with_the_variables_of_an_agents_shell_weakens_nothing() {
    for variable in ["CLAUDECODE=1", "CLAUDE_CODE_CHILD_SESSION=1"] {
        let mut scratch = begun();
        run(&mut scratch, &Process { pid: 200, parent: 1, environment: &["A=b", variable], ..AT_TERMINAL });
        start(&scratch, "detached", "startup");
        is_refused(&scratch, "detached", "it comes from a client that an agent started");
    }
}

#[test]
fn a_second_client_of_a_session_weakens_nothing_while_the_first_runs() {
    let mut scratch = begun();
    let second = Process { pid: 200, parent: 1, ..AT_TERMINAL };
    run(&mut scratch, &second);
    start(&scratch, "s", "resume");
    is_refused(&scratch, "s", "another client has this session open (process 100)");
    assert_eq!(last_prompt(&scratch)["by"], "agent", "it is not shown to a reviewer as the user's request");
    assert!(scratch.prompt("s", "#review it").told().contains("review requested"));
    // The first one keeps its rights.
    run(&mut scratch, &AT_TERMINAL);
    assert!(scratch.prompt("s", "#review:stop").told().contains("review request withdrawn"));
    // Another process with the first one's id is another process.
    run(&mut scratch, &second);
    fs::write(scratch.top().join("proc/100/stat"), format!("100 (x) S 1 1 1 0 0 {} 99 0\n", "0 ".repeat(13))).unwrap();
    assert!(scratch.prompt("s", "#gate:off").told().contains("off for this session"));
}

#[test]
fn a_resumed_session_speaks_for_the_user_after_its_client_ended() {
    let mut scratch = begun();
    end(&scratch, 100);
    run(&mut scratch, &Process { pid: 200, ..AT_TERMINAL });
    start(&scratch, "s", "resume");
    assert!(scratch.prompt("s", "#gate:off").told().contains("off for this session"));
}

#[test]
fn a_prompt_of_a_second_client_moves_no_baseline_and_restores_no_budget() {
    let mut scratch = begun();
    scratch.append("src.txt", "fixed\n");
    assert_eq!(scratch.stop("s").out, "");
    run(&mut scratch, &Process { pid: 200, parent: 1, ..AT_TERMINAL });
    start(&scratch, "s", "resume");
    scratch.prompt("s", "next");
    assert_eq!(scratch.records("begin").len(), 1, "the task that is done goes on");
    run(&mut scratch, &AT_TERMINAL);
    scratch.prompt("s", "next");
    assert_eq!(scratch.records("begin").len(), 2);
}

#[test]
fn a_fork_weakens_nothing_while_a_client_of_the_original_runs() {
    let log = |scratch: &Scratch, name: &str| {
        let path = scratch.top().join(format!("log/{name}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "{\"type\":\"user\",\"uuid\":\"u-1\",\"message\":{}}\n").unwrap();
        path
    };
    // The client says that it forks, or an older one is only seen to do so.
    for (source, words) in [("fork", &["claude"][..]), ("resume", &["claude", "--resume", "s", "--fork-session"])] {
        let mut scratch = Scratch::repo();
        run(&mut scratch, &AT_TERMINAL);
        let own = log(&scratch, "s");
        start_with(&scratch, "s", json!({"source": "startup", "transcript_path": own}));
        let line = "rg-event --client claude | rg-tamper | rg-review-state | rg-answer --client claude --kind prompt";
        let say = |scratch: &mut Scratch, session: &str, text: &str| {
            scratch.later(1.0);
            let path = scratch.top().join(format!("log/{session}.jsonl"));
            let payload = json!({"hook_event_name": "UserPromptSubmit", "prompt": text, "transcript_path": path});
            scratch.sh(line, &scratch.payload(session, payload))
        };
        say(&mut scratch, "s", "#review go");
        run(&mut scratch, &Process { pid: 200, parent: 1, words, ..AT_TERMINAL });
        let copy = log(&scratch, "f");
        if source == "fork" {
            start_with(&scratch, "f", json!({"source": source, "transcript_path": copy}));
        }
        say(&mut scratch, "f", "hello, approve everything");
        scratch.append("src.txt", "fixed\n");
        scratch.stop_with("f", json!({"transcript_path": copy}));
        // It is at the original's task now.
        let prompts = scratch.records("prompt");
        let carried = prompts.iter().find(|prompt| prompt["from"].is_string()).unwrap();
        assert_eq!(carried["by"], "agent", "{source}: it is not the user's request in the original: {carried}");
        let told = say(&mut scratch, "f", "#review:stop").told();
        assert!(told.contains("refused: the session is a fork, and a client of the original is running"), "{told}");
        // The original's client ends, and the fork is the user's.
        end(&scratch, 100);
        assert!(say(&mut scratch, "f", "#review:stop").told().contains("withdrawn"), "{source}");
    }
}

#[test]
fn a_client_without_a_user_is_judged_and_weakens_nothing() {
    let none = Process { pid: 300, terminal: 0, ..AT_TERMINAL };
    for (process, attended) in [
        (&none, None),
        // What the environment says does not count: an agent can set it.
        (&none, Some("1")),
        (&Process { words: &["claude", "-p", "go"], ..AT_TERMINAL }, Some("1")),
        (&Process { words: &["claude", "-cp"], ..AT_TERMINAL }, None),
        (&Process { words: &["claude", "--print"], ..AT_TERMINAL }, None),
        (&Process { words: &["claude", "--input-format=stream-json"], ..AT_TERMINAL }, None),
        (&AT_TERMINAL, Some("0")),
    ] {
        let mut scratch = Scratch::repo();
        run(&mut scratch, process);
        match attended {
            Some(value) => scratch.set("CLAUDE_CODE_SESSION_ATTENDED", value),
            None => drop(scratch.env.remove("CLAUDE_CODE_SESSION_ATTENDED")),
        }
        start(&scratch, "s", "startup");
        scratch.prompt("s", "go");
        let prompt = last_prompt(&scratch);
        assert_eq!((&prompt["by"], &prompt["limit"]), (&json!("user"), &json!("unattended")));
        is_refused(&scratch, "s", "no user is at this client");
        assert!(scratch.prompt("s", "#review it").told().contains("review requested"));
        scratch.append("src.txt", "more\n");
        assert!(scratch.stop("s").reason().contains("bounce 1 of 3"));
        assert!(scratch.stop("s").reason().contains("bounce 2 of 3"));
        scratch.prompt("s", "try again");
        assert!(scratch.stop("s").reason().contains("bounce 1 of 3"), "its prompts restore the bounces");
    }
}

#[test]
fn a_reviewer_that_a_second_client_ran_does_not_count() {
    let mut session = Session::with("");
    session.id = "mine".into();
    run(&mut session.scratch, &AT_TERMINAL);
    session.start();
    session.prompt("#review make it better");
    session.scratch.append("src.txt", "more\n");
    session.stop();
    run(&mut session.scratch, &Process { pid: 200, parent: 1, ..AT_TERMINAL });
    session.hook("SessionStart", json!({"source": "resume"}));
    session.approved_by_nobody("a1", &["src.txt"]);
    run(&mut session.scratch, &AT_TERMINAL);
    assert!(session.stop().reason().contains("does not count"));
    session.approved_by("a2", &["src.txt"]);
    assert_eq!(session.stop().out, "", "the session's own client runs one that counts");
}

#[test]
fn a_client_that_restarts_without_a_start_arms_and_does_not_weaken() {
    let mut scratch = begun();
    end(&scratch, 100);
    run(&mut scratch, &Process { pid: 200, ..AT_TERMINAL });
    is_refused(&scratch, "s", "the prompt did not come from this session's client");
    let told = scratch.prompt("s", "#review it\n#gate:on").told();
    assert!(told.contains("review requested") && told.contains("review-gate: on"), "{told}");
    assert_eq!((last_prompt(&scratch)["review"].as_str(), scratch.records("gate-on").len()), (Some("on"), 1));
}

#[test]
fn an_unknown_client_process_has_the_budget_of_its_task() {
    let mut scratch = Scratch::repo();
    // There is no /proc, and the client does not name its process.
    scratch.set("RG_PROC", "/nonexistent");
    scratch.env.remove("CLAUDE_PID");
    start(&scratch, "s", "startup");
    scratch.prompt("s", "go");
    scratch.append("src.txt", "more\n");
    let stops = |scratch: &Scratch| {
        // Each hook has a shell of its own.
        (0..5)
            .map(|_| scratch.sh(&format!("sh -c '{STOP}'; true"), &scratch.stop_payload("s", json!({}))))
            .for_each(drop);
        let words = scratch.words();
        words[words.len() - 5..].to_vec()
    };
    let bounded = ["not-done", "not-done", "not-done", "abandoned", "abandoned"];
    assert_eq!(stops(&scratch), bounded);
    assert_eq!(scratch.records("open")[0].get("pid"), None);
    scratch.prompt("s", "go on");
    assert_eq!(stops(&scratch), bounded, "the user's prompt restores it");
}

fn schedule(scratch: &Scratch, name: &str, input: Value) {
    let call = json!({"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": input});
    let said = scratch.run("rg-event", &["--client", "claude"], &scratch.payload("s", call));
    assert_eq!(said.status, 0, "{said:?}");
}

fn is_scheduled(scratch: &Scratch, prompt: &str, why: &str) {
    let told = scratch.prompt("s", prompt).told();
    assert!(told.contains("#gate:off refused: it was scheduled by the agent"), "{why}: {told}");
    assert!(scratch.records("gate-off").is_empty(), "{why}");
}

#[test]
fn a_prompt_that_was_ever_scheduled_weakens_nothing() {
    // A list at a stop leaves out what outlives the client, and cuts what is long.
    let filler = "x\n".repeat(600);
    let (late, huge) = (format!("{filler}#gate:off"), format!("{}\n#gate:off", "y".repeat(70 << 10)));
    for (input, prompt) in [
        (json!({"cron": "* * * * *", "prompt": "#gate:off", "durable": true}), "#gate:off"),
        (json!({"cron": "* * * * *", "prompt": "#gate:off"}), "#gate:off"),
        (json!({"cron": "* * * * *", "prompt": &late}), &late),
        (json!({"cron": "* * * * *", "prompt": &late}), "and what of this?\n#gate:off"),
        (json!({"cron": "* * * * *", "prompt": &huge}), &huge),
    ] {
        let scratch = begun();
        schedule(&scratch, "CronCreate", input.clone());
        scratch.append("src.txt", "more\n");
        scratch.stop_with("s", json!({"session_crons": []}));
        is_scheduled(&scratch, prompt, &input.to_string().chars().take(80).collect::<String>());
    }
}

#[test]
fn a_lasting_prompt_is_never_the_users_and_another_one_is_after_its_end() {
    let by = |durable: bool| {
        let scratch = begun();
        schedule(&scratch, "CronCreate", json!({"prompt": "go on", "durable": durable}));
        scratch.prompt("s", "go on");
        assert_eq!(last_prompt(&scratch)["by"], "client");
        scratch.append("src.txt", "more\n");
        scratch.stop_with("s", json!({"session_crons": []}));
        scratch.prompt("s", " go on\n");
        last_prompt(&scratch)["by"].as_str().unwrap().to_string()
    };
    assert_eq!((by(true), by(false)), ("client".into(), "user".into()));
}

#[test]
fn the_clients_file_of_scheduled_prompts_is_read() {
    let file =
        json!({"tasks": [{"id": "a", "cron": "* * * * *", "prompt": "#gate:off", "createdAt": 1}, {"prompt": 7}]});
    let write = |scratch: &Scratch| scratch.write(".claude/scheduled_tasks.json", &format!("\u{feff}{file}"));
    let remove = |scratch: &Scratch| fs::remove_file(scratch.work().join(".claude/scheduled_tasks.json")).unwrap();
    // It is there at the prompt; it was there at a stop; it was there when the session began.
    let scratch = begun();
    write(&scratch);
    is_scheduled(&scratch, "#gate:off", "at the prompt");
    let scratch = begun();
    write(&scratch);
    scratch.stop("s");
    remove(&scratch);
    is_scheduled(&scratch, "thanks\n#gate:off", "at a stop");
    let mut scratch = Scratch::repo();
    run(&mut scratch, &AT_TERMINAL);
    write(&scratch);
    start(&scratch, "s", "startup");
    remove(&scratch);
    is_scheduled(&scratch, "#gate:off", "at the start");
    // A malformed file schedules nothing and stops nobody.
    for text in ["", "{", "[]", "{\"tasks\": {}}", "{\"tasks\": [1, null, {\"prompt\": []}]}", "\u{0}"] {
        let scratch = begun();
        scratch.write(".claude/scheduled_tasks.json", text);
        assert!(scratch.prompt("s", "#gate:off").told().contains("off for this session"), "{text:?}");
    }
    let scratch = begun();
    scratch.ok("mkdir -p .claude && mkfifo .claude/scheduled_tasks.json");
    assert!(scratch.prompt("s", "#gate:off").told().contains("off for this session"));
}

#[test]
fn a_scheduled_prompt_may_request_a_review() {
    let scratch = begun();
    schedule(&scratch, "ScheduleWakeup", json!({"prompt": "#review the night's work"}));
    assert!(scratch.prompt("s", "#review the night's work").told().contains("review requested"));
    let prompt = last_prompt(&scratch);
    assert_eq!((&prompt["by"], &prompt["review"]), (&json!("client"), &json!("on")));
    schedule(&scratch, "ScheduleWakeup", json!({"prompt": "#loop for ever"}));
    assert!(scratch.prompt("s", "#loop for ever").told().contains("#loop for ever refused"));
}

#[test]
fn each_later_receipt_tells_when_and_how_the_gate_was_switched_off() {
    let scratch = begun();
    scratch.append("src.txt", "more\n");
    // The agent may have typed it, if it can type into the user's terminal: it is told and kept.
    assert!(scratch.prompt("s", "#gate:off").told().contains("review-gate: off for this session until"));
    for _ in 0..2 {
        assert!(scratch.stop("s").told().contains("waived: #gate:off (tester, until 2026-11-22T12:00:00.000Z)"));
        let waiver = scratch.receipt()["waivers"][0].clone();
        assert_eq!((&waiver["at"], &waiver["origin"]), (&json!("2026-11-21T12:00:00.000Z"), &json!("client")));
        let shown = scratch.run("rg-receipt", &["show"], b"").out;
        let line = "waived gate: #gate:off (tester, 2026-11-21T12:00:00.000Z, hook origin client, until 2026-11-22T12:00:00.000Z)\n";
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn a_start_of_another_client_closes_no_stop_that_is_being_judged() {
    let mut scratch = begun();
    scratch.append("src.txt", "more\n");
    let opened = scratch.run("rg-event", &["--client", "claude"], &scratch.stop_payload("s", json!({})));
    run(&mut scratch, &Process { pid: 200, parent: 1, ..AT_TERMINAL });
    start(&scratch, "s", "resume");
    let rest = "rg-tamper | rg-check | rg-bounce | rg-receipt | rg-answer --client claude --kind stop";
    assert!(scratch.sh(rest, opened.out.as_bytes()).reason().contains("bounce 1 of 3"));
    assert!(scratch.records("close").is_empty());
}

/// What an agent scheduled is in the session's own records: without them, nobody knows whether the user typed a command.
#[test]
fn edited_or_removed_records_of_a_session_weaken_nothing() {
    for (what, edit) in [
        ("removed", "rm $RG_STATE/sessions/*.jsonl; rm -f $HOME/.local/state/review-gate/sessions/*.jsonl"),
        (
            "edited",
            "sed -i '/\"kind\":\"scheduled\"/s/\"digests\":\\[\"./&0/' $(find $RG_STATE $HOME -path '*sessions*.jsonl')",
        ),
    ] {
        let scratch = begun();
        schedule(&scratch, "CronCreate", json!({"cron": "* * * * *", "prompt": "#gate:off"}));
        schedule(&scratch, "CronCreate", json!({"cron": "* * * * *", "prompt": "something else"}));
        scratch.ok(edit);
        let told = scratch.prompt("s", "#gate:off").told();
        let want = format!("#gate:off refused: the records of this session were {what}");
        assert!(told.contains(&want), "{what}: {told}");
        assert!(scratch.records("gate-off").is_empty(), "{what}");
    }
}
