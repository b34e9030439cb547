//! The demo's sixth scene: a loop in a worktree, a compaction, and the landing of the verified commit.

use crate::Failure;
use crate::demo::Scene;
use crate::stage::{line, paint, title};
use serde_json::{Value, json};
use std::path::PathBuf;
use xshell::cmd;

/// Plays the scene.
pub fn play(scene: &mut Scene) -> Result<(), Failure> {
    title(
        "6  An agent works in a loop in a worktree. Its context is compacted and restored, and the verified commit lands",
    );
    let main = scene.repo.clone();
    let (worktree, land) = (scene.tool("rg-worktree"), scene.tool("rg-land"));
    let remote = scene.home.join("remote.git");
    {
        let shell = &scene.shell;
        cmd!(shell, "git add -A").quiet().run()?;
        cmd!(shell, "git commit -qm so-far").quiet().run()?;
        cmd!(shell, "git clone -q --bare . {remote}").quiet().run()?;
        cmd!(shell, "git remote add origin {remote}").quiet().run()?;
    }
    line("user", "$ cd \"$(rg-worktree create casual)\" && claude");
    let tree = PathBuf::from(cmd!(scene.shell, "{worktree} create casual").quiet().read()?);
    change_directory(scene, &tree);
    scene.session = "demo-6".into();
    scene.prompt("#loop Greet casually with -c, step by step.", |_| Ok(()))?;
    scene.write("test/casual.test.t", "it 'is casual' 'hey Ada' \"$(sh greet.sh -c Ada)\"\n")?;
    line("agent", "(writes the test)  The first step is complete.");
    scene.expect_bounce("The first step is complete.", "[iteration 2 of 10]")?;
    line("client", "(compacts the conversation; the agent loses its context)");
    scene.hook("PreCompact", json!({"trigger": "auto"}))?;
    let said: Value = serde_json::from_str(&scene.hook("SessionStart", json!({"source": "compact"}))?)?;
    let context = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("");
    if !context.contains("Goal: Greet casually") || !context.contains("loop: iteration 2 of 10") {
        return Err(format!("the context was not restored: {said}").into());
    }
    line("gate", &paint("36", context.trim_end()));
    line("agent", "(does nothing)  <loop-done>COMPLETE</loop-done>");
    scene.expect_bounce("All of it.\n<loop-done>COMPLETE</loop-done>", "is casual")?;
    let greet = "case \"$1\" in -q) echo \"bye $2\";; -c) echo \"hey $2\";; *) echo \"hello $1\";; esac\n";
    scene.write("greet.sh", greet)?;
    cmd!(scene.shell, "git add -A").quiet().run()?;
    cmd!(scene.shell, "git commit -qm casual").quiet().run()?;
    line("agent", "(does the work, commits it)  <loop-done>COMPLETE</loop-done>");
    scene.expect_end("All of it.\n<loop-done>COMPLETE</loop-done>", "the loop is done")?;
    change_directory(scene, &main);
    line("user", "$ rg-land rg/casual");
    let said = cmd!(scene.shell, "{land} rg/casual").quiet().read()?;
    line("", &said);
    let log = cmd!(scene.shell, "git --git-dir {remote} log --graph --format=%s").quiet().read()?;
    line("remote", &log);
    let landed = said.contains("landed ") && log.starts_with("* casual") && !tree.exists();
    if landed { Ok(()) } else { Err(format!("it did not land: {said}").into()) }
}

/// Makes `dir` the current directory of client and user.
fn change_directory(scene: &mut Scene, dir: &std::path::Path) {
    scene.repo = dir.to_path_buf();
    scene.shell.change_dir(dir);
    scene.shell.set_var("CLAUDE_PROJECT_DIR", dir);
}
