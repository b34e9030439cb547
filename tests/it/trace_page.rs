//! Laws of `rg-trace show --html`: one page that loads nothing, runs nothing, and shows what happened.

use crate::scratch::{STOP, Scratch};
use serde_json::json;

const HOSTILE: &str = "</pre><script>alert(1)</script><img src=x onerror=alert(2)> & \"q\" 'a' \u{1b}[31m\u{202e}end";

/// The page of a session in which each text is hostile.
fn page() -> String {
    let mut scratch = Scratch::repo();
    scratch.write("test.sh", &format!("echo '{}'; grep -q fixed src.txt\n", HOSTILE.replace('\'', "")));
    scratch.ok("git commit -qam test");
    let trace = |line: &str| line.replace("| rg-answer", "| rg-trace | rg-answer");
    let prompt = "rg-event --client claude | rg-tamper | rg-review-state | rg-answer --client claude --kind prompt";
    let fields = json!({"hook_event_name": "UserPromptSubmit", "prompt": HOSTILE});
    scratch.sh(&trace(prompt), &scratch.payload("s", fields));
    scratch.later(1.0);
    let call = |event: &str, tool: &str, input: &str| {
        let fields = json!({"hook_event_name": event, "tool_name": tool, "tool_input": {"command": input},
            "tool_response": {"stdout": HOSTILE}, "error": HOSTILE});
        scratch.payload("s", fields)
    };
    for event in ["PostToolUse", "PostToolUseFailure"] {
        scratch.run("rg-trace", &["--hook", "--client", "claude"], &call(event, &format!("Bash{HOSTILE}"), HOSTILE));
    }
    let push = format!("git push --force origin main; echo '{}'", HOSTILE.replace('\'', ""));
    let denied = scratch.run("rg-guard", &["--hook", "--client", "claude"], &call("PreToolUse", "Bash", &push));
    assert!(denied.out.contains("deny"), "{denied:?}");
    scratch.append("src.txt", "more\n");
    let stop = scratch.stop_payload("s", json!({"last_assistant_message": HOSTILE}));
    assert!(scratch.sh(&trace(STOP), &stop).out.contains("block"));
    scratch.write("src.txt", "fixed\n");
    scratch.sh(&trace(STOP), &stop);
    let said = scratch.run("rg-trace", &["show", "--html"], b"");
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    said.out
}

#[test]
fn the_page_holds_the_rounds_the_findings_and_the_denied_calls() {
    let page = page();
    let part =
        |from: &str| page.split_once(from).map_or("", |(_, rest)| rest.split_once("<h2>").unwrap_or((rest, "")).0);
    let rounds = part("<h2>Rounds</h2>");
    let order = ["not-done", "1 of 3", "check &quot;tests&quot; failed", ">done<"].map(|text| rounds.find(text));
    assert!(order.is_sorted() && order[0].is_some(), "{order:?}: {rounds}");
    let denied = part("<h2>Denied calls</h2>");
    assert!(denied.contains("git push --force") && denied.contains("git-push-force"), "{denied}");
    let line = page.split_once("<h2>Time line").unwrap().1;
    let names: Vec<&str> = line.split("badge ").skip(1).map(|rest| rest.split(['>', '<']).nth(1).unwrap()).collect();
    assert_eq!(names, ["prompt", "denied", "tool-after", "tool-failed", "stop", "stop"]);
    // Each mark of the strip and each round leads to a line.
    for link in page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(line.contains(&format!("<li id=\"{link}\">")), "{link}");
    }
    assert_eq!(page.matches("<rect").count(), names.len());
}

#[test]
fn no_text_of_a_session_becomes_markup_and_nothing_is_loaded() {
    let page = page();
    let policy = "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline';";
    assert!(page.find(policy).unwrap() < page.find("<style>").unwrap());
    assert!(page.contains("prefers-color-scheme: dark") && !page.contains("url(") && !page.contains("@import"));
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "the text itself is shown");
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
    let known = "html head meta title style body h1 h2 p span dl div dt dd svg a rect table tr th td ul li ol code \
                 details summary pre !DOCTYPE";
    let known: Vec<&str> = known.split_whitespace().collect();
    for tag in page.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("a tag ends");
        let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap();
        assert!(known.contains(&name), "<{tag}>");
        let loads = ["src=", " on", "style=", "javascript:"].iter().any(|text| tag.contains(text));
        assert!(!loads || tag.starts_with("meta"), "<{tag}>");
        assert!(tag.split("href=\"").skip(1).all(|link| link.starts_with("#e")), "<{tag}>");
    }
    for tag in ["span", "div", "li", "ul", "td", "tr", "table", "a", "rect", "details", "summary", "pre", "ol", "dl"] {
        let opened = page.matches(&format!("<{tag} ")).count() + page.matches(&format!("<{tag}>")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn a_review_and_a_waiver_stand_on_the_page() {
    let scratch = Scratch::repo_with("checks:\n  - {name: a, run: \"true\"}\n");
    scratch.prompt("s", "go");
    let fields = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {}, "tool_response": {}});
    scratch.run("rg-trace", &["--hook", "--client", "claude"], &scratch.payload("s", fields));
    let journal = std::fs::read_dir(scratch.state().join("tasks")).unwrap().next().unwrap().unwrap().path();
    let record = |id: &str, kind: &str, tool: &str, fields: &str| {
        format!(
            "{{\"v\":1,\"kind\":\"{kind}\",\"id\":\"{id}\",\"at\":\"2026-11-21T12:00:05.000Z\",\"by_tool\":\"{tool}\",{fields}}}\n"
        )
    };
    let decided = |session: &str, text: &str| {
        format!(
            "\"state\":\"decided\",\"session\":\"{session}\",\"by\":\"agent:a1\",\"standing\":\"rejected\",\"summary\":\"{text}\",\
            \"issues\":[{{\"key\":\"k\",\"severity\":\"major\",\"path\":\"a.rs\",\"line\":3,\"description\":\"<i>wrong</i>\",\"blocks\":true}}]"
        )
    };
    let lines = record("01M7YZMHG0CRW68E1M6NH3GE1Q", "review", "rg-review-state", &decided("s", "not yet"))
        + &record(
            "01M7YZMHG0CRW68E1M6NH3GE1R",
            "review",
            "rg-review-state",
            &decided("elsewhere", "of another session"),
        )
        + &record(
            "01M7YZMHG0CRW68E1M6NH3GE1S",
            "waive",
            "rg-bounce",
            "\"scope\":\"gate\",\"why\":\"a reason\",\"who\":\"tester\",\"until\":\"2026-11-21T13:00:00.000Z\"",
        );
    let before = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, before + &lines).unwrap();
    let page = scratch.run("rg-trace", &["show", "s", "--html"], b"").out;
    for text in
        [">rejected<", "agent:a1", "not yet", "a.rs:3: major: &lt;i&gt;wrong&lt;/i&gt;", ">waived<", "gate: a reason"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("of another session"));
}
