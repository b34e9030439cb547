//! Laws of rg-install: other settings stay byte for byte, wiring twice changes nothing, uninstall restores the file.

use crate::scratch::{Scratch, bin_dir};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const THEIRS: &str = "{\n  // my settings\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]} /* mine */\n    ],\n    \"Notification\": []\n  },\n  \"permissions\": {\"allow\": [ \"Bash(ls)\" ]}\n}\n";

fn settings(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.work().join(".claude/settings.json")).unwrap_or_default()
}

fn install(scratch: &Scratch, args: &[&str]) -> crate::scratch::Said {
    let mut all = vec!["claude"];
    all.extend(args);
    scratch.run("rg-install", &all, b"")
}

#[test]
fn uninstalling_removes_a_file_that_install_created() {
    let scratch = Scratch::repo();
    assert_eq!(install(&scratch, &[]).status, 0);
    let wired: Value = serde_json::from_str(&settings(&scratch)).unwrap();
    let hooks: Value = serde_json::from_str(&fs::read_to_string("hooks.json").unwrap()).unwrap();
    assert_eq!(wired["hooks"].as_object().unwrap().len(), hooks["hooks"].as_object().unwrap().len());
    let stop = wired["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(
        stop.starts_with(&format!("'{}'/rg-event --client claude --within 3560 | ", bin_dir().display())),
        "{stop}"
    );
    assert_eq!(wired["hooks"]["Stop"][0]["hooks"][0]["timeout"], 3600);
    install(&scratch, &["--uninstall"]);
    assert!(!scratch.work().join(".claude").exists(), "it was not there before");
    // A directory of the user stays, and so does one in which something else is now.
    for at in [".claude", ".claude/commands"] {
        fs::create_dir_all(scratch.work().join(at)).unwrap();
        install(&scratch, &[]);
        install(&scratch, &["--uninstall"]);
        assert!(scratch.work().join(at).exists() && settings(&scratch).is_empty(), "{at}");
        fs::remove_dir_all(scratch.work().join(".claude")).unwrap();
    }
}

#[test]
fn other_hooks_comments_and_order_stay_and_uninstall_is_byte_identical() {
    for theirs in
        [THEIRS, "{}", "{ }\n", "{\"hooks\": {}}", "{\"hooks\":{\"Stop\":[]}}", "\u{feff}{\n}\n", "{\n\t\"a\": 1,\n}\n"]
    {
        let scratch = Scratch::repo();
        scratch.write(".claude/settings.json", theirs);
        let said = install(&scratch, &[]);
        assert_eq!(said.status, 0, "{theirs:?}: {said:?}");
        let wired = settings(&scratch);
        assert_eq!(wired.matches("rg-answer --client claude --kind stop").count(), 1, "{wired}");
        for part in ["// my settings", "/* mine */", "say done", "[ \"Bash(ls)\" ]"] {
            assert_eq!(theirs.contains(part), wired.contains(part));
        }
        let again = install(&scratch, &[]);
        assert!(again.out.contains("already wired: ") && settings(&scratch) == wired, "twice is once");
        install(&scratch, &["--uninstall"]);
        assert_eq!(settings(&scratch), theirs);
    }
}

#[test]
fn later_changes_of_the_user_survive_uninstall() {
    let scratch = Scratch::repo();
    scratch.write(".claude/settings.json", THEIRS);
    install(&scratch, &[]);
    scratch.write(".claude/settings.json", &settings(&scratch).replace("opus", "sonnet"));
    install(&scratch, &["--uninstall"]);
    let left = settings(&scratch);
    assert!(left.contains("sonnet") && left.contains("say done") && !left.contains("rg-"), "{left}");
}

#[test]
fn older_hooks_are_replaced() {
    let scratch = Scratch::repo();
    let old = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "'/old/bin/'rg-event --client claude | '/old/bin/'rg-answer"}]}]}});
    scratch.write(".claude/settings.json", &old.to_string());
    install(&scratch, &[]);
    assert!(!settings(&scratch).contains("/old/bin") && settings(&scratch).contains("rg-bounce"));
}

