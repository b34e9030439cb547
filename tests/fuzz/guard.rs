//! Any bytes as a command: rg-guard terminates, does not panic, and a harmless command before a denied one changes nothing. The
//! modules are the program's own.

#![no_main]
#![allow(dead_code, unused_imports)]

#[path = "../../bins/rg-guard/code/mod.rs"]
mod code;
#[path = "../../bins/rg-guard/command/mod.rs"]
mod command;
#[path = "../../bins/rg-guard/judge/mod.rs"]
mod judge;
#[path = "../../bins/rg-guard/programs/mod.rs"]
mod programs;
#[path = "../../bins/rg-guard/rules/mod.rs"]
mod rules;
#[path = "../../bins/rg-guard/shell/mod.rs"]
mod shell;
#[path = "../../bins/rg-guard/walk/mod.rs"]
mod walk;

use libfuzzer_sys::fuzz_target;

fn judged(text: &str) -> Option<rules::Level> {
    let context = rules::Context::at("/".into());
    judge::judge(text, &context, &Default::default()).map(|refusal| refusal.level)
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let level = judged(&text);
    if level == Some(rules::Level::Deny) {
        assert_eq!(judged(&format!("true;\n{text}")), level, "a harmless command before it changes the decision");
    }
});
