//! The time of loops, worktrees, landings, patches and runs, compared with an empty pipeline and with the git commands that they have to run.

use crate::Failure;
use crate::bench::{Bench, Line, Row, commit_all, payload};
use std::fs;
use std::path::Path;
use xshell::{Shell, cmd};

/// The rows with budgets.
pub fn rows(bench: &Bench, stop: &str) -> Result<Vec<Row>, Failure> {
    let looped = bench.repo("looped", true, 50)?;
    fs::write(looped.join("DONE.md"), "```yaml\nchecks:\n  - {name: tests, run: \"true\"}\nloop: {max: 100}\n```\n")?;
    let begin = "\"$BIN\"/rg-event --client claude | \"$BIN\"/rg-tamper | \"$BIN\"/rg-loop mark >/dev/null";
    let prompt = String::from_utf8_lossy(&payload("UserPromptSubmit", &looped)).replace("\"work\"", "\"#loop work\"");
    bench.call(&Line { line: begin.into(), input: prompt.into_bytes(), dir: looped.clone() })?;
    // Each iteration changes a file.
    let iteration = Line { line: format!("echo x >>f; {stop}"), input: payload("Stop", &looped), dir: looped.clone() };
    let empties = vec!["\"$EMPTY\""; stop.matches(" | ").count() + 1].join(" | ");
    let nothing = Line { line: empties, input: payload("Stop", &looped), dir: looped.clone() };

    let (ours, gits) = (bench.repo("made", false, 2_000)?, bench.repo("added", false, 2_000)?);
    let line = |dir: &Path, line: &str| Line { line: line.into(), input: Vec::new(), dir: dir.to_path_buf() };
    let create = line(&ours, "\"$BIN\"/rg-worktree create w$$");
    let add = line(&gits, "git worktree add --quiet --no-track -b w$$ .worktrees/w$$ HEAD");

    let (landed, pushed) = (shared(bench, "landed")?, shared(bench, "pushed")?);
    // Undoes the landing and removes its records.
    let back = "git update-ref refs/heads/trunk start; git --git-dir=\"$PWD.git\" update-ref refs/heads/trunk start; \
                for r in refs/review-gate/upstream/origin/trunk refs/remotes/origin/trunk; do git update-ref -d $r; done; \
                rm -f \"$XDG_STATE_HOME\"/review-gate/*/land.jsonl; ";
    let land = line(&landed, &format!("{back}exec \"$BIN\"/rg-land --keep --base trunk work"));
    let must = "git fetch -q origin +trunk:refs/gate/trunk; git worktree add -q --detach ../scratch-$$ work; \
                git -C ../scratch-$$ status --porcelain; git push -q --atomic origin work:trunk; \
                git update-ref refs/heads/trunk work start; git worktree remove --force ../scratch-$$";
    let git = line(&pushed, &format!("{back}{must}"));
    let patches = patched(bench)?;
    let mut rows = vec![
        Row::new("a loop's next iteration, 50 files / empty programs".into(), iteration, nothing, None).keeping(8),
        Row::new("rg-worktree create, 2,000 files / git worktree add".into(), create, add, Some(1.3)).keeping(5),
        Row::new("rg-land of judged files, 2,000 files / its git".into(), land, git, Some(2.0)).keeping(5),
    ];
    rows.extend(patches);
    rows.push(round(bench, stop)?);
    rows.push(proved(bench)?);
    rows.extend(evidence(bench)?);
    Ok(rows)
}

/// A run of one round, beside its agent and the filters that judge it.
fn round(bench: &Bench, stop: &str) -> Result<Row, Failure> {
    let dir = bench.repo("ran", true, 50)?;
    fs::write(dir.join("DONE.md"), "```yaml\nchecks:\n  - {name: tests, run: \"true\"}\n```\n")?;
    let line = |line: String| Line { line, input: Vec::new(), dir: dir.clone() };
    let agent = "cat >/dev/null; echo x >>f";
    let ours = line(format!("\"$BIN\"/rg-run --builder '{agent}' go >/dev/null"));
    // The stages between rg-event and rg-answer.
    let judges = stop.split_once(" | ").and_then(|(_, rest)| rest.rsplit_once(" | ")).ok_or("no judges")?.0;
    let prompt = "\"$BIN\"/rg-event prompt --prompt go --session run-$$ | \"$BIN\"/rg-tamper | \"$BIN\"/rg-review-state | \
                  \"$BIN\"/rg-loop mark | \"$BIN\"/rg-trace >/dev/null";
    let judged = format!("\"$BIN\"/rg-event stop --message m --session run-$$ | {judges} >/dev/null");
    let parts = line(format!("{prompt}; sh -c '{agent}' </dev/null; {judged}"));
    let what = "rg-run, one round, 50 files / its agent and its filters".to_string();
    Ok(Row::new(what, ours, parts, None).keeping(5).adding_at_most(30.0))
}