#[test]
fn invalid_settings_are_refused_and_unchanged() {
    for text in ["{\"hooks\": ", "[]", "{\"hooks\": {\"Stop\": 7}}", "{\"hooks\": []}"] {
        let scratch = Scratch::repo();
        scratch.write(".claude/settings.json", text);
        let said = install(&scratch, &[]);
        assert!(said.status == 100 && said.err.contains("Fix the file first"), "{text}: {said:?}");
        assert_eq!(settings(&scratch), text);
    }
}

#[test]
fn with_the_plugin_nothing_is_wired_twice() {
    let scratch = Scratch::repo();
    scratch.write(".claude/settings.json", "{\"enabledPlugins\": {\"review-gate@here\": true}}");
    assert!(install(&scratch, &[]).err.contains("plugin is enabled"));
}

#[test]
fn global_and_dry_run() {
    let scratch = Scratch::repo();
    let said = install(&scratch, &["--global", "--dry-run"]);
    assert!(said.status == 0 && said.out.contains("rg-event") && !scratch.top().join("home/.claude").exists());
    install(&scratch, &["--global"]);
    assert!(scratch.top().join("home/.claude/settings.json").exists() && settings(&scratch).is_empty());
    install(&scratch, &["--global", "--uninstall"]);
    assert!(!scratch.top().join("home/.claude/settings.json").exists());
    assert_eq!(scratch.run("rg-install", &["emacs"], b"").status, 100);
    assert_eq!(scratch.run("rg-install", &[], b"").status, 100);
}

#[test]
fn wired_hooks_work() {
    let scratch = Scratch::repo();
    install(&scratch, &[]);
    let wired: Value = serde_json::from_str(&settings(&scratch)).unwrap();
    let line = |event: &str| wired["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_string();
    scratch.ok("git add -A && git commit -qm wired");
    scratch.sh(
        &line("UserPromptSubmit"),
        &scratch.payload("s", json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"})),
    );
    scratch.append("src.txt", "x\n");
    let said = scratch.sh(&line("Stop"), &scratch.stop_payload("s", json!({})));
    assert!(said.reason().contains("src.txt:1: not fixed"));
}

#[test]
fn another_hook_in_the_same_group_stays() {
    let scratch = Scratch::repo();
    install(&scratch, &[]);
    let mut wired: Value = serde_json::from_str(&settings(&scratch)).unwrap();
    wired["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap().push(json!({"type": "command", "command": "my-own"}));
    scratch.write(".claude/settings.json", &serde_json::to_string_pretty(&wired).unwrap());
    install(&scratch, &["--uninstall"]);
    let left: Value = serde_json::from_str(&settings(&scratch)).unwrap();
    assert_eq!(left, json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "my-own"}]}]}}));
}

#[test]
fn a_plugin_in_the_users_settings_counts_for_a_project() {
    let scratch = Scratch::repo();
    let user = scratch.top().join("home/.claude");
    fs::create_dir_all(&user).unwrap();
    fs::write(user.join("settings.json"), "{\"enabledPlugins\": {\"review-gate@x\": true}}").unwrap();
    assert_eq!(install(&scratch, &[]).status, 100);
}

#[test]
fn settings_behind_a_link_are_edited_where_they_are_and_read_only_ones_are_refused() {
    let scratch = Scratch::repo();
    let dotfiles = scratch.top().join("dotfiles.json");
    fs::write(&dotfiles, THEIRS).unwrap();
    scratch.ok("mkdir .claude && ln -s ../../dotfiles.json .claude/settings.json");
    assert_eq!(install(&scratch, &[]).status, 0);
    assert!(scratch.work().join(".claude/settings.json").is_symlink() && settings(&scratch).contains("rg-event"));
    install(&scratch, &["--uninstall"]);
    assert_eq!(fs::read_to_string(&dotfiles).unwrap(), THEIRS);
    assert!(scratch.work().join(".claude/settings.json").is_symlink());
    // The owner does not want this file to be written, although its directory would allow it.
    scratch.ok("chmod 400 ../dotfiles.json");
    let said = install(&scratch, &[]);
    assert!(said.status == 100 && said.err.contains("is read-only") && said.err.contains("chmod u+w"), "{said:?}");
    assert_eq!(fs::read_to_string(&dotfiles).unwrap(), THEIRS);
    assert_eq!(install(&scratch, &["--dry-run"]).status, 0, "a preview writes nothing");
    // A mode stays.
    scratch.ok("chmod 600 ../dotfiles.json");
    assert_eq!(install(&scratch, &[]).status, 0);
    assert_eq!(scratch.ok("stat -c %a ../dotfiles.json").out, "600\n");
}

