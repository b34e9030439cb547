//! What a model's client printed: its message, and the tokens and the cost that it reports.

use crate::sys::text::plain;
use serde_json::Value;

/// How much of the head and of the tail of an output is kept, in bytes.
const KEPT: usize = 2 << 20;

/// How a client reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Any command: its output is its message.
    Other,
}

impl Form {
    /// The form of a known program; `Other` for any other one.
    pub fn of(name: &str) -> Form {
        match name {
            "claude" => Form::Claude,
            "codex" => Form::Codex,
            "gemini" => Form::Gemini,
            _ => Form::Other,
        }
    }
}

/// The head and the tail of an output of any length.
#[derive(Debug, Default)]
pub struct Output {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Output {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let room = KEPT.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend_from_slice(&bytes[room..]);
        // Cut rarely, so that each byte is moved at most once.
        if self.tail.len() > 2 * KEPT {
            self.tail.drain(..self.tail.len() - KEPT);
        }
    }

    /// All that was kept.
    pub fn bytes(&self) -> Vec<u8> {
        [self.head.as_slice(), &self.tail].concat()
    }
}

/// A client's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientAnswer {
    /// Its last message.
    pub message: String,
    /// The tokens that it reported.
    pub tokens: Option<u64>,
    /// The cost that it reported, in US dollars.
    pub cost: Option<f64>,
}

/// Reads the output of a client. What is not in its form is its message.
pub fn read(form: Form, output: &[u8]) -> ClientAnswer {
    let known = match form {
        Form::Claude => claude(output),
        Form::Codex => codex(output),
        Form::Gemini => gemini(output),
        Form::Other => None,
    };
    let answer = known.unwrap_or_else(|| ClientAnswer { message: plain(output), ..ClientAnswer::default() });
    // A negative or infinite cost would be a gift.
    ClientAnswer { cost: answer.cost.filter(|cost| cost.is_finite() && *cost >= 0.0), ..answer }
}

/// The last complete JSON object of an output, which may print other lines before it.
fn last_object(output: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(output);
    match serde_json::from_str(text.trim()) {
        Ok(value @ Value::Object(_)) => return Some(value),
        // A client that is configured to be verbose prints all its messages as one array.
        Ok(Value::Array(all)) => return all.into_iter().rfind(Value::is_object),
        _ => {}
    }
    let starts = text.match_indices("\n{").map(|(at, _)| at + 1).collect::<Vec<_>>();
    let parse = |at: &usize| serde_json::from_str::<Value>(text[*at..].trim()).ok().filter(Value::is_object);
    starts.iter().rev().take(50).find_map(parse)
}

/// `claude -p --output-format json`: one object with `result`, `usage` and `total_cost_usd`.
fn claude(output: &[u8]) -> Option<ClientAnswer> {
    let value = last_object(output)?;
    let message = value.get("result").and_then(Value::as_str)?.to_string();
    let usage = &value["usage"];
    let names = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    // A number that is missing counts nothing; one that cannot be read makes the sum unknown.
    let given = names.iter().map(|name| &usage[*name]).filter(|value| !value.is_null());
    let given: Vec<Option<u64>> = given.map(Value::as_u64).collect();
    let sum = given.iter().try_fold(0_u64, |sum, one| sum.checked_add((*one)?));
    let tokens = sum.filter(|_| !given.is_empty());
    Some(ClientAnswer { message, tokens, cost: value["total_cost_usd"].as_f64() })
}

/// `codex exec --json`: lines; the last `agent_message` is the message, `turn.completed` has the usage. It reports no cost.
fn codex(output: &[u8]) -> Option<ClientAnswer> {
    let lines = output.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let (mut answer, mut is_known, mut is_counted) = (ClientAnswer::default(), false, false);
    for line in lines {
        match line["type"].as_str() {
            Some("item.completed") if line["item"]["type"] == "agent_message" => {
                answer.message = line["item"]["text"].as_str().unwrap_or_default().to_string();
                is_known = true;
            }
            Some("turn.completed") => {
                let usage = &line["usage"];
                // Cached input is part of the input.
                let sum = usage["input_tokens"]
                    .as_u64()
                    .zip(usage["output_tokens"].as_u64())
                    .and_then(|(i, o)| i.checked_add(o));
                let before = if is_counted { answer.tokens } else { Some(0) };
                answer.tokens = before.zip(sum).and_then(|(before, sum)| before.checked_add(sum));
                is_counted = true;
                is_known = true;
            }
            _ => {}
        }
    }
    is_known.then_some(answer)
}

