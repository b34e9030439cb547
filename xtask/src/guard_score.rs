//! rg-guard's answers to the labelled commands, family by family.

use crate::stage::{paint, say};
use crate::{Failure, plugin};
use serde_json::Value;
use std::collections::BTreeMap;
use xshell::{Shell, cmd};

/// The counts of one family.
#[derive(Default)]
struct Count {
    deny: usize,
    denied: usize,
    allow: usize,
    false_alarms: usize,
}

/// Prints the table; fails below 99 % recall or above 1 % false alarms.
pub fn run() -> Result<(), Failure> {
    let shell = Shell::new()?;
    shell.change_dir(plugin::checkout());
    cmd!(shell, "cargo build --quiet --locked --package review-gate --bin rg-guard").quiet().run()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| plugin::checkout().join("target"), Into::into);
    let guard = target.join("debug/rg-guard");
    let file = plugin::checkout().join("tests/cases/guard.jsonl");
    let place = shell.create_temp_dir()?;
    let dir = place.path();
    let out = cmd!(shell, "{guard} test --json -C {dir} {file}").quiet().ignore_status().read()?;
    let mut families: BTreeMap<String, Count> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in out.lines() {
        let row: Value = serde_json::from_str(line)?;
        let text = |name: &str| row[name].as_str().unwrap_or("").to_string();
        let count = families.entry(text("family")).or_default();
        let is_denied = text("got") != "allow";
        match text("expect").as_str() {
            "deny" => {
                count.deny += 1;
                count.denied += usize::from(is_denied);
            }
            "allow" => {
                count.allow += 1;
                count.false_alarms += usize::from(is_denied);
            }
            _ => continue,
        }
        if is_denied != (text("expect") == "deny") {
            wrong.push(format!("{} expected, {} {}: {:?}", text("expect"), text("got"), text("rule"), text("cmd")));
        }
    }
    say(&format!("{:<20} {:>6} {:>8} {:>7} {:>7}", "family", "deny", "denied", "allow", "alarms"));
    let mut all = Count::default();
    for (name, count) in &families {
        say(&format!("{name:<20} {:>6} {:>8} {:>7} {:>7}", count.deny, count.denied, count.allow, count.false_alarms));
        all.deny += count.deny;
        all.denied += count.denied;
        all.allow += count.allow;
        all.false_alarms += count.false_alarms;
    }
    let (recall, alarms) = (all.denied as f64 / all.deny as f64, all.false_alarms as f64 / all.allow as f64);
    say(&format!(
        "{:<20} {:>6} {:>8} {:>7} {:>7}   recall {:.2} %, false alarms {:.2} %",
        "all",
        all.deny,
        all.denied,
        all.allow,
        all.false_alarms,
        recall * 100.0,
        alarms * 100.0
    ));
    wrong.iter().for_each(|line| say(&paint("31", line)));
    if recall >= 0.99 && alarms <= 0.01 {
        Ok(())
    } else {
        Err("recall is below 99 % or false alarms are above 1 %".into())
    }
}