/// Programs and projects in directories with spaces, quotes, `$` and letters of other alphabets.
#[test]
fn hooks_work_from_directories_with_odd_names() {
    let scratch = Scratch::repo();
    let bin = scratch.top().join("it's a \"bin\" $HOME `é`");
    fs::create_dir(&bin).unwrap();
    for tool in crate::tidy::tools() {
        let (from, to) = (bin_dir().join(&tool), bin.join(&tool));
        fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop)).unwrap();
    }
    for client in ["claude", "codex", "gemini", "cursor"] {
        let said = scratch.run(bin.join("rg-install").to_str().unwrap(), &[client], b"");
        assert_eq!(said.status, 0, "{client}: {said:?}");
    }
    let odd = "an 'odd' \"$place\" ü";
    scratch.ok(&format!("git add -A && git commit -qm wired && git clone -q . '../{}'", odd.replace('\'', "'\\''")));
    let wired: Value = serde_json::from_str(&settings(&scratch)).unwrap();
    let line = |event: &str| wired["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap().to_string();
    let there = scratch.top().join(odd);
    let payload = |fields: Value| {
        let text = String::from_utf8(scratch.payload("s", fields)).unwrap();
        let (from, to) = (json!(scratch.work()).to_string(), json!(there).to_string());
        text.replace(&from, &to).into_bytes()
    };
    scratch.sh(&line("UserPromptSubmit"), &payload(json!({"hook_event_name": "UserPromptSubmit", "prompt": "go"})));
    fs::write(there.join("src.txt"), "x\n").unwrap();
    let said = scratch.sh(&line("Stop"), &payload(json!({"hook_event_name": "Stop"})));
    assert!(said.reason().contains("src.txt:1: not fixed"), "{said:?}");
    let found = scratch.run(bin.join("rg-doctor").to_str().unwrap(), &["--json"], b"").json();
    let names: Vec<&Value> = found["problems"].as_array().unwrap().iter().map(|problem| &problem["name"]).collect();
    // No start of a session was sent above.
    assert!(names.iter().all(|name| *name == "untrusted" || *name == "not-fired"), "{found}");
    for client in ["claude", "codex", "gemini", "cursor"] {
        scratch.run(bin.join("rg-install").to_str().unwrap(), &[client, "--uninstall"], b"");
    }
    assert!(
        ["claude", "codex", "gemini", "cursor"]
            .iter()
            .all(|client| !scratch.work().join(format!(".{client}")).exists())
    );
}

/// The debug programs are dynamically linked; made to look static, they are wired in silence.
#[test]
#[cfg(all(target_os = "linux", target_endian = "little", target_pointer_width = "64"))]
fn dynamically_linked_programs_are_wired_with_a_warning() {
    let scratch = Scratch::repo();
    let is_static = cfg!(target_feature = "crt-static");
    let said = install(&scratch, &[]);
    assert_eq!(said.err.contains("Install static ones with `cargo xtask install`"), !is_static, "{said:?}");
    assert!(said.err.lines().count() <= 1, "{said:?}");
    assert_eq!(install(&scratch, &["--uninstall"]).err, "", "nothing is wired");
    // The same programs without the header that names their loader.
    let bin = scratch.top().join("bin");
    fs::create_dir(&bin).unwrap();
    for tool in crate::tidy::tools() {
        let to = bin.join(&tool);
        if tool == "rg-install" {
            fs::copy(bin_dir().join(&tool), &to).unwrap();
        } else {
            let mut head = fs::read(bin_dir().join(&tool)).unwrap();
            head.truncate(4096);
            let (start, size, count) = (u16::from_le_bytes([head[32], head[33]]), head[54], head[56]);
            for number in 0..usize::from(count) {
                let at = usize::from(start) + number * usize::from(size);
                if head[at] == 3 {
                    head[at] = 0;
                }
            }
            fs::write(&to, head).unwrap();
        }
    }
    let said = scratch.run(bin.join("rg-install").to_str().unwrap(), &["claude"], b"");
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{said:?}");
    assert!(settings(&scratch).contains(&format!("'{}'/rg-event", bin.display())));
}