/// `gemini --output-format json`: one object with `response` and `stats`. It reports no cost.
fn gemini(output: &[u8]) -> Option<ClientAnswer> {
    let value = last_object(output)?;
    let message = value.get("response").and_then(Value::as_str)?.to_string();
    let models = value["stats"]["models"].as_object();
    let tokens = models.filter(|models| !models.is_empty()).and_then(|models| {
        models.values().try_fold(0_u64, |sum, model| sum.checked_add(model["tokens"]["total"].as_u64()?))
    });
    Some(ClientAnswer { message, tokens, cost: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usage_of_each_client_is_read() {
        let claude = br#"{"type":"result","result":"ok","total_cost_usd":0.25,"usage":{"input_tokens":3,"cache_read_input_tokens":100,"output_tokens":7}}"#;
        assert_eq!(
            read(Form::Claude, claude),
            ClientAnswer { message: "ok".into(), tokens: Some(110), cost: Some(0.25) }
        );
        let codex = b"noise\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"a\"}}\n\
            {\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"b\"}}\n\
            {\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":10,\"cached_input_tokens\":4,\"output_tokens\":5}}\n";
        assert_eq!(read(Form::Codex, codex), ClientAnswer { message: "b".into(), tokens: Some(15), cost: None });
        let gemini =
            b"Loaded.\n{\n \"response\": \"hi\",\n \"stats\": {\"models\": {\"m\": {\"tokens\": {\"total\": 9}}}}\n}\n";
        assert_eq!(read(Form::Gemini, gemini), ClientAnswer { message: "hi".into(), tokens: Some(9), cost: None });
    }

    #[test]
    fn the_messages_of_a_verbose_client_end_with_its_result() {
        let all =
            br#"[{"type":"system"},{"type":"result","result":"ok","usage":{"input_tokens":3,"output_tokens":1}}]"#;
        assert_eq!(read(Form::Claude, all), ClientAnswer { message: "ok".into(), tokens: Some(4), cost: None });
    }

    #[test]
    fn what_is_not_reported_is_unknown() {
        for (form, output) in [
            (Form::Claude, &b"{\"result\":\"ok\"}"[..]),
            (Form::Claude, b"{\"result\":\"ok\",\"usage\":{}}"),
            (Form::Claude, b"{\"result\":\"ok\",\"usage\":{\"input_tokens\":\"7\",\"output_tokens\":1}}"),
            (
                Form::Claude,
                b"{\"result\":\"ok\",\"usage\":{\"input_tokens\":18446744073709551615,\"output_tokens\":1}}",
            ),
            (
                Form::Codex,
                b"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":18446744073709551615,\"output_tokens\":1}}",
            ),
            (
                Form::Gemini,
                b"{\"response\":\"x\",\"stats\":{\"models\":{\"a\":{\"tokens\":{\"total\":18446744073709551615}},\"b\":{\"tokens\":{\"total\":1}}}}}",
            ),
            (Form::Claude, b"plain text"),
            (Form::Claude, b"{\"result\":\"x\",\"total_cost_usd\":-5,\"usage\":7}"),
            (Form::Codex, b"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":10}}"),
            (Form::Gemini, b"{\"response\":\"x\",\"stats\":{\"models\":{\"a\":{\"tokens\":{\"total\":1}},\"b\":{}}}}"),
            (Form::Other, b"{\"result\":\"x\",\"total_cost_usd\":5,\"usage\":{}}"),
        ] {
            let answer = read(form, output);
            assert_eq!((answer.tokens, answer.cost), (None, None), "{}", String::from_utf8_lossy(output));
        }
    }

    #[test]
    fn a_flood_keeps_its_head_and_its_tail() {
        let mut output = Output::default();
        for n in 0..20_000u32 {
            output.add(format!("{n:0>1000}\n").as_bytes());
        }
        let bytes = output.bytes();
        assert!(bytes.len() < 4 * KEPT, "{}", bytes.len());
        assert!(bytes.starts_with(b"0000") && bytes.ends_with(b"19999\n"));
    }
}
