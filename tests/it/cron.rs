//! review-gate-cron(7): its crontab and its timer, run without a terminal, in an environment of `PATH` and `HOME` alone.

use crate::scratch::{Scratch, bin_dir, skipped};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The literal texts of the page.
fn texts() -> Vec<String> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("man/review-gate-cron.7");
    let page = fs::read_to_string(page).unwrap();
    let parts = page.split(".Bd -literal\n").skip(1);
    parts.map(|part| part.split(".Ed").next().unwrap().to_string()).collect()
}

/// The commands of the crontabs, and the value of PATH, with the built programs in place of the installed ones.
fn crontab() -> (String, Vec<String>) {
    let (mut path, mut commands) = (String::new(), Vec::new());
    for line in texts().iter().take(2).flat_map(|text| text.lines()) {
        if let Some(value) = line.strip_prefix("PATH=") {
            path = value.replace("/home/me/.local/bin", bin_dir().to_str().unwrap());
        } else if !line.is_empty() {
            let fields: Vec<&str> = line.splitn(6, ' ').collect();
            assert!(fields[..5].iter().all(|field| !field.is_empty()), "{line}");
            commands.push(fields[5].trim().to_string());
        }
    }
    (path, commands)
}

/// A home directory with the repository `src/app`: wired, with a definition of done, messages and a remote.
fn home() -> (Scratch, PathBuf) {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: test -e ok}\n");
    scratch.ok("touch ok && git add -A && git commit -qm ok");
    scratch.ok("mkdir -p ../home/src && cp -a . ../home/src/app");
    let home = scratch.top().join("home");
    let app = home.join("src/app");
    let at = app.display();
    scratch.ok(&format!("env -u RG_STATE rg-install -C {at} claude 2>/dev/null"));
    scratch.ok(&format!("env -u RG_STATE rg-msg init -C {at}"));
    scratch.ok(&format!(
        "git init -q --bare ../remote.git && git -C {at} remote add origin {}/remote.git",
        scratch.top().display()
    ));
    (scratch, home)
}

/// Runs a line as cron does.
fn run(line: &str, path: &str, home: &Path) -> Output {
    let mut command = Command::new("setsid");
    command.args([
        "--wait",
        "env",
        "-i",
        &format!("PATH={path}"),
        &format!("HOME={}", home.display()),
        "/bin/sh",
        "-c",
        line,
    ]);
    command.current_dir(home).stdin(Stdio::null()).output().unwrap()
}

fn has_setsid() -> bool {
    let has = Command::new("setsid").arg("--version").output().is_ok_and(|said| said.status.success());
    if !has {
        skipped("no setsid");
    }
    has
}

#[test]
fn the_crontab_prints_nothing_if_there_is_nothing_to_say() {
    if !has_setsid() {
        return;
    }
    let (_scratch, home) = home();
    let (path, commands) = crontab();
    assert_eq!(commands.len(), 6, "{commands:?}");
    // The second round finds what the first one recorded.
    for line in commands.iter().chain(&commands) {
        let said = run(line, &path, &home);
        assert_eq!(
            (said.status.code(), &said.stdout[..], &said.stderr[..]),
            (Some(0), &b""[..], &b""[..]),
            "{line}: {said:?}"
        );
    }
    assert!(home.join(".local/state/review-gate").is_dir());
}

#[test]
fn the_crontab_reports_red_checks_and_hooks_that_do_not_protect() {
    if !has_setsid() {
        return;
    }
    let (_scratch, home) = home();
    let (path, commands) = crontab();
    fs::remove_file(home.join("src/app/ok")).unwrap();
    fs::write(home.join("src/app/.claude/settings.json"), "{}").unwrap();
    for (line, want) in [(&commands[0], "t: failed"), (&commands[1], "mend: rg-install"), (&commands[5], "t: failed")] {
        let said = run(line, &path, &home);
        let text = String::from_utf8_lossy(&said.stdout);
        assert!(said.status.code() == Some(1) && text.contains(want), "{line}: {said:?}");
    }
}

#[test]
fn the_timer_runs_the_checks() {
    if !has_setsid() {
        return;
    }
    let (_scratch, home) = home();
    let texts = texts();
    let (service, timer) = (&texts[2], &texts[3]);
    let value = |name: &str| {
        let line = service.lines().find_map(|line| line.strip_prefix(&format!("{name}="))).unwrap();
        line.replace("%h/.local/bin", bin_dir().to_str().unwrap()).replace("%h", home.to_str().unwrap())
    };
    let path = value("Environment").strip_prefix("PATH=").unwrap().to_string();
    let line = format!("cd {} && {}", value("WorkingDirectory"), value("ExecStart"));
    let said = run(&line, &path, &home);
    assert_eq!((said.status.code(), &said.stdout[..], &said.stderr[..]), (Some(0), &b""[..], &b""[..]), "{said:?}");
    fs::remove_file(home.join("src/app/ok")).unwrap();
    assert_eq!(run(&line, &path, &home).status.code(), Some(1));
    // systemd itself reads the time.
    let time = timer.lines().find_map(|line| line.strip_prefix("OnCalendar=")).unwrap();
    match Command::new("systemd-analyze").args(["calendar", time]).output() {
        Ok(said) => assert!(said.status.success(), "{said:?}"),
        Err(_) => skipped("no systemd-analyze"),
    }
}

#[test]
fn quiet_is_silent_only_if_the_status_is_0() {
    let scratch = Scratch::repo_with("checks:\n  - {name: t, run: 'true'}\n");
    let said = scratch.run("rg-check", &["--now", "--quiet", "--json"], b"");
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{said:?}");
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: t, run: 'false'}\n```\n");
    let said = scratch.run("rg-check", &["--now", "--quiet"], b"");
    assert!(said.status == 1 && said.out.contains("t: failed"), "{said:?}");
    // A part of the checks is no outcome `done`.
    scratch.write("DONE.md", "```yaml\nchecks:\n  - {name: t, run: 'true'}\n  - {name: u, run: 'true'}\n```\n");
    let said = scratch.run("rg-check", &["--now", "--quiet", "--only", "t"], b"");
    assert!(said.status == 111 && !said.out.is_empty(), "{said:?}");
    for (tool, args) in
        [("rg-check", &["--quiet"][..]), ("rg-tamper", &["--now", "--quiet"]), ("rg-doctor", &["--brief", "--quiet"])]
    {
        assert_eq!(scratch.run(tool, args, b"").status, 100, "{tool} {args:?}");
    }
}
