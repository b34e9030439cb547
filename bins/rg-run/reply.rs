//! The answer of an agent that sends a patch: a JSON object with a plan and a patch, or with the files that it needs.

use serde_json::{Map, Value};

/// The most files that one answer may ask for.
const MOST_FILES: usize = 50;

/// The most places at which an object is looked for.
const MOST_PLACES: usize = 2000;

/// What the agent is told about the form.
pub const FORM: &str = "You cannot change files. Answer with one JSON object and nothing else:\n\n\
    {\"plan\": \"each file that changes, and why\", \"patch\": \"a unified diff\", \"tests\": \"what the tests cover\", \
    \"run\": [\"commands\"], \"risks\": \"what may break; each new dependency\"}\n\n\
    The patch changes files relative to the top of the repository, with the prefixes a/ and b/. It is applied as a whole or not at all. \
    Commands in \"run\" are read by people and are not run. If you must read files first, answer {\"files_needed\": [\"path\"]} instead.";

/// A usable answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// The files that the agent wants to read first.
    Needs(Vec<String>),
    /// A change.
    Patch {
        /// What is changed, and why.
        plan: String,
        /// A unified diff.
        patch: String,
        /// What may break, and each new dependency.
        risks: String,
    },
}

/// Reads the answer in a message with any text around it. The error says what is wrong with it, for the agent.
pub fn read(message: &str) -> Result<Reply, String> {
    let found = objects(message);
    let known =
        |object: &&Map<String, Value>| ["patch", "files_needed", "plan"].iter().any(|name| object.contains_key(*name));
    let mut answers: Vec<&Map<String, Value>> = found.iter().filter(known).collect();
    answers.dedup();
    match answers.as_slice() {
        [] if found.is_empty() => Err("it holds no complete JSON object".to_string()),
        [] => Err("its JSON object has neither \"patch\" nor \"files_needed\"".to_string()),
        [answer] => reply_of(answer),
        _ => Err("it holds two different answers".to_string()),
    }
}

/// The complete JSON objects of a text that are in no other one.
fn objects(text: &str) -> Vec<Map<String, Value>> {
    let (mut found, mut from) = (Vec::new(), 0);
    for _ in 0..MOST_PLACES {
        let Some(at) = text[from..].find('{').map(|at| from + at) else { break };
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(object))) => {
                found.push(object);
                from = at + values.byte_offset();
            }
            _ => from = at + 1,
        }
    }
    found
}

fn reply_of(object: &Map<String, Value>) -> Result<Reply, String> {
    for name in ["plan", "tests", "run", "risks"] {
        texts(object, name)?;
    }
    let needed = match object.get("files_needed") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(_)) => texts(object, "files_needed")?,
        Some(_) => return Err("\"files_needed\" must be a list of texts".to_string()),
    };
    if needed.len() > MOST_FILES {
        return Err(format!("\"files_needed\" names more than {MOST_FILES} files"));
    }
    let patch = match object.get("patch") {
        None | Some(Value::Null) => "",
        Some(Value::String(text)) => text.as_str(),
        Some(_) => return Err("\"patch\" must be a text".to_string()),
    };
    match (patch.trim().is_empty(), needed.is_empty()) {
        (true, true) => Err("\"patch\" is empty".to_string()),
        (true, false) => Ok(Reply::Needs(needed)),
        (false, false) => Err("it has both \"patch\" and \"files_needed\"".to_string()),
        (false, true) => match texts(object, "plan")?.join("\n") {
            plan if plan.trim().is_empty() => Err("\"plan\" is missing".to_string()),
            // A diff ends with a newline.
            plan => {
                let risks = texts(object, "risks")?.join("\n");
                Ok(Reply::Patch { plan, patch: format!("{}\n", patch.trim_end_matches('\n')), risks })
            }
        },
    }
}

