//! The time of rg-guard before a tool call, compared with an empty static program and with `/bin/true`.

use crate::Failure;
use crate::bench::{Bench, Line, Row, payload};
use crate::stage::say;
use std::path::Path;

/// The memory limit of a call with a command of 1 MiB, in MiB.
const MEMORY: u64 = 16;

/// The time of `/bin/true`, in milliseconds, on the machine that the limits were set on.
const TRUE: f64 = 0.9;

/// A hook call before a shell command.
pub fn call(dir: &Path, command: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(&payload("PreToolUse", dir)).into_owned();
    let mut fields: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    for name in
        ["prompt", "stop_hook_active", "last_assistant_message", "background_tasks", "session_crons", "tool_response"]
    {
        fields.as_object_mut().map(|fields| fields.remove(name));
    }
    fields["tool_input"]["command"] = command.into();
    fields.to_string().into_bytes()
}

/// A harmless script of about `bytes` bytes, which repeats `part`.
fn script(bytes: usize, part: &str) -> String {
    part.repeat(bytes / part.len())
}

/// Typical commands of a script, and rare ones.
const PLAIN: &str = "# what was built before goes\nif [ -d \"build/$name\" ]; then rm -rf \"build/$name\"; fi\ncp -r \"src/$name\" \"build/$name\" && echo \"built $name\"\n";
const LOOPS: &str = "for f in a b c; do if [ -f \"$f\" ]; then cat \"$f\" | sort -u > out.$f; fi; done\nx=$(date +%s); echo \"at $x\"\n";

/// The rows with budgets.
pub fn rows(dir: &Path, gated: &Path) -> Vec<Row> {
    let guard = |dir: &Path, command: &str| Line {
        line: "exec \"$BIN\"/rg-guard --hook --client claude".into(),
        input: call(dir, command),
        dir: dir.to_path_buf(),
    };
    let empty =
        |command: &str| Line { line: "exec \"$EMPTY\"".into(), input: call(dir, command), dir: dir.to_path_buf() };
    let no_op = || Line { line: "exec /bin/true".into(), input: call(dir, "ls"), dir: dir.to_path_buf() };
    let document = format!("cat > notes.md <<'E'\n{}E\n", "Do not run `rm -rf /` nor it's \"like\".\n".repeat(5_200));
    let plain = script(4_000, PLAIN);
    let loops = script(4_000, LOOPS);
    vec![
        Row::new("rg-guard, ls -la / one empty program".into(), guard(dir, "ls -la"), empty("ls -la"), Some(3.0)),
        Row::new("rg-guard, ls -la, DONE.md and a task / one empty".into(), guard(gated, "ls -la"), empty("ls"), None),
        Row::new("rg-guard, a denial / true".into(), guard(dir, "git reset --hard"), no_op(), Some(2.0 / TRUE)),
        Row::new("rg-guard, a script of 4 KB / true".into(), guard(dir, &plain), no_op(), Some(2.0 / TRUE)),
        Row::new("rg-guard, 4 KB of loops (400 commands) / true".into(), guard(dir, &loops), no_op(), None),
        Row::new("rg-guard, a document of 200 KB / true".into(), guard(dir, &document), no_op(), Some(3.0 / TRUE)),
    ]
}

/// Finds the smallest address space in which a command of 1 MiB is judged. Returns a name if it exceeds the limit.
pub fn memory(bench: &Bench, dir: &Path) -> Result<Option<String>, Failure> {
    let document = format!("cat > notes.md <<'E'\n{}\nE\ngit reset --hard", "x".repeat((1 << 20) - 100));
    let input = call(dir, &document);
    for space in [4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64] {
        let line = format!(
            "ulimit -v {}; \"$BIN\"/rg-guard --hook | grep -q git-reset-hard && touch within-{space}",
            space * 1024
        );
        bench.call(&Line { line, input: input.clone(), dir: dir.to_path_buf() })?;
        if dir.join(format!("within-{space}")).exists() {
            say(&format!("{:<58} {space} MiB", "rg-guard at 1 MiB of command, address space"));
            return Ok((space > MEMORY).then(|| "rg-guard's memory".to_string()));
        }
    }
    Err("rg-guard did not judge 1 MiB within 64 MiB".into())
}
