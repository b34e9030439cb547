//! What a settings file of a client holds of review-gate: the lines of its hooks, and whether hooks are turned off.

use super::{HookLine, is_ours};
use crate::sys::files;
use jsonc_parser::{JsonArray, JsonObject, JsonValue, ParseOptions};
use std::path::Path;

/// The largest file of settings that is read, in bytes.
const LIMIT: u64 = 16 << 20;

/// The hooks of review-gate in a settings file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnHooks {
    /// The hooks, in the order of the file.
    pub hooks: Vec<OwnHook>,
    /// Whether the file turns all hooks off.
    pub is_off: bool,
}

/// A hook of review-gate, as a settings file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnHook {
    /// Its event, its matcher and its line.
    pub line: HookLine,
    /// The command: a shell line, or a program if there are arguments.
    pub command: String,
    /// The arguments; empty for a shell line.
    pub args: Vec<String>,
    /// How long the client waits, in the client's own unit.
    pub timeout: Option<f64>,
}

/// Reads a settings file; None if there is none. The error says why it cannot be read.
pub fn read(path: &Path) -> Result<Option<OwnHooks>, String> {
    let Some(bytes) = files::read_following(path, LIMIT).map_err(|error| error.to_string())? else { return Ok(None) };
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_string())?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Ok(Some(OwnHooks::default()));
    }
    let value = jsonc_parser::parse_to_value(text, &ParseOptions::default()).map_err(|error| error.to_string())?;
    let Some(JsonValue::Object(mut settings)) = value else { return Err("it is no object".to_string()) };
    let mut found =
        OwnHooks { is_off: settings.take_boolean("disableAllHooks").unwrap_or(false), ..OwnHooks::default() };
    for (event, entries) in settings.take_object("hooks").into_iter().flat_map(JsonObject::take_inner) {
        let JsonValue::Array(entries) = entries else { continue };
        for mut entry in objects(entries) {
            let matcher = entry.take_string("matcher").map(|text| text.to_string());
            match entry.take_array("hooks") {
                Some(hooks) => found.add(&event, &matcher, objects(hooks)),
                // Cursor has no groups.
                None => found.add(&event, &None, [entry].into_iter()),
            }
        }
    }
    Ok(Some(found))
}

fn objects<'a>(list: JsonArray<'a>) -> impl Iterator<Item = JsonObject<'a>> {
    list.into_iter().filter_map(|value| match value {
        JsonValue::Object(object) => Some(object),
        _ => None,
    })
}

impl OwnHooks {
    /// The lines, in the order of the file.
    pub fn lines(&self) -> Vec<HookLine> {
        self.hooks.iter().map(|hook| hook.line.clone()).collect()
    }

    fn add<'a>(&mut self, event: &str, matcher: &Option<String>, hooks: impl Iterator<Item = JsonObject<'a>>) {
        for mut hook in hooks {
            let Some(command) = hook.take_string("command").map(|text| text.to_string()) else { continue };
            let words = hook.take_array("args").into_iter().flatten().filter_map(|value| match value {
                JsonValue::String(text) => Some(text.to_string()),
                _ => None,
            });
            let words: Vec<String> = words.collect();
            if !is_ours(&command) {
                continue;
            }
            let line = match words.is_empty() {
                true => command.clone(),
                false => format!("{} {}", super::shell_quoted(&command), words.join(" ")),
            };
            let line = HookLine { event: event.to_string(), matcher: matcher.clone(), line };
            let timeout = hook.take_number("timeout").and_then(|text| text.parse().ok());
            self.hooks.push(OwnHook { line, command, args: words, timeout });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_our_hooks_are_found_in_every_form() {
        let dir = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            let path = dir.path().join("settings.json");
            std::fs::write(&path, text).unwrap();
            read(&path)
        };
        let group = "{ // mine\n\"disableAllHooks\": true, \"hooks\": {\"Stop\": [{\"matcher\": \"x\", \"hooks\": [{\"command\": \"say hi\"}, {\"command\": \"/a/rg-event | /a/rg-answer\", \"timeout\": 2.5}, {\"command\": \"/a b/rg-guard\", \"args\": [\"--hook\"]}]}]},}";
        let found = of(group).unwrap().unwrap();
        assert!(found.is_off);
        let lines = found.lines();
        let lines: Vec<&str> = lines.iter().map(|line| line.line.as_str()).collect();
        assert_eq!(lines, ["/a/rg-event | /a/rg-answer", "'/a b/rg-guard' --hook"]);
        let [shell, program] = &found.hooks[..] else { panic!("{found:?}") };
        assert_eq!((shell.line.matcher.as_deref(), shell.args.len(), shell.timeout), (Some("x"), 0, Some(2.5)));
        assert_eq!(
            (program.command.as_str(), &program.args[..], program.timeout),
            ("/a b/rg-guard", &["--hook".to_string()][..], None)
        );
        let cursor = of("{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"/a/rg-event | /a/rg-answer\"}]}}");
        assert_eq!(cursor.unwrap().unwrap().hooks.len(), 1);
        assert_eq!(of(" \n").unwrap(), Some(OwnHooks::default()));
        assert!(of("{").is_err() && of("[]").is_err());
        assert_eq!(read(&dir.path().join("none")), Ok(None));
    }
}