/// A text or a list of texts; empty if it is absent.
fn texts(object: &Map<String, Value>, name: &str) -> Result<Vec<String>, String> {
    let wrong = || format!("\"{name}\" must be a text or a list of texts");
    match object.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_string).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a reply comes to: a patch, files, or a part of the error.
    const REPLIES: [(&str, &str); 40] = [
        (r#"{"plan":"p","patch":"d"}"#, "patch"),
        (r#"{"plan":["a","b"],"patch":"d","tests":"t","run":["true"],"risks":[]}"#, "patch"),
        ("```json\n{\"plan\":\"p\",\"patch\":\"d\"}\n```", "patch"),
        ("```\n{\"plan\":\"p\",\"patch\":\"d\"}\n```\nDone.", "patch"),
        ("Here it is: {\"plan\":\"p\",\"patch\":\"d\"} - enjoy", "patch"),
        ("I looked at {curly} things.\n{\"plan\":\"p\",\"patch\":\"d\"}", "patch"),
        ("{\n \"plan\": \"p\",\n \"patch\": \"--- a/x\\n+++ b/x\\n\"\n}", "patch"),
        (r#"{"plan":"a {brace} and \"quotes\"","patch":"{"}"#, "patch"),
        (r#"{"plan":"p","patch":"d","confidence":0.9}"#, "patch"),
        (r#"{"plan":"p","patch":"d","files_needed":[]}"#, "patch"),
        (r#"{"plan":"p","patch":"d","files_needed":null}"#, "patch"),
        (r#"{"plan":"p","patch":"d","tests":null}"#, "patch"),
        ("{\"plan\":\"p\",\"patch\":\"d\"}\n{\"plan\":\"p\",\"patch\":\"d\"}", "patch"),
        ("{\"note\":1}\n{\"plan\":\"p\",\"patch\":\"d\"}", "patch"),
        ("\u{feff}{\"plan\":\"p\",\"patch\":\"d\"}", "patch"),
        (r#"{"files_needed":["src/a.rs"]}"#, "files"),
        (r#"{"plan":"first I read","files_needed":["a","b"]}"#, "files"),
        (r#"{"patch":"","files_needed":["a"]}"#, "files"),
        ("I need more. {\"files_needed\":[\"a\"]}", "files"),
        ("", "no complete JSON object"),
        ("Done!", "no complete JSON object"),
        (r#"{"plan":"p","patch":"d""#, "no complete JSON object"),
        (r#"{'plan':'p','patch':'d'}"#, "no complete JSON object"),
        (r#"{"plan":"p","patch":"d",}"#, "no complete JSON object"),
        (r#"{plan:"p",patch:"d"}"#, "no complete JSON object"),
        ("{\"plan\":\"p\",\"patch\":\"a\nb\"}", "no complete JSON object"),
        ("[\"plan\",\"patch\"]", "no complete JSON object"),
        ("```diff\n--- a/x\n+++ b/x\n```", "no complete JSON object"),
        ("{}", "neither"),
        (r#"{"verdict":"approve"}"#, "neither"),
        (r#"{"plan":"p"}"#, "\"patch\" is empty"),
        (r#"{"plan":"p","patch":" \n"}"#, "\"patch\" is empty"),
        (r#"{"plan":"p","patch":null}"#, "\"patch\" is empty"),
        (r#"{"files_needed":[]}"#, "\"patch\" is empty"),
        (r#"{"patch":"d"}"#, "\"plan\" is missing"),
        (r#"{"plan":7,"patch":"d"}"#, "\"plan\" must be"),
        (r#"{"plan":"p","patch":["d"]}"#, "\"patch\" must be a text"),
        (r#"{"plan":"p","patch":"d","risks":{"a":1}}"#, "\"risks\" must be"),
        (r#"{"files_needed":"a"}"#, "must be a list"),
        ("{\"plan\":\"p\",\"patch\":\"d\"}\n{\"plan\":\"p\",\"patch\":\"e\"}", "two different answers"),
    ];

    #[test]
    fn forty_replies_are_read_as_labelled() {
        for (text, wanted) in REPLIES {
            let got = match read(text) {
                Ok(Reply::Patch { .. }) => "patch".to_string(),
                Ok(Reply::Needs(_)) => "files".to_string(),
                Err(why) => why,
            };
            assert!(got == wanted || got.contains(wanted) && !["patch", "files"].contains(&wanted), "{text}: {got}");
        }
    }

    proptest! {
        /// Any text around an answer leaves it what it is, unless the text holds an answer itself.
        #[test]
        fn prose_changes_no_answer(before in "[^{}]{0,200}", after in "[^{}]{0,200}") {
            let answer = r#"{"plan":"p","patch":"d"}"#;
            prop_assert_eq!(read(&format!("{before}{answer}{after}")), read(answer));
        }

        #[test]
        fn no_text_is_a_panic(text in "[{}\\[\\]\",:a\\\\ é]{0,300}") {
            let _ = read(&text);
        }
    }
}