/// A package in a Nix store of the test's own: rg-install, and something under the name of every other program of the hooks.
fn package(scratch: &Scratch) -> PathBuf {
    let bin = scratch.top().join("store/0123-review-gate/bin");
    fs::create_dir_all(&bin).unwrap();
    let hooks = fs::read_to_string("hooks.json").unwrap();
    for name in hooks.split("/bin/").skip(1).filter_map(|rest| rest.split([' ', '"', '\\']).next()) {
        fs::write(bin.join(name), "#!/bin/sh\n").unwrap();
    }
    fs::copy(bin_dir().join("rg-install"), bin.join("rg-install")).unwrap();
    bin
}

fn install_from(scratch: &Scratch, bin: &Path, before: &str, args: &str) -> crate::scratch::Said {
    let store = scratch.top().join("store");
    let line = format!("export NIX_STORE_DIR='{}'; {before}; '{}'/rg-install {args}", store.display(), bin.display());
    scratch.sh(&line, b"")
}

#[test]
fn programs_in_the_nix_store_are_named_by_their_profile_or_kept_by_a_root() {
    let scratch = Scratch::repo();
    let bin = package(&scratch);
    let path = "chmod +x ../tools/nix-store; PATH=$PWD/../tools:$PATH";
    // Nothing keeps them: nix-store fails, or says yes and makes no root.
    for script in ["exit 7", "exit 0"] {
        scratch.write("../tools/nix-store", &format!("#!/bin/sh\n{script}\n"));
        let said = install_from(&scratch, &bin, path, "claude");
        assert_eq!(said.status, 111, "{said:?}");
        assert!(said.err.contains("nothing keeps them there") && said.err.contains("nix profile install"), "{said:?}");
        assert!(!scratch.work().join(".claude").exists());
    }
    // A root keeps them. Nothing is asked for what writes nothing.
    let realise = "[ \"$1 $3 $5\" = '--realise --add-root --indirect' ] && ln -sfn \"$2\" \"$4\" && echo \"$2\"";
    scratch.write("../tools/nix-store", &format!("#!/bin/sh\n{realise}\n"));
    let roots = scratch.top().join("home/.local/state/review-gate/installed/gcroots");
    fs::remove_dir_all(&roots).unwrap();
    assert_eq!(install_from(&scratch, &bin, path, "claude --dry-run").status, 0);
    assert!(!roots.exists());
    let said = install_from(&scratch, &bin, path, "claude");
    assert_eq!(said.status, 0, "{said:?}");
    let root = roots.join("0123-review-gate");
    assert!(said.out.contains(&format!("keeps the programs in the Nix store: {}", root.display())), "{said:?}");
    assert_eq!(fs::read_link(&root).unwrap(), bin.parent().unwrap());
    assert!(settings(&scratch).contains(&format!("'{}'/rg-event", bin.display())), "{}", settings(&scratch));
    // A profile that has only some of the programs is not theirs.
    let profile = scratch.top().join("home/.nix-profile");
    fs::create_dir_all(profile.join("bin")).unwrap();
    symlink(bin.join("rg-guard"), profile.join("bin/rg-guard")).unwrap();
    assert!(install_from(&scratch, &bin, path, "claude").out.contains("keeps the programs"));
    // One that has them all follows updates, so hooks name it.
    fs::remove_dir_all(&profile).unwrap();
    symlink(bin.parent().unwrap(), &profile).unwrap();
    fs::remove_dir_all(&roots).unwrap();
    let said = install_from(&scratch, &bin, "true", "claude");
    assert_eq!((said.status, roots.exists()), (0, false), "{said:?}");
    assert!(settings(&scratch).contains("/.nix-profile/bin'/rg-event"), "{}", settings(&scratch));
}
