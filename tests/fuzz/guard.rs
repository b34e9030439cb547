//! Any bytes as a command: rg-guard ends, does not panic, and lets nothing through because a harmless command stands before it. The
//! modules are the program's own.

#![no_main]
#![allow(dead_code, unused_imports)]

#[path = "../../bins/rg-guard/decode.rs"]
mod decode;
#[path = "../../bins/rg-guard/pattern.rs"]
mod pattern;
#[path = "../../bins/rg-guard/policy.rs"]
mod policy;
#[path = "../../bins/rg-guard/rules/mod.rs"]
mod rules;
#[path = "../../bins/rg-guard/run/mod.rs"]
mod run;
#[path = "../../bins/rg-guard/shell/mod.rs"]
mod shell;
#[path = "../../bins/rg-guard/verdict.rs"]
mod verdict;
#[path = "../../bins/rg-guard/world.rs"]
mod world;

/// What is kept before a call is no part of its verdict, and looks at files.
mod risk {
    pub struct Risk;
}

use libfuzzer_sys::fuzz_target;

fn judged(text: &str) -> Option<rules::Level> {
    let world = world::World::at("/".into());
    verdict::judge(text, &world, &policy::Policy::default()).map(|found| found.level)
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let word = judged(&text);
    if word == Some(rules::Level::Deny) {
        assert_eq!(judged(&format!("true;\n{text}")), word, "a harmless command before it lets it through");
    }
});