/// Ten changes undone, and a check that costs nothing: what is left is the share of rg-prove, in a copy of 2,000 files, at most 100 ms
/// for each of the eleven runs. On ext4 without a journal, creating files is ten times slower for a minute after others were removed there,
/// so batch after batch measures that; with `TMPDIR=/dev/shm` it does not.
fn proved(bench: &Bench) -> Result<Row, Failure> {
    let dir = bench.repo("proved", true, 2_000)?;
    let write =
        |text: &str| (0..10).try_for_each(|n| fs::write(dir.join(format!("d{n}/code.sh")), format!("{text} {n}\n")));
    write("echo")?;
    commit_all(&dir)?;
    write("printf")?;
    let line = |line: &str| Line { line: line.into(), input: Vec::new(), dir: dir.clone() };
    let ours = line("\"$BIN\"/rg-prove --now --fresh --changes 10 --jobs 1 >/dev/null; :");
    let check = line("for n in 1 2 3 4 5 6 7 8 9 10 11; do \"$BIN\"/rg-check --now --fresh >/dev/null; done; :");
    let what = "rg-prove, ten changes, 2,000 files / eleven times rg-check".to_string();
    Ok(Row::new(what, ours, check, None).keeping(1).at_most(1100.0))
}

/// A check that reports 300 tests, in its output and in a file, and the same command without a report.
fn evidence(bench: &Bench) -> Result<Vec<Row>, Failure> {
    let name = |n: usize| format!("parts::part{}::adds_what_was_ordered_{n}", n % 20);
    let lines: String = (0..300).map(|n| format!("test {} ... ok\n", name(n))).collect();
    let closing = "test result: ok. 300 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.41s";
    let output = format!("\nrunning 300 tests\n{lines}\n{closing}\n");
    let case = |n| format!("<testcase classname=\"parts.part{}\" name=\"{}\" time=\"0.001\"/>", n % 20, name(n));
    let cases: String = (0..300).map(case).collect();
    let document = format!("<testsuites><testsuite name=\"parts\" tests=\"300\">{cases}</testsuite></testsuites>\n");
    let repo = |what: &str, check: &str| -> Result<Line, Failure> {
        let dir = bench.repo(&format!("evidence-{what}"), true, 50)?;
        fs::write(dir.join("DONE.md"), format!("```yaml\nchecks:\n  - {{name: tests, run: {check}}}\n```\n"))?;
        fs::write(dir.join(".gitignore"), "out/\n")?;
        fs::create_dir_all(dir.join("out"))?;
        fs::write(dir.join("../output"), &output)?;
        fs::write(dir.join("../document"), &document)?;
        Ok(Line { line: "\"$BIN\"/rg-check --now --fresh >/dev/null".into(), input: Vec::new(), dir })
    };
    let lines = (repo("lines", "cat ../output, kind: test")?, repo("no-lines", "cat ../output >/dev/null")?);
    let copy = "cp ../document out/junit.xml";
    let file = (repo("file", &format!("{copy}, report: out/junit.xml"))?, repo("no-file", copy)?);
    let row = |what: &str, (ours, base): (Line, Line)| {
        let what = format!("rg-check, 300 tests in {what} / without evidence");
        Row::new(what, ours, base, None).keeping(25).adding_at_most(5.0)
    };
    Ok(vec![row("its output", lines), row("a JUnit file", file)])
}

/// A patch of one file and one of many, each applied and taken back, so that each call finds the same files.
fn patched(bench: &Bench) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for files in [1, 200] {
        let dir = bench.repo(&format!("patched{files}"), true, 2_000)?;
        let patch: String = (0..files)
            .map(|n| {
                let path = format!("d{}/f{n}.txt", n % 40);
                format!("--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n-file {n}\n+changed\n file {n}\n")
            })
            .collect();
        let file = format!("../patched{files}.diff");
        fs::write(dir.join(&file), &patch)?;
        let line = |line: String| Line { line, input: Vec::new(), dir: dir.clone() };
        let ours =
            line(format!("\"$BIN\"/rg-patch <{file} >/dev/null; \"$BIN\"/rg-patch --reverse <{file} >/dev/null"));
        let gits = line(format!("git apply <{file}; git apply --reverse <{file}"));
        let what = format!("rg-patch of {files} of 2,000 files, and back / git apply");
        rows.push(Row::new(what, ours, gits, Some(3.0)).keeping(5));
    }
    Ok(rows)
}

/// A repository with a remote, a trunk that is not checked out, and a branch with a receipt `done`.
fn shared(bench: &Bench, name: &str) -> Result<std::path::PathBuf, Failure> {
    let dir = bench.repo(name, true, 2_000)?;
    let shell = Shell::new()?;
    shell.change_dir(&dir);
    let remote = format!("{}.git", dir.display());
    cmd!(shell, "git branch -q trunk").quiet().run()?;
    cmd!(shell, "git tag start").quiet().run()?;
    cmd!(shell, "git clone -q --bare . {remote}").quiet().run()?;
    cmd!(shell, "git remote add origin {remote}").quiet().run()?;
    // Only a receipt of the session's own client lands without another run of the checks, so each event is a hook call.
    let call = |event: &str, stages: &[&str]| {
        let line = stages.iter().map(|stage| format!("\"$BIN\"/{stage}")).collect::<Vec<_>>().join(" | ");
        bench.call(&Line { line, input: payload(event, &dir), dir: dir.clone() })
    };
    call("SessionStart", &["rg-event", "rg-tamper"])?;
    call("UserPromptSubmit", &["rg-event", "rg-tamper"])?;
    fs::write(dir.join("d1/f1.txt"), "changed\n")?;
    cmd!(shell, "git switch -q -c work").quiet().run()?;
    cmd!(shell, "git commit -qam work").quiet().run()?;
    call("Stop", &["rg-event", "rg-tamper", "rg-check", "rg-bounce", "rg-receipt"])?;
    Ok(dir)
}
