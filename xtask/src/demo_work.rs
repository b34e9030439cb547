//! The demo's sixth scene: an agent is kept at its task in a worktree of its own, loses its conversation amid it, and lands what was
//! verified.

use crate::Failure;
use crate::demo::Scene;
use crate::stage::{line, paint, title};
use serde_json::{Value, json};
use std::path::PathBuf;
use xshell::cmd;

/// Plays the scene.
pub fn lands(scene: &mut Scene) -> Result<(), Failure> {
    title(
        "6  A sixth one is kept at its task in a worktree, loses its conversation amid it, and lands what was verified",
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
    line("person", "$ cd \"$(rg-worktree create casual)\" && claude");
    let tree = PathBuf::from(cmd!(scene.shell, "{worktree} create casual").quiet().read()?);
    enter(scene, &tree);
    scene.session = "demo-6".into();
    scene.prompt("#loop Greet casually with -c, step by step.", |_| Ok(()))?;
    scene.write("test/casual.test.sh", "it 'is casual' 'hey Ada' \"$(sh greet.sh -c Ada)\"\n")?;
    line("agent", "(writes the test)  A first step is made.");
    scene.sent_back("A first step is made.", "[iteration 2 of 10]")?;
    line("client", "(compacts the conversation: what the agent knew is gone)");
    scene.hook("PreCompact", json!({"trigger": "auto"}))?;
    let said: Value = serde_json::from_str(&scene.hook("SessionStart", json!({"source": "compact"}))?)?;
    let thread = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or("");
    if !thread.contains("Goal: Greet casually") || !thread.contains("loop: iteration 2 of 10") {
        return Err(format!("the thread was not handed back: {said}").into());
    }
    line("gate", &paint("36", thread.trim_end()));
    line("agent", "(does nothing)  <loop-done>COMPLETE</loop-done>");
    scene.sent_back("All of it.\n<loop-done>COMPLETE</loop-done>", "is casual")?;
    let greet = "case \"$1\" in -q) echo \"bye $2\";; -c) echo \"hey $2\";; *) echo \"hello $1\";; esac\n";
    scene.write("greet.sh", greet)?;
    cmd!(scene.shell, "git add -A").quiet().run()?;
    cmd!(scene.shell, "git commit -qm casual").quiet().run()?;
    line("agent", "(does the work, commits it)  <loop-done>COMPLETE</loop-done>");
    scene.may_stop("All of it.\n<loop-done>COMPLETE</loop-done>", "the loop is done")?;
    enter(scene, &main);
    line("person", "$ rg-land rg/casual");
    let said = cmd!(scene.shell, "{land} rg/casual").quiet().read()?;
    line("", &said);
    let log = cmd!(scene.shell, "git --git-dir {remote} log --graph --format=%s").quiet().read()?;
    line("remote", &log);
    let landed = said.contains("judged earlier") && log.starts_with("* casual") && !tree.exists();
    if landed { Ok(()) } else { Err(format!("it did not land: {said}").into()) }
}

/// The client, or the person, is there now.
fn enter(scene: &mut Scene, dir: &std::path::Path) {
    scene.repo = dir.to_path_buf();
    scene.shell.change_dir(dir);
    scene.shell.set_var("CLAUDE_PROJECT_DIR", dir);
}
